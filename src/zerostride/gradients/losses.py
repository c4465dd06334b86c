"""Losses beside x, taken move by move, and what they show: differences, bends, jumps, float32 inside."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from zerostride.gradients.moves import Array, Groups, moved
from zerostride.gradients.precision import numbers
from zerostride.gradients.programs import Program, at, epsilon, fresh, loss_of, ran
from zerostride.language import say

STEP = 1e-5

# The places of the elements, the number, the step, the losses below and above.
Line = tuple[Array, float, float, float, float]


def taken(
    f: Program, x: Any, groups: Groups, dtype: str, loss_dtype: str, step: float | None, times: float
) -> tuple[Array, float, list[Line]]:
    """Return the differences, the step before it is scaled, and each move."""
    base = times * default_step(epsilon(dtype, loss_dtype)) if step is None else float(step)
    start = numbers(fresh(x, dtype)).ravel()
    values = np.full(start.size, np.nan)
    lines: list[Line] = []
    for places in groups:
        number = float(start[places[0]])
        width = base * max(1.0, abs(number)) if step is None and np.isfinite(number) else base
        below, above, moved = _pair(f, x, dtype, places, width)
        lines.append((places, number, width, below, above))
        if np.isfinite(above - below):
            values[places] = (above - below) / moved
    return values, base, lines


def kinks_of(
    f: Program, x: Any, dtype: str, loss: float, rounding: float, lines: list[Line]
) -> Iterator[int]:
    """Yield the places where the loss bends or jumps at ``x`` itself.

    What jumps there leaves the straight line by the same amount at any step, what
    bends by one that grows with the step, and what is curved with its square.
    """
    most = max((abs(above - below) for *_, below, above in lines if np.isfinite(above - below)), default=0.0)
    least = max(0.01 * most, 64 * rounding * max(1.0, abs(loss)))
    for places, _, width, below, above in lines:
        bend = abs(above - 2 * loss + below)
        if max(least, 1e-3 * width) < bend < np.inf:
            half, double = (_pair(f, x, dtype, places, times * width) for times in (0.5, 2.0))
            bends = abs(half[0] - 2 * loss + half[1]), abs(double[0] - 2 * loss + double[1])
            grown = bends[0] / bend, bends[1] / bend
            jumps = bend > 16 * least and np.allclose(grown, 1, rtol=0.05)
            if jumps or np.allclose(grown, (0.5, 2), rtol=0.1):
                yield from places.tolist()


def all_in_float32(loss: float, lines: list[Line]) -> bool:
    """Return whether losses move, and every one that does is a number of float32."""
    seen = np.array([each for line in lines for each in line[3:] if each != loss and np.isfinite(each)])
    with np.errstate(over="ignore"):
        return bool(seen.size and (seen.astype(np.float32) == seen).all())


def default_step(rounding: float) -> float:
    """Return the step for a precision: 1e-5 in float64, else the power of two next to its cube root.

    Examples
    --------
    >>> default_step(2.0**-52), default_step(2.0**-23)
    (1e-05, 0.00390625)
    """
    return STEP if rounding <= 2.0**-52 else float(2.0 ** round(np.log2(rounding) / 3))


def _pair(f: Program, x: Any, dtype: str, places: Array, width: float) -> tuple[float, float, float]:
    """Return the loss below and above, and how far apart the two numbers are."""
    losses, ends = [], []
    for by in (-width, width):
        z = moved(x, dtype, places, by)
        ends.append(float(z.reshape(-1)[int(places[0])]))
        losses.append(loss_of(ran(f, z))[0])
    if ends[0] == ends[1] and np.isfinite(ends[0]):
        place = at(tuple(x.shape), int(places[0]))
        raise ValueError(say("gradients.vanishes", step=width, element=place, number=ends[0], dtype=dtype))
    return losses[0], losses[1], ends[1] - ends[0]
