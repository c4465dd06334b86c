"""Read what a layout is made from, out of arrays of any library; nothing is copied."""

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from zerostride.language import say
from zerostride.layouts.holders import holder_of
from zerostride.layouts.tensors import tensor_facts


def facts(x: Any) -> dict[str, Any]:
    """Return the fields of the ``Layout`` of an array.

    Raises
    ------
    TypeError
        If ``x`` has no strides, or nothing tells where its elements lie.

    Examples
    --------
    >>> facts(np.zeros((4, 3)))["strides_bytes"]
    (24, 8)
    """
    if isinstance(x, np.ndarray):
        return _array_facts(x)
    if is_tensor(x):
        return tensor_facts(x)
    if isinstance(x, type | np.generic):
        raise TypeError(_refusal(x))
    if _has(x, "__array_interface__"):
        return _foreign_facts(x, _through_interface(x))
    if _has(x, "__dlpack__"):
        return _foreign_facts(x, _through_dlpack(x))
    raise TypeError(_refusal(x))


def is_tensor(x: object) -> bool:
    """Return whether ``x`` is a torch tensor, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def _array_facts(x: np.ndarray[Any, Any]) -> dict[str, Any]:
    held = holder_of(x)
    return {
        "shape": x.shape,
        "strides_bytes": x.strides,
        "itemsize": x.itemsize,
        "storage_offset_bytes": x.__array_interface__["data"][0] - held.start,
        "storage_bytes": held.end - held.start,
        "dtype": str(x.dtype),
        "library": "numpy",
        "note_keys": (*_kind_notes(x), *(() if held.known else ("layout.foreign_storage",))),
        "owner": held.owner,
        "storage_id": held.storage_id,
    }


def _kind_notes(x: np.ndarray[Any, Any]) -> tuple[str, ...]:
    masked = sys.modules.get("numpy.ma")
    applies = {
        "layout.references": x.dtype.hasobject,
        "layout.padding": _is_padded(x.dtype),
        "layout.masked": masked is not None and isinstance(x, masked.MaskedArray),
    }
    return tuple(key for key, applying in applies.items() if applying)


def _is_padded(dtype: np.dtype[Any]) -> bool:
    """Return whether an element has bytes that belong to no field."""
    if dtype.subdtype is not None:
        return _is_padded(dtype.subdtype[0])
    if dtype.fields is None:
        return False
    own = {
        byte for field, start, *_ in dtype.fields.values() for byte in range(start, start + field.itemsize)
    }
    return len(own) < dtype.itemsize or any(_is_padded(field) for field, *_ in dtype.fields.values())


def _has(x: object, name: str) -> bool:
    try:
        return hasattr(x, name)
    except Exception:  # An object of unknown make may raise anything.
        return False


class _Interface:
    """Hands on one reading of an array interface, and keeps its memory alive."""

    def __init__(self, interface: dict[str, Any], base: object) -> None:
        self.__array_interface__ = interface
        self.keeps = base


def _through_interface(x: Any) -> np.ndarray[Any, Any]:
    """Return an array on the memory that ``x.__array_interface__`` names."""
    try:
        # Both readings are alive here: a copy made for each has an address of its own.
        readings = [np.array(_Interface(dict(x.__array_interface__), x), copy=False) for _ in range(2)]
    except Exception as error:
        raise TypeError(say("layout.interface_refused", type=type(x).__name__, error=error)) from error
    first, second = (each.__array_interface__["data"][0] for each in readings)
    if first != second:
        raise TypeError(say("layout.interface_copies", type=type(x).__name__))
    return readings[0]


def _through_dlpack(x: Any) -> Any:
    """Return an array, or a tensor where NumPy refuses and torch is loaded, on the memory of ``x``."""
    refusals: list[Exception] = []
    torch = sys.modules.get("torch")
    for read in (np.from_dlpack, *((torch.from_dlpack,) if torch else ())):
        try:
            return _without_copy(read, x)
        except Exception as error:  # Each library refuses with exceptions of its own.
            refusals.append(error)
    raise TypeError(say("layout.dlpack_refused", type=type(x).__name__, error=refusals[0])) from refusals[0]


class _Uncopied:
    """Asks an owner for no copy, on behalf of a reader that cannot ask: NumPy before 2.1."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __dlpack__(self, **asked: Any) -> Any:
        return self.owner.__dlpack__(**asked, copy=False)

    def __dlpack_device__(self) -> Any:
        return self.owner.__dlpack_device__()


def _without_copy(from_dlpack: Callable[..., Any], x: Any) -> Any:
    with suppress(TypeError):
        return from_dlpack(x, copy=False)
    with suppress(TypeError):
        return from_dlpack(_Uncopied(x))
    # Owners from before `copy` was added to the protocol do not know it, and never copied.
    return from_dlpack(x)


def _foreign_facts(x: object, read: Any) -> dict[str, Any]:
    found = tensor_facts(read) if is_tensor(read) else _array_facts(read)
    notes = dict.fromkeys([*found["note_keys"], "layout.foreign_storage"])
    return {**found, "library": "other", "owner": type(x).__name__, "note_keys": tuple(notes)}


def _refusal(x: object) -> str:
    kind = type(x).__name__
    if isinstance(x, bytes | bytearray | memoryview):
        return say("layout.not_an_array_but_a_buffer", type=kind)
    if isinstance(x, list | tuple | int | float | complex | np.generic) or hasattr(type(x), "__array__"):
        return say("layout.not_an_array", type=kind)
    return say("layout.no_array", type=kind)
