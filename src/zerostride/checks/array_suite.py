"""The claims on which NumPy arrays and plain torch tensors give evidence of the same kind."""

from collections.abc import Callable
from typing import Any

import numpy as np

from zerostride.checks.results import Finding, NotApplicable, listed, measured, sized, wrong
from zerostride.checks.storage import changed, has_own_bytes, replicas, same, share_bytes, write_first
from zerostride.gradients import STEP, column_sums, finite_difference, in_float64, is_real, numbers, rounding
from zerostride.language import enumerated, say
from zerostride.layouts import layout

MOST_DIFFERENCE_ELEMENTS = 1 << 22


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
    elements = listed(seen.strides_elements)
    return measured(
        seen.strides_bytes[0] == 0,
        "checks.row_stride_is_zero.arrays",
        strides_bytes=str(seen.strides_bytes),
        strides_elements=elements,
    )


def view_shares_storage(source: Any, view: Any) -> Finding:
    """Look for a common byte."""
    need_elements(source, view)
    return _one_storage(source, view) if share_bytes(source, view) else wrong("no_common_byte")


def tile_has_own_storage(source: Any, tiled: Any) -> Finding:
    """Look for a common byte, with the source or within the copy."""
    need_elements(source, tiled)
    if share_bytes(source, tiled):
        return _one_storage(source, tiled, holds=False)
    return _own_bytes(tiled)


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
    return measured(
        holds,
        "checks.logical_bytes_exceed_stored_bytes.arrays",
        view_logical_bytes=expanded.logical_bytes,
        view_stored_bytes=expanded.touched_bytes,
        tiled_logical_bytes=copied.logical_bytes,
        tiled_stored_bytes=copied.touched_bytes,
    )


def dense_result_has_own_storage(source: Any, dense: Any, view: Any = None, weights: Any = None) -> Finding:
    """Look for a common byte, with the inputs or within the result."""
    need_elements(source, dense)
    others = [source] if view is None else [source, view]
    if any(share_bytes(dense, other) for other in others):
        return _one_storage(source, dense, holds=False)
    if view is not None and tuple(view.shape) != tuple(dense.shape):
        return shapes_differ(view, dense)
    return _own_bytes(dense)


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
        close(sums, expected, rounding(sums, weights.shape[0]) * _largest(weights)),
        "checks.column_sums_are_22_26_30.arrays",
        sums=listed(sums),
        expected=listed(expected),
        dtype=layout(sums).dtype,
    )


def view_gradient_matches_column_sums(source: Any, weights: Any, make: Callable[[Any], Any]) -> Finding:
    """Compare central differences with the column sums, through a view."""
    return _differences(source, weights, make, shares=True)


def copy_gradient_matches_column_sums(source: Any, weights: Any, make: Callable[[Any], Any]) -> Finding:
    """Compare central differences with the column sums, through a copy."""
    return _differences(source, weights, make, shares=False)


def _differences(source: Any, weights: Any, make: Callable[[Any], Any], shares: bool) -> Finding:
    need_derivative(source, weights)
    start = in_float64(source)
    problem = program_problem(start, weights, make, shares)
    if problem:
        return problem
    differences, tolerance = differences_of(start, weights, make)
    expected = column_sums(weights)
    return measured(
        close(differences, expected, tolerance),
        "checks.gradient_matches.arrays",
        dtype=layout(source).dtype,
        differences=listed(differences),
        expected=listed(expected),
    )


def program_problem(start: Any, weights: Any, make: Callable[[Any], Any], shares: bool) -> Finding | None:
    """Return what is wrong with the program itself: its shape, or whether it copies."""
    made = make(start)
    if tuple(made.shape) != tuple(weights.shape) or layout(start).size != weights.shape[-1]:
        return shapes_differ(start, made, weights)
    if share_bytes(start, made) != shares:
        return _one_storage(start, made, holds=False) if not shares else wrong("no_common_byte")
    return None


def differences_of(start: Any, weights: Any, make: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Return the central differences of the weighted loss, and how far rounding may move them."""
    size, cols = layout(weights).size, layout(start).size
    if size * cols > MOST_DIFFERENCE_ELEMENTS:
        raise ValueError(
            say("checks.too_many_differences", needed=size * cols, most=MOST_DIFFERENCE_ELEMENTS)
        )
    factors = in_float64(weights) if is_real(weights) else weights
    differences = finite_difference(lambda z: (make(z) * factors).sum(), start)
    loss = np.abs(numbers(make(start)) * numbers(weights)).sum()
    return differences, 1e-8 * (1 + _largest(weights)) + 4 * np.finfo(float).eps * loss / STEP


def close(found: Any, expected: np.ndarray[Any, Any], tolerance: Any) -> bool:
    """Return whether every number found lies within the tolerance of the one expected."""
    seen = numbers(found).ravel()
    gaps = np.abs((seen.astype(object) if expected.dtype == object else seen) - expected.ravel())
    return bool(np.all(gaps <= tolerance))


def broadcasts(source: Any, target: Any) -> bool:
    """Return whether the source's shape broadcasts to the target's."""
    try:
        return np.broadcast_shapes(tuple(source.shape), tuple(target.shape)) == tuple(target.shape)
    except ValueError:
        return False


def shapes_differ(*arrays: Any) -> Finding:
    """Return the finding that these shapes do not belong together."""
    return wrong("shapes_differ", shapes=enumerated(sized(x) for x in arrays))


def need_elements(*arrays: Any) -> None:
    """Raise NotApplicable where there is nothing to read or write."""
    for x in arrays:
        if layout(x).size == 0:
            raise NotApplicable("no_elements", shape=sized(x))


def need_rows(view: Any, several: bool = False) -> None:
    """Raise NotApplicable where the view has no elements or, if several are asked for, one row."""
    if layout(view).ndim < 2:
        raise ValueError(say("checks.needs_rows", shape=sized(view)))
    need_elements(view)
    if several and view.shape[0] == 1:
        raise NotApplicable("one_row")


def need_derivative(*arrays: Any) -> None:
    """Raise NotApplicable where the first array cannot move by a small step, or one is complex."""
    need_elements(*arrays)
    for x in arrays:
        if layout(x).dtype.startswith("complex"):
            raise NotApplicable("complex_derivative", dtype=layout(x).dtype)
    if not is_real(arrays[0]):
        raise NotApplicable("no_small_step", dtype=layout(arrays[0]).dtype)


def _largest(weights: Any) -> Any:
    seen = np.abs(numbers(weights).astype(np.complex128))
    return seen.sum(axis=0)


def changed_rows(before: np.ndarray[Any, Any], after: Any) -> int:
    """Return in how many rows at least one number differs."""
    cells = changed(before, after)
    return int(cells.reshape(len(cells), -1).any(axis=1).sum())


def _one_storage(source: Any, other: Any, holds: bool = True) -> Finding:
    return measured(
        holds,
        "checks.found.one_storage",
        source_start_bytes=layout(source).storage_offset_bytes,
        start_bytes=layout(other).storage_offset_bytes,
    )


def _own_bytes(x: Any) -> Finding:
    seen = layout(x)
    return measured(
        has_own_bytes(x),
        "checks.found.own_bytes",
        logical_bytes=seen.logical_bytes,
        own_bytes=seen.touched_bytes,
    )
