"""One storage with a lane for each name that reads it: what is drawn there, and where it stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from zerostride.draw.elision import joined, starts_between
from zerostride.draw.scale import Scale, fitting
from zerostride.draw.strip import visible
from zerostride.sharing import Storage

LANE, LANE_GAP, STRIP = 0.8, 0.4, 1.0
RULER, SHELF_GAP = 0.85, 0.75

Bytes = tuple[int, int]


@dataclass(frozen=True)
class Shelf:
    """One storage on the common byte scale.

    Attributes
    ----------
    group : Storage
        The names that live here and how each is read.
    scale : Scale
        Where a byte lies across the picture.
    marks : dict of str to int
        Number of the mark of each name.
    top : float
        Where the first lane begins.
    """

    group: Storage
    scale: Scale
    marks: dict[str, int]
    top: float

    @property
    def strip_top(self) -> float:
        """Where the storage begins, under its lanes."""
        return self.top + len(self.group.names) * (LANE + LANE_GAP) + 0.1

    @property
    def bottom(self) -> float:
        """Where the numbers of the ruler end."""
        return self.strip_top + STRIP + RULER

    def lane_top(self, name: str) -> float:
        """Return where the lane of a name begins."""
        return self.top + self.group.names.index(name) * (LANE + LANE_GAP)

    def cells(self, name: str) -> list[Bytes] | None:
        """Return the visible bytes of each element of a name; None where they cannot be told."""
        seen = self.group.layouts[name]
        found: list[Bytes] = []
        for low, high in visible(self.scale):
            starts = starts_between(seen, low, high)
            if starts is None:
                return None
            found += [(max(start, low), min(start + seen.itemsize, high)) for start in starts]
        return found

    def pieces(self) -> list[tuple[int, int, tuple[str, ...]]]:
        """Return the visible bytes cut at every edge of a cell, each piece with the names that read it."""
        cells = {name: self.cells(name) or [] for name in self.group.names}
        touched = {name: joined(found) for name, found in cells.items()}
        edges = sorted({edge for found in cells.values() for cell in found for edge in cell})
        pieces = []
        for low, high in pairwise(edges):
            names = tuple(name for name, found in touched.items() if _within(low, high, found))
            if names and self.scale.shows(low, high):
                pieces.append((low, high, names))
        return pieces

    def joined_pieces(self) -> list[tuple[int, int, tuple[str, ...]]]:
        """Return the same pieces, those that touch and have the same readers as one."""
        found: list[tuple[int, int, tuple[str, ...]]] = []
        for low, high, names in self.pieces():
            if found and found[-1][1:] == (low, names):
                found[-1] = found[-1][0], high, names
            else:
                found.append((low, high, names))
        return found


def _within(low: int, high: int, intervals: Sequence[Bytes]) -> bool:
    return any(first <= low and high <= last for first, last in intervals)


def shelves(groups: Sequence[Storage]) -> list[Shelf]:
    """Return the storages one under another, all on the scale of the tightest."""
    longest = max(max(group.storage_bytes, 1) for group in groups)
    itemsize = max((seen.itemsize for group in groups for seen in group.layouts.values()), default=1)
    scales = [fitting(group.storage_bytes, itemsize, _ends(group), longest) for group in groups]
    tightest = min(scales, key=lambda scale: scale.units_per_byte)
    made: list[Shelf] = []
    number, top = 0, 0.0
    for group, scale in zip(groups, scales, strict=True):
        marks = {name: number + place for place, name in enumerate(group.names)}
        made.append(Shelf(group, _cut(scale.narrowed(tightest)), marks, top))
        number, top = number + len(marks), made[-1].bottom + SHELF_GAP
    return made


def _cut(scale: Scale) -> Scale:
    """Return the scale without what lies behind the end of the storage."""
    end = max(scale.storage_bytes, 1)
    kept = tuple((low, min(high, end)) for low, high in scale.segments if low < end)
    return Scale(kept, scale.storage_bytes, scale.units_per_byte)


def _ends(group: Storage) -> list[int]:
    """Return where the first and the last elements of each name start."""
    found: set[int] = set()
    for name, seen in group.layouts.items():
        low, high = group.byte_range(name)
        for part in ((low, min(high, low + 3 * seen.itemsize)), (max(low, high - 2 * seen.itemsize), high)):
            found.update(starts_between(seen, *part) or ())
    return sorted(found)
