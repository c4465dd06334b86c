"""The picture of times: every round is a point, the spread is there, nothing is one number alone."""

import re

import pytest

import zerostride as zs
from picture_rules import faults, language
from zerostride.memory import Timing, Timings
from zerostride.pairs.typography import HAN
from zerostride.pictures import alt_text, png, svg

NAMES = ("new_peak_bytes", "ms")


def report(**programs):
    found = tuple(Timing(name, seconds, peak) for name, (seconds, peak) in programs.items())
    return Timings("torch", "cpu", 2, True, ((1, 4096),), found)


CASES = {
    "three": {
        "expand": ((0.0843, 0.0838, 0.105, 0.0586, 0.146), 8_405_000),
        "repeat": ((0.111, 0.0988, 0.114, 0.0938, 0.128), 16_777_216),
        "implicit": ((0.05, 0.051, 0.052, 0.049, 0.055), 0),
    },
    "one": {"view": ((1e-7, 2e-7, 3e-7), 96)},
    "alike": {"a": ((1.0,) * 15, 2**40), "b": ((1.0,) * 15, 2**40)},
    "many": {f"program_{k}_with_a_long_name": ((k + 1.0, k + 2.0, 900.0), 10**k) for k in range(12)},
}


def drawn(name):
    return zs.draw.timings(report(**CASES[name]))


@pytest.mark.parametrize("name", CASES)
def test_rules_of_a_picture(name):
    assert faults(drawn(name), [*NAMES, *CASES[name]]) == {}


def test_a_word_that_is_no_name_is_seen():
    assert list(language(drawn("one"), NAMES)) == ["view"]


@pytest.mark.parametrize("name", CASES)
def test_every_round_is_a_point_in_true_scale(name):
    seconds = [time for times, _ in CASES[name].values() for time in times]
    rings = [line for line in drawn(name).axes[0].lines if line.get_marker() == "o"]
    places = [place for ring in rings for place in ring.get_xdata()]
    assert places == pytest.approx([8.0 * time / max(seconds) for time in seconds])


@pytest.mark.parametrize("name", CASES)
def test_no_time_stands_without_its_spread(name):
    texts = [text.get_text() for text in drawn(name).axes[0].texts]
    times = [text for text in texts if text.endswith(" ms")]
    assert len(times) == len(CASES[name])
    assert all(re.fullmatch(r"\S+ \(\S+\.\.\S+\) ms", text) for text in times)
    for _, peak in CASES[name].values():
        assert f"{peak:,} B" in texts


def test_too_many_programs_are_refused():
    with pytest.raises(ValueError, match="12 programs, not for 13"):
        zs.draw.timings(report(**{f"p{k}": ((1.0, 1.0, 1.0), 1) for k in range(13)}))


def test_the_same_bytes_every_time():
    assert svg(drawn("three")) == svg(drawn("three"))
    assert png(drawn("three")) == png(drawn("three"))
    assert svg(drawn("three")) != svg(drawn("alike"))


def test_alternatives():
    bill = zs.budget((4, 3), "float64", (1, 3), ["square"], learns=True)
    for each, words in (
        (report(**CASES["three"]), "expand: median 84.3 ms, middle half 83.8 to 105 ms, all 58.6 to 146 ms"),
        (bill, "view 0 B allocated, 96 B logical"),
    ):
        zs.use("en")
        assert words in alt_text(each)
        assert not re.search(f"[{HAN}]", alt_text(each))
        zs.use("zh")
        assert re.search(f"[{HAN}]", alt_text(each))
        assert "median" not in alt_text(each)
