"""From Typst's markup to a PDF: our fonts alone, and any warning is an error."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from zerostride.language import about, current, say

# What the template says when a document has more pages than it may.
TOO_MANY = "too many pages"
FONTS = ("NotoSansSC-Regular.ttf", "NotoSansSC-Bold.ttf")


class TypesettingError(RuntimeError):
    """The page cannot be set as it is written; the text is the typesetter's own."""


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Put the name of what is set before the words of an error.

    Examples
    --------
    >>> with naming("handout, en"):
    ...     raise TypesettingError("overfull table")
    Traceback (most recent call last):
    ...
    zerostride.publish.paper.typesetting.TypesettingError: handout, en: overfull table
    """
    try:
        yield
    except TypesettingError as error:
        raise TypesettingError(f"{what}: {error}") from error


def typeset(markup: str, pictures: Mapping[str, bytes] | None = None, *, accessible: bool = False) -> bytes:
    """Return a tagged PDF; the same bytes for the same input, on every machine.

    Parameters
    ----------
    markup : str
        The document in Typst's language.
    pictures : mapping of str to bytes
        Files that the markup names, by their relative names.
    accessible : bool
        Whether the PDF has to keep to PDF/UA-1. Under this standard alone a
        character that is in no font is an error, as is a picture without words.

    Raises
    ------
    TypesettingError
        If the markup is wrong, a font is unknown, the standard is not kept to,
        or there is no room for temporary files.
    """
    try:
        # In a folder: Typst takes files from memory only where they are text.
        with TemporaryDirectory() as folder:
            written = {"main.typ": markup.encode(), "language.typ": _language().encode()}
            for name, content in {**written, **(pictures or {})}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            return _compiled(Path(folder), accessible)
    except OSError as error:
        raise TypesettingError(say("publish.no_room_to_set", reason=error.strerror)) from error


def _language() -> str:
    spoken = about(current())
    text, headings = map(json.dumps, spoken.fonts)
    region = json.dumps(spoken.region) if spoken.region else "none"
    return (
        f"#let (text-font, headings) = ({text}, {headings})\n"
        f'#let (language, region, wide) = ("{current()}", {region}, {json.dumps(spoken.wide)})\n'
    )


def _compiled(folder: Path, accessible: bool) -> bytes:
    import typst

    fonts = typst.Fonts(False, True, [str(_fonts())])
    try:
        pdf, warnings = typst.compile_with_warnings(
            str(folder / "main.typ"),
            root=str(folder),
            font_paths=fonts,
            ignore_system_fonts=True,
            format="pdf",
            timestamp=0,
            pdf_standards="ua-1" if accessible else "1.7",
        )
    except typst.TypstError as error:
        raise TypesettingError(str(error)) from error
    if warnings:
        raise TypesettingError("\n".join(str(warning) for warning in warnings))
    return bytes(pdf)


@cache
def _fonts() -> Path:
    return Path(str(files("zerostride").joinpath("publish", "fonts")))
