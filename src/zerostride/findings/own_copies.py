"""The caller's array, kept as it is: programs get copies, and what one changes all the same is put back."""

import inspect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerostride.checks.replicas import MOST_REPLICA_BYTES, raw_bytes, replicas
from zerostride.findings.steps import arrays_in
from zerostride.gradients.precision import numbers
from zerostride.gradients.programs import readable
from zerostride.language import say
from zerostride.layouts import is_tensor, layout
from zerostride.writes.trials import root_of

MOST_COMPARED_BYTES = 1 << 26


def own_copy(x: Any, *, learns: bool | None = None) -> Any:
    """Return a copy with the strides, the flag and the kind of ``x`` that shares no byte with it.

    Examples
    --------
    >>> view = np.broadcast_to(np.ones((1, 3)), (4, 3))
    >>> own_copy(view).strides, own_copy(view).flags.writeable, np.shares_memory(view, own_copy(view))
    ((0, 8), False, False)
    """
    made = _with_its_storage(x) if is_tensor(x) else replicas(x)[0]
    if not is_tensor(x):
        made.flags.writeable = x.flags.writeable
        return made
    import torch

    # The copy is byte for byte; two flags of torch say that the numbers are read otherwise.
    made = made.conj() if x.is_conj() else made
    made = torch._neg_view(made) if x.is_neg() else made
    learns = x.requires_grad if learns is None else learns
    if isinstance(x, torch.nn.Parameter):
        return torch.nn.Parameter(made, learns)
    return made.requires_grad_(learns)


def _with_its_storage(x: Any) -> Any:
    """Return a copy of a tensor in a copy of its whole storage, where that is not large."""
    import torch

    if x.untyped_storage().nbytes() > MOST_COMPARED_BYTES:
        return replicas(x)[0]
    whole = torch.empty(0, dtype=torch.uint8, device=x.device).set_(x.detach().untyped_storage()).clone()
    made = torch.empty(0, dtype=x.dtype, device=x.device)
    return made.set_(whole.untyped_storage(), x.storage_offset(), tuple(x.shape), x.stride())


def moved_copy(x: Any) -> Any:
    """Return such a copy in which every stored number is another one; None where elements are no numbers."""
    made = own_copy(x, learns=False)
    if is_tensor(made):
        flat = root_of(made)
        flat.copy_(flat == 0)
    else:
        if made.dtype.kind not in "biufc":
            return None
        made.flags.writeable = True
        made[...] = numbers(made) == 0
        made.flags.writeable = x.flags.writeable
    return made


def need_source(x: Any) -> None:
    """Raise TypeError or ValueError, in words, where a source cannot be copied element by element."""
    readable(x)
    if is_tensor(x) and x.is_quantized:
        raise TypeError(say("gradients.unreadable", dtype=str(x.dtype).removeprefix("torch.")))
    if not is_tensor(x) and x.dtype.hasobject:
        raise TypeError(say("findings.objects", dtype=x.dtype))
    if (needed := layout(x).logical_bytes) > MOST_REPLICA_BYTES:
        raise ValueError(say("findings.source_too_large", needed=needed, most=MOST_REPLICA_BYTES))


def contents(x: Any) -> bytes | None:
    """Return every element of an array as bytes; None where it is too large or has no bytes to read."""
    try:
        if layout(x).logical_bytes > MOST_COMPARED_BYTES:
            return None
        return np.ascontiguousarray(numbers(x)).tobytes()
    except (TypeError, ValueError, RuntimeError, NotImplementedError):
        return None


@dataclass
class Guard:
    """What became of the caller's array.

    Attributes
    ----------
    changed : bool
        Whether a program changed it, although it was handed a copy.
    restored : bool
        Whether every byte is as it was.
    """

    changed: bool = False
    restored: bool = True


@contextmanager
def guarded(source: Any, programs: Iterable[Any]) -> Iterator[Guard]:
    """Put arrays of the caller back as they were, whatever happens in the block, an interrupt too.

    Those are the source, and what the programs reach by their names: weights,
    the state of a module.
    """
    reached = {id(x): x for x in [source, *(x for f in programs for x in _reached(f))]}
    kept = [(x, copy, contents(x)) for x in reached.values() if (copy := _kept(x)) is not None]
    guard = Guard()
    try:
        yield guard
    finally:
        changed = [each for each in kept if contents(each[0]) != each[2]]
        for x, copy, _ in changed:
            _put_back(x, copy)
        guard.changed = bool(changed)
        guard.restored = all(contents(x) == before for x, _, before in changed)


def _kept(x: Any) -> Any:
    try:
        return own_copy(x, learns=False) if contents(x) is not None else None
    except (TypeError, ValueError, RuntimeError, NotImplementedError):
        return None  # no plain numbers, or too many


def _reached(f: Any) -> list[Any]:
    """Return the arrays that a program names outside itself, and those in the state of a module."""
    try:
        named = inspect.getclosurevars(inspect.unwrap(f))
        things = [*named.nonlocals.values(), *named.globals.values()]
    except (TypeError, ValueError):
        things = []
    things += [
        *(getattr(f, "__defaults__", None) or ()),
        *(getattr(f, "__kwdefaults__", None) or {}).values(),
    ]
    things += [f, getattr(f, "__self__", None)]
    things += [x for each in things for x in _attributes(each)]
    modules = [each for each in things if hasattr(each, "named_buffers") and not isinstance(each, type)]
    held = [dict(module.state_dict(keep_vars=True)) for module in modules]
    return arrays_in([*things, *held])


def _attributes(thing: Any) -> list[Any]:
    """Return what an object of a class of the caller's, or that class, holds."""
    made_of = thing if isinstance(thing, type) else type(thing)
    if made_of.__module__.partition(".")[0] in ("builtins", "numpy", "torch", "types", "functools"):
        return []
    return [*vars(made_of).values(), *(vars(thing).values() if hasattr(thing, "__dict__") else ())]


def _put_back(source: Any, kept: Any) -> None:
    if not is_tensor(source):
        frozen = not source.flags.writeable
        try:
            source.flags.writeable = True
            source[...] = kept
            source.flags.writeable = not frozen
        except ValueError:  # Its memory belongs to someone who forbids a write: told, not put back.
            pass
        return
    raw_bytes(source).copy_(raw_bytes(kept))
