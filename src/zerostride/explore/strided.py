"""The explorer of addresses: which bytes element (i, j) reads, and who shares them."""

from typing import Any

import ipywidgets as widgets

from zerostride.explore.address_panel import AddressDrawing, AddressExplorer
from zerostride.explore.operations import (
    DTYPES,
    MOST_COLS,
    MOST_ROWS,
    OPERATIONS,
    UNITS,
    Own,
    Setting,
)
from zerostride.explore.own_array import MOST, own_array
from zerostride.explore.panel import among, buttons, made_control, slider, started, within
from zerostride.language import say


def addresses(
    x: Any = None,
    rows: int | None = None,
    cols: int | None = None,
    dtype: str | None = None,
    operation: str | None = None,
    unit: str = "bytes",
    *,
    axis: int = 0,
    count: int = 1,
    strides_bytes: tuple[int, int] | None = None,
    start_bytes: int | None = None,
) -> AddressExplorer:
    """Return the explorer of addresses: which bytes element (i, j) reads, and who shares them.

    A source becomes ``(rows, cols)``, by a view or by a copy. Point at an
    element, or walk there with the arrow keys. Start and strides can be
    dialled by hand; no control reaches a layout that does not exist.

    Parameters
    ----------
    x : numpy.ndarray or torch.Tensor, optional
        Your own array, at most 8 by 8: the explorer starts as it is, and every
        operation works on it. Without it the source holds 1, 2, 3 …
    rows : int, optional
        From 1 to 8; 4 by default, or what ``x`` has.
    cols : int, optional
        From 1 to 6, or 8 for your own array; 3 by default, or what ``x`` has.
    dtype : str, optional
        bool, int8, float16, bfloat16, float32, float64 (default), complex64 or
        complex128; your own array keeps its own.
    operation : str, optional
        expand (default), repeat, tile, repeat_interleave, transpose, reverse
        (not for tensors, whose flip is a copy), slice, window or as_strided.
    unit : {"bytes", "elements"}
        How strides and offsets count: as NumPy or as torch does.
    axis : {0, 1}
        Which axis is expanded, repeated, reversed or sliced.
    count : int, default 1
        Rows (or columns) of the source that is repeated; step of a slice or window.
    strides_bytes : tuple of two int, optional
        Strides by hand, whole elements, for ``as_strided``; those of rows that
        follow one another by default.
    start_bytes : int, optional
        Where element (0, 0) starts, for ``as_strided``; 0, or where ``x`` starts.

    Returns
    -------
    AddressExplorer
        Live where a kernel or the offline page is; ``static()`` is the picture and table of its state.

    Raises
    ------
    TypeError
        If ``x`` is no array.
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
    >>> addresses(rows=4, cols=3, operation="as_strided", strides_bytes=(8, 8)).layout.touched_bytes
    48
    >>> import numpy as np
    >>> addresses(np.arange(12.0).reshape(4, 3)[::-1]).layout.formula
    '72 + i×(−24) + j×8'
    """
    own = None if x is None else own_array(x)
    operations = [each for each in OPERATIONS if own is None or each in _offered(own)]
    units = UNITS if own is None or own.dials_bytes == own.seen.itemsize else UNITS[:1]
    most = {"rows": MOST_ROWS, "cols": MOST_COLS if own is None else MOST}
    start: dict[str, Any] = {
        "rows": within("rows", _or(rows, own.seen.shape[0] if own else 4), most["rows"]),
        "cols": within("cols", _or(cols, own.seen.shape[1] if own else 3), most["cols"]),
        "dtype": among("dtype", _or(dtype, "float64"), list(DTYPES)) if own is None else own.seen.dtype,
        "operation": among("operation", _or(operation, "as_strided" if own else "expand"), operations),
        "unit": among("unit", unit, units),
        "axis": within("axis", axis, 1, 0),
        "count": within("count", count, 8),
    }
    start |= _dials(start, own, strides_bytes, start_bytes)
    return _explorer(start, own, operations, units, most)


def _offered(own: Own) -> list[str]:
    return [each for each in OPERATIONS if each != "reverse" or own.seen.library != "torch"]


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


def _dials(start: dict[str, Any], own: Own | None, strides_bytes: Any, start_bytes: Any) -> dict[str, int]:
    """Return start and strides in elements: those by hand, or those that the setting has."""
    chosen = {name: value for name, value in start.items() if name != "unit"}
    setting = Setting(**chosen, own=own)
    if setting.operation == "as_strided":
        numbers = _by_hand(setting, strides_bytes, start_bytes)
        setting = Setting(**chosen | numbers, own=own)
    if not setting.legal():
        raise ValueError(say("front.error.illegal", operation=setting.operation))
    seen = setting.layout()
    down, across = (step // setting.grain for step in seen.strides_bytes)
    return {"start": seen.storage_offset_bytes // setting.grain, "down": down, "across": across}


def _by_hand(setting: Setting, strides_bytes: Any, start_bytes: Any) -> dict[str, int]:
    grain, own = setting.grain, setting.own
    down, across = strides_bytes or (own.seen.strides_bytes if own else (setting.cols * grain, grain))
    first = start_bytes if start_bytes is not None else own.seen.storage_offset_bytes if own else 0
    if any(number % grain for number in (first, down, across)):
        raise ValueError(say("front.error.grain", grain=grain, value=(first, down, across)))
    return {"start": first // grain, "down": down // grain, "across": across // grain}


def _explorer(
    start: dict[str, Any], own: Own | None, operations: list[str], units: Any, most: dict[str, int]
) -> AddressExplorer:
    named = [(say(f"front.unit.{each}"), each) for each in units]
    controls = {
        "operation": buttons("operation", start["operation"], operations),
        "rows": slider("rows", start["rows"], most["rows"]),
        "cols": slider("cols", start["cols"], most["cols"]),
    }
    if own is None:
        controls["dtype"] = made_control(
            widgets.SelectionSlider, "dtype", start["dtype"], options=list(DTYPES)
        )
    if len(named) > 1:
        controls["unit"] = buttons("unit", start["unit"], named)
    known = {
        "dtypes": list(DTYPES.items()) if own is None else [(own.seen.dtype, own.seen.itemsize)],
        "operations": operations,
        "base": own.for_the_page() if own else {},
    }
    limits = {"most": most, "rows_most": most["rows"], "cols_most": most["cols"]}
    alone = {"dtype": 0, "unit": 0}  # what there is one of has no control
    drawing = started(AddressDrawing, "addresses", start, controls, **known, **limits, **alone)
    return AddressExplorer(drawing, controls, own)
