"""The Python side of the guide: arguments, what is chosen, the checks that follow, the static twin."""

import pytest

import zerostride as zs
from explorer_outputs import one_output
from zerostride.explore.deciding import PAIRS
from zerostride.language import LANGUAGES, use

WIDGET = "application/vnd.jupyter.widget-view+json"


def test_starts_as_asked():
    asked = {"writes": "each_copy_in_place", "learns": "shared", "then": "dense", "library": "numpy"}
    explorer = zs.explore.decide((3,), (2, 3), **asked)
    assert explorer.state == {"source_shape": (3,), "target_shape": (2, 3), "pattern": None, **asked}
    assert zs.explore.decide(**explorer.state).state == explorer.state
    assert explorer.advice.answer == "copy_first"
    assert len(explorer.pairs) == len(PAIRS) + 1


def test_one_of_the_known_shapes_is_no_further_choice():
    explorer = zs.explore.decide((2, 3), (4, 3), pattern="each")
    assert len(explorer.pairs) == len(PAIRS)
    assert explorer.state["pattern"] == "each"
    assert explorer.drawing.questions[0]["choices"][0] == "(2, 3) → (4, 3) AABB"


def test_checks_run_when_the_page_chooses():
    explorer = zs.explore.decide()
    first = explorer.drawing.found
    assert first["chosen"] == [0, 0, 0, 0, 0]
    assert {status for status, *_ in first["checks"]} == {"passed"}
    explorer.drawing.set_state({"chosen": [0, 3, 0, 0, 0]})
    assert explorer.drawing.found["chosen"] == [0, 3, 0, 0, 0]
    assert len(explorer.drawing.found["checks"]) == len(explorer.advice.checks)
    assert explorer.drawing.found["checks"] != first["checks"]
    assert repr(explorer) == "Guide: from (1, 3) to (4, 3): clone or copy first."


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"source_shape": None}, TypeError, "a shape is whole numbers"),
        ({"target_shape": (-4, 3)}, ValueError, "axis -2"),
        ({"writes": "all"}, ValueError, "writes must be one of"),
        ({"library": "jax"}, ValueError, "library must be one of"),
        ({"pattern": "AB"}, ValueError, "pattern must be one of"),
    ],
)
def test_bad_arguments_are_refused_in_words(arguments, error, said):
    with pytest.raises(error, match=said):
        zs.explore.decide(**arguments)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_output_for_every_reader(language):
    use(language)
    assert one_output(lambda: zs.explore.decide(writes="each_copy_in_place"))


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"then": "contiguous"},
        {"then": "reshape"},
        {"target_shape": (5, 3), "source_shape": (2, 3)},
        {"target_shape": (4, 3), "source_shape": (2, 3), "pattern": "each"},
        {"learns": "each_copy"},
        {"source_shape": (1, 1, 4096), "target_shape": (32, 2048, 4096)},
    ],
)
def test_static_twin_has_figure_and_table(asked):
    explorer = zs.explore.decide(**asked)
    twin = explorer.static()
    assert twin.to_dict()["advice"] == explorer.advice.brief.to_dict()
    assert explorer.advice.words in str(twin)
    assert twin.figure.axes
    assert (
        "<table>" in twin._repr_mimebundle_()["text/html"]
        or "<caption" in twin._repr_mimebundle_()["text/html"]
    )
