"""What ``advise`` recommends on cases from public threads, beside what the threads came to."""

import numpy as np
import pytest

import zerostride as zs

torch = pytest.importorskip("torch")

from cases.cases import CASES  # noqa: E402

HERE = {case["id"]: case for case in CASES if case["advice"]}

# What was wanted, the answer, and a part of the line; "evidence" where a program is needed to see it.
ASKED = {
    "A02_overlapping_strides": (
        {"source": (2, 2, 2), "target": (2, 2, 2), "writes": "each_copy_in_place", "library": "torch"},
        ("copy_first", "x.detach().clone()"),
    ),
    "B01_arithmetic_inplace": (
        {"source": (1, 3), "target": (4, 3), "writes": "each_copy_in_place", "library": "torch"},
        ("copy_first", ".expand(4, 3).clone()"),
    ),
    "B03_masked_and_index_writes": (
        {"source": (1, 3), "target": (4, 3), "writes": "each_copy_in_place", "library": "torch"},
        ("copy_first", ".expand(4, 3).clone()"),
    ),
    "B05_triu_tril": (
        {"source": (1, 1), "target": (3, 3), "writes": "each_copy", "then": "dense", "library": "torch"},
        ("expand", "x.expand(3, 3)"),
    ),
    "B07_partial_overlap": (
        {"source": (3,), "target": (3,), "writes": "each_copy_in_place", "library": "torch"},
        ("copy_first", "clone()"),
    ),
    "C01_read_only_can_be_lifted": (
        {"source": (1, 3), "target": (4, 3), "writes": "each_copy_in_place"},
        ("copy_first", "np.broadcast_to(x, (4, 3)).copy()"),
    ),
    "C03_sliding_windows": (
        {"source": (3, 3), "target": (3, 3), "writes": "each_copy_in_place"},
        ("copy_first", "x.copy()"),
    ),
    "D01_from_numpy_ignores_read_only": (
        {"source": (3,), "target": (4, 3), "writes": "each_copy_in_place"},
        ("copy_first", "np.broadcast_to(x, (4, 3)).copy()"),
    ),
    "E02_reshape_then_expand": (
        {
            "source": (1, 2, 2),
            "target": (100, 2, 2),
            "then": "reshape",
            "dtype": "float32",
            "library": "torch",
        },
        ("reshape_first", "x.reshape(1, 4).expand(100, 4)"),
    ),
    "F01_expand_or_repeat_same_gradient": (
        {"source": (1, 3), "target": (4, 3), "learns": "shared", "then": "dense", "library": "torch"},
        ("expand", "w.expand(4, 3)"),
    ),
    "F05_detach_or_data": (
        {"source": (3,), "target": (3,), "writes": "each_copy_in_place", "library": "torch"},
        ("copy_first", "x.detach().clone()"),
    ),
    "G01_parameter_from_expand": (
        {
            "source": (1, 3),
            "target": (4, 3),
            "learns": "each_copy",
            "then": "optimizer_loop",
            "library": "torch",
        },
        ("separate_parameters", "torch.nn.Parameter(x.detach().repeat(4, 1))"),
    ),
    "G03_not_a_leaf": (
        {"source": (1, 3), "target": (4, 3), "learns": "each_copy", "library": "torch"},
        ("separate_parameters", "torch.nn.Parameter(x.detach().repeat(4, 1))"),
    ),
    "J03_flat_repeat_is_impossible": (
        {"source": (3,), "target": (3000,), "pattern": "whole"},
        ("repeat", "np.tile(x, (1000,))"),
    ),
}
# No question of shapes and requirements: the step of a difference.
ELSEWHERE = {"K02_float32_step"}


def advice_on(name):
    asked = dict(ASKED[name][0])
    return zs.advise(asked.pop("source"), asked.pop("target"), **asked)


def test_every_recommendation_is_looked_at():
    assert set(ASKED) | ELSEWHERE == set(HERE)


@pytest.mark.parametrize("name", ASKED)
def test_advice_is_what_the_thread_came_to(name):
    advice, (answer, line) = advice_on(name), ASKED[name][1]
    assert advice.answer == answer
    assert line in advice.code[advice.library]
    assert {check.status for check in advice.checks} == {"passed"}


@pytest.mark.parametrize("name", ASKED)
def test_another_way_of_writing_it_changes_the_answer(name):
    """With nothing but an operation that broadcasts asked for, none of them would be the answer."""
    asked = ASKED[name][0]
    plain = zs.advise(asked["source"], asked["target"], library=asked.get("library", "numpy"))
    assert plain.answer != ASKED[name][1][0]


def test_a_shared_parameter_is_kept_and_expanded_in_forward():
    asked = {"learns": "shared", "then": "optimizer_loop", "library": "torch"}
    advice = zs.advise((1, 3), (4, 3), **asked)
    assert advice.code["torch"].startswith("w = torch.nn.Parameter(x.detach().clone())\n")
    assert advice.code["torch"].endswith("y = w.expand(4, 3)")


def test_out_of_place_edits_are_the_other_way_out():
    """B01, B03 and B05: an operation that returns a new array needs no copy first."""
    advice = zs.advise((1, 3), (4, 3), "each_copy", library="torch")
    assert advice.answer == "leave_to_broadcasting"
    assert "edit_returns_a_new_array" in [check.name for check in advice.checks]


def test_the_budgets_of_the_reshape_case():
    advice = advice_on("E02_reshape_then_expand")
    assert (advice.cost.peak_bytes, advice.cost_otherwise.new_peak_bytes) == (16, 1600)


def test_a_flat_repetition_names_the_view_with_one_axis_more():
    advice = advice_on("J03_flat_repeat_is_impossible")
    assert "np.broadcast_to(x.reshape(1, 3), (1000, 3))" in str(advice)
    assert "i % size" in str(advice)
    flat, x = np.tile(np.arange(3), 4), np.arange(3)
    assert [x[i % 3] for i in range(12)] == flat.tolist()
