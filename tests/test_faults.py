"""The seeded faults: each can be put in place, names tests that exist, and a few are tried here."""

import ast
import runpy
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from zerostride.checks import CLAIMS, SUITES

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "zerostride"
RUN = TESTS / "faults" / "run.py"
faults = runpy.run_path(str(RUN))["faults"]
FAULTS = {fault.name: fault for fault in faults()}
CHEAP = ("one-row-is-every-row", "length-one-axis-is-shared", "mean-by-rows-is-right")


@cache
def functions_of(file):
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def unsound(fault):
    """Yield what keeps a fault from being tried."""
    if (PACKAGE / fault.file).read_text("utf-8").count(fault.was) != 1:
        yield f"{fault.file} does not hold its text once"
    if fault.was == fault.becomes or not fault.teaches or not fault.tests:
        yield "nothing changes, nothing is taught or nothing is meant to catch it"
    for test in fault.tests:
        file, _, function = test.partition("[")[0].partition("::")
        if not (TESTS / file).is_file() or function not in functions_of(file):
            yield f"no test {test}"


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_can_be_put_in_place_and_names_its_tests(name):
    assert list(unsound(FAULTS[name])) == []


def test_every_name_is_that_of_one_fault():
    assert len(faults()) == len(FAULTS)
    assert set(CHEAP) <= set(FAULTS)


def test_there_are_enough_and_as_many_as_contributing_says():
    areas = Counter(fault.area for fault in FAULTS.values())
    scripts = sum(fault.file.endswith(".js") for fault in FAULTS.values())
    assert (areas.total() >= 60, areas["front"] >= 15, min(areas.values()) >= 5) == (True,) * 3
    said = (TESTS.parent / "CONTRIBUTING.md").read_text("utf-8")
    assert f"holds {areas.total()} faults" in said
    assert f"; {scripts} are in the JavaScript of the drawings" in said


def test_each_claim_has_a_fault_in_each_suite():
    tried = {(fault.claim, suite) for fault in FAULTS.values() for suite in fault.suites}
    assert tried == set(product(CLAIMS, SUITES))


def run(*options):
    done = subprocess.run([sys.executable, RUN, *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


HARMLESS = """
[a-comment]
teaches = "Nothing: a comment says the same in other words."
file = "layouts/arithmetic.py"
was = "Nothing here looks at an array"
becomes = "No array is looked at here"
tests = ["test_layouts.py::test_a_length_one_axis_is_never_shared"]

[broken]
teaches = "Nothing: the package cannot be imported, which is no answer of a test."
file = "layouts/arithmetic.py"
was = "from math import prod"
becomes = "from math import no_such_name"
tests = ["test_layouts.py::test_a_length_one_axis_is_never_shared"]

[not-there]
teaches = "Nothing: the text is not in the file."
file = "layouts/arithmetic.py"
was = "no such text"
becomes = ""
tests = ["test_layouts.py::test_no_such_test"]
"""


def test_a_few_are_caught_and_what_no_test_catches_is_said_to_survive(tmp_path):
    pytest.importorskip("torch")
    harmless = tmp_path / "harmless.toml"
    harmless.write_text(HARMLESS, "utf-8")
    tried = (*CHEAP, "a-comment", "broken")
    code, said, _ = run("--file", str(harmless), *(option for name in tried for option in ("--name", name)))
    assert code == 1
    assert "5 faults, 3 caught" in said
    lines = [line.split("  ") for line in said.partition("\n\n")[0].splitlines()]
    found = {name: what.partition(" ")[0] for _, name, _, what in lines}
    assert found == dict.fromkeys(CHEAP, "caught") | {"a-comment": "survived", "broken": "survived"}


def test_a_fault_that_cannot_be_put_in_place_is_found(tmp_path):
    harmless = tmp_path / "harmless.toml"
    harmless.write_text(HARMLESS, "utf-8")
    assert [len(list(unsound(fault))) for fault in faults([harmless])[-3:]] == [0, 0, 2]


def test_an_unknown_name_is_told():
    code, _, said = run("--name", "no-such-fault")
    assert (code, said) == (2, "no such fault: no-such-fault\n")
