"""Faults that only show beside another program."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from zerostride.findings.by_error import Found
from zerostride.findings.running import Use
from zerostride.findings.steps import Step, same_values
from zerostride.gradients import numbers
from zerostride.layouts import is_tensor
from zerostride.sharing import compare


def repeat_is_np_repeat(one: Use, other: Use) -> Iterator[Found]:
    """Tell that one repeats the whole, the other each element; shapes are alike, orders are not."""
    a, b = one.plain.results.get("result"), other.plain.results.get("result")
    if a is None or b is None or tuple(a.shape) != tuple(b.shape) or same_values(a, b):
        return
    if _order(one) != "whole" or _order(other) != "each":
        return
    if np.array_equal(np.sort(numbers(a), axis=None), np.sort(numbers(b), axis=None)):
        yield {}, ("y = torch.tile(source, dims)  # np.tile(source, dims): ABAB",
                   "y = source.repeat_interleave(n, dim)  # np.repeat(source, n, axis): AABB")  # fmt: skip


def _order(use: Use) -> str:
    """Return how the last repetition of a program orders its copies."""
    found = ""
    for step in use.seen.steps:
        in_torch = any(map(is_tensor, step.inputs))
        if step.name == "tile" or (step.name == "repeat" and in_torch):
            found = "whole"
        elif step.name == "repeat_interleave" or (step.name == "repeat" and not in_torch):
            found = "each"
    return found


def mean_against_sum(one: Use, other: Use) -> Iterator[Found]:
    """Tell that two losses differ in their reduction: one gradient is the other times a constant."""
    a, b = _gradient(one), _gradient(other)
    if a is None or b is None or a.shape != b.shape:
        return
    if (reduction(one), reduction(other)) != ("mean", "sum") or not np.any(a):
        return
    factor = float(np.vdot(a, b) / np.vdot(a, a))
    if abs(factor - 1) > 1e-3 and np.allclose(b, factor * a, rtol=1e-3, atol=1e-6 * np.abs(b).max()):
        yield {"factor": f"{factor:.6g}"}, (f"loss = loss * {factor:.6g}",)


def _gradient(use: Use) -> Any:
    if use.gradient is None:
        return None
    return use.gradient.differences.values if use.gradient.autograd is None else use.gradient.autograd


def reduction(use: Use) -> str:
    """Return ``"mean"`` or ``"sum"``, whichever comes last; nothing where neither is seen."""
    steps = use.whole.steps if use.whole else use.seen.steps
    return next((found for step in reversed(steps) if (found := _reduction_of(step))), "")


def _reduction_of(step: Step) -> str:
    if step.name.endswith("_loss") or step.name in ("cross_entropy", "kl_div"):
        return str(step.options.get("reduction", "mean"))
    return {"mean": "mean", "average": "mean", "sum": "sum", "dot": "sum", "einsum": "sum"}.get(step.name, "")


def clone_keeps_path(one: Use, other: Use) -> Iterator[Found]:
    """Tell that a derivative goes back through a clone, beside equal values without a path."""
    if one.leads_back and other.leads_back is False and _equal(one, other):
        cloned = [
            step.outputs[0] for step in (one.learned.steps if one.learned else ()) if step.name == "clone"
        ]
        ends = one.learned.results.values() if one.learned else ()
        if any(compare(each, end).common_bytes for each in cloned for end in ends):
            yield {}, ("y = y.detach().clone()",)


def detach_cuts_path(one: Use, other: Use) -> Iterator[Found]:
    """Tell that a result is detached, beside equal values through which a derivative goes back."""
    told = one.gradient is not None and one.gradient.verdict == "cut"  # as path_cut
    steps = one.learned.steps if one.learned else ()
    detached = any(step.name in ("detach", "data") and step.learned for step in steps)
    if detached and not told and one.leads_back is False and other.leads_back and _equal(one, other):
        yield {}, ("y = y.clone()",)


def _equal(one: Use, other: Use) -> bool:
    a, b = one.plain.results, other.plain.results
    return bool(a) and set(a) == set(b) and all(same_values(a[name], b[name]) for name in a)


def equal_values_other_storage(one: Use, other: Use) -> Iterator[Found]:
    """Tell that results print alike: one reads the source's storage, the other its own."""
    if _equal(one, other) and _reads_source(one) and not _reads_source(other):
        yield {}, ("zs.compare(y, source)",)


def _reads_source(use: Use) -> bool:
    return any(
        compare(each, use.plain.source).common_bytes_between[1] > 0 for each in use.plain.results.values()
    )


BY_PAIR: dict[str, tuple[str, Callable[[Use, Use], Iterator[Found]]]] = {
    "repeat_is_np_repeat": ("03_copies", repeat_is_np_repeat),
    "mean_against_sum": ("05_derivatives", mean_against_sum),
    "clone_keeps_path": ("05_derivatives", clone_keeps_path),
    "detach_cuts_path": ("05_derivatives", detach_cuts_path),
    "equal_values_other_storage": ("01_four_rows_three_numbers", equal_values_other_storage),
}
