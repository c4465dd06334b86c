"""The look of every picture: colours doubled by marks, and text that fits its room."""

from functools import cache
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyBboxPatch
from matplotlib.text import Text
from matplotlib.textpath import text_to_path

INK, MUTED, FAINT, PAPER = "#1a1f27", "#39424d", "#aab3bd", "#f6f8fa"
LIT_EDGE, LIT_FILL, LIT_INK = "#b87400", "#f8d998", "#7a4700"
SAME_EDGE, WRONG_EDGE = "#0072b2", "#a63603"

DASHED: dict[str, Any] = {
    "facecolor": "white",
    "edgecolor": MUTED,
    "linewidth": 1.4,
    "linestyle": (0, (3, 3)),
}
MARKS = ("o", "^", "s", "D", "v", "P", "X", "*", "p", "h", "<", ">")
FILLS = ("full", "none", "left")
UNREAD = "/////"
LEAST_SIZE = 5.0
_POINTS_PER_INCH = 72


def axes_inches(ax: Axes) -> float:
    """Return how wide the axes are on paper, in inches."""
    figure = ax.get_figure()
    assert figure is not None
    return float(ax.get_window_extent().width / figure.dpi)


@cache
def text_inches(text: str, size: float, weight: str = "normal", family: str = "sans-serif") -> float:
    """Return how wide a text is at a font size in points, in inches.

    Examples
    --------
    >>> text_inches("12 B", 9) < text_inches("1234 B", 9) < 1
    True
    """
    font = FontProperties(size=size, weight=weight, family=family)
    lines = text.split("\n")
    widths = [text_to_path.get_text_width_height_descent(line, font, False)[0] for line in lines]
    return float(max(widths)) / _POINTS_PER_INCH


def fitted(
    text: str, size: float, room_inches: float, weight: str = "normal", family: str = "sans-serif"
) -> float:
    """Return the font size, at most ``size``, at which a text fits the room; never unreadably small.

    Examples
    --------
    >>> fitted("12", 9, 1.0), fitted("1234567890", 9, 0.6) < 9
    (9, True)
    """
    # Small letters on a screen are as wide as whole pixels: wider than on paper.
    wide = 1.08 * text_inches(text, size, weight, family) or 1e-9
    return size if wide <= room_inches else max(LEAST_SIZE, size * room_inches / wide)


def shortened(number: str, most: int = 13) -> str:
    """Return a number of many digits without its middle ones.

    Examples
    --------
    >>> shortened("34359738368"), shortened("36893488147419103232")
    ('34359738368', '36893…03232')
    """
    return number if len(number) <= most else f"{number[:5]}…{number[-5:]}"


def bare_axes(figure: Figure, across: tuple[float, float], down: float, up: float = 0.0) -> Axes:
    """Return axes as large as the figure, without frame, counted downwards from ``-up`` to ``down``."""
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_xlim(*across)
    ax.set_ylim(down, -up)
    ax.axis("off")
    return ax


def sheet(
    across: tuple[float, float], down: float, unit_inches: float, up: float = 0.0
) -> tuple[Figure, Axes]:
    """Return a white figure and its bare axes, where one unit is so many inches across and down."""
    size = unit_inches * (across[1] - across[0]), unit_inches * (down + up)
    figure = Figure(figsize=size, facecolor="white")
    return figure, bare_axes(figure, across, down, up)


def centred(ax: Axes, x: float, y: float, text: str, size: float, colour: str = INK, **look: Any) -> Text:
    """Write a text around a place."""
    return ax.text(x, y, text, ha="center", va="center", fontsize=size, color=colour, **look)


def unclipped(figure: Figure) -> Figure:
    """Return a figure whose artists are not cut at the edge of their axes, so a smaller SVG.

    Its texts are no formulas: a name of the reader's may hold ``$``.
    """
    for artist in figure.findobj(include_self=False):
        artist.set_clip_on(False)
        if isinstance(artist, Text):
            artist.set_parse_math(False)
    return figure


def number_of_marks() -> int:
    """Return how many addresses can be told apart by shape and filling."""
    return len(MARKS) * len(FILLS)


def mark_style(number: int, colour: str, size: float) -> dict[str, Any]:
    """Return how the mark of an address is drawn: shape and filling differ, not colour."""
    shape = MARKS[number % len(MARKS)]
    return {
        "marker": shape,
        "fillstyle": FILLS[number // len(MARKS) % len(FILLS)],
        "linestyle": "none",
        "color": colour,
        "markerfacecoloralt": "white",
        "markersize": size * (1.5 if shape == "*" else 1),
        "markeredgewidth": 1.0,
        "zorder": 6,
    }


def cell_style(*, lit: bool, chosen: bool = False) -> dict[str, Any]:
    """Return fill and outline of a cell: lit cells differ in fill, colour and weight of the line."""
    if not lit:
        return {"facecolor": PAPER, "edgecolor": FAINT, "linewidth": 1.0, "zorder": 2}
    return {"facecolor": LIT_FILL, "edgecolor": LIT_EDGE, "linewidth": 3.2 if chosen else 1.8, "zorder": 3}


def rounded(
    left: float, top: float, wide: float, tall: float, radius: float = 0.13, **style: Any
) -> FancyBboxPatch:
    """Return a box with round corners."""
    return FancyBboxPatch(
        (left, top), wide, tall, boxstyle=f"round,pad=0,rounding_size={min(radius, wide / 2)}", **style
    )
