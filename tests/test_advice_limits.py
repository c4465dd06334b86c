"""Advice at its edges: shapes that are too large, answers without code, checks that do not hold."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

import zerostride as zs
from zerostride.advice import trials
from zerostride.advice.checking import names_of
from zerostride.advice.growth import growth
from zerostride.advice.instance import Instance
from zerostride.advice.lines import WITHOUT_CODE, lines, measuring


def instance(answer="expand", source=(1, 3), target=(4, 3), dtype="float64"):
    return Instance(answer, growth(source, target), "numpy", dtype)


@pytest.mark.parametrize(("source", "target"), [((2**62, 3), (5,)), ((5,), (2**62, 3)), ((1, 3), (2**62, 3))])
def test_a_shape_beyond_the_library_is_refused_whether_it_fits_or_not(source, target):
    with pytest.raises(ValueError, match=r"2\*\*63"):
        growth(source, target)
    assert growth((2**62, 1), (5,)).kind == "none"


def test_a_reshape_is_looked_for_along_a_few_axes_alone():
    few, many = (2,) * 7 + (3,), (2,) * 7 + (3, 3)
    assert growth((2**7 * 3,), few, reshaped=True).start == few
    assert growth((2**7 * 9,), many, reshaped=True).kind == "none"
    assert growth((2**7 * 3,), few).kind == "none"


WANTED = [
    (
        "leave_to_broadcasting",
        ("nobody", "nobody", "nothing"),
        {"operation_broadcasts", "write_would_spread"},
    ),
    ("expand", ("source", "nobody", "nothing"), {"source_edit_is_seen"}),
    ("expand", ("nobody", "shared", "nothing"), {"write_would_spread", "gradient_adds_up"}),
    ("expand", ("each_copy", "nobody", "save"), {"edit_returns_a_new_array", "comes_back"}),
    ("expand", ("each_copy", "nobody", "process"), {"edit_returns_a_new_array", "comes_back"}),
    ("expand", ("source", "nobody", "dense"), {"source_edit_is_seen", "result_is_dense"}),
    ("copy_first", ("each_copy", "nobody", "contiguous"), {"edit_stays", "is_contiguous"}),
    ("copy_first", ("each_copy_in_place", "nobody", "reshape"), {"edit_stays", "is_contiguous"}),
    ("copy_first", ("nobody", "shared", "optimizer_loop"), {"gradient_adds_up", "one_value_learns"}),
    ("separate_parameters", ("nobody", "each_copy", "optimizer_loop"), {"each_learns"}),
    ("reshape_first", ("source", "nobody", "reshape"), {"source_edit_is_seen", "reshape_last_copies"}),
]


@pytest.mark.parametrize(("answer", "asked", "wanted"), WANTED)
def test_an_answer_stands_on_the_checks_that_its_questions_ask_for(answer, asked, wanted):
    same, bytes_of_it, *others = names_of(answer, "", growth((1, 3), (4, 3)), *asked)
    view = answer in ("expand", "leave_to_broadcasting", "reshape_first")
    assert (same, bytes_of_it) == ("same_values", "shares_storage" if view else "own_storage")
    assert set(others) == wanted


def test_what_does_not_grow_spreads_no_write():
    asked = ("nobody", "nobody", "nothing")
    assert "write_would_spread" not in names_of("expand", "", growth((4, 3), (4, 3)), *asked)
    assert "reshape_last_copies" not in names_of("reshape_first", "", growth((1, 1), (4, 1)), *asked)


@pytest.mark.parametrize(
    ("answer", "because", "names"),
    [
        ("impossible", "sizes", ["library_refuses"]),
        ("contradictory", "no_small_step", ["no_small_step"]),
        ("contradictory", "nothing_learns", ["nothing_learns"]),
        ("contradictory", "source_and_copies", ["source_edit_is_not_seen"]),
    ],
)
def test_a_refusal_stands_on_one_check(answer, because, names):
    assert names_of(answer, because, growth((1, 3), (4, 3)), "nobody", "nobody", "nothing") == names


@pytest.mark.parametrize("answer", sorted(WITHOUT_CODE))
def test_an_answer_without_code_has_no_line(answer):
    assert lines(answer, growth((1, 3), (4, 3)), "numpy", "nobody", "nobody", "nothing") == ""
    assert measuring(answer, growth((1, 3), (4, 3)), "numpy") == ""


def test_the_answer_in_short_is_the_answer_and_its_reasons():
    advice = zs.advise((1, 3), (4, 3))
    told = advice.brief.alternative()
    assert advice.words in told
    assert all(reason in told for reason in advice.reasons)
    other = zs.advise((1, 3), (4, 3), "each_copy_in_place").brief.alternative()
    assert other != told


def test_a_library_that_does_not_refuse_is_found():
    holds, evidence = trials.library_refuses(instance("impossible"))
    assert not holds
    assert evidence == {"source": (1, 3), "target": (4, 3), "error": "-"}
    holds, evidence = trials.library_refuses(instance("impossible", (2, 3), (3, 3)))
    assert (holds, evidence["error"]) == (True, "ValueError")


@pytest.mark.parametrize("dtype", ["int8", "float32", "bool", "complex128"])
def test_the_small_arrays_have_the_type_that_was_asked_for(dtype):
    assert instance(dtype=dtype).x().dtype == np.dtype(dtype)
    assert instance(dtype=dtype).x("float16").dtype == np.float16


def test_a_source_that_comes_back_otherwise_is_found():
    right = np.arange(3.0)
    for wrong in range(4):
        made = iter([right + (place == wrong) for place in range(4)] + [right])
        at = SimpleNamespace(x=instance().x, torch=None, made=lambda _, made=made: next(made))
        assert not trials.comes_back(at)[0]


@pytest.mark.parametrize("learns", ["nobody", "shared"])
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_the_cost_has_gradients_where_something_learns_in_torch(learns, library):
    advice = zs.advise((1, 4096), (64, 4096), learns=learns, library=library)
    learned = learns == "shared" and library == "torch"
    for bill in (advice.cost, advice.cost_otherwise):
        assert (bill.learns, bill.library, bill.gradient_bytes > 0) == (learned, library, learned)
    assert advice.cost.way != advice.cost_otherwise.way
    assert advice.cost.forward_peak_bytes < advice.cost_otherwise.forward_peak_bytes


@pytest.mark.parametrize(("pattern", "order"), [("each", "AABB"), ("whole", "ABAB")])
def test_the_order_of_blocks_is_said(pattern, order):
    told = " ".join(zs.advise((2, 3), (4, 3), pattern=pattern).reasons)
    assert set(re.findall(r"\w*(?:AABB|ABAB)\w*", told)) == {order}
    assert ("i // " in told, "i % " in told) == (pattern == "each", pattern == "whole")
