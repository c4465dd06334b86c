"""The Python side of the explorer of derivatives: arguments, state, what is published, the static twin."""

from functools import partial

import numpy as np
import pytest

import zerostride as zs
from explorer_outputs import links, one_output
from zerostride.explore.deriving import MOST_COLS, MOST_ROWS
from zerostride.explore.weighted_rows import REDUCTIONS, WAYS
from zerostride.language import LANGUAGES

WIDGET = "application/vnd.jupyter.widget-view+json"


def test_starts_as_asked():
    weights = ((1, -2), (0, 12), (3, 4))
    explorer = zs.explore.derivative(weights, "independent", "mean")
    assert explorer.state == {"weights": weights, "way": "independent", "reduction": "mean"}
    assert zs.explore.derivative(**explorer.state).state == explorer.state
    drawn = explorer.drawing
    assert (drawn.rows, drawn.cols, drawn.way, drawn.reduction) == (3, 2, 4, 1)
    assert np.shape(drawn.weights) == (MOST_ROWS, MOST_COLS)
    assert drawn.initial["weights"] == drawn.weights


@pytest.mark.parametrize("library", ["numpy", "list", "torch"])
def test_weights_of_any_kind(library):
    grid = np.arange(1.0, 13.0).reshape(4, 3)
    if library == "torch":
        grid = pytest.importorskip("torch").from_numpy(grid)
    weights = grid.tolist() if library == "list" else grid
    assert zs.explore.derivative(weights).state == zs.explore.derivative().state


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"weights": [1, 2]}, "1 to 6 rows and 1 to 4 columns, not"),
        ({"weights": [[13]]}, "from -12 to 12 in"),
        ({"weights": [[1.5]]}, "whole numbers"),
        ({"weights": [[float("nan")]]}, "whole numbers"),
        ({"weights": [[1, 2], [3]]}, "whole numbers"),
        ({"weights": np.ones((7, 2))}, "1 to 6 rows"),
        ({"weights": np.broadcast_to(1.0, (10**9, 10**9))}, "not shape"),
        ({"weights": np.ones((2, 2), complex)}, "whole numbers"),
        ({"weights": [[True]]}, "whole numbers"),
        ({"weights": "ab"}, "not 'ab'"),
        ({"weights": [[]]}, "whole numbers"),
        ({"way": "tile"}, "way must be one of expand, repeat, edited, detach, independent, not 'tile'"),
        ({"reduction": "max"}, "reduction must be one of sum, mean, not 'max'"),
    ],
)
def test_what_no_control_can_be_set_to_is_refused_in_words(arguments, said):
    with pytest.raises(ValueError, match=said):
        zs.explore.derivative(**arguments)


def test_refused_in_chinese_too():
    zs.use("zh")
    with pytest.raises(ValueError, match="权重须为-12～12的整数"):
        zs.explore.derivative([[13]])


def test_state_and_numbers_follow_what_the_page_sends():
    explorer = zs.explore.derivative()
    table = [list(row) for row in explorer.drawing.weights]
    table[0][0] = 2
    explorer.drawing.set_state({"weights": table})
    explorer.controls["cols"].set_state({"value": 2})
    explorer.controls["way"].set_state({"index": 1})
    assert explorer.state["way"] == "repeat"
    assert [int(value) for value in explorer.rows.derivative] == [23, 26]
    explorer.controls["rows"].set_state({"value": 5})
    assert explorer.state["weights"][4] == (1, 1)


def test_every_control_is_linked_in_the_page():
    explorer = zs.explore.derivative()
    names = {"way": "index", "reduction": "index", "rows": "value", "cols": "value"}
    assert links(explorer) == {(explorer.controls[name], trait, name) for name, trait in names.items()}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("way", WAYS)
def test_one_output_for_every_reader(language, way):
    zs.use(language)
    for reduction in REDUCTIONS:
        assert "\n" not in one_output(partial(zs.explore.derivative, way=way, reduction=reduction))


@pytest.mark.parametrize("language", LANGUAGES)
def test_static_twin_has_figure_and_table(language):
    zs.use(language)
    twin = zs.explore.derivative().static()
    assert twin.to_dict()["derivative"]["derivative"] == ["22", "26", "30"]
    assert twin.to_dict()["derivative"]["differences"] == pytest.approx([22, 26, 30], abs=1e-8)
    assert "1 + 4 + 7 + 10" in str(twin)
    assert str(twin).encode("gbk")
    words = [text.get_text() for text in twin.figure.axes[0].texts]
    assert {"1", "+ 4", "+ 7", "+ 10", "22", "26", "30", "∂L/∂x[0, 0]"} <= set(words)
    shown = twin._repr_mimebundle_()["text/html"]
    assert "<table>" in shown
    assert 'alt="' in shown


def test_the_figure_tells_the_ways_apart():
    def texts(**how):
        return [text.get_text() for text in zs.explore.derivative(**how).static().figure.axes[0].texts]

    assert texts(way="edited").count("n = 3") == 1
    assert texts(way="detach").count("n = 0") == 3
    assert "n = 0" not in texts(way="repeat")
    assert "5/12" in texts(way="independent", reduction="mean")
    assert texts(way="repeat") == texts(way="expand") != texts(reduction="mean")


@pytest.mark.parametrize("way", ["expand", "repeat", "edited", "independent"])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_uses_are_those_found_by_running_the_program(way, reduction):
    rows = zs.explore.derivative(way=way, reduction=reduction).rows
    found = zs.uses(rows.elements, rows.source, np.array(rows.weights) / rows.factor)
    assert rows.uses().places == found.places
    assert np.allclose(rows.uses().sums, found.sums)
    assert rows.uses().sums.ravel().tolist() == pytest.approx([float(value) for value in rows.derivative])
    other = zs.explore.derivative(way="independent" if way != "independent" else "expand").rows
    assert other.uses().places != found.places


def test_the_table_tells_of_a_path_that_is_cut():
    twin = zs.explore.derivative(way="detach").static()
    assert twin.to_dict()["derivative"]["derivative"] is None
    assert str(twin).count("None") == 3
    assert "22.00000000" in str(twin)
