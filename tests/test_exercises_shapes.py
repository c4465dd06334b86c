"""What lesson 2 and its exercises say about shapes, held against NumPy, torch and `zs.can_expand`."""

import numpy as np
import pytest

import zerostride as zs
from zerostride.quiz.exercises import every_exercise

EXERCISES = every_exercise()
PAIRS = [((3,), (3, 4)), ((4,), (4, 3)), ((4, 1), (4, 3))]
VALUES = np.array([1.0, 2.0, 3.0, 4.0])
COLUMN = VALUES[:, None]


def numpy_expands(source, target):
    try:
        np.broadcast_to(np.ones(source), target)
    except ValueError:
        return False
    return True


def from_the_front(source, target):
    """Whether the sizes fit when they are aligned at the wrong end."""
    return all(size in (1, wanted) for size, wanted in zip(source, target, strict=False))


def mistaken(name, mistake):
    return next(each for each in EXERCISES[name].wrong if each.id == mistake).answers


def test_only_the_last_of_the_three_pairs_expands():
    fits = [numpy_expands(*pair) for pair in PAIRS]
    assert (
        fits == EXERCISES["which-three-expand"].right[0] == [zs.can_expand(*pair).allowed for pair in PAIRS]
    )
    assert [from_the_front(*pair) for pair in PAIRS] in mistaken("which-three-expand", "from-the-front")


def test_every_other_answer_to_the_three_pairs_is_diagnosed():
    listed = [
        tuple(answer)
        for mistake in EXERCISES["which-three-expand"].wrong
        for answer in mistake.answers
        if isinstance(answer, list)
    ]
    assert len({tuple(map(bool, answer)) for answer in listed}) == 2**3 - 1


def test_a_column_minus_its_values_has_a_mean_square_far_from_zero():
    squares = (VALUES - COLUMN) ** 2
    assert (VALUES - COLUMN).shape == (4, 4)
    assert EXERCISES["mean-square-of-pairs"].right == [squares.mean()]
    assert mistaken("mean-square-of-pairs", "it-runs") == [((VALUES - COLUMN[:, 0]) ** 2).mean()]
    assert mistaken("mean-square-of-pairs", "not-squared") == [np.abs(VALUES - COLUMN).mean()]
    assert VALUES.var() in mistaken("mean-square-of-pairs", "not-squared")
    sizes = np.unique(np.abs(VALUES - COLUMN), return_counts=True)
    assert [each.tolist() for each in sizes] == [[0, 1, 2, 3], [4, 6, 4, 2]]


def test_no_row_stride_gives_the_four_rows_of_two():
    starts = [0, 24]
    for wanted in ([0, 1, 0, 1], [0, 0, 1, 1]):
        assert all(
            [row * step for row in range(4)] != [starts[row] for row in wanted] for step in range(-48, 49)
        )


def test_both_predictions_hold_in_numpy():
    two_rows = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    assert not numpy_expands(two_rows.shape, (4, 3))
    assert EXERCISES["two-rows-as-four"].right == "refused"
    assert EXERCISES["minus-own-column"].right == "-".join(map(str, (VALUES - COLUMN).shape))


def test_minus_one_keeps_the_size_as_torch_does():
    torch = pytest.importorskip("torch")
    x = torch.ones(12, 1)
    seen = list(x.expand(2, -1, 3).shape)
    assert EXERCISES["minus-one-keeps"].right == [seen]
    assert seen == list(zs.can_expand((12, 1), (2, -1, 3), library="torch").shape)
    assert list(x.reshape(2, -1, 3).shape) in mistaken("minus-one-keeps", "as-in-reshape")
    with pytest.raises(RuntimeError, match="isn't allowed in a leading"):
        x.expand(-1, 12, 3)
    assert not zs.can_expand((12, 1), (2, -1, 3), library="numpy")


def test_four_rows_of_two_are_two_operations_in_both_libraries():
    torch = pytest.importorskip("torch")
    two_rows = np.array([[1, 2, 3], [10, 20, 30]])
    twice = torch.from_numpy(two_rows)
    assert EXERCISES["four-rows-aabb"].right == [np.repeat(two_rows, 2, axis=0).tolist()]
    assert twice.repeat_interleave(2, dim=0).tolist() == np.repeat(two_rows, 2, axis=0).tolist()
    assert twice.repeat(2, 1).tolist() == np.tile(two_rows, (2, 1)).tolist()
    assert mistaken("four-rows-aabb", "round-and-round") == [np.tile(two_rows, (2, 1)).tolist()]
