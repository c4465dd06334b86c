"""One row that four rows share, and four rows of their own, trained on the same data from the same start."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from zerostride.handed_in import is_among, items_of
from zerostride.language import say
from zerostride.parameters.facts import learnable_values, rows
from zerostride.parameters.held import held
from zerostride.reports import Report, Table

START = (1.0, 2.0, 3.0)
TARGETS = ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0), (10.0, 11.0, 12.0))
LARGEST = 1e12
SHOWN_STEPS = (0, 1, 5)  # of the losses, beside the last
OPTIMIZERS = ("SGD", "Adam")

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Run:
    """What one way to write the parameter learned.

    Attributes
    ----------
    code : str
        What stands in forward for the four rows.
    learnable_values : int
        Values that it stores for training to change.
    losses : tuple of float
        The mean squared error before the first step, and after each.
    values : tuple of tuple of float
        The four rows at the end.
    state : dict of str to (shape, bytes)
        What the optimizer holds for it.
    """

    code: str
    learnable_values: int
    losses: tuple[float, ...]
    values: Rows
    state: dict[str, tuple[tuple[int, ...], int]]

    @property
    def state_bytes(self) -> int:
        """Bytes of everything that the optimizer holds."""
        return sum(size_bytes for _, size_bytes in self.state.values())


@dataclass(frozen=True, repr=False)
class Training(Report):
    """A shared row and rows of their own, side by side.

    Attributes
    ----------
    shared, independent : Run
        One row that is expanded in forward; one row each.
    targets : tuple of tuple of float
        What each row shall become.
    optimizer : str
        ``"SGD"`` or ``"Adam"``.
    learning_rate : float
        Of both runs.
    """

    shared: Run
    independent: Run
    targets: Rows
    optimizer: str
    learning_rate: float

    @property
    def runs(self) -> tuple[Run, Run]:
        """Both, the shared one first."""
        return self.shared, self.independent

    def table(self) -> Table:
        """Return one row a run; what the optimizer holds only where it holds something."""
        taken = len(self.shared.losses) - 1
        shown = [step for step in SHOWN_STEPS if step < taken] + [taken]
        state = ("state", "state_bytes") if self.shared.state else ()
        header = (
            *(say(f"parameters.{column}") for column in ("code", "values")),
            *(say("parameters.loss_after", step=step) for step in shown),
            *(say(f"parameters.{column}") for column in (*state, "learned")),
        )
        body = [
            (
                run.code,
                str(run.learnable_values),
                *(f"{run.losses[step]:.4g}" for step in shown),
                *(_held(run) if state else ()),
                " / ".join(", ".join(f"{value:.3f}" for value in row) for row in dict.fromkeys(run.values)),
            )
            for run in self.runs
        ]
        caption = say(
            "parameters.trained",
            optimizer=self.optimizer,
            rate=f"{self.learning_rate:g}",
            steps=taken,
        )
        return Table(body, header, caption=caption)

    def alternative(self) -> str:
        """Return the curves as sentences, in the language in use."""
        return say("parameters.alt_space").join(
            say(
                "parameters.alt_curve",
                code=run.code,
                values=run.learnable_values,
                first=f"{run.losses[0]:.4g}",
                last=f"{run.losses[-1]:.4g}",
                steps=len(run.losses) - 1,
            )
            for run in self.runs
        )

    def to_dict(self) -> dict[str, object]:
        """Return both runs and how they were trained."""
        runs = {name: vars(run) for name, run in zip(("shared", "independent"), self.runs, strict=True)}
        names = ("targets", "optimizer", "learning_rate")
        return {**runs, **{name: getattr(self, name) for name in names}}


def _held(run: Run) -> tuple[str, str]:
    return ", ".join(f"{name} {shape}" for name, (shape, _) in run.state.items()), f"{run.state_bytes} B"


def train(
    targets: Sequence[Sequence[float]] = TARGETS,
    steps: int = 100,
    *,
    optimizer: str = "Adam",
    learning_rate: float = 0.2,
) -> Training:
    """Return what a shared row and independent rows learn from the same data and start.

    Every row shall become its target; the loss is the mean squared error over
    all elements. Nothing is random, and everything is float64 on one thread.

    Parameters
    ----------
    targets : sequence of rows of 3 numbers
        One row each; equal rows show that independent rows need not differ.
    steps : int, default 100
        From 1 to 1000.
    optimizer : {"Adam", "SGD"}
        SGD runs without momentum, so it holds nothing.
    learning_rate : float, default 0.2
        The same for both runs.

    Returns
    -------
    Training
        Two runs, ``shared`` and ``independent``, each with its losses and values.

    Raises
    ------
    ValueError
        If the targets are no rows of three numbers, or a number is out of range.
    ImportError
        If torch cannot be imported.

    Examples
    --------
    >>> training = train()
    >>> training.shared.learnable_values, training.independent.learnable_values
    (3, 12)
    >>> training.shared.state["exp_avg"], training.independent.state["exp_avg"]
    (((1, 3), 24), ((4, 3), 96))
    """
    wanted = _checked(targets, steps, optimizer, learning_rate)
    torch = torch_or_words()
    start = torch.tensor([START], dtype=torch.float64)
    goal = torch.tensor(wanted, dtype=torch.float64)
    count = len(wanted)
    with one_thread(torch):
        runs = [
            _run(torch, code, torch.nn.Parameter(values), goal, int(steps), optimizer, float(learning_rate))
            for code, values in {
                f"row.expand({count}, 3)": start.clone(),
                "rows": start.repeat(count, 1),
            }.items()
        ]
    return Training(runs[0], runs[1], wanted, optimizer, float(learning_rate))


def _checked(targets: Any, steps: Any, optimizer: Any, learning_rate: Any) -> Rows:
    try:
        rows = [items_of(row, most=3) or () for row in items_of(targets, most=100) or ()]
        wanted = tuple(tuple(float(value) for value in row) for row in rows)
    except Exception as error:  # of whatever stands in the place of a number
        raise ValueError(say("parameters.bad_targets")) from error
    small = all(abs(value) <= LARGEST for row in wanted for value in row)
    if not wanted or any(len(row) != 3 for row in wanted) or not small:
        raise ValueError(say("parameters.bad_targets"))
    if not is_whole(steps) or not 1 <= steps <= 1000:
        raise ValueError(say("parameters.bad_steps", steps=steps))
    if not is_among(optimizer, OPTIMIZERS):
        raise ValueError(say("parameters.bad_optimizer", optimizer=optimizer))
    if not is_number(learning_rate) or not 0 < learning_rate <= 10:
        raise ValueError(say("parameters.bad_rate", rate=learning_rate))
    return wanted


def _run(
    torch: Any, code: str, parameter: Any, goal: Any, steps: int, optimizer: str, learning_rate: float
) -> Run:
    updates = getattr(torch.optim, optimizer)([parameter], lr=learning_rate, foreach=False)
    losses = []
    with torch.enable_grad():
        for step in range(steps + 1):
            loss = ((parameter.expand(goal.shape) - goal) ** 2).mean()
            losses.append(loss.item())
            if step < steps:
                updates.zero_grad()
                loss.backward()
                updates.step()
    state = {
        name: (tuple(x.shape), x.numel() * x.element_size())
        for name, x in updates.state[parameter].items()
        if isinstance(x, torch.Tensor)
    }
    counted = learnable_values(rows(held(parameter), None))
    assert counted is not None
    values = tuple(map(tuple, parameter.detach().expand(goal.shape).tolist()))
    return Run(code, counted, tuple(losses), values, state)


def is_whole(x: object) -> bool:
    """Return whether ``x`` is a whole number of Python or NumPy, and no truth value."""
    return isinstance(x, Integral) and not isinstance(x, bool)


def is_number(x: object) -> bool:
    """Return whether ``x`` is a real number of Python or NumPy, and no truth value."""
    return isinstance(x, Real) and not isinstance(x, bool)


def torch_or_words() -> Any:
    """Return torch, or say what is missing.

    Raises
    ------
    ImportError
        If torch cannot be imported.
    """
    try:
        import torch
    except ImportError as error:
        raise ImportError(say("parameters.no_torch")) from error
    return torch


@contextmanager
def one_thread(torch: Any) -> Iterator[None]:
    """Run torch on one thread inside the block, then on as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
