"""The offline page: all lessons of a language in one HTML file that asks nothing of a network."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape, unescape
from importlib.resources import files
from string import Template

from zerostride import front
from zerostride.course import Lesson
from zerostride.language import LANGUAGES, about, current, say
from zerostride.publish.editions import Wishes
from zerostride.publish.guide import guide_pages
from zerostride.publish.page.lesson import Page
from zerostride.publish.page.live import script
from zerostride.publish.prose import converted
from zerostride.quiz.panel import Panel

NAME = "zerostride.html"
_HEADING = re.compile(r'<h(?P<level>[23]) id="(?P<place>[^"]+)">(?P<words>.*?)</h(?P=level)>', re.DOTALL)
_LINKS = re.compile(r"</?a\b[^>]*>")
_CODE = re.compile("`([^`]+)`")


def build(lessons: Sequence[Lesson], wishes: Wishes) -> Iterator[tuple[str, bytes]]:
    """Yield the page in the language in use."""
    pages = {str(number): text for number, (_, text) in enumerate(guide_pages(current()), 1)}
    yield NAME, page(lessons, pages).encode()


def page(lessons: Sequence[Lesson], guide: dict[str, str] | None = None) -> str:
    """Return one page with lessons and, after them, pages for teachers.

    Parameters
    ----------
    lessons : sequence of Lesson
        In the language in use.
    guide : dict of str to str, optional
        Markdown by name; each begins with its title as a first heading.
    """
    texts = {
        f"{it.name[:2]}-{cell.id}": cell.source
        for it in lessons
        for cell in it.cells
        if cell.kind == "markdown"
    }
    texts |= {f"guide-{name}-title": text for name, text in (guide or {}).items()}
    made = Page(converted(texts, "html"), {lesson.name[:2] for lesson in lessons})
    sections = {f"lesson-{lesson.name[:2]}": made.lesson(lesson) for lesson in lessons}
    pages = {f"guide-{name}": made.text(f"guide-{name}-title") for name in guide or {}}
    return _document(sections, pages, vars(made.live))


def _document(sections: dict[str, str], pages: dict[str, str], live: dict[str, object]) -> str:
    style = _asset("page.css") + front.styles() + Panel._css
    code = script(_asset("page.js"))
    words = {name: escape(say(f"page.{name}")) for name in ("title", "lead", "skip", "contents", "lessons")}
    return Template(_asset("shell.html")).substitute(
        words,
        language=about(current()).tag,
        policy=_policy(style, code),
        style=style,
        other=" ".join(_link(language) for language in LANGUAGES if language != current()),
        how="".join(
            f"<li>{_with_code(name)}</li>" for name in ("how_predict", "how_live", "how_private", "how_lab")
        ),
        without_script=_said("without_script"),
        bar="".join(_short(name, body) for name, body in sections.items()),
        chapters="".join(_entry(name, body) for name, body in sections.items()),
        teachers=_teachers(pages),
        sections="".join(_section(name, sections | pages) for name in sections | pages),
        licence=_said("licence"),
        live=_data(live | {"scrolls": say("page.scrolls")}),
        script=code,
    )


def _link(language: str) -> str:
    tag, name = about(language).tag, escape(about(language).name)
    return f'<a href="../{language}/{NAME}" lang="{tag}" hreflang="{tag}">{name}</a>'


def _said(name: str) -> str:
    return escape(say(f"page.{name}"))


def _with_code(name: str) -> str:
    return _CODE.sub(r"<code>\1</code>", _said(name))


def _asset(name: str) -> str:
    return files("zerostride").joinpath("publish", "page", name).read_text("utf-8")


def _policy(style: str, code: str) -> str:
    """Return what the page may do: run its one script, use its one style sheet, show pictures it brings."""
    hashes = [b64encode(sha256(text.encode()).digest()).decode() for text in (style, code)]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _data(live: dict[str, object]) -> str:
    """Return JSON that no parser of HTML takes for a tag."""
    return json.dumps(live, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _title(body: str) -> str:
    found = _HEADING.search(body)
    if found is None:
        raise ValueError(body[:200])
    return _LINKS.sub("", found["words"])


def _plain(html: str) -> str:
    """Return the words alone, fit for an attribute."""
    return escape(unescape(re.sub(r"<[^>]+>", "", html)))


def _short(name: str, body: str) -> str:
    title = _plain(_title(body))
    return f'<li><a href="#{name}" title="{title}" aria-label="{title}">{int(name[-2:])}</a></li>'


def _entry(name: str, body: str) -> str:
    """Return a lesson in the contents, its sections folded."""
    headings = [found for found in _HEADING.finditer(body) if found["level"] == "3"]
    lines = "".join(f'<li><a href="#{it["place"]}">{_LINKS.sub("", it["words"])}</a></li>' for it in headings)
    title = _title(body)
    label = f"{_said('sections')}: {_plain(title)}"
    summary = f'<summary aria-label="{label}">{_said("sections")}</summary>'
    folded = f"<details>{summary}<ul>{lines}</ul></details>"
    return f'<li><a href="#{name}">{title}</a>{folded if lines else ""}</li>'


def _teachers(pages: dict[str, str]) -> str:
    entries = "".join(f'<li><a href="#{name}">{_title(body)}</a></li>' for name, body in pages.items())
    return f"<p>{_said('for_teachers')}</p><ul>{entries}</ul>" if pages else ""


def _section(name: str, every: dict[str, str]) -> str:
    names = list(every)
    at = names.index(name)
    before = f'<a rel="prev" href="#{names[at - 1]}">← {_title(every[names[at - 1]])}</a>' if at else ""
    after = (
        f'<a rel="next" href="#{names[at + 1]}">{_title(every[names[at + 1]])} →</a>'
        if at + 1 < len(names)
        else ""
    )
    label = say("page.neighbours", title=_plain(_title(every[name])))
    steps = f'<nav class="steps" aria-label="{label}">{before}{after}</nav>'
    return f'<section class="lesson" id="{name}">{every[name]}{steps}</section>'
