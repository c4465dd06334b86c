"""The line of code beside a drawing makes what is drawn, and bytes that cells share in part count once."""

import numpy as np
import pytest

import test_front
from test_front import OWN, SETTINGS, SOURCE, as_state, differing, last_of, question
from zerostride.explore.operations import Setting
from zerostride.explore.own_array import own_array

call = test_front.call
NAMED = [setting for setting in SETTINGS if setting.operation != "as_strided"]
IN_TORCH = ("expand", "repeat", "repeat_interleave")


def made_by(line, setting):
    """Run a line on a source that holds 1, 2, 3 … row by row; return what it makes, as text."""
    shape = setting.source_shape()
    source = np.arange(1.0, 1.0 + shape[0] * shape[1]).reshape(shape)
    if setting.operation in IN_TORCH:
        source = pytest.importorskip("torch").from_numpy(source)
    names = {"source": source, "np": np, "sliding_window_view": np.lib.stride_tricks.sliding_window_view}
    return [[str(value) for value in row] for row in eval(line, names).tolist()]


def unlike(call, settings, source=SOURCE):
    """Yield the settings whose line of code makes something else than what is drawn."""
    seen = call([question(setting, "bytes", (0, 0)) for setting in settings], source)
    lines = call(
        [["code", [as_state(setting), each]] for setting, each in zip(settings, seen, strict=True)], source
    )
    for setting, line in zip(settings, lines, strict=True):
        if made_by(line, setting) != setting.values().tolist():
            yield setting, line


def test_the_line_of_code_makes_what_is_drawn(call):
    assert list(unlike(call, NAMED)) == []


def test_a_line_that_makes_something_else_is_seen(call):
    wrong = SOURCE.replace("`source.T`", "`source`").replace('transpose: "source.T"', 'transpose: "source"')
    assert wrong != SOURCE
    assert {setting.operation for setting, _ in unlike(call, NAMED[::3], wrong)} == {"transpose"}


def test_bytes_that_cells_share_in_part_count_once(call):
    own = own_array(OWN["a field, no whole number of elements"])
    half = [Setting(3, 1, own.seen.dtype, "as_strided", 0, 1, 1, down, 0, own=own) for down in (3, 4, 8)]
    assert all(setting.legal() for setting in half)
    assert half[0].layout().touched_bytes == 14
    assert differing(call, last_of(half, ("bytes",))) == 0
    wrong = SOURCE.replace("Math.min(itemsize, (starts[k + 1] ?? Infinity) - byte)", "itemsize")
    assert differing(call, last_of(half, ("bytes",)), wrong) == 2
