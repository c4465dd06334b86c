"""Read what a layout is made from out of a torch tensor; nothing is copied."""

import warnings
from collections.abc import Hashable
from typing import Any

from zerostride.language import say

# Several elements lie in one byte, so an element has no byte address.
_PACKED = ("quint4x2", "quint2x4")


def tensor_facts(x: Any) -> dict[str, Any]:
    """Return the fields of the ``Layout`` of a tensor.

    Raises
    ------
    TypeError
        If the tensor has no strides (sparse, nested), packs several elements
        into one byte, or has no storage that could be asked.

    Examples
    --------
    >>> import torch
    >>> tensor_facts(torch.ones(3).expand(4, 3))["strides_bytes"]
    (0, 4)
    """
    dtype = str(x.dtype).removeprefix("torch.")
    _refuse_without_strides(x, dtype)
    try:
        itemsize, storage = x.element_size(), x.untyped_storage()
        shape, strides = tuple(map(int, x.shape)), tuple(int(step) * itemsize for step in x.stride())
        start, stored = int(x.storage_offset()) * itemsize, int(storage.nbytes())
    except (RuntimeError, ValueError) as error:
        raise TypeError(say("layout.no_storage", type=type(x).__name__)) from error
    storage_id, reachable = _identity(x, storage)
    return {
        "shape": shape,
        "strides_bytes": strides,
        "itemsize": itemsize,
        "storage_offset_bytes": start,
        "storage_bytes": stored,
        "dtype": dtype,
        "library": "torch",
        "note_keys": _notes(x, storage_id, reachable),
        "owner": "torch storage",
        "storage_id": storage_id,
    }


def _refuse_without_strides(x: Any, dtype: str) -> None:
    if x.is_nested:
        raise TypeError(say("layout.nested"))
    if str(x.layout) != "torch.strided":
        raise TypeError(say("layout.not_strided", kind=str(x.layout)))
    if dtype in _PACKED:
        raise TypeError(say("layout.packed", dtype=dtype))


def _identity(x: Any, storage: Any) -> tuple[Hashable, bool]:
    """Return what tells a storage from others, and whether its memory can be reached."""
    try:
        with warnings.catch_warnings():
            # Of a fake tensor torch warns that the address, which is 0, is of no use.
            warnings.simplefilter("ignore")
            address = storage.data_ptr()
    except RuntimeError:
        return None, False
    if address:
        return (str(x.device), address), True
    # Meta, fake and empty storages have no address; the object behind them is one for all their views.
    return ("torch", storage._cdata), False


def _notes(x: Any, storage_id: Hashable, reachable: bool) -> tuple[str, ...]:
    applies = {
        "layout.wrapper": storage_id is None,
        "layout.no_data": not reachable and storage_id is not None and x.numel() > 0,
        "layout.conjugate": x.is_conj(),
        "layout.negative": x.is_neg(),
        "layout.quantized": x.is_quantized,
    }
    return tuple(key for key, applying in applies.items() if applying)
