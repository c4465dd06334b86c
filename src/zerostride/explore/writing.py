"""The explorer of writes: who changes, under NumPy's policy and under torch's."""

from typing import Any

import traitlets

from zerostride import draw
from zerostride.draw.written import Write
from zerostride.expansion import LIBRARIES
from zerostride.explore.panel import Drawing, Explorer, Twin, among, buttons, slider, started, within
from zerostride.explore.write_policies import FORMS, TARGETS, one_write, policies
from zerostride.language import say

MOST = 6


class WriteDrawing(Drawing):
    """The live drawing of a source, its view and two copies."""

    policies: Any = traitlets.Dict().tag(sync=True)
    rows = traitlets.Int().tag(sync=True)
    cols = traitlets.Int().tag(sync=True)
    library = traitlets.Int().tag(sync=True)
    form = traitlets.Int().tag(sync=True)
    target = traitlets.Int().tag(sync=True)
    row = traitlets.Int().tag(sync=True)
    col = traitlets.Int().tag(sync=True)


class WriteExplorer(Explorer):
    """Controls around the live drawing of writes."""

    drawing: WriteDrawing

    @property
    def state(self) -> dict[str, Any]:
        """What the explorer is set to, by the names of its arguments; the cell is that of the last write."""
        now = super().state
        target = TARGETS[self.drawing.target]
        row = min(self.drawing.row, (1 if target == "source" else now["rows"]) - 1)
        return now | {"target": target, "row": row, "col": min(self.drawing.col, now["cols"] - 1)}

    @property
    def write(self) -> Write:
        """What that write changes in fresh arrays."""
        return one_write(**self.state)

    def static(self) -> Twin:
        """Return the static twin of the present write, as figure and table.

        Examples
        --------
        >>> writes().static().to_dict()["write"]["outcome"]
        'together'
        """
        write = self.write
        return Twin(draw.write_propagation(write), {"write": write})

    def __repr__(self) -> str:
        write, library = self.write, self.state["library"]
        count = sum(map(len, write.changed.values()))
        words = {"write": write.code, "library": library, "verdict": write.verdict, "count": count}
        return say("front.plain_writes", **words)


def writes(
    rows: int = 4,
    cols: int = 3,
    library: str = "numpy",
    form: str = "element",
    target: str = "source",
    row: int = 0,
    col: int | None = None,
) -> WriteExplorer:
    """Return the explorer of writes: click a cell of any of four arrays, and see who changes.

    A source, its expanded view, a tiled copy and an edited copy. NumPy's
    outcomes are measured on the installed version, and torch's where torch is
    loaded; else those stand that were recorded with the named version.

    Parameters
    ----------
    rows, cols : int
        Shape of the view and the copies, from 1 to 6.
    library : {"numpy", "torch"}
        Whose arrays.
    form : {"element", "row", "column", "all"}
        What is written: ``y[i, j]``, ``y[i]``, ``y[:, j]`` or ``y[:]``.
    target : {"source", "view", "tiled", "edited"}
        Which array the static twin writes to, and the first question of a class.
    row, col : int, optional
        Which cell; row 0 and column 1, where there is one.

    Returns
    -------
    WriteExplorer
        Live in a notebook; ``write`` is what it shows, ``static()`` the picture and table.

    Raises
    ------
    ValueError
        If an argument is none that its control can be set to.

    Examples
    --------
    >>> writes()
    Explorer of writes: source[0, 1] = 9 in numpy: runs, and changes more than it names;
    elements changed: 5.
    >>> writes(target="view").write.outcome
    'raises'
    """
    size = {"rows": within("rows", rows, MOST), "cols": within("cols", cols, MOST)}
    chosen = {
        "library": among("library", library, LIBRARIES),
        "form": among("form", form, list(FORMS)),
        "target": among("target", target, TARGETS),
    }
    last_row = (1 if target == "source" else size["rows"]) - 1
    last_col = size["cols"] - 1
    start = size | chosen | {"row": within("row", row, last_row, 0)}
    start["col"] = within("col", min(1, last_col) if col is None else col, last_col, 0)
    forms = [(f"y[{text.format(row='i', col='j')}] = 9", name) for name, text in FORMS.items()]
    controls = {
        "rows": slider("rows", size["rows"], MOST),
        "cols": slider("cols", size["cols"], MOST),
        "library": buttons("library", chosen["library"], LIBRARIES),
        "form": buttons("form", chosen["form"], forms),
    }
    index = TARGETS.index(chosen["target"])
    drawing = started(WriteDrawing, "writes", start, controls, policies=policies(), target=index)
    return WriteExplorer(drawing, controls)
