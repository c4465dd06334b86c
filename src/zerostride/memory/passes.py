"""A program run forward and backward on leaves of its own, and what its result holds."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import is_dataclass
from typing import Any

from zerostride.language import say
from zerostride.layouts import is_tensor
from zerostride.memory.totals import bytes_of


def ran(f: Callable[..., Any], inputs: Iterable[Any]) -> Any:
    """Return the result of a program.

    Raises
    ------
    TypeError
        If it is an iterator or a coroutine: then nothing has run yet.

    Examples
    --------
    >>> ran(max, [2, 3])
    3
    """
    result = f(*inputs)
    if isinstance(result, Iterator) or inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        raise TypeError(say("memory.nothing_ran", type=type(result).__name__))
    return result


def forward_and_backward(
    f: Callable[..., Any], inputs: tuple[Any, ...], counted: Callable[[Callable[[], Any]], Any]
) -> int | None:
    """Run both passes, each through ``counted``; return the bytes of the gradients that they left.

    Inputs that learn are replaced by leaves that share their storage; what else
    learns gets its gradient back as it was.

    Raises
    ------
    RuntimeError
        If the graph of the result began before this run, or is used up.
    """
    import torch

    own = {id(each): each.detach().requires_grad_(each.requires_grad) for each in inputs}
    torch.clear_autocast_cache()  # It would hand a graph on from one run to the next.
    before_it = _sequence_number()
    result = counted(lambda: ran(f, [own[id(each)] for each in inputs]))
    results = [each for each in tensors_of(result) if each.requires_grad]
    if not results:
        return None
    # A backward pass would use up the caller's graph.
    if any(node._sequence_nr() < before_it for node in nodes_of(results)):
        raise RuntimeError(say("memory.graph_from_before"))
    before = [(leaf, leaf.grad) for leaf in _leaves_of(results)]
    try:
        for leaf, _ in before:
            leaf.grad = None
        with graph_used_once():
            counted(lambda: torch.autograd.backward(results, [torch.ones_like(each) for each in results]))
        gradients = [leaf.grad for leaf, _ in before if leaf.grad is not None]
        return bytes_of(*gradients).storage_bytes if gradients else 0
    finally:
        for leaf, gradient in before:
            leaf.grad = gradient


@contextmanager
def graph_used_once() -> Iterator[None]:
    """Say in words that a graph has been freed by a backward pass before."""
    try:
        yield
    except RuntimeError as error:
        if "a second time" in str(error):
            raise RuntimeError(say("memory.graph_used_up")) from error
        raise


def _sequence_number() -> int:
    """Return the number that this thread's next node gets: nodes with less are older."""
    import torch

    with torch.enable_grad(), torch.inference_mode(False):
        node: Any = (torch.ones((), requires_grad=True) + 0).grad_fn
    return int(node._sequence_nr()) + 1


def tensors_of(result: Any) -> list[Any]:
    """Return the tensors in a result: itself, or those in its lists, dicts and dataclasses."""
    if is_tensor(result):
        return [result]
    if is_dataclass(result) and not isinstance(result, type):
        result = vars(result)
    if isinstance(result, Mapping):
        result = list(result.values())
    many = isinstance(result, list | tuple | set | frozenset)
    return [each for part in result for each in tensors_of(part)] if many else []


def nodes_of(results: Iterable[Any]) -> list[Any]:
    """Return every node of the graph behind results, each once."""
    found: dict[Any, None] = {}
    waiting = [each.grad_fn for each in results]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found[node] = None
            waiting += [following for following, _ in node.next_functions]
    return list(found)


def _leaves_of(results: list[Any]) -> list[Any]:
    """Return the leaves that a gradient from these results reaches, each once."""
    leaves = [node.variable for node in nodes_of(results) if hasattr(node, "variable")]
    leaves += [each for each in results if each.grad_fn is None]
    return list({id(leaf): leaf for leaf in leaves}.values())
