"""What the product answers on cases from public threads: gradients and finite differences.

Each case says what is right in ``expected``. What is asked of other parts of
the product, or of the libraries alone, is named here too, so that no fact is
left out by mistake.
"""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import zerostride as zs

torch = pytest.importorskip("torch")

from case_answers import answered, unseen, wrong_answers  # noqa: E402
from cases.cases import CASES, close  # noqa: E402

HERE = {case["id"]: case for case in CASES if case["id"].startswith(("F", "K"))}


def shares(a, b):
    return zs.compare(a, b).same_storage


def compared(programs, x, analytic=None):
    return zs.compare_gradients(programs, x, analytic).gradients


def caught(found):
    """Return how autograd went in the form of the cases."""
    return "refused" if found.verdict == "refused" else "ok"


def same_gradient(x, w):
    ways = {
        "expand": lambda z: z.expand(4, 3),
        "repeat": lambda z: z.repeat(4, 1),
        "interleave": lambda z: z.repeat_interleave(4, 0),
        "clone": lambda z: z.expand(4, 3).clone(),
        "implicit": lambda z: z,
    }
    answers = {}
    for reduction in ("sum", "mean"):
        programs = {
            name: lambda z, make=make: getattr(make(z) * w, reduction)()  # noqa: B023
            for name, make in ways.items()
        }
        found = compared(programs, x)
        assert {each.verdict for each in found.values()} == {"agree"}
        answers[reduction] = {name: each.autograd.tolist() for name, each in found.items()}
        assert close(
            {name: each.differences.values.tolist() for name, each in found.items()}, answers[reduction]
        )
    assert zs.uses(ways["expand"], x, w).sums.tolist() == [[22, 26, 30]]
    return answers | {"grad_shape": found["expand"].autograd.shape}


def window_uses(x):
    programs = {
        "unfold": lambda z: z.unfold(0, 3, 1).sum(),
        "as_strided": lambda z: z.as_strided((3, 3), (1, 1)).sum(),
        "mean": lambda z: z.unfold(0, 3, 1).mean(),
    }
    found = compared(programs, x)
    assert {each.verdict for each in found.values()} == {"agree"}
    counts = zs.uses(lambda z: sliding_window_view(z, 3), x.detach().numpy()).counts
    assert counts.tolist() == [1, 2, 3, 2, 1]
    assert zs.uses(lambda z: z.unfold(0, 3, 1), x).counts.tolist() == [1, 2, 3, 2, 1]
    differences = zs.finite_difference(lambda z: sliding_window_view(z, 3).sum(), np.ones(5))
    return {name: each.autograd.tolist() for name, each in found.items()} | {
        "finite_difference": differences.values.tolist()
    }


def detach_or_data(make):
    def zeroed(cut):
        def program(z):
            out = z.sigmoid()
            cut(out).zero_()
            return out.sum()

        return program

    def right(z):
        return z.sigmoid().sum()

    cuts = {
        "detach": lambda t: t.detach(),
        "data": lambda t: t.data,
        "detach_clone": lambda t: t.detach().clone(),
    }
    found = compared({name: zeroed(cut) for name, cut in cuts.items()} | {"right": right}, make())
    out = make().sigmoid()
    return {
        "detach_shares": shares(out.detach(), out),
        "detach_backward": caught(found["detach"]),
        "data_backward": caught(found["data"]),
        "data_grad": found["data"].autograd.tolist(),
        "right_grad": found["right"].autograd.tolist(),
        "detach_clone_grad": found["detach_clone"].autograd.tolist(),
    }


def clone_passes(a, p):
    square = compared({"first": lambda z: z**2, "both": lambda z: z**2 + z.clone() * 3}, a)
    clones = compared({"cut": lambda z: z.detach().clone() * 3}, a)
    assert clones["cut"].verdict == "cut"
    return {
        "after_first": square["first"].autograd.item(),
        "after_both": square["both"].autograd.item(),
        "clone_shares": shares(a.clone(), a),
        "detach_shares": shares(p.detach(), p),
        "detach_clone_shares": shares(p.detach().clone(), p),
    }


def float32_step(x, w, t32, t64):
    def loss(z):
        return (np.broadcast_to(z, w.shape) * w).sum()

    def torch_loss(z):
        return (z.expand(4, 3) * torch.from_numpy(w).to(z.dtype)).sum()

    lies = zs.finite_difference(loss, x, step=1e-5)
    assert lies.rounding > 0.5
    lifted = zs.finite_difference(loss, x)
    assert np.allclose(lifted, [[22, 26, 30]], rtol=1e-8, atol=1e-8)
    assert lifted.notes
    for x_torch in (t32, t64):
        assert compared({"expand": torch_loss}, x_torch, [22, 26, 30])["expand"].verdict == "agree"
    return {
        "off_by_more_than_half": bool(abs(lies.values[0, 0] - 22) > 0.5),
        "within_1e_8": bool(np.allclose(lies, [[22, 26, 30]], rtol=1e-8, atol=1e-8)),
        "power_of_two_step": zs.finite_difference(loss, x, step=2.0**-7).values[0].tolist(),
        "gradcheck64": compared({"expand": torch_loss}, t64)["expand"].gradcheck,
    }


# By the name of the case: how the product answers, and the facts that are no question to this part of it.
ANSWERS = {
    "F01_expand_or_repeat_same_gradient": (same_gradient, "grad_storage"),
    "F03_window_gradient_counts_uses": (window_uses, ""),
    "F05_detach_or_data": (detach_or_data, "unsaved_case unsaved_y_grad"),
    "F07_clone_passes_gradient": (
        clone_passes,
        "clone_grad clone_leaf detach_leaf clone_is_parameter deepcopy_is_parameter",
    ),
    "K02_float32_step": (float32_step, "gradcheck32 gradcheck32_warns"),
}


def answers_to(name):
    return answered(ANSWERS[name][0], HERE[name])


@pytest.mark.parametrize("name", HERE)
def test_case(name):
    answers, expected = answers_to(name), HERE[name]["expected"]
    assert wrong_answers(answers, expected) == {}
    assert unseen(answers, expected) == []


def test_no_fact_is_left_out():
    assert set(ANSWERS) == set(HERE)
    for name, (_, elsewhere) in ANSWERS.items():
        answers = set(answers_to(name))
        assert not answers & set(elsewhere.split())
        assert answers | set(elsewhere.split()) == set(HERE[name]["expected"])
