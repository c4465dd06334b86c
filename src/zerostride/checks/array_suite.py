"""The claims on which NumPy arrays and plain torch tensors give evidence of the same kind."""

from collections.abc import Callable
from typing import Any

import numpy as np

from zerostride.checks.conditions import broadcasts, need_elements, need_rows, shapes_differ
from zerostride.checks.differences import differences_match, largest_sums
from zerostride.checks.equality import changed, changed_rows, close, same
from zerostride.checks.relations import in_one_storage, other_source, own_bytes, reads_the_source
from zerostride.checks.replicas import replicas
from zerostride.checks.results import Finding, listed, measured, sized, wrong
from zerostride.checks.storage import has_own_bytes, share_bytes, write_first
from zerostride.gradients import column_sums, numbers, rounding
from zerostride.layouts import layout


def shapes_match(source: Any, view: Any, tiled: Any) -> Finding:
    """Compare the two shapes, and whether the source broadcasts to them."""
    holds = tuple(view.shape) == tuple(tiled.shape) and broadcasts(source, view)
    return measured(holds, "checks.shapes_match.arrays", view=sized(view), tiled=sized(tiled))


def values_match(source: Any, view: Any, tiled: Any, weights: Any = None) -> Finding:
    """Compare both with the source, element by element."""
    if tuple(view.shape) != tuple(tiled.shape) or not broadcasts(source, view):
        return shapes_differ(source, view, tiled)
    need_elements(view)
    wanted = np.broadcast_to(numbers(source), tuple(view.shape))
    equal = same(numbers(view), wanted) & same(numbers(tiled), wanted)
    return measured(
        equal.all(), "checks.values_match.arrays", equal=int(equal.sum()), elements=layout(view).size
    )


def row_stride_is_zero(view: Any, source: Any = None, weights: Any = None) -> Finding:
    """Read the strides."""
    need_rows(view, several=True)
    seen = layout(view)
    found = measured(
        seen.strides_bytes[0] == 0,
        "checks.row_stride_is_zero.arrays",
        strides_bytes=str(seen.strides_bytes),
        strides_elements=listed(seen.strides_elements),
    )
    return (other_source(source, view) or found) if found.holds else found


def view_shares_storage(source: Any, view: Any) -> Finding:
    """Look for common bytes, and for bytes that the source has not."""
    need_elements(source, view)
    return reads_the_source(source, view)


def tile_has_own_storage(source: Any, tiled: Any) -> Finding:
    """Look for a common byte, with the source or within the copy."""
    need_elements(source, tiled)
    if share_bytes(source, tiled):
        return in_one_storage(source, tiled, holds=False)
    return own_bytes(tiled)


def source_write_reaches_every_row(source: Any, view: Any, tiled: Any, weights: Any = None) -> Finding:
    """Write into a replica of the source and count the rows that see it."""
    need_rows(view)
    need_elements(source, tiled)
    new_source, new_view, new_tiled = replicas(source, view, tiled)
    before_view, before_tiled = numbers(new_view).copy(), numbers(new_tiled).copy()
    old, new = write_first(new_source)
    view_rows = changed_rows(before_view, new_view)
    tiled_rows = changed_rows(before_tiled, new_tiled)
    return measured(
        view_rows == view.shape[0] and tiled_rows == 0,
        "checks.source_write_reaches_every_row.arrays",
        old=old,
        new=new,
        rows=int(view.shape[0]),
        view_rows=view_rows,
        tiled_rows=tiled_rows,
    )


def copied_write_stays_local(source: Any, view: Any, edited: Any, weights: Any = None) -> Finding:
    """Write into a replica of the copy and count the cells that change."""
    need_elements(source, view, edited)
    if tuple(view.shape) != tuple(edited.shape):
        return shapes_differ(view, edited)
    made = replicas(source, view, edited)
    before = [numbers(x).copy() for x in made]
    old, new = write_first(made[2])
    cells = [int(changed(*pair).sum()) for pair in zip(before, made, strict=True)]
    if cells == [0, 0, 1] and not has_own_bytes(edited, source, view):
        return wrong("edit_is_not_local")
    return measured(
        cells == [0, 0, 1],
        "checks.copied_write_stays_local.arrays",
        old=old,
        new=new,
        edited_cells=cells[2],
        view_cells=cells[1],
        source_cells=cells[0],
    )


def logical_bytes_exceed_stored_bytes(source: Any, view: Any, tiled: Any) -> Finding:
    """Count logical and stored bytes of view and copy."""
    need_rows(view, several=True)
    base, expanded, copied = layout(source), layout(view), layout(tiled)
    holds = (
        expanded.logical_bytes == copied.logical_bytes == copied.touched_bytes
        and expanded.touched_bytes == base.logical_bytes < expanded.logical_bytes
    )
    found = measured(
        holds,
        "checks.logical_bytes_exceed_stored_bytes.arrays",
        view_logical_bytes=expanded.logical_bytes,
        view_stored_bytes=expanded.touched_bytes,
        tiled_logical_bytes=copied.logical_bytes,
        tiled_stored_bytes=copied.touched_bytes,
    )
    return (other_source(source, view) or found) if holds else found


def dense_result_has_own_storage(source: Any, dense: Any, view: Any = None, weights: Any = None) -> Finding:
    """Look for a common byte, with the inputs or within the result."""
    need_elements(source, dense)
    others = [source] if view is None else [source, view]
    if any(share_bytes(dense, other) for other in others):
        return in_one_storage(source, dense, holds=False)
    if view is not None and tuple(view.shape) != tuple(dense.shape):
        return shapes_differ(view, dense)
    return own_bytes(dense)


def size_two_axis_cannot_expand(two_rows: Any, shape: tuple[int, ...]) -> Finding:
    """Try the expansion, and look for the axis of size two that forbids it."""
    evidence = {"source": sized(two_rows), "target": str(shape)}
    pairs = zip(reversed(two_rows.shape), reversed(shape), strict=False)
    meets_another_size = any(have == 2 != wanted for have, wanted in pairs)
    try:
        _ = np.broadcast_to(two_rows, shape) if isinstance(two_rows, np.ndarray) else two_rows.expand(shape)
    except (ValueError, RuntimeError) as error:
        key = "checks.size_two_axis_cannot_expand.arrays"
        return measured(meets_another_size, key, **evidence, error=type(error).__name__)
    return wrong("expanded", **evidence)


def column_sums_are_22_26_30(weights: Any, sums: Any, source: Any = None) -> Finding:
    """Add the weights by column and compare."""
    need_elements(weights)
    expected = column_sums(weights)
    if layout(sums).size != expected.size:
        return shapes_differ(weights, sums)
    return measured(
        close(sums, expected, rounding(sums, weights.shape[0]) * largest_sums(weights)),
        "checks.column_sums_are_22_26_30.arrays",
        sums=listed(sums),
        expected=listed(expected),
        dtype=layout(sums).dtype,
    )


def view_gradient_matches_column_sums(source: Any, weights: Any, make: Callable[[Any], Any]) -> Finding:
    """Compare central differences with the column sums, through a view."""
    return differences_match(source, weights, make, shares=True)


def copy_gradient_matches_column_sums(source: Any, weights: Any, make: Callable[[Any], Any]) -> Finding:
    """Compare central differences with the column sums, through a copy."""
    return differences_match(source, weights, make, shares=False)
