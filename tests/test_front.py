"""The live drawings' own arithmetic against the Python instruments, in every state of their controls."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import zerostride as zs
from zerostride.explore.operations import (
    COPIES,
    DTYPES,
    MOST_COLS,
    MOST_ROWS,
    MOST_SLOTS,
    OPERATIONS,
    UNITS,
    Setting,
    value_word,
)
from zerostride.explore.own_array import own_array
from zerostride.explore.panel import Drawing, front_words
from zerostride.language import LANGUAGES, use
from zerostride.layouts.arithmetic import byte_offsets, indices

sys.path.insert(0, str(Path(__file__).parent / "browser"))
from served_lab import browser, chromium, unavailable

SOURCE = Drawing._esm
MOST = {"rows": MOST_ROWS, "cols": MOST_COLS}
SIZES = list(product(range(1, MOST_ROWS + 1), range(1, MOST_COLS + 1)))
STATES = list(product(SIZES, DTYPES, ("expand", "repeat"), UNITS))

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
        command, input=json.dumps(calls), capture_output=True, encoding="utf-8", check=True, timeout=60
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


def every_setting():
    """Return a setting for each operation, axis, count and size whose source fits, and dials on a grid."""
    named = [
        Setting(rows, cols, "float64", operation, axis, count)
        for operation, axis, count, (rows, cols) in product(OPERATIONS[:-1], (0, 1), (1, 2, 3), SIZES)
    ]
    dialled = [
        Setting(rows, cols, "float32", "as_strided", 0, 1, start, down, across)
        for (rows, cols), start, down, across in product(
            [(1, 1), (4, 3), (3, 4), (2, 6)], (0, 3, 20), (-5, -1, 0, 1, 3, 8), (-2, 0, 1, 2)
        )
    ]
    return [setting for setting in named + dialled if setting.legal()]


SETTINGS = every_setting()
OWN = {
    "reversed rows": np.arange(12.0).reshape(4, 3)[::-1],
    "a corner of a large array": np.arange(10_000, dtype="int16").reshape(100, 100)[50:54, 7:10],
    "one row, every third": np.arange(20, dtype="float32")[2::3],
    "a field, no whole number of elements": np.zeros((3, 2), [("a", "u1"), ("b", "f8")])["b"],
    "expanded": np.broadcast_to(np.array([[True, False, True]]), (8, 3)),
}


def own_settings(own):
    """Return every legal setting of an array of one's own, its own layout among them."""
    seen, grain = own.seen, own.dials_bytes
    start, down, across = (number // grain for number in (seen.storage_offset_bytes, *seen.strides_bytes))
    as_it_is = Setting(*seen.shape, seen.dtype, "as_strided", 0, 1, start, down, across, own=own)
    named = [
        Setting(rows, cols, seen.dtype, operation, axis, count, own=own)
        for operation, axis, count, rows, cols in product(
            OPERATIONS[:-1], (0, 1), (1, 2, 3), (1, 2, 4), (1, 2, 3)
        )
    ]
    return [as_it_is, *(setting for setting in named if setting.legal())]


def as_state(setting, unit="bytes"):
    """Return a setting as the page holds it."""
    names = ("rows", "cols", "dtype", "itemsize", "operation", "axis", "count", "start", "down", "across")
    return {name: getattr(setting, name) for name in names} | {"unit": unit}


def question(setting, unit, index):
    own = setting.own.for_the_page() if setting.own else None
    return ["addresses", [as_state(setting, unit) | {"highlight": list(index)}, own]]


def answer(setting, unit, index):
    """Return what Layout says to it."""
    seen, offsets, same = said_of(setting, unit, id(setting.own))
    here = seen.offset_bytes(index)
    one = {"here": here, "readers": np.argwhere(offsets == here).tolist(), "worked": seen.worked(index, unit)}
    return same | one


@cache
def said_of(setting, unit, own):
    """Return what does not hang on the index; ``own`` tells apart arrays of one's own of one setting."""
    seen = setting.layout()
    offsets = byte_offsets(seen.shape, seen.strides_bytes, seen.storage_offset_bytes)
    same = {
        "start": seen.storage_offset_bytes,
        "stridesBytes": list(seen.strides_bytes),
        "stridesElements": list(seen.strides_elements),
        "offsetsBytes": offsets.tolist(),
        "offsets": (offsets // (seen.itemsize if unit == "elements" else 1)).tolist(),
        "values": setting.values().tolist(),
        "starts": sorted(set(offsets.ravel().tolist())),
        "formula": seen.formula_in(unit),
        "logicalBytes": seen.logical_bytes,
        "touchedBytes": seen.touched_bytes,
        "storedBytes": seen.storage_bytes,
    }
    return seen, offsets, same


def asked(states):
    """Yield (setting, unit, index) for every element of every state."""
    for (rows, cols), dtype, operation, unit in states:
        for index in indices((rows, cols)):
            yield Setting(rows, cols, dtype, operation), unit, index


def last_of(settings, units=UNITS):
    """Yield (setting, unit, index) of the last element but one row of each setting."""
    for setting, unit in product(settings, units):
        yield setting, unit, (max(setting.rows - 2, 0), setting.cols - 1)


def differing(call, cases, source=SOURCE):
    """Return how many answers of the module are not Layout's."""
    cases = list(cases)
    answers = call([question(*case) for case in cases], source)
    return sum(given != answer(*case) for given, case in zip(answers, cases, strict=True))


def test_every_state_equals_layout(call):
    assert len(STATES) == 8 * 6 * 8 * 2 * 2
    assert differing(call, asked(STATES)) == 0


def test_every_operation_equals_layout(call):
    assert {setting.operation for setting in SETTINGS} == set(OPERATIONS)
    assert len(SETTINGS) > 1500
    assert differing(call, last_of(SETTINGS)) == 0


@pytest.mark.parametrize("name", OWN)
def test_an_array_of_ones_own_equals_layout(call, name):
    own = own_array(OWN[name])
    settings = own_settings(own)
    units = UNITS if own.dials_bytes == own.seen.itemsize else UNITS[:1]
    assert len(settings) > 30
    assert differing(call, last_of(settings, units)) == 0


BROKEN = {
    "strides swapped": ("return to([across, down]);", "return to([down, across]);"),
    "never expanded": ("[rows > 1 ? 0 : down, across]", "[down, across]"),
    "a row of its own": ("[rows > 1 ? 0 : down, across]", "[0, across]"),
    "a column of its own": ("[down, cols > 1 ? 0 : across]", "[down, 0]"),
    "reversed from the start": ("start + (cols - 1) * across", "start"),
    "every element of a slice": ("[count * down, across]", "[down, across]"),
    "windows side by side": ("[count * across, across]", "[cols * across, across]"),
    "tiled row by row": ('operation === "repeat_interleave" ?', 'operation !== "repeat" ?'),
    "dialled in bytes": ("start: state.start * grain", "start: state.start"),
    "negative steps bare": ("number < 0 ? `(−${-number})`", "number < 0 ? `${number}`"),
    "units mixed": (
        'across] = unit === "elements" ? stridesElements',
        'across] = unit === "bytes" ? stridesElements',
    ),
    "one unit too many": ('unit === "bytes" ? " B"', 'unit === "elements" ? " B"'),
    "stored without the last element": ("sum(Math.max) + itemsize]", "sum(Math.max)]"),
    "logical as stored": ("logicalBytes: rows * cols", "logicalBytes: cols"),
    "touched as logical": ("starts.reduce((sum, byte, k)", "offsetsBytes.flat().reduce((sum, byte, k)"),
    "readers of the row": ("byte === here &&", "i === row &&"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_wrong_module_is_seen(call, fault):
    right, wrong = BROKEN[fault]
    assert SOURCE.count(right) == 1
    assert differing(call, last_of(SETTINGS[::3]), SOURCE.replace(right, wrong)) > 0


def test_a_module_that_forgets_ones_own_array_is_seen(call):
    settings = own_settings(own_array(OWN["reversed rows"]))
    source = SOURCE.replace("if (base) return base;", "")
    assert source != SOURCE
    assert differing(call, last_of(settings), source) > 0


@pytest.mark.browser
def test_chromium_computes_the_same(tmp_path):
    if not chromium():
        unavailable("no Chromium on this machine: the module was not run in it")
    some = list(last_of(SETTINGS[::7]))
    answers = in_chromium([question(*case) for case in some], SOURCE, tmp_path)
    assert answers == [answer(*case) for case in some]


def pushed(setting, name, value):
    """Return a setting with one control elsewhere, however illegal."""
    return replace(setting, **{name: value})


def bounds(setting, name, step):
    """Return how far a control can be moved, by trying: neighbours first, until one is illegal."""
    low = high = getattr(setting, name)
    most = MOST.get(name, 1000)
    while high + step <= most and pushed(setting, name, high + step).legal():
        high += step
    while low - step >= (1 if name in MOST else -1000) and pushed(setting, name, low - step).legal():
        low -= step
    return low, high


def wrong_limits(call, settings, source=SOURCE):
    """Return the settings and controls whose limits are not those found by trying."""
    given = call([["limits", [as_state(setting), None, MOST]] for setting in settings], source)
    for setting, found in zip(settings, given, strict=True):
        copies = setting.operation in COPIES
        for name, along in (("rows", 0), ("cols", 1)):
            step = setting.count if copies and setting.axis == along else 1
            if found[name] != {"min": step, "max": bounds(setting, name, step)[1], "step": step}:
                yield setting, name
        if setting.operation == "as_strided":
            for name, long in (("start", 2), ("down", setting.rows), ("across", setting.cols)):
                if long > 1:
                    low, high = bounds(setting, name, 1)
                    # A stride of 0 is always on the dial, so a negative minimum may only be less far.
                    if (found[name]["min"], found[name]["max"]) != (low, high):
                        yield setting, name


def test_each_control_goes_as_far_as_is_legal(call):
    assert list(wrong_limits(call, SETTINGS[::5])) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("legal({ ...state, [name]: max + step }, base)) max", "true) max"),
        ("Math.ceil((layout.start - low) / grain)", "0"),
        ("Math.floor(after / moves / grain)", "Math.ceil(after / moves / grain)"),
        ("? state.count : 1);", "? 1 : 1);"),
    ],
)
def test_wrong_limits_are_seen(call, right, wrong):
    assert SOURCE.count(right) == 1
    assert list(wrong_limits(call, SETTINGS[::5], SOURCE.replace(right, wrong)))


def unsettled(call, settings, source=SOURCE):
    """Return settings that are not made legal, or legal ones that are changed."""
    given = call([["settle", [as_state(setting), None, MOST]] for setting in settings], source)
    names = ("rows", "cols", "axis", "count", "start", "down", "across")
    for setting, found in zip(settings, given, strict=True):
        settled = replace(setting, **{name: found[name] for name in names})
        if not settled.legal() or (setting.legal() and settled != setting):
            yield setting


def illegal_ones():
    """Return settings as a change of operation, count or dials can leave them: most of them illegal."""
    whole = product(OPERATIONS, (0, 1), (1, 2, 3, 6), [(8, 6), (5, 3), (1, 6), (7, 1), (1, 1)], (0, 60))
    return [
        Setting(rows, cols, "float64", operation, axis, count, start, 9, -3)
        for operation, axis, count, (rows, cols), start in whole
        if count <= (cols if axis else rows) or operation not in ("transpose",)
    ]


def test_no_change_leaves_an_illegal_state(call):
    settings = illegal_ones()
    assert sum(not setting.legal() for setting in settings) > 100
    assert list(unsettled(call, [*settings, *SETTINGS[::9]])) == []


def test_an_unsettled_state_is_seen(call):
    source = SOURCE.replace("while (!legal(next, base)) {", "while (false) {")
    assert source != SOURCE
    assert list(unsettled(call, illegal_ones(), source))


def test_a_change_of_operation_starts_from_what_was_seen(call):
    before = as_state(Setting(4, 3, operation="transpose"))
    seen = {"start": 0, "stridesBytes": [8, 32]}
    changes = {
        "as_strided": {"start": 0, "down": 1, "across": 4},
        "slice": {"count": 2},
        "repeat_interleave": {"count": 2},
        "tile": {"count": 1},
    }
    asked_for = [["entered", [before | {"operation": each}, before, seen, None]] for each in changes]
    for (each, changed), found in zip(changes.items(), call(asked_for), strict=True):
        assert found == before | {"operation": each} | changed


def test_values_are_written_as_python_writes_them(call):
    numbers = range(1, MOST_COLS + 1)
    for dtype in DTYPES:
        shown = call([["valueText", [number, dtype]] for number in numbers])
        assert shown == [value_word(number, dtype) for number in numbers]
        if dtype not in ("bool", "bfloat16"):
            assert shown == [str(np.array(number, dtype).item()).strip("()") for number in numbers]
    assert call([["valueText", [1, "bool"]], ["valueText", [2, "bool"]]]) == ["True", "False"]


def distinct_marks(call, count, source=SOURCE):
    marks = call([["markOf", [rank]] for rank in range(count)], source)
    return len({(mark["shape"], mark["fill"]) for mark in marks})


def test_each_address_has_a_mark_of_its_own(call):
    assert distinct_marks(call, MOST_SLOTS) == MOST_SLOTS
    wrong = SOURCE.replace("rank / SHAPES.length", "rank / 16")
    assert distinct_marks(call, MOST_SLOTS, wrong) < MOST_SLOTS


def test_marks_are_compared_with_the_readers(call):
    readers = [[0, 1], [1, 1], [2, 1]]
    found = call([["compareMarks", [["0,1", "2,0"], readers, [2, 1]]]])
    assert found == [{"right": ["0,1"], "missed": ["1,1"], "extra": ["2,0"]}]


def starts_of(setting):
    seen = setting.layout()
    offsets = byte_offsets(seen.shape, seen.strides_bytes, seen.storage_offset_bytes)
    return sorted(set(offsets.ravel().tolist()))


def solving(call, settings, source=SOURCE):
    asked_for = [
        ["missionDone", [{"rows": setting.rows, "cols": setting.cols}, {"starts": starts_of(setting)}]]
        for setting in settings
    ]
    return [setting for setting, done in zip(settings, call(asked_for, source), strict=True) if done]


def test_the_mission_is_solved_by_shared_rows_and_by_equal_strides(call):
    by_hand = Setting(4, 3, "float64", "as_strided", start=2, down=1, across=1)
    others = [Setting(2, 6, operation="repeat"), Setting(4, 3), Setting(3, 2)]
    solved = [Setting(2, 6), Setting(6, 2, axis=1), Setting(4, 3, operation="window"), by_hand]
    assert solving(call, [*others, *solved]) == solved
    assert solving(call, SETTINGS) == [
        setting
        for setting in SETTINGS
        if setting.rows * setting.cols == 12 and setting.layout().touched_bytes == 6 * setting.itemsize
    ]
    lenient = SOURCE.replace("rows * cols === 12 && ", "")
    assert solving(call, others, lenient) == [Setting(3, 2)] or solving(
        call, [Setting(6, 1, axis=1)], lenient
    )


@pytest.fixture(params=LANGUAGES)
def language(request):
    """Speak each language in turn."""
    use(request.param)
    yield request.param
    use("en")


WON = {
    "addresses": {"shape": "(2, 6)", "strides": "(0, 8)"},
    "shapes": {"source": "(4,)", "target": "(4, 1)", "shape": "(4, 4)"},
}
NOW = {
    "addresses": {"elements": 48, "addresses": 47},
    "shapes": {"source": 41, "target": 43, "both": 47},
}


@pytest.mark.parametrize("kind", WON)
def test_a_solved_mission_tells_what_solved_it_and_nothing_of_now(call, language, kind):
    words, won, now = front_words(kind), WON[kind], NOW[kind]
    before, after = call([["missionLine", [words, None, now]], ["missionLine", [words, won, now]]])
    assert before.startswith(f"○ {words['mission']}")
    assert all(str(number) in before for number in now.values())
    assert after.startswith(f"✓ {words['mission']}")
    assert all(shown in after for shown in won.values())
    assert not any(str(number) in after for number in now.values())
    assert "{" not in before + after
    keeps_now = SOURCE.replace("fill(won ? words.mission_won : words.mission_now", "fill(words.mission_now")
    assert keeps_now != SOURCE
    assert call([["missionLine", [words, won, now]]], keeps_now) != [after]


def test_marks_stay_where_no_address_changes(call):
    def same(first, second):
        seen = [{"offsetsBytes": said_of(*each, None)[2]["offsetsBytes"]} for each in (first, second)]
        return ["sameAddresses", seen]

    start = Setting(4, 3)
    by_hand = Setting(4, 3, operation="as_strided", down=0, across=1)
    stay = [((start, "bytes"), (start, "elements")), ((start, "bytes"), (by_hand, "bytes"))]
    other_size = replace(start, dtype="float32")
    go = [((start, "bytes"), (other, "bytes")) for other in (other_size, Setting(4, 2), Setting(3, 3))]
    # The same addresses in the same order, in other rows.
    rows = ((Setting(4, 3, operation="repeat"), "bytes"), (Setting(6, 2, operation="repeat"), "bytes"))
    assert call([same(*each) for each in (*stay, *go, rows)]) == [True] * 2 + [False] * 4


def test_marks_stay_where_no_verdict_changes(call):
    def same(first, second):
        return [
            "sameVerdicts",
            verdicts(call, [first[:2]], first[2]) + verdicts(call, [second[:2]], second[2]),
        ]

    start = ((1, 3), (4, 3), "numpy")
    stay = [((1, 3), (4, 3), "torch"), ((1, 2), (5, 2), "numpy")]
    go = [((3,), (4, 3), "numpy"), ((1, 3), (1, 4, 3), "numpy"), ((1, 3), (4, 4), "numpy")]
    assert call([same(start, other) for other in stay + go]) == [True] * 2 + [False] * 3


@pytest.mark.parametrize("kind", ["addresses", "shapes"])
def test_cleared_marks_are_told(call, language, kind):
    words, where = front_words(kind), {"i": 2, "j": 1}
    views = [{"cleared": cleared, "marked": {"size": 0}} for cleared in (False, True)]
    plain, told = call([["askedNow", [words, view, where]] for view in views])
    assert told == words["marks_cleared"] + words["space"] + plain
    assert {"en": "marks cleared", "zh": "标记已清除"}.get(language, "") in told


def kept(call, setting, unit="bytes", source=SOURCE):
    return call([["keptSteps", [as_state(setting, unit), answer(setting, unit, (0, 0))]]], source)[0]


def test_an_axis_of_length_one_is_told_where_numpy_prints_another_stride(call):
    assert kept(call, Setting(1, 3)) == [24]
    assert kept(call, Setting(1, 3), "elements") == [3]
    assert kept(call, Setting(1, 3, operation="reverse")) == kept(call, Setting(4, 3)) == []
    for axis, (rows, cols) in product((0, 1), [(1, 3), (4, 1), (1, 1), (4, 3)]):
        setting = Setting(rows, cols, axis=axis)
        ours = setting.layout().strides_bytes
        numpy = np.broadcast_to(np.ones(setting.source_shape()), (rows, cols)).strides
        assert kept(call, setting) == [mine for mine, its in zip(ours, numpy, strict=True) if mine != its]
    assert "{kept}" in front_words("addresses")["length_one"]


def test_presets_can_be_set_on_the_controls(call):
    words = front_words("addresses")
    presets = call([["presets", [words]]])[0]
    assert len(presets) == 10
    for name, state in presets:
        assert name in words.values()
        assert state.pop("unit") in UNITS
        assert Setting(**state).legal()
        assert (state["rows"], state["cols"]) in SIZES


def kinds(call, setting):
    seen = answer(setting, "bytes", (0, 0))
    parts = call([["stretches", [seen, setting.itemsize]]])[0]
    return [(part["kind"], part["from"], part["to"], part["cut"]) for part in parts]


def test_bytes_that_nobody_reads_are_a_stretch_of_their_own(call):
    by_hand = Setting(2, 2, "float64", "as_strided", start=3, down=3, across=-1)
    assert kinds(call, by_hand) == [
        ("unread", 0, 16, False),
        *[("read", at, at + 8, False) for at in (16, 24)],
        ("unread", 32, 40, False),
        *[("read", at, at + 8, False) for at in (40, 48)],
    ]
    assert kinds(call, Setting(2, 1))[-1] == ("absent", 8, 16, False)


def test_a_long_storage_is_cut_where_nobody_reads(call):
    own = own_array(OWN["a corner of a large array"])
    parts = kinds(call, own_settings(own)[0])
    assert [part[0] for part in parts if part[3]] == ["unread"] * 5
    assert sum(part[2] - part[1] for part in parts) == 20_000
    assert sum(part[0] == "read" for part in parts) == 12


def test_the_ruler_numbers_the_ends_and_what_fits(call):
    wide = {"cols": 3}
    assert call([["numbered", [wide, 12, 3, 60, 40]]]) == [list(range(13))]
    assert call([["numbered", [wide, 12, 3, 20, 40]]]) == [[0, 3, 6, 9, 12]]
    assert call([["numbered", [wide, 12, 12, 3, 40]]]) == [[0, 12]]


# Shapes: every pair of at most three axes of a few sizes, and what the libraries themselves do.

SOME = [shape for ndim in range(4) for shape in product((0, 1, 2, 3), repeat=ndim)]
TARGETS = [*SOME, (-1,), (-1, 3), (2, -1), (-1, -1), (-1, 2, 3), (2, 1, 2, 3)]


def verdicts(call, pairs, library, source=SOURCE):
    """Return what the module says to pairs of shapes."""
    return call([["aligned", [list(first), list(second), library]] for first, second in pairs], source)


def said_by_can_expand(first, second, library):
    seen = zs.can_expand(first, second, library)
    names = {"source": "source_size", "target": "target_size", "verdict": "verdict", "because": "because"}
    axes = [
        {"axis": axis.axis} | {mine: getattr(axis, its) for mine, its in names.items()} for axis in seen.axes
    ]
    return {"allowed": seen.allowed, "shape": list(seen.shape) if seen else None, "axes": axes}


def unlike_can_expand(call, library, source=SOURCE):
    """Yield pairs whose verdict, reason or resulting shape is not that of ``zs.can_expand``."""
    pairs = list(product(SOME, TARGETS))
    for pair, found in zip(pairs, verdicts(call, pairs, library, source), strict=True):
        axes = [{name: axis[name] for name in axis if name != "size"} for axis in found["axes"]]
        shown = {"allowed": found["allowed"], "shape": found["shape"], "axes": axes}
        if shown != said_by_can_expand(*pair, library):
            yield pair


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_verdicts_equal_can_expand(call, library):
    assert list(unlike_can_expand(call, library)) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('if (have === 1) return ["expanded", "expanded"]', 'if (have > 0) return ["expanded", "expanded"]'),
        ("source.at(-1 - k) ?? null", "source.at(k) ?? null"),
        (
            'if (want === null) return ["refused", "axis_missing"];',
            'if (want === null) return ["same", "same"];',
        ),
        ('because === "kept" ? have : want', "want"),
    ],
)
def test_wrong_verdicts_are_seen(call, right, wrong):
    assert SOURCE.count(right) == 1
    assert list(unlike_can_expand(call, "torch", SOURCE.replace(right, wrong)))


def numpy_strides(first, second):
    try:
        return [step // 8 for step in np.broadcast_to(np.ones(first), second).strides]
    except ValueError:
        return None


def torch_strides(first, second):
    import torch

    try:
        return list(torch.ones(first).expand(second).stride())
    except RuntimeError:
        return None


def wrong_strides(call, library, source=SOURCE):
    """Yield pairs whose strides are not those that the library prints."""
    real = {"numpy": numpy_strides, "torch": torch_strides}[library]
    pairs = list(product(SOME, TARGETS))
    for pair, found in zip(pairs, verdicts(call, pairs, library, source), strict=True):
        if found["strides"] != real(*pair):
            yield pair


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_strides_are_those_of_the_library(call, library):
    if library == "torch":
        pytest.importorskip("torch")
    assert list(wrong_strides(call, library)) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(torch || size > 1) ? own : 0", "true ? own : 0"),
        ('verdict === "same" && !empty', 'verdict === "same"'),
        ("own *= Math.max", "own += Math.max"),
    ],
)
def test_wrong_strides_are_seen(call, right, wrong):
    assert SOURCE.count(right) == 1
    assert list(wrong_strides(call, "numpy", SOURCE.replace(right, wrong)))


def numpy_together(first, second):
    try:
        return list(np.broadcast_shapes(first, second))
    except ValueError:
        return None


def test_two_arrays_go_together_as_numpy_says(call):
    pairs = list(product(SOME, SOME))
    asked_for = [["together", [list(first), list(second)]] for first, second in pairs]
    right = [numpy_together(*pair) for pair in pairs]
    assert call(asked_for) == right
    wrong = SOURCE.replace("size === 1 ? right[axis]", "size <= 1 ? right[axis]")
    assert call(asked_for, wrong) != right


SUMS = {
    ((1, 3), (4, -1)): "negative",
    ((2, 3), (4, -1)): "negative",
    ((2, 3), (4, 3)): "refused",
    ((1, 3), (4, 3)): "shape",
    ((4,), (4, 1)): "expanded",
    ((), ()): "shape",
    ((0,), (2,)): "refused",
}


def test_the_sum_of_two_shapes_has_its_verdict(call, language):
    said = call([["sumSaid", [list(first), list(second)]] for first, second in SUMS])
    assert said == list(SUMS.values())
    words = front_words("shapes")
    assert {f"both_{verdict}" for verdict in said} <= set(words)
    assert {"en": "a size cannot be negative", "zh": "不能是负数"}.get(language, "") in words["both_negative"]
    blind = SOURCE.replace('.includes(-1)) return "negative"', '.includes(-9)) return "negative"')
    assert call([["sumSaid", [[1, 3], [4, -1]]]], blind) == ["refused"]


def test_the_mission_of_shapes_is_a_legal_shape_that_was_not_intended(call):
    pairs = [
        ([4], [4, 1]),
        ([4, 1], [4]),
        ([2, 1], [1, 2]),
        ([4], [4]),
        ([1, 3], [4, 3]),
        ([1], [1, 1]),
        ([4], [3, 1]),
    ]
    assert call([["unintended", list(pair)] for pair in pairs]) == [True] * 3 + [False] * 4


TYPED = {
    "(4, 3)": [4, 3],
    " 4,3 ": [4, 3],
    "[4 3]": [4, 3],
    "4×3": [4, 3],
    "（4，3）": [4, 3],
    "(4,)": [4],
    "()": [],
    "": [],
    "(4, 9)": None,
    "(1, 1, 1, 1, 1)": None,
    "4.5": None,
    "(-1, 3)": None,
    "__import__('os')": None,
    "alert(1)": None,
    "1e0": None,
}


def test_typed_shapes_are_read_and_never_evaluated(call):
    assert call([["parseShape", [words]] for words in TYPED]) == list(TYPED.values())
    assert call([["parseShape", ["(-1, −1)", -1]], ["parseShape", ["(-2, 3)", -1]]]) == [[-1, -1], None]
    assert "eval" not in SOURCE
    assert "Function(" not in SOURCE


def test_shapes_are_written_as_python_writes_them(call):
    shapes = [(), (4,), (4, 3), (2, 0, 1)]
    assert call([["shapeText", [list(shape)]] for shape in shapes]) == [str(shape) for shape in shapes]


def test_presets_of_shapes_can_be_set_on_the_controls(call):
    words = front_words("shapes")
    for name, state in call([["shapePresets", [words]]])[0]:
        assert name in words.values()
        state = {name: tuple(value) if isinstance(value, list) else value for name, value in state.items()}
        assert {"library": "numpy"} | state == zs.explore.shapes(**state).state


def unmatched(source, words):
    """Return names that only one side has: the words handed in, or the module that shows them."""
    shown = set(re.findall(r"\bwords\.(\w+)", source))
    # Names put together from a part that the module computes.
    families = re.findall(r"\bwords\[`(\w+)\$\{", source)
    return {name for name in shown ^ set(words) if name in shown or not name.startswith(tuple(families))}


def all_words():
    words = {}
    for name in zs.explore.__all__:
        words |= getattr(zs.explore, name)().drawing.words
    return words


def test_the_module_shows_exactly_the_words_it_is_given():
    words = all_words()
    assert unmatched(SOURCE, words) == set()
    assert unmatched(SOURCE.replace("words.alone", "words.lonely"), words) == {"alone", "lonely"}
    assert unmatched(SOURCE, words | {"unused": ""}) == {"unused"}


def test_each_reason_and_each_mark_has_its_words(call):
    words = all_words()
    pairs = list(product(SOME, TARGETS))
    found = [
        axis
        for library in ("numpy", "torch")
        for each in verdicts(call, pairs, library)
        for axis in each["axes"]
    ]
    assert {f"because_{axis['because']}" for axis in found} | {
        f"is_{axis['verdict']}" for axis in found
    } <= set(words)
    assert {f"cell_{kind}" for kind in ("right", "missed", "extra")} <= set(words)


def outside(source):
    """Return whatever reaches out of the module: imports, addresses, and letters of a natural language."""
    code = re.sub(r"^ *(//|/\*\*).*$", "", source, flags=re.MULTILINE)
    return re.findall(r"\bimport\b|\bfetch\(|https?://|[\u4e00-\u9fff]", code)


def test_the_module_is_self_contained():
    assert outside(SOURCE) == []
    assert outside('import x from "y";\nfetch("https://z")\n"行"') == ["import", "fetch(", "https://", "行"]
