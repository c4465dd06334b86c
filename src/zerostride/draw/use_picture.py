"""Weights by row and column, and below each column the sum that arrives at its source value."""

from collections.abc import Sequence
from typing import Any

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
    bare_axes,
    fitted,
    rounded,
    unclipped,
)

UNIT_INCHES = 0.5
LEFT, WIDE, TALL, GAP = 1.9, 3.3, 1.1, 0.25
NAME, LABEL, WEIGHT, SUM = 13.0, 11.0, 16.0, 15.0
LINE = 20


def weighted_uses(
    weights: Sequence[Sequence[int]],
    sums: Sequence[tuple[str, str]],
    unused: Sequence[tuple[int, int]] = (),
    *,
    cut: bool = False,
) -> Figure:
    """Return a figure of weights and of the sums that arrive at the source below.

    Parameters
    ----------
    weights : sequence of sequences of int
        One weight per element.
    sums : sequence of two str
        How each component is added up, and its value: one per column, or one
        per element where every row is a parameter of its own.
    unused : sequence of (int, int)
        Elements that use no source value.
    cut : bool
        Whether no path leads down: the arrows are broken.

    Examples
    --------
    >>> figure = weighted_uses([[1, 2], [3, 4]], [("1 + 3", "4"), ("2 + 4", "6")])
    >>> [text.get_text() for text in figure.axes[0].texts][-2:]
    ['2 + 4', '6']
    """
    rows, cols = len(weights), len(weights[0])
    alone = rows > 1 and len(sums) == rows * cols
    bottom = 0.9 + rows * TALL + (0.3 if alone else 2.9)
    figure = Figure(
        figsize=(UNIT_INCHES * (LEFT + cols * WIDE + 0.2), UNIT_INCHES * bottom), facecolor="white"
    )
    ax = bare_axes(figure, (-LEFT, cols * WIDE + 0.2), bottom)
    middle: dict[str, Any] = {"ha": "center", "va": "center"}
    for i, row in enumerate(weights):
        top = 0.9 + i * TALL
        ax.text(
            -0.2,
            top + TALL / 2 - 0.05,
            f"w[{i}]",
            ha="right",
            va="center",
            family="monospace",
            fontsize=LABEL,
        )
        for j, weight in enumerate(row):
            out = (i, j) in unused
            _box(ax, j * WIDE, top, out=out)
            x = j * WIDE + WIDE / 2
            ax.text(
                x - (0.8 if alone else 0),
                top + 0.5,
                _signed(weight),
                fontsize=WEIGHT,
                color=FAINT if out else INK,
                **middle,
            )
            if alone:
                ax.text(
                    x + 0.5,
                    top + 0.5,
                    f"→ {sums[i * cols + j][1]}",
                    fontsize=12,
                    fontweight="bold",
                    color=LIT_INK,
                    **middle,
                )
    for j in range(cols):
        x = j * WIDE + WIDE / 2
        name = f"p[:, {j}]" if alone else f"x{j}"
        ax.text(x, 0.5, name, fontsize=NAME, family="monospace", color=MUTED, **middle)
        if not alone:
            _arrow(ax, x, 0.9 + rows * TALL, cut=cut)
            _sum(ax, x, 0.9 + rows * TALL, *sums[j])
    return unclipped(figure)


def _box(ax: Any, left: float, top: float, *, out: bool) -> None:
    style: dict[str, Any] = {"facecolor": LIT_FILL, "edgecolor": LIT_EDGE, "linewidth": 1.6}
    if out:
        style = {"facecolor": PAPER, "edgecolor": WRONG_EDGE, "linewidth": 1.6, "linestyle": (0, (3, 3))}
    ax.add_patch(rounded(left + GAP / 2, top, WIDE - GAP, TALL - 0.12, **style))


def _arrow(ax: Any, x: float, top: float, *, cut: bool) -> None:
    look = {"arrowstyle": "-|>", "color": WRONG_EDGE if cut else LIT_EDGE, "linewidth": 2}
    if cut:
        ax.plot([x, x], [top + 0.05, top + 0.4], color=WRONG_EDGE, linewidth=2)
        ax.text(x, top + 0.6, "✗", ha="center", va="center", fontsize=14, color=WRONG_EDGE)
    else:
        ax.annotate("", (x, top + 0.85), (x, top + 0.02), arrowprops=look)


def _sum(ax: Any, x: float, top: float, added: str, value: str) -> None:
    words = added.split(" ")
    if len(added) > LINE:
        half = len(words) // 2 + len(words) // 2 % 2
        added = " ".join(words[:half]) + "\n" + " ".join(words[half:])
    size = fitted(added, LABEL, (WIDE - 0.15) * UNIT_INCHES)
    ax.text(x, top + 1.35, added, ha="center", va="center", fontsize=size, color=INK)
    ax.text(x, top + 2.3, value, ha="center", va="center", fontsize=SUM, fontweight="bold", color=LIT_INK)


def _signed(number: int) -> str:
    return str(number).replace("-", "−")
