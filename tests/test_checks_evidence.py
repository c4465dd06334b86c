"""What a failing check says it found, and the answers of whole suites that cannot run."""

import sys
import tracemalloc

import numpy as np
import pytest

import zerostride as zs
from test_checks_twins import call
from zerostride.checks import CLAIMS, CheckFailed, array_suite
from zerostride.checks.conditions import need_finite
from zerostride.checks.equality import close
from zerostride.checks.results import wrong
from zerostride.checks.samples import NumpySamples, TorchSamples


def samples(suite="autograd"):
    if suite == "numpy":
        return NumpySamples(4, 3, "float64")
    pytest.importorskip("torch")
    return TorchSamples(4, 3, "float64", requires_grad=suite == "autograd")


def evidence_of(check, **arrays):
    with pytest.raises(CheckFailed) as caught:
        check(**arrays)
    return caught.value.result.evidence


@pytest.mark.parametrize("suite", ["numpy", "torch", "autograd"])
def test_shapes_that_do_not_fit_are_all_named(suite):
    s = samples(suite)
    arrays = {"source": s.source, "view": s.view, "edited": s.edited[:2]}
    found = evidence_of(zs.checks.copied_write_stays_local, **arrays)
    assert found["found"] == "shapes_differ"
    wanted = ["(1, 3)"] * (suite == "autograd") + ["(4, 3)", "(2, 3)"]
    assert [shape for shape in ("(1, 3)", "(4, 3)", "(2, 3)") if shape in found["shapes"]] == wanted


def rows_of_the_source(suite):
    """A source that is the first of four stored rows, a view that shares nothing with them, and the rows."""
    if suite == "numpy":
        rows = np.arange(12.0).reshape(4, 3)
        return {"source": rows[:1], "view": np.tile(rows[:1], (4, 1)), "edited": rows}
    torch = pytest.importorskip("torch")
    leaf = torch.arange(12.0, dtype=torch.float64).reshape(4, 3)[:1].requires_grad_(suite == "autograd")
    return {"source": leaf, "view": leaf.repeat(4, 1), "edited": leaf.as_strided((4, 3), (3, 1))}


@pytest.mark.parametrize("suite", ["numpy", "torch", "autograd"])
def test_an_edit_in_the_bytes_of_the_source_alone_is_not_local(suite):
    found = evidence_of(zs.checks.copied_write_stays_local, **rows_of_the_source(suite))
    if suite == "autograd":
        assert found["found"] == "edit_is_not_local"


def test_a_write_that_runs_is_no_refusal(monkeypatch):
    s = samples()
    monkeypatch.setattr("zerostride.checks.autograd_suite.write_first", lambda x: None)
    assert evidence_of(zs.checks.view_is_read_only, view=s.view)["found"] == "write_ran"


@pytest.mark.parametrize("shared", ["source", "view", "dense", "weights"])
def test_a_gradient_in_the_bytes_of_another_is_not_its_own(monkeypatch, shared):
    """Played by a library whose gradient at the view lies in an array that was handed in."""
    s = samples()
    rows = {"source": s.weights.clone(), "view": s.tiled, "dense": s.tiled * 2, "weights": s.weights}
    rows["source"] = rows["source"][:1].requires_grad_()
    rows["view"] = rows["source"].repeat(4, 1)
    rows["dense"] = rows["view"] * 2
    assert zs.checks.dense_result_has_own_storage(**rows).status == "passed"
    lent = rows[shared].detach().as_strided((4, 3), (3, 1))
    monkeypatch.setattr("zerostride.checks.autograd_suite.gradient", lambda *given: lent)
    assert evidence_of(zs.checks.dense_result_has_own_storage, **rows)["own_bytes"] == 96


def test_a_flag_without_a_refusal_is_not_enough():
    class Silent(np.ndarray):
        def __setitem__(self, *given):
            pass

    view = np.broadcast_to(np.arange(3.0)[None].view(Silent), (4, 3), subok=True)
    assert not view.flags.writeable
    assert evidence_of(zs.checks.view_is_read_only, view=view)["found"] == "writeable"


@pytest.mark.parametrize("rows_cols", [(4, 3), (2, 5)])
def test_the_table_of_a_run_says_on_what_it_ran(rows_cols):
    rows, cols = rows_cols
    report = zs.checks.run(rows=rows, cols=cols, dtype="float32", suites=["numpy"])
    caption = report.table().caption
    assert [str(each) in caption for each in (rows, cols, "float32")] == [True] * 3
    assert "None" not in caption
    first = report.results[0]
    assert repr(first) == str(first)
    assert first.claim in repr(first)


def test_without_torch_its_suites_say_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    report = zs.checks.run(suites=["numpy", "torch", "autograd"])
    assert report.counts == {"passed": 14, "failed": 0, "not_run": 28, "not_applicable": 0}
    assert report.passed
    assert {result.suite for result in report.results if result.status == "not_run"} == {"torch", "autograd"}
    assert {result.evidence["reason"] for result in report.results if result.status == "not_run"} == {
        "no_torch"
    }


def test_a_run_goes_on_where_a_check_fails(monkeypatch):
    monkeypatch.setattr(array_suite, "shapes_match", lambda **given: wrong("shapes_differ", shapes="none"))
    report = zs.checks.run(suites=["numpy"])
    assert [result.claim for result in report.results] == list(CLAIMS)
    assert [result.claim for result in report.results if result.status == "failed"] == ["shapes_match"]
    assert (report.counts["failed"], report.counts["passed"], report.passed) == (1, 13, False)


def test_an_error_of_a_check_is_no_missing_operation(monkeypatch):
    def broken(**given):
        raise RuntimeError("out of paper")

    monkeypatch.setattr(array_suite, "shapes_match", broken)
    with pytest.raises(RuntimeError, match="out of paper"):
        zs.checks.run(suites=["numpy"])


def test_an_operation_that_torch_lacks_does_not_apply(monkeypatch):
    def lacking(**given):
        raise NotImplementedError("\"add\" not implemented for 'Half'\nmore of it")

    monkeypatch.setattr(array_suite, "shapes_match", lacking)
    (result,) = [each for each in zs.checks.run(suites=["numpy"]).results if each.claim == "shapes_match"]
    assert (result.status, result.evidence["error"]) == (
        "not_applicable",
        "\"add\" not implemented for 'Half'",
    )
    assert result.evidence["reason"] == "not_implemented"


@pytest.mark.parametrize("dtype", ["bfloat16", "int64", "bool"])
def test_what_a_library_lacks_does_not_apply(dtype):
    pytest.importorskip("torch")
    report = zs.checks.run(dtype=dtype, suites=["numpy", "autograd"])
    suite = "numpy" if dtype == "bfloat16" else "autograd"
    reason = "not_in_numpy" if dtype == "bfloat16" else "cannot_require_grad"
    told = [result for result in report.results if result.suite == suite]
    assert {(result.status, result.evidence["reason"]) for result in told} == {("not_applicable", reason)}
    assert all(dtype in result.words for result in told)
    assert any(result.status == "passed" for result in report.results if result.suite != suite)


@pytest.mark.parametrize(
    ("found", "expected", "tolerance", "near"),
    [
        ([0.0, 0.0], [0.0, 0.0, 0.0], 9, False),
        ([0.0], [0.0, 0.0], 9, False),
        ([1.0, 2.0], [1.0, 2.5], 0.5, True),
        ([1.0, 2.0], [1.0, 2.5], 0.25, False),
        ([np.nan], [np.nan], 0, True),
        ([np.nan], [1.0], np.inf, False),
        ([-np.inf], [np.inf], np.inf, False),
    ],
)
def test_near_means_as_many_numbers_each_within_the_tolerance(found, expected, tolerance, near):
    assert close(np.array(found), np.array(expected), tolerance) is near


def test_a_path_on_which_nothing_arrives_gives_no_gradient():
    torch = pytest.importorskip("torch")
    from zerostride.checks.backward import gradients

    class Silent(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, gradient):
            return None

    source = torch.ones(1, 3, requires_grad=True)
    middle = source.exp()
    assert gradients(Silent.apply(middle).sum(), [source]) == [None]
    both = Silent.apply(middle).sum() + (middle * 2).sum()
    assert torch.equal(gradients(both, [source])[0], torch.autograd.grad(both, source)[0])


@pytest.mark.parametrize("made", [[1.0, 2.0], "rows", 3.0])
@pytest.mark.parametrize("suite", ["numpy", "torch"])
def test_a_program_that_makes_no_array_is_told_what_it_made(made, suite):
    s = samples(suite)
    with pytest.raises(TypeError, match=type(made).__name__):
        call("view_gradient_matches_column_sums", s, make=lambda z: made)


def test_what_a_comparison_needs_decides_whether_it_is_made(monkeypatch):
    """Five bytes an element are enough to compare, and too few to subtract."""
    source = np.ones((1, 2))
    view, tiled = np.broadcast_to(source, (2**20, 2)), np.tile(source, (2**20, 1))
    monkeypatch.setattr("zerostride.checks.equality.free_bytes", lambda: 5 * view.size)
    tracemalloc.start()
    assert zs.checks.values_match(source, view, tiled).status == "passed"
    assert tracemalloc.get_traced_memory()[1] <= 5 * view.size
    tracemalloc.stop()
    with pytest.raises(MemoryError, match="too many to compare"):
        need_finite(tiled)
    monkeypatch.setattr("zerostride.checks.equality.free_bytes", lambda: 5 * view.size - 1)
    with pytest.raises(MemoryError, match="too many to compare"):
        zs.checks.values_match(source, view, tiled)
