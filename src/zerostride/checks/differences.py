"""A program of the learner, from a row to rows, and its derivative by central differences."""

from collections.abc import Callable
from typing import Any

import numpy as np

from zerostride.checks.conditions import need_derivative, shapes_differ
from zerostride.checks.equality import close
from zerostride.checks.relations import in_one_storage
from zerostride.checks.results import Finding, listed, measured, wrong
from zerostride.checks.storage import share_bytes
from zerostride.gradients import STEP, column_sums, finite_difference, in_float64, is_real, numbers
from zerostride.language import say
from zerostride.layouts import is_tensor, layout

MOST_DIFFERENCE_ELEMENTS = 1 << 22


def differences_match(source: Any, weights: Any, make: Callable[[Any], Any], shares: bool) -> Finding:
    """Compare central differences of the weighted loss with the column sums."""
    need_derivative(source, weights)
    start = in_float64(source)
    problem = program_problem(start, weights, make, shares)
    if problem:
        return problem
    differences, tolerance = differences_of(start, weights, make)
    expected = column_sums(weights)
    return measured(
        close(differences, expected, tolerance),
        "checks.gradient_matches.arrays",
        dtype=layout(source).dtype,
        differences=listed(differences),
        expected=listed(expected),
    )


def program_problem(start: Any, weights: Any, make: Callable[[Any], Any], shares: bool) -> Finding | None:
    """Return what is wrong with the program itself: its shape, or whether it copies."""
    made = made_by(make, start)
    if tuple(made.shape) != tuple(weights.shape) or layout(start).size != weights.shape[-1]:
        return shapes_differ(start, made, weights)
    if share_bytes(start, made) != shares:
        return wrong("no_common_byte") if shares else in_one_storage(start, made, holds=False)
    return None


def made_by(make: Callable[[Any], Any], start: Any) -> Any:
    """Return what the program makes of a row.

    Raises
    ------
    TypeError
        If it is no program, or makes no array of the library of the row.
    """
    made = make(start) if callable(make) else make
    kind = "torch.Tensor" if is_tensor(start) else "numpy.ndarray"
    if not callable(make) or not (is_tensor(made) if is_tensor(start) else isinstance(made, np.ndarray)):
        raise TypeError(say("checks.made_no_array", kind=kind, type=type(made).__name__))
    return made


def differences_of(start: Any, weights: Any, make: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Return the central differences of the weighted loss, and how far rounding may move them."""
    size, cols = layout(weights).size, layout(start).size
    if size * cols > MOST_DIFFERENCE_ELEMENTS:
        raise ValueError(
            say("checks.too_many_differences", needed=size * cols, most=MOST_DIFFERENCE_ELEMENTS)
        )
    factors = in_float64(weights) if is_real(weights) else weights
    differences = finite_difference(lambda z: (make(z) * factors).sum(), start).values
    loss = np.abs(numbers(make(start)) * numbers(weights)).sum()
    return differences, 1e-8 * (1 + largest_sums(weights)) + 4 * np.finfo(float).eps * loss / STEP


def largest_sums(weights: Any) -> Any:
    """Return the sums of the absolute weights by column: what rounding errors are measured by."""
    seen = np.abs(numbers(weights).astype(np.complex128))
    return seen.sum(axis=0)
