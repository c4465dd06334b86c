"""The Python side of the explorers: arguments, state, links, what is published, the static twin."""

import base64

import ipywidgets
import numpy as np
import pytest

import zerostride as zs
from zerostride.explore import DTYPES, OPERATIONS, addresses_layout, front_words
from zerostride.language import LANGUAGES

WIDGET = "application/vnd.jupyter.widget-view+json"


def test_starts_as_asked():
    explorer = zs.explore.addresses(rows=2, cols=5, dtype="bfloat16", operation="repeat", unit="elements")
    asked = {"rows": 2, "cols": 5, "dtype": "bfloat16", "operation": "repeat", "unit": "elements"}
    assert explorer.state == asked
    assert explorer.drawing.start == asked
    assert explorer.layout.strides_bytes == (10, 2)
    assert explorer.layout.dtype == "bfloat16"
    drawn = explorer.drawing
    assert (drawn.rows, drawn.cols, drawn.dtype, drawn.operation, drawn.unit) == (2, 5, 3, 1, 1)


def test_is_no_widget_itself():
    assert not isinstance(zs.explore.addresses(), ipywidgets.Widget)


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ({"rows": 0}, "rows must be a whole number from 1 to 8, not 0"),
        ({"rows": 99}, "from 1 to 8, not 99"),
        ({"cols": 7}, "cols must be a whole number from 1 to 6, not 7"),
        ({"rows": 2.5}, "not 2.5"),
        ({"rows": "4"}, "not '4'"),
        ({"cols": True}, "not True"),
        ({"dtype": "float7"}, "dtype must be one of bool, int8, .* not 'float7'"),
        ({"operation": "foo"}, "operation must be one of expand, repeat, not 'foo'"),
        ({"unit": "bits"}, "unit must be one of bytes, elements, not 'bits'"),
        ({"dtype": ["float64"]}, "not \\['float64'\\]"),
    ],
)
def test_what_no_control_can_be_set_to_is_refused_in_words(argument, said):
    with pytest.raises(ValueError, match=said):
        zs.explore.addresses(**argument)


def test_refused_in_chinese_too():
    zs.use("zh")
    with pytest.raises(ValueError, match="rows须为1～8的整数，不能是0"):
        zs.explore.addresses(rows=0)


def test_whole_numbers_of_numpy_are_whole_numbers():
    assert zs.explore.addresses(rows=np.int64(3)).state["rows"] == 3


def test_state_and_layout_follow_what_the_page_sends():
    explorer = zs.explore.addresses()
    explorer.controls["rows"].set_state({"value": 7})
    explorer.controls["dtype"].set_state({"index": list(DTYPES).index("complex128")})
    explorer.controls["operation"].set_state({"index": 1})
    explorer.controls["unit"].set_state({"index": 1})
    assert explorer.state == {
        "rows": 7,
        "cols": 3,
        "dtype": "complex128",
        "operation": "repeat",
        "unit": "elements",
    }
    assert explorer.layout == addresses_layout(7, 3, "complex128", "repeat")


def test_every_control_is_linked_in_the_page():
    explorer = zs.explore.addresses()
    linked = {(link.source[0], link.source[1], link.target[1]) for link in explorer.links}
    controls = explorer.controls
    assert linked == {
        (controls["rows"], "value", "rows"),
        (controls["cols"], "value", "cols"),
        (controls["dtype"], "index", "dtype"),
        (controls["operation"], "index", "operation"),
        (controls["unit"], "index", "unit"),
    }
    assert all(link.target[0] is explorer.drawing for link in explorer.links)


def test_one_output_for_every_reader():
    data, metadata = zs.explore.addresses()._repr_mimebundle_()
    assert set(data) == {"text/plain", "image/png", "image/svg+xml", WIDGET}
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert data["image/svg+xml"].lstrip().startswith("<?xml")
    assert metadata["image/png"]["width"] < 900


def test_what_is_compared_is_the_same_every_time():
    first, second = (zs.explore.addresses()._repr_mimebundle_()[0] for _ in range(2))
    assert first[WIDGET] != second[WIDGET]
    for kind in ("text/plain", "image/svg+xml", "image/png"):
        assert first[kind] == second[kind]
    moved = zs.explore.addresses(rows=5)._repr_mimebundle_()[0]
    assert all(moved[kind] != first[kind] for kind in first)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_line_of_text(language):
    zs.use(language)
    line = repr(zs.explore.addresses())
    assert "\n" not in line
    assert "(0, 8)" in line
    assert "96 B" in line
    assert line.encode("gbk")


def test_words_are_those_of_the_language_at_creation():
    zs.use("zh")
    explorer = zs.explore.addresses()
    zs.use("en")
    assert explorer.drawing.words["reveal"] == "揭晓"
    assert explorer.controls["rows"].description == "行数"
    assert zs.explore.addresses().drawing.words == front_words("addresses")
    assert front_words("addresses")["reveal"] == "Reveal"


@pytest.mark.parametrize("language", LANGUAGES)
def test_static_twin_has_figure_and_table(language):
    zs.use(language)
    explorer = zs.explore.addresses(rows=2, cols=6)
    twin = explorer.static()
    assert twin.to_dict()["expand"]["touched_bytes"] == 48
    assert twin.to_dict()["repeat"]["touched_bytes"] == 96
    assert "48 B" in str(twin)
    words = [text.get_text() for ax in twin.figure.axes for text in ax.texts]
    assert "i×0 + j×8" in words
    assert "i×48 + j×8" in words
    assert "1×0 + 1×8 = 8 B" in words
    bundle = twin._repr_mimebundle_()
    assert "<table>" in bundle["text/html"]
    assert 'alt="' in bundle["text/html"]


def test_static_twin_follows_the_controls():
    explorer = zs.explore.addresses()
    explorer.controls["dtype"].set_state({"index": 0})
    words = [text.get_text() for ax in explorer.static().figure.axes for text in ax.texts]
    assert words.count("True") > words.count("False") > 0
    assert "i×0 + j×1" in words


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_layouts_are_those_of_torch(operation, dtype):
    torch = pytest.importorskip("torch")
    for rows, cols in [(1, 1), (1, 6), (4, 1), (4, 3), (8, 6)]:
        source = torch.ones((1, cols), dtype=getattr(torch, dtype))
        made = source.expand(rows, cols) if operation == "expand" else source.repeat(rows, 1)
        seen, real = addresses_layout(rows, cols, dtype, operation), zs.layout(made)
        for name in ("shape", "strides_bytes", "itemsize", "storage_bytes", "touched_bytes", "dtype"):
            assert getattr(seen, name) == getattr(real, name), name


@pytest.mark.parametrize("dtype", [name for name in DTYPES if name != "bfloat16"])
def test_addresses_are_those_of_numpy(dtype):
    for rows, cols in [(1, 1), (1, 6), (4, 1), (4, 3), (8, 6)]:
        source = np.ones((1, cols), dtype)
        view = zs.layout(np.broadcast_to(source, (rows, cols)))
        seen = addresses_layout(rows, cols, dtype)
        for index in np.ndindex(rows, cols):
            assert seen.offset_bytes(index) == view.offset_bytes(index)
