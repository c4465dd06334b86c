"""Nothing that the source articles state is lost when a lesson changes."""

import json
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Every statement, number and caution of the two source articles, in our own words, with the cells that teach
# it: one file per lesson.
FILES = sorted((ROOT / "tests" / "article").glob("*.toml"))
STATEMENTS = [
    (file.stem, each["states"], each["cells"])
    for file in FILES
    for each in tomllib.loads(file.read_text("utf-8"))["statements"]
]


def lost_cells(lesson, cells, language):
    notebook = json.loads((ROOT / "notebooks" / language / f"{lesson}.ipynb").read_text("utf-8"))
    return set(cells) - {cell["id"] for cell in notebook["cells"]}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("lesson", "states", "cells"), STATEMENTS)
def test_each_statement_has_its_cells(lesson, states, cells, language):
    assert cells, states
    assert not lost_cells(lesson, cells, language), states


def test_a_lost_cell_is_found():
    assert lost_cells("01_four_rows_three_numbers", ["a-cell-that-is-gone"], "en") == {"a-cell-that-is-gone"}
