"""From bytes to places: one true scale across a picture, with a visible break where bytes are hidden."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from zerostride.draw.elision import joined

WIDTH = 12.0
BREAK = 0.7
MOST_CELLS = 64
MOST_SEGMENTS = 7


@dataclass(frozen=True)
class Scale:
    """Where a byte lies across the picture.

    Attributes
    ----------
    segments : tuple of (int, int)
        The bytes drawn, as intervals; between two of them is a break.
    storage_bytes : int
        Where the storage ends.
    units_per_byte : float
        The same in every segment.
    """

    segments: tuple[tuple[int, int], ...]
    storage_bytes: int
    units_per_byte: float

    @property
    def lefts(self) -> tuple[float, ...]:
        """Where each segment begins in the picture."""
        at, found = 0.0, []
        for low, high in self.segments:
            found.append(at)
            at += (high - low) * self.units_per_byte + BREAK
        return tuple(found)

    def place(self, byte: int, *, end: bool = False) -> float:
        """Return where a byte lies; with ``end``, as the last edge of the bytes before it.

        Raises
        ------
        ValueError
            If the byte is hidden.
        """
        for (low, high), left in zip(self.segments, self.lefts, strict=True):
            if (low < byte <= high) if end else (low <= byte < high):
                return left + (byte - low) * self.units_per_byte
        raise ValueError(byte)

    def shows(self, low: int, high: int) -> bool:
        """Return whether bytes ``low`` to before ``high`` are all drawn."""
        return any(first <= low and high <= last for first, last in self.segments)

    def narrowed(self, other: "Scale") -> "Scale":
        """Return this scale with no more room for a byte than another has."""
        return replace(self, units_per_byte=min(self.units_per_byte, other.units_per_byte))


def whole(storage_bytes: int, ruler_bytes: int) -> Scale:
    """Return a scale without breaks, ``ruler_bytes`` across the picture."""
    return Scale(((0, ruler_bytes),), storage_bytes, WIDTH / ruler_bytes)


def broken(storage_bytes: int, itemsize: int, starts: Sequence[int], lit: int | None = None) -> Scale:
    """Return a scale that shows the first and last bytes, and those of a few elements.

    Examples
    --------
    >>> broken(8000, 8, [0, 8, 16, 7992]).segments
    ((0, 24), (7992, 8000))
    """
    starts = [start for start in starts if 0 <= start < storage_bytes]
    chosen = {*starts[:10], *starts[-4:], *(start for start in starts if start == lit)}
    ends = {0, max(0, storage_bytes - itemsize)}
    cells = [(start, min(start + max(itemsize, 1), storage_bytes)) for start in chosen | ends]
    segments = joined(cells, hole=2 * itemsize)
    needed = [number for number, (low, high) in enumerate(segments) if lit is not None and low <= lit < high]
    kept = _few(len(segments), needed)
    segments = [segments[number] for number in kept]
    drawn = sum(high - low for low, high in segments)
    room = WIDTH - BREAK * (len(segments) - 1)
    return Scale(tuple(segments), storage_bytes, room / drawn)


def _few(count: int, needed: Iterable[int]) -> list[int]:
    """Return which segments stay: the first ones, the last two, and the needed."""
    if count <= MOST_SEGMENTS:
        return list(range(count))
    kept = {count - 2, count - 1, *needed}
    first = 0
    while len(kept) < MOST_SEGMENTS:
        kept.add(first)
        first += 1
    return sorted(kept)


def fitting(
    storage_bytes: int, itemsize: int, starts: Sequence[int], ruler_bytes: int, lit: int | None = None
) -> Scale:
    """Return a whole scale where the ruler has room for each element, else a broken one."""
    if ruler_bytes <= MOST_CELLS * max(itemsize, 1):
        return whole(storage_bytes, ruler_bytes)
    if storage_bytes <= MOST_CELLS * max(itemsize, 1):
        return Scale(((0, max(storage_bytes, 1)),), storage_bytes, WIDTH / max(storage_bytes, 1))
    return broken(storage_bytes, itemsize, starts, lit)
