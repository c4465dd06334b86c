"""The forty-two results: the example, any size and dtype, both languages, and a machine without torch."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zerostride as zs
from zerostride import checks
from zerostride.checks import CLAIMS, STATUSES, SUITES, CheckFailed
from zerostride.checks.samples import DTYPES
from zerostride.language import catalogue

SOURCES = sorted(Path(checks.__file__).parent.glob("*.py"))


def found(report, claim, suite):
    return next(result for result in report.results if (result.claim, result.suite) == (claim, suite))


def test_the_example_passes_in_all_suites():
    pytest.importorskip("torch")
    report = checks.run()
    assert [(result.claim, result.suite) for result in report.results] == [
        (claim, suite) for claim in CLAIMS for suite in SUITES
    ]
    assert report.counts == {"passed": 42, "failed": 0, "not_run": 0, "not_applicable": 0}
    assert report.passed


@pytest.mark.parametrize(
    ("claim", "suite", "words"),
    [
        ("row_stride_is_zero", "numpy", "strides (0, 8) bytes = (0, 1) elements"),
        ("row_stride_is_zero", "torch", "strides (0, 8) bytes = (0, 1) elements"),
        ("row_stride_is_zero", "autograd", "gradient at the view (4, 3), strides (3, 1) elements"),
        ("view_shares_storage", "autograd", "recorded as a view of the source: yes"),
        ("tile_has_own_storage", "autograd", "96 bytes of its own"),
        ("view_is_read_only", "numpy", "flags.writeable is False; a write raises ValueError"),
        ("view_is_read_only", "torch", "changes 4 of 4 rows; whole-view arithmetic raises RuntimeError"),
        ("view_is_read_only", "autograd", "a write into the view of a leaf raises RuntimeError"),
        (
            "source_write_reaches_every_row",
            "numpy",
            "1 becomes 9: 4 of 4 rows of the view see it, 0 of tiled",
        ),
        ("source_write_reaches_every_row", "autograd", "RuntimeError through the view; (44, 104, 180)"),
        ("copied_write_stays_local", "torch", "there 1, in the view 0, in the source 0"),
        ("copied_write_stays_local", "autograd", "(21, 26, 30)"),
        ("logical_bytes_exceed_stored_bytes", "numpy", "view: 96 bytes logical, 24 stored; tiled: 96 and 96"),
        (
            "logical_bytes_exceed_stored_bytes",
            "autograd",
            "view**2: 96 bytes logical, 24 stored; tiled**2: 96 and 96",
        ),
        ("dense_result_has_own_storage", "numpy", "96 of 96 bytes are its own"),
        ("dense_result_has_own_storage", "autograd", "gradient at the view (4, 3): 96 bytes of its own"),
        ("size_two_axis_cannot_expand", "numpy", "(2, 3) to (4, 3) raises ValueError"),
        ("size_two_axis_cannot_expand", "torch", "(2, 3) to (4, 3) raises RuntimeError"),
        ("size_two_axis_cannot_expand", "autograd", "0 tensors saved"),
        ("column_sums_are_22_26_30", "numpy", "(22, 26, 30)"),
        ("view_gradient_matches_column_sums", "torch", "differences in float64 (22, 26, 30)"),
        ("copy_gradient_matches_column_sums", "autograd", "gradcheck yes"),
    ],
)
def test_the_evidence_is_what_the_design_tables(claim, suite, words):
    if suite != "numpy":
        pytest.importorskip("torch")
    assert words in found(checks.run(suites=[suite]), claim, suite).words


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 7), st.integers(0, 7), st.sampled_from(DTYPES))
def test_nothing_fails_and_whatever_does_not_apply_says_why(rows, cols, dtype):
    report = checks.run(rows, cols, dtype)
    for language in ("en", "zh"):
        zs.use(language)
        assert [result.words for result in report.results if result.status == "failed"] == []
        for result in report.results:
            assert len(result.words) > 5
            result.words.encode("gbk")
            assert ("reason" in result.evidence) == (result.status != "passed")
    zs.use("en")


@pytest.mark.parametrize(
    ("rows", "cols", "dtype"), [(40, 50, "float64"), (300, 2, "float16"), (300, 2, "bfloat16")]
)
def test_larger_sizes_hold(rows, cols, dtype):
    pytest.importorskip("torch")
    report = checks.run(rows, cols, dtype)
    assert report.passed
    assert report.counts["passed"] >= 28


def status(rows, cols, dtype, claim, suite):
    return found(checks.run(rows, cols, dtype, [suite]), claim, suite)


@pytest.mark.parametrize("suite", SUITES)
def test_one_row_says_nothing_about_a_stride_and_much_about_storage(suite):
    if suite != "numpy":
        pytest.importorskip("torch")
    silent = {"row_stride_is_zero", "logical_bytes_exceed_stored_bytes"}
    silent |= {"view_is_read_only"} if suite == "torch" else set()
    for result in checks.run(1, 3, suites=[suite]).results:
        reason = result.evidence.get("reason")
        assert (result.status, reason) == (
            ("not_applicable", "one_row") if result.claim in silent else ("passed", None)
        )


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize(("rows", "cols"), [(0, 3), (4, 0), (0, 0)])
def test_without_elements_only_shapes_flags_and_refusals_speak(rows, cols, suite):
    if suite != "numpy":
        pytest.importorskip("torch")
    speak = {"shapes_match", "size_two_axis_cannot_expand"}
    speak |= {"view_is_read_only"} if suite == "numpy" else set()
    for result in checks.run(rows, cols, suites=[suite]).results:
        assert (result.status == "passed") == (result.claim in speak), result
        assert result.evidence.get("reason") == (None if result.claim in speak else "no_elements")


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "complex64"])
@pytest.mark.parametrize("suite", SUITES)
def test_no_derivative_of_integers_bool_and_complex(suite, dtype):
    if suite != "numpy":
        pytest.importorskip("torch")
    for claim in CLAIMS[-2:]:
        result = status(4, 3, dtype, claim, suite)
        assert result.status == "not_applicable"
        assert dtype in result.words
        if suite != "autograd" or dtype == "complex64":
            assert result.evidence["reason"] == (
                "complex_derivative" if dtype == "complex64" else "no_small_step"
            )


@pytest.mark.parametrize(
    ("rows", "cols", "claim"),
    [
        (30, 30, "values_match"),
        (700, 2, "source_write_reaches_every_row"),
        (1500, 1, "column_sums_are_22_26_30"),
    ],
)
def test_what_leaves_the_range_of_float16_does_not_apply(rows, cols, claim):
    pytest.importorskip("torch")
    result = status(rows, cols, "float16", claim, "autograd")
    assert (result.status, result.evidence.get("reason")) == ("not_applicable", "overflow")


def test_what_a_library_lacks_does_not_apply():
    assert {result.status for result in checks.run(dtype="bfloat16", suites=["numpy"]).results} == {
        "not_applicable"
    }
    pytest.importorskip("torch")
    lacking = status(4, 3, "uint16", "dense_result_has_own_storage", "torch")
    assert lacking.status == "not_applicable"
    assert "not implemented for 'UInt16'" in lacking.words


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_written_value_differs_in_every_dtype(dtype):
    pytest.importorskip("torch")
    for suite in SUITES[:2]:
        if (suite, dtype) != ("numpy", "bfloat16"):
            evidence = status(4, 3, dtype, "source_write_reaches_every_row", suite).evidence
            assert evidence["old"] != evidence["new"]
            assert (evidence["view_rows"], evidence["tiled_rows"]) == (4, 0)


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 9])
def test_claim_11_never_aims_at_two(rows):
    pytest.importorskip("torch")
    for suite in SUITES:
        result = status(rows, 3, "float64", "size_two_axis_cannot_expand", suite)
        assert result.evidence["target"] in ("(3, 3)", "(9, 3)")


def test_low_precision_is_differenced_in_float64_and_says_so():
    words = status(4, 3, "float16", "view_gradient_matches_column_sums", "numpy").words
    assert words == "source float16, differences in float64 (22, 26, 30), column sums (22, 26, 30)"


def test_expected_sums_come_from_the_weights_handed_in():
    weights = np.array([[1.0, 10.0], [2.0, 20.0]])
    assert checks.column_sums_are_22_26_30(weights, [3.0, 30.0] @ np.eye(2)).status == "passed"
    with pytest.raises(CheckFailed):
        checks.column_sums_are_22_26_30(weights, np.array([22.0, 26.0]))
    hundreds = np.full((4, 1), 100, np.int8)
    assert checks.column_sums_are_22_26_30(hundreds, hundreds.sum(axis=0)).status == "passed"
    with pytest.raises(CheckFailed, match=r"\(-112,\) in int8, \(400,\) wanted"):
        checks.column_sums_are_22_26_30(hundreds, hundreds.sum(axis=0, dtype=np.int8))


def test_a_source_that_is_a_slice_of_more_is_judged_by_its_own_bytes():
    pytest.importorskip("torch")
    import torch

    for big in (np.arange(30.0).reshape(10, 3), torch.arange(30.0).reshape(10, 3)):
        source = big[4:5]
        view = np.broadcast_to(source, (4, 3)) if isinstance(big, np.ndarray) else source.expand(4, 3)
        tiled = np.tile(source, (4, 1)) if isinstance(big, np.ndarray) else source.repeat(4, 1)
        assert checks.logical_bytes_exceed_stored_bytes(source, view, tiled).status == "passed"
        assert checks.source_write_reaches_every_row(source, view, tiled).status == "passed"
        assert checks.view_shares_storage(source, view).status == "passed"
        with pytest.raises(CheckFailed):
            checks.view_shares_storage(big[5:6], view)


def test_nan_is_equal_to_itself_and_seen_when_overwritten():
    source = np.array([[np.nan, 1.0]])
    view, tiled = np.broadcast_to(source, (4, 2)), np.tile(source, (4, 1))
    assert checks.values_match(source, view, tiled).status == "passed"
    assert checks.source_write_reaches_every_row(source, view, tiled).evidence["view_rows"] == 4


def test_infinite_sums_are_equal_to_themselves_alone():
    weights = np.arange(1.0, 13.0).reshape(4, 3)
    weights[0, 0] = np.inf
    assert checks.column_sums_are_22_26_30(weights, weights.sum(axis=0)).status == "passed"
    for wrong in ([5, 26, 30], [-np.inf, 26, 30], [np.nan, 26, 30], [np.inf, 27, 30], [np.inf, 26]):
        with pytest.raises(CheckFailed):
            checks.column_sums_are_22_26_30(weights, np.array(wrong))


@pytest.mark.parametrize("number", [np.inf, np.nan])
def test_what_is_not_finite_has_no_derivative_to_compare(number):
    weights = np.ones((4, 3))
    source = np.array([[1.0, 2.0, number]])
    for row, factors in (
        (np.ones((1, 3)), np.where(weights.cumsum(axis=0) == 2, number, 1)),
        (source, weights),
    ):
        result = checks.view_gradient_matches_column_sums(row, factors, lambda z: np.broadcast_to(z, (4, 3)))
        assert (result.status, result.evidence["reason"]) == ("not_applicable", "not_finite")
    torch = pytest.importorskip("torch")
    leaf = torch.from_numpy(source).requires_grad_()
    result = checks.values_match(leaf, leaf.expand(4, 3), leaf.repeat(4, 1))
    assert result.evidence["reason"] == "not_finite"
    leaf, factors = torch.ones(1, 3, requires_grad=True), torch.full((4, 3), number)
    result = checks.values_match(leaf, leaf.expand(4, 3), leaf.repeat(4, 1), factors)
    assert result.evidence["reason"] == "not_finite"


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_matrices_and_masked_arrays_are_judged_by_all_their_numbers():
    matrix = np.matrix([[1.0, 2.0, 3.0]])
    view, tiled = np.broadcast_to(matrix, (4, 3)), np.tile(matrix, (4, 1))
    assert checks.values_match(matrix, view, tiled).evidence == {"equal": 12, "elements": 12}
    weights = np.matrix(np.arange(1.0, 13.0).reshape(4, 3))
    assert checks.column_sums_are_22_26_30(weights, weights.sum(axis=0)).evidence["sums"] == "(22, 26, 30)"
    masked = np.ma.array([[1.0, 2.0, 3.0]], mask=[[0, 1, 0]])
    view, tiled = np.broadcast_to(masked, (4, 3)), np.tile(masked.data, (4, 1))
    assert checks.values_match(masked, view, tiled).evidence == {"equal": 12, "elements": 12}
    evidence = checks.source_write_reaches_every_row(masked, view, tiled).evidence
    assert (evidence["view_rows"], evidence["tiled_rows"]) == (4, 0)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_write_that_shows_in_the_source_is_counted_there(library):
    big = np.arange(12.0).reshape(4, 3)
    if library == "torch":
        big = pytest.importorskip("torch").from_numpy(big)
    source = big[:1]
    view = np.broadcast_to(source, (4, 3)) if library == "numpy" else source.expand(4, 3)
    with pytest.raises(CheckFailed) as caught:
        checks.copied_write_stays_local(source, view, big)
    found = caught.value.result.evidence
    assert (found["edited_cells"], found["view_cells"], found["source_cells"]) == (1, 4, 1)


def test_a_view_that_reads_more_than_the_source_says_which_bytes():
    big = np.arange(12.0).reshape(4, 3)
    with pytest.raises(CheckFailed, match="reads bytes 0-95, but the source has only 24-47"):
        checks.view_shares_storage(big[1:2], big)


@pytest.mark.parametrize(
    "claim", ["shapes_match", "values_match", "source_write_reaches_every_row", "copied_write_stays_local"]
)
@pytest.mark.parametrize("how", ["backward", "edit"])
def test_a_graph_that_is_used_up_says_so(claim, how):
    torch = pytest.importorskip("torch")
    source = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    middle = source * 1
    tiled = (middle * middle / middle.detach().clone()).repeat(4, 1)
    if how == "backward":
        tiled.sum().backward()
    else:
        with torch.no_grad():
            middle.mul_(1)
    result = getattr(checks, claim)(source, source.expand(4, 3), tiled)
    assert (result.status, result.evidence["reason"]) == ("not_applicable", "graph_used")
    zs.use("zh")
    assert "反向传播" in result.words


def test_a_dense_result_whose_graph_is_used_up_says_so():
    torch = pytest.importorskip("torch")
    source = torch.ones(1, 3, requires_grad=True)
    view = source.expand(4, 3)
    dense = view * torch.ones(4, 3)
    dense.sum().backward()
    assert checks.dense_result_has_own_storage(source, dense, view).evidence["reason"] == "graph_used"
    assert checks.tile_has_own_storage(source, dense).status == "passed"


def test_a_gradient_already_accumulated_stays():
    torch = pytest.importorskip("torch")
    source = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    weights = torch.arange(1.0, 13.0).reshape(4, 3)
    (source.expand(4, 3) * weights).sum().backward()
    before = source.grad.clone()
    view = source.expand(4, 3)
    assert checks.column_sums_are_22_26_30(weights, source.grad, source).suite == "autograd"
    assert checks.row_stride_is_zero(view, source, weights).status == "passed"
    with torch.no_grad():
        assert checks.row_stride_is_zero(view, source, weights).status == "passed"
    assert source._version == 0
    assert torch.equal(source.grad, before)


def test_the_clone_may_be_edited_before_or_after():
    torch = pytest.importorskip("torch")
    source = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64, requires_grad=True)
    clone = source.expand(4, 3).clone()
    before = checks.copied_write_stays_local(source, source.expand(4, 3), clone)
    clone[0, 0] = -1.0
    after = checks.copied_write_stays_local(source, source.expand(4, 3), clone)
    assert before.evidence == after.evidence
    assert after.evidence["gradient"] == "(21, 26, 30)"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rows": -1}, "whole numbers from 0, not -1"),
        ({"rows": 2.5}, "whole numbers from 0, not 2.5"),
        ({"cols": True}, "whole numbers from 0, not True"),
        ({"cols": "3"}, "whole numbers from 0, not '3'"),
        ({"rows": 0, "cols": 10**12}, "too many"),
        ({"rows": 10**12, "cols": 0}, "too many"),
        ({"rows": 10**9}, "too many"),
        ({"rows": 500, "cols": 500}, "too many"),
        ({"dtype": "float63"}, "unknown element type float63"),
        ({"suites": ["jax"]}, "unknown suite jax"),
    ],
)
def test_what_cannot_be_run_is_refused_in_both_languages(arguments, words):
    with pytest.raises(ValueError, match=words):
        checks.run(**arguments)
    zs.use("zh")
    with pytest.raises(ValueError, match=r"[一-龥]"):
        checks.run(**arguments)


def test_suites_may_be_one_name_and_keep_their_order():
    assert {result.suite for result in checks.run(suites="numpy").results} == {"numpy"}
    assert [result.suite for result in checks.run(0, 0, suites=["autograd", "numpy"]).results[:2]] == [
        "numpy",
        "autograd",
    ]


def test_wrong_arguments_speak():
    source = np.ones((1, 3))
    with pytest.raises(TypeError, match="hand in a NumPy array or a torch tensor, not list"):
        checks.view_shares_storage([1, 2], source)
    with pytest.raises(ValueError, match="speaks of rows"):
        checks.row_stride_is_zero(np.ones(3))
    assert checks.row_stride_is_zero(np.full((4, 3), None)).evidence["reason"] == "no_numbers"
    torch = pytest.importorskip("torch")
    leaf = torch.ones(1, 3, requires_grad=True)
    with pytest.raises(TypeError, match="not both"):
        checks.view_shares_storage(source, leaf)
    with pytest.raises(TypeError, match="needs source= too"):
        checks.row_stride_is_zero(leaf.expand(4, 3))
    with pytest.raises(TypeError, match="needs view= too"):
        checks.dense_result_has_own_storage(leaf, leaf + 1)
    with pytest.raises(ValueError, match="one weight for each use"):
        checks.row_stride_is_zero(leaf.expand(4, 3), leaf, torch.ones(3, 4))
    tall = torch.arange(4.0, requires_grad=True).reshape(4, 1)
    with pytest.raises(CheckFailed, match="do not belong together"):
        checks.source_write_reaches_every_row(tall, tall.expand(4, 3), tall.repeat(1, 3))
    meta = torch.ones(1, 3, device="meta")
    assert checks.view_shares_storage(meta, meta.expand(4, 3)).evidence["reason"] == "no_storage"


def programs_that_are_none(library):
    other = np.ones((4, 3)) if library == "torch" else [[1.0]]
    return None, 3, lambda z: None, lambda z: [z], lambda z: other


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("library", ["numpy", "torch", "autograd"])
def test_what_is_no_program_is_refused_in_words(library, language):
    source, weights = np.ones((1, 3)), np.ones((4, 3))
    if library != "numpy":
        torch = pytest.importorskip("torch")
        source = torch.from_numpy(source).requires_grad_(library == "autograd")
        weights = torch.from_numpy(weights)
    zs.use(language)
    words = {"en": "make= is a function that returns a (numpy|torch)", "zh": "返回(numpy|torch).*的函数"}
    for make in programs_that_are_none("numpy" if library == "numpy" else "torch"):
        for claim in CLAIMS[-2:]:
            with pytest.raises(TypeError, match=words[language]):
                getattr(checks, claim)(source, weights, make)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("shape", [4, None, "ab", (4.5, 3), (4, -1), (10**30, 3)])
def test_what_is_no_shape_is_refused_in_words(shape, language):
    zs.use(language)
    words = {"en": "sequence of whole numbers", "zh": "一列不小于0的整数"}
    with pytest.raises((TypeError, ValueError), match=words[language]):
        checks.size_two_axis_cannot_expand(np.ones((2, 3)), shape)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_missing_is_named(language):
    zs.use(language)
    words = {"en": "hand in an array or a tensor as ", "zh": "请把数组或张量传给"}
    for arrays, name in (((np.ones((1, 3)), None, None), "view="), ((None, None, None), "source=")):
        with pytest.raises(TypeError, match=words[language] + name):
            checks.shapes_match(*arrays)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_tensors_that_hide_their_bytes_are_refused_in_words(language):
    torch = pytest.importorskip("torch")
    zs.use(language)
    words = {"en": "hand in a plain tensor", "zh": "请传入普通张量"}
    asked = []

    def ask(x):
        with pytest.raises(TypeError, match=words[language]):
            checks.view_shares_storage(x, x)
        asked.append(x)
        return x.sum() if not x.is_nested else None

    torch.vmap(ask)(torch.ones(2, 1, 3))
    torch.func.grad(ask)(torch.ones(1, 3))
    ask(torch.nested.nested_tensor([torch.ones(3), torch.ones(3)]))
    assert len(asked) == 3


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_quantized_elements_are_no_numbers_and_half_precision_complex_ones_are():
    torch = pytest.importorskip("torch")
    codes = torch.quantize_per_tensor(torch.ones(1, 3), 0.1, 0, torch.quint8)
    for view in (codes, codes.expand(4, 3)):
        assert checks.values_match(codes, view, view).evidence["reason"] == "no_numbers"
    half = torch.ones(1, 3, dtype=torch.complex32)
    assert checks.values_match(half, half.expand(4, 3), half.repeat(4, 1)).status == "passed"


def test_work_is_bounded_before_anything_is_copied():
    source = np.ones((1, 1 << 10))
    huge = np.broadcast_to(source, (1 << 20, 1 << 10))
    with pytest.raises(ValueError, match="bytes would be copied"):
        checks.source_write_reaches_every_row(source, huge, source)
    with pytest.raises(ValueError, match="central differences"):
        checks.view_gradient_matches_column_sums(
            source, np.ones((8, 1 << 10)), lambda z: np.broadcast_to(z, (8, 1 << 10))
        )


def test_a_report_is_a_table_and_plain_data():
    report = checks.run(suites=["numpy"])
    table = report.table()
    assert table.header == ("no.", "claim", "suite", "status", "evidence")
    assert len(table.rows) == 14
    assert "14 results: 14 passed, 0 failed, 0 not run, 0 not applicable" in str(report)
    for row in table.rows:
        assert all(cell in report._repr_html_() or "'" in cell for cell in row)
    data = json.loads(json.dumps(report.to_dict()))
    assert data["passed"] is True
    assert data["results"][2]["evidence"] == {"strides_bytes": "(0, 8)", "strides_elements": "(0, 1)"}
    english = report.to_dict()
    zs.use("zh")
    assert report.to_dict() == english
    assert "步长(0, 8)字节 = (0, 1)元素" in str(report)
    str(report).encode("gbk")
    assert report.results[0].table().header[1] == "论断"
    assert len(report.results[0].table().rows) == 1


def test_a_failed_result_makes_the_report_fail():
    numpy_only = checks.run(suites=["numpy"])
    with pytest.raises(CheckFailed) as caught:
        checks.row_stride_is_zero(np.ones((4, 3)))
    report = checks.RunReport(4, 3, "float64", (*numpy_only.results, caught.value.result))
    assert not report.passed
    assert report.counts == {"passed": 14, "failed": 1, "not_run": 0, "not_applicable": 0}


def test_a_failure_speaks_the_language_in_use():
    zs.use("zh")
    with pytest.raises(CheckFailed) as caught:
        checks.row_stride_is_zero(np.ones((4, 3)))
    assert str(caught.value) == (
        "row_stride_is_zero（numpy）未通过：步长(24, 8)字节 = (3, 1)元素。论断是：行号变化时地址不动。"
    )


def python(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


def test_the_numpy_suite_imports_no_torch():
    code = """
import sys, numpy as np, zerostride as zs
assert zs.checks.run(suites=["numpy"]).passed
source = np.ones((1, 3))
zs.checks.view_shares_storage(source, np.broadcast_to(source, (4, 3)))
print("torch" in sys.modules, "matplotlib" in sys.modules)
"""
    assert python(code).stdout.split() == ["False", "False"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_torch_its_rows_are_not_run(language):
    code = f"""
import sys, zerostride as zs
sys.modules["torch"] = None
zs.use("{language}")
report = zs.checks.run()
print(report.counts == {{"passed": 14, "failed": 0, "not_run": 28, "not_applicable": 0}}, report.passed)
print({{result.status for result in report.results if result.suite != "numpy"}} == {{"not_run"}})
print(all("torch" in result.words for result in report.results if result.status == "not_run"))
"""
    assert python(code).stdout.split() == ["True"] * 4


def test_no_warning_reaches_the_terminal():
    pytest.importorskip("torch")
    code = "import zerostride as zs; [zs.checks.run(4, 3, d) for d in ('float64', 'uint8', 'complex64')]"
    assert python(code).stderr == ""


def test_no_public_name_is_a_submodule():
    modules = {path.stem for path in SOURCES}
    assert modules & set(checks.__all__) == set()
    assert set(CLAIMS) < set(checks.__all__)
    assert all(callable(getattr(checks, claim)) for claim in CLAIMS)


def test_every_word_is_used_and_every_used_word_exists():
    text = "\n".join(path.read_text("utf-8") for path in SOURCES)
    used = set(re.findall(r'"(checks(?:\.\w+)+)"', text))
    used |= {f"checks.found.{name}" for name in re.findall(r'wrong\(\s*"(\w+)"', text)}
    used |= {f"checks.reason.{name}" for name in re.findall(r'NotApplicable\("(\w+)"', text)}
    used |= {f"checks.claim.{claim}" for claim in re.findall(r'judged\("(\w+)"', text)}
    used |= {f"checks.header.{name}" for name in ("number", "claim", "suite", "status", "evidence")}
    assert used == {key for key in catalogue() if key.startswith("checks.")}
    assert {f"report.{each}" for each in STATUSES} < set(catalogue())
