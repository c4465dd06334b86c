"""What one picture of addresses needs to know: where each cell reads, and where it stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from zerostride.draw.elision import Track, shown_positions, tracks
from zerostride.draw.ink import fitted, number_of_marks, shortened, text_inches
from zerostride.draw.names import drawable
from zerostride.draw.scale import WIDTH, Scale, fitting
from zerostride.draw.values import fitting_word, plain
from zerostride.handed_in import items_of, shape_of, told, whole_number
from zerostride.language import say
from zerostride.layouts import Layout, is_tensor, layout

MOST, MOST_OF_THREE = 8, 4
ROW_BREAK, PLANE_GAP = 0.6, 0.4
RIGHT = 0.55
VALUE, EASY_TO_READ, BESIDE_VALUE = 10.0, 6.5, 0.8

Index = tuple[int, int, int]


@dataclass(frozen=True)
class Scene:
    """A grid of at most three axes, seen as planes of rows of columns.

    Attributes
    ----------
    seen : Layout
        What is drawn.
    planes, columns : list of Track
        Drawn planes, down the picture, and drawn columns across it.
    rows : dict of int to list of Track
        Drawn rows of each drawn plane.
    values : dict
        What stands in a cell, by plane, row and column; nothing where unknown.
    highlight : tuple of int or None
        The chosen cell.
    unit : {"bytes", "elements"}
        How offsets count.
    """

    seen: Layout
    planes: list[Track]
    rows: dict[int, list[Track]]
    columns: list[Track]
    values: dict[Index, str]
    highlight: Index | None
    unit: str

    @cached_property
    def cells(self) -> list[tuple[Index, Track, Track]]:
        """Every drawn cell: its index, its row and its column."""
        return [
            ((plane, row.position, column.position), row, column)
            for plane, rows in self.rows.items()
            for row in rows
            for column in self.columns
            if not row.hidden and not column.hidden
        ]

    @cached_property
    def offsets(self) -> dict[Index, int]:
        """Byte offset of every drawn cell."""
        skip = 3 - self.seen.ndim
        return {index: self.seen.offset_bytes(index[skip:]) for index, _, _ in self.cells}

    @cached_property
    def starts(self) -> list[int]:
        """Byte offsets of the drawn cells, ascending, each once."""
        return sorted(set(self.offsets.values()))

    @property
    def marked(self) -> bool:
        """Whether there is a mark for every address; else there is none at all."""
        return len(self.starts) <= number_of_marks()

    @property
    def lit_byte(self) -> int | None:
        """Byte offset of the chosen cell."""
        return None if self.highlight is None else self.offsets[self.highlight]

    @property
    def bottom(self) -> float:
        """Where the grid ends."""
        return self.planes[-1].start + self.planes[-1].size

    @property
    def strip_top(self) -> float:
        """Where the storage begins, under the grid."""
        return self.bottom + 1.0

    def shown(self, byte: int) -> int:
        """Return a byte offset in the unit of the picture."""
        return byte // self.seen.itemsize if self.unit == "elements" else byte

    def label(self, axis: int, track: Track) -> str:
        """Return ``i=2`` for a position, ``+96`` for a break, nothing for an axis that the layout lacks."""
        missing = 3 - self.seen.ndim
        if axis < missing:
            return ""
        if track.hidden:
            return f"+{track.hidden}"
        return f"{self.seen.axis_names[axis - missing]}={track.position}"

    def labels(self, axis: int) -> list[str]:
        """Return all labels along an axis."""
        if axis == 1:
            return [self.label(1, row) for rows in self.rows.values() for row in rows]
        return [self.label(axis, track) for track in (self.planes if axis == 0 else self.columns)]

    def scale(self, ruler_bytes: int | None = None) -> Scale:
        """Return the byte scale of the storage under the grid."""
        ruler = max(self.seen.storage_bytes, 1) if ruler_bytes is None else whole_number(ruler_bytes)
        if ruler is None or ruler < 1:
            raise ValueError(say("draw.bad_ruler", ruler=told(ruler_bytes)))
        return fitting(self.seen.storage_bytes, self.seen.itemsize, self.starts, ruler, self.lit_byte)


def scene_of(x: Any, highlight: Sequence[int] | None, unit: str, values: Any, inches: float) -> Scene:
    """Return the scene of an array, a tensor or a layout with room for the grid in inches."""
    seen = layout(x)
    shape = _three_axes(seen)
    seen.formula_in(unit)
    chosen = None
    if highlight is not None:
        seen.offset_bytes(highlight)
        inside = [i % size for i, size in zip(highlight, seen.shape, strict=True)]
        chosen = _padded(inside, 0)
    planes, rows, columns = _grid(seen, shape, chosen, inches)
    scene = Scene(seen, planes, rows, columns, {}, chosen, unit)
    shown = x if values is None and not isinstance(x, Layout) else values
    if shown is not None:
        scene.values.update(_words(scene, shown, inches / (WIDTH + RIGHT)))
    return scene


def _padded(index: Sequence[int], fill: int) -> Index:
    first, second, third = (fill,) * (3 - len(index)) + tuple(index)
    return first, second, third


def _three_axes(seen: Layout) -> Index:
    if seen.ndim > 3:
        raise ValueError(say("draw.too_many_axes", axes=seen.ndim))
    if 0 in seen.shape:
        raise ValueError(say("draw.no_elements", shape=seen.shape))
    return _padded(seen.shape, 1)


def _grid(
    seen: Layout, shape: Index, chosen: Index | None, inches: float
) -> tuple[list[Track], dict[int, list[Track]], list[Track]]:
    also: Sequence[int | None] = (None, None, None) if chosen is None else chosen
    most, first = (MOST_OF_THREE, 2) if shape[0] > 1 else (MOST, 3)
    places = [shown_positions(shape[axis], most, first, also[axis]) for axis in (0, 1)]
    planes, rows, top = [], {}, 0.0
    for plane in tracks(places[0], (1.0, ROW_BREAK)):
        inner = tracks(places[1], (1.0, ROW_BREAK), top)
        tall = ROW_BREAK if plane.hidden else inner[-1].start + inner[-1].size - top
        planes.append(Track(plane.position, plane.hidden, top, tall))
        if not plane.hidden:
            rows[plane.position] = inner
        top += tall + PLANE_GAP
    fit = _columns_that_fit(seen, inches)
    columns = shown_positions(shape[2], min(MOST, fit), max(1, min(3, fit - 2)), also[2])
    return planes, rows, _across(columns, inches)


def _columns_that_fit(seen: Layout, inches: float) -> int:
    """Return how many columns have room for the largest offset and the largest index."""
    last = sum(max(step, 0) * (size - 1) for size, step in zip(seen.shape, seen.strides_bytes, strict=True))
    longest = max(
        shortened(str(seen.storage_offset_bytes + last)), f"j={max(seen.shape, default=1) - 1}", key=len
    )
    return max(2, int(0.95 * inches / (text_inches(longest, 7.5) + 0.06)))


def _across(positions: Sequence[int], inches: float) -> list[Track]:
    """Return columns that fill the picture; a break is as wide as the number that stands over it."""
    breaks = [track for track in tracks(positions, (1.0, 1.0)) if track.hidden]
    counts = [text_inches(f"+{track.hidden}", 8.5) + 0.1 for track in breaks]
    wide = max([0.22, *counts]) / inches * (WIDTH + RIGHT)
    column = (WIDTH - wide * len(breaks)) / len(positions)
    return tracks(positions, (column, wide))


def _words(scene: Scene, values: Any, unit_inches: float) -> dict[Index, str]:
    if is_tensor(values) and values.is_meta:
        return {}
    values = _as_array(values, scene.seen) if shape_of(values) is None else values
    if (shape := shape_of(values)) != scene.seen.shape:
        raise ValueError(say("draw.other_shape", values=shape, shape=scene.seen.shape))
    skip = 3 - scene.seen.ndim
    room = (min(column.size for column in scene.columns if not column.hidden) - BESIDE_VALUE) * unit_inches

    def fits(word: str) -> bool:
        return fitted(word, VALUE, room) >= EASY_TO_READ

    held = {index: plain(values[index[skip:]]) for index, _, _ in scene.cells}
    held = {
        index: drawable(str(each)) if isinstance(each, str | tuple) else each for index, each in held.items()
    }
    return {index: fitting_word(each, fits) for index, each in held.items()}


def _as_array(values: Any, seen: Layout) -> np.ndarray[Any, Any]:
    """Return values of nested lists, each as it was handed in."""
    try:
        few = items_of(values, seen.shape[0]) if seen.ndim else values
        return np.array(few, dtype=object)
    except Exception:  # of whatever was handed in
        raise ValueError(say("draw.uneven_values", shape=seen.shape)) from None
