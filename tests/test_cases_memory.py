"""What the product answers on cases from public threads: bytes, saving, and what is kept for backward."""

import numpy as np
import pytest

import zerostride as zs

torch = pytest.importorskip("torch")

from cases.cases import CASES, close  # noqa: E402

HERE = {case["id"]: case for case in CASES if case["id"].startswith("H")}


def nbytes(z, x, dense):
    huge, view = zs.bytes_of(np.broadcast_to(z, (10, 10**12))), zs.bytes_of(x.expand(4, 3))
    return {
        "np_nbytes": huge.logical_bytes,
        "np_source_bytes": huge.storage_bytes,
        "t_nbytes": view.logical_bytes,
        "t_storage": view.storage_bytes,
    }


def pickle_and_deepcopy(b, x, e):
    numpy, view, source = (zs.saving(each).to_dict() for each in (b, e, x))
    return {
        "np_pickle_bytes_full": numpy["pickle"]["written_bytes"] > b.nbytes,
        "np_back_strides": numpy["pickle"]["strides_bytes"],
        "np_npy_full": numpy["np.save"]["written_bytes"] > b.nbytes,
        "np_deepcopy_owndata": numpy["deepcopy"]["storage_bytes"] == b.nbytes,
        "t_pickle_small": view["pickle"]["written_bytes"] < 10_000,
        "t_back_strides": tuple(step // 4 for step in view["pickle"]["strides_bytes"]),
        "t_back_storage": view["pickle"]["storage_bytes"],
        "t_pickle_pair_shared": source["pickle"]["pair_shares"],
        "t_save_pair_shared": source["torch.save"]["pair_shares"],
        "t_deepcopy_strides": tuple(step // 4 for step in view["deepcopy"]["strides_bytes"]),
        "t_deepcopy_storage": view["deepcopy"]["storage_bytes"],
    }


def pairwise_distance(x, y):
    def kept(f):
        return zs.saved_for_backward(f, x, y).stored_bytes

    bills = {
        step: zs.budget((50, 60, 8), "float32", (50, 1, 8), [step], way="implicit", learns=True)
        for step in ("difference", "pairwise_matmul")
    }
    return {
        "diff_kept": kept(lambda x, y: (x[:, None] - y[None]).pow(2).sum(-1)),
        "formula_n_m_d": bills["difference"].output_bytes,
        "cdist_kept": kept(torch.cdist),
        "matmul_kept": kept(lambda x, y: (x**2).sum(-1, keepdim=True) + (y**2).sum(-1)[None] - 2 * (x @ y.T)),
        "same_values": bills["pairwise_matmul"].saved_bytes == (50 + 60) * 8 * 4,
    }


def virtual_sizes(t, i8, f, s, a):
    view = t.expand(2**31, 2**31)
    return {
        "np_ok": zs.bytes_of(np.broadcast_to(i8, (2**31, 2**31))).logical_bytes,
        "np_too_big": refused("numpy", "float64", (2**31, 2**31)),
        "torch_numel": zs.layout(view).size,
        "right_bytes": zs.bytes_of(view).logical_bytes,
        "torch_numel_overflow": refused("torch", "float32", (2**32, 2**32)),
    }


def refused(library, dtype, shape):
    try:
        zs.budget(shape, dtype, (1,), library=library)
    except ValueError:
        return {"numpy": "ValueError: array is too big"}.get(
            library, "RuntimeError: numel: integer multiplication overflow"
        )
    return "ok"


ANSWERS = {
    "H01_nbytes": nbytes,
    "H03_pickle_and_deepcopy": pickle_and_deepcopy,
    "H05_pairwise_distance": pairwise_distance,
    "H07_virtual_sizes": virtual_sizes,
}
# Asked of the libraries alone, or of layouts.
ELSEWHERE = {
    "H01_nbytes": {"view_getsizeof_below_nbytes", "dense_getsizeof_above_nbytes"},
    "H03_pickle_and_deepcopy": {"np_back_writable", "t_pickle_pair_doubles", "t_deepcopy_shares"},
    "H05_pairwise_distance": set(),
    "H07_virtual_sizes": {"torch_nbytes", "torch_bounds", "np_bounds"},
}


def wrong(case, answers):
    return {
        name: (found, case["expected"][name])
        for name, found in answers.items()
        if not close(found, case["expected"][name])
    }


@pytest.mark.parametrize("name", HERE)
def test_answers_of_the_product(name):
    case = HERE[name]
    answers = ANSWERS[name](**case["build"]())
    assert wrong(case, answers) == {}
    assert set(answers) | ELSEWHERE[name] == set(case["expected"])


@pytest.mark.parametrize("name", HERE)
def test_a_wrong_answer_would_be_seen(name):
    case = HERE[name]
    answers = dict.fromkeys(ANSWERS[name](**case["build"]()), "something else")
    assert set(wrong(case, answers)) == set(answers)
