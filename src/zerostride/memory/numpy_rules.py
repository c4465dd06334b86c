"""What each family of operations allocates in NumPy: results, loop buffers, and what it reuses."""

import sys
from collections.abc import Sequence
from math import prod

import numpy as np

from zerostride.layouts.arithmetic import is_contiguous
from zerostride.memory import numpy_loops
from zerostride.memory.numpy_loops import in_order, keeping_order, loop_buffers, walk
from zerostride.memory.tape import FLOATS, Shape, Tape, Value, broadcast, dense, expanded, viewed
from zerostride.memory.vocabulary import Operation
from zerostride.reshaping import reshape_copies

# NumPy looks at the call stack to see that nobody else holds a temporary; on Windows it cannot.
REUSED_FROM_BYTES = 256 * 1024
REUSES = sys.platform != "win32"


def step(tape: Tape, y: Value, operation: Operation, name: str, others: list[Value]) -> Value:
    """Return the result of one step."""
    match operation.kind:
        case "unary" | "operand":
            return elementwise(tape, y, others, y.dtype, reuses=operation.reuses)
        case "scalar":  # A whole number is an int64, which float32 cannot hold.
            reuses = y.dtype in ("float64", "int64")
            return elementwise(tape, y, others, y.dtype, reuses=reuses, value=y.dtype)
        case "compare":
            return elementwise(tape, y, [], "bool", reuses=False, value=y.dtype)
        case "where":
            return elementwise(tape, y, others, y.dtype, reuses=False)
        case "total":
            return reduced(tape, y, ())
        case "mean":
            return reduced(tape, y, (), summed="float32" if y.dtype == "float16" else "")
        case "last":
            return reduced(tape, y, y.shape[:-1])
        case "reshape":
            return reshaped(tape, y)
        case "contiguous" if y.layout.contiguous:
            return tape.alias(y)
        case "to":
            return tape.new(keeping_order(y.layout, name.removeprefix("to_")))
        case "cat":
            return tape.new(dense((y.shape[0] + others[0].shape[0], *y.shape[1:]), y.dtype))
        case "matmul":
            columns = others[0].shape[-1]
            out = tape.new(dense((*y.shape[:-1], columns), y.dtype))
            if numpy_loops.COPIES_SEEN:
                tape.briefly(*numpy_loops.copied_for_blas(y.layout, columns))
            return out
        case _:
            return tape.new(dense(y.shape, y.dtype))


def made(tape: Tape, x: Value, shape: Shape, way: str) -> Value:
    """Return the source in its larger shape, by ``broadcast_to``, ``tile`` or not at all.

    ``tile`` repeats one axis after another, so it holds a part of the result
    and the next one at a time.
    """
    if way == "implicit":
        return tape.alias(x)
    if way == "expand":
        return tape.alias(x, expanded(x.layout, shape))
    held = tape.alias(x)
    size = prod(x.shape)
    times = repeats(x.shape, shape)
    for each in [time for time in times if time != 1] or [1]:
        size *= each
        longer = tape.new(dense((size,), x.dtype), fresh=False)
        tape.drop(held)
        held = longer
    return Value(held.block, dense(shape, x.dtype))


def repeats(source: Shape, shape: Shape) -> Shape:
    """Return how often each axis is repeated.

    Examples
    --------
    >>> repeats((1, 3), (2, 4, 3))
    (2, 4, 1)
    """
    padded = (1,) * (len(shape) - len(source)) + source
    return tuple(size // max(old, 1) for old, size in zip(padded, shape, strict=True))


def elementwise(
    tape: Tape, y: Value, others: Sequence[Value], dtype: str, *, reuses: bool, value: str = ""
) -> Value:
    """Return what a loop over elements makes; where NumPy can, it writes into the temporary on the left.

    ``value`` is the element type of a number beside the arrays. Contiguous
    arrays and numbers need no iterator and so no buffer.
    """
    shape = y.shape
    layout = y.layout
    if any(is_contiguous(shape[::step], layout.strides_bytes[::step], layout.itemsize) for step in (1, -1)):
        value = ""
    for other in others:
        shape = broadcast(shape, other.shape)
    read = [expanded(each.layout, shape) for each in (y, *others)]
    alike = all(other.shape == y.shape for other in others)
    if REUSES and reuses and y.fresh and alike and y.layout.storage_bytes >= REUSED_FROM_BYTES:
        tape.briefly(*loop_buffers([*read, y.layout], value))
        tape.reused += 1
        return tape.alias(y)
    out = tape.new(in_order(shape, dtype, walk(read)))
    tape.briefly(*loop_buffers([*read, out.layout], value))
    return out


def reduced(tape: Tape, y: Value, shape: Shape, summed: str = "") -> Value:
    """Return what a sum or mean makes; it runs through buffers like an elementwise loop.

    Where NumPy weighs buffers, one over the last axis alone has none. What is
    ``summed`` in another element type is converted in a buffer, piece by piece;
    before NumPy weighed buffers, the sum had one too.
    """
    dtype = y.dtype if y.dtype in FLOATS else "int64"
    out = tape.new(dense(shape, dtype))
    summed = summed or dtype
    if summed != y.dtype:
        piece = dense((min(prod(y.shape), np.getbufsize()),), summed)
        tape.briefly(*[piece] * (1 if numpy_loops.WEIGHS else 2))
    elif not shape:
        tape.briefly(*loop_buffers([y.layout], dtype))
    elif not numpy_loops.WEIGHS:
        tape.briefly(*loop_buffers([y.layout, expanded(dense((*shape, 1), dtype), y.shape)]))
    return out


def reshaped(tape: Tape, y: Value) -> Value:
    """Return everything in one axis: a view, or a copy where the strides do not fit."""
    shape = (prod(y.shape),)
    if reshape_copies(y.layout, shape):
        return tape.new(dense(shape, y.dtype), fresh=False)
    return tape.alias(y, viewed(y.layout, shape))
