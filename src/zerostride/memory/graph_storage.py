"""What a program saves for its backward pass: asked from torch while it saves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import ref

from zerostride.language import enumerated, say
from zerostride.layouts import Layout, layout
from zerostride.memory.measuring import library_of
from zerostride.memory.passes import graph_used_once, nodes_of, ran, tensors_of
from zerostride.memory.totals import bytes_of
from zerostride.memory.units import bytes_and_units
from zerostride.reports import Report, Table
from zerostride.sharing import storages


@dataclass(frozen=True)
class SavedTensor:
    """One tensor that a node of the graph saves.

    Attributes
    ----------
    node : str
        Which node, ``"PowBackward0"``; empty where none tells.
    attribute : str
        Under which name, ``"self"``.
    layout : Layout
        How it is read.
    storage : int
        Number of its storage, from 1; the same for all that share it.
    inputs : tuple of int
        Which inputs, from 0, lie in that storage.
    """

    node: str
    attribute: str
    layout: Layout
    storage: int
    inputs: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class SavedForBackward(Report):
    """Everything that is saved for backward.

    Attributes
    ----------
    tensors : tuple of SavedTensor
        In the order in which they were saved.
    stored_bytes : int
        The storages behind them, each counted once.
    new_stored_bytes : int
        The same, without storages of the inputs.
    unseen : tuple of str
        What was saved through other hooks, as by ``save_on_cpu`` or a
        checkpoint, or before the program ran: it is in none of the sums.
    """

    tensors: tuple[SavedTensor, ...]
    stored_bytes: int
    new_stored_bytes: int
    unseen: tuple[str, ...] = ()

    @property
    def logical_bytes(self) -> int:
        """Elements times item size of each, added up."""
        return sum(each.layout.logical_bytes for each in self.tensors)

    def table(self) -> Table:
        """Return one row per saved tensor, and the sums."""
        rows = [
            (
                " ".join(filter(None, (each.node, each.attribute))) or say("memory.unknown"),
                str(each.layout.shape),
                bytes_and_units(each.layout.logical_bytes),
                bytes_and_units(each.layout.storage_bytes),
                str(each.storage),
                enumerated(f"inputs[{number}]" for number in each.inputs),
            )
            for each in self.tensors
        ]
        columns = ("saved_by", "shape", "logical", "stored", "storage_number", "belongs_to")
        sums = say(
            "memory.saved_sums",
            logical=bytes_and_units(self.logical_bytes),
            stored=bytes_and_units(self.stored_bytes),
            new=bytes_and_units(self.new_stored_bytes),
        )
        notes = [sums, say("memory.saved_unseen", names=enumerated(self.unseen))] if self.unseen else [sums]
        return Table(rows, tuple(say(f"memory.{column}") for column in columns), notes)

    def to_dict(self) -> dict[str, object]:
        """Return the sums, and each tensor."""
        tensors = [
            {
                "node": each.node,
                "attribute": each.attribute,
                "shape": each.layout.shape,
                "logical_bytes": each.layout.logical_bytes,
                "storage_bytes": each.layout.storage_bytes,
                "storage": each.storage,
                "inputs": each.inputs,
            }
            for each in self.tensors
        ]
        sums = {name: getattr(self, name) for name in ("logical_bytes", "stored_bytes", "new_stored_bytes")}
        return {"tensors": tensors} | sums | {"unseen": self.unseen}


def saved_for_backward(f: Callable[..., Any], *inputs: Any) -> SavedForBackward:
    """Return what a program saves for its backward pass, logical and stored; shared storage counts once.

    The program runs once, forward. What is saved is seen by torch's hooks for
    saved tensors, and counts where it is still kept at the end; the graph is
    then asked which node saved it.

    Parameters
    ----------
    f : callable
        The program.
    *inputs : Tensor
        What it is called with.

    Returns
    -------
    SavedForBackward
        The ``tensors`` saved, with ``logical_bytes`` and ``stored_bytes`` of all.

    Raises
    ------
    TypeError
        If ``f`` cannot be called or returns a generator, or an input is no tensor.
    RuntimeError
        If the program has used up the graph of its result.

    Examples
    --------
    >>> import torch
    >>> x = torch.ones(1, 3, dtype=torch.float64, requires_grad=True)
    >>> kept = saved_for_backward(lambda x: (x.expand(4, 3) ** 2).sum(), x)
    >>> kept.logical_bytes, kept.stored_bytes, kept.tensors[0].node
    (96, 24, 'PowBackward0')
    """
    if library_of(f, inputs) != "torch":
        raise TypeError(say("memory.only_torch"))
    import torch

    packs: list[ref[_Packed]] = []

    def pack(tensor: Any) -> _Packed:
        packed = _Packed(tensor)
        packs.append(ref(packed))
        return packed

    asked: list[_Packed] = []

    def unpack(packed: _Packed) -> Any:
        asked.append(packed)
        return packed.tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        result = ran(f, inputs)
    # What the graph has let go by now is not kept for a backward pass.
    kept = [packed for each in packs if (packed := each())]
    names, unseen = _names(result, asked)
    return _report(kept, names, inputs, unseen)


@dataclass(eq=False, weakref_slot=True, slots=True)
class _Packed:
    """What the graph holds in place of a tensor that it saves."""

    tensor: Any


def _names(result: Any, asked: list[_Packed]) -> tuple[dict[_Packed, tuple[str, str]], tuple[str, ...]]:
    """Return which node saved a tensor, under which name, and what went through other hooks.

    Reading a saved tensor calls the hook.
    """
    names: dict[_Packed, tuple[str, str]] = {}
    unseen = []
    for node in nodes_of(tensors_of(result)):
        attributes = [name for name in dir(node) if name.startswith("_saved_") or name == "saved_tensors"]
        for attribute in attributes:
            asked.clear()
            with graph_used_once():
                value = getattr(node, attribute)
            name = node.name().rpartition("::")[2], attribute.removeprefix("_saved_")
            names |= dict.fromkeys(asked, name)
            if not asked and tensors_of(value):
                unseen.append(" ".join(name))
    asked.clear()
    return names, tuple(dict.fromkeys(unseen))


def _report(
    packs: list[_Packed],
    names: dict[_Packed, tuple[str, str]],
    inputs: tuple[Any, ...],
    unseen: tuple[str, ...],
) -> SavedForBackward:
    if not packs:
        return SavedForBackward((), 0, 0, unseen)
    kept = [each.tensor for each in packs]
    named = {f"{number}": each for number, each in enumerate(kept)}
    named |= {f"inputs {number}": each for number, each in enumerate(inputs)}
    groups = [group for group in storages(**named).groups if any(name in group.names for name in named)]
    places = {name: (number, group.names) for number, group in enumerate(groups) for name in group.names}
    order: dict[int, int] = {}
    tensors = []
    for number, each in enumerate(kept):
        group, members = places.get(f"{number}", (-1 - number, ()))
        order.setdefault(group, len(order) + 1)
        mine = tuple(int(name.split()[1]) for name in members if " " in name)
        tensors.append(SavedTensor(*names.get(packs[number], ("", "")), layout(each), order[group], mine))
    foreign = [each for each, tensor in zip(kept, tensors, strict=True) if not tensor.inputs]
    new = bytes_of(*foreign).storage_bytes if foreign else 0
    return SavedForBackward(tuple(tensors), bytes_of(*kept).storage_bytes, new, unseen)
