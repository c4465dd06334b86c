"""What lesson 0 says about the other lessons, the checks and the program of the article is so."""

import json
import math
import re

import numpy as np
import pytest

import zerostride as zs
from kernels import run
from notebook_form import SECONDS_PER, code_cells, core_minutes
from zerostride.course import lessons, lessons_folder, tags
from zerostride.course import source as text_of
from zerostride.language import LANGUAGES

LINK = re.compile(r"\[(\d)\]\((\d\d_\w+)\.ipynb\)")
START = "00_start_here"
COMING = {"08_expand_or_repeat.ipynb", "09_field_cases.ipynb"}
# Minutes of a class, and the lessons that its path goes through.
PATHS = {50: (0, 1, 4), 90: (0, 1, 4, 2, 7), 180: (0, 1, 4, 2, 7, 5, 6, 8)}


def notebook(language, name=START):
    return json.loads((lessons_folder() / language / f"{name}.ipynb").read_text("utf-8"))


def cell(language, name):
    return next(text_of(each) for each in notebook(language)["cells"] if each["id"] == name)


def rows(text):
    """The rows of a table in Markdown, without its header."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[part.strip() for part in line.strip("|").split("|")] for line in lines[2:]]


def checked_in(language, name):
    """The claims that a lesson checks on its own arrays."""
    code = "\n".join(map(text_of, code_cells(notebook(language, name))))
    return set(re.findall(r"zs\.checks\.(\w+)\(", code))


def table_faults(table, checked):
    """What is wrong with the table of the checks, ``checked`` giving the claims of a lesson."""
    claims = [row[1].strip("`") for row in table]
    faults = [] if claims == list(zs.checks.CLAIMS) else ["the claims are not the fourteen in their order"]
    for claim, row in zip(claims, table, strict=True):
        lessons_named = [LINK.fullmatch(part) for part in row[2:]]
        if len(lessons_named) != len(zs.checks.SUITES) or not all(lessons_named):
            faults.append(f"{claim} has no link for each suite")
        elif not any(claim in checked(found[2]) for found in lessons_named):
            faults.append(f"{claim} is checked in none of its lessons")
        elif any(int(found[1]) != int(found[2][:2]) for found in lessons_named):
            faults.append(f"{claim} leads elsewhere than it says")
    return faults


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_of_the_forty_two_checks_has_its_lesson(language):
    table = rows(cell(language, "forty-two"))
    assert table_faults(table, lambda name: checked_in(language, name)) == []
    assert sum(len(LINK.findall(" ".join(row))) for row in table) == 42


@pytest.mark.parametrize(
    ("place", "text", "fault"),
    [
        ((0, 1), "`values_match`", "not the fourteen"),
        ((0, 2), "1", "no link for each suite"),
        ((0, 2), "[2](01_four_rows_three_numbers.ipynb)", "leads elsewhere"),
        ((10, 2), "[3](03_copies.ipynb)", "checked in none"),
    ],
)
def test_a_faulty_table_is_found(place, text, fault):
    table = rows(cell("en", "forty-two"))
    table[place[0]][place[1]] = text
    if place[0] == 10:
        table[10][2:] = [text] * 3
    found = table_faults(table, lambda name: checked_in("en", name))
    assert any(fault in each for each in found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_map_has_every_lesson_with_the_minutes_that_it_states(language):
    there = {int(path.name[:2]): path for path in lessons(language)}
    named = {int(LINK.match(row[0])[1]): row for row in rows(cell(language, "map"))}
    assert set(there) - set(named) == {0}
    for number, path in there.items():
        stated = re.search(
            r"\*\*(?:Time:|时间：)\*\* ?(\d+)", text_of(notebook(language, path.stem)["cells"][0])
        )
        assert core_minutes(notebook(language, path.stem)) <= int(stated[1])
        if number:
            assert named[number][2] == stated[1]


def class_minutes(language, name):
    """Minutes of a lesson in class: questions asked beforehand and exercises are left out."""
    cells = notebook(language, name)["cells"]
    kept = [each for each in cells if not each["id"].startswith("question-")]
    exercises = sum(
        "zs.your_turn(" in text_of(each) for each in code_cells({"cells": kept}) if "extra" not in tags(each)
    )
    return core_minutes({"cells": kept}) - exercises * SECONDS_PER["your_turn"] / 60


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("minutes", PATHS)
def test_the_paths_of_a_class_fit_their_time(minutes, language):
    there = {int(path.name[:2]): path.stem for path in lessons(language)}
    needed = sum(class_minutes(language, there[number]) for number in PATHS[minutes] if number in there)
    assert math.ceil(needed) <= minutes


def test_a_path_that_is_too_long_would_be_seen():
    there = {int(path.name[:2]): path.stem for path in lessons("en")}
    assert sum(class_minutes("en", there[number]) for number in PATHS[180] if number in there) > 90


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_assertions_of_the_program_are_the_claims_and_hold(language):
    found = [re.findall(r"`([^`]+)`", " ".join(row)) for row in rows(cell(language, "explain-program"))]
    assert [row[-1] for row in found] == list(zs.checks.CLAIMS)
    source = np.array([[1.0, 2.0, 3.0]])
    weights = np.arange(1.0, 13.0).reshape(4, 3)
    names = {"np": np, "source": source, "weights": weights, "expected": weights.sum(axis=0, keepdims=True)}
    names |= {"view": np.broadcast_to(source, (4, 3)), "tiled": np.tile(source, (4, 1))}
    names["dense"] = names["view"] + np.ones((4, 3))
    asserted = [row[0] for row in found]
    assert all(eval(each, names) for each in asserted[:6])
    source[0, 0] = 9.0
    names["edited"] = names["view"].copy()
    names["edited"][0, 0] = -1.0
    assert all(eval(each, names) for each in asserted[6:10])
    with pytest.raises(ValueError, match="broadcast"):
        eval(asserted[10], names)
    for make in (lambda x: np.broadcast_to(x, (4, 3)), lambda x: np.tile(x, (4, 1))):
        names["numerical"] = zs.finite_difference(lambda x, make=make: (make(x) * weights).sum(), source)
        assert all(eval(each, names) for each in asserted[11:])
    names["numerical"] = weights[:1]
    assert not eval(asserted[12], names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_link_to_a_lesson_leads_somewhere(language):
    text = "\n".join(map(text_of, notebook(language)["cells"]))
    links = {link for link in re.findall(r"\]\(([^)]+\.ipynb)\)", text) if not link.startswith("http")}
    assert {f"../{other}/{START}.ipynb" for other in LANGUAGES if other != language} & links
    missing = {link for link in links if not (lessons_folder() / language / link).exists()}
    assert missing <= COMING


def test_without_torch_every_cell_runs_and_says_what_did_not(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['torch'] = None\n")
    executed = {each["id"]: each for each in run(notebook("en"), tmp_path).cells}
    assert "14 passed, 0 failed, 28 not run" in executed["run-forty-two"].outputs[0].data["text/plain"]
    assert "%pip install -U torch" in executed["run-machine"].outputs[0].data["text/plain"]
