"""Where the bytes of arrays and tensors lie, and whether two of them meet."""

from typing import Any

import numpy as np

from zerostride.checks.results import short
from zerostride.gradients import numbers
from zerostride.layouts import arithmetic, layout


class _Addresses:
    """What NumPy needs to compare addresses: it reserves nothing and reads nothing there."""

    def __init__(self, x: Any, start: int) -> None:
        seen = layout(x)
        axes = zip(seen.shape, seen.strides_bytes, strict=True)
        # Axes that move nothing read nothing more, and may be longer than NumPy allows.
        moving = [(size, step) for size, step in axes if size > 1 and step]
        self.__array_interface__ = {
            "version": 3,
            "typestr": f"|V{seen.itemsize}",
            "data": (start, True),
            "shape": tuple(size for size, _ in moving),
            "strides": tuple(step for _, step in moving),
        }


def address(x: Any) -> int:
    """Return where the element at index ``(0, ..., 0)`` starts, in bytes from address 0."""
    if isinstance(x, np.ndarray):
        return int(x.__array_interface__["data"][0])
    if x.device.type in ("cpu", "cuda"):
        return int(x.data_ptr())
    # Elsewhere the pointer may be a mere handle: it tells storages apart, so they are laid far apart.
    return (int(x.untyped_storage().data_ptr()) << 64) + int(x.storage_offset()) * int(x.element_size())


def span(x: Any) -> tuple[int, int]:
    """Return the lowest and the past-the-end address that any element reads.

    Examples
    --------
    >>> low, high = span(np.zeros((4, 3)).T[::-1])
    >>> high - low
    96
    """
    seen, start = layout(x), address(x)
    low, high = arithmetic.span(seen.shape, seen.strides_bytes, seen.itemsize)
    return start + low, start + high


def storage_start(x: Any) -> int:
    """Return the address at which the storage starts."""
    return address(x) - layout(x).storage_offset_bytes


def share_bytes(a: Any, b: Any) -> bool:
    """Return whether any byte is read by both arrays or both tensors, whoever made their storages.

    Examples
    --------
    >>> x = np.zeros((4, 3))
    >>> share_bytes(x, x[1:]), share_bytes(x[:1], x[1:])
    (True, False)
    """
    (low, high), (other_low, other_high) = span(a), span(b)
    if low >= other_high or other_low >= high:
        return False
    # Counted from the lower start, far enough above the null pointer.
    first = min(low, other_low) - 4096
    one, other = (np.asarray(_Addresses(x, address(x) - first)) for x in (a, b))
    return np.shares_memory(one, other)


def share_storage(a: Any, b: Any) -> bool:
    """Return whether the storages have a byte in common, read by either or not.

    Examples
    --------
    >>> x = np.zeros((4, 3))
    >>> share_storage(x[:1], x[1:]), share_storage(x, x.copy())
    (True, False)
    """
    low, other_low = storage_start(a), storage_start(b)
    return low < other_low + layout(b).storage_bytes and other_low < low + layout(a).storage_bytes


def has_own_bytes(x: Any, *others: Any) -> bool:
    """Return whether no two elements of ``x`` share a byte, and none is shared with the others."""
    return layout(x).overlaps is False and not any(share_bytes(x, other) for other in others)


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
