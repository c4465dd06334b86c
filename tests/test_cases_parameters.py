"""What the product answers on cases from public threads: parameters and optimizers.

Each case says what is right in ``expected``; a diagnosis must be right, and so
must what the repairs that the product names lead to when they are run.
"""

import pytest

import zerostride as zs

torch = pytest.importorskip("torch")

from case_answers import answered, unseen, wrong_answers  # noqa: E402
from cases.cases import CASES, W, _Buffered  # noqa: E402
from zerostride.parameters import stepping  # noqa: E402

HERE = {case["id"]: case for case in CASES if case["id"].startswith("G")}


def row(x, name):
    return next(each for each in zs.parameter_report(x).rows if each.name == name)


def problems(x):
    return {each.name: each for each in zs.parameter_report(x).problems}


def fails(refused):
    """Return an answer that stands against any error of a library."""
    return "refused" if refused else "ok"


def repaired(module, fault, intention):
    """Run the line that the report names."""
    exec(problems(module)[fault].repairs[intention], {"module": module, "torch": torch})
    return module


def step(module):
    (module.p.expand(4, 3) * torch.tensor(W)).sum().backward()
    torch.optim.SGD(module.parameters(), lr=1.0).step()
    return module.p.tolist()


def parameter_from_expand(x, w, bad, good, shared, other):
    told = row(bad, "p")
    assert told.gradient_shape == (4, 3)
    refused = {
        name: stepping.outcome("x.expand(4, 3)", name, "foreach=False")[0] == "refused"
        for name in ("SGD", "Adam")
    }
    loading = "expanded" in problems(bad)
    (bad.p * w).sum().backward()
    gradient = bad.p.grad
    assert set(problems(bad)) == {"expanded"}
    separate = repaired(bad, "expanded", "independent")
    stride = zs.layout(separate.p).strides_elements
    right = fails(problems(separate) != {})
    after = step(separate)
    separate.p = torch.nn.Parameter(x.expand(4, 3))
    shared_after = step(repaired(separate, "expanded", "shared"))
    separate.p = torch.nn.Parameter(x.expand(4, 3))
    separate.load_state_dict(other.state_dict(), assign=True)
    return {
        "is_leaf": told.is_leaf,
        "stride": told.layout.strides_elements,
        "storage_bytes": told.layout.storage_bytes,
        "numel": told.layout.size,
        "grad_stride": zs.layout(gradient).strides_elements,
        "sgd": fails(refused["SGD"]),
        "adam": fails(refused["Adam"]),
        "load": fails(loading),
        "buffer_load": fails("expanded_buffer" in problems(_Buffered())),
        "repeat_stride": stride,
        "repeat_sgd": right,
        "repeat_after": after,
        "shared_after": shared_after,
        "load_assign": fails(problems(separate) != {}),
    }


def not_a_leaf(x, m):
    registered = [each.name for each in zs.parameter_report(m).rows if each.registered]
    assert problems(m)["stale"].parameters == ("heads",)
    given = [x.repeat(4, 1)]
    refused = "not_a_leaf" in problems(given)
    names = {"parameters": given, "torch": torch}
    exec(problems(given)["not_a_leaf"].repair, names)
    own = repaired(m, "stale", "independent")
    assert row(own, "heads").learnable_values == 12
    return {
        "expand_leaf": row([x.expand(4, 3)], "0").is_leaf,
        "repeat_leaf": row([x.repeat(4, 1)], "0").is_leaf,
        "plain_expand_leaf": row([torch.ones(1, 3).expand(4, 3).requires_grad_()], "0").is_leaf,
        "optimizer": fails(refused),
        "registered": registered,
        "state_keys": registered,
        "wrapped_ok": fails(problems(given) != {}),
        "wrapped_shares": bool(row({"w": given[0], "x": x}, "w").overlaps_with),
        "parameter_of_expand_shares": bool(
            row({"w": torch.nn.Parameter(x.expand(4, 3)), "x": x}, "w").overlaps_with
        ),
    }


# By the name of the case: how the product answers, and the facts that are no question to it.
ANSWERS = {
    "G01_parameter_from_expand": (parameter_from_expand, "grad"),
    "G03_not_a_leaf": (not_a_leaf, ""),
}


def answers_to(name):
    return answered(ANSWERS[name][0], HERE[name])


@pytest.fixture(scope="module")
def answers():
    return {name: answers_to(name) for name in HERE}


@pytest.mark.parametrize("name", HERE)
def test_case(name, answers):
    assert wrong_answers(answers[name], HERE[name]["expected"]) == {}


def test_no_fact_is_left_out(answers):
    assert set(ANSWERS) == set(HERE)
    for name, (_, elsewhere) in ANSWERS.items():
        assert set(answers[name]) | set(elsewhere.split()) == set(HERE[name]["expected"])


@pytest.mark.parametrize("name", HERE)
def test_each_wrong_answer_is_seen(name, answers):
    assert unseen(answers[name], HERE[name]["expected"]) == []
