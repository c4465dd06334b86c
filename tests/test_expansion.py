"""Which shapes expand to which, against what the libraries do."""

import itertools

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

import zerostride as zs
from zerostride.expansion import beyond_limit

ODD = [-1, -1, -2, 2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**70]


@st.composite
def pairs(draw):
    """Return a source and a target, related often enough to fit."""
    source = tuple(draw(st.lists(st.sampled_from([1, 1, 2, 3, 4, 0]), max_size=4)))
    fitting = [draw(st.sampled_from([size, size, 4 if size == 1 else size])) for size in source]
    target = [*draw(st.lists(st.integers(0, 4), max_size=2)), *fitting]
    if target and draw(st.booleans()):
        place = draw(st.integers(0, len(target) - 1))
        target[place : place + draw(st.integers(0, 1))] = [draw(st.integers(0, 4) | st.sampled_from(ODD))]
    return source, tuple(target[draw(st.sampled_from([0, 0, 0, 1])) :])


def by_numpy(source, target):
    try:
        return np.broadcast_to(np.empty(source, "i1"), target).shape
    except (ValueError, OverflowError):
        return None


def by_torch(source, target):
    import torch

    try:
        shape = tuple(torch.empty(source, device="meta").expand(target).shape)
    except (RuntimeError, TypeError):
        return None
    # Without elements torch lets some negative sizes pass and hands them back: no shape.
    return shape if min(shape, default=0) >= 0 else None


@settings(max_examples=400, deadline=None)
@given(pairs())
def test_numpy(pair):
    answer = zs.can_expand(*pair)
    assert answer.shape == by_numpy(*pair)
    assert bool(answer) == answer.allowed == (answer.shape is not None)
    assert answer.reason


@settings(max_examples=300, deadline=None)
@given(pairs())
def test_torch(pair):
    pytest.importorskip("torch")
    assert zs.can_expand(*pair, library="torch").shape == by_torch(*pair)


def small_pairs(least):
    """Return every source of up to three axes of 0 to 3, with every such target, its sizes from ``least``."""
    shapes = [
        list(itertools.product(sizes, repeat=n))
        for sizes in ((0, 1, 2, 3), range(least, 4))
        for n in range(4)
    ]
    return itertools.product(itertools.chain(*shapes[:4]), itertools.chain(*shapes[4:]))


def test_every_small_pair_in_numpy():
    assert [pair for pair in small_pairs(-2) if zs.can_expand(*pair).shape != by_numpy(*pair)] == []


def test_every_small_pair_in_torch():
    pytest.importorskip("torch")
    assert [pair for pair in small_pairs(-2) if zs.can_expand(*pair, "torch").shape != by_torch(*pair)] == []


def from_the_front(source, target):
    """Align the first axes, as beginners do."""
    fits = len(source) <= len(target) and all(s in (1, t) for s, t in zip(source, target, strict=False))
    return target if fits else None


@pytest.mark.parametrize(
    "wrong", [from_the_front, lambda source, target: zs.can_expand(target, source).shape]
)
def test_a_wrong_rule_is_seen(wrong):
    whole = pairs().filter(lambda pair: min(pair[1], default=0) >= 0)
    pair = find(
        whole,
        lambda pair: wrong(*pair) != by_numpy(*pair),
        settings=settings(max_examples=2000, deadline=None),
    )
    assert zs.can_expand(*pair).shape == by_numpy(*pair)


@settings(max_examples=200, deadline=None)
@given(pairs())
def test_each_axis_is_judged_as_numpy_judges_it_alone(pair):
    answer = zs.can_expand(*pair)
    assert [axis.axis for axis in answer.axes] == [-place for place in range(1, len(answer.axes) + 1)]
    for axis in answer.axes:
        if axis.source_size is not None and axis.target_size is not None:
            alone = by_numpy((axis.source_size,), (axis.target_size,))
            assert (alone is None) == (axis.verdict == "refused")
        assert (axis.verdict == "new") == (axis.source_size is None and 0 <= axis.target_size < 2**63)
        assert (axis.target_size is None) <= (axis.verdict == "refused")


@pytest.mark.parametrize(
    ("source", "target", "library", "verdicts"),
    [
        ((1, 3), (4, 3), "numpy", ["same", "expanded"]),
        ((3,), (4, 3), "numpy", ["same", "new"]),
        ((), (2, 3), "torch", ["new", "new"]),
        ((3,), (3, 4), "numpy", ["refused", "new"]),
        ((4, 1), (4, 3), "torch", ["expanded", "same"]),
        ((1, 3), (3,), "numpy", ["same", "refused"]),
        ((1, 3), (-1, 3), "torch", ["same", "same"]),
        ((1, 3), (-1, 3), "numpy", ["same", "refused"]),
        ((1, 3), (-1, 4, 3), "torch", ["same", "expanded", "refused"]),
        ((1, 3), (0, 3), "torch", ["same", "expanded"]),
    ],
)
def test_verdicts(source, target, library, verdicts):
    answer = zs.can_expand(source, target, library)
    assert [axis.verdict for axis in answer.axes] == verdicts
    assert answer.allowed == ("refused" not in verdicts)


def test_size_two_cannot_become_four():
    answer = zs.can_expand((2, 3), (4, 3))
    assert (answer.refused.axis, answer.refused.because) == (-2, "differs")
    assert answer.reason == "axis -2: 2 is neither 1 nor 4"
    assert "np.repeat" in answer.hint
    zs.use("zh")
    assert answer.reason == "轴-2：2既不是1，也不是4"


def test_left_alignment_is_named():
    assert zs.can_expand((4,), (4, 3)).hint.startswith("(4, 1) would fit")
    assert zs.can_expand((4,), (3, 5)).hint == ""
    assert zs.can_expand((4, 1), (4, 3)).hint == ""


@pytest.mark.parametrize("itemsize", [1, 2, 8, 16])
@pytest.mark.parametrize("target", [(2**31, 2**31), (2**30, 2**30), (2**31, 2**32), (0, 2**62), (2**59,)])
def test_numpy_refuses_by_bytes(target, itemsize):
    source = np.zeros((), f"V{itemsize}")
    try:
        shape = np.broadcast_to(source, target).shape
    except ValueError:
        shape = None
    answer = zs.can_expand((), target, itemsize=itemsize)
    assert answer.shape == shape
    assert (answer.limit == "numpy_bytes") == (shape is None)


@pytest.mark.parametrize(
    "target",
    [(2**31, 2**31), (2**31, 2**32 - 1), (2**31, 2**32), (2**62, 2**62, 0), (0, 2**62, 2**62), (2**62, 3, 0)],
)
def test_torch_refuses_by_elements(target):
    pytest.importorskip("torch")
    answer = zs.can_expand((), target, "torch")
    assert answer.shape == by_torch((), target)
    assert (answer.limit == "torch_elements") == (answer.shape is None)


@pytest.mark.parametrize("axes", [64, 65])
def test_most_axes(axes):
    assert zs.can_expand((), (1,) * axes).shape == by_numpy((), (1,) * axes)
    assert beyond_limit((1,) * axes, "torch", 1) == ""


def test_torch_lets_a_negative_size_pass_without_elements():
    torch = pytest.importorskip("torch")
    assert torch.zeros(1, 0).expand(-2, 0).shape == (-2, 0)
    assert torch.zeros(()).expand(-1, 0).shape == (-1, 0)
    assert not zs.can_expand((1, 0), (-2, 0), "torch")
    assert not zs.can_expand((), (-1, 0), "torch")


@pytest.mark.parametrize("shape", [(2.0, 3), "43", (True, 3), None, (None,), ((1, 2),)])
def test_no_shape(shape):
    for pair in ((shape, (4, 3)), ((1, 3), shape)):
        with pytest.raises(TypeError, match="whole numbers"):
            zs.can_expand(*pair)


def test_whole_numbers_of_any_kind():
    assert zs.can_expand(3, [np.int64(4), 3]).shape == (4, 3)
    assert zs.can_expand(np.array([1, 3]), (4, 3)).allowed


def test_what_no_array_has_is_an_error():
    with pytest.raises(ValueError, match="negative"):
        zs.can_expand((-1, 3), (4, 3))
    with pytest.raises(ValueError, match="numpy or torch"):
        zs.can_expand((1, 3), (4, 3), library="jax")
    with pytest.raises(ValueError, match="numpy or torch") as refusal:
        zs.can_expand((1, 3), (4, 3), library="x" * 10**6)
    assert len(str(refusal.value)) < 1000


def test_the_table_is_one_row_an_axis():
    answer = zs.can_expand((1, 3), (2, 4, 3))
    assert [row[:4] for row in answer.table().rows] == [
        ("-1", "3", "3", "same"),
        ("-2", "1", "4", "expanded"),
        ("-3", "", "2", "new"),
    ]
    assert answer.to_dict()["shape"] == (2, 4, 3)
