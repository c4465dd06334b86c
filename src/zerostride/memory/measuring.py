"""What a program really allocates, forward and backward, by each library's own counters."""

import gc
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import Any

import numpy as np

from zerostride.language import say
from zerostride.layouts import is_tensor
from zerostride.memory.bill import EXACT_FROM_BYTES
from zerostride.memory.quiet import quiet_profiler
from zerostride.memory.room import refuse_what_does_not_fit
from zerostride.memory.tape import large, peak_of
from zerostride.memory.totals import bytes_of
from zerostride.memory.units import bytes_and_units
from zerostride.reports import Report, Table

# tracemalloc, the profiler and the redirected stderr belong to the whole process.
_ONE_AT_A_TIME = RLock()

_LINES = (
    *("input", "forward_peak", "forward_allocated", "kept"),
    *("backward_peak", "backward_allocated", "gradient", "new_peak", "small"),
)


@dataclass(frozen=True, repr=False)
class Measured(Report):
    """What was allocated beside the inputs.

    Attributes
    ----------
    library, device, instrument : str
        What was run where, and what counted.
    input_bytes : int
        Storage of the inputs, each counted once; it exists already.
    forward_peak_bytes, backward_peak_bytes : int
        The most alive at once in each pass; what the forward pass left counts
        in the second. None without a backward pass.
    forward_allocated_bytes, backward_allocated_bytes : int or None
        The sum of everything allocated; None where the instrument has no sum.
    kept_bytes : int
        Alive at the end of the forward pass: the result, and what is saved for backward.
    gradient_bytes : int or None
        Gradients that stay after the backward pass.
    forward, backward : tuple of int
        Bytes of each allocation, and minus its bytes as it is freed, where the
        instrument tells them one by one.
    """

    library: str
    device: str
    instrument: str
    input_bytes: int
    forward_peak_bytes: int
    kept_bytes: int
    forward_allocated_bytes: int | None = None
    backward_peak_bytes: int | None = None
    backward_allocated_bytes: int | None = None
    gradient_bytes: int | None = None
    forward: tuple[int, ...] = ()
    backward: tuple[int, ...] = ()

    @property
    def new_peak_bytes(self) -> int:
        """The most alive at once over both passes, beside the inputs."""
        return max(self.forward_peak_bytes, self.backward_peak_bytes or 0)

    @property
    def arrays(self) -> tuple[list[int], list[int]]:
        """Bytes of each array of 64 KiB or more that was allocated, forward and backward."""
        passes = (self.forward, self.backward)
        forward, backward = (
            [each for each in large(changes, EXACT_FROM_BYTES) if each > 0] for changes in passes
        )
        return forward, backward

    @property
    def small_bytes(self) -> int:
        """The sum of all allocations below 64 KiB: bookkeeping, where the arrays are large."""
        return sum(each for each in self.forward + self.backward if 0 < each < EXACT_FROM_BYTES)

    def table(self) -> Table:
        """Return what was measured as rows; one that was not measured is left out."""
        values = {name: getattr(self, f"{name}_bytes") for name in _LINES}
        if not self.forward:
            del values["small"]
        rows = [
            (say(f"memory.measured.{name}"), bytes_and_units(value))
            for name, value in values.items()
            if value is not None
        ]
        caption = say("memory.measured_on", library=self.library, device=self.device, by=self.instrument)
        notes = [] if self.forward_allocated_bytes is not None else [say("memory.no_sum")]
        return Table(rows, notes=notes, caption=caption)

    def to_dict(self) -> dict[str, object]:
        """Return every number under its public name."""
        names = (
            "library device instrument input_bytes forward_peak_bytes forward_allocated_bytes kept_bytes "
            "backward_peak_bytes backward_allocated_bytes gradient_bytes new_peak_bytes small_bytes"
        )
        return {name: getattr(self, name) for name in names.split()}


def measure(f: Callable[..., Any], *inputs: Any, budget: Any = None) -> Measured:
    """Return what a program really allocates on these inputs, forward and backward.

    The program runs twice: once to warm up, once counted. The backward pass is
    run where the result needs a gradient, from a gradient of ones in the size
    of the result. Gradients that were there before are put back, and nothing
    stays allocated.

    NumPy is counted by ``tracemalloc``, torch on the CPU by the allocations
    that its profiler records, on a GPU by its allocator's counters.

    Parameters
    ----------
    f : callable
        The program.
    *inputs : ndarray or Tensor
        What it is called with; at least one, all of one library.
    budget : Budget, optional
        A prediction for it: where its peak is more than the free memory,
        nothing is run.

    Raises
    ------
    TypeError
        If ``f`` cannot be called, or an input is no array and no tensor.
    MemoryError
        If an input read as it is, or the budget, needs more than the free memory.

    Examples
    --------
    >>> import numpy as np
    >>> view = np.broadcast_to(np.ones((1, 4096)), (64, 4096))
    >>> seen = measure(lambda y: y.copy(), view)
    >>> seen.kept_bytes // 1024, seen.input_bytes // 1024
    (2048, 32)
    """
    library = library_of(f, inputs)
    refuse_what_does_not_fit(inputs, budget)
    with _ONE_AT_A_TIME:
        if library == "numpy":
            return _numpy(f, inputs)
        return _torch(f, inputs)


def library_of(f: Any, inputs: tuple[Any, ...]) -> str:
    """Return the one library of all inputs.

    Raises
    ------
    TypeError
        If there is none, or several, or nothing to call.
    """
    if not callable(f):
        raise TypeError(say("memory.not_callable", type=type(f).__name__))
    if not inputs:
        raise TypeError(say("memory.no_inputs"))
    for each in inputs:
        if not isinstance(each, np.ndarray) and not is_tensor(each):
            raise TypeError(say("memory.no_array", type=type(each).__name__))
    kinds = {"torch" if is_tensor(each) else "numpy" for each in inputs}
    if len(kinds) > 1:
        raise TypeError(say("memory.two_libraries"))
    return kinds.pop()


def _numpy(f: Callable[..., Any], inputs: tuple[Any, ...]) -> Measured:
    f(*inputs)
    with _tracing():
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        result = f(*inputs)
        after, peak = tracemalloc.get_traced_memory()
    del result
    total = bytes_of(*inputs).storage_bytes
    return Measured("numpy", "cpu", "tracemalloc", total, peak - before, after - before)


@contextmanager
def _tracing() -> Iterator[None]:
    """Trace allocations; a trace that was running already goes on."""
    running = tracemalloc.is_tracing()
    if not running:
        tracemalloc.start()
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
        if not running:
            tracemalloc.stop()


def _torch(f: Callable[..., Any], inputs: tuple[Any, ...]) -> Measured:
    devices = {each.device for each in inputs}
    if len(devices) > 1 or next(iter(devices)).type not in ("cpu", "cuda"):
        raise TypeError(say("memory.bad_device", devices=", ".join(sorted(map(str, devices)))))
    device = devices.pop()
    forward_and_backward(f, inputs, lambda run: run())
    if device.type == "cuda":
        return _cuda(f, inputs, device)
    changes: list[tuple[int, ...]] = []

    def counted(run: Callable[[], Any]) -> Any:
        with quiet_profiler() as told:
            result = run()
        changes.append(told())
        return result

    gradients = forward_and_backward(f, inputs, counted)
    forward, backward = changes[0], changes[1] if len(changes) > 1 else ()
    return Measured(
        "torch",
        "cpu",
        "torch.profiler",
        bytes_of(*inputs).storage_bytes,
        peak_of(forward),
        sum(forward),
        sum(each for each in forward if each > 0),
        peak_of(backward, start=sum(forward)) if backward else None,
        sum(each for each in backward if each > 0) if backward else None,
        gradients,
        forward,
        backward,
    )


def forward_and_backward(
    f: Callable[..., Any], inputs: tuple[Any, ...], counted: Callable[[Callable[[], Any]], Any]
) -> int | None:
    """Run both passes, each through ``counted``; return the bytes of the gradients that they left.

    Inputs that learn are replaced by leaves that share their storage; what else
    learns gets its gradient back as it was.
    """
    import torch

    leaves = [each.detach().requires_grad_(each.requires_grad) for each in inputs]
    result = counted(lambda: f(*leaves))
    results = [each for each in tensors_of(result) if each.requires_grad]
    if not results:
        return None
    before = [(leaf, leaf.grad) for leaf in _leaves_of(results)]
    try:
        for leaf, _ in before:
            leaf.grad = None
        counted(lambda: torch.autograd.backward(results, [torch.ones_like(each) for each in results]))
        gradients = [leaf.grad for leaf, _ in before if leaf.grad is not None]
        return bytes_of(*gradients).storage_bytes if gradients else 0
    finally:
        for leaf, gradient in before:
            leaf.grad = gradient


def tensors_of(result: Any) -> list[Any]:
    """Return the tensors in a result: itself, or those in its lists, tuples and dicts."""
    if is_tensor(result):
        return [result]
    if isinstance(result, dict):
        result = list(result.values())
    return [each for part in result for each in tensors_of(part)] if isinstance(result, list | tuple) else []


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


def _cuda(f: Callable[..., Any], inputs: tuple[Any, ...], device: Any) -> Measured:
    """Return what the allocator of a GPU counted: bytes that were asked for, not its rounded blocks."""
    import torch

    counters: list[tuple[int, int, int]] = []
    start = _requested(torch, device)["current"]

    def counted(run: Callable[[], Any]) -> Any:
        torch.cuda.synchronize(device)
        torch.cuda.reset_peak_memory_stats(device)
        before = _requested(torch, device)["allocated"]
        result = run()
        torch.cuda.synchronize(device)
        now = _requested(torch, device)
        counters.append((now["peak"] - start, now["allocated"] - before, now["current"] - start))
        return result

    gradients = forward_and_backward(f, inputs, counted)
    peak, allocated, kept = counters[0]
    second = counters[1][:2] if len(counters) > 1 else (None, None)
    return Measured(
        "torch",
        torch.cuda.get_device_name(device),
        "torch.cuda.memory_stats",
        bytes_of(*inputs).storage_bytes,
        peak,
        kept,
        allocated,
        second[0],
        second[1],
        gradients,
    )


def _requested(torch: Any, device: Any) -> dict[str, int]:
    stats = torch.cuda.memory_stats(device)
    return {name: stats[f"requested_bytes.all.{name}"] for name in ("current", "peak", "allocated")}
