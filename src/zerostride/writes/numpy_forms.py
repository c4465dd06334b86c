"""What writes in place with NumPy: assignments, ufuncs, ``out=``, functions and methods that fill or sort."""

from collections.abc import Iterator

import numpy as np

from zerostride.writes.operations import NUMPY_TARGETS, Operation, assignments, inplace_methods, of_method

_WHOLE = (
    "np.add(y, 1, out=y)",
    "np.subtract(y, 1, out=y)",
    "np.multiply(y, 2, out=y)",
    "np.divide(y, 2, out=y)",
    "np.power(y, 2, out=y)",
    "np.maximum(y, 2.5, out=y)",
    "np.minimum(y, 2.5, out=y)",
    "np.negative(y, out=y)",
    "np.sqrt(y, out=y)",
    "np.exp(y, out=y)",
    "np.add(np.ones((4, 3)), np.arange(12.).reshape(4, 3), out=y)",
    "np.clip(y, 2, 2.5, out=y)",
    "np.cumsum(np.ones((4, 3)), 0, out=y)",
    "np.cumsum(y, 0, out=y)",
    "np.matmul(np.ones((4, 2)), np.ones((2, 3)), out=y)",
    "np.dot(np.ones((4, 2)), np.ones((2, 3)), out=y)",
    "np.einsum('ij,jk->ik', np.ones((4, 2)), np.ones((2, 3)), out=y)",
    "np.concatenate([np.zeros((2, 3)), np.ones((2, 3))], out=y)",
    "np.stack([np.zeros(3)] * 4, out=y)",
    "np.take(np.zeros(9), np.arange(12).reshape(4, 3), mode='clip', out=y)",
    "np.sum(np.ones((2, 4, 3)), 0, out=y)",
    "np.copyto(y, 0)",
    "np.copyto(y, np.arange(12.).reshape(4, 3))",
    "np.random.default_rng(0).shuffle(y)",
    "np.random.default_rng(0).random(out=y)",
    "y.fill(9)",
    "y.byteswap(inplace=True)",
    "y.clip(2, 2.5, out=y)",
)
_PARTIAL = (
    "np.put(y, 0, 9)",
    "np.put(y, [0, 4], 9)",
    "np.place(y, y > 2, 9)",
    "np.place(y, np.eye(4, 3, dtype=bool), 9)",
    "np.putmask(y, np.eye(4, 3, dtype=bool), 9)",
    "np.put_along_axis(y, np.zeros((1, 3), int), 9, 0)",
    "np.copyto(y, 0, where=np.eye(4, 3, dtype=bool))",
    "np.fill_diagonal(y, 9)",
    "np.add(y, 1, out=y, where=np.eye(4, 3, dtype=bool))",
    "np.add.at(y, ([0, 0], [1, 1]), 1)",
    "y.put(0, 9)",
    "y.flat[0] = 9",
    "y.flat = 9",
    "y.itemset((0, 0), 9)",
    "y.setfield(9, float)",
)
_METADATA = ("y.shape = (4, 3, 1)", "y.resize((4, 3))", "y.setflags(write=False)")
_SORTED = ("y.sort(0)", "y.sort(1)", "y.partition(1, 1)")


def numpy_operations() -> Iterator[Operation]:
    """Yield every statement that is tried with NumPy.

    Examples
    --------
    >>> next(numpy_operations()).statement
    'y += 1'
    """
    for name in inplace_methods(np.ndarray):
        if name != "__imatmul__":
            yield of_method(name, "numpy")
    yield Operation("numpy", "method", "y @= np.ones((3, 3))", targets=NUMPY_TARGETS)
    yield from assignments("numpy")
    for statement in _WHOLE:
        family = "out" if "out=" in statement else "method" if statement.startswith("y.") else "function"
        yield Operation("numpy", family, statement, targets=NUMPY_TARGETS)
    for statement in _SORTED:
        yield Operation("numpy", "method", statement, "falling", targets=NUMPY_TARGETS)
    for statement in _PARTIAL:
        family = "method" if statement.startswith("y.") else "function"
        reason = "removed" if "itemset" in statement and not hasattr(np.ndarray, "itemset") else ""
        yield Operation("numpy", family, statement, partial=True, reason=reason, targets=NUMPY_TARGETS)
    for statement in _METADATA:
        yield Operation("numpy", "metadata", statement, targets=NUMPY_TARGETS)
    yield Operation("numpy", "metadata", "y.flags.writeable = True", targets=("expanded",))
    yield Operation("numpy", "assignment", "y[0, 0] = 9", partial=True, targets=("warning",))
    yield Operation("numpy", "assignment", "y[0, 0] += 1", partial=True, targets=("warning",))
    yield Operation("numpy", "assignment", "y[3, 0] = 9", partial=True, targets=("outside",))
    yield Operation("numpy", "assignment", "y += 1", targets=("outside",))
