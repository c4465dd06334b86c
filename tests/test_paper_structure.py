"""What paper tells a program for readers: headings, heads of tables, the order of the text."""

import io
import re
from itertools import pairwise

import pytest
from pypdf import PdfReader

from printed import bare, bookmarks, figures, kids, levels, read, sentences, spoken, structure
from zerostride.course import read_lessons
from zerostride.language import LANGUAGES, speaking
from zerostride.publish import kit, slides
from zerostride.publish.editions import Wishes
from zerostride.publish.stored import stored_tables

NUMBERS = ("01", "03", "08")
LESSONS = {
    (language, number): read_lessons(language, [number])[0] for language in LANGUAGES for number in NUMBERS
}


def handout(language, number):
    return read("handout", language, "a4", "end", LESSONS[language, number].name)


def jumps(found):
    """Return the headings that are more than one level below the one before, the first below none."""
    return [pair for pair in pairwise([0, *found]) if pair[1] > pair[0] + 1]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("edition", ["handout", "booklet", "summary"])
def test_headings_nest_and_are_the_bookmarks(edition, language):
    name = None if edition == "summary" else LESSONS[language, "03"].name
    reader = read(edition, language, "a4", "end", name)
    found = levels(reader)
    assert (jumps(found), found[0], len(found) > 5) == ([], 1, True)
    # Of the answers in the booklet only the chapter has a bookmark.
    assert len(bookmarks(reader)) == len(found) or edition == "booklet"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("edition", [slides, kit], ids=["slides", "kit"])
def test_headings_nest_in_what_a_teacher_shows_and_prints(edition, language):
    with speaking(language):
        files = dict(edition.build([LESSONS[language, "03"]], Wishes()))
    readers = [PdfReader(io.BytesIO(content)) for name, content in files.items() if name.endswith(".pdf")]
    assert [jumps(levels(reader)) for reader in readers] == [[]] * len(readers) != []
    assert all(alternative for reader in readers for alternative in figures(reader))


def test_a_jump_between_headings_is_seen():
    assert jumps([1, 2, 3, 1, 2]) == []
    assert jumps([1, 3, 2]) == [(1, 3)]
    assert jumps([2, 2]) == [(0, 2)]


def unsaid(lesson, said):
    """Return the cells of prose that are not said, or not after those before them."""
    at, found = 0, []
    for cell in lesson.core:
        for words in sentences(cell.source) if cell.kind == "markdown" else ():
            place = said.find(words, at)
            found += [cell.id] if place < 0 else []
            at = max(at, place)
    return found


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_handout_is_said_in_the_order_of_the_lesson(language, number):
    assert unsaid(LESSONS[language, number], bare(spoken(handout(language, number)))) == []


def test_another_order_is_seen():
    said = bare(spoken(handout("en", "01")))
    half = len(said) // 2
    assert unsaid(LESSONS["en", "01"], said[half:] + said[:half]) != []


def heads(cells):
    """Return how many heads the columns of prose and reports have; a check is no table on paper."""
    prose = [row for cell in cells for row in re.findall(r"(?m)^\|(.*)\|\n\|-", cell.source)]
    shown = [output for cell in cells if not cell.source.startswith("zs.checks.") for output in cell.outputs]
    tables = [table for output in shown for table in stored_tables(output.get("text/html", ""))]
    return sum(row.count("|") + 1 for row in prose) + sum(len(table.header) for table in tables)


@pytest.mark.parametrize("language", LANGUAGES)
def test_heads_of_columns_are_told(language):
    nodes = list(structure(handout(language, "03")))
    told = [
        each["/Scope"] for node in nodes if node["/S"] == "/TH" for each in node["/A"] if "/Scope" in each
    ]
    assert told == ["/Column"] * heads(LESSONS[language, "03"].core)
    rows = [row.get_object() for node in nodes if node["/S"] == "/THead" for row in kids(node)]
    assert {cell.get_object()["/S"] for row in rows for cell in kids(row)} == {"/TH"}
