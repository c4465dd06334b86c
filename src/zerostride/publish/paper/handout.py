"""A handout per lesson: its core on at most four pages, with room for the learner's own answers."""

from collections.abc import Iterator, Sequence

from zerostride.course import Lesson
from zerostride.language import say
from zerostride.publish.editions import Wishes
from zerostride.publish.paper.markup import (
    Length,
    Piece,
    first_that_fits,
    on_paper,
    opening,
    pictures_of,
    pieces,
)
from zerostride.publish.paper.typesetting import naming

COLUMNS = 57
PAGES = 4
# Points of the body and how much air stays: the first at which a lesson fits.
SIZES = ((9, 1.0), (8.75, 0.9), (8.5, 0.7), (8.5, 0.5))
_SHEETS = {
    "a4": {"margin": Length("(x: 14mm, top: 19mm, bottom: 16mm)")},
    "us-letter": {"margin": Length("(x: 14mm, top: 17mm, bottom: 14mm)")},
}


def build(lessons: Sequence[Lesson], wishes: Wishes) -> Iterator[tuple[str, bytes]]:
    """Yield the handout of every lesson."""
    for lesson in lessons:
        with naming(lesson.name):
            made = handout(lesson, wishes)
        yield f"handouts/{lesson.name}.{wishes.paper}.pdf", made


def handout(lesson: Lesson, wishes: Wishes) -> bytes:
    """Return one handout as a PDF, in the language in use.

    Raises
    ------
    TypesettingError
        If it takes more than four pages.
    """
    ids = {cell.id for cell in lesson.core}
    chosen = [piece for piece in without_repeats(pieces(lesson, COLUMNS)) if piece.cell.id in ids]
    parts = [_set(piece, inline=wishes.answers == "inline") for piece in chosen]
    if wishes.answers == "end":
        parts += [f"== {say('publish.answers')}", *answer_list(chosen)]
    openings = (_opening(lesson, wishes, points, air) for points, air in SIZES)
    return first_that_fits(openings, "\n\n".join(filter(None, parts)), pictures_of(chosen))


def _opening(lesson: Lesson, wishes: Wishes, points: float, air: float) -> str:
    return opening(
        title=lesson.title,
        size=wishes.paper,
        columns=2,
        text_size=Length(f"{points}pt"),
        code_size=Length(f"{points * 7 / 9}pt"),
        head=(say("publish.course"), lesson.title),
        pages=say("publish.page", page="%p", pages="%n"),
        air=air,
        most=PAGES,
        **_SHEETS[wishes.paper],
    )


def answer_list(chosen: Sequence[Piece]) -> list[str]:
    """Return the markup of every answer among the pieces, numbered, with the judge's reasons."""
    code = [piece.answer for piece in chosen if piece.kind == "answer"]
    why = [piece.output for piece in chosen if piece.kind == "judge"]
    return [
        f"#answer({number})[{answer}][{reason}]"
        for number, (answer, reason) in enumerate(zip(code, why, strict=True), 1)
    ]


def _set(piece: Piece, *, inline: bool) -> str:
    match piece.kind:
        case "setup":
            return ""
        case "picture" | "explorer" | "check":
            return piece.output
    return on_paper(piece, inline=inline)


def without_repeats(of_lesson: Sequence[Piece]) -> Iterator[Piece]:
    """Yield pieces; an explorer that shows the picture before it again is left out."""
    last: list[bytes] = []
    for piece in of_lesson:
        drawn = list(piece.pictures.values())
        if piece.kind != "explorer" or drawn != last:
            yield piece
        last = drawn or last
