"""Every tensor that was handed in or that a module holds, with the code that reaches it."""

from __future__ import annotations

import sys
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from dataclasses import dataclass
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import numpy as np

from zerostride.language import say
from zerostride.layouts import is_tensor

if TYPE_CHECKING:
    from torch.nn import Module

REGISTRIES = ("_parameters", "_buffers", "_modules")
# What a recurrent layer of torch collects from its parameters again in each forward.
COLLECTED = "_flat_weights"
DEEPEST = 4


@dataclass(frozen=True)
class Held:
    """One tensor under one name.

    Attributes
    ----------
    name : str
        The name that a module gives it, or its place in what was handed in.
    tensor : Tensor
        The object itself, never a copy.
    kind : str
        ``"parameter"`` and ``"buffer"`` are registered in a module,
        ``"attribute"`` lies in one without being registered, ``"given"`` was
        handed in without a module.
    code : str
        An expression for it, where the module is called ``module`` and a
        collection ``parameters``.
    container : str
        The list or the dictionary in a module that holds it, as an
        expression; empty where it is no attribute in a collection.
    wrapper : str
        The class of ``torch.nn`` that would register that collection.
    saved : bool
        Whether state_dict holds it, if it is registered.
    """

    name: str
    tensor: Any
    kind: str
    code: str
    container: str = ""
    wrapper: str = ""
    saved: bool = True


def is_module(x: object) -> bool:
    """Return whether ``x`` is a torch module, without importing torch.

    Examples
    --------
    >>> is_module("module")
    False
    """
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.nn.Module)


def held(x: Any) -> list[Held]:
    """Return the tensors of a module, a collection, or one tensor; nothing is copied.

    Raises
    ------
    TypeError
        If ``x``, or something in it, is neither.

    Examples
    --------
    >>> import torch
    >>> [(each.name, each.code) for each in held({"w": torch.ones(3)})]
    [('w', "parameters['w']")]
    """
    if is_module(x):
        return [*_registered(x), *_attributes(x)]
    if is_tensor(x):
        return [Held("0", x, "given", "parameter")]
    if isinstance(x, np.ndarray):
        raise TypeError(say("parameters.numpy_learns_nothing"))
    if isinstance(x, Mapping):
        return [_given(name, each, f"parameters[{name!r}]") for name, each in x.items()]
    if not isinstance(x, list | tuple | set | frozenset | Iterator | ValuesView | ItemsView):
        raise TypeError(say("parameters.not_parameters", type=type(x).__name__))
    return [_given(*each) for each in _listed(x, "parameters" if isinstance(x, list) else "list(parameters)")]


def _listed(items: Iterable[Any], whole: str) -> Iterator[tuple[object, Any, str]]:
    """Yield name, tensor and code; an optimizer's groups and pairs of name and tensor are taken apart."""
    for place, item in enumerate(items):
        code = f"{whole}[{place}]"
        if isinstance(item, Mapping) and "params" in item:
            inside = [item["params"]] if is_tensor(item["params"]) else list(item["params"])
            for number, (name, each, _) in enumerate(_listed(inside, "")):
                yield f"{place}.{name}", each, f"{code}['params'][{number}]"
        elif isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):
            yield item[0], item[1], f"dict(parameters)[{item[0]!r}]"
        else:
            yield place, item, code


def _given(name: object, x: Any, code: str) -> Held:
    if not is_tensor(x):
        raise TypeError(say("parameters.not_a_tensor", name=name, type=type(x).__name__))
    return Held(str(name), x, "given", code)


def path(name: str, module: Any, start: str = "module") -> str:
    """Return the expression for a dotted name in a module, one that can be assigned to.

    Examples
    --------
    >>> import torch
    >>> path("0.weight", torch.nn.Sequential(torch.nn.Linear(2, 3)))
    'module[0].weight'
    >>> path("0.weight", torch.nn.ModuleDict({"0": torch.nn.Linear(2, 3)}))
    "module['0'].weight"
    """
    for part in filter(None, name.split(".")):
        start += _step(part, module)
        module = getattr(module, part, None)
    return start


def _step(part: str, owner: Any) -> str:
    if part.isidentifier() and not iskeyword(part):
        return f".{part}"
    keyed = hasattr(owner, "keys")
    if keyed or (part.isdigit() and hasattr(owner, "__getitem__")):
        return f"[{part!r}]" if keyed else f"[{part}]"
    return next(f".{each}[{part!r}]" for each in (*REGISTRIES, "__dict__") if part in getattr(owner, each))


def _registered(module: Module, start: str = "module") -> Iterator[Held]:
    named = {
        "parameter": module.named_parameters(remove_duplicate=False),
        "buffer": module.named_buffers(remove_duplicate=False),
    }
    unsaved = {
        f"{owner}.{name}" if owner else name
        for owner, inner in module.named_modules()
        for name in inner._non_persistent_buffers_set
    }
    for kind, each in named.items():
        for name, tensor in each:
            yield Held(name, tensor, kind, path(name, module, start), saved=name not in unsaved)


def _attributes(module: Module) -> Iterator[Held]:
    """Yield the tensors that lie in attributes of the modules and are registered nowhere."""
    known = {id(each.tensor) for each in _registered(module)} | set(map(id, module.modules()))
    for owner, inner in module.named_modules():
        for attribute, value in vars(inner).items():
            if attribute in (*REGISTRIES, COLLECTED) or _is_recomputed(inner, attribute):
                continue
            name = f"{owner}.{attribute}" if owner else attribute
            for found in _search(name, path(name, module), value, known, DEEPEST):
                known.add(id(found.tensor))
                yield found


def _is_recomputed(module: Module, attribute: str) -> bool:
    """Return whether a hook makes an attribute anew before each forward, as weight_norm and pruning do."""
    hooks = module._forward_pre_hooks.values()
    return any(attribute in (getattr(hook, "name", 0), getattr(hook, "_tensor_name", 0)) for hook in hooks)


def _search(name: str, code: str, value: Any, known: set[int], depth: int) -> Iterator[Held]:
    if id(value) in known or not depth:
        return
    if is_tensor(value):
        yield Held(name, value, "attribute", code)
    elif is_module(value):
        known.update(map(id, value.modules()))
        for each in _registered(value, code):
            if id(each.tensor) not in known and each.kind == "parameter":
                yield Held(f"{name}.{each.name}", each.tensor, "attribute", each.code)
    elif isinstance(value, list | tuple | dict | set):
        keyed = isinstance(value, dict)
        items = list(value.items() if isinstance(value, dict) else enumerate(value))
        whole = f"list({code})" if isinstance(value, set) else code
        for key, item in items:
            if not (is_tensor(item) or is_module(item) or isinstance(item, list | tuple | dict | set)):
                continue
            of_modules = is_module(item)
            wrapper = ("Module" if of_modules else "Parameter") + ("Dict" if keyed else "List")
            for each in _search(f"{name}.{key}", f"{whole}[{key!r}]", item, known, depth - 1):
                direct = of_modules or each.tensor is item
                yield Held(
                    each.name,
                    each.tensor,
                    "attribute",
                    each.code,
                    code if direct else each.container,
                    wrapper if direct else each.wrapper,
                )
