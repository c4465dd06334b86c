"""The lines of code that put a parameter or an optimizer right."""

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

from zerostride.layouts import is_tensor
from zerostride.parameters.facts import ParameterRow

NEW = "torch.nn.Parameter"


def assigned(code: str, value: str) -> str:
    """Return the line that puts a value where a tensor is; what cannot be assigned to is made anew.

    Examples
    --------
    >>> assigned("module.w", "x")
    'module.w = x'
    >>> assigned("dict(parameters)['w']", "x")
    "parameters = dict(parameters) | {'w': x}"
    """
    whole, opened, key = code.partition(")[")
    if whole == "dict(parameters":
        return f"parameters = dict(parameters) | {{{key[:-1]}: {value}}}"
    if whole == "list(parameters" and key.endswith("]") and opened:
        return f"parameters = list(parameters); parameters[{key} = {value}"
    return f"{code} = {value}"


def independent(code: str) -> str:
    """Return the line that makes a tensor a parameter with values of its own."""
    return assigned(code, f"{NEW}({code}.detach().clone())")


def variable(name: str) -> str:
    """Return a name that a variable or a buffer can have.

    Examples
    --------
    >>> variable("heads.0")
    'heads_0'
    """
    return "".join(sign if sign.isalnum() else "_" for sign in name)


def registering(row: ParameterRow) -> str:
    """Return the line that registers what an attribute holds, its whole collection where it lies in one."""
    code, container, wrapper = row.held.code, row.held.container, row.held.wrapper
    if not container:
        return independent(code)
    if wrapper.startswith("Module") or row.is_leaf:
        # Keys of an int, say, become the names that a registry takes.
        named = wrapper.endswith("List") or code.startswith((f"{container}['", f'{container}["'))
        items = container if named else f"{{str(key): x for key, x in {container}.items()}}"
        return f"{container} = torch.nn.{wrapper}({items})"
    if wrapper == "ParameterList":
        return f"{container} = torch.nn.ParameterList(x.detach().clone() for x in {container})"
    items = f"{{name: x.detach().clone() for name, x in {container}.items()}}"
    return f"{container} = torch.nn.ParameterDict({items})"


def has_own_settings(optimizer: Any) -> bool:
    """Return whether a group has other settings than the optimizer was made with."""
    defaults = getattr(optimizer, "defaults", {})
    return any(
        group.get(name) != value for group in optimizer.param_groups for name, value in defaults.items()
    )


def adding(optimizer: Any, left_out: Mapping[str, str]) -> str:
    """Return the line that adds tensors, by name, to an optimizer."""
    named = any("param_names" in group for group in optimizer.param_groups)
    each = (f"({name!r}, {code})" if named else code for name, code in left_out.items())
    return f'optimizer.add_param_group({{"params": [{", ".join(each)}]}})'


def made_again(optimizer: Any, found: Sequence[ParameterRow]) -> str:
    """Return the call that makes an optimizer anew over what is there now, each once."""
    kind, known = type(optimizer), signature(type(optimizer)).parameters
    name = f"torch.optim.{kind.__name__}" if kind.__module__.startswith("torch.optim") else kind.__name__
    given = {
        setting: value.item() if is_tensor(value) else value
        for setting, value in getattr(optimizer, "defaults", {}).items()
        if setting in known
    }
    settings = "".join(
        f", {setting}={value!r}"
        for setting, value in given.items()
        if isinstance(value, float | int | str | tuple) and value != known[setting].default
    )
    return f"{name}({_all_of(found)}{settings})"


def _all_of(found: Sequence[ParameterRow]) -> str:
    """Return what an optimizer is to be given: all that is there, in the form in which it was handed in."""
    code = found[0].held.code if found else "parameters"
    if code == "parameter":
        return "[parameter]"
    if not found or found[0].kind != "given":
        return "module.parameters()"
    if "['params']" in code or code.startswith("dict("):
        return "parameters"
    is_list = code in ("parameters[0]", "list(parameters)[0]")
    return f"list(dict.fromkeys(parameters{'' if is_list else '.values()'}))"
