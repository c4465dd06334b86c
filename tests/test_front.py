"""The live drawing's own arithmetic against Layout, in every state its controls can be set to."""

import json
import re
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from zerostride.arithmetic import byte_offsets, indices
from zerostride.explore import (
    DTYPES,
    MOST_COLS,
    MOST_ROWS,
    OPERATIONS,
    UNITS,
    Drawing,
    addresses_layout,
    front_words,
    shown_values,
)

sys.path.insert(0, str(Path(__file__).parent / "browser"))
from served_lab import browser, chromium, unavailable

SOURCE = Drawing._esm
SIZES = list(product(range(1, MOST_ROWS + 1), range(1, MOST_COLS + 1)))
STATES = list(product(SIZES, DTYPES, OPERATIONS, UNITS))

IN_NODE = """
import { readFileSync } from 'node:fs';
const module = await import('data:text/javascript;base64,' + readFileSync(process.argv[1], 'base64'));
const calls = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(calls.map(([name, given]) => module[name](...given))));
"""
IN_A_PAGE = """async ([source, calls]) => {
  const module = await import(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
  return JSON.stringify(calls.map(([name, given]) => module[name](...given)));
}"""


def under_node(calls, source, folder):
    """Call functions of the module under Node; each call is a name and its arguments."""
    path = folder / "module.js"
    path.write_text(source, "utf-8")
    command = [shutil.which("node"), "--input-type=module", "-e", IN_NODE, str(path)]
    answer = subprocess.run(
        command, input=json.dumps(calls), capture_output=True, encoding="utf-8", check=True
    )
    return json.loads(answer.stdout)


def in_chromium(calls, source, folder):
    """Call the same in an empty page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, browser(playwright) as started:
        return json.loads(started.new_page().evaluate(IN_A_PAGE, [source, calls]))


@pytest.fixture(scope="module")
def call(tmp_path_factory):
    """Hand out a function that calls functions of the module, wherever JavaScript runs on this machine."""
    engine = under_node if shutil.which("node") else in_chromium if chromium() else None
    if engine is None:
        unavailable("neither Node nor Chromium on this machine: the drawing's numbers not compared")
    return lambda calls, source=SOURCE: engine(calls, source, tmp_path_factory.mktemp("module"))


def questions(states):
    """Yield a call for every element of every state."""
    for (rows, cols), dtype, operation, unit in states:
        state = {"rows": rows, "cols": cols, "itemsize": DTYPES[dtype], "operation": operation, "unit": unit}
        for index in indices((rows, cols)):
            yield ["addresses", [state | {"highlight": list(index)}]]


def expected(states):
    """Yield what Layout says to each of them."""
    for (rows, cols), dtype, operation, unit in states:
        seen = addresses_layout(rows, cols, dtype, operation)
        offsets = byte_offsets(seen.shape, seen.strides_bytes)
        scale = seen.itemsize if unit == "elements" else 1
        same = {
            "stridesBytes": list(seen.strides_bytes),
            "stridesElements": list(seen.strides_elements),
            "offsetsBytes": offsets.tolist(),
            "offsets": (offsets // scale).tolist(),
            "starts": sorted(set(offsets.ravel().tolist())),
            "formula": seen.formula_in(unit),
            "logicalBytes": seen.logical_bytes,
            "touchedBytes": seen.touched_bytes,
            "storedBytes": seen.storage_bytes,
        }
        for index in indices(seen.shape):
            here = seen.offset_bytes(index)
            yield same | {
                "here": here,
                "readers": np.argwhere(offsets == here).tolist(),
                "worked": seen.worked(index, unit),
            }


def differing(call, states, source=SOURCE):
    """Return how many answers of the module are not Layout's."""
    answers = call(list(questions(states)), source)
    return sum(answer != right for answer, right in zip(answers, expected(states), strict=True))


def test_every_state_equals_layout(call):
    assert len(STATES) == 8 * 6 * 8 * 2 * 2
    assert differing(call, STATES) == 0


BROKEN = {
    "strides swapped": (
        "[expanded ? 0 : cols * itemsize, itemsize]",
        "[itemsize, expanded ? 0 : cols * itemsize]",
    ),
    "never expanded": ('operation === "expand" && rows > 1', "false"),
    "a row of its own": ('operation === "expand" && rows > 1', 'operation === "expand"'),
    "units mixed": ('unit === "elements" ? stridesElements', 'unit === "bytes" ? stridesElements'),
    "one unit too many": ('unit === "bytes" ? " B"', 'unit === "elements" ? " B"'),
    "stored without the last element": ("starts.at(-1) + itemsize", "starts.at(-1)"),
    "logical as stored": ("logicalBytes: rows * cols", "logicalBytes: cols"),
    "readers of the row": ("byte === here &&", "i === row &&"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_wrong_module_is_seen(call, fault):
    right, wrong = BROKEN[fault]
    assert SOURCE.count(right) == 1
    assert differing(call, STATES[::53], SOURCE.replace(right, wrong)) > 0


@pytest.mark.browser
def test_chromium_computes_the_same(tmp_path):
    if not chromium():
        unavailable("no Chromium on this machine: the module was not run in it")
    some = STATES[::31]
    answers = in_chromium(list(questions(some)), SOURCE, tmp_path)
    assert answers == list(expected(some))


def test_values_are_written_as_python_writes_them(call):
    numbers = range(1, MOST_COLS + 1)
    for dtype in DTYPES:
        shown = call([["valueText", [number, dtype]] for number in numbers])
        assert shown == shown_values(MOST_COLS, dtype).tolist()
        if dtype not in ("bool", "bfloat16"):
            assert shown == [str(np.array(number, dtype).item()).strip("()") for number in numbers]
    assert call([["valueText", [1, "bool"]], ["valueText", [2, "bool"]]]) == ["True", "False"]


def distinct_marks(call, count, source=SOURCE):
    marks = call([["markOf", [rank]] for rank in range(count)], source)
    return len({(mark["shape"], mark["fill"]) for mark in marks})


def test_each_address_has_a_mark_of_its_own(call):
    most = MOST_ROWS * MOST_COLS
    assert distinct_marks(call, most) == most
    assert distinct_marks(call, most, SOURCE.replace("rank / SHAPES.length", "rank / 16")) < most


def test_marks_are_compared_with_the_readers(call):
    readers = [[0, 1], [1, 1], [2, 1]]
    found = call([["compareMarks", [["0,1", "2,0"], readers, [2, 1]]]])
    assert found == [{"right": ["0,1"], "missed": ["1,1"], "extra": ["2,0"]}]


def test_the_mission_has_exactly_these_answers(call):
    states = [(size, "float64", operation, "bytes") for size, operation in product(SIZES, OPERATIONS)]
    asked = [
        ["missionDone", [{"rows": rows, "cols": cols}, {"starts": starts_of(state)}]]
        for state in states
        for (rows, cols) in [state[0]]
    ]
    done = [state for state, answer in zip(states, call(asked), strict=True) if answer]
    assert done == [((2, 6), "float64", "expand", "bytes")]


def starts_of(state):
    (rows, cols), dtype, operation, _ = state
    seen = addresses_layout(rows, cols, dtype, operation)
    return sorted(set(byte_offsets(seen.shape, seen.strides_bytes).ravel().tolist()))


def test_presets_can_be_set_on_the_controls(call):
    words = front_words("addresses")
    for name, state in call([["presets", [words]]])[0]:
        assert name in words.values()
        assert (state["rows"], state["cols"]) in SIZES
        assert state["dtype"] in DTYPES
        assert state["operation"] in OPERATIONS
        assert state["unit"] in UNITS


def test_the_ruler_numbers_the_ends_and_what_fits(call):
    wide = {"rows": 4, "cols": 3}
    assert call([["numbered", [wide, 3, 60, 40]]]) == [list(range(13))]
    assert call([["numbered", [wide, 3, 20, 40]]]) == [[0, 3, 6, 9, 12]]
    assert call([["numbered", [wide, 12, 3, 40]]]) == [[0, 12]]


def unmatched(source, words):
    """Return names that only one side has: the words handed in, or the module that shows them."""
    return set(re.findall(r"\bwords\.(\w+)", source)) ^ set(words)


def test_the_module_shows_exactly_the_words_it_is_given():
    words = front_words("addresses")
    assert unmatched(SOURCE, words) == set()
    assert unmatched(SOURCE.replace("words.alone", "words.lonely"), words) == {"alone", "lonely"}
    assert unmatched(SOURCE, words | {"unused": ""}) == {"unused"}


def outside(source):
    """Return whatever reaches out of the module: imports, addresses, and letters of a natural language."""
    code = re.sub(r"^ *(//|/\*\*).*$", "", source, flags=re.MULTILINE)
    return re.findall(r"\bimport\b|\bfetch\(|https?://|[\u4e00-\u9fff]", code)


def test_the_module_is_self_contained():
    assert outside(SOURCE) == []
    assert outside('import x from "y";\nfetch("https://z")\n"行"') == ["import", "fetch(", "https://", "行"]
