"""Whether a reshape copies, against what the libraries then do."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import zerostride as zs
from small_views import arrays, tensors

# reshape(copy=False) is new in NumPy 2.1.
COPY_KEYWORD = np.lib.NumpyVersion(np.__version__) >= "2.1.0"
COUNTED = [-1, -1, -2, 0, 1, 5, 7, 2**62, 2**63]


@st.composite
def new_shapes(draw, size):
    """Return a shape of that many elements, mostly, with 1 and -1 in it now and then."""
    shape, left = [], size
    while left > 1:
        factor = draw(st.sampled_from([n for n in range(1, left + 1) if left % n == 0 and n <= 12] or [left]))
        shape.append(factor)
        left //= factor
        if len(shape) > 5:
            shape.append(left)
            break
    if size == 0:
        shape = draw(st.permutations([0, draw(st.integers(0, 5)), draw(st.integers(1, 5))]))
    shape = list(shape)
    if shape and draw(st.integers(0, 3)) == 0:
        shape[draw(st.integers(0, len(shape) - 1))] = draw(st.sampled_from(COUNTED))
    return tuple(shape)


def predicted(x, shape):
    try:
        answer = zs.reshape_copies(x, shape)
    except ValueError:
        return None
    return answer.shape, answer.copies


def by_numpy(x, shape):
    try:
        reshaped = x.reshape(shape)
    except (ValueError, OverflowError):
        return None
    if not x.size:
        same = reshaped.__array_interface__["data"][0] == x.__array_interface__["data"][0]
        return reshaped.shape, not same
    shared = np.shares_memory(reshaped, x)
    if not COPY_KEYWORD:
        return reshaped.shape, not shared
    try:
        x.reshape(shape, copy=False)
    except ValueError:
        assert not shared
    else:
        assert shared
    return reshaped.shape, not shared


def by_torch(x, shape):
    try:
        reshaped = x.reshape(shape)
    except (RuntimeError, TypeError):
        return None
    shared = reshaped.untyped_storage()._cdata == x.untyped_storage()._cdata
    try:
        x.view(shape)
    except RuntimeError:
        assert not shared
    else:
        assert shared
    return tuple(reshaped.shape), not shared


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_numpy(data):
    x = data.draw(arrays())
    shape = data.draw(new_shapes(x.size))
    assert predicted(x, shape) == by_numpy(x, shape)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_torch(data):
    pytest.importorskip("torch")
    x = data.draw(tensors())
    shape = data.draw(new_shapes(x.numel()))
    assert predicted(x, shape) == by_torch(x, shape)


def small_layouts():
    """Return every shape of up to three axes of 1 to 3, with every step out of five, and every new shape."""
    for axes in range(4):
        for shape in itertools.product((1, 2, 3), repeat=axes):
            factors = range(math.prod(shape) + 1)
            new = [(math.prod(shape),), (-1, 2)]
            new += [(a, -1) for a in factors if a and math.prod(shape) % a == 0]
            new += [(a, b, -1) for a in (2, 3) for b in (1, 2, 3) if math.prod(shape) % (a * b) == 0]
            for steps in itertools.product((0, 1, 2, 3, 6), repeat=axes):
                yield shape, steps, new


def wrong_answers(make, truth, answer=predicted):
    return [
        (shape, steps, new)
        for shape, steps, every_new in small_layouts()
        for x in (make(shape, steps),)
        for new in every_new
        if answer(x, new) != truth(x, new)
    ]


def small_array(shape, steps):
    return as_strided(np.zeros(40, "u1"), shape, steps)


def small_tensor(shape, steps):
    import torch

    return torch.zeros(40, dtype=torch.uint8).as_strided(shape, steps)


def test_every_small_layout_in_numpy():
    assert wrong_answers(small_array, by_numpy) == []


def test_every_small_layout_in_torch():
    pytest.importorskip("torch")
    assert wrong_answers(small_tensor, by_torch) == []


def test_a_wrong_answer_among_the_small_layouts_is_seen():
    assert wrong_answers(small_array, by_numpy, lambda x, new: (new, not x.flags.c_contiguous))


def by_contiguity(x, shape):
    """Answer as is often said: what is not contiguous is copied."""
    return shape, not x.flags.c_contiguous


def by_sharing_at_all(x, shape):
    """Answer as is often said: an expanded view is never copied."""
    return shape, 0 not in x.strides and not x.flags.c_contiguous


@pytest.mark.parametrize("wrong", [by_contiguity, by_sharing_at_all])
def test_a_wrong_rule_is_seen(wrong):
    cases = arrays().flatmap(lambda x: st.tuples(st.just(x), new_shapes(x.size)))
    valid = cases.filter(lambda case: min(case[1], default=0) >= 0 and by_numpy(*case))
    x, shape = find(
        valid,
        lambda case: wrong(*case) != by_numpy(*case),
        settings=settings(max_examples=2000, deadline=None),
    )
    assert predicted(x, shape) == by_numpy(x, shape)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_the_axis_is_one_that_must_be_joined_and_cannot(data):
    x = data.draw(arrays())
    shape = data.draw(new_shapes(x.size))
    answer = predicted(x, shape) and zs.reshape_copies(x, shape)
    if not answer:
        return
    axis, after = answer.axis, answer.next_axis
    assert x.strides[axis] != x.shape[after] * x.strides[after]
    assert f"axis {axis} steps {x.strides[axis]} B" in answer.reason
    before = math.prod(x.shape[: axis + 1])
    assert before not in [math.prod(answer.shape[:n]) for n in range(len(shape) + 1)]


VIEW = np.broadcast_to(np.array([[1.0, 2.0, 3.0]]), (4, 3))


@pytest.mark.parametrize(
    ("x", "shape", "axis"),
    [
        (VIEW, -1, 0),
        (VIEW, (2, 2, 3), None),
        (VIEW, (4, 3, 1), None),
        (VIEW, (2, 6), 0),
        (np.zeros((3, 4)).T, -1, 0),
        (np.zeros((3, 4))[:, ::2], (6,), None),
        (np.zeros((3, 4))[:, :2], (6,), 0),
        (np.zeros((3, 4))[::2], (8,), 0),
        (np.zeros((3, 4))[::-1], (3, 2, 2), None),
        (np.zeros(6)[::-1], (2, 3), None),
        (np.zeros((4, 1, 3))[:, ::-1], (12,), None),
        (np.broadcast_to(1.0, (2, 2)), 4, None),
        (np.broadcast_to(1.0, (4, 0)), (0, 7), None),
        (np.zeros((5, 2, 3))[:, :, :2], (10, 2), None),
        (np.zeros((5, 2, 3))[:, :, :2], (5, 4), 1),
    ],
)
def test_known_cases(x, shape, axis):
    answer = zs.reshape_copies(x, shape)
    assert answer.axis == axis
    assert answer.copies == bool(answer) == (axis is not None)
    assert answer.copied_bytes == (x.nbytes if answer else 0)


def test_nothing_is_reshaped_and_size_costs_nothing():
    huge = np.broadcast_to(np.int8(0), (2**31, 2**31))
    assert not zs.reshape_copies(huge, -1)
    answer = zs.reshape_copies(np.broadcast_to(np.zeros(2**10, "i1"), (2**40, 2**10)), -1)
    assert (answer.axis, answer.copied_bytes) == (0, 2**50)


def test_from_numbers():
    assert zs.reshape_copies(zs.Layout.of((4, 3), (0, 8), 8), 12).axis == 0


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((5, 3), "12 elements do not fill"),
        ((-1, 5), "12 elements do not fill"),
        ((-1, -1), "only one size"),
        ((-1, 0), "any number would do"),
        ((2**63, 0), "12 elements do not fill"),
        ((1,) * 64 + (12,), "at most 64 axes"),
    ],
)
def test_the_impossible_is_refused_in_words(shape, words):
    with pytest.raises(ValueError, match=words):
        zs.reshape_copies(VIEW, shape)
    assert by_numpy(VIEW, shape) is None


def test_torch_takes_no_other_negative_size_and_numpy_does():
    torch = pytest.importorskip("torch")
    assert by_numpy(VIEW, (-2, 3)) == ((4, 3), False)
    assert zs.reshape_copies(VIEW, (-2, 3)).shape == (4, 3)
    with pytest.raises(ValueError, match="only -1"):
        zs.reshape_copies(torch.zeros(4, 3), (-2, 3))


@pytest.mark.parametrize("wrong", ["12", 12.0, (True, 12), None])
def test_no_shape(wrong):
    with pytest.raises(TypeError, match="whole numbers"):
        zs.reshape_copies(VIEW, wrong)


def test_no_array():
    with pytest.raises(TypeError, match="hand in"):
        zs.reshape_copies([1, 2, 3], 3)


def test_reasons_in_both_languages():
    answer = zs.reshape_copies(VIEW, -1)
    assert answer.reason == "axis 0 steps 0 B; to go on where axis 1 ends it would have to step 3×8 = 24 B"
    zs.use("zh")
    assert answer.reason == "轴0每步0 B；要从轴1的末尾接着走，每步须为3×8 = 24 B"
