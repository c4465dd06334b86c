"""The storage as a strip of bytes on its ruler; bytes that no element reads are hatched."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle

from zerostride.draw.elision import joined, starts_between
from zerostride.draw.ink import (
    FAINT,
    LIT_INK,
    MUTED,
    UNREAD,
    cell_style,
    centred,
    mark_style,
    shortened,
    text_inches,
)
from zerostride.draw.scale import BREAK, WIDTH, Scale
from zerostride.draw.scene import RIGHT, Scene

STRIP = 0.8
NARROW = 0.06
NUMBER = 9.5


def draw_strip(ax: Axes, scene: Scene, scale: Scale, unit_inches: float) -> Iterator[Artist]:
    """Draw every visible byte of the storage, and a cell where elements start."""
    top, itemsize = scene.strip_top, scene.seen.itemsize
    yield from draw_storage(ax, scale, top, STRIP, hatched=True)
    for low, high in visible(scale):
        yield from _cells(ax, scene, scale, starts_between(scene.seen, low, high), (low, high))
    words = {byte: scene.values.get(index, "") for index, byte in scene.offsets.items()}
    wide = itemsize * scale.units_per_byte
    fits = all(text_inches(word, NUMBER) + 0.06 < wide * unit_inches for word in words.values())
    apart = min((right - left for left, right in pairwise(scene.starts)), default=itemsize)
    marked = scene.marked and min(apart, itemsize) * scale.units_per_byte > (
        0.25 if apart < itemsize else 0.12
    )
    for number, byte in enumerate(scene.starts):
        if not scale.shows(byte, byte + itemsize):
            continue
        middle, lit = scale.place(byte) + wide / 2, byte == scene.lit_byte
        if marked:
            style = mark_style(number, LIT_INK if lit else MUTED, 4.5 if wide > 0.4 else 2.5)
            yield from ax.plot([middle], [top + 0.22], **style)
        if fits and words[byte] and _alone(scene, byte):
            yield centred(ax, middle, top + 0.56, words[byte], NUMBER, zorder=6)


def _alone(scene: Scene, byte: int) -> bool:
    """Return whether no other element reads a byte of the one that starts here."""
    near = starts_between(scene.seen, byte, byte + scene.seen.itemsize)
    known = scene.starts if near is None else near
    return all(start == byte or abs(start - byte) >= scene.seen.itemsize for start in known)


def _cells(
    ax: Axes, scene: Scene, scale: Scale, starts: Sequence[int] | None, segment: tuple[int, int]
) -> Iterator[Artist]:
    """Draw a box for each element that starts in a segment; one bar where they overlap or are too narrow."""
    itemsize, lit = scene.seen.itemsize, scene.lit_byte
    (low, high), known = segment, scene.starts if starts is None else starts
    inside = [start for start in known if start < high and start + itemsize > low]
    narrow = itemsize * scale.units_per_byte < NARROW
    overlap = any(right - left < itemsize for left, right in pairwise(inside))
    for start in inside:
        chosen = start == lit
        if chosen or not (narrow or overlap):
            yield _bytes(ax, scale, scene.strip_top, (start, start + itemsize), segment, lit=chosen)
    if narrow or overlap:
        for first, last in joined((start, start + itemsize) for start in inside):
            yield _bytes(ax, scale, scene.strip_top, (first, last), segment, lit=False)
    if overlap and not narrow:
        at = [scale.place(start) for start in inside if low <= start]
        top = scene.strip_top
        lines = [[(x, top), (x, top + STRIP)] for x in at]
        yield ax.add_collection(LineCollection(lines, colors=FAINT, linewidths=1.0, zorder=2.5))


def _bytes(
    ax: Axes, scale: Scale, top: float, bytes_: tuple[int, int], segment: tuple[int, int], *, lit: bool
) -> Artist:
    low, high = max(bytes_[0], segment[0]), min(bytes_[1], segment[1])
    left = scale.place(low)
    style = cell_style(lit=lit, chosen=lit)
    return ax.add_patch(Rectangle((left, top), scale.place(high, end=True) - left, STRIP, **style))


def visible(scale: Scale) -> list[tuple[int, int]]:
    """Return the drawn bytes that belong to the storage, as intervals."""
    return [
        (low, min(high, scale.storage_bytes)) for low, high in scale.segments if low < scale.storage_bytes
    ]


def draw_storage(ax: Axes, scale: Scale, top: float, tall: float, *, hatched: bool) -> Iterator[Artist]:
    """Draw the storage as a bar, with slanted ends and dots where bytes are hidden."""
    segments = visible(scale)
    for low, high in segments:
        left, right = scale.place(low), scale.place(high, end=True)
        style: dict[str, Any] = {"facecolor": "white", "edgecolor": FAINT, "linewidth": 1.0, "zorder": 0.5}
        yield ax.add_patch(
            Rectangle((left, top), right - left, tall, hatch=UNREAD if hatched else "", **style)
        )
    for (_, high), _ in pairwise(segments):
        middle = scale.place(high, end=True) + BREAK / 2
        yield centred(ax, middle, top + tall / 2, "⋯", 11, MUTED, zorder=5)


def draw_ruler(
    ax: Axes,
    scale: Scale,
    y: float,
    *,
    step: int,
    unit_inches: float,
    divisor: int = 1,
    first: Collection[int] = (),
) -> Iterator[Artist]:
    """Draw the ruler under every segment, numbered where there is room.

    Parameters
    ----------
    step : int
        Bytes from tick to tick.
    divisor : int
        Bytes of what the numbers count: 1 for bytes, the item size for elements.
    first : collection of int
        Bytes whose numbers come before others.
    """
    ends: list[float] = []
    ticks: dict[float, int] = {}
    for low, high in scale.segments:
        left, right = scale.place(low), scale.place(high, end=True)
        yield from ax.plot([left, right], [y, y], color=FAINT, lw=1.0, zorder=1)
        ends += [left, right]
        ticks |= {left: low, right: high}
        every = step * -(-(high - low) // (100 * step))
        ticks |= {scale.place(byte): byte for byte in range(-(-low // every) * every, high, every)}
        ticks |= {scale.place(byte): byte for byte in first if low <= byte < high}
    last = max(ticks)
    texts = {
        x: shortened(str(byte // divisor)) + (" B" if divisor == 1 and x == last else "")
        for x, byte in ticks.items()
    }
    half = {x: (text_inches(text, NUMBER) / 2 + 0.04) / unit_inches for x, text in texts.items()}
    numbered = _roomy(ticks, half, ends, first)
    marks = [[(x, y), (x, y + (0.2 if x in numbered else 0.1))] for x in sorted(ticks)]
    yield ax.add_collection(LineCollection(marks, colors=MUTED, linewidths=0.8, zorder=1))
    for x in numbered:
        yield centred(ax, _centre(x, half), y + 0.44, texts[x], NUMBER, MUTED)


def draw_origin(ax: Axes, y: float) -> None:
    """Draw the ruler of a storage without bytes: it ends where it begins."""
    ax.plot([0, 0], [y, y + 0.2], color=MUTED, lw=0.8, zorder=1)
    centred(ax, 0, y + 0.44, "0 B", NUMBER, MUTED)


def _roomy(
    ticks: dict[float, int], half: dict[float, float], ends: Sequence[float], first: Collection[int]
) -> list[float]:
    """Return the ticks whose numbers stand beside one another: the ends, then every nth that fits."""
    placed: list[float] = []

    def fits(x: float) -> bool:
        at = _centre(x, half)
        return all(abs(at - _centre(other, half)) >= half[x] + half[other] for other in placed)

    low, high = min(ticks), max(ticks)
    for x in [low, high, *(x for x in ticks if ticks[x] in first), *ends]:
        if x not in placed and fits(x):
            placed.append(x)
    inner = sorted(set(ticks) - set(ends))
    for every in range(1, len(inner) + 1):
        chosen = inner[every - 1 :: every]
        clear = all(right - left >= half[left] + half[right] for left, right in pairwise(chosen))
        if clear:
            placed += [x for x in chosen if x not in placed and fits(x)]
            break
    return sorted(placed)


def _centre(x: float, half: dict[float, float]) -> float:
    """Return where the middle of a number stands: at its tick, or as far right as the picture goes."""
    return min(x, WIDTH + RIGHT - half[x])
