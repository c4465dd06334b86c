"""Tables that a terminal, a notebook and a program can read."""

import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import accumulate, chain, zip_longest
from unicodedata import category, east_asian_width

_LEFT = "text-align:left"
_UNBROKEN = ";white-space:nowrap"
_PLAIN = ";font-weight:normal"
# As wide as its words: otherwise a narrow table breaks a long question into many lines. An untrusted
# notebook in JupyterLab keeps the first width alone, a guess by the number of signs.
_CAPTION = 'style="text-align:left;width:{}em;width:max-content;max-width:min(45em,90vw)"'
_LONGEST_NAME, _LONGEST_WORD = 24, 12
_GBK = str.maketrans({"×": "*", "−": "-"})
# A narrow terminal breaks lines between words, and anywhere in wide characters but before what closes.
_WORD = re.compile(r"\s+|[⺀-鿿！-～][，。、；：？！）》”]*|[^\s⺀-鿿！-～]+")
_NARROWEST = 8


@dataclass(frozen=True)
class Table:
    """Rows of shown words, with an optional header, caption and notes below.

    Examples
    --------
    >>> print(Table([("shape", "(4, 3)"), ("形状", "(4, 3)")]).text())
    shape  (4, 3)
    形状   (4, 3)
    """

    rows: Sequence[Sequence[str]]
    header: Sequence[str] = ()
    notes: Sequence[str] = ()
    caption: str = ""

    def text(self, width: int | None = None) -> str:
        """Return aligned columns for a terminal, if need be of so many columns; all characters are in GBK."""
        width = width or sys.maxsize
        lines = [self.header, *self.rows] if self.header else list(self.rows)
        cells = [list(map(_typed, line)) for line in lines]
        widths = _narrowed(cells, width)
        shown = [_aligned(line, widths) for line in cells]
        if self.header:
            shown.insert(1, ["  ".join("-" * each for each in widths)])
        caption = [_wrapped(_typed(self.caption), width)] if self.caption else []
        notes = [_wrapped(_typed(note), width) for note in self.notes]
        return "\n".join(chain(*caption, *shown, *notes))

    def html(self) -> str:
        """Return the same words as an HTML table; every cell is escaped, the first one of a row names it."""
        head = _html_caption(self.caption) if self.caption else ""
        if self.header:
            head += "<thead>" + html_row(map(escape, self.header), header=True) + "</thead>"
        body = "".join(html_row(map(escape, row)) for row in self.rows)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<table>{head}<tbody>{body}</tbody></table>{notes}"


class Report:
    """An answer that prints aligned text and renders as HTML in a notebook."""

    def table(self) -> Table:
        """Return the answer as rows of words in the language in use."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, object]:
        """Return the answer as plain data, the same in every language."""
        raise NotImplementedError

    def to_text(self, width: int | None = None) -> str:
        """Return the answer as aligned text, in lines of at most so many columns where a width is given."""
        return self.table().text(width)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.table().html()


def columns() -> int | None:
    """Return how wide the terminal is that reads what is printed; None where a file or a program reads it."""
    return shutil.get_terminal_size().columns if sys.stdout and sys.stdout.isatty() else None


def display_width(text: str) -> int:
    """Return how many terminal columns a text takes; wide characters take two, marks on a character none.

    Examples
    --------
    >>> display_width("stride"), display_width("步长")
    (6, 4)
    """
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(sign: str) -> int:
    return 0 if category(sign) in ("Mn", "Me") else 2 if east_asian_width(sign) in "WF" else 1


def printable(text: str) -> str:
    r"""Return a text in which no sign can drive a terminal, turn its direction or break a line.

    Examples
    --------
    >>> print(printable("a" + chr(27) + "[31m"))
    a\x1b[31m
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def html_row(cells: Iterable[str], *, header: bool = False) -> str:
    """Return cells of HTML as a row of a table: heads of columns, or cells of which the first names the row.

    Examples
    --------
    >>> html_row(["why"])
    '<tr><td style="text-align:left;white-space:nowrap">why</td></tr>'
    """
    first, *others = cells
    one = _html_cell(first, "col" if header else "row" if others else "", _unbroken(first, _LONGEST_NAME))
    more = [_html_cell(cell, "col" if header else "", _unbroken_word(cell)) for cell in others]
    return "<tr>" + "".join([one, *more]) + "</tr>"


def _html_caption(caption: str) -> str:
    lines = caption.split("\n")
    width = min(1 + max(map(display_width, lines)) * 3 // 5, 45)
    return f"<caption {_CAPTION.format(width)}>{'<br>'.join(map(escape, lines))}</caption>"


def _unbroken(cell: str, longest: int) -> str:
    return _UNBROKEN if display_width(unescape(cell)) <= longest else ""


def _unbroken_word(cell: str) -> str:
    # Words in wide characters would be broken anywhere, others only between words.
    return _unbroken(cell, _LONGEST_WORD) if display_width(cell) > len(cell) else ""


def _visible(sign: str) -> str:
    return repr(sign)[1:-1] if category(sign)[0] == "C" or category(sign) in ("Zl", "Zp") else sign


def _typed(text: str) -> str:
    return "\n".join(map(printable, text.translate(_GBK).split("\n")))


def _narrowed(lines: list[list[str]], width: int) -> list[int]:
    """Return widths of columns that fit side by side: the widest are cut, words only at last."""
    columns = list(zip(*lines, strict=True))
    widths = [max(map(display_width, column)) for column in columns]
    if sum(widths) + 2 * (len(widths) - 1) <= width:
        return widths
    words = [max(map(display_width, _WORD.findall(" ".join(column))), default=0) for column in columns]
    for least in (words, [_NARROWEST] * len(columns)):
        while sum(widths) + 2 * (len(widths) - 1) > width:
            wide = [at for at, each in enumerate(widths) if each > least[at]]
            if not wide:
                break
            widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _aligned(cells: list[str], widths: list[int]) -> list[str]:
    """Return the lines of a row; a cell that is wider than its column goes on below."""
    parts = zip_longest(*map(_wrapped, cells, widths), fillvalue="")
    return ["  ".join(map(_padded, part, widths)).rstrip() for part in parts]


def _wrapped(text: str, width: int) -> list[str]:
    return [line for part in text.split("\n") for line in _wrapped_line(part, width)]


def _wrapped_line(text: str, width: int) -> list[str]:
    if display_width(text) <= width:
        return [text]
    lines = [""]
    for word in _WORD.findall(text.rstrip()):
        if display_width(lines[-1] + word) > width:
            lines = [*lines, ""] if lines[-1].strip() else [*lines[:-1], ""]
            word = word.lstrip()
        while display_width(word) > width and len(word) > 1:
            head = max(1, sum(each <= width for each in accumulate(map(display_width, word))))
            lines[-1:] = [word[:head], ""]
            word = word[head:]
        lines[-1] += word
    return [line.rstrip() for line in lines]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - display_width(text))


def _html_cell(cell: str, scope: str, style: str = "") -> str:
    if not (scope and cell):
        return f'<td style="{_LEFT}{style}">{cell}</td>'
    plain = _PLAIN if scope == "row" else ""
    return f'<th scope="{scope}" style="{_LEFT}{style}{plain}">{cell}</th>'
