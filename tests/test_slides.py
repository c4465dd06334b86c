"""Slides and speaker notes: what stands on which, that votes hold no answer, and that nothing overflows."""

import io
from dataclasses import replace
from functools import cache

import pytest
from pypdf import PdfReader

from printed import bare, bookmarks, figures, sentences
from zerostride.course import read_lessons
from zerostride.language import LANGUAGES, say, speaking
from zerostride.publish.editions import Wishes, build
from zerostride.publish.paper.typesetting import TypesettingError
from zerostride.publish.slides import compiled_deck, compiled_notes, deck_markup, in_typst, shown_prose
from zerostride.publish.slides.groups import Part, slides_of
from zerostride.publish.slides.notes import notes_of
from zerostride.publish.slides.text import on_slide
from zerostride.quiz import exercises
from zerostride.quiz.exercises import exercise, in_words

NAMES = [lesson.name for lesson in read_lessons("en")]
DECKS = [(language, name) for language in LANGUAGES for name in NAMES]
SMALLEST = {"code": 16, "foot": 11}
every_deck = pytest.mark.parametrize(("language", "name"), DECKS)
every_language = pytest.mark.parametrize("language", LANGUAGES)


@cache
def slides(language, name):
    with speaking(language):
        return slides_of(lesson(language, name))


@cache
def lesson(language, name):
    [found] = read_lessons(language, [name])
    return found


@cache
def edition(language):
    return build("slides", language, [], Wishes())


@cache
def pages(language, name, kind=""):
    return PdfReader(io.BytesIO(edition(language)[f"{language}/slides/{name}{kind}.pdf"])).pages


@cache
def texts(language, name, kind=""):
    return [bare(page.extract_text()) for page in pages(language, name, kind)]


def set_alone(slide, language, name, **changed):
    """Return the PDF of the cover and one slide, with other words for its prose."""
    of, cover = lesson(language, name), slides(language, name)[0]
    said = {text for each in (cover, slide) for text in (each.heading, shown_prose(each))}
    with speaking(language):
        return compiled_deck(of, [cover, slide], in_typst(said) | changed.get("words", {}))


def left_out(cells, deck):
    """Return the ids of cells tagged ``slide`` that no slide shows."""
    shown = {part.cell.id for slide in deck for part in slide.parts}
    return {cell.id for cell in cells if "slide" in cell.tags and "instructor" not in cell.tags} - shown


@every_deck
def test_every_cell_tagged_slide_is_shown(language, name):
    assert left_out(lesson(language, name).cells, slides(language, name)) == set()
    with_output = [
        part.cell for slide in slides(language, name) for part in slide.parts if part.what == "code"
    ]
    shown = {
        part.cell.id for slide in slides(language, name) for part in slide.parts if part.what == "output"
    }
    assert {cell.id for cell in with_output if cell.outputs and not cell.predicts} == shown


def test_a_cell_without_a_slide_is_missed():
    cells = lesson("en", NAMES[1]).cells
    assert left_out(cells, slides("en", NAMES[1])[1:]) == {"title"}


@every_deck
def test_a_deck_has_a_page_for_every_slide(language, name):
    assert len(pages(language, name)) == len(slides(language, name))
    width, height = (float(each) for each in pages(language, name)[0].mediabox[2:])
    assert abs(width / height - 16 / 9) < 0.01


@pytest.mark.parametrize("name", NAMES)
def test_every_language_has_the_same_slides(name):
    english, *others = (
        [
            (slide.kind, slide.opens, slide.exercise, [(part.cell.id, part.what) for part in slide.parts])
            for slide in slides(language, name)
        ]
        for language in LANGUAGES
    )
    assert all(slides == english for slides in others)


def unanswered(deck):
    """Return the votes that are not followed by a result and, at or after it, their answer."""
    votes, answers = {}, {}
    for at, slide in enumerate(deck):
        if slide.exercise:
            (votes if slide.kind == "poll" else answers)[slide.exercise] = at
    results = [
        at for at, slide in enumerate(deck) for part in slide.parts if part.what in ("output", "picture")
    ]
    return [
        vote
        for vote, at in votes.items()
        if not any(at < result <= answers.get(vote, -1) for result in results)
    ]


@every_deck
def test_every_vote_is_followed_by_its_result_and_its_answer(language, name):
    assert unanswered(slides(language, name)) == []


def test_a_vote_without_an_answer_or_without_a_result_is_found():
    deck = slides("en", NAMES[1])
    vote = next(slide for slide in deck if slide.kind == "poll")
    assert unanswered([vote]) == [vote.exercise]
    assert unanswered([vote, replace(vote, kind="text", parts=())]) == [vote.exercise]


def votes(language, name):
    shown = zip(slides(language, name), texts(language, name), strict=True)
    return [(exercise(slide.exercise, "predict"), slide, text) for slide, text in shown if slide.exercise]


@every_deck
def test_a_vote_shows_its_choices_and_no_reason_and_the_reason_comes_later(language, name):
    with speaking(language):
        for asked, slide, text in votes(language, name):
            has = slide.kind == "poll"
            assert (bare(in_words(asked.question)) in text) == has
            assert (bare(in_words(asked.why)) in text) != has
            assert (bare(say("publish.steps")) in text) == has
            if has:
                assert all(bare(in_words(choice.text)) in text for choice in asked.choices)


@every_language
def test_a_vote_looks_the_same_whichever_choice_is_right(language, monkeypatch):
    deck = [slide for slide in slides(language, NAMES[1]) if slide.exercise]
    vote, answer = deck[0], replace(deck[1], parts=())
    before = [set_alone(slide, language, NAMES[1]) for slide in (vote, answer)]
    asked = exercise(vote.exercise, "predict")
    other = replace(asked, right=asked.choices[0].id)
    assert other.right != asked.right
    monkeypatch.setitem(exercises.every_exercise(), vote.exercise, other)
    after = [set_alone(slide, language, NAMES[1]) for slide in (vote, answer)]
    assert before[0] == after[0]
    assert before[1] != after[1]


def prose_slide(language):
    return next(slide for slide in slides(language, NAMES[0]) if slide.asks)


@every_language
def test_what_does_not_fit_is_an_error(language):
    slide = prose_slide(language)
    assert set_alone(slide, language, NAMES[0]).startswith(b"%PDF")
    with pytest.raises(TypesettingError, match="slide 2 overflows"):
        set_alone(slide, language, NAMES[0], words={shown_prose(slide): "Stride. " * 120})


def test_a_character_that_is_in_no_font_is_an_error_on_slides_and_in_notes():
    slide, of, deck = prose_slide("en"), lesson("en", NAMES[0]), slides("en", NAMES[0])
    with pytest.raises(TypesettingError, match="could not be displayed"):
        set_alone(slide, "en", NAMES[0], words={shown_prose(slide): "\U0001f4a1"})
    told = {text for entry in notes_of(of, deck) for _, text in entry} | {each.heading for each in deck}
    with speaking("en"), pytest.raises(TypesettingError, match="could not be displayed"):
        compiled_notes(of, deck, in_typst(told) | {slide.heading: "\U0001f4a1"}, b"")


def test_a_word_wider_than_the_slide_is_an_error():
    slide = prose_slide("en")
    long = replace(slide.parts[0].cell, outputs=({"text/plain": "9" * 200},))
    with pytest.raises(TypesettingError, match="overfull"):
        set_alone(replace(slide, parts=(Part(long, "output"),)), "en", NAMES[0])


def test_a_report_is_cut_to_what_fits_and_says_so():
    slide = next(
        slide for slide in slides("en", NAMES[3]) if any(part.what == "output" for part in slide.parts)
    )
    rows = "".join(f"<tr><td>row {number}</td></tr>" for number in range(60))
    texts = []
    for html in (f"<table>{rows}</table>", "<table><tr><td>row 0</td></tr></table>"):
        cell = replace(slide.parts[-1].cell, outputs=({"text/html": html, "text/plain": ""},))
        pdf = set_alone(replace(slide, parts=(Part(cell, "output"),)), "en", NAMES[3])
        texts.append(PdfReader(io.BytesIO(pdf)).pages[1].extract_text())
    assert [("row 0" in text, "row 59" in text, "…" in text) for text in texts] == [
        (True, False, True),
        (True, False, False),
    ]


def sizes(page):
    """Return the sizes of text on a page, in points."""
    found = set()

    def visit(text, _, matrix, __, size):
        if text.strip():
            found.add(round(abs(matrix[3]) * size, 1))

    page.extract_text(visitor_text=visit)
    return found


@every_deck
def test_text_is_large_enough_for_the_last_row(language, name):
    for slide, page in zip(slides(language, name), pages(language, name), strict=True):
        if slide.kind != "picture":
            assert {size for size in sizes(page) if size < SMALLEST["code"]} <= {SMALLEST["foot"]}


def test_small_text_would_be_seen():
    assert SMALLEST["foot"] in sizes(pages("en", NAMES[0])[0])
    notes = pages("en", NAMES[0], ".notes")[0]
    assert any(size < SMALLEST["foot"] for size in sizes(notes))


@every_deck
def test_a_program_that_reads_aloud_finds_title_language_headings_and_pictures(language, name):
    reader = PdfReader(io.BytesIO(edition(language)[f"{language}/slides/{name}.pdf"]))
    deck = slides(language, name)
    assert reader.root_object["/Lang"].startswith(language)
    assert reader.root_object["/MarkInfo"]["/Marked"]
    assert bare(reader.metadata.title) == bare(lesson(language, name).title)
    assert list(map(bare, bookmarks(reader))) == [bare(slide.heading) for slide in deck if slide.opens]
    described = list(figures(reader))
    assert len(described) == sum(slide.kind == "picture" for slide in deck)
    assert all(described)


@every_deck
def test_notes_have_everything_for_the_teacher_and_the_deck_has_nothing_of_it(language, name):
    notes, deck = ("".join(texts(language, name, kind)) for kind in (".notes", ""))
    with speaking(language):
        wrong = [
            bare(in_words(choice.misconception))
            for asked, slide, _ in votes(language, name)
            for choice in asked.choices
            if slide.kind == "poll" and choice.id != asked.right
        ]
    talks = [cell.source for cell in lesson(language, name).cells if "instructor" in cell.tags]
    assert talks
    for words in [*wrong, *(words for talk in talks for words in sentences(talk))]:
        assert words in notes
        assert words not in deck


@every_deck
def test_prose_that_a_slide_leaves_out_is_in_the_notes(language, name):
    entries = notes_of(lesson(language, name), slides(language, name))
    told = "".join(words for entry in entries for _, text in entry for words in sentences(text))
    prose = [cell for cell in lesson(language, name).core if cell.kind == "markdown"]
    for cell in prose:
        for words in sentences(
            cell.source.partition("\n")[2] if cell.source.startswith("#") else cell.source
        ):
            assert words in told


@every_deck
def test_every_note_for_the_teacher_stands_once(language, name):
    entries = notes_of(lesson(language, name), slides(language, name))
    talks = [text for entry in entries for kind, text in entry if kind == "talk"]
    expected = [cell.source for cell in lesson(language, name).cells if "instructor" in cell.tags]
    assert sorted(talks) == sorted(expected)


@every_deck
def test_a_slide_says_nothing_that_its_cells_do_not_say(language, name):
    for slide in slides(language, name):
        cells = [part.cell.source for part in slide.parts if part.what == "prose"]
        whole = "".join(words for source in cells for words in sentences(source))
        assert all(words in whole for words in sentences(shown_prose(slide)))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (
            "## Why?\n\nFirst. Second.\n\n- **a.** One. Two.\n- b. Three.",
            "First. Second.\n\n- **a.** One.\n- b.",
        ),
        ("It is so. See below:", "It is so."),
        ("One.\n\nTwo.\n\nSee [it](https://example.org).", "One.\n\nTwo."),
        ("先猜。再看下面：", "先猜。"),
        ("See [lesson 4](04_x.ipynb).", "See lesson 4."),
    ],
)
def test_a_slide_shows_the_beginning(source, shown):
    assert on_slide(source, 60, alone=True) == shown


def test_two_builds_are_the_same_bytes():
    again = build("slides", "zh", ["04"], Wishes())
    assert again == {name: edition("zh")[name] for name in again}
    assert len(again) == 2


def test_another_heading_is_another_deck():
    of, deck = lesson("en", NAMES[0]), slides("en", NAMES[0])
    words = in_typst({text for slide in deck for text in (slide.heading, shown_prose(slide))})
    with speaking("en"):
        one, other = (deck_markup(of, shown, words) for shown in (deck, deck[:-1]))
    assert one != other
