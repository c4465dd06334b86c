"""How a source becomes a target: axes that are read again, blocks that repeat, or a reshape before it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, product
from math import prod
from typing import Any

import numpy as np

from zerostride.expansion import Expansion, Shape, beyond_limit, can_expand, resolved
from zerostride.language import say

PATTERNS = ("whole", "each")
SMALL_ELEMENTS = 64
SMALL_AXES = 6
MOST_OF_A_SORT = 2
MOST_AXES_TRIED = 8
MOST_ELEMENTS = 500


@dataclass(frozen=True)
class Growth:
    """A source shape on its way to a target shape.

    Attributes
    ----------
    kind : {"expand", "blocks", "reshaped", "none"}
        Axes of size one and new axes only; also axes of other sizes, which
        repeat; size-one axes after a reshape; nothing fits.
    source, target : tuple of int
        Both shapes, -1 resolved.
    start : tuple of int
        The source with as many axes as the target.
    pattern : {"whole", "each", None}
        Whether blocks repeat as a whole (ABAB) or element by element (AABB).
    """

    kind: str
    source: Shape
    target: Shape
    start: Shape
    pattern: str | None

    @property
    def times(self) -> Shape:
        """How often each axis is read."""
        pairs = zip(self.start, self.target, strict=True)
        return tuple(many // size if size else 1 for size, many in pairs)

    @property
    def grows(self) -> bool:
        """Whether any axis becomes longer."""
        return self.start != self.target

    @property
    def flattest(self) -> tuple[Shape, Shape]:
        """Source and target with neighbouring axes merged as far as a view allows; empty where none fits."""
        if self.kind == "none":
            return (), ()
        pairs = [pair for pair in zip(self.start, self.target, strict=True) if pair != (1, 1)]
        merged = [
            tuple(prod(sizes) for sizes in zip(*group, strict=True))
            for _, group in groupby(pairs, key=lambda pair: pair[0] != pair[1])
        ]
        starts, targets = zip(*merged, strict=True) if merged else ((), ())
        return tuple(starts), tuple(targets)

    @property
    def reshape_that_fits(self) -> Shape | None:
        """What the source may be reshaped to, beyond axes of size one, to expand to the target."""
        found = _reshapes(self.source, self.target) if self.kind == "none" and 0 not in self.source else []
        other = [each for each in found if _longer(each) != _longer(self.source)]
        return other[0] if len(found) == len(other) == 1 else None

    @property
    def one_axis_more(self) -> tuple[Shape, Shape]:
        """Source and target in which each block has an axis of its own, so that a view will do."""
        if self.kind == "none":
            return (), ()
        starts: list[int] = []
        targets: list[int] = []
        for size, times in zip(self.start, self.times, strict=True):
            repeats, kept = (1, times), (size, size)
            both = [repeats, kept] if self.pattern != "each" else [kept, repeats]
            chosen = both if size > 1 and times > 1 else [(size, size * times)]
            starts += [one for one, _ in chosen]
            targets += [many for _, many in chosen]
        return tuple(starts), tuple(targets)

    @cached_property
    def small(self) -> "Growth":
        """The same in small, at most a few hundred elements; the shapes themselves where they are small."""
        if max(prod(self.source), prod(self.target)) <= SMALL_ELEMENTS and len(self.target) <= SMALL_AXES:
            return self
        if self.kind == "none":
            return replace(self, source=(2, 3), target=(5, 3), start=(2, 3))
        kept, times = _small(self.start, self.times)
        target = tuple(size * many for size, many in zip(kept, times, strict=True))
        source = (prod(kept),) if self.kind == "reshaped" else kept[len(kept) - len(self.source) :]
        return replace(self, source=source, target=target, start=kept)

    @cached_property
    def origin(self) -> Any:
        """For each element of the target, which element of the source it is; for small shapes only."""
        origin = np.zeros((1,) * len(self.target), dtype=np.intp)
        for axis, (times, many) in enumerate(zip(self.times, self.target, strict=True)):
            place = np.arange(many)
            place = place // times if self.pattern == "each" else place % max(self.start[axis], 1)
            along = tuple(many if each == axis else 1 for each in range(len(self.target)))
            origin = origin + prod(self.start[axis + 1 :]) * place.reshape(along)
        return origin


def growth(
    source_shape: Iterable[int] | int,
    target_shape: Iterable[int] | int,
    pattern: str | None = None,
    *,
    reshaped: bool = False,
    library: str = "numpy",
    itemsize: int = 1,
) -> Growth:
    """Return how a source shape becomes a target shape; nothing is allocated.

    Raises
    ------
    TypeError, ValueError
        If one is no shape, or beyond what the library can hold.

    Examples
    --------
    >>> growth((1, 3), (4, 3)).kind, growth((2, 3), (4, 3)).kind, growth((2, 3), (5, 3)).kind
    ('expand', 'blocks', 'none')
    """
    answer = can_expand(source_shape, target_shape, library, itemsize)
    _refuse_no_shape(answer, itemsize)
    source = answer.source_shape
    target = answer.shape or resolved(source, answer.target_shape)
    start = (1,) * (len(target) - len(source)) + source
    if answer:
        return Growth("expand", source, target, start, pattern)
    fitting = len(start) == len(target) and all(
        size and many and many % size == 0 for size, many in zip(start, target, strict=True)
    )
    if fitting:
        return Growth("blocks", source, target, start, pattern)
    found = _reshapes(source, target) if reshaped else []
    if len(found) == 1:
        return Growth("reshaped", source, target, found[0], pattern)
    return Growth("none", source, target, start, pattern)


def _refuse_no_shape(answer: Expansion, itemsize: int) -> None:
    if answer.limit or any(axis.because in ("negative", "nothing_to_keep", "numpy_minus_one", "too_long")
                           for axis in answer.axes):  # fmt: skip
        raise ValueError(answer.reason)
    for shape in (answer.source_shape, answer.target_shape):
        if limit := beyond_limit(tuple(abs(size) for size in shape), answer.library, itemsize):
            raise ValueError(say(f"expansion.limit.{limit}"))


def _reshapes(source: Shape, target: Shape) -> list[Shape]:
    """Return every shape of the source's elements that expands to the target, on whole axes."""
    if len(target) > MOST_AXES_TRIED:
        return []
    choices = product(*({1, size} for size in target))
    return [each for each in choices if prod(each) == prod(source)]


def _longer(shape: Shape) -> list[int]:
    return [size for size in shape if size != 1]


def _small(start: Shape, times: Shape) -> tuple[Shape, Shape]:
    """Return both cut down: of each sort of axis the last two stay, all others become 1.

    The target's sizes differ from one another where the shapes allow it: in a
    square a mistaken axis would go unseen.
    """
    kept, met = [], Counter[tuple[bool, bool]]()
    for axis in reversed(range(len(start))):
        sort = start[axis] > 1, times[axis] > 1
        met[sort] += 1
        if any(sort) and met[sort] <= MOST_OF_A_SORT:
            kept.append(axis)
    unequal = _unequal(start, times, kept)
    if prod(size * many for size, many in unequal.values()) > MOST_ELEMENTS:
        unequal = {axis: (min(start[axis], 2), min(times[axis], 2)) for axis in kept}
    found = [unequal.get(axis, (min(size, 1), 1)) for axis, size in enumerate(start)]
    sizes, repeats = zip(*found, strict=True)
    return sizes, repeats


def _unequal(start: Shape, times: Shape, axes: list[int]) -> dict[int, tuple[int, int]]:
    """Return a small size and how often it is read for each axis; axes that leave least choice come first."""
    chosen: dict[int, tuple[int, int]] = {}
    for axis in sorted(axes, key=lambda axis: min(start[axis] * times[axis], max(_SIZES))):
        size, many = start[axis], times[axis]
        pairs = _REPEATED if size > 1 and many > 1 else [(one, 1) for one in _SIZES] if many == 1 else _READ
        fitting = [pair for pair in pairs if pair[0] <= size and pair[1] <= many]
        taken = {one * other for one, other in chosen.values()}
        chosen[axis] = next((pair for pair in fitting if prod(pair) not in taken), fitting[0])
    return chosen


# Sizes to try, the preferred first: of an axis that stays, one that is read again, a block that repeats.
_SIZES = (3, 4, 5, 2)
_READ = [(1, 2), (1, 5), (1, 3), (1, 4)]
_REPEATED = [(2, 3), (2, 2), (3, 3)]
