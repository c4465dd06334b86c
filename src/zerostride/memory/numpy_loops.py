"""How NumPy walks through arrays: in which order of axes, and what it copies into buffers on the way."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from operator import mul

import numpy as np

from zerostride.layouts import Layout
from zerostride.memory.tape import ITEMSIZES, Shape, dense

# Since NumPy 2.3 (numpy/numpy#27883); before, each array that needs steps of several lengths has a buffer.
WEIGHS = np.lib.NumpyVersion(np.__version__) >= "2.3.0.dev0"
# Since NumPy 2.5 tracemalloc sees what a product copies for BLAS (numpy/numpy#31503).
COPIES_SEEN = np.lib.NumpyVersion(np.__version__) >= "2.5.0.dev0"


def in_order(shape: Shape, dtype: str, order: Sequence[int]) -> Layout:
    """Return the layout of an array of its own with the axes in this order in memory, the innermost first."""
    steps = accumulate([shape[axis] for axis in order[:-1]], mul, initial=ITEMSIZES[dtype])
    strides = dict(zip(order, steps, strict=False))
    return Layout.of(shape, [strides[axis] for axis in range(len(shape))], ITEMSIZES[dtype], dtype=dtype)


def keeping_order(layout: Layout, dtype: str) -> Layout:
    """Return the layout of a copy with order K: axes by their steps, so those of step 0 innermost.

    Examples
    --------
    >>> keeping_order(Layout.of((4, 3), (0, 8), 8), "float64").strides_bytes
    (8, 32)
    """
    axes = sorted(range(layout.ndim), key=lambda axis: -layout.strides_bytes[axis])
    return in_order(layout.shape, dtype, axes[::-1])


def walk(layouts: Sequence[Layout]) -> list[int]:
    """Return the axes in the order of NumPy's iterator, the innermost first.

    Row-major; two axes change places where every array that moves along both
    agrees that the outer one takes the shorter steps.
    """
    order = list(range(layouts[0].ndim))[::-1]
    for place in range(1, len(order)):
        axis, target = order[place], place
        for at in range(place - 1, -1, -1):
            pairs = [_steps(each, axis, order[at]) for each in layouts]
            both = [(outer, inner) for outer, inner in pairs if outer and inner]
            if not both:
                continue
            if any(inner <= outer for outer, inner in both):
                break
            target = at
        order.insert(target, order.pop(place))
    return order


def _steps(layout: Layout, *axes: int) -> list[int]:
    return [0 if layout.shape[axis] == 1 else abs(layout.strides_bytes[axis]) for axis in axes]


def loop_buffers(layouts: Sequence[Layout], value: str = "") -> list[Layout]:
    """Return the buffers of a loop of this NumPy over arrays of one shape, the result among them.

    ``value`` is the element type of a single value that takes part, a number
    beside the arrays or their sum.
    """
    return weighed_buffers(layouts) if WEIGHS else unweighed_buffers(layouts, value)


def unweighed_buffers(layouts: Sequence[Layout], value: str = "") -> list[Layout]:
    """Return the buffers before NumPy 2.3: one for each array that no single step walks through, and a value.

    Examples
    --------
    >>> view, result = Layout.of((1024, 64), (0, 4), 4, dtype="float32"), dense((1024, 64), "float32")
    >>> [buffer.storage_bytes for buffer in unweighed_buffers([view, result], "float64")]
    [32768, 65536]
    """
    shape = layouts[0].shape
    if len(shape) < 2:
        return []
    sizes, steps = _joined(layouts)
    several = [
        any(inner * size != outer for (inner, outer), size in zip(pairwise(each), sizes, strict=False))
        for each in steps
    ]
    dtypes = [layout.dtype for layout, buffered in zip(layouts, several, strict=True) if buffered]
    length = min(prod(shape), np.getbufsize())
    return [dense((length,), dtype) for dtype in (*dtypes, value) if dtype]


def weighed_buffers(layouts: Sequence[Layout]) -> list[Layout]:
    """Return the buffers since NumPy 2.3.

    An array that no single step walks through is copied piece by piece where
    that makes the pieces so much longer that it pays: NumPy weighs the length
    of a piece against one more than the number of arrays to be copied. A piece
    has at most ``numpy.getbufsize()`` elements.

    Examples
    --------
    >>> view, result = Layout.of((1024, 64), (0, 4), 4, dtype="float32"), dense((1024, 64), "float32")
    >>> [buffer.storage_bytes for buffer in weighed_buffers([view, result])]
    [32768]
    """
    sizes, steps = _joined(layouts)
    most, size = np.getbufsize(), sizes[0]
    single = [1] * len(layouts)
    best, best_cost, best_size, core = 0, 1, size, 1
    for axis in range(1, len(sizes)):
        single = [
            run + (run == axis and each[axis - 1] * sizes[axis - 1] == each[axis])
            for run, each in zip(single, steps, strict=True)
        ]
        if size >= most and best_cost > 1:
            break
        cost = 1 + sum(run <= axis for run in single)
        before, size = size, size * sizes[axis]
        piece = min(size, most) if cost > 1 else size
        if cost * best_size <= best_cost * piece:
            best, best_cost, best_size, core = axis, cost, size, before
        if size >= most and cost > 1:
            break
    length = best_size if best_size <= most else core * (most // core)
    return [dense((length,), each.dtype) for run, each in zip(single, layouts, strict=True) if run <= best]


def copied_for_blas(layout: Layout, columns: int) -> list[Layout]:
    """Return the matrix that a product copies because BLAS cannot read it, for one with a step of 0; or none.

    Examples
    --------
    >>> [copied.shape for copied in copied_for_blas(Layout.of((8, 4, 3), (0, 0, 8), 8, dtype="float64"), 5)]
    [(4, 3)]
    >>> copied_for_blas(dense((8, 4, 3), "float64"), 5)
    []
    """
    if layout.ndim < 2 or layout.dtype not in ("float32", "float64") or 1 in (*layout.shape[-2:], columns):
        return []
    for matrix in (slice(-2, None), slice(-1, -3, -1)):
        (_, wide), (down, right) = layout.shape[matrix], layout.strides_bytes[matrix]
        if right == layout.itemsize and down >= wide * right:
            return []
    return [dense(layout.shape[-2:], layout.dtype)]


def _joined(layouts: Sequence[Layout]) -> tuple[list[int], list[list[int]]]:
    """Return sizes of axes, the innermost first, and steps of each array; what steps like one is one axis."""
    sizes, steps = [1], [[0] for _ in layouts]
    for axis in walk(layouts):
        size = layouts[0].shape[axis]
        if size == 1:
            continue
        moves = [each.strides_bytes[axis] for each in layouts]
        if sizes[-1] == 1:
            sizes[-1] = size
            for each, move in zip(steps, moves, strict=True):
                each[-1] = move
        elif all(each[-1] * sizes[-1] == move for each, move in zip(steps, moves, strict=True)):
            sizes[-1] *= size
        else:
            sizes.append(size)
            for each, move in zip(steps, moves, strict=True):
                each.append(move)
    return sizes, steps
