"""What is stored in a lesson's outputs, read back: tables of reports and pictures."""

import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser

PICTURE, _WIDGET = "image/svg+xml", "application/vnd.jupyter.widget-view+json"
_KEY = re.compile(r"<div>(.*?)</div>\s*$")
_WIDTH = re.compile(r'<svg\b[^>]*?\bwidth="([\d.]+)pt"')


@dataclass
class StoredTable:
    """A table of a report, as its HTML shows it; code stands between backticks."""

    caption: str = ""
    header: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[StoredTable] = []
        self.text = self.title = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "table":
            self.tables.append(StoredTable(caption=self.title))
            self.title = ""
        elif tag == "tr":
            self.tables[-1].rows.append([])
        elif tag == "br":
            self.text += "\n"
        elif tag == "code":
            self.text += "`"
        if tag not in ("br", "code", "strong"):
            self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "summary":
            self.title = self.text
        elif tag == "code":
            self.text += "`"
        elif self.tables:
            self._ended(tag, self.tables[-1])

    def _ended(self, tag: str, table: StoredTable) -> None:
        if tag in ("td", "th"):
            table.rows[-1].append(self.text)
        elif tag == "thead":
            table.header = table.rows.pop()
        elif tag == "caption":
            table.caption = self.text
        elif tag == "p":
            table.notes.append(self.text)


def stored_tables(html: str) -> list[StoredTable]:
    """Return the tables of a report in their order; a summary above one is its caption.

    Examples
    --------
    >>> [table] = stored_tables("<table><tr><td>result</td><td>right</td></tr></table><p>So.</p>")
    >>> table.rows, table.notes
    ([['result', 'right']], ['So.'])
    """
    reader = _Reader()
    reader.feed(html)
    return reader.tables


def is_explorer(output: dict[str, str]) -> bool:
    """Return whether a mime bundle is that of a live drawing.

    Examples
    --------
    >>> is_explorer({"image/svg+xml": "<svg></svg>"})
    False
    """
    return PICTURE in output and _WIDGET in output


@dataclass(frozen=True)
class StoredPicture:
    """A picture: its drawing, its text alternative, its width in points, and the names it abbreviates."""

    svg: str
    alt: str
    width: float
    key: str


def stored_picture(output: dict[str, str]) -> StoredPicture | None:
    """Return the picture of a mime bundle, where it holds one.

    Examples
    --------
    >>> stored_picture({"image/svg+xml": '<svg width="72pt"></svg>', "text/plain": "Three rows."}).width
    72.0
    """
    svg = output.get(PICTURE)
    if svg is None:
        return None
    width, key = _WIDTH.search(svg), _KEY.search(output.get("text/html", ""))
    if width is None:
        raise ValueError(svg[:200])
    return StoredPicture(svg, output["text/plain"], float(width[1]), unescape(key[1]) if key else "")
