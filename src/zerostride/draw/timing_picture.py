"""Times of programs as points with their spread, peak memory beside them: never one number."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from zerostride.draw.ink import (
    FAINT,
    INK,
    LIT_EDGE,
    LIT_FILL,
    MUTED,
    SAME_EDGE,
    centred,
    fitted,
    sheet,
    unclipped,
)
from zerostride.draw.names import drawn_names
from zerostride.draw.values import CUT
from zerostride.language import say
from zerostride.memory import Timing, Timings

UNIT_INCHES = 0.5
NAMES, TIMES, BETWEEN, BYTES, RIGHT = 3.2, 8.0, 1.2, 3.0, 3.2
WIDTH = NAMES + TIMES + BETWEEN + BYTES + RIGHT
ROW, TOP, FOOT = 1.5, 0.9, 0.3
LABEL = 11.0
MOST = 12
LONGEST_NAME = 36


def timings(report: Timings) -> Figure:
    """Return a figure of the times of each program, and of its peak memory.

    A ring is one round, the first at the top; the bar is the middle half, the
    line across it the median. Under it stand median, and least..most, in ms.
    Both scales begin at 0. At the right is the peak memory beside the inputs.
    A name that the font lacks signs for is drawn as its place, ``#2``.

    Parameters
    ----------
    report : Timings
        From ``measure_time``, of at most 12 programs.

    Returns
    -------
    Figure
        For ``zs.show``; a bar for each program.

    Raises
    ------
    TypeError
        If the report is another one.
    ValueError
        If there are more programs than a picture has room for.

    Examples
    --------
    >>> report = Timings("numpy", "cpu", None, False, ((3,),), (Timing("view", (0.001, 0.002, 0.004), 96),))
    >>> [text.get_text() for text in timings(report).axes[0].texts]
    ['ms', 'new_peak_bytes', 'view', '2 (1..4) ms', '96 B']
    """
    if not isinstance(report, Timings):
        raise TypeError(say("memory.no_timings", type=type(report).__name__))
    programs = report.programs
    if len(programs) > MOST:
        raise ValueError(say("memory.too_many_programs", most=MOST, programs=len(programs)))
    down = TOP + len(programs) * ROW + FOOT
    figure, ax = sheet((-NAMES, WIDTH - NAMES), down, UNIT_INCHES)
    for at, column in ((0.0, "ms"), (TIMES + BETWEEN, "new_peak_bytes")):
        ax.text(at, TOP / 2, column, va="center", fontsize=LABEL, family="monospace", color=MUTED)
    slowest = max(max(each.seconds) for each in programs)
    names = drawn_names([each.name for each in programs])
    largest = max(each.new_peak_bytes for each in programs)
    for row, each in enumerate(programs):
        top = TOP + row * ROW
        _times(ax, top, each, names[each.name], TIMES / slowest)
        _peak(ax, top, each.new_peak_bytes, BYTES / (largest or 1))
    return unclipped(figure)


def _times(ax: Axes, top: float, timing: Timing, name: str, per_second: float) -> None:
    low, middle, high = (per_second * time for time in timing.quartiles)
    centre, tall = top + 0.45 * ROW, 0.5 * ROW
    look: dict[str, Any] = {"va": "center", "color": INK, "family": "monospace"}
    name = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}{CUT}"
    size = fitted(name, LABEL, (NAMES - 0.4) * UNIT_INCHES, family="monospace")
    ax.text(-0.25, centre, name, ha="right", fontsize=size, **look)
    ax.plot([0, 0], [top, top + 0.9 * ROW], color=FAINT, linewidth=1.5)
    ax.barh(centre, high - low, tall, left=low, facecolor=LIT_FILL, edgecolor=LIT_EDGE, linewidth=1.4)
    ax.plot([middle, middle], [centre - tall / 2, centre + tall / 2], color=LIT_EDGE, linewidth=3.0)
    rounds = len(timing.seconds)
    heights = [centre - tall / 2 + tall * (0.5 + k) / rounds for k in range(rounds)]
    rings: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": SAME_EDGE, "markersize": 4.5}
    ax.plot([per_second * time for time in timing.seconds], heights, "o", zorder=4, **rings)
    least, _, median, _, most = timing.milliseconds
    words = f"{median} ({least}..{most}) ms"
    at = min(max(middle, 2.2), TIMES - 1.6)
    centred(ax, at, top + 0.85 * ROW, words, 9.5)


def _peak(ax: Axes, top: float, peak_bytes: int, per_byte: float) -> None:
    left, centre = TIMES + BETWEEN, top + 0.45 * ROW
    ax.plot([left, left], [top, top + 0.9 * ROW], color=FAINT, linewidth=1.5)
    long = peak_bytes * per_byte
    ax.barh(
        centre, max(long, 0.02), 0.5, left=left, facecolor="white", edgecolor=MUTED, linewidth=1.4, hatch="//"
    )
    number = f"{peak_bytes:,} B"
    size = fitted(number, LABEL, (BYTES + RIGHT - long - 0.4) * UNIT_INCHES)
    ax.text(left + long + 0.2, centre, number, ha="left", va="center", fontsize=size, color=INK)
