"""What products of matrices allocate in torch on the CPU, forward and backward."""

from math import prod

from zerostride.layouts import Layout
from zerostride.memory.tape import Node, Tape, Value, dense
from zerostride.memory.vocabulary import Operation

Done = tuple[Value, Node]


def matmul(tape: Tape, y: Value, operation: Operation, weight: Value) -> Done:
    """Return what a product with a matrix makes.

    The leading axes are folded into one where that needs no copy, or where the
    matrix learns; each operand that BLAS cannot read is copied for the call.
    """
    fold = operation.learned or _leading_axes_join(y.layout)
    rows = _folded(tape, y) if fold else tape.alias(y)
    out_layout = dense((*y.shape[:-1], weight.shape[-1]), y.dtype)
    out = _product(tape, (rows, weight), out_layout)
    saved = (rows, weight) if operation.learned else (weight,)

    def back(g: Value) -> Value:
        incoming = tape.alias(g, _flat(g.layout)) if fold else tape.alias(g)
        if operation.learned:
            _product(tape, (rows, incoming), weight.layout)
        grad = _product(tape, (incoming, weight), dense(y.shape, y.dtype))
        tape.drop(incoming)
        return grad

    node = Node(tape.saving(*saved), back)
    tape.drop(rows)
    return out, node


def _product(tape: Tape, operands: tuple[Value, ...], layout: Layout) -> Value:
    copies = [_one_matrix(each.layout) for each in operands if not _blas_reads(each.layout)]
    out = tape.new(layout)
    tape.briefly(*copies)
    return out


def _leading_axes_join(layout: Layout) -> bool:
    steps, sizes = layout.strides_bytes, layout.shape
    return all(steps[axis] == steps[axis + 1] * sizes[axis + 1] for axis in range(layout.ndim - 2))


def _flat(layout: Layout) -> Layout:
    """Return the layout of a matrix with all leading axes in one, copied where they do not join."""
    shape = (prod(layout.shape[:-1]), layout.shape[-1])
    if layout.ndim == 2 or not _leading_axes_join(layout):
        return layout if layout.ndim == 2 else dense(shape, layout.dtype)
    steps = layout.strides_bytes[-2:]
    return Layout.of(shape, steps, layout.itemsize, dtype=layout.dtype)


def _folded(tape: Tape, y: Value) -> Value:
    if y.layout.ndim == 2 or _leading_axes_join(y.layout):
        return tape.alias(y, _flat(y.layout))
    return tape.new(_flat(y.layout))


def _blas_reads(layout: Layout) -> bool:
    """Return whether the last two axes are a matrix whose rows or columns lie apart in one step."""
    (rows, columns), steps = layout.shape[-2:], layout.strides_bytes[-2:]
    unit = layout.itemsize
    by_rows = steps[1] == unit and steps[0] >= columns * unit
    return by_rows or (steps[0] == unit and steps[1] >= rows * unit)


def _one_matrix(layout: Layout) -> Layout:
    """Return what is copied at a time: one matrix of a batch."""
    return dense(layout.shape[-2:], layout.dtype)


def pairwise(tape: Tape, y: Value, other: Value) -> Done:
    """Return squared distances by a matrix product: nothing of rows times rows times columns is made."""
    rows, columns = y.shape[0], other.shape[1]
    table = dense((rows, columns), y.dtype)
    sums = []
    for each, length in ((y, rows), (other, columns)):
        squares = tape.new(dense(each.shape, y.dtype))
        sums.append(tape.new(dense((length,), y.dtype)))
        tape.drop(squares)
    added = tape.new(table)
    tape.drop(*sums)
    product = tape.new(table)
    doubled = tape.new(table)
    tape.drop(product)
    out = tape.new(table)
    tape.drop(added, doubled)

    def back(g: Value) -> Value:
        minus = tape.new(table)
        doubled = tape.new(table)
        tape.drop(minus)
        of_product = tape.new(y.layout)
        tape.drop(doubled)
        of_sum = tape.new(dense((rows,), y.dtype))
        of_squares = [tape.new(y.layout), tape.new(y.layout)]
        tape.drop(of_sum)
        grad = tape.new(y.layout)
        tape.drop(of_product, *of_squares)
        return grad

    return out, Node(tape.saving(y, other), back)
