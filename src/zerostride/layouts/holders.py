"""What holds the memory that a NumPy array reads: the end of its chain of bases."""

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from zerostride.layouts.arithmetic import span


class Holder(NamedTuple):
    """A storage: where it starts and ends, whether its size was told, what it is called."""

    start: int
    end: int
    known: bool
    owner: str
    storage_id: Hashable


def holder_of(x: np.ndarray[Any, Any]) -> Holder:
    """Return the storage behind an array, whatever owns it.

    Where the owner does not tell its size, the storage is the widest stretch
    of memory that an array on the way to it was given.

    Examples
    --------
    >>> owner = np.arange(6.0)
    >>> held = holder_of(owner[2:])
    >>> held.end - held.start, held.owner
    (48, 'another ndarray')
    """
    widest, base = x, x.base
    while not widest.flags.owndata and base is not None:
        if isinstance(base, np.ndarray):
            widest, base = base, base.base
        elif isinstance(base, memoryview):
            base = base.obj
        elif getattr(base, "base", None) is not None and hasattr(base, "__array_interface__"):
            base = base.base
        else:
            break
    if widest.flags.owndata:
        start, end = bounds(widest)
        # An owner whose strides were changed in place reads less, or more, than it owns.
        known = end - start == widest.nbytes
        return _holder(start, end, known, "this array" if widest is x else "another ndarray")
    return _foreign(widest, base)


def bounds(x: np.ndarray[Any, Any]) -> tuple[int, int]:
    """Return the first and the past-the-end address that an array can read."""
    address = x.__array_interface__["data"][0]
    low, high = span(x.shape, x.strides, x.itemsize)
    return address + low, address + high


def _holder(start: int, end: int, known: bool, owner: str) -> Holder:
    return Holder(start, end, known, owner, ("cpu", start))


def _foreign(widest: np.ndarray[Any, Any], base: object) -> Holder:
    """Ask a holder that is no array: a torch tensor or anything with a buffer."""
    start, end = bounds(widest)
    first, past, owner = _stretch(base)
    if first <= start and end <= past:
        return _holder(first, past, True, owner)
    return _holder(start, end, False, owner)


def _stretch(base: Any) -> tuple[int, int, str]:
    """Return first and past-the-end address of a holder's memory, 0 if it tells none, and its name."""
    owner = "unknown" if base is None or type(base).__name__ == "PyCapsule" else type(base).__name__
    if hasattr(base, "untyped_storage"):
        storage = base.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes(), "torch storage"
    try:
        return *bounds(np.frombuffer(base, dtype=np.uint8)), owner
    except (TypeError, ValueError, BufferError):
        return 0, 0, owner
