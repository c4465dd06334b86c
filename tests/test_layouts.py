"""Layouts against the libraries' own pointers and against brute force."""

import re
from dataclasses import replace
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zerostride as zs
from oracle import Sample, faults, write_probe
from strategies import NUMPY_DTYPES, Choices, numpy_sample, numpy_samples, torch_samples
from zerostride.language import say
from zerostride.layouts import counting, meetings

DTYPES = ["bool", "int8", "uint16", "float16", "float32", "float64", "complex128"]


@settings(max_examples=2000, deadline=None)
@given(numpy_samples(), st.integers(0, 10**6))
def test_random_numpy_layouts_equal_brute_force(sample, place):
    assert not list(faults(sample, zs.layout(sample.x), index_at(sample.x.shape, place)))


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=2000, deadline=None)
@given(torch_samples(), st.integers(0, 10**6))
def test_random_torch_layouts_equal_brute_force(sample, place):
    pytest.importorskip("torch")
    assert not list(faults(sample, zs.layout(sample.x), index_at(sample.x.shape, place)))


def index_at(shape, place):
    """Return an index of the shape, or None where it has none."""
    return None if 0 in shape else tuple(int(i) for i in np.unravel_index(place % prod(shape), shape))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"strides_bytes": (8, 8)}, "touched_bytes is 24"),
        ({"shape": (3, 3)}, "logical_bytes is 96"),
        ({"itemsize": 4}, "itemsize is 8"),
        ({"storage_bytes": 25}, "storage_bytes is 24"),
        ({"storage_offset_bytes": 8}, "starts at 0, not 8"),
        ({"strides_bytes": (8, 8)}, "a write at (2, 1) changes"),
    ],
)
def test_brute_force_sees_a_wrong_layout(change, fault):
    """The twin of the random tests: an answer that is off by one number is found."""
    owner = np.ones((1, 3))
    view = np.broadcast_to(owner, (4, 3))
    raw = owner.reshape(-1).view(np.uint8)
    sample = Sample(view, owner.__array_interface__["data"][0], 24, raw, ["expanded"])
    assert not list(faults(sample, zs.layout(view), (2, 1)))
    wrong = replace(zs.layout(view), **change)
    try:
        found = list(faults(sample, wrong, (2, 1)))
    except IndexError:
        found = ["logical_bytes is 96"]
    assert any(fault in each for each in found), found


def test_a_write_probe_sees_shared_elements():
    owner = np.ones((1, 3))
    raw, address = owner.reshape(-1).view(np.uint8), owner.__array_interface__["data"][0]
    view = np.broadcast_to(owner, (4, 3))
    assert write_probe(Sample(view, address, 24, raw, []), (2, 1)) == {(row, 1) for row in range(4)}
    assert write_probe(Sample(owner, address, 24, raw, []), (0, 1)) == {(0, 1)}


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_random_layouts_draw_every_type(dtype):
    """Many of each type would be needed to draw it by chance: each is drawn here."""
    place = NUMPY_DTYPES.index(dtype)
    first = iter([place])
    sample = numpy_sample(Choices(lambda low, high: next(first, low)))
    assert sample.x.dtype == np.dtype(dtype)


def numpy_cases(rows, cols, dtype):
    source = np.ones((1, cols), dtype)
    matrix = np.ones((rows, cols), dtype)
    return {
        "expand": np.broadcast_to(source, (rows, cols)),
        "repeat": np.repeat(source, rows, axis=0),
        "tile": np.tile(source, (rows, 1)),
        "transpose": matrix.T,
        "columns": matrix[:, ::2],
        "rows": matrix[1:],
        "reversed": matrix[::-1, ::-1],
        "fortran": np.asfortranarray(matrix),
    }


def address_of(x, index):
    return x[tuple(slice(i, i + 1) for i in index)].__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (2, 3), (4, 3), (5, 1), (1, 6)])
def test_numpy_offsets_are_the_pointers(rows, cols, dtype):
    for name, x in numpy_cases(rows, cols, dtype).items():
        seen = zs.layout(x)
        owner = x
        while owner.base is not None:
            owner = owner.base
        start = owner.__array_interface__["data"][0]
        for index in np.ndindex(x.shape):
            assert start + seen.offset_bytes(index) == address_of(x, index), (name, index)
        assert seen.storage_bytes == owner.nbytes, name
        assert seen.logical_bytes == x.nbytes, name
        assert seen.contiguous == x.flags.c_contiguous, name


def torch_cases(rows, cols, dtype):
    torch = pytest.importorskip("torch")
    source = torch.ones((1, cols), dtype=getattr(torch, dtype))
    matrix = torch.ones((rows, cols), dtype=getattr(torch, dtype))
    return {
        "expand": source.expand(rows, cols),
        "repeat": source.repeat(rows, 1),
        "tile": torch.tile(source, (rows, 1)),
        "interleave": source.repeat_interleave(rows, 0),
        "transpose": matrix.T,
        "columns": matrix[:, ::2],
        "rows": matrix[1:],
    }


@pytest.mark.parametrize("dtype", ["bool", "int8", "bfloat16", "float32", "float64", "complex64"])
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (2, 3), (4, 3), (5, 1), (1, 6)])
def test_torch_offsets_are_the_pointers(rows, cols, dtype):
    for name, x in torch_cases(rows, cols, dtype).items():
        seen = zs.layout(x)
        start = x.untyped_storage().data_ptr()
        for index in np.ndindex(tuple(x.shape)):
            assert start + seen.offset_bytes(index) == x[index].data_ptr(), (name, index)
        assert seen.storage_bytes == x.untyped_storage().nbytes(), name
        assert seen.strides_elements == x.stride(), name
        assert seen.contiguous == x.is_contiguous(), name


def test_both_libraries_say_the_same_bytes():
    torch = pytest.importorskip("torch")
    ours = zs.layout(np.broadcast_to(np.ones((1, 3)), (4, 3)))
    theirs = zs.layout(torch.ones(1, 3, dtype=torch.float64).expand(4, 3))
    assert ours.strides_bytes == theirs.strides_bytes == (0, 8)
    assert ours.strides_elements == theirs.strides_elements == (0, 1)
    where = {"library": "", "owner": ""}
    assert ours.to_dict() | where == theirs.to_dict() | where


def test_the_budget_view_is_read_without_allocating():
    source = np.zeros((1, 1, 4096), np.float16)
    seen = zs.layout(np.broadcast_to(source, (32, 2048, 4096)))
    assert seen.logical_bytes == 32 * 2048 * 4096 * 2 == 536_870_912
    assert (seen.touched_bytes, seen.storage_bytes) == (8192, 8192)
    assert seen.most_aliases == 32 * 2048
    huge = zs.layout(np.broadcast_to(np.zeros((1, 1), np.int8), (2**31, 2**31)))
    assert (huge.logical_bytes, huge.touched_bytes, huge.most_aliases) == (2**62, 1, 2**62)


def test_start_and_sign_stand_in_the_formula():
    seen = zs.layout(np.broadcast_to(np.arange(5.0), (4, 5))[:, ::-1])
    assert seen.formula == "32 + i×0 + j×(−8)"
    assert seen.worked((2, 1)) == "32 + 2×0 + 1×(−8) = 24 B"
    assert seen.formula_in("elements") == "4 + i×0 + j×(−1)"
    assert seen.worked((2, 1), "elements") == "4 + 2×0 + 1×(−1) = 3"
    assert zs.layout(np.array(1.0)).formula == "0"


def test_a_length_one_axis_is_never_shared():
    assert zs.layout(np.broadcast_to(np.ones((1, 3)), (1, 3))).shared_axes == ()
    assert zs.layout(np.broadcast_to(np.ones((1, 3)), (4, 3))).shared_axes == (0,)


def test_no_whole_number_of_elements():
    pairs = np.zeros(3, dtype=[("a", "i1"), ("b", "<i2")])
    seen = zs.layout(pairs["b"])
    assert seen.strides_bytes == (3,)
    assert seen.strides_elements == (None,)
    assert "(3,) bytes, no whole number of elements" in str(seen)
    with pytest.raises(ValueError, match="whole number"):
        seen.formula_in("elements")


def test_storage_of_an_as_strided_view_is_the_owner():
    owner = np.arange(6.0)
    windows = np.lib.stride_tricks.sliding_window_view(owner, 3)
    assert zs.layout(windows).storage_bytes == 48
    assert zs.layout(np.lib.stride_tricks.as_strided(owner[2:], (2,), (8,))).storage_offset_bytes == 16


def test_too_many_interleaved_elements_are_unknown_and_say_why():
    seen = zs.Layout.of((1000,) * 4, (1000003, 999983, 700001, 500009), 3)
    low, high = seen.touched_bytes_between
    assert seen.touched_bytes is None
    assert low < high
    assert f"between {low:,} and {high:,}" in seen.notes[0]
    assert f"{low:,} to {high:,} B" in str(seen)
    assert "unknown" in seen.notes[1]
    assert "unknown" in str(seen)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_open_answer_has_its_sentence(monkeypatch, language):
    zs.use(language)
    monkeypatch.setattr(counting, "RUNS_AT_MOST", 0)
    monkeypatch.setattr(counting, "CELLS_AT_MOST", 0)
    monkeypatch.setattr(counting, "SUMS_AT_MOST", 0)
    monkeypatch.setattr(meetings, "NODES_AT_MOST", 0)
    shape, strides = (5, 4, 6, 3), (2300, 3100, 4700, 5900)
    seen = zs.Layout.of(shape, strides, 3)
    low, high = seen.touched_bytes_between
    assert (seen.touched_bytes, seen.most_aliases, seen.overlaps) == (None, None, None)
    assert seen.notes == (
        say("layout.touched_between", low=f"{low:,}", high=f"{high:,}"),
        say("layout.unknown_overlap"),
        say("layout.unknown_aliases"),
    )
    str(seen).encode("gbk")
    monkeypatch.undo()
    zs.use(language)
    assert zs.Layout.of(shape, strides, 3).notes == ()


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (((4, 3), (8,), 8), "2 axes need 2 strides"),
        (((-1, 3), (0, 8), 8), "negative size"),
        (((4, 3), (0, 8), 0), "at least 1 byte"),
    ],
)
def test_numbers_that_are_no_layout(numbers, message):
    with pytest.raises(ValueError, match=message):
        zs.Layout.of(*numbers)


def test_an_element_outside_the_storage_is_refused():
    with pytest.raises(ValueError, match="before the storage"):
        zs.Layout.of((4, 3), (0, -8), 8, storage_offset_bytes=8)
    with pytest.raises(ValueError, match="storage ends at byte 24"):
        zs.Layout.of((4, 3), (24, 8), 8, storage_bytes=24)


@pytest.mark.parametrize("wrong", [[1, 2, 3], None, 3.0, "abc"])
def test_what_has_no_layout_is_refused_in_both_languages(wrong):
    with pytest.raises(TypeError, match="hand in a NumPy array or a torch tensor"):
        zs.layout(wrong)
    zs.use("zh")
    with pytest.raises(TypeError, match="请传入NumPy数组或torch张量"):
        zs.layout(wrong)


def test_sparse_has_no_strides():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="has no strides"):
        zs.layout(torch.eye(3).to_sparse())


def test_an_index_must_fit():
    seen = zs.layout(np.zeros((4, 3)))
    assert seen.offset_bytes((-1, -1)) == seen.offset_bytes((3, 2)) == 88
    for index in [(4, 0), (0, -4), (0,), (0, 0, 0)]:
        with pytest.raises(IndexError, match="does not fit shape"):
            seen.offset_bytes(index)


def test_reports_read_the_same_in_text_and_html():
    seen = zs.layout(np.broadcast_to(np.ones((1, 3)), (4, 3)))
    assert "(0, 8) bytes = (0, 1) elements" in str(seen)
    assert "(0, 8) bytes = (0, 1) elements" in seen._repr_html_()
    zs.use("zh")
    assert "(0, 8)字节 = (0, 1)元素" in str(seen)
    str(seen).encode("gbk")


def test_negative_indices_are_worked_out_from_the_start():
    seen = zs.Layout.of((4, 3), (24, 8), 8)
    assert seen.worked((-1, -1)) == "3×24 + 2×8 = 88 B"
    assert seen.worked((np.int64(1), True)) == "1×24 + 1×8 = 32 B"


@pytest.mark.parametrize(
    "numbers", [((4.7,), (8,), 8), ((4,), (8.2,), 8), ((4,), (8,), 8.5), (("4",), (8,), 8)]
)
def test_fractions_and_text_are_no_layout(numbers):
    with pytest.raises(ValueError, match="whole numbers"):
        zs.Layout.of(*numbers)


@pytest.mark.parametrize("index", [(1.5, 0), 3, ("1", 0), None])
def test_an_index_is_made_of_whole_numbers(index):
    with pytest.raises(IndexError, match="does not fit shape"):
        zs.Layout.of((4, 3), (24, 8), 8).offset_bytes(index)


def test_numbers_of_numpy_become_plain_ones():
    seen = zs.Layout.of(np.array([4, 3]), np.array([24, 8]), np.int64(8))
    assert type(seen.itemsize) is type(seen.logical_bytes) is type(seen.storage_bytes) is int


@pytest.mark.parametrize(
    ("given", "more", "key", "values"),
    [
        (((4, 3), (8,), 8), {}, "bad_strides", {"axes": 2, "strides": 1}),
        (((4, -3), (8, 8), 8), {}, "bad_size", {"shape": (4, -3)}),
        (((4, 3), (8, 8), 0), {}, "bad_itemsize", {"itemsize": 0}),
        (((4, 3), (8, 8.5), 8), {}, "whole_numbers", {}),
        (((4,), (-8,), 8), {"storage_offset_bytes": 16}, "before_storage", {"byte": -8}),
        (((4,), (8,), 8), {"storage_bytes": 31}, "past_storage", {"byte": 32, "end": 31}),
    ],
)
def test_numbers_that_are_no_layout_are_told_as_they_are(given, more, key, values):
    with pytest.raises(ValueError, match=f"^{re.escape(say(f'layout.{key}', **values))}$"):
        zs.Layout.of(*given, **more)


def test_an_index_and_a_unit_that_are_none_are_told():
    seen = zs.Layout.of((4, 3), (0, 8), 8)
    for index in ((4, 0), (-5, 0), (0,), (0, 0, 0), (0.5, 0)):
        with pytest.raises(IndexError) as refused:
            seen.offset_bytes(index)
        assert str(refused.value) == say("layout.bad_index", index=index, shape=(4, 3))
    assert [seen.offset_bytes(index) for index in ((-4, -1), (3, 2))] == [16, 16]
    with pytest.raises(ValueError, match=re.escape(say("layout.bad_unit", unit="bits"))):
        seen.formula_in("bits")
    assert repr(seen) == str(seen)
