"""Layouts of arrays that lie in files, read from their headers; no pickle is ever executed."""

import io
import sys
import warnings
import zipfile
from ast import literal_eval
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from zerostride.handed_in import told
from zerostride.language import enumerated, say
from zerostride.layouts import Layout, layout
from zerostride.reports import Report, Table, printable

MOST_HEADER_BYTES = 10_000
MOST_ENTRIES = 10_000
MOST_NAME = 60
MOST_PATH = 10_000
MOST_AXES = 64  # as in NumPy
SAFETENSORS_BITS = {"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}


class UnreadableFileError(ValueError):
    """The file is none of the kinds that are read, or is damaged; the message says which."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(say(key, **values))


@dataclass(frozen=True, repr=False)
class FileLayouts(Report):
    """The layouts of all arrays in one file, and which of them share a storage there.

    Attributes
    ----------
    layouts : dict of str to Layout
        One per array, by its name in the file; ``""`` in a file of a single array.
    storages : dict of str to int
        Number of the storage each array lies in; equal numbers are one storage.
    unread : dict of str to str
        What else lies in the file, and the catalogue key that says why it has no layout.
    """

    layouts: Mapping[str, Layout]
    storages: Mapping[str, int]
    unread: Mapping[str, str] = field(default_factory=dict)

    def table(self) -> Table:
        """Return the layout of a single array, or one row per array."""
        if list(self.layouts) == [""] and not self.unread:
            return self.layouts[""].table()
        columns = ("shape", "dtype", "strides", "logical", "storage")
        header = [
            say("file.name"),
            *(say(f"layout.{column}") for column in columns),
            say("file.storage_number"),
        ]
        return Table([self._row(name) for name in self.layouts], header, notes=list(self._notes()))

    def _row(self, name: str) -> list[str]:
        seen = self.layouts[name]
        sizes = (f"{seen.logical_bytes:,} B", f"{seen.storage_bytes:,} B")
        return [
            _short(name),
            str(seen.shape),
            seen.dtype,
            str(seen.strides_bytes),
            *sizes,
            str(self.storages[name]),
        ]

    def _notes(self) -> Iterator[str]:
        if not self.layouts:
            yield say("file.empty")
        for name, key in self.unread.items():
            yield say("file.not_counted", name=_short(name), reason=say(key))
        for number in dict.fromkeys(self.storages.values()):
            together = [name for name, other in self.storages.items() if other == number]
            if len(together) > 1:
                yield say("file.share", names=enumerated(map(_short, together)), number=number)

    def to_dict(self) -> dict[str, object]:
        """Return the answers of each layout and its storage's number, by name."""
        return {
            name: seen.to_dict() | {"storage": self.storages[name]} for name, seen in self.layouts.items()
        }


def file_layouts(path: Path) -> FileLayouts:
    """Return the layouts of the arrays in a file; their elements are not loaded.

    Parameters
    ----------
    path : Path
        A ``.npy``, ``.npz``, ``.pt``, ``.pth`` or ``.safetensors`` file.

    Raises
    ------
    UnreadableFileError
        If it is another kind of file, is damaged, or holds what only pickle could read.
    OSError
        If it cannot be opened.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "view.npy")
    ...     np.save(path, np.broadcast_to(np.array([[1.0, 2.0, 3.0]]), (4, 3)))
    ...     file_layouts(path).layouts[""].strides_bytes
    (24, 8)
    """
    if path.is_dir():
        raise IsADirectoryError(path)
    if path.exists() and not path.is_file():
        raise UnreadableFileError("file.no_file")
    if path.suffix not in _READERS:
        known = enumerated(_READERS)
        raise UnreadableFileError("file.kind", suffix=path.suffix or path.name, known=known)
    try:
        with warnings.catch_warnings(action="ignore"):
            return _READERS[path.suffix](path)
    except UnreadableFileError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise
        raise UnreadableFileError("file.damaged") from error  # a codec's own
    except Exception as error:  # at a stranger's bytes a library may raise anything
        raise UnreadableFileError("file.damaged") from error


def _numpy_file(path: Path) -> FileLayouts:
    with path.open("rb") as file:
        head = file.read(MOST_HEADER_BYTES)
        return FileLayouts({"": _header_layout(head, path.stat().st_size)}, {"": 1})


def _numpy_archive(path: Path) -> FileLayouts:
    layouts: dict[str, Layout] = {}
    unread: dict[str, str] = {}
    with zipfile.ZipFile(path) as archive:
        if len(archive.infolist()) > MOST_ENTRIES:
            raise UnreadableFileError("file.too_many", most=MOST_ENTRIES)
        for entry in archive.infolist():
            name = _unused(entry.filename.removesuffix(".npy"), layouts.keys() | unread)
            with archive.open(entry) as file:
                head = file.read(MOST_HEADER_BYTES)
            try:
                layouts[name] = _header_layout(head, entry.file_size)
            except UnreadableFileError:
                unread[name] = "file.no_array"
    return FileLayouts(layouts, _numbered(layouts), unread)


def _numbered(layouts: Mapping[str, Layout]) -> dict[str, int]:
    """Return a storage of its own for every array."""
    return {name: number for number, name in enumerate(layouts, 1)}


def _unused(name: str, taken: Collection[str]) -> str:
    """Return a name that nothing else in the file has; a file can hold one name twice."""
    number = 2
    while name in taken:
        name, number = f"{name.removesuffix(f' ({number - 1})')} ({number})", number + 1
    return name


def _short(name: str) -> str:
    """Return a name from a file so that a terminal shows it as text, and not too long."""
    shown = printable(name)
    return shown if len(shown) <= MOST_NAME else shown[: MOST_NAME - 1] + "…"


def _header_layout(start: bytes, file_bytes: int) -> Layout:
    """Return the layout that a header in NumPy's format announces, if the file is as long as it says."""
    head = io.BytesIO(start)
    read_old, read = np.lib.format.read_array_header_1_0, np.lib.format.read_array_header_2_0
    try:
        version = np.lib.format.read_magic(head)
        shape, by_columns, dtype = {(1, 0): read_old, (2, 0): read, (3, 0): read}[version](head)
        if version == (3, 0):  # as 2.0, but in UTF-8: names of fields
            descr = literal_eval(start[12 : head.tell()].decode("utf-8"))["descr"]
            dtype = np.lib.format.descr_to_dtype(descr)
    except Exception as error:
        raise UnreadableFileError("file.damaged") from error
    if dtype.hasobject:
        raise UnreadableFileError("file.objects")
    if min(shape, default=0) < 0:
        raise UnreadableFileError("file.no_such_shape")
    if head.tell() + prod(shape) * dtype.itemsize > file_bytes:
        raise UnreadableFileError("file.shorter", shape=told(shape))
    return _packed(shape, dtype.itemsize, str(dtype), by_columns)


def _packed(shape: tuple[int, ...], itemsize: int, dtype: str, by_columns: bool = False) -> Layout:
    """Return the layout without gaps, the last axis moving fastest, or the first."""
    if len(shape) > MOST_AXES or max(shape, default=0) > sys.maxsize:
        raise UnreadableFileError("file.no_such_shape")
    shape = tuple(map(int, shape))  # True is a size to NumPy
    order = range(len(shape)) if by_columns else reversed(range(len(shape)))
    strides, step = [0] * len(shape), itemsize
    for axis in order:
        strides[axis] = step
        step *= max(shape[axis], 1)
    size_bytes = prod(shape) * itemsize
    return Layout(shape, tuple(strides), itemsize, 0, size_bytes, dtype)


def _torch_file(path: Path) -> FileLayouts:
    try:
        import torch
    except ImportError as error:
        raise UnreadableFileError("file.needs", package="zerostride[torch]") from error
    from pickle import UnpicklingError

    is_zip = zipfile.is_zipfile(path)
    if is_zip and _is_compressed(path):
        raise UnreadableFileError("file.compressed")
    try:
        # Mapped, not loaded; and no code of the file runs.
        held = torch.load(path, map_location="cpu", mmap=is_zip, weights_only=True)
    except UnpicklingError as error:
        key = "file.more_than_tensors" if _is_pickle(path) else "file.damaged"
        raise UnreadableFileError(key) from error
    layouts: dict[str, Layout] = {}
    homes: dict[str, Hashable] = {}
    unread: dict[str, str] = {}
    for name, tensor in _tensors(held):
        try:
            found = layout(tensor)
        except TypeError:
            unread[_unused(name or path.name, unread)] = "file.no_strides"
            continue
        unused = _unused(name, layouts)
        layouts[unused], homes[unused] = found, found.storage_id
    numbers = {home: number for number, home in enumerate(dict.fromkeys(homes.values()), 1)}
    return FileLayouts(layouts, {name: numbers[home] for name, home in homes.items()}, unread)


def _is_pickle(path: Path) -> bool:
    with path.open("rb") as file:
        return zipfile.is_zipfile(path) or file.read(1) == b"\x80"


def _is_compressed(path: Path) -> bool:
    """Return whether a few bytes may stand for very many; ``torch.save`` never writes such a file."""
    with zipfile.ZipFile(path) as archive:
        return any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist())


def _tensors(held: Any) -> Iterator[tuple[str, Any]]:
    """Yield each tensor in nested dicts and lists, under its path; a list may hold itself."""
    import torch

    waiting = [("", held)]
    for _ in range(MOST_ENTRIES):
        if not waiting:
            return
        name, part = waiting.pop()
        if isinstance(part, torch.Tensor):
            yield name, part
            continue
        inside = _inside(part, name, (torch.Tensor, Mapping, list, tuple))
        waiting += reversed(list(islice(inside, MOST_ENTRIES)))
        if len(waiting) > MOST_ENTRIES or len(name) > MOST_PATH:
            break
    raise UnreadableFileError("file.too_many", most=MOST_ENTRIES)


def _inside(part: Any, name: str, kinds: tuple[type, ...]) -> Iterator[tuple[str, Any]]:
    """Yield what a dict or a list holds of some kinds, each under its path."""
    if isinstance(part, Mapping):
        named = ((f"{name}.{key}" if name else str(key), each) for key, each in part.items())
    else:
        listed = part if isinstance(part, list | tuple) else ()
        named = ((f"{name}[{number}]", each) for number, each in enumerate(listed))
    yield from ((path, each) for path, each in named if isinstance(each, kinds))


def _safetensors_file(path: Path) -> FileLayouts:
    try:
        from safetensors import safe_open
    except ImportError as error:
        raise UnreadableFileError("file.needs", package="zerostride[files]") from error
    with safe_open(path, framework="numpy") as file:
        if len(names := file.keys()) > MOST_ENTRIES:
            raise UnreadableFileError("file.too_many", most=MOST_ENTRIES)
        slices = {name: file.get_slice(name) for name in names}
        found = {name: (tuple(each.get_shape()), each.get_dtype()) for name, each in slices.items()}
    layouts = {
        name: _packed(shape, _safetensors_itemsize(dtype), dtype) for name, (shape, dtype) in found.items()
    }
    return FileLayouts(layouts, _numbered(layouts))


def _safetensors_itemsize(dtype: str) -> int:
    """Return the bytes of an element of type ``F32``, ``BF16``, ``F8_E4M3`` and so on.

    >>> _safetensors_itemsize("F32"), _safetensors_itemsize("F8_E4M3"), _safetensors_itemsize("BOOL")
    (4, 1, 1)
    """
    if dtype in SAFETENSORS_BITS:
        raise UnreadableFileError("file.part_of_a_byte", dtype=dtype)
    bits = "".join(sign for sign in dtype.split("_")[0] if sign.isdecimal())
    return int(bits) // 8 if bits else 1


_READERS: dict[str, Callable[[Path], FileLayouts]] = {
    ".npy": _numpy_file,
    ".npz": _numpy_archive,
    ".pt": _torch_file,
    ".pth": _torch_file,
    ".safetensors": _safetensors_file,
}
