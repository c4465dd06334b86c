"""What is wrong with parameters, each with a name and the lines that put it right."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from zerostride.expansion import can_expand
from zerostride.language import enumerated, say
from zerostride.parameters.facts import ParameterRow, is_lazy
from zerostride.parameters.repairs import (
    NEW,
    adding,
    assigned,
    has_own_settings,
    independent,
    made_again,
    registering,
    variable,
)

MOST_NAMES = 6
MOST_ADDED = 4


@dataclass(frozen=True)
class Problem:
    """One fault, the names that have it, and what to write instead.

    Attributes
    ----------
    name : str
        ``"expanded"``, ``"overlapping"``, ``"expanded_buffer"``,
        ``"expanded_gradient"``, ``"not_a_leaf"``, ``"stale"``,
        ``"view_of_parameter"``, ``"computed"``, ``"plain_tensor"``,
        ``"not_registered"``, ``"shares_by_view"``, ``"follows"``,
        ``"no_derivative"``, ``"no_gradient"``, ``"lazy"``, ``"meta"``,
        ``"inference"``, ``"twice"``, ``"frozen_in_optimizer"``,
        ``"frozen_with_gradient"``, ``"not_in_optimizer"``, ``"replaced"`` or
        ``"gaps_and_fused"``.
    parameters : tuple of str
        Names of the parameters.
    repairs : dict of str to str
        Code by intention: ``"independent"`` where each element shall learn on
        its own, ``"shared"`` where one stored value shall serve several,
        ``"learns"`` and ``"kept"`` where a tensor shall learn or keep its values,
        or ``"repair"`` where there is only one right way. The module is called
        ``module``, a collection ``parameters``, the optimizer ``optimizer``.
    """

    name: str
    parameters: tuple[str, ...]
    repairs: dict[str, str]
    values: Mapping[str, object] = field(default_factory=dict, repr=False)

    @property
    def repair(self) -> str:
        """The first line of code that puts it right."""
        return next(iter(self.repairs.values()))

    @property
    def words(self) -> str:
        """What is wrong, in the language in use."""
        return say(f"parameters.problem.{self.name}", **self.values)

    def lines(self) -> Iterator[str]:
        """Yield what is wrong, then each repair."""
        first, rest = self.parameters[:MOST_NAMES], self.parameters[MOST_NAMES:]
        names = enumerated([*first, "..."] if rest else first)
        yield say("parameters.named_problem", names=names, words=self.words)
        for intention, code in self.repairs.items():
            yield say(f"parameters.intention.{intention}", code=code)

    def to_dict(self) -> dict[str, object]:
        """Return name, parameters and repairs."""
        return {"name": self.name, "parameters": self.parameters, "repairs": self.repairs}


def problems(
    found: Sequence[ParameterRow], optimizer: Any, optimized: Sequence[Any] | None
) -> tuple[Problem, ...]:
    """Return what is wrong; one fault that one line repairs for several names is told once."""
    each = [problem for row in found for problem in _of_row(row, found)]
    if optimized is not None:
        each += _of_optimizer(found, optimizer, optimized)
    merged: dict[object, list[Problem]] = {}
    for problem in each:
        merged.setdefault((problem.name, *problem.repairs.items()), []).append(problem)
    return tuple(replace(alike[0], parameters=_names(alike)) for alike in merged.values())


def _names(alike: Sequence[Problem]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for problem in alike for name in problem.parameters))


def _of_row(row: ParameterRow, found: Sequence[ParameterRow]) -> Iterator[Problem]:
    code = row.held.code
    own = {"independent": independent(code)}
    if not row.is_leaf:
        yield _not_a_leaf(row, found)
    elif row.overlaps and row.kind == "buffer":
        if row.held.saved:
            clone = {"repair": assigned(code, f"{code}.clone()")}
            yield Problem("expanded_buffer", (row.name,), clone, {"shape": row.shape})
    elif row.overlaps and (row.kind != "attribute" or row.learns):
        yield _overlapping(row, own)
    elif row.kind == "attribute" and not row.requires_grad:
        owner, _, name = code.rpartition(".")
        taken = f"vars({owner}).pop({name!r})"  # a buffer must not find its name taken
        if not name.isidentifier():
            owner, name, taken = "module", variable(row.name), code
        constant = f"{owner}.register_buffer({name!r}, {taken}, persistent=False)"
        yield Problem("plain_tensor", (row.name,), {"repair": constant})
    if row.kind == "attribute" and row.learns:
        yield Problem("not_registered", (row.name,), {"repair": registering(row)})
    if row.gradient and row.gradient.overlaps:
        yield Problem("expanded_gradient", (row.name,), {"repair": f"{code}.grad = {code}.grad.clone()"})
    yield from _of_values(row, found)
    if row.kind == "given" and row.name.isdigit() and row.tied_with and row.in_optimizer is None:
        once = {"repair": "parameters = list(dict.fromkeys(parameters))"}
        yield Problem("twice", (row.name,), once, {"times": len(row.tied_with) + 1})
    follower = row.kind in ("buffer", "attribute") and row.is_leaf and not row.requires_grad
    near = [each for each in found if each.name in row.overlaps_with] if row.overlaps_with else []
    followed = [each.name for each in near if each.learns]
    if follower and len(followed) == 1:
        kept = {"kept": assigned(code, f"{code}.clone()")}
        yield Problem("follows", (row.name,), kept, {"source": followed[0]})
    for other in near:
        if row.name < other.name and _both_are_parameters(row, other):
            tie = {"shared": assigned(other.held.code, code)} if row.shape == other.shape else {}
            apart = {"independent": independent(other.held.code)}
            yield Problem("shares_by_view", (row.name, other.name), tie | apart)


def _both_are_parameters(row: ParameterRow, other: ParameterRow) -> bool:
    held_as_such = {row.kind, other.kind} <= {"parameter", "given"}
    return row.is_leaf and other.is_leaf and (held_as_such or (row.learns and other.learns))


def _not_a_leaf(row: ParameterRow, found: Sequence[ParameterRow]) -> Problem:
    code = row.held.code
    repairs = {"independent": independent(code)}
    if row.held.container:
        repairs = {"independent": registering(row)}
    if row.kind == "given":
        return Problem("not_a_leaf", (row.name,), repairs)
    if not row.made_from:
        return Problem("computed", (row.name,), repairs)
    source = next(each for each in found if each.name == row.made_from[0])
    if len(row.made_from) == 1 and source.shape and row.shape and can_expand(source.shape, row.shape):
        repairs["shared"] = f"{variable(row.name)} = {source.held.code}.expand{row.shape}"
    view = source.name in row.overlaps_with
    values = {"sources": ", ".join(row.made_from)}
    return Problem("view_of_parameter" if view else "stale", (row.name,), repairs, values)


def _overlapping(row: ParameterRow, own: dict[str, str]) -> Problem:
    read, code = row.layout, row.held.code
    assert read is not None
    stored = "?" if read.touched_bytes is None else read.touched_bytes // read.itemsize
    values = {"shape": row.shape, "stored": stored}
    if not read.shared_axes:
        return Problem("overlapping", (row.name,), own, values)
    first = ", ".join(":1" if axis in read.shared_axes else ":" for axis in range(read.ndim))
    shared = assigned(code, f"{NEW}({code}.detach()[{first}].clone())")
    return Problem("expanded", (row.name,), own | {"shared": shared}, values)


def _of_values(row: ParameterRow, found: Sequence[ParameterRow]) -> Iterator[Problem]:
    """Yield what keeps values from learning: their type, no gradient, or that there are none."""
    code, x = row.held.code, row.held.tensor
    if is_lazy(x):
        yield Problem("lazy", (row.name,), {"repair": "module(batch)"})
    elif x.is_meta:
        repair = _as_before(row, f'torch.empty_like({code}, device="cpu")')
        # to_empty would empty what has values as well.
        if row.kind != "given" and all(each.held.tensor.is_meta for each in found):
            repair = 'module.to_empty(device="cpu")'
        yield Problem("meta", (row.name,), {"repair": repair})
    elif x.is_inference():
        yield Problem("inference", (row.name,), {"repair": _as_before(row, f"{code}.clone()")})
    if row.kind not in ("parameter", "given"):
        return
    if not (x.is_floating_point() or x.is_complex()):
        line = assigned(code, f"{NEW}({code}.float())")
        yield Problem("no_derivative", (row.name,), {"repair": line}, {"dtype": row.dtype})
    elif row.kind == "given" and not row.requires_grad and not _is_parameter(x) and not row.in_optimizer:
        yield Problem("no_gradient", (row.name,), {"repair": independent(code)})


def _as_before(row: ParameterRow, value: str) -> str:
    """Return the line that puts a value where a buffer or a parameter is."""
    new = value if row.kind == "buffer" else f"{NEW}({value}, {row.requires_grad})"
    return assigned(row.held.code, new)


def _is_parameter(x: Any) -> bool:
    from torch.nn import Parameter

    return isinstance(x, Parameter)


def _of_optimizer(
    found: Sequence[ParameterRow], optimizer: Any, optimized: Sequence[Any]
) -> Iterator[Problem]:
    here = {id(row.held.tensor) for row in found}
    slots = {
        id(x): f'optimizer.param_groups[{number}]["params"][{place}]'
        for number, group in enumerate(optimizer.param_groups)
        for place, x in enumerate(group["params"])
    }
    strangers = [x for x in optimized if id(x) not in here and not is_lazy(x)]
    anew = f"optimizer = {made_again(optimizer, found)}"
    own_settings = has_own_settings(optimizer)
    frozen: dict[str, str] = {}
    fused = {id(x) for group in optimizer.param_groups if group.get("fused") for x in group["params"]}
    left_out: dict[str, str] = {}
    told = set()
    for row in found:
        times = row.in_optimizer or 0
        if times > 1:
            those = slots[id(row.held.tensor)].rpartition("[")[0]
            once = f"{those}[:] = dict.fromkeys({those})"
            yield Problem("twice", (row.name,), {"repair": once if own_settings else anew}, {"times": times})
        if id(row.held.tensor) in fused and row.has_gaps:
            own = {"repair": independent(row.held.code)}
            yield Problem("gaps_and_fused", (row.name,), own, {"shape": row.shape})
        if times and row.is_leaf and not row.requires_grad:
            if row.held.tensor.grad is not None:
                yield Problem("frozen_with_gradient", (row.name,), {"repair": "optimizer.zero_grad()"})
            else:
                frozen[row.name] = row.held.code
        tied = id(row.held.tensor) in told
        if tied or times or not row.learns or row.shape is None or row.kind == "attribute":
            continue
        told.add(id(row.held.tensor))
        former = next((x for x in strangers if tuple(x.shape) == row.shape), None)
        if former is not None:
            strangers = [x for x in strangers if x is not former]
            slot = slots[id(former)]
            instead = f"optimizer.state.pop({slot}, None); {slot} = {row.held.code}"
            yield Problem("replaced", (row.name,), {"repair": instead if own_settings else anew})
        else:
            left_out[row.name] = row.held.code
    if frozen:
        in_it = 'x for group in optimizer.param_groups for x in group["params"]'
        those = f"[{', '.join(frozen.values()) if len(frozen) <= MOST_ADDED else in_it}]"
        learns = {"learns": f"for x in {those}: x.requires_grad_()"}
        yield Problem("frozen_in_optimizer", tuple(frozen), learns)
    if left_out:
        # LBFGS takes a second group and never looks at it.
        one_group = isinstance(getattr(optimizer, "_params", None), list)
        added = (own_settings or len(left_out) <= MOST_ADDED) and not one_group
        repair = adding(optimizer, left_out) if added else anew
        yield Problem("not_in_optimizer", tuple(left_out), {"repair": repair})
