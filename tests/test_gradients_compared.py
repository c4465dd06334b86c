"""Witnesses side by side: each way of making four rows, every dtype, and nothing left behind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zerostride as zs
from test_import import loaded_by

WEIGHTS = np.arange(1.0, 13.0).reshape(4, 3)
SOURCE = [[1.0, 2.0, 3.0]]
BY_HAND = {"sum": [[22, 26, 30]], "mean": [[11 / 6, 13 / 6, 5 / 2]]}


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def making(torch, rows=4):
    """Every way of making rows from one row, by name; the last three lead nowhere."""
    return {
        "implicit": lambda z: z,
        "expand": lambda z: z.expand(rows, -1),
        "repeat": lambda z: z.repeat(rows, 1),
        "tile": lambda z: torch.tile(z, (rows, 1)),
        "repeat_interleave": lambda z: z.repeat_interleave(rows, 0),
        "clone": lambda z: z.expand(rows, -1).clone(),
        "detach": lambda z: z.detach().expand(rows, -1),
        "data": lambda z: z.data.expand(rows, -1),
        "independent": lambda z: torch.nn.Parameter(z.detach().repeat(rows, 1)),
    }


KEPT = ("implicit", "expand", "repeat", "tile", "repeat_interleave", "clone")


def losses(torch, weights, reduction="sum"):
    def loss(make):
        return lambda z: getattr(make(z) * torch.as_tensor(weights, dtype=z.dtype), reduction)()

    return {name: loss(make) for name, make in making(torch, len(weights)).items()}


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_every_way_of_making_four_rows(torch, reduction):
    x = torch.tensor(SOURCE, dtype=torch.float64)
    report = zs.compare_gradients(losses(torch, WEIGHTS, reduction), x, BY_HAND[reduction])
    for name, found in report.gradients.items():
        assert np.allclose(found.differences, BY_HAND[reduction], rtol=1e-8)
        assert (found.autograd is not None) == (name in KEPT)
        assert found.gradcheck is (name in KEPT)
        assert found.verdict == ("agree" if name in KEPT else "cut")
        assert found.largest_difference < 1e-8
        if name in KEPT:
            assert np.allclose(found.autograd, BY_HAND[reduction])
    assert "no gradient" in str(report)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_low_precision_is_lifted_and_said(torch, dtype, reduction):
    x = torch.tensor(SOURCE, dtype=getattr(torch, dtype), requires_grad=True)
    programs = {name: each for name, each in losses(torch, WEIGHTS, reduction).items() if name in KEPT}
    report = zs.compare_gradients(programs, x, BY_HAND[reduction])
    assert set(report.verdicts.values()) == {"agree"}
    assert {each.differences.dtype for each in report.gradients.values()} == {"float64"}
    assert {each.gradcheck for each in report.gradients.values()} == {True}
    assert report.notes[0].startswith(f"x is {dtype}: autograd calculates in it")
    wrong = zs.compare_gradients(programs, x, np.array(BY_HAND[reduction]) * 1.05)
    assert set(wrong.verdicts.values()) == {"differ"}


def test_the_source_is_left_as_it_was(torch):
    x = torch.tensor(SOURCE, requires_grad=True)
    x.grad = torch.full((1, 3), 7.0)
    heard = []
    x.register_hook(heard.append)
    factor = torch.tensor(2.0, requires_grad=True)
    before = (x._version, x.grad, x.data_ptr())
    got = []

    def program(z):
        got.append(z)
        return (z.expand(4, 3) * factor).sum()

    report = zs.compare_gradients({"expand": program}, x)
    assert report["expand"].verdict == "agree"
    assert (x._version, x.grad, x.data_ptr()) == before
    assert x.grad.tolist() == [[7.0] * 3]
    assert x.tolist() == SOURCE
    assert x.requires_grad
    assert (heard, factor.grad) == ([], None)
    assert x.data_ptr() not in {z.data_ptr() for z in got}
    without = torch.tensor(SOURCE)
    zs.compare_gradients({"expand": program}, without)
    assert not without.requires_grad


def test_a_graph_of_the_learner_can_still_be_used(torch):
    x = torch.tensor(SOURCE, requires_grad=True)
    y = (x**2).exp()
    zs.compare_gradients({"sum": lambda z: (z**2 * y.detach()).sum()}, y)
    y.sum().backward()
    assert x.grad is not None


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode", "enable_grad"])
def test_it_works_in_every_mode(torch, mode):
    with getattr(torch, mode)():
        x = torch.tensor(SOURCE)
        report = zs.compare_gradients({"cube": lambda z: (z**3).sum()}, x, [[3, 12, 27]])
    assert report.verdicts == {"cube": "agree"}


def test_verdicts(torch):
    x = torch.tensor(SOURCE, dtype=torch.float64)
    weights = torch.from_numpy(WEIGHTS)

    def edited(z):
        copy = z.expand(4, 3).clone()
        copy[0, 0] = 9
        return (copy * weights).sum()

    def caught(z):
        out = z.sigmoid()
        out.detach().mul_(2)
        return out.sum()

    def silent(z):
        out = z.sigmoid()
        out.data.mul_(2)
        return out.sum()

    report = zs.compare_gradients(
        {
            "edited": edited,
            "caught": caught,
            "silent": silent,
            "partly cut": lambda z: (z * z.detach()).sum(),
            "number": lambda z: (z * 2).sum().item(),
            "constant": lambda z: weights.sum(),
            "kink": lambda z: (z - 1).relu().sum(),
            "lowered": lambda z: (z.float() / 3).sum().double(),
        },
        x,
    )
    assert report.verdicts == {
        "edited": "agree",
        "caught": "refused",
        "silent": "differ",
        "partly cut": "differ",
        "number": "cut",
        "constant": "unused",
        "kink": "kink",
        "lowered": "unclear",
    }
    assert report["edited"].autograd.tolist() == [[21, 26, 30]]
    assert report["number"].gradcheck is None
    assert "number, caught: gradcheck is not applicable" in str(report) or "gradcheck" in str(report)
    assert "RuntimeError: one of the variables" in str(report)
    assert report["caught"].error


def test_layers_in_their_own_precision(torch):
    layer = torch.nn.Linear(3, 2)
    x = torch.tensor(SOURCE)
    found = zs.compare_gradients({"layer": lambda z: layer(z).sum()}, x)["layer"]
    assert (found.verdict, found.gradcheck, found.differences.dtype) == ("agree", None, "float32")
    assert np.allclose(found.autograd, layer.weight.detach().sum(0))
    assert all(each.grad is None for each in layer.parameters())


def test_views_as_sources(torch):
    view = torch.tensor(SOURCE, dtype=torch.float64).expand(4, 3)
    weights = torch.from_numpy(WEIGHTS)
    report = zs.compare_gradients({"view": lambda z: (z * weights).sum()}, view, WEIGHTS)
    assert report.verdicts == {"view": "agree"}
    assert any("share addresses" in note for note in report.notes)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=5),
    st.sampled_from(["float16", "float32", "float64"]),
    st.sampled_from(["sum", "mean"]),
)
def test_autograd_equals_the_jacobian_by_torch(rows, dtype, reduction):
    torch = pytest.importorskip("torch")
    weights = np.array(rows, float)
    x = torch.tensor(SOURCE, dtype=getattr(torch, dtype))
    programs = {name: f for name, f in losses(torch, weights, reduction).items() if name in KEPT[1:4]}
    report = zs.compare_gradients(programs, x)
    for name, f in programs.items():
        wanted = torch.autograd.functional.jacobian(f, x.double())
        assert np.allclose(report[name].differences, wanted, atol=1e-7)
        assert np.allclose(report[name].autograd, wanted, atol=0.02)
        assert report[name].verdict == "agree"


def test_numpy_has_two_witnesses_and_loads_no_torch():
    program = (
        "import numpy as np, zerostride as zs\n"
        "w = np.arange(1.0, 13.0).reshape(4, 3)\n"
        "f = lambda z: (np.broadcast_to(z, (4, 3)) * w).sum()\n"
        "report = zs.compare_gradients({'expand': f}, np.ones((1, 3)), w.sum(0))\n"
        "assert report.verdicts == {'expand': 'agree'}, report\n"
        "str(zs.finite_difference(f, np.ones((1, 3)))), str(zs.uses(lambda z: z * w, np.ones((1, 3))))"
    )
    assert loaded_by(program) == []
    report = zs.compare_gradients({"cube": lambda z: (z**3).sum()}, np.ones(2))
    assert report.verdicts == {"cube": "measured"}
    assert "autograd" not in str(report)
    assert "by hand" not in str(report)


def test_analytic_gradients_by_name_and_in_any_fitting_shape():
    x = np.ones((1, 3))
    ways = {"one": np.sum, "two": lambda z: 2 * z.sum()}
    report = zs.compare_gradients(ways, x, {"two": (2, 2, 2)})
    assert report.verdicts == {"one": "measured", "two": "agree"}
    wrong = zs.compare_gradients(ways, x, [1, 1, 1])
    assert wrong.verdicts == {"one": "agree", "two": "differ"}
    assert wrong["two"].largest_difference == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((np.sum, np.ones(3)), "programs by name"),
        (({}, np.ones(3)), "programs by name"),
        (({"a": 3}, np.ones(3)), "hand in a program"),
        (({"a": np.sum}, np.arange(3)), "int64 has no small step"),
        (({"a": np.sum}, [1.0]), "hand in a NumPy array"),
        (({"a": np.sum}, np.ones(3), [1, 2]), "one real number for each element"),
        (({"a": np.sum}, np.ones(3), [[1], [1, 2]]), "gradient, list, does not fit"),
        (({"a": np.sum}, np.ones(3), [1j, 1, 1]), "one real number for each element"),
        (({"a": np.sum}, np.ones(3), ["a", "b", "c"]), "one real number for each element"),
        (({"a": np.sum}, np.ones(3), {"b": [1, 1, 1]}), "no program named b"),
    ],
)
def test_refused_in_words(arguments, words):
    with pytest.raises((ValueError, TypeError), match=words):
        zs.compare_gradients(*arguments)


def test_a_program_that_records_no_graph_is_refused_and_the_others_are_compared(torch):
    weights = torch.from_numpy(WEIGHTS)

    def written_into(z):
        z[0, 0] = 9
        return (z * weights).sum()

    programs = {
        "written into": written_into,
        "read by NumPy": lambda z: torch.as_tensor(z.numpy().sum()),
        "right": lambda z: (z * weights).sum(),
    }
    report = zs.compare_gradients(programs, torch.tensor(SOURCE, dtype=torch.float64))
    assert list(report.verdicts.values()) == ["refused", "refused", "agree"]
    assert "leaf Variable that requires grad" in report["written into"].error
    assert report["written into"].differences.values[0, 0] == 0


def test_programs_that_take_derivatives_themselves(torch):
    def penalty(z):
        (slope,) = torch.autograd.grad((z**3).sum(), z, create_graph=True)
        return (slope**2).sum()

    def hooked(z):
        z.register_hook(lambda slope: 2 * slope)
        return z.sum()

    class Unfinished(torch.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            return 2 * z

        @staticmethod
        def backward(ctx, slope):
            raise KeyError("to do")

    x = torch.tensor(SOURCE, dtype=torch.float64)
    unfinished = zs.compare_gradients({"f": lambda z: Unfinished.apply(z).sum()}, x)["f"]
    assert (unfinished.verdict, unfinished.error) == ("refused", "KeyError: 'to do'")
    report = zs.compare_gradients({"penalty": penalty, "hooked": hooked}, x)
    assert report.verdicts == {"penalty": "agree", "hooked": "differ"}
    np.testing.assert_allclose(report["penalty"].differences, [[36, 288, 972]], rtol=1e-6)
    with torch.inference_mode():
        assert zs.compare_gradients({"penalty": penalty}, x).verdicts == {"penalty": "agree"}


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1, 1e6])
def test_a_small_loss_is_no_loss_without_dependence(torch, scale):
    weights = torch.from_numpy(WEIGHTS)
    x = torch.tensor(SOURCE, dtype=torch.float64)
    programs = {
        "right": lambda z: scale * (z * weights).sum(),
        "cut": lambda z: scale * (z.detach() * weights).sum(),
        "partly cut": lambda z: scale * ((z.detach() * weights).sum() + z.sum()),
    }
    found = zs.compare_gradients(programs, x).verdicts
    assert (found["right"], found["cut"]) == ("agree", "cut")
    assert found["partly cut"] == ("unclear" if scale < 1e-9 else "differ")


def test_no_derivative_is_told_from_a_wrong_one(torch):
    x = torch.tensor(SOURCE, dtype=torch.float64)
    programs = {
        "relu": lambda z: (z - 2).relu().sum(),
        "abs": lambda z: (z - 2).abs().sum(),
        "ties": lambda z: (0 * z).max() + torch.maximum(z, 4 - z).sum(),
        "wrong elsewhere": lambda z: (z - 2).relu().sum() + z.detach()[0, 0],
        "curved": lambda z: ((z - 2) ** 2 * 1e3).sum(),
        "steep": lambda z: (1e3 * z).sin().sum(),
    }
    verdicts = zs.compare_gradients(programs, x).verdicts
    assert list(verdicts.values()) == ["kink", "kink", "kink", "differ", "agree", "agree"]


def test_the_error_of_a_program_passes(torch):
    with pytest.raises(RuntimeError, match="expanded size"):
        zs.compare_gradients({"bad": lambda z: z.expand(4, 5).sum()}, torch.ones(1, 3))


def test_to_dict_is_plain():
    told = zs.compare_gradients({"sum": np.sum}, np.ones(2), [1, 1]).to_dict()["sum"]
    assert told["analytic"] == [1, 1]
    assert told["autograd"] is None
    assert told["verdict"] == "agree"


def test_a_difference_that_is_missing_says_why(torch):
    x = torch.tensor(SOURCE, dtype=torch.float64)
    report = zs.compare_gradients({"kept": torch.sum, "cut": lambda z: z.detach().sum()}, x)
    assert "not compared: only differences" in str(report)
    zs.use("zh")
    assert "未比较：只有差分" in str(report)
    zs.use("en")
    alone = str(zs.compare_gradients({"f": np.sum}, np.array(SOURCE)))
    assert "nothing to compare with" in alone
    assert "largest difference" not in alone


def test_no_difference_is_written_as_0():
    still = np.zeros((1, 3))
    report = zs.compare_gradients({"f": lambda z: float((z * 0).sum())}, still, analytic=still)
    assert report["f"].largest_difference == 0
    assert "0.0e+00" not in str(report)
