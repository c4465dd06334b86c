"""Slides for the projector, and notes for who speaks: two PDFs a lesson."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files

from zerostride.course import Cell, Lesson
from zerostride.language import say
from zerostride.publish.editions import Wishes
from zerostride.publish.paper.markup import linked, literal
from zerostride.publish.paper.typesetting import naming, typeset
from zerostride.publish.prose import converted
from zerostride.publish.slides.groups import LINE, Slide, slides_of
from zerostride.publish.slides.notes import notes_markup, notes_of
from zerostride.publish.slides.reports import report
from zerostride.publish.slides.text import (
    is_mission,
    mission,
    on_slide,
    opening,
    paragraphs,
    without_local_links,
)
from zerostride.publish.stored import StoredPicture, is_explorer, stored_picture
from zerostride.quiz.exercises import exercise, in_words
from zerostride.reports import display_width

_ALONE, _WITH_MORE, _WITH_PICTURE = 420, 200, 110


def build(lessons: Sequence[Lesson], wishes: Wishes) -> Iterator[tuple[str, bytes]]:
    """Yield a deck of slides for every lesson, and its notes."""
    decks = [(lesson, slides_of(lesson)) for lesson in lessons]
    said = {text for _, slides in decks for slide in slides for text in (slide.heading, shown_prose(slide))}
    said |= {text for deck in decks for entry in notes_of(*deck) for _, text in entry}
    words = in_typst(said)
    for lesson, slides in decks:
        with naming(lesson.name):
            deck = compiled_deck(lesson, slides, words)
            notes = compiled_notes(lesson, slides, words, deck)
        yield f"slides/{lesson.name}.pdf", deck
        yield f"slides/{lesson.name}.notes.pdf", notes


def compiled_notes(lesson: Lesson, slides: Sequence[Slide], words: dict[str, str], deck: bytes) -> bytes:
    """Return the notes of a deck as a PDF, each of its pages beside what to say."""
    # PDF/UA-1 does not take pages of another PDF: everything else is held to it first.
    typeset(notes_markup(lesson, slides, words, small=False), _template("notes"), accessible=True)
    return typeset(notes_markup(lesson, slides, words), {**_template("notes"), "deck.pdf": deck})


def in_typst(texts: Iterable[str]) -> dict[str, str]:
    """Return Typst's markup of every Markdown text."""
    made = converted({text: text for text in sorted(texts)}, "typst")
    return {text: linked(markup) for text, markup in made.items()}


def compiled_deck(lesson: Lesson, slides: Sequence[Slide], words: dict[str, str]) -> bytes:
    """Return a deck as a PDF; what does not fit on its slide is an error."""
    files = {**_template("slides"), **_pictures(slides)}
    return typeset(deck_markup(lesson, slides, words), files, accessible=True)


def _template(name: str) -> dict[str, bytes]:
    rooms = {f"{name}.typ": "slides", "paper.typ": "paper"}
    folder = files("zerostride.publish")
    return {file: folder.joinpath(room, file).read_bytes() for file, room in rooms.items()}


def _pictures(slides: Sequence[Slide]) -> dict[str, bytes]:
    shown = [part.cell for slide in slides for part in slide.parts if part.what == "picture"]
    return {f"{cell.id}.svg": _drawn(cell).svg.encode() for cell in shown}


def _drawn(cell: Cell) -> StoredPicture:
    [drawn] = filter(None, map(stored_picture, cell.outputs))
    return drawn


def shown_prose(slide: Slide) -> str:
    """Return the Markdown that a slide shows of its cells' prose."""
    told = [part.cell for part in slide.parts if part.what == "prose"]
    if not told:
        return ""
    if slide.kind == "title":
        return opening(paragraphs(told[0].source)[0], _WITH_MORE)
    if slide.kind == "picture":
        missions = [cell.source for cell in told if is_mission(cell.source)]
        live = missions and any(map(is_explorer, slide.parts[-1].cell.outputs))
        first = mission(missions[0]) if live else opening(paragraphs(told[0].source)[0], _WITH_PICTURE)
        return without_local_links(first)
    alone = len(slide.parts) == 1
    return on_slide(told[0].source, _ALONE if alone else _WITH_MORE, alone)


def deck_markup(lesson: Lesson, slides: Sequence[Slide], words: dict[str, str]) -> str:
    """Return a deck in Typst's language."""
    title = _content(words[lesson.title])
    pages = [_page(slide, number, title, words) for number, slide in enumerate(slides, 1)]
    head = f"#show: deck.with(title: {title})"
    return "\n".join(['#import "slides.typ": *', head, *pages])


def _page(slide: Slide, number: int, title: str, words: dict[str, str]) -> str:
    about = f"{title}, {number}, {_content(words[slide.heading])}"
    if slide.kind == "title":
        return f"#cover({about}, {_content(words[shown_prose(slide)])})"
    return f"#slide({about}, {literal(slide.opens)}, {_body(slide, number, words)})"


def _body(slide: Slide, number: int, words: dict[str, str]) -> str:
    prose = _content(words[shown_prose(slide)])
    match slide.kind:
        case "poll":
            return _poll(slide, number)
        case "picture":
            cell = slide.parts[-1].cell
            drawn = _drawn(cell)
            named = ", ".join(map(literal, (f"{cell.id}.svg", drawn.alt, drawn.key)))
            return f"picture({number}, {prose}, {named})"
    reports = [report(output["text/html"]) for output in _outputs(slide) if "text/html" in output]
    content = "{\n" + "\n".join(_parts(slide, prose, [shown for shown, _ in reports])) + "\n}"
    if not reports:
        return f"fitted({number}, {content}{', most: 22pt' if '#prose-table(' in prose else ''})"
    return f"fitted-report({number}, {max(lines for _, lines in reports)}, kept => {content})"


def _outputs(slide: Slide) -> list[dict[str, str]]:
    return [output for part in slide.parts if part.what == "output" for output in part.cell.outputs]


def _parts(slide: Slide, prose: str, reports: list[str]) -> Iterator[str]:
    following = iter(reports)
    widest = max((_columns(part.code) for part in slide.parts if part.code), default=1)
    for part in slide.parts:
        if part.what == "prose":
            yield prose
        elif part.what == "code":
            yield f"code({literal(part.code)}, {widest})"
        else:
            for output in part.cell.outputs:
                yield next(following) if "text/html" in output else _output(output["text/plain"])
    if slide.exercise:
        yield _answer(slide)


def _output(plain: str) -> str:
    return f"output({literal(plain)}, {min(LINE, _columns(plain))})"


def _columns(text: str) -> int:
    return max(map(display_width, text.splitlines()))


def _poll(slide: Slide, number: int) -> str:
    asked = exercise(slide.exercise, "predict")
    choices = "".join(f"{literal(in_words(choice.text))}, " for choice in asked.choices)
    return (
        f"poll({number}, {literal(in_words(asked.question))}, ({choices}), {literal(say('publish.steps'))})"
    )


def _answer(slide: Slide) -> str:
    asked = exercise(slide.exercise, "predict")
    letter = asked.right_letter
    right = literal(in_words(asked.lettered[letter].text))
    return f'answered("{letter}", {right}, {literal(in_words(asked.why))})'


def _content(markup: str) -> str:
    return f"[{markup}]"
