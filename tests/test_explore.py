"""The Python side of the explorers: arguments, state, links, what is published, the static twin."""

import base64

import ipywidgets
import numpy as np
import pytest

import zerostride as zs
from explorer_outputs import links
from zerostride.explore.address_panel import addresses_layout
from zerostride.explore.operations import COPIES, DTYPES, OPERATIONS, Setting
from zerostride.explore.own_array import own_array
from zerostride.explore.panel import buttons, front_words
from zerostride.language import LANGUAGES

WIDGET = "application/vnd.jupyter.widget-view+json"


def test_starts_as_asked():
    asked = {"rows": 2, "cols": 5, "dtype": "bfloat16", "operation": "repeat", "unit": "elements"}
    explorer = zs.explore.addresses(**asked)
    assert asked.items() <= explorer.state.items()
    assert asked.items() <= explorer.drawing.initial.items()
    assert explorer.layout.strides_bytes == (10, 2)
    assert explorer.layout.dtype == "bfloat16"
    drawn = explorer.drawing
    assert (drawn.rows, drawn.cols, drawn.dtype, drawn.operation, drawn.unit) == (2, 5, 3, 1, 1)


def test_every_argument_is_in_the_state():
    asked = {"operation": "as_strided", "strides_bytes": (-24, 8), "start_bytes": 72, "axis": 1, "count": 2}
    explorer = zs.explore.addresses(**asked)
    assert asked.items() <= explorer.state.items()
    assert zs.explore.addresses(**explorer.state).state == explorer.state


@pytest.mark.parametrize(
    ("label", "width"),
    [("elements", "6.5em"), ("four copies", "auto"), ("字节", "6.5em"), ("改写过的一行", "auto")],
)
def test_buttons_are_as_wide_as_their_words(label, width):
    assert buttons("way", label, [label, "x"]).style.button_width == width


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
        ({"operation": "foo"}, "operation must be one of expand, repeat, .* not 'foo'"),
        ({"axis": 2}, "axis must be a whole number from 0 to 1, not 2"),
        ({"operation": "tile", "count": 3}, "tile cannot make that of this source"),
        ({"operation": "slice", "rows": 8, "cols": 6, "count": 2}, "slice cannot make that"),
        (
            {"operation": "as_strided", "strides_bytes": (9, 8)},
            r"whole elements of 8 bytes, not \(0, 9, 8\)",
        ),
        ({"operation": "as_strided", "strides_bytes": (-8, 8)}, "as_strided cannot make that"),
        ({"operation": "as_strided", "strides_bytes": (800, 8)}, "as_strided cannot make that"),
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
    assert {
        "rows": 7,
        "cols": 3,
        "dtype": "complex128",
        "operation": "repeat",
        "unit": "elements",
    }.items() <= explorer.state.items()
    assert explorer.layout == addresses_layout(7, 3, "complex128", "repeat")
    explorer.drawing.set_state({"axis": 1, "count": 3})
    explorer.controls["operation"].set_state({"index": OPERATIONS.index("tile")})
    assert explorer.setting.values()[0].tolist() == ["1+0j", "2+0j", "3+0j"]
    assert (explorer.state["axis"], explorer.state["count"]) == (1, 3)


LIMITS = (("max", "most"), ("min", "by"), ("step", "by"))


def test_every_control_is_linked_in_the_page():
    explorer = zs.explore.addresses()
    controls = explorer.controls
    assert links(explorer) == {
        (controls["rows"], "value", "rows"),
        (controls["cols"], "value", "cols"),
        *((controls[name], mine, f"{name}_{its}") for name in ("rows", "cols") for mine, its in LIMITS),
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


@pytest.mark.parametrize("operation", ["expand", "repeat"])
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


# What each operation does in NumPy and in torch themselves, for the source that a setting asks for.


def by_numpy(source, setting):
    rows, cols, axis, count = setting.rows, setting.cols, setting.axis, setting.count
    times = (cols if axis else rows) // count
    turns = (1, times) if axis else (times, 1)
    step = (slice(None),) * axis + (slice(None, None, count),)
    return {
        "expand": lambda: np.broadcast_to(source, (rows, cols)),
        "repeat": lambda: np.tile(source, turns),
        "tile": lambda: np.tile(source, turns),
        "repeat_interleave": lambda: np.repeat(source, times, axis),
        "transpose": lambda: source.T,
        "reverse": lambda: np.flip(source, axis),
        "slice": lambda: source[step],
        "window": lambda: np.lib.stride_tricks.sliding_window_view(source[0], cols)[::count],
        "as_strided": lambda: np.ndarray(
            (rows, cols), source.dtype, source, setting.start * 8, (setting.down * 8, setting.across * 8)
        ),
    }[setting.operation]()


def by_torch(source, setting):
    rows, cols, axis, count = setting.rows, setting.cols, setting.axis, setting.count
    times = (cols if axis else rows) // count
    return {
        "expand": lambda: source.expand(rows, cols),
        "repeat": lambda: source.repeat(*((1, times) if axis else (times, 1))),
        "tile": lambda: source.tile((1, times) if axis else (times, 1)),
        "repeat_interleave": lambda: source.repeat_interleave(times, dim=axis),
        "transpose": lambda: source.T,
        "slice": lambda: source[:, ::count] if axis else source[::count],
        "window": lambda: source[0].unfold(0, cols, count),
        "as_strided": lambda: source.as_strided((rows, cols), (setting.down, setting.across), setting.start),
    }[setting.operation]()


def every_operation():
    """Return a setting of each operation along each axis, with every legal size and some counts."""
    settings = [
        Setting(rows, cols, "float64", operation, axis, count)
        for operation in OPERATIONS[:-1]
        for axis in (0, 1)
        for count in ((1, 2, 3) if operation in (*COPIES, "slice", "window") else (1,))
        for rows in (1, 2, 4, 6)
        for cols in (1, 3, 6)
    ]
    settings += [
        Setting(4, 3, operation="as_strided", start=start, down=down, across=across)
        for start, down, across in [(0, 1, 1), (9, -3, 1), (2, 0, 5), (0, 3, 1)]
    ]
    return [setting for setting in settings if setting.legal()]


def source_of(setting):
    shape = setting.source_shape() if setting.operation != "as_strided" else (8, 8)
    return np.arange(1.0, np.prod(shape) + 1).reshape(shape)


def unlike(setting, made, values, offset=True):
    """Return what of a setting is not what the library made."""
    seen, real = setting.layout(), zs.layout(made)
    wrong = [
        name
        for name in ("shape", "touched_bytes", "most_aliases")
        if getattr(seen, name) != getattr(real, name)
    ]
    long = [axis for axis, size in enumerate(seen.shape) if size > 1]
    if any(seen.strides_bytes[axis] != real.strides_bytes[axis] for axis in long):
        wrong.append("strides")
    if offset and seen.storage_offset_bytes != real.storage_offset_bytes:
        wrong.append("start")
    if setting.values().astype(float).tolist() != values:
        wrong.append("values")
    return wrong


def wrong_by_numpy(setting):
    made = by_numpy(source_of(setting), setting)
    return unlike(setting, made, made.tolist())


def test_each_operation_is_that_of_numpy():
    assert {
        setting.operation: wrong_by_numpy(setting) for setting in every_operation() if wrong_by_numpy(setting)
    } == {}


def test_each_operation_is_that_of_torch():
    torch = pytest.importorskip("torch")
    settings = [setting for setting in every_operation() if setting.operation != "reverse"]
    settings = [setting for setting in settings if min(setting.down, setting.across) >= 0]
    for setting in settings:
        made = by_torch(torch.from_numpy(source_of(setting)), setting)
        assert unlike(setting, made, made.tolist()) == [], setting


@pytest.mark.parametrize(
    ("shown", "really"),
    [
        (Setting(4, 3, operation="tile", count=2), Setting(4, 3, operation="repeat_interleave", count=2)),
        (Setting(4, 4, operation="transpose"), Setting(4, 4, operation="as_strided", down=4, across=1)),
        (Setting(4, 3, operation="reverse"), Setting(4, 3, operation="reverse", axis=1)),
        (Setting(4, 3, operation="slice", count=2), Setting(4, 3, operation="slice", count=3)),
        (Setting(4, 3, operation="window"), Setting(4, 3, operation="expand")),
    ],
)
def test_another_operation_is_seen(shown, really):
    made = by_numpy(source_of(really), really)
    assert unlike(shown, made, made.tolist())


# The learner's own array.


def test_starts_from_an_array_as_it_is():
    x = np.arange(12.0).reshape(4, 3)[::-1, ::2]
    explorer = zs.explore.addresses(x)
    assert explorer.state["operation"] == "as_strided"
    real = zs.layout(x)
    for name in (
        "shape",
        "strides_bytes",
        "storage_offset_bytes",
        "storage_bytes",
        "touched_bytes",
        "formula",
    ):
        assert getattr(explorer.layout, name) == getattr(real, name)
    assert explorer.setting.values().astype(float).tolist() == x.tolist()


def test_starts_from_a_tensor_as_it_is():
    torch = pytest.importorskip("torch")
    x = torch.arange(12, dtype=torch.bfloat16).reshape(3, 4).t()[1:, :2]
    explorer = zs.explore.addresses(x, unit="elements")
    assert explorer.layout.strides_bytes == (2, 8)
    assert explorer.layout.storage_offset_bytes == 2
    assert explorer.setting.values().tolist() == [["1.0", "5.0"], ["2.0", "6.0"], ["3.0", "7.0"]]
    # Torch has no negative strides, so nothing offers one.
    assert "reverse" not in explorer.drawing.operations
    assert not explorer.drawing.base["negative"]
    with pytest.raises(ValueError, match="operation must be one of"):
        zs.explore.addresses(x, operation="reverse")


def test_values_of_ones_own_array_are_never_rounded_unmarked():
    own = np.array([[999999.0, 1234567.0, 1 / 3], [1e6, 2.5, -1.0]])
    shown = {0: "999999.0", 8: "≈1.2e+06", 16: "≈0.3333", 24: "1e+06", 32: "2.5", 40: "-1.0"}
    assert own_array(own).values == shown


def test_operations_work_on_the_learners_own_array():
    x = np.arange(12.0).reshape(4, 3)
    turned = zs.explore.addresses(x, 3, 4, operation="transpose")
    assert turned.setting.values().astype(float).tolist() == x.T.tolist()
    tiled = zs.explore.addresses(x, 4, 3, operation="repeat_interleave", count=2)
    assert tiled.setting.values().astype(float).tolist() == np.repeat(x[:2], 2, axis=0).tolist()
    with pytest.raises(ValueError, match="transpose cannot make that"):
        zs.explore.addresses(x, 4, 4, operation="transpose")


def test_a_corner_of_a_large_array_is_small():
    explorer = zs.explore.addresses(np.zeros((1000, 1000))[:4, :3])
    assert explorer.layout.strides_bytes == (8000, 8)
    assert len(explorer._repr_mimebundle_()[0]["image/png"]) < 60_000


def test_strides_that_are_no_whole_elements_are_shown_in_bytes():
    x = np.zeros((3, 2), [("a", "u1"), ("b", "f8")])["b"]
    explorer = zs.explore.addresses(x)
    assert explorer.layout.strides_bytes == (18, 9)
    assert "unit" not in explorer.controls
    assert explorer._repr_mimebundle_()


def test_values_out_of_sight_are_dots():
    explorer = zs.explore.addresses(np.arange(6.0)[::2], 1, 3, strides_bytes=(48, 8))
    assert explorer.setting.values().tolist() == [["0.0", "·", "2.0"]]


@pytest.mark.parametrize(
    ("x", "error", "said"),
    [
        (np.zeros((2, 2, 2)), ValueError, r"at most two axes, not 3: hand in a slice, x\[0\]"),
        (np.zeros((9, 2)), ValueError, r"at most 8 by 8 elements, not shape \(9, 2\): hand in a corner"),
        (np.zeros((0, 2)), ValueError, "has no element to show"),
        ([1, 2], TypeError, "hand in"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_words(x, error, said):
    with pytest.raises(error, match=said):
        zs.explore.addresses(x)


# Shapes.


def test_shapes_start_as_asked():
    explorer = zs.explore.shapes((4,), (4, -1), library="torch")
    assert explorer.state == {"source": (4,), "target": (4, -1), "library": "torch"}
    assert zs.explore.shapes(**explorer.state).state == explorer.state
    assert (explorer.drawing.source, explorer.drawing.target, explorer.drawing.library) == ([4], [4, -1], 1)


def test_shapes_follow_what_the_page_sends():
    explorer = zs.explore.shapes()
    assert explorer.expansion.allowed
    explorer.drawing.set_state({"source": [2, 3]})
    explorer.controls["library"].set_state({"index": 1})
    assert explorer.state == {"source": (2, 3), "target": (4, 3), "library": "torch"}
    assert not explorer.expansion.allowed
    assert explorer.expansion.library == "torch"


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"source": (1, 9)}, ValueError, r"source has at most 4 axes of sizes from 0 to 8, not \(1, 9\)"),
        ({"target": (1,) * 5}, ValueError, "target has at most 4 axes"),
        ({"source": (-1, 3)}, ValueError, "source has at most"),
        ({"target": (-2, 3)}, ValueError, "target has at most"),
        ({"library": "jax"}, ValueError, "library must be one of numpy, torch, not 'jax'"),
        ({"source": "4, 3"}, TypeError, "a shape is whole numbers"),
    ],
)
def test_shapes_that_no_control_can_be_set_to_are_refused_in_words(arguments, error, said):
    with pytest.raises(error, match=said):
        zs.explore.shapes(**arguments)


@pytest.mark.parametrize("language", LANGUAGES)
def test_shapes_have_one_output_for_every_reader(language):
    zs.use(language)
    explorer = zs.explore.shapes((2, 3), (4, 3))
    (data, metadata), again = (
        explorer._repr_mimebundle_(),
        zs.explore.shapes((2, 3), (4, 3))._repr_mimebundle_()[0],
    )
    assert set(data) == {"text/plain", "image/png", "image/svg+xml", WIDGET}
    assert metadata["image/png"]["width"] < 900
    assert all(data[kind] == again[kind] for kind in data if kind != WIDGET)
    assert repr(explorer).encode("gbk")
    assert "(2, 3)" in repr(explorer)
    twin = explorer.static()
    assert twin.to_dict()["expansion"]["allowed"] is False
    assert "<table>" in twin._repr_mimebundle_()["text/html"]


def test_words_of_shapes_are_those_of_can_expand():
    zs.use("zh")
    words = zs.explore.shapes().drawing.words
    assert words["reveal"] == "揭晓"
    assert words["because_differs"].format(source=2, target=4) == zs.can_expand((2,), (4,)).axes[0].reason
