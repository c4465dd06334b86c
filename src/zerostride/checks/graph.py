"""What the graph of a tensor can be asked without changing it: paths, gradients, saved tensors.

Only graphs that are made here, on replicas, are run by the engine: no ``.grad``
changes, no hook runs, and what was handed in stays usable.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks

from zerostride.checks.backward import gradients, leads
from zerostride.checks.conditions import need_finite
from zerostride.checks.replicas import replicas
from zerostride.checks.results import sized
from zerostride.checks.samples import cycle
from zerostride.checks.storage import share_bytes, write_first
from zerostride.language import say
from zerostride.layouts import layout


def gradient(result: Any, source: Any, weights: Any) -> Any:
    """Return what the weighted loss of ``result`` gives the source, or None where no path leads there."""
    return gradients((result * weights).sum(), [source])[0] if leads(result, source) else None


def weights_for(view: Any, weights: Any) -> Any:
    """Return the weights handed in, or 1, 2, 3 … row by row; constant in both cases."""
    if weights is None:
        return cycle(view)
    if tuple(weights.shape) != tuple(view.shape):
        raise ValueError(say("checks.weights_shape", weights=sized(weights), view=sized(view)))
    need_finite(weights)
    return weights.detach()


def replay(base: Any, x: Any) -> tuple[Any, Any]:
    """Return a fresh leaf, and what ``x`` is to ``base``: a view of it, or a copy with a path to it."""
    leaf, twin = replicas(base.detach(), x.detach())
    leaf.requires_grad_()
    if share_bytes(base, x):
        return leaf, leaf.as_strided(twin.shape, twin.stride(), twin.storage_offset())
    return leaf, leaf.expand(twin.shape).clone()


def edited_before_backward(source: Any, x: Any, weights: Any) -> Any:
    """Return the gradient after an edit of the source between forward and backward; None if caught."""
    leaf, replica = replay(source, x)
    loss = (replica**2 * weights).sum()
    with torch.no_grad():
        write_first(leaf)
    try:
        return torch.autograd.grad(loss, leaf)[0]
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
        return None


def saved(run: Callable[[], Any]) -> list[Any]:
    """Return the tensors that the graph of a program keeps for backward."""
    kept: list[Any] = []

    def keep(x: Any) -> Any:
        kept.append(x.detach())
        return x

    with saved_tensors_hooks(keep, lambda x: x):
        run()
    return kept


def saved_bytes(tensors: list[Any]) -> tuple[int, int]:
    """Return the logical and the stored bytes of saved tensors together."""
    seen = [layout(x) for x in tensors]
    return sum(each.logical_bytes for each in seen), sum(each.touched_bytes or 0 for each in seen)
