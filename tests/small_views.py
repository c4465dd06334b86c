"""Small random views of both libraries, and what a write really changes: no line of the product in it."""

import itertools
import math

import numpy as np
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

STEPS = st.sampled_from([1, 1, 2, 3, -1, -2])
DTYPES = ["u1", "<i2", ">f4", "f8", "c16"]


@st.composite
def shapes(draw, axes=4, largest=4):
    """Return a small shape, now and then with an axis of length 0."""
    size = st.integers(1, largest) | st.just(1)
    shape = draw(st.lists(size, max_size=axes))
    if shape and draw(st.integers(0, 19)) == 0:
        shape[draw(st.integers(0, len(shape) - 1))] = 0
    return tuple(shape)


@st.composite
def arrays(draw, axes=3, base=None):
    """Return a view made by slices, flips, a transpose, new axes and zero or overlapping steps."""
    if base is None:
        shape = draw(shapes(axes, 6))
        base = np.arange(math.prod(shape)).astype(draw(st.sampled_from(DTYPES))).reshape(shape)
    view = base[(..., *(slice(draw(st.integers(0, 1)), None, draw(STEPS)) for _ in base.shape))]
    view = view.transpose(draw(st.permutations(range(view.ndim))))
    if draw(st.booleans()):
        view = view[(..., *(None for _ in range(draw(st.integers(0, 1)))))]
    if view.ndim < 5 and draw(st.booleans()):
        place, size = draw(st.integers(0, view.ndim)), draw(st.integers(1, 3))
        sizes, steps = list(view.shape), list(view.strides)
        sizes.insert(place, size)
        steps.insert(place, 0)
        view = as_strided(view, sizes, steps)
    long = [axis for axis, size in enumerate(view.shape) if size > 1]
    if long and view.ndim < 5 and draw(st.booleans()):
        axis = draw(st.sampled_from(long))
        window = draw(st.integers(1, view.shape[axis]))
        sizes = [*view.shape, window]
        sizes[axis] -= window - 1
        view = as_strided(view, sizes, (*view.strides, view.strides[axis]))
    return view


@st.composite
def tensors(draw, axes=3):
    """Return a torch view: the same kinds, except negative steps, which torch has not."""
    import torch

    shape = draw(shapes(axes, 6))
    dtype = draw(st.sampled_from([torch.uint8, torch.int16, torch.bfloat16, torch.float32, torch.complex64]))
    view = torch.arange(math.prod(shape)).to(dtype).reshape(shape)
    for axis in range(view.ndim):
        start = draw(st.integers(0, 1))
        view = view[(slice(None),) * axis + (slice(start, None, draw(st.integers(1, 2))),)]
    view = view.permute(draw(st.permutations(range(view.ndim))))
    if draw(st.booleans()):
        view = view.unsqueeze(draw(st.integers(0, view.ndim)))
    if draw(st.booleans()):
        view = view.expand(draw(st.integers(1, 3)), *view.shape)
    long = [axis for axis, size in enumerate(view.shape) if size > 1]
    if long and draw(st.booleans()):
        axis = draw(st.sampled_from(long))
        view = view.unfold(axis, draw(st.integers(1, view.shape[axis])), 1)
    return view


def bytes_of(x):
    """Return the address of every byte that an array or a tensor reads, one element at a time."""
    if isinstance(x, np.ndarray):
        start, steps, itemsize = x.__array_interface__["data"][0], x.strides, x.itemsize
    else:
        itemsize = x.element_size()
        start, steps = x.data_ptr(), [step * itemsize for step in x.stride()]
    places = (
        start + sum(i * step for i, step in zip(index, steps, strict=True))
        for index in itertools.product(*map(range, x.shape))
    )
    return {place + byte for place in places for byte in range(itemsize)}


def changed_by(x, index):
    """Write one element and return every index whose value changed; the old value is put back."""
    everywhere = list(itertools.product(*map(range, x.shape)))
    values = [complex(x[each]) for each in everywhere]
    old = x[index].item()
    x[index] = old + 1 if abs(old) < 100 else old - 1
    changed = {each for each, value in zip(everywhere, values, strict=True) if complex(x[each]) != value}
    x[index] = old
    return changed
