"""What the explorer of addresses can be set to, and the layout that each setting means."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zerostride.layouts import Layout

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
COPIES = ("repeat", "tile", "repeat_interleave")
OPERATIONS = ("expand", *COPIES, "transpose", "reverse", "slice", "window", "as_strided")
UNITS = ("bytes", "elements")
MOST_ROWS, MOST_COLS = 8, 6
# The storage that may be dialled by hand, in elements; a page can still draw each of them.
MOST_SLOTS = 64

Words = np.ndarray[tuple[int, ...], np.dtype[np.str_]]


@dataclass(frozen=True)
class Own:
    """The learner's own array: its layout as two axes, and what it holds at which byte."""

    seen: Layout
    values: dict[int, str]

    @property
    def dials_bytes(self) -> int:
        """By how many bytes start and strides are dialled: an element, where they are whole elements."""
        whole = all(number is not None for number in self.seen.strides_elements)
        return self.seen.itemsize if whole and self.seen.storage_offset_bytes % self.seen.itemsize == 0 else 1

    def for_the_page(self) -> dict[str, Any]:
        """Return what the live drawing needs to know of it."""
        (rows, cols), seen = self.seen.shape, self.seen
        return {
            "rows": rows,
            "cols": cols,
            "start": seen.storage_offset_bytes,
            "strides": list(seen.strides_bytes),
            "storage": seen.storage_bytes,
            "grain": self.dials_bytes,
            # Torch has no negative strides: its flip is a copy.
            "negative": seen.library != "torch",
            "values": {str(byte): word for byte, word in self.values.items()},
        }


@dataclass(frozen=True)
class Setting:
    """One setting of the controls.

    Attributes
    ----------
    rows, cols : int
        Shape of the result.
    dtype : str
        Element type; for the learner's own array its own.
    operation : str
        One of ``OPERATIONS``.
    axis : {0, 1}
        Which axis is expanded, repeated, reversed or sliced.
    count : int
        Rows (or columns) of the source that is repeated; the step of a slice or a window.
    start, down, across : int
        Start and strides by hand, in elements; they count for ``as_strided`` alone.
    own : Own, optional
        The learner's own array; without it the source has a storage of its own.
    """

    rows: int
    cols: int
    dtype: str = "float64"
    operation: str = "expand"
    axis: int = 0
    count: int = 1
    start: int = 0
    down: int = 0
    across: int = 1
    own: Own | None = field(default=None, compare=False)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.own.seen.itemsize if self.own else DTYPES[self.dtype]

    @property
    def grain(self) -> int:
        """By how many bytes start and strides are dialled."""
        return self.own.dials_bytes if self.own else self.itemsize

    def source_shape(self) -> tuple[int, int]:
        """Return the shape that the operation brings to ``(rows, cols)``."""
        rows, cols, count = self.rows, self.cols, self.count
        along_rows, along_cols = {
            "expand": ((1, cols), (rows, 1)),
            "transpose": ((cols, rows),) * 2,
            "slice": ((rows * count, cols), (rows, cols * count)),
            "window": ((1, (rows - 1) * count + cols),) * 2,
            **dict.fromkeys(COPIES, ((count, cols), (rows, count))),
        }.get(self.operation, ((rows, cols),) * 2)
        return along_cols if self.axis else along_rows

    def source(self) -> Layout:
        """Return the layout of the source: a storage of its own, or the learner's own array."""
        if self.own:
            return self.own.seen
        shape = self.source_shape()
        return Layout.of(shape, (shape[1] * self.itemsize, self.itemsize), self.itemsize, dtype=self.dtype)

    def layout(self) -> Layout:
        """Return the layout of the result; nothing is allocated.

        Raises
        ------
        ValueError
            If an element would lie outside the storage.
        """
        start, strides, storage = self._numbers()
        shape, itemsize = (self.rows, self.cols), self.itemsize
        return Layout.of(
            shape, strides, itemsize, storage_offset_bytes=start, storage_bytes=storage, dtype=self.dtype
        )

    def _numbers(self) -> tuple[int, tuple[int, int], int | None]:
        """Return start, strides and storage size in bytes; None where the storage is just large enough."""
        rows, cols, itemsize = self.rows, self.cols, self.itemsize
        if self.operation in COPIES:
            return 0, (cols * itemsize, itemsize), rows * cols * itemsize
        if self.operation == "as_strided":
            by_hand = self.down * self.grain, self.across * self.grain
            return self.start * self.grain, by_hand, self.own.seen.storage_bytes if self.own else None
        source = self.source()
        start, (down, across), axis = source.storage_offset_bytes, source.strides_bytes, self.axis
        if self.operation == "reverse":
            start += (cols - 1) * across if axis else (rows - 1) * down
        return start, self._strides(down, across), source.storage_bytes

    def _strides(self, down: int, across: int) -> tuple[int, int]:
        axis, count = self.axis, self.count
        if self.operation == "transpose":
            return across, down
        if self.operation == "window":
            return count * across, across
        # An axis of length 1 is not expanded: it keeps its stride, as in torch.
        length = self.cols if axis else self.rows
        factor = {"reverse": -1, "slice": count, "expand": 0 if length > 1 else 1}[self.operation]
        return (down, factor * across) if axis else (factor * down, across)

    def legal(self) -> bool:
        """Return whether its source is there, and no element lies outside the storage."""
        rows, cols, count = self.rows, self.cols, self.count
        along = cols if self.axis else rows
        if self.operation in COPIES and along % count:
            return False
        if self.operation == "as_strided":
            try:
                return self.own is not None or self.layout().storage_bytes <= MOST_SLOTS * self.itemsize
            except ValueError:
                return False
        high, wide = self.source_shape()
        if not self.own:
            return high * wide <= MOST_SLOTS
        if self.operation == "slice":
            high, wide = (rows, along * count - count + 1) if self.axis else (along * count - count + 1, cols)
        return high <= self.own.seen.shape[0] and wide <= self.own.seen.shape[1]

    def values(self) -> Words:
        """Return what each element holds: numbered by its place in the source, or the learner's own."""
        source, result = self.source(), self.layout()
        words = np.empty((self.rows, self.cols), dtype=object)
        for index in np.ndindex(self.rows, self.cols):
            if self.operation in COPIES:
                words[index] = self._word(source.offset_bytes(self._copied_from(*index)))
            else:
                words[index] = self._word(result.offset_bytes(index))
        return words.astype(str)

    def _copied_from(self, row: int, col: int) -> tuple[int, int]:
        times = (self.cols if self.axis else self.rows) // self.count
        place = col if self.axis else row
        place = place // times if self.operation == "repeat_interleave" else place % self.count
        return (row, place) if self.axis else (place, col)

    def _word(self, byte: int) -> str:
        if self.own:
            return self.own.values.get(byte, "·")
        return value_word(byte // self.itemsize + 1, self.dtype)


def value_word(number: int, dtype: str) -> str:
    """Return a value as it is written in an element type; truth values take turns.

    Examples
    --------
    >>> value_word(2, "complex64"), value_word(2, "bool"), value_word(2, "int8")
    ('2+0j', 'False', '2')
    """
    if dtype == "bool":
        return str(number % 2 == 1)
    return f"{number}" + ("+0j" if dtype.startswith("complex") else "" if dtype.startswith("int") else ".0")
