"""A sample for a trial: of the same library, dtype, flags and kind of layout as the learner's array."""

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, product
from math import prod
from typing import Any

import numpy as np

from zerostride.layouts import Layout, is_tensor
from zerostride.layouts.arithmetic import byte_offsets, span
from zerostride.writes.shrinking import (
    NotLikeItError,
    Renumbered,
    Small,
    is_mask,
    is_small,
    per_axis,
    shrunk,
    whole,
)
from zerostride.writes.statements import BY_POSITION, Write
from zerostride.writes.trials import Values

Index = tuple[int, ...]
PERIOD = 97  # a prime: windows hold unlike numbers; each fits into one byte


@dataclass(frozen=True)
class Likeness:
    """A sample, the statement in its numbers, and where each of its elements lies, in bytes."""

    sample: Any
    write: Write
    addresses: Values
    smaller: bool


def like(x: Any, read: Layout, write: Write) -> Likeness:
    """Return a sample: with the values of ``x`` where that is small, else a smaller one.

    Raises
    ------
    NotLikeItError
        If no small array is like it to this statement.
    """
    if is_small(read):
        return _of_shape(x, read, Small(read.shape, read.strides_bytes), write, x)
    parts = [part for part in (write.place, write.value, write.call) if part]
    counts_places = write.called in BY_POSITION or (
        write.called[:4] in ("tril", "triu") and _has_arguments(write)
    )
    of_sizes = any(isinstance(node, ast.Call) and node.args for node in ast.walk(write.place))
    if write.has_arrays or counts_places or of_sizes:
        raise NotLikeItError("large_arrays")
    small = shrunk(read, write.name, parts)
    moved = Renumbered(small, write.name)
    place, value = moved.visit(write.place), write.value and moved.visit(write.value)
    return _of_shape(x, read, small, replace(write, place=place, value=value), None)


def _has_arguments(write: Write) -> bool:
    return bool(write.call and (write.call.args or write.call.keywords))


def _of_shape(x: Any, read: Layout, small: Small, write: Write, values: Any) -> Likeness:
    low, high = span(small.shape, small.strides_bytes, read.itemsize)
    make = _tensor_in_its_mode if is_tensor(x) else _array
    addresses = byte_offsets(small.shape, small.strides_bytes)
    return Likeness(make(x, small, addresses, values, low, high), write, addresses, values is None)


def _array(x: Any, small: Small, addresses: Values, values: Any, low: int, high: int) -> Any:
    memory = bytearray(high - low)
    sample: Any = np.ndarray(small.shape, x.dtype, memory, -low, small.strides_bytes)
    np.copyto(sample, _counted(addresses, sample.itemsize) if values is None else values, casting="unsafe")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # asking some arrays for the flag warns already
        sample.flags.writeable = x.flags.writeable
    return sample


def _counted(addresses: Values, itemsize: int) -> Values:
    return np.asarray((addresses - addresses.min(initial=0)) // itemsize % PERIOD + 1)


def _tensor_in_its_mode(x: Any, *of: Any) -> Any:
    import torch

    with torch.inference_mode(x.is_inference()):  # what was made there refuses some writes elsewhere
        return _tensor(x, *of)


def _tensor(x: Any, small: Small, addresses: Values, values: Any, low: int, high: int) -> Any:
    import torch

    itemsize = x.element_size()
    try:
        memory = (torch.arange(high // itemsize) % PERIOD + 1).to(x.dtype)
        if values is not None:
            memory[torch.from_numpy(addresses.ravel() // itemsize)] = values.detach().reshape(-1)
    except (RuntimeError, NotImplementedError, TypeError):
        raise NotLikeItError("dtype") from None
    strides = [step // itemsize for step in small.strides_bytes]
    if x.requires_grad and not x.is_leaf:  # some writes are refused where a derivative is recorded
        if not x._is_view():  # and some in a view alone
            result = memory.as_strided(small.shape, strides).requires_grad_() * 1
            if list(result.stride()) == strides:
                return result
        return (memory.requires_grad_() * 1).as_strided(small.shape, strides)
    if x._is_view():
        return memory.as_strided(small.shape, strides)
    return torch.empty(0, dtype=x.dtype).set_(memory.untyped_storage(), 0, small.shape, strides)


def listed_in(read: Layout, write: Write, at_most: int) -> tuple[tuple[Index, ...], int | None]:
    """Return elements of a large layout that change with those a statement names, and how many more.

    None stands for a number that was not counted: where windows overlap.

    Examples
    --------
    >>> from zerostride.writes.statements import parsed
    >>> listed_in(Layout.of((10**6, 500), (0, 8), 8), parsed("y[7, 490] = 9"), 2)
    (((0, 490), (1, 490)), 999997)
    """
    if not isinstance(write.place, ast.Subscript):
        return (), None
    if is_mask(write.place.slice, write.name):
        return (), 0
    axes: list[Any] = [range(size) for size in read.shape]
    for axis, item in per_axis(write.place.slice, read.ndim):
        axes[axis] = _places(item, read.shape[axis])
    shared = [axis for axis in read.shared_axes if len(axes[axis]) < read.shape[axis]]
    if not shared:
        return (), None
    every = [range(read.shape[axis]) if axis in shared else axes[axis] for axis in range(read.ndim)]
    count = prod(map(len, every)) - prod(map(len, axes))
    first = shared[0]
    some = [list(islice(each, at_most)) for each in every]
    some[first] = list(islice(_others(axes[first], read.shape[first]), at_most))
    listed = tuple(islice(product(*some), at_most))
    return listed, count - len(listed)


def _places(item: ast.expr, size: int) -> Any:
    if isinstance(item, ast.Slice):
        bounds = (bound and whole(bound) for bound in (item.lower, item.upper, item.step))
        return range(*slice(*bounds).indices(size))
    nodes = item.elts if isinstance(item, ast.List) else [item]
    return sorted({whole(node) % size for node in nodes})


def _others(places: Any, size: int) -> Iterator[int]:
    if isinstance(places, range) and places.step == 1:
        return chain(range(places.start), range(places.stop, size))
    return (place for place in range(size) if place not in places)
