"""A row above the rows made from it: which element of the source each copied element came from."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from zerostride.draw.ink import (
    INK,
    LEAST_SIZE,
    LIT_FILL,
    MUTED,
    PAPER,
    centred,
    fitted,
    mark_style,
    sheet,
    text_inches,
    unclipped,
)
from zerostride.draw.names import drawable, drawn_names, key_of
from zerostride.draw.values import exact, fitting_word, plain
from zerostride.language import say
from zerostride.layouts import Layout, layout

UNIT_INCHES, CELL, GAP, WIDE = 0.42, 1.0, 0.4, 2.0
NAME = 12.0
MOST_ELEMENTS = 12
TINTS = (PAPER, LIT_FILL, "#b9cfe4")


def origins(**named: Any) -> Figure:
    """Return a figure of a row above the rows made from it: equal marks came from one element of the first.

    Parameters
    ----------
    **named : numpy.ndarray or torch.Tensor
        First the source, whose values differ, then what was made from them:
        each with one axis of 1 to 12 elements.

    Returns
    -------
    Figure
        For ``zs.show``; a mark for each element of the source.

    Raises
    ------
    TypeError
        If something is no array.
    ValueError
        If one of them is no such row, or holds a value that the source lacks.

    Examples
    --------
    >>> import numpy as np
    >>> row = np.array([1, 2, 3])
    >>> figure = origins(row=row, tile=np.tile(row, 2), repeat=np.repeat(row, 2))
    >>> "".join(text.get_text() for text in figure.axes[0].texts if text.get_text() in "123")
    '123123123112233'
    """
    rows = {name: _values(x) for name, x in named.items()}
    source = [exact(value) for value in next(iter(rows.values()), [])]
    held = {exact(value) for row in rows.values() for value in row}
    if not all(rows.values()) or len(set(source)) < len(source) or held - set(source) or not source:
        raise ValueError(say("draw.no_origins", most=MOST_ELEMENTS))
    names = drawn_names(rows)
    left = max(text_inches(name, NAME, "bold", "monospace") for name in names.values()) / UNIT_INCHES + 0.6
    across, tall = WIDE * max(map(len, rows.values())), len(rows) * (CELL + GAP) - GAP
    figure, ax = sheet((-left, across + 0.2), tall + 0.2, UNIT_INCHES, up=0.2)
    figure.set_label(key_of(names))
    for number, (name, row) in enumerate(rows.items()):
        top = number * (CELL + GAP)
        look: dict[str, Any] = {"fontsize": NAME, "fontweight": "bold", "family": "monospace", "color": INK}
        ax.text(-0.3, top + CELL / 2, names[name], ha="right", va="center", **look)
        for place, value in enumerate(row):
            _cell(ax, (WIDE * place, top), value, source.index(exact(value)))
    return unclipped(figure)


def _values(x: Any) -> list[Any]:
    """Return the values of a row, none where it is no row of one axis, or too long."""
    seen = layout(x)
    if seen.ndim != 1 or seen.size > MOST_ELEMENTS or isinstance(x, Layout) or not hasattr(x, "shape"):
        return []
    return [plain(x[place]) for place in range(seen.size)]


def _cell(ax: Axes, corner: tuple[float, float], value: Any, origin: int) -> None:
    """Draw a copied element with mark and tint of the element that it came from."""
    (left, top), room = corner, 0.5 * WIDE * UNIT_INCHES
    tint = TINTS[origin % len(TINTS)]
    ax.add_patch(Rectangle((left, top), WIDE, CELL, fc=tint, ec=MUTED, lw=1.2, zorder=2))
    ax.plot([left + WIDE * 0.26], [top + CELL / 2], **mark_style(origin, INK, 7.5))
    shown = drawable(value) if isinstance(value, str) else value
    text = fitting_word(shown, lambda word: fitted(word, 14, room) > LEAST_SIZE)
    centred(ax, left + WIDE * 0.65, top + CELL / 2, text, fitted(text, 14, room), zorder=5)
