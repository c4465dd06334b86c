"""The verdict on witnesses that are handed in as numbers, at and beside each bound."""

import re
from math import frexp

import numpy as np
import pytest

import zerostride as zs
from zerostride.gradients.comparing import MOST_DOUBT, Gradient, _verdict
from zerostride.gradients.differences import Differences
from zerostride.gradients.programs import tried
from zerostride.gradients.rearranging import MOST_ROWS, _width

DOUBT = 1e-6


def seen(differences, analytic=None, autograd=None, *, gradcheck=None, error="", kinks=(), tolerance=1e-4):
    values = np.array(differences, dtype=float)
    told = Differences(values, 1e-5, "element", "float64", 0.0, (), kinks=kinks)
    others = (None if each is None else np.array(each, dtype=float) for each in (analytic, autograd))
    return Gradient(told, *others, gradcheck, error, tolerance, "")


VERDICTS = [
    ("agree", seen([1, 2], [1, 2], [1, 2])),
    ("agree", seen([1, 2], [1, 2], [1, 2], gradcheck=True)),
    ("unclear", seen([1, 2], [1, 2], [1, 2], gradcheck=False)),
    ("agree", seen([1, 2], [1, 2 + 0.9e-4])),
    ("differ", seen([1, 2], [1, 2 + 1.1e-4])),
    ("differ", seen([1, 2], [1, 2], [1, 3])),
    ("refused", seen([1, 2], [1, 2], error="in place")),
    ("measured", seen([1, 2])),
    ("kink", seen([1, 2], kinks=(1,))),
    ("kink", seen([1, 2], [1, 9], kinks=(1,))),
    ("differ", seen([1, 2], [8, 9], kinks=(1,))),
    ("unclear", seen([1, np.inf], [1, 2])),
    ("unclear", seen([1, 2], [np.nan, 2])),
    # Beside a gradient smaller than the tolerance agreement says nothing.
    ("unclear", seen([5e-5], [4e-5])),
    ("agree", seen([5e-5], [5e-5])),
    ("agree", seen([3e-6], [2e-6])),
]
TORCH_ALONE = [
    ("cut", seen([1, 2])),
    ("cut", seen([1, 2], [1, 2])),
    ("cut", seen([4.1 * DOUBT])),
    ("unused", seen([4 * DOUBT])),
    ("unused", seen([0, 0], [0, 0])),
]


@pytest.mark.parametrize(("verdict", "found"), VERDICTS)
def test_the_verdict_on_numbers(verdict, found):
    assert _verdict(found, DOUBT, False) == verdict
    assert _verdict(found, DOUBT, True) in (verdict, "cut", "unused")


@pytest.mark.parametrize(("verdict", "found"), TORCH_ALONE)
def test_no_derivative_from_torch(verdict, found):
    assert _verdict(found, DOUBT, True) == verdict
    assert _verdict(found, DOUBT, False) in ("measured", "agree")


@pytest.mark.parametrize(("doubt", "verdict"), [(3 * MOST_DOUBT, "agree"), (3.1 * MOST_DOUBT, "unclear")])
def test_differences_that_are_themselves_in_doubt(doubt, verdict):
    assert _verdict(seen([1, 2], [1, 2]), doubt, False) == verdict
    assert _verdict(seen([1, 2], [1, 2]), np.nan, False) == "unclear"


def test_a_program_is_tried_in_its_own_type_where_no_other_runs():
    def only_float32(z):
        if z.dtype != np.float32:
            raise TypeError("float32 alone")
        return z.sum()

    narrow = np.ones(3, np.float32)
    assert tried(only_float32, narrow, "float64") == (3.0, "float32")
    assert tried(np.sum, narrow, "float64") == (3.0, "float64")
    with pytest.raises(TypeError, match="float32 alone"):
        tried(only_float32, np.ones(3), "float64")
    with pytest.raises(TypeError, match="float32 alone"):
        tried(only_float32, np.ones(3, np.int64), "float64")


@pytest.mark.parametrize("elements", [MOST_ROWS - 1, MOST_ROWS, MOST_ROWS + 1, MOST_ROWS + 30])
def test_long_answers_are_cut_and_say_what_is_left(elements):
    found = zs.uses(lambda z: z, np.ones(elements))
    left = elements - MOST_ROWS
    for told in (found.alternative(), str(found)):
        shown = set(map(int, re.findall(r"x\[(\d+)\]", told)))
        assert shown == set(range(min(elements, MOST_ROWS)))
        assert (f"{left} more" in told) == (left > 0)
    assert found.counts.shape == (elements,)


@pytest.mark.parametrize("number", [0.0, 0.5, 1.0, 1.5, 3.0, -7.0, 1e10, 1e-300, np.inf, np.nan])
@pytest.mark.parametrize("rounding", [2.0**-52, 2.0**-23, 2.0**-8])
def test_a_step_is_a_power_of_two_in_proportion_to_the_number(number, rounding):
    step = _width(number, rounding)
    assert frexp(step)[0] == 0.5
    size = abs(number) if np.isfinite(number) and abs(number) > 1 else 1.0
    assert size <= step / _width(1.0, rounding) < 2 * size
