"""Parts of the answers about writes: what a row says, which axis an index names, where a place goes."""

import ast
from types import SimpleNamespace

import numpy as np
import pytest

import zerostride as zs
from zerostride.layouts import Layout, counting, meetings
from zerostride.writes import shrinking, trials
from zerostride.writes.answers import WriteAnswer
from zerostride.writes.atlases import happens
from zerostride.writes.likeness import listed_in
from zerostride.writes.operations import Operation
from zerostride.writes.rows import Row
from zerostride.writes.shrinking import NotLikeItError, per_axis
from zerostride.writes.statements import StatementError, parsed
from zerostride.writes.trials import row_of


def row(outcome, **more):
    return Row("torch", "method", "y.add_(1)", "expanded", outcome, **more)


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (row("not_applicable", reason="subclass"), ("not applicable: ",)),
        (row("raises", error="RuntimeError"), ("raises RuntimeError",)),
        (row("raises", error="RuntimeError", then="differs"), ("raises RuntimeError, after it has written",)),
        (row("warns", warning="UserWarning", then="together"), ("UserWarning; ", happens(row("together")))),
        (row("warns", warning="UserWarning", then="differs"), ("UserWarning; ", happens(row("differs")))),
        (row("safe"), (zs.language.say("writes.outcome.safe"),)),
        (row("differs", volatile=True), (happens(row("differs")), "depend on write order")),
    ],
)
def test_what_happens_is_said_with_all_that_is_known(seen, said):
    told = happens(seen)
    assert all(words in told for words in said)
    assert ("after it has written" in told) == (seen.outcome == "raises" and bool(seen.then))
    assert ("write order" in told) == seen.volatile
    assert "None" not in told


def test_others_that_were_not_counted_are_not_called_nobody():
    nobody = WriteAnswer(row("together"), (), 0)
    some = WriteAnswer(row("together"), ((1, 0), (2, 0)), 0)
    more = WriteAnswer(row("together"), ((1, 0),), 7)
    unknown = WriteAnswer(row("together"), (), None)
    told = [
        dict(each.table().rows)[zs.language.say("writes.ask.also")] for each in (nobody, some, more, unknown)
    ]
    assert told[0] == zs.language.say("writes.ask.nobody")
    assert "(1, 0)" in told[1]
    assert "(2, 0)" in told[1]
    assert told[2] == f"{told[1].split(')')[0]}) and 7 more"
    assert told[3] == "other elements, not listed here"


def index_of(text):
    return ast.parse(text).body[0].value.slice


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("y[1]", {0: "1"}),
        ("y[1, 2]", {0: "1", 1: "2"}),
        ("y[..., 2]", {2: "2"}),
        ("y[1, ..., 2]", {0: "1", 2: "2"}),
        ("y[None, 1, ..., 2]", {0: "1", 2: "2"}),
        ("y[..., None, 2]", {2: "2"}),
        ("y[..., 1, 2]", {1: "1", 2: "2"}),
        ("y[1, None, 2:5]", {0: "1", 1: "2:5"}),
        ("y[1, 2, 3, 4]", {0: "1", 1: "2", 2: "3", 3: "4"}),
        ("y[..., 1, 2, 3, 4]", {0: "1", 1: "2", 2: "3", 3: "4"}),
    ],
)
def test_each_part_of_an_index_names_its_axis(text, named):
    assert {axis: ast.unparse(part) for axis, part in per_axis(index_of(text), 3)} == named


ROWS, COLS = 60, 50
STATEMENTS = [
    "y[58] = 9",
    "y[60] = 9",
    "y[-60] = 9",
    "y[-61] = 9",
    "y[5:1000] = 9",
    "y[-1000:3] = 9",
    "y[1000:] = 9",
    "y[:-1000] = 9",
    "y[-1000:1000:7, 2] = 9",
    "y[..., 49] = 9",
    "y[..., 50] = 9",
    "y[3, 1000:2:-1] = 9",
]


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_smaller_sample_answers_as_the_array_itself(statement, library, monkeypatch):
    source = np.arange(1.0, COLS + 1)[None]
    view = np.lib.stride_tricks.as_strided(source, (ROWS, COLS), (0, 8))
    if library == "torch":
        view = pytest.importorskip("torch").from_numpy(source).expand(ROWS, COLS)
    whole = zs.can_i_write(view, statement)
    monkeypatch.setattr(shrinking, "SMALL_ELEMENTS", ROWS * COLS // 3)
    small = zs.can_i_write(view, statement)
    assert ("smaller" in whole.notes, "smaller" in small.notes) == (False, True)
    assert (small.outcome, small.error, small.instead) == (whole.outcome, whole.error, whole.instead)


def test_windows_that_cannot_be_made_smaller_have_no_sample():
    windows = Layout.of((10**6, 10**6), (8 * 999, 8), 8)
    with pytest.raises(NotLikeItError, match="large_windows"):
        shrinking.shrunk(windows, "y", [ast.parse("y[7, 490:]")])


@pytest.mark.parametrize(
    ("statement", "listed", "more"),
    [
        ("y += 1", (), None),
        ("y[y > 1] = 9", (), 0),
        ("y[:, 3] = 9", (), None),
        ("y[7, 3] = 9", ((0, 3), (1, 3)), 997),
        ("y[5:, 3] = 9", ((0, 3), (1, 3)), 3),
        ("y[::2, 3] = 9", ((1, 3), (3, 3)), 498),
        ("y[[0, 2], 3] = 9", ((1, 3), (3, 3)), 996),
        ("y[-1, -1] = 9", ((0, 499), (1, 499)), 997),
        ("y[1:3, 3:6] = 9", ((0, 3), (0, 4)), 2992),
    ],
)
def test_those_who_change_too_are_listed_and_counted(statement, listed, more):
    assert listed_in(Layout.of((1000, 500), (0, 8), 8), parsed(statement), 2) == (listed, more)


def tried(statement, reference="", target="lifted", **more):
    return row_of(Operation("numpy", "assignment", statement, reference=reference, **more), target)


def test_what_wrote_before_it_raised_is_told():
    late = tried("y[0, 0] = 9; y.no_such_name", "y[0, 0] = 9", partial=True)
    assert (late.outcome, late.error, late.then) == ("raises", "AttributeError", "differs")
    early = tried("y.no_such_name; y[0, 0] = 9", "y[0, 0] = 9", partial=True)
    assert (early.outcome, early.error, early.then) == ("raises", "AttributeError", "")
    neither = tried("y.no_such_name")
    assert (neither.outcome, neither.reason, neither.error) == (
        "not_applicable",
        "copy_refuses",
        "AttributeError",
    )


def test_a_reason_given_and_a_layout_that_is_not_there_are_told():
    assert tried("y += 1", reason="depends_on_values").reason == "depends_on_values"
    assert tried("y += 1", target="no such layout").reason == "no_such_layout"
    assert {tried("y += 1", reason="x").outcome, tried("y += 1", target="none").outcome} == {"not_applicable"}


@pytest.mark.parametrize(
    ("library", "statement", "named"),
    [
        ("numpy", "y[0] = y[0].clone()", "y.clone()"),
        ("torch", "y[0] = y[0].copy()", "y.copy()"),
        ("torch", "y[0] = [1, 2] * 2", "y[0] = [1, 2] * 2"),
        ("numpy", "y[0] = (1, 2) + y[0]", "y[0] = (1, 2) + y[0]"),
        ("numpy", "y[0] = y[0] + [1, 2, 3]", "y[0] = y[0] + [1, 2, 3]"),
        ("numpy", "y[0] = 'a' * 2", "y[0] = 'a' * 2"),
        ("numpy", "y[0] = np.zeros()", "np.zeros()"),
        ("numpy", "y[0] = np.zeros(3, dtype=int)", "np.zeros(3, dtype=int)"),
    ],
)
def test_what_cannot_stand_there_is_named(library, statement, named):
    x = np.ones((4, 3)) if library == "numpy" else pytest.importorskip("torch").ones(4, 3)
    with pytest.raises(StatementError) as refused:
        zs.can_i_write(x, statement)
    assert str(refused.value) == zs.language.say("writes.ask.value", text=named)


def without_sample():
    """Arrays on which nothing can be tried, by the reason that is told."""
    yield "dtype", np.array(["a"])
    yield "subclass", np.ma.ones(3)
    try:
        import torch
    except ImportError:
        return
    yield "dtype", torch.empty(3, dtype=torch.uint16)
    yield "device", torch.ones(3, device="meta")
    yield "lazy", torch.ones(3, dtype=torch.complex64).conj()
    yield "lazy", torch.ones(3, dtype=torch.complex64).conj().imag


@pytest.mark.parametrize("place", range(6))
def test_where_nothing_can_be_tried_the_reason_is_told(place):
    reason, x = dict(enumerate(without_sample())).get(place, (None, None))
    if reason is None:
        pytest.skip("torch is not installed")
    answer = zs.can_i_write(x, "y[0] = 1")
    assert (answer.outcome, answer.row.reason, answer.left_out) == ("not_applicable", reason, 0)


def test_an_overlap_that_was_not_decided_is_tried_on_nothing(monkeypatch):
    view = np.lib.stride_tricks.as_strided(np.zeros(20_000, np.uint8), (5, 4, 6, 3), (230, 310, 470, 590))
    assert zs.can_i_write(view, "y[0] = 1").outcome == "together"
    monkeypatch.setattr(counting, "RUNS_AT_MOST", 0)
    monkeypatch.setattr(meetings, "NODES_AT_MOST", 0)
    assert zs.can_i_write(view, "y[0] = 1").row.reason == "unknown"


def test_a_line_of_torch_has_torch_and_one_of_numpy_asks_for_none(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(trials, "sys", SimpleNamespace(modules={}))
    assert trials.Sample("y = torch.ones(2)").names["torch"] is torch
    assert "torch" not in trials.Sample("y = np.ones(2)").names
