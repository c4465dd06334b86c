"""Files put into a folder: what is remembered of them after an interruption, and beside another process."""

import json
import os

import pytest

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
