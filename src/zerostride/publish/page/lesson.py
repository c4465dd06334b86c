"""One lesson as HTML: prose, code, stored results, folded where the reader predicts or answers first."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape, unescape
from itertools import groupby
from urllib.parse import quote

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from zerostride.course import Cell, Lesson
from zerostride.language import say
from zerostride.publish.page.live import described, question, shown_explorer
from zerostride.quiz.exercises import Exercise, exercise, in_words

_STYLE = re.compile(r' style="[^"]*"')
_TABLE = re.compile(r"<table.*?</table>", re.DOTALL)
_CODE = re.compile(r'<pre class="python"><code>(.*?)</code></pre>', re.DOTALL)
_STILL = re.compile(r'<img alt="(?P<alt>[^"]*)"[^>]*>')
_LINK = re.compile(
    r'<a href="(?:\.\./(?P<language>[a-z]+)/)?(?P<lesson>\d\d)_[a-z0-9_]+\.ipynb"(?P<rest>[^>]*)>'
    r"(?P<words>.*?)</a>"
)
_WIDTHS = re.compile(r"<colgroup>.*?</colgroup>", re.DOTALL)
_FORMULA = re.compile(r'<math display="block".*?</math>', re.DOTALL)
_HEADING = re.compile(r"<(/?)h(\d)(?=[ >])")
_NOT_DRAWN = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"')
_PAPER_PIXELS = 4 / 3


@dataclass
class Live:
    """What is alive on the page, by the place where it stands."""

    explorers: dict[str, object] = field(default_factory=dict)
    questions: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """One cell and how it is shown."""

    cell: Cell
    extra: bool
    answer: bool
    folded: bool


def parts(lesson: Lesson) -> Iterator[Part]:
    """Yield the cells that a page shows; results are folded from a question to its explanation."""
    asked = False
    for cell in lesson.cells:
        if "instructor" in cell.tags:
            continue
        if cell.kind == "markdown" and re.match("#+ ", cell.source):
            asked = False
        answer = "answer" in cell.tags or cell.judges is not None
        explains = cell.id.startswith("explain-")
        yield Part(cell, "extra" in cell.tags, answer, asked and (explains or cell.kind == "code"))
        asked = cell.predicts is not None or (asked and not explains)


def is_revealed(cell: Cell) -> bool:
    """Return whether a cell asks something that the page answers; the tests before and after do not."""
    return cell.predicts is not None and cell.id.startswith("predict-")


class Page:
    """Turns cells into HTML and notes what of them is alive.

    Parameters
    ----------
    prose : mapping of str to str
        The Markdown cells as HTML, by ``place``.
    numbers : set of str
        Lessons that stand on the page; links to others become plain words.
    """

    def __init__(self, prose: Mapping[str, str], numbers: set[str]) -> None:
        self.prose, self.numbers = prose, numbers
        self.live = Live()
        self._stills: dict[str, str] = {}

    def lesson(self, lesson: Lesson) -> str:
        """Return the cells of a lesson as HTML."""
        self._stills = {}
        number, made = lesson.name[:2], []
        for extra, some in groupby(parts(lesson), key=lambda part: part.extra):
            inside = "".join(
                self._answers(number, answer, list(few))
                for answer, few in groupby(some, key=lambda part: part.answer)
            )
            made.append(
                f'<div class="extra"><p class="mark">{_say("page.extra")}</p>{inside}</div>'
                if extra
                else inside
            )
        return "".join(made)

    def _answers(self, number: str, answer: bool, some: list[Part]) -> str:
        inside = "".join(self._cell(number, part) for part in some)
        if not answer:
            return inside
        judged = any(part.cell.judges for part in some)
        told = f'<p class="judged">{_say("page.judged")}</p>' if judged else ""
        return told + _folded("answer", "page.answer", inside)

    def _cell(self, number: str, part: Part) -> str:
        cell, place = part.cell, f"{number}-{part.cell.id}"
        if cell.kind == "markdown":
            return _folded("why", "page.why", self.text(place)) if part.folded else self.text(place)
        if cell.predicts:
            return self._question(place, exercise(cell.predicts, "predict"), reveals=is_revealed(cell))
        results = "".join(self._result(place, cell, bundle) for bundle in cell.outputs)
        shown = _folded("result", "page.run", results) if part.folded and results else results
        return f'<div class="cell" id="{place}">{code(cell.source)}{shown}</div>'

    def text(self, place: str) -> str:
        """Return a Markdown cell: headings one level down with an anchor, links to places on the page."""
        made = _HEADING.sub(lambda found: f"<{found[1]}h{int(found[2]) + 1}", self.prose[place])
        made = re.sub(r"<h(\d)", rf'<h\1 id="{place}"', made, count=1)
        made = _WIDTHS.sub("", made).replace("<th></th>", "<td></td>")
        made = _FORMULA.sub(rf'<span class="wide" {_reachable()}>\g<0></span>', made)
        made = _CODE.sub(lambda found: code(unescape(found[1])), made)
        made = made.replace('<a href="http', '<a rel="noopener noreferrer" href="http')
        return _wide_tables(_LINK.sub(self._link, made))

    def _link(self, found: re.Match[str]) -> str:
        if found["language"]:
            return f'<a href="../{found["language"]}/zerostride.html"{found["rest"]}>{found["words"]}</a>'
        if found["lesson"] in self.numbers:
            return f'<a href="#lesson-{found["lesson"]}"{found["rest"]}>{found["words"]}</a>'
        return found["words"]

    def _question(self, place: str, asked: Exercise, *, reveals: bool) -> str:
        self.live.questions[place] = question(asked, reveals=reveals)
        choices = "".join(f"<li>{escape(in_words(choice.text))}</li>" for choice in asked.choices)
        still = f'<p class="asked">{escape(in_words(asked.question))}</p><ol class="choices">{choices}</ol>'
        if reveals:
            still += _folded("answer", "page.explained", _explained(asked))
        still = f'<div class="still">{still}</div>'
        return f'<div class="cell question" data-question="{place}" id="{place}">{still}</div>'

    def _result(self, place: str, cell: Cell, bundle: Mapping[str, str]) -> str:
        if "image/svg+xml" in bundle:
            explorer = shown_explorer(cell.source)
            return (
                self._picture(place, bundle)
                if explorer is None
                else self._explorer(place, bundle, described(explorer))
            )
        if "text/html" in bundle:
            return f'<div class="out">{_wide_tables(bundle["text/html"])}</div>'
        return f'<pre class="out"><samp>{escape(bundle["text/plain"])}</samp></pre>'

    def _picture(self, place: str, bundle: Mapping[str, str]) -> str:
        drawn, html = bundle["image/svg+xml"], bundle["text/html"]
        found = _STILL.search(html)
        alt = unescape(found["alt"]) if found else bundle["text/plain"]
        self._stills.setdefault(drawn, place)
        beside = _wide_tables(_STILL.sub("", html))
        return f'<figure>{picture(drawn, alt)}</figure><div class="out">{beside}</div>'

    def _explorer(self, place: str, bundle: Mapping[str, str], explorer: dict[str, object]) -> str:
        self.live.explorers[place] = explorer
        drawn = bundle["image/svg+xml"]
        still = f"<figure>{picture(drawn, bundle['text/plain'])}</figure>"
        if drawn in self._stills:
            still = f'<p><a href="#{self._stills[drawn]}">{_say("page.still_above")}</a></p>'
        return f'<div class="explorer" data-explorer="{place}"><div class="still">{still}</div></div>'


def code(source: str) -> str:
    """Return Python as highlighted HTML.

    Examples
    --------
    >>> code("<")
    '<pre class="source"><code><span class="o">&lt;</span></code></pre>'
    """
    inside = highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)).rstrip("\n")
    return f'<pre class="source"><code>{inside}</code></pre>'


def picture(drawn: str, alt: str) -> str:
    """Return an SVG inside the page, at its own size, with its text alternative."""
    wide, high = (round(float(size) * _PAPER_PIXELS) for size in _size(drawn))
    source = quote(_lean(drawn).replace('"', "'"), safe=" ='/:;,()!*+?&[]|^`{}@$~")
    return f'<img alt="{escape(alt)}" width="{wide}" height="{high}" src="data:image/svg+xml,{source}">'


def _lean(drawn: str) -> str:
    """Return the same drawing without what draws nothing: comments, blanks, names that nothing calls."""
    called = set(re.findall(r"#([\w-]+)", drawn))
    lean = re.sub(r"\s+", " ", _NOT_DRAWN.sub("", drawn)).replace("> <", "><").strip()
    lean = re.sub(r' id="([\w-]+)"', lambda found: found[0] if found[1] in called else "", lean)
    lean = re.sub(r'(?<= d=")[^"]+', lambda path: re.sub(r" ?([A-Za-z]) ?", r"\1", path[0]), lean)
    return re.sub(r'(?<= style=")[^"]+', lambda style: re.sub(r"([:;]) ", r"\1", style[0]), lean)


def _size(drawn: str) -> tuple[str, str]:
    found = _SIZE.search(drawn)
    if found is None:
        raise ValueError(drawn[:200])
    return found[1], found[2]


def _explained(asked: Exercise) -> str:
    """Return the right choice with its reason, and what is behind each wrong one."""
    wrong = asked.lettered
    right = wrong.pop(asked.right_letter)
    lines = [f"{asked.right_letter}. {in_words(right.text)}", in_words(asked.why)]
    lines += [f"{letter}. {in_words(each.misconception)}" for letter, each in wrong.items()]
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def _wide_tables(html: str) -> str:
    """Put each table in a box of its own, which scrolls where the page is narrow; no styles of its own."""
    plain = _STYLE.sub(lambda found: ' class="unbroken"' if "nowrap" in found[0] else "", html)
    return _TABLE.sub(r'<div class="wide">\g<0></div>', plain)


def _reachable() -> str:
    """Return how a box that cannot be broken is reached by keyboard; a script takes it back where it fits."""
    return f'tabindex="0" role="group" aria-label="{_say("page.scrolls")}"'


def _folded(kind: str, key: str, inside: str) -> str:
    return f'<details class="{kind}"><summary>{escape(say(key))}</summary>{inside}</details>'


def _say(key: str) -> str:
    return escape(say(key))
