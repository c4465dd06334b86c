"""Three kinds of evidence on a learner's own program, and the faults that they show."""

import io
import warnings
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any

from zerostride.findings.faults import FAULTS as FAULTS
from zerostride.findings.faults import Fault as Fault
from zerostride.findings.faults import faults
from zerostride.findings.own_copies import guarded, need_source, own_copy
from zerostride.findings.report import Evidence as Evidence
from zerostride.findings.running import Program, Use, named, used
from zerostride.findings.sampling import MOST_SAMPLED_ELEMENTS, at_places, sample
from zerostride.gradients import compare_gradients, is_real
from zerostride.gradients.programs import loss_of, need_program
from zerostride.handed_in import name_of
from zerostride.language import say
from zerostride.layouts import is_tensor, layout
from zerostride.memory import measure_time
from zerostride.memory.prediction import truth
from zerostride.reports import Report

MOST_PROGRAMS = 24

Loss = Callable[[Any], Any]


def evidence(
    source: Any,
    programs: Mapping[str, Program] | Program,
    loss: Loss | Mapping[str, Loss] | None = None,
    measure: bool = False,
) -> Evidence:
    """Return what several uses of one array come to: storage, writes, derivatives, and known faults.

    Every run gets a copy of its own, with the strides and the flag of ``source``;
    whatever a program does to the array of the caller by another way is put
    back, and told.

    Parameters
    ----------
    source : ndarray or Tensor
        What the programs are given.
    programs : dict of str to callable, or callable
        Each from an array like ``source`` to anything.
    loss : callable, or dict of str to callable, optional
        From what a program returns to one number, one for all or one each. A
        program that returns one floating-point number is its own loss. Of a source
        with more than 1,024 elements, derivatives are compared at sixteen.
    measure : bool, default False
        Whether time and peak memory of the whole path are measured, forward
        and backward, with the loss where there is one.

    Returns
    -------
    Evidence
        Three tables in ``sections``, and the faults recognized in ``problems``.

    Raises
    ------
    TypeError
        If the source is no array or tensor, a program or loss nothing to call, or ``measure`` no truth value.
    ValueError
        If the source cannot be copied: too large, without data, or reading beyond its storage.

    Examples
    --------
    >>> import numpy as np
    >>> found = evidence(np.ones((1, 3)), {
    ...     "expand": lambda x: np.broadcast_to(x, (4, 3)),
    ...     "repeat": lambda x: np.tile(x, (4, 1)),
    ... })
    >>> [problem.name for problem in found.problems]
    ['equal_values_other_storage']
    >>> found.layouts["expand"]["result"].strides_bytes, found.layouts["repeat"]["result"].strides_bytes
    ((0, 8), (24, 8))
    """
    if callable(source) and not callable(programs):
        raise TypeError(say("findings.swapped"))
    measure = truth("measure", measure)
    wanted = _programs(programs)
    losses = _losses(loss, wanted)
    need_source(source)
    with (
        guarded(source, [*wanted.values(), *filter(None, losses.values())]) as guard,
        redirect_stdout(_Nowhere()),
    ):
        uses = [used(name, f, source, losses[name]) for name, f in wanted.items()]
        whole = {use.name: _whole(use, wanted[use.name], losses[use.name]) for use in uses}
        uses = [_with_gradient(use, whole[use.name], source) for use in uses]
        timings, unmeasured = _timed(uses, whole, wanted, source) if measure else (None, "")
    return Evidence(layout(source), tuple(uses), faults(uses), guard, timings, unmeasured)


class _Nowhere(io.TextIOBase):
    """In the place of the screen: what programs print is not shown, and not kept either."""

    def write(self, text: str) -> int:
        return len(text)


def _programs(programs: Any) -> dict[str, Program]:
    if callable(programs) and not isinstance(programs, Mapping):
        programs = {getattr(programs, "__name__", "program"): programs}
    if not isinstance(programs, Mapping) or not programs:
        raise TypeError(say("findings.no_programs", type=type(programs).__name__))
    if len(programs) > MOST_PROGRAMS:
        raise ValueError(say("findings.too_many_programs", count=len(programs), most=MOST_PROGRAMS))
    for f in programs.values():
        need_program(f)
    return {name_of(name): f for name, f in programs.items()}


def _losses(loss: Any, programs: dict[str, Program]) -> dict[str, Loss | None]:
    losses = (
        {name_of(k): each for k, each in loss.items()}
        if isinstance(loss, Mapping)
        else dict.fromkeys(programs, loss)
    )
    for name, each in losses.items():
        if name not in programs or (each is not None and not callable(each)):
            raise TypeError(say("findings.bad_loss", name=name, type=type(each).__name__))
    return {name: losses.get(name) for name in programs}


def _whole(use: Use, f: Program, loss: Loss | None) -> Program | None:
    """Return the program up to the loss; None where no derivative is asked for."""
    if loss is not None:
        return lambda x: loss(f(x))
    try:
        loss_of(use.plain.value)
    except (TypeError, ValueError):
        return None
    return f


def _with_gradient(use: Use, whole: Program | None, source: Any) -> Use:
    if whole is None or use.plain.error:
        return use
    places = sample(source) if is_real(source) else ()
    if places and layout(source).size > MOST_SAMPLED_ELEMENTS:
        return replace(use, no_gradient="too_large")
    # A leaf refuses what a choice of its elements would not.
    if places and (refused := (use.whole or use.learned or use.plain).error):
        return replace(use, no_gradient=refused)
    few = source
    try:
        if places:
            whole, few = at_places(whole, source, places)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Told already, of the first run.
            gradient = compare_gradients({use.name: whole}, few)[use.name]
        return replace(use, gradient=gradient, sampled=places)
    except Exception as error:
        return replace(use, no_gradient=named(error))


def _timed(
    uses: list[Use], whole: dict[str, Program | None], programs: dict[str, Program], source: Any
) -> tuple[Report | None, str]:
    """Return times and peak memory of the programs that run, on a copy that learns where it can."""
    running = {use.name: whole[use.name] or programs[use.name] for use in uses if not use.plain.error}
    if not running:
        return None, ""
    learns = is_tensor(source) and is_real(source)
    try:
        return measure_time(running, own_copy(source, learns=learns)), ""
    except Exception as error:
        return None, named(error)
