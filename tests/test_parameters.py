"""What learns and what does not: every fault found, every repair run, and nothing changed by asking."""

import copy
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zerostride as zs

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402
from torch.nn.utils import prune  # noqa: E402

from zerostride.language import catalogue  # noqa: E402
from zerostride.parameters import facts  # noqa: E402

AdamW = torch.optim.AdamW
ROW = torch.tensor([[1.0, 2.0, 3.0]])


class Holder(nn.Module):
    """A module whose attributes are set from the keywords, in their order; a function gets the module."""

    def __init__(self, **attributes):
        super().__init__()
        for name, value in attributes.items():
            setattr(
                self, name, value(self) if callable(value) and not isinstance(value, nn.Module) else value
            )


def parameter(*shape):
    return nn.Parameter(torch.ones(*shape))


def holder(**attributes):
    return SimpleNamespace(module=Holder(**attributes))


def buffered(x):
    given = holder(w=parameter(3))
    given.module.register_buffer("b", x)
    return given


def buffered_of(make):
    given = holder(w=parameter(3))
    given.module.register_buffer("b", make(given.module))
    return given


def optimized(chosen, optimizer=torch.optim.SGD, **attributes):
    """Return a module and an optimizer of what is chosen from it."""
    given = holder(**attributes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of a duplicate
        given.optimizer = optimizer(chosen(given.module), lr=0.1)
    return given


def replaced():
    given = optimized(lambda m: m.parameters(), a=parameter(2, 3), b=parameter(3))
    given.module.a = parameter(2, 3)
    return given


def listed(*tensors):
    return SimpleNamespace(parameters=list(tensors))


def tensors_of_one():
    w = parameter(3)
    return listed(w, w)


def forgotten(collection):
    """Return a collection of a parameter that the optimizer has twice and of five that it does not have."""
    w = parameter(4, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        optimizer = torch.optim.SGD([w, w], lr=0.1)
    return SimpleNamespace(
        parameters=collection([w, *(parameter(k) for k in range(1, 6))]), optimizer=optimizer
    )


FORMS = {
    "list": list,
    "dict": lambda ws: {f"w{k}": w for k, w in enumerate(ws)},
    "pairs": lambda ws: [(f"w{k}", w) for k, w in enumerate(ws)],
    "groups": lambda ws: [{"params": ws[:2]}, {"params": ws[2:]}],
    "tuple": tuple,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["twice", "not_in_optimizer"])
def test_an_optimizer_is_made_anew_from_what_was_handed_in(form, name):
    given = forgotten(FORMS[form])
    assert {problem.name for problem in report(given).problems} == {"twice", "not_in_optimizer"}
    run(found(given, name)[0].repair, given)
    assert report(given).problems == ()
    assert len(given.optimizer.param_groups[-1]["params"]) == (4 if form == "groups" else 6)


def test_what_an_optimizer_was_set_to_outlives_a_repair():
    given = optimized(lambda m: m.parameters(), lambda x, lr: AdamW(x, lr, betas=(0.8, 0.9)), a=parameter(3))
    given.module.a = parameter(3)
    run(found(given, "replaced")[0].repair, given)
    assert (given.optimizer.defaults["lr"], given.optimizer.defaults["betas"]) == (0.1, (0.8, 0.9))
    given = optimized(lambda m: m.parameters(), lambda x, lr: AdamW(x, torch.tensor(lr)), a=parameter(3))
    given.module.a = parameter(3)
    run(found(given, "replaced")[0].repair, given)
    assert given.optimizer.defaults["lr"] == pytest.approx(0.1)
    given = reordered(steps=2)
    run(found(given, "replaced")[0].repair, given)
    first, second = given.optimizer.param_groups
    assert (first["lr"], second["weight_decay"]) == (1e-5, 0.5)
    assert second["params"] == [given.module.b]
    assert list(given.optimizer.state) == [given.module.a]
    given.optimizer.state_dict()


@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.LBFGS])
def test_what_is_repaired_is_updated(kind):
    given = optimized(lambda m: [m.w], kind, w=parameter(3), v=parameter(2))
    run(found(given, "not_in_optimizer")[0].repair, given)

    def loss():
        given.optimizer.zero_grad()
        total = (given.module.w**2).sum() + (given.module.v**2).sum()
        total.backward()
        return total

    given.optimizer.step(loss)
    assert (given.module.v != 1).all()


def test_a_frozen_one_with_a_gradient_is_still_changed():
    given = frozen_with_gradient()
    assert found(given, "frozen_in_optimizer") == []
    given.optimizer.step()
    assert (given.module.w != 1).all()
    run(found(given, "frozen_with_gradient")[0].repair, given)
    before = given.module.w.clone()
    given.optimizer.step()
    assert torch.equal(given.module.w, before)


def test_tied_names_of_a_replaced_parameter_are_one():
    given = optimized(lambda m: m.parameters(), a=parameter(3), b=lambda m: m.a)
    given.module.a = given.module.b = parameter(3)
    assert [(each.name, each.parameters) for each in report(given).problems] == [("replaced", ("a",))]


def test_emptying_what_is_on_meta_keeps_the_values_of_others():
    given = FAULTS["meta"][1][0]()
    run(found(given, "meta")[0].repair, given)
    assert torch.equal(given.module.v, torch.ones(2))


class Odd(nn.Module):
    """Holds an expanded parameter under a name that no attribute access can be written with."""

    def __init__(self, name):
        super().__init__()
        self.register_parameter(name, nn.Parameter(ROW.expand(4, 3)))


def named_sequence():
    sequence = nn.Sequential()
    sequence.add_module("a-1", Odd("w"))
    return sequence


NAMES = {
    "a dictionary of digits": lambda: nn.ModuleDict({"0": Odd("w")}),
    "a keyword": lambda: nn.ModuleDict({"in": Odd("w")}),
    "a list": lambda: nn.ModuleList([Odd("w")]),
    "parameters by digit": lambda: nn.ParameterDict({"0": nn.Parameter(ROW.expand(4, 3))}),
    "parameters by keyword": lambda: nn.ParameterDict({"is": nn.Parameter(ROW.expand(4, 3))}),
    "parameters in a list": lambda: nn.ParameterList([nn.Parameter(ROW.expand(4, 3))]),
    "a digit": lambda: Odd("2"),
    "a dash": lambda: nn.Sequential(Odd("a-b")),
    "a sequence of names": named_sequence,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_code_reaches_a_tensor_of_any_name(name):
    for intention in ("independent", "shared"):
        given = SimpleNamespace(module=NAMES[name]())
        run(found(given, "expanded")[0].repairs[intention], given)
        assert report(given).problems == ()


GIVEN = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "values": lambda ws: dict(enumerate(ws)).values(),
    "dict": lambda ws: {"a": ws[0]},
    "pairs": lambda ws: [("a", ws[0])],
    "items": lambda ws: {"a": ws[0]}.items(),
    "groups": lambda ws: [{"params": ws}],
}


@pytest.mark.parametrize("form", GIVEN)
def test_what_is_handed_in_is_repaired_in_any_form(form):
    for intention, rows in {"independent": 4, "shared": 1}.items():
        given = SimpleNamespace(parameters=GIVEN[form]([nn.Parameter(ROW.expand(4, 3))]))
        run(found(given, "expanded")[0].repairs[intention], given)
        assert report(given).problems == ()
        assert report(given).rows[0].shape == (rows, 3)


def with_expanded_gradient():
    w = parameter(4, 3)
    w.grad = ROW.expand(4, 3)
    return listed(w)


def frozen_with_gradient():
    given = optimized(lambda m: m.parameters(), w=parameter(3), v=parameter(2))
    given.module.w.sum().backward()
    given.module.w.requires_grad_(False)
    return given


def in_inference_mode(make):
    with torch.inference_mode():
        return make()


def reordered(steps=0):
    """Return a module whose second parameter was replaced, and an optimizer with a group for each."""
    given = holder(a=parameter(3), b=parameter(2))
    groups = [{"params": [given.module.a], "lr": 1e-5}, {"params": [given.module.b], "weight_decay": 0.5}]
    given.optimizer = AdamW(groups, betas=(0.8, 0.9))
    for _ in range(steps):
        sum(x.sum() for x in given.module.parameters()).backward()
        given.optimizer.step()
    given.module.b = parameter(2)
    return given


def fused_with_gaps():
    big = torch.ones(4, 6)
    return optimized(
        lambda m: [{"params": list(m.parameters()), "fused": True}],
        w=nn.Parameter(big[:, :3]),
        v=parameter(2),
    )


# By name of the problem: what has it, and the names of the parameters that have it.
FAULTS = {
    "expanded": [
        (lambda: holder(p=nn.Parameter(ROW.expand(4, 3))), ("p",)),
        (lambda: holder(inner=Holder(p=nn.Parameter(torch.ones(()).expand(2, 2)))), ("inner.p",)),
        (lambda: listed(parameter(2), nn.Parameter(torch.ones(3, 1).expand(3, 4))), ("1",)),
        (lambda: SimpleNamespace(parameters={"w": ROW.expand(2, 3).requires_grad_()}), ("w",)),
    ],
    "overlapping": [(lambda: holder(p=nn.Parameter(torch.arange(5.0).unfold(0, 3, 1))), ("p",))],
    "expanded_buffer": [
        (lambda: buffered(ROW.expand(2, 3)), ("b",)),
        (lambda: buffered(torch.arange(5.0).unfold(0, 3, 1)), ("b",)),
    ],
    "expanded_gradient": [(with_expanded_gradient, ("0",))],
    "not_a_leaf": [
        (lambda: listed(parameter(2), parameter(1, 3).repeat(4, 1)), ("1",)),
        (lambda: listed(parameter(2, 3)[0]), ("0",)),
    ],
    "stale": [
        (lambda: holder(base=parameter(1, 3), heads=lambda m: m.base.repeat(4, 1)), ("heads",)),
        (lambda: holder(base=parameter(3), parts=lambda m: {"x": m.base * 2}), ("parts.x",)),
        (lambda: holder(base=parameter(3), parts=lambda m: [m.base * 2, m.base * 3]), ("parts.0", "parts.1")),
    ],
    "view_of_parameter": [
        (lambda: holder(base=parameter(1, 3), heads=lambda m: m.base.expand(4, 3)), ("heads",)),
        (lambda: holder(base=parameter(4, 3), first=lambda m: m.base[0]), ("first",)),
    ],
    "computed": [(lambda: holder(w=parameter(3), c=parameter(3) * 2), ("c",))],
    "plain_tensor": [
        (lambda: holder(scale=torch.ones(3)), ("scale",)),
        (lambda: holder(inner=Holder(scale=torch.ones(3))), ("inner.scale",)),
        (lambda: holder(mask=torch.ones(1).expand(4, 4)), ("mask",)),
        (lambda: holder(scales=[torch.ones(3), 2]), ("scales.0",)),
    ],
    "not_registered": [
        (lambda: holder(ws=[parameter(2), parameter(3)]), ("ws.0", "ws.1")),
        (lambda: holder(ws={"a": parameter(2)}), ("ws.a",)),
        (lambda: holder(ws={0: parameter(2), 1: parameter(2)}), ("ws.0", "ws.1")),
        (lambda: holder(layers={0: nn.Linear(2, 2)}), ("layers.0.weight", "layers.0.bias")),
        (lambda: holder(ws={parameter(2)}), ("ws.0",)),
        (lambda: holder(layers=[nn.Linear(2, 2)]), ("layers.0.weight", "layers.0.bias")),
        (lambda: holder(w=torch.ones(3, requires_grad=True)), ("w",)),
    ],
    "shares_by_view": [
        (lambda: holder(a=parameter(4, 3), b=lambda m: nn.Parameter(m.a[1:])), ("a", "b")),
        (lambda: holder(a=parameter(3), b=lambda m: nn.Parameter(m.a)), ("a", "b")),
    ],
    "no_derivative": [(lambda: holder(n=nn.Parameter(torch.arange(3), requires_grad=False)), ("n",))],
    "no_gradient": [(lambda: listed(parameter(2), torch.ones(3)), ("1",))],
    "lazy": [(lambda: holder(layer=nn.LazyLinear(2)), ("layer.weight", "layer.bias"))],
    "meta": [
        (lambda: holder(w=nn.Parameter(torch.empty(3, device="meta"))), ("w",)),
        (lambda: holder(w=nn.Parameter(torch.empty(3, device="meta")), v=parameter(2)), ("w",)),
        (lambda: listed(nn.Parameter(torch.empty(3, device="meta"))), ("0",)),
    ],
    "inference": [
        (lambda: buffered(in_inference_mode(lambda: torch.ones(3))), ("b",)),
        (lambda: holder(w=in_inference_mode(lambda: parameter(3))), ("w",)),
    ],
    "follows": [
        (lambda: holder(w=parameter(3), before=lambda m: m.w.detach()), ("before",)),
        (lambda: holder(w=parameter(3), before=lambda m: [m.w.data[:2]]), ("before.0",)),
        (lambda: buffered_of(lambda m: m.w.detach()), ("b",)),
    ],
    "twice": [
        (tensors_of_one, ("0", "1")),
        (lambda: optimized(lambda m: [m.w, m.w], w=parameter(3)), ("w",)),
    ],
    "frozen_in_optimizer": [
        (
            lambda: optimized(
                lambda m: m.parameters(), w=nn.Parameter(torch.ones(3), requires_grad=False), v=parameter(2)
            ),
            ("w",),
        ),
        (
            lambda: optimized(lambda m: m.parameters(), AdamW, a=nn.LSTM(2, 2).requires_grad_(False)),
            ("a.weight_ih_l0", "a.weight_hh_l0", "a.bias_ih_l0", "a.bias_hh_l0"),
        ),
        (
            lambda: optimized(lambda m: m.parameters(), a=nn.LSTM(2, 2, 2).requires_grad_(False)),
            tuple(f"a.{name}" for name, _ in nn.LSTM(2, 2, 2).named_parameters()),
        ),
    ],
    "frozen_with_gradient": [(frozen_with_gradient, ("w",))],
    "not_in_optimizer": [
        (lambda: optimized(lambda m: [m.w], w=parameter(3), v=parameter(2)), ("v",)),
        (
            lambda: optimized(lambda m: [m.w], torch.optim.Adam, w=parameter(9), l=nn.LSTM(2, 2)),
            ("l.weight_ih_l0", "l.weight_hh_l0", "l.bias_ih_l0", "l.bias_hh_l0"),
        ),
        (lambda: optimized(lambda m: [m.w], torch.optim.LBFGS, w=parameter(3), v=parameter(2)), ("v",)),
        (lambda: optimized(lambda m: [("w", m.w)], w=parameter(3), v=parameter(2)), ("v",)),
        (
            lambda: optimized(lambda m: [m.w], AdamW, w=parameter(9), v=parameter(1), l=nn.LSTM(2, 2)),
            ("v", "l.weight_ih_l0", "l.weight_hh_l0", "l.bias_ih_l0", "l.bias_hh_l0"),
        ),
    ],
    "replaced": [(replaced, ("a",)), (reordered, ("b",)), (lambda: reordered(steps=1), ("b",))],
    "gaps_and_fused": [(fused_with_gaps, ("w",))],
}  # fmt: skip
TABLE = [(name, number) for name, each in FAULTS.items() for number in range(len(each))]


def report(given):
    first = given.module if hasattr(given, "module") else given.parameters
    return zs.parameter_report(first, getattr(given, "optimizer", None))


def found(given, name):
    return [problem for problem in report(given).problems if problem.name == name]


def run(code, given):
    """Run a repair as a learner would; what it makes anew replaces what was there."""
    names = vars(given) | {"torch": torch, "batch": torch.ones(2, 3)}
    if code == "module(batch)":
        names["module"] = lambda batch: given.module.layer(batch)
    exec(code, names)
    for name in vars(given):
        setattr(given, name, names[name] if name != "module" else given.module)
    return given


@pytest.mark.parametrize(("name", "number"), TABLE)
def test_fault_is_found_once_under_its_names(name, number):
    make, names = FAULTS[name][number]
    assert [each for problem in found(make(), name) for each in problem.parameters] == list(names)


# In these the shared repair is a line of forward, which takes the place of the attribute.
IN_FORWARD = ("stale", "view_of_parameter")


@pytest.mark.parametrize(("name", "number"), TABLE)
def test_every_repair_removes_the_fault(name, number):
    make, _ = FAULTS[name][number]
    intentions = list(found(make(), name)[0].repairs)
    assert intentions
    for intention in intentions:
        if intention == "shared" and name in IN_FORWARD:
            continue
        given = make()
        run(found(given, name)[0].repairs[intention], given)
        assert found(given, name) == []


def test_repairs_leave_no_other_fault_behind():
    alone = (
        "expanded",
        "overlapping",
        "expanded_buffer",
        "stale",
        "computed",
        "not_registered",
        "plain_tensor",
    )
    for name, number in TABLE:
        if name in alone:
            given = FAULTS[name][number][0]()
            for _ in range(3):
                for problem in report(given).problems:
                    run(problem.repair, given)
            assert report(given).problems == ()


def test_a_repair_that_repairs_nothing_would_be_seen():
    given = FAULTS["expanded"][0][0]()
    run("module.p = torch.nn.Parameter(module.p.detach())", given)
    assert found(given, "expanded")


@pytest.mark.parametrize("name", IN_FORWARD)
def test_the_shared_repair_is_the_same_values_and_follows(name):
    given = FAULTS[name][0][0]()
    names = {"module": given.module}
    exec(found(given, name)[0].repairs["shared"], names)
    assert torch.equal(names["heads"], given.module.heads)
    with torch.no_grad():
        given.module.base.fill_(5)
    exec(found(given, name)[0].repairs["shared"], names)
    assert torch.equal(names["heads"], torch.full((4, 3), 5.0))
    assert torch.equal(given.module.heads, names["heads"]) == (name == "view_of_parameter")


def test_the_repair_of_an_expanded_one_learns_as_it_was_meant():
    weights = torch.arange(1.0, 13.0).view(4, 3)
    updated = {}
    for intention in ("independent", "shared"):
        given = FAULTS["expanded"][0][0]()
        run(found(given, "expanded")[0].repairs[intention], given)
        (given.module.p.expand(4, 3) * weights).sum().backward()
        torch.optim.SGD(given.module.parameters(), lr=1.0).step()
        updated[intention] = given.module.p.detach()
    assert torch.equal(updated["independent"], ROW.repeat(4, 1) - weights)
    assert torch.equal(updated["shared"], ROW - weights.sum(0, keepdim=True))


def unsaved_buffer():
    given = holder(w=parameter(3))
    given.module.register_buffer("mask", torch.ones(1).expand(4, 4), persistent=False)
    return given


GOOD = {
    "layers": lambda: holder(a=nn.Linear(2, 3), b=nn.BatchNorm1d(3), c=nn.LSTM(2, 2), d=nn.Embedding(4, 2)),
    "tied": lambda: holder(a=parameter(3), b=lambda m: m.a),
    "one flat storage": lambda: holder(
        flat=torch.ones(6),
        a=lambda m: nn.Parameter(m.flat[:3]),
        b=lambda m: nn.Parameter(m.flat[3:]),
    ),
    "frozen on purpose": lambda: holder(w=nn.Parameter(torch.ones(3), requires_grad=False)),
    "transposed": lambda: holder(w=nn.Parameter(torch.ones(4, 3).t())),
    "complex": lambda: holder(w=nn.Parameter(torch.ones(3, dtype=torch.complex64))),
    "sizes of one": lambda: holder(w=nn.Parameter(torch.ones(1, 3).expand(1, 3))),
    "empty": lambda: holder(w=parameter(0, 3)),
    "lists of modules": lambda: holder(
        a=nn.ModuleList([nn.Linear(2, 2)]), b=nn.ParameterDict({"x y": parameter(2)})
    ),
    "parametrized": lambda: holder(a=nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))),
    "in the optimizer": lambda: optimized(lambda m: m.parameters(), a=nn.Linear(2, 3), b=parameter(3)),
    "a list": lambda: listed(parameter(3), parameter(3)),
    "values of a dictionary": lambda: SimpleNamespace(parameters={"w": parameter(3)}.values()),
    "a buffer that is not saved": unsaved_buffer,
    "a recurrent layer whose weight is computed": lambda: holder(
        a=nn.utils.parametrizations.weight_norm(nn.LSTM(2, 2), "weight_hh_l0"),
        b=prune.identity(nn.GRU(2, 2), "weight_ih_l0"),
    ),
    "nothing": lambda: listed(),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_what_is_right_has_no_problem(name):
    problems = [problem.name for problem in report(GOOD[name]()).problems]
    assert problems == (["plain_tensor"] if name == "one flat storage" else [])


def test_what_a_hook_makes_anew_is_not_stale():
    layer = nn.Linear(2, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        nn.utils.weight_norm(layer)
    assert not layer.weight.is_leaf
    assert zs.parameter_report(layer).problems == ()
    layer.other = layer.weight_v * 2
    assert [problem.parameters for problem in zs.parameter_report(layer).problems] == [("other",)]


def rows(given):
    return {row.name: row for row in report(given).rows}


def test_what_one_row_tells():
    given = optimized(
        lambda m: [m.base], base=parameter(1, 3), tied=lambda m: m.base, heads=lambda m: m.base.repeat(4, 1)
    )
    base, tied, heads = rows(given).values()
    assert (base.kind, base.registered, base.is_leaf, base.in_optimizer) == ("parameter", True, True, 1)
    assert (base.tied_with, tied.tied_with, base.dtype) == (("tied",), ("base",), "float32")
    assert (heads.kind, heads.registered, heads.is_leaf, heads.in_optimizer) == ("attribute", False, False, 0)
    assert (heads.made_from, heads.gradient_shape, heads.learnable_values) == (("base",), None, 0)
    assert report(given).learnable_values == 3


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize(
    ("make", "values"),
    [
        (lambda: holder(row=parameter(1, 3)), 3),
        (lambda: holder(rows=nn.Parameter(ROW.repeat(4, 1))), 12),
        (lambda: holder(p=parameter(1, 3), w=lambda m: m.p.repeat(4, 1)), 3),
        (lambda: holder(p=nn.Parameter(ROW.expand(4, 3))), 3),
        (lambda: holder(a=parameter(4, 3), b=lambda m: nn.Parameter(m.a[1:])), 12),
        (lambda: holder(a=parameter(3), b=lambda m: m.a), 3),
        (lambda: holder(a=nn.LazyLinear(2)), None),
        (lambda: holder(a=nn.Parameter(torch.tensor([0.0, 1, 2]).to_sparse())), 2),
        (lambda: holder(a=nn.Parameter(torch.eye(3).to_sparse_csr())), 3),
        (lambda: holder(a=nn.Parameter(torch.sparse_coo_tensor([[1, 1]], [1.0, 2.0], (3,)))), 2),
        (lambda: holder(a=nn.Parameter(torch.ones(1).expand(2**31, 2**20))), 1),
    ],
)
def test_learnable_values(make, values):
    assert report(make()).learnable_values == values


def test_values_that_no_step_can_change_are_told_as_such():
    given = {
        name: torch.nn.Parameter(torch.ones(1, 3).expand(rows, 3)) for name, rows in (("w", 4), ("v", 1))
    }
    assert [row[-1] for row in zs.parameter_report(given).table().rows] == [
        "3, but no step can change them",
        "3",
    ]


@st.composite
def views(draw):
    """Views of one storage whose values are their own places."""
    base = torch.arange(24.0)
    made = []
    for _ in range(draw(st.integers(1, 4))):
        shape = draw(st.lists(st.integers(0, 3), min_size=1, max_size=2))
        strides = [draw(st.integers(0, 4)) for _ in shape]
        start = draw(st.integers(0, 7))
        made.append(base.as_strided(shape, strides, start))
    return made


@settings(max_examples=150, deadline=None)
@given(views())
def test_against_the_places_themselves(made):
    places = [set(view.ravel().tolist()) for view in made]
    given = zs.parameter_report([nn.Parameter(view) for view in made])
    assert given.learnable_values == len(set().union(*places))
    assert [row.learnable_values for row in given.rows] == list(map(len, places))
    for number, row in enumerate(given.rows):
        others = {str(k) for k, other in enumerate(places) if k != number and other & places[number]}
        assert set(row.overlaps_with) == others
        doubled = len(places[number]) < made[number].numel()
        assert row.overlaps == doubled
        named = {each.name for each in given.problems if row.name in each.parameters}
        assert bool({"expanded", "overlapping"} & named) == doubled


def test_counting_elements_instead_of_places_would_be_seen():
    made = zs.parameter_report([nn.Parameter(ROW.expand(4, 3))])
    assert made.learnable_values != made.rows[0].layout.size


def test_too_many_overlapping_elements_are_unknown(monkeypatch):
    monkeypatch.setattr(facts, "COUNT_AT_MOST", 5)
    given = holder(a=parameter(3), b=lambda m: nn.Parameter(m.a[1:]), c=parameter(100))
    assert report(given).learnable_values == 103
    monkeypatch.setattr(facts, "COUNT_AT_MOST", 4)
    assert report(given).learnable_values is None
    assert "each counted once: ?" in str(report(given))


def everything():
    """One module with nearly every fault, gradients and state behind it."""
    module = Holder(
        base=parameter(1, 3), heads=lambda m: m.base.repeat(4, 1), view=lambda m: m.base.expand(4, 3),
        bad=nn.Parameter(ROW.expand(4, 3)), norm=nn.BatchNorm1d(3), drop=nn.Dropout(), ws=[parameter(2)],
        scale=torch.ones(3), lazy=nn.LazyLinear(2), part=lambda m: nn.Parameter(m.base[0]),
    )  # fmt: skip
    module.eval()
    module.drop.train()
    module.register_forward_hook(lambda *_: None)
    module.base.register_hook(lambda gradient: gradient)
    optimizer = torch.optim.Adam([module.base, module.norm.weight], lr=0.1)
    ((module.base + module.norm.weight) ** 2).sum().backward()
    optimizer.step()
    return module, optimizer


def state(module, optimizer):
    """Return all that an instrument could change."""
    tensors = [x for x in [*module.parameters(), *module.buffers()] if not facts.is_lazy(x)]
    gradients = [None if x.grad is None else (id(x.grad), x.grad.tolist()) for x in tensors]
    return {
        "ids": list(map(id, module.parameters())),
        "values": [(x.tolist(), x._version, x.requires_grad, x.stride()) for x in tensors],
        "gradients": gradients,
        "optimizer": copy.deepcopy(str(optimizer.state_dict())),
        "modes": [each.training for each in module.modules()],
        "hooks": [len(each._forward_hooks) for each in module.modules()],
        "tensor hooks": len(module.base._backward_hooks),
        "attributes": {name: id(value) for name, value in vars(module).items()},
        "random": torch.get_rng_state().tolist(),
        "settings": (torch.is_grad_enabled(), torch.get_num_threads()),
    }


CHANGES = {
    "zero_grad": lambda module, optimizer: optimizer.zero_grad(),
    "step": lambda module, optimizer: optimizer.step(),
    "train": lambda module, optimizer: module.train(),
    "hook": lambda module, optimizer: module.norm.register_forward_hook(lambda *_: None),
    "attribute": lambda module, optimizer: setattr(module, "scale", torch.ones(3)),
    "random": lambda module, optimizer: torch.rand(1),
    "in place": lambda module, optimizer: module.norm.running_mean.add_(0),
}


def test_nothing_is_changed_by_asking():
    module, optimizer = everything()
    before = state(module, optimizer)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = zs.parameter_report(module, optimizer)
        zs.parameter_report(list(module.parameters()), optimizer)
    assert len(given.problems) >= 8
    assert str(given)
    assert state(module, optimizer) == before


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_would_be_seen(change):
    module, optimizer = everything()
    before = state(module, optimizer)
    CHANGES[change](module, optimizer)
    assert state(module, optimizer) != before


def test_gradients_reach_hooks_and_graphs_as_before():
    module, optimizer = everything()
    loss = (module.heads**2).sum()
    zs.parameter_report(module, optimizer)
    module.base.grad = None
    loss.backward()
    assert torch.equal(module.base.grad, torch.full((1, 3), 8.0))


WAYS = {
    "a tensor": lambda w: w,
    "a list": lambda w: [w],
    "a tuple": lambda w: (w,),
    "a set": lambda w: {w},
    "a dict": lambda w: {"w": w},
    "a generator": lambda w: (each for each in [w]),
    "pairs": lambda w: [("w", w)],
    "groups": lambda w: [{"params": [w], "lr": 0.1}],
    "a group of one": lambda w: [{"params": w}],
    "a module": lambda w: Holder(w=w),
    "named_parameters": lambda w: Holder(w=w).named_parameters(),
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_hand_in(way):
    w = nn.Parameter(ROW.expand(4, 3))
    given = zs.parameter_report(WAYS[way](w))
    (row,) = given.rows
    assert (row.shape, row.learnable_values, row.is_leaf) == ((4, 3), 3, True)
    assert "expanded" in [problem.name for problem in given.problems]


BAD = {
    "strings": (["w", "b"], "element 0 is no torch tensor but str", "元素0不是torch张量，而是str"),
    "a string": ("weight", "not str", "而不是str"),
    "None": (None, "not NoneType", "而不是NoneType"),
    "a number": (3, "not int", "而不是int"),
    "NumPy": (np.zeros((4, 3)), "records no gradient", "不记录梯度"),
    "a list of arrays": ([np.zeros(3)], "element 0 is no torch tensor but ndarray", "而是ndarray"),
    "a dict of lists": (
        {"w": [1.0]},
        "element w is no torch tensor but list",
        "元素w不是torch张量，而是list",
    ),
    "a class": (nn.Linear, "not type", "而不是type"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_parameter_is_named(name):
    given, english, chinese = BAD[name]
    for language, words in (("en", english), ("zh", chinese)):
        zs.use(language)
        with pytest.raises(TypeError, match=words):
            zs.parameter_report(given)


@pytest.mark.parametrize("optimizer", ["SGD", 0.1, [parameter(3)], torch.optim.SGD])
def test_what_is_no_optimizer_is_named(optimizer):
    with pytest.raises(TypeError, match=r"hand in an optimizer of torch\.optim, not"):
        zs.parameter_report([parameter(3)], optimizer)
    zs.use("zh")
    with pytest.raises(TypeError, match="请传入torch"):
        zs.parameter_report([parameter(3)], optimizer)


WITHOUT_TORCH = """
import sys, numpy, zerostride as zs
sys.modules["torch"] = None
for language in ("en", "zh"):
    zs.use(language)
    for call in (lambda: zs.parameter_report([numpy.zeros(3)]), lambda: zs.parameters.train(),
                 lambda: zs.parameters.examine_repeat(), lambda: zs.parameters.try_steps()):
        try:
            call()
        except (TypeError, ImportError) as error:
            print(type(error).__name__, ascii(str(error))[:60])
"""


def test_without_torch_every_answer_is_in_words():
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["TypeError", *["ImportError"] * 3] * 2
    assert all("this needs PyTorch" in line for line in lines[1:4])
    assert all("u8fd9" in line for line in lines[5:])


def test_the_table_holds_what_the_rows_hold():
    module, optimizer = everything()
    given = zs.parameter_report(module, optimizer)
    text = str(given)
    for row in given.rows:
        assert row.name in text
    for problem in given.problems:
        assert all(code in text for code in problem.repairs.values())
        assert problem.words in text
    assert "The optimizer also holds" not in text
    assert "also holds tensors that are not among these: 2" in str(zs.parameter_report([], optimizer))


def test_plain_data():
    data = zs.parameter_report({"w": nn.Parameter(ROW.expand(4, 3))}).to_dict()
    assert data["rows"][0]["gradient_shape"] == (4, 3)
    assert data["rows"][0]["overlaps"] is True
    assert data["problems"][0]["name"] == "expanded"
    assert data["learnable_values"] == 3


def test_attributes_deep_in_collections_end():
    given = holder(nested=lambda m: {"a": [parameter(2)]}, loop=lambda m: [1])
    given.module.loop.append(given.module.loop)
    assert [row.name for row in report(given).rows] == ["nested.a.0"]


def test_every_fault_of_the_catalogue_is_tried():
    assert set(FAULTS) == {key.split(".")[2] for key in catalogue() if key.startswith("parameters.problem.")}


def test_what_writes_into_an_expanded_gradient_is_refused():
    w = parameter(4, 3)
    w.grad = ROW.expand(4, 3)
    with pytest.raises(RuntimeError, match="more than one element"):
        nn.utils.clip_grad_norm_([w], 0.1)
    with pytest.raises(RuntimeError, match="more than one element"):
        (w.sum() * 2).backward()
    exec(zs.parameter_report([w]).problems[0].repair, {"parameters": [w]})
    (w.sum() * 2).backward()
    nn.utils.clip_grad_norm_([w], 0.1)
