"""Numbers of either library, column sums, and how far rounding moves them."""

import numpy as np
import pytest

import zerostride as zs
from zerostride.gradients import column_sums, in_float64, numbers, rounding

WEIGHTS = np.arange(1.0, 13.0).reshape(4, 3)


def test_weights_without_rows_and_columns_are_refused():
    with pytest.raises(ValueError, match="rows and columns, not shape"):
        column_sums(np.ones(3))


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


def test_a_tensor_that_was_read_can_still_be_resized():
    torch = pytest.importorskip("torch")
    read, lent = torch.ones(1, 3), torch.ones(1, 3)
    assert numbers(read).tolist() == lent.numpy().tolist() == [[1, 1, 1]]
    assert read.resize_(2, 3).shape == (2, 3)
    with pytest.raises(RuntimeError, match="not resizable"):
        lent.resize_(2, 3)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_elements_that_are_no_numbers_are_refused_in_words(language):
    torch = pytest.importorskip("torch")
    zs.use(language)
    codes = torch.quantize_per_tensor(torch.ones(4, 3), 0.1, 0, torch.quint8)
    with pytest.raises(
        TypeError, match={"en": "cannot be read as numbers", "zh": "读成数"}.get(language, "")
    ):
        column_sums(codes)
    assert column_sums(torch.ones(4, 3, dtype=torch.complex32)).tolist() == [4, 4, 4]


def test_the_tolerance_follows_the_dtype_and_stays_small():
    assert rounding(np.ones(1, np.int8), 4) == 0
    assert rounding(np.ones(1), 4) < rounding(np.ones(1, np.float32), 4) < rounding(np.ones(1, np.float16), 4)
    assert rounding(np.ones(1, np.float16), 10**9) == 1 / 64
