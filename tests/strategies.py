"""Random layouts of both libraries, for Hypothesis and for long runs by hand.

A layout is told as a list of choices: ``Choices`` draws them from Hypothesis
(which shrinks them) or from ``random.Random`` (which is faster).
"""

import ctypes
import mmap
from math import prod

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from oracle import Sample, is_numpy

ELEMENTS_AT_MOST = 96
NUMPY_DTYPES = [
    *(
        "bool",
        "int8",
        "uint8",
        ">i2",
        "uint16",
        "int32",
        ">u4",
        "int64",
        "uint64",
        "float16",
        ">f4",
        "float32",
    ),
    *(
        "float64",
        "longdouble",
        "complex64",
        "complex128",
        "datetime64[s]",
        "timedelta64[ms]",
        "S3",
        "U2",
        "V5",
    ),
]
RECORDS = [
    np.dtype([("a", "i1"), ("b", "<i4")]),
    np.dtype([("a", "i1"), ("b", "<f8")], align=True),
    np.dtype([("a", "<f4", (2,)), ("b", ">c8"), ("c", "S3")]),
    np.dtype({"names": ["a", "b"], "formats": ["<i2", "<i4"], "offsets": [1, 2], "itemsize": 9}),
]
TORCH_DTYPES = [
    *(
        "bool",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint16",
        "uint32",
        "float16",
        "bfloat16",
        "float32",
    ),
    *("float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2"),
]


class Choices:
    """Where choices come from: ``number(low, high)``, both included."""

    def __init__(self, number):
        self.number = number

    def of(self, options):
        return options[self.number(0, len(options) - 1)]

    def order(self, count):
        left = list(range(count))
        return tuple(left.pop(self.number(0, len(left) - 1)) for _ in range(count))

    def shape(self, axes=4, longest=4):
        sizes = [self.number(0, longest) for _ in range(self.number(0, axes))]
        # A size of 0 is drawn in one place of five and would empty most shapes.
        return tuple(size or self.of([0, 1, 1, 2]) for size in sizes)


def by_hand(random):
    """Return choices from a ``random.Random``."""
    return Choices(random.randint)


@st.composite
def numpy_samples(draw):
    return numpy_sample(Choices(lambda low, high: draw(st.integers(low, high))))


@st.composite
def torch_samples(draw):
    pytest.importorskip("torch")
    return torch_sample(Choices(lambda low, high: draw(st.integers(low, high))))


def numpy_sample(choices):
    """Return a random array: an owner of one of several kinds, then up to four operations."""
    dtype = np.dtype(choices.of([*NUMPY_DTYPES, *RECORDS]))
    owner, shape = choices.of([own_array, own_array, own_buffer, own_map]), choices.shape()
    x, raw = owner(choices, dtype, shape)
    story = [f"{owner.__name__} {dtype} {x.shape} {x.strides}"]
    for _ in range(choices.number(0, 4)):
        x, raw = _changed(choices, x, raw, NUMPY_OPERATIONS, story)
    return Sample(x, raw.__array_interface__["data"][0], raw.nbytes, raw, story)


def torch_sample(choices):
    """Return a random tensor: zeros of one type, then up to four operations."""
    import torch

    x = torch.zeros(choices.shape(), dtype=getattr(torch, choices.of(TORCH_DTYPES)))
    story = [f"zeros {x.dtype} {tuple(x.shape)}"]
    for _ in range(choices.number(0, 4)):
        x, _ = _changed(choices, x, None, TORCH_OPERATIONS, story)
    raw = storage_bytes(x)
    return Sample(x, x.untyped_storage().data_ptr(), raw.nbytes, raw, story)


def storage_bytes(x):
    """Return the storage of a tensor as an array of bytes."""
    storage = x.untyped_storage()
    if not storage.nbytes():
        return np.zeros(0, np.uint8)
    return np.ctypeslib.as_array((ctypes.c_uint8 * storage.nbytes()).from_address(storage.data_ptr()))


def _changed(choices, x, raw, operations, story):
    """Return the array after one operation that applies to it, or as it was."""
    operation = choices.of(operations)
    made = operation(choices, x, raw) if operation.__code__.co_argcount == 3 else operation(choices, x)
    if made is None or prod(made.shape) > ELEMENTS_AT_MOST:
        return x, raw
    strides = made.strides if is_numpy(made) else made.stride()
    story.append(f"{operation.__name__} {tuple(made.shape)} {tuple(strides)}")
    return made, raw


def own_array(choices, dtype, shape):
    owner = np.zeros(shape, dtype, order=choices.of("CF"))
    flat = owner.reshape(-1, order="A")
    return owner, flat.view(np.uint8) if owner.size else np.frombuffer(owner, np.uint8, 0)


def own_buffer(choices, dtype, shape):
    """An array anywhere in a bytearray, aligned or not."""
    start = choices.number(0, 5)
    held = bytearray(start + prod(shape) * dtype.itemsize + choices.number(1, 5))
    return np.ndarray(shape, dtype, held, start), np.frombuffer(held, np.uint8)


def own_map(choices, dtype, shape):
    held = mmap.mmap(-1, mmap.PAGESIZE)
    return np.ndarray(shape, dtype, held, choices.number(0, 5)), np.frombuffer(held, np.uint8)


def sliced(choices, x):
    if not x.ndim:
        return None
    axis = choices.number(0, x.ndim - 1)
    steps = [1, 2, 3, -1, -2] if is_numpy(x) else [1, 2, 3]
    ends = [None, *range(x.shape[axis] + 1)]
    index = [slice(None)] * x.ndim
    index[axis] = slice(choices.of(ends), choices.of(ends), choices.of(steps))
    made = x[(*index, ...)]
    # Two ends at random leave nothing in every second slice: keep few of those.
    return made if 0 not in made.shape or choices.number(0, 3) == 0 else None


def selected(choices, x):
    axis = choices.number(0, max(x.ndim - 1, 0))
    if x.ndim < 2 or not x.shape[axis]:
        return None
    index = [slice(None)] * x.ndim
    index[axis] = choices.number(0, x.shape[axis] - 1)
    return x[(*index, ...)]


def with_new_axis(choices, x):
    index = [slice(None)] * x.ndim
    index.insert(choices.number(0, x.ndim), None)
    return x[(*index, ...)]


def flipped(choices, x):
    axes = [slice(None, None, choices.of([1, -1])) for _ in x.shape]
    return x[(*axes, ...)]


def transposed(choices, x):
    order = choices.order(x.ndim)
    return x.transpose(order) if is_numpy(x) else x.permute(order)


def expanded(choices, x):
    target = [choices.number(0, 4) if size == 1 else size for size in x.shape]
    target = [choices.number(1, 3) for _ in range(choices.number(0, 2))] + target
    return np.broadcast_to(x, target) if is_numpy(x) else x.expand(target)


def windowed(choices, x):
    if not x.ndim:
        return None
    axis = choices.number(0, x.ndim - 1)
    size = choices.number(1, max(x.shape[axis], 1))
    if size > x.shape[axis]:
        return None
    if is_numpy(x):
        return sliding_window_view(x, size, axis, writeable=choices.of([True, False]) and x.flags.writeable)
    return x.unfold(axis, size, choices.number(1, 3))


def strided(choices, x, raw):
    """Any strides in bytes that stay within the storage, from the array's first element on."""
    start = x.__array_interface__["data"][0] - raw.__array_interface__["data"][0]
    shape, strides, low, high = choices.shape(4, 3), [], start, start + x.itemsize
    if not x.size:
        return None
    for size in shape:
        step = choices.of([0, 1, 2, 3, 4, 5, 8, x.itemsize, 2 * x.itemsize, 3 * x.itemsize, -1, -x.itemsize])
        reach = step * max(size - 1, 0)
        if low + min(reach, 0) < 0 or high + max(reach, 0) > raw.nbytes:
            step = reach = 0
        strides.append(step)
        low, high = low + min(reach, 0), high + max(reach, 0)
    return as_strided(x, shape, strides, writeable=x.flags.writeable)


def strided_tensor(choices, x):
    """Any strides in elements and any offset that stay within the storage."""
    held = x.untyped_storage().nbytes() // x.element_size()
    if not held or x.is_conj() or x.is_neg():
        return None
    start = choices.number(0, min(held - 1, 6))
    shape, strides, end = choices.shape(4, 3), [], start
    for size in shape:
        step = choices.number(0, 7)
        if end + step * max(size - 1, 0) >= held:
            step = 0
        strides.append(step)
        end += step * max(size - 1, 0)
    return x.as_strided(shape, strides, start)


def diagonal(choices, x):
    if x.ndim < 2:
        return None
    first, second = choices.order(x.ndim)[:2]
    return x.diagonal(choices.number(-1, 1), first, second)


def part_of_complex(choices, x):
    complex_now = x.dtype.kind == "c" if is_numpy(x) else x.is_complex()
    return choices.of([x.real, x.imag]) if complex_now else None


def field_of_record(choices, x):
    return x[choices.of(x.dtype.names)] if x.dtype.names else None


def as_bytes(choices, x):
    """Read the elements as bytes, where the last axis lies densely."""
    if not x.ndim or x.strides[-1] != x.itemsize or not x.size or x.dtype.itemsize == 0:
        return None
    return x.view(np.uint8)


def read_only(choices, x):
    seen = x.view()
    seen.flags.writeable = False
    return seen


def reshaped(choices, x):
    """Join or split axes, where no copy is needed."""
    shape = (-1, *choices.of([(), (1,), (2,)]))
    try:
        made = x.reshape(shape) if is_numpy(x) else x.view(shape)
    except (ValueError, RuntimeError):
        return None
    # reshape(copy=False) is new in NumPy 2.1.
    return None if is_numpy(x) and x.size and not np.may_share_memory(x, made) else made


def conjugated(choices, x):
    return x.conj() if x.is_complex() else None


def as_real(choices, x):
    import torch

    return torch.view_as_real(x) if x.is_complex() and not x.is_conj() else None


def learning(choices, x):
    import torch

    if not x.dtype.is_floating_point or x.element_size() < 2:
        return None
    return choices.of([torch.nn.Parameter(x.detach()), x.detach().requires_grad_()])


def copied(choices, x):
    """A copy has a storage of its own, ordered as torch sees fit."""
    return choices.of([lambda: x.clone(), lambda: x.contiguous(), lambda: x.detach()])()


NUMPY_OPERATIONS = [
    *(sliced, sliced, selected, with_new_axis, flipped, transposed, expanded, expanded, windowed, strided),
    *(strided, diagonal, part_of_complex, field_of_record, as_bytes, read_only, reshaped),
]
TORCH_OPERATIONS = [
    *(sliced, sliced, selected, with_new_axis, transposed, expanded, expanded, windowed, strided_tensor),
    *(strided_tensor, diagonal, part_of_complex, conjugated, as_real, learning, reshaped, copied),
]
