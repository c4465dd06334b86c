"""The chain rule: above each source element its uses with their weights, below what they sum to."""

from math import fsum
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from zerostride.draw.elision import Track, shown_positions, tracks
from zerostride.draw.ink import (
    DASHED,
    INK,
    LIT_EDGE,
    LIT_FILL,
    LIT_INK,
    MUTED,
    PAPER,
    centred,
    fitted,
    rounded,
    sheet,
    unclipped,
)
from zerostride.gradients import Uses
from zerostride.gradients.programs import at, written
from zerostride.language import say

UNIT_INCHES = 0.55
COLUMN, BREAK, GAP, EDGE = 2.6, 0.9, 0.2, 0.3
CELL, HOLE = 1.25, 0.6
COUNT, ARROW, SUM, NAME = 0.9, 0.8, 1.15, 0.75
MOST_COLUMNS, MOST_CELLS = 8, 6


def chain_rule(report: Uses) -> Figure:
    """Return a figure of the uses of each source element, and of what their weights sum to.

    Each element of the source has a column of its uses, one cell each: which
    element of the result, and the weight that it passes back. Over them stands
    how many there are, ``n = 4``; under them, lit, their sum, which is the
    derivative of a loss L. A use that an edit took away is dashed and struck
    out; an element without a use has a dashed 0.

    Parameters
    ----------
    report : Uses
        From ``zs.uses``; with ``weights`` for a weighted sum.

    Returns
    -------
    Figure
        For ``zs.show``; weights in columns, their sums below.

    Raises
    ------
    TypeError
        If something else is handed in.
    ValueError
        If the source has no elements.

    Examples
    --------
    >>> import numpy as np, zerostride as zs
    >>> weights = np.arange(1.0, 13.0).reshape(4, 3)
    >>> figure = chain_rule(zs.uses(lambda z: np.tile(z, (4, 1)), np.ones((1, 3)), weights))
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_fontweight() == "bold"][:3]
    ['n = 4', '22', '∂L/∂x[0, 0]']
    """
    if not isinstance(report, Uses):
        raise TypeError(say("draw.uses_wanted", type=type(report).__name__))
    if not report.weights:
        raise ValueError(say("draw.no_elements", shape=report.source_shape))
    columns = tracks(shown_positions(len(report.weights), MOST_COLUMNS, 5), (COLUMN, BREAK))
    stacks = {each.position: _stack(report, each.position) for each in columns if not each.hidden}
    tall = max(_height(stack) for stack in stacks.values())
    across, down = columns[-1].start + columns[-1].size, COUNT + tall + ARROW + SUM + NAME
    figure, ax = sheet((-EDGE, across + EDGE), down, UNIT_INCHES, EDGE)
    for column in columns:
        if column.hidden:
            centred(ax, column.middle, COUNT + tall + ARROW + SUM / 2, "⋯", 14, MUTED)
        else:
            _column(ax, report, column, stacks[column.position], COUNT + tall)
    return unclipped(figure)


def _stack(report: Uses, position: int) -> list[Track]:
    cells = len(_uses(report, position))
    return tracks(shown_positions(cells, MOST_CELLS), (CELL, HOLE)) if cells else []


def _uses(report: Uses, position: int) -> list[tuple[int, float, bool]]:
    """Return element of the result and weight of each use, and whether it is lost."""
    kept = zip(report.places[position], report.weights[position], strict=True)
    lost = report.lost[position] if report.lost else ()
    return sorted([(*use, False) for use in kept] + [(*use, True) for use in lost])


def _height(stack: list[Track]) -> float:
    return stack[-1].start + stack[-1].size if stack else 0.0


def _column(ax: Axes, report: Uses, column: Track, stack: list[Track], bottom: float) -> None:
    """Draw the uses of one element down to ``bottom``, the arrow, the sum and the name."""
    weights, uses = report.weights[column.position], _uses(report, column.position)
    first = next((place for place, use in enumerate(uses) if not use[2]), 0)
    top = bottom - _height(stack)
    middle = column.middle
    _text(ax, (middle, top - COUNT / 2), f"n = {len(weights)}", 14, INK, "bold")
    for cell in stack:
        if cell.hidden:
            _text(ax, (middle, top + cell.middle), "⋮", 13, MUTED)
        else:
            user, weight, lost = uses[cell.position]
            term = _term(weight, signed=not lost and cell.position > first)
            _cell(ax, column, top + cell.start, (at(report.result_shape, user, "y"), term), lost=lost)
    foot = bottom + ARROW
    if weights:
        look = {"arrowstyle": "-|>", "color": LIT_EDGE, "linewidth": 2.0, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (middle, foot), (middle, bottom + 0.08), arrowprops=look)
    style = {"facecolor": LIT_FILL, "edgecolor": LIT_EDGE, "linewidth": 2.2} if weights else DASHED
    ax.add_patch(rounded(column.start + GAP / 2, foot, COLUMN - GAP, SUM, **style))
    total = written(fsum(weights)).replace("-", "−")
    _text(ax, (middle, foot + SUM / 2), total, 17, LIT_INK if weights else MUTED, "bold")
    name = f"∂L/∂{at(report.source_shape, column.position)}"
    _text(ax, (middle, foot + SUM + NAME / 2), name, 13, INK, "bold", "monospace")


def _cell(ax: Axes, column: Track, top: float, words: tuple[str, str], *, lost: bool) -> None:
    style: dict[str, Any] = DASHED if lost else {"facecolor": PAPER, "edgecolor": MUTED, "linewidth": 1.1}
    ax.add_patch(rounded(column.start + GAP / 2, top + 0.06, COLUMN - GAP, CELL - 0.12, **style))
    name, term = words
    _text(ax, (column.middle, top + 0.33), name, 11, MUTED, family="monospace")
    _text(ax, (column.middle, top + 0.8), term, 15, MUTED if lost else INK)
    if lost:
        ends = [column.middle - 0.4, column.middle + 0.4], [top + 0.95, top + 0.65]
        ax.plot(*ends, color=MUTED, linewidth=1.8)


def _term(weight: float, *, signed: bool) -> str:
    """Return a weight as it stands in a sum: the first has no plus."""
    sign = "−" if weight < 0 else "+" if signed else ""
    return f"{sign} {written(abs(weight))}" if signed else sign + written(abs(weight))


def _text(
    ax: Axes,
    place: tuple[float, float],
    text: str,
    size: float,
    colour: str,
    weight: str = "normal",
    family: str = "sans-serif",
) -> None:
    fits = fitted(text, size, (COLUMN - GAP - 0.2) * UNIT_INCHES, weight, family)
    centred(ax, *place, text, fits, colour, fontweight=weight, family=family)
