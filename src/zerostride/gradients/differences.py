"""Central differences: what a loss changes by when one number moves a little, up and down."""

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerostride.gradients.losses import Line, all_in_float32, kinks_of, taken
from zerostride.gradients.moves import QUESTIONS, Array, moved_together
from zerostride.gradients.precision import numbers
from zerostride.gradients.programs import (
    Note,
    Program,
    at,
    differentiable,
    dtype_of,
    epsilon,
    fresh,
    listed,
    loss_of,
    need_program,
    ran,
    tried,
)
from zerostride.language import say
from zerostride.layouts import Layout
from zerostride.reports import Report, Table

MOST_ROWS = 12


@dataclass(frozen=True, repr=False, eq=False)
class Differences(Report):
    """The derivative of a loss by central differences, and how it was taken.

    ``np.asarray`` gives the values.

    Attributes
    ----------
    values : ndarray of float64
        One derivative per element, in the shape of ``x``; NaN where a loss
        beside it is no finite number.
    step : float
        By how much a number moves; by default, times ``abs(x)`` where that is above 1.
    of : {"element", "stored"}
        What moved: one element, or one stored value with all elements that read it.
    dtype : str
        What the program calculated in.
    rounding : float
        What rounding the loss alone may add to a value.
    lines : tuple
        Of each move: the places of its elements, the number, the step, the
        losses below and above.
    remarks : tuple
        Names and values of the notes.
    kinks : tuple of int
        Places, row by row, where the loss bends or jumps at ``x``: the value
        there is no derivative.
    """

    values: Array
    step: float
    of: str
    dtype: str
    rounding: float
    lines: tuple[Line, ...]
    remarks: tuple[Note, ...] = ()
    kinks: tuple[int, ...] = ()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    @property
    def notes(self) -> tuple[str, ...]:
        """How it was taken, and what to know about it, in the language in use."""
        return tuple(say(f"gradients.note.{name}", **values) for name, values in self.remarks)

    def table(self) -> Table:
        """Return one row per move: the number, its step, both losses and the difference."""
        header = tuple(
            say(f"gradients.columns.{name}")
            for name in ("element", "number", "step", "below", "above", "difference")
        )
        rows = [self._row(*line) for line in self.lines[:MOST_ROWS]]
        left = len(self.lines) - len(rows)
        more = [say("gradients.more", count=left)] if left else []
        return Table(rows, header, [*more, *self.notes])

    def _row(self, places: Array, number: float, step: float, below: float, above: float) -> tuple[str, ...]:
        told = at(self.values.shape, int(places[0])) + (f" ×{len(places)}" if len(places) > 1 else "")
        found = self.values.flat[places[0]]
        return (told, f"{number:.10g}", f"{step:g}", f"{below:.12g}", f"{above:.12g}", f"{found:.10g}")

    def to_dict(self) -> dict[str, object]:
        """Return values and how they were taken."""
        told: dict[str, object] = {name: getattr(self, name) for name in ("step", "of", "dtype", "rounding")}
        return {"values": self.values.tolist(), **told, "notes": [name for name, _ in self.remarks]}


def finite_difference(f: Program, x: Any, step: float | None = None, of: str = "element") -> Differences:
    """Return the derivative of a scalar program by central differences.

    One number moves at a time, by a step up and by a step down; all others
    stay. The difference of the losses is divided by how far the number really
    moved. The program only ever gets copies, on which no two elements share an
    address, and they are its own to write to. What it keeps elsewhere, such as the
    running statistics of a layer, moves on with each run.

    Parameters
    ----------
    f : callable
        From an array like ``x`` to one floating-point number.
    x : ndarray or Tensor of real floating point
        Where the derivative is taken; never written.
    step : float, optional
        By default 1e-5, times ``abs(x)`` where that is above 1, on a float64
        copy of ``x``: in lower precision such a step would drown. Where the
        program calculates in lower precision all the same, the step is the
        cube root of that rounding. A step that is given is taken as it is, in
        the dtype of ``x``, whatever comes of it.
    of : {"element", "stored"}
        Which question is asked where elements of ``x`` share an address:
        what one element does, or one stored value with all that read it.

    Returns
    -------
    Differences
        The derivative in ``values``, and the ``step`` and ``dtype`` it was taken with.

    Raises
    ------
    TypeError
        If ``x`` is no array or tensor, or the loss no floating-point number.
    ValueError
        If ``x`` holds integers, bool or complex numbers, or too many numbers,
        the loss is not one finite number or another one each time, or the step
        is not above 0 or vanishes beside a number.

    Examples
    --------
    >>> weights = np.arange(1.0, 13.0).reshape(4, 3)
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> finite_difference(lambda z: (np.broadcast_to(z, (4, 3)) * weights).sum(), source).values.round(6)
    array([[22., 26., 30.]])

    One copied cell, and the value that four cells read:

    >>> view = np.broadcast_to(source, (4, 3))
    >>> finite_difference(lambda z: (z * weights).sum(), view).values.round(6)[0]
    array([1., 2., 3.])
    >>> finite_difference(lambda z: (z * weights).sum(), view, of="stored").values.round(6)[0]
    array([22., 26., 30.])
    """
    return central(f, x, step, of)


def central(
    f: Program, x: Any, step: float | None = None, of: str = "element", times: float = 1.0
) -> Differences:
    """Return central differences; ``times`` makes the default step larger."""
    need_program(f)
    seen = differentiable(x)
    if step is not None and not (_is_number(step) and 0 < step <= sys.float_info.max):
        raise ValueError(say("gradients.bad_step", step=step))
    groups = moved_together(seen, of)
    dtype, loss, loss_dtype = _start(f, x, step)
    values, base, lines = taken(f, x, groups, dtype, loss_dtype, step, times)
    moving = [line[0] for line in lines if line[3:] != (loss, loss)][:MOST_ROWS]
    if (
        step is None
        and epsilon(loss_dtype) < epsilon("float32")
        and all_in_float32(loss, lines)
        # Round weights give round losses at a round step, so another one is taken to be sure.
        and all_in_float32(loss, taken(f, x, moving, dtype, loss_dtype, None, 7.31)[2])
    ):
        # Somewhere inside, the program calculates in float32, whatever it is given.
        loss_dtype = "float32"
        values, base, lines = taken(f, x, groups, dtype, loss_dtype, step, times)
    grain = epsilon(loss_dtype) * abs(loss) / (2 * base)
    remarks = _remarks(seen, dtype_of(x), of, step, dtype, loss_dtype, values, grain)
    kinks = tuple(kinks_of(f, x, dtype, loss, epsilon(dtype, loss_dtype), lines))
    if kinks:
        remarks.append(("kink", {"elements": listed(at(seen.shape, place) for place in kinks)}))
    found = values.reshape(seen.shape)
    return Differences(found, base, of, dtype, grain, tuple(lines), tuple(remarks), kinks)


def _is_number(step: object) -> bool:
    return isinstance(step, int | float | np.integer | np.floating) and not isinstance(step, bool)


def _start(f: Program, x: Any, step: float | None) -> tuple[str, float, str]:
    """Return what the program calculates in, its loss at ``x``, and what that is given in."""
    value, dtype = tried(f, x, "float64" if step is None else dtype_of(x))
    loss, loss_dtype = loss_of(value)
    if not np.isfinite(loss):
        held = numbers(x).ravel()
        bad = [f"{at(tuple(x.shape), int(k))} = {held[k]}" for k in np.flatnonzero(~np.isfinite(held))]
        key = "gradients.not_finite_number" if bad else "gradients.not_finite_loss"
        raise ValueError(say(key, loss=loss, elements=listed(bad)))
    again, _ = loss_of(ran(f, fresh(x, dtype)))
    if again != loss:
        raise ValueError(say("gradients.not_the_same", first=loss, second=again))
    return dtype, loss, loss_dtype or dtype


def _remarks(
    seen: Layout,
    own: str,
    of: str,
    step: float | None,
    dtype: str,
    loss_dtype: str,
    values: Array,
    grain: float,
) -> list[Note]:
    found: list[Note] = []
    if seen.most_aliases is None or seen.most_aliases > 1:
        found.append((QUESTIONS[of], {}))
    if step is not None:
        found.append(("step_given", {"step": step, "dtype": dtype}))
    elif dtype != own:
        found.append(("lifted", {"own": own, "dtype": dtype}))
    elif dtype != "float64":
        found.append(("own_dtype", {"dtype": dtype}))
    if epsilon(loss_dtype) > epsilon(dtype):
        found.append(("coarse_loss", {"dtype": loss_dtype}))
    if grain > 1e-6 * max(1.0, np.nanmax(np.abs(values), initial=0.0)):
        found.append(("grain", {"grain": f"{grain:.2g}", "dtype": loss_dtype}))
    bad = [at(seen.shape, int(place)) for place in np.flatnonzero(np.isnan(values))]
    if bad:
        found.append(("not_finite", {"elements": listed(bad)}))
    return found
