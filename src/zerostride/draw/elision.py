"""Which part of something long is drawn: positions along an axis, element starts between two bytes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from zerostride.layouts import Layout
from zerostride.layouts.arithmetic import span

TRY_AT_MOST = 4096


def shown_positions(size: int, most: int, first: int = 3, also: int | None = None) -> list[int]:
    """Return which positions along an axis are drawn: all, or the first few and the last.

    Parameters
    ----------
    size : int
        Length of the axis.
    most : int
        Up to so many are all drawn.
    first : int
        How many of a longer axis are drawn from its start.
    also : int, optional
        A position that is drawn wherever it lies.

    Examples
    --------
    >>> shown_positions(4, 8), shown_positions(2**31, 8), shown_positions(100, 8, also=50)
    ([0, 1, 2, 3], [0, 1, 2, 2147483647], [0, 1, 2, 50, 99])
    """
    if size <= most:
        return list(range(size))
    kept = {*range(first), size - 1} | (set() if also is None else {also})
    # A break that hides one position takes the room of the position itself.
    kept |= {position + 1 for position in kept if position + 2 in kept}
    return sorted(kept)


@dataclass(frozen=True)
class Track:
    """One drawn row, column or plane, or the break that stands for the hidden ones.

    Attributes
    ----------
    position : int
        Index along the axis; of a break, the first hidden one.
    hidden : int
        How many positions a break stands for; 0 where it is none.
    start, size : float
        Where it lies in the picture.
    """

    position: int
    hidden: int
    start: float
    size: float

    @property
    def middle(self) -> float:
        """Halfway through it."""
        return self.start + self.size / 2


def tracks(positions: Sequence[int], sizes: tuple[float, float], start: float = 0.0) -> list[Track]:
    """Return drawn positions one after another, with a break wherever some are hidden.

    Parameters
    ----------
    positions : sequence of int
        What is drawn, ascending.
    sizes : tuple of float
        Size of a position and of a break.
    start : float
        Where the first one lies.

    Examples
    --------
    >>> [(track.position, track.hidden, track.start) for track in tracks([0, 1, 9], (1.0, 0.5))]
    [(0, 0, 0.0), (1, 0, 1.0), (2, 7, 2.0), (9, 0, 2.5)]
    """
    made: list[Track] = []
    before = -1
    for position in positions:
        hidden = position - before - 1
        if hidden:
            made.append(Track(before + 1, hidden, start, sizes[1]))
            start += sizes[1]
        made.append(Track(position, 0, start, sizes[0]))
        start += sizes[0]
        before = position
    return made


def starts_between(seen: Layout, low: int, high: int) -> list[int] | None:
    """Return where the elements start that touch any byte from ``low`` to before ``high``.

    Nothing is enumerated beyond the bytes asked for, so the cost does not grow
    with the layout.

    Returns
    -------
    list of int or None
        Ascending, each once; None where more than a few thousand candidates
        would have to be tried.

    Examples
    --------
    >>> starts_between(Layout.of((2**31, 2**31), (0, 8), 8), 60, 80)
    [56, 64, 72]
    >>> starts_between(Layout.of((4, 3), (8, -8), 8), 0, 24)
    [0, 8, 16]
    """
    if 0 in seen.shape:
        return []
    origin = _first(seen)
    steps = [(abs(step), size) for size, step in _axes(seen) if size > 1 and step]
    found = {0}
    wanted = low - seen.itemsize + 1 - origin, high - 1 - origin
    combined = _combined(sorted(steps))
    for place in reversed(range(len(combined))):
        step, size = combined[place]
        rest = sum(inner * (count - 1) for inner, count in combined[:place])
        tried: set[int] = set()
        for start in found:
            least = max(0, -(-(wanted[0] - rest - start) // step))
            most = min(size - 1, (wanted[1] - start) // step)
            if most - least + len(tried) > TRY_AT_MOST:
                return None
            tried.update(start + step * number for number in range(least, most + 1))
        found = tried
    return sorted(origin + start for start in found if wanted[0] <= start <= wanted[1])


def _axes(seen: Layout) -> Iterator[tuple[int, int]]:
    """Yield size and step of each axis."""
    return zip(seen.shape, seen.strides_bytes, strict=True)


def _first(seen: Layout) -> int:
    """Return the first byte that is read."""
    return seen.storage_offset_bytes + span(seen.shape, seen.strides_bytes, seen.itemsize)[0]


def _combined(steps: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join axes that continue one another: their starts are one arithmetic progression."""
    progressions: list[tuple[int, int]] = []
    for step, size in steps:
        if progressions:
            inner, count = progressions[-1]
            if step % inner == 0 and step <= inner * count:
                progressions[-1] = inner, count + step // inner * (size - 1)
                continue
        progressions.append((step, size))
    return progressions


def joined(cells: Iterable[tuple[int, int]], hole: int = 0) -> list[tuple[int, int]]:
    """Return intervals of bytes as few intervals: those that touch or overlap are one.

    Parameters
    ----------
    cells : iterable of (int, int)
        From the first byte to the one past the last.
    hole : int
        Gaps of up to so many bytes are closed as well.

    Examples
    --------
    >>> joined([(8, 16), (0, 8), (32, 40)]), joined([(0, 8), (24, 32)], hole=16)
    ([(0, 16), (32, 40)], [(0, 32)])
    """
    found: list[tuple[int, int]] = []
    for low, high in sorted(cells):
        if found and low <= found[-1][1] + hole:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found


def times_read(seen: Layout, start: int) -> int | None:
    """Return how many indices start at one byte; None where too many would have to be tried.

    Examples
    --------
    >>> times_read(Layout.of((4, 3), (0, 8), 8), 8), times_read(Layout.of((4, 3), (8, 8), 8), 16)
    (4, 3)
    """
    steps = sorted(((abs(step), size) for size, step in _axes(seen) if step), reverse=True)
    still = prod(size for size, step in _axes(seen) if not step)
    ways = {start - _first(seen): 1}
    for place, (step, size) in enumerate(steps):
        rest = sum(inner * (count - 1) for inner, count in steps[place + 1 :])
        left: dict[int, int] = {}
        for target, number in ways.items():
            least, most = max(0, -(-(target - rest) // step)), min(size - 1, target // step)
            if most - least + len(left) > TRY_AT_MOST:
                return None
            for position in range(least, most + 1):
                key = target - step * position
                left[key] = left.get(key, 0) + number
        ways = left
    return still * ways.get(0, 0)
