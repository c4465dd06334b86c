"""Gradients through a graph that someone else built, without a trace on it.

``torch.autograd`` would run the hooks that the learner set on tensors and
nodes, and fill the ``.grad`` of every tensor that retains one. So the graph is
walked here: each node's own backward function is called, in the order of the
engine, and the results are added up where paths meet.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch.autograd.graph import get_gradient_edge

from zerostride.checks.results import NotApplicable

USED_UP = ("backward through the graph a second time", "modified by an inplace operation")


def leads(result: Any, source: Any) -> bool:
    """Return whether the graph of ``result`` leads back to ``source``."""
    if not (result.requires_grad and source.requires_grad):
        return False
    start, end = get_gradient_edge(result), get_gradient_edge(source)
    edges = {(start.node, start.output_nr)}
    for node in _in_order(start.node):
        edges |= set(node.next_functions)
    return (end.node, end.output_nr) in edges


def gradients(loss: Any, targets: Sequence[Any]) -> list[Any]:
    """Return the gradients of a scalar at some tensors, None where no path leads; no hook runs.

    Raises
    ------
    NotApplicable
        If backward has used the graph up, or what it saved was edited since.

    Examples
    --------
    >>> source = torch.ones(1, 3, requires_grad=True)
    >>> gradients((source.expand(4, 3) * 2).sum(), [source])
    [tensor([[8., 8., 8.]])]
    """
    start = get_gradient_edge(loss)
    ends = [get_gradient_edge(target) for target in targets]
    arrived = {(start.node, start.output_nr): torch.ones_like(loss)}
    for node in _on_the_way(start.node, {end.node for end in ends}):
        _pass_on(node, arrived)
    return [arrived.get((end.node, end.output_nr)) for end in ends]


def _in_order(start: Any) -> list[Any]:
    """Return the nodes behind one node and itself, each before all that it leads to."""
    done: list[Any] = []
    seen, waiting = {start}, [(start, iter(start.next_functions))]
    while waiting:
        node, edges = waiting[-1]
        behind = next((each for each, _ in edges if each is not None and each not in seen), None)
        if behind is None:
            done.append(node)
            waiting.pop()
        else:
            seen.add(behind)
            waiting.append((behind, iter(behind.next_functions)))
    return done[::-1]


def _on_the_way(start: Any, ends: set[Any]) -> list[Any]:
    """Return the nodes that have to be called, in order: those that lead to an end."""
    useful: set[Any] = set()
    order = _in_order(start)
    for node in reversed(order):
        if any(behind in useful or behind in ends for behind, _ in node.next_functions):
            useful.add(node)
    return [node for node in order if node in useful]


def _pass_on(node: Any, arrived: dict[tuple[Any, int], Any]) -> None:
    """Call one backward function with what arrived at its node, and add its results to the next ones."""
    given = [arrived.get((node, place)) for place in range(len(node._input_metadata))]
    if all(each is None for each in given):
        return
    for edge, found in zip(*_called(node, given), strict=True):
        if edge[0] is None or found is None:
            continue
        wanted = edge[0]._input_metadata[edge[1]]
        # The engine, too, sums what was broadcast and keeps the dtype of the tensor in the forward pass.
        fitted = found if found.shape == wanted.shape else found.sum_to_size(wanted.shape)
        fitted = fitted.to(wanted.dtype)
        arrived[edge] = fitted if edge not in arrived else arrived[edge] + fitted


def _called(node: Any, given: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the edges behind a node, and what its backward function gives each of them."""
    edges = list(node.next_functions)
    try:
        with torch.no_grad():
            if callable(node):
                return edges, _listed(node(*given))
            filled = [
                torch.zeros(kind.shape, dtype=kind.dtype, device=kind.device) if each is None else each
                for each, kind in zip(given, node._input_metadata, strict=True)
            ]
            found = _listed(node.apply(*filled))
    except RuntimeError as error:
        if any(words in str(error) for words in USED_UP):
            raise NotApplicable("graph_used") from None
        raise
    # A Function of Python answers for every argument, its graph has edges for the tensors alone.
    needed = [each for each, needs in zip(found, node.needs_input_grad, strict=False) if needs]
    return [edge for edge in edges if edge[0] is not None], needed


def _listed(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]
