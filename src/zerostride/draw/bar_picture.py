"""A byte bill as bars: what is allocated filled, what is logical outlined."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from zerostride.draw.ink import (
    FAINT,
    INK,
    LIT_EDGE,
    LIT_FILL,
    MUTED,
    fitted,
    sheet,
    text_inches,
    unclipped,
)
from zerostride.language import say
from zerostride.memory import Budget

UNIT_INCHES = 0.5
LEFT, WIDE, RIGHT, LINE = 4.5, 6.5, 5.0, 0.9
LABEL = 12.0
PALE = "#7b858f"


def byte_bill(bill: Budget) -> Figure:
    """Return a figure of the lines of a bill, in true scale: a bar as long as its bytes.

    A dashed outline, ``nbytes`` long, shows logical bytes where they are others
    than the allocated ones; the last bar is the peak, the source among it.
    Lines without bytes are pale.

    Parameters
    ----------
    bill : Budget
        What ``zs.budget`` gave.

    Returns
    -------
    Figure
        For ``zs.show``; a bar for each line.

    Raises
    ------
    TypeError
        If it is no such bill.

    Examples
    --------
    >>> from zerostride.memory import budget
    >>> figure = byte_bill(budget((4, 3), "float64", (1, 3), ["shift"], learns=False))
    >>> [text.get_text() for text in figure.axes[0].texts][:3]
    ['(x.expand(4, 3) + 1)', 'source_bytes', '24 B']
    """
    if not isinstance(bill, Budget):
        raise TypeError(say("memory.no_budget", type=type(bill).__name__))
    lines = bill.lines | {"peak": (bill.peak_bytes, bill.peak_bytes)}
    down = 1.1 + len(lines) * LINE
    figure, ax = sheet((-LEFT, WIDE + RIGHT), down, UNIT_INCHES)
    size = fitted(bill.code, 13.0, (LEFT + WIDE + RIGHT - 0.4) * UNIT_INCHES, "bold", "monospace")
    ax.text(
        -LEFT + 0.2,
        0.5,
        bill.code,
        va="center",
        fontsize=size,
        fontweight="bold",
        family="monospace",
        color=INK,
    )
    longest = max(max(pair) for pair in lines.values()) or 1
    for k, (name, pair) in enumerate(lines.items()):
        _line(ax, 1.0 + k * LINE, f"{name}_bytes", pair, longest, strong=name == "peak")
    return unclipped(figure)


def _line(ax: Axes, top: float, name: str, pair: tuple[int, int], longest: int, *, strong: bool) -> None:
    logical, allocated = (WIDE * size / longest for size in pair)
    look: dict[str, Any] = {
        "va": "center",
        "fontsize": LABEL,
        "color": INK if any(pair) else PALE,
        "fontweight": "bold" if strong else "normal",
    }
    middle = top + LINE / 2
    ax.text(-0.2, middle, name, ha="right", family="monospace", **look)
    ax.plot([0, 0], [top, top + LINE], color=FAINT, linewidth=1.5)
    if pair[0] == pair[1]:
        logical = 0.0
    elif logical:
        ax.barh(middle, logical, 0.6, fill=False, edgecolor=MUTED, linewidth=1.4, linestyle=(0, (4, 3)))
    if pair[1]:
        ax.barh(middle, max(allocated, 0.02), 0.6, facecolor=LIT_FILL, edgecolor=LIT_EDGE, linewidth=1.6)
    number, outline = f"{pair[1]:,} B", f"nbytes {pair[0]:,} B" if logical else ""
    if allocated + 0.4 + text_inches(number, LABEL) / UNIT_INCHES > logical:
        # No room inside the outline.
        allocated, number, outline = max(allocated, logical), "   ".join(filter(None, (number, outline))), ""
    for text, at in ((number, allocated), (outline, logical)) if outline else ((number, allocated),):
        look["fontsize"] = fitted(text, LABEL, (WIDE + RIGHT - 0.3 - at) * UNIT_INCHES)
        ax.text(at + 0.2, middle, text, ha="left", **look)
