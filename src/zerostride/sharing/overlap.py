"""How many bytes two strided layouts have in common, by integer arithmetic.

The bytes of a layout are written as runs in evenly spaced blocks in evenly
spaced blocks, and two such sets are met block by block. Blocks at the same
distance from one another meet alike, so they are counted once: the cost grows
with the number of axes, not with the number of elements.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import lcm, prod
from typing import Any, NamedTuple, Self

import numpy as np

from zerostride.layouts import Layout
from zerostride.layouts.arithmetic import span

Whole = np.ndarray[Any, np.dtype[Any]]

LIST_AT_MOST = 1 << 14
MEET_AT_MOST = 1 << 13
FEW_BLOCKS = 16
EXACT_BELOW = 1 << 62


class Strided(NamedTuple):
    """A layout with the address of its first element, counted from any one place."""

    shape: tuple[int, ...]
    strides_bytes: tuple[int, ...]
    itemsize: int
    start: int

    @classmethod
    def of(cls, layout: Layout, storage_start: int = 0) -> Self:
        """Return a layout whose storage starts at an address."""
        start = storage_start + layout.storage_offset_bytes
        return cls(layout.shape, layout.strides_bytes, layout.itemsize, start)

    @property
    def range(self) -> tuple[int, int]:
        """First byte read and the one past the last; equal where none is read."""
        low, high = span(self.shape, self.strides_bytes, self.itemsize)
        return self.start + low, self.start + high

    @property
    def moving(self) -> list[tuple[int, int]]:
        """Step and size of each axis that moves the address."""
        pairs = zip(self.strides_bytes, self.shape, strict=True)
        return [(step, size) for step, size in pairs if step and size > 1]


class Blocks(NamedTuple):
    """Bytes as runs in blocks in blocks, from a first byte up.

    ``levels`` holds distance and number of the blocks, from the smallest
    distance up; the blocks of a level never overlap.
    """

    run_bytes: int
    levels: tuple[tuple[int, int], ...] = ()

    @property
    def span_bytes(self) -> int:
        """Distance from the first byte to past the last one."""
        return self.run_bytes + sum(step * (count - 1) for step, count in self.levels)

    @property
    def inner(self) -> "Blocks":
        """One block of the largest distance."""
        return Blocks(self.run_bytes, self.levels[:-1])

    def below(self, place: int) -> int:
        """Return how many of the bytes lie before a place, counted from the first byte."""
        counted, inside = 0, self.run_bytes * prod(count for _, count in self.levels)
        for step, count in reversed(self.levels):
            inside //= count
            full = min(max(place // step, 0), count - 1)
            counted, place = counted + full * inside, place - full * step
        return counted + min(max(place, 0), self.run_bytes)


def common_bytes(a: Strided, b: Strided) -> tuple[int, int]:
    """Return between which two numbers the count of common bytes lies; equal where it is exact.

    Parameters
    ----------
    a, b : Strided
        Two layouts whose starts are counted from one place.

    Returns
    -------
    low, high : int
        Both the same wherever the axes nest or the elements are few.

    Examples
    --------
    Every second element of ten, from the first and from the second; then the
    first four rows against the last four of five:

    >>> common_bytes(Strided((5,), (16,), 8, 0), Strided((5,), (16,), 8, 8))
    (0, 0)
    >>> common_bytes(Strided((4, 3), (24, 8), 8, 0), Strided((4, 3), (24, 8), 8, 24))
    (72, 72)

    A view of 2**62 readings costs what one of twelve costs:

    >>> common_bytes(Strided((2**31, 2**31), (0, 0), 1, 5), Strided((10,), (1,), 1, 0))
    (1, 1)
    """
    low, high = max(a.range[0], b.range[0]), min(a.range[1], b.range[1])
    if low >= high:
        return 0, 0
    exact = _met(a, b)
    if exact is None:
        exact = _listed_and_met(a, b)
    if exact is not None:
        return exact, exact
    least = min(a.itemsize, b.itemsize) if a.start == b.start else 0
    return least, min(_at_most(each, low, high) for each in (a, b))


def in_blocks(a: Strided) -> Blocks | None:
    """Return the bytes of a layout as blocks in blocks; None where its axes interlock otherwise.

    Examples
    --------
    Windows of three over six float64 read one run; two columns of a
    four-column table read blocks:

    >>> in_blocks(Strided((4, 3), (8, 8), 8, 0))
    Blocks(run_bytes=48, levels=())
    >>> in_blocks(Strided((3, 2), (32, 8), 8, 8))
    Blocks(run_bytes=16, levels=((32, 3),))
    """
    run, levels = a.itemsize, list[tuple[int, int]]()
    if a.range[0] == a.range[1]:
        return Blocks(0)
    for step, size in sorted((abs(step), size) for step, size in a.moving):
        lower, count = levels[-1] if levels else (1, 0)
        if not levels and step <= run:
            run += step * (size - 1)
        elif levels and step % lower == 0 and step <= lower * count:
            levels[-1] = lower, count + step // lower * (size - 1)
        elif step >= Blocks(run, tuple(levels)).span_bytes:
            levels.append((step, size))
        else:
            return None
    return Blocks(run, tuple(levels))


def _met(a: Strided, b: Strided) -> int | None:
    blocks_a, blocks_b = in_blocks(a), in_blocks(b)
    if blocks_a is None or blocks_b is None:
        return None
    try:
        return _Meeting().count(b.range[0] - a.range[0], blocks_a, blocks_b)
    except _TooLong:
        return None


class _TooLong(Exception):  # noqa: N818
    """The two sets meet in too many different ways."""


@dataclass
class _Meeting:
    """Counts the common bytes of two sets of blocks; each different meeting is counted once."""

    seen: dict[tuple[int, Blocks, Blocks], int] = field(default_factory=dict)
    left: int = field(default_factory=lambda: MEET_AT_MOST)

    def count(self, gap: int, a: Blocks, b: Blocks) -> int:
        """Return how many bytes ``a`` from 0 up and ``b`` from ``gap`` up share."""
        self.left -= 1
        if self.left < 0:
            raise _TooLong
        if gap >= a.span_bytes or -gap >= b.span_bytes:
            return 0
        if not b.levels:
            return a.below(gap + b.run_bytes) - a.below(gap)
        if not a.levels or a.levels[-1][0] < b.levels[-1][0]:
            return self.count(-gap, b, a)
        key = (gap, a, b)
        if key not in self.seen:
            same = a.levels[-1][0] == b.levels[-1][0]
            self.seen[key] = self._in_step(gap, a, b) if same else self._out_of_step(gap, a, b)
        return self.seen[key]

    def _in_step(self, gap: int, a: Blocks, b: Blocks) -> int:
        """Meet two sets of one largest distance: only how far apart two blocks are counts."""
        (step, count_a), (_, count_b) = a.levels[-1], b.levels[-1]
        first = -((gap + b.inner.span_bytes - 1) // step)
        last = (a.inner.span_bytes - 1 - gap) // step
        pairs = {k: min(count_a, count_b - k) - max(0, -k) for k in range(first, last + 1)}
        return sum(
            many * self.count(gap + k * step, a.inner, b.inner) for k, many in pairs.items() if many > 0
        )

    def _out_of_step(self, gap: int, a: Blocks, b: Blocks) -> int:
        """Meet two sets, the largest distance being that of ``a``."""
        (step, count_a), (step_b, count_b) = a.levels[-1], b.levels[-1]
        first = max(0, -((a.inner.span_bytes - 1 - gap) // step))
        last = min(count_a - 1, (gap + b.span_bytes - 1) // step)
        in_period = lcm(step, step_b) // step_b
        if last - first < FEW_BLOCKS or count_b <= in_period:
            return sum(self.count(gap - i * step, a.inner, b) for i in range(first, last + 1))
        periods, rest = divmod(count_b, in_period)
        period = in_period * step_b
        whole = _blocks(b, (step_b, in_period), (period, periods))
        met = self.count(gap, a, whole)
        return met + (self.count(gap + periods * period, a, _blocks(b, (step_b, rest))) if rest else 0)


def _blocks(b: Blocks, *levels: tuple[int, int]) -> Blocks:
    """Return a set with other levels in place of its largest."""
    return Blocks(b.run_bytes, (*b.levels[:-1], *(level for level in levels if level[1] > 1)))


def _listed_and_met(a: Strided, b: Strided) -> int | None:
    """Count run by run, where one of the two has few elements."""
    for one, other in ((a, b), (b, a)):
        runs, below = _runs(one), _below(other)
        if runs is not None and below is not None:
            return int((below(runs[1]) - below(runs[0])).sum())
    return None


def _runs(a: Strided) -> tuple[Whole, Whole] | None:
    """Return first and past-the-end bytes of every run, None where there are too many elements."""
    if prod(size for _, size in a.moving) > LIST_AT_MOST:
        return None
    whole = np.int64 if max(map(abs, a.range)) < EXACT_BELOW else object
    starts: Whole = np.array([a.start], dtype=whole)
    for step, size in a.moving:
        starts = np.add.outer(starts, np.arange(size, dtype=whole) * step).ravel()
    starts = np.unique(starts)
    breaks = np.flatnonzero(np.diff(starts) > a.itemsize)
    return starts[np.r_[0, breaks + 1]], starts[np.r_[breaks, len(starts) - 1]] + a.itemsize


def _below(a: Strided) -> Callable[[Whole], Whole] | None:
    """Return a function that counts the bytes of a layout before each of many places."""
    blocks, first = in_blocks(a), a.range[0]
    if blocks is not None:
        return lambda places: np.array(
            [blocks.below(place - first) for place in places.tolist()], dtype=object
        )
    runs = _runs(a)
    if runs is None:
        return None
    firsts, pasts = runs
    before = np.r_[0, np.cumsum(pasts - firsts)]

    def below(places: Whole) -> Whole:
        run = np.maximum(np.searchsorted(firsts, places, side="right") - 1, 0)
        counted: Whole = before[run] + np.clip(places - firsts[run], 0, pasts[run] - firsts[run])
        return counted

    return below


def _at_most(a: Strided, low: int, high: int) -> int:
    """Return a bound on the bytes that a layout reads between two places."""
    below = _below(a)
    if below is not None:
        before, until = below(np.array([low, high], dtype=object))
        return int(until - before)
    return min(prod(size for _, size in a.moving) * a.itemsize, high - low)
