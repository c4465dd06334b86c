"""The chain rule: above each source element its uses with their weights, below what they sum to."""

from math import fsum
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from zerostride.draw.elision import Track, shown_positions, tracks
from zerostride.draw.ink import (
    FAINT,
    INK,
    LIT_EDGE,
    LIT_FILL,
    LIT_INK,
    MUTED,
    PAPER,
    bare_axes,
    fitted,
    rounded,
    unclipped,
)
from zerostride.gradients import Uses
from zerostride.gradients.programs import at, written
from zerostride.language import say

UNIT_INCHES = 0.55
COLUMN, BREAK, GAP, EDGE = 2.3, 0.9, 0.2, 0.3
CELL, HOLE = 1.2, 0.6
COUNT, ARROW, SUM, NAME = 0.9, 0.8, 1.15, 0.75
MOST_COLUMNS, MOST_CELLS = 8, 6


def chain_rule(report: Uses) -> Figure:
    """Return a figure of the uses of each source element, and of what their weights sum to.

    Above each element of the source stand its uses, one cell each: which
    element of the result, and the weight that it passes back. Over them stands
    how many there are, ``×4``; under them, lit, their sum, which is the
    derivative. An element without a use has a dashed 0.

    Parameters
    ----------
    report : Uses
        From ``zs.uses``; with ``weights`` for a weighted sum.

    Raises
    ------
    TypeError
        If something else is handed in.
    ValueError
        If the source has no elements.

    Examples
    --------
    >>> import numpy as np, zerostride as zs
    >>> weights = np.arange(1.0, 13.0).reshape(4, 3)
    >>> figure = chain_rule(zs.uses(lambda z: np.tile(z, (4, 1)), np.ones((1, 3)), weights))
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_fontweight() == "bold"]
    ['×4', '22', '×4', '26', '×4', '30']
    """
    if not isinstance(report, Uses):
        raise TypeError(say("draw.uses_wanted", type=type(report).__name__))
    if not report.weights:
        raise ValueError(say("draw.no_elements", shape=report.source_shape))
    columns = tracks(shown_positions(len(report.weights), MOST_COLUMNS, 5), (COLUMN, BREAK))
    stacks = {
        each.position: _stack(len(report.weights[each.position])) for each in columns if not each.hidden
    }
    tall = max(_height(stack) for stack in stacks.values())
    across, down = columns[-1].start + columns[-1].size, COUNT + tall + ARROW + SUM + NAME
    figure = Figure(
        figsize=(UNIT_INCHES * (across + 2 * EDGE), UNIT_INCHES * (down + EDGE)), facecolor="white"
    )
    ax = bare_axes(figure, (-EDGE, across + EDGE), down, EDGE)
    for column in columns:
        if column.hidden:
            look: dict[str, Any] = {"ha": "center", "va": "center", "color": MUTED, "fontsize": 14}
            ax.text(column.middle, COUNT + tall + ARROW + SUM / 2, "⋯", **look)
        else:
            _column(ax, report, column, stacks[column.position], COUNT + tall)
    return unclipped(figure)


def _stack(uses: int) -> list[Track]:
    return tracks(shown_positions(uses, MOST_CELLS), (CELL, HOLE)) if uses else []


def _height(stack: list[Track]) -> float:
    return stack[-1].start + stack[-1].size if stack else 0.0


def _column(ax: Axes, report: Uses, column: Track, stack: list[Track], bottom: float) -> None:
    """Draw the uses of one element down to ``bottom``, the arrow, the sum and the name."""
    weights, users = report.weights[column.position], report.places[column.position]
    top = bottom - _height(stack)
    middle = column.middle
    _text(ax, (middle, top - COUNT / 2), f"×{len(weights)}", 12, MUTED, "bold")
    for cell in stack:
        if cell.hidden:
            _text(ax, (middle, top + cell.middle), "⋮", 13, MUTED)
        else:
            name = at(report.result_shape, users[cell.position], "y")
            _cell(ax, column, top + cell.start, name, _term(weights[cell.position], cell.position))
    foot = bottom + ARROW
    if stack:
        look = {"arrowstyle": "-|>", "color": LIT_EDGE, "linewidth": 2.0, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (middle, foot), (middle, bottom + 0.08), arrowprops=look)
    style: dict[str, Any] = {"facecolor": LIT_FILL, "edgecolor": LIT_EDGE, "linewidth": 2.2}
    if not stack:
        style = {"facecolor": "white", "edgecolor": FAINT, "linewidth": 1.4, "linestyle": (0, (3, 3))}
    ax.add_patch(rounded(column.start + GAP / 2, foot, COLUMN - GAP, SUM, **style))
    total = written(fsum(weights)).replace("-", "−")
    _text(ax, (middle, foot + SUM / 2), total, 17, LIT_INK if stack else MUTED, "bold")
    name = at(report.source_shape, column.position)
    _text(ax, (middle, foot + SUM + NAME / 2), name, 12, INK, family="monospace")


def _cell(ax: Axes, column: Track, top: float, name: str, term: str) -> None:
    style: dict[str, Any] = {"facecolor": PAPER, "edgecolor": MUTED, "linewidth": 1.1}
    ax.add_patch(rounded(column.start + GAP / 2, top + 0.06, COLUMN - GAP, CELL - 0.12, **style))
    _text(ax, (column.middle, top + 0.3), name, 8.5, MUTED, family="monospace")
    _text(ax, (column.middle, top + 0.76), term, 14, INK)


def _term(weight: float, place: int) -> str:
    """Return a weight as it stands in a sum."""
    sign = "−" if weight < 0 else "+" if place else ""
    return f"{sign} {written(abs(weight))}" if place else sign + written(abs(weight))


def _text(
    ax: Axes,
    place: tuple[float, float],
    text: str,
    size: float,
    colour: str,
    weight: str = "normal",
    family: str = "sans-serif",
) -> None:
    fits = fitted(text, size, (COLUMN - GAP - 0.2) * UNIT_INCHES, weight, family)
    ax.text(
        *place, text, ha="center", va="center", fontsize=fits, color=colour, fontweight=weight, family=family
    )
