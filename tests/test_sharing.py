"""Who shares memory with whom, in one library and across the two."""

import mmap
import sys
import time

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import zerostride as zs
from small_views import arrays, bytes_of, tensors
from zerostride.sharing.places import place


def facts_of_bytes(a, b):
    """Return common bytes and kind of meeting, from single bytes alone."""
    ours, theirs = bytes_of(a), bytes_of(b)
    kind = {(True, True): "same_memory", (True, False): "view_of_part", (False, True): "part_viewed"}
    common = len(ours & theirs)
    return common, kind.get((ours <= theirs, theirs <= ours), "overlapping") if common else None


def agrees(compare, a, b):
    answer = compare(a, b)
    common, kind = facts_of_bytes(a, b)
    meets = answer.relation == kind if kind else answer.common_bytes == 0 and answer.relation not in MEETING
    return answer.exact and answer.common_bytes == common and meets


MEETING = {"same_memory", "view_of_part", "part_viewed", "overlapping", "at_least", "unknown"}


@st.composite
def pairs(draw):
    """Return two views of one NumPy array."""
    base = np.arange(24.0).reshape(draw(st.sampled_from([(24,), (4, 6), (2, 3, 4)])))
    return draw(arrays(base=base)), draw(arrays(base=base))


@settings(max_examples=300, deadline=None)
@given(pairs())
def test_views_of_one_array(pair):
    answer = zs.compare(*pair)
    assert answer.same_storage
    assert agrees(zs.compare, *pair)
    if pair[0].size and pair[1].size:
        starts = [each.__array_interface__["data"][0] for each in pair]
        assert answer.same_start == (starts[0] == starts[1])
        assert np.shares_memory(*pair) == (answer.common_bytes > 0)
    assert zs.compare(*reversed(pair)).common_bytes == answer.common_bytes


def by_range(a, b):
    """Answer as np.may_share_memory does."""
    low, high = max(min(bytes_of(a)), min(bytes_of(b))), min(max(bytes_of(a)), max(bytes_of(b)))
    common = max(0, high + 1 - low)
    return zs.sharing.Comparison(True, None, (common, common), "overlapping" if common else "separate", ())


def test_an_answer_by_range_alone_is_seen():
    full = pairs().filter(lambda pair: pair[0].size and pair[1].size)
    assert find(
        full, lambda pair: not agrees(by_range, *pair), settings=settings(max_examples=2000, deadline=None)
    )


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_views_across_the_libraries(data):
    torch = pytest.importorskip("torch")
    base = np.arange(24.0).reshape(4, 6)
    ours = data.draw(arrays(base=base))
    tensor = torch.from_numpy(base)[data.draw(st.integers(0, 2)) :, :: data.draw(st.integers(1, 3))]
    theirs = data.draw(st.sampled_from([tensor, tensor.numpy(), torch.from_dlpack(tensor), tensor.t()]))
    assert zs.compare(ours, theirs).same_storage
    assert agrees(zs.compare, ours, theirs)
    assert agrees(zs.compare, theirs, ours)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_tensor_and_a_view_of_it(data):
    pytest.importorskip("torch")
    one = data.draw(tensors())
    answer = zs.compare(one, one.detach()[..., :1] if one.ndim else one)
    assert answer.same_storage
    if one.numel():
        assert agrees(zs.compare, one, one.detach()[..., :1] if one.ndim else one)


SOURCE = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
        (SOURCE, SOURCE.T, "same_memory"),
        (np.broadcast_to(SOURCE, (5, 4, 3)), SOURCE, "same_memory"),
        (SOURCE[1:], SOURCE, "view_of_part"),
        (SOURCE, SOURCE[::-2], "part_viewed"),
        (SOURCE[:3], SOURCE[1:], "overlapping"),
        (SOURCE[::2], SOURCE[1::2], "interleaved"),
        (SOURCE[:2], SOURCE[2:], "side_by_side"),
        (SOURCE, SOURCE.copy(), "separate"),
        (SOURCE[:0], SOURCE, "nothing_read"),
        (SOURCE.view("u1")[:, 3:9], SOURCE, "view_of_part"),
    ],
)
def test_words(a, b, relation):
    answer = zs.compare(a, b)
    assert answer.relation == relation
    for language in ("en", "zh"):
        zs.use(language)
        assert answer.words in str(answer)


def test_same_start_and_same_storage_are_apart():
    one = zs.compare(SOURCE[:1], SOURCE)
    other = zs.compare(SOURCE[1:], SOURCE)
    assert (one.same_storage, one.same_start) == (True, True)
    assert (other.same_storage, other.same_start) == (True, False)


def test_base_is_no_test():
    tiled = np.tile(SOURCE, (2, 1))
    assert tiled.base is not None
    assert not zs.compare(tiled, SOURCE).same_storage


def test_an_empty_array_reads_nothing_and_still_has_a_storage():
    empty = np.zeros((0, 3))
    assert not np.shares_memory(empty, empty)
    answer = zs.compare(empty, empty)
    assert (answer.same_storage, answer.same_start, answer.common_bytes) == (True, None, 0)
    assert zs.compare(SOURCE[:0], SOURCE).same_storage
    assert not zs.compare(empty, np.zeros((0, 3))).same_storage


def test_empty_tensors():
    torch = pytest.importorskip("torch")
    source, empty = torch.ones(1, 3), torch.zeros(0, 3)
    view = source.expand(0, 3)
    assert (zs.compare(view, source).same_storage, zs.compare(view, source).common_bytes) == (True, 0)
    assert zs.compare(empty, empty[:, :2]).same_storage
    assert not zs.compare(empty, torch.zeros(0, 3)).same_storage
    assert zs.compare(empty, np.zeros((0, 3))).same_storage is None


def test_meta_tensors_are_told_apart_by_their_storage():
    torch = pytest.importorskip("torch")
    a, b = torch.empty(1, 3, device="meta"), torch.empty(1, 3, device="meta")
    assert a.data_ptr() == b.data_ptr()
    assert (zs.compare(a, b).relation, zs.compare(a, b).same_start) == ("separate", False)
    assert zs.compare(a.expand(4, 3), a).relation == "same_memory"
    assert not zs.compare(a, torch.empty(1, 3)).same_storage


def test_a_part_that_another_library_lent():
    torch = pytest.importorskip("torch")
    tensor = torch.arange(10.0)
    first, last = np.from_dlpack(tensor[:2]), np.from_dlpack(tensor[5:])
    assert zs.compare(first, last).same_storage is None
    assert zs.compare(first, last).relation == "apart"
    assert zs.compare(first, tensor).relation == "view_of_part"
    assert not zs.compare(first, np.zeros(2)).same_storage
    array = np.arange(10.0)
    halves = torch.from_numpy(array[:5]), torch.from_numpy(array[5:])
    assert zs.compare(*halves).same_storage is None
    assert zs.compare(halves[0], array[5:]).same_storage
    assert not zs.compare(halves[0], torch.zeros(5)).same_storage


def test_a_wrapper_hides_its_storage():
    torch = pytest.importorskip("torch")

    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

        @classmethod
        def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
            raise NotImplementedError

    inner = torch.zeros(3)
    answer = zs.compare(Wrapper(inner), inner)
    assert (answer.same_storage, answer.same_start) == (None, None)
    assert (answer.common_bytes_between, answer.relation) == ((0, 12), "hidden")
    assert "wraps" in answer.words
    assert zs.storages(wrapper=Wrapper(inner), inner=inner).skipped == ("wrapper",)


def test_mapped_memory(tmp_path):
    (tmp_path / "x.bin").write_bytes(bytes(96))
    with (tmp_path / "x.bin").open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        a, b = np.frombuffer(mapped, "f8", 3), np.frombuffer(mapped, "f8", 3, 48)
        assert zs.compare(a, b).relation == "side_by_side"
        del a, b


@pytest.fixture
def mapped(tmp_path):
    """Return a function that maps a file of 12 float64 anew."""

    def mapped(name="x.bin", mode="r+"):
        path = tmp_path / name
        if not path.exists():
            path.write_bytes(bytes(96))
        return np.memmap(path, "f8", mode)

    return mapped


def test_two_maps_of_one_file_are_not_called_separate(mapped, tmp_path):
    one, other = mapped(), mapped()
    one[0] = 7
    assert other[0] == 7
    answer = zs.compare(one, other)
    assert (answer.same_storage, answer.relation, answer.exact) == (None, "one_file", False)
    assert answer.common_bytes_between == (0, 96)
    for language in ("en", "zh"):
        zs.use(language)
        assert "96" in answer.words
        assert answer.words in str(answer)
    (tmp_path / "link.bin").hardlink_to(tmp_path / "x.bin")
    for view in (np.asarray(other)[2:], as_strided(other, (2,), (8,)), mapped("link.bin")):
        assert zs.compare(one[1:], view).relation == "one_file"
    assert zs.compare(one, one[3:]).relation == "part_viewed"
    assert zs.compare(one, one[:0]).relation == "nothing_read"
    assert zs.compare(one, SOURCE).relation == "separate"
    assert zs.compare(one, mapped("y.bin")).relation == "separate"


def test_maps_of_which_the_file_is_not_told(mapped, tmp_path):
    kept, gone = mapped(), mapped("y.bin")
    with (tmp_path / "x.bin").open("r+b") as file, mmap.mmap(file.fileno(), 0) as bare:
        x = np.frombuffer(bare, "f8")
        assert zs.compare(x, kept).relation == "perhaps_one_file"
        del x
    (tmp_path / "y.bin").unlink()
    assert zs.compare(kept, gone).relation == "perhaps_one_file"


def test_copy_on_write_keeps_to_itself(mapped):
    private, shared = mapped(mode="c"), mapped()
    shared[0] = 5
    assert private[0] == 5
    assert zs.compare(private, shared).relation == "one_file"
    assert zs.compare(private, mapped(mode="c")).relation == "separate"


def test_maps_and_torch(mapped, tmp_path):
    torch = pytest.importorskip("torch")
    one, other = mapped(), mapped()
    assert zs.compare(torch.from_numpy(one), other).relation == "perhaps_one_file"
    assert zs.compare(torch.from_numpy(one), one).relation == "same_memory"
    opened = torch.from_file(str(tmp_path / "x.bin"), shared=True, size=12, dtype=torch.float64)
    assert zs.compare(opened, one).relation == zs.compare(opened[1:].numpy(), one).relation == "one_file"


def test_storages_name_maps_that_may_be_of_one_file(mapped):
    one, other, third = mapped(), mapped(), mapped("y.bin")
    answer = zs.storages(one=one, part=one[2:], other=other, third=third, own=SOURCE.copy())
    assert len(answer.groups) == 4
    assert answer.perhaps_one_file == ("one", "part", "other")
    for language in ("en", "zh"):
        zs.use(language)
        assert "one, part" in str(answer) or "one、part" in str(answer)
    assert zs.storages(one=one, part=one[2:], third=third).perhaps_one_file == ()
    assert zs.storages(a=mapped(mode="c"), b=mapped(mode="c")).perhaps_one_file == ()


def test_parts_of_complex_numbers():
    z = np.arange(4) + 1j
    assert zs.compare(z.real, z.imag).relation == "interleaved"
    torch = pytest.importorskip("torch")
    t = torch.from_numpy(z)
    assert zs.compare(t.conj(), z).relation == "same_memory"
    assert zs.compare(t.imag, z.imag).relation == "same_memory"
    assert zs.compare(torch.view_as_real(t), z.real).relation == "part_viewed"


def test_references_are_noted():
    objects = np.array([[], None], dtype=object)
    answer = zs.compare(objects, objects.copy())
    assert answer.relation == "separate"
    assert "references" in str(answer)


def test_a_huge_view_takes_no_longer_than_a_small_one():
    huge = np.broadcast_to(np.int8(0), (2**31, 2**31))
    small = np.broadcast_to(np.int8(0), (2, 2))
    assert best_time(huge, huge[:, 5:]) < 10 * best_time(small, small[:, 1:]) + 1e-3
    assert zs.compare(huge, huge[:, 5:]).relation == "same_memory"


def best_time(a, b):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        zs.compare(a, b)
        times.append(time.perf_counter() - start)
    return min(times)


def test_more_than_can_be_counted_is_bounded_and_said_so():
    base = np.zeros(1, dtype="i1")
    one = as_strided(base, (2**20, 2**20, 2**10), (999_983, 1_000_003, 777_777))
    other = as_strided(base, (2**20, 2**20, 2**10), (999_979, 1_000_033, 555_557))
    answer = zs.compare(one, other)
    low, high = answer.common_bytes_between
    assert not answer.exact
    assert answer.common_bytes is None
    assert 1 <= low < high
    assert answer.relation == "at_least"
    assert f"{high:,}" in str(answer)
    assert zs.compare(one, one).relation == "same_memory"


@pytest.mark.parametrize("wrong", [[1, 2], None, "text", zs.Layout.of((3,), (8,), 8)])
def test_wrong_input(wrong):
    with pytest.raises(TypeError, match="hand in"):
        zs.compare(wrong, SOURCE)


# Storages behind many names.


def test_storages_of_the_cast():
    source = np.array([[1.0, 2.0, 3.0]])
    view, tiled = np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))
    edited, number, text, _private = tiled.copy(), 3.0, "text", source
    answer = zs.storages(**locals())
    assert [group.names for group in answer.groups] == [("source", "view"), ("tiled",), ("edited",)]
    assert [group.storage_bytes for group in answer.groups] == [24, 96, 96]
    assert answer.total_bytes == 216
    assert answer.skipped == ()
    assert answer.to_dict()["storages"][0]["reads"]["view"] == {"touched_bytes": 24, "byte_range": (0, 24)}
    assert (number, text) == (3.0, "text")


def test_storages_skip_what_is_no_array():
    everything = {
        "np": np, "f": len, "listed": [SOURCE], "In": ["x"], "Out": {1: SOURCE}, "_": SOURCE, "__": SOURCE,
        "scalar": np.float64(1), "kind": np.ndarray, "self": object(), "none": None, "l": zs.layout(SOURCE),
    }  # fmt: skip
    assert zs.storages(**everything).groups == ()
    assert str(zs.storages(**everything)).endswith("storages: 0, 0 B in all")
    assert len(zs.storages(**everything, x=SOURCE).groups) == 1


def test_storages_count_nothing_twice():
    big = np.zeros((100, 100))
    names = {f"row_{i}": big[i] for i in range(50)} | {"again": big, "other": np.zeros(3)}
    answer = zs.storages(**names)
    assert answer.total_bytes == 80_000 + 24
    assert sum(each.logical_bytes for group in answer.groups for each in group.layouts.values()) > 100_000


def test_storages_across_the_libraries_join_what_one_holds():
    torch = pytest.importorskip("torch")
    array = np.arange(10.0)
    left, right = torch.from_numpy(array[:5]), torch.from_numpy(array[5:])
    apart = zs.storages(left=left, right=right)
    assert len(apart.groups) == 2
    assert "another library" in str(apart).lower()
    joined = zs.storages(left=left, right=right, whole=array)
    assert [group.names for group in joined.groups] == [("left", "right", "whole")]
    assert joined.total_bytes == 80
    assert joined.groups[0].byte_range("right") == (40, 80)
    assert "another library" not in str(joined).lower()


def test_storages_name_tensors_without_strides():
    torch = pytest.importorskip("torch")
    answer = zs.storages(sparse=torch.eye(3).to_sparse(), weight=torch.nn.Parameter(torch.zeros(3)))
    assert answer.skipped == ("sparse",)
    assert [group.names for group in answer.groups] == [("weight",)]
    assert "sparse" in str(answer)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_ranges_in_a_storage(data):
    base = np.arange(24.0).reshape(4, 6)
    views = {f"v{i}": data.draw(arrays(base=base)) for i in range(3)}
    (group,) = zs.storages(base=base, **views).groups
    start = base.__array_interface__["data"][0]
    for name, view in views.items():
        places = bytes_of(view)
        if places:
            assert group.byte_range(name) == (min(places) - start, max(places) - start + 1)
            assert group.layouts[name].touched_bytes == len(places)


def test_comparing_keeps_nothing_alive():
    array = np.zeros(3)
    before = sys.getrefcount(array)
    answer, groups = zs.compare(array, array), zs.storages(array=array)
    assert sys.getrefcount(array) == before
    assert answer.relation == "same_memory"
    assert groups.total_bytes == 24


def test_windows_share_one_run():
    x = np.arange(5)
    assert zs.compare(sliding_window_view(x, 3), x).relation == "same_memory"


def test_storages_note_what_lies_outside():
    a = np.arange(3.0)
    w = as_strided(a, (4, 3), (24, 8))
    zs.use("en")
    answer = zs.storages(a=a, w=w)
    assert len(answer.groups) == 1
    assert "outside the storage" in str(answer)
    assert "outside the storage" not in str(zs.storages(a=a, v=a[1:]))


def by_pairs(named):
    """Return the names that one storage joins, by asking each pair."""
    places = {name: place(x) for name, x in named.items()}
    groups = []
    for name, found in places.items():
        met = [group for group in groups if any(found.shares_storage_with(places[each]) for each in group)]
        groups = [group for group in groups if group not in met] + [{name}.union(*met)]
    return {frozenset(group) for group in groups}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), max_size=8))
def test_storages_in_one_pass_as_by_pairs(lent):
    torch = pytest.importorskip("torch")
    array = np.arange(9.0)
    named = {f"t{i}": torch.from_numpy(array[at : at + long]) for i, (at, long) in enumerate(lent)}
    named |= {"own": np.zeros(2), "empty": np.zeros(0), "meta": torch.ones(2, device="meta")}
    groups = zs.storages(**named).groups
    assert {frozenset(group.names) for group in groups} == by_pairs(named)
    assert [group.names[0] for group in groups] == sorted(
        (group.names[0] for group in groups), key=list(named).index
    )


def test_many_storages_take_no_more_each():
    def seconds(many):
        named = {f"x{i}": np.zeros(3) for i in range(many)}
        times = []
        for _ in range(3):
            start = time.perf_counter()
            zs.storages(**named)
            times.append(time.perf_counter() - start)
        return min(times)

    assert seconds(4000) < 20 * seconds(500) + 0.02


def test_storages_want_names():
    for language, told in (("en", "name what"), ("zh", "名称")):
        zs.use(language)
        with pytest.raises(TypeError, match=told) as raised:
            zs.storages(SOURCE)
        assert "storages(x=x)" in str(raised.value)


def test_one_storage_reads_well():
    zs.use("en")
    assert str(zs.storages(x=np.zeros(24))).endswith("storages: 1, 192 B in all")
