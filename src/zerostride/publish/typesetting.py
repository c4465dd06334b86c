"""From Typst's markup to a PDF: our fonts alone, and any warning is an error."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

# What the template says when a document has more pages than it may.
TOO_MANY = "too many pages"
FONTS = ("NotoSansSC-Regular.ttf", "NotoSansSC-Bold.ttf")


class TypesettingError(RuntimeError):
    """The page cannot be set as it is written; the text is the typesetter's own."""


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
        If the markup is wrong, a font is unknown, or the standard is not kept to.
    """
    import typst

    # Nothing on a disk, which might be full. Typst's stubs do not know that it takes files by their names.
    together: Any = {"main.typ": markup.encode(), **(pictures or {})}
    fonts = typst.Fonts(False, True, [str(_fonts())])
    try:
        pdf, warnings = typst.compile_with_warnings(
            together,
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
