"""The explorer of derivatives: each component of the source as the sum of the weights of its uses."""

from typing import Any

import numpy as np
import traitlets

from zerostride import draw
from zerostride.explore.panel import Drawing, Explorer, Twin, among, buttons, slider, started
from zerostride.explore.weighted_rows import REDUCTIONS, WAYS, WeightedRows, Weights
from zerostride.gradients.programs import as_array
from zerostride.handed_in import told
from zerostride.language import say

MOST_ROWS, MOST_COLS, MOST_WEIGHT = 6, 4, 12


class DerivativeDrawing(Drawing):
    """The live drawing of weights and derivatives; weights out of sight are kept."""

    most = traitlets.Dict().tag(sync=True)
    weights: Any = traitlets.List().tag(sync=True)
    rows = traitlets.Int().tag(sync=True)
    cols = traitlets.Int().tag(sync=True)
    way = traitlets.Int().tag(sync=True)
    reduction = traitlets.Int().tag(sync=True)


class DerivativeExplorer(Explorer):
    """Controls around the live drawing of weights and derivatives."""

    drawing: DerivativeDrawing

    @property
    def rows(self) -> WeightedRows:
        """What is differentiated now."""
        chosen = super().state
        shown = [row[: chosen["cols"]] for row in self.drawing.weights[: chosen["rows"]]]
        return WeightedRows(tuple(map(tuple, shown)), chosen["way"], chosen["reduction"])

    @property
    def state(self) -> dict[str, Any]:
        """What the explorer is set to, by the names of its arguments."""
        now = self.rows
        return {"weights": now.weights, "way": now.way, "reduction": now.reduction}

    def static(self) -> Twin:
        """Return the static twin of the present state, as figure and table.

        Examples
        --------
        >>> derivative(way="edited").static().to_dict()["derivative"]["derivative"]
        ['21', '26', '30']
        """
        now = self.rows
        return Twin(draw.chain_rule(now.uses()), {"derivative": now})

    def __repr__(self) -> str:
        now = self.rows
        parts = now.derivative
        value = say("front.derivative.cut") if parts is None else f"({', '.join(map(str, parts))})"
        words = {"shape": now.shape, "reduction": now.reduction, "derivative": value}
        return say("front.plain_derivative", way=say(f"front.way.{now.way}"), **words)


def derivative(weights: Any = None, way: str = "expand", reduction: str = "sum") -> DerivativeExplorer:
    """Return the explorer of derivatives: ``(y * weights).sum()`` by the source of the rows of ``y``.

    Move the weights: the derivative of each component follows as the sum of
    the weights of its uses, with the central difference beside it. Switch how
    the rows are made: by expand, by repeat, as an edited or a detached one,
    or as independent rows.

    Parameters
    ----------
    weights : ndarray, Tensor or sequence of sequences of int, optional
        At most 6 rows and 4 columns of whole numbers from -12 to 12; by
        default 1 to 12 in four rows.
    way : {"expand", "repeat", "edited", "detach", "independent"}
        How the rows are made. "edited": a clone, whose first element is
        overwritten; one use less.
    reduction : {"sum", "mean"}
        What is done with the weighted elements.

    Returns
    -------
    DerivativeExplorer
        Live in a notebook; ``static()`` is the picture and table of its state.

    Raises
    ------
    ValueError
        If an argument is none that its control can be set to.

    Examples
    --------
    >>> derivative()
    Explorer of derivatives: expand to (4, 3), sum of weighted elements, derivative (22, 26, 30).
    >>> derivative(reduction="mean")
    Explorer of derivatives: expand to (4, 3), mean of weighted elements, derivative (11/6, 13/6, 5/2).
    """
    chosen = (
        tuple((1 + 3 * i, 2 + 3 * i, 3 + 3 * i) for i in range(4)) if weights is None else _whole(weights)
    )
    rows, cols = len(chosen), len(chosen[0])
    start: dict[str, Any] = {
        "way": among("way", way, WAYS),
        "reduction": among("reduction", reduction, REDUCTIONS),
    }
    named = [(say(f"front.way.{each}"), each) for each in WAYS]
    controls = {
        "way": buttons("way", start["way"], named),
        "reduction": buttons("reduction", start["reduction"], REDUCTIONS),
        "rows": slider("rows", rows, MOST_ROWS),
        "cols": slider("cols", cols, MOST_COLS),
    }
    table = [
        [chosen[i][j] if i < rows and j < cols else 1 for j in range(MOST_COLS)] for i in range(MOST_ROWS)
    ]
    start |= {"rows": rows, "cols": cols, "weights": table}
    most = {"rows": MOST_ROWS, "cols": MOST_COLS}
    drawing = started(DerivativeDrawing, "derivative", start, controls, most=most)
    return DerivativeExplorer(drawing, controls)


def _whole(weights: Any) -> Weights:
    """Return weights as rows of whole numbers, or raise ValueError in words."""
    try:
        given = as_array(weights)
        small = given.ndim == 2 and 1 <= given.shape[0] <= MOST_ROWS and 1 <= given.shape[1] <= MOST_COLS
        good = small and given.dtype.kind in "iuf" and bool((np.abs(given) <= MOST_WEIGHT).all())
        if good and bool((given == np.trunc(given)).all()):
            return tuple(tuple(int(weight) for weight in row) for row in given)
    except Exception:  # of whatever stands in the place of a number
        given = np.empty(0)
    said = f"shape {given.shape}" if given.size > MOST_ROWS * MOST_COLS else told(weights)
    raise ValueError(say("front.error.weights", most=MOST_WEIGHT, rows=MOST_ROWS, cols=MOST_COLS, value=said))
