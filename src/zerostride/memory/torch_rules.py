"""What each family of operations allocates in torch on the CPU, forward and backward."""

from collections.abc import Callable
from math import prod

from zerostride.layouts import Layout
from zerostride.memory.tape import FLOATS, Node, Shape, Tape, Value, broadcast, dense, expanded, viewed
from zerostride.memory.torch_products import matmul, pairwise
from zerostride.memory.vocabulary import Operation
from zerostride.reshaping import reshape_copies

Done = tuple[Value, Node]


def step(tape: Tape, y: Value, operation: Operation, name: str, others: list[Value]) -> Done:
    """Return the result of one step, and what it leaves for the backward pass."""
    match operation.kind:
        case "operand":
            return binary(tape, y, operation, *others)
        case "matmul":
            return matmul(tape, y, operation, *others)
        case "total" | "mean":
            return total(tape, y, mean=operation.kind == "mean")
        case "clone" | "contiguous":
            return clone(tape, y, always=operation.kind == "clone")
        case "to":
            return to(tape, y, name.removeprefix("to_"))
        case "unary" | "scalar":
            return unary(tape, y, operation)
        case kind:
            return _RULES[kind](tape, y, *others)


def made(tape: Tape, x: Value, shape: Shape, way: str) -> Done:
    """Return the source in its larger shape, by ``expand``, ``repeat`` or not at all."""
    if way == "implicit":
        return tape.alias(x), Node((), tape.alias)
    if way == "expand":
        view = tape.alias(x, expanded(x.layout, shape))
        return view, Node((), lambda g: _sum_to(tape, g, x.layout))
    copy = tape.new(dense(shape, x.dtype))
    return copy, Node((), lambda g: _repeat_back(tape, g, x.layout))


def _sum_to(tape: Tape, g: Value, layout: Layout) -> Value:
    return tape.alias(g) if g.shape == layout.shape else tape.new(dense(layout.shape, layout.dtype))


def _repeat_back(tape: Tape, g: Value, layout: Layout) -> Value:
    """Sum new leading axes one by one, then all others at once."""
    shape, held = g.shape, tape.alias(g)
    for _ in range(g.layout.ndim - layout.ndim):
        shape = shape[1:]
        partial = tape.new(dense(shape, layout.dtype))
        tape.drop(held)
        held = partial
    if shape == layout.shape:
        return held
    summed = tape.new(dense(layout.shape, layout.dtype))
    tape.drop(held)
    return summed


def unary(tape: Tape, y: Value, operation: Operation) -> Done:
    """Return what an elementwise operation makes."""
    out = tape.new(dense(y.shape, y.dtype))
    saved = {"input": (y,), "output": (out,)}.get(operation.saves, ())

    def back(g: Value) -> Value:
        if not operation.product:
            return tape.alias(g)
        beside = [tape.new(dense(y.shape, y.dtype)) for _ in range(operation.temporaries)]
        grad = tape.new(dense(y.shape, y.dtype))
        if operation.one_dnn and y.layout.contiguous:
            _contiguous(tape, g)
        tape.drop(*beside)
        return grad

    return out, Node(tape.saving(*saved), back)


def binary(tape: Tape, y: Value, operation: Operation, other: Value) -> Done:
    """Return what an operation of two arrays makes; a gradient is summed where one was broadcast."""
    out = tape.new(dense(broadcast(y.shape, other.shape), y.dtype))
    saved = {"operand": (other,), "both": (y, other)}.get(operation.saves, ())

    def back(g: Value) -> Value:
        grad = tape.new(dense(g.shape, y.dtype)) if operation.product else tape.alias(g)
        if operation.learned:
            _learned(tape, g, operation, other)
        summed = _sum_to(tape, grad, y.layout)
        tape.drop(grad)
        return summed

    return out, Node(tape.saving(*saved), back)


def _learned(tape: Tape, g: Value, operation: Operation, other: Value) -> None:
    """Make the gradient of the other array, which stays."""
    whole = tape.new(dense(g.shape, g.dtype)) if operation.product else tape.alias(g)
    if whole is g or whole.shape != other.shape:
        tape.new(dense(other.shape, other.dtype))
        tape.drop(whole)


def where(tape: Tape, y: Value, mask: Value) -> Done:
    """Return what a choice by a mask makes: the mask is kept, the gradient is chosen by it."""
    out = tape.new(dense(broadcast(y.shape, mask.shape), y.dtype))

    def back(g: Value) -> Value:
        grad = tape.new(dense(g.shape, y.dtype))
        summed = _sum_to(tape, grad, y.layout)
        tape.drop(grad)
        return summed

    return out, Node(tape.saving(mask), back)


def cat(tape: Tape, y: Value, other: Value) -> Done:
    """Return what joining along the first axis makes; its gradient is a view of a part."""
    shape = (y.shape[0] + other.shape[0], *y.shape[1:])
    out = tape.new(dense(shape, y.dtype))

    def back(g: Value) -> Value:
        part = Layout.of(y.shape, g.layout.strides_bytes, g.layout.itemsize, dtype=g.dtype)
        return tape.alias(g, part)

    return out, Node((), back)


def total(tape: Tape, y: Value, *, mean: bool) -> Done:
    """Return what a sum or mean of everything makes; the gradient of a mean is divided, so dense."""
    out = _sum(tape, y, ())

    def back(g: Value) -> Value:
        return tape.new(dense(y.shape, y.dtype)) if mean else tape.alias(g, expanded(g.layout, y.shape))

    return out, Node((), back)


def last(tape: Tape, y: Value) -> Done:
    """Return what a sum along the last axis makes; its gradient is expanded again."""
    out = _sum(tape, y, y.shape[:-1])

    def back(g: Value) -> Value:
        kept = Layout.of((*g.shape, 1), (*g.layout.strides_bytes, 0), g.layout.itemsize, dtype=g.dtype)
        return tape.alias(g, expanded(kept, y.shape))

    return out, Node((), back)


def _sum(tape: Tape, y: Value, shape: Shape) -> Value:
    """Return a sum; whole numbers and truth values are turned into int64 first, all of them."""
    if y.dtype in FLOATS:
        return tape.new(dense(shape, y.dtype))
    longer = [] if y.dtype == "int64" else [tape.new(dense(y.shape, "int64"))]
    out = tape.new(dense(shape, "int64"))
    tape.drop(*longer)
    return out


def reshape(tape: Tape, y: Value) -> Done:
    """Return everything in one axis: a view, or a copy where the strides do not fit."""
    shape = (prod(y.shape),)
    copies = bool(reshape_copies(y.layout, shape))
    out = tape.new(dense(shape, y.dtype)) if copies else tape.alias(y, viewed(y.layout, shape))

    def back(g: Value) -> Value:
        return tape.alias(g, viewed(g.layout, y.shape))

    return out, Node((), back)


def clone(tape: Tape, y: Value, *, always: bool) -> Done:
    """Return an array of its own; ``contiguous`` returns what is contiguous already."""
    if y.layout.contiguous and not always:
        return tape.alias(y), Node((), tape.alias)
    return tape.new(dense(y.shape, y.dtype)), Node((), tape.alias)


def to(tape: Tape, y: Value, dtype: str) -> Done:
    """Return another element type, of the same one nothing new; the gradient comes back in the old one."""
    if dtype == y.dtype:
        return tape.alias(y), Node((), tape.alias)
    return tape.new(dense(y.shape, dtype)), Node((), lambda g: tape.new(dense(y.shape, y.dtype)))


def compare(tape: Tape, y: Value) -> Done:
    """Return truth values; no gradient passes."""
    return tape.new(dense(y.shape, "bool")), Node((), tape.alias)


def softmax(tape: Tape, y: Value) -> Done:
    """Return what a softmax makes: it copies what is not contiguous, forward and backward."""
    out = tape.new(dense(y.shape, y.dtype))
    _contiguous(tape, y)

    def back(g: Value) -> Value:
        grad = tape.new(dense(y.shape, y.dtype))
        _contiguous(tape, g)
        return grad

    return out, Node(tape.saving(out), back)


def layer_norm(tape: Tape, y: Value) -> Done:
    """Return what a layer norm makes: result, and mean and spread of each row, which are kept."""
    stats_shape = (*y.shape[:-1], 1)
    copy = None if y.layout.contiguous else tape.new(dense(y.shape, y.dtype))
    out = tape.new(dense(y.shape, y.dtype))
    stats = [tape.new(dense(stats_shape, y.dtype)) for _ in range(2)]
    tape.drop(*[copy] if copy else [])

    def back(g: Value) -> Value:
        copies = [tape.new(dense(y.shape, y.dtype)) for each in (y, g) if not each.layout.contiguous]
        grad = tape.new(dense(y.shape, y.dtype))
        tape.drop(*copies)
        return grad

    node = Node(tape.saving(y, *stats), back)
    tape.drop(*stats)
    return out, node


def _contiguous(tape: Tape, value: Value) -> None:
    if not value.layout.contiguous:
        tape.briefly(dense(value.shape, value.dtype))


_RULES: dict[str, Callable[..., Done]] = {
    "where": where,
    "cat": cat,
    "last": last,
    "reshape": reshape,
    "compare": compare,
    "softmax": softmax,
    "layer_norm": layer_norm,
    "pairwise": pairwise,
}
