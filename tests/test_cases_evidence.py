"""What evidence recommends on cases from public threads: the program of each thread is handed in."""

import warnings

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import zerostride as zs

torch = pytest.importorskip("torch")

from cases.cases import CASES, close  # noqa: E402

BY_ID = {case["id"]: case for case in CASES}


def unlocked(x):
    y = np.broadcast_to(x, (4, 3))
    y.flags.writeable = True
    y[0, 0] = -1
    return y


def shifted(x):
    x[:, 1:] += x[:, :-1]
    return x


def shifted_apart(x):
    x[:, 1:] += x[:, :-1].clone()
    return x


def zeroed(cut):
    def program(x):
        out = x.sigmoid()
        cut(out).zero_()
        return out.sum()

    return program


def expanding_losses(given):
    weights = given["w"]
    return {
        "expand": lambda x: (x.expand(4, 3) * weights).sum(),
        "repeat": lambda x: (x.repeat(4, 1) * weights).sum(),
    }


def dense_mask(x):
    return x.expand(3, 3).tril()


# By case: what is handed in, the program of the thread, the one that is recommended,
# the fault that says so, and a part of the recommended line.
RECOMMENDED = {
    "A02_overlapping_strides": (
        lambda i: i["base"],
        lambda x: x.as_strided((2, 2, 2), (3, 2, 1)).add_(1),
        lambda x: x.as_strided((2, 2, 2), (3, 2, 1)).clone().add_(1),
        "write_into_shared", "clone()",
    ),
    "B01_arithmetic_inplace": (
        lambda i: i["x"],
        lambda x: x.expand(4, 3).add_(1),
        lambda x: x.expand(4, 3).clone().add_(1),
        "write_refused", "clone()",
    ),
    "B03_masked_and_index_writes": (
        lambda i: i["make"]()[:1],
        lambda x: x.expand(4, 3).masked_fill_(torch.eye(4, 3).bool(), 0.0),
        lambda x: x.expand(4, 3).masked_fill(torch.eye(4, 3).bool(), 0.0),
        "write_into_shared", "masked_fill(",
    ),
    "B05_triu_tril": (
        lambda i: i["s"]()[0, 0], lambda x: x.expand(3, 3).tril_(), dense_mask,
        "write_into_shared", "tril(",
    ),
    "B07_partial_overlap": (
        lambda i: i["m"], shifted, shifted_apart, "write_into_own_source", "clone()",
    ),
    "C01_read_only_can_be_lifted": (
        lambda i: i["x"], unlocked, lambda x: np.broadcast_to(x, (4, 3)).copy(),
        "protection_lifted", "copy()",
    ),
    "C03_sliding_windows": (
        lambda i: i["t"],
        lambda x: x.unfold(0, 3, 1).mul_(2),
        lambda x: x.unfold(0, 3, 1).clone().mul_(2),
        "write_into_shared", "clone()",
    ),
    "D01_from_numpy_ignores_read_only": (
        lambda i: i["b"], torch.from_numpy, torch.tensor, "read_only_lost", "torch.tensor(",
    ),
    "E02_reshape_then_expand": (
        lambda i: i["a"],
        lambda x: x.expand(100, 2, 2).reshape(-1, 4),
        lambda x: x.expand(1, 2, 2).reshape(-1, 4).expand(100, -1),
        "dense_by_reshape", ".expand(100, 4)",
    ),
    "F01_expand_or_repeat_same_gradient": (
        lambda i: i["x"],
        lambda x: (x.repeat(4, 1) * torch.arange(1.0, 13.0).reshape(4, 3)).sum(),
        lambda x: (x.expand(4, 3) * torch.arange(1.0, 13.0).reshape(4, 3)).sum(),
        "copied_without_need", "expand(4, 3)",
    ),
    "F05_detach_or_data": (
        lambda i: i["make"]().detach(),
        zeroed(lambda y: y.data),
        zeroed(lambda y: y.detach().clone()),
        "data_hides_edit", "detach().clone()",
    ),
    "G01_parameter_from_expand": (
        lambda i: i["x"],
        lambda x: torch.nn.Parameter(x.expand(4, 3)),
        lambda x: torch.nn.Parameter(x.repeat(4, 1)),
        "expanded_parameter", "torch.nn.Parameter(",
    ),
    "G03_not_a_leaf": (
        lambda i: i["x"],
        lambda x: torch.optim.SGD([x.repeat(4, 1)], lr=0.1),
        lambda x: torch.optim.SGD([torch.nn.Parameter(x.detach().repeat(4, 1))], lr=0.1),
        "leaf_lost", "torch.nn.Parameter(",
    ),
    "H01_nbytes": (
        lambda i: i["x"], lambda x: x.expand(4, 3).nbytes, lambda x: x.nbytes,
        "nbytes_as_memory", "storage_bytes",
    ),
    "H03_pickle_and_deepcopy": (
        lambda i: i["b"][:1],
        lambda x: __import__("pickle").dumps(np.broadcast_to(x, (50, 1000))),
        lambda x: __import__("pickle").dumps(x),
        "saved_every_element", "np.save(file, source)",
    ),
    "H05_pairwise_distance": (
        lambda i: torch.arange(60.0).reshape(20, 3),
        lambda x: ((x[:, None] - x[None]) ** 2).sum(-1),
        lambda x: torch.cdist(x, x),
        "pairwise_kept", "cdist",
    ),
    "I01_bfloat16": (
        lambda i: torch.ones(3, dtype=torch.bfloat16), lambda x: x.numpy(), lambda x: x.float().numpy(),
        "bfloat16_in_numpy", "float()",
    ),
    "I07_integers_have_no_gradient": (
        lambda i: i["k"],
        lambda x: x.clone().requires_grad_(),
        lambda x: x.double().requires_grad_(),
        "integer_leaf", "double()",
    ),
    "D03_negative_strides": (
        lambda i: np.arange(4.0),
        lambda x: torch.from_numpy(x[::-1]),
        lambda x: torch.from_numpy(x[::-1].copy()),
        "negative_strides", "copy()",
    ),
    "D05_byte_swapped": (
        lambda i: np.arange(3, dtype=">f8"), torch.from_numpy, lambda x: torch.from_numpy(x.astype("=f8")),
        "byte_order", "newbyteorder",
    ),
    "J01_three_meanings_of_repeat": (
        lambda i: i["m"], lambda x: x.repeat(2), lambda x: torch.tile(x, (2,)), "repeat_rank", "torch.tile(",
    ),
    "J05_column_meets_row": (
        lambda i: i["line"], lambda x: ((x - torch.arange(4.0)) ** 2).mean(),
        lambda x: ((x.reshape(-1) - torch.arange(4.0)) ** 2).mean(),
        "broadcast_unintended", "reshape(-1)",
    ),
    "J03_flat_repeat_is_impossible": (
        lambda i: i["x"],
        lambda x: np.broadcast_to(x, (1000, 3)).reshape(-1),
        lambda x: np.broadcast_to(x, (1000, 3)),
        "dense_by_reshape", "% 3",
    ),
}  # fmt: skip


def recommended(source, programs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {problem.name: problem for problem in zs.evidence(source, programs).problems}


@pytest.mark.parametrize("name", RECOMMENDED)
def test_the_fault_of_the_thread_is_named_and_its_repair_is_recommended(name):
    make, faulty, sound, fault, line = RECOMMENDED[name]
    given = BY_ID[name]["build"]()
    told = recommended(make(given), {"thread": faulty})
    assert fault in told
    assert any(line in code for code in told[fault].repairs)
    assert fault not in recommended(make(BY_ID[name]["build"]()), {"thread": sound})


def test_float32_differences_are_taken_in_float64_and_that_is_said():
    case = BY_ID["K02_float32_step"]
    given = case["build"]()
    weights = given["w"]
    report = zs.evidence(given["x"], {"f": lambda x: (np.broadcast_to(x, (4, 3)) * weights).sum()})
    assert close(report.gradients["f"].differences.values.tolist(), [[22.0, 26.0, 30.0]])
    assert report.gradients["f"].differences.dtype == "float64"
    assert "float64" in str(report)


def test_expand_and_repeat_have_one_gradient():
    case = BY_ID["F01_expand_or_repeat_same_gradient"]
    given = case["build"]()
    report = zs.evidence(given["x"], expanding_losses(given))
    assert report.gradients.verdicts == {"expand": "agree", "repeat": "agree"}
    assert "mean_against_sum" not in {problem.name for problem in report.problems}


def test_windows_of_numpy_are_named_before_they_are_written():
    told = recommended(np.arange(5), {"windows": lambda x: sliding_window_view(x, 3, writeable=True)})
    assert any("copy()" in code for code in told["protection_lifted"].repairs)


def test_every_case_with_a_recommendation_is_asked():
    with_advice = {case["id"] for case in CASES if case["advice"]}
    assert with_advice - set(RECOMMENDED) == {"K02_float32_step"}  # asked by a test of its own
    assert set(RECOMMENDED) <= set(BY_ID)
