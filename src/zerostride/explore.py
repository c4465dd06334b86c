"""Explorers: controls linked in the front end to one live drawing, and a static twin of each.

The drawing computes in the browser, so it answers without a round trip to the
kernel and goes on without one; its numbers are tested equal to ``Layout``.
"""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from operator import index as whole
from typing import Any

import anywidget
import ipywidgets as widgets
import numpy as np
import traitlets
from matplotlib.figure import Figure

from zerostride import draw, pictures
from zerostride.language import catalogue, current, enumerated, say
from zerostride.layouts import Layout
from zerostride.reports import Report, Table

DTYPES = {
    "bool": 1,
    "int8": 1,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}
OPERATIONS = ("expand", "repeat")
UNITS = ("bytes", "elements")
MOST_ROWS, MOST_COLS = 8, 6


class Drawing(anywidget.AnyWidget):
    """The live drawing; everything it shows is computed in the front end."""

    _esm = files("zerostride").joinpath("front", "zerostride.js").read_text("utf-8")
    kind = traitlets.Unicode().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)
    dtypes: Any = traitlets.List().tag(sync=True)
    start = traitlets.Dict().tag(sync=True)
    rows = traitlets.Int().tag(sync=True)
    cols = traitlets.Int().tag(sync=True)
    dtype = traitlets.Int().tag(sync=True)
    operation = traitlets.Int().tag(sync=True)
    unit = traitlets.Int().tag(sync=True)

    def __repr__(self) -> str:
        return f"Drawing(kind={self.kind!r})"


@dataclass(frozen=True, repr=False)
class Twin(Report):
    """A figure and a table that show without a kernel what an explorer shows with one.

    Attributes
    ----------
    figure : matplotlib.figure.Figure
        Both operations on one byte scale.
    layouts : dict of str to Layout
        What was drawn, by operation.
    """

    figure: Figure
    layouts: dict[str, Layout]

    def table(self) -> Table:
        """Return both layouts side by side."""
        tables = [seen.table() for seen in self.layouts.values()]
        lines = zip(*(table.rows for table in tables), strict=True)
        rows = [(same[0][0], *(line[1] for line in same)) for same in lines]
        return Table(rows, header=("", *self.layouts))

    def to_dict(self) -> dict[str, object]:
        """Return the answers of each layout by operation."""
        return {operation: seen.to_dict() for operation, seen in self.layouts.items()}

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        shown = pictures.bundle(self.figure, pictures.alt_text(list(self.layouts.values())))
        return shown | {"text/html": shown["text/html"] + self.table().html(), "text/plain": str(self)}


class Explorer:
    """Controls around a live drawing; made by the functions of this module.

    Displaying it gives one output for every reader: the live widget, a PNG and
    an SVG for pages without a kernel, and a stable line of text.
    """

    def __init__(self, drawing: Drawing, controls: dict[str, Any]) -> None:
        self.drawing = drawing
        self.controls = controls
        self.links = [
            widgets.jslink((control, _linked(control)), (drawing, name)) for name, control in controls.items()
        ]
        wrapped = widgets.Layout(flex_flow="row wrap", overflow="visible")
        row = widgets.Box(list(controls.values()), layout=wrapped)
        self.box = widgets.VBox([row, drawing], layout=widgets.Layout(max_width="900px", overflow="visible"))
        self.box.add_class("zs-explorer")

    @property
    def state(self) -> dict[str, Any]:
        """What the controls are set to, by name."""
        return {name: control.value for name, control in self.controls.items()}

    @property
    def layout(self) -> Layout:
        """The layout that the drawing shows now."""
        return addresses_layout(**{name: self.state[name] for name in ("rows", "cols", "dtype", "operation")})

    def static(self) -> Twin:
        """Return the static twin: both operations at the present sizes, as figure and table.

        Examples
        --------
        >>> twin = addresses(rows=2, cols=6).static()
        >>> twin.layouts["expand"].touched_bytes, twin.layouts["repeat"].touched_bytes
        (48, 96)
        """
        state = self.state
        rows, cols, dtype = state["rows"], state["cols"], state["dtype"]
        layouts = {operation: addresses_layout(rows, cols, dtype, operation) for operation in OPERATIONS}
        values = np.tile(shown_values(cols, dtype), (rows, 1))
        highlight = (min(2, rows - 1), min(1, cols - 1))
        figure = draw.side_by_side(highlight=highlight, unit=state["unit"], values=values, **layouts)
        return Twin(figure, layouts)

    def __repr__(self) -> str:
        seen = self.layout
        return say(
            "front.plain",
            operation=self.state["operation"],
            shape=seen.shape,
            dtype=seen.dtype,
            bytes=seen.strides_bytes,
            elements=seen.strides_elements,
            stored=seen.storage_bytes,
            logical=seen.logical_bytes,
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        figure = self.static().figure
        data = {
            "text/plain": repr(self),
            "image/png": b64encode(pictures.png(figure)).decode(),
            "image/svg+xml": pictures.svg(figure),
        }
        view = "application/vnd.jupyter.widget-view+json"
        data[view] = self.box._repr_mimebundle_()[view]
        return data, {"image/png": {"width": round(figure.get_figwidth() * 90)}}


def addresses(
    rows: int = 4, cols: int = 3, dtype: str = "float64", operation: str = "expand", unit: str = "bytes"
) -> Explorer:
    """Return the explorer of addresses: which bytes element (i, j) reads, and who shares them.

    A source of shape ``(1, cols)`` becomes ``(rows, cols)``, by a view or by a
    copy. Point at an element, or walk there with the arrow keys.

    Parameters
    ----------
    rows : int, default 4
        From 1 to 8.
    cols : int, default 3
        From 1 to 6.
    dtype : str, default "float64"
        bool, int8, float16, bfloat16, float32, float64, complex64 or complex128.
    operation : {"expand", "repeat"}
        View or copy.
    unit : {"bytes", "elements"}
        How strides and offsets count: as NumPy or as torch does.

    Raises
    ------
    ValueError
        If an argument is none that its control can be set to.

    Examples
    --------
    >>> explorer = addresses(rows=2, cols=6)
    >>> explorer
    Explorer of addresses: expand to (2, 6), float64, strides (0, 8) bytes = (0, 1) elements,
    48 B stored, 96 B logical.
    >>> explorer.layout.touched_bytes
    48
    """
    start = {
        "rows": _within("rows", rows, MOST_ROWS),
        "cols": _within("cols", cols, MOST_COLS),
        "dtype": _among("dtype", dtype, list(DTYPES)),
        "operation": _among("operation", operation, OPERATIONS),
        "unit": _among("unit", unit, UNITS),
    }
    units = [(say(f"front.unit.{each}"), each) for each in UNITS]
    controls = {
        "rows": _slider("rows", start, MOST_ROWS),
        "cols": _slider("cols", start, MOST_COLS),
        "dtype": _control(widgets.SelectionSlider, "dtype", start, options=list(DTYPES)),
        "operation": _control(widgets.ToggleButtons, "operation", start, options=OPERATIONS),
        "unit": _control(widgets.ToggleButtons, "unit", start, options=units),
    }
    indices = {name: getattr(control, _linked(control)) for name, control in controls.items()}
    drawing = Drawing(
        kind="addresses", words=front_words("addresses"), dtypes=list(DTYPES.items()), start=start, **indices
    )
    return Explorer(drawing, controls)


def addresses_layout(rows: int, cols: int, dtype: str = "float64", operation: str = "expand") -> Layout:
    """Return the layout of a ``(1, cols)`` source brought to ``(rows, cols)``; nothing is allocated.

    An axis of length 1 is not expanded and keeps its stride, as in torch
    (NumPy's ``broadcast_to`` writes 0 there; the addresses are the same).

    Examples
    --------
    >>> addresses_layout(4, 3, "bfloat16").strides_bytes
    (0, 2)
    """
    itemsize = DTYPES[dtype]
    row_bytes = 0 if operation == "expand" and rows > 1 else cols * itemsize
    return Layout.of((rows, cols), (row_bytes, itemsize), itemsize, dtype=dtype)


def shown_values(cols: int, dtype: str) -> "np.ndarray[tuple[int], np.dtype[np.str_]]":
    """Return the values 1, 2, 3 … as they are written in an element type; truth values take turns.

    Examples
    --------
    >>> shown_values(2, "complex64").tolist(), shown_values(2, "bool").tolist()
    (['1+0j', '2+0j'], ['True', 'False'])
    """
    numbers = range(1, cols + 1)
    if dtype == "bool":
        return np.array([str(number % 2 == 1) for number in numbers])
    ending = "+0j" if dtype.startswith("complex") else "" if dtype.startswith("int") else ".0"
    return np.array([f"{number}{ending}" for number in numbers])


def front_words(kind: str) -> dict[str, str]:
    """Return what a live drawing says, by name, in the language in use; braces are filled in there."""
    prefix, language = f"front.{kind}.", current()
    entries = catalogue().items()
    return {key.removeprefix(prefix): words[language] for key, words in entries if key.startswith(prefix)}


def _linked(control: Any) -> str:
    # The value of a selection exists only in Python; the front end knows its index.
    return "index" if hasattr(control, "index") else "value"


def _control(kind: type, name: str, start: dict[str, Any], **options: Any) -> Any:
    control = kind(value=start[name], description=say(f"front.control.{name}"), **options)
    control.style.description_width = "initial"
    control.add_class(f"zs-{name}")
    if kind is widgets.ToggleButtons:
        control.style.button_width = "6.5em"
        control.layout.width = "max-content"
    else:
        control.layout.width = "24em" if kind is widgets.SelectionSlider else "18em"
    control.layout.margin = "2px 18px 2px 2px"
    return control


def _slider(name: str, start: dict[str, Any], most: int) -> Any:
    return _control(widgets.IntSlider, name, start, min=1, max=most)


def _within(name: str, value: Any, most: int) -> int:
    try:
        number = whole(value)
    except TypeError:
        number = 0
    if isinstance(value, bool) or not 1 <= number <= most:
        raise ValueError(say("front.error.number", name=name, low=1, high=most, value=repr(value)))
    return number


def _among(name: str, value: Any, known: Sequence[str]) -> str:
    if value not in known:
        raise ValueError(say("front.error.choice", name=name, known=enumerated(known), value=repr(value)))
    return str(value)
