"""Pictures: the drawn numbers are the layout's, the bytes are stable, no words stand in them."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

import zerostride as zs
from zerostride.arithmetic import byte_offsets
from zerostride.pictures import Picture, alt_text, bundle, png, svg

SOURCE = np.array([[1.0, 2.0, 3.0]])
VIEW, TILED = np.broadcast_to(SOURCE, (4, 3)), np.tile(SOURCE, (4, 1))
MATRIX = np.arange(24.0).reshape(4, 6)
CASES = {
    "expand": VIEW,
    "repeat": TILED,
    "transpose": MATRIX.T,
    "slice": MATRIX[1:, ::2],
    "reversed": np.broadcast_to(np.arange(5.0), (4, 5))[:, ::-1],
    "windows": np.lib.stride_tricks.sliding_window_view(np.arange(6.0), 3),
    "row": np.arange(3, dtype=np.int8),
    "number": np.array(3.5),
}


def drawn(x, **options):
    """Texts of a picture, and the grid cells among its patches by outline weight."""
    ax = Figure(figsize=(4.8, 4.5)).add_subplot()
    zs.draw.addresses(ax, x, **options)
    return ax


def offsets_in(ax):
    texts = [text.get_text() for text in ax.texts if text.get_ha() == "right"]
    return [int(text) for text in texts if re.fullmatch(r"-?\d+", text)]


def expected_offsets(seen):
    return byte_offsets(seen.shape, seen.strides_bytes, seen.storage_offset_bytes).ravel().tolist()


def assert_offsets_drawn(x, ax):
    assert offsets_in(ax) == expected_offsets(zs.layout(x))


@pytest.mark.parametrize("name", CASES)
def test_drawn_offsets_are_the_layouts(name):
    assert_offsets_drawn(CASES[name], drawn(CASES[name]))


def test_another_layout_is_seen_as_wrong():
    with pytest.raises(AssertionError):
        assert_offsets_drawn(VIEW, drawn(TILED))


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 8), st.integers(1, 8), st.sampled_from([1, 2, 4, 8, 16]), st.booleans())
def test_any_small_layout_is_drawn(rows, cols, itemsize, expand):
    seen = zs.Layout.of((rows, cols), (0 if expand else cols * itemsize, itemsize), itemsize)
    ax = drawn(seen, highlight=(rows - 1, cols - 1))
    assert_offsets_drawn(seen, ax)
    assert ax.texts[-1].get_text() == seen.worked((rows - 1, cols - 1))


def lit_cells(ax):
    return [patch for patch in ax.patches if patch.get_linewidth() > 1.5]


@pytest.mark.parametrize(("x", "readers"), [(VIEW, 4), (TILED, 1), (CASES["windows"], 3)])
def test_all_readers_and_their_one_storage_cell_are_lit(x, readers):
    ax = drawn(x, highlight=(2, 1) if readers < 3 else (1, 1))
    assert len(lit_cells(ax)) == readers + 1
    assert len(lit_cells(drawn(x))) == 0


def marks(ax):
    """Where each kind of mark stands: its cells, and last its storage cell."""
    found = {}
    for line in ax.lines:
        if line.get_marker() not in ("None", "", None):
            found.setdefault((line.get_marker(), line.get_fillstyle()), []).extend(line.get_xydata().tolist())
    return found


def test_equal_marks_are_equal_addresses():
    assert sorted(map(len, marks(drawn(VIEW)).values())) == [4 + 1] * 3
    assert sorted(map(len, marks(drawn(TILED)).values())) == [1 + 1] * 12
    assert sorted(map(len, marks(drawn(np.zeros((6, 6)))).values())) == [1 + 1] * 36


def test_two_layouts_share_one_byte_scale():
    figure = zs.draw.side_by_side(view=VIEW, tiled=TILED)
    strips = [ax.patches for ax in figure.axes]
    widths = [
        max(patch.get_width() for patch in patches if hasattr(patch, "get_width")) for patches in strips
    ]
    ends = [max(line.get_xdata()[-1] for line in ax.lines) for ax in figure.axes]
    assert ends[0] == ends[1] == pytest.approx(12.0)
    assert min(widths) > 0


def test_elements_are_counted_where_asked():
    assert offsets_in(drawn(VIEW, unit="elements")) == [0, 1, 2] * 4
    assert drawn(VIEW, highlight=(2, 1), unit="elements").texts[-1].get_text() == "2×0 + 1×1 = 1"


@pytest.mark.parametrize("name", CASES)
def test_no_natural_language_in_a_picture(name):
    x = CASES[name]
    index = (0,) * x.ndim
    words = [text.get_text() for text in drawn(x, highlight=index).texts]
    for word in words:
        assert not re.search(r"[A-Za-z]{2,}", word.replace("True", "").replace("False", "")), word


def test_pictures_are_the_same_bytes_every_time():
    first, second = (zs.draw.side_by_side(view=VIEW, tiled=TILED) for _ in range(2))
    assert svg(first) == svg(second)
    assert png(first) == png(second)
    assert svg(first) != svg(zs.draw.side_by_side(view=VIEW, tiled=VIEW))


def test_nothing_is_written_into_the_array():
    matrix = np.arange(6.0).reshape(2, 3)
    before = matrix.tobytes()
    zs.draw.side_by_side(matrix=matrix, highlight=(1, 1))
    assert matrix.tobytes() == before


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros((2, 2, 2, 2)), "at most three axes, not 4"),
        (np.zeros((2, 0, 2)), "no element to draw"),
        (np.zeros((0, 3)), "no element to draw"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(x, message):
    with pytest.raises(ValueError, match=message):
        drawn(x)


def test_a_highlight_outside_is_refused():
    with pytest.raises(IndexError, match="does not fit"):
        drawn(VIEW, highlight=(4, 0))


def test_torch_values_are_drawn():
    torch = pytest.importorskip("torch")
    view = torch.ones(1, 3, dtype=torch.bfloat16).expand(4, 3)
    assert [text.get_text() for text in drawn(view).texts].count("1.0") == 12 + 3


def test_alternatives_speak_both_languages_and_tell_layouts_apart():
    english = alt_text([VIEW, TILED])
    assert "The elements of every row start at bytes 0, 8, 16." in english
    assert "12 elements read 96 of 96 stored bytes" in english
    assert alt_text(VIEW) != alt_text(TILED)
    zs.use("zh")
    assert "每一行的元素都从字节0、8、16开始" in alt_text(VIEW)


def test_one_bundle_for_every_reader():
    figure = zs.draw.side_by_side(view=VIEW)
    kinds = bundle(figure, 'a "quoted" <b>')
    assert set(kinds) == {"text/plain", "text/html", "image/png", "image/svg+xml"}
    assert 'alt="a &quot;quoted&quot; &lt;b&gt;"' in kinds["text/html"]
    assert kinds["image/png"] in kinds["text/html"]
    assert repr(Picture(figure, "words")) == "words"


def test_show_wants_a_layout_or_a_key_never_words():
    with pytest.raises(KeyError):
        zs.show(zs.draw.side_by_side(view=VIEW), "Some words of my own")
