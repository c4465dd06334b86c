"""What lesson 8 and its exercises call right is what advise, the evidence and the libraries say."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import zerostride as zs
from zerostride.advice import ANSWERS
from zerostride.explore.deciding import answer_table
from zerostride.language import LANGUAGES
from zerostride.quiz.exercises import every_exercise

EXERCISES = every_exercise()
ROW = (1, 12)
# Requirements of the five lines of the first exercise; a letter of the answer for each kind of advice.
LINES = [
    {"then": "contiguous"},
    {},
    {"learns": "each_copy"},
    {"then": "dense"},
    {"writes": "each_copy_in_place"},
]
NUMBER = {"leave_to_broadcasting": 0, "expand": 1, "repeat": 2, "copy_first": 2, "separate_parameters": 3}
# The six situations: their requirements, and the answer that the right choice stands for.
SITUATIONS = {
    "bias-of-a-batch": (((8,), (32, 8)), {"learns": "shared"}, "leave_to_broadcasting", "nothing"),
    "positions-in-a-join": (((1, 128, 64), (32, 128, 64)), {"then": "dense"}, "expand", "as-a-view"),
    "pictures-edited-apart": (
        ((1, 28, 28), (10, 28, 28)),
        {"writes": "each_copy_in_place"},
        "copy_first",
        "bytes-first",
    ),
    "heads-that-learn": (
        ((1, 16), (4, 16)),
        {"learns": "each_copy", "then": "optimizer_loop"},
        "separate_parameters",
        "four-rows",
    ),
    "mask-over-keys": (((64, 1, 1, 128), (64, 8, 128, 128)), {}, "leave_to_broadcasting", "two-axes"),
    "rows-for-a-routine": (((1, 3), (4, 3)), {"then": "contiguous"}, "repeat", "stored-in-order"),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_each_situation_has_the_answer_of_advise(name):
    shapes, asked, answer, right = SITUATIONS[name]
    advice = zs.advise(*shapes, **asked)
    assert (advice.answer, EXERCISES[name].right) == (answer, right)
    assert {check.status for check in advice.checks} == {"passed"}


def answers_of_the_mission(language):
    """Return how many answers the mission of the guide speaks of, as its code span says."""
    path = Path(__file__).parents[1] / "notebooks" / language / "08_expand_or_repeat.ipynb"
    cells = json.loads(path.read_text("utf-8"))["cells"]
    mission = next("".join(cell["source"]) for cell in cells if cell["id"] == "mission")
    return int(re.search(r"`(\d+)`", mission)[1])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_mission_counts_the_answers_that_the_guide_reaches(language):
    guide = zs.explore.decide()
    answers = {row[0] for row in guide.drawing.table["rows"]}
    assert answers_of_the_mission(language) == len(ANSWERS) == len(answers)
    assert len({answer for _, _, answer, _ in SITUATIONS.values()}) == 5


def test_a_guide_with_too_few_shapes_is_seen():
    few = {row[0] for row in answer_table([((1, 3), (4, 3), None)])["rows"]}
    assert len(few) < answers_of_the_mission("en")


def test_another_requirement_gives_another_answer():
    answers = {zs.advise(ROW, (6, 12), **asked).answer for asked in LINES}
    assert len(answers) == 5


def test_the_choices_without_names_are_those_of_advise():
    found = [NUMBER[zs.advise(ROW, (6, 12), **asked).answer] for asked in LINES]
    assert EXERCISES["choose-without-names"].right == [found]


def test_joining_refuses_what_does_not_fit_and_takes_a_view():
    features, positions = np.ones((4, 3, 2)), np.ones((1, 3, 2))
    for given in (positions, positions[0]):
        with pytest.raises(ValueError, match="dimension"):
            np.concatenate([features, given], axis=-1)
    view = np.broadcast_to(positions, features.shape)
    assert np.concatenate([features, view], axis=-1).shape == (4, 3, 4)


def test_a_mask_without_its_axes_meets_the_queries():
    scores, mask = np.zeros((64, 2, 8, 8)), np.zeros((64, 8), bool)
    with pytest.raises(ValueError, match="broadcast"):
        np.where(mask, scores, -1e9)
    with pytest.raises(ValueError, match="broadcast"):
        np.where(mask[None, None], scores, -1e9)
    assert np.where(mask[:, None, None, :], scores, -1e9).shape == scores.shape
    square = np.eye(8, dtype=bool)
    scores = np.zeros((8, 2, 8, 8))
    by_text, by_query = (np.where(each, scores, -1e9) for each in (square[:, None, None, :], square))
    assert not np.array_equal(by_text, by_query)


def test_a_reshape_to_the_same_shape_stores_nothing():
    row = np.ones((1, 3), np.float32)
    view = np.broadcast_to(row, (4, 3))
    assert np.shares_memory(row, view.reshape(4, 3))
    assert not view.reshape(4, 3).flags.c_contiguous
    assert np.tile(row, (4, 1)).flags.c_contiguous


def reports():
    """What the three programs of the third exercise give, as its table shows it."""
    torch = pytest.importorskip("torch")
    weights = torch.arange(1.0, 13.0, dtype=torch.float64).reshape(4, 3)
    ways = {
        "1": lambda x: x.expand(4, 3),
        "2": lambda x: x.repeat(4, 1),
        "3": lambda x: x.detach().repeat(4, 1),
    }
    found = {}
    for name, make in ways.items():
        x = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64, requires_grad=True)
        y = make(x)
        loss = (y * weights).sum()
        slope = None
        if loss.requires_grad:
            loss.backward()
            slope = tuple(x.grad[0].tolist())
        before, source = y.detach().clone(), x.detach().clone()
        y.detach()[0, 0] = 9.0
        changed = int((y.detach() != before).sum()), int((x.detach() != source).sum())
        found[name] = (zs.layout(y.detach()).strides_bytes, *changed, slope)
    return found


def test_the_three_reports_are_measured():
    found = reports()
    assert found == {
        "1": ((0, 8), 4, 1, (22.0, 26.0, 30.0)),
        "2": ((24, 8), 1, 0, (22.0, 26.0, 30.0)),
        "3": ((24, 8), 1, 0, None),
    }
    apart = [name for name, (_, changed, _, _) in found.items() if changed == 1]
    learning = [name for name, (*_, slope) in found.items() if slope]
    edited_and_learning = (set(apart) & set(learning)).pop()
    shared_and_learning = (set(learning) - set(apart)).pop()
    edited_alone = (set(apart) - set(learning)).pop()
    right = [int(each) for each in (edited_and_learning, shared_and_learning, edited_alone)]
    assert EXERCISES["three-reports"].right == [right]


def peaks(columns):
    torch = pytest.importorskip("torch")
    x = torch.ones(1, columns, dtype=torch.float64, requires_grad=True)
    ways = (lambda x: (x.expand(64, columns) ** 2).sum(), lambda x: (x.repeat(64, 1) ** 2).sum())
    return [zs.measure(way, x).new_peak_bytes for way in ways]


def test_the_difference_of_the_peaks_is_a_full_array():
    one, other = peaks(1024)
    assert other - one == pytest.approx(64 * 1024 * 8, rel=0.01)
    one, other = peaks(2048)
    assert other - one == pytest.approx(64 * 2048 * 8, rel=0.01)
    follows = EXERCISES["what-times-tell"].right[0]
    assert (follows[0], follows[3]) == (True, False)


def test_which_evidence_differs():
    weights = np.arange(1.0, 13.0).reshape(4, 3)
    ways = {"one": lambda x: np.broadcast_to(x, (4, 3)), "other": lambda x: np.tile(x, (4, 1))}
    found = zs.evidence(np.array([[1.0, 2.0, 3.0]]), ways, loss=lambda y: (y * weights).sum())
    one, other = (found.layouts[name]["result"] for name in ways)
    assert (one.shape, one.strides_bytes == other.strides_bytes) == (other.shape, False)
    assert EXERCISES["evidence-that-differs"].right == "first-and-second"
