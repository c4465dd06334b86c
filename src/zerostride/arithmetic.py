"""Which bytes a strided layout reads, by integer arithmetic alone.

Nothing here looks at an array: the answers come from sizes, strides and the
item size, so they cost the same for twelve elements and for 2**62.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

ENUMERATE_AT_MOST = 1 << 16


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


@dataclass
class _Level:
    """Starts in one arithmetic progression: ``count`` of them, ``step_bytes`` apart."""

    step_bytes: int
    count: int
    combs: list[tuple[int, int]]

    @property
    def reach_bytes(self) -> int:
        return self.step_bytes * (self.count - 1)


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
        Exact wherever the axes nest, or continue one another, or are few
        enough to enumerate; None where none of this holds.

    Examples
    --------
    Four logical rows of three stored float64:

    >>> reading((4, 3), (0, 8), 8)
    Reading(touched_bytes_between=(24, 24), most_aliases=4, overlaps=True)

    Windows of three over six elements overlap without any zero stride:

    >>> reading((4, 3), (8, 8), 8)
    Reading(touched_bytes_between=(48, 48), most_aliases=3, overlaps=True)
    """
    if 0 in shape or itemsize == 0:
        return Reading((0, 0), 0 if 0 in shape else prod(shape), overlaps=False)
    axes = sorted((abs(step), size) for step, size in zip(strides_bytes, shape, strict=True) if size > 1)
    repeats = prod(size for step, size in axes if step == 0)
    moving = [(step, size) for step, size in axes if step]
    levels = _levels(moving, itemsize)
    if levels is None:
        return _enumerated(moving, itemsize, repeats)
    touched = itemsize
    for level in levels:
        disjoint = level.step_bytes >= itemsize
        touched = touched * level.count if disjoint else level.reach_bytes + itemsize
    aliases = [_most_sums(level) for level in levels]
    most = None if None in aliases else prod(each for each in aliases if each) * repeats
    partial = any(level.step_bytes < itemsize for level in levels)
    overlaps = repeats > 1 or partial or any(_meets_itself(level) for level in levels)
    return Reading((touched, touched), most, overlaps)


def _levels(moving: Sequence[tuple[int, int]], itemsize: int) -> list[_Level] | None:
    """Nest the axes from the smallest step up; None where one neither nests nor continues another."""
    levels: list[_Level] = []
    reach = 0
    for step, size in moving:
        top = levels[-1] if levels else None
        if top and step % top.step_bytes == 0 and step <= top.reach_bytes + top.step_bytes:
            top.combs.append((step // top.step_bytes, size))
            top.count += step // top.step_bytes * (size - 1)
        elif top is None or step >= reach + itemsize:
            levels.append(_Level(step, size, [(1, size)]))
        else:
            return None
        reach = sum(level.reach_bytes for level in levels)
    return levels


def _meets_itself(level: _Level) -> bool:
    """Return whether two different indices of a level start at the same place."""
    return prod(size for _, size in level.combs) > level.count


def _most_sums(level: _Level) -> int | None:
    """Return the largest number of index tuples with the same sum, None where too many to count."""
    if not _meets_itself(level):
        return 1
    if len(level.combs) == 2:
        (_, short), (ratio, long) = level.combs
        return min(long, -(-short // ratio))
    if level.count > ENUMERATE_AT_MOST:
        return None
    ways = np.ones(1, dtype=object)
    for step, size in level.combs:
        comb = np.zeros(step * (size - 1) + 1, dtype=object)
        comb[::step] = 1
        ways = np.convolve(ways, comb)
    return int(max(ways))


def _enumerated(moving: Sequence[tuple[int, int]], itemsize: int, repeats: int) -> Reading:
    if prod(size for _, size in moving) > ENUMERATE_AT_MOST:
        reach = sum(step * (size - 1) for step, size in moving)
        most_bytes = min(prod(size for _, size in moving) * itemsize, reach + itemsize)
        return Reading((itemsize, most_bytes), None, overlaps=True if repeats > 1 else None)
    starts = np.zeros(1, dtype=np.int64)
    for step, size in moving:
        starts = np.add.outer(starts, np.arange(size, dtype=np.int64) * step).ravel()
    distinct, counts = np.unique(starts, return_counts=True)
    gaps = np.diff(distinct)
    touched = int(np.minimum(gaps, itemsize).sum()) + itemsize
    most = int(counts.max()) * repeats
    return Reading((touched, touched), most, overlaps=most > 1 or bool((gaps < itemsize).any()))


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
