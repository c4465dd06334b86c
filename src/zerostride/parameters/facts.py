"""What is true of each parameter: asked, never changed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from zerostride.handed_in import shape_of
from zerostride.language import say
from zerostride.layouts import Layout, layout
from zerostride.layouts.arithmetic import byte_offsets, span
from zerostride.parameters.held import Held
from zerostride.sharing import compare, storages

COUNT_AT_MOST = 1 << 20
MOST_NODES = 10_000


@dataclass(frozen=True)
class ParameterRow:
    """One parameter, or one tensor that may be taken for one.

    Attributes
    ----------
    name, kind : str
        As in ``Held``.
    shape : tuple of int or None
        None while a lazy parameter has none.
    dtype : str
        Name of the element type.
    is_leaf, requires_grad : bool
        As torch tells.
    in_optimizer : int or None
        How many times the optimizer holds it; None without an optimizer.
    tied_with : tuple of str
        Other names of the same object: shared on purpose.
    overlaps_with : tuple of str
        Names of other objects that have stored bytes in common with it.
    made_from : tuple of str
        For what is no leaf, the names of the parameters it was computed from.
    learnable_values : int or None
        Distinct values stored that training can change: not ``numel`` of an
        expanded one, 0 without a gradient, None where unknown.
    layout : Layout or None
        How it is read; None where it has no strides.
    gradient : Layout or None
        How the gradient that lies at it is read; None where there is none.
    """

    name: str
    kind: str
    shape: tuple[int, ...] | None
    dtype: str
    is_leaf: bool
    requires_grad: bool
    in_optimizer: int | None
    tied_with: tuple[str, ...]
    overlaps_with: tuple[str, ...]
    made_from: tuple[str, ...]
    learnable_values: int | None
    layout: Layout | None
    gradient: Layout | None
    held: Held = field(repr=False, compare=False)

    @property
    def registered(self) -> bool | None:
        """Whether a module has registered it; None where there is no module."""
        return None if self.kind == "given" else self.kind != "attribute"

    @property
    def overlaps(self) -> bool | None:
        """Whether several of its elements lie on one address, so that it cannot be updated safely."""
        return self.layout.overlaps if self.layout else None

    @property
    def has_gaps(self) -> bool:
        """Whether no two elements overlap but there are unread bytes between them."""
        if self.layout is None or self.overlaps is not False or not self.layout.size:
            return False
        low, high = span(self.layout.shape, self.layout.strides_bytes, self.layout.itemsize)
        return high - low != self.layout.logical_bytes

    @property
    def learns(self) -> bool:
        """Whether it is a leaf that requires a gradient."""
        return self.is_leaf and self.requires_grad

    @property
    def gradient_shape(self) -> tuple[int, ...] | None:
        """The shape that its gradient has or will have; None where none arrives."""
        return self.shape if self.learns else None


def in_optimizer(optimizer: Any) -> list[Any]:
    """Return every tensor that an optimizer holds, in its order.

    Raises
    ------
    TypeError
        If it is no optimizer.

    Examples
    --------
    >>> import torch
    >>> len(in_optimizer(torch.optim.SGD(torch.nn.Linear(2, 3).parameters(), lr=0.1)))
    2
    """
    try:
        return [x for group in optimizer.param_groups for x in group["params"]]
    except Exception as error:  # whatever was handed in raises
        raise TypeError(say("parameters.not_an_optimizer", type=type(optimizer).__name__)) from error


def rows(entries: Sequence[Held], optimized: list[Any] | None) -> tuple[ParameterRow, ...]:
    """Return what is true of each entry; what the optimizer holds is None without one.

    Examples
    --------
    >>> import torch
    >>> from zerostride.parameters.held import held
    >>> row = rows(held(torch.nn.Parameter(torch.ones(1, 3).expand(4, 3))), None)[0]
    >>> row.shape, row.learnable_values, row.overlaps
    ((4, 3), 3, True)
    """
    names: dict[int, list[str]] = {}
    for each in entries:
        names.setdefault(id(each.tensor), []).append(each.name)
    overlapping = _overlapping(entries)
    counted = None if optimized is None else Counter(map(id, optimized))
    return tuple(_row(each, names, overlapping, counted) for each in entries)


def _row(
    each: Held, names: dict[int, list[str]], overlapping: dict[str, list[str]], counted: Counter[int] | None
) -> ParameterRow:
    x = each.tensor
    lazy = is_lazy(x)
    read = None if lazy else _layout(x)
    learns = x.is_leaf and x.requires_grad
    return ParameterRow(
        name=each.name,
        kind=each.kind,
        shape=None if lazy else shape_of(x),
        dtype=str(x.dtype).removeprefix("torch."),
        is_leaf=x.is_leaf,
        requires_grad=x.requires_grad,
        in_optimizer=None if counted is None else counted[id(x)],
        tied_with=tuple(name for name in names[id(x)] if name != each.name),
        overlaps_with=tuple(overlapping.get(each.name, ())),
        made_from=() if x.is_leaf else _sources(x, names),
        learnable_values=(None if lazy else _stored_values(x, read)) if learns else 0,
        layout=read,
        gradient=_layout(x.grad) if x.is_leaf and x.grad is not None else None,
        held=each,
    )


def is_lazy(x: Any) -> bool:
    """Return whether a parameter has no shape yet."""
    from torch.nn.parameter import is_lazy as asked

    return bool(asked(x))


def _layout(x: Any) -> Layout | None:
    try:
        return layout(x)
    except TypeError:
        return None


def _stored_values(x: Any, read: Layout | None) -> int | None:
    if read is None:
        sparse = "sparse" in str(x.layout)
        return int((x._values() if x.is_sparse else x.values() if sparse else x).numel())
    return None if read.touched_bytes is None else read.touched_bytes // read.itemsize


def _sources(x: Any, names: dict[int, list[str]]) -> tuple[str, ...]:
    """Return the names of the leaves that the graph of ``x`` leads to."""
    found: dict[str, None] = {}
    seen, waiting = {x.grad_fn}, [x.grad_fn]
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        found |= dict.fromkeys(names.get(id(getattr(node, "variable", None)), [])[:1])
        ahead = {each for each, _ in node.next_functions if each is not None} - seen
        seen |= ahead
        waiting += ahead
    return tuple(found)


def _overlapping(entries: Sequence[Held]) -> dict[str, list[str]]:
    """Return for each name those of other objects with which it has stored bytes in common."""
    by_key = {f"n{place}": each for place, each in enumerate(entries) if not is_lazy(each.tensor)}
    found: dict[str, list[str]] = {}
    for group in storages(**{key: each.tensor for key, each in by_key.items()}).groups:
        ordered = sorted(group.names, key=group.byte_range)
        for place, one in enumerate(ordered):
            for other in ordered[place + 1 :]:
                if group.byte_range(other)[0] >= group.byte_range(one)[1]:
                    break
                a, b = by_key[one], by_key[other]
                if a.tensor is not b.tensor and compare(a.tensor, b.tensor).common_bytes_between[1]:
                    found.setdefault(a.name, []).append(b.name)
                    found.setdefault(b.name, []).append(a.name)
    return found


def learnable_values(each: Sequence[ParameterRow]) -> int | None:
    """Return how many distinct values all of them store, each counted once; None where unknown.

    Examples
    --------
    >>> import torch
    >>> from zerostride.parameters.held import held
    >>> four = torch.ones(4, 3)
    >>> learnable_values(rows(held([torch.nn.Parameter(x) for x in (four, four[1:])]), None))
    12
    """
    once = list({id(row.held.tensor): row for row in each if row.learns}.values())
    if any(row.learnable_values is None for row in once):
        return None
    learners = {row.name for row in once}
    together = [row for row in once if learners.intersection(row.overlaps_with)]
    if sum(row.layout.size for row in together if row.layout) > COUNT_AT_MOST:
        return None
    shared = {start for row in together if row.layout for start in _starts(row.layout)}
    return sum(row.learnable_values or 0 for row in once if row not in together) + len(shared)


def _starts(read: Layout) -> set[tuple[Any, int]]:
    """Return device and address of every element."""
    space, start = cast(tuple[str, int], read.storage_id)
    offsets = byte_offsets(read.shape, read.strides_bytes, read.storage_offset_bytes)
    return {(space, start + int(offset)) for offset in offsets.ravel()}
