"""What each family of operations allocates in NumPy: results, loop buffers, and what it reuses."""

import sys
from collections.abc import Sequence
from math import prod

import numpy as np

from zerostride.layouts import Layout
from zerostride.memory.tape import FLOATS, Shape, Tape, Value, dense, expanded
from zerostride.memory.torch_rules import broadcast
from zerostride.memory.vocabulary import Operation
from zerostride.reshaping import reshape_copies

# NumPy looks at the call stack to see that nobody else holds a temporary; on Windows it cannot.
REUSED_FROM_BYTES = 256 * 1024
REUSES = sys.platform != "win32"


def step(tape: Tape, y: Value, operation: Operation, name: str, others: list[Value]) -> Value:
    """Return the result of one step."""
    match operation.kind:
        case "unary" | "operand" | "scalar":
            return elementwise(tape, y, others, y.dtype, reuses=operation.reuses)
        case "compare":
            return elementwise(tape, y, [], "bool", reuses=False)
        case "where":
            return elementwise(tape, y, others, y.dtype, reuses=False)
        case "total" | "mean":
            return reduced(tape, y, ())
        case "last":
            return reduced(tape, y, y.shape[:-1])
        case "reshape":
            return reshaped(tape, y)
        case "contiguous" if y.layout.contiguous:
            return tape.alias(y)
        case "to":
            return tape.new(dense(y.shape, name.removeprefix("to_")))
        case "cat":
            return tape.new(dense((y.shape[0] + others[0].shape[0], *y.shape[1:]), y.dtype))
        case "matmul":
            return tape.new(dense((*y.shape[:-1], others[0].shape[-1]), y.dtype))
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


def elementwise(tape: Tape, y: Value, others: Sequence[Value], dtype: str, *, reuses: bool) -> Value:
    """Return what a loop over elements makes; where NumPy can, it writes into the temporary on the left."""
    shape = y.shape
    for other in others:
        shape = broadcast(shape, other.shape)
    buffers = loop_buffers(shape, [y, *others])
    alike = all(other.shape == y.shape for other in others)
    if REUSES and reuses and y.fresh and alike and y.layout.storage_bytes >= REUSED_FROM_BYTES:
        tape.briefly(*buffers)
        tape.reused += 1
        return tape.alias(y)
    out = tape.new(dense(shape, dtype))
    tape.briefly(*buffers)
    return out


def loop_buffers(shape: Shape, values: Sequence[Value]) -> list[Layout]:
    """Return the buffers of a loop over operands that no single step walks through.

    NumPy copies such an operand piece by piece, as many whole inner runs as fit
    into ``numpy.getbufsize()`` elements; a run longer than half of that is read
    where it lies.

    Examples
    --------
    >>> y = Value(0, expanded(dense((1, 64), "float32"), (1024, 64)))
    >>> [buffer.storage_bytes for buffer in loop_buffers((1024, 64), [y])]
    [32768]
    """
    layouts = [expanded(value.layout, shape) for value in values]
    run = min((_run(layout) for layout in layouts), default=1)
    most, size = np.getbufsize(), prod(shape)
    if run >= size or 2 * run > most:
        return []
    elements = min(most // run * run, size)
    return [dense((elements,), each.dtype) for each in layouts if _run(each) < size]


def _run(layout: Layout) -> int:
    """Return over how many elements, from the trailing end, one step leads from each to the next."""
    length, step = 1, 0
    for size, stride in zip(reversed(layout.shape), reversed(layout.strides_bytes), strict=True):
        if size == 1:
            continue
        if length == 1:
            step = stride
        elif stride != step * length:
            return length
        length *= size
    return length


def reduced(tape: Tape, y: Value, shape: Shape) -> Value:
    """Return what a sum or mean makes; everything at once runs through buffers like an elementwise loop."""
    dtype = y.dtype if y.dtype in FLOATS else "int64"
    out = tape.new(dense(shape, dtype))
    if not shape:
        tape.briefly(*loop_buffers(y.shape, [y]))
    return out


def reshaped(tape: Tape, y: Value) -> Value:
    """Return everything in one axis: a view, or a copy where the strides do not fit."""
    shape = (prod(y.shape),)
    if reshape_copies(y.layout, shape):
        return tape.new(dense(shape, y.dtype), fresh=False)
    alone = not any(y.layout.strides_bytes)
    return tape.alias(y, expanded(dense((), y.dtype), shape) if alone else dense(shape, y.dtype))
