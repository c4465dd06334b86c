"""The Python side of the explorer of the byte bill: arguments, state, what is published, the static twin."""

import numpy as np
import pytest

import zerostride as zs
from explorer_outputs import links, one_output
from zerostride.explore.billing import MOST, STEPS
from zerostride.language import LANGUAGES

WIDGET = "application/vnd.jupyter.widget-view+json"


def test_starts_as_asked():
    asked = {
        "shape": (1, 4, 3),
        "dtype": "float64",
        "steps": ("add", "to_float32"),
        "way": "repeat",
        "learns": True,
        "unit": "B",
    }
    explorer = zs.explore.byte_bill(**asked)
    assert explorer.state == asked
    assert zs.explore.byte_bill(**explorer.state).state == asked
    drawn = explorer.drawing
    assert (drawn.sizes, drawn.steps, drawn.learns) == ([1, 4, 3], ["add", "to_float32"], True)
    assert (drawn.dtype, drawn.way, drawn.unit) == (3, 1, 0)
    assert list(drawn.itemsizes)[drawn.dtype] == "float64"
    assert explorer.bill.output_bytes == 48


def test_the_articles_numbers():
    bill = zs.explore.byte_bill().bill
    assert (bill.source_bytes, bill.logical_bytes, bill.made_bytes) == (8192, 536_870_912, 0)
    peaks = [
        zs.explore.byte_bill(dtype="float32", steps="shift", way=way).bill.peak_bytes
        for way in ("expand", "repeat")
    ]
    assert peaks == [2**30 + 2**14, 2**31 + 2**14]


def test_the_largest_bill_is_exact_and_allocates_nothing():
    bill = zs.explore.byte_bill(MOST, "float64", STEPS[:2], "repeat", learns=True).bill
    assert bill.logical_bytes == 2**62
    assert bill.source_bytes == 2**23


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (
            {"shape": (4, 3)},
            ValueError,
            r"three whole numbers from 1 to \(524288, 1048576, 1048576\), not \(4, 3\)",
        ),
        ({"shape": (0, 4, 3)}, ValueError, "three whole numbers"),
        ({"shape": (-1, 4, 3)}, ValueError, "three whole numbers"),
        ({"shape": (2**20, 1, 1)}, ValueError, "three whole numbers"),
        ({"shape": (10**30, 1, 1)}, ValueError, "three whole numbers"),
        ({"shape": "big"}, TypeError, "a shape is whole numbers"),
        ({"shape": None}, TypeError, "a shape is whole numbers"),
        ({"shape": (1, 2.5, 3)}, TypeError, "a shape is whole numbers"),
        (
            {"dtype": "int8"},
            ValueError,
            "dtype must be one of float16, bfloat16, float32, float64, not 'int8'",
        ),
        ({"way": "tile"}, ValueError, "way must be one of expand, repeat, implicit"),
        ({"unit": "GB"}, ValueError, "unit must be one of B, KiB, MiB, GiB, not 'GB'"),
        ({"steps": ["matmul"]}, ValueError, r"steps must be at most 4 of shift, .* not \['matmul'\]"),
        ({"steps": ["sum"] * 5}, ValueError, "at most 4 of"),
        ({"steps": 5}, ValueError, "at most 4 of .* not 5"),
        ({"steps": [["sum"]]}, ValueError, "at most 4 of"),
    ],
)
def test_what_no_control_can_be_set_to_is_refused_in_words(arguments, error, said):
    with pytest.raises(error, match=said):
        zs.explore.byte_bill(**arguments)


def test_refused_in_chinese_too():
    zs.use("zh")
    with pytest.raises(ValueError, match="shape须为三个1～"):
        zs.explore.byte_bill((4, 3))


def test_whole_numbers_of_numpy_are_whole_numbers():
    assert zs.explore.byte_bill(np.array([2, 4, 3])).state["shape"] == (2, 4, 3)


def test_state_and_bill_follow_what_the_page_sends():
    explorer = zs.explore.byte_bill()
    explorer.drawing.set_state({"sizes": [2, 4, 3], "steps": ["square", "sum"]})
    explorer.controls["dtype"].set_state({"index": 2})
    explorer.controls["learns"].set_state({"value": True})
    assert explorer.bill.code == "(x.expand(2, 4, 3) ** 2).sum()"
    assert (explorer.bill.dtype, explorer.bill.saved_bytes, explorer.bill.saved_logical_bytes) == (
        "float32",
        12,
        96,
    )


def test_every_control_is_linked_in_the_page():
    explorer = zs.explore.byte_bill()
    names = {"way": "index", "dtype": "index", "unit": "index", "learns": "value"}
    assert links(explorer) == {(explorer.controls[name], trait, name) for name, trait in names.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_output_for_every_reader(language):
    zs.use(language)
    told = one_output(lambda: zs.explore.byte_bill(steps=["mul", "sum"], learns=True))
    assert "\n" not in told
    assert "536,870,912" in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_static_twin_has_figure_and_table(language):
    zs.use(language)
    explorer = zs.explore.byte_bill(dtype="float32", steps=["square", "sum"], learns=True)
    twin = explorer.static()
    assert twin.to_dict()["bill"] == explorer.bill.to_dict()
    assert "1 GiB" in str(twin)
    words = [text.get_text() for text in twin.figure.axes[0].texts]
    assert {f"{name}_bytes" for name in explorer.bill.lines} < set(words)
    assert "nbytes 1,073,741,824 B" in words
    assert f"{explorer.bill.peak_bytes:,} B" in words
    assert "<table>" in twin._repr_mimebundle_()["text/html"]


def lengths(**asked):
    """Return how long the filled bars of the figure are, as shares of the longest."""
    bars = [bar for bar in zs.explore.byte_bill(**asked).static().figure.axes[0].patches if bar.get_fill()]
    longest = max(bar.get_width() for bar in bars)
    return [round(bar.get_width() / longest, 2) for bar in bars]


def test_bars_of_the_figure_are_in_true_scale():
    assert lengths(dtype="float32", steps=["shift"], way="repeat") == [0.0, 0.5, 0.5, 1.0]
    assert lengths(shape=(1, 4, 3), dtype="float64", steps=["add"]) == [0.2, 0.8, 1.0]


def test_a_bar_is_as_long_as_what_is_stored_and_not_as_what_it_shows():
    asked = {"shape": (1, 4, 3), "dtype": "float64", "steps": ["square", "sum"], "learns": True}
    bill = zs.explore.byte_bill(**asked).bill
    assert bill.lines["saved"] == (96, 24)
    stored = [each for _, each in bill.lines.values() if each] + [bill.peak_bytes]
    assert lengths(**asked) == [round(each / max(stored), 2) for each in stored]
