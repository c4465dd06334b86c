"""What must be so before a claim can be judged: shapes that fit, rows, elements, numbers that move."""

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from zerostride.checks.equality import need_room
from zerostride.checks.results import Finding, NotApplicable, sized, wrong
from zerostride.gradients import is_real, numbers
from zerostride.handed_in import items_of, told, whole_number
from zerostride.language import enumerated, say
from zerostride.layouts import layout


def broadcasts(source: Any, target: Any) -> bool:
    """Return whether the source's shape broadcasts to the target's."""
    try:
        return np.broadcast_shapes(tuple(source.shape), tuple(target.shape)) == tuple(target.shape)
    except ValueError:
        return False


def shapes_differ(*arrays: Any) -> Finding:
    """Return the finding that these shapes do not belong together."""
    return wrong("shapes_differ", shapes=enumerated(sized(x) for x in arrays))


def target_shape(shape: Iterable[Any]) -> tuple[int, ...]:
    """Return a shape as a tuple of whole numbers.

    Raises
    ------
    TypeError, ValueError
        If it is no sequence of whole numbers, or one is below 0 or beyond any array.

    Examples
    --------
    >>> target_shape([4, 3])
    (4, 3)
    """
    items = items_of(shape)
    sizes = [whole_number(size) for size in items or ()]
    found = tuple(size for size in sizes if size is not None)
    if items is None or len(found) < len(items):
        raise TypeError(say("checks.bad_shape", shape=told(shape)))
    if not all(0 <= size <= sys.maxsize for size in found):
        raise ValueError(say("checks.bad_shape", shape=told(shape)))
    return found


def need_named(name: str, value: Any) -> None:
    """Raise TypeError where what autograd needs was not handed in."""
    if value is None:
        raise TypeError(say("checks.needs", name=name))


def need_elements(*arrays: Any) -> None:
    """Raise NotApplicable where there is nothing to read or write."""
    for x in arrays:
        if layout(x).size == 0:
            raise NotApplicable("no_elements", shape=sized(x))


def need_rows(view: Any, several: bool = False) -> None:
    """Raise NotApplicable where the view has no elements or, if several are asked for, one row."""
    if layout(view).ndim < 2:
        raise ValueError(say("checks.needs_rows", shape=sized(view)))
    need_elements(view)
    if several and view.shape[0] == 1:
        raise NotApplicable("one_row")


def need_not_complex(*arrays: Any) -> None:
    """Raise NotApplicable where a loss would be complex."""
    for x in arrays:
        if layout(x).dtype.startswith("complex"):
            raise NotApplicable("complex_derivative", dtype=layout(x).dtype)


def need_finite(*arrays: Any) -> None:
    """Raise NotApplicable where a number is infinite or NaN."""
    need_room(*map(numbers, arrays))
    if not all(np.isfinite(numbers(x)).all() for x in arrays):
        raise NotApplicable("not_finite")


def need_derivative(*arrays: Any) -> None:
    """Raise NotApplicable where the first array cannot move by a small step, or a loss is no real number."""
    need_elements(*arrays)
    need_not_complex(*arrays)
    if not is_real(arrays[0]):
        raise NotApplicable("no_small_step", dtype=layout(arrays[0]).dtype)
    need_finite(*arrays)
