"""What a text in Markdown is made of: code spans, formulas, headings, numbers, and the words between."""

import re
from dataclasses import dataclass

CODE_MARK, FORMULA_MARK = "\ue000", "\ue001"
MARKS = CODE_MARK + FORMULA_MARK

_FENCE = re.compile(r"^(```|~~~)[^\n]*\n.*?^\1[^\S\n]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_FORMULA = re.compile(
    r"\$\$.+?\$\$|(?<![\\$A-Za-z0-9])\$(?=[^\s$])[^$\n]*?(?<=[^\s\\])\$(?![\d$])", re.DOTALL
)
_HEADING = re.compile(r"^(#{1,6})\s+\S", re.MULTILINE)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)
_LINK = re.compile(
    r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)|<(?:https?|mailto):[^<>\s]*>|https?://[!-(*-~]+"
)
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])\d+(?:\.\d+)?(?![\d_])")
_THOUSANDS = re.compile(r"(?<=\d)(?:,|_|\{,\}|\\,)(?=\d{3}(?!\d))")
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_EXEMPT = re.compile(
    rf"\d{{4}}-\d\d-\d\d|(?:\d{{1,2}} )?{_MONTH}(?: \d{{1,2}},?)? \d{{4}}|\d{{4}}年"
    r"|\d+(?:\.\d+){2,}[A-Za-z0-9+]*"
    r"|(?:PyTorch|torch|NumPy|numpy|Python|Matplotlib|Jupyter[A-Za-z]*)(?: |==)?"
    r"\d+(?:\.\d+)*(?:(?:, | and |[和与、])\d+(?:\.\d+)+)*"
    r"|(?<![A-Za-z0-9&])#\d+"
)


@dataclass(frozen=True)
class Prose:
    """A Markdown text taken apart.

    Attributes
    ----------
    code, formulas : tuple of str
        What stands in code spans and fences, and between dollar signs, in order.
    headings : tuple of int
        The level of each heading, in order.
    words : str
        The text with one mark in place of each code span and each formula.

    Examples
    --------
    >>> parts = taken_apart("## Why?" + chr(10) + "Row `0` starts at $0×8$.")
    >>> parts.code, parts.formulas, parts.headings
    (('0',), ('0×8',), (2,))
    """

    code: tuple[str, ...]
    formulas: tuple[str, ...]
    headings: tuple[int, ...]
    words: str


def taken_apart(text: str) -> Prose:
    """Return the parts of a Markdown text."""
    code: list[str] = []
    formulas: list[str] = []

    def fence(match: re.Match[str]) -> str:
        code.append(match[0])
        return ""

    def span(match: re.Match[str]) -> str:
        code.append(match[2].strip())
        return CODE_MARK

    def formula(match: re.Match[str]) -> str:
        formulas.append(match[0].strip("$").strip())
        return FORMULA_MARK

    words = _FORMULA.sub(formula, _CODE.sub(span, _FENCE.sub(fence, text)))
    headings = tuple(len(match[1]) for match in _HEADING.finditer(words))
    return Prose(tuple(code), tuple(formulas), headings, words)


def without_links(words: str) -> str:
    """Return a text with the words of its links, without addresses and HTML tags.

    Examples
    --------
    >>> without_links("see [the notes](https://a.example/512) <b>now</b>")
    'see the notes now'
    """
    return _TAG.sub("", _LINK.sub(lambda match: match[1] or "", words))


def long_numbers(text: str) -> list[str]:
    """Return the numbers of three digits or more, without thousands separators.

    Links, dates, versions and thread numbers are no numbers of the course.

    Examples
    --------
    >>> long_numbers("536,870,912 bytes = 512 MiB, `(4, 3)` of float64, PyTorch 2.13.0, #1234")
    ['536870912', '512']
    """
    return [number for number in numbers(_EXEMPT.sub("", without_links(text))) if _digits(number) >= 3]


def numbers(text: str) -> list[str]:
    """Return every number of a text as it is compared: ``1,024.50`` is ``1024.5``."""
    return [_plain(found) for found in _NUMBER.findall(_THOUSANDS.sub("", text))]


def _plain(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _digits(number: str) -> int:
    return sum(sign.isdigit() for sign in number)
