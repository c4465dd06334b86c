"""Write propagation: every value before and after one write, with the cells that changed."""

import re
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from zerostride.draw.ink import (
    FAINT,
    INK,
    LIT_EDGE,
    LIT_FILL,
    LIT_INK,
    MUTED,
    PAPER,
    WRONG_EDGE,
    centred,
    fitted,
    mark_style,
    rounded,
    sheet,
    unclipped,
)
from zerostride.draw.names import drawable, drawn_names, key_of
from zerostride.draw.shape_picture import draw_verdict
from zerostride.draw.values import fitting_word
from zerostride.draw.written import Cell, Rows, Write
from zerostride.language import say

INCHES = 9.2
LEFT, BETWEEN = 0.7, 1.0
NAME, STORAGE, CODE, COUNT = 0.75, 0.85, 1.5, 0.8
GAP = 0.06
MOST_UNIT_INCHES = 0.52


def write_propagation(write: Write) -> Figure:
    """Return a figure of one write as it was measured: before, the statement, after.

    Names on one storage carry one mark and one bar. The elements that the
    statement names have a pencil; those whose value is another one afterwards
    are lit, carry a dot, and are counted. A refused statement has a ✗ and the
    name of its error.

    Parameters
    ----------
    write : Write
        From ``measured_write``.

    Returns
    -------
    Figure
        For ``zs.show``; the arrays twice, changed cells marked.

    Raises
    ------
    TypeError
        If something else is handed in.

    Examples
    --------
    >>> import numpy as np
    >>> from zerostride.draw.written import measured_write
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> write = measured_write("source[0, 1] = 9", source=source, view=np.broadcast_to(source, (4, 3)))
    >>> texts = [text.get_text() for text in write_propagation(write).axes[0].texts]
    >>> "source[0, 1] = 9" in texts, texts.count("9.0"), "4 / 12" in texts
    (True, 5, True)
    """
    if not isinstance(write, Write):
        raise TypeError(say("draw.write_wanted", type=type(write).__name__))
    names = list(write.before)
    drawn = drawn_names(names)
    wide = {name: max(len(write.before[name][0]), 2) for name in names}
    tall = max(len(rows) for rows in write.before.values())
    across = LEFT + sum(wide.values()) + BETWEEN * (len(names) - 1) + 0.3
    unit = min(MOST_UNIT_INCHES, INCHES / across)
    down = NAME + STORAGE + tall + CODE + tall + COUNT + 0.15
    figure, ax = sheet((0, max(across, 9.0)), down, unit)
    figure.set_label(key_of(drawn))
    lefts = {}
    at = LEFT
    for name in names:
        lefts[name] = at
        at += wide[name] + BETWEEN
    top, again = NAME + STORAGE, NAME + STORAGE + tall + CODE
    _storages(ax, write, lefts, wide, unit)
    _statement(ax, write, drawn, top + tall + CODE / 2, max(across, 9.0) - LEFT, unit)
    for name, left in lefts.items():
        asked = write.asked if name == write.target else frozenset()
        changed = write.changed[name]
        _title(ax, drawn[name], left, wide[name] * unit)
        _grid(ax, write.before[name], (left, top), asked, frozenset(), unit)
        _grid(ax, write.after[name], (left, again), asked, frozenset(changed), unit)
        _count(ax, len(changed), write.after[name], (left, again + tall + 0.42))
    return unclipped(figure)


def _title(ax: Axes, name: str, left: float, room_inches: float) -> None:
    size = fitted(name, 13, room_inches + 0.4, "bold", "monospace")
    look: dict[str, Any] = {"fontweight": "bold", "family": "monospace", "color": INK, "va": "center"}
    ax.text(left, NAME / 2 + 0.05, name, fontsize=size, **look)


def _storages(ax: Axes, write: Write, lefts: dict[str, float], wide: dict[str, int], unit: float) -> None:
    """Draw one bar under the names of one storage, with its mark and its bytes."""
    y, names = NAME + 0.25, list(lefts)
    for number, (group, stored_bytes) in enumerate(write.storages):
        for name in group:
            following = names[names.index(name) + 1 :][:1]
            joined = bool(following) and following[0] in group
            right = lefts[following[0]] if joined else lefts[name] + wide[name] - GAP
            ax.plot([lefts[name], right], [y, y], color=INK, linewidth=2.2, solid_capstyle="butt")
            ax.plot([lefts[name] + 0.14], [y], **mark_style(number, INK, 9))
        text = f"{stored_bytes:,} B"
        ax.text(lefts[group[0]] + 0.45, y + 0.33, text, fontsize=12, color=MUTED, va="center")


def _statement(ax: Axes, write: Write, drawn: dict[str, str], y: float, room: float, unit: float) -> None:
    code = re.sub(r"\w+", lambda name: drawn.get(name[0], name[0]), write.code)
    refused = bool(write.error)
    draw_verdict(ax, (LEFT + 0.42, y), allowed=not refused, size=0.8)
    text = drawable(code) + (f"   {write.error.partition(':')[0]}" if refused else "")
    size = fitted(text, 14, (room - 1.2) * unit, "bold", "monospace")
    look: dict[str, Any] = {"fontweight": "bold", "family": "monospace", "va": "center", "fontsize": size}
    ax.text(LEFT + 1.1, y, text, color=WRONG_EDGE if refused else INK, **look)
    arrow = {"arrowstyle": "-|>", "color": MUTED, "linewidth": 1.6, "mutation_scale": 14}
    ax.annotate("", (LEFT / 2 - 0.05, y + CODE / 2), (LEFT / 2 - 0.05, y - CODE / 2), arrowprops=arrow)


def _grid(
    ax: Axes,
    rows: Rows,
    corner: tuple[float, float],
    asked: frozenset[Cell],
    changed: frozenset[Cell],
    unit: float,
) -> None:
    left, top = corner
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            x, y, lit = left + j, top + i, (i, j) in changed
            style: dict[str, Any] = {"facecolor": PAPER, "edgecolor": FAINT, "linewidth": 1.0}
            if lit:
                style = {"facecolor": LIT_FILL, "edgecolor": LIT_EDGE, "linewidth": 2.4}
            elif (i, j) in asked:
                style |= {"edgecolor": INK, "linewidth": 1.6}
            ax.add_patch(rounded(x + GAP, y + GAP, 1 - 2 * GAP, 1 - 2 * GAP, **style))
            weight = "bold" if lit else "normal"
            word = fitting_word(value, partial(_fits, room_inches=0.8 * unit, weight=weight))
            size = fitted(word, 13, 0.8 * unit, weight)
            centred(ax, x + 0.5, y + 0.63, word, size, LIT_INK if lit else INK, fontweight=weight)
            if lit:
                ax.plot([x + 0.82], [y + 0.2], **mark_style(0, LIT_INK, 4.5))
            if (i, j) in asked:
                centred(ax, x + 0.2, y + 0.22, "✎", 10)


def _fits(text: str, room_inches: float, weight: str) -> bool:
    return fitted(text, 13, room_inches, weight) > 7.5


def _count(ax: Axes, count: int, rows: Rows, at: tuple[float, float]) -> None:
    """Write how many of how many changed; a dot where any did."""
    (x, y), size = at, len(rows) * len(rows[0])
    if count:
        ax.plot([x + 0.14], [y], **mark_style(0, LIT_INK, 6))
    look: dict[str, Any] = {"fontsize": 12, "va": "center", "fontweight": "bold" if count else "normal"}
    ax.text(x + 0.4, y, f"{count} / {size}", color=LIT_INK if count else MUTED, **look)
