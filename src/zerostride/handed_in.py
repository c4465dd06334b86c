"""What was handed in, read without trust: nothing endless is followed, and nothing in it can raise."""

from collections.abc import Callable, Iterable
from itertools import islice
from operator import index
from typing import Any

MOST_ITEMS = 100
LONGEST = 300
# A product of a hundred of them can still be written: Python writes no more than 4300 digits.
LARGEST = 10**40


def is_among(value: object, known: Iterable[str]) -> bool:
    """Return whether a value is one of the known words; what cannot be compared, such as an array, is none.

    Examples
    --------
    >>> is_among("numpy", ("numpy", "torch")), is_among(["numpy"], ("numpy", "torch"))
    (True, False)
    """
    return isinstance(value, str) and str.__str__(value) in tuple(known)


def items_of(value: Any, most: int = MOST_ITEMS) -> list[Any] | None:
    """Return what a sequence holds; None where it is none, or holds more than ``most``.

    Examples
    --------
    >>> items_of(range(3)), items_of(range(10**12)), items_of(3)
    ([0, 1, 2], None, None)
    """
    try:
        if hasattr(value, "__len__") and len(value) > most:
            return None
        found = list(islice(value, most + 1))
    except Exception:
        return None
    return found if len(found) <= most else None


def whole_number(value: Any) -> int | None:
    """Return a whole number; None where it is none, True and False among them, or beyond all measure.

    Examples
    --------
    >>> whole_number(3), whole_number(3.0), whole_number(True)
    (3, None, None)
    """
    try:
        found = None if isinstance(value, bool) else index(value)
    except Exception:
        return None
    return None if found is None or abs(found) > LARGEST else found


def shape_of(value: Any) -> tuple[int, ...] | None:
    """Return the shape of an array or a tensor; None where it has none, as a nested tensor.

    Examples
    --------
    >>> import numpy as np
    >>> shape_of(np.ones((4, 3))), shape_of([1, 2])
    ((4, 3), None)
    """
    try:
        return tuple(int(size) for size in value.shape)
    except Exception:
        return None


def name_of(key: object) -> str:
    """Return what something is called by its key: a text as it is, so that two names stay two.

    Examples
    --------
    >>> name_of("expand"), name_of(4)
    ('expand', '4')
    """
    return str.__str__(key) if isinstance(key, str) else told(key, str)


def told(value: object, how: Callable[[object], str] = repr) -> str:
    """Return how a value is written, on one line and not for ever; one that cannot be written by its type.

    Examples
    --------
    >>> told([1, 2]), told("a" * 400)[-3:], told(10**9999)
    ('[1, 2]', 'aa…', 'int')
    """
    try:
        text = how(value).replace("\n", " ")
    except Exception:
        return type(value).__name__
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
