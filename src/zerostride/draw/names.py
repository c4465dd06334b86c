"""Names and texts of the reader's own, where the font of the pictures may lack their signs: Chinese, say."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from matplotlib.font_manager import FontProperties, findfont, get_font

from zerostride.draw.values import CUT
from zerostride.language import enumerated


@cache
def _held(family: str) -> frozenset[int]:
    font = get_font(findfont(FontProperties(family=family, weight="bold")))
    return frozenset(font.get_charmap())


def drawn_names(names: Iterable[str]) -> dict[str, str]:
    """Return what is drawn for each name: itself, or its place where the font lacks one of its signs.

    Examples
    --------
    >>> drawn_names(["source", "α", "视图"])
    {'source': 'source', 'α': 'α', '视图': '#3'}
    """
    held = _held("monospace")
    return {name: name if held.issuperset(map(ord, name)) else f"#{n}" for n, name in enumerate(names, 1)}


def key_of(drawn: Mapping[str, str]) -> str:
    """Return which name each place stands for: what the page says under the picture.

    Examples
    --------
    >>> key_of({"source": "source", "视图": "#2"})
    '#2 = 视图'
    """
    return enumerated([f"{place} = {name}" for name, place in drawn.items() if place != name])


def drawable(text: str) -> str:
    """Return a text with ``…`` for signs that the font lacks.

    Examples
    --------
    >>> drawable("12"), drawable("3月5日")
    ('12', '3…5…')
    """
    held = _held("sans-serif")
    return re.sub(f"{CUT}+", CUT, "".join(sign if ord(sign) in held else CUT for sign in text))
