"""Every kind of array there is: what its layout says, and what it refuses in words."""

import array
import ctypes
import mmap
import time

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import zerostride as zs
from oracle import Sample, faults

BOTH = pytest.mark.parametrize("language", ["en", "zh"])


def sample_of(x, owner):
    """An array on an owner that another name holds, as brute force wants it."""
    raw = owner.reshape(-1, order="A").view(np.uint8) if owner.size else np.zeros(0, np.uint8)
    return Sample(x, owner.__array_interface__["data"][0], owner.nbytes, raw, [])


def note(key, **values):
    return zs.language.say(f"layout.{key}", **values)


# Axes


@pytest.mark.parametrize("axes", [0, 1, 7, 31, 32, 33, 63, 64])
def test_any_number_of_axes(axes):
    owner = np.arange(4.0)
    x = as_strided(owner, (2,) * min(axes, 5) + (1,) * max(axes - 5, 0), (8, 0, 8, 8, 0, *[24] * 64)[:axes])
    seen = zs.layout(x)
    assert seen.ndim == axes
    assert not list(faults(sample_of(x, owner), seen))
    text = str(seen)
    assert max(map(len, text.splitlines())) < 160
    text.encode("gbk")


def test_torch_takes_more_axes_than_numpy():
    torch = pytest.importorskip("torch")
    seen = zs.layout(torch.zeros(1).expand((1,) * 70 + (3,)))
    assert (seen.ndim, seen.touched_bytes, seen.shared_axes) == (71, 4, (70,))


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (2, 0, 4), (0, 0), (1, 0, 1)])
def test_an_axis_without_elements_reads_nothing(shape):
    owner = np.zeros((1,) * len(shape))
    x = np.broadcast_to(owner, [0 if size == 0 else size for size in shape])
    seen = zs.layout(x)
    assert (seen.touched_bytes, seen.most_aliases, seen.overlaps) == (0, 0, False)
    assert (seen.logical_bytes, seen.storage_bytes, seen.contiguous) == (0, 8, True)
    torch = pytest.importorskip("torch")
    theirs = zs.layout(torch.ones(1, 3).expand(0, 3))
    assert (theirs.touched_bytes, theirs.storage_bytes, theirs.strides_elements) == (0, 12, (0, 1))


def test_an_empty_slice_stays_in_its_storage():
    owner = np.arange(6.0)
    for x in (owner[3:3], owner[6:], owner[::-1][:0], sliding_window_view(owner, 3)[:0]):
        assert not list(faults(sample_of(x, owner), zs.layout(x)))
        assert 0 <= zs.layout(x).storage_offset_bytes <= 48


def test_a_length_one_axis_shows_what_the_library_prints():
    """NumPy and torch print different strides there, and neither moves an address."""
    torch = pytest.importorskip("torch")
    ours, theirs = (
        np.broadcast_to(np.ones((1, 3)), (1, 3)),
        torch.ones(1, 3, dtype=torch.float64).expand(1, 3),
    )
    for x in (ours, theirs, np.ones((3, 1))[:, ::-1], as_strided(np.ones(3), (1, 3), (-1000, 8))):
        seen = zs.layout(x)
        itemsize = seen.itemsize if isinstance(x, torch.Tensor) else 1
        strides = x.stride() if isinstance(x, torch.Tensor) else x.strides
        assert seen.strides_bytes == tuple(step * itemsize for step in strides)
        assert (seen.contiguous, seen.shared_axes, seen.most_aliases) == (True, (), 1)


# Views


def views_of(owner):
    return {
        "itself": owner,
        "slice": owner[1:, ::2],
        "negative": owner[::-1, ::-2],
        "transpose": owner.T,
        "windows": sliding_window_view(owner, 2, axis=1),
        "windows of rows": as_strided(owner, (3, 2, 6), (48, 48, 8)),
        "expanded": np.broadcast_to(owner[1:2], (5, 6)),
        "expanded and reversed": np.broadcast_to(owner[1], (5, 6))[:, ::-1],
        "half elements": as_strided(owner, (2, 3), (4, 4)),
        "diagonal": np.diagonal(owner),
        "one element": owner[2:3, 5:6],
        "scalar view": owner[1, 2, ...],
    }


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", views_of(np.zeros((4, 6))))
def test_views(name, order):
    owner = np.zeros((4, 6), order=order)
    x = views_of(owner)[name]
    index = None if x.size == 0 else tuple(size // 2 for size in x.shape)
    assert not list(faults(sample_of(x, owner), zs.layout(x), index))


def test_fortran_order_is_not_contiguous_and_its_transpose_is():
    x = np.asfortranarray(np.zeros((4, 3)))
    assert (zs.layout(x).strides_bytes, zs.layout(x).contiguous) == ((8, 32), False)
    assert zs.layout(x.T).contiguous


def test_windows_overlap_without_any_zero_stride():
    torch = pytest.importorskip("torch")
    seen = zs.layout(torch.arange(7).as_strided((2, 2, 2), (3, 2, 1)))
    assert (seen.strides_bytes, seen.logical_bytes, seen.touched_bytes) == ((24, 16, 8), 64, 56)
    assert (seen.most_aliases, seen.overlaps, seen.shared_axes) == (2, True, ())


@BOTH
def test_elements_outside_the_storage_are_said(language):
    torch = pytest.importorskip("torch")
    zs.use(language)
    owner = np.zeros(6)
    for shape, strides in (((7,), (8,)), ((2,), (-8,)), ((2,), (44,))):
        assert zs.layout(as_strided(owner, shape, strides)).notes == (note("outside"),)
    for x in (
        as_strided(owner, (6,), (8,)),
        as_strided(owner[5:], (6,), (-8,)),
        as_strided(owner, (0,), (800,)),
    ):
        assert zs.layout(x).notes == ()
    shrunk = torch.ones(4, 3)
    shrunk.untyped_storage().resize_(12)
    assert zs.layout(shrunk).notes == (note("outside"),)


# NumPy types


@pytest.mark.parametrize(
    "dtype",
    [
        *(
            "?",
            "b",
            "B",
            "h",
            "i8",
            "u8",
            "e",
            "f",
            "d",
            "g",
            "F",
            "D",
            "G",
            "M8[us]",
            "m8[D]",
            "S5",
            "U3",
            "V7",
        ),
        *(">f8", "<f8", ">i2", ">c16", ">U2", ">M8[s]"),
    ],
)
def test_numpy_types(dtype):
    owner = np.zeros((2, 3), dtype)
    x = np.broadcast_to(owner[:, 1:2], (2, 4))
    seen = zs.layout(x)
    assert not list(faults(sample_of(x, owner), seen, (1, 2)))
    assert np.dtype(seen.dtype) == x.dtype
    assert seen.notes == ()


@BOTH
def test_references_are_said(language):
    zs.use(language)
    for x in (
        np.array([None, "a"]),
        np.array(["a", "b"], dtype=np.dtypes.StringDType()),
        np.zeros(2, [("a", "i4"), ("b", "O")]),
    ):
        assert zs.layout(x).notes == (note("references"),)
        assert note("references") in str(zs.layout(x))
    assert zs.layout(np.array(["a", "b"])).notes == ()


def test_strings_of_variable_length_count_their_references():
    seen = zs.layout(np.array(["a", "a much longer string than fits"], dtype=np.dtypes.StringDType()))
    assert (seen.itemsize, seen.touched_bytes, seen.storage_bytes) == (16, 32, 32)


def test_fields_and_sub_arrays():
    owner = np.zeros(3, [("a", "i1"), ("b", "<f4", (2, 2)), ("c", ">i2")])
    b = zs.layout(owner["b"])
    assert (b.shape, b.strides_bytes, b.storage_offset_bytes, b.itemsize) == ((3, 2, 2), (19, 8, 4), 1, 4)
    assert b.strides_elements == (None, 2, 1)
    assert (b.touched_bytes, b.storage_bytes, b.contiguous) == (48, 57, False)
    for name in "abc":
        assert not list(faults(sample_of(owner[name], owner), zs.layout(owner[name])))
    assert zs.layout(owner).notes == zs.layout(owner["b"]).notes == ()


@BOTH
def test_padding_is_said(language):
    zs.use(language)
    padded = np.zeros(3, np.dtype([("a", "i1"), ("b", "<f8")], align=True))
    assert (zs.layout(padded).itemsize, zs.layout(padded).notes) == (16, (note("padding"),))
    inside = np.zeros(2, [("a", padded.dtype, (2,))])
    assert zs.layout(inside).notes == (note("padding"),)
    assert zs.layout(padded["b"]).notes == ()
    overlapping = np.dtype({"names": ["a", "b"], "formats": ["<i4", "<i2"], "offsets": [0, 2]})
    assert zs.layout(np.zeros(2, overlapping)).notes == ()


def test_unaligned():
    held = bytearray(33)
    x = np.frombuffer(held, "<f8", 4, 1)
    assert not x.flags.aligned
    assert (zs.layout(x).storage_offset_bytes, zs.layout(x).strides_elements) == (1, (1,))
    with pytest.raises(ValueError, match="whole number"):
        zs.layout(x).formula_in("elements")


def test_types_without_bytes():
    seen = zs.layout(np.zeros(3, np.dtype([])))
    assert (seen.itemsize, seen.touched_bytes, seen.overlaps, seen.strides_elements) == (0, 0, False, (None,))


# Masked arrays, subclasses


@BOTH
def test_masked_arrays_are_their_data(language):
    zs.use(language)
    data = np.arange(6.0)
    masked = np.ma.array(data, mask=[0, 1, 0, 0, 1, 0], copy=False)[1:]
    seen = zs.layout(masked)
    assert (seen.storage_offset_bytes, seen.storage_bytes) == (8, 48)
    assert seen.notes == (note("masked"),)
    assert seen.storage_id == zs.layout(data).storage_id
    assert zs.layout(masked.mask).storage_id != seen.storage_id
    assert zs.layout(masked.mask).notes == ()


def test_subclasses():
    class Named(np.ndarray):
        """A subclass as learners' libraries have it."""

    owner = np.zeros((4, 6))
    for kind in (Named, np.recarray):
        x = owner.view(kind)[1:, ::-1]
        assert not list(faults(sample_of(x, owner), zs.layout(x)))
    with pytest.warns(PendingDeprecationWarning):
        column = np.matrix(owner)[:, 1]
    assert (zs.layout(column).shape, zs.layout(column).strides_bytes) == ((4, 1), (48, 48))


def test_a_record_array_whose_fields_are_called_like_the_answers():
    x = np.zeros(3, [("strides", "i4"), ("base", "i4"), ("shape", "i8")]).view(np.recarray)
    seen = zs.layout(x)
    assert (seen.shape, seen.strides_bytes, seen.storage_bytes) == ((3,), (16,), 48)


# Who holds the memory


@pytest.fixture
def memory_map(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(12.0).reshape(3, 4))
    return np.load(tmp_path / "x.npy", mmap_mode="r")


def test_a_memory_map_holds_its_file(memory_map):
    seen = zs.layout(memory_map[1:])
    assert (seen.owner, seen.storage_bytes, seen.storage_offset_bytes) == ("mmap", 128 + 96, 128 + 32)
    assert seen.notes == ()
    assert zs.layout(memory_map[0]).storage_id == seen.storage_id


@pytest.mark.parametrize(
    ("held", "owner"),
    [
        (bytes(range(16)), "bytes"),
        (bytearray(16), "bytearray"),
        (array.array("d", [1, 2]), "array"),
        (mmap.mmap(-1, 16), "mmap"),
        ((ctypes.c_double * 2)(), "c_double_Array_2"),
        (memoryview(bytearray(16)), "bytearray"),
        (memoryview(np.arange(2.0)), "another ndarray"),
        (np.arange(2.0), "another ndarray"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_who_holds_the_bytes(held, owner):
    x = np.frombuffer(held, np.uint8, 8, 8)
    seen = zs.layout(x[::-2])
    assert (seen.owner, seen.storage_bytes, seen.storage_offset_bytes, seen.notes) == (owner, 16, 15, ())
    assert zs.layout(x).storage_id == seen.storage_id
    assert zs.layout(np.zeros(16, np.uint8)).storage_id != seen.storage_id


def test_part_of_a_memoryview_knows_the_whole():
    owner = np.arange(6.0)
    seen = zs.layout(np.asarray(memoryview(owner)[2:]))
    assert (seen.storage_offset_bytes, seen.storage_bytes) == (16, 48)
    assert seen.storage_id == zs.layout(owner).storage_id


def test_own_and_other_owner_are_told_apart():
    x = np.arange(6.0)
    assert zs.layout(x).owner == "this array"
    assert zs.layout(x[1:]).owner == zs.layout(as_strided(x, (2,), (8,))).owner == "another ndarray"
    assert zs.Layout.of((2,), (8,), 8).owner == ""


def test_numpy_on_a_torch_storage():
    torch = pytest.importorskip("torch")
    tensor = torch.arange(6.0)
    x = tensor[1:].numpy()[::-1]
    seen = zs.layout(x)
    assert (seen.owner, seen.storage_bytes, seen.storage_offset_bytes) == ("torch storage", 24, 20)
    assert seen.storage_id == zs.layout(tensor).storage_id == zs.layout(tensor.expand(2, 6)).storage_id
    assert seen.notes == ()


def test_torch_on_a_numpy_array():
    torch = pytest.importorskip("torch")
    x = np.arange(6.0)
    assert zs.layout(torch.from_numpy(x)).storage_id == zs.layout(x[2:]).storage_id
    assert zs.layout(torch.from_numpy(x).clone()).storage_id != zs.layout(x).storage_id


@BOTH
def test_memory_of_unknown_size_is_said(language):
    torch = pytest.importorskip("torch")
    zs.use(language)
    seen = zs.layout(np.from_dlpack(torch.arange(6.0))[2:])
    assert (seen.owner, seen.storage_bytes, seen.storage_offset_bytes) == ("unknown", 24, 8)
    assert seen.notes == (note("foreign_storage"),)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_owner_whose_strides_were_changed_is_not_believed():
    owner = np.zeros((4, 3))
    owner.strides = (0, 8)
    seen = zs.layout(owner)
    assert (seen.touched_bytes, seen.notes) == (24, (note("foreign_storage"),))


def test_the_owner_is_in_the_table():
    x = np.zeros(3)
    assert "24 B (this array's own)" in str(zs.layout(x))
    assert "24 B (another ndarray's)" in str(zs.layout(x[1:]))
    assert "16 B (bytes)" in str(zs.layout(np.frombuffer(bytes(16), np.uint8)))
    zs.use("zh")
    assert "24 B（属于这个数组自身）" in str(zs.layout(x))
    str(zs.layout(x)).encode("gbk")


# torch


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_torch_types():
    torch = pytest.importorskip("torch")
    for dtype in (
        torch.bfloat16,
        torch.float8_e4m3fn,
        torch.float8_e5m2,
        torch.complex32,
        torch.uint16,
        torch.bool,
    ):
        seen = zs.layout(torch.zeros(1, 3, dtype=dtype).expand(4, 3))
        assert (seen.itemsize, seen.touched_bytes) == (dtype.itemsize, 3 * dtype.itemsize)
        assert (seen.dtype, seen.notes) == (str(dtype).removeprefix("torch."), ())


@BOTH
def test_pending_conjugate_and_sign_are_said(language):
    torch = pytest.importorskip("torch")
    zs.use(language)
    x = torch.zeros(3, dtype=torch.complex64)
    assert zs.layout(x.conj()).notes == (note("conjugate"),)
    assert zs.layout(x.conj().imag).notes == (note("negative"),)
    assert zs.layout(x).notes == zs.layout(x.conj().resolve_conj()).notes == ()
    assert zs.layout(x.conj()).storage_id == zs.layout(x).storage_id


def test_real_and_imaginary_views():
    torch = pytest.importorskip("torch")
    x = torch.zeros(3, dtype=torch.complex64)
    assert (zs.layout(x.imag).storage_offset_bytes, zs.layout(x.imag).strides_bytes) == (4, (8,))
    assert zs.layout(torch.view_as_real(x)).strides_bytes == (8, 4)
    y = np.zeros(3, "c8")
    assert (zs.layout(y.imag).storage_offset_bytes, zs.layout(y.real).strides_bytes) == (4, (8,))


@BOTH
def test_meta_has_a_storage_without_data(language):
    torch = pytest.importorskip("torch")
    zs.use(language)
    x = torch.empty(1, 3, device="meta")
    seen = zs.layout(x.expand(4, 3))
    assert (seen.strides_bytes, seen.touched_bytes, seen.storage_bytes) == ((0, 4), 12, 12)
    assert seen.notes == (note("no_data"),)
    assert (
        seen.storage_id == zs.layout(x).storage_id != zs.layout(torch.empty(1, 3, device="meta")).storage_id
    )


def test_empty_tensors_have_storages_of_their_own():
    torch = pytest.importorskip("torch")
    x, other = torch.empty(0, 3), torch.empty(0, 3)
    assert zs.layout(x).storage_id == zs.layout(x.T).storage_id != zs.layout(other).storage_id
    assert zs.layout(x).notes == ()


def test_an_emptied_storage_is_said():
    torch = pytest.importorskip("torch")
    x = torch.ones(4, 3)
    x.untyped_storage().resize_(0)
    assert (zs.layout(x).storage_bytes, zs.layout(x).notes) == (0, (note("no_data"),))


@pytest.mark.filterwarnings("error")
def test_fake_tensors():
    torch = pytest.importorskip("torch")
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        x = torch.ones(1, 3)
        seen = zs.layout(x.expand(4, 3))
    assert (seen.strides_bytes, seen.storage_bytes, seen.notes) == ((0, 4), 12, (note("no_data"),))
    assert seen.storage_id == zs.layout(x).storage_id


@pytest.mark.filterwarnings("ignore::UserWarning")
@BOTH
def test_quantized(language):
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "quantize_per_tensor"):
        pytest.skip("this version of torch has no quantized tensors")
    zs.use(language)
    x = torch.quantize_per_tensor(torch.ones(2, 3), 0.1, 0, torch.quint8)
    assert (zs.layout(x).itemsize, zs.layout(x).storage_bytes) == (1, 6)
    assert zs.layout(x).notes == (note("quantized"),)
    packed = torch.quantize_per_channel(torch.ones(2, 4), torch.ones(2), torch.zeros(2), 0, torch.quint4x2)
    with pytest.raises(TypeError, match="quint4x2"):
        zs.layout(packed)


def test_what_learns():
    torch = pytest.importorskip("torch")
    x = torch.ones(1, 3, requires_grad=True)
    for y in (x, x.expand(4, 3), torch.nn.Parameter(x.detach().expand(4, 3)), (x * 2).expand(4, 3)):
        assert (zs.layout(y).touched_bytes, zs.layout(y).storage_bytes) == (12, 12)
    assert zs.layout(torch.nn.Parameter(x.detach())).storage_id == zs.layout(x).storage_id
    assert x.grad is None


def test_tensor_subclasses():
    torch = pytest.importorskip("torch")

    class Named(torch.Tensor):
        """A subclass as learners' libraries have it."""

    x = torch.ones(1, 3).as_subclass(Named).expand(4, 3)
    assert (zs.layout(x).strides_bytes, zs.layout(x).storage_bytes) == ((0, 4), 12)


@BOTH
def test_a_wrapper_says_that_the_data_lie_elsewhere(language):
    torch = pytest.importorskip("torch")
    zs.use(language)

    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            return torch.Tensor._make_wrapper_subclass(cls, inner.shape, strides=inner.stride())

        @classmethod
        def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
            raise NotImplementedError

    seen = zs.layout(Wrapper(torch.ones(1, 3).expand(4, 3)))
    assert (seen.strides_bytes, seen.storage_id, seen.notes) == ((0, 4), None, (note("wrapper"),))


@pytest.mark.filterwarnings("ignore::UserWarning")
@BOTH
def test_tensors_without_strides_are_refused(language):
    torch = pytest.importorskip("torch")
    zs.use(language)
    eye = torch.eye(3)
    for x in (eye.to_sparse(), eye.to_sparse_csr(), eye.to_mkldnn()):
        with pytest.raises(TypeError) as refusal:
            zs.layout(x)
        assert str(refusal.value) == note("not_strided", kind=x.layout)


@BOTH
@pytest.mark.filterwarnings("ignore")
def test_nested_tensors_are_refused_and_their_parts_are_not(language):
    torch = pytest.importorskip("torch")
    zs.use(language)
    for kind in (torch.strided, torch.jagged):
        x = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=kind)
        with pytest.raises(TypeError) as refusal:
            zs.layout(x)
        assert str(refusal.value) == note("nested")
        assert zs.layout(x.unbind()[0]).shape == (2,)


def test_tensors_without_a_storage_are_refused():
    torch = pytest.importorskip("torch")
    refusals = []

    def asking(y):
        with pytest.raises(TypeError, match="no storage that can be asked") as refusal:
            zs.layout(y)
        refusals.append(str(refusal.value))
        return y.sum()

    torch.func.vmap(asking)(torch.ones(3, 4))
    torch.func.grad(asking)(torch.ones(3))
    assert len(refusals) == 2
    with pytest.raises(TypeError, match="UninitializedParameter"):
        zs.layout(torch.nn.LazyLinear(3).weight)


# Other libraries


class Interfaced:
    """An array of another library, as ``__array_interface__`` shows it."""

    def __init__(self, x):
        self.x = x

    @property
    def __array_interface__(self):
        return self.x.__array_interface__

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("a conversion, where reading was asked")


class Packed:
    """An array of another library, as DLPack hands it on."""

    def __init__(self, x, refusal=None, old=False):
        self.x, self.refusal, self.old = x, refusal, old

    def __dlpack__(self, **asked):
        if self.refusal:
            raise self.refusal
        if self.old and asked.keys() - {"stream"}:
            raise TypeError("unexpected keyword argument")
        return self.x.__dlpack__(**asked)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("a conversion, where reading was asked")


@pytest.mark.parametrize(
    "foreign", [Interfaced, Packed, lambda x: Packed(x, old=True)], ids=["interface", "dlpack", "old"]
)
def test_other_libraries_are_read_without_a_copy(foreign):
    owner = np.arange(12.0).reshape(3, 4)
    for x in (owner, owner[1:, ::2], owner.T, as_strided(owner[1], (3, 4), (0, 8))):
        seen, ours = zs.layout(foreign(x)), zs.layout(x)
        for name in ("shape", "strides_bytes", "itemsize", "dtype", "touched_bytes", "most_aliases"):
            assert getattr(seen, name) == getattr(ours, name), name
        first = x.__array_interface__["data"][0]
        assert seen.storage_id[1] + seen.storage_offset_bytes == first
        assert (seen.library, seen.owner) == ("other", type(foreign(x)).__name__)
        assert note("foreign_storage") in seen.notes


def test_a_type_that_numpy_lacks_is_read_through_torch():
    torch = pytest.importorskip("torch")
    x = torch.zeros(1, 3, dtype=torch.bfloat16)
    seen = zs.layout(Packed(x.expand(4, 3)))
    assert (seen.strides_bytes, seen.dtype, seen.library) == ((0, 2), "bfloat16", "other")
    assert seen.storage_id == zs.layout(x).storage_id


@BOTH
@pytest.mark.parametrize(
    "refusal", [BufferError("no host memory"), RuntimeError("x"), ValueError("y"), KeyError("z")]
)
def test_refused_dlpack_is_said(language, refusal):
    zs.use(language)
    with pytest.raises(TypeError) as error:
        zs.layout(Packed(np.zeros(3), refusal))
    assert str(error.value) == note("dlpack_refused", type="Packed", error=refusal)


def test_what_dlpack_could_only_copy_is_refused():
    """A producer that cannot hand out its own memory may copy only when it is not told otherwise."""
    pytest.importorskip("torch")

    class Copying(Packed):
        def __dlpack__(self, copy=None, **asked):
            if copy is False:
                raise BufferError("only as a copy")
            return self.x.copy().__dlpack__(**asked)

    with pytest.raises(TypeError, match="only as a copy"):
        zs.layout(Copying(np.zeros(3)))
    assert np.from_dlpack(Copying(np.zeros(3))).shape == (3,)


@BOTH
def test_an_interface_that_copies_is_refused(language):
    zs.use(language)

    class Image:
        @property
        def __array_interface__(self):
            self.last = np.zeros(3)
            return self.last.__array_interface__

        @property
        def last(self):
            return self.all[-1]

        @last.setter
        def last(self, value):
            self.__dict__.setdefault("all", []).append(value)

    class Bytes:
        @property
        def __array_interface__(self):
            return {"shape": (3,), "typestr": "|u1", "version": 3, "data": bytes([1, 2, 3])}

    for kind in (Image, Bytes):
        with pytest.raises(TypeError) as error:
            zs.layout(kind())
        assert str(error.value) == note("interface_copies", type=kind.__name__)


def test_a_broken_interface_is_said():
    class Broken:
        __array_interface__ = {"shape": "three"}  # noqa: RUF012

    class Raising:
        @property
        def __array_interface__(self):
            raise RuntimeError("deleted")

    with pytest.raises(TypeError, match="__array_interface__ that NumPy cannot read"):
        zs.layout(Broken())
    with pytest.raises(TypeError, match="hand in a NumPy array or a torch tensor, not Raising"):
        zs.layout(Raising())


class DataFrame:
    """What a table of another library offers: a conversion, which may copy."""

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("a conversion, where reading was asked")


@BOTH
@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ([1, 2, 3], "not_an_array"),
        ((1, 2), "not_an_array"),
        (3, "not_an_array"),
        (2.5, "not_an_array"),
        (np.float64(1), "not_an_array"),
        (DataFrame(), "not_an_array"),
        (None, "no_array"),
        ("abc", "no_array"),
        ({"a": 1}, "no_array"),
        (np.ndarray, "no_array"),
        (np, "no_array"),
        (b"abc", "not_an_array_but_a_buffer"),
        (bytearray(3), "not_an_array_but_a_buffer"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_array_says_what_to_hand_in(language, wrong, key):
    zs.use(language)
    with pytest.raises(TypeError) as error:
        zs.layout(wrong)
    assert str(error.value) == note(key, type=type(wrong).__name__)
    str(error.value).encode("gbk")


# Size


def test_the_size_of_an_expanded_view_costs_nothing():
    torch = pytest.importorskip("torch")
    views = [
        np.broadcast_to(np.zeros((1, 1), np.int8), (2**31, 2**31)),
        torch.zeros(1, 1, dtype=torch.int8).expand(2**31, 2**31),
        torch.zeros(1, 1, dtype=torch.int8, device="meta").expand(2**31, 2**31),
        np.broadcast_to(np.array(0), (10, 10**12)),
    ]
    for x in views:
        started = time.perf_counter()
        seen = zs.layout(x)
        answers = (seen.logical_bytes, seen.touched_bytes, seen.most_aliases, seen.overlaps, seen.contiguous)
        # A millionth of what one pass over the elements would take; in practice well below a millisecond.
        assert time.perf_counter() - started < 0.5
        assert answers == (seen.size * seen.itemsize, seen.itemsize, seen.size, True, False)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_the_budget_view(library):
    if library == "numpy":
        x = np.broadcast_to(np.zeros((1, 1, 4096), np.float16), (32, 2048, 4096))
    else:
        torch = pytest.importorskip("torch")
        x = torch.zeros(1, 1, 4096, dtype=torch.bfloat16).expand(32, 2048, 4096)
    seen = zs.layout(x)
    assert (seen.logical_bytes, seen.storage_bytes, seen.touched_bytes) == (536_870_912, 8192, 8192)
    assert "536,870,912 B" in str(seen)
    assert "8,192 B" in str(seen)


def test_nbytes_is_not_what_is_stored():
    torch = pytest.importorskip("torch")
    zero = np.array(0)
    seen = zs.layout(np.broadcast_to(zero, (10, 10**12)))
    assert (seen.logical_bytes, seen.storage_bytes) == (80_000_000_000_000, 8)
    seen = zs.layout(torch.ones(1, 3).expand(4, 3))
    assert (seen.logical_bytes, seen.storage_bytes) == (48, 12)
