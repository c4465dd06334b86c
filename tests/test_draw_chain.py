"""The picture of the chain rule: what its cells say is what the report of uses says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

import zerostride as zs
from picture_rules import faults, grey
from zerostride.draw.ink import LIT_FILL, PAPER
from zerostride.pictures import alt_text, png, svg

WEIGHTS = np.arange(1.0, 13.0).reshape(4, 3)
SOURCE = np.array([[1.0, 2.0, 3.0]])


def expand(z):
    return np.broadcast_to(z, (4, 3))


REPORTS = {
    "sum": lambda: zs.uses(expand, SOURCE, WEIGHTS),
    "mean": lambda: zs.uses(expand, SOURCE, WEIGHTS / 12),
    "windows": lambda: zs.uses(lambda z: sliding_window_view(z, 3), np.ones(5)),
    "signs": lambda: zs.uses(expand, SOURCE, 1 - WEIGHTS * 2**0.5),
    "many": lambda: zs.uses(lambda z: np.tile(z, (40, 1)), np.ones(30)),
    "unused": lambda: zs.uses(lambda z: z[1:2], np.ones(3)),
    "number": lambda: zs.uses(lambda z: np.full((), z), np.array(2.0)),
    "deep": lambda: zs.uses(lambda z: z, np.ones((1, 1, 1, 2, 1, 1)), np.full((1, 1, 1, 2, 1, 1), 1e-7)),
}


def numbers(figure):
    """The counts of uses and the sums, without the names of what is summed."""
    return [text for text in texts(figure, fontweight="bold") if "∂" not in text]


def texts(figure, **look):
    kept = [text for text in figure.axes[0].texts if text.get_text()]
    return [
        text.get_text() for text in kept if all(getattr(text, f"get_{k}")() == v for k, v in look.items())
    ]


@pytest.mark.parametrize("name", REPORTS)
def test_rules_of_a_picture(name):
    assert faults(zs.draw.chain_rule(REPORTS[name]())) == {}


def test_the_sums_of_the_course():
    shown = texts(zs.draw.chain_rule(REPORTS["sum"]()))
    assert {"22", "26", "30", "+ 4", "+ 10", "y[3, 2]"} <= set(shown)
    assert shown.count("n = 4") == 3
    assert "∂L/∂x[0, 2]" in shown
    assert {"11/6", "13/6", "2.5", "1/12"} <= set(texts(zs.draw.chain_rule(REPORTS["mean"]())))


def test_windows_have_stacks_of_their_own_height():
    figure = zs.draw.chain_rule(REPORTS["windows"]())
    assert numbers(figure) == ["n = 1", "1", "n = 2", "2", "n = 3", "3", "n = 2", "2", "n = 1", "1"]
    heights = {
        text.get_position()[0]: text.get_position()[1]
        for text in figure.axes[0].texts
        if "n = " in text.get_text()
    }
    ordered = [heights[x] for x in sorted(heights)]
    assert ordered[0] > ordered[1] > ordered[2] < ordered[3] < ordered[4]


def test_an_unused_element_has_no_arrow_and_a_dashed_zero():
    figure = zs.draw.chain_rule(REPORTS["unused"]())
    assert numbers(figure) == ["n = 0", "0", "n = 1", "1", "n = 0", "0"]
    assert len(dashed(figure)) == 2


def dashed(figure):
    return [patch for patch in figure.axes[0].patches if patch.get_facecolor()[:3] == (1, 1, 1)]


@pytest.mark.parametrize(("way", "counts", "ghosts"), [("edited", [3, 4, 4], 1), ("detach", [0] * 3, 12 + 3)])
def test_a_lost_use_is_dashed_struck_out_and_not_counted(way, counts, ghosts):
    figure = zs.explore.derivative(way=way).static().figure
    assert numbers(figure)[::2] == [f"n = {count}" for count in counts]
    assert len(dashed(figure)) == ghosts
    assert len(figure.axes[0].lines) == sum(4 - count for count in counts)
    assert "1" in texts(figure)
    assert faults(figure) == {}
    assert dashed(zs.explore.derivative().static().figure) == []


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.integers(-9, 9))
def test_every_sum_stands_in_the_picture(index, shift):
    weights = np.arange(len(index), dtype=float) + shift
    report = zs.uses(lambda z: z[np.array(index)], np.ones(4), weights)
    bold = numbers(zs.draw.chain_rule(report))
    assert [each.replace("−", "-") for each in bold[1::2]] == [f"{each:g}" for each in report.sums]
    assert bold[::2] == [f"n = {each}" for each in report.counts]


def test_long_sources_and_long_stacks_are_cut_where_it_shows():
    shown = texts(zs.draw.chain_rule(REPORTS["many"]()))
    assert shown.count("⋯") == 1
    assert shown.count("⋮") == 6
    assert {"n = 40", "∂L/∂x[0]", "∂L/∂x[29]", "y[39, 29]"} <= set(shown)


def test_sums_stand_out_in_grey_and_the_file_is_stable():
    assert abs(grey(LIT_FILL) - grey(PAPER)) > 20
    figures = [zs.draw.chain_rule(REPORTS["sum"]()) for _ in range(2)]
    assert png(figures[0]) == png(figures[1])
    assert svg(figures[0]) == svg(figures[1])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_alternative(language):
    zs.use(language)
    words = {"en": "x[0, 1] is used 4 times, with weights 2, 5, 8, 11; sum 26.", "zh": "x[0, 1]被使用4次"}
    assert words[language] in alt_text(REPORTS["sum"]())


def test_what_is_refused():
    with pytest.raises(TypeError, match=r"what zs.uses\(f, x, weights\) gives, not ndarray"):
        zs.draw.chain_rule(WEIGHTS)
    with pytest.raises(ValueError, match="no element to draw"):
        zs.draw.chain_rule(zs.uses(lambda z: z, np.ones((0, 3))))
