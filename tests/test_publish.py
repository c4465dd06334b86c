"""The command that builds the editions: what it says and writes, and that it writes the same everywhere."""

import errno
import json
import os
import re
import struct
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from sample_course import ROOT
from zerostride.cli import main
from zerostride.language import LANGUAGES
from zerostride.publish.editions import EDITIONS, RECORD, publish

ONE = ("--edition", "instructor", "--lesson", "01")
FIRST = "instructor/01_four_rows_three_numbers.ipynb"


def command(*arguments, **variables):
    """Run the command in a process of its own, with its two outputs apart."""
    cleared = ("ZEROSTRIDE_LANG", "LC_ALL", "LC_MESSAGES", "LANG", "PYTHONPATH", "SOURCE_DATE_EPOCH")
    environment = {name: value for name, value in os.environ.items() if name not in cleared}
    folder = variables.pop("cwd", None)
    return subprocess.run(
        [sys.executable, "-m", "zerostride", "publish", *map(str, arguments)],
        env=environment | {"ZEROSTRIDE_LANG": "en"} | variables,
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def files_below(folder):
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}


# What is written, and what is said about it.


def test_a_table_names_every_file_with_its_size_and_what_became_of_it(tmp_path, capsys):
    assert main(["publish", "--out", str(tmp_path), *ONE]) == 0
    told, errors = capsys.readouterr()
    written = files_below(tmp_path)
    assert set(written) == {
        f"{language}/{name}"
        for language in LANGUAGES
        for name in (FIRST, "instructor/guide.md", "instructor.zip")
    } | {RECORD}
    for name, path in written.items():
        if name != RECORD:
            assert re.search(rf"^{name} +{path.stat().st_size:,} +written$", told, re.MULTILINE)
    assert errors == ""


def test_json_says_the_same_as_data(tmp_path, capsys):
    main(["publish", "--out", str(tmp_path), "--lang", "en", "--json", *ONE])
    told = json.loads(capsys.readouterr().out)
    found = files_below(tmp_path)
    sizes = {name: found[name].stat().st_size for name in sorted(found) if name != RECORD}
    assert told == {
        "sizes": sizes,
        "written": list(sizes),
        "updated": [],
        "unchanged": [],
        "left_alone": [],
    }


def test_one_language_where_one_is_named_and_in_its_words(tmp_path, capsys):
    assert main(["publish", "--out", str(tmp_path), "--lang", "zh", *ONE]) == 0
    told = capsys.readouterr().out
    assert {name.split("/")[0] for name in files_below(tmp_path)} == {"zh", ".zerostride"}
    assert "已写入" in told
    assert "written" not in told


def test_a_changed_file_is_left_alone_and_the_rest_is_unchanged(tmp_path, capsys):
    arguments = ["publish", "--out", str(tmp_path), "--lang", "en", *ONE]
    main(arguments)
    (tmp_path / "en" / FIRST).write_text("mine", "utf-8")
    capsys.readouterr()
    assert main(arguments) == 0
    told = capsys.readouterr().out
    assert "left alone" in next(line for line in told.splitlines() if FIRST in line)
    assert "unchanged" in next(line for line in told.splitlines() if "instructor.zip" in line)
    assert (tmp_path / "en" / FIRST).read_text("utf-8") == "mine"


def test_progress_is_told_part_by_part(tmp_path):
    steps = []
    publish(tmp_path, lessons=["01"], editions=["instructor"], progress=lambda *step: steps.append(step))
    assert steps == [(0, 2), (1, 2), (2, 2)]


def test_no_bar_where_nobody_watches(tmp_path):
    done = command("--out", tmp_path, *ONE)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_bar_on_a_terminal_alone(tmp_path):
    pty, fcntl, termios = (pytest.importorskip(name) for name in ("pty", "fcntl", "termios"))
    seen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    arguments = [sys.executable, "-m", "zerostride", "publish", "--out", str(tmp_path), *ONE]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=terminal, check=False)
    shown = os.read(seen, 100_000).decode()
    os.close(terminal)
    os.close(seen)
    assert done.returncode == 0
    assert re.findall(r"(\d/.) 00:", shown)[-3:] == ["0/2", "1/2", "2/2"]
    assert b"written" in done.stdout


AFTER_TYPESETTING = """
import sys
from pathlib import Path

from zerostride.publish.editions import publish
from zerostride.publish.paper.markup import document, opening

if __name__ == "__main__":
    document(opening(title="rows", size="a4") + "rows")
    print(*publish(Path(sys.argv[1]), editions=["kit"]).placed.written)
"""


def test_it_builds_where_something_was_typeset_before(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(AFTER_TYPESETTING, "utf-8")
    arguments = [sys.executable, str(program), str(tmp_path / "out")]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "zh/kit/check-in.a4.pdf" in done.stdout


# What cannot be done.


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--edition", "poster"), ("no edition poster", "learner, instructor")),
        (("--lesson", "12"), ("no lesson 12", "00_start_here")),
        (("--lesson", ""), ("no lesson ;", "00_start_here")),
        (("--paper", "a5"), ("a5 cannot be chosen", "a4, us-letter")),
        (("--answers", "beside"), ("beside cannot be chosen", "none, end, inline")),
        (("--lang", "fr"), ("fr",)),
        (("more",), ("more",)),
    ],
)
def test_what_is_not_there_is_one_line_and_2(tmp_path, capsys, arguments, words):
    assert main(["publish", "--out", str(tmp_path / "new"), *arguments]) == 2
    told, errors = capsys.readouterr()
    assert told == ""
    assert len(errors.splitlines()) == 1
    assert all(word in errors for word in words)
    assert not (tmp_path / "new").exists()


def test_without_a_folder_it_asks_for_one(capsys):
    assert main(["publish"]) == 2
    assert "--out DIR" in capsys.readouterr().err
    assert main(["publish", "--lang", "zh"]) == 2
    assert "请指定输出文件夹" in capsys.readouterr().err


def test_a_name_that_is_empty_is_no_folder(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["publish", "--out", "", *ONE]) == 2
    assert "--out DIR" in capsys.readouterr().err
    assert files_below(tmp_path) == {}


@pytest.mark.parametrize("place", ["out", "out/en"])
def test_a_file_in_the_place_of_a_folder_is_said_so_and_kept(tmp_path, capsys, place):
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text("mine", "utf-8")
    assert main(["publish", "--out", str(tmp_path / "out"), *ONE]) == 2
    errors = capsys.readouterr().err
    assert "there is a file in its place" in errors
    assert "--out" in errors
    assert (tmp_path / place).read_text("utf-8") == "mine"


def test_a_folder_that_may_not_be_written_is_said_so(tmp_path, capsys, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refused)
    assert main(["publish", "--out", str(tmp_path / "out"), *ONE]) == 2
    assert "you may not write there" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_the_right_to_write_in_a_real_process(tmp_path):
    tmp_path.chmod(0o500)
    done = command("--out", tmp_path, *ONE)
    tmp_path.chmod(0o700)
    assert done.returncode == 2
    assert files_below(tmp_path) == {}


@pytest.mark.parametrize("taken", ["a file", "a folder to be read alone"])
def test_before_anything_is_built_the_folder_is_looked_at(tmp_path, monkeypatch, taken):
    monkeypatch.setattr("zerostride.publish.editions.workers", lambda _: pytest.fail("it builds"))
    if taken == "a file":
        (tmp_path / "out").write_text("")
    else:
        monkeypatch.setattr("zerostride.placing.os.access", lambda *_: False)
    for folder in (tmp_path / "out", tmp_path / "out" / "deeper"):
        with pytest.raises((FileExistsError, PermissionError)):
            publish(folder)


@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "no space is left there"), (errno.EROFS, "you may not write there")]
)
def test_a_full_disk_and_one_to_be_read_alone_are_said_so(tmp_path, capsys, monkeypatch, number, words):
    def refused(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "write_bytes", refused)
    assert main(["publish", "--out", str(tmp_path / "out"), *ONE]) == 2
    errors = capsys.readouterr().err
    assert words in errors
    assert os.strerror(number) not in errors
    assert files_below(tmp_path) == {}


@pytest.mark.parametrize("content", ["{", "[]", '{"cells": []}', '{"cells": [{"id": "a"}]}', "\udcff"])
def test_a_notebook_that_cannot_be_read_is_named(tmp_path, capsys, monkeypatch, content):
    for language in LANGUAGES:
        (tmp_path / language).mkdir()
        (tmp_path / language / "01_four_rows_three_numbers.ipynb").write_text(
            content, "utf-8", "surrogatepass"
        )
    monkeypatch.setattr("zerostride.course.lessons_folder", lambda: tmp_path)
    assert main(["publish", "--lang", "en", "--out", str(tmp_path / "out")]) == 2
    assert "en/01_four_rows_three_numbers.ipynb cannot be read" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def without(package, folder):
    """Return a folder for PYTHONPATH in which a package cannot be imported."""
    folder.mkdir()
    (folder / f"{package}.py").write_text(f"raise ModuleNotFoundError('none', name={package!r})\n", "utf-8")
    return str(folder)


@pytest.mark.parametrize("package", ["typst", "pypandoc"])
def test_without_the_extra_it_says_what_to_install_and_writes_nothing(tmp_path, package):
    lacking = without(package, tmp_path / "lacking")
    out = tmp_path / "out"
    done = command(
        "--out", out, "--lang", "en", "--edition", "instructor", "--edition", "kit", PYTHONPATH=lacking
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"{package} is missing" in done.stderr
    assert "pip install 'zerostride[publish]'" in done.stderr
    assert not out.exists()


def test_editions_of_notebooks_need_no_extra(tmp_path):
    lacking = without("tqdm", tmp_path / "lacking")
    for package in ("typst", "pypandoc"):
        Path(lacking, f"{package}.py").write_text("raise ImportError\n", "utf-8")
    done = command("--out", tmp_path / "out", "--edition", "learner", *ONE, PYTHONPATH=lacking)
    assert (done.returncode, done.stderr) == (0, "")
    assert "learner.zip" in done.stdout


# The same bytes everywhere.


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a folder with every edition in both languages."""
    folder = tmp_path_factory.mktemp("here") / "out"
    done = command("--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


def digests(folder):
    return {name: sha256(path.read_bytes()).hexdigest() for name, path in files_below(folder).items()}


def test_two_builds_are_the_same_bytes_whatever_surrounds_them(whole, tmp_path):
    there = tmp_path / "别处 of another name"
    there.mkdir()
    around = {
        "PYTHONHASHSEED": "7",
        "TZ": "Asia/Shanghai",
        "LC_ALL": "C",
        "HOME": str(there),
        "COLUMNS": "40",
    }
    done = command("--out", "out", cwd=there, **around)
    assert done.returncode == 0, done.stderr
    one, other = digests(whole), digests(there / "out")
    assert [name for name in one | other if one.get(name) != other.get(name)] == []


def test_another_byte_would_be_seen(whole, tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    one = digests(tmp_path)
    (tmp_path / "a").write_bytes(b"2")
    assert digests(tmp_path) != one


def test_every_edition_is_there_in_both_languages_under_the_same_names(whole):
    names = {
        language: {name.removeprefix(f"{language}/") for name in files_below(whole / language)}
        for language in LANGUAGES
    }
    assert names["en"] == names["zh"]
    shared = {name for name in files_below(whole) if not name.startswith(tuple(f"{it}/" for it in LANGUAGES))}
    parts = {name.split("/")[0].partition(".")[0] for name in names["en"] | shared}
    assert len(parts) >= len(EDITIONS)


MACHINE = re.compile(rb"/(?:home|root|tmp|work|Users)/\w")


def test_no_file_tells_where_it_was_made(whole):
    assert [name for name, path in files_below(whole).items() if MACHINE.search(path.read_bytes())] == []
    assert MACHINE.search(b"see /home/anna/x")


def sizes_told():
    """MB of each edition as the README tells them."""
    text = (ROOT / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .* \| (\d+\.\d) \|$", text, re.MULTILINE)
    return {edition: float(size) for edition, size in rows}


def sizes_built(folder):
    """MB of each edition in its larger language; files for both languages count once."""
    names = {"handouts": "handout", "zerostride": "page"}
    sizes = {}
    for name, path in files_below(folder).items():
        first, *rest = name.split("/")
        if first != ".zerostride":
            edition, language = (rest[0].partition(".")[0], first) if first in LANGUAGES else (first, "both")
            place = names.get(edition, edition), language
            sizes[place] = sizes.get(place, 0) + path.stat().st_size / 1e6
    return {edition: max(size for (it, _), size in sizes.items() if it == edition) for edition, _ in sizes}


def test_the_sizes_of_the_readme_are_those_of_the_files(whole):
    told, built = sizes_told(), sizes_built(whole)
    assert set(told) == set(built) == set(EDITIONS)
    for edition in EDITIONS:
        assert abs(told[edition] - built[edition]) <= max(0.1, 0.2 * built[edition]), edition
