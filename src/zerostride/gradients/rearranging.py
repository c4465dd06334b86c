"""How often a program uses each element of its source, and with which weights."""

from dataclasses import dataclass
from math import ceil, fsum, log2, prod
from typing import Any

import numpy as np

from zerostride.gradients.precision import is_real, numbers
from zerostride.gradients.programs import (
    Note,
    Program,
    as_real,
    at,
    dtype_of,
    epsilon,
    fresh,
    listed,
    need_program,
    need_room,
    ran,
    readable,
    shape_or_type,
    tried,
    written,
)
from zerostride.handed_in import shape_of
from zerostride.language import say
from zerostride.layouts import Layout, is_tensor
from zerostride.reports import Report, Table

Array = np.ndarray[Any, Any]
SMALL = 2.0**-17
DIGITS = 8
MOST_ROWS = 24


@dataclass(frozen=True, repr=False, eq=False)
class Uses(Report):
    """Which elements of a result use which element of the source, and with which weights.

    Attributes
    ----------
    source_shape, result_shape : tuple of int
        Shapes of the source and of what the program makes of it.
    places : tuple of tuple of int
        For each source element, row by row, which elements of the result use
        it, counted row by row.
    weights : tuple of tuple of float
        With which weight each of them does.
    remarks : tuple
        Names and values of the notes.
    lost : tuple of tuple of (int, float)
        Elements of the result that would use it, had they not been edited or
        detached, each with the weight that does not come back; empty where unknown.
    """

    source_shape: tuple[int, ...]
    result_shape: tuple[int, ...]
    places: tuple[tuple[int, ...], ...]
    weights: tuple[tuple[float, ...], ...]
    remarks: tuple[Note, ...] = ()
    lost: tuple[tuple[tuple[int, float], ...], ...] = ()

    @property
    def counts(self) -> Array:
        """The number of uses of each source element, in its shape."""
        return np.array([len(each) for each in self.places], dtype=np.int64).reshape(self.source_shape)

    @property
    def sums(self) -> Array:
        """The sum of the weights of each source element: the derivative of the weighted sum."""
        return np.array([fsum(each) for each in self.weights], dtype=np.float64).reshape(self.source_shape)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about the answer, in the language in use."""
        return tuple(say(f"gradients.note.{name}", **values) for name, values in self.remarks)

    def table(self) -> Table:
        """Return one row per source element: how often, by which elements, with which weights, their sum."""
        names = ("element", "uses", "used_by", "weights", "sum")
        header = tuple(say(f"gradients.columns.{name}") for name in names)
        rows = [
            (
                at(self.source_shape, place),
                str(len(users)),
                listed(at(self.result_shape, user, "y") for user in users) or say("gradients.none"),
                listed(map(written, weights)) or say("gradients.none"),
                written(fsum(weights)),
            )
            for place, (users, weights) in enumerate(zip(self.places, self.weights, strict=True))
        ]
        left = len(rows) - MOST_ROWS
        more = [say("gradients.more", count=left)] if left > 0 else []
        return Table(rows[:MOST_ROWS], header, [*more, *self.notes])

    def alternative(self) -> str:
        """Return the uses as sentences, in the language in use."""
        told = [
            say(
                "gradients.alt_use",
                element=at(self.source_shape, place),
                uses=len(weights),
                weights=listed(map(written, weights)) or say("gradients.none"),
                sum=written(fsum(weights)),
            )
            for place, weights in enumerate(self.weights[:MOST_ROWS])
        ]
        left = len(self.weights) - MOST_ROWS
        return say("draw.alt_space").join([*told, *([say("gradients.more", count=left)] if left > 0 else [])])

    def to_dict(self) -> dict[str, object]:
        """Return counts, users, weights and sums."""
        return {
            "source_shape": self.source_shape,
            "result_shape": self.result_shape,
            "counts": self.counts.tolist(),
            "places": self.places,
            "weights": self.weights,
            "sums": self.sums.tolist(),
            "notes": [name for name, _ in self.remarks],
        }


def uses(f: Program, x: Any, weights: Any = None) -> Uses:
    """Return how often a program uses each element of its source, and with which weights.

    Measured, by running it: one source element moves by a small step up and
    down, on copies. Each element of the result that moves with it is a use,
    and how far it moves, over how far the source moved, is its weight: exactly
    1 where the program only rearranges, else to eight digits. A use that has
    no effect beside ``x`` (a square at 0) is not seen.

    Parameters
    ----------
    f : callable
        From an array like ``x`` to an array, before it is summed to a loss.
    x : ndarray or Tensor of real numbers
        The source. Integers and bool, too, are moved on a float64 copy, for
        programs that only rearrange.
    weights : array_like, optional
        What each element of the result is multiplied by in the loss: one
        number for each.

    Returns
    -------
    Uses
        ``counts`` and ``sums`` for each element of the source, and the ``weights`` of its uses.

    Raises
    ------
    TypeError
        If ``x`` or the result is no array or tensor of real numbers.
    ValueError
        If there is too much to run, the result is not finite, the weights have
        another shape, or integers are more than rearranged.

    Examples
    --------
    >>> weights = np.arange(1.0, 13.0).reshape(4, 3)
    >>> print(uses(lambda z: np.broadcast_to(z, (4, 3)), np.ones((1, 3)), weights))
    element  uses  used by                             weights      sum
    -------  ----  ----------------------------------  -----------  ---
    x[0, 0]  4     y[0, 0], y[1, 0], y[2, 0], y[3, 0]  1, 4, 7, 10  22
    x[0, 1]  4     y[0, 1], y[1, 1], y[2, 1], y[3, 1]  2, 5, 8, 11  26
    x[0, 2]  4     y[0, 2], y[1, 2], y[2, 2], y[3, 2]  3, 6, 9, 12  30
    >>> uses(lambda z: np.lib.stride_tricks.sliding_window_view(z, 3), np.ones(5)).counts
    array([1, 2, 3, 2, 1])
    """
    need_program(f)
    seen = _countable(x)
    need_room(seen.size * seen.size, seen.shape)
    made, dtype = tried(f, x, "float64")
    # Each of the runs makes the whole result; one that is expanded is not even read before.
    need_room(max(seen.size, 1) * prod(shape_of(made) or ()), seen.shape)
    result = _result(made)
    _need_the_same(result, _result(ran(f, fresh(x, dtype))))
    factors = _factors(weights, result.shape)
    rounding = epsilon(dtype, dtype_of(made))
    places, carried = [], []
    for place in range(seen.size):
        column = _column(f, x, dtype, place, rounding)
        users = np.flatnonzero(column)
        if not is_real(x) and (column[users] != 1).any():
            raise ValueError(say("gradients.no_small_step", dtype=dtype_of(x)))
        places.append(tuple(users.tolist()))
        carried.append(tuple((column * factors)[users].tolist()))
    remarks = tuple(_remarks(x, seen, dtype, result))
    return Uses(seen.shape, result.shape, tuple(places), tuple(carried), remarks)


def _countable(x: Any) -> Layout:
    """Return the layout of real numbers, whole ones too."""
    seen = readable(x)
    if x.is_complex() or x.is_quantized if is_tensor(x) else x.dtype.kind not in "fiub":
        raise TypeError(say("gradients.no_real_numbers", dtype=seen.dtype))
    return seen


def _result(made: Any) -> Array:
    """Return what the program made, as float64."""
    held = np.asarray(made) if isinstance(made, np.generic) else made
    if not (is_tensor(held) or isinstance(held, np.ndarray)) or not is_real(held):
        kind = dtype_of(held) if hasattr(held, "dtype") else type(made).__name__
        raise TypeError(say("gradients.no_result", kind=kind))
    found = numbers(held).astype(np.float64)
    if not np.isfinite(found).all():
        bad = [at(found.shape, int(place), "y") for place in np.flatnonzero(~np.isfinite(found))]
        raise ValueError(say("gradients.not_finite_result", elements=listed(bad)))
    return found


def _need_the_same(result: Array, again: Array) -> None:
    """Raise ValueError where a program gives other numbers the second time."""
    if result.shape != again.shape:
        raise ValueError(say("gradients.other_shape"))
    other = np.flatnonzero(result != again)
    if other.size:
        first, second = result.flat[other[0]], again.flat[other[0]]
        raise ValueError(say("gradients.not_the_same", first=first, second=second))


def _factors(weights: Any, shape: tuple[int, ...]) -> Array:
    if weights is None:
        return np.ones(prod(shape))
    try:
        read = as_real(weights)
    except (TypeError, ValueError) as error:
        raise ValueError(say("gradients.bad_weights", given=shape_or_type(weights), shape=shape)) from error
    if read.shape != shape:
        raise ValueError(say("gradients.bad_weights", given=read.shape, shape=shape))
    return read.ravel()


def _column(f: Program, x: Any, dtype: str, place: int, rounding: float) -> Array:
    """Return by how much each element of the result moves, over how far one source element does."""
    ends, results = [], []
    for sign in (-1, 1):
        z = fresh(x, dtype)
        flat = z.reshape(-1)
        number = float(flat[place])
        flat[place] = number + sign * _width(number, rounding)
        ends.append(float(flat[place]))
        results.append(_result(ran(f, z)).ravel())
    if results[0].shape != results[1].shape:
        raise ValueError(say("gradients.other_shape"))
    column = (results[1] - results[0]) / (ends[1] - ends[0])
    users = np.flatnonzero(column)
    # What rounding the result alone may move a weight by is no part of the weight.
    grain = 4 * rounding * np.maximum(*(np.abs(each[users]) for each in results)) / (ends[1] - ends[0])
    unit = 10.0 ** np.ceil(np.log10(np.maximum(grain, 1e-300)))
    digits = DIGITS if rounding <= 2.0**-52 else 3
    found, where = np.unique(np.round(column[users] / unit) * unit, return_inverse=True)
    column[users] = np.array([float(f"{each:.{digits}g}") for each in found.tolist()])[where]
    return column


def _width(number: float, rounding: float) -> float:
    """Return a step that is a power of two, so that what is only moved stays exact."""
    size = 2.0 ** ceil(log2(max(1.0, abs(number)))) if np.isfinite(number) else 1.0
    return size * (SMALL if rounding <= 2.0**-52 else float(2.0 ** round(log2(rounding) / 3)))


def _remarks(x: Any, seen: Layout, dtype: str, result: Array) -> list[Note]:
    found: list[Note] = []
    if seen.most_aliases is None or seen.most_aliases > 1:
        found.append(("each_apart", {}))
    if dtype != dtype_of(x):
        found.append(("lifted", {"own": dtype_of(x), "dtype": dtype}))
    if result.size == 1 and seen.size > 1:
        found.append(("one_number", {}))
    return found
