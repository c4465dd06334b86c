"""Where the storage of an array lies, so that two of either library can be compared."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zerostride.language import say
from zerostride.layouts import Layout, is_tensor, layout
from zerostride.overlap import Strided


@dataclass(frozen=True)
class Place:
    """A layout and where its storage lies.

    Attributes
    ----------
    layout : Layout
        How the elements are read from the storage.
    space : str
        The memory that addresses count in: ``"cpu"``, another device, or one
        storage that has no address, as on torch's meta device.
    storage_start : int
        Address of the first byte of the storage, as far as it is known.
    whole : bool
        Whether the owner of the storage told where it begins and ends.
    """

    layout: Layout
    space: str
    storage_start: int
    whole: bool

    @property
    def storage_end(self) -> int:
        """Address past the last byte of the storage, as far as it is known."""
        return self.storage_start + self.layout.storage_bytes

    @property
    def strided(self) -> Strided:
        """The layout with the address of its first element."""
        start = self.storage_start + self.layout.storage_offset_bytes
        return Strided(self.layout.shape, self.layout.strides_bytes, self.layout.itemsize, start)

    def shares_storage_with(self, other: "Place") -> bool | None:
        """Return whether one storage holds both; None where nobody tells."""
        if self.space != other.space:
            empty = not (self.layout.storage_bytes and other.layout.storage_bytes)
            return None if empty and self.layout.library != other.layout.library else False
        start, end = max(self.storage_start, other.storage_start), min(self.storage_end, other.storage_end)
        if start < end or (start == end and self.storage_start == other.storage_start):
            return True
        return False if self.whole or other.whole else None


def place(x: Any) -> Place:
    """Return the layout of an array or a tensor and where its storage lies; nothing is copied.

    Raises
    ------
    TypeError
        If ``x`` has no strides or, as a layout made from numbers, no place.

    Examples
    --------
    >>> source = np.zeros(5)
    >>> place(source[2:]).storage_start == place(source).storage_start
    True
    """
    if isinstance(x, Layout):
        raise TypeError(say("sharing.no_place"))
    read = layout(x)
    if is_tensor(x):
        space, start, whole = _torch_storage(x)
        return Place(read, space, start, whole)
    source = x if hasattr(x, "__array_interface__") else np.from_dlpack(x)
    start = source.__array_interface__["data"][0] - read.storage_offset_bytes
    return Place(read, "cpu", start, "layout.foreign_storage" not in read.note_keys)


def _torch_storage(x: Any) -> tuple[str, int, bool]:
    storage = x.untyped_storage()
    try:
        start = storage.data_ptr()
    except RuntimeError:  # a tensor without data, made to trace a program
        start = 0
    if not start:
        return f"{x.device} {storage._cdata}", 0, True
    # Memory that torch did not allocate cannot be resized: it may go on outside.
    return str(x.device), start, storage.resizable() or x.is_shared()
