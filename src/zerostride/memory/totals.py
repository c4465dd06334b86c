"""Logical, touched and stored bytes, of one array or of many that may share storage."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from zerostride.language import say
from zerostride.layouts import Layout, layout
from zerostride.memory.units import bytes_and_units
from zerostride.reports import Report, Table
from zerostride.sharing import Storage, Storages, compare, storages

MOST_MARKS = 2**24
MOST_COMPARED = 32


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
    found : Storages
        Which array lies in which storage, by numbers from 0.
    """

    logical_bytes: int
    touched_bytes: int | None
    storage_bytes: int
    found: Storages

    @property
    def storages(self) -> int:
        """How many storages these are."""
        return len(self.found.groups)

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
        return Table(rows, notes=(say("memory.storages", storages=self.storages), *self.found.notes))

    def to_dict(self) -> dict[str, object]:
        """Return every number under its public name."""
        names = ("logical_bytes", "touched_bytes", "storage_bytes", "storages")
        return {name: getattr(self, name) for name in names}


def bytes_of(*arrays: Any) -> Bytes:
    """Return logical, touched and stored bytes of arrays and tensors; shared storage counts once.

    Parameters
    ----------
    *arrays : ndarray or Tensor
        At least one; both libraries may be mixed.

    Returns
    -------
    Bytes
        ``logical_bytes``, ``touched_bytes``, ``storage_bytes`` and the ``storages`` behind them.

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
    touched = [_touched(group, arrays) for group in found.groups]
    known = [each for each in touched if each is not None]
    all_known = len(known) == len(touched) and not found.perhaps_one_file
    return Bytes(
        sum(each.logical_bytes for group in found.groups for each in group.layouts.values()),
        sum(known) if all_known else None,
        found.total_bytes,
        found,
    )


def _grouped(named: dict[str, Any]) -> Storages:
    """Return the storages of arrays by their numbers; each array must have one."""
    for each in named.values():
        layout(each)
    found = storages(**named)
    if found.skipped:
        raise TypeError(say("memory.hidden", type=type(named[found.skipped[0]]).__name__))
    return found


def _touched(storage: Storage, arrays: Sequence[Any]) -> int | None:
    """Return the bytes that arrays on one storage read together; None where they are too tangled to tell."""
    if any(each.touched_bytes is None for each in storage.layouts.values()):
        return None
    parts = [_touched_in(names, storage, arrays) for names in _apart(storage)]
    known = [each for each in parts if each is not None]
    return sum(known) if len(known) == len(parts) else None


def _apart(storage: Storage) -> list[list[str]]:
    """Return the names of a storage in groups whose ranges of bytes do not meet."""
    groups: list[list[str]] = []
    end = 0
    for name in sorted(storage.names, key=storage.byte_range):
        start, stop = storage.byte_range(name)
        if groups and start < end:
            groups[-1].append(name)
        else:
            groups.append([name])
        end = max(end, stop)
    return groups


def _touched_in(names: list[str], storage: Storage, arrays: Sequence[Any]) -> int | None:
    if len(names) == 1:
        return storage.layouts[names[0]].touched_bytes
    start = min(storage.byte_range(name)[0] for name in names)
    stop = max(storage.byte_range(name)[1] for name in names)
    layouts = [storage.layouts[name] for name in names]
    if max(stop - start, sum(_marks(each) for each in layouts)) <= MOST_MARKS:
        return _marked(layouts, start, stop)
    return _subtracted([arrays[int(name)] for name in names]) if len(names) <= MOST_COMPARED else None


def _marks(layout: Layout) -> int:
    """Return how many bytes are marked for a layout: what a stride of zero repeats, once."""
    steps = zip(layout.shape, layout.strides_bytes, strict=True)
    return layout.itemsize * prod(size for size, step in steps if step or not size)


def _marked(layouts: Sequence[Layout], start: int, stop: int) -> int:
    """Return how many bytes between two places are read by at least one layout: each is marked."""
    read = np.zeros(stop - start, np.bool_)
    for each in layouts:
        axes = [pair for pair in zip(each.shape, each.strides_bytes, strict=True) if pair[1] or not pair[0]]
        shape, steps = zip(*axes, (each.itemsize, 1), strict=True)
        np.ndarray(shape, np.bool_, read, each.storage_offset_bytes - start, steps)[...] = True
    return int(np.count_nonzero(read))


def _subtracted(arrays: Sequence[Any]) -> int | None:
    """Return the bytes that large arrays read together, where no more than one pair meets in part.

    What another one reads entirely adds nothing.
    """
    left: list[Any] = []
    for each in sorted(arrays, key=lambda x: -(layout(x).touched_bytes or 0)):
        if not any(compare(each, other).common_bytes == layout(each).touched_bytes for other in left):
            left.append(each)
    common = [compare(one, other).common_bytes for one, other in combinations(left, 2)]
    met = [each for each in common if each is None or each > 0]
    if None in met or len(met) > 1:
        return None
    return sum(layout(each).touched_bytes or 0 for each in left) - sum(each or 0 for each in met)
