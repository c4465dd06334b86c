"""Handouts, booklet and summary: what is in them, how much room they take, and that nothing is cut off."""

import os
import re
import subprocess
import sys
from hashlib import sha256

import pytest

from printed import bare, bookmarks, figures, printed, read, sentences, text_of
from zerostride.course import read_lessons
from zerostride.language import LANGUAGES, say, speaking
from zerostride.publish.editions import PAPERS, Wishes, build
from zerostride.publish.paper import handout as of_handout
from zerostride.publish.paper.markup import Length, document, literal, opening, pieces
from zerostride.publish.paper.typesetting import TOO_MANY, TypesettingError
from zerostride.publish.stored import stored_picture

NAMES = [lesson.name for lesson in read_lessons("en")]
HANDOUTS = [(language, name) for language in LANGUAGES for name in NAMES]


def lesson(language, name):
    [found] = read_lessons(language, [name])
    return found


def missing(cells, text):
    """Return the sentences of prose cells that a text does not have."""
    return [
        (cell.id, words)
        for cell in cells
        if cell.kind == "markdown"
        for words in sentences(cell.source)
        if words not in text
    ]


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize(("language", "name"), HANDOUTS)
def test_a_handout_has_at_most_four_pages(language, name, paper):
    pages = read("handout", language, paper, "end", name).pages
    assert 1 <= len(pages) <= 4
    width, height = (float(each) / 72 * 25.4 for each in pages[0].mediabox[2:])
    assert (round(width), round(height)) == {"a4": (210, 297), "us-letter": (216, 279)}[paper]


def test_a_lesson_that_needs_more_pages_than_it_may_is_an_error(monkeypatch):
    monkeypatch.setattr(of_handout, "PAGES", 2)
    with speaking("en"), pytest.raises(TypesettingError, match=TOO_MANY):
        of_handout.handout(lesson("en", "01"), Wishes())


@pytest.mark.parametrize(("language", "name"), HANDOUTS)
def test_a_handout_has_the_prose_of_every_core_cell(language, name):
    assert not missing(lesson(language, name).core, text_of("handout", language, "a4", "end", name))


def test_a_sentence_that_is_not_there_is_missed():
    text = text_of("handout", "zh", "a4", "end", NAMES[1]).replace("步长", "跨步")
    assert missing(lesson("zh", "01").core, text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_chapter_has_the_prose_of_every_cell_for_learners(language):
    text = text_of("booklet", language, "a4", "end", NAMES[0])
    cells = lesson(language, NAMES[0]).cells
    learned = [cell for cell in cells if not cell.tags & {"instructor"} and cell.id != "sources"]
    # The heading above the gathered scope is not repeated.
    [scope] = [cell for cell in learned if cell.id == "scope"]
    assert missing(learned, text) == [("scope", next(sentences(scope.source)))]
    [sources] = [cell for cell in cells if cell.id == "sources"]
    links = re.findall(r"\]\(([^)]*)\)", sources.source)
    assert links
    assert all(bare(link) in text for link in links)
    told = [cell for cell in cells if "instructor" in cell.tags]
    assert {cell_id for cell_id, _ in missing(told, text)} == {cell.id for cell in told}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("edition", ["handout", "booklet", "summary"])
def test_a_document_tells_programs_for_readers_what_it_is(edition, language):
    name = None if edition == "summary" else NAMES[3]
    reader = read(edition, language, "a4", "end", name)
    root = reader.root_object
    assert root["/Lang"] == {"zh": "zh-CN"}.get(language, language)
    assert root["/MarkInfo"]["/Marked"]
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert "pdfuaid:part" in root["/Metadata"].get_object().get_data().decode()
    assert set(reader.metadata) <= {"/Title", "/Creator"}
    with speaking(language):
        title = lesson(language, name).title if edition == "handout" else say("publish.course")
    assert reader.metadata.title.startswith(title)
    assert all(figures(reader))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_picture_of_a_handout_has_the_text_alternative_that_is_stored(language):
    shown = list(figures(read("handout", language, "a4", "end", NAMES[3])))
    stored = [stored_picture(output) for cell in lesson(language, NAMES[3]).core for output in cell.outputs]
    assert shown == [picture.alt for picture in stored if picture]


@pytest.mark.parametrize(
    ("markup", "fault"),
    [
        ('#image("a.svg")', "missing alt text"),
        ("#prose[$1 + 1$]", "missing alt text"),
        ("#prose[\u3400]", "could not be displayed"),
    ],
)
def test_a_document_that_not_everybody_can_read_is_an_error(markup, fault):
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg" width="9pt" height="9pt"></svg>'
    with pytest.raises(TypesettingError, match=fault):
        document(opening(title="x") + markup, {"a.svg": drawing})


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_booklet_has_bookmarks_and_every_part(language):
    reader = read("booklet", language)
    found = bookmarks(reader)
    with speaking(language):
        parts = [say(f"publish.{part}") for part in ("contents", "answers", "glossary", "sources")]
    titles = [each.title for each in read_lessons(language)]
    at = [found.index(title) for title in (parts[0], *titles, *parts[1:])]
    assert at == sorted(at)
    assert len(reader.pages) > 60


@pytest.mark.parametrize(("language", "paper"), [("en", "a4"), ("en", "us-letter"), ("zh", "a4")])
def test_the_contents_of_the_booklet_take_one_page(language, paper):
    _, contents, first, *_ = (bare(page.extract_text()) for page in read("booklet", language, paper).pages)
    with speaking(language):
        last = bare(say("publish.sources"))
    assert last in contents
    assert bare(read_lessons(language)[0].title) in first


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("answers", ["none", "end", "inline"])
def test_answers_stand_where_they_are_wished(language, answers):
    name = NAMES[1]
    text = text_of("handout", language, "a4", answers, name)
    chosen = [piece for piece in pieces(lesson(language, name), 57) if "extra" not in piece.cell.tags]
    reasons = [
        bare(piece.output.removeprefix('#why("').removesuffix('")'))
        for piece in chosen
        if piece.kind == "judge"
    ]
    codes = [bare(piece.cell.source) for piece in chosen if piece.kind == "answer"]
    assert len(reasons) == len(codes) == 2
    places = [text.find(each) for each in (*codes, *reasons)]
    last = text.find(bare(lesson(language, name).cells[-1].source.splitlines()[0].strip("# ")))
    if answers == "none":
        assert set(places) == {-1}
    else:
        assert min(places) > 0
        assert all((place > last) == (answers == "end") for place in places)


def test_a_chapter_without_answers_has_none():
    cells = [cell for cell in lesson("en", NAMES[1]).cells if "answer" in cell.tags]
    answers = [bare(cell.source.splitlines()[-1]) for cell in cells]
    assert len(answers) == 4
    text = text_of("booklet", "en", "a4", "none", NAMES[1])
    assert [answer for answer in answers if answer in text] == []
    assert all(answer in text_of("booklet", "en", "a4", "end", NAMES[1]) for answer in answers)


ELSEWHERE = """
import sys
from hashlib import sha256
sys.path.insert(0, {tests!r})
from printed import printed
print(sha256(printed("handout", "zh", "a4", "end", {name!r})).hexdigest())
print(sha256(printed("summary", "en")).hexdigest())
"""


def test_the_same_bytes_in_another_folder(tmp_path):
    here = [
        sha256(each).hexdigest()
        for each in (printed("handout", "zh", "a4", "end", NAMES[1]), printed("summary", "en"))
    ]
    program = ELSEWHERE.format(tests=os.path.dirname(__file__), name=NAMES[1])
    # Another place for temporary files, another order of sets, another day's clock and time zone.
    changed = {
        "TMPDIR": str(tmp_path),
        "PYTHONHASHSEED": "7",
        "TZ": "Asia/Shanghai",
        "SOURCE_DATE_EPOCH": "9",
    }
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | changed,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == here


NARROW = {"margin": Length("1cm"), "size": "a6", "columns": 2, "text_size": Length("9pt")}
LONG = "stride" * 12
WIDE = {
    "a word": f"#prose[{LONG}]",
    "a name in code": f"#prose[`{LONG}`]",
    "a bold word in a list": f"#prose[\n- #strong[{LONG}]\n]",
    "a formula": '#prose[#formula("sum", $' + " + ".join(["10000"] * 14) + "$)]",
    "a line of code": f"#code({literal(f'{LONG} = 1')})",
    "a result": f"#result({literal(LONG)})",
    "a table": f"#ruled(rows: {literal([['a', LONG]])})",
    "a table of prose": f"#prose[#table(columns: 2, [a], [`{LONG}`])]",
    "a check": f'#check({literal(LONG)}, "numpy", "")',
    "a question": f'#predict("a", {literal(LONG)}, (), "b", ())',
    "a reason": f"#why({literal(LONG)})",
}


@pytest.mark.parametrize("markup", WIDE.values(), ids=WIDE)
def test_what_is_wider_than_its_column_is_an_error(markup):
    with pytest.raises(TypesettingError, match="overfull"):
        document(opening(title="x", **NARROW) + markup)
    fits = markup.replace(LONG, "stride").replace(" + ".join(["10000"] * 14), "1")
    assert document(opening(title="x", **NARROW) + fits).startswith(b"%PDF")


def test_code_that_cannot_be_broken_is_an_error_that_names_the_line():
    from zerostride.publish.paper.code_lines import fitted

    with speaking("en"), pytest.raises(ValueError, match="cannot be set in 40 columns: name = "):
        fitted(f'name = "{LONG}"', 40)
    assert fitted(f'name = "{LONG}"', 90) == f'name = "{LONG}"'


@pytest.mark.parametrize("columns", [57, 72])
def test_code_with_shorter_lines_is_the_same_program(columns):
    import ast

    from zerostride.publish.paper.code_lines import fitted

    sources = [cell.source for each in read_lessons("en") for cell in each.cells if cell.kind == "code"]
    broken = 0
    for source in sources:
        made = fitted(source, columns)
        assert max(map(len, made.splitlines())) <= columns
        assert ast.dump(ast.parse(made)) == ast.dump(ast.parse(source))
        broken += made != source
    assert broken > 20


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_summary_is_one_page(language, paper):
    assert len(read("summary", language, paper).pages) == 1


def test_the_summary_is_that_of_the_course_whichever_lesson_is_asked_for():
    made = build("summary", "zh", ["04"], Wishes())
    assert list(made.values()) == [printed("summary", "zh")]


def test_what_the_summary_says_is_what_happens():
    from zerostride.publish.paper.summary import belief_rows, byte_rows, content, decision_rows

    torch = pytest.importorskip("torch")
    import numpy as np

    import zerostride as zs

    for row in content()["beliefs"]:
        names = {"np": np, "torch": torch, "zs": zs}
        exec("\n".join(content()["setup"]), names)
        *before, last = row["code"].split("; ")
        exec("\n".join(before), names)
        assert str(eval(last, names)) == row["shows"], row["code"]
    assert [row[1:] for row in byte_rows()] == [("24", "24"), ("96", "24"), ("96", "96"), ("96", "96")]
    with speaking("en"):
        answers = dict(decision_rows())
        assert answers["`writes` each copy by itself, in place"] == say("advice.answer.copy_first")
        assert all(bare(f"{belief}{line}") in text_of("summary", "en") for belief, line in belief_rows())
