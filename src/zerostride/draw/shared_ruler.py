"""Pictures of several named layouts on the storages they read: who shares what."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from zerostride.draw.elision import joined, times_read
from zerostride.draw.ink import (
    FAINT,
    INK,
    LIT_EDGE,
    LIT_FILL,
    LIT_INK,
    MUTED,
    PAPER,
    bare_axes,
    centred,
    fitted,
    mark_style,
    text_inches,
    unclipped,
)
from zerostride.draw.names import drawable, drawn_names, key_of
from zerostride.draw.scale import WIDTH
from zerostride.draw.scene import RIGHT
from zerostride.draw.shelf import LANE, STRIP, Shelf, shelves
from zerostride.draw.strip import NARROW, draw_origin, draw_ruler, draw_storage, visible
from zerostride.language import say
from zerostride.layouts import Layout, layout
from zerostride.sharing import Storage
from zerostride.sharing import storages as groups_of

PAGE_INCHES, UNIT_INCHES = 8.2, 0.5
NAME, SMALL = 14.0, 11.5
MOST_NAMES = 12


def one_ruler(**named: Any) -> Figure:
    """Return a figure of two or more layouts on the storage they share, cell by cell: who shares what.

    Each name has a mark and a lane with the cells it reads, ``×4`` where four
    of its indices read one cell. Under the lanes lies the storage: each cell
    bears the marks of its readers and is lit where two names or more read it.
    Offsets count from the start of the common storage. Arrays of other
    storages have a strip and a ruler of their own, on the same byte scale.

    Parameters
    ----------
    **named : Layout, numpy.ndarray or torch.Tensor
        At most 12. Layouts made from numbers lie in one storage.

    Returns
    -------
    Figure
        For ``zs.show``; one row of cells for each layout.

    Raises
    ------
    TypeError
        If one of them has no strides.
    ValueError
        If there is none, or more than a picture can show.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> figure = one_ruler(view=np.broadcast_to(source, (4, 3)), tail=source[:, 1:])
    >>> [text.get_text() for text in figure.axes[0].texts if "×" in text.get_text()]
    ['i×0 + j×8', '×4', '×4', '×4', '8 + i×24 + j×8', '×1', '×1']
    """
    for x in named.values():
        layout(x)
    return _figure(_grouped(named), detailed=True)


def storages(**named: Any) -> Figure:
    """Return a figure of named arrays on their storages: which bytes each touches.

    The storages stand on one byte scale, with a break where bytes are hidden.
    Each is a box under its number in the table, with the marks of the names
    that read it and its size on the right; bytes that two names or more touch
    are lit. A thin bar above it shows which bytes a name touches and how many,
    ``touched_bytes``; ``nbytes``, its elements times the item size, may be others.
    The last line adds several storages, each once. What is no array is
    skipped, so ``storages(**locals())`` works.

    Parameters
    ----------
    **named
        Anything; at most 12 arrays and tensors.

    Returns
    -------
    Figure
        For ``zs.show``; a ruler for each storage.

    Raises
    ------
    TypeError
        If something is no array.
    ValueError
        If there is no array, or more than a picture can show.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> figure = storages(source=source, tiled=np.tile(source, (4, 1)), text="no array")
    >>> figure.axes[0].texts[-1].get_text()
    '24 B + 96 B = 120 B'
    """
    return _figure(groups_of(**named).groups, detailed=False)


def _grouped(named: Mapping[str, Any]) -> list[Storage]:
    """Group arrays by storage, and layouts made from numbers as one storage, in order of first names."""
    numbers = {name: x for name, x in named.items() if isinstance(x, Layout)}
    arrays = {name: x for name, x in named.items() if name not in numbers}
    groups = list(groups_of(**arrays).groups)
    if numbers:
        groups.append(Storage(numbers, max(each.storage_bytes for each in numbers.values())))
    order = list(named)
    return sorted(groups, key=lambda group: order.index(group.names[0]))


def _figure(groups: Sequence[Storage], *, detailed: bool) -> Figure:
    names = drawn_names(name for group in groups for name in group.names)
    if not names:
        raise ValueError(say("draw.no_arrays"))
    if len(names) > MOST_NAMES:
        raise ValueError(say("draw.too_many_names", names=len(names), most=MOST_NAMES))
    made = shelves(groups)
    summed = not detailed and len(groups) > 1
    tall = made[-1].bottom + (1.1 if summed else 0.2)
    figure = Figure(figsize=(PAGE_INCHES, UNIT_INCHES * (tall + 0.4)), facecolor="white")
    figure.set_label(key_of(names))
    labelled = [(names[name], seen) for group in groups for name, seen in group.layouts.items()]
    across = _across(labelled, detailed)
    unit_inches = PAGE_INCHES / (across[1] - across[0])
    ax = bare_axes(figure, across, tall, up=0.4)
    for shelf in made:
        for name in shelf.group.names:
            _label(ax, shelf, name, names[name], unit_inches, detailed=detailed)
            if detailed:
                _lane(ax, shelf, name, unit_inches)
            else:
                _extent(ax, shelf, name, unit_inches)
        _storage(ax, shelf, unit_inches, detailed=detailed)
        if not detailed:
            _numbered(ax, shelf, made.index(shelf) + 1)
    if summed:
        _sum(ax, groups, tall - 0.5, unit_inches)
    return unclipped(figure)


def _across(named: Sequence[tuple[str, Layout]], detailed: bool) -> tuple[float, float]:
    """Return the limits across: names have room on the left, counts of bytes on the right."""
    labels = [text_inches(name, NAME, "bold", "monospace") for name, _ in named]
    labels += [text_inches(_below(seen, detailed), SMALL) for _, seen in named]
    left = min(3.0, max(labels) + 0.6)
    counts = [f"{seen.storage_bytes:,} B" for _, seen in named]
    right = 0.0 if detailed else 0.1 + max(text_inches(text, NAME, "bold") for text in counts)
    unit_inches = (PAGE_INCHES - left - right) / (WIDTH + RIGHT)
    return -left / unit_inches, WIDTH + RIGHT + right / unit_inches


def _below(seen: Layout, detailed: bool) -> str:
    return seen.formula if detailed else drawable(f"{seen.shape} {seen.dtype}")


def _touched(seen: Layout) -> str:
    return f"touched_bytes {'?' if seen.touched_bytes is None else f'{seen.touched_bytes:,}'} B"


def _label(ax: Axes, shelf: Shelf, name: str, shown: str, unit_inches: float, *, detailed: bool) -> None:
    top, seen, left = shelf.lane_top(name), shelf.group.layouts[name], ax.get_xlim()[0]
    room = -left * unit_inches - 0.5
    place: dict[str, Any] = {"ha": "left", "va": "center"}
    size = fitted(shown, NAME, room, "bold", "monospace")
    look: dict[str, Any] = {"fontsize": size, "fontweight": "bold", "family": "monospace", "color": INK}
    ax.text(left + 0.15, top + 0.2, shown, **place, **look)
    text = _below(seen, detailed)
    ax.text(left + 0.15, top + 0.68, text, fontsize=fitted(text, SMALL, room), color=MUTED, **place)
    ax.plot([-0.28], [top + LANE / 2], **mark_style(shelf.marks[name], INK, 6.5))


def _lane(ax: Axes, shelf: Shelf, name: str, unit_inches: float) -> None:
    """Draw the cells that a name reads, each with how often; one bar where they overlap or are narrow."""
    top, seen, scale = shelf.lane_top(name), shelf.group.layouts[name], shelf.scale
    middle = top + LANE / 2
    _guide(ax, shelf, middle)
    cells = shelf.cells(name)
    bars = joined(cells or [])
    narrow = seen.itemsize * scale.units_per_byte < NARROW
    overlap = sum(high - low for low, high in bars) < sum(high - low for low, high in cells or [])
    single = not narrow and not overlap
    for low, high in (cells or []) if single else bars:
        x = scale.place(low)
        wide = scale.place(high, end=True) - x
        ax.add_patch(Rectangle((x, top), wide, LANE, fc=PAPER, ec=MUTED, lw=1.2, zorder=2))
        times = times_read(seen, low) if single and high - low == seen.itemsize else None
        text = f"×{times}" if times else ""
        if text and text_inches(text, 12) + 0.06 < wide * unit_inches:
            centred(ax, x + wide / 2, middle, text, 12, zorder=5)
    if cells is None:
        ax.text(0.1, middle, "?", ha="left", va="center", fontsize=NAME, color=INK, zorder=5)


def _extent(ax: Axes, shelf: Shelf, name: str, unit_inches: float) -> None:
    """Draw which bytes a name touches as a thin bar, and how many above it: no storage, so no box."""
    top, scale, cells = shelf.lane_top(name), shelf.scale, shelf.cells(name)
    middle = top + LANE - 0.18
    _guide(ax, shelf, middle)
    bars = [(scale.place(low), scale.place(high, end=True)) for low, high in joined(cells or [])]
    for left, right in bars:
        ax.add_patch(Rectangle((left, middle - 0.1), right - left, 0.2, fc=MUTED, ec="none", zorder=2))
    look: dict[str, Any] = {"ha": "left", "va": "center", "fontsize": SMALL, "color": INK, "zorder": 5}
    text = _touched(shelf.group.layouts[name])
    last = WIDTH + RIGHT - text_inches(text, SMALL) / unit_inches - 0.1
    ax.text(min(bars[0][0] if bars else 0.0, last), top + 0.26, text, **look)
    if cells is None:
        ax.text(0.1, middle, "?", **look)


def _guide(ax: Axes, shelf: Shelf, y: float) -> None:
    """Draw a faint line along the visible bytes of the storage."""
    for low, high in visible(shelf.scale):
        ends = shelf.scale.place(low), shelf.scale.place(high, end=True)
        ax.plot(ends, [y, y], color=FAINT, lw=0.8, zorder=1)


def _numbered(ax: Axes, shelf: Shelf, number: int) -> None:
    """Write the number of a storage, as in the table, in a dark box at its left end."""
    y = shelf.strip_top + STRIP / 2
    ax.add_patch(Rectangle((-0.53, y - 0.25), 0.5, 0.5, fc=INK, ec="none", zorder=2))
    centred(ax, -0.28, y, f"{number}", 10, "white", fontweight="bold", zorder=3)


def _storage(ax: Axes, shelf: Shelf, unit_inches: float, *, detailed: bool) -> None:
    """Draw the storage of a shelf: lit where two names or more read, with the marks of the readers."""
    top, scale, seen = shelf.strip_top, shelf.scale, shelf.group.layouts.values()
    deque(draw_storage(ax, scale, top, STRIP, hatched=True), maxlen=0)
    pieces = shelf.pieces() if detailed else shelf.joined_pieces()
    if any((high - low) * scale.units_per_byte < NARROW for low, high, _ in pieces):
        pieces = shelf.joined_pieces()
    for low, high, names in pieces:
        left, right = scale.place(low), scale.place(high, end=True)
        shared = len(names) > 1
        look: dict[str, Any] = {"fc": PAPER, "ec": MUTED, "lw": 1.0, "zorder": 2}
        if shared:
            look = {"fc": LIT_FILL, "ec": LIT_EDGE, "lw": 2.0, "zorder": 3}
        ax.add_patch(Rectangle((left, top), right - left, STRIP, **look))
        _readers(ax, shelf, names, (left, right), LIT_INK if shared else MUTED)
    step = max(1, min(each.itemsize for each in seen))
    starts = sorted({each.storage_offset_bytes for each in seen})
    under = top + STRIP + 0.16
    if scale.storage_bytes:
        deque(
            draw_ruler(ax, scale, under, step=step, unit_inches=unit_inches, first=starts),
            maxlen=0,
        )
    else:
        draw_origin(ax, under)
    if not detailed:
        look = {"ha": "left", "va": "center", "fontsize": NAME, "fontweight": "bold", "color": INK}
        ax.text(WIDTH + RIGHT, top + STRIP / 2, f"{shelf.group.storage_bytes:,} B", **look)


def _readers(ax: Axes, shelf: Shelf, names: Sequence[str], ends: tuple[float, float], colour: str) -> None:
    """Draw the marks of readers side by side or one under another; where room is short, their number."""
    left, right = ends
    step = 0.3 if len(names) * 0.3 < right - left else 0.22
    across = min(len(names), int((right - left - 0.06) / step))
    down = -(-len(names) // across) if across else 0
    if not 0 < down * step < STRIP:
        if right - left > 0.3:
            at = (left + right) / 2, shelf.strip_top + STRIP / 2
            centred(ax, *at, f"{len(names)}", 10, colour, fontweight="bold", zorder=6)
        return
    for place, name in enumerate(names):
        row, col = divmod(place, across)
        x = (left + right) / 2 + (col - (across - 1) / 2) * step
        y = shelf.strip_top + STRIP / 2 + (row - (down - 1) / 2) * step
        ax.plot([x], [y], **mark_style(shelf.marks[name], colour, 20 * step))


def _sum(ax: Axes, groups: Sequence[Storage], y: float, unit_inches: float) -> None:
    sizes = [group.storage_bytes for group in groups]
    text = " + ".join(f"{size:,} B" for size in sizes) + f" = {sum(sizes):,} B"
    size = fitted(text, 15, WIDTH * unit_inches, "bold")
    ax.text(0, y, text, ha="left", va="center", fontsize=size, fontweight="bold", color=INK)
