"""The two by two of storage and path: where expand, clone, detach, and detach then clone belong."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle

from zerostride.draw.ink import (
    FAINT,
    INK,
    LIT_EDGE,
    LIT_FILL,
    MUTED,
    PAPER,
    SAME_EDGE,
    WRONG_EDGE,
    bare_axes,
    centred,
    fitted,
    rounded,
    unclipped,
)
from zerostride.draw.routes import Route, Routes, measured_routes
from zerostride.draw.shape_picture import draw_verdict
from zerostride.language import say

INCHES = (8.4, 5.2)
WIDE, TALL, GAP = 6.9, 4.4, 0.2
STRIP = 0.6


def storage_and_path(routes: Routes | None = None) -> Figure:
    """Return the two by two of *own storage?* and *path to the source kept?*, from what was measured.

    Left are results in the storage of the source, right those with their own;
    above, a gradient comes back to the source, below it does not. Each
    operation stands where it was measured to stand.

    Parameters
    ----------
    routes : Routes, optional
        What to draw; by default ``measured_routes()``, which needs torch.

    Returns
    -------
    Figure
        For ``zs.show``; four fields, each operation in its own.

    Raises
    ------
    TypeError
        If something else is handed in.

    Examples
    --------
    >>> figure = storage_and_path()
    >>> sorted(text.get_text() for text in figure.axes[0].texts if text.get_text().startswith("y = "))
    ['y = x.clone()', 'y = x.detach()', 'y = x.detach().clone()', 'y = x.expand(4, 3)']
    """
    measured = measured_routes() if routes is None else routes
    if not isinstance(measured, Routes):
        raise TypeError(say("draw.routes_wanted", type=type(routes).__name__))
    found = measured.routes
    figure = Figure(figsize=INCHES, facecolor="white")
    width, height = 2 * WIDE + 3 * GAP, 2 * TALL + 3 * GAP
    ax = bare_axes(figure, (0, width), height)
    for column, same_storage in enumerate((True, False)):
        x = GAP + column * (WIDE + GAP)
        for row, path in enumerate((True, False)):
            y = GAP + row * (TALL + GAP)
            here = [each for each in found if each.place == (same_storage, path)]
            ax.add_patch(rounded(x, y, WIDE, TALL, 0.2, facecolor="white", edgecolor=FAINT, linewidth=1.2))
            _cell(ax, (x, y), here, INCHES[0] / width)
    return unclipped(figure)


def _cell(ax: Axes, corner: tuple[float, float], here: Sequence[Route], unit_inches: float) -> None:
    """Draw what was measured to belong here: x and y, their storage, and the way back."""
    if not here:
        return
    left, top = corner
    route, middle = here[0], left + WIDE / 2
    for number, each in enumerate(here):
        code = f"y = {each.code}"
        size = fitted(code, 13, (WIDE - 0.4) * unit_inches, "bold", "monospace")
        y = top + 0.55 + 0.45 * (number - (len(here) - 1) / 2)
        centred(ax, middle, y, code, size, family="monospace", fontweight="bold")
    ends = {"x": left + 1.3, "y": left + WIDE - 1.3}
    for name, at in ends.items():
        ax.add_patch(
            Circle((at, top + 1.55), 0.33, facecolor="white", edgecolor=INK, linewidth=1.4, zorder=3)
        )
        centred(ax, at, top + 1.55, name, 13, "black", family="monospace", zorder=4)
    _way_back(ax, (ends["y"] - 0.4, ends["x"] + 0.4), top + 1.55, kept=route.gradient is not None)
    _storages(ax, ends, top, middle, same=route.same_storage)
    gradients = " / ".join(each.shown or "None" for each in here)
    code = f"x.grad = {gradients}"
    size = fitted(code, 11, (WIDE - 0.4) * unit_inches, family="monospace")
    centred(ax, middle, top + TALL - 0.38, code, size, family="monospace")


def _way_back(ax: Axes, ends: tuple[float, float], y: float, *, kept: bool) -> None:
    """Draw the way of the gradient from y to x: an arrow, or one that ends on a cross."""
    start, end = ends
    middle = (start + end) / 2
    colour, line = (SAME_EDGE, "solid") if kept else (WRONG_EDGE, (0, (3, 2)))
    look: dict[str, Any] = {"color": colour, "linestyle": line, "linewidth": 2.0, "zorder": 2}
    if kept:
        style: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 16, "shrinkA": 0, "shrinkB": 0}
        ax.add_patch(FancyArrowPatch((start, y), (end, y), **style, **look))
    else:
        ax.plot([start, middle], [y, y], **look)
    draw_verdict(ax, (middle, y), allowed=kept, size=0.62)


def _storages(ax: Axes, ends: dict[str, float], top: float, middle: float, *, same: bool) -> None:
    """Draw one strip that both read, or one for each."""
    strip, below = top + 2.75, top + 1.9
    places = {"x": middle, "y": middle} if same else ends
    for name, at in ends.items():
        foot = places[name] + (0 if not same else -0.6 if name == "x" else 0.6)
        ax.plot([at, foot], [below, strip - 0.06], color=MUTED, linewidth=1.2, zorder=1)
    fill, edge, weight = (LIT_FILL, LIT_EDGE, 2.0) if same else (PAPER, MUTED, 1.2)
    for at in sorted(set(places.values())):
        for cell in range(3):
            corner = at - 1.05 + 0.7 * cell, strip
            ax.add_patch(Rectangle(corner, 0.7, STRIP, fc=fill, ec=edge, lw=weight, zorder=2))
