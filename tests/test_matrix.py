"""The matrix of versions: what it installs, what may differ, and that a failure is told."""

import configparser
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import matrix
import zerostride as zs
from zerostride.language import LANGUAGES

RULES = configparser.ConfigParser(interpolation=None)
RULES.read(Path(__file__).with_name("matrix.cfg"), encoding="ascii")
SVG = '<?xml version="1.0" encoding="utf-8"?>\n<svg><path d="{}"/>\n</svg>\n'


def sanitized(text):
    for name in RULES.sections():
        text = re.sub(RULES[name]["regex"], RULES[name]["replace"], text)
    return text


def test_drawings_may_differ_and_nothing_beside_them():
    assert sanitized(SVG.format("M 1 2")) == sanitized(SVG.format("M 3 4"))
    assert sanitized("(0, 8)" + SVG.format("M 1 2")) != sanitized("(0, 9)" + SVG.format("M 1 2"))
    assert sanitized(SVG.format(1) + "between" + SVG.format(2)) == "DRAWING\nbetweenDRAWING\n"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_installed_may_differ(language):
    zs.use(language)
    here = zs.machine()
    assert sanitized(str(here)) == "MACHINE"
    assert sanitized(here._repr_html_()).endswith("MACHINE")
    assert sanitized(str(zs.can_expand((1, 3), (4, 3)))) == str(zs.can_expand((1, 3), (4, 3)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("origin", ["recorded", "probed"])
def test_what_writes_do_may_differ(origin, language):
    zs.use(language)
    found = replace(zs.writes.atlas(["numpy"]).filter(outcome="unsafe"), origins={"numpy": origin})
    for shown in (str(found), found.html, str(found.notes)):
        assert sanitized(shown) == "ATLAS"
    one = zs.can_i_write(np.zeros(3), "x[0] = 9")
    assert sanitized(str(one)) == str(one)


def test_the_oldest_python_and_the_pinned_torch_are_in_it():
    pinned = (matrix.ROOT / "constraints.txt").read_text("utf-8")
    needed = re.search(r'requires-python = ">=(.*)"', (matrix.ROOT / "pyproject.toml").read_text("utf-8"))[1]
    assert f"\ntorch=={matrix.TORCH}\n" in pinned
    for limit in matrix.LIMITS:
        assert f"\n{limit}\n" in pinned
    assert min(python for python, _, _ in matrix.COMBINATIONS) == needed
    for torch in (None, matrix.TORCH):
        assert {versions for _, versions, each in matrix.COMBINATIONS if each == torch} == {
            "oldest",
            "newest",
        }


def test_what_is_left_out_is_there_to_be_left_out():
    assert all((matrix.ROOT / f"tests/test_{name}.py").exists() for name in matrix.LEFT_OUT)


def test_lessons_without_torch_lack_the_cells_that_need_it(tmp_path):
    counts = []
    for torch in (None, matrix.TORCH):
        matrix.lessons(tmp_path, torch)
        files = list((tmp_path / "notebooks").glob("*/*.ipynb"))
        counts.append(sum(file.read_text("utf-8").count('"torch"') for file in files))
    assert counts[0] == 0 < counts[1]
    rules = (tmp_path / "differ.cfg").read_text("ascii")
    assert "[version]" in rules
    assert all(f"[{name}]" in rules for name in RULES.sections())


@pytest.mark.parametrize(
    ("installed", "passes", "status"), [("", True, 0), ("", False, 1), ("no such", True, 1)]
)
def test_what_failed_is_told(installed, passes, status, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(matrix, "MATRIX", tmp_path)
    monkeypatch.setattr(matrix, "install", lambda *_: installed)
    monkeypatch.setattr(matrix, "versions_in", lambda _: "numpy 2.0.0")
    monkeypatch.setattr(matrix, "outcome", lambda _, name, *options: (passes or name != "cells", name))
    assert matrix.main(["3.13-newest"]) == status
    line = capsys.readouterr().out
    assert line.startswith("FAILED" if status else "passed")
    assert "3.13-newest" in line
    assert matrix.main(["3.9-oldest"]) == 1
