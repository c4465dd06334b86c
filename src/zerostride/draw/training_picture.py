"""Loss by step: one shared row and rows of their own, each with the values that it may change."""

from itertools import product
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from zerostride.draw.ink import (
    FAINT,
    INK,
    LIT_EDGE,
    LIT_FILL,
    MUTED,
    SAME_EDGE,
    WRONG_EDGE,
    bare_axes,
    fitted,
)
from zerostride.draw.values import fitting_word
from zerostride.language import say
from zerostride.parameters.training import Run, Training

INCHES = (9.2, 4.6)
CURVES = (0.1, 0.13, 0.58, 0.82)
BESIDE = (0.70, 0.13, 0.29, 0.82)
END = 0.36
LABEL, APART, CELL = 0.26, 0.30, 0.16
MARKED = 10
MOST_CELLS, MOST_LETTERS = 10, 10
# The shared row is a solid line with full circles, rows of their own a broken one with hollow triangles.
STYLES: tuple[dict[str, Any], ...] = (
    {"color": SAME_EDGE, "linestyle": "-", "marker": "o", "markerfacecolor": SAME_EDGE},
    {"color": WRONG_EDGE, "linestyle": (0, (4, 2)), "marker": "^", "markerfacecolor": "white"},
)


def training_curves(training: Training) -> Figure:
    """Return a figure of both losses by step; beside each, its learnable values as cells.

    Line, mark and filling differ, not colour alone. The axis of the loss is
    logarithmic unless a loss is 0.

    Parameters
    ----------
    training : Training
        From ``parameters.train``.

    Returns
    -------
    Figure
        For ``zs.show``; two curves, in true scale.

    Raises
    ------
    TypeError
        If something else is handed in.

    Examples
    --------
    >>> from zerostride.parameters import train
    >>> figure = training_curves(train())
    >>> [text.get_text() for text in figure.axes[1].texts]
    ['row.expand(4, 3)', '3', 'rows', '12']
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['≈11.25', '≈0.002536']
    """
    if not isinstance(training, Training):
        raise TypeError(say("parameters.training_wanted", type=type(training).__name__))
    figure = Figure(figsize=INCHES, facecolor="white")
    ax = figure.add_axes(CURVES)
    every = max(1, (len(training.shared.losses) - 1) // MARKED)
    for run, style in zip(training.runs, STYLES, strict=True):
        ax.plot(run.losses, markevery=every, markersize=7, markeredgewidth=1.5, linewidth=2, **style)
    if min(min(run.losses) for run in training.runs) > 0:
        ax.set_yscale("log")
    else:
        ax.set_ylim(bottom=0)
    ax.set_xlabel("step", fontsize=13, family="monospace", color=INK)
    ax.set_ylabel("loss", fontsize=13, family="monospace", color=INK)
    ax.yaxis.set_label_coords(-0.125, 0.5)
    ax.grid(color=FAINT, linewidth=0.6, alpha=0.6)
    ax.tick_params(which="both", colors=MUTED, labelsize=11)
    ax.spines[["top", "right"]].set_visible(False)
    _ends(ax, training)
    beside = bare_axes(figure, (0, 1), 0, -1)
    beside.set_position(BESIDE)
    for number, height in enumerate(_heights(ax, training)):
        _label(beside, training.runs[number], number, height)
    return figure


def _ends(ax: Axes, training: Training) -> None:
    """Write the last loss of each curve at its end; one above the other where they are close."""
    steps = len(training.shared.losses) - 1
    ax.set_xticks([tick for tick in ax.get_xticks() if 0 <= tick <= steps])
    ax.set_xlim(-0.04 * steps, steps * (1 + END))
    up = [_up(ax, run.losses[-1]) for run in training.runs]
    right = float(ax.transAxes.inverted().transform(ax.transData.transform((steps, 1)))[0]) + 0.025
    if abs(up[0] - up[1]) < 0.06:
        middle, above = min(max(sum(up) / 2, 0.06), 0.94), up[0] >= up[1]
        up = [middle + 0.03 * (1 if above else -1), middle - 0.03 * (1 if above else -1)]
    for run, style, height in zip(training.runs, STYLES, up, strict=True):
        last = fitting_word(run.losses[-1], lambda text: len(text) <= MOST_LETTERS)
        y = min(max(height, 0.03), 0.97)
        look: dict[str, Any] = {"ha": "left", "va": "center", "fontsize": 12, "fontweight": "bold"}
        ax.text(right, y, last, transform=ax.transAxes, color=style["color"], **look)


def _up(ax: Axes, loss: float) -> float:
    """Return how high a loss stands, as a part of the axes."""
    return float(ax.transAxes.inverted().transform(ax.transData.transform((0, loss)))[1])


def _heights(ax: Axes, training: Training) -> tuple[float, float]:
    """Return how high each curve ends, as a part of the axes, so far apart that labels do not meet."""
    ends = [run.losses[-1] for run in training.runs]
    up = [_up(ax, end) for end in ends]
    above = 0 if up[0] >= up[1] else 1
    middle = min(max(sum(up) / 2, LABEL / 2 + APART / 2), 1 - LABEL / 2 - APART / 2)
    if abs(up[0] - up[1]) < APART:
        up[above], up[1 - above] = middle + APART / 2, middle - APART / 2
    kept = [min(max(each, LABEL / 2), 1 - LABEL / 2) for each in up]
    return kept[0], kept[1]


def _label(ax: Axes, run: Run, number: int, height: float) -> None:
    """Draw the mark, the code, the learnable values as cells and their number."""
    width, tall = INCHES[0] * BESIDE[2], INCHES[1] * BESIDE[3]
    style = {"markersize": 8, "markeredgewidth": 1.5, "linewidth": 2, **STYLES[number]}
    ax.plot([0.02, 0.08, 0.14], [height + 0.07] * 3, markevery=[1], **style)
    size = fitted(run.code, 12, 0.8 * width, "bold", "monospace")
    bold: dict[str, Any] = {"fontsize": size, "fontweight": "bold", "family": "monospace"}
    ax.text(0.18, height + 0.07, run.code, ha="left", va="center", color=INK, **bold)
    rows = run.learnable_values // 3 if run.learnable_values // 3 <= MOST_CELLS else 0
    for row, column in product(range(rows), range(3)):
        corner = (0.18 + column * CELL / width, height - 0.01 - (row + 1) * CELL / 2 / tall)
        box = Rectangle(corner, CELL / width, CELL / 2 / tall, facecolor=LIT_FILL, edgecolor=LIT_EDGE)
        ax.add_patch(box)
    middle = height - 0.01 - rows * CELL / 4 / tall
    left = 0.18 + 3 * CELL / width + 0.04
    ax.text(left, middle, str(run.learnable_values), ha="left", va="center", fontsize=12, color=INK)
