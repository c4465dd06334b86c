"""The bill of an expression before it runs: predicted bytes, from shapes alone."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from zerostride.expansion import LIBRARIES, Shape, beyond_limit, can_expand, sizes
from zerostride.handed_in import is_among, items_of, told
from zerostride.language import enumerated, say
from zerostride.memory import numpy_rules, torch_rules
from zerostride.memory.bill import Budget, Kept
from zerostride.memory.tape import FLOATS, ITEMSIZES, Node, Tape, Value, dense
from zerostride.memory.vocabulary import OPERATIONS, Operation

# What truth values can go through without turning into numbers.
MOVES_ONLY = ("total", "last", "reshape", "clone", "contiguous", "to", "cat")
WAYS = ("expand", "repeat", "implicit")
MOST_STEPS = 1000


def budget(
    shape: Iterable[int] | int,
    dtype: Any = "float32",
    source_shape: Iterable[int] | int | None = None,
    steps: Iterable[str] = (),
    *,
    way: str = "expand",
    library: str = "torch",
    learns: bool = False,
) -> Budget:
    """Return the bytes that an expression is going to take; nothing is allocated.

    Whole numbers from rules per operation, for any size: source, view or copy,
    temporaries, result, what is saved for the backward pass, gradients, and the
    most that is alive at once. The steps are taken as one chained expression,
    whose intermediate results are freed as soon as nobody holds them. Other
    arrays that the steps take (``other``, ``weight``, ``mask``) exist already:
    they are listed and not added. Caches and overheads of an allocator, of
    Python or of a GPU are not in it.

    Parameters
    ----------
    shape : sequence of int
        The larger shape.
    dtype : str or dtype
        The element type, ``"float32"`` or ``torch.float32``.
    source_shape : sequence of int, optional
        The shape of the source; by default ``shape`` itself.
    steps : sequence of str
        What follows, by names such as ``"mul"``, ``"sin"``, ``"sum"``; see
        ``zerostride.memory.OPERATIONS``.
    way : {"expand", "repeat", "implicit"}
        How the source gets the larger shape: a view, a copy, or by the
        broadcasting of the first step that meets an array of that shape.
    library : {"torch", "numpy"}
        Whose operations.
    learns : bool, default False
        Whether the source gets a gradient: then the backward pass is in the
        bill, with a gradient of the result's size that comes in.

    Returns
    -------
    Budget
        Bytes in ``lines``, logical and allocated, and ``peak_bytes``, the most at one time.

    Notes
    -----
    Tested to the byte against ``measure`` in float32 and float64, for every
    array of 64 KiB or more. With float16 and bfloat16, torch's products of
    matrices and some other operations convert or pack in addition.

    Raises
    ------
    TypeError
        If a shape is not of whole numbers, a step no name, or ``learns`` no truth value.
    ValueError
        If a shape, a name or a combination of them is impossible.

    Examples
    --------
    >>> from zerostride.memory import in_units
    >>> bill = budget((32, 2048, 4096), "float32", (1, 1, 4096), ["shift"])
    >>> bill.source_bytes, bill.logical_bytes, bill.made_bytes, bill.output_bytes
    (16384, 1073741824, 0, 1073741824)
    >>> in_units(bill.peak_bytes)
    '1 GiB + 16 KiB'
    """
    wanted, source = _shapes(shape, source_shape, library, way)
    names = _names(steps)
    for name in names:
        _known(name, library)
    dtype = _dtype(dtype, library)
    limit = beyond_limit(wanted, library, ITEMSIZES[dtype])
    if limit:
        raise ValueError(say(f"expansion.limit.{limit}"))
    learns = truth("learns", learns)
    if learns and (library == "numpy" or dtype not in FLOATS):
        raise ValueError(say("memory.nothing_learns", library=library, dtype=dtype))
    return _Play(source, wanted, dtype, library, way, learns).run(names)


def truth(name: str, value: object) -> bool:
    """Return a truth value that was handed in, or raise TypeError where it is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(say("memory.bad_truth", name=name, value=told(value)))
    return bool(value)


def _shapes(
    shape: Iterable[int] | int, source_shape: Iterable[int] | int | None, library: str, way: str
) -> tuple[Shape, Shape]:
    if not is_among(library, LIBRARIES):
        raise ValueError(say("expansion.unknown_library", library=told(library, str)))
    if not is_among(way, WAYS):
        raise ValueError(say("memory.bad_way", way=way, known=enumerated(WAYS)))
    wanted = sizes(shape)
    source = wanted if source_shape is None else sizes(source_shape)
    if any(size < 0 for size in wanted):
        raise ValueError(say("memory.negative", shape=wanted))
    answer = can_expand(source, wanted, library=library)
    if not answer:
        raise ValueError(answer.reason)
    return wanted, source


def _names(steps: Any) -> tuple[str, ...]:
    names = [steps] if isinstance(steps, str) else items_of(steps, MOST_STEPS)
    if names is None or not all(isinstance(name, str) for name in names):
        raise TypeError(say("memory.bad_steps", steps=told(steps if names is None else tuple(names))))
    return tuple(names)


def _dtype(dtype: Any, library: str) -> str:
    """Return the name of an element type; those of NumPy and torch are as good as their names."""
    name = (dtype.__name__ if isinstance(dtype, type) else told(dtype, str)).removeprefix("torch.")
    known = [each for each in ITEMSIZES if (library, each) != ("numpy", "bfloat16")]
    if name not in known:
        raise ValueError(say("memory.bad_dtype", dtype=name, known=enumerated(known)))
    return name


def _known(name: str, library: str) -> Operation:
    if name not in OPERATIONS:
        raise ValueError(say("memory.unknown_step", step=told(name, str), known=enumerated(OPERATIONS)))
    if not getattr(OPERATIONS[name], library):
        raise ValueError(say("memory.no_such_step", step=name, library=library))
    return OPERATIONS[name]


class _Play:
    """One expression, played on a tape."""

    def __init__(self, source: Shape, shape: Shape, dtype: str, library: str, way: str, learns: bool) -> None:
        self.tape, self.library, self.way = Tape(), library, way
        self.learns = self.asked = learns
        self.source = self.tape.outside(dense(source, dtype))
        self.shape = self.wanted = shape
        self.operands: dict[str, tuple[Value, bool]] = {}
        self.nodes: list[tuple[str, Node]] = []
        self.reused: list[str] = []
        self.code = ""

    def run(self, names: tuple[str, ...]) -> Budget:
        """Return the bill of these steps."""
        y = made = self._made()
        for name in names:
            y = self._step(y, name)
        tape = self.tape
        saved = [(name, value) for name, node in self.nodes for value in node.saves]
        allocated = set(tape.own)
        kept = {value.block for _, value in saved} | {y.block, made.block}
        temporaries = sum(tape.sizes[block] for block in allocated - kept)
        forward = tuple(tape.changes)
        gradients = self._backward(y) if self.nodes else 0
        own = y.block in allocated and y.block != made.block
        return Budget(
            shape=self.wanted,
            dtype=self.source.dtype,
            source_shape=self.source.shape,
            steps=names,
            way=self.way,
            library=self.library,
            learns=self.asked,
            code=self.code,
            source_bytes=self.source.layout.logical_bytes,
            logical_bytes=dense(self.wanted, self.source.dtype).logical_bytes,
            made_bytes=tape.sizes[made.block] if made.block in allocated else 0,
            temporaries_bytes=temporaries,
            output_bytes=tape.sizes[y.block] if own else 0,
            saved_bytes=tape.distinct_bytes(value for _, value in saved),
            gradient_bytes=gradients,
            saved=tuple(Kept(name, self._named(value), value.layout) for name, value in saved),
            operands={name: value.layout for name, (value, _) in self.operands.items()},
            learned=tuple(name for name, (_, learned) in self.operands.items() if learned),
            forward=forward,
            backward=tuple(tape.changes[len(forward) :]),
            reused=tuple(self.reused),
        )

    def _made(self) -> Value:
        x, shape = self.source, self.wanted
        times = numpy_rules.repeats(x.shape, shape)
        code = {
            ("torch", "expand"): f"x.expand{shape or (shape,)}",
            ("torch", "repeat"): f"x.repeat{times or (times,)}",
            ("numpy", "expand"): f"np.broadcast_to(x, {shape})",
            ("numpy", "repeat"): f"np.tile(x, {times})",
        }
        self.code = code.get((self.library, self.way), "x")
        if self.library == "numpy":
            return numpy_rules.made(self.tape, x, shape, self.way)
        y, node = torch_rules.made(self.tape, x, shape, self.way)
        if self.learns:
            self.nodes.append((self.way, node))
        return y

    def _step(self, y: Value, name: str) -> Value:
        operation = _known(name, self.library)
        numbers = operation.any_dtype and y.dtype != "bool"
        if y.dtype not in FLOATS and not numbers and operation.kind not in MOVES_ONLY:
            raise ValueError(say("memory.needs_floats", step=name, dtype=y.dtype))
        operand = self._operand(y, name, operation)
        template = getattr(operation, self.library)
        self.code = template.format(y=self.code, operand=operand, last=y.shape[-1] if y.shape else 0)
        others = [self.operands[operand][0]] if operand else []
        if self.library == "numpy":
            reused = self.tape.reused
            out = numpy_rules.step(self.tape, y, operation, name, others)
            self.reused += [name] * (self.tape.reused - reused)
        else:
            out = self._torch_step(y, operation, name, others)
        self.tape.drop(y)
        self._follow_shape(out, operation)
        return out

    def _torch_step(self, y: Value, operation: Operation, name: str, others: list[Value]) -> Value:
        out, node = torch_rules.step(self.tape, y, operation, name, others)
        if self.learns and out.dtype in FLOATS:
            self.nodes.append((name, node))
        else:
            self.tape.drop(*node.saves, *(value for _, each in self.nodes for value in each.saves))
            self.nodes, self.learns = [], False
        return out

    def _operand(self, y: Value, name: str, operation: Operation) -> str:
        """Return the name of the other array of a step; a new one where none of that shape is there yet."""
        self._check_shape(y, name, operation)
        if not operation.operand:
            return ""
        width = self.shape[-1:]
        shape = {
            "other": self.shape,
            "mask": self.shape,
            "bias": width,
            "row": (1, *self.shape[1:]),
            "weight": y.shape[-1:] + width,
        }[operation.operand]
        layout = dense(shape, "bool" if operation.operand == "mask" else y.dtype)
        base = ("learned_" if operation.learned else "") + operation.operand
        number = 1
        while True:
            found = base if number == 1 else f"{base}_{number}"
            if found in self.operands and operation.learned:
                number += 1  # Each layer learns an array of its own.
                continue
            if found not in self.operands:
                self.operands[found] = (self.tape.outside(layout), operation.learned)
            if self.operands[found][0].layout == layout:
                return found
            number += 1

    def _check_shape(self, y: Value, name: str, operation: Operation) -> None:
        """Refuse a step that this shape cannot take."""
        kind, axes = operation.kind, len(y.shape)
        least = {"matmul": 2, "last": 1, "softmax": 1, "layer_norm": 1, "cat": 1}.get(kind, 0)
        if axes < max(least, 1 if operation.operand in ("bias", "row") else 0):
            raise ValueError(say("memory.too_few_axes", step=name, shape=y.shape))
        if kind == "cat" and y.shape != self.shape:
            raise ValueError(say("memory.sizes_differ", step=name, shape=y.shape, other=self.shape))
        if kind == "pairwise" and not (
            y.block == self.source.block
            and self.way == "implicit"
            and axes == 3
            and y.shape == (self.shape[0], 1, self.shape[2])
        ):
            raise ValueError(say("memory.pairs_wanted", step=name))

    def _follow_shape(self, out: Value, operation: Operation) -> None:
        """Keep the shape that arrays of the steps to come have."""
        kind = operation.kind
        if kind in ("total", "mean", "reshape", "cat"):
            self.shape = out.shape
        elif kind in ("last", "pairwise"):
            self.shape = self.shape[:-1]

    def _backward(self, y: Value) -> int:
        """Play the backward pass; return the bytes of the gradients that stay."""
        tape = self.tape
        first = len(tape.sizes)
        seed = tape.new(dense(y.shape, y.dtype))
        g = tape.alias(seed)
        for _, node in reversed(self.nodes):
            before, g = g, node.back(g)
            tape.drop(before, *node.saves)
        if g is seed or not g.layout.contiguous:
            tape.new(dense(g.shape, g.dtype))
            tape.drop(g)
        tape.drop(seed)
        return sum(size for block, size in tape.sizes.items() if block >= first and tape.alive(block))

    def _named(self, value: Value) -> str:
        """Return what a saved block is: the source, an array of a step, or a result."""
        known = {each.block: name for name, (each, _) in self.operands.items()} | {self.source.block: "x"}
        return known.get(value.block, "")
