"""The learner edition holds no answer, and copying it never costs a learner anything."""

import copy
import json

import nbformat
import pytest
from nbclient import NotebookClient

from sample_course import LESSON, code, lesson, prose, write_lessons
from zerostride import course
from zerostride.learner import copy_course, learner_edition, without_answers


def assert_no_answer(edition, secret="SECRET"):
    assert secret not in json.dumps(edition, ensure_ascii=False)
    for cell in edition["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def ids(notebook):
    return [cell["id"] for cell in notebook["cells"]]


def source(notebook, cell_id):
    return "".join(next(cell["source"] for cell in notebook["cells"] if cell["id"] == cell_id))


def test_answers_and_outputs_are_gone_and_the_rest_stays():
    complete = lesson()
    edition = learner_edition(complete, "en")
    assert_no_answer(edition)
    assert ids(edition) == [name for name in ids(complete) if name != "talk"]
    assert source(edition, "answer-bytes") == "total = ...\nname = ..."
    assert source(edition, "answer-function") == "def offset(i, j, stride=8):\n    ..."
    for kept in ("setup", "title", "run-strides", "use-bytes"):
        assert source(edition, kept) == source(complete, kept)
    nbformat.validate(nbformat.from_dict(edition))


def test_the_complete_edition_is_not_touched():
    complete = lesson()
    before = copy.deepcopy(complete)
    learner_edition(complete, "en")
    assert complete == before


@pytest.mark.parametrize(
    "leak",
    [
        lambda cell: cell | {"source": ["SECRET"]},
        lambda cell: cell | {"metadata": {"note": "SECRET"}},
        lambda cell: cell | {"outputs": [{"output_type": "stream", "name": "stdout", "text": "SECRET"}]},
        lambda cell: cell | {"execution_count": 3},
    ],
)
def test_a_leak_would_be_seen(leak):
    edition = learner_edition(lesson(), "en")
    edition["cells"][3] = leak(edition["cells"][3])
    with pytest.raises(AssertionError):
        assert_no_answer(edition)


@pytest.mark.parametrize(("language", "words"), [("en", "Your turn."), ("zh", "轮到你了")])
def test_an_answer_in_prose_becomes_a_line_in_the_notebooks_language(language, words):
    edition = learner_edition(lesson(language), language)
    assert words in source(edition, "answer-why")
    assert f'zs.use("{language}")' in source(edition, "setup")


def test_every_emptied_name_still_exists_so_run_all_raises_nothing():
    names = {}
    edition = learner_edition(lesson(), "en")
    for cell in edition["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["total"] is ...
    assert names["offset"](1, 1) is None


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("f = lambda x: x.expand(4, 3)", "f = ..."),
        ("a = 1; b = 2", "a = ...\nb = ..."),
        ("rows = [\n  1,\n  2,\n]", "rows = ..."),
        ("def f(x): return x * 2", "def f(x):\n    ..."),
        ("", ""),
    ],
)
def test_what_is_left_of_an_answer(answer, left):
    assert without_answers(answer) == left


@pytest.mark.parametrize(
    "source", ["print(96)", "a, b = 1, 2", "x[0] = 9", "x.y = 9", "x += 1", "import os", "96"]
)
def test_an_answer_that_cannot_be_emptied_is_refused_by_name(source):
    with pytest.raises(ValueError, match="answer cell answer-bytes holds more"):
        without_answers(source, "answer-bytes")


def test_a_raw_answer_is_emptied():
    raw = {"cell_type": "raw", "id": "raw", "metadata": {"tags": ["answer"]}, "source": "SECRET"}
    edition = learner_edition({"cells": [raw], "metadata": {}}, "en")
    assert source(edition, "raw") == ""


@pytest.fixture
def lessons_at(tmp_path, monkeypatch):
    """Point the package at a folder of sample lessons."""
    folder = tmp_path / "notebooks"
    write_lessons(folder)
    monkeypatch.setattr(course, "lessons_folder", lambda: folder)
    return folder


EN, ZH = f"en/{LESSON}", f"zh/{LESSON}"


def new_edition(folder):
    """Change the English lesson, as a later version of the course would."""
    changed = lesson()
    changed["cells"].append(prose("more", "More."))
    (folder / EN).write_text(json.dumps(changed), "utf-8")


def test_a_first_copy_and_a_second(lessons_at, tmp_path):
    target = tmp_path / "我的 课程"
    assert copy_course(target).written == [EN, ZH]
    assert_no_answer(json.loads((target / EN).read_text("utf-8")))
    again = copy_course(target)
    assert (again.written, again.updated, again.left_alone) == ([], [], [])
    assert again.told(target) == ""
    names = sorted(path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file())
    assert names == [".zerostride/course.json", EN, ZH]


def test_only_what_the_learner_did_not_change_is_updated(lessons_at, tmp_path):
    target = tmp_path / "course"
    copy_course(target)
    (target / ZH).write_text("mine", "utf-8")
    new_edition(lessons_at)
    second = copy_course(target)
    assert (second.updated, second.left_alone) == ([EN], [ZH])
    assert ids(json.loads((target / EN).read_text("utf-8")))[-1] == "more"
    assert (target / ZH).read_text("utf-8") == "mine"
    assert EN in second.told(target).splitlines()[0]
    assert ZH in second.told(target).splitlines()[1]


@pytest.mark.parametrize("record", [None, "", "not json", "[1]", json.dumps({EN: "0" * 64})])
def test_without_a_record_that_fits_a_different_file_is_the_learners(lessons_at, tmp_path, record):
    target = tmp_path / "course"
    copy_course(target)
    place = target / ".zerostride" / "course.json"
    place.unlink() if record is None else place.write_text(record, "utf-8")
    before = (target / EN).read_bytes()
    new_edition(lessons_at)
    assert EN in copy_course(target).left_alone
    assert (target / EN).read_bytes() == before


def test_an_equal_file_without_a_record_becomes_ours_again(lessons_at, tmp_path):
    target = tmp_path / "course"
    copy_course(target)
    (target / ".zerostride" / "course.json").unlink()
    assert copy_course(target).unchanged == [EN, ZH]
    new_edition(lessons_at)
    assert copy_course(target).updated == [EN]


def test_a_deleted_lesson_comes_back_and_a_renamed_one_stays(lessons_at, tmp_path):
    target = tmp_path / "course"
    copy_course(target)
    (target / EN).rename(target / "en" / "mine.ipynb")
    assert copy_course(target).written == [EN]
    assert (target / "en" / "mine.ipynb").is_file()


def test_a_folder_or_a_dead_link_in_the_place_of_a_lesson_is_left_alone(lessons_at, tmp_path):
    target = tmp_path / "course"
    (target / EN).mkdir(parents=True)
    (target / "zh").mkdir()
    (target / ZH).symlink_to(tmp_path / "gone")
    assert copy_course(target).left_alone == [EN, ZH]
    assert (target / ZH).is_symlink()


def test_a_write_that_fails_leaves_the_old_file_whole(lessons_at, tmp_path, monkeypatch):
    target = tmp_path / "course"
    copy_course(target)
    before = (target / EN).read_bytes()
    new_edition(lessons_at)

    def full_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full_disk)
    with pytest.raises(OSError, match="No space"):
        copy_course(target)
    assert (target / EN).read_bytes() == before
    assert [path.name for path in (target / "en").iterdir()] == [LESSON]


def test_only_lessons_are_copied(lessons_at, tmp_path):
    for junk in ("scratch.ipynb", "01_four_rows_three_numbers-Copy1.ipynb", "notes.txt", ".01_x.ipynb"):
        (lessons_at / "en" / junk).write_text("{}", "utf-8")
    assert copy_course(tmp_path / "course").written == [EN, ZH]


def test_no_lessons_is_said_so(tmp_path, monkeypatch):
    (tmp_path / "en").mkdir()
    monkeypatch.setattr(course, "lessons_folder", lambda: tmp_path)
    with pytest.raises(LookupError, match="lessons are missing"):
        copy_course(tmp_path / "course")


def test_real_lessons_lose_their_answers_in_both_languages(tmp_path):
    copied = copy_course(tmp_path).written
    assert sorted(copied) == sorted(f"{path.parent.name}/{path.name}" for path in every_lesson())
    for name in copied:
        complete = json.loads((course.lessons_folder() / name).read_text("utf-8"))
        edition = json.loads((tmp_path / name).read_text("utf-8"))
        nbformat.validate(nbformat.from_dict(edition))
        assert_no_answer(edition)
        for cell in complete["cells"]:
            if "answer" in cell["metadata"].get("tags", []):
                assert source(edition, cell["id"]) != "".join(cell["source"]), (name, cell["id"])


def every_lesson():
    return [path for language in ("en", "zh") for path in course.lessons(language)]


def run_all(notebook, folder):
    """Run a notebook top to bottom in a folder; return the ids of the cells that raised."""
    left = nbformat.reads(json.dumps(notebook), as_version=4)
    NotebookClient(
        left, kernel_name="python3", allow_errors=True, timeout=120, resources={"metadata": {"path": folder}}
    ).execute()
    outputs = [(cell["id"], output) for cell in left.cells for output in cell.get("outputs", [])]
    return [name for name, output in outputs if output["output_type"] == "error"]


def test_run_all_in_the_learner_edition_raises_nothing(tmp_path):
    pytest.importorskip("torch")
    for lesson_file in course.lessons("en"):
        edition = learner_edition(json.loads(lesson_file.read_text("utf-8")), "en")
        assert run_all(edition, tmp_path) == [], lesson_file.name


def test_a_cell_that_raises_would_be_seen(tmp_path):
    edition = learner_edition(lesson(), "en")
    edition["cells"].append(code("broken", "total + 1"))
    assert run_all(edition, tmp_path) == ["broken"]


def test_a_new_cell_kind_needs_no_metadata():
    edition = learner_edition({"cells": [code("a", "x = 1", ["answer"])], "metadata": {}}, "en")
    assert edition["cells"][0]["metadata"] == {"tags": ["answer"]}
