"""How many bytes intertwined strides touch, and how many indices meet: exact, with bounded effort.

Everything here is about sums: an index picks one multiple of the step along
each axis, and an element starts where the multiples add up to. Axes come as
``(step, size)`` with steps above 0 and sizes above 1.
"""

from collections.abc import Sequence
from math import gcd, prod

import numpy as np

from zerostride.layouts.meetings import some_meet

Axes = Sequence[tuple[int, int]]
Bounds = tuple[int, int]
RUNS_AT_MOST = 1 << 17
CELLS_AT_MOST = 1 << 20
SUMS_AT_MOST = 1 << 17
_INT64_AT_MOST = 1 << 62


def reach(axes: Axes) -> int:
    """Return the largest sum.

    Examples
    --------
    >>> reach([(8, 3), (24, 4)])
    88
    """
    return sum(step * (size - 1) for step, size in axes)


def touched_between(axes: Axes, width: int) -> Bounds:
    """Return least and most bytes under all intervals of one width; equal where it is decided.

    Parameters
    ----------
    axes : sequence of (step, size)
        Where the intervals start: at each sum.
    width : int
        Bytes of one interval, at least 1.

    Examples
    --------
    Windows of three float64, and two coprime steps:

    >>> touched_between([(8, 4), (8, 3)], 8), touched_between([(2, 10), (3, 10)], 1)
    ((48, 48), (44, 44))
    """
    axes = _merged(axes)
    while axes and axes[0][0] <= width:
        # Intervals that touch or overlap their neighbour are one wider interval.
        width += axes[0][0] * (axes[0][1] - 1)
        axes = axes[1:]
    if not axes:
        return width, width
    for cut in reversed(range(len(axes))):
        inner, outer = axes[:cut], axes[cut:]
        apart = _common_step(outer)
        if apart >= reach(inner) + width and (cut or apart > 1):
            # Outer steps move the whole inner block clear of itself: the counts multiply.
            block, places = touched_between(inner, width), touched_between(_divided(outer, apart), 1)
            return block[0] * places[0], block[1] * places[1]
    return _intertwined(axes, width)


def _intertwined(axes: Axes, width: int) -> Bounds:
    """Count where no axis nests: all steps exceed the width and meet before they are clear."""
    if len(axes) == 2 and width == 1:
        (step, size), (other_step, other_size) = axes
        met_before = max(0, size - other_step) * max(0, other_size - step)
        return (size * other_size - met_before,) * 2
    grown = _grown(axes, width)
    if grown is not None:
        return (grown,) * 2
    low, counted = _runs(axes, width)
    if counted:
        return low, low
    apart = prod(size for _, size in axes) * width
    met = True if apart > reach(axes) + width else some_meet(axes, width)
    if met is False:
        return apart, apart
    if width > 1:
        # Each start lies on a byte of its own.
        low = max(low, touched_between(axes, 1)[0])
    return low, min(apart - bool(met), reach(axes) + width)


def _grown(axes: Axes, width: int) -> int | None:
    """Count a short axis and extrapolate, where one axis is longer than all others reach.

    Once an axis outreaches the rest, one step more adds the last interval of
    each residue class and nothing else: the same number of bytes every time.
    """
    for place, (step, size) in enumerate(axes):
        rest = [*axes[:place], *axes[place + 1 :]]
        enough = (reach(rest) + width - 1) // step + 1
        if size > enough + 1:
            short, longer = (touched_between([*rest, (step, each)], width) for each in (enough, enough + 1))
            if short[0] == short[1] and longer[0] == longer[1]:
                return short[0] + (size - enough) * (longer[0] - short[0])
    return None


def _runs(axes: Axes, width: int) -> tuple[int, bool]:
    """Return the bytes under the union, and whether all of it was counted; a true lower bound if not."""
    steps_left = sum(size - 1 for _, size in axes)
    if reach(axes) + width >= _INT64_AT_MOST:
        return width * (1 + steps_left), False
    starts, ends = np.zeros(1, np.int64), np.full(1, width, np.int64)
    for step, size in axes:
        done = 1
        while done < size:
            if starts.size > RUNS_AT_MOST:
                # Each further step adds at least the interval that lies beyond all others.
                return int((ends - starts).sum()) + width * steps_left, False
            more = min(done, size - done)
            starts, ends = _united(starts, ends, more * step)
            done += more
            steps_left -= more
    return int((ends - starts).sum()), True


def _united(
    starts: np.ndarray[tuple[int], np.dtype[np.int64]],
    ends: np.ndarray[tuple[int], np.dtype[np.int64]],
    shift: int,
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Return the union of sorted disjoint runs with themselves, shifted."""
    starts, ends = np.concatenate([starts, starts + shift]), np.concatenate([ends, ends + shift])
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    new = np.flatnonzero(starts[1:] > ends[:-1]) + 1
    return starts[np.concatenate([[0], new])], ends[np.concatenate([new - 1, [-1]])]


def most_sums(axes: Axes) -> int | None:
    """Return the largest number of indices with one sum, None where too many to count.

    Examples
    --------
    >>> most_sums([(8, 4), (8, 3)]), most_sums([(2, 10), (3, 10)])
    (3, 4)
    """
    axes = sorted(axes)
    for cut in reversed(range(1, len(axes))):
        if _common_step(axes[cut:]) > reach(axes[:cut]):
            inner, outer = most_sums(axes[:cut]), most_sums(axes[cut:])
            return None if inner is None or outer is None else inner * outer
    if len(axes) < 2:
        return 1
    axes = _divided(axes, _common_step(axes))
    if len(axes) == 2:
        (step, size), (other_step, other_size) = axes
        return min(-(-size // other_step), -(-other_size // step))
    for place, (step, size) in enumerate(axes):
        enough = reach([*axes[:place], *axes[place + 1 :]]) // step + 1
        if size > enough:
            # A longer axis meets the others no more often than one that spans all they reach.
            return most_sums([*axes[:place], *[(step, enough)] * (enough > 1), *axes[place + 1 :]])
    return _counted_sums(axes)


def _counted_sums(axes: Axes) -> int | None:
    ways = prod(size for _, size in axes)
    if reach(axes) < (CELLS_AT_MOST if ways < _INT64_AT_MOST else CELLS_AT_MOST >> 6):
        counts = np.ones(1, np.int64 if ways < _INT64_AT_MOST else object)
        for step, size in axes:
            counts = _box_filtered(counts, step, size)
        return int(counts.max())
    if ways <= SUMS_AT_MOST and reach(axes) < _INT64_AT_MOST:
        sums = np.zeros(1, np.int64)
        for step, size in axes:
            sums = np.add.outer(sums, np.arange(size, dtype=np.int64) * step).ravel()
        return int(np.unique(sums, return_counts=True)[1].max())
    return 1 if some_meet(axes, 1) is False else None


def _box_filtered(
    counts: np.ndarray[tuple[int], np.dtype[np.generic]], step: int, size: int
) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
    """Return how often each sum occurs once one more axis is added."""
    total = len(counts) + step * (size - 1)
    padded = np.zeros(-(-total // step) * step, counts.dtype)
    padded[: len(counts)] = counts
    sums = padded.reshape(-1, step).cumsum(axis=0, dtype=counts.dtype)
    sums[size:] -= sums[:-size].copy()
    return sums.reshape(-1)[:total]


def _merged(axes: Axes) -> list[tuple[int, int]]:
    """Sort by step; axes of one step reach the same sums as one longer axis."""
    sizes: dict[int, int] = {}
    for step, size in axes:
        sizes[step] = sizes.get(step, 1) + size - 1
    return sorted((step, size) for step, size in sizes.items() if size > 1)


def _common_step(axes: Axes) -> int:
    return gcd(*(step for step, _ in axes))


def _divided(axes: Axes, by: int) -> list[tuple[int, int]]:
    return [(step // by, size) for step, size in axes]
