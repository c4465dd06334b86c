"""Files put into a folder: what is remembered of them after an interruption, and beside another process."""

import json
import os
import subprocess
import sys

import pytest

from zerostride import placing
from zerostride.placing import place

RECORD = ".zerostride/record.json"
FILES = {"a.txt": b"1", "b.txt": b"1", "c.txt": b"1"}
NEW = dict.fromkeys(FILES, b"2")


def interrupted(folder, files, monkeypatch, at, error):
    """Place files, and be stopped at one of them."""
    replace = os.replace

    def stopping(part, target):
        if target.name == at:
            raise error
        replace(part, target)

    monkeypatch.setattr("os.replace", stopping)
    with pytest.raises(type(error)):
        place(folder, files, RECORD)
    monkeypatch.setattr("os.replace", replace)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_what_was_written_before_an_interruption_is_known_afterwards(tmp_path, monkeypatch, error):
    place(tmp_path, FILES, RECORD)
    interrupted(tmp_path, NEW, monkeypatch, "b.txt", error)
    assert [(tmp_path / name).read_bytes() for name in FILES] == [b"2", b"1", b"1"]
    placed = place(tmp_path, dict.fromkeys(FILES, b"3"), RECORD)
    assert placed.updated == list(FILES)
    assert not list(tmp_path.rglob("*.part"))


def test_what_somebody_changed_meanwhile_is_not_taken_for_ours(tmp_path, monkeypatch):
    place(tmp_path, FILES, RECORD)
    interrupted(tmp_path, NEW, monkeypatch, "b.txt", KeyboardInterrupt())
    (tmp_path / "a.txt").write_bytes(b"mine")
    assert place(tmp_path, NEW, RECORD).left_alone == ["a.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"mine"


def test_two_processes_forget_nothing_of_each_other(tmp_path, monkeypatch):
    replace = os.replace

    def beside(part, target):
        replace(part, target)
        if target.name == "a.txt":
            monkeypatch.setattr("os.replace", replace)
            place(tmp_path, {"other.txt": b"1"}, RECORD)

    monkeypatch.setattr("os.replace", beside)
    place(tmp_path, FILES, RECORD)
    assert set(json.loads((tmp_path / RECORD).read_text("utf-8"))) == {*FILES, "other.txt"}
    assert place(tmp_path, {"other.txt": b"2"}, RECORD).updated == ["other.txt"]


KILLED = """
import os, sys
from pathlib import Path
from zerostride import placing
os.replace = lambda part, target: os.kill(os.getpid(), 9)
placing.put(Path(sys.argv[1]), b"half")
"""
ON_POSIX = pytest.mark.skipif(os.name == "nt", reason="there a process cannot be asked without ending it")


@pytest.fixture
def left(tmp_path):
    """Kill a process while it writes a file; return the part that it leaves."""
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a.txt")], check=False)
    assert killed.returncode != 0
    [part] = tmp_path.iterdir()
    assert part.name.startswith(".a.txt.")
    return part


@ON_POSIX
@pytest.mark.parametrize("there", [None, b"1", b"mine"])
def test_what_a_killed_run_left_is_swept_by_the_next_one(tmp_path, left, there):
    if there:
        (tmp_path / "a.txt").write_bytes(there)
    place(tmp_path, FILES, RECORD)
    assert not left.exists()
    assert (tmp_path / "a.txt").read_bytes() == (there or b"1")


@ON_POSIX
def test_it_is_the_sweep_that_takes_it_away(tmp_path, left, monkeypatch):
    monkeypatch.setattr(placing, "_sweep", lambda _: None)
    place(tmp_path, FILES, RECORD)
    assert left.read_bytes() == b"half"


def test_the_part_of_a_process_that_runs_and_files_of_others_stay(tmp_path):
    gone, running = 2**22 + 5, os.getppid()
    stay = [
        f".a.txt.{running}.part",
        ".a.txt.part",
        ".a.txt.notes.part",
        f".mine.txt.{gone}.part",
        "a.1.part",
    ]
    for name in (*stay, f".a.txt.{gone}.part"):
        (tmp_path / name).write_bytes(b"x")
    place(tmp_path, FILES, RECORD)
    left = {path.name for path in tmp_path.glob("*.part")}
    assert left - {f".a.txt.{gone}.part"} == set(stay)
    assert os.name == "nt" or left == set(stay)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name")
def test_a_pipe_or_a_huge_file_in_the_place_of_the_record_is_not_read(tmp_path):
    (tmp_path / RECORD).parent.mkdir()
    (tmp_path / "a.txt").write_bytes(b"mine")
    os.mkfifo(tmp_path / RECORD)
    assert place(tmp_path, NEW, RECORD).left_alone == ["a.txt"]
    os.truncate(tmp_path / RECORD, 1 << 40)
    assert place(tmp_path, FILES, RECORD).left_alone == list(FILES)
    assert (tmp_path / "a.txt").read_bytes() == b"mine"
