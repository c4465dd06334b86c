"""Pictures: the drawn numbers are the layout's, the bytes are stable, no words stand in them."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import zerostride as zs
from picture_rules import faults, language, leaving, overlapping, pixels, too_small
from zerostride.draw.elision import starts_between, times_read
from zerostride.draw.values import exact, fitting_word, plain
from zerostride.layouts.arithmetic import byte_offsets
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


def test_the_lit_offset_tells_the_unit_of_all():
    def units(**options):
        texts = right_texts(zs.draw.side_by_side(view=VIEW, **options).axes[0])
        return [text for text in texts if text.endswith("B")]

    assert units() == ["8 B"] * 4
    assert units(highlight=None) == units(unit="elements") == []


def offsets_in(ax):
    texts = [text.get_text() for text in ax.texts if text.get_ha() == "right"]
    return [int(text.removesuffix(" B")) for text in texts if re.fullmatch(r"-?\d+( B)?", text)]


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
    assert marks(drawn(np.zeros((5, 8)))) == {}


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
    for unit, ruler in (("bytes", ["0", "8", "16", "24 B"]), ("elements", ["0", "1", "2", "3"])):
        centred = [text.get_text() for text in drawn(VIEW, unit=unit).texts if text.get_ha() == "center"]
        assert centred[-4:] == ruler


HUGE = 2**31
RECORDS = np.zeros(4, dtype=[("a", "u1"), ("b", "f4"), ("c", "u2")])
LONG = {
    "planes": (np.arange(24.0).reshape(2, 3, 4), (1, 1, 2)),
    "expanded planes": (np.broadcast_to(np.arange(4.0), (3, 2, 4)), (1, 1, 2)),
    "long": (np.arange(1000.0), (500,)),
    "tall": (np.arange(300, dtype=np.int16).reshape(100, 3), (50, 1)),
    "cube": (np.zeros((20, 20, 20), np.float32), (10, 10, 10)),
    "corner": (np.arange(1e6).reshape(1000, 1000)[100:, ::77], (2, 1)),
    "huge view": (np.broadcast_to(np.int8(7), (HUGE, HUGE)), (5, 1)),
    "huge numbers": (zs.Layout.of((HUGE, HUGE), (HUGE * 8, 8), 8), (HUGE - 1, HUGE - 2)),
    "huge reversed": (zs.Layout.of((HUGE, HUGE, 3), (-8, 0, 8), 8), (HUGE - 1, 7, 1)),
    "field": (RECORDS["b"], (2,)),
    "overlap": (zs.Layout.of((4, 3), (3, 1), 4), (2, 1)),
    "texts": (np.array([["2026-11-30", "x" * 40]], dtype="U40").astype("S40"), (0, 1)),
    "wide": (np.full((8, 8), -1.2345e-200), (2, 1)),
    "complex": (np.full((3, 8), 1.25e100 - 3e-99j), (2, 1)),
}
PICTURES = {name: (x, (0,) * x.ndim) for name, x in CASES.items()} | LONG


@pytest.mark.parametrize("name", PICTURES)
def test_rules_of_a_picture(name):
    x, highlight = PICTURES[name]
    values = ("expand", "b'xxxxx…", "b'2026-…")
    assert faults(zs.draw.side_by_side(highlight=highlight, x=x), values) == {}


def test_rules_hold_for_two_pictures_in_elements():
    figure = zs.draw.side_by_side(huge=LONG["huge numbers"][0], planes=LONG["planes"][0], unit="elements")
    assert faults(figure, ["huge", "planes"]) == {}


def test_each_rule_sees_what_is_wrong():
    figure = zs.draw.side_by_side(view=VIEW)
    text = figure.axes[0].texts[0]
    text.set_text("a row of the source, much too long to stand here")
    assert list(overlapping(figure))
    assert list(language(figure, ["view"])) == [text.get_text()]
    text.set_fontsize(4)
    assert list(too_small(figure))
    text.set_x(11)
    assert list(leaving(figure)) == [text.get_text()]


@pytest.mark.parametrize("name", LONG)
def test_drawn_offsets_are_those_of_the_drawn_positions(name):
    x, highlight = LONG[name]
    seen, ax = zs.layout(x), drawn(x, highlight=highlight)
    positions = drawn_positions(ax, seen.ndim)
    texts = [text.removesuffix(" B") for text in right_texts(ax)]
    numbers = [text for text in texts if re.fullmatch(r"\d+(…\d+)?", text)]
    expected = [sum_of(seen, index) for index in itertools.product(*positions)]
    assert [agrees(*pair) for pair in zip(numbers, expected, strict=True)] == [True] * len(expected)
    assert all(place in axis for place, axis in zip(highlight, positions, strict=True))


def right_texts(ax):
    return [text.get_text() for text in ax.texts if text.get_ha() == "right"]


def drawn_positions(ax, ndim):
    """Read from the labels which positions of each axis are drawn."""
    labels = [text.get_text() for text in ax.texts]
    found = [
        [int(text[2:]) for text in labels if re.fullmatch(rf"{name}=\d+", text)] for name in "ijk"[:ndim]
    ]
    return [sorted(set(places)) for places in found]


def sum_of(seen, index):
    return seen.storage_offset_bytes + sum(
        i * step for i, step in zip(index, seen.strides_bytes, strict=True)
    )


def agrees(number, expected):
    """Whether a number, perhaps without its middle digits, is the expected one."""
    first, dots, last = number.partition("…")
    whole = str(expected)
    return number == whole if not dots else whole.startswith(first) and whole.endswith(last)


def test_a_number_without_its_middle_is_compared_at_both_ends():
    assert agrees("36893…03232", 36893488147419103232)
    assert not agrees("36893…03233", 36893488147419103232)


@pytest.mark.parametrize("name", LONG)
def test_breaks_count_what_they_hide(name):
    x, highlight = LONG[name]
    seen, ax = zs.layout(x), drawn(x, highlight=highlight)
    hidden = sum(int(text.get_text()) for text in ax.texts if re.fullmatch(r"\+\d+", text.get_text()))
    *outer, rows, columns = (
        [size - len(places) for size, places in zip(seen.shape, drawn_positions(ax, seen.ndim), strict=True)]
        if seen.ndim > 1
        else [0, seen.size - len(drawn_positions(ax, 1)[0])]
    )
    planes = len(drawn_positions(ax, seen.ndim)[0]) if seen.ndim == 3 else 1
    assert hidden == sum(outer) + rows * planes + columns


@st.composite
def layouts(draw):
    """Any small layout of up to three axes, strides of any sign, holes and overlaps among them."""
    shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    strides = draw(st.lists(st.integers(-9, 9), min_size=len(shape), max_size=len(shape)))
    return zs.Layout.of(shape, strides, draw(st.sampled_from([1, 2, 4, 8])))


def strip_bytes(ax, storage_bytes):
    """Which bytes are drawn as read: the boxes of the storage strip, back in bytes."""
    found = set()
    for patch in ax.patches:
        if isinstance(patch, Rectangle) and not patch.get_hatch():
            ends = np.array([patch.get_x(), patch.get_x() + patch.get_width()]) * storage_bytes / 12
            found.update(range(*np.rint(ends).astype(int).tolist()))
    return found


def read_bytes(seen):
    return {start + byte for start in expected_offsets(seen) for byte in range(seen.itemsize)}


@settings(max_examples=40, deadline=None)
@given(layouts())
def test_any_layout_is_drawn_as_it_is_read(seen):
    ax = drawn(seen)
    if max(seen.shape[:-1], default=1) <= 4:
        assert_offsets_drawn(seen, ax)
    if seen.storage_bytes <= 64 * seen.itemsize:
        assert strip_bytes(ax, seen.storage_bytes) == read_bytes(seen)


def test_a_byte_too_many_would_be_seen():
    padded = zs.Layout.of((4,), (7,), 4, storage_offset_bytes=1, storage_bytes=28)
    assert strip_bytes(drawn(padded), 28) == read_bytes(padded)
    assert strip_bytes(drawn(padded), 28) != read_bytes(zs.Layout.of((4,), (7,), 5))


def test_bytes_that_nobody_reads_are_hatched():
    def hatched(x):
        return [patch for patch in drawn(x).patches if patch.get_hatch()]

    assert len(hatched(RECORDS["b"])) == 1
    covered = strip_bytes(drawn(VIEW), 24)
    assert covered == set(range(24))


def test_the_storage_breaks_where_bytes_are_hidden():
    def dots(x):
        return [text.get_text() for text in drawn(x).texts].count("⋯")

    assert dots(np.zeros((8, 8))) == 0
    assert dots(np.zeros(1000)) == 2
    numbers = [text.get_text() for text in drawn(np.zeros(1000)).texts]
    assert "7992" in numbers
    assert "8000 B" in numbers


@settings(max_examples=60, deadline=None)
@given(layouts(), st.integers(0, 60), st.integers(1, 40))
def test_starts_between_two_bytes_are_those_of_brute_force(seen, low, length):
    expected = {
        start for start in expected_offsets(seen) if start < low + length and start + seen.itemsize > low
    }
    assert starts_between(seen, low, low + length) == sorted(expected)


@settings(max_examples=60, deadline=None)
@given(layouts())
def test_readers_of_a_byte_are_counted_as_brute_force_counts(seen):
    counted = Counter(expected_offsets(seen))
    assert {start: times_read(seen, start) for start in counted} == counted
    assert times_read(seen, seen.storage_bytes) == 0


def test_what_would_take_too_long_is_left_unknown():
    interlocking = zs.Layout.of((HUGE, HUGE), (3, 2), 1)
    assert starts_between(interlocking, HUGE, HUGE + 9) is None
    assert times_read(interlocking, HUGE) is None


def test_lit_cells_stand_out_in_grey(monkeypatch):
    def cell_and_edge(highlight):
        figure = zs.draw.side_by_side(x=np.broadcast_to(np.int8(1), (1, 1)), highlight=highlight)
        seen = pixels(figure)
        ax = figure.axes[0]
        height = seen.shape[0]
        (x, y), (edge, _) = ax.transData.transform([(9, 0.5), (0.08, 0.5)])
        row = seen[height - round(y)]
        return row[round(x)], row[round(edge) - 3 : round(edge) + 4].min()

    lit, plain = cell_and_edge((0, 0)), cell_and_edge(None)
    assert plain[0] - lit[0] >= 20
    assert plain[1] - lit[1] >= 40
    monkeypatch.setattr("zerostride.draw.ink.LIT_FILL", "#fbe6bd")
    assert plain[0] - cell_and_edge((0, 0))[0] < 20


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


KINDS = {
    "object": (np.array([None, {}], dtype=object), "None"),
    "record": (RECORDS, "(0, 0.0…"),
    "no bytes": (np.zeros(3, "S0"), "b''"),
    "not a time": (np.array(["2026-11-30", "NaT"], "M8[D]"), "NaT"),
    "masked": (np.ma.masked_equal([1, 2], 2), "--"),
    "not a number": (np.array([np.nan, -np.inf]), "-inf"),
    "unaligned": (np.frombuffer(bytes(17), np.uint8)[1:].view("f8"), "0.0"),
}


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_element_is_drawn(name):
    x, word = KINDS[name]
    assert word in [text.get_text() for text in drawn(x).texts]
    assert svg(zs.draw.storages(x=x))
    assert svg(zs.draw.one_ruler(x=x))


def test_elements_outside_their_storage_are_drawn_without_a_place():
    outside = zs.layout(np.lib.stride_tricks.as_strided(np.arange(3.0), (3, 2), (-8, 8)))
    assert offsets_in(drawn(outside, highlight=(2, 0))) == [0, 8, -8, 0, -16, -8]
    assert len(lit_cells(drawn(outside, highlight=(2, 0)))) == 1
    assert len(lit_cells(drawn(outside, highlight=(0, 0)))) == 3


def test_torch_kinds_are_drawn():
    torch = pytest.importorskip("torch")
    kinds = {
        "1.0": torch.ones(2, 3).to(torch.float8_e4m3fn),
        "1-0j": torch.ones(2, 2, dtype=torch.complex64).conj(),
        "-0.0": torch.ones(2, 2, dtype=torch.complex64).conj().imag,
        "2.0": torch.nn.Parameter(torch.full((2, 3), 2.0)),
    }
    for word, x in kinds.items():
        assert word in [text.get_text() for text in drawn(x).texts]
    assert offsets_in(drawn(torch.empty(2, 3, device="meta"))) == [0, 4, 8, 12, 16, 20]


def test_values_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"the values have shape \(3,\), the layout has \(4, 3\)"):
        drawn(VIEW, values=np.zeros(3))


def written(figure):
    return [text.get_text() for ax in figure.axes for text in ax.texts]


def test_whole_numbers_of_many_digits_are_shown_as_they_are():
    numbers = [1000000.0, 999999.0, 1234567.0, 1234568.0]
    assert [written(zs.draw.side_by_side(y=np.array(numbers))).count(repr(each)) for each in numbers] == [
        2
    ] * 4
    assert "999999.0" in written(zs.draw.side_by_side(y=np.arange(1000000.0), highlight=(999999,)))
    tenth = written(zs.draw.side_by_side(y=np.full(3, 0.1, np.float32)))
    assert tenth.count("0.1") == 6
    narrow = written(zs.draw.side_by_side(y=np.array([123456792, 16777217], np.float32)))
    assert {"123456792.0", "16777216.0"} <= set(narrow)
    assert "65504.0" in written(zs.draw.side_by_side(y=np.array([65504], np.float16)))


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.floats(), st.floats(width=32).map(np.float32), st.floats(width=16).map(np.float16), st.integers()
    ),
    st.integers(1, 20),
)
def test_what_is_not_marked_is_exact(value, most):
    word = fitting_word(plain(value), lambda text: len(text) <= most)
    kind = int if isinstance(value, int) else type(plain(value))
    assert set(word) & set("≈…") or kind(word) == value or word == "nan"
    assert len(word) <= max(most, 9) or word == exact(plain(value))
    if len(exact(plain(value))) <= most:
        assert word == exact(plain(value))


def test_rounded_numbers_are_marked_in_a_picture():
    thirds = written(zs.draw.side_by_side(y=np.array([1 / 3, 2 / 3, 0.1, 0.1 + 0.2, 12345678901.5])))
    assert {"≈0.3333", "0.1", "≈0.3"} <= set(thirds)
    assert not {"0.3333", "0.3", "1.235e+10"} & set(thirds)
    many = np.array([123456789012345, 123456789012346])
    assert {"12345…12345", "12345…12346"} <= set(written(zs.draw.side_by_side(y=np.tile(many, 2))))
    assert {"123456789012345", "123456789012346"} <= set(written(zs.draw.side_by_side(y=many)))
    assert faults(zs.draw.side_by_side(y=np.random.default_rng(0).normal(size=(4, 6)) * 1e7)) == {}


def test_torch_numbers_keep_the_precision_of_their_type():
    torch = pytest.importorskip("torch")
    x = torch.tensor([0.1, 999999.0], dtype=torch.float32)
    assert {"0.1", "999999.0"} <= set(written(zs.draw.side_by_side(x=x)))


def test_cells_that_overlap_in_the_storage_bear_no_values():
    def strip_values(x):
        ax = drawn(x)
        grid = max(text.get_position()[1] for text in ax.texts if text.get_ha() == "right")
        return [t.get_text() for t in ax.texts if t.get_position()[1] > grid and "." in t.get_text()]

    buffer = np.zeros(4)
    overlapping_ = np.lib.stride_tricks.as_strided(buffer, (2, 2), (3, 8))
    assert strip_values(overlapping_) == []
    assert strip_values(buffer) == ["0.0"] * 4
    assert faults(zs.draw.side_by_side(x=overlapping_, highlight=None)) == {}
    # Two overlap, the third stands apart.
    partly = np.lib.stride_tricks.as_strided(buffer, (2, 2), (16, 0))
    assert strip_values(partly) == ["0.0", "0.0"]


def test_values_may_be_lists():
    assert "expand" in [text.get_text() for text in drawn(np.zeros(2), values=["expand", 1]).texts]
    assert "7" in written(zs.draw.side_by_side(a=np.zeros((1, 2)), values=[[7, 8.5]]))
    with pytest.raises(ValueError, match=r"the values have shape \(2,\), the layout has \(4, 3\)"):
        drawn(VIEW, values=[1, 2])
    with pytest.raises(ValueError, match=r"the values have shape \(\), the layout has \(4, 3\)"):
        drawn(VIEW, values=5)
    with pytest.raises(ValueError, match=r"the values have shape \(2,\), the layout has \(4, 3\)"):
        drawn(VIEW, values=[[1, 2], [3]])
    with pytest.raises(ValueError, match=r"not of one length: .* in shape \(4, 3\)"):
        drawn(VIEW, values=[np.zeros((2, 2)), np.zeros((2, 3))])


def test_nothing_to_draw_is_refused_in_words():
    with pytest.raises(ValueError, match="there is no array to draw"):
        zs.draw.side_by_side()


def test_alternatives_of_small_arrays_tell_their_values():
    tile, repeat = np.tile([1, 2, 3], 2), np.repeat([1, 2, 3], 2)
    assert alt_text(tile).endswith(" Values: 1, 2, 3, 1, 2, 3.")
    assert alt_text(repeat).endswith(" Values: 1, 1, 2, 2, 3, 3.")
    named = alt_text({"tile": tile, "repeat": repeat})
    assert "Values: 1, 2, 3, 1, 2, 3." in named
    assert "Values: 1, 1, 2, 2, 3, 3." in named
    assert alt_text(VIEW).endswith(" The values of every row are 1.0, 2.0, 3.0.")
    assert alt_text(MATRIX[:2, :2]).endswith(" Row by row the values are 0.0, 1.0 / 6.0, 7.0.")
    assert "The elements start at bytes 0, 8, 16." in alt_text(VIEW[0])
    assert "Row by row" not in alt_text(VIEW[:1])
    zs.use("zh")
    assert alt_text(tile).endswith("值：1、2、3、1、2、3。")
    assert "每一行的值都是1.0、2.0、3.0。" in alt_text({"view": VIEW, "tile": tile})
    assert alt_text(MATRIX[:2, :2]).endswith("逐行看，各元素的值为0.0、1.0 / 6.0、7.0。")


def test_values_are_not_told_where_there_are_none_or_too_many():
    outside = np.lib.stride_tricks.as_strided(np.arange(3.0), (3, 2), (-8, 8))
    silent = [zs.layout(VIEW), np.zeros(13), np.zeros((0, 3)), outside]
    assert [each for each in silent if "alues" in alt_text(each)] == []
    torch = pytest.importorskip("torch")
    assert "alues" not in alt_text(torch.empty(3, device="meta"))
    assert alt_text(torch.ones(3, requires_grad=True)).endswith("Values: 1.0, 1.0, 1.0.")


def test_alternatives_speak_both_languages_and_tell_layouts_apart():
    english = alt_text([VIEW, TILED])
    assert "The elements of every row start at bytes 0, 8, 16." in english
    assert "12 elements read 96 of 96 stored bytes" in english
    assert "3 elements read 24 of 48 stored bytes" in alt_text(np.arange(6.0)[::2])
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
    with pytest.raises(KeyError, match="the catalogue has no text nokey to show as it stands"):
        zs.show(zs.draw.side_by_side(view=VIEW), "nokey")
    with pytest.raises(KeyError, match=r"has no text draw\.alt_layout to show as it stands"):
        alt_text("draw.alt_layout")
    zs.use("zh")
    with pytest.raises(KeyError, match="词条目录里没有可以直接显示的nokey"):
        alt_text("nokey")
