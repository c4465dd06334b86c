"""Notes for who speaks: every slide in small, and what to say with it."""

from collections.abc import Iterator, Sequence

from zerostride.course import Cell, Lesson
from zerostride.language import say
from zerostride.publish.paper.markup import literal
from zerostride.publish.slides.groups import Slide, heading_of
from zerostride.publish.slides.text import paragraphs, without_local_links
from zerostride.quiz.exercises import exercise, in_words

Entry = list[tuple[str, str]]


def notes_of(lesson: Lesson, slides: Sequence[Slide]) -> list[Entry]:
    """Return what to say with every slide, as kinds and Markdown.

    ``talk`` is for the teacher, from cells tagged ``instructor``; ``prose`` is what the
    lesson says at this place, in full.

    Examples
    --------
    >>> from zerostride.course import read_lessons
    >>> from zerostride.publish.slides.groups import slides_of
    >>> [lesson] = read_lessons("en", ["01"])
    >>> [kind for kind, _ in notes_of(lesson, slides_of(lesson))[1]]
    ['talk', 'prose']
    """
    entries: list[Entry] = [[*_prose(slide)] for slide in slides]
    heading = ""
    for cell in lesson.cells:
        heading = heading_of(cell) or heading
        if "instructor" in cell.tags:
            entries[_place(cell, heading, slides)].insert(0, ("talk", cell.source))
    return entries


def _prose(slide: Slide) -> Iterator[tuple[str, str]]:
    shown = [part.cell for part in slide.parts if part.what == "prose"]
    for cell in (*shown, *slide.told):
        if text := without_local_links("\n\n".join(paragraphs(cell.source))):
            yield "prose", text


def _place(cell: Cell, heading: str, slides: Sequence[Slide]) -> int:
    """Return which slide a cell for the teacher goes with: that of its namesake, else of its heading."""
    topic = cell.id.removeprefix("talk-")
    for at, slide in enumerate(slides):
        if any(part.cell.id in (topic, f"ask-{topic}") for part in slide.parts):
            return at
    return next(at for at, slide in enumerate(slides) if slide.heading == heading)


def notes_markup(lesson: Lesson, slides: Sequence[Slide], words: dict[str, str], small: bool = True) -> str:
    """Return the notes of a deck in Typst's language.

    Parameters
    ----------
    lesson : Lesson
        What is spoken about.
    slides : sequence of Slide
        Its slides, which stand as pages in ``deck.pdf``.
    words : dict of str to str
        Typst's markup of headings and of what ``notes_of`` returns.
    small : bool
        Whether the slides themselves stand beside the words.
    """
    title = say("publish.speaker_notes", lesson=lesson.title.replace("`", ""))
    head = (
        f'#import "notes.typ": *\n#show: paper.with(title: {literal(title)}, size: "a4", '
        f'text-size: 9.5pt, margin: (x: 1.6cm, y: 1.6cm), pages: "%p / %n")\n'
        f"#heading(level: 1, {literal(title)})\n#let entry = entry.with(small: {literal(small)})"
    )
    entries = zip(slides, notes_of(lesson, slides), strict=True)
    return "\n".join([head, *(_entry(at, slide, said, words) for at, (slide, said) in enumerate(entries, 1))])


def _entry(number: int, slide: Slide, said: Entry, words: dict[str, str]) -> str:
    told = [f"{kind}[{words[text]}]" for kind, text in said]
    if slide.exercise:
        told.insert(0, _vote(slide))
    alt = literal(say("publish.slide", number=number))
    return f"#entry({number}, [{words[slide.heading]}], {alt}, {{\n" + "\n".join(told) + "\n})"


def _vote(slide: Slide) -> str:
    asked = exercise(slide.exercise, "predict")
    if slide.kind != "poll":
        return ""
    choices = [
        (letter, in_words(choice.text), in_words(choice.misconception) if choice.misconception else "")
        for letter, choice in asked.lettered.items()
    ]
    return f"vote({literal(choices)}, {literal(asked.right_letter)}, {literal(in_words(asked.why))})"
