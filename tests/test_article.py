"""Nothing that the source articles state is lost when a lesson changes."""

import json
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHECKLIST = tomllib.loads((ROOT / "tests" / "article.toml").read_text("utf-8"))
STATEMENTS = [(lesson, each["states"], each["cells"]) for lesson, rows in CHECKLIST.items() for each in rows]


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
