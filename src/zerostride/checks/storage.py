"""Common bytes, and replicas on which a check may write."""

from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from zerostride.checks.results import short
from zerostride.gradients import numbers
from zerostride.language import say
from zerostride.layouts import layout

MOST_REPLICA_BYTES = 1 << 28


def share_bytes(a: Any, b: Any) -> bool:
    """Return whether any byte is read by both arrays or both tensors.

    Examples
    --------
    >>> x = np.zeros((4, 3))
    >>> share_bytes(x, x[1:]), share_bytes(x[:1], x[1:])
    (True, False)
    """
    if isinstance(a, np.ndarray):
        return np.shares_memory(a, b)
    storage = a.untyped_storage()
    if storage.data_ptr() != b.untyped_storage().data_ptr():
        return False
    # Reserved and never touched: NumPy decides by addresses alone, on any device.
    room = np.empty(storage.nbytes(), np.uint8)
    return np.shares_memory(_stand_in(a, room), _stand_in(b, room))


def has_own_bytes(x: Any, *others: Any) -> bool:
    """Return whether no two elements of ``x`` share a byte, and none is shared with the others."""
    return layout(x).overlaps is False and not any(share_bytes(x, other) for other in others)


def replicas(*arrays: Any) -> list[Any]:
    """Return writable copies with the same strides that share bytes exactly as the originals do.

    A check that must write writes here; the learner's arrays keep every byte.

    Raises
    ------
    ValueError
        If the copies would take more than 256 MiB.

    Examples
    --------
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> new_source, new_view = replicas(source, np.broadcast_to(source, (4, 3)))
    >>> new_source[0, 0] = 9.0
    >>> new_view[:, 0], source[0, 0]
    (array([9., 9., 9., 9.]), np.float64(1.0))
    """
    needed = sum(max(layout(x).logical_bytes, _copied_bytes(x)) for x in arrays)
    if needed > MOST_REPLICA_BYTES:
        raise ValueError(say("checks.replica_too_large", needed=needed, most=MOST_REPLICA_BYTES))
    return _numpy_replicas(arrays) if isinstance(arrays[0], np.ndarray) else _torch_replicas(arrays)


def changed(before: np.ndarray[Any, Any], after: Any) -> np.ndarray[Any, Any]:
    """Return where the numbers differ; NaN counts as unchanged where NaN was."""
    return ~same(before, numbers(after))


def same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return where two arrays hold the same number, NaN included."""
    equal: np.ndarray[Any, Any] = (a == b) | ((a != a) & (b != b))
    return equal


def another_value(old: Any) -> Any:
    """Return a number that every dtype holds and that differs from the one already there.

    Examples
    --------
    >>> another_value(np.float64(1)), another_value(np.uint8(9)), another_value(np.bool_(True))
    (9, 8, False)
    """
    value = old.item()
    if isinstance(value, bool):
        return not value
    return 8 if value == 9 else 9


def write_first(x: Any) -> tuple[str, str]:
    """Write a new number into the first element; return the old and the new one as text."""
    first = (0,) * x.ndim
    old = numbers(x)[first].item()
    new = another_value(numbers(x)[first])
    x[first] = new
    return short(old), short(new)


def _copied_bytes(x: Any) -> int:
    if isinstance(x, np.ndarray):
        low, high = byte_bounds(x)
        return int(high - low)
    return int(x.untyped_storage().nbytes())


def _stand_in(x: Any, room: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    seen = layout(x)
    kind = np.dtype(f"V{seen.itemsize}")
    return np.ndarray(seen.shape, kind, room, seen.storage_offset_bytes, seen.strides_bytes)


def _numpy_replicas(arrays: tuple[Any, ...]) -> list[Any]:
    spans: list[list[int]] = []
    for low, high in sorted(byte_bounds(x) for x in arrays):
        if spans and low < spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], high)
        else:
            spans.append([low, high])
    rooms = [(low, np.zeros(high - low, np.uint8)) for low, high in spans]
    made = []
    for x in arrays:
        low, room = next((low, room) for low, room in reversed(rooms) if low <= byte_bounds(x)[0])
        start = x.__array_interface__["data"][0] - low
        made.append(np.ndarray(x.shape, x.dtype, room, start, x.strides))
        made[-1][...] = x
    return made


def _torch_replicas(arrays: tuple[Any, ...]) -> list[Any]:
    import torch

    copies = {x.untyped_storage().data_ptr(): x.untyped_storage().clone() for x in arrays}
    return [
        torch.empty(0, dtype=x.dtype, device=x.device).set_(
            copies[x.untyped_storage().data_ptr()], x.storage_offset(), tuple(x.shape), x.stride()
        )
        for x in arrays
    ]
