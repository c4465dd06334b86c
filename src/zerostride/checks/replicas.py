"""Replicas on which a check may write."""

from typing import Any

import numpy as np

from zerostride.checks.storage import address, span
from zerostride.gradients import numbers
from zerostride.language import say
from zerostride.layouts import layout

MOST_REPLICA_BYTES = 1 << 28

# No dtype of torch is wider, so that an element keeps its place on whole items.
WIDEST_BYTES = 16


def replicas(*arrays: Any) -> list[Any]:
    """Return writable copies with the same strides that share bytes exactly as the originals do.

    A check that must write writes here; the learner's arrays keep every byte.
    Of a large storage only the bytes between the first and the last element
    are copied, and those of several arrays once.

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
    spans = _merged(span(x) for x in arrays)
    logical_bytes = sum(layout(x).logical_bytes for x in arrays)
    needed = max(logical_bytes, sum(high - low for low, high in spans))
    if needed > MOST_REPLICA_BYTES:
        raise ValueError(say("checks.replica_too_large", needed=needed, most=MOST_REPLICA_BYTES))
    copy = _numpy_replicas if isinstance(arrays[0], np.ndarray) else _torch_replicas
    return copy(arrays, spans)


def _merged(spans: Any) -> list[tuple[int, int]]:
    """Return the spans with those that overlap made one, in the order of their addresses."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if merged and low < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def _room_of(x: Any, rooms: list[tuple[int, Any]]) -> tuple[int, Any]:
    """Return the first address and the room of the merged span in which an array lies."""
    return next((low, room) for low, room in reversed(rooms) if low <= span(x)[0])


def raw_bytes(x: Any) -> Any:
    """Return the bytes of a tensor in its storage, from the first that it reads to the last.

    Byte for byte, since torch refuses to write numbers into elements that overlap.
    """
    import torch

    low, high = span(x)
    flat = torch.empty(0, dtype=torch.uint8, device=x.device)
    return flat.set_(x.detach().untyped_storage(), layout(x).storage_offset_bytes, (high - low,), (1,))


def _numpy_replicas(arrays: tuple[Any, ...], spans: list[tuple[int, int]]) -> list[Any]:
    rooms = [(low, np.zeros(high - low, np.uint8)) for low, high in spans]
    made = []
    for x in arrays:
        low, room = _room_of(x, rooms)
        made.append(np.ndarray(x.shape, x.dtype, room, address(x) - low, x.strides))
        made[-1][...] = numbers(x)
    return made


def _torch_replicas(arrays: tuple[Any, ...], spans: list[tuple[int, int]]) -> list[Any]:
    import torch

    device = arrays[0].device
    rooms = [
        (low, torch.zeros(low % WIDEST_BYTES + high - low, dtype=torch.uint8, device=device))
        for low, high in spans
    ]
    made = []
    for x in arrays:
        low, room = _room_of(x, rooms)
        start_bytes = low % WIDEST_BYTES + address(x) - low
        old = raw_bytes(x)
        room[start_bytes : start_bytes + len(old)] = old
        new = torch.empty(0, dtype=x.dtype, device=device)
        made.append(
            new.set_(room.untyped_storage(), start_bytes // x.element_size(), tuple(x.shape), x.stride())
        )
    return made
