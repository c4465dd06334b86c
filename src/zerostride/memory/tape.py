"""A program played with bytes alone: which block is allocated when, who holds it, and when it is freed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from math import prod

from zerostride.layouts import Layout

ITEMSIZES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "int32": 4, "int64": 8}
FLOATS = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
ITEMSIZES |= FLOATS

Shape = tuple[int, ...]


def peak_of(changes: Iterable[int], start: int = 0) -> int:
    """Return the most bytes that were alive at once.

    Parameters
    ----------
    changes : iterable of int
        Bytes of each block as it is allocated, and minus its bytes as it is freed.
    start : int
        Bytes alive before.

    Examples
    --------
    >>> peak_of([96, 8, -8, 96, -96])
    192
    """
    return max(accumulate(changes, initial=start))


def large(changes: Iterable[int], least_bytes: int) -> list[int]:
    """Return the changes by blocks of at least so many bytes.

    Examples
    --------
    >>> large([96, 8, -8, -96], 64)
    [96, -96]
    """
    return [change for change in changes if abs(change) >= least_bytes]


def dense(shape: Shape, dtype: str) -> Layout:
    """Return the layout of an array of its own, row by row.

    Examples
    --------
    >>> dense((4, 3), "float64").strides_bytes
    (24, 8)
    """
    itemsize = ITEMSIZES[dtype]
    strides = tuple(itemsize * prod(shape[axis + 1 :]) for axis in range(len(shape)))
    return Layout.of(shape, strides, itemsize, dtype=dtype)


def expanded(layout: Layout, shape: Shape) -> Layout:
    """Return the layout of a view that reads an array as a larger shape.

    Examples
    --------
    >>> expanded(dense((1, 3), "float64"), (4, 3)).strides_bytes
    (0, 8)
    """
    new = len(shape) - layout.ndim
    old = zip(layout.shape, layout.strides_bytes, shape[new:], strict=True)
    steps = (0,) * new + tuple(step if size == wanted else 0 for size, step, wanted in old)
    return Layout.of(shape, steps, layout.itemsize, dtype=layout.dtype)


def broadcast(one: Shape, other: Shape) -> Shape:
    """Return the shape that two shapes broadcast to; that they do is known already.

    Examples
    --------
    >>> broadcast((1, 3), (4, 1))
    (4, 3)
    """
    ndim = max(len(one), len(other))
    padded = [(1,) * (ndim - len(shape)) + shape for shape in (one, other)]
    return tuple(b if a == 1 else a for a, b in zip(*padded, strict=True))


def viewed(layout: Layout, shape: Shape) -> Layout:
    """Return the layout of a reshaped view: of one number read everywhere, or of a contiguous array."""
    alone = not any(layout.strides_bytes)
    return expanded(dense((), layout.dtype), shape) if alone else dense(shape, layout.dtype)


@dataclass(frozen=True, eq=False)
class Value:
    """An array in a played program: the block that it reads, and how.

    Attributes
    ----------
    block : int
        Which block.
    layout : Layout
        How it is read; its ``dtype`` is the element type.
    fresh : bool
        Whether nothing else can hold it, so that NumPy may write its next result into it.
    """

    block: int
    layout: Layout
    fresh: bool = False

    @property
    def shape(self) -> Shape:
        """Size of each axis."""
        return self.layout.shape

    @property
    def dtype(self) -> str:
        """Name of the element type."""
        return self.layout.dtype


@dataclass(frozen=True)
class Node:
    """What one operation leaves behind for the backward pass.

    Attributes
    ----------
    saves : tuple of Value
        What it keeps until its derivative is taken.
    back : callable
        From the gradient of its result to that of its input.
    """

    saves: tuple[Value, ...]
    back: Callable[[Value], Value]


@dataclass
class Tape:
    """Blocks, who holds them, and every change of what is alive.

    Attributes
    ----------
    changes : list of int
        Bytes of each block as it is allocated, and minus its bytes as it is freed.
    sizes, holders : dict
        Bytes of each block, and how many hold it.
    own : set
        Blocks that the program allocated.
    reused : int
        How many results NumPy wrote into a temporary.
    """

    changes: list[int] = field(default_factory=list)
    sizes: dict[int, int] = field(default_factory=dict)
    holders: dict[int, int] = field(default_factory=dict)
    own: set[int] = field(default_factory=set)
    reused: int = 0

    def outside(self, layout: Layout) -> Value:
        """Return an array that exists already: not counted, never freed."""
        return Value(self._block(layout.storage_bytes), layout)

    def new(self, layout: Layout, *, fresh: bool = True) -> Value:
        """Allocate a block for an array of its own."""
        value = Value(self._block(layout.storage_bytes), layout, fresh)
        self.own.add(value.block)
        self.changes.append(layout.storage_bytes)
        return value

    def _block(self, size: int) -> int:
        block = len(self.sizes)
        self.sizes[block] = size
        self.holders[block] = 1
        return block

    def alias(self, value: Value, layout: Layout | None = None) -> Value:
        """Return one more holder of a block: the same value, or a view of it."""
        self.holders[value.block] += 1
        return value if layout is None else Value(value.block, layout)

    def saving(self, *values: Value) -> tuple[Value, ...]:
        """Hold values for the backward pass."""
        return tuple(map(self.alias, values))

    def drop(self, *values: Value) -> None:
        """Let go of values; a block that nobody holds any more is freed."""
        for value in values:
            self.holders[value.block] -= 1
            if self.holders[value.block] == 0 and value.block in self.own:
                self.changes.append(-self.sizes[value.block])

    def briefly(self, *layouts: Layout) -> None:
        """Allocate blocks and free them at once."""
        self.drop(*[self.new(layout) for layout in layouts])

    def alive(self, block: int) -> bool:
        """Return whether a block is still held."""
        return self.holders[block] > 0

    def distinct_bytes(self, values: Iterable[Value]) -> int:
        """Return the bytes of the blocks behind values, each counted once."""
        return sum(self.sizes[block] for block in {value.block for value in values})
