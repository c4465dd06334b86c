"""A small layout that is like a large one to a write: the same zero strides, overlaps and gaps."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import lcm, prod
from typing import Any

from zerostride.layouts import Layout
from zerostride.layouts.arithmetic import span

SMALL_ELEMENTS = 1 << 18
SMALL_BYTES = 1 << 23
UNNAMED = 3
LARGEST_STEP = 64

Index = tuple[int, ...]


class NotLikeItError(Exception):
    """No small layout is like it to this write; the text is the name of the reason."""


@dataclass(frozen=True)
class Small:
    """Shape and strides of a sample, and where each index that is named lies in it."""

    shape: tuple[int, ...]
    strides_bytes: tuple[int, ...]
    moved: tuple[dict[int, int], ...] = ()

    @property
    def range(self) -> tuple[int, int]:
        """Bytes before and behind the first element that are used."""
        return span(self.shape, self.strides_bytes, 1)


def is_small(read: Layout) -> bool:
    """Return whether a layout can be copied as it is."""
    low, high = span(read.shape, read.strides_bytes, read.itemsize)
    return read.size <= SMALL_ELEMENTS and high - low <= SMALL_BYTES


def shrunk(read: Layout, name: str, parts: Sequence[ast.AST]) -> Small:
    """Return a small layout like a large one, as far as the named indices can tell them apart.

    Raises
    ------
    NotLikeItError
        If there is none.

    Examples
    --------
    >>> shrunk(Layout.of((10**6, 500), (0, 8), 8), "y", [ast.parse("y[7, 490:]")]).shape
    (6, 4)
    """
    named: list[list[tuple[int, int]]] = [[] for _ in range(read.ndim)]
    for part in parts:
        for node in ast.walk(part):
            if isinstance(node, ast.Subscript):
                if not (isinstance(node.value, ast.Name) and node.value.id == name):
                    raise NotLikeItError("large_arrays")
                if is_mask(node.slice, name):
                    continue
                _add_named(named, node.slice)
    moved, shape = _axes(read, named)
    if prod(shape) > SMALL_ELEMENTS:
        raise NotLikeItError("large_windows" if read.overlaps and not read.shared_axes else "large_step")
    strides = _strides(read, shape)
    if read.overlaps and not Layout.of(shape, strides, read.itemsize).overlaps:
        raise NotLikeItError("large_windows")
    return Small(shape, strides, moved)


def _axes(read: Layout, named: list[list[tuple[int, int]]]) -> tuple[tuple[dict[int, int], ...], Index]:
    """Return where named places of each axis go, and the shape: equal sizes stay equal, others differ."""
    reach = _reach(read)
    together: dict[int, tuple[list[tuple[int, int]], int]] = {}
    for axis, size in enumerate(read.shape):
        places, far = together.get(size, ([], 0))
        together[size] = (places + named[axis], max(far, reach[axis]))
    of_size: dict[int, tuple[dict[int, int], int]] = {}
    for size in sorted(together):
        taken = {length for _, length in of_size.values()}
        found = (_moved(size, *together[size], longer) for longer in range(len(taken) + 1))
        of_size[size] = next((each for each in found if each[1] not in taken), _moved(size, [], size))
    return tuple(of_size[size][0] for size in read.shape), tuple(of_size[size][1] for size in read.shape)


def _reach(read: Layout) -> list[int]:
    """Return over how many places of an axis windows meet; all of an axis inside of a window."""
    reach = [0] * read.ndim
    filled = read.itemsize
    inside: list[int] = []
    for axis in _moving(read):
        step = abs(read.strides_bytes[axis])
        if step < filled:
            reach[axis] = filled // step + 1
            for each in inside:
                reach[each] = read.shape[each]
            inside = []
        else:
            inside.append(axis)
        filled = max(filled, step * read.shape[axis])
    return reach


def is_mask(node: ast.AST, name: str) -> bool:
    """Return whether it compares all of the array, element by element, with numbers.

    Examples
    --------
    >>> [is_mask(ast.parse(text).body[0].value, "y") for text in ("(y > 0) & ~(y == 1)", "y[0] > 0", "y")]
    [True, False, False]
    """
    match node:
        case ast.Compare(left=ast.Name(id=found), comparators=[number]):
            others = (each.id for each in ast.walk(number) if isinstance(each, ast.Name))
            whole_array = not any(isinstance(each, ast.Subscript) for each in ast.walk(number))
            return found == name and whole_array and all(each == name for each in others)
        case ast.UnaryOp(op=ast.Invert(), operand=inside):
            return is_mask(inside, name)
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr(), right=right):
            return is_mask(left, name) and is_mask(right, name)
    return False


class Renumbered(ast.NodeTransformer):
    """Gives the indices of a statement the places that they have in a small layout.

    A mask of its own values chooses everything there: which it chooses is the
    same for all that lies in one place.
    """

    def __init__(self, small: Small, name: str) -> None:
        self.small, self.name = small, name

    def visit(self, node: ast.AST) -> Any:
        """Return the same node for the small layout."""
        if not (isinstance(node, ast.expr) and is_mask(node, self.name)):
            return ast.NodeTransformer.visit(self, node)
        itself = ast.Name(self.name, ast.Load())
        return ast.BinOp(node, ast.BitOr(), ast.Compare(itself, [ast.Eq()], [itself]))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Return the same subscript with its numbers moved."""
        if is_mask(node.slice, self.name):
            return ast.Subscript(node.value, self.visit(node.slice), node.ctx)
        places = per_axis(node.slice, len(self.small.shape))
        moved = {id(item): self._part(axis, item) for axis, item in places}
        if isinstance(node.slice, ast.Tuple):
            items = [moved.get(id(item), item) for item in node.slice.elts]
            return ast.Subscript(node.value, ast.Tuple(items, ast.Load()), node.ctx)
        return ast.Subscript(node.value, moved.get(id(node.slice), node.slice), node.ctx)

    def _part(self, axis: int, item: ast.expr) -> ast.expr:
        if axis >= len(self.small.moved):
            return item
        where = self.small.moved[axis]
        if isinstance(item, ast.Slice):
            lower, upper = (bound and ast.Constant(where[whole(bound)]) for bound in (item.lower, item.upper))
            return ast.Slice(lower, upper, item.step)
        if isinstance(item, ast.List):
            return ast.List([ast.Constant(where[whole(each)]) for each in item.elts], ast.Load())
        return ast.Constant(where[whole(item)])


def per_axis(index: ast.expr, ndim: int) -> list[tuple[int, ast.expr]]:
    """Return each part of an index that stands for an axis, with the axis.

    Raises
    ------
    NotLikeItError
        If a part is more than numbers.
    """
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    takes = [item for item in items if not _is_constant(item, None) and not _is_constant(item, ...)]
    pairs, axis = [], 0
    for item in items:
        if _is_constant(item, ...):
            axis += max(ndim - len(takes), 0)
        elif not _is_constant(item, None):
            pairs.append((axis, item))
            axis += 1
    return pairs


def _is_constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _add_named(named: list[list[tuple[int, int]]], index: ast.expr) -> None:
    """Add the places that an index names to those of its axes, each with the step it is counted in."""
    for axis, item in per_axis(index, len(named)):
        if axis >= len(named):
            continue  # too many indices are as many too many in the small one
        if isinstance(item, ast.Slice):
            step = abs(whole(item.step)) if item.step else 1
            named[axis].append((0, step))
            named[axis] += [(whole(bound), step) for bound in (item.lower, item.upper) if bound]
        else:
            nodes = item.elts if isinstance(item, ast.List) else [item]
            named[axis] += [(whole(node), 1) for node in nodes]


def whole(node: ast.expr) -> int:
    """Return a whole number that is written out.

    Raises
    ------
    NotLikeItError
        If it is anything else.
    """
    sign = -1 if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else 1
    number = node.operand if isinstance(node, ast.UnaryOp) and sign < 0 else node
    if not isinstance(number, ast.Constant) or type(number.value) is not int:
        raise NotLikeItError("depends_on_values")
    return sign * number.value


def _moved(
    size: int, named: Sequence[tuple[int, int]], reach: int, longer: int = 0
) -> tuple[dict[int, int], int]:
    """Return where each named place of an axis lies in a shorter one, and how long that is.

    Neighbours stay neighbours, others stay apart, windows that meet or do not
    still do, and steps meet the same places.
    """
    if not named:
        return {}, min(size, max(UNNAMED, reach + 1) + longer)
    steps = lcm(*(step for _, step in named)) or 1
    if steps > LARGEST_STEP:
        raise NotLikeItError("large_step")
    kept = (max(2, -(-reach // steps)) + longer) * steps
    places = sorted({0, size} | {_within(place, size) for place, _ in named})
    where, last = {0: 0}, 0
    for before, place in pairwise(places):
        gap = place - before
        last += gap if gap <= kept else gap % steps + kept
        where[place] = last
    length = where[size]
    moved = {}
    for place, _ in named:
        inside = where[_within(place, size)]
        outside = place < -size or place > size
        moved[place] = (
            (length + 1 if place > 0 else -length - 1) if outside else inside - length * (place < 0)
        )
    return moved, length


def _within(place: int, size: int) -> int:
    return min(max(place + size if place < 0 else place, 0), size)


def _strides(read: Layout, shape: Sequence[int]) -> tuple[int, ...]:
    """Return strides under which the same axes share, overlap and leave gaps."""
    strides = [0 if not step else read.itemsize for step in read.strides_bytes]
    filled, small = read.itemsize, read.itemsize
    for axis in _moving(read):
        step = abs(read.strides_bytes[axis])
        if step < filled:  # windows: the overlap itself is the question
            return _kept(read, shape)
        new = small if step == filled else small + read.itemsize
        strides[axis] = new if read.strides_bytes[axis] > 0 else -new
        filled, small = step * read.shape[axis], new * shape[axis]
    return tuple(strides)


def _moving(read: Layout) -> list[int]:
    """Return the axes that move through memory, the finest first."""
    moving = [axis for axis in range(read.ndim) if read.shape[axis] > 1 and read.strides_bytes[axis]]
    return sorted(moving, key=lambda axis: (abs(read.strides_bytes[axis]), read.shape[axis]))


def _kept(read: Layout, shape: Sequence[int]) -> tuple[int, ...]:
    low, high = span(tuple(shape), read.strides_bytes, read.itemsize)
    if high - low > SMALL_BYTES:
        raise NotLikeItError("large_windows")
    return read.strides_bytes
