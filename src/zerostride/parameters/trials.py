"""What an optimizer's step does to suspicious parameters, tried on the installed torch in a child process."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from zerostride.child import run_child
from zerostride.language import enumerated, say
from zerostride.parameters.training import is_number, torch_or_words
from zerostride.reports import Report, Table

PARAMETERS = ("x.repeat(4, 1)", "x.expand(4, 3)", "x.unfold(0, 3, 1)", "x[:, :3]")
OPTIMIZERS = ("SGD", "Adam", "AdamW")
SETTINGS = ("foreach=False", "foreach=True", "fused=True")
OUTCOMES = ("as_a_copy", "refused", "wrong", "writes_beyond", "not_available", "died", "timed_out")


@dataclass(frozen=True)
class Step:
    """One step that was tried.

    Attributes
    ----------
    parameter, optimizer, setting : str
        What stands in ``Parameter(...)``, and which optimizer took the step.
    outcome : str
        ``"as_a_copy"``, right; ``"refused"``, an error; ``"wrong"``, other numbers
        than a clone gets, without an error; ``"writes_beyond"``, memory changed
        that is none of the parameter's; ``"not_available"`` here; or the
        child process ``"died"`` or ``"timed_out"``.
    error : str
        First line of the error, if there was one.
    """

    parameter: str
    optimizer: str
    setting: str
    outcome: str
    error: str = ""


@dataclass(frozen=True, repr=False)
class StepTrials(Report):
    """Which steps are right, which are refused, and which go wrong in silence.

    Attributes
    ----------
    steps : tuple of Step
        One for each parameter, optimizer and setting.
    """

    steps: tuple[Step, ...]

    def outcome(self, parameter: str, optimizer: str, setting: str) -> str:
        """Return what one step did."""
        asked = (parameter, optimizer, setting)
        return next(
            each.outcome for each in self.steps if (each.parameter, each.optimizer, each.setting) == asked
        )

    def table(self) -> Table:
        """Return one row for each parameter and optimizer, one column for each setting."""
        header = (say("parameters.tried"), say("parameters.by"), *SETTINGS)
        pairs = dict.fromkeys((each.parameter, each.optimizer) for each in self.steps)
        rows = [
            (
                f"Parameter({parameter})",
                optimizer,
                *(
                    say(f"parameters.outcome.{self.outcome(parameter, optimizer, setting)}")
                    for setting in SETTINGS
                ),
            )
            for parameter, optimizer in pairs
        ]
        return Table(rows, header, [say("parameters.tried_here")])

    def to_dict(self) -> dict[str, object]:
        """Return every step that was tried."""
        return {"steps": [vars(each) for each in self.steps]}


def try_steps(optimizers: Sequence[str] = ("SGD", "Adam"), *, timeout_seconds: float = 60) -> StepTrials:
    """Return what a step does to parameters whose elements overlap or have gaps.

    Every step is taken in a child process with a time limit, on a parameter of
    its own inside a larger storage, and compared with the step of a clone.

    Parameters
    ----------
    optimizers : sequence of {"SGD", "Adam", "AdamW"}
        Which to try.
    timeout_seconds : float, default 60
        How long a child process may run.

    Returns
    -------
    StepTrials
        One of ``steps`` for each way to hold the rows and each setting of the optimizer.

    Raises
    ------
    ValueError
        If an optimizer is none of these, or the time limit is not above 0.
    ImportError
        If torch cannot be imported.

    Examples
    --------
    >>> tried = try_steps(["SGD"])
    >>> [tried.outcome("x.expand(4, 3)", "SGD", setting) for setting in SETTINGS]
    ['refused', 'refused', 'writes_beyond']
    """
    several = isinstance(optimizers, list | tuple | set | frozenset)
    if not several or not all(each in OPTIMIZERS for each in optimizers):
        raise ValueError(say("parameters.bad_trial", known=enumerated(OPTIMIZERS)))
    if not is_number(timeout_seconds) or not 0 < timeout_seconds < float("inf"):
        raise ValueError(say("parameters.bad_timeout", seconds=timeout_seconds))
    torch_or_words()
    asked = list(product(PARAMETERS, optimizers, SETTINGS))
    answers: list[tuple[str, str]] = []
    while len(answers) < len(asked):
        answers += _answers(asked[len(answers) :], timeout_seconds)
    return StepTrials(tuple(Step(*each, *answer) for each, answer in zip(asked, answers, strict=True)))


def _answers(asked: Sequence[tuple[str, str, str]], seconds: float) -> list[tuple[str, str]]:
    """Return what one child process answers; if it does not reach the end, how it stopped is the last."""
    elsewhere = {"PYTHONSAFEPATH": "1"}  # no file of the folder where it starts stands in for a library's
    ended = run_child("zerostride.parameters.stepping", json.dumps(asked), seconds=seconds, **elsewhere)
    found: list[tuple[str, str]] = [tuple(json.loads(line)) for line in ended.lines]
    return (
        found if len(found) == len(asked) else [*found, ("timed_out" if ended.status is None else "died", "")]
    )
