"""Who shares memory with whom: two arrays compared, or all that have a name."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zerostride.language import say
from zerostride.layouts import Layout, is_tensor
from zerostride.overlap import Strided, common_bytes
from zerostride.places import Place, place
from zerostride.reports import Report, Table


@dataclass(frozen=True, repr=False)
class Comparison(Report):
    """Three facts about two arrays, each apart from the others, and their sum in words.

    Attributes
    ----------
    same_storage : bool or None
        Whether one storage holds both; None where nobody tells.
    same_start : bool or None
        Whether both first elements have one address; None without an element.
    common_bytes_between : (int, int)
        Bounds on the number of bytes that both read; equal where exact.
    relation : str
        ``"same_memory"``, ``"view_of_part"``, ``"part_viewed"``,
        ``"overlapping"``, ``"interleaved"``, ``"side_by_side"``,
        ``"separate"``, ``"apart"``, ``"at_least"``, ``"unknown"`` or
        ``"nothing_read"``.
    layouts : (Layout, Layout)
        Both, each counted from its own storage.
    """

    same_storage: bool | None
    same_start: bool | None
    common_bytes_between: tuple[int, int]
    relation: str
    layouts: tuple[Layout, Layout]

    @property
    def exact(self) -> bool:
        """Whether the common bytes are counted, not bounded."""
        low, high = self.common_bytes_between
        return low == high

    @property
    def common_bytes(self) -> int | None:
        """Bytes that both read; None where only bounds are known."""
        return self.common_bytes_between[0] if self.exact else None

    @property
    def words(self) -> str:
        """What the facts come to, in the language in use."""
        low, high = self.common_bytes_between
        return say(f"sharing.words.{self.relation}", low=f"{low:,}", high=f"{high:,}")

    def table(self) -> Table:
        """Return the three facts and their sum as rows."""
        answers = {None: say("sharing.unknown"), False: say("sharing.no"), True: say("sharing.yes")}
        rows = [
            (say("sharing.same_storage"), answers[self.same_storage]),
            (
                say("sharing.same_start"),
                say("sharing.no_element") if self.same_start is None else answers[self.same_start],
            ),
            (say("sharing.common"), _in_bytes(*self.common_bytes_between)),
            (say("sharing.in_words"), self.words),
        ]
        notes = {note: None for each in self.layouts for note in each.notes}
        return Table(rows, notes=tuple(notes))

    def to_dict(self) -> dict[str, object]:
        """Return every fact under its public name."""
        names = "same_storage same_start common_bytes exact common_bytes_between relation"
        return {name: getattr(self, name) for name in names.split()}


def compare(a: Any, b: Any) -> Comparison:
    """Return what two arrays or tensors, of either library, have in common.

    Storage is told by addresses, never by ``.base`` or ``_is_view``.

    Parameters
    ----------
    a, b : numpy.ndarray or torch.Tensor
        Whatever ``layout`` reads, in any combination.

    Raises
    ------
    TypeError
        If one of them has no strides.

    Examples
    --------
    >>> source = np.arange(12.0).reshape(4, 3)
    >>> compare(np.broadcast_to(source[:1], (4, 3)), source)
    same storage          yes
    same start            yes
    bytes read by both    24 B
    in words              a view of part of the second
    >>> compare(source[:, ::2], source[:, 1::2]).words
    'interleaved: one storage, no common byte'
    """
    one, other = place(a), place(b)
    same_storage, between = one.shares_storage_with(other), _common(one, other)
    read = one.layout.logical_bytes and other.layout.logical_bytes
    relation = _relation(one, other, same_storage, between) if read else "nothing_read"
    same_start = None
    if read and one.space and other.space:
        same_start = one.space == other.space and one.strided.start == other.strided.start
    return Comparison(same_storage, same_start, between, relation, (one.layout, other.layout))


def _common(a: Place, b: Place) -> tuple[int, int]:
    """Return bounds on the common bytes, with what each layout knows of itself."""
    touched = [each.layout.touched_bytes_between for each in (a, b)]
    if not (a.space and b.space):
        return 0, min(high for _, high in touched)
    if a.space != b.space:
        return 0, 0
    low, high = common_bytes(a.strided, b.strided)
    if low < high:
        high = min(high, *(most for _, most in touched))
        inside = _covers(b.strided, a.strided), _covers(a.strided, b.strided)
        low = max(low, *(least for (least, _), known in zip(touched, inside, strict=True) if known), 0)
    return low, high


def _covers(a: Strided, b: Strided) -> bool:
    """Return whether every byte of ``b`` is certainly one of ``a``."""
    if a == b:
        return True
    low, high = b.range
    window = Strided((high - low,), (1,), 1, low)
    return common_bytes(a, window) == (high - low, high - low)


def _relation(one: Place, other: Place, same_storage: bool | None, between: tuple[int, int]) -> str:
    low, high = between
    if not (one.space and other.space):
        return "hidden"
    a, b = one.strided, other.strided
    if high == 0:
        if not same_storage:
            return "apart" if same_storage is None else "separate"
        ranges_meet = max(a.range[0], b.range[0]) < min(a.range[1], b.range[1])
        return "interleaved" if ranges_meet else "side_by_side"
    inside, around = (
        _covers(outer, inner) or (low == high == place_of.layout.touched_bytes)
        for outer, inner, place_of in ((b, a, one), (a, b, other))
    )
    if inside or around:
        return "same_memory" if inside and around else "view_of_part" if inside else "part_viewed"
    if low == high:
        return "overlapping"
    return "at_least" if low else "unknown"


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
        Names of tensors that have no strides, such as sparse ones.
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
                _in_bytes(*group.layouts[name].touched_bytes_between),
            )
            for number, group in enumerate(self.groups, 1)
            for first, name in zip([True] + [False] * len(group.names), group.names, strict=False)
        ]
        columns = ("storage", "stored", "name", "range", "touched")
        header = tuple(say(f"sharing.{column}") for column in columns)
        notes = [say("sharing.total", storages=len(self.groups), bytes=f"{self.total_bytes:,}")]
        if not all(group.whole for group in self.groups):
            notes.append(say("sharing.partial"))
        if self.skipped:
            notes.append(say("sharing.no_strides", names=", ".join(self.skipped)))
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
    """Return where an array lives; None where it has no strides."""
    try:
        return place(x)
    except (TypeError, RuntimeError):
        return None


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


def _in_bytes(low: int, high: int) -> str:
    if low == high:
        return f"{low:,} B"
    return say("sharing.between", low=f"{low:,}", high=f"{high:,}")
