"""The derivative of a weighted sum of rows, by the way the rows were made: the explorer in Python."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from zerostride.gradients import STEP, Uses, column_sums, finite_difference
from zerostride.language import say
from zerostride.reports import Report, Table

WAYS = ("expand", "repeat", "edited", "detach", "independent")
REDUCTIONS = ("sum", "mean")
WRITTEN = 9.0
Weights = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, repr=False)
class WeightedRows(Report):
    """``(y * w).sum()`` or its mean, where the rows of ``y`` are made from a source of 1, 2, 3.

    Attributes
    ----------
    weights : tuple of tuples of int
        One weight per element of ``y``.
    way : {"expand", "repeat", "edited", "detach", "independent"}
        How the rows were made; "edited" is a clone whose first element was
        overwritten, "independent" a parameter with rows of its own.
    reduction : {"sum", "mean"}
        What is done with the weighted elements.

    Examples
    --------
    >>> rows = WeightedRows(((1, 2, 3), (4, 5, 6)), "repeat", "mean")
    >>> [str(value) for value in rows.derivative]
    ['5/6', '7/6', '3/2']
    """

    weights: Weights
    way: str = "expand"
    reduction: str = "sum"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.weights), len(self.weights[0])

    @property
    def factor(self) -> int:
        """What a mean divides by: all elements, not the rows alone."""
        rows, cols = self.shape
        return rows * cols if self.reduction == "mean" else 1

    @property
    def source(self) -> np.ndarray[Any, Any]:
        """What the derivative is taken by: one row, or every row on its own."""
        rows, cols = self.shape
        return np.tile(np.arange(1.0, cols + 1), (rows if self.way == "independent" else 1, 1))

    def elements(self, x: Any) -> np.ndarray[Any, Any]:
        """Return the rows that are made from a source."""
        y = np.broadcast_to(x, self.shape)
        if self.way == "edited":
            y = y.copy()
            y[0, 0] = WRITTEN
        return y

    def loss(self, x: Any) -> float:
        """Return the loss for a source, in float64."""
        weighted = self.elements(x) * np.array(self.weights)
        return float(weighted.mean() if self.reduction == "mean" else weighted.sum())

    @property
    def derivative(self) -> list[Fraction] | None:
        """The derivative by each component of the source, exact; None where the path is cut."""
        if self.way == "detach":
            return None
        used = np.array(self.weights, dtype=object)
        if self.way == "edited":
            used[0, 0] = 0
        sums = used.ravel() if self.way == "independent" else column_sums(np.array(used, dtype=np.int64))
        return [Fraction(int(total), self.factor) for total in sums]

    @property
    def differences(self) -> list[float]:
        """Central differences of the loss by each component, which know of no graph."""
        found: list[float] = np.asarray(finite_difference(self.loss, self.source, STEP)).ravel().tolist()
        return found

    def terms(self) -> list[list[int]]:
        """Return the weights of the uses of each component."""
        if self.way == "independent":
            return [[weight] for row in self.weights for weight in row]
        columns = [list(column) for column in zip(*self.weights, strict=True)]
        return [columns[0][1:], *columns[1:]] if self.way == "edited" else columns

    def names(self) -> list[str]:
        """Return the name of each component."""
        rows, cols = self.shape
        if self.way == "independent":
            return [f"p[{i}, {j}]" for i in range(rows) for j in range(cols)]
        return [f"x[0, {j}]" for j in range(cols)]

    def uses(self) -> Uses:
        """Return what ``zs.uses`` would find by running the program; nothing where the path is cut."""
        (rows, cols), alone = self.shape, self.way == "independent"
        places = (
            [[k] for k in range(rows * cols)]
            if alone
            else [[*range(j, rows * cols, cols)] for j in range(cols)]
        )
        flat = [weight / self.factor for row in self.weights for weight in row]
        lost: list[list[int]] = [[] for _ in places]
        if self.way == "detach":
            places, lost = lost, places
        if self.way == "edited":
            places[0], lost[0] = places[0][1:], places[0][:1]
        return Uses(
            (rows if alone else 1, cols),
            self.shape,
            tuple(map(tuple, places)),
            tuple(tuple(flat[k] for k in each) for each in places),
            lost=tuple(tuple((k, flat[k]) for k in each) for each in lost),
        )

    def table(self) -> Table:
        """Return one row per component: its uses, their sum, the derivative and the central difference."""
        columns = ("component", "uses", "sum", "derivative", "difference")
        return Table(list(self._rows()), header=[say(f"front.derivative_table.{name}") for name in columns])

    def _rows(self) -> Iterator[tuple[str, ...]]:
        values: Sequence[object] = self.derivative or [None] * len(self.names())
        found = zip(self.names(), self.terms(), values, self.differences, strict=True)
        for name, terms, value, difference in found:
            added = say("front.derivative_table.cut") if value is None else sum_text(terms, self.factor)
            yield name, str(len(terms)), added, str(value), f"{difference:.8f}"

    def to_dict(self) -> dict[str, object]:
        """Return the derivative as text of exact numbers, the uses and the central differences."""
        return {
            "way": self.way,
            "reduction": self.reduction,
            "shape": self.shape,
            "derivative": None if self.derivative is None else [str(value) for value in self.derivative],
            "uses": [len(terms) for terms in self.terms()],
            "differences": self.differences,
        }


def sum_text(terms: list[int], factor: int = 1) -> str:
    """Return a sum as it is written by hand, and the division of a mean.

    Examples
    --------
    >>> sum_text([1, -4, 7]), sum_text([1, 4], 6), sum_text([])
    ('1 − 4 + 7', '(1 + 4) ÷ 6', '0')
    """
    words = [f"{'−' if term < 0 else '+'} {abs(term)}" for term in terms[1:]]
    written = " ".join([f"{terms[0]}".replace("-", "−"), *words]) if terms else "0"
    if factor == 1 or not terms:
        return written
    return f"({written}) ÷ {factor}" if len(terms) > 1 else f"{written} ÷ {factor}"
