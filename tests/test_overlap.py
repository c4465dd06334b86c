"""Common bytes of two layouts, against sets of single bytes."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, find, given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import zerostride as zs
from zerostride.sharing import overlap
from zerostride.sharing.overlap import Blocks, Strided, common_bytes, in_blocks


@st.composite
def layouts(draw):
    """Return up to four axes that nest, interlock or repeat, of any sign and start."""
    sizes = draw(st.lists(st.integers(0, 1) | st.integers(2, 6), max_size=4))
    itemsize = draw(st.sampled_from([1, 2, 3, 8]))
    if draw(st.booleans()):
        steps, step = [], itemsize
        for size in sizes:
            steps.append(step * draw(st.sampled_from([1, 1, 0, -1, 2, 3])))
            step = max(step, abs(steps[-1])) * max(size, 1)
    else:
        steps = [draw(st.integers(-30, 30)) for _ in sizes]
    return Strided(tuple(sizes), tuple(steps), itemsize, draw(st.integers(0, 60)))


def single_bytes(layout):
    indices = itertools.product(*map(range, layout.shape))
    starts = [
        layout.start + sum(i * step for i, step in zip(index, layout.strides_bytes, strict=True))
        for index in indices
    ]
    return {start + byte for start in starts for byte in range(layout.itemsize)}


def right(answer, a, b):
    common = len(single_bytes(a) & single_bytes(b))
    return answer(a, b) == (common, common)


@settings(max_examples=600, deadline=None)
@given(layouts(), layouts())
def test_common_bytes(a, b):
    assert right(common_bytes, a, b)


@settings(max_examples=300, deadline=None)
@given(layouts(), layouts())
def test_each_way_of_counting_is_right_on_its_own(a, b):
    common = len(single_bytes(a) & single_bytes(b))
    assume(single_bytes(a) and single_bytes(b))
    assert overlap._met(a, b) in (None, common)
    assert overlap._listed_and_met(a, b) == common


@settings(max_examples=300, deadline=None)
@given(layouts(), layouts())
def test_bounds_hold_where_nothing_is_counted(a, b):
    common = len(single_bytes(a) & single_bytes(b))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlap, "LIST_AT_MOST", 0)
        patch.setattr(overlap, "MEET_AT_MOST", 0)
        low, high = common_bytes(a, b)
    assert low <= common <= high


@settings(max_examples=300, deadline=None)
@given(layouts(), st.integers(-10, 200))
def test_blocks_count_what_lies_below(layout, place):
    blocks, first = in_blocks(layout), layout.range[0]
    if blocks is not None:
        assert blocks.below(place) == sum(byte - first < place for byte in single_bytes(layout))


def ranges_alone(a, b):
    """Count as np.may_share_memory judges: by first and last byte."""
    common = max(0, min(a.range[1], b.range[1]) - max(a.range[0], b.range[0]))
    return common, common


@pytest.mark.parametrize("wrong", [ranges_alone, lambda a, b: common_bytes(a, b._replace(start=b.start + 1))])
def test_a_wrong_count_is_seen(wrong):
    a, b = find(
        st.tuples(layouts(), layouts()),
        lambda pair: not right(wrong, *pair),
        settings=settings(max_examples=2000, deadline=None),
    )
    assert right(common_bytes, a, b)


@pytest.mark.parametrize(
    ("a", "b", "common"),
    [
        (Strided((2**31, 2**31), (0, 0), 1, 5), Strided((2**31, 2**31), (0, 0), 1, 5), 1),
        (Strided((2**40,), (24,), 8, 0), Strided((2**40,), (16,), 8, 0), 8 * -(-(2**41) // 6)),
        (Strided((2**40, 3), (32, 8), 8, 0), Strided((2**40,), (32,), 8, 24), 0),
        (Strided((2**20, 2**20), (2**24, 8), 8, 0), Strided((2**20, 2**19), (2**24, 16), 8, 8), 2**42),
    ],
)
def test_large_layouts_are_counted_without_listing(a, b, common, monkeypatch):
    monkeypatch.setattr(overlap, "LIST_AT_MOST", 0)
    assert common_bytes(a, b) == common_bytes(b, a) == (common, common)


def test_what_is_too_much_to_count_is_bounded():
    a = Strided((1000003,), (999983 * 8,), 8, 0)
    b = Strided((999983,), (1000003 * 8,), 8, 0)
    assert common_bytes(a, b) == (8, 999983 * 8)


@pytest.mark.parametrize("inner", [(3,), (3, 2)])
def test_blocks_that_touch_by_one_byte_are_counted_at_every_place(inner, monkeypatch):
    """Steps that fit into one another nowhere, moved past each other byte by byte."""
    a = Strided((5, *inner), (70, 20, 9)[: 1 + len(inner)], 8, 100)
    monkeypatch.setattr(overlap, "LIST_AT_MOST", 0)
    for start in range(0, 500, 1):
        b = Strided((4,), (13,), 5, start)
        common = len(single_bytes(a) & single_bytes(b))
        assert common_bytes(a, b) == common_bytes(b, a) == (common, common)


def test_meetings_are_counted_up_to_their_limit_and_no_further(monkeypatch):
    a, b = Strided((5,), (8,), 8, 0), Strided((5,), (8,), 8, 16)
    monkeypatch.setattr(overlap, "MEET_AT_MOST", 1)
    assert overlap._met(a, b) == 24
    monkeypatch.setattr(overlap, "MEET_AT_MOST", 0)
    assert overlap._met(a, b) is None


def test_addresses_beyond_64_bits_are_counted_too():
    a = Strided((3, 3), (20, 12), 8, 2**70)
    assert common_bytes(a, a._replace(start=2**70 + 4)) == common_bytes(
        a._replace(start=0), a._replace(start=4)
    )


def test_interlocking_axes_are_no_blocks():
    assert in_blocks(Strided((2, 2, 2), (3, 2, 1), 1, 0)) == Blocks(7)
    assert in_blocks(Strided((3, 3), (20, 12), 8, 0)) is None


def test_one_layout_twice_is_the_same_memory_where_nothing_is_counted(monkeypatch):
    view = as_strided(np.zeros(20_000, np.uint8), (5, 4, 6, 3), (230, 310, 470, 590))
    monkeypatch.setattr(overlap, "LIST_AT_MOST", 0)
    monkeypatch.setattr(overlap, "MEET_AT_MOST", 0)
    assert zs.compare(view, view[:]).relation == "same_memory"
    assert zs.compare(view, view[1:]).relation != "same_memory"
