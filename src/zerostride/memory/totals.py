"""Logical, touched and stored bytes, of one array or of many that may share storage."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from zerostride.language import say
from zerostride.layouts import layout
from zerostride.memory.units import bytes_and_units
from zerostride.reports import Report, Table
from zerostride.sharing import Storages, compare, storages


@dataclass(frozen=True, repr=False)
class Bytes(Report):
    """Three answers to "how large is it".

    Attributes
    ----------
    logical_bytes : int
        Elements times item size, of each array: what ``nbytes`` adds up to.
    touched_bytes : int or None
        Bytes that at least one of the arrays reads; None where that is unknown.
    storage_bytes : int
        The storages behind them, each counted once.
    storages : int
        How many storages these are.
    """

    logical_bytes: int
    touched_bytes: int | None
    storage_bytes: int
    storages: int

    def table(self) -> Table:
        """Return the three answers as rows, each with what it is good for."""
        touched = self.touched_bytes
        rows = [
            (say("memory.total.logical"), bytes_and_units(self.logical_bytes), say("memory.good.logical")),
            (
                say("memory.total.touched"),
                say("memory.unknown") if touched is None else bytes_and_units(touched),
                say("memory.good.touched"),
            ),
            (say("memory.total.storage"), bytes_and_units(self.storage_bytes), say("memory.good.storage")),
        ]
        return Table(rows, notes=(say("memory.storages", storages=self.storages),))

    def to_dict(self) -> dict[str, object]:
        """Return every number under its public name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def bytes_of(*arrays: Any) -> Bytes:
    """Return logical, touched and stored bytes of arrays and tensors; shared storage counts once.

    Parameters
    ----------
    *arrays : ndarray or Tensor
        At least one; both libraries may be mixed.

    Raises
    ------
    TypeError
        If nothing is handed in, or something that has no strides or hides its storage.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> view, tiled = np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))
    >>> bytes_of(view).to_dict()
    {'logical_bytes': 96, 'touched_bytes': 24, 'storage_bytes': 24, 'storages': 1}
    >>> bytes_of(source, view, tiled).storage_bytes
    120
    """
    if not arrays:
        raise TypeError(say("memory.no_inputs"))
    found = _grouped({f"{number}": each for number, each in enumerate(arrays)})
    groups = [[int(name) for name in group.names] for group in found.groups]
    touched = [_touched([arrays[number] for number in group]) for group in groups]
    known = [each for each in touched if each is not None]
    return Bytes(
        sum(layout(each).logical_bytes for each in arrays),
        sum(known) if len(known) == len(touched) else None,
        found.total_bytes,
        len(groups),
    )


def _grouped(named: dict[str, Any]) -> Storages:
    """Return the storages of arrays by their numbers; each array must have one."""
    for each in named.values():
        layout(each)
    found = storages(**named)
    if found.skipped:
        raise TypeError(say("memory.hidden", type=type(named[found.skipped[0]]).__name__))
    return found


def _touched(arrays: Sequence[Any]) -> int | None:
    """Return the bytes that arrays on one storage read together; None where they are too tangled to tell.

    What another one reads entirely adds nothing; of what is left no more than
    one pair may meet.
    """
    left: list[Any] = []
    for each in sorted(arrays, key=lambda x: -(layout(x).touched_bytes or 0)):
        if layout(each).touched_bytes is None:
            return None
        if not any(compare(each, other).common_bytes == layout(each).touched_bytes for other in left):
            left.append(each)
    common = [compare(one, other).common_bytes for one, other in combinations(left, 2)]
    met = [each for each in common if each is None or each > 0]
    if None in met or len(met) > 1:
        return None
    return sum(layout(each).touched_bytes or 0 for each in left) - sum(each or 0 for each in met)
