"""What learners and teachers are handed: no answer anywhere for the ones, all that is said for the others."""

import ast
import copy
import io
import json
import re
import zipfile

import nbformat
import pytest

from zerostride.course import read_lessons
from zerostride.language import LANGUAGES, speaking
from zerostride.publish import instructor, learner
from zerostride.publish.editions import Wishes, zipped
from zerostride.quiz.exercises import every_exercise

BOTH = pytest.mark.parametrize("language", LANGUAGES)
# Shorter answers, "8" or "True", stand in many a text without telling anything.
TELLING = 12


@pytest.fixture(scope="module")
def made():
    """Return the files of both editions by language and edition."""
    found = {}
    for language in LANGUAGES:
        with speaking(language):
            lessons = read_lessons(language)
            found[language, "learner"] = dict(learner.build(lessons, Wishes()))
            found[language, "instructor"] = dict(instructor.build(lessons, Wishes()))
    return found


def notebooks(files):
    return {
        name.split("/")[1]: json.loads(content) for name, content in files.items() if name.endswith(".ipynb")
    }


def text(cell):
    return "".join(cell["source"])


def secrets(complete):
    """What a learner must not find: answers as written, why they are right, words for the teacher."""
    for cell in complete.notebook["cells"]:
        tags = cell["metadata"].get("tags", [])
        if "instructor" in tags or ("answer" in tags and cell["cell_type"] == "markdown"):
            yield text(cell)
        elif "answer" in tags:
            yield from map(ast.unparse, ast.parse(text(cell)).body)
    for asked in every_exercise().values():
        if asked.lesson == complete.name:
            yield asked.why[complete.language]
            if len(asked.answer) >= TELLING:
                yield asked.answer


def leaks(edition, complete):
    """Yield where a notebook tells an answer: in texts, outputs, metadata or attachments."""
    if set(edition["metadata"]) - {"kernelspec", "language_info"}:
        yield "metadata of the notebook"
    for cell in edition["cells"]:
        if cell.get("outputs") or cell.get("execution_count") is not None:
            yield cell["id"], "outputs"
        if set(cell["metadata"]) - {"tags"} or "instructor" in cell["metadata"].get("tags", ()):
            yield cell["id"], "metadata"
        if "attachments" in cell:
            yield cell["id"], "attachments"
    whole = json.dumps([text(cell) for cell in edition["cells"]], ensure_ascii=False)
    for secret in secrets(complete):
        if json.dumps(secret, ensure_ascii=False)[1:-1] in whole:
            yield "text", secret


@BOTH
def test_the_learner_edition_holds_no_answer_anywhere(made, language):
    lessons = notebooks(made[language, "learner"])
    assert len(lessons) == len(read_lessons(language))
    for complete in read_lessons(language):
        assert list(leaks(lessons[f"{complete.name}.ipynb"], complete)) == []
        assert len(list(secrets(complete))) > 8


def answer_cell(notebook):
    return next(cell for cell in notebook["cells"] if "answer" in cell["metadata"].get("tags", ()))


def in_metadata(edition, complete):
    answer_cell(edition)["metadata"]["solution"] = 8


def in_outputs(edition, complete):
    cell = next(cell for cell in edition["cells"] if cell["id"] == "offset-check")
    cell["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": ["8"]}}]


def in_attachments(edition, complete):
    edition["cells"][0]["attachments"] = {"answers.png": {"image/png": "AAAA"}}


def in_the_answer(edition, complete):
    answer_cell(edition)["source"] = answer_cell(complete.notebook)["source"]


def in_prose(edition, complete):
    edition["cells"][2]["source"] = [every_exercise()["offset-of-3-1"].why["en"]]


def in_the_notebooks_metadata(edition, complete):
    edition["metadata"]["widgets"] = {"state": {}}


def in_words_for_the_teacher(edition, complete):
    edition["cells"].append(
        next(cell for cell in complete.notebook["cells"] if cell["id"] == "talk-equal-prints")
    )


@pytest.mark.parametrize(
    "plant",
    [
        in_metadata,
        in_outputs,
        in_attachments,
        in_the_answer,
        in_prose,
        in_the_notebooks_metadata,
        in_words_for_the_teacher,
    ],
)
def test_a_planted_answer_is_found(made, plant):
    [complete] = read_lessons("en", ["01"])
    edition = copy.deepcopy(notebooks(made["en", "learner"])[f"{complete.name}.ipynb"])
    assert list(leaks(edition, complete)) == []
    plant(edition, complete)
    assert list(leaks(edition, complete)) != []


@BOTH
def test_the_instructor_edition_is_the_whole_lesson_without_outputs(made, language):
    lessons = notebooks(made[language, "instructor"])
    for complete in read_lessons(language):
        cells = lessons[f"{complete.name}.ipynb"]["cells"]
        assert [(cell["id"], text(cell)) for cell in cells] == [
            (cell["id"], text(cell)) for cell in complete.notebook["cells"]
        ]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
        talks = [text(cell) for cell in cells if "instructor" in cell["metadata"].get("tags", ())]
        assert talks
        assert all(re.search(r"\d+ (?:minutes|,)|\d+分钟|两个案例共\d+分钟", talk) for talk in talks), talks


@BOTH
@pytest.mark.parametrize("edition", ["learner", "instructor"])
def test_every_notebook_is_valid(made, language, edition):
    for content in made[language, edition].values():
        if content[:1] == b"{":
            nbformat.validate(nbformat.reads(content.decode(), as_version=nbformat.NO_CONVERT))


def unpacked(packed):
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@BOTH
@pytest.mark.parametrize("edition", ["learner", "instructor"])
def test_the_zip_holds_what_the_folder_holds(made, language, edition):
    files = dict(made[language, edition])
    packed = files.pop(f"{edition}.zip")
    assert unpacked(packed) == files
    assert unpacked(zipped(files | {"more": b"1"})) != files


def test_a_zip_says_nothing_about_when_and_where_it_was_made():
    files = {"a/b.txt": b"1", "a.txt": b"2"}
    assert zipped(files) == zipped(dict(reversed(files.items())))
    with zipfile.ZipFile(io.BytesIO(zipped(files))) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
