"""How the bytes of one array lie to those of another, as findings."""

from typing import Any

from zerostride.checks.results import Finding, measured, wrong
from zerostride.checks.storage import address, has_own_bytes, share_bytes, span, storage_start
from zerostride.layouts import layout


def reads_the_source(source: Any, view: Any) -> Finding:
    """Return whether the view reads bytes of the source, and none before or after them."""
    if not share_bytes(source, view):
        return wrong("no_common_byte")
    (low, high), (view_low, view_high) = span(source), span(view)
    if low <= view_low and view_high <= high:
        return in_one_storage(source, view)
    first = min(storage_start(source), storage_start(view))
    return wrong(
        "beyond_source",
        source_bytes=f"{low - first}-{high - first - 1}",
        view_bytes=f"{view_low - first}-{view_high - first - 1}",
    )


def other_source(source: Any, view: Any) -> Finding | None:
    """Return what tells that a view with elements reads another source than the one handed in, if any."""
    if source is None or layout(source).size == 0 or layout(view).size == 0:
        return None
    found = reads_the_source(source, view)
    return None if found.holds else found


def in_one_storage(source: Any, other: Any, holds: bool = True) -> Finding:
    """Return where both start, counted from the start of the storage that starts first."""
    first = min(storage_start(source), storage_start(other))
    return measured(
        holds,
        "checks.found.one_storage",
        source_start_bytes=address(source) - first,
        start_bytes=address(other) - first,
    )


def own_bytes(x: Any) -> Finding:
    """Return whether no two elements of an array share a byte."""
    seen = layout(x)
    return measured(
        has_own_bytes(x),
        "checks.found.own_bytes",
        logical_bytes=seen.logical_bytes,
        own_bytes=seen.touched_bytes,
    )
