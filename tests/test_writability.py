"""What a write changes, against writes into small views of our own."""

import contextlib
import itertools

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import zerostride as zs
from small_views import arrays, changed_by, tensors
from zerostride.layouts import Layout, counting, meetings
from zerostride.sharing import writability
from zerostride.sharing.writability import overlapping_pairs

SEVERAL = ("changes_several", "undetected_overlap")


def indices(x):
    return itertools.product(*map(range, x.shape))


def right(answer, x):
    """Return whether a write of one element at each place changes what the answer says."""
    changed = {index: changed_by(x, index) for index in indices(x)}
    several = any(len(each) > 1 for each in changed.values())
    pairs_hold = all(second in changed[first] and first != second for first, second in answer.also_changes)
    if not several:
        return answer.outcome == "safe" and not answer.also_changes
    zero = 0 in (step for size, step in zip(x.shape, zs.layout(x).strides_bytes, strict=True) if size > 1)
    return answer.outcome == SEVERAL[not zero] and bool(answer.also_changes) and pairs_hold


@settings(max_examples=300, deadline=None)
@given(arrays())
def test_arrays(x):
    assert right(zs.writable(x), x)


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_tensors(data):
    pytest.importorskip("torch")
    x = data.draw(tensors())
    assert right(zs.writable(x), x)


def by_flag(x):
    return zs.writable(np.zeros(1) if x.flags.writeable else np.broadcast_to(1, (2,)))


def by_zero_stride(x):
    return zs.writable(x if 0 in x.strides else np.zeros(1))


@pytest.mark.parametrize("wrong", [by_flag, by_zero_stride])
def test_an_answer_by_flag_or_by_zero_stride_is_seen(wrong):
    x = find(arrays(), lambda x: not right(wrong(x), x), settings=settings(max_examples=2000, deadline=None))
    assert right(zs.writable(x), x)


def test_nothing_is_written():
    x = np.arange(6.0).reshape(2, 3)
    before = x.copy()
    zs.writable(np.broadcast_to(x, (4, 2, 3)))
    assert np.array_equal(x, before)
    torch = pytest.importorskip("torch")
    t = torch.zeros(1, 3)
    zs.writable(t.expand(4, 3))
    assert t._version == 0


VIEW = np.broadcast_to(np.array([[1.0, 2.0, 3.0]]), (4, 3))


def test_read_only_is_a_policy():
    answer = zs.writable(VIEW)
    assert (answer.outcome, answer.because) == ("read_only", ("flag", "then_changes_several"))
    assert answer.also_changes[0] == ((0, 0), (1, 0))
    with pytest.raises(ValueError, match="read-only"):
        VIEW[0, 0] = 9
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    assert (zs.writable(frozen).outcome, zs.writable(frozen).also_changes) == ("read_only", ())


def test_a_lifted_flag_is_no_copy():
    x = np.arange(3.0)
    lifted = np.broadcast_to(x, (4, 3))
    lifted.flags.writeable = True
    assert zs.writable(lifted).outcome == "changes_several"
    assert zs.writable(lifted.copy()).outcome == "safe"


def test_broadcast_arrays_look_writable_and_warn():
    warns, _ = np.broadcast_arrays(np.zeros((1, 3)), np.zeros((4, 1)))
    answer = zs.writable(warns)
    assert (answer.outcome, answer.because) == ("changes_several", ("zero_stride", "warns"))
    with pytest.warns((FutureWarning, DeprecationWarning)):
        warns[0, 0] = 9


def test_windows():
    x = np.arange(5)
    assert zs.writable(sliding_window_view(x, 3)).because == ("flag", "then_undetected_overlap")
    assert zs.writable(sliding_window_view(x, 3, writeable=True)).outcome == "undetected_overlap"
    assert zs.writable(as_strided(x.view("u1")[:8], (2,), (4,)).view("u1")).outcome == "safe"


def test_elements_that_overlap_in_part():
    answer = zs.writable(as_strided(np.zeros(3), (3,), (4,)))
    assert (answer.outcome, answer.also_changes) == ("undetected_overlap", (((0,), (1,)),))


def test_no_element_is_safe():
    assert zs.writable(np.broadcast_to(1.0, (4, 0))).because == ("nothing_to_write",)


def runs(write):
    try:
        write()
    except RuntimeError:
        return False
    return True


def torch_cases():
    """Return tensors of every kind that refuses or takes a write, and the mode to ask in."""
    torch = pytest.importorskip("torch")
    leaf = torch.zeros(4, 3, requires_grad=True)
    with torch.no_grad():
        made_without = leaf[:2]
    with torch.inference_mode():
        inference, seen = torch.zeros(3), leaf.view(-1)
        plain_seen = torch.zeros(3).view(3)
    kinds = {
        "leaf": leaf, "parameter": torch.nn.Parameter(torch.zeros(3)), "view_of_leaf": leaf[1:],
        "expand_of_leaf": leaf[:1].expand(4, 3), "node": leaf * 1, "view_of_node": (leaf * 1)[0],
        "unbound": (leaf * 1).unbind()[0], "unbound_leaf": leaf.unbind()[0], "made_without": made_without,
        "as_integers": leaf.view(torch.int32),
        "detached": leaf.detach(), "plain": torch.zeros(3), "plain_unbound": torch.zeros(2, 3).unbind()[0],
        "inference": inference, "view_of_inference": inference[1:], "seen": seen, "plain_seen": plain_seen,
    }  # fmt: skip
    return torch, kinds


def refusals(mode):
    """Return the kinds that the product says are refused, and those that torch refuses."""
    torch, kinds = torch_cases()
    modes = {"grad": contextlib.nullcontext, "no_grad": torch.no_grad, "inference": torch.inference_mode}
    with modes[mode]():
        said = {name for name, x in kinds.items() if zs.writable(x).outcome == "refused"}
        known = {name for name, x in kinds.items() if not runs(lambda x=x: x[(0,) * x.ndim].fill_(1.0))}
    return said, known


@pytest.mark.parametrize("mode", ["grad", "no_grad", "inference"])
def test_refusals_of_torch(mode):
    said, known = refusals(mode)
    assert said == known
    assert bool(said) == (mode != "inference")


def test_a_refusal_that_is_not_told_is_seen(monkeypatch):
    monkeypatch.setattr("zerostride.sharing.writability._torch_refusal", lambda x: None)
    said, known = refusals("grad")
    assert known - said >= {"leaf", "unbound", "made_without", "inference"}


def test_a_refused_write_may_change_several_once_it_is_let_through():
    torch = pytest.importorskip("torch")
    leaf = torch.zeros(1, 3, requires_grad=True)
    assert zs.writable(leaf.expand(4, 3)).because == ("view_of_leaf", "then_changes_several")
    with torch.no_grad():
        assert zs.writable(leaf.expand(4, 3)).outcome == "changes_several"
        assert zs.writable(leaf).outcome == "safe"


def test_torch_does_not_keep_numpys_policy():
    torch = pytest.importorskip("torch")
    expanded = torch.ones(1, 3).expand(4, 3)
    assert zs.writable(expanded.numpy()).outcome == "changes_several"
    with pytest.raises(RuntimeError, match="more than one element"):
        expanded.add_(1)
    expanded[0, 0] = 9
    assert expanded[:, 0].tolist() == [9.0] * 4


def test_meta_says_what_a_real_device_does():
    torch = pytest.importorskip("torch")
    answer = zs.writable(torch.empty(1, 3, device="meta").expand(4, 3))
    assert (answer.outcome, answer.because[-1]) == ("changes_several", "meta")


def test_pairs_far_apart_are_found_by_arithmetic():
    far = zs.Layout.of((2**40, 2**20), (8 * 2**19, 8), 8)
    ((first, second),) = overlapping_pairs(far)
    assert first != second
    assert far.offset_bytes(first) == far.offset_bytes(second)
    backwards = zs.Layout.of((2**40, 2**20), (8 * 2**19, -8), 8)
    ((first, second),) = overlapping_pairs(backwards)
    assert backwards.offset_bytes(first) == backwards.offset_bytes(second)
    assert first != second


def test_a_huge_view_gives_its_examples():
    answer = zs.writable(np.broadcast_to(np.int8(0), (2**31, 2**31)))
    assert answer.also_changes[0] == ((0, 0), (0, 1))


@pytest.mark.parametrize("wrong", [[1, 2], None, 3.0])
def test_wrong_input(wrong):
    with pytest.raises(TypeError, match="hand in"):
        zs.writable(wrong)


def test_a_write_outside_the_storage_is_not_safe():
    a = np.arange(3.0)
    for view in (
        as_strided(a, (4, 3), (24, 8)),
        as_strided(a, (4, 3), (0, 16)),
        as_strided(a[1:], (2,), (-16,)),
    ):
        assert zs.layout(view).outside
        assert (zs.writable(view).outcome, zs.writable(view).because) == ("outside_storage", ("outside",))
    held = zs.writable(as_strided(a, (4, 3), (24, 8), writeable=False))
    assert (held.outcome, held.because) == ("read_only", ("flag", "then_outside_storage"))
    assert zs.writable(as_strided(a, (4, 0), (24, 8))).outcome == "safe"
    assert zs.writable(as_strided(a, (3,), (8,))).outcome == "safe"


def test_a_tensor_whose_storage_was_cut_is_not_safe():
    torch = pytest.importorskip("torch")
    for size, because in ((0, "emptied"), (8, "outside")):
        x = torch.ones(3)
        x.untyped_storage().resize_(size)
        assert (zs.writable(x).outcome, zs.writable(x).because) == ("outside_storage", (because,))


def test_zeros_that_are_not_stored_refuse():
    torch = pytest.importorskip("torch")
    x = torch._efficientzerotensor((3,))
    assert (zs.writable(x).outcome, zs.writable(x).because) == ("refused", ("zero_tensor",))
    assert not runs(lambda: x.add_(1))
    assert zs.writable(x.clone()).outcome == "safe"


def test_a_wrapper_tells_nothing_of_a_write():
    torch = pytest.importorskip("torch")

    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls):
            return torch.Tensor._make_wrapper_subclass(cls, (3,))

        __torch_dispatch__ = None

    assert (zs.writable(Wrapper()).outcome, zs.writable(Wrapper()).because) == ("unknown", ("wrapper",))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_reason_is_in_words(language):
    zs.use(language)
    a = np.arange(3.0)
    answer = zs.writable(as_strided(a, (4, 3), (24, 8)))
    assert answer.reason in str(answer)


def test_an_overlap_that_was_not_decided_is_told_as_unknown(monkeypatch):
    view = as_strided(np.zeros(20_000, np.uint8), (5, 4, 6, 3), (230, 310, 470, 590))
    assert zs.writable(view).outcome != "unknown"
    monkeypatch.setattr(counting, "RUNS_AT_MOST", 0)
    monkeypatch.setattr(meetings, "NODES_AT_MOST", 0)
    found = zs.writable(view)
    assert (found.outcome, found.because, found.also_changes) == ("unknown", ("unknown_overlap",), ())


def test_an_array_that_tells_nothing_of_its_flag_is_told_so():
    class OfAnotherLibrary:
        """An array that hands its memory out through DLPack alone."""

        def __init__(self, x):
            self.x = x

        def __dlpack__(self, **asked):
            return self.x.__dlpack__(**asked)

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    found = zs.writable(OfAnotherLibrary(np.ones((4, 3))))
    assert (found.outcome, found.because) == ("safe", ("each_its_own", "dlpack"))


def test_pairs_far_apart_meet_where_two_axes_do():
    pairs = writability._pair_far_apart
    of = Layout.of
    assert pairs(of((10, 10), (8 * 20, 8), 8)) == ()
    assert pairs(of((10, 30), (8 * 20, 8), 8)) == (((1, 0), (0, 20)),)
    assert pairs(of((10, 20, 3), (8 * 20, 8, 8 * 40), 8)) == (((2, 0, 0), (0, 0, 1)),)
    assert pairs(of((10, 30), (-8 * 20, 8), 8)) == (((1, 20), (0, 0)),)
    assert pairs(of((1, 30), (8 * 20, 8), 8)) == pairs(of((10, 30), (0, 8), 8)) == ()
