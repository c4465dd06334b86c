"""What a view becomes when it is saved: bytes written, and what is shared after loading."""

import copy
import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerostride.handed_in import told
from zerostride.language import say
from zerostride.layouts import Layout, is_tensor, layout
from zerostride.memory.room import refuse_what_does_not_fit
from zerostride.memory.units import bytes_and_units
from zerostride.reports import Report, Table
from zerostride.sharing import compare


@dataclass(frozen=True)
class Saved:
    """One way to save.

    Attributes
    ----------
    way : str
        ``"np.save"``, ``"pickle"``, ``"torch.save"`` or ``"deepcopy"``.
    written_bytes : int or None
        What was written; None for a copy in memory.
    layout : Layout
        How the loaded array is read.
    pair_shares : bool
        Whether two names of the array, saved together, share storage again.
    """

    way: str
    written_bytes: int | None
    layout: Layout
    pair_shares: bool | None


@dataclass(frozen=True, repr=False)
class Savings(Report):
    """The same array, saved in several ways.

    Attributes
    ----------
    layout : Layout
        How it is read before.
    ways : tuple of Saved
        One each.
    """

    layout: Layout
    ways: tuple[Saved, ...]

    def table(self) -> Table:
        """Return one row per way."""
        answers = {True: say("report.yes"), False: say("report.no"), None: ""}
        rows = [
            (
                each.way,
                "" if each.written_bytes is None else bytes_and_units(each.written_bytes),
                str(each.layout.strides_bytes),
                bytes_and_units(each.layout.storage_bytes),
                answers[each.pair_shares],
            )
            for each in self.ways
        ]
        columns = ("way", "written", "strides", "stored", "pair")
        before = say(
            "memory.save.before",
            strides=self.layout.strides_bytes,
            logical=bytes_and_units(self.layout.logical_bytes),
            stored=bytes_and_units(self.layout.storage_bytes),
        )
        return Table(rows, tuple(say(f"memory.save.{column}") for column in columns), caption=before)

    def to_dict(self) -> dict[str, object]:
        """Return what was written and loaded, by way."""
        return {
            each.way: {
                "written_bytes": each.written_bytes,
                "strides_bytes": each.layout.strides_bytes,
                "storage_bytes": each.layout.storage_bytes,
                "pair_shares": each.pair_shares,
            }
            for each in self.ways
        }


def saving(x: Any) -> Savings:
    """Return what becomes of an array or a tensor by each way of saving it; nothing touches a disk.

    Parameters
    ----------
    x : ndarray or Tensor
        Saved to memory and loaded again, alone and as a pair ``[x, x[:]]``.

    Returns
    -------
    Savings
        One row for each way, with its bytes, and whether values stay shared.

    Raises
    ------
    TypeError
        If ``x`` is no array and no tensor, has no axis, or is of a kind that cannot be saved.
    MemoryError
        If saving it may need more than the free memory: torch saves whole storages.

    Examples
    --------
    >>> view = np.broadcast_to(np.arange(1000.0), (50, 1000))
    >>> found = saving(view).to_dict()
    >>> found["np.save"]["written_bytes"], found["np.save"]["strides_bytes"]
    (400128, (8000, 8))
    """
    if not isinstance(x, np.ndarray) and not is_tensor(x):
        raise TypeError(say("memory.no_array", type=type(x).__name__))
    seen = layout(x)
    if not seen.ndim:
        raise TypeError(say("memory.save.needs_an_axis"))
    # torch writes the whole storage; what is written is held about three times, and loaded.
    whole = seen.storage_bytes if is_tensor(x) else seen.logical_bytes
    refuse_what_does_not_fit([x], least_bytes=4 * max(whole, seen.logical_bytes))
    x = x.detach() if is_tensor(x) else x
    ways = {"torch.save": _torch_save} if is_tensor(x) else {"np.save": _np_save}
    return Savings(seen, tuple(_saved(x, name, way) for name, way in (ways | _BOTH).items()))


Way = Callable[[Any], tuple[int | None, Any]]


def _saved(x: Any, name: str, way: Way) -> Saved:
    try:
        written, back = way(x)
        pair = None if name == "np.save" else way([x, x[:]])[1]
    except (AttributeError, RuntimeError, TypeError, ValueError, pickle.PickleError) as error:
        raise TypeError(say("memory.save.refused", way=name, error=told(error))) from error
    shares = None if pair is None else bool(compare(*pair).same_storage)
    return Saved(name, written, layout(back), shares)


def _np_save(x: Any) -> tuple[int, Any]:
    with io.BytesIO() as file:
        np.save(file, x)
        size = file.tell()
        file.seek(0)
        return size, np.load(file, allow_pickle=True)  # Written here a moment ago.


def _torch_save(x: Any) -> tuple[int, Any]:
    import torch

    with io.BytesIO() as file:
        torch.save(x, file)
        size = file.tell()
        file.seek(0)
        return size, torch.load(file, weights_only=True)


def _pickle(x: Any) -> tuple[int, Any]:
    written = pickle.dumps(x)
    return len(written), pickle.loads(written)


_BOTH: dict[str, Way] = {"pickle": _pickle, "deepcopy": lambda x: (None, copy.deepcopy(x))}
