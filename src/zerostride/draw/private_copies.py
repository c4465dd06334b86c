"""Copies of arrays that share storage among themselves as the originals do."""

import copy
import ctypes
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def tensor_copies(named: Mapping[str, Any]) -> dict[str, Any]:
    """Return tensors on copies of their storages; one storage stays one."""
    return dict(zip(named, copy.deepcopy([x.detach() for x in named.values()]), strict=True))


def array_copies(named: Mapping[str, Any]) -> dict[str, Any]:
    """Return arrays on copies of their bytes; what overlaps goes on overlapping, read-only stays so."""
    arrays = {name: np.asarray(x) for name, x in named.items()}
    bounds = {name: np.lib.array_utils.byte_bounds(x) for name, x in arrays.items()}
    made: dict[str, Any] = {}
    end, block, start = -1, bytearray(), 0
    for name in sorted(bounds, key=lambda name: bounds[name]):
        low, _ = bounds[name]
        if low >= end:
            start, end = low, _reach(low, bounds.values())
            block = bytearray(ctypes.string_at(start, end - start))
        x = arrays[name]
        offset = x.__array_interface__["data"][0] - start
        made[name] = np.ndarray(x.shape, x.dtype, block, offset, x.strides)
        made[name].flags.writeable = x.flags.writeable
    return {name: made[name] for name in named}


def _reach(low: int, bounds: Iterable[tuple[int, int]]) -> int:
    """Return where the bytes end that hang together from ``low`` on."""
    end = low + 1
    for first, last in sorted(bounds):
        if first < end and last > low:
            end = max(end, last)
    return end
