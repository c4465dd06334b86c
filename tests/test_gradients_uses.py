"""How often each source element is used: counted by hand, by index arrays and by Jacobians."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import zerostride as zs

WEIGHTS = np.arange(1.0, 13.0).reshape(4, 3)
SOURCE = np.array([[1.0, 2.0, 3.0]])


def expand(z):
    return np.broadcast_to(z, (4, 3))


@pytest.mark.parametrize("make", [expand, lambda z: np.tile(z, (4, 1)), lambda z: np.repeat(z, 4, 0)])
def test_four_uses_each(make):
    found = zs.uses(make, SOURCE, WEIGHTS)
    assert found.counts.tolist() == [[4, 4, 4]]
    assert found.weights == ((1, 4, 7, 10), (2, 5, 8, 11), (3, 6, 9, 12))
    assert found.places[1] == (1, 4, 7, 10)
    assert found.sums.tolist() == [[22, 26, 30]]
    assert zs.uses(make, SOURCE).weights == ((1,) * 4,) * 3


@pytest.mark.parametrize("given", [WEIGHTS.view(np.matrix), np.ma.array(WEIGHTS, mask=WEIGHTS > 6)])
def test_of_a_matrix_or_a_masked_array_the_numbers_alone_count(given):
    """A matrix would multiply in its own way, and what is masked would be no number."""
    assert zs.uses(expand, SOURCE, given).sums.tolist() == [[22, 26, 30]]
    by_hand = zs.compare_gradients({"f": lambda z: (expand(z) * WEIGHTS[0]).sum()}, SOURCE, 4 * given[:1])
    assert by_hand.verdicts["f"] == "agree"


def test_mean_gives_fractions():
    found = zs.uses(expand, SOURCE, WEIGHTS / 12)
    assert "1/12, 1/3, 7/12, 5/6" in str(found)
    assert "11/6" in str(found)
    assert np.allclose(found.sums, [[11 / 6, 13 / 6, 5 / 2]])


def test_windows_overlap():
    found = zs.uses(lambda z: sliding_window_view(z, 3), np.ones(5))
    assert found.counts.tolist() == [1, 2, 3, 2, 1]
    mean = zs.uses(lambda z: sliding_window_view(z, 3), np.ones(5), np.full((3, 3), 1 / 9))
    assert np.allclose(mean.sums, np.array([1, 2, 3, 2, 1]) / 9)
    assert "y[0, 2], y[1, 1], y[2, 0]  1/9, 1/9, 1/9" in str(mean)
    strided = zs.uses(lambda z: as_strided(z, (3, 2), (0, 8)), np.ones(5))
    assert strided.counts.tolist() == [3, 3, 0, 0, 0]
    assert strided.sums.tolist() == [3, 3, 0, 0, 0]
    assert "none" in str(strided)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 5), max_size=12),
    st.sampled_from(["bool", "int8", "uint64", "float16", "float32", "float64"]),
    st.lists(st.integers(-50, 50), min_size=6, max_size=6),
)
def test_any_rearrangement_is_counted_exactly(index, dtype, numbers):
    x = np.array(numbers).astype(dtype)
    weights = np.arange(len(index)) / 7
    found = zs.uses(lambda z: z[np.array(index, int)], x, weights)
    assert found.counts.tolist() == [index.count(place) for place in range(6)]
    assert found.weights == tuple(
        tuple(w for at, w in zip(index, weights.tolist(), strict=True) if at == place) for place in range(6)
    )


def test_weights_of_a_program_that_calculates():
    matrix = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    found = zs.uses(lambda z: matrix @ z, np.array([0.1, 0.2, 0.3]))
    assert found.places == ((0,), (1,), (0,))
    assert found.weights == ((1,), (3,), (2,))
    squares = zs.uses(lambda z: z**2, np.array([1.5, 0.0]))
    assert squares.weights == ((3.0,), ())


def test_digits_that_rounding_the_result_makes_up_are_no_weight():
    third = zs.uses(lambda z: z / 3 + 1e6, np.ones(2))
    assert third.weights == ((0.3333,), (0.3333,))
    powers = zs.uses(lambda z: np.vander(z, 21).ravel(), np.array([3.0]))
    assert powers.counts.tolist() == [20]
    assert powers.weights[0][-1] == 1


def test_a_program_of_chance_is_refused():
    chance = np.random.default_rng(0)
    with pytest.raises(ValueError, match="another number each time"):
        zs.uses(lambda z: z * chance.random(), np.ones(3))
    lengths = iter(range(9))
    with pytest.raises(ValueError, match="another shape"):
        zs.uses(lambda z: z[: next(lengths)], np.ones(9))


def test_a_loss_sums_its_uses_and_says_so():
    found = zs.uses(lambda z: (expand(z) * WEIGHTS).sum(), SOURCE)
    assert found.counts.tolist() == [[1, 1, 1]]
    assert found.sums.tolist() == [[22, 26, 30]]
    assert "sums the uses already" in found.notes[0]
    assert zs.uses(expand, SOURCE).notes == ()


def test_sources_of_one_address_are_moved_apart():
    found = zs.uses(lambda z: z[:, 0], np.broadcast_to(SOURCE, (4, 3)))
    assert found.counts.tolist() == [[1, 0, 0]] * 4
    assert "share addresses" in found.notes[0]


def test_shapes_of_every_kind():
    assert zs.uses(lambda z: np.full(3, z), np.array(2.0)).counts.tolist() == 3
    assert "x        3" in str(zs.uses(lambda z: np.full(3, z), np.array(2.0)))
    assert zs.uses(lambda z: z, np.ones((0, 3))).counts.shape == (0, 3)
    assert zs.uses(lambda z: np.broadcast_to(z, (0, 3)), SOURCE).counts.tolist() == [[0, 0, 0]]
    many = str(zs.uses(lambda z: z, np.ones(40)))
    assert "and 16 more" in many
    wide = str(zs.uses(lambda z: np.broadcast_to(z, (9, 1)), np.ones(1)))
    assert "1, 1, 1, 1, 1, 1, ... (9)" in wide


def test_nothing_is_written():
    x = SOURCE.copy()

    def careless(z):
        made = np.tile(z, (4, 1))
        z[:] = 0
        return made

    assert zs.uses(careless, x).counts.tolist() == [[4, 4, 4]]
    assert x.tobytes() == SOURCE.tobytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((expand, [1.0]), "hand in a NumPy array"),
        ((3, SOURCE), "hand in a program"),
        ((expand, SOURCE.astype(complex)), "complex128 elements are no real numbers"),
        ((expand, SOURCE.astype(object)), "object elements are no real numbers"),
        ((lambda z: None, SOURCE), "array or tensor of floating point, not NoneType"),
        ((lambda z: [1.0], SOURCE), "array or tensor of floating point, not list"),
        ((lambda z: z > 0, SOURCE), "array or tensor of floating point, not bool"),
        ((lambda z: z * np.inf, SOURCE), r"no finite number at y\[0, 0\]"),
        ((expand, SOURCE, WEIGHTS[:3]), r"one real number for each element"),
        ((expand, SOURCE, WEIGHTS * 1j), r"one real number for each element"),
        ((expand, SOURCE, "abc"), r"one real number for each element"),
        ((lambda z: z * 2, np.arange(3)), "int64 has no small step"),
        ((lambda z: z[z > 1], np.array([1.0, 2.0])), "another shape"),
        ((expand, np.broadcast_to(1.0, (10**9, 10**9))), "Hand in a slice"),
        ((lambda z: np.broadcast_to(z, (10**8, 3)), SOURCE), "Hand in a slice"),
    ],
)
def test_refused_in_words(arguments, words):
    with pytest.raises((ValueError, TypeError), match=words):
        zs.uses(*arguments)
    zs.use("zh")
    with pytest.raises((ValueError, TypeError), match=r"[一-鿿]"):
        zs.uses(*arguments)


def test_tensors():
    torch = pytest.importorskip("torch")
    for dtype in ("bfloat16", "float32", "float64", "int64"):
        x = torch.arange(5).to(getattr(torch, dtype))
        assert zs.uses(lambda z: z.unfold(0, 3, 1), x).counts.tolist() == [1, 2, 3, 2, 1]
    x = torch.tensor(SOURCE, requires_grad=True)
    found = zs.uses(lambda z: z.repeat(4, 1), x, torch.from_numpy(WEIGHTS))
    (found_by_torch,) = torch.autograd.grad((x.repeat(4, 1) * torch.from_numpy(WEIGHTS)).sum(), x)
    assert np.array_equal(found.sums, found_by_torch)
    assert x.grad is None
    layer = torch.nn.Linear(3, 2)
    own = zs.uses(layer, torch.ones(3))
    jacobian = torch.autograd.functional.jacobian(layer, torch.ones(3)).T
    assert np.allclose(own.weights, jacobian, rtol=1e-2, atol=1e-3)
    with pytest.raises(RuntimeError):
        zs.uses(layer, torch.ones(4))


def test_to_dict_and_words():
    found = zs.uses(expand, SOURCE, WEIGHTS)
    assert found.to_dict()["counts"] == [[4, 4, 4]]
    assert found.alternative().startswith("x[0, 0] is used 4 times, with weights 1, 4, 7, 10; sum 22.")
    zs.use("zh")
    assert found.alternative().startswith("x[0, 0]被使用4次，权重为1、4、7、10；和为22。")
