"""Pictures of several names on their storages: what is lit is what two names read."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

import zerostride as zs
from picture_rules import faults, language
from zerostride.draw.ink import LIT_EDGE, MARKS
from zerostride.pictures import Picture, alt_text, bundle, png, svg

SOURCE = np.array([[1.0, 2.0, 3.0]])
VIEW, TILED = np.broadcast_to(SOURCE, (4, 3)), np.tile(SOURCE, (4, 1))
MATRIX = np.arange(24.0).reshape(4, 6)
BIG = np.zeros((1, 1, 4096), np.float16)
WINDOWS = np.lib.stride_tricks.sliding_window_view(MATRIX[0], 3)
LARGE = np.broadcast_to(BIG, (32, 2048, 4096))
CASES = {
    "view": {"source": SOURCE, "view": VIEW, "tail": SOURCE[:, 1:]},
    "copy": {"view": VIEW, "tiled": TILED, "edited": TILED.copy()},
    "slices": {"matrix": MATRIX, "even": MATRIX[:, ::2], "odd": MATRIX[:, 1::2], "back": MATRIX[-1, ::-1]},
    "windows": {"windows": WINDOWS, "other": np.arange(1000.0)},
    "sizes": {"source": BIG, "view": LARGE, "half": BIG[..., ::2], "three": SOURCE},
    "many": {f"name_{number}_of_them": MATRIX[number % 4 :] for number in range(12)},
    "empty": {"empty": MATRIX[:0], "matrix": MATRIX},
    "number": {"number": np.array(1, np.int8)},
    "dtypes": {"bytes_": MATRIX.view(np.uint8), "halves": MATRIX.view(np.float32)[:, ::2]},
    "four axes": {"deep": np.zeros((2, 3, 2, 2), np.int16).transpose(3, 1, 0, 2)},
}
DRAWINGS = {"one_ruler": zs.draw.one_ruler, "storages": zs.draw.storages}


@pytest.mark.parametrize("drawing", DRAWINGS)
@pytest.mark.parametrize("name", CASES)
def test_rules_of_a_picture(name, drawing):
    assert faults(DRAWINGS[drawing](**CASES[name]), CASES[name]) == {}


def test_a_word_that_nobody_handed_in_is_seen():
    assert list(language(zs.draw.one_ruler(**CASES["view"]), ["source", "view"])) == ["tail"]


def lit_bytes(figure, storage_bytes):
    """Which bytes of the one storage are lit, back from the boxes drawn with the lit outline."""
    found = set()
    for patch in figure.axes[0].patches:
        if isinstance(patch, Rectangle) and to_hex(patch.get_edgecolor()) == LIT_EDGE:
            ends = np.array([patch.get_x(), patch.get_x() + patch.get_width()]) * storage_bytes / 12
            found.update(range(*np.rint(ends).astype(int).tolist()))
    return found


def bytes_read(part, whole):
    """Which bytes of a whole array a view of it reads, seen by writing ones."""
    probe = np.zeros_like(whole)
    start = (part.__array_interface__["data"][0] - whole.__array_interface__["data"][0]) // whole.itemsize
    steps = np.array(part.strides) // whole.itemsize
    for index in np.ndindex(*part.shape):
        probe[start + int((steps * index).sum())] = 1
    return {byte for place in np.flatnonzero(probe) for byte in range(place * 8, place * 8 + 8)}


slices = st.slices(12)


@settings(max_examples=15, deadline=None)
@given(slices, slices)
def test_what_two_names_read_is_lit(one, other):
    whole = np.arange(12.0)
    first, second = whole[one], whole[other]
    expected = bytes_read(first, whole) & bytes_read(second, whole)
    for drawing in DRAWINGS.values():
        assert lit_bytes(drawing(first=first, second=second), 96) == expected


def test_what_one_name_reads_is_not_lit():
    whole = np.arange(12.0)
    figure = zs.draw.one_ruler(even=whole[::2], odd=whole[1::2])
    assert lit_bytes(figure, 96) == set()
    assert lit_bytes(zs.draw.one_ruler(even=whole[::2], all=whole), 96) == bytes_read(whole[::2], whole)


def shown(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_counts_of_readers_are_the_layouts():
    counts = [
        text for text in shown(zs.draw.one_ruler(view=VIEW, tiled=TILED)) if re.fullmatch(r"×\d+", text)
    ]
    assert counts == ["×4"] * 3 + ["×1"] * 12
    windows = zs.draw.one_ruler(windows=zs.Layout.of((4, 3), (8, 8), 8))
    assert [text for text in shown(windows) if re.fullmatch(r"×\d+", text)] == [
        "×1",
        "×2",
        "×3",
        "×3",
        "×2",
        "×1",
    ]


def test_offsets_count_from_the_common_storage():
    torch = pytest.importorskip("torch")
    matrix = np.arange(24.0).reshape(4, 6)
    texts = shown(zs.draw.one_ruler(matrix=matrix, tensor=torch.from_numpy(matrix[1:])[:, :3]))
    assert "48 + i×48 + j×8" in texts
    assert len([text for text in texts if text.endswith(" B")]) == 1


def test_other_storages_have_a_ruler_of_their_own():
    ends = [text for text in shown(zs.draw.one_ruler(view=VIEW, tiled=TILED)) if text.endswith(" B")]
    assert ends == ["24 B", "96 B"]


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_the_ruler_of_a_storage_without_bytes_ends_where_it_begins(drawing):
    figure = DRAWINGS[drawing](empty=np.zeros(0), full=np.zeros(1000))
    texts = [(text.get_text(), text.get_position()[0]) for text in figure.axes[0].texts]
    assert ("0 B", 0) in texts
    assert "1 B" not in shown(figure)
    assert len(figure.axes[0].collections) == 1
    assert "1 B" not in shown(DRAWINGS[drawing](empty=np.zeros(0)))
    assert faults(figure, ["empty", "full"]) == {}


def test_totals_count_each_storage_once():
    texts = shown(zs.draw.storages(source=SOURCE, view=VIEW, tiled=TILED, text="no array", number=3))
    assert texts[-1] == "24 B + 96 B = 120 B"
    assert "text" not in texts
    assert zs.storages(source=SOURCE, view=VIEW, tiled=TILED).total_bytes == 120


def test_what_a_name_touches_is_told_from_its_nbytes():
    texts = shown(zs.draw.storages(view=VIEW, tail=SOURCE[:, 1:]))
    assert [text for text in texts if "_bytes" in text] == ["touched_bytes 24 B", "touched_bytes 16 B"]


def test_each_name_has_a_mark_that_its_storage_repeats():
    figure = zs.draw.one_ruler(source=SOURCE, tail=SOURCE[:, 1:])
    marks = [line.get_marker() for line in figure.axes[0].lines if line.get_marker() in MARKS]
    assert marks.count(MARKS[0]) == 1 + 3
    assert marks.count(MARKS[1]) == 1 + 2


def test_readers_too_many_for_marks_are_counted():
    texts = shown(zs.draw.one_ruler(**CASES["many"]))
    assert texts.count("12") == 6
    assert texts.count("9") == 6
    assert "9" not in shown(zs.draw.one_ruler(**CASES["slices"]))


def test_what_cannot_be_told_is_a_question_mark():
    interlocking = zs.Layout.of((2**31, 2**31), (3, 2), 1)
    middle = zs.Layout.of((3,), (1,), 1, storage_offset_bytes=2**31)
    assert "?" in shown(zs.draw.one_ruler(interlocking=interlocking, middle=middle))
    assert "?" not in shown(zs.draw.one_ruler(x=VIEW))


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_pictures_are_the_same_bytes_every_time(drawing):
    first, second = (DRAWINGS[drawing](view=VIEW, tiled=TILED) for _ in range(2))
    assert svg(first) == svg(second)
    assert png(first) == png(second)
    assert svg(first) != svg(DRAWINGS[drawing](view=VIEW, tiled=TILED, edited=TILED))


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_nothing_to_draw_is_refused_in_words(drawing):
    with pytest.raises(ValueError, match="no array to draw"):
        DRAWINGS[drawing]()
    with pytest.raises(ValueError, match="room for 12 names, not for 13"):
        DRAWINGS[drawing](**{f"x{number}": SOURCE for number in range(13)})


def test_a_list_is_no_layout():
    with pytest.raises(TypeError):
        zs.draw.one_ruler(x=[1, 2, 3])
    with pytest.raises(ValueError, match="no array to draw"):
        zs.draw.storages(x=[1, 2, 3])


def test_the_alternative_tells_who_shares_with_whom():
    words = alt_text(CASES["copy"])
    assert "One storage of 24 bytes holds view." in words
    assert "view and tiled read no common byte." in words
    assert "source and tail read 16 common bytes." in alt_text(CASES["view"])
    report = zs.storages(**CASES["view"])
    assert "tail touches 16 bytes, from byte 8 to before byte 24." in alt_text(report)
    zs.use("zh")
    assert "source和tail共同读取16个字节。" in alt_text(CASES["view"])
    assert "所有存储共24字节。" in alt_text(report)


OF_THE_READER = {"源": SOURCE, "view": VIEW, "平铺": TILED, "β": SOURCE[:, 1:]}
NAMED_PICTURES = {**DRAWINGS, "side_by_side": zs.draw.side_by_side}


def said_with(figure):
    return [str(Picture(figure, "")), *(bundle(figure, "")[kind] for kind in ("text/plain", "text/html"))]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("drawing", NAMED_PICTURES)
def test_a_name_that_the_font_lacks_is_drawn_as_its_place_and_told_beside(drawing):
    figure = NAMED_PICTURES[drawing](**OF_THE_READER)
    drawn = {text.get_text() for text in figure.findobj(Text)}
    assert {"#1", "view", "β"} <= drawn
    assert not drawn & {"源", "平铺"}
    for said in said_with(figure):
        assert "= 源" in said
        assert "= 平铺" in said
        assert "view" not in said
    png(figure)


@pytest.mark.parametrize("drawing", NAMED_PICTURES)
def test_names_that_the_font_holds_need_no_words_beside(drawing):
    assert said_with(NAMED_PICTURES[drawing](view=VIEW, β=SOURCE))[:2] == ["", ""]


@pytest.mark.filterwarnings("error")
def test_values_and_fields_that_the_font_lacks_are_left_out():
    png(zs.draw.side_by_side(names=np.array([["张三", "b1"]]), highlight=None))
    png(zs.draw.storages(records=np.zeros(3, [("价格", "f4")])))
    png(zs.draw.side_by_side(records=np.array([("张三", 1)], [("姓名", "U2"), ("价格", "f4")])))
    figure = Figure()
    figure.text(0, 0, "张三")
    with pytest.raises(UserWarning, match="missing from font"):
        png(figure)
