"""What the explorer of addresses is made of: its drawing in the page, and what Python knows of it."""

from typing import Any

import traitlets

from zerostride import draw
from zerostride.explore.operations import Own, Setting
from zerostride.explore.panel import Drawing, Explorer, Twin
from zerostride.language import say
from zerostride.layouts import Layout

NUMBERS = ("axis", "count", "start", "down", "across")


class AddressDrawing(Drawing):
    """The live drawing of addresses; start and strides count in elements of the present type."""

    dtypes: Any = traitlets.List().tag(sync=True)
    operations: Any = traitlets.List().tag(sync=True)
    base = traitlets.Dict().tag(sync=True)
    most = traitlets.Dict().tag(sync=True)
    rows = traitlets.Int().tag(sync=True)
    rows_by = traitlets.Int(1).tag(sync=True)
    rows_most = traitlets.Int().tag(sync=True)
    cols = traitlets.Int().tag(sync=True)
    cols_by = traitlets.Int(1).tag(sync=True)
    cols_most = traitlets.Int().tag(sync=True)
    dtype = traitlets.Int().tag(sync=True)
    operation = traitlets.Int().tag(sync=True)
    unit = traitlets.Int().tag(sync=True)
    axis = traitlets.Int().tag(sync=True)
    count = traitlets.Int(1).tag(sync=True)
    start = traitlets.Int().tag(sync=True)
    down = traitlets.Int().tag(sync=True)
    across = traitlets.Int().tag(sync=True)


class AddressExplorer(Explorer):
    """Controls around the live drawing of addresses."""

    drawing: AddressDrawing

    def __init__(self, drawing: AddressDrawing, controls: dict[str, Any], own: Own | None) -> None:
        super().__init__(drawing, controls)
        self.own = own

    @property
    def setting(self) -> Setting:
        """What the controls are set to, in elements."""
        chosen = {name: control.value for name, control in self.controls.items() if name != "unit"}
        numbers = {name: getattr(self.drawing, name) for name in NUMBERS}
        dtype = {} if self.own is None else {"dtype": self.own.seen.dtype}
        return Setting(**chosen | numbers | dtype, own=self.own)

    @property
    def state(self) -> dict[str, Any]:
        """What the explorer is set to, by the names of its arguments."""
        now, seen = self.setting, self.layout
        return {
            "rows": now.rows,
            "cols": now.cols,
            "dtype": now.dtype,
            "operation": now.operation,
            "unit": self.unit,
            "axis": now.axis,
            "count": now.count,
            "strides_bytes": seen.strides_bytes,
            "start_bytes": seen.storage_offset_bytes,
        }

    @property
    def unit(self) -> str:
        """How strides and offsets count."""
        return str(self.controls["unit"].value) if "unit" in self.controls else "bytes"

    @property
    def layout(self) -> Layout:
        """The layout that the drawing shows now."""
        return self.setting.layout()

    def static(self) -> Twin:
        """Return the static twin of the present state, as figure and table; expand and repeat side by side.

        Examples
        --------
        >>> from zerostride.explore import addresses
        >>> twin = addresses(rows=2, cols=6).static()
        >>> twin.layouts["expand"].touched_bytes, twin.layouts["repeat"].touched_bytes
        (48, 96)
        """
        now = self.setting
        layouts, values = {now.operation: self.layout}, now.values()
        if self.own is None and now.operation in ("expand", "repeat") and now.axis == 0 and now.count == 1:
            pair = ("expand", "repeat")
            layouts = {each: addresses_layout(now.rows, now.cols, now.dtype, each) for each in pair}
        highlight = (min(2, now.rows - 1), min(1, now.cols - 1))
        figure = draw.side_by_side(highlight=highlight, unit=self.unit, values=values, **layouts)
        return Twin(figure, layouts)

    def __repr__(self) -> str:
        seen = self.layout
        return say(
            "front.plain",
            operation=self.setting.operation,
            shape=seen.shape,
            dtype=seen.dtype,
            bytes=seen.strides_bytes,
            elements=seen.strides_elements,
            stored=seen.storage_bytes,
            logical=seen.logical_bytes,
        )


def addresses_layout(
    rows: int, cols: int, dtype: str = "float64", operation: str = "expand", **more: Any
) -> Layout:
    """Return the layout of a source brought to ``(rows, cols)``; nothing is allocated.

    An axis of length 1 is not expanded and keeps its stride, as in torch
    (NumPy's ``broadcast_to`` writes 0 there; the addresses are the same).

    Examples
    --------
    >>> addresses_layout(4, 3, "bfloat16").strides_bytes
    (0, 2)
    >>> addresses_layout(4, 3, operation="reverse", axis=1).formula
    '16 + i×24 + j×(−8)'
    """
    return Setting(rows, cols, dtype, operation, **more).layout()
