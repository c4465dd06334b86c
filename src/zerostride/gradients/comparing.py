"""The gradient of a source by several witnesses: by hand, autograd, central differences, gradcheck."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from zerostride.gradients.differences import Differences, central
from zerostride.gradients.programs import (
    Program,
    as_real,
    differentiable,
    dtype_of,
    epsilon,
    listed,
    need_program,
    shape_or_type,
    shortened,
    written,
)
from zerostride.gradients.witnesses import by_autograd, by_gradcheck
from zerostride.handed_in import name_of
from zerostride.language import say
from zerostride.layouts import is_tensor
from zerostride.reports import Report, Table

Array = np.ndarray[Any, Any]
EXACT = 1e-8
MOST_DOUBT = 0.01
_GRADCHECK = {None: "not_applicable", False: "fails", True: "passes"}


@dataclass(frozen=True, eq=False)
class Gradient:
    """What the witnesses say of one program.

    Attributes
    ----------
    differences : Differences
        Central differences.
    analytic, autograd : ndarray or None
        The gradient as it was handed in, and from torch; None where there is none.
    gradcheck : bool or None
        What torch's gradcheck says in float64; None where it cannot be asked.
    error : str
        How autograd refuses to go back through the program, in its own words.
    tolerance : float
        How far apart witnesses may be: rounding, and how far the differences
        themselves move when the step is doubled.
    verdict : str
        ``"agree"``, ``"differ"``, ``"cut"`` (the loss depends on the source and no
        derivative comes back), ``"unused"`` (it does not depend on it),
        ``"refused"`` (autograd raises), ``"kink"`` (no derivative, the loss
        bends or jumps at ``x``) or ``"unclear"`` (differences too coarse).
    """

    differences: Differences
    analytic: Array | None
    autograd: Array | None
    gradcheck: bool | None
    error: str
    tolerance: float
    verdict: str

    @property
    def largest_difference(self) -> float | None:
        """The largest difference of any two witnesses; None where fewer than two have numbers."""
        return _largest(self.analytic, self.autograd, self.differences.values)


@dataclass(frozen=True, repr=False, eq=False)
class GradientComparison(Report):
    """Gradients of several programs, side by side.

    Attributes
    ----------
    gradients : dict of str to Gradient
        By the name of the program.
    library : {"numpy", "torch"}
        Of the source; NumPy has neither autograd nor gradcheck.
    dtype : str
        Of the source.
    """

    gradients: dict[str, Gradient]
    library: str
    dtype: str

    def __getitem__(self, name: str) -> Gradient:
        return self.gradients[name]

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each program."""
        return {name: each.verdict for name, each in self.gradients.items()}

    def table(self) -> Table:
        """Return one row per program: what each witness says, how far they are apart, the verdict."""
        columns = ["program", "analytic", "autograd", "difference", "gradcheck", "largest", "verdict"]
        if self.library == "numpy":
            columns = [name for name in columns if name not in ("autograd", "gradcheck")]
        if all(each.analytic is None for each in self.gradients.values()):
            columns.remove("analytic")
        if all(each.largest_difference is None for each in self.gradients.values()):
            columns.remove("largest")  # The verdicts say that there is nothing to compare with.
        cells = [self._cells(name, each) for name, each in self.gradients.items()]
        header = tuple(say(f"gradients.columns.{name}") for name in columns)
        return Table([tuple(row[name] for name in columns) for row in cells], header, self.notes)

    def _cells(self, name: str, each: Gradient) -> dict[str, str]:
        return {
            "program": name,
            "analytic": _vector(each.analytic),
            "autograd": _vector(each.autograd),
            "difference": _vector(each.differences.values, measured=True),
            "gradcheck": say(f"gradients.gradcheck.{_GRADCHECK[each.gradcheck]}"),
            "largest": _apart(each.largest_difference),
            "verdict": say(f"gradients.verdict.{each.verdict}"),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """In which precision each witness calculated, and why one is missing, in the language in use."""
        told: dict[str, list[str]] = {}
        for name, each in self.gradients.items():
            for note in self._notes_on(each):
                told.setdefault(note, []).append(name)
        first = self.library == "torch" and self.dtype != "float64"
        return (
            *((say("gradients.autograd_in", dtype=self.dtype),) if first else ()),
            *(
                note if len(names) == len(self.gradients) else _about(names, note)
                for note, names in told.items()
            ),
        )

    def _notes_on(self, each: Gradient) -> list[str]:
        notes = [*each.differences.notes]
        if self.library == "torch" and each.gradcheck is None:
            notes.append(say("gradients.no_gradcheck"))
        return [*notes, say("gradients.refused", error=each.error)] if each.error else notes

    def to_dict(self) -> dict[str, object]:
        """Return what each witness says, by program."""
        return {name: _plain(each) for name, each in self.gradients.items()}


def compare_gradients(programs: Mapping[str, Program], x: Any, analytic: Any = None) -> GradientComparison:
    """Return the gradient of ``x`` under several programs, each by every witness there is.

    Programs only ever get copies of ``x``; its ``grad``, its graph and its
    hooks stay as they are.

    Parameters
    ----------
    programs : dict of str to callable
        Each from an array like ``x`` to one floating-point number.
    x : ndarray or Tensor of real floating point
        The source. For an ndarray, differences alone stand beside what is
        handed in, and torch is not loaded.
    analytic : array_like, or dict of str to array_like, optional
        The gradient as derived by hand, one for all programs or one each.

    Returns
    -------
    GradientComparison
        Each program's ``gradients`` by each witness, and the ``verdicts`` on them.

    Raises
    ------
    TypeError
        If ``programs`` is no dict of programs, or ``x`` no array or tensor.
    ValueError
        As ``finite_difference``; or if an analytic gradient has not one number
        for each element of ``x``.

    Examples
    --------
    >>> weights = np.arange(1.0, 13.0).reshape(4, 3)
    >>> ways = {
    ...     "expand": lambda z: (np.broadcast_to(z, (4, 3)) * weights).sum(),
    ...     "repeat": lambda z: (np.tile(z, (4, 1)) * weights).mean(),
    ... }
    >>> report = compare_gradients(ways, np.ones((1, 3)), analytic=[[22, 26, 30]])
    >>> report.verdicts
    {'expand': 'agree', 'repeat': 'differ'}
    """
    if not isinstance(programs, Mapping) or not programs:
        raise TypeError(say("gradients.no_programs", type=type(programs).__name__))
    for f in programs.values():
        need_program(f)
    shape = differentiable(x).shape
    by_hand = analytic if isinstance(analytic, Mapping) else dict.fromkeys(programs, analytic)
    if not set(by_hand) <= set(programs):
        raise ValueError(say("gradients.other_names", names=listed(map(str, set(by_hand) - set(programs)))))
    derived = {name: _derived(by_hand.get(name), shape) for name in programs}
    found = {name_of(name): _gradient(f, x, derived[name]) for name, f in programs.items()}
    return GradientComparison(found, "torch" if is_tensor(x) else "numpy", dtype_of(x))


def _derived(given: Any, shape: tuple[int, ...]) -> Array | None:
    try:
        return None if given is None else as_real(given).reshape(shape)
    except (TypeError, ValueError) as error:
        raise ValueError(say("gradients.bad_analytic", given=shape_or_type(given), shape=shape)) from error


def _gradient(f: Program, x: Any, analytic: Array | None) -> Gradient:
    differences = central(f, x)
    autograd, error = by_autograd(f, x) if is_tensor(x) else (None, "")
    gradcheck = by_gradcheck(f, x) if is_tensor(x) and differences.dtype == "float64" else None
    doubt = _doubt(f, x, differences)
    # Sums of a few dozen terms in the dtype of the source.
    relative = max(EXACT, min(64 * epsilon(dtype_of(x)), 1 / 64) if is_tensor(x) else 0.0)
    tolerance = doubt + relative * (1 + _scale(differences))
    found = Gradient(differences, analytic, autograd, gradcheck, error, tolerance, "")
    return replace(found, verdict=_verdict(found, doubt, is_tensor(x)))


def _doubt(f: Program, x: Any, differences: Differences) -> float:
    """Return how far the differences themselves may be off.

    What a curved program adds to them grows with the square of the step, so
    doubling the step shows how much that is.
    """
    doubled = central(f, x, times=2.0).values
    moved = np.nanmax(np.abs(doubled - differences.values), initial=0.0)
    return float(2 * moved + 2 * differences.rounding)


def _scale(differences: Differences) -> float:
    return float(np.max(np.abs(differences.values), initial=0.0))


def _verdict(found: Gradient, doubt: float, in_torch: bool) -> str:
    scale = _scale(found.differences)
    largest = found.largest_difference
    if found.error:
        return "refused"
    still = scale <= 4 * doubt
    if in_torch and found.autograd is None:
        return "unused" if still else "cut"
    if largest is None:
        return "kink" if found.differences.kinks else "measured"
    if _differ_at_kinks_alone(found):
        return "kink"
    if not doubt <= MOST_DOUBT * (1 + scale) or not np.isfinite(largest):
        return "unclear"
    if largest > found.tolerance:
        return "differ"
    # Beside a gradient smaller than the tolerance, agreement would say nothing.
    hidden = not still and largest > MOST_DOUBT * scale
    return "unclear" if found.gradcheck is False or hidden else "agree"


def _differ_at_kinks_alone(found: Gradient) -> bool:
    kinks = list(found.differences.kinks)
    witnesses = (found.analytic, found.autograd, found.differences.values)
    elsewhere = [None if each is None else np.delete(each, kinks) for each in witnesses]
    return bool(kinks) and (_largest(*elsewhere) or 0.0) <= found.tolerance


def _largest(*witnesses: Array | None) -> float | None:
    told = [each for each in witnesses if each is not None]
    with np.errstate(invalid="ignore"):
        apart = [np.max(np.abs(one - other), initial=0.0) for one, other in combinations(told, 2)]
    return float(np.max(apart)) if apart else None


def _apart(largest: float | None) -> str:
    if largest is None:
        return say("gradients.one_witness")
    return f"{largest:.1e}" if largest else "0"


def _vector(values: Array | None, *, measured: bool = False) -> str:
    if values is None:
        return say("gradients.none")
    told = (f"{each:.6g}" if measured else written(each) for each in values.ravel().tolist())
    return f"({', '.join(shortened(told))})"


def _about(names: list[str], note: str) -> str:
    return say("gradients.of_program", names=listed(names), note=note)


def _plain(each: Gradient) -> dict[str, object]:
    told = {"analytic": each.analytic, "autograd": each.autograd, "differences": each.differences.values}
    rest = ("gradcheck", "error", "tolerance", "largest_difference", "verdict")
    arrays: dict[str, object] = {
        name: None if found is None else found.tolist() for name, found in told.items()
    }
    return arrays | {name: getattr(each, name) for name in rest}
