"""Each check is handed the wrong thing and must fail, by its own name and in its own suite."""

import numpy as np
import pytest

import zerostride as zs
from zerostride.checks import CLAIMS, SUITES, CheckFailed
from zerostride.checks.samples import NumpySamples, TorchSamples


def samples_for(suite):
    if suite == "numpy":
        return NumpySamples(4, 3, "float64")
    pytest.importorskip("torch")
    return TorchSamples(4, 3, "float64", requires_grad=suite == "autograd")


def call(claim, samples, **wrong):
    """The right call of a claim, with the named arguments replaced."""
    check = getattr(zs.checks, claim)
    names = check.__code__.co_varnames[: check.__code__.co_argcount]
    return check(**{name: samples.part(name, claim) for name in names} | wrong)


def halved(program):
    return lambda z: program(z * 0.5)


def permuted(x):
    return x[:, [1, 0, 2]]


def flat_rows(x):
    """Rows that share bytes with one another and none with the source."""
    return np.broadcast_to(x.copy(), (4, 3)) if isinstance(x, np.ndarray) else x.clone().expand(4, 3)


def same_numbers_elsewhere(s):
    """A view like the right one, of a copy of the source; a leaf of its own under autograd."""
    if isinstance(s.source, np.ndarray):
        return s.expand(s.source.copy())
    return s.expand(s.source.detach().clone().requires_grad_(s.requires_grad))


def other_numbers(s):
    """The copy with two numbers exchanged between its cells, so that the sum stays."""
    change = np.zeros((4, 3))
    change[0, :2] = 2.0, -1.0
    if isinstance(s.source, np.ndarray):
        return s.tiled + change
    return s.tiled + s.weights.new_tensor(change.tolist())


def read_across(s):
    """A column whose one number is read in every column of its row: stride 0, and not along the rows."""
    column = s.tiled[:, :1]
    if not isinstance(column, np.ndarray):
        column = column.detach().requires_grad_(s.requires_grad)
        return {"source": column, "view": column.expand(4, 3)}
    return {"source": column, "view": np.broadcast_to(column, (4, 3))}


def first_row_alone(s):
    """A source that is the first of four stored rows: a write into it shows in one row of them."""
    if isinstance(s.source, np.ndarray):
        return {"source": s.tiled[:1], "view": s.tiled, "tiled": s.tiled.copy()}
    rows = s.tiled.detach().clone()
    return {"source": rows[:1].requires_grad_(s.requires_grad), "view": rows, "tiled": rows.clone()}


# What is common to all suites: (claim, what it is handed instead).
EVERYWHERE = [
    ("shapes_match", lambda s: {"tiled": s.tiled.T}),
    ("shapes_match", lambda s: {"source": s.source[:, :2]}),
    ("values_match", lambda s: {"tiled": s.tiled * 0.5}),
    ("values_match", lambda s: {"view": s.view * 0.5}),
    ("values_match", lambda s: {"tiled": s.tiled.T}),
    ("values_match", lambda s: {"tiled": other_numbers(s)}),
    ("values_match", lambda s: {"view": s.expand(s.source + 5), "tiled": s.repeat(s.source + 5)}),
    ("row_stride_is_zero", lambda s: {"view": s.tiled}),
    ("row_stride_is_zero", lambda s: {"view": same_numbers_elsewhere(s)}),
    ("row_stride_is_zero", read_across),
    ("view_shares_storage", lambda s: {"view": s.tiled}),
    ("view_shares_storage", lambda s: {"source": s.tiled[:1], "view": s.tiled}),
    ("view_shares_storage", lambda s: {"source": s.tiled[1:2], "view": s.tiled[:2]}),
    ("tile_has_own_storage", lambda s: {"tiled": s.view}),
    ("tile_has_own_storage", lambda s: {"tiled": flat_rows(s.source)}),
    ("tile_has_own_storage", lambda s: {"source": s.tiled[:1]}),
    ("view_is_read_only", lambda s: {"view": s.tiled}),
    ("view_is_read_only", lambda s: {"view": same_numbers_elsewhere(s)}),
    ("source_write_reaches_every_row", lambda s: {"view": s.tiled}),
    ("source_write_reaches_every_row", lambda s: {"tiled": s.view}),
    ("source_write_reaches_every_row", first_row_alone),
    ("copied_write_stays_local", lambda s: {"edited": s.view}),
    ("copied_write_stays_local", lambda s: {"edited": flat_rows(s.source)}),
    ("copied_write_stays_local", lambda s: {"edited": s.edited[:2]}),
    (
        "copied_write_stays_local",
        lambda s: {"source": s.tiled[:1], "view": s.expand(s.tiled[:1]), "edited": s.tiled},
    ),
    (
        "copied_write_stays_local",
        lambda s: {"source": s.tiled[1:2], "view": s.expand(s.tiled[1:2]), "edited": s.tiled},
    ),
    ("logical_bytes_exceed_stored_bytes", lambda s: {"view": s.tiled}),
    ("logical_bytes_exceed_stored_bytes", lambda s: {"tiled": s.view}),
    ("logical_bytes_exceed_stored_bytes", lambda s: {"source": s.two_rows}),
    ("logical_bytes_exceed_stored_bytes", lambda s: {"source": s.tiled, "view": s.tiled}),
    ("logical_bytes_exceed_stored_bytes", lambda s: {"view": same_numbers_elsewhere(s)}),
    ("dense_result_has_own_storage", lambda s: {"dense": s.view}),
    ("dense_result_has_own_storage", lambda s: {"dense": flat_rows(s.source)}),
    ("dense_result_has_own_storage", lambda s: {"source": s.dense[:1]}),
    ("dense_result_has_own_storage", lambda s: {"dense": s.dense[:2]}),
    ("size_two_axis_cannot_expand", lambda s: {"two_rows": s.source}),
    ("size_two_axis_cannot_expand", lambda s: {"two_rows": s.tiled, "shape": (5, 3)}),
    ("size_two_axis_cannot_expand", lambda s: {"shape": (2, 3)}),
    ("column_sums_are_22_26_30", lambda s: {"sums": permuted(s.sums)}),
    ("column_sums_are_22_26_30", lambda s: {"sums": s.sums / 12}),
    ("column_sums_are_22_26_30", lambda s: {"sums": s.sums[:, :2]}),
    ("view_gradient_matches_column_sums", lambda s: {"make": s.repeat}),
    ("view_gradient_matches_column_sums", lambda s: {"make": lambda z: s.expand(z[:, [0]])}),
    ("view_gradient_matches_column_sums", lambda s: {"make": lambda z: s.expand(z)[:, ::2]}),
    ("copy_gradient_matches_column_sums", lambda s: {"make": s.expand}),
    ("copy_gradient_matches_column_sums", lambda s: {"make": halved(s.repeat)}),
    ("copy_gradient_matches_column_sums", lambda s: {"make": lambda z: permuted(s.repeat(z))}),
    ("copy_gradient_matches_column_sums", lambda s: {"make": lambda z: s.repeat(z)[:2]}),
]


def masked(x):
    """The same numbers with the middle column masked: NumPy's own comparisons leave it out."""
    return np.ma.array(x, mask=np.tile([[0, 1, 0]], (4, 1)))


def writable_view(s):
    return np.lib.stride_tricks.as_strided(s.source, (4, 3), (0, 8))


def neighbour(s):
    return s.expand(s.two_rows[1:])


NUMPY = [
    ("view_is_read_only", lambda s: {"view": writable_view(s)}),
    ("view_shares_storage", lambda s: {"source": s.two_rows[:1], "view": neighbour(s)}),
    ("view_gradient_matches_column_sums", lambda s: {"make": lambda z: s.expand(z[:, ::-1])}),
    ("values_match", lambda s: {"tiled": masked(s.tiled * [1, 9, 1])}),
]
TORCH = [
    ("tile_has_own_storage", lambda s: {"source": s.tiled[:2], "tiled": s.tiled[2:]}),
    ("view_is_read_only", lambda s: {"source": s.weights[:, :1], "view": s.weights[:, :1].expand(4, 3)}),
    ("view_shares_storage", lambda s: {"source": s.two_rows[:1], "view": neighbour(s)}),
    ("view_gradient_matches_column_sums", lambda s: {"make": lambda z: s.expand(z[:, :1])}),
]


def edited_elsewhere(s):
    clone = s.view.clone()
    clone[1, 1] = -1.0
    return clone


def other_leaf(s):
    return s.source.detach().clone().requires_grad_()


def wrong_backward():
    import torch

    class Twice(torch.autograd.Function):
        """The numbers of expand with a gradient that is twice too large."""

        @staticmethod
        def forward(ctx, z):
            return z.expand(4, 3)

        @staticmethod
        def backward(ctx, gradient):
            return 2 * gradient.sum(0, keepdim=True)

    return Twice.apply


def narrow_leaf(s):
    """A leaf that is the first row of four, and views of it: all rows, one other row, the other rows."""
    leaf = s.weights.clone()[:1].requires_grad_()
    views = ((4, 3), (3, 1), 0), ((4, 3), (0, 1), 3), ((3, 3), (3, 1), 3)
    return leaf, *(leaf.as_strided(*view) for view in views)


def unrecorded(base):
    import torch

    class Detour(torch.autograd.Function):
        """The bytes of the source and a path to it, but no record of a view."""

        @staticmethod
        def forward(ctx, z):
            if base:
                return torch.from_numpy(z.detach().numpy()).expand(4, 3)
            return torch.empty(0, dtype=z.dtype).set_(z.detach().untyped_storage(), 0, (4, 3), (0, 1))

        @staticmethod
        def backward(ctx, gradient):
            return gradient.sum(0, keepdim=True)

    return Detour.apply


AUTOGRAD = [
    ("shapes_match", lambda s: {"tiled": s.tiled.detach()}),
    ("values_match", lambda s: {"tiled": s.repeat(s.source.detach() * 0.5 + s.source * 0.5)}),
    ("values_match", lambda s: {"view": s.view.detach()}),
    ("values_match", lambda s: {"tiled": s.tiled + 1}),
    ("row_stride_is_zero", lambda s: {"view": s.view.detach()}),
    ("row_stride_is_zero", lambda s: {"view": s.expand(s.source * 0.5)}),
    ("view_shares_storage", lambda s: {"view": s.view.detach()}),
    ("view_shares_storage", lambda s: {"source": other_leaf(s)}),
    ("view_shares_storage", lambda s: dict(zip(("source", "view"), narrow_leaf(s)[:2], strict=True))),
    ("view_shares_storage", lambda s: dict(zip(("source", "view"), narrow_leaf(s)[:3:2], strict=True))),
    ("view_shares_storage", lambda s: {"view": unrecorded(base=True)(s.source)}),
    ("view_shares_storage", lambda s: {"view": unrecorded(base=False)(s.source)}),
    ("tile_has_own_storage", lambda s: {"tiled": s.tiled.detach().clone()}),
    ("tile_has_own_storage", lambda s: {"source": other_leaf(s)}),
    ("tile_has_own_storage", lambda s: dict(zip(("source", "tiled"), narrow_leaf(s)[::3], strict=True))),
    ("view_is_read_only", lambda s: {"view": s.expand(s.source * 1)}),
    ("view_is_read_only", lambda s: {"view": s.expand(s.source * 1), "source": None}),
    ("view_is_read_only", lambda s: {"view": s.view.detach()}),
    ("view_is_read_only", lambda s: {"view": s.view.detach().requires_grad_()}),
    ("source_write_reaches_every_row", lambda s: {"view": s.view.detach()}),
    ("source_write_reaches_every_row", lambda s: {"tiled": s.tiled.detach()}),
    ("source_write_reaches_every_row", lambda s: {"tiled": s.tiled[:2]}),
    ("source_write_reaches_every_row", lambda s: {"tiled": s.repeat(s.source**2)}),
    ("copied_write_stays_local", lambda s: {"edited": s.view.detach().clone()}),
    ("copied_write_stays_local", lambda s: {"edited": edited_elsewhere(s)}),
    ("logical_bytes_exceed_stored_bytes", lambda s: {"view": s.view.detach()}),
    ("dense_result_has_own_storage", lambda s: {"dense": s.dense.detach()}),
    ("dense_result_has_own_storage", lambda s: {"view": s.view.detach()}),
    ("column_sums_are_22_26_30", lambda s: {"sums": s.sums[0]}),
    ("view_gradient_matches_column_sums", lambda s: {"make": lambda z: s.expand(z.detach())}),
    ("view_gradient_matches_column_sums", lambda s: {"make": wrong_backward()}),
    ("copy_gradient_matches_column_sums", lambda s: {"make": lambda z: s.repeat(z.detach())}),
    ("copy_gradient_matches_column_sums", lambda s: {"make": lambda z: wrong_backward()(z).clone()}),
]

TWINS = [(suite, claim, wrong) for suite in SUITES for claim, wrong in EVERYWHERE]
for _suite, _twins in (("numpy", NUMPY), ("torch", TORCH), ("autograd", AUTOGRAD)):
    TWINS += [(_suite, claim, wrong) for claim, wrong in _twins]


@pytest.mark.parametrize(("suite", "claim", "wrong"), TWINS)
def test_the_wrong_thing_fails_this_check(suite, claim, wrong):
    samples = samples_for(suite)
    with pytest.raises(CheckFailed) as caught:
        call(claim, samples, **wrong(samples))
    result = caught.value.result
    assert (result.claim, result.suite, result.status) == (claim, suite, "failed")
    assert str(caught.value).startswith(f"{claim} ({suite}) failed: {result.words}")
    zs.use("zh")
    assert result.words != str(caught.value)
    result.words.encode("gbk")


def repeats_one_row(real):
    """Gradients at the view that are one row, read four times."""

    def gradients(loss, targets):
        at_view = real(loss, targets)[0][:1].expand(4, 3)
        return [at_view, at_view.sum(0, keepdim=True)]

    return gradients


# What no array can bring about is played by a library that behaves otherwise: (claim, name, replacement).
OTHER_LIBRARY = [
    ("values_match", "weighted_loss", lambda real: lambda x, w: real(x, w) + (x.stride(0) == 0)),
    ("row_stride_is_zero", "gradients", repeats_one_row),
    (
        "dense_result_has_own_storage",
        "gradient",
        lambda real: lambda *given: real(*given)[:1].expand(4, 3),
    ),
    ("source_write_reaches_every_row", "edited_before_backward", lambda real: lambda source, *_: source),
    (
        "source_write_reaches_every_row",
        "edited_before_backward",
        lambda real: lambda source, x, weights: real(source, x.clone(), weights),
    ),
    ("copied_write_stays_local", "leads", lambda real: lambda *given: True),
    ("logical_bytes_exceed_stored_bytes", "saved", lambda real: lambda f: [x.clone() for x in real(f)]),
    ("logical_bytes_exceed_stored_bytes", "saved", lambda real: lambda f: real(f)[:0]),
    ("logical_bytes_exceed_stored_bytes", "saved", lambda real: lambda f: real(f) * 2),
    ("size_two_axis_cannot_expand", "saved", lambda real: lambda f: [real(f)]),
    ("view_gradient_matches_column_sums", "gradient", lambda real: lambda *given: real(*given) * 2),
    ("view_gradient_matches_column_sums", "differences_of", lambda real: lambda z, *_: (z * 0, 1e-6)),
]


@pytest.mark.parametrize(("claim", "name", "other"), OTHER_LIBRARY)
def test_a_library_that_behaves_otherwise_fails_this_check(claim, name, other, monkeypatch):
    pytest.importorskip("torch")
    from zerostride.checks import autograd_suite

    monkeypatch.setattr(autograd_suite, name, other(getattr(autograd_suite, name)))
    with pytest.raises(CheckFailed, match=claim):
        call(claim, samples_for("autograd"))


def saves_twice(which):
    """Return what stands for the saved tensors of view**2, tiled**2 or the loss, where one is off."""

    def other(real):
        calls = []

        def saved(program):
            calls.append(program)
            kept = real(program)
            return kept * 2 if len(calls) == which else kept

        return saved

    return other


@pytest.mark.parametrize("which", [1, 2, 3])
def test_each_of_the_three_saved_amounts_is_asked(which, monkeypatch):
    test_a_library_that_behaves_otherwise_fails_this_check(
        "logical_bytes_exceed_stored_bytes", "saved", saves_twice(which), monkeypatch
    )


def test_gradcheck_alone_can_fail_a_check(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.autograd, "gradcheck", lambda *given, **options: False)
    with pytest.raises(CheckFailed, match="gradcheck no"):
        call("copy_gradient_matches_column_sums", samples_for("autograd"))


@pytest.mark.parametrize(
    ("suite", "claim", "module"),
    [
        ("torch", "view_is_read_only", "torch_suite"),
        ("autograd", "view_is_read_only", "autograd_suite"),
        ("autograd", "source_write_reaches_every_row", "graph"),
    ],
)
def test_an_error_of_another_kind_is_no_evidence(suite, claim, module, monkeypatch):
    samples = samples_for(suite)

    def broken(x):
        raise RuntimeError("out of paper")

    monkeypatch.setattr(f"zerostride.checks.{module}.write_first", broken)
    with pytest.raises(RuntimeError, match="out of paper"):
        call(claim, samples)


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("claim", CLAIMS)
def test_no_check_lacks_a_twin_and_the_right_thing_passes(claim, suite):
    assert [wrong for its_suite, its_claim, wrong in TWINS if (its_suite, its_claim) == (suite, claim)]
    assert call(claim, samples_for(suite)).status == "passed"


@pytest.mark.parametrize(("suite", "claim", "wrong"), TWINS)
def test_a_failing_check_leaves_every_byte(suite, claim, wrong):
    samples = samples_for(suite)
    given = wrong(samples)
    arrays = [samples.source, samples.view, samples.tiled, samples.edited, samples.dense]
    arrays += [x for x in given.values() if hasattr(x, "dtype")]
    before = [fingerprint(x) for x in arrays]
    with pytest.raises(CheckFailed):
        call(claim, samples, **given)
    assert [fingerprint(x) for x in arrays] == before


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "bfloat16", "float64", "complex64"])
def test_a_passing_check_leaves_every_byte(suite, dtype):
    if (suite, dtype) in [("numpy", "bfloat16"), ("autograd", "bool"), ("autograd", "uint8")]:
        return
    samples = samples_for(suite)
    samples.dtype = dtype
    names = ("source", "view", "tiled", "weights", "edited", "dense", "two_rows", "sums")
    before = [fingerprint(getattr(samples, name)) for name in names]
    for claim in CLAIMS:
        assert call(claim, samples).status in ("passed", "not_applicable")
    assert [fingerprint(getattr(samples, name)) for name in names] == before


def fingerprint(x):
    """Bytes, layout, and for a tensor its version, gradient, retained or not, and graph."""
    if isinstance(x, np.ndarray):
        return x.tobytes(), x.strides, x.flags.writeable
    storage = bytes(x.detach().untyped_storage().tolist())
    grad = x.grad.tolist() if (x.is_leaf or x.retains_grad) and x.grad is not None else None
    return storage, x.stride(), x._version, grad, x.grad_fn, x.requires_grad


HANDED_IN = ("source", "view", "tiled", "edited", "dense", "two_rows")


@pytest.mark.parametrize("claim", CLAIMS)
def test_no_hook_runs_and_no_retained_gradient_appears(claim):
    pytest.importorskip("torch")
    samples, ran = samples_for("autograd"), []
    for x in (getattr(samples, name) for name in HANDED_IN):
        x.retain_grad()
        x.register_hook(ran.append)
        if x.grad_fn is not None:
            x.grad_fn.register_hook(lambda *given: ran.append(given))
    before = [fingerprint(getattr(samples, name)) for name in HANDED_IN]
    assert call(claim, samples).status == "passed"
    assert [fingerprint(getattr(samples, name)) for name in HANDED_IN] == before
    assert ran == []
    (samples.view.sum() + samples.tiled.sum()).backward()
    assert len(ran) > 2
    assert [fingerprint(getattr(samples, name)) for name in HANDED_IN] != before


def test_the_fingerprint_sees_a_write():
    torch = pytest.importorskip("torch")
    for x in (np.zeros((2, 2)), torch.zeros(2, 2)):
        before = fingerprint(x)
        x[0, 0] = 1
        assert fingerprint(x) != before
