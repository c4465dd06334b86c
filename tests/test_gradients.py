"""Column sums and central differences against derivatives known in closed form."""

import numpy as np
import pytest

import zerostride as zs
from zerostride.gradients import column_sums, finite_difference, in_float64, numbers, rounding

WEIGHTS = np.arange(1.0, 13.0).reshape(4, 3)
SOURCE = np.array([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize("make", [lambda z: np.broadcast_to(z, (4, 3)), lambda z: np.tile(z, (4, 1))])
def test_view_and_copy_have_one_derivative(make):
    found = finite_difference(lambda z: (make(z) * WEIGHTS).sum(), SOURCE)
    assert np.allclose(found, [[22, 26, 30]], rtol=1e-8, atol=1e-8)


def test_mean_divides_by_twelve():
    found = finite_difference(lambda z: (np.broadcast_to(z, (4, 3)) * WEIGHTS).mean(), SOURCE)
    assert np.allclose(found, [[11 / 6, 13 / 6, 5 / 2]], rtol=1e-8)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("value", [0.5, -2.0, 1000.0])
def test_a_curved_program_in_every_precision(value, dtype):
    found = finite_difference(lambda z: (z**3).sum(), np.array([value], dtype))
    assert found.dtype == np.float64
    assert np.allclose(found, 3 * value**2, rtol=1e-7)


def test_the_step_can_be_chosen_and_is_used():
    seen = []
    finite_difference(lambda z: seen.append(z[0]) or z[0], np.array([1.0]), step=0.25)
    assert seen == [1.25, 0.75]
    assert not np.allclose(finite_difference(lambda z: z[0] ** 3, np.array([1.0]), step=0.5), 3)


def test_nothing_handed_in_is_written():
    x = SOURCE.copy()

    def careless(z):
        z *= 0
        return z.sum()

    finite_difference(careless, x)
    assert x.tobytes() == SOURCE.tobytes()


def test_tensors_keep_their_library_and_get_no_graph():
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.bfloat16, requires_grad=True)
    weights = torch.from_numpy(WEIGHTS)
    found = finite_difference(lambda z: (z.expand(4, 3) * weights).sum(), x)
    assert found.dtype == torch.float64
    assert not found.requires_grad
    assert torch.allclose(found, torch.tensor([[22.0, 26.0, 30.0]], dtype=torch.float64))
    assert x.grad is None


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex128"])
def test_what_has_no_small_step_is_refused(dtype):
    with pytest.raises(ValueError, match=f"{dtype} has no small step"):
        finite_difference(lambda z: z.sum(), SOURCE.astype(dtype))


def test_wrong_programs_and_steps_speak_both_languages():
    with pytest.raises(ValueError, match="one number, not shape"):
        finite_difference(lambda z: z, SOURCE)
    with pytest.raises(ValueError, match="rows and columns, not shape"):
        column_sums(np.ones(3))
    zs.use("zh")
    for step in (0, -1e-5, float("nan")):
        with pytest.raises(ValueError, match="扰动量"):
            finite_difference(lambda z: z.sum(), SOURCE, step)


def test_column_sums_neither_wrap_nor_round():
    assert column_sums(np.full((300, 2), 255, np.uint8)).tolist() == [76500, 76500]
    assert column_sums(np.full((5000, 1), 1, np.float16)).tolist() == [5000.0]
    assert column_sums(np.ones((3, 2), bool)).tolist() == [3, 3]
    assert column_sums(np.full((2, 1), 2**62)).tolist() == [2**63]
    assert column_sums(np.array([[1j], [2j]])).tolist() == [3j]
    assert column_sums(np.ones((0, 2))).tolist() == [0.0, 0.0]


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_masked_array_and_a_matrix_give_plain_arrays_of_all_their_numbers():
    for x in (np.ma.array(WEIGHTS, mask=WEIGHTS > 6), np.matrix(WEIGHTS)):
        assert type(numbers(x)) is np.ndarray
        assert np.shares_memory(numbers(x), x)
        assert column_sums(x).tolist() == [22, 26, 30]
        assert type(in_float64(x)) is np.ndarray
        assert not np.shares_memory(in_float64(x), x)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_elements_that_are_no_numbers_are_refused_in_words(language):
    torch = pytest.importorskip("torch")
    zs.use(language)
    codes = torch.quantize_per_tensor(torch.ones(4, 3), 0.1, 0, torch.quint8)
    with pytest.raises(TypeError, match={"en": "cannot be read as numbers", "zh": "读成数"}[language]):
        column_sums(codes)
    assert column_sums(torch.ones(4, 3, dtype=torch.complex32)).tolist() == [4, 4, 4]


def test_the_tolerance_follows_the_dtype_and_stays_small():
    assert rounding(np.ones(1, np.int8), 4) == 0
    assert rounding(np.ones(1), 4) < rounding(np.ones(1, np.float32), 4) < rounding(np.ones(1, np.float16), 4)
    assert rounding(np.ones(1, np.float16), 10**9) == 1 / 64
