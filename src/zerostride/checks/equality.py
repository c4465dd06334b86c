"""Which numbers are equal, and which changed."""

from typing import Any

import numpy as np

from zerostride.gradients import numbers, precision
from zerostride.language import say
from zerostride.memory.room import free_bytes

FEW_ELEMENTS = 1 << 20
# Truth values of a comparison, and the one that it is added to.
COMPARED_BYTES = 5
# Two numbers and their difference.
SUBTRACTED_BYTES = 24


def same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return where two arrays hold the same number, NaN included."""
    need_room(a, b, bytes_each=COMPARED_BYTES)
    return precision.same(a, b)


def need_room(*arrays: np.ndarray[Any, Any], bytes_each: int = SUBTRACTED_BYTES) -> None:
    """Raise MemoryError, in words, where as many answers as an array has elements would not fit.

    Examples
    --------
    >>> need_room(np.broadcast_to(np.int8(1), (2**51,)))
    Traceback (most recent call last):
    MemoryError: not judged: 2,251,799,813,685,248 elements are too many to compare in the free memory
    """
    most = max(x.size for x in arrays)
    free = free_bytes() if most > FEW_ELEMENTS else None
    if free is not None and most * bytes_each > free:
        raise MemoryError(say("checks.does_not_fit", elements=f"{most:,}"))


def changed(before: np.ndarray[Any, Any], after: Any) -> np.ndarray[Any, Any]:
    """Return where the numbers differ; NaN counts as unchanged where NaN was."""
    return ~same(before, numbers(after))


def changed_rows(before: np.ndarray[Any, Any], after: Any) -> int:
    """Return in how many rows at least one number differs."""
    cells = np.atleast_1d(changed(before, after))
    return int(cells.reshape(len(cells), -1).any(axis=1).sum())


def close(found: Any, expected: np.ndarray[Any, Any], tolerance: Any) -> bool:
    """Return whether every number found lies within the tolerance of the one expected.

    Infinities and NaN lie near nothing but themselves, however wide the tolerance.

    Examples
    --------
    >>> close(np.array([np.inf, 2.0]), np.array([np.inf, 2.1]), 0.2)
    True
    >>> close(np.array([5.0]), np.array([np.inf]), np.inf)
    False
    """
    seen, wanted = numbers(found).ravel(), expected.ravel()
    if seen.size != wanted.size:
        return False
    if wanted.dtype == object:
        seen = seen.astype(object)
    with np.errstate(invalid="ignore"):
        gaps = np.abs(seen - wanted)
    return bool(np.all(same(seen, wanted) | ((gaps <= tolerance) & (gaps < np.inf))))
