"""Memory maps of files: two of one file show the same bytes at two addresses."""

import mmap
import os
from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from zerostride.layouts import is_tensor


class FileMap(NamedTuple):
    """What is known of a map of a file.

    ``file`` is equal for two maps of one file, None where nothing tells which
    file it is. A write into a ``private`` map stays in it. Lent memory that
    only may be a map is not ``certain``.
    """

    file: Hashable = None
    private: bool = False
    certain: bool = True

    def may_show(self, other: "FileMap") -> bool:
        """Return whether a write into one of two maps may be seen in the other.

        Examples
        --------
        >>> FileMap("a").may_show(FileMap("b")), FileMap("a").may_show(FileMap())
        (False, True)
        """
        told_apart = None not in (self.file, other.file) and self.file != other.file
        keeps_to_itself = self.private and other.private
        return (self.certain or other.certain) and not (told_apart or keeps_to_itself)


PERHAPS = FileMap(certain=False)


def file_map(x: Any) -> FileMap | None:
    """Return the map that an array or a tensor reads; None where none is seen.

    Examples
    --------
    >>> file_map(np.frombuffer(mmap.mmap(-1, 8), np.uint8))
    FileMap(file=None, private=False, certain=True)
    >>> file_map(np.zeros(3)) is None
    True
    """
    file, private = None, False
    while x is not None and not isinstance(x, mmap.mmap):
        if is_tensor(x):
            name = getattr(x.untyped_storage(), "filename", None)
            return FileMap(_identity(name)) if name else None
        if isinstance(x, np.memmap) and getattr(x, "filename", None):
            file, private = _identity(x.filename), x.mode == "c"
        if isinstance(x, memoryview):
            x = x.obj
        else:
            x = x.base if isinstance(x, np.ndarray) or type(x).__name__ == "DummyArray" else None
    return None if x is None else FileMap(file, private)


def _identity(name: Any) -> Hashable:
    """Return what a file is known by, whatever names lead to it; None once it is gone."""
    try:
        found = os.stat(name)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
