"""One figure for every reader: an image with a text alternative, vector and pixels beside it."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from PIL import Image

from zerostride.arithmetic import byte_offsets
from zerostride.language import enumerated, say
from zerostride.layouts import Layout, layout
from zerostride.reports import Report

DOTS_PER_INCH = 200
COLOURS = 48
_STABLE: dict[Any, Any] = {"svg.hashsalt": "zerostride", "svg.fonttype": "path"}
_NO_DATE = {"Date": None, "Creator": None}


def show(figure: Figure, alt: Any) -> None:
    """Publish a figure with its text alternative in the language in use.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to show.
    alt : Layout, array, tensor, Report, str or a sequence of these
        What the picture was drawn from, or the key of a catalogue entry; never
        the words themselves, so the alternative exists in every language.

    Raises
    ------
    KeyError
        If a string is no key of the catalogue.

    Examples
    --------
    >>> from zerostride import draw
    >>> seen = Layout.of((4, 3), (0, 8), 8)
    >>> show(draw.side_by_side(view=seen), seen)
    Shape (4, 3), byte offset i×0 + j×8: 12 elements read 24 of 24 stored bytes,
    up to 4 of them the same bytes. The elements of every row start at bytes 0, 8, 16.
    """
    from IPython.display import display

    display(Picture(figure, alt_text(alt)))  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Picture:
    """A figure with its text alternative, as every kind of reader wants it."""

    figure: Figure
    alternative: str

    def __repr__(self) -> str:
        return self.alternative

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return bundle(self.figure, self.alternative)


def bundle(figure: Figure, alternative: str) -> dict[str, str]:
    """Return a figure as HTML image with its alternative, PNG, SVG and plain text."""
    pixels = base64.b64encode(png(figure)).decode()
    width = round(figure.get_figwidth() * 100)
    image = f'<img alt="{escape(alternative)}" width="{width}" src="data:image/png;base64,{pixels}">'
    return {"text/plain": alternative, "text/html": image, "image/png": pixels, "image/svg+xml": svg(figure)}


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
        return file.getvalue()


def alt_text(alt: Any) -> str:
    """Return in words what a picture of these layouts, reports or catalogue keys shows."""
    if isinstance(alt, str):
        return say(alt)
    if isinstance(alt, Sequence):
        return " ".join(alt_text(each) for each in alt)
    if isinstance(alt, Report) and not isinstance(alt, Layout):
        return str(alt)
    return _layout_in_words(layout(alt))


def _layout_in_words(seen: Layout) -> str:
    words = say(
        "draw.alt_layout",
        shape=seen.shape,
        formula=seen.formula,
        size=seen.size,
        touched=seen.touched_bytes,
        storage=seen.storage_bytes,
        shared=say("draw.alt_shared", aliases=seen.most_aliases)
        if seen.overlaps
        else say("draw.alt_not_shared"),
    )
    if seen.ndim != 2 or not 0 < seen.size <= 64:
        return words
    rows = byte_offsets(seen.shape, seen.strides_bytes, seen.storage_offset_bytes).tolist()
    listed = [enumerated(row) for row in rows]
    if len(rows) > 1 and len(set(listed)) == 1:
        return words + say("draw.alt_every_row", offsets=listed[0])
    return words + say("draw.alt_rows", rows=" / ".join(listed))
