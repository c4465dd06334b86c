"""The storages behind everything that has a name, each counted once."""

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from zerostride.language import enumerated, say
from zerostride.layouts import Layout, is_tensor
from zerostride.layouts.table import in_bytes
from zerostride.reports import Report, Table
from zerostride.sharing.file_maps import FileMap
from zerostride.sharing.overlap import Strided
from zerostride.sharing.places import Place, place


@dataclass(frozen=True)
class Storage:
    """One storage and everything with a name that lives in it.

    Attributes
    ----------
    layouts : dict of str to Layout
        By name, how each is read, counted from the start of this storage.
    storage_bytes : int
        Size of the storage, as far as it is known.
    whole : bool
        Whether that is all of it: False where another library owns it and
        tells only the part that it lent.
    """

    layouts: dict[str, Layout]
    storage_bytes: int
    whole: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The names that live here."""
        return tuple(self.layouts)

    def byte_range(self, name: str) -> tuple[int, int]:
        """Return the first byte that a name reads and the one past its last."""
        return Strided.of(self.layouts[name]).range

    def to_dict(self) -> dict[str, object]:
        """Return names, sizes and who reads which bytes."""
        reads = {
            name: {"touched_bytes": each.touched_bytes, "byte_range": self.byte_range(name)}
            for name, each in self.layouts.items()
        }
        return {"names": self.names, "storage_bytes": self.storage_bytes, "reads": reads}


@dataclass(frozen=True, repr=False)
class Storages(Report):
    """The storages behind many names.

    Attributes
    ----------
    groups : tuple of Storage
        One per storage, in the order of their first names.
    skipped : tuple of str
        Names of tensors that have no strides, such as sparse ones, or hide
        their storage.
    perhaps_one_file : tuple of str
        Names in storages that may be memory maps of one file, and so show the
        same bytes although each is counted.
    """

    groups: tuple[Storage, ...]
    skipped: tuple[str, ...] = ()
    perhaps_one_file: tuple[str, ...] = ()

    @property
    def total_bytes(self) -> int:
        """Bytes of all storages, each counted once."""
        return sum(group.storage_bytes for group in self.groups)

    def table(self) -> Table:
        """Return one row per name, in groups of one storage."""
        rows = [
            (
                str(number) if first else "",
                f"{group.storage_bytes:,} B" if first else "",
                name,
                "{}..{}".format(*group.byte_range(name)),
                in_bytes(*group.layouts[name].touched_bytes_between),
            )
            for number, group in enumerate(self.groups, 1)
            for first, name in zip([True] + [False] * len(group.names), group.names, strict=False)
        ]
        columns = ("storage", "stored", "name", "range", "touched")
        header = tuple(say(f"sharing.{column}") for column in columns)
        total = say("sharing.total", storages=len(self.groups), bytes=f"{self.total_bytes:,}")
        return Table(rows, header, (total, *self.notes))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers do not say, in the language in use."""
        notes = []
        if not all(group.whole for group in self.groups):
            notes.append(say("sharing.partial"))
        kinds = (key for group in self.groups for each in group.layouts.values() for key in each.note_keys)
        notes += [say(key) for key in dict.fromkeys(kinds) if key != "layout.foreign_storage"]
        outside = say("layout.outside")
        if any(outside in each.notes for group in self.groups for each in group.layouts.values()):
            notes.append(outside)
        if self.perhaps_one_file:
            notes.append(say("sharing.perhaps_maps", names=enumerated(self.perhaps_one_file)))
        if self.skipped:
            notes.append(say("sharing.no_strides", names=enumerated(self.skipped)))
        return tuple(notes)

    def to_dict(self) -> dict[str, object]:
        """Return the storages, and their total."""
        groups = [group.to_dict() for group in self.groups]
        return {"storages": groups, "total_bytes": self.total_bytes} | {
            name: getattr(self, name) for name in ("skipped", "perhaps_one_file")
        }


def storages(*unnamed: Any, **named: Any) -> Storages:
    """Return the storages behind named arrays and tensors: who lives in which, and the total.

    Names that begin with an underscore and whatever is no strided array or
    tensor are skipped, so ``storages(**locals())`` and, in a notebook,
    ``storages(**globals())`` work.

    Parameters
    ----------
    *unnamed
        Nothing: each needs a name.
    **named
        Anything; arrays and tensors are looked at, and nothing is copied.

    Returns
    -------
    Storages
        One of ``groups`` for each storage, and ``total_bytes``, each storage counted once.

    Raises
    ------
    TypeError
        If something is handed in without a name.

    Examples
    --------
    >>> source = np.arange(6.0).reshape(2, 3)
    >>> view, tiled = np.broadcast_to(source[:1], (4, 3)), np.tile(source[:1], (4, 1))
    >>> storages(source=source, view=view, tiled=tiled, text="no array")
    storage  stored bytes  name    bytes from..to, the last excluded  touched bytes
    -------  ------------  ------  ---------------------------------  -------------
    1        48 B          source  0..48                              48 B
                           view    0..24                              24 B
    2        96 B          tiled   0..96                              96 B
    storages: 2, 144 B in all
    """
    if unnamed:
        raise TypeError(say("sharing.without_name"))
    arrays = {name: x for name, x in named.items() if not name.startswith("_") and _is_array(x)}
    places = {name: found for name, x in arrays.items() if (found := _placed(x))}
    groups = _grouped(places)
    skipped = tuple(name for name in arrays if name not in places)
    return Storages(tuple(map(_storage, groups)), skipped, _perhaps_one_file(groups))


def _grouped(places: dict[str, Place]) -> list[dict[str, Place]]:
    """Return what lives in one storage together, in one pass by address, in the order of first names."""
    groups: list[list[str]] = []
    starting_at: dict[tuple[str, int], list[str]] = {}
    space, end, last = "", 0, list[str]()
    for name, each in sorted(places.items(), key=_by_address):
        start, long = (each.space, each.storage_start), each.layout.storage_bytes > 0
        inside = long and each.space == space and each.storage_start < end
        group = starting_at.get(start) or (last if inside else [])
        if not group:
            groups.append(group)
        group.append(name)
        starting_at[start] = group
        if long:
            space, end, last = each.space, max(each.storage_end, end if inside else 0), group
    rank = {name: number for number, name in enumerate(places)}
    in_order = sorted((sorted(group, key=rank.__getitem__) for group in groups), key=lambda g: rank[g[0]])
    return [{name: places[name] for name in group} for group in in_order]


def _by_address(item: tuple[str, Place]) -> tuple[str, int, int]:
    """Order by first address, the longest first."""
    place = item[1]
    return place.space, place.storage_start, -place.storage_end


def _perhaps_one_file(groups: list[dict[str, Place]]) -> tuple[str, ...]:
    """Return the names in storages that may be maps of one file."""
    alike: dict[FileMap, list[dict[str, Place]]] = {}
    for group in groups:
        maps = {each.file_map for each in group.values()}
        found = {each for each in maps if each and each.certain} or (maps if None not in maps else set())
        for each in found:
            if each:
                alike.setdefault(each, []).append(group)
    may = {
        one
        for one, other in product(alike, repeat=2)
        if one.may_show(other) and (one != other or len(alike[one]) > 1)
    }
    return tuple(dict.fromkeys(name for one in alike if one in may for group in alike[one] for name in group))


def _is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray) or is_tensor(x)


def _placed(x: Any) -> Place | None:
    """Return where an array lives; None where it has no strides or hides its storage."""
    try:
        found = place(x)
    except (TypeError, RuntimeError):
        return None
    return found if found.space else None


def _storage(group: dict[str, Place]) -> Storage:
    start = min(each.storage_start for each in group.values())
    end = max(each.storage_end for each in group.values())
    layouts = {
        name: replace(
            each.layout,
            storage_offset_bytes=each.storage_start + each.layout.storage_offset_bytes - start,
            storage_bytes=end - start,
        )
        for name, each in group.items()
    }
    return Storage(layouts, end - start, any(each.whole for each in group.values()))
