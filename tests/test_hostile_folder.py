"""Nothing of a learner's is lost: killed, two at once, a full disk, settings in the way, a newer course."""

import errno
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sample_course import LESSON, lesson, write_lessons
from zerostride import course, lab, placing
from zerostride.cli import main
from zerostride.language import LANGUAGES, speaking, use
from zerostride.learner import copy_course
from zerostride.pairs.typography import HAN
from zerostride.quiz import answers
from zerostride.refusals import reason_of

EN, ZH = f"en/{LESSON}", f"zh/{LESSON}"
MANY = [f"{number:02}_lesson.ipynb" for number in range(20)]


@pytest.fixture
def source(tmp_path, monkeypatch):
    """Use sample lessons in this process; return their folder."""
    folder = tmp_path / "notebooks"
    write_lessons(folder)
    monkeypatch.setattr(course, "lessons_folder", lambda: folder)
    return folder


def newer(folder, word):
    """Change every lesson, as a newer course would."""
    for path in folder.rglob("*.ipynb"):
        changed = lesson(path.parent.name)
        changed["cells"][1]["source"] = [f"# {word}"]
        path.write_text(json.dumps(changed), "utf-8")


def held(folder):
    """Return everything in a folder, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def hashed(content):
    return hashlib.sha256(content).hexdigest()


def test_a_newer_course_keeps_answers_and_changed_notebooks(source, tmp_path, monkeypatch):
    folder = tmp_path / "我的 课程"
    copy_course(folder)
    monkeypatch.chdir(folder / "en")
    answers.record("row-stride", "0", "guess", "en")
    (folder / ZH).write_bytes(b"my answers")
    (folder / "en" / "my own.ipynb").write_bytes(b"foreign { no JSON")
    (folder / "en" / f"{LESSON[:-6]}-Copy1.ipynb").write_bytes((folder / EN).read_bytes())
    before = held(folder)
    for word in ("second", "third"):
        newer(source, word)
        placed = copy_course(folder)
        assert (placed.updated, placed.left_alone) == ([EN], [ZH])
        after = held(folder)
        changed = {name for name in before | after if before.get(name) != after.get(name)}
        assert changed == {EN, ".zerostride/course.json"}
        assert word in after[EN].decode()


def test_a_copy_that_overwrites_would_be_seen(source, tmp_path):
    folder = tmp_path / "course"
    copy_course(folder)
    (folder / ZH).write_bytes(b"my answers")
    record = folder / ".zerostride" / "course.json"
    known = json.loads(record.read_text("utf-8")) | {ZH: hashed(b"my answers")}
    record.write_text(json.dumps(known), "utf-8")
    newer(source, "second")
    assert ZH in copy_course(folder).updated


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe\x00", b"[" * 10**5, b"null", b'{"cells": 3}', bytes(10**6)]
)
def test_a_broken_notebook_of_the_learners_is_neither_read_nor_touched(source, tmp_path, capsys, content):
    folder = tmp_path / "course"
    copy_course(folder)
    (folder / EN).write_bytes(content)
    newer(source, "second")
    assert main(["lab", "--copy-only", "--dir", str(folder)]) == 0
    assert (folder / EN).read_bytes() == content
    assert EN in capsys.readouterr().out


WORDS = {
    "en": {errno.ENOSPC: "no space is left", errno.EROFS: "may not write", errno.EACCES: "may not write"},
    "zh": {errno.ENOSPC: "没有剩余空间", errno.EROFS: "没有写入权限", errno.EACCES: "没有写入权限"},
}


@pytest.mark.parametrize("number", WORDS["en"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_disk_that_refuses_is_told_and_everything_stays(
    source, tmp_path, monkeypatch, capsys, language, number
):
    folder = tmp_path / "course"
    copy_course(folder)
    before = held(folder)
    newer(source, "second")

    def refusing(path, _):
        path.touch()
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "write_bytes", refusing)
    use(language)
    assert main(["lab", "--copy-only", "--dir", str(folder)]) == 2
    errors = capsys.readouterr().err
    assert WORDS.get(language, {}).get(number, "") in errors
    assert errors.count("\n") == 1
    assert held(folder) == before


USUAL = """ENOSPC EACCES EPERM EROFS ENOENT EEXIST EISDIR ENOTDIR ENAMETOOLONG ELOOP EBUSY EMFILE
    EFBIG EIO ESTALE"""


def told(number, language):
    """Return the words for a number of the system, and hold that the system's own are not among them."""
    with speaking(language):
        words = reason_of(OSError(number, os.strerror(number)))
    assert os.strerror(number) not in words
    assert bool(re.search(f"[{HAN}]", words)) == (language == "zh")
    return words


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_number_of_the_system_is_told_in_the_language_in_use(language):
    words = {number: told(number, language) for number in errno.errorcode}
    assert [name for name in USUAL.split() if re.search(r"\d", words[getattr(errno, name)])] == []
    assert str(errno.EXDEV) in words[errno.EXDEV]


def test_a_word_of_the_system_would_be_seen(monkeypatch):
    monkeypatch.setattr("zerostride.refusals.say", lambda _, number: f"{os.strerror(number)}")
    with pytest.raises(AssertionError):
        told(errno.EXDEV, "en")


def test_what_may_not_be_read_is_not_said_to_be_written():
    words = [reason_of(PermissionError(errno.EACCES, ""), reading=reading) for reading in (False, True)]
    assert words == ["you may not write there", "you may not read it"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_settings_that_cannot_be_written_are_told(source, tmp_path, monkeypatch, capsys, language):
    folder = tmp_path / "course"
    copy_course(folder)
    (folder / ".zerostride" / "jupyter").write_text("a file in the way")
    monkeypatch.setattr(lab, "is_installed", lambda: True)
    monkeypatch.setattr(lab, "open_lab", lambda *_: pytest.fail("started"))
    use(language)
    assert main(["lab", "--dir", str(folder)]) == 2
    assert {"en": "there is a file in its place", "zh": "已经有一个文件"}.get(
        language, ""
    ) in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"[]", b"3", b'{"url": 3}', b'{"root_dir": "x"}', b"\xff", b'"x"'])
def test_a_broken_record_of_another_server_is_passed_over(tmp_path, content):
    (tmp_path / "jpserver-1.json").write_bytes(content)
    assert lab._read(tmp_path / "jpserver-1.json") is None
    whole = {"root_dir": "/course", "url": "http://0.0.0.0:8888/", "token": "t"}
    (tmp_path / "jpserver-2.json").write_text(json.dumps(whole), "utf-8")
    assert lab._read(tmp_path / "jpserver-2.json")["url"] == "http://127.0.0.1:8888/"


SLOW = """
import os, sys, time
from pathlib import Path
from zerostride.placing import place
replace = os.replace
def slow(part, target):
    time.sleep(float(sys.argv[2]))
    replace(part, target)
os.replace = slow
files = {f"{number:02}_lesson.ipynb": sys.argv[3].encode() * 1000 for number in range(20)}
place(Path(sys.argv[1]), files, "record.json")
"""


def slowly(folder, seconds, word):
    return subprocess.Popen([sys.executable, "-c", SLOW, str(folder), str(seconds), word])


def names(folder):
    return sorted(path.name for path in folder.glob("*.ipynb"))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system kills in another way")
def test_a_run_that_is_killed_leaves_whole_files_and_the_next_one_ends_it(tmp_path):
    with slowly(tmp_path, 0.2, "a") as first:
        while len(names(tmp_path)) < 3:
            time.sleep(0.02)
        first.kill()
    done = names(tmp_path)
    assert 3 <= len(done) < 20
    assert {(tmp_path / name).read_bytes() for name in done} == {b"a" * 1000}
    placed = placing.place(tmp_path, dict.fromkeys(MANY, b"a" * 1000), "record.json")
    assert (placed.unchanged, placed.written) == (done, MANY[len(done) :])
    assert placing.place(tmp_path, dict.fromkeys(MANY, b"b"), "record.json").updated == MANY


PUBLISHED = """
import os, sys, time
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path
from zerostride.publish import editions
class Made:
    def submit(self, build, edition, language, *_):
        made = Future()
        made.set_result({f"{language}/{at:02}.pdf": sys.argv[3].encode() * 1000 for at in range(10)})
        return made
editions.workers = lambda _: nullcontext(Made())
replace, left = os.replace, [int(sys.argv[2])]
def killed(part, target):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), 9)
    time.sleep(0.01)
    replace(part, target)
os.replace = killed
editions.publish(Path(sys.argv[1]), editions=["kit"])
"""


def published(folder, word, killed_at=0):
    return subprocess.Popen([sys.executable, "-c", PUBLISHED, str(folder), str(killed_at), word])


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system kills in another way")
def test_a_publishing_that_is_killed_or_doubled_leaves_whole_files(tmp_path):
    folder = tmp_path / "我的 讲义"
    with published(folder, "a", killed_at=7) as killed:
        assert killed.wait(60) < 0
    assert len([path for path in held(folder) if path.endswith(".pdf")]) == 6
    assert {content for name, content in held(folder).items() if name.endswith(".pdf")} == {b"a" * 1000}
    with published(folder, "a") as one, published(folder, "a") as other:
        assert (one.wait(60), other.wait(60)) == (0, 0)
    whole = held(folder)
    assert len(whole) == 21
    assert {content for name, content in whole.items() if name.endswith(".pdf")} == {b"a" * 1000}
    with published(folder, "b") as newer_one:
        assert newer_one.wait(60) == 0
    assert {content for name, content in held(folder).items() if name.endswith(".pdf")} == {b"b" * 1000}


def test_two_runs_at_once_leave_whole_files_and_one_record(tmp_path):
    with slowly(tmp_path, 0.02, "a") as one, slowly(tmp_path, 0.02, "a") as other:
        assert (one.wait(60), other.wait(60)) == (0, 0)
    assert names(tmp_path) == MANY
    assert {(tmp_path / name).read_bytes() for name in MANY} == {b"a" * 1000}
    assert set(json.loads((tmp_path / "record.json").read_text("utf-8"))) == set(MANY)
    assert not list(tmp_path.glob(".*.part"))


def test_half_a_file_would_be_seen(tmp_path):
    (tmp_path / MANY[0]).write_bytes(b"a" * 500)  # what a run that writes in place leaves when it is killed
    assert placing.place(tmp_path, {MANY[0]: b"a" * 1000}, "record.json").left_alone == MANY[:1]


@pytest.mark.parametrize(
    "name", ["我的 课程", "with  spaces", 'quote\'s "folder"', "$HOME", "-dash", "{brace}", "100%"]
)
def test_any_name_of_a_folder_will_do(source, tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    assert main(["lab", "--copy-only", f"--dir={name}"]) == 0
    assert (tmp_path / name / EN).is_file()
    assert name in capsys.readouterr().out


CUT = """
import resource, sys
from zerostride.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
sys.exit(main(["lab", "--copy-only", "--lang", sys.argv[2], "--dir", sys.argv[1]]))
"""


@pytest.mark.parametrize(
    ("language", "words"), [("en", "larger than the system allows"), ("zh", "允许的大小")]
)
def test_what_the_system_really_cuts_short_is_told_and_no_half_file_stays(tmp_path, language, words):
    pytest.importorskip("resource")
    command = [sys.executable, "-c", CUT, str(tmp_path / "课程"), language]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert held(tmp_path) == {}
