"""What the product answers on cases from public threads about writes: torch in place, NumPy in place, doors.

Each case says what is right in ``expected``; the answers here come from
``zs.can_i_write`` and ``zs.writes``. What is asked of other parts of the
product, or of the libraries alone, is named too, so that no fact is left out.
"""

import warnings

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import zerostride as zs

torch = pytest.importorskip("torch")

from case_answers import unseen, wrong_answers  # noqa: E402
from cases.cases import CASES, close  # noqa: E402

KINDS = ("B", "C", "D")
HERE = {case["id"]: case for case in CASES if case["id"].startswith(KINDS)}


def asked(x, statement):
    """Return the outcome of a write as a case writes it: "ok", or a class of errors."""
    answer = zs.can_i_write(x, statement)
    return answer.error if answer.outcome == "raises" else "ok"


def after(x, statement):
    """Return what stands in a small array once a write has run that the product says runs."""
    assert zs.can_i_write(x, statement).outcome not in ("raises", "unsafe", "not_applicable")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(statement, {"y": x, "np": np, "torch": torch})
    return x.tolist()


def out_of_place(x, statement):
    """Return what the safe line gives that the product says to write instead."""
    names = {"y": x, "np": np, "torch": torch}
    exec(zs.can_i_write(x, statement).instead, names)
    return names["y"]


def in_atlas(operation, target, library="torch"):
    """Return outcome and error of one row of the atlas."""
    row = next(
        row for row in zs.writes.atlas([library]) if (row.operation, row.target) == (operation, target)
    )
    return row.error if row.outcome == "raises" else "ok"


def arithmetic_inplace(x, y, o):
    return {
        "add_": asked(y, "y.add_(1)"),
        "iadd": asked(y, "y += torch.ones((4, 3))"),
        "mul_": asked(y, "y.mul_(2)"),
        "copy_": asked(y, "y.copy_(torch.ones((4, 3)))"),
        "out_arg": asked(y, "torch.add(y, 1, out=y)"),
        "source_after": x.tolist(),
        "out_of_place": out_of_place(y, "y.add_(1)").tolist(),
        "clone_then_add": out_of_place(y, "y += 1").tolist(),
    }


def masked_and_index_writes(make, m):
    y = make()
    masked, indexed = "y.masked_fill_(y == torch.arange(1, 4), 0)", "y[0, 1] = 5"
    diagonal = "y.masked_fill_(torch.eye(4, 3).bool(), 9)"
    row = zs.writes.atlas(["torch"]).filter(target="expanded", operation=diagonal).rows[0]
    answer = zs.can_i_write(y, masked)
    assert (answer.outcome, answer.row.then, row.outcome) == ("warns", "together", "warns")
    return {
        "masked_fill_": asked(y, masked),
        "masked_fill_after": after(make(), masked),
        "masked_fill_warns": [answer.warning],
        "out_of_place_strides": out_of_place(y, masked).stride(),
        "mask_setitem": in_atlas("y[torch.eye(4, 3).bool()] = 9", "expanded"),
        "index_put_": in_atlas(
            "y.index_put_((torch.tensor([0]), torch.tensor([1])), torch.tensor(9.))", "expanded"
        ),
        "index_put_after": after(make(), indexed),
        "index_fill_": in_atlas("y.index_fill_(0, torch.tensor([0]), 9)", "expanded"),
        "index_add_": in_atlas("y.index_add_(0, torch.tensor([0]), torch.ones(1, 3))", "expanded"),
        "index_copy_": in_atlas("y.index_copy_(0, torch.tensor([0]), torch.zeros(1, 3))", "expanded"),
        "scatter_": in_atlas("y.scatter_(0, torch.zeros(1, 3).long(), 9)", "expanded"),
        "masked_scatter_": in_atlas(
            "y.masked_scatter_(torch.eye(4, 3).bool(), torch.arange(12.))", "expanded"
        ),
    }


def triu_tril(s, rows, batch):
    assert [zs.can_i_write(make(), "y.tril_()").outcome for make in (s, rows, batch)] == [
        "differs",
        "differs",
        "together",
    ]
    return {
        "tril_scalar": asked(s(), "y.tril_()"),
        "tril_scalar_after": after(s(), "y.tril_()"),
        "tril_rows_after": after(rows(), "y.tril_()"),
        "triu_rows_after": after(rows(), "y.triu_()"),
        "out_of_place": out_of_place(s(), "y.tril_()").tolist(),
        "batch_ok": after(batch(), "y.tril_()")[1],
    }


def partial_overlap(t, m, n, p, s, q):
    columns, answers = "y[:, 1:] += y[:, :-1]", {}
    answers["torch_1d"] = asked(t, "y[1:] += y[:-1]")
    answers["torch_cols"] = asked(m, columns)
    answers["torch_cols_equals_out_of_place"] = zs.can_i_write(m, columns).outcome == "safe"
    answers["torch_x_plus_xT"] = asked(s, "y += y.T")
    instead = zs.can_i_write(m, columns).instead
    assert instead == "y[:, 1:] += y[:, :-1].clone()"
    answers["torch_with_clone_ok"] = zs.can_i_write(m, instead).outcome == "safe"
    answers["numpy_1d"] = after(n, "y[1:] += y[:-1]")
    answers["numpy_cols_equals_out_of_place"] = zs.can_i_write(p, columns).outcome == "safe"
    assert zs.can_i_write(q, "y += y.T").outcome == "safe"
    answers["numpy_x_plus_xT"] = after(q, "y += y.T")
    return answers


def read_only_can_be_lifted(x, b, z):
    answers = {"setitem": asked(b, "y[0, 0] = 1"), "iadd": asked(b, "y += 1")}
    assert zs.can_i_write(b, "y[0, 0] = -1").instead == "y = y.copy(); y[0, 0] = -1"
    answers["copy_writable"] = zs.can_i_write(b.copy(), "y[0, 0] = -1").outcome == "safe"
    b.flags.writeable = True
    answer = zs.can_i_write(b, "y[0, 0] = -1")
    assert (answer.outcome, answer.also_changes) == ("together", ((1, 0), (2, 0), (3, 0)))
    answers |= {"after_one_write": after(b, "y[0, 0] = -1"), "source": x.tolist()}
    return answers | {"lift": "ok" if answer.outcome == "together" else "refused"}


def sliding_windows(x, o, t):
    v = sliding_window_view(x, 3, writeable=True)
    s, u = sliding_window_view(o, 3, writeable=True), t.unfold(0, 3, 1)
    assert zs.can_i_write(v, "y[1, 1] = 99").also_changes == ((0, 2), (2, 0))
    assert zs.can_i_write(s, "y *= 2").outcome == "together"
    doubled = zs.can_i_write(u, "y.mul_(2)")
    assert (doubled.outcome, doubled.row.volatile) == ("differs", True)
    read_only = asked(sliding_window_view(x, 3), "y[0, 0] = 1")
    answers = {"default_writable": read_only != "ValueError", "windows_after": after(v, "y[1, 1] = 99")}
    answers |= {"one_write": x.tolist(), "torch_outcome": asked(u, "y.mul_(2)")}
    after(s, "y *= 2")
    after(u, "y.mul_(2)")
    return answers | {"numpy_times2": o.tolist(), "torch_times2": t.tolist()}


def window_block_write(a):
    v = sliding_window_view(a, (3, 3), writeable=True)
    answer = zs.can_i_write(v, "y[1, 1] += 2")
    named = {(1, 1, i, j) for i in range(3) for j in range(3)}
    changed = [*answer.also_changes, *named]
    after(v, "y[1, 1] += 2")
    assert len(changed) + answer.left_out == (v != 1).sum()
    assert {float(v[index]) for index in changed} == {3.0}
    return {"changed": int((a != 1).sum()), "block_sum": float(a[1:4, 1:4].sum())}


def from_numpy_ignores_read_only(x, b):
    door = zs.writes.atlas(["torch"]).filter(
        operation="z = torch.from_numpy(y); z[0, 0] = 9", target="expanded"
    )
    assert (door.rows[0].outcome, door.rows[0].then) == ("warns", "together")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        t = torch.from_numpy(b)
    answers = {"warns": [door.rows[0].warning], "write": asked(t, "y[0, 0] = -5")}
    assert zs.can_i_write(torch.tensor(np.array(b)), "y[0, 0] = -5").outcome == "safe"
    after(t, "y[0, 0] = -5")
    return answers | {"numpy_source": x.tolist()}


def negative_strides(a, f, t):
    assert zs.can_i_write(f, "y[0] = 9").outcome == "safe"
    return {}


def byte_swapped(a, b):
    assert asked(b, "y[0, 0] = 9") == "ValueError"
    assert zs.can_i_write(a, "y[0] = 9").outcome == "safe"
    return {}


# By the name of the case after its number: how the product answers, and the facts that are no question to it.
ANSWERS = {
    "B01_arithmetic_inplace": (arithmetic_inplace, ""),
    "B03_masked_and_index_writes": (masked_and_index_writes, "out_of_place"),
    "B05_triu_tril": (triu_tril, ""),
    "B07_partial_overlap": (partial_overlap, ""),
    "C01_read_only_can_be_lifted": (read_only_can_be_lifted, "lift_on_frozen_source base_is_source"),
    "C03_sliding_windows": (
        sliding_windows,
        "strides_bytes logical_bytes unique_bytes max_alias torch_strides",
    ),
    "C05_window_block_write": (
        window_block_write,
        "view_shape strides_bytes logical_bytes unique_bytes max_alias",
    ),
    "D01_from_numpy_ignores_read_only": (
        from_numpy_ignores_read_only,
        "stride storage_bytes logical_bytes tensor_stride tensor_storage as_tensor_stride "
        "asarray_copy_stride",
    ),
    "D03_negative_strides": (
        negative_strides,
        "strides shares from_numpy after_copy torch_slice torch_flip_shares torch_as_strided_neg "
        "offset_bytes",
    ),
    "D05_byte_swapped": (
        byte_swapped,
        "native strides unique_bytes values from_numpy tensor native_dtype astype_shares after_native "
        "reinterpreted_equal",
    ),
}


def answered(name):
    answer, _ = ANSWERS[name]
    return answer(**HERE[name]["build"]())


def named(answer, fact):
    """Return whether an answer is the fact; the product names an error by its class."""
    return fact.partition(":")[0] == answer if isinstance(answer, str) else close(answer, fact)


@pytest.mark.parametrize("name", HERE)
def test_case(name):
    assert wrong_answers(answered(name), HERE[name]["expected"], named) == {}


def test_no_fact_is_left_out():
    assert set(ANSWERS) == set(HERE)
    for name, (_, elsewhere) in ANSWERS.items():
        answers = set(answered(name))
        assert not answers & set(elsewhere.split())
        assert answers | set(elsewhere.split()) == set(HERE[name]["expected"])


@pytest.mark.parametrize("name", HERE)
def test_each_wrong_answer_is_seen(name):
    assert unseen(answered(name), HERE[name]["expected"], named) == []
