"""The whole course as one booklet a language: lessons in full, answers, glossary, sources."""

import re
from collections.abc import Iterator, Sequence

from zerostride import __version__
from zerostride.course import Lesson
from zerostride.language import TRANSLATIONS, about, current, say
from zerostride.pairs.glossary import terms
from zerostride.publish.editions import Wishes
from zerostride.publish.paper.handout import answer_list, without_repeats
from zerostride.publish.paper.markup import (
    Length,
    Piece,
    document,
    literal,
    on_paper,
    opening,
    pictures_of,
    pieces,
)

COLUMNS = 72
_HEADING = re.compile(r"(?m)^==? .*$")
_GATHERED = ("sources", "scope")
_SIDES = {"a4": 40, "us-letter": 42.95}


def build(lessons: Sequence[Lesson], wishes: Wishes) -> Iterator[tuple[str, bytes]]:
    """Yield one booklet."""
    yield f"booklet.{wishes.paper}.pdf", booklet(lessons, wishes)


def booklet(lessons: Sequence[Lesson], wishes: Wishes) -> bytes:
    """Return the booklet as a PDF, in the language in use."""
    chapters = [_chosen(lesson) for lesson in lessons]
    everything = [piece for chapter in chapters for piece in chapter]
    parts = [
        _cover(everything),
        "#contents(" + literal(say("publish.contents")) + ")",
        *(_chapter(lesson, chapter, wishes) for lesson, chapter in zip(lessons, chapters, strict=True)),
        _answers(lessons, chapters) if wishes.answers == "end" else "",
        _glossary(),
        _sources(lessons, chapters),
    ]
    head = opening(
        title=say("publish.course"),
        size=wishes.paper,
        margin=Length(f"(x: {_SIDES[wishes.paper]}mm, top: 27mm, bottom: 25mm)"),
        bleed=Length("15mm"),
        text_size=Length(f"{about(current()).points}pt"),
        code_size=Length("8.2pt"),
        pages=say("publish.page", page="%p", pages="%n"),
    )
    return document(
        head + '#import "book.typ": *\n#show: book\n\n' + "\n\n".join(filter(None, parts)),
        pictures_of(everything),
    )


def _chosen(lesson: Lesson) -> list[Piece]:
    return [
        piece for piece in without_repeats(pieces(lesson, COLUMNS)) if "instructor" not in piece.cell.tags
    ]


def _cover(everything: Sequence[Piece]) -> str:
    drawn = next((piece.output for piece in everything if piece.pictures), "")
    said = (
        say("publish.course"),
        say("publish.subtitle"),
        say("publish.version", version=__version__),
        say("publish.licence"),
    )
    return f"#cover({', '.join(map(literal, said))})[{drawn}]"


def _chapter(lesson: Lesson, chapter: Sequence[Piece], wishes: Wishes) -> str:
    inline = wishes.answers == "inline"
    parts = [on_paper(piece, inline=inline) for piece in chapter if piece.cell.id not in _GATHERED]
    return f"#metadata(none) <lesson-{lesson.name[:2]}>\n" + "\n\n".join(filter(None, parts))


def _answers(lessons: Sequence[Lesson], chapters: Sequence[Sequence[Piece]]) -> str:
    parts = [f"= {say('publish.answers')}"]
    for lesson, chapter in zip(lessons, chapters, strict=True):
        parts += [f"#heading(level: 2, outlined: false, {literal(lesson.title)})", *answer_list(chapter)]
    return "\n".join(parts)


def _glossary() -> str:
    shown = [current()] if current() in TRANSLATIONS else TRANSLATIONS
    rows = [
        (
            ", ".join((term.en, *term.forms)),
            *("、".join(term.words[language]) for language in shown),
            term.means[current()],
        )
        for term in sorted(terms(), key=lambda term: term.en.lower())
    ]
    header = (say("word_list.english"), *(about(language).name for language in shown), say("publish.meaning"))
    table = f"ruled(header: {literal(header)}, rows: {literal(rows)})"
    return f"= {say('publish.glossary')}\n#text(size: 0.9em, {table})"


def _sources(lessons: Sequence[Lesson], chapters: Sequence[Sequence[Piece]]) -> str:
    gathered = {
        lesson.title: [piece for piece in chapter if piece.cell.id in _GATHERED]
        for lesson, chapter in zip(lessons, chapters, strict=True)
    }
    parts = [f"= {say('publish.sources')}", "#show: printed-links"]
    for title, found in gathered.items():
        if found:
            parts += [f"#heading(level: 2, outlined: false, {literal(title)})"]
            parts += [_HEADING.sub("", piece.source) for piece in found]
    return "\n".join(parts)
