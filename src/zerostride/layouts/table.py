"""A layout in words: the rows of its table, and the sentences about what is unknown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from zerostride.language import say
from zerostride.reports import Table

if TYPE_CHECKING:
    from zerostride.layouts import Layout

OWNERS = {
    "this array": "layout.owner.this_array",
    "another ndarray": "layout.owner.another_ndarray",
    "torch storage": "layout.owner.torch_storage",
    "unknown": "layout.owner.unknown",
}
CELL_AT_MOST = 128
PART_AT_MOST = 48


def layout_table(seen: Layout) -> Table:
    """Return the answers of a layout as rows of words in the language in use.

    Examples
    --------
    >>> import zerostride as zs
    >>> layout_table(zs.Layout.of((4, 3), (0, 8), 8)).rows[3]
    ('byte offset', 'i×0 + j×8')
    """
    unknown, yes_no = say("layout.unknown"), (say("report.no"), say("report.yes"))
    rows = [
        ("shape", seen.shape),
        ("dtype", ", ".join(filter(None, [_shortened(seen.dtype, PART_AT_MOST), f"{seen.itemsize} B"]))),
        ("strides", _strides(seen)),
        ("formula", seen.formula),
        ("logical", f"{seen.logical_bytes:,} B"),
        ("touched", in_bytes(*seen.touched_bytes_between)),
        ("storage", _storage(seen)),
        ("aliases", unknown if seen.most_aliases is None else seen.most_aliases),
        ("overlaps", unknown if seen.overlaps is None else yes_no[seen.overlaps]),
        ("contiguous", yes_no[seen.contiguous]),
    ]
    table = [(say(f"layout.{key}"), _shortened(value, CELL_AT_MOST)) for key, value in rows]
    return Table(table, notes=seen.notes)


def in_bytes(low: int, high: int) -> str:
    """Return a number of bytes, or its bounds, in the language in use."""
    if low == high:
        return f"{low:,} B"
    return say("layout.between", low=f"{low:,}", high=f"{high:,}")


def remarks(seen: Layout) -> Iterator[str]:
    """Yield a sentence for elements outside the storage, and for each answer that a layout does not have."""
    if seen.outside and "layout.no_data" not in seen.note_keys:
        yield say("layout.outside")
    low, high = seen.touched_bytes_between
    if low < high:
        yield say("layout.touched_between", low=f"{low:,}", high=f"{high:,}")
    if seen.overlaps is None:
        yield say("layout.unknown_overlap")
    if seen.most_aliases is None:
        yield say("layout.unknown_aliases")


def _strides(seen: Layout) -> str:
    strides_bytes = _shortened(seen.strides_bytes, PART_AT_MOST)
    if None in seen.strides_elements:
        return say("layout.bytes_alone", bytes=strides_bytes)
    return say(
        "layout.both_units", bytes=strides_bytes, elements=_shortened(seen.strides_elements, PART_AT_MOST)
    )


def _storage(seen: Layout) -> str:
    stored = f"{seen.storage_bytes:,} B"
    if not seen.owner:
        return stored
    owner = say(OWNERS[seen.owner]) if seen.owner in OWNERS else seen.owner
    return say("layout.held", stored=stored, owner=owner)


def _shortened(value: object, longest: int) -> str:
    """Return a text whose middle is left out where it is long: 64 axes, a dtype of 20 fields."""
    text = str(value)
    half = (longest - 5) // 2
    return text if len(text) <= longest else f"{text[:half]} ... {text[-half:]}"
