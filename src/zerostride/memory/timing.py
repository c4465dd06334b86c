"""How long the whole path takes, forward and backward, on this machine and for this shape alone."""

import sys
import timeit
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from logging import getLogger
from statistics import quantiles
from typing import Any

from zerostride.handed_in import name_of, told, whole_number
from zerostride.language import enumerated, say
from zerostride.memory.measuring import library_of, measure
from zerostride.memory.passes import forward_and_backward
from zerostride.memory.room import refuse_what_does_not_fit
from zerostride.memory.units import in_units
from zerostride.reports import Report, Table

LEAST_SECONDS = 0.02
SLOW_SECONDS = 5.0
MOST_ROUNDS = 10_000


@dataclass(frozen=True)
class Timing:
    """One program.

    Attributes
    ----------
    name : str
        Its name.
    seconds : tuple of float
        One time per round, for one whole path.
    new_peak_bytes : int
        The most alive at once beside the inputs.
    """

    name: str
    seconds: tuple[float, ...]
    new_peak_bytes: int

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """First quartile, median and third quartile, in seconds."""
        low, middle, high = quantiles(self.seconds, n=4, method="inclusive")
        return low, middle, high

    @property
    def milliseconds(self) -> tuple[str, ...]:
        """The least, the three quartiles and the most, as they are shown."""
        return tuple(f"{1e3 * time:.3g}" for time in (min(self.seconds), *self.quartiles, max(self.seconds)))


@dataclass(frozen=True, repr=False)
class Timings(Report):
    """Times of several programs on the same inputs, measured in turns.

    Attributes
    ----------
    library, device : str
        What ran where.
    threads : int or None
        How many threads one operation of torch may use; None for NumPy.
    backward : bool
        Whether the backward pass is in the times.
    shapes : tuple
        Of the inputs.
    programs : tuple of Timing
        One each, in the order in which they were handed in.
    forward_only : tuple of str
        Programs whose result needs no gradient, beside others that have a
        backward pass in their times.
    """

    library: str
    device: str
    threads: int | None
    backward: bool
    shapes: tuple[tuple[int, ...], ...]
    programs: tuple[Timing, ...]
    forward_only: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the times do not say, in the language in use."""
        only = self.forward_only
        uneven = [say("memory.forward_only", names=enumerated(only))] if only else []
        return (*uneven, say("memory.no_ranking"))

    @property
    def rounds(self) -> int:
        """How many times each program was timed."""
        return len(self.programs[0].seconds)

    def table(self) -> Table:
        """Return median, spread and peak memory of each program, and what they do not say."""
        rows = []
        for each in self.programs:
            least, low, median, high, most = each.milliseconds
            peak = in_units(each.new_peak_bytes)
            rows.append((each.name, median, f"{low}..{high}", f"{least}..{most}", peak))
        columns = ("program", "median", "middle_half", "all_times", "peak")
        caption = say(
            "memory.timed_on",
            library=self.library,
            device=self.device,
            threads="" if self.threads is None else f", torch.get_num_threads() = {self.threads}",
            path=say("memory.path.both" if self.backward else "memory.path.forward"),
            shapes=enumerated(self.shapes),
            rounds=self.rounds,
        )
        header = tuple(say(f"memory.time.{column}") for column in columns)
        return Table(rows, header, self.notes, caption)

    def alternative(self) -> str:
        """Return the times as sentences, in the language in use."""
        sentences = []
        for each in self.programs:
            spread = dict(zip(("least", "low", "median", "high", "most"), each.milliseconds, strict=True))
            peak = in_units(each.new_peak_bytes)
            sentences.append(say("memory.alt_time", name=each.name, peak=peak, **spread))
        return say("draw.alt_space").join([*sentences, *self.notes])

    def to_dict(self) -> dict[str, object]:
        """Return every time."""
        programs = {
            each.name: {"seconds": each.seconds, "new_peak_bytes": each.new_peak_bytes}
            for each in self.programs
        }
        names = ("library", "device", "threads", "backward", "forward_only", "shapes")
        return {name: getattr(self, name) for name in names} | {"programs": programs}


def measure_time(
    programs: Mapping[str, Callable[..., Any]], *inputs: Any, rounds: int = 15, budget: Any = None
) -> Timings:
    """Return how long each program takes on these inputs: the whole path, backward included.

    The programs take turns, so that a slow moment of the machine meets all of
    them. Times are medians with their spread; beside them stands the peak
    memory. A ranking beyond this machine and these shapes does not follow. A
    program that changes its inputs changes them some thousand times, for all
    programs: let it copy them first.

    Parameters
    ----------
    programs : dict of str to callable
        By name, at least one.
    *inputs : ndarray or Tensor
        What each is called with, all of one library.
    rounds : int, default 15
        Times per program, at least 3.
    budget : Budget, optional
        The prediction for the largest: where its peak is more than the free
        memory, nothing is run.

    Returns
    -------
    Timings
        Seconds of each of the ``programs``, as measured in turns.

    Raises
    ------
    TypeError
        If programs are no dict of functions, or an input is no array and no tensor.
    ValueError
        If there are fewer than 3 rounds.
    MemoryError
        If an input read as it is, or the budget, needs more than the free memory.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.ones((1, 256))
    >>> times = measure_time({"view": lambda x: np.broadcast_to(x, (64, 256)).sum()}, x, rounds=3)
    >>> times.library, times.rounds, len(times.programs)
    ('numpy', 3, 1)
    """
    if not isinstance(programs, Mapping) or not programs:
        raise TypeError(say("memory.programs_wanted", type=type(programs).__name__))
    programs = {name_of(name): f for name, f in programs.items()}
    rounds = _rounds(rounds)
    library = {library_of(f, inputs) for f in programs.values()}.pop()
    refuse_what_does_not_fit(inputs, budget)
    measured = {name: measure(f, *inputs) for name, f in programs.items()}
    timers = {name: _timer(f, inputs, library) for name, f in programs.items()}
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    # The first call loads what later calls find loaded.
    once = {name: min(time(1), time(1)) for name, time in timers.items()}
    times = {name: max(1, round(LEAST_SECONDS / max(each, 1e-9))) for name, each in once.items()}
    expected = rounds * sum(max(each, LEAST_SECONDS) for each in once.values())
    with _progress(rounds, expected) as advance:
        for _ in range(rounds):
            for name, time in timers.items():
                seconds[name].append(time(times[name]))
            advance()
    one = next(iter(measured.values()))
    without = tuple(name for name, each in measured.items() if each.backward_peak_bytes is None)
    return Timings(
        library,
        one.device,
        _threads(library),
        len(without) < len(programs),
        tuple(tuple(each.shape) for each in inputs),
        tuple(Timing(name, tuple(seconds[name]), measured[name].new_peak_bytes) for name in programs),
        without if len(without) < len(programs) else (),
    )


def _rounds(rounds: Any) -> int:
    found = whole_number(rounds)
    if found is None or not 3 <= found <= MOST_ROUNDS:
        raise ValueError(say("memory.more_rounds", rounds=told(rounds), most=f"{MOST_ROUNDS:,}"))
    return found


def _threads(library: str) -> int | None:
    if library == "numpy":
        return None
    import torch

    return int(torch.get_num_threads())


def _timer(f: Callable[..., Any], inputs: tuple[Any, ...], library: str) -> Callable[[int], float]:
    """Return what times one whole path, in seconds, as the mean of so many."""
    if library == "numpy":
        timer = timeit.Timer(lambda: f(*inputs))
        return lambda times: timer.timeit(times) / times
    # Where the CUDA compiler is and no GPU, the import warns.
    getLogger("torch.utils.cpp_extension").setLevel("ERROR")
    from torch.utils.benchmark import Timer

    path = {"path": lambda: forward_and_backward(f, inputs, lambda run: run())}
    benchmark = Timer("path()", globals=path, num_threads=_threads(library) or 1)
    return lambda times: float(benchmark.timeit(times).mean)


@contextmanager
def _progress(rounds: int, expected_seconds: float) -> Iterator[Callable[[], None]]:
    """Show a bar where it takes long: a widget in a notebook, a line on a terminal, nothing elsewhere."""
    bar: Any = None
    done = 0
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if expected_seconds > SLOW_SECONDS and not terminal and "ipykernel" in sys.modules:
        from IPython.display import display
        from ipywidgets import IntProgress

        bar = IntProgress(max=rounds)
        display(bar)  # type: ignore[no-untyped-call]

    def advance() -> None:
        nonlocal done
        done += 1
        if bar is not None:
            bar.value = done
        elif terminal and expected_seconds > SLOW_SECONDS:
            print(f"\r{done}/{rounds}", end="", file=sys.stderr, flush=True)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.close()
        elif terminal and done:
            print("\r", end="", file=sys.stderr)
