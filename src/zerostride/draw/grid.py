"""The logical grid: one box per element, with its value, its byte offset and the mark of its address."""

from collections.abc import Iterable, Iterator
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from zerostride.draw.elision import Track
from zerostride.draw.ink import (
    LEAST_SIZE,
    LIT_EDGE,
    LIT_FILL,
    LIT_INK,
    MUTED,
    cell_style,
    centred,
    fitted,
    mark_style,
    rounded,
    shortened,
    text_inches,
)
from zerostride.draw.scale import Scale
from zerostride.draw.scene import BESIDE_VALUE, VALUE, Scene

GAP = 0.08
LABEL = 11.0


def left_inches(scene: Scene) -> float:
    """Return the room that the labels left of the grid take."""
    return sum(_columns_of_labels(scene))


def _columns_of_labels(scene: Scene) -> tuple[float, float]:
    rows = max(text_inches(label, LABEL) for label in scene.labels(1))
    planes = max(text_inches(label, LABEL, "bold") for label in scene.labels(0))
    return rows + 0.1, planes + 0.16 if planes else 0.0


def draw_grid(ax: Axes, scene: Scene, unit_inches: float) -> Iterator[Artist]:
    """Draw labels, cells, breaks and marks."""
    yield from _labels(ax, scene, unit_inches)
    yield from _breaks(ax, scene)
    roomy, size = _value_look(scene, unit_inches)
    for index, row, column in scene.cells:
        yield from _cell(ax, scene, index, row, column, unit_inches, roomy=roomy)
        value = scene.values.get(index, "")
        if value:
            text = value if size > LEAST_SIZE else "…"
            x = column.middle + (0 if roomy else 0.22)
            y = row.start + (0.44 if roomy else 0.32)
            yield centred(ax, x, y, text, size if size > LEAST_SIZE else 10, zorder=5)
    yield from _marks(ax, scene, max(0.36, GAP + 0.085 / unit_inches))


def _value_look(scene: Scene, unit_inches: float) -> tuple[bool, float]:
    """Return whether values stand beside offsets, else above them, and the size that all of them fit."""
    wide = min(column.size for column in scene.columns if not column.hidden) * unit_inches
    offsets = max(text_inches(f"{_offset(scene, byte)} B", 10.5, "bold") for byte in scene.starts)
    values = {*scene.values.values(), ""}
    longest = max(text_inches(value, 13) for value in values)
    if wide >= 2.9 * unit_inches and longest + 2 * offsets < wide - 0.6 * unit_inches:
        return True, 13
    return False, min(fitted(value, VALUE, wide - BESIDE_VALUE * unit_inches) for value in values)


def _offset(scene: Scene, byte: int) -> str:
    return shortened(str(scene.shown(byte)))


def _labels(ax: Axes, scene: Scene, unit_inches: float) -> Iterator[Artist]:
    ink: dict[str, Any] = {"color": MUTED, "va": "center", "zorder": 5}
    for column in scene.columns:
        text = scene.label(2, column)
        size = fitted(text, LABEL, column.size * unit_inches - 0.04)
        yield ax.text(column.middle, -0.32, text, ha="center", fontsize=size, **ink)
    for rows in scene.rows.values():
        for row in rows:
            yield ax.text(-0.2, row.middle, scene.label(1, row), ha="right", fontsize=LABEL, **ink)
    if scene.seen.ndim < 3:
        return
    edge = -0.1 - _columns_of_labels(scene)[0] / unit_inches
    for plane in scene.planes:
        label = scene.label(0, plane)
        yield ax.text(edge - 0.15, plane.middle, label, ha="right", fontsize=LABEL, fontweight="bold", **ink)
        if not plane.hidden:
            x, y = [edge + 0.1, edge, edge, edge + 0.1], plane.start + plane.size
            yield from ax.plot(x, [plane.start + GAP] * 2 + [y - GAP] * 2, color=MUTED, lw=1.0, zorder=1)


def _breaks(ax: Axes, scene: Scene) -> Iterable[Artist]:
    hidden = [plane for plane in scene.planes if plane.hidden]
    rows = [row for each in scene.rows.values() for row in each]
    for row in [*hidden, *(row for row in rows if row.hidden)]:
        for column in scene.columns:
            sign = "⋱" if column.hidden else "⋮"
            yield centred(ax, column.middle, row.middle, sign, 11, MUTED, zorder=5)
    for row in rows:
        for column in scene.columns:
            if column.hidden and not row.hidden:
                yield centred(ax, column.middle, row.middle, "⋯", 11, MUTED, zorder=5)


def _cell(
    ax: Axes,
    scene: Scene,
    index: tuple[int, int, int],
    row: Track,
    column: Track,
    unit_inches: float,
    *,
    roomy: bool,
) -> Iterable[Artist]:
    byte = scene.offsets[index]
    lit, wide = byte == scene.lit_byte, column.size
    style = cell_style(lit=lit, chosen=index == scene.highlight)
    yield ax.add_patch(rounded(column.start + GAP, row.start + GAP, wide - 2 * GAP, 1 - 2 * GAP, **style))
    text, weight = _offset(scene, byte), "bold" if lit else "normal"
    # One number with its unit says what the others are.
    text += " B" if lit and roomy and scene.unit == "bytes" else ""
    yield ax.text(
        column.start + wide - 0.24,
        row.start + (0.71 if roomy else 0.73),
        text,
        ha="right",
        va="center",
        color=LIT_INK if lit else MUTED,
        fontsize=fitted(text, 10.5 if roomy else 9.5, (wide - 0.4) * unit_inches, weight),
        fontweight=weight,
        zorder=5,
    )


def _marks(ax: Axes, scene: Scene, inset: float) -> Iterable[Artist]:
    """Mark equal addresses alike; none once there are more addresses than marks."""
    for number, byte in enumerate(scene.starts if scene.marked else ()):
        here = [
            (c.start + inset, row.start + 0.32) for at, row, c in scene.cells if scene.offsets[at] == byte
        ]
        colour = LIT_INK if byte == scene.lit_byte else MUTED
        xs, ys = zip(*here, strict=True)
        yield from ax.plot(xs, ys, **mark_style(number, colour, 5.5))


def draw_bands(ax: Axes, scene: Scene, scale: Scale) -> Iterator[Artist]:
    """Join each column that reads the highlighted bytes to their storage cell."""
    byte = scene.lit_byte
    # An element outside its storage, as as_strided can make it, has no place on the strip.
    if byte is None or not scale.shows(byte, byte + scene.seen.itemsize):
        return
    left, right = scale.place(byte), scale.place(byte + scene.seen.itemsize, end=True)
    for column in scene.columns:
        lit = [row for at, row, c in scene.cells if c is column and scene.offsets[at] == byte]
        if not lit:
            continue
        west, east = column.start + 0.25, column.start + column.size - 0.25
        start = min(row.middle for row in lit)
        bottom = scene.bottom if len(lit) > 1 else lit[0].start + 1 - GAP
        corners = [
            (west, start),
            (west, bottom),
            (left, scene.strip_top),
            (right, scene.strip_top),
            (east, bottom),
            (east, start),
        ]
        yield ax.add_patch(Polygon(corners, facecolor=LIT_FILL, edgecolor=LIT_EDGE, lw=0.8, zorder=1))
