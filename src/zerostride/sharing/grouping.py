"""The storages behind everything that has a name, each counted once."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zerostride.language import enumerated, say
from zerostride.layouts import Layout, is_tensor
from zerostride.reports import Report, Table
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
    """

    groups: tuple[Storage, ...]
    skipped: tuple[str, ...] = ()

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
        notes = [say("sharing.total", storages=len(self.groups), bytes=f"{self.total_bytes:,}")]
        if not all(group.whole for group in self.groups):
            notes.append(say("sharing.partial"))
        kinds = (key for group in self.groups for each in group.layouts.values() for key in each.note_keys)
        notes += [say(key) for key in dict.fromkeys(kinds) if key != "layout.foreign_storage"]
        if self.skipped:
            notes.append(say("sharing.no_strides", names=enumerated(self.skipped)))
        return Table(rows, header, notes)

    def to_dict(self) -> dict[str, object]:
        """Return the storages, and their total."""
        groups = [group.to_dict() for group in self.groups]
        return {"storages": groups, "total_bytes": self.total_bytes, "skipped": self.skipped}


def storages(**named: Any) -> Storages:
    """Return the storages behind named arrays and tensors: who lives in which, and the total.

    Names that begin with an underscore and whatever is no strided array or
    tensor are skipped, so ``storages(**locals())`` and, in a notebook,
    ``storages(**globals())`` work.

    Parameters
    ----------
    **named
        Anything; arrays and tensors are looked at, and nothing is copied.

    Examples
    --------
    >>> source = np.arange(6.0).reshape(2, 3)
    >>> view, tiled = np.broadcast_to(source[:1], (4, 3)), np.tile(source[:1], (4, 1))
    >>> storages(source=source, view=view, tiled=tiled, text="no array")
    storage  stored bytes  name    bytes from..to  touched bytes
    -------  ------------  ------  --------------  -------------
    1        48 B          source  0..48           48 B
                           view    0..24           24 B
    2        96 B          tiled   0..96           96 B
    2 storages, 144 B in all
    """
    arrays = {name: x for name, x in named.items() if not name.startswith("_") and _is_array(x)}
    places = {name: found for name, x in arrays.items() if (found := _placed(x))}
    groups: list[dict[str, Place]] = []
    for name, found in places.items():
        together = [group for group in groups if any(map(found.shares_storage_with, group.values()))]
        joined = {key: each for group in together for key, each in group.items()} | {name: found}
        groups = [group for group in groups if group not in together] + [joined]
    rank = {name: number for number, name in enumerate(places)}
    in_order = [dict(sorted(group.items(), key=lambda item: rank[item[0]])) for group in groups]
    in_order.sort(key=lambda group: rank[next(iter(group))])
    return Storages(tuple(map(_storage, in_order)), tuple(name for name in arrays if name not in places))


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


def in_bytes(low: int, high: int) -> str:
    """Return a number of bytes, or its bounds, in the language in use."""
    if low == high:
        return f"{low:,} B"
    return say("layout.between", low=f"{low:,}", high=f"{high:,}")
