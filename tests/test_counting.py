"""Interlocking strides: exact against brute force, true bounds where the effort is cut short."""

import time
from collections import Counter
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zerostride.layouts import counting, meetings
from zerostride.layouts.arithmetic import reading
from zerostride.layouts.meetings import some_meet


def brute_force(shape, strides, itemsize):
    """Touched bytes, most aliases and overlap by listing every byte of every index."""
    starts = Counter(
        sum(i * step for i, step in zip(index, strides, strict=True)) for index in product(*map(range, shape))
    )
    readers = Counter()
    for start, times in starts.items():
        for byte in range(itemsize):
            readers[start + byte] += times
    return len(readers), max(starts.values(), default=0), any(times > 1 for times in readers.values())


@st.composite
def strided(draw):
    """Up to five axes with strides that nest, continue, overlap or interleave."""
    shape, at_most = [], 600
    for _ in range(draw(st.integers(0, 5))):
        shape.append(draw(st.integers(0, min(12, at_most))))
        at_most //= max(shape[-1], 1)
    widest = draw(st.sampled_from([6, 12, 60]))
    strides = draw(st.lists(st.integers(-widest, widest), min_size=len(shape), max_size=len(shape)))
    return tuple(shape), tuple(strides), draw(st.sampled_from([1, 2, 3, 4, 8]))


@settings(max_examples=1500, deadline=None)
@given(strided())
def test_reading_equals_brute_force(case):
    answer, (touched, most, overlaps) = reading(*case), brute_force(*case)
    assert answer.touched_bytes_between == (touched, touched)
    assert (answer.touched_bytes, answer.most_aliases, answer.overlaps) == (touched, most, overlaps)


@settings(max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(strided(), st.sampled_from([(0, 0), (3, 5), (40, 100)]))
def test_cut_short_an_answer_is_open_but_never_wrong(monkeypatch, case, limits):
    runs, nodes = limits
    monkeypatch.setattr(counting, "RUNS_AT_MOST", runs)
    monkeypatch.setattr(counting, "CELLS_AT_MOST", 8 * runs)
    monkeypatch.setattr(counting, "SUMS_AT_MOST", runs)
    monkeypatch.setattr(meetings, "NODES_AT_MOST", nodes)
    answer, (touched, most, overlaps) = reading(*case), brute_force(*case)
    low, high = answer.touched_bytes_between
    assert low <= touched <= high
    assert answer.most_aliases in (None, most)
    assert answer.overlaps in (None, overlaps)


def test_cut_short_some_answers_are_open(monkeypatch):
    """The twin of the test above: its limits do cut something short."""
    case = ((5, 4, 6, 3), (23, 31, 47, 59), 3)
    exact = reading(*case)
    monkeypatch.setattr(counting, "RUNS_AT_MOST", 0)
    monkeypatch.setattr(counting, "CELLS_AT_MOST", 0)
    monkeypatch.setattr(counting, "SUMS_AT_MOST", 0)
    monkeypatch.setattr(meetings, "NODES_AT_MOST", 0)
    low, high = reading(*case).touched_bytes_between
    assert low < exact.touched_bytes < high
    assert reading(*case).most_aliases is None


def distinct(shape, strides, itemsize):
    """Touched bytes of a larger layout: a mark for every byte."""
    starts = np.zeros(1, np.int64)
    for size, step in zip(shape, strides, strict=True):
        starts = np.unique(np.add.outer(starts, np.arange(size) * step))
    marks = np.zeros(starts[-1] + itemsize, bool)
    for byte in range(itemsize):
        marks[starts + byte] = True
    return int(marks.sum())


@pytest.mark.parametrize(
    "case",
    [
        ((1200, 1100), (1009, 1013), 8),
        ((9000, 30, 4), (100, 5, 3), 1),
        ((400, 400, 400), (24, 16, 40), 8),
        ((50_000, 3, 7), (16, 24, 100), 4),
        ((2000, 900), (40, 56), 8),
        ((900, 70, 5), (1000, 77, 13), 4),
    ],
)
def test_large_interlocking_strides_are_counted_exactly(case):
    assert reading(*case).touched_bytes == distinct(*case)


def test_pairs_of_any_size_are_solved():
    case = ((10**6, 10**6), (10**9 + 7, 10**9), 1)
    assert reading(*case).touched_bytes == 10**12
    assert reading(*case).overlaps is False
    meeting = ((10**6, 10**6), (1009, 1013), 1)
    assert reading(*meeting).overlaps is True
    # From number theory: of a*b points of a box, those that lie one period on repeat others.
    assert reading(*meeting).touched_bytes == 10**12 - (10**6 - 1013) * (10**6 - 1009)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 90), st.integers(2, 7)), min_size=1, max_size=3), st.integers(1, 9))
def test_meetings_equal_brute_force(axes, width):
    places = [
        sum(i * step for i, (step, _) in zip(index, axes, strict=True))
        for index in product(*(range(size) for _, size in axes))
    ]
    places.sort()
    nearest = min(later - earlier for earlier, later in pairwise(places))
    assert some_meet(axes, width) == (nearest < width)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 40), st.integers(2, 6)), min_size=3, max_size=5), st.integers(1, 9))
def test_sums_far_apart_are_counted_one_by_one(axes, spread):
    """Steps of many millions: a place for every sum would take too much room."""
    axes = [(step * 10**9 + spread, size) for step, size in axes]
    sums = Counter(
        sum(i * step for i, (step, _) in zip(index, axes, strict=True))
        for index in product(*(range(size) for _, size in axes))
    )
    assert counting.most_sums(axes) == max(sums.values())


def test_sums_that_floating_point_would_round_together_are_told_apart():
    axes = [(2**55, 3), (2**55 + 1, 3), (2**55 + 2, 3)]
    sums = Counter(
        sum(i * step for i, (step, _) in zip(index, axes, strict=True))
        for index in product(range(3), repeat=3)
    )
    assert counting.most_sums(axes) == max(sums.values()) < 7


@pytest.mark.parametrize(
    ("axes", "width", "meet"),
    [
        ([(4118, 7), (205, 6), (65981, 7), (5693, 2), (4, 10), (93, 3)], 1, False),
        ([(16, 5), (66, 8), (579, 10), (56174, 11), (29499, 2), (33, 10)], 1, True),
        ([(90696, 8), (1910, 11), (45262, 2), (213, 4), (2872, 7), (87, 8)], 3, True),
    ],
)
def test_the_largest_steps_decide_first(axes, width, meet, monkeypatch):
    """From the smallest on, thousands of branches would not be enough."""
    monkeypatch.setattr(meetings, "NODES_AT_MOST", 10)
    for order in (axes, axes[::-1], sorted(axes)):
        assert some_meet(order, width) is meet


@pytest.mark.parametrize("known", [(10**18, 3), (1, 2)])
def test_a_nest_with_an_open_part_is_open(known):
    tangled = [(step * 4, 1000) for step in (1000003, 999983, 700001, 500009, 300007)]
    assert counting.most_sums(tangled) is None
    assert counting.most_sums([*tangled, known]) is None


def test_sums_beyond_64_bits_are_left_open_or_known_apart():
    far = [(2**62 + 1, 3), (2**61 + 7, 3), (2**60 + 9, 3), (2**59 + 3, 3)]
    assert counting.most_sums(far) == 1
    assert counting.most_sums([(step * 2**40, size) for step, size in far]) == 1
    bounds = reading((3,) * 4, tuple(step for step, _ in far), 1).touched_bytes_between
    assert bounds == (3**4, 3**4)


def test_counting_stops_at_the_runs_it_may_hold(monkeypatch):
    """What is left counts with one interval a step: the bound grows with the size, and stays true."""
    monkeypatch.setattr(counting, "RUNS_AT_MOST", 20)
    for sizes in ((9, 8, 7), (12, 9, 7), (12, 11, 10)):
        axes = list(zip((101, 211, 331), sizes, strict=True))
        counted, all_of_it = counting._runs(axes, 2)
        starts = {
            sum(i * step for i, (step, _) in zip(index, axes, strict=True))
            for index in product(*map(range, sizes))
        }
        exact = len({start + byte for start in starts for byte in range(2)})
        assert not all_of_it
        assert 2 * (1 + sum(sizes) - 3) <= counted < exact
    # 9 runs doubled twice are too many; 4 steps along the second axis and 6 along the third are left.
    assert counting._runs([(101, 9), (211, 8), (331, 7)], 2) == (2 * (36 + 4 + 6), False)
    monkeypatch.undo()
    assert counting._runs(axes, 2) == (exact, True)


@pytest.mark.parametrize("axes", [((2,) * 62, "doubling"), ((2,) * 64, "same"), ((1,) * 64, "same")])
def test_sixty_four_axes(axes):
    shape, kind = axes
    strides = tuple(2**axis for axis in range(len(shape))) if kind == "doubling" else (8,) * len(shape)
    answer = reading(shape, strides, 1)
    if kind == "doubling":
        assert (answer.touched_bytes, answer.most_aliases, answer.overlaps) == (2**62, 1, False)
    else:
        moving = sum(size > 1 for size in shape)
        assert (answer.touched_bytes, answer.overlaps) == (moving + 1, moving > 0)
        assert answer.most_aliases == max(ways(moving))


def ways(count):
    """One line of Pascal's triangle."""
    line = [1]
    for _ in range(count):
        line = [a + b for a, b in zip([0, *line], [*line, 0], strict=True)]
    return line


def test_cost_does_not_grow_with_the_size():
    """A million million times the elements, and not ten times the time of a small layout's answer."""

    def best_of(case):
        times = []
        for _ in range(20):
            started = time.perf_counter()
            reading(*case)
            times.append(time.perf_counter() - started)
        return min(times)

    small, large = ((4, 3), (0, 8), 8), ((2**31, 2**31), (0, 8), 8)
    assert prod(large[0]) > 10**17 * prod(small[0])
    assert best_of(large) < 10 * best_of(small) + 1e-4


def test_effort_is_bounded_where_nothing_can_be_decided():
    started = time.perf_counter()
    answer = reading((1000,) * 5, (1000003, 999983, 700001, 500009, 300007), 3)
    assert time.perf_counter() - started < 5
    low, high = answer.touched_bytes_between
    assert 3000 < low < high <= 1000**5 * 3
    assert answer.overlaps is True
