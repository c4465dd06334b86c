"""Central differences against derivatives known in closed form, and what they refuse to guess."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import zerostride as zs
from zerostride.gradients.losses import default_step

WEIGHTS = np.arange(1.0, 13.0).reshape(4, 3)
SOURCE = np.array([[1.0, 2.0, 3.0]])


def expanded(z):
    return (np.broadcast_to(z, (4, 3)) * WEIGHTS).sum()


def weighted(z):
    return (z * WEIGHTS).sum()


def noted(report):
    return {name for name, _ in report.remarks}


@pytest.mark.parametrize("make", [lambda z: np.broadcast_to(z, (4, 3)), lambda z: np.tile(z, (4, 1))])
def test_view_and_copy_have_one_derivative(make):
    found = zs.finite_difference(lambda z: (make(z) * WEIGHTS).sum(), SOURCE)
    assert np.allclose(found.values, [[22, 26, 30]], rtol=1e-8, atol=1e-8)
    assert np.asarray(found).shape == found.values.shape == (1, 3)
    assert found.step == 1e-5
    assert found.notes == ()


def test_mean_divides_by_twelve():
    found = zs.finite_difference(lambda z: (np.broadcast_to(z, (4, 3)) * WEIGHTS).mean(), SOURCE)
    assert np.allclose(found, [[11 / 6, 13 / 6, 5 / 2]], rtol=1e-8)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 4), st.integers(1, 4), st.sampled_from(["float16", "float32", "float64"]))
def test_a_weighted_square_of_any_shape_and_precision(data, rows, cols, dtype):
    whole = st.integers(-8, 8)
    weights = data.draw(arrays(np.int64, (rows, cols), elements=whole))
    x = data.draw(arrays(np.int64, (cols,), elements=whole)).astype(dtype)
    found = zs.finite_difference(lambda z: float((np.broadcast_to(z, (rows, cols)) ** 2 * weights).sum()), x)
    assert found.dtype == "float64"
    assert np.allclose(found, 2 * x.astype(float) * weights.sum(axis=0), rtol=1e-7, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "float32", ">f4", "float64", "longdouble"])
@pytest.mark.parametrize("value", [0.5, -2.0, 1000.0])
def test_a_curved_program_in_every_precision(value, dtype):
    x = np.array([value], dtype)
    found = zs.finite_difference(lambda z: (z**3).sum(), x)
    assert found.values.dtype == np.float64
    assert np.allclose(found, 3 * value**2, rtol=1e-7)
    assert ("lifted" in noted(found)) == (x.dtype.name != "float64")


def test_a_step_that_is_given_is_used_as_it_is():
    seen = []
    zs.finite_difference(lambda z: seen.append(z[0]) or z[0], np.array([1.0]), step=0.25)
    assert seen == [1.0, 1.0, 0.75, 1.25]
    found = zs.finite_difference(lambda z: z[0] ** 3, np.array([1.0]), step=0.5)
    assert found.step == 0.5
    assert found.values == [3.25]


def test_a_step_that_is_given_stays_in_the_dtype_and_says_how_far_rounding_moves_it():
    small, weights = SOURCE.astype("f4"), WEIGHTS.astype("f4")

    def loss(z):
        return (np.broadcast_to(z, (4, 3)) * weights).sum()

    lies = zs.finite_difference(loss, small, step=1e-5)
    assert lies.dtype == "float32"
    assert 0.5 < abs(lies.values[0, 0] - 22) < lies.rounding
    assert noted(lies) == {"step_given", "grain"}
    assert zs.finite_difference(loss, small, step=2.0**-7).values.tolist() == [[22, 26, 30]]
    assert np.allclose(zs.finite_difference(lambda z: float(loss(z)), small), [[22, 26, 30]], rtol=1e-8)


def test_a_loss_of_low_precision_gets_a_larger_step():
    found = zs.finite_difference(lambda z: expanded(z.astype("f4")).astype("f4"), SOURCE)
    assert found.step == default_step(2.0**-23) > 1e-3
    assert np.allclose(found, [[22, 26, 30]], rtol=1e-3)
    assert "coarse_loss" in noted(found)


def test_float32_inside_a_program_is_noticed():
    def lowered(z):
        return float((z.astype("f4") / np.float32(3)).sum())

    x = np.array([0.9, 2.7])
    found = zs.finite_difference(lowered, x)
    assert np.allclose(found, 1 / 3, rtol=1e-3)
    assert found.remarks[0] == ("coarse_loss", {"dtype": "float32"})
    assert not np.allclose(zs.finite_difference(lowered, x, step=1e-5), 1 / 3, rtol=1e-3)
    assert zs.finite_difference(lambda z: z.sum() / 3, x).remarks == ()


def test_one_element_or_one_stored_value():
    view = np.broadcast_to(SOURCE, (4, 3))
    element = zs.finite_difference(weighted, view)
    stored = zs.finite_difference(weighted, view, of="stored")
    assert np.allclose(element, WEIGHTS)
    assert np.allclose(stored, np.broadcast_to([22, 26, 30], (4, 3)))
    assert [noted(element), noted(stored)] == [{"of_element"}, {"of_stored"}]
    assert "x[0, 0] *4" in str(stored)
    assert "*4" not in str(element)
    assert np.allclose(zs.finite_difference(weighted, np.tile(SOURCE, (4, 1)), of="stored"), WEIGHTS)


def test_stored_values_of_windows_move_all_their_readers():
    windows = sliding_window_view(np.arange(5.0), 3)
    found = zs.finite_difference(lambda z: z.sum(), windows, of="stored")
    assert np.allclose(found, sliding_window_view([1, 2, 3, 2, 1], 3))
    assert np.allclose(zs.finite_difference(lambda z: z.sum(), windows), 1)
    backwards = zs.finite_difference(weighted, np.broadcast_to(SOURCE, (4, 3))[::-1, ::-1], of="stored")
    assert np.allclose(backwards, np.broadcast_to([22, 26, 30], (4, 3)))


def test_elements_that_share_some_bytes_only():
    x = as_strided(np.zeros(3), (4,), (4,))
    with pytest.raises(ValueError, match="only part of their bytes"):
        zs.finite_difference(np.sum, x, of="stored")
    assert np.allclose(zs.finite_difference(np.sum, x), 1)


def test_nothing_handed_in_is_written_or_handed_on():
    x = SOURCE.copy()
    x.setflags(write=False)
    got = []

    def careless(z):
        got.append(z)
        z *= 0
        return z.sum()

    zs.finite_difference(careless, x)
    assert x.tobytes() == SOURCE.tobytes()
    assert not any(np.shares_memory(z, x) for z in got)


def test_order_and_steps_of_the_source_do_not_matter():
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    weights = np.arange(6.0).reshape(2, 3)
    for each in (x, x[::-1], x[:, ::-1], np.arange(12.0).reshape(2, 6)[:, ::2]):
        assert np.allclose(zs.finite_difference(lambda z: (z * weights).sum(), each), weights)
    assert np.allclose(zs.finite_difference(lambda z: z * 3, np.array(2.0)), 3)
    assert zs.finite_difference(lambda z: z.sum(), np.ones((0, 3))).values.shape == (0, 3)


def test_the_error_of_the_program_passes_and_tells_where_it_ran():
    with pytest.raises(ZeroDivisionError, match="division") as caught:
        zs.finite_difference(lambda z: 1 / 0, SOURCE.astype("f4"))
    assert caught.value.__notes__ == ["(the program was run on a copy of x: shape (1, 3), float32)"]


REFUSED = {
    "integers": (lambda: (np.sum, np.arange(3)), "int64 has no small step"),
    "bool": (lambda: (np.sum, np.ones(3, bool)), "bool has no small step"),
    "complex": (lambda: (np.sum, np.ones(3, complex)), "complex128 has no small step"),
    "objects": (lambda: (np.sum, np.ones(3, object)), "object has no small step"),
    "dates": (lambda: (np.sum, np.zeros(3, "m8[s]")), "has no small step"),
    "a list": (lambda: (np.sum, [1.0]), "hand in a NumPy array"),
    "nothing": (lambda: (np.sum, None), "NoneType"),
    "a layout": (lambda: (np.sum, zs.layout(SOURCE)), "not Layout"),
    "masked": (lambda: (np.sum, np.ma.array([1.0], mask=[True])), "not MaskedArray"),
    "outside": (lambda: (np.sum, as_strided(np.zeros(2), (9,), (8,))), "no memory that could be read"),
    "no program": (lambda: (3.0, SOURCE), "hand in a program, .* not float"),
    "a row": (lambda: (lambda z: z, SOURCE), r"one number, not shape \(1, 3\)"),
    "no answer": (lambda: (lambda z: None, SOURCE), "the loss is a NoneType"),
    "a count": (lambda: (lambda z: (z > 0).sum(), SOURCE), "the loss is a int64"),
    "a truth": (lambda: (lambda z: True, SOURCE), "the loss is a bool"),
    "a complex loss": (lambda: (lambda z: z.sum() * 1j, SOURCE), "the loss is a complex128"),
    "NaN": (lambda: (np.sum, np.array([1, np.nan])), r"the loss is nan, and x holds x\[1\] = nan"),
    "infinity": (lambda: (lambda z: np.inf, SOURCE), "the loss is inf at x itself"),
    "chance": (lambda: (lambda z: np.random.default_rng().random(), SOURCE), "another number each time"),
    "too many": (lambda: (np.sum, np.broadcast_to(1.0, (10**9, 10**9))), "Hand in a slice"),
    "many": (lambda: (np.sum, np.ones(5000)), "Hand in a slice"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(name):
    make, words = REFUSED[name]
    with pytest.raises((ValueError, TypeError), match=words):
        zs.finite_difference(*make())
    zs.use("zh")
    with pytest.raises((ValueError, TypeError), match=r"[一-鿿]"):
        zs.finite_difference(*make())


@pytest.mark.parametrize("step", [0, -1e-5, float("nan"), float("inf"), "1", True])
def test_a_step_that_is_none(step):
    with pytest.raises(ValueError, match="above 0"):
        zs.finite_difference(np.sum, SOURCE, step)


def test_a_step_that_vanishes_is_no_zero():
    with pytest.raises(ValueError, match=r"1e-09 vanishes beside x\[0, 0\] = 1.0 in float32"):
        zs.finite_difference(np.sum, SOURCE.astype("f4"), step=1e-9)
    with pytest.raises(ValueError, match=r"not 'both'"):
        zs.finite_difference(np.sum, SOURCE, of="both")


def test_too_many_stored_values_are_seen_before_anything_is_made():
    with pytest.raises(ValueError, match="Hand in a slice"):
        zs.finite_difference(np.sum, np.broadcast_to(SOURCE, (10**9, 3)), of="stored")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_where_a_loss_is_not_finite_there_is_no_number():
    found = zs.finite_difference(lambda z: np.sqrt(z).sum(), np.array([0.0, 4.0]))
    assert np.isnan(found.values[0])
    assert np.isclose(found.values[1], 0.25)
    assert found.notes == ("No finite loss beside x[0]: no difference there.",)
    beside = zs.finite_difference(np.nansum, np.array([np.nan, 4.0]))
    assert np.isnan(beside.values).tolist() == [True, False] or np.allclose(beside.values, [0, 1])


def test_the_table_shows_both_losses_and_of_many_rows_the_first():
    text = str(zs.finite_difference(expanded, SOURCE, step=0.5))
    assert "x[0, 1]  2      0.5     151         177         26" in text
    many = str(zs.finite_difference(np.sum, np.ones(40)))
    assert many.count("x[") == 12
    assert "and 28 more" in many


def test_to_dict():
    told = zs.finite_difference(weighted, np.broadcast_to(SOURCE, (4, 3))).to_dict()
    assert told["of"] == "element"
    assert told["notes"] == ["of_element"]
    assert np.allclose(told["values"], WEIGHTS)


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "float8_e4m3fn"])
def test_tensors_get_no_graph(torch, dtype):
    x = torch.tensor([[1.0, 2.0, 3.0]]).to(getattr(torch, dtype)).requires_grad_()
    weights = torch.from_numpy(WEIGHTS)
    found = zs.finite_difference(lambda z: (z.expand(4, 3) * weights).sum(), x)
    assert np.allclose(found, [[22, 26, 30]])
    assert x.grad is None
    assert x.requires_grad
    assert ("lifted" in noted(found)) == (dtype != "float64")


def test_the_report_is_an_array_for_both_libraries(torch):
    found = zs.finite_difference(lambda z: (z * 3).sum(), torch.ones(2, 3))
    assert torch.allclose(torch.as_tensor(found.values), torch.full((2, 3), 3.0, dtype=torch.float64))
    assert np.asarray(found, np.float32).dtype == np.float32


def test_views_of_tensors(torch):
    weights = torch.from_numpy(WEIGHTS)
    view = torch.from_numpy(SOURCE).expand(4, 3)
    assert np.allclose(zs.finite_difference(lambda z: (z * weights).sum(), view), WEIGHTS)
    stored = zs.finite_difference(lambda z: (z * weights).sum(), view, of="stored")
    assert np.allclose(stored, np.broadcast_to([22, 26, 30], (4, 3)))
    turned = torch.arange(6.0).reshape(2, 3).T
    assert np.allclose(zs.finite_difference(lambda z: (z**2).sum(), turned), 2 * turned)


def test_a_layer_that_runs_in_its_own_dtype_only(torch):
    layer = torch.nn.Linear(3, 1)
    found = zs.finite_difference(lambda z: layer(z).sum(), torch.tensor(SOURCE, dtype=torch.float32))
    assert found.dtype == "float32"
    assert "own_dtype" in noted(found)
    assert np.allclose(found, layer.weight.detach(), atol=1e-3)
    assert all(each.grad is None for each in layer.parameters())
    with pytest.raises(RuntimeError) as caught:
        zs.finite_difference(lambda z: layer(z).sum(), torch.ones(1, 4))
    assert "shape (1, 4), float32" in caught.value.__notes__[0]


def test_tensors_that_are_refused(torch):
    for x, words in (
        (torch.arange(3), "int64 has no small step"),
        (torch.ones(3, dtype=torch.complex64), "complex64 has no small step"),
        (torch.ones(3, device="meta"), "no memory that could be read"),
        (torch.ones(3).to_sparse(), "sparse"),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            zs.finite_difference(lambda z: z.sum(), x)
    dropout = torch.nn.Dropout(0.5)
    with pytest.raises(ValueError, match="another number each time"):
        zs.finite_difference(lambda z: dropout(z).sum(), torch.rand(100))


@pytest.mark.parametrize("form", [list, np.array, lambda loss: np.array([loss])])
def test_one_number_in_any_number_of_axes(form):
    found = zs.finite_difference(lambda z: form([(z * SOURCE).sum()]), SOURCE)
    np.testing.assert_allclose(found, SOURCE, rtol=1e-9)


def test_where_the_slopes_on_both_sides_differ():
    x = np.array([-1.0, 0.0, 2.0])
    found = zs.finite_difference(lambda z: np.maximum(z, 0).sum(), x)
    assert (found.kinks, noted(found)) == ((1,), {"kink"})
    assert "x[1]" in found.notes[0]
    jump = zs.finite_difference(lambda z: np.where(z > 0, z + 1, z).sum(), x)
    assert jump.kinks == (1,)
    for smooth in (
        lambda z: (1e4 * z**2).sum(),
        lambda z: np.exp(z).sum(),
        lambda z: (1e3 * z).sum() - 3 * z[0],
    ):
        assert zs.finite_difference(smooth, x).kinks == ()
    stored = zs.finite_difference(lambda z: abs(z).sum(), np.broadcast_to(0.0, (4,)), of="stored")
    assert stored.kinks == (0, 1, 2, 3)


def test_an_infinite_number_cannot_move_and_the_others_do():
    found = zs.finite_difference(lambda z: np.minimum(z, 5).sum(), np.array([np.inf, 1.0]))
    np.testing.assert_allclose(found, [np.nan, 1], rtol=1e-9)
    assert noted(found) == {"not_finite"}


def test_round_losses_are_no_sign_of_float32():
    found = zs.finite_difference(lambda z: (z * 1e6).sum(), SOURCE)
    assert (found.step, noted(found)) == (1e-5, set())
