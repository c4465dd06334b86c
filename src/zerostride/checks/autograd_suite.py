"""The fourteen claims by evidence from tensors that require grad."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from zerostride.checks import array_suite, torch_suite
from zerostride.checks.backward import gradients, leads
from zerostride.checks.conditions import (
    broadcasts,
    need_derivative,
    need_elements,
    need_named,
    need_not_complex,
    need_rows,
    shapes_differ,
)
from zerostride.checks.differences import differences_of, made_by, program_problem
from zerostride.checks.equality import close
from zerostride.checks.graph import (
    edited_before_backward,
    gradient,
    replay,
    saved,
    saved_bytes,
    weights_for,
)
from zerostride.checks.relations import other_source
from zerostride.checks.results import Finding, NotApplicable, listed, measured, sized, wrong
from zerostride.checks.samples import cycle
from zerostride.checks.storage import has_own_bytes, write_first
from zerostride.gradients import column_sums, in_float64, numbers, rounding
from zerostride.layouts import layout


def shapes_match(source: Any, view: Any, tiled: Any) -> Finding:
    """Compare the gradient's shape with the source's, either way."""
    need_not_complex(source)
    forward = array_suite.shapes_match(source, view, tiled)
    if not forward.holds:
        return forward
    found = [gradient(each, source, torch.ones_like(each)) for each in (view, tiled)]
    if any(each is None for each in found):
        return wrong("no_path")
    via_view, via_tiled = (sized(each) for each in found)
    holds = via_view == via_tiled == sized(source)
    return measured(holds, "checks.shapes_match.autograd", via_view=via_view, via_tiled=via_tiled)


def values_match(source: Any, view: Any, tiled: Any, weights: Any = None) -> Finding:
    """Compare the numbers, then the weighted losses and the gradients."""
    need_rows(view)
    need_derivative(source)
    forward = array_suite.values_match(source, view, tiled)
    if not forward.holds:
        return forward
    factors = weights_for(view, weights)
    losses = [_finite(weighted_loss(each, factors)) for each in (view, tiled)]
    found = [gradient(each, source, factors) for each in (view, tiled)]
    if any(each is None for each in found):
        return wrong("no_path")
    size = rounding(source, layout(view).size)
    total = float((view.detach().double() * factors.double()).abs().sum())
    most = float(factors.double().abs().sum(0).max())
    holds = close(losses[0], numbers(losses[1]).astype(float), size * total) and close(
        _finite(found[0]), numbers(_finite(found[1])).astype(float), size * most
    )
    return measured(
        holds,
        "checks.values_match.autograd",
        view_loss=f"{losses[0].item():.6g}",
        tiled_loss=f"{losses[1].item():.6g}",
        view_gradient=listed(found[0]),
        tiled_gradient=listed(found[1]),
    )


def row_stride_is_zero(view: Any, source: Any = None, weights: Any = None) -> Finding:
    """Ask for the gradient at the view, and whether its column sums arrive at the source."""
    need_named("source", source)
    need_rows(view, several=True)
    need_derivative(source)
    forward = array_suite.row_stride_is_zero(view, source)
    if not forward.holds:
        return forward
    factors = weights_for(view, weights)
    if not leads(view, source):
        return wrong("no_path")
    at_view, at_source = gradients((view * factors).sum(), [view, source])
    summed = column_sums(at_view)
    dense = layout(at_view).overlaps is False
    holds = dense and close(_finite(at_source), summed, _slack(factors, at_source))
    return measured(
        holds,
        "checks.row_stride_is_zero.autograd",
        shape=sized(at_view),
        strides_elements=str(at_view.stride()),
        gradient=listed(at_source),
    )


def view_shares_storage(source: Any, view: Any) -> Finding:
    """Ask which base the view is recorded for."""
    forward = array_suite.view_shares_storage(source, view)
    if not forward.holds:
        return forward
    if not leads(view, source):
        return wrong("no_path")
    base = view._base if view._is_view() else None
    node = view.grad_fn.name() if view.grad_fn else type(view).__name__
    holds = base is not None and (base is source or base is source._base)
    return measured(holds, "checks.view_shares_storage.autograd", node=node, recorded=holds)


def tile_has_own_storage(source: Any, tiled: Any) -> Finding:
    """Follow the graph from bytes of its own back to the source."""
    forward = torch_suite.tile_has_own_storage(source, tiled)
    if not forward.holds:
        return forward
    if not leads(tiled, source):
        return wrong("no_path")
    own_bytes = layout(tiled).touched_bytes
    return measured(
        True, "checks.tile_has_own_storage.autograd", own_bytes=own_bytes, node=tiled.grad_fn.name()
    )


def view_is_read_only(view: Any, source: Any = None) -> Finding:
    """Try a write into a replica, a view of a leaf as the original is."""
    need_elements(view)
    base = view._base if view._is_view() else None
    if base is None or not (base.is_leaf and base.requires_grad):
        return wrong("no_view_of_a_leaf")
    other = other_source(source, view)
    if other:
        return other
    _, replica = replay(base, view)
    try:
        write_first(replica)
    except RuntimeError as error:
        if "leaf" not in str(error):
            raise
        return measured(True, "checks.view_is_read_only.autograd", error=type(error).__name__)
    return wrong("write_ran")


def source_write_reaches_every_row(source: Any, view: Any, tiled: Any, weights: Any = None) -> Finding:
    """Edit a replica of the source between forward and backward, if both give one gradient before."""
    forward = values_match(source, view, tiled, weights)
    if not forward.holds:
        return forward
    factors = weights_for(view, weights)
    if layout(source).size != factors.shape[-1]:
        return shapes_differ(source, view)
    through_view, through_tiled = (edited_before_backward(source, each, factors) for each in (view, tiled))
    expected = 2 * numbers(source).astype(float).ravel() * column_sums(factors)
    slack = 2 * np.abs(numbers(source).astype(float)).ravel() * _slack(factors, source)
    untouched = through_tiled is not None and close(_finite(through_tiled), expected, slack)
    return measured(
        through_view is None and untouched,
        "checks.source_write_reaches_every_row.autograd",
        view=_caught(through_view),
        tiled=_caught(through_tiled),
        expected=listed(expected),
    )


def copied_write_stays_local(source: Any, view: Any, edited: Any, weights: Any = None) -> Finding:
    """Edit a clone and ask for the gradient of the uses that are left; detach must leave none."""
    need_rows(view)
    need_derivative(source)
    if tuple(view.shape) != tuple(edited.shape) or not broadcasts(source, view):
        return shapes_differ(source, view, edited)
    if not has_own_bytes(edited, source, view):
        return wrong("edit_is_not_local")
    if not leads(edited, source):
        return wrong("no_path")
    factors = weights_for(view, weights)
    copy = edited.clone()
    write_first(copy)
    found = gradient(copy, source, factors)
    expected = column_sums(factors)
    expected[0] -= float(factors[0, 0])
    return measured(
        close(_finite(found), expected, _slack(factors, found)) and not leads(copy.detach(), source),
        "checks.copied_write_stays_local.autograd",
        gradient=listed(found),
        expected=listed(expected),
    )


def logical_bytes_exceed_stored_bytes(source: Any, view: Any, tiled: Any) -> Finding:
    """Count what is saved for backward by the square and by the weighted loss."""
    need_rows(view, several=True)
    forward = array_suite.logical_bytes_exceed_stored_bytes(source, view, tiled)
    if not forward.holds:
        return forward
    of_view, of_tiled = saved(lambda: view**2), saved(lambda: tiled**2)
    factors = cycle(view)
    of_loss = saved(lambda: (view * factors).sum())
    view_bytes, tiled_bytes = saved_bytes(of_view), saved_bytes(of_tiled)
    holds = (
        view_bytes == (layout(view).logical_bytes, layout(source).logical_bytes)
        and tiled_bytes == (layout(tiled).logical_bytes,) * 2
        and saved_bytes(of_loss)[1] == layout(factors).logical_bytes
    )
    return measured(
        holds,
        "checks.logical_bytes_exceed_stored_bytes.autograd",
        view_logical_bytes=view_bytes[0],
        view_stored_bytes=view_bytes[1],
        tiled_logical_bytes=tiled_bytes[0],
        tiled_stored_bytes=tiled_bytes[1],
        loss_stored_bytes=saved_bytes(of_loss)[1],
    )


def dense_result_has_own_storage(source: Any, dense: Any, view: Any = None, weights: Any = None) -> Finding:
    """Ask for the gradient at the view and look for bytes that it shares."""
    need_named("view", view)
    need_rows(view)
    need_derivative(source)
    forward = array_suite.dense_result_has_own_storage(source, dense, view)
    if not forward.holds:
        return forward
    factors = weights_for(view, weights)
    at_view = gradient(dense, view, factors)
    if at_view is None or not leads(view, source):
        return wrong("no_path")
    return measured(
        has_own_bytes(at_view, source, view, dense, factors),
        "checks.dense_result_has_own_storage.autograd",
        shape=sized(at_view),
        own_bytes=layout(at_view).touched_bytes,
    )


def size_two_axis_cannot_expand(two_rows: Any, shape: tuple[int, ...]) -> Finding:
    """Try the expansion and look for anything that a graph would leave."""
    before = (two_rows._version, two_rows.grad_fn)
    attempts: list[Finding] = []
    kept = saved(lambda: attempts.append(array_suite.size_two_axis_cannot_expand(two_rows, shape)))
    forward = attempts[0]
    if not forward.holds:
        return forward
    holds = not kept and (two_rows._version, two_rows.grad_fn) == before
    evidence = {**forward.evidence, "saved_tensors": len(kept)}
    return measured(holds, "checks.size_two_axis_cannot_expand.autograd", **evidence)


def column_sums_are_22_26_30(weights: Any, sums: Any, source: Any = None) -> Finding:
    """Compare the gradient that backward gave with the column sums."""
    need_named("source", source)
    need_elements(weights)
    need_derivative(source, weights)
    if tuple(sums.shape) != tuple(source.shape):
        return shapes_differ(source, sums)
    expected = column_sums(weights)
    if np.abs(expected).max() > torch.finfo(sums.dtype).max:
        raise NotApplicable("overflow", dtype=layout(sums).dtype)
    forward = array_suite.column_sums_are_22_26_30(weights, sums)
    return measured(forward.holds, "checks.column_sums_are_22_26_30.autograd", **forward.evidence)


def view_gradient_matches_column_sums(source: Any, weights: Any, make: Callable[[Any], Any]) -> Finding:
    """Compare autograd with differences, column sums and gradcheck, through a view."""
    return _gradcheck(source, weights, make, shares=True)


def copy_gradient_matches_column_sums(source: Any, weights: Any, make: Callable[[Any], Any]) -> Finding:
    """Compare autograd with differences, column sums and gradcheck, through a copy."""
    return _gradcheck(source, weights, make, shares=False)


def _gradcheck(source: Any, weights: Any, make: Callable[[Any], Any], shares: bool) -> Finding:
    need_derivative(source, weights)
    leaf = in_float64(source).requires_grad_()
    factors = in_float64(weights)
    problem = program_problem(leaf, weights, make, shares)
    if problem:
        return problem
    differences, tolerance = differences_of(in_float64(source), weights.detach(), make)
    found, expected = gradient(made_by(make, leaf), leaf, factors), column_sums(weights)
    if found is None:
        return wrong("no_path")
    agrees = torch.autograd.gradcheck(lambda z: (make(z) * factors).sum(), leaf, raise_exception=False)
    return measured(
        close(found, expected, tolerance) and close(differences, expected, tolerance) and agrees,
        "checks.gradient_matches.autograd",
        gradient=listed(found),
        differences=listed(differences),
        expected=listed(expected),
        gradcheck=bool(agrees),
    )


def weighted_loss(x: Any, weights: Any) -> Any:
    """Return the sum of the numbers times their weights, without a graph."""
    return (x.detach() * weights).sum()


def _slack(weights: Any, found: Any) -> Any:
    return rounding(found, weights.shape[0]) * column_sums(weights.abs())


def _caught(found: Any) -> str:
    return "RuntimeError" if found is None else listed(found)


def _finite(x: Any) -> Any:
    if not torch.isfinite(x).all():
        raise NotApplicable("overflow", dtype=layout(x).dtype)
    return x
