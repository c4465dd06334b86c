"""Whether two different indices of intertwined strides come nearer to each other than a width."""

from collections.abc import Iterable, Iterator, Sequence
from math import gcd

NODES_AT_MOST = 20_000


class _TooManyNodesError(Exception):
    pass


def some_meet(axes: Sequence[tuple[int, int]], width: int) -> bool | None:
    """Return whether two different indices start less than ``width`` apart.

    Two indices meet where their differences along the axes, times the steps,
    add up to less than the width. The search takes the largest steps first
    and drops a branch that the smaller ones cannot bring back near 0, or that
    no multiple of their common divisor comes near; the last two axes are
    solved by a congruence.

    Parameters
    ----------
    axes : sequence of (step, size)
        Steps above 0, sizes above 1.
    width : int
        Bytes of one element, at least 1.

    Returns
    -------
    bool or None
        None where the search would take too many branches.

    Examples
    --------
    >>> some_meet([(5, 3), (7, 3)], 2), some_meet([(5, 3), (7, 3)], 3)
    (False, True)
    """
    return _Search(sorted(axes, reverse=True), width).run()


class _Search:
    """One search, with the axes from the largest step to the smallest."""

    def __init__(self, axes: Sequence[tuple[int, int]], width: int) -> None:
        self.axes = axes
        self.width = width
        self.nodes = 0
        # What the axes from a place on can make up: no more than this, in multiples of that.
        self.reaches = [
            sum(step * (size - 1) for step, size in axes[place:]) for place in range(len(axes) + 1)
        ]
        self.common = [gcd(*(step for step, _ in axes[place:])) for place in range(len(axes) + 1)]

    def run(self) -> bool | None:
        try:
            # Of a difference and its negative one is enough: the first that is not 0 counts upward.
            return any(
                self._closes(place + 1, ahead * step)
                for place, (step, _) in enumerate(self.axes)
                for ahead in self._moves(place, 0, 1)
            )
        except _TooManyNodesError:
            return None

    def _closes(self, place: int, distance: int) -> bool:
        """Return whether the axes from a place on can bring a distance below the width."""
        self.nodes += 1
        if self.nodes > NODES_AT_MOST:
            raise _TooManyNodesError
        if abs(distance) < self.width:
            return True
        if place == len(self.axes) or abs(distance) - self.reaches[place] >= self.width:
            return False
        remainder = distance % self.common[place]
        if min(remainder, self.common[place] - remainder) >= self.width:
            return False
        return any(
            self._closes(place + 1, distance + moves * self.axes[place][0])
            for moves in self._moves(place, distance, 1 - self.axes[place][1])
        )

    def _moves(self, place: int, distance: int, least: int) -> Iterable[int]:
        """Return the moves along one axis that can still lead to a distance below the width."""
        step, size = self.axes[place]
        left = self.reaches[place + 1] + self.width - 1
        first = max(least, -((left + distance) // step))
        last = min(size - 1, (left - distance) // step)
        if place == len(self.axes) - 2 and last - first > 2 * self.width:
            return self._solved(place, distance, first, last)
        return range(first, last + 1)

    def _solved(self, place: int, distance: int, first: int, last: int) -> Iterator[int]:
        """Yield the moves that leave less than the width modulo the last step."""
        step, modulus = self.axes[place][0], self.axes[place + 1][0]
        common = gcd(step, modulus)
        period = modulus // common
        inverse = pow(step // common, -1, period)
        for rest in range(1 - self.width, self.width):
            quotient, remainder = divmod(rest - distance, common)
            if remainder == 0:
                yield from range(first + (quotient * inverse - first) % period, last + 1, period)
