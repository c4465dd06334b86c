"""One program, run on copies: what came out, what was seen on the way, what a write changes."""

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from zerostride.checks.storage import write_first
from zerostride.findings.own_copies import contents, moved_copy, own_copy
from zerostride.findings.steps import Log, Step, arrays_in
from zerostride.gradients import is_real, numbers
from zerostride.gradients.comparing import Gradient
from zerostride.gradients.precision import same
from zerostride.layouts import is_tensor

MOST_RESULTS = 8
MOST_SAID = 160
MOST_PROBED_ELEMENTS = 1 << 20
MOST_SUMMED_ELEMENTS = 1 << 24

Program = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Run:
    """One run.

    Attributes
    ----------
    source : array
        The copy that the program was given.
    value : object
        What it returned.
    results : dict of str to array
        The arrays in that, ``"result"`` or ``"result[0]"``.
    log : Log
        What was seen on the way.
    error : str
        Class and first line of what it raised.
    warned : tuple of str
        Classes and first lines of warnings.
    wrote_source : bool
        Whether an element of the source came out another.
    message : str
        The whole text of the error.
    program : callable
        What was run.
    contents : dict of str to bytes
        Elements of the results as they were at the end of the run.
    """

    source: Any
    value: Any
    results: dict[str, Any]
    log: Log
    error: str
    warned: tuple[str, ...]
    wrote_source: bool
    message: str = ""
    program: Any = None
    contents: dict[str, bytes | None] = field(default_factory=dict)

    @property
    def steps(self) -> list[Step]:
        """The calls that were seen."""
        return self.log.steps


@dataclass(frozen=True)
class Probe:
    """What one write changes, tried on copies; None where it was not tried.

    Attributes
    ----------
    into_source : int or None
        Elements of the result that change as the first element of the source is written.
    into_result : int or None
        Elements of the result that change as its first element is written.
    reaches_source : int or None
        Elements of the source that change with it.
    refused : str
        The class of the error where the result refuses that write.
    """

    into_source: int | None = None
    into_result: int | None = None
    reaches_source: int | None = None
    refused: str = ""


@dataclass(frozen=True, eq=False)
class Use:
    """Everything found out about one program.

    Attributes
    ----------
    name : str
        Its name.
    plain, seen : Run
        As it runs by itself, and as it was watched; in torch both are one run.
    again : Run or None
        On a source with other numbers.
    learned : Run or None
        On a source that requires a gradient; None for NumPy and for integers.
    whole : Run or None
        The same with the loss; None where none was handed in.
    probes : dict of str to Probe
        By the name of the result.
    gradient : Gradient or None
        Of the loss.
    no_gradient : str
        Why there is none, in the words of the error.
    sampled : tuple of int
        The elements at which it was taken, row by row; empty for all.
    leads_back : bool or None
        Whether a derivative finds its way from the result to the source.
    """

    name: str
    plain: Run
    seen: Run
    again: Run | None
    learned: Run | None = None
    whole: Run | None = None
    probes: dict[str, Probe] = field(default_factory=dict)
    gradient: Gradient | None = None
    no_gradient: str = ""
    sampled: tuple[int, ...] = ()
    leads_back: bool | None = None

    @property
    def steps(self) -> list[Step]:
        """The calls that were seen, in every run."""
        return [step for run in (self.seen, self.learned, self.whole) if run for step in run.steps]


def ran(f: Program, source: Any, *, watch: bool = True) -> Run:
    """Return one run of a program on an array that is its own to write to."""
    log, before = Log(), contents(source)
    value: Any = None
    error = message = ""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            value = _run(f, source, log if watch else None)
        except (Exception, SystemExit) as raised:
            error, message = named(raised), text_of(raised)
    results = arrays_in(value)[:MOST_RESULTS]
    alone = len(results) == 1 and not isinstance(value, list | tuple | dict)
    named_results = {"result" if alone else f"result[{place}]": each for place, each in enumerate(results)}
    warned = tuple(dict.fromkeys(f"{each.category.__name__}: {first_line(each.message)}" for each in told))
    wrote = contents(source) != before
    held = {name: contents(each) for name, each in named_results.items()}
    return Run(source, value, named_results, log, error, warned, wrote, message, f, held)


def _run(f: Program, source: Any, log: Log | None) -> Any:
    if not is_tensor(source):
        from zerostride.findings.numpy_steps import watched

        return f(source if log is None else watched(source, log))
    from zerostride.findings.torch_steps import watching

    with watching(log) if log is not None else nullcontext():
        return f(source)


def named(error: BaseException) -> str:
    """Return class and first line of an error."""
    return ": ".join(filter(None, (type(error).__name__, first_line(error))))


def text_of(message: object) -> str:
    """Return what an error says, empty where its own words fail."""
    try:
        return str(message)
    except Exception:
        return ""


def first_line(message: object) -> str:
    """Return the first sentence of the first line of a message, without its end where that is long."""
    line = (text_of(message).strip().splitlines() or [""])[0].partition(". ")[0]
    return line if len(line) <= MOST_SAID else f"{line[: MOST_SAID - 3]}..."


def used(name: str, f: Program, source: Any, loss: Program | None) -> Use:
    """Return everything about one program but its gradient."""
    in_torch = is_tensor(source)
    plain = ran(f, own_copy(source), watch=in_torch)
    seen = plain if in_torch else ran(f, own_copy(source))
    if (plain.error == "") != (seen.error == ""):  # the program takes no array that is watched
        seen = replace(plain, log=Log(blind=True))
    moved = None if plain.error else moved_copy(source)
    again = None if moved is None else ran(f, moved, watch=False)
    learned, leads_back = _learned(f, source) if in_torch and is_real(source) else (None, None)
    whole = None if loss is None or plain.error else _recorded(lambda x: loss(f(x)), source)
    probes = {} if plain.error else {each: _probe(f, source, each) for each in plain.results}
    return Use(name, plain, seen, again, learned, whole, probes, leads_back=leads_back)


def _recorded(f: Program, source: Any) -> Run:
    """Return a run in which the graph is recorded, where there can be one."""
    if not is_tensor(source):
        return ran(f, own_copy(source))
    import torch

    with torch.inference_mode(mode=False), torch.enable_grad():
        return ran(f, own_copy(source, learns=is_real(source)))


def _learned(f: Program, source: Any) -> tuple[Run, bool | None]:
    """Return a run on a leaf that learns, and whether a derivative comes back to it."""
    import torch

    run = _recorded(f, source)
    if run.error or not run.results:
        return run, None
    ends = [each for each in run.results.values() if is_tensor(each) and each.requires_grad]
    if any(_size(each) > MOST_SUMMED_ELEMENTS for each in ends):
        from zerostride.checks.backward import leads

        return run, any(leads(each, run.source) for each in ends)
    try:
        found = ends and torch.autograd.grad(
            [each.sum() for each in ends], [run.source], allow_unused=True, retain_graph=True
        )
        return run, bool(found) and found[0] is not None
    except RuntimeError:
        return run, None


def _probe(f: Program, source: Any, name: str) -> Probe:
    """Write one element of the source, then one of the result, each on copies of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second = (ran(f, own_copy(source, learns=False), watch=False) for _ in range(2))
        try:
            result = first.results[name]
            if not 0 < _size(result) <= MOST_PROBED_ELEMENTS or not _size(source):
                return Probe()
            before = numbers(result).copy()
            write_first(_unlocked(first.source))
            into_source = _changed(before, result)
            result, own = second.results[name], second.source
            before, before_source = numbers(result).copy(), numbers(own).copy()
        except (KeyError, TypeError, ValueError, RuntimeError, NotImplementedError):
            return Probe()
        try:
            write_first(result.detach() if is_tensor(result) else result)
        except (ValueError, RuntimeError) as error:
            return Probe(into_source, refused=type(error).__name__)
        except (AttributeError, TypeError):  # it holds no numbers
            return Probe(into_source)
        return Probe(into_source, _changed(before, result), _changed(before_source, own))


def _size(x: Any) -> int:
    return int(x.numel() if is_tensor(x) else x.size)


def _unlocked(x: Any) -> Any:
    """Return the copy of a read-only source as something that takes a write."""
    if not is_tensor(x):
        x.flags.writeable = True
    return x


def _changed(before: np.ndarray[Any, Any], now: Any) -> int:
    return int(np.count_nonzero(~same(before, numbers(now))))
