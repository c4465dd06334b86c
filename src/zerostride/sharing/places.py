"""Where the storage of an array lies, so that two of either library can be compared."""

from dataclasses import dataclass
from typing import Any, cast

from zerostride.language import say
from zerostride.layouts import Layout, is_tensor, layout
from zerostride.sharing.file_maps import PERHAPS, FileMap, file_map
from zerostride.sharing.overlap import Strided


@dataclass(frozen=True)
class Place:
    """A layout and where its storage lies.

    Attributes
    ----------
    layout : Layout
        How the elements are read from the storage.
    space : str
        The memory that addresses count in: ``"cpu"``, another device, or one
        storage that has no address, as on torch's meta device; empty where
        the storage is hidden.
    storage_start : int
        Address of the first byte of the storage, as far as it is known.
    whole : bool
        Whether the owner of the storage told where it begins and ends.
    file_map : FileMap or None
        The map of a file that the storage is or, in lent memory, may be.
    """

    layout: Layout
    space: str
    storage_start: int
    whole: bool
    file_map: FileMap | None = None

    @property
    def storage_end(self) -> int:
        """Address past the last byte of the storage, as far as it is known."""
        return self.storage_start + self.layout.storage_bytes

    @property
    def strided(self) -> Strided:
        """The layout with the address of its first element."""
        return Strided.of(self.layout, self.storage_start)

    def shares_storage_with(self, other: "Place") -> bool | None:
        """Return whether one storage holds both; None where nobody tells."""
        if not (self.space and other.space):
            return None
        if self.space != other.space:
            empty = not (self.layout.storage_bytes and other.layout.storage_bytes)
            return None if empty and self.layout.library != other.layout.library else False
        start, end = max(self.storage_start, other.storage_start), min(self.storage_end, other.storage_end)
        if start < end or (start == end and self.storage_start == other.storage_start):
            return True
        return False if (self.whole or other.whole) and not self.may_show(other) else None

    def may_show(self, other: "Place") -> bool:
        """Return whether both may be maps of one file, which share bytes whatever the addresses."""
        return bool(self.file_map and other.file_map and self.file_map.may_show(other.file_map))


def place(x: Any) -> Place:
    """Return the layout of an array or a tensor and where its storage lies; nothing is copied.

    Raises
    ------
    TypeError
        If ``x`` has no strides or, as a layout, may outlive its storage.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.zeros(5)
    >>> place(source[2:]).storage_start == place(source).storage_start
    True
    """
    if isinstance(x, Layout):
        raise TypeError(say("sharing.no_place"))
    read = layout(x)
    whole = "layout.foreign_storage" not in read.note_keys
    if read.storage_id is None:
        return Place(read, "", 0, whole)
    space, start = cast(tuple[str, int], read.storage_id)
    if space == "torch":
        return Place(read, f"torch {start}", 0, whole)
    whole = whole and not (is_tensor(x) and _is_borrowed(x))
    return Place(read, space, start, whole, file_map(x) or (None if whole else PERHAPS))


def _is_borrowed(x: Any) -> bool:
    """Return whether a tensor lies in memory that torch did not allocate: it may go on outside."""
    return not (x.untyped_storage().resizable() or x.is_shared())
