"""Which bytes arrays and tensors share, whoever made their storages, and replicas that share as they do."""

import itertools

import numpy as np
import pytest

from zerostride import checks
from zerostride.checks import CheckFailed
from zerostride.checks.replicas import MOST_REPLICA_BYTES, replicas
from zerostride.checks.storage import address, share_bytes, share_storage, span


def pieces():
    """Overlapping, nested and separate parts of one array, in no order of their addresses."""
    x = np.arange(40.0).reshape(10, 4)
    return [x[5:8], x[:9], x[1:3], x[9:], x[2:6, ::2], x[2:6, 1::2], x[::-3, ::-1], x[4], x[:0]]


def foreign(arrays):
    """Return tensors of separate storages that lie on the bytes of the arrays."""
    torch = pytest.importorskip("torch")
    return [torch.from_numpy(x) for x in arrays if min(x.strides) >= 0]


def sharing(arrays, asked=np.shares_memory):
    return [bool(asked(*pair)) for pair in itertools.combinations(arrays, 2)]


def test_common_bytes_are_what_numpy_says():
    assert sharing(pieces(), share_bytes) == sharing(pieces())
    assert {True, False} == set(sharing(pieces()))


def test_common_bytes_of_tensors_whose_storages_have_different_starts():
    arrays = [x for x in pieces() if min(x.strides) >= 0]
    assert sharing(foreign(arrays), share_bytes) == sharing(arrays)


@pytest.mark.parametrize("made", [list, foreign])
def test_replicas_share_as_the_originals_do(made):
    originals = [x for x in made(pieces()) if 0 not in x.shape]
    copies = replicas(*originals)
    assert sharing(copies, share_bytes) == sharing(originals, share_bytes)
    assert sharing(itertools.chain(*zip(copies, copies, strict=True)), share_bytes).count(True) > len(copies)
    for copy, original in zip(copies, originals, strict=True):
        assert np.array_equal(copy, original)
        assert not any(share_bytes(copy, each) for each in originals)


@pytest.mark.parametrize("made", [list, foreign])
def test_spans_that_lie_in_a_longer_one_stay_in_its_room(made):
    x = np.arange(10.0)
    whole, early, late = replicas(*made([x, x[1:3], x[5:8]]))
    whole[:] = 0
    assert early.tolist() == [0, 0]
    assert late.tolist() == [0, 0, 0]


def test_replicas_of_tensors_of_two_types_on_one_storage():
    torch = pytest.importorskip("torch")
    pairs = torch.arange(6.0).reshape(3, 2)
    new_numbers, new_halves = replicas(torch.view_as_complex(pairs)[1:], pairs[1:, 1])
    assert new_numbers.tolist() == [2 + 3j, 4 + 5j]
    new_numbers[0] = 7 + 8j
    assert new_halves.tolist() == [8, 5]
    assert pairs[1, 1] == 3


def test_foreign_tensors_on_one_memory_are_no_separate_storages():
    torch = pytest.importorskip("torch")
    a = np.arange(12.0).reshape(4, 3)
    row, whole = torch.from_numpy(a[1:2]), torch.from_numpy(a)
    with pytest.raises(CheckFailed, match="the source starts at byte 24, the result at byte 0"):
        checks.tile_has_own_storage(row, whole)
    with pytest.raises(CheckFailed, match="one storage"):
        checks.dense_result_has_own_storage(row, whole)
    with pytest.raises(CheckFailed, match="shares bytes"):
        checks.copied_write_stays_local(row, row.expand(4, 3), whole)
    with pytest.raises(CheckFailed, match="reads bytes 0-95, but the source has only 24-47"):
        checks.view_shares_storage(row, whole)
    with pytest.raises(CheckFailed, match="one storage"):
        checks.tile_has_own_storage(torch.from_numpy(a[:1]), whole)
    assert checks.tile_has_own_storage(row, torch.from_numpy(np.tile(a[1:2], (4, 1)))).status == "passed"
    assert checks.view_shares_storage(whole, row).status == "passed"


def test_one_storage_may_be_read_in_separate_places():
    x = np.zeros((6, 3))
    assert share_storage(x[:3], x[3:])
    assert not share_storage(x, x.copy())
    assert checks.tile_has_own_storage(x[:3], x[3:]).status == "passed"
    torch = pytest.importorskip("torch")
    with pytest.raises(CheckFailed, match="the source starts at byte 0, the result at byte 72"):
        checks.tile_has_own_storage(*torch.zeros(6, 3, dtype=torch.float64).split(3))
    assert not share_storage(torch.zeros(3), torch.zeros(3))


def test_a_view_of_more_elements_than_an_array_can_have():
    torch = pytest.importorskip("torch")
    source = torch.ones(1, 3)
    assert checks.view_shares_storage(source, source.expand(2**60, 3)).status == "passed"
    assert not share_bytes(source, torch.ones(1, 3).expand(2**60, 3))


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_slice_of_a_large_storage_costs_its_own_bytes(library):
    shape = (2 * MOST_REPLICA_BYTES // 8,)
    if library == "torch":
        torch = pytest.importorskip("torch")
        source = torch.zeros(shape, dtype=torch.float64)[7:10].reshape(1, 3)
        view, tiled = source.expand(4, 3), source.repeat(4, 1)
    else:
        source = np.zeros(shape)[7:10].reshape(1, 3)
        view, tiled = np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))
    assert checks.source_write_reaches_every_row(source, view, tiled).status == "passed"
    copies = replicas(source, view)
    storage = copies[0].untyped_storage().nbytes() if library == "torch" else copies[0].base.nbytes
    assert 24 <= storage < 48


def test_where_a_pointer_is_a_handle_storages_lie_far_apart():
    class Handle:
        """A tensor of a device that counts its storages instead of giving addresses."""

        class device:
            type = "mps"

        def __init__(self, handle, offset):
            self.handle, self.offset = handle, offset

        def untyped_storage(self):
            return self

        def data_ptr(self):
            return self.handle

        def storage_offset(self):
            return self.offset

        def element_size(self):
            return 8

    assert address(Handle(5, 3)) - address(Handle(5, 0)) == 24
    assert address(Handle(6, 0)) - address(Handle(5, 0)) > 2**48


def test_a_span_reaches_from_the_lowest_to_the_highest_byte():
    x = np.zeros((4, 3))
    for seen, bytes_from_start in ((x[::-1, ::-1], (0, 96)), (x[1:3, 1:], (32, 72)), (x[1, :0], (24, 24))):
        low, high = span(seen)
        assert (low - address(x), high - address(x)) == bytes_from_start
