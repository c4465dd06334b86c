"""Who shares memory with whom: two arrays compared; all that have a name are in ``storages``."""

from dataclasses import dataclass
from typing import Any

from zerostride.language import say
from zerostride.layouts import Layout
from zerostride.layouts.table import in_bytes
from zerostride.reports import Report, Table
from zerostride.sharing.grouping import Storage as Storage
from zerostride.sharing.grouping import Storages as Storages
from zerostride.sharing.grouping import storages as storages
from zerostride.sharing.overlap import Strided, common_bytes
from zerostride.sharing.places import Place, place
from zerostride.sharing.writability import Writability as Writability
from zerostride.sharing.writability import writable as writable


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
        ``"separate"``, ``"apart"``, ``"at_least"``, ``"unknown"``,
        ``"hidden"``, ``"one_file"``, ``"perhaps_one_file"`` or
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
            (say("sharing.common"), in_bytes(*self.common_bytes_between)),
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

    Storage is told by addresses, never by ``.base`` or ``_is_view``. Two memory
    maps of one file show the same bytes at two addresses: what they have in
    common stays unknown.

    Parameters
    ----------
    a, b : numpy.ndarray or torch.Tensor
        Whatever ``layout`` reads, in any combination.

    Returns
    -------
    Comparison
        ``same_storage``, ``same_start``, ``common_bytes``, and all of it in ``words``.

    Raises
    ------
    TypeError
        If one of them has no strides.

    Examples
    --------
    >>> import numpy as np
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
    same_storage = one.shares_storage_with(other)
    between = _common(one, other, same_storage)
    read = one.layout.logical_bytes and other.layout.logical_bytes
    relation = _relation(one, other, same_storage, between) if read else "nothing_read"
    same_start = None
    if read and one.space and other.space:
        same_start = one.space == other.space and one.strided.start == other.strided.start
    return Comparison(same_storage, same_start, between, relation, (one.layout, other.layout))


def _common(a: Place, b: Place, same_storage: bool | None) -> tuple[int, int]:
    """Return bounds on the common bytes, with what each layout knows of itself."""
    touched = [each.layout.touched_bytes_between for each in (a, b)]
    if not (a.space and b.space) or (same_storage is None and a.may_show(b)):
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
    if same_storage is None and one.may_show(other):
        known = one.file_map and other.file_map and one.file_map.file == other.file_map.file is not None
        return "one_file" if known else "perhaps_one_file"
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
