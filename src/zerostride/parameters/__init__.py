"""What learns and what does not: parameters looked at, trained, and tried in an optimizer.

>>> import torch
>>> import zerostride as zs
>>> zs.parameters.parameter_report(torch.nn.Linear(3, 4)).learnable_values
16
"""

from dataclasses import dataclass, fields
from typing import Any

from zerostride.language import enumerated, say
from zerostride.parameters.claim import RepeatClaim as RepeatClaim
from zerostride.parameters.claim import examine_repeat as examine_repeat
from zerostride.parameters.facts import ParameterRow as ParameterRow
from zerostride.parameters.facts import in_optimizer, learnable_values, rows
from zerostride.parameters.held import held
from zerostride.parameters.problems import Problem as Problem
from zerostride.parameters.problems import problems
from zerostride.parameters.training import Training as Training
from zerostride.parameters.training import train as train
from zerostride.parameters.trials import SETTINGS as SETTINGS
from zerostride.parameters.trials import Step as Step
from zerostride.parameters.trials import StepTrials as StepTrials
from zerostride.parameters.trials import try_steps as try_steps
from zerostride.reports import Report, Table

__all__ = ["examine_repeat", "parameter_report", "train", "try_steps"]

_COLUMNS = (
    "name", "kind", "shape", "dtype", "leaf", "optimizer", "tied", "overlapping", "gradient", "values",
)  # fmt: skip
_HIDDEN = ("layout", "gradient", "held")


@dataclass(frozen=True, repr=False)
class ParameterReport(Report):
    """One row a parameter, and what is wrong.

    Attributes
    ----------
    rows : tuple of ParameterRow
        In the order in which the module names them: parameters, buffers, then
        tensors that no module has registered.
    problems : tuple of Problem
        Each with a name, words and the lines that put it right.
    learnable_values : int or None
        Distinct values stored by what requires a gradient, each counted once;
        None where unknown.
    others_in_optimizer : int or None
        How many tensors the optimizer holds that are not among the rows.
    """

    rows: tuple[ParameterRow, ...]
    problems: tuple[Problem, ...]
    learnable_values: int | None
    others_in_optimizer: int | None = None

    def table(self) -> Table:
        """Return the rows, then the total and each problem with its repairs."""
        header = tuple(say(f"parameters.{column}") for column in _COLUMNS)
        total = "?" if self.learnable_values is None else f"{self.learnable_values:,}"
        notes = [say("parameters.total", values=total)]
        if self.others_in_optimizer:
            notes.append(say("parameters.others", count=self.others_in_optimizer))
        if not self.problems:
            notes.append(say("parameters.no_problem"))
        notes += [line for problem in self.problems for line in problem.lines()]
        stuck = {
            name for problem in self.problems if problem.name == "expanded" for name in problem.parameters
        }
        return Table([_cells(row, row.name in stuck) for row in self.rows], header, notes)

    def to_dict(self) -> dict[str, object]:
        """Return every row, every problem and the total as plain data."""
        names = [each.name for each in fields(ParameterRow) if each.name not in _HIDDEN]
        names += ["registered", "overlaps", "has_gaps", "gradient_shape"]
        return {
            "rows": [{name: getattr(row, name) for name in names} for row in self.rows],
            "problems": [problem.to_dict() for problem in self.problems],
            "learnable_values": self.learnable_values,
            "others_in_optimizer": self.others_in_optimizer,
        }


def parameter_report(module_or_parameters: Any, optimizer: Any = None) -> ParameterReport:
    """Return what learns and what does not, and how to put right what is wrong.

    Nothing is changed: no step is taken, no gradient cleared, no mode switched.
    A generator is used up, as any reader of it uses it up.

    Parameters
    ----------
    module_or_parameters : Module, Tensor, list, dict or iterator
        A module is searched for tensors in its attributes as well; of a
        collection the elements may be tensors, pairs of name and tensor, or the
        groups that an optimizer takes.
    optimizer : torch.optim.Optimizer, optional
        The one that is to update them.

    Returns
    -------
    ParameterReport
        One of ``rows`` for each parameter, the ``problems`` found, and ``learnable_values``.

    Raises
    ------
    TypeError
        If it is nothing of the kind, or the optimizer is none.

    Examples
    --------
    >>> import torch
    >>> row = torch.tensor([[1.0, 2.0, 3.0]])
    >>> report = parameter_report({"w": torch.nn.Parameter(row.expand(4, 3))})
    >>> report.learnable_values, report.rows[0].gradient_shape
    (3, (4, 3))
    >>> report.problems[0].name, report.problems[0].repair
    ('expanded', "parameters['w'] = torch.nn.Parameter(parameters['w'].detach().clone())")
    """
    entries = held(module_or_parameters)
    optimized = None if optimizer is None else in_optimizer(optimizer)
    found = rows(entries, optimized)
    here = {id(each.tensor) for each in entries}
    others = None if optimized is None else sum(id(x) not in here for x in optimized)
    return ParameterReport(found, problems(found, optimizer, optimized), learnable_values(found), others)


def _cells(row: ParameterRow, stuck: bool) -> tuple[str, ...]:
    yes_no = {True: say("report.yes"), False: say("report.no"), None: "-"}
    times = row.in_optimizer
    values = "?" if row.learnable_values is None else f"{row.learnable_values:,}"
    if stuck and row.learnable_values:
        values = say("parameters.values_as_they_lie", values=values)
    return (
        row.name,
        say(f"parameters.kinds.{row.kind}"),
        "?" if row.shape is None else str(row.shape),
        row.dtype,
        yes_no[row.is_leaf],
        yes_no[None if times is None else times == 1] if times is None or times < 2 else f"{times}×",
        enumerated(row.tied_with) or "-",
        enumerated(row.overlaps_with) or "-",
        "-" if row.gradient_shape is None else str(row.gradient_shape),
        values,
    )
