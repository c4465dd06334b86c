"""What a program really allocates, forward and backward, by each library's own counters."""

import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock, get_ident
from typing import Any

import numpy as np

from zerostride.language import say
from zerostride.layouts import is_tensor
from zerostride.memory.bill import EXACT_FROM_BYTES
from zerostride.memory.passes import forward_and_backward, ran, tensors_of
from zerostride.memory.quiet import profiler_runs, quiet_profiler
from zerostride.memory.room import refuse_what_does_not_fit
from zerostride.memory.tape import large, peak_of
from zerostride.memory.totals import bytes_of
from zerostride.memory.units import bytes_and_units
from zerostride.reports import Report, Table
from zerostride.sharing import storages

# tracemalloc, the profiler and the redirected stderr belong to the whole process.
_ONE_AT_A_TIME = RLock()
_MEASURING: set[int] = set()

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
    uncounted_bytes : int
        The most that the other library, which this instrument does not see, held
        at once: NumPy and Python beside torch, torch beside NumPy. 0 below 64 KiB.
    elsewhere_bytes : int
        How much of a result of torch was not allocated in the counted run: there
        before, or made by another thread, process or library. 0 below 64 KiB.
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
    uncounted_bytes: int = 0
    elsewhere_bytes: int = 0

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
        if self.uncounted_bytes:
            size = bytes_and_units(self.uncounted_bytes)
            notes.append(say(f"memory.uncounted_beside.{self.library}", size=size))
        if self.elsewhere_bytes:
            notes.append(say("memory.elsewhere", size=bytes_and_units(self.elsewhere_bytes)))
        return Table(rows, notes=notes, caption=caption)

    def to_dict(self) -> dict[str, object]:
        """Return every number under its public name."""
        names = (
            "library device instrument input_bytes forward_peak_bytes forward_allocated_bytes kept_bytes "
            "backward_peak_bytes backward_allocated_bytes gradient_bytes new_peak_bytes small_bytes "
            "uncounted_bytes elsewhere_bytes"
        )
        return {name: getattr(self, name) for name in names.split()}


def measure(f: Callable[..., Any], *inputs: Any, budget: Any = None) -> Measured:
    """Return what a program really allocates on these inputs, forward and backward.

    The program runs twice: once to warm up, once counted. The backward pass is
    run where the result needs a gradient, from a gradient of ones in the size
    of the result. Gradients that were there before are put back, and nothing
    stays allocated. What the program itself changes, it changes twice: numbers
    of an input, a counter, the state of a generator of random numbers.

    NumPy is counted by ``tracemalloc``, torch on the CPU by the allocations
    that its profiler records in this thread, on a GPU by its allocator's
    counters. What the other library holds meanwhile is told beside it.
    ``tracemalloc`` counts every thread: where others allocate, a notebook's
    own among them, take the least of several runs.

    Parameters
    ----------
    f : callable
        The program.
    *inputs : ndarray or Tensor
        What it is called with; at least one, all of one library.
    budget : Budget, optional
        A prediction for it: where its peak is more than the free memory,
        nothing is run.

    Returns
    -------
    Measured
        Bytes of the inputs, of the peaks forward and backward, and of what stays.

    Raises
    ------
    TypeError
        If ``f`` cannot be called or returns a generator, or an input is no array
        and no tensor.
    RuntimeError
        If a profiler or another ``measure`` is running around it, or the graph of
        the result began before, or the program has used it up.
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
    with _alone():
        if library == "numpy":
            return _numpy(f, inputs)
        return _torch(f, inputs)


@contextmanager
def _alone() -> Iterator[None]:
    """Let other threads wait; inside its own program an instrument would spoil the outer counts."""
    with _ONE_AT_A_TIME:
        if get_ident() in _MEASURING:
            raise RuntimeError(say("memory.measured_inside"))
        _MEASURING.add(get_ident())
        try:
            yield
        finally:
            _MEASURING.remove(get_ident())


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
    beside = _warmed_up(f, inputs)
    with _tracing():
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        result = f(*inputs)
        after, peak = tracemalloc.get_traced_memory()
    del result
    total = bytes_of(*inputs).storage_bytes
    numbers = total, peak - before, after - before
    return Measured("numpy", "cpu", "tracemalloc", *numbers, uncounted_bytes=beside)


def _warmed_up(f: Callable[..., Any], inputs: tuple[Any, ...]) -> int:
    """Run a program of NumPy once; return the most that torch held meanwhile."""
    if sys.modules.get("torch") is None:
        ran(f, inputs)
        if sys.modules.get("torch") is None:
            return 0
    if profiler_runs():
        ran(f, inputs)
        return 0
    with quiet_profiler() as told:
        ran(f, inputs)
    return _noteworthy(peak_of(told()))


def _noteworthy(size: int) -> int:
    return size if size >= EXACT_FROM_BYTES else 0


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
    beside, results = [0], [0]

    def counted(run: Callable[[], Any]) -> Any:
        with quiet_profiler() as told, _tracing():
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            result = run()
            beside.append(tracemalloc.get_traced_memory()[1] - before)
        changes.append(told())
        results.append(_stored_beside(inputs, result))
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
        _noteworthy(max(beside)),
        _noteworthy(max(results) - sum(forward)),
    )


def _stored_beside(inputs: tuple[Any, ...], result: Any) -> int:
    """Return the bytes of the storages in a result that are none of the inputs'."""
    own = {f"input {number}": each for number, each in enumerate(inputs)}
    made = {f"result {number}": each for number, each in enumerate(tensors_of(result))}
    return storages(**own, **made).total_bytes - storages(**own).total_bytes


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
