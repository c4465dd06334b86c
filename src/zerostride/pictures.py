"""One figure for every reader: an image with a text alternative, vector and pixels beside it."""

import base64
import io
import re
from dataclasses import dataclass
from html import escape
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from PIL import Image

from zerostride.draw.alternatives import alt_text
from zerostride.language import say

DOTS_PER_INCH = 200
COLOURS = 48
_STABLE: dict[Any, Any] = {"svg.hashsalt": "zerostride", "svg.fonttype": "path"}
_NO_DATE = {"Date": None, "Creator": None}
_LONG_NUMBER = re.compile(r"(?<![\w.#-])-?\d+\.\d{3,}")


def show(figure: Figure, alt: Any) -> None:
    """Publish a figure with its text alternative in the language in use.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to show.
    alt : Layout, array, tensor, Report, str, a sequence of these, or a dict of arrays by name
        What the picture was drawn from, or the key of a catalogue entry; never
        the words themselves, so the alternative exists in every language. A
        dict, as for ``draw.one_ruler``, tells who shares storage as well.

    Raises
    ------
    TypeError
        If this is no figure.
    KeyError
        If a string is no key of the catalogue.

    Examples
    --------
    >>> from zerostride import Layout, draw
    >>> seen = Layout.of((4, 3), (0, 8), 8)
    >>> show(draw.side_by_side(view=seen), seen)
    Shape (4, 3), byte offset i×0 + j×8: 12 elements read 24 of 24 stored bytes,
    up to 4 of them the same bytes. The elements of every row start at bytes 0, 8, 16.
    """
    from IPython.display import display

    if not isinstance(figure, Figure):
        raise TypeError(say("draw.no_figure", type=type(figure).__name__))
    display(Picture(figure, alt_text(alt)))  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Picture:
    """A figure with its text alternative, as every kind of reader wants it."""

    figure: Figure
    alternative: str

    def __repr__(self) -> str:
        return _told(self.figure, self.alternative)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return bundle(self.figure, self.alternative)


def bundle(figure: Figure, alternative: str) -> dict[str, str]:
    """Return a figure as HTML image with its alternative, PNG, SVG and plain text."""
    key, alternative = str(figure.get_label()), _told(figure, alternative)
    pixels = base64.b64encode(png(figure)).decode()
    width = round(figure.get_figwidth() * 100)
    image = f'<img alt="{escape(alternative)}" width="{width}" src="data:image/png;base64,{pixels}">'
    image += f"<div>{escape(key)}</div>" if key else ""
    return {"text/plain": alternative, "text/html": image, "image/png": pixels, "image/svg+xml": svg(figure)}


def _told(figure: Figure, alternative: str) -> str:
    """Return the alternative, and which names are drawn as their places: the label of a figure says it."""
    return say("draw.alt_space").join(filter(None, (alternative, str(figure.get_label()))))


def png(figure: Figure) -> bytes:
    """Return the bytes of a PNG, the same on every run; few colours keep notebooks small."""
    with io.BytesIO() as drawn, io.BytesIO() as small:
        figure.savefig(drawn, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
        Image.open(drawn).convert("RGB").quantize(COLOURS).save(small, format="png", optimize=True)
        return small.getvalue()


def svg(figure: Figure) -> str:
    """Return the text of an SVG, the same on every run: no date, no font needed."""
    with io.StringIO() as file, rc_context(_STABLE):
        figure.savefig(file, format="svg", metadata=_NO_DATE)
        return _LONG_NUMBER.sub(_rounded, file.getvalue())


def _rounded(number: re.Match[str]) -> str:
    """Return a coordinate in hundredths of a point; what is smaller keeps its digits."""
    value = float(number[0])
    return number[0] if abs(value) < 1 else f"{value:.2f}".rstrip("0").rstrip(".")
