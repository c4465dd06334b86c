"""The public claim that repeat multiplies the learning rate, examined by running it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from zerostride.handed_in import is_among, items_of
from zerostride.language import enumerated, say
from zerostride.parameters.training import START, is_whole, one_thread, torch_or_words
from zerostride.reports import Report, Table

GOAL = (4.0, 4.0, 4.0)
RATE = 0.01
DECAY = 0.1
REDUCTIONS = ("sum", "mean")
# By name: optimizer and its settings.
STEPS: dict[str, tuple[str, dict[str, float]]] = {
    "SGD": ("SGD", {}),
    "SGD, weight_decay": ("SGD", {"weight_decay": DECAY}),
    "Adam": ("Adam", {}),
}
MULTIPLIED = {"sum": "multiplied_under_sum", "mean": "multiplied_under_mean"}
LIKE_A_LARGER_RATE = {
    "SGD": "like_a_larger_rate_in_sgd",
    "SGD, weight_decay": "like_a_larger_rate_with_decay",
    "Adam": "like_a_larger_rate_in_adam",
}


@dataclass(frozen=True)
class Trial:
    """One way to use the row under one reduction.

    Attributes
    ----------
    code, reduction : str
        What forward uses, and ``"sum"`` or ``"mean"`` over all elements.
    learning_rate : float
        What the optimizers were given.
    gradient : tuple of float
        What arrives at the three stored values.
    steps : dict of str to tuple of float
        By optimizer, by how much the first step changes the three values.
    """

    code: str
    reduction: str
    learning_rate: float
    gradient: tuple[float, ...]
    steps: dict[str, tuple[float, ...]]


@dataclass(frozen=True, repr=False)
class RepeatClaim(Report):
    """What expand, repeat, one row, and one row at a larger learning rate do to the same three values.

    Attributes
    ----------
    rows : int
        How many rows are made of one.
    trials : tuple of Trial
        One for each way and reduction.
    """

    rows: int
    trials: tuple[Trial, ...]

    def of(self, code: str, reduction: str) -> Trial:
        """Return the trial of a way; the one at the larger rate ends in ``lr * rows``."""
        return next(each for each in self.trials if (each.code, each.reduction) == (code, reduction))

    def findings(self) -> dict[str, bool]:
        """Return each part of the claim that was tried, by name, and whether it holds here."""
        n = self.rows
        kinds = list(dict.fromkeys(each.reduction for each in self.trials))
        one, expanded, repeated, faster = ({kind: self.of(code, kind) for kind in kinds} for code in codes(n))
        found = {
            "expand_equals_repeat": all(
                _equal(expanded[kind].gradient, repeated[kind].gradient)
                and all(_equal(expanded[kind].steps[name], repeated[kind].steps[name]) for name in STEPS)
                for kind in kinds
            )
        }
        for kind in kinds:
            found[MULTIPLIED[kind]] = _equal(
                repeated[kind].gradient, [n * value for value in one[kind].gradient]
            )
        if "sum" in kinds:
            for name, words in LIKE_A_LARGER_RATE.items():
                found[words] = _equal(repeated["sum"].steps[name], faster["sum"].steps[name])
        return found

    def table(self) -> Table:
        """Return one row a trial, then what holds of the claim."""
        columns = ("code", "reduction", "rate", "gradient_values")
        header = (*(say(f"parameters.{column}") for column in columns), *STEPS)
        body = [
            (
                each.code,
                each.reduction,
                f"{each.learning_rate:g}",
                _shown(each.gradient),
                *(_shown(each.steps[name]) for name in STEPS),
            )
            for each in self.trials
        ]
        verdict = {True: say("report.yes"), False: say("report.no")}
        notes = [
            say(
                "parameters.finding",
                words=say(f"parameters.findings.{name}", rows=self.rows),
                holds=verdict[holds],
            )
            for name, holds in self.findings().items()
        ]
        caption = say("parameters.claim", rows=self.rows, start=START, goal=GOAL)
        return Table(body, header, notes, caption)

    def to_dict(self) -> dict[str, object]:
        """Return every trial and what holds of the claim."""
        return {
            "rows": self.rows,
            "trials": [vars(each) for each in self.trials],
            "findings": self.findings(),
        }


def codes(count: int) -> tuple[str, str, str, str]:
    """Return the ways: one row, expanded, repeated, and one row at a larger learning rate.

    Examples
    --------
    >>> codes(4)
    ('row', 'row.expand(4, 3)', 'row.repeat(4, 1)', 'row, lr * 4')
    """
    return "row", f"row.expand({count}, 3)", f"row.repeat({count}, 1)", f"row, lr * {count}"


def examine_repeat(rows: int = 4, reductions: Sequence[str] = REDUCTIONS) -> RepeatClaim:
    """Return what is true of the claim that repeat multiplies the learning rate, as measured.

    A row of three values shall become another; it is used once, expanded, and
    repeated, under a sum and under a mean of squared errors over all elements.

    Parameters
    ----------
    rows : int, default 4
        From 2 to 1000.
    reductions : sequence of {"sum", "mean"}
        Both, unless one alone is asked for.

    Returns
    -------
    RepeatClaim
        The gradients and steps as measured, and what follows in ``findings``.

    Raises
    ------
    ValueError
        If ``rows`` is out of range, or a reduction is neither.
    ImportError
        If torch cannot be imported.

    Examples
    --------
    >>> claim = examine_repeat()
    >>> [claim.of(code, "sum").gradient for code in ("row", "row.expand(4, 3)", "row.repeat(4, 1)")]
    [(-6.0, -4.0, -2.0), (-24.0, -16.0, -8.0), (-24.0, -16.0, -8.0)]
    >>> claim.findings()["like_a_larger_rate_in_adam"]
    False
    """
    if not is_whole(rows) or not 2 <= rows <= 1000:
        raise ValueError(say("parameters.bad_rows", rows=rows))
    asked = items_of(reductions) if isinstance(reductions, list | tuple | set) else None
    if not asked or not all(is_among(each, REDUCTIONS) for each in asked):
        raise ValueError(say("parameters.bad_reductions", known=enumerated(REDUCTIONS)))
    rows = int(rows)
    torch = torch_or_words()
    one, expanded, repeated, faster = codes(rows)
    ways = {
        one: (lambda row: row, RATE),
        expanded: (lambda row: row.expand(rows, 3), RATE),
        repeated: (lambda row: row.repeat(rows, 1), RATE),
        faster: (lambda row: row, RATE * rows),
    }
    with one_thread(torch), torch.enable_grad():
        return RepeatClaim(
            rows,
            tuple(
                _trial(torch, code, reduction, make, rate)
                for reduction in REDUCTIONS
                if reduction in reductions
                for code, (make, rate) in ways.items()
            ),
        )


def _trial(torch: Any, code: str, reduction: str, make: Any, rate: float) -> Trial:
    start = torch.tensor([START], dtype=torch.float64)
    goal = torch.tensor([GOAL], dtype=torch.float64)
    steps = {}
    for name, (optimizer, settings) in STEPS.items():
        row = torch.nn.Parameter(start.clone())
        getattr((make(row) - goal) ** 2, reduction)().backward()
        getattr(torch.optim, optimizer)([row], lr=rate, foreach=False, **settings).step()
        steps[name] = tuple((row.detach() - start).ravel().tolist())
    return Trial(code, reduction, rate, tuple(row.grad.ravel().tolist()), steps)


def _equal(some: Any, others: Any) -> bool:
    return all(abs(a - b) <= 1e-9 * max(1.0, abs(b)) for a, b in zip(some, others, strict=True))


def _shown(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:.4g}" for value in values)
