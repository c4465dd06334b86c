"""Static pictures: logical elements, the storage they read, and the bytes that join them.

Pictures hold identifiers, numbers and ``B``, no natural language: one picture
serves every language, and its words stand beside it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Polygon, Rectangle

from zerostride.arithmetic import byte_offsets, indices
from zerostride.language import say
from zerostride.layouts import Layout, is_tensor, layout

INK, MUTED, FAINT, PAPER = "#1a1f27", "#525b66", "#c3cad3", "#f6f8fa"
LIT_EDGE, LIT_FILL, LIT_INK = "#d18a00", "#fbe6bd", "#8f5400"
WIDTH = 12.0
STRIP_HEIGHT, GAP = 0.8, 0.08
TITLE, BELOW = 1.25, 4.6
MOST_ROWS, MOST_COLS = 8, 8

MARKS = ("o", "^", "s", "D", "v", "P", "X", "*", "p", "h", "<", ">")
FILLS = ("full", "none", "left")


@dataclass(frozen=True)
class _Scene:
    """What one picture needs to know: where each cell reads, and where it stands."""

    seen: Layout
    rows: int
    cols: int
    offsets: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    values: list[list[str]]
    highlight: tuple[int, int] | None
    ruler_bytes: int
    unit: str

    @property
    def lit_byte(self) -> int | None:
        return None if self.highlight is None else int(self.offsets[self.highlight])

    @property
    def starts(self) -> list[int]:
        return sorted({int(offset) for offset in self.offsets.ravel()})

    @property
    def strip_top(self) -> float:
        return self.rows + 1.0

    def place(self, byte: int) -> float:
        """Return where a byte lies across the picture."""
        return WIDTH * byte / self.ruler_bytes

    def shown(self, byte: int) -> int:
        """Return a byte offset in the unit of the picture."""
        return byte // self.seen.itemsize if self.unit == "elements" else byte


def addresses(
    ax: Axes,
    x: Any,
    *,
    highlight: Sequence[int] | None = None,
    ruler_bytes: int | None = None,
    unit: str = "bytes",
    values: Any = None,
) -> list[Artist]:
    """Draw which byte each element reads: the logical grid above its storage.

    Equal marks are equal addresses. All cells that read the highlighted bytes
    are lit together, and a band falls from them to their one storage cell.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw; limits are set and the frame is hidden.
    x : Layout, numpy.ndarray or torch.Tensor
        At most two axes, at most 8 by 8. Values are shown for arrays.
    highlight : sequence of int, optional
        Index of the element to light and to work out.
    ruler_bytes : int, optional
        Bytes across the picture; by default the storage. Give two pictures the
        same number and their storages can be compared.
    unit : {"bytes", "elements"}
        How offsets and the ruler count.
    values : array, optional
        What stands in the cells, if not the values of ``x``.

    Returns
    -------
    list of matplotlib.artist.Artist
        Everything drawn.

    Raises
    ------
    ValueError
        If ``x`` has more axes or more elements than a picture can show.

    Examples
    --------
    >>> ax = Figure().add_subplot()
    >>> view = np.broadcast_to(np.array([[1.0, 2.0, 3.0]]), (4, 3))
    >>> artists = addresses(ax, view, highlight=(2, 1))
    >>> [text.get_text() for text in ax.texts][-2:]
    ['i×0 + j×8', '2×0 + 1×8 = 8 B']
    """
    scene = _scene(x, highlight, ruler_bytes, unit, values)
    ax.set_xlim(-1.1, WIDTH + 0.55)
    ax.set_ylim(*_limits(scene.rows))
    ax.axis("off")
    parts = (_bands(ax, scene), _grid(ax, scene), _strip(ax, scene), _ruler(ax, scene), _formula(ax, scene))
    return [artist for part in parts for artist in part]


def side_by_side(
    *,
    highlight: Sequence[int] | None = (2, 1),
    unit: str = "bytes",
    values: Any = None,
    **named: Any,
) -> Figure:
    """Return a figure of several layouts on one byte scale, each under its name.

    Parameters
    ----------
    highlight : sequence of int, optional
        Index to light in each; left out where a layout is too small for it.
    unit : {"bytes", "elements"}
        How offsets and rulers count.
    values : array, optional
        What stands in the cells of each, if not their own values.
    **named : Layout, numpy.ndarray or torch.Tensor
        What to draw, from left to right.

    Examples
    --------
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> figure = side_by_side(view=np.broadcast_to(source, (4, 3)), tiled=np.tile(source, (4, 1)))
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['view', 'tiled']
    """
    layouts = [layout(x) for x in named.values()]
    ruler_bytes = max(1, *(seen.storage_bytes for seen in layouts))
    across = min(2, len(layouts))
    rows = [_two_axes(seen.shape)[0] for seen in layouts]
    tallest = [max(rows[first : first + across]) for first in range(0, len(rows), across)]
    talls = [TITLE + most + BELOW for most in tallest]
    figure = Figure(figsize=(4.8 * across, 0.46 * sum(talls)), facecolor="white")
    places = figure.subplots(len(talls), across, squeeze=False, height_ratios=talls).ravel()
    for ax in places[len(layouts) :]:
        ax.remove()
    for number, (ax, name) in enumerate(zip(places, named, strict=False)):
        fits = highlight if highlight is not None and _fits(highlight, layouts[number].shape) else None
        addresses(ax, named[name], highlight=fits, ruler_bytes=ruler_bytes, unit=unit, values=values)
        ax.set_ylim(*_limits(tallest[number // across]))
        height = 1 - 0.6 / talls[number // across]
        ax.set_title(
            name, y=height, pad=0, loc="left", fontsize=13, fontweight="bold", color=INK, family="monospace"
        )
    figure.subplots_adjust(left=0.01, right=0.99, top=1.0, bottom=0.0, wspace=0.04, hspace=0.0)
    return figure


def _limits(rows: int) -> tuple[float, float]:
    return rows + BELOW, -TITLE


def _fits(index: Sequence[int], shape: Sequence[int]) -> bool:
    return len(index) == len(shape) and all(i < size for i, size in zip(index, shape, strict=True))


def _two_axes(shape: Sequence[int]) -> tuple[int, int]:
    if len(shape) > 2:
        raise ValueError(say("draw.too_many_axes", axes=len(shape)))
    rows, cols = (1,) * (2 - len(shape)) + tuple(shape)
    if rows > MOST_ROWS or cols > MOST_COLS:
        raise ValueError(say("draw.too_large", shape=tuple(shape), rows=MOST_ROWS, cols=MOST_COLS))
    if rows * cols == 0:
        raise ValueError(say("draw.no_elements", shape=tuple(shape)))
    return rows, cols


def _scene(
    x: Any, highlight: Sequence[int] | None, ruler_bytes: int | None, unit: str, values: Any
) -> _Scene:
    seen = layout(x)
    rows, cols = _two_axes(seen.shape)
    seen.formula_in(unit)
    if highlight is not None:
        seen.offset_bytes(highlight)
    offsets = byte_offsets(seen.shape, seen.strides_bytes, seen.storage_offset_bytes).reshape(rows, cols)
    at = None if highlight is None else np.unravel_index(_flat(highlight, seen.shape), (rows, cols))
    shown = x if values is None and not isinstance(x, Layout) else values
    return _Scene(
        seen,
        rows,
        cols,
        offsets,
        [[""] * cols for _ in range(rows)] if shown is None else _words(shown, rows, cols),
        None if at is None else (int(at[0]), int(at[1])),
        ruler_bytes or max(seen.storage_bytes, 1),
        unit,
    )


def _flat(index: Sequence[int], shape: Sequence[int]) -> int:
    return int(np.ravel_multi_index([i % size for i, size in zip(index, shape, strict=True)], tuple(shape)))


def _words(values: Any, rows: int, cols: int) -> list[list[str]]:
    flat = [values[index] for index in indices(values.shape)]
    plain = [value.item() if is_tensor(value) or isinstance(value, np.generic) else value for value in flat]
    words = [_word(value) for value in plain]
    return [words[row * cols : (row + 1) * cols] for row in range(rows)]


def _word(value: object) -> str:
    """Return a value short enough for a cell.

    >>> _word(1.0), _word(1 / 3), _word(True), _word(2 + 0j)
    ('1.0', '0.3333', 'True', '2+0j')
    """
    if isinstance(value, float):
        short = f"{value:.4g}"
        return short if set(short) & set(".en") else f"{short}.0"
    if isinstance(value, complex):
        return f"{value.real:.3g}{value.imag:+.3g}j"
    return str(value)[:8]


def _style(lit: bool, chosen: bool) -> dict[str, Any]:
    if not lit:
        return {"facecolor": PAPER, "edgecolor": FAINT, "linewidth": 1.0, "zorder": 2}
    return {"facecolor": LIT_FILL, "edgecolor": LIT_EDGE, "linewidth": 3.2 if chosen else 1.8, "zorder": 3}


def _mark(ax: Axes, scene: _Scene, byte: int, at: tuple[float, float], size: float) -> Iterable[Artist]:
    """Draw the mark of an address; none once there are more addresses than marks."""
    number = scene.starts.index(byte)
    if number >= len(MARKS) * len(FILLS):
        return []
    colour = LIT_INK if byte == scene.lit_byte else MUTED
    shape = MARKS[number % len(MARKS)]
    return ax.plot(
        *at,
        marker=shape,
        fillstyle=FILLS[number // len(MARKS)],
        color=colour,
        markerfacecoloralt="white",
        markersize=size * (1.5 if shape == "*" else 1),
        markeredgewidth=1.0,
        zorder=5,
    )


def _grid(ax: Axes, scene: _Scene) -> Iterable[Artist]:
    wide = WIDTH / scene.cols
    ink: dict[str, Any] = {"color": MUTED, "va": "center", "fontsize": 9.5, "zorder": 5}
    for col in range(scene.cols):
        yield ax.text((col + 0.5) * wide, -0.32, _position(scene, 1, col), ha="center", **ink)
    for row in range(scene.rows):
        yield ax.text(-0.2, row + 0.5, _position(scene, 0, row), ha="right", **ink)
        for col in range(scene.cols):
            byte = int(scene.offsets[row, col])
            lit = byte == scene.lit_byte
            style = _style(lit, (row, col) == scene.highlight)
            left = col * wide
            yield ax.add_patch(_box(left + GAP, row + GAP, wide - 2 * GAP, 1 - 2 * GAP, style))
            yield from _mark(ax, scene, byte, (left + 0.36, row + 0.32), 5.5)
            roomy = scene.cols <= 4
            words: dict[str, Any] = {"va": "center", "zorder": 5}
            yield ax.text(
                left + wide / 2 + (0 if roomy else 0.18),
                row + (0.44 if roomy else 0.36),
                scene.values[row][col],
                ha="center",
                color=INK,
                fontsize=13 if roomy else 10,
                **words,
            )
            yield ax.text(
                left + wide - 0.24,
                row + 0.71,
                str(scene.shown(byte)),
                ha="right",
                fontsize=9 if roomy else 8.5,
                color=LIT_INK if lit else MUTED,
                fontweight="bold" if lit else "normal",
                **words,
            )


def _position(scene: _Scene, axis: int, number: int) -> str:
    """Return ``i=2`` for a row or ``j=1`` for a column; nothing for an axis that the layout lacks."""
    missing = 2 - scene.seen.ndim
    return f"{scene.seen.axis_names[axis - missing]}={number}" if axis >= missing else ""


def _box(left: float, top: float, wide: float, tall: float, style: dict[str, Any]) -> FancyBboxPatch:
    return FancyBboxPatch((left, top), wide, tall, boxstyle="round,pad=0,rounding_size=0.13", **style)


def _bands(ax: Axes, scene: _Scene) -> Iterable[Artist]:
    """Join each column that reads the highlighted bytes to their storage cell."""
    if scene.lit_byte is None:
        return
    wide, top = WIDTH / scene.cols, scene.strip_top
    left, right = scene.place(scene.lit_byte), scene.place(scene.lit_byte + scene.seen.itemsize)
    for col in range(scene.cols):
        lit = [row for row in range(scene.rows) if scene.offsets[row, col] == scene.lit_byte]
        if lit:
            west, east = col * wide + 0.25, (col + 1) * wide - 0.25
            start, bottom = min(lit) + 0.5, scene.rows if len(lit) > 1 else max(lit) + 1 - GAP
            corners = [
                (west, start),
                (west, bottom),
                (left, top),
                (right, top),
                (east, bottom),
                (east, start),
            ]
            yield ax.add_patch(Polygon(corners, facecolor=LIT_FILL, edgecolor=LIT_EDGE, lw=0.8, zorder=1))


def _strip(ax: Axes, scene: _Scene) -> Iterable[Artist]:
    """Draw the storage: every byte of it as one bar, and a cell where elements start."""
    top, tall = scene.strip_top, STRIP_HEIGHT
    whole: dict[str, Any] = {"facecolor": "white", "edgecolor": FAINT}
    yield ax.add_patch(Rectangle((0, top), scene.place(scene.seen.storage_bytes), tall, **whole))
    cells = indices((scene.rows, scene.cols))
    words = {int(scene.offsets[row, col]): scene.values[row][col] for row, col in cells}
    wide = scene.place(scene.seen.itemsize)
    for byte in scene.starts:
        lit = byte == scene.lit_byte
        left = scene.place(byte)
        yield ax.add_patch(Rectangle((left, top), wide, tall, **_style(lit, chosen=lit)))
        yield from _mark(ax, scene, byte, (left + wide / 2, top + 0.22), 4.5 if wide > 0.4 else 2.5)
        if wide > 0.11 * max(map(len, words.values())) + 0.35:
            at = (left + wide / 2, top + 0.56)
            yield ax.text(*at, words[byte], ha="center", va="center", color=INK, fontsize=8.5, zorder=5)


def _ruler(ax: Axes, scene: _Scene) -> Iterable[Artist]:
    """Draw the byte ruler across the whole scale, numbered where there is room."""
    y = scene.strip_top + STRIP_HEIGHT + 0.16
    step = scene.seen.itemsize
    ticks = list(range(0, scene.ruler_bytes + 1, step))
    yield from ax.plot([0, WIDTH], [y, y], color=FAINT, lw=1.0, zorder=1)
    numbered = _numbered(ticks, scene)
    for byte in ticks if len(ticks) <= 100 else numbered:
        x = scene.place(byte)
        yield from ax.plot([x, x], [y, y + (0.2 if byte in numbered else 0.1)], color=MUTED, lw=0.8, zorder=1)
    for byte in numbered:
        last = byte == numbered[-1] and scene.unit == "bytes"
        text = f"{scene.shown(byte)}" + (" B" if last else "")
        yield ax.text(scene.place(byte), y + 0.44, text, ha="center", va="center", color=MUTED, fontsize=8.5)


def _numbered(ticks: Sequence[int], scene: _Scene) -> list[int]:
    """Return the ticks whose numbers fit beside one another, the first and the last among them."""
    room = 0.2 + 0.17 * len(str(scene.shown(ticks[-1])))
    for every in range(1, len(ticks) + 1):
        chosen = [*ticks[:-1:every], ticks[-1]] if len(ticks) > 1 else list(ticks)
        if len(chosen) > 2 and scene.place(chosen[-1] - chosen[-2]) < room + 0.2:
            del chosen[-2]
        if all(scene.place(right - left) >= room for left, right in pairwise(chosen)):
            return chosen
    return [ticks[0], ticks[-1]]


def _formula(ax: Axes, scene: _Scene) -> Iterable[Artist]:
    y = scene.strip_top + STRIP_HEIGHT + 1.35
    words: dict[str, Any] = {"ha": "left", "va": "center", "fontsize": 13}
    yield ax.text(0, y, scene.seen.formula_in(scene.unit), color=MUTED, **words)
    if scene.highlight is not None:
        index = scene.highlight[2 - scene.seen.ndim :]
        yield ax.text(
            0, y + 0.85, scene.seen.worked(index, scene.unit), color=LIT_INK, fontweight="bold", **words
        )
