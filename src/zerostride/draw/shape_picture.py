"""Two shapes aligned from the trailing end: what each axis does, and where it is refused."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

from zerostride.draw.elision import Track, tracks
from zerostride.draw.ink import (
    DASHED,
    FAINT,
    INK,
    LIT_EDGE,
    LIT_FILL,
    LIT_INK,
    MUTED,
    PAPER,
    SAME_EDGE,
    WRONG_EDGE,
    centred,
    fitted,
    rounded,
    sheet,
    shortened,
    text_inches,
    unclipped,
)
from zerostride.expansion import AxisVerdict, Expansion, can_expand
from zerostride.language import say
from zerostride.layouts import Layout, is_tensor

UNIT_INCHES = 0.55
COLUMN, BREAK, GAP = 1.9, 1.3, 0.12
TOP_LABEL, SOURCE, RELATION, TARGET, MARK, BOTTOM = 1.5, 2.0, 3.6, 4.2, 6.0, 6.8
BOX = 1.1
LABEL, HEADING = 12.0, 13.0
MOST_AXES, FIRST_AXES, LAST_AXES = 6, 1, 3


def alignment(source_shape: Sequence[int], target_shape: Sequence[int], library: str = "numpy") -> Figure:
    """Return a figure of two shapes aligned from the trailing end, with a verdict under each axis.

    Sizes that stand over one another belong together: ``=`` where they agree,
    ``×4`` where a size of one is read four times, or the whole source where
    its axis is new (a dashed box with a pale 1), and ``≠`` where there is no
    rule. Under them stands a circle with ✓ or a diamond with ✗; the whole call
    has its own. On the right stands the shape that comes out, or what is raised.

    Parameters
    ----------
    source_shape, target_shape : sequence of int
        As for ``zs.can_expand``; beside −1 stands the size that it keeps.
    library : {"numpy", "torch"}
        Whose rules hold.

    Returns
    -------
    Figure
        For ``zs.show``; the shapes as text and the verdicts as signs.

    Raises
    ------
    TypeError
        If an array is handed in where its shape belongs, or a size is no whole number.
    ValueError
        As ``zs.can_expand``.

    Examples
    --------
    >>> figure = alignment((3,), (4, 3))
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_text() in "✓✗"]
    ['✓', '✓', '✓']
    """
    for shape in (source_shape, target_shape):
        if isinstance(shape, np.ndarray | Layout) or is_tensor(shape):
            raise TypeError(say("draw.shape_wanted", type=type(shape).__name__))
    answer = can_expand(source_shape, target_shape, library)
    axes = answer.axes[::-1]
    drawn = tracks(_shown(axes), (COLUMN, BREAK)) if axes else []
    left = text_inches("source", LABEL, "bold", "monospace") / UNIT_INCHES + 0.5
    right = drawn[-1].start + drawn[-1].size if drawn else COLUMN
    outcome = _outcome(answer, drawn)
    room = min(text_inches(outcome, HEADING, "bold", "monospace") / UNIT_INCHES, 6.0)
    across = left + right + room + 0.8
    heading = 1.6 + text_inches(_call(answer), HEADING, "bold", "monospace") / UNIT_INCHES
    across = max(across, min(heading, 16.0), 7.0)
    figure, ax = sheet((-left, across - left), BOTTOM, UNIT_INCHES)
    _heading(ax, answer, left, across)
    size = fitted(outcome, HEADING, 1.08 * room * UNIT_INCHES, "bold", "monospace")
    look: dict[str, Any] = {"fontsize": size, "fontweight": "bold", "family": "monospace", "va": "center"}
    ax.text(right + 0.3, TARGET + BOX / 2, outcome, color=INK if answer.allowed else WRONG_EDGE, **look)
    for track in drawn:
        if track.hidden:
            centred(ax, track.middle, TOP_LABEL, f"+{track.hidden}", LABEL, MUTED)
            for top in (SOURCE, TARGET):
                centred(ax, track.middle, top + BOX / 2, "⋯", 14, MUTED)
        else:
            _axis(ax, track, axes[track.position])
    return unclipped(figure)


def _shown(axes: Sequence[AxisVerdict]) -> list[int]:
    """Return which axes are drawn: of many the first and the last three, and the refused ones that fit."""
    if len(axes) <= MOST_AXES:
        return list(range(len(axes)))
    refused = [place for place, axis in enumerate(axes) if axis.verdict == "refused"]
    kept = {*range(FIRST_AXES), *range(len(axes) - LAST_AXES, len(axes)), *refused[-2:]}
    return sorted(kept | {place + 1 for place in kept if place + 2 in kept})


def _call(answer: Expansion) -> str:
    """Return what would be run."""
    if answer.library == "numpy":
        return f"np.broadcast_to(source, {answer.target_shape})"
    return f"source.expand({', '.join(map(str, answer.target_shape))})"


def _outcome(answer: Expansion, drawn: Sequence[Track]) -> str:
    """Return the resulting shape, as far as its axes are drawn, or the class of the error."""
    if answer.shape is None:
        return "ValueError" if answer.library == "numpy" else "RuntimeError"
    sizes = ["…" if each.hidden else shortened(str(answer.shape[each.position])) for each in drawn]
    return f"→ ({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def _heading(ax: Axes, answer: Expansion, left: float, across: float) -> None:
    look: dict[str, Any] = {"fontweight": "bold", "family": "monospace", "color": INK, "va": "center"}
    call = _call(answer)
    size = fitted(call, HEADING, (across - 1.6) * UNIT_INCHES, "bold", "monospace")
    draw_verdict(ax, (-left + 0.65, 0.55), allowed=answer.allowed, size=0.8)
    ax.text(-left + 1.25, 0.55, call, ha="left", fontsize=size, **look)
    for name, top in (("source", SOURCE), ("target", TARGET)):
        ax.text(-0.2, top + BOX / 2, name, ha="right", fontsize=LABEL, **look)
        if not answer.axes:
            ax.text(0.2, top + BOX / 2, "()", ha="left", va="center", fontsize=18, color=INK)


def _axis(ax: Axes, track: Track, axis: AxisVerdict) -> None:
    allowed, expanded = axis.verdict != "refused", axis.verdict in ("expanded", "new")
    centred(ax, track.middle, TOP_LABEL, f"axis={axis.axis}", LABEL, MUTED, family="monospace")
    _box(ax, track, SOURCE, axis.source_size, lit=False, wrong=not allowed)
    kept = f" → {_size(axis.source_size)}" if axis.target_size == -1 and axis.verdict == "same" else ""
    _box(ax, track, TARGET, axis.target_size, lit=expanded, wrong=not allowed, kept=kept)
    if axis.source_size is None and axis.verdict == "new":
        centred(ax, track.middle, SOURCE + BOX / 2, "1", 18, FAINT)
    text = _relation(axis)
    colour = WRONG_EDGE if not allowed else LIT_INK if expanded else SAME_EDGE
    size = fitted(text, 15, (track.size - 0.2) * UNIT_INCHES, "bold")
    centred(ax, track.middle, RELATION + 0.05, text, size, colour, fontweight="bold")
    draw_verdict(ax, (track.middle, MARK), allowed=allowed, size=0.9)


def _relation(axis: AxisVerdict) -> str:
    if axis.verdict in ("expanded", "new"):
        return f"×{_size(axis.target_size)}"
    return "=" if axis.verdict == "same" else "≠"


def _size(size: int | None) -> str:
    return "" if size is None else shortened(str(size)).replace("-", "−")


def _box(
    ax: Axes, track: Track, top: float, size: int | None, *, lit: bool, wrong: bool, kept: str = ""
) -> None:
    """Draw a size in its box; a dashed box where the shape has no such axis."""
    style: dict[str, Any] = {"facecolor": PAPER, "edgecolor": MUTED, "linewidth": 1.2}
    if size is None:
        style = DASHED
    elif wrong:
        style = {"facecolor": "white", "edgecolor": WRONG_EDGE, "linewidth": 2.4}
    elif lit:
        style = {"facecolor": LIT_FILL, "edgecolor": LIT_EDGE, "linewidth": 2.0}
    ax.add_patch(rounded(track.start + GAP, top, track.size - 2 * GAP, BOX, **style))
    if size is None:
        return
    text = _size(size) + kept
    fits = fitted(text, 18, (track.size - 2 * GAP - 0.25) * UNIT_INCHES)
    centred(ax, track.middle, top + BOX / 2, text, fits)


def draw_verdict(ax: Axes, at: tuple[float, float], *, allowed: bool, size: float) -> None:
    """Draw ✓ in a round, ✗ in a square on its corner: shape tells what colour tells."""
    (x, y), half = at, size / 2
    colour = SAME_EDGE if allowed else WRONG_EDGE
    style: dict[str, Any] = {"facecolor": "white", "edgecolor": colour, "linewidth": 2.0, "zorder": 4}
    if allowed:
        ax.add_patch(Circle(at, half * 0.95, **style))
    else:
        tip = half * 1.15
        ax.add_patch(Polygon([(x - tip, y), (x, y - tip), (x + tip, y), (x, y + tip)], **style))
    look: dict[str, Any] = {"ha": "center", "va": "center_baseline", "color": colour, "fontweight": "bold"}
    ax.text(x, y, "✓" if allowed else "✗", fontsize=25 * size, zorder=5, **look)
