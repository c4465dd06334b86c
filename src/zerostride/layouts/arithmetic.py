"""Which bytes a strided layout reads, by integer arithmetic alone.

Nothing here looks at an array: the answers come from sizes, strides and the
item size, so they cost the same for twelve elements and for 2**62.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from zerostride.layouts.counting import most_sums, touched_between


@dataclass(frozen=True)
class Reading:
    """What all indices of a layout read together.

    Attributes
    ----------
    touched_bytes_between : tuple of int
        Least and most bytes that at least one index reads; equal where it is decided.
    most_aliases : int or None
        The largest number of indices that start at one address.
    overlaps : bool or None
        Whether any byte is read by two different indices.
    """

    touched_bytes_between: tuple[int, int]
    most_aliases: int | None
    overlaps: bool | None

    @property
    def touched_bytes(self) -> int | None:
        """Bytes read by at least one index; None where undecided."""
        low, high = self.touched_bytes_between
        return low if low == high else None


def reading(shape: Sequence[int], strides_bytes: Sequence[int], itemsize: int) -> Reading:
    """Return which bytes are read, how often at most, and whether any byte is read twice.

    Parameters
    ----------
    shape : sequence of int
        Size of each axis.
    strides_bytes : sequence of int
        Step along each axis in bytes, of any sign.
    itemsize : int
        Bytes of one element.

    Returns
    -------
    Reading
        Exact wherever the axes nest, continue one another or can be counted
        with bounded effort; otherwise true bounds, and None.

    Examples
    --------
    Four logical rows of three stored float64:

    >>> reading((4, 3), (0, 8), 8)
    Reading(touched_bytes_between=(24, 24), most_aliases=4, overlaps=True)

    Windows of three over six elements overlap without any zero stride:

    >>> reading((4, 3), (8, 8), 8)
    Reading(touched_bytes_between=(48, 48), most_aliases=3, overlaps=True)
    """
    if 0 in shape:
        return Reading((0, 0), 0, overlaps=False)
    axes = [(abs(step), size) for step, size in zip(strides_bytes, shape, strict=True) if size > 1]
    repeats = prod(size for step, size in axes if step == 0)
    moving = [(step, size) for step, size in axes if step]
    most = most_sums(moving)
    if most is not None:
        most *= repeats
    if itemsize == 0:
        return Reading((0, 0), most, overlaps=False)
    low, high = touched_between(moving, itemsize)
    read_in_all = prod(shape) * itemsize
    overlaps = True if high < read_in_all else False if low == read_in_all else None
    return Reading((low, high), most, overlaps)


def byte_offsets(
    shape: Sequence[int], strides_bytes: Sequence[int], storage_offset_bytes: int = 0
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return where each element starts, in bytes from the start of its storage.

    Index ``i`` along an axis moves the address by ``i`` strides, so a stride of
    0 means that axis never moves it: every index along it reads the same bytes.

    Parameters
    ----------
    shape : sequence of int
        Size of each axis.
    strides_bytes : sequence of int
        Step along each axis in bytes, as NumPy reports it.
    storage_offset_bytes : int, default 0
        Where the element at index ``(0, ..., 0)`` starts.

    Returns
    -------
    ndarray of int64, of shape ``shape``
        One offset per logical element. Equal offsets are aliases.

    Examples
    --------
    Four logical rows read from one stored row of float64:

    >>> byte_offsets((4, 3), (0, 8))
    array([[ 0,  8, 16],
           [ 0,  8, 16],
           [ 0,  8, 16],
           [ 0,  8, 16]])
    """
    offsets = np.full((), storage_offset_bytes, dtype=np.int64)
    for size, step in zip(shape, strides_bytes, strict=True):
        offsets = np.add.outer(offsets, np.arange(size, dtype=np.int64) * step)
    return offsets


def indices(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every index of a small shape in row-major order."""
    return product(*(range(size) for size in shape))


def is_contiguous(shape: Sequence[int], strides_bytes: Sequence[int], itemsize: int) -> bool:
    """Return whether the elements lie in row-major order without gaps.

    Strides of length-1 axes never move an address, so they are not asked; a
    layout without elements is contiguous.

    Examples
    --------
    >>> is_contiguous((4, 3), (24, 8), 8)
    True
    >>> is_contiguous((4, 3), (0, 8), 8)
    False
    """
    if 0 in shape:
        return True
    expected = itemsize
    for size, step in zip(reversed(shape), reversed(strides_bytes), strict=True):
        if size > 1:
            if step != expected:
                return False
            expected *= size
    return True


def span(shape: Sequence[int], strides_bytes: Sequence[int], itemsize: int) -> tuple[int, int]:
    """Return the lowest and the past-the-end byte of all elements, counted from the first element.

    Examples
    --------
    >>> span((4, 3), (0, -8), 8)
    (-16, 8)
    """
    if 0 in shape:
        return 0, 0
    moves = [(size - 1) * step for size, step in zip(shape, strides_bytes, strict=True)]
    return sum(min(move, 0) for move in moves), sum(max(move, 0) for move in moves) + itemsize
