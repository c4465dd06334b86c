"""Pictures of aligned shapes, and of storage against path, as measured."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.patches import Circle, Polygon

import zerostride as zs
from picture_rules import faults
from zerostride.draw.ink import FAINT
from zerostride.draw.routes import Route, Routes
from zerostride.pictures import alt_text, png, svg

SOURCE = np.array([[1.0, 2.0, 3.0]])
PAIRS = {
    "expanded": ((1, 3), (4, 3), "numpy"),
    "new": ((3,), (4, 3), "numpy"),
    "left aligned": ((4,), (4, 3), "numpy"),
    "kept": ((1, 3), (2, -1, 3), "torch"),
    "no minus one": ((1, 3), (-1, 3), "numpy"),
    "missing": ((2, 1, 3), (4, 3), "torch"),
    "number": ((), (), "numpy"),
    "from a number": ((), (4, 3), "torch"),
    "none": ((1, 0), (5, 0), "numpy"),
    "many": ((1,) * 12 + (5, 2), (2**31,) * 3 + (1,) * 8 + (7, 4, 5, 2), "numpy"),
    "long": ((1, 3), (2**62, 3), "torch"),
}


ERRORS = ["ValueError", "RuntimeError"]


def shown(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def signs(figure):
    """The verdict on the call, then those on the axes from left to right."""
    found = [text for text in figure.axes[0].texts if text.get_text() in ("✓", "✗")]
    return [
        text.get_text()
        for text in sorted(found, key=lambda text: (text.get_position()[1] > 2, text.get_position()))
    ]


@pytest.mark.parametrize("name", PAIRS)
def test_rules_of_a_picture(name):
    assert faults(zs.draw.alignment(*PAIRS[name]), ERRORS) == {}


sizes = st.lists(st.integers(1, 4), max_size=4)


@settings(max_examples=40, deadline=None)
@given(sizes, sizes, st.sampled_from(["numpy", "torch"]))
def test_signs_are_the_answers(source, target, library):
    answer = zs.can_expand(source, target, library)
    verdicts = [axis.verdict != "refused" for axis in answer.axes][::-1]
    assert signs(zs.draw.alignment(source, target, library)) == [
        "✓" if each else "✗" for each in [answer.allowed, *verdicts]
    ]


def test_a_sign_too_many_would_be_seen():
    assert signs(zs.draw.alignment((4,), (4, 3))) == ["✗", "✓", "✗"]
    assert signs(zs.draw.alignment((4, 1), (4, 3))) == ["✓", "✓", "✓"]


def test_each_sign_has_a_shape_of_its_own():
    patches = zs.draw.alignment((4,), (4, 3)).axes[0].patches
    assert sum(isinstance(patch, Circle) for patch in patches) == 1
    assert sum(isinstance(patch, Polygon) for patch in patches) == 2


def test_sizes_stand_over_one_another_from_the_trailing_end():
    figure = zs.draw.alignment((3,), (4, 3))
    threes = [text.get_position()[0] for text in figure.axes[0].texts if text.get_text() == "3"]
    assert len(threes) == 2
    assert threes[0] == threes[1]
    assert {"axis=-1", "axis=-2", "×4", "=", "np.broadcast_to(source, (4, 3))"} <= set(shown(figure))


OUTCOMES = {
    "expanded": "→ (4, 3)",
    "kept": "→ (2, 1, 3)",
    "number": "→ ()",
    "left aligned": "ValueError",
    "missing": "RuntimeError",
    "many": "ValueError",
    "long": "RuntimeError",
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_what_comes_out_is_what_the_library_gives(name):
    source, target, library = PAIRS[name]
    assert OUTCOMES[name] in shown(zs.draw.alignment(source, target, library))
    try:
        if library == "torch":
            made = pytest.importorskip("torch").zeros(source).expand(target)
        else:
            made = np.broadcast_to(np.zeros(source, np.int8), target)
        given = f"→ {tuple(made.shape)}"
    except (ValueError, RuntimeError) as error:
        given = type(error).__name__
    assert given == OUTCOMES[name]


def test_a_source_axis_that_is_missing_counts_as_a_pale_one():
    ones = [text for text in zs.draw.alignment((3,), (4, 3)).axes[0].texts if text.get_text() == "1"]
    assert [text.get_color() for text in ones] == [FAINT]
    assert "1" not in shown(zs.draw.alignment((2, 3), (2, 3)))


def test_a_refused_axis_is_never_hidden():
    source = (1,) * 5 + (2,) + (1,) * 6
    assert signs(zs.draw.alignment(source, (1,) * 5 + (3,) + (1,) * 6)).count("✗") == 2
    assert "✗" not in signs(zs.draw.alignment(source, source))


@pytest.mark.parametrize("x", [np.zeros(3), zs.layout(np.zeros(3))])
def test_an_array_is_no_shape(x):
    with pytest.raises(TypeError, match=rf"hand in shapes, not {type(x).__name__}: x\.shape is"):
        zs.draw.alignment(x, (4, 3))
    with pytest.raises(TypeError, match=r"x\.shape"):
        zs.draw.alignment((3,), x)


def test_alternative_of_shapes():
    words = alt_text(zs.can_expand((4,), (4, 3)))
    assert "Axis -1: 4 is neither 1 nor 3." in words
    assert words.endswith("The shapes do not fit.")
    assert alt_text(zs.can_expand((3,), (4, 3))).endswith("The shapes fit.")
    zs.use("zh")
    assert alt_text(zs.can_expand((3,), (4, 3))).endswith("两个形状相容。")


def place_of(figure, code):
    """Column and row of an operation: 0 or 1 each."""
    ax = figure.axes[0]
    x, y = next(text.get_position() for text in ax.texts if text.get_text() == f"y = {code}")
    return x > sum(ax.get_xlim()) / 2, y > 5


@pytest.fixture
def routes():
    pytest.importorskip("torch")
    return zs.draw.measured_routes()


def test_operations_stand_where_they_were_measured_to_stand(routes):
    figure = zs.draw.storage_and_path(routes)
    places = {route.code: place_of(figure, route.code) for route in routes.routes}
    assert places == {
        "x.expand(4, 3)": (False, False),
        "x.clone()": (True, False),
        "x.detach()": (False, True),
        "x.detach().clone()": (True, True),
    }
    assert "x.grad = [4, 4, 4]" in shown(figure)


def test_another_operation_lands_elsewhere(routes):
    measured = zs.draw.measured_routes(
        {"x.detach()": lambda x: x.clone(), "x.clone()": lambda x: x.repeat(2, 1)}
    )
    figure = zs.draw.storage_and_path(measured)
    assert place_of(figure, "x.detach()") == place_of(figure, "x.clone()") == (True, False)
    assert "x.grad = [1, 1, 1] / [2, 2, 2]" in shown(figure)
    assert measured.to_dict() != routes.to_dict()


def test_measuring_leaves_nothing_behind(routes):
    assert zs.draw.measured_routes().to_dict() == routes.to_dict()


def test_rules_of_storage_and_path(routes):
    assert faults(zs.draw.storage_and_path(routes)) == {}
    crowded = Routes((*routes.routes, Route("x.expand(1, 3)", same_storage=True, gradient=(1.0, 1.0, 1.0))))
    assert faults(zs.draw.storage_and_path(crowded)) == {}


def test_routes_in_words(routes):
    words = alt_text(routes)
    assert (
        "x.clone() has a storage of its own and keeps the path to x: the gradient of its sum is [1, 1, 1]."
        in words
    )
    assert "x.detach() lies in the storage of x and cuts the path to x: no gradient comes back." in words
    assert "[1, 1, 1]" in str(routes)
    zs.use("zh")
    assert "x.detach()与x共享存储，切断到x的路径：没有梯度传回。" in alt_text(routes)


def test_pictures_are_the_same_bytes_every_time(routes):
    assert svg(zs.draw.alignment((1, 3), (4, 3))) == svg(zs.draw.alignment((1, 3), (4, 3)))
    assert svg(zs.draw.alignment((1, 3), (4, 3))) != svg(zs.draw.alignment((1, 3), (5, 3)))
    assert png(zs.draw.storage_and_path(routes)) == png(zs.draw.storage_and_path())


def test_a_copied_element_bears_the_mark_of_the_element_it_came_from():
    row = np.array([1, 2, 3])
    made = {"row": row, "tile": np.tile(row, 2), "repeat": np.repeat(row, 2)}
    figure = zs.draw.origins(**made)
    assert faults(figure, made) == {}
    marks = "".join(line.get_marker() for line in figure.axes[0].lines)
    assert marks == "o^s" + "o^so^s" + "oo^^ss"
    assert marks != "".join(
        line.get_marker() for line in zs.draw.origins(row=row, tile=row[::-1]).axes[0].lines
    )
    assert svg(figure) == svg(zs.draw.origins(**made))


@pytest.mark.parametrize(
    "rows", [{}, {"x": np.ones(2)}, {"x": SOURCE}, {"x": np.arange(3), "y": np.arange(4)}]
)
def test_what_has_no_origin_is_refused_in_words(rows):
    with pytest.raises(ValueError, match="first the source, whose values differ"):
        zs.draw.origins(**rows)
