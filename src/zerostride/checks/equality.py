"""Which numbers are equal, and which changed."""

from typing import Any

import numpy as np

from zerostride.gradients import numbers


def same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return where two arrays hold the same number, NaN included."""
    equal: np.ndarray[Any, Any] = (a == b) | ((a != a) & (b != b))
    return equal


def changed(before: np.ndarray[Any, Any], after: Any) -> np.ndarray[Any, Any]:
    """Return where the numbers differ; NaN counts as unchanged where NaN was."""
    return ~same(before, numbers(after))


def changed_rows(before: np.ndarray[Any, Any], after: Any) -> int:
    """Return in how many rows at least one number differs."""
    cells = changed(before, after)
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
