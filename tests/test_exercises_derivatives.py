"""What lesson 5 and its exercises call right and wrong is what NumPy and torch do."""

import numpy as np
import pytest

import zerostride as zs
from zerostride.quiz.exercises import every_exercise

EXERCISES = every_exercise()
SOURCE, WEIGHTS = np.array([[1.0, 2.0, 3.0]]), np.arange(1.0, 13.0).reshape(4, 3)


def answers(name):
    """The first answer of every mistake of an exercise."""
    return {mistake.id: mistake.answers[0] for mistake in EXERCISES[name].wrong}


def right_text(name):
    exercise = EXERCISES[name]
    return next(choice.text["en"] for choice in exercise.choices if choice.id == exercise.right)


def differences(program, x=SOURCE, **settings):
    return zs.finite_difference(program, x, step=1e-5, **settings).values.round(6).tolist()


def torch_case():
    torch = pytest.importorskip("torch")
    return torch.tensor(SOURCE, requires_grad=True), torch.tensor(WEIGHTS)


def test_raising_the_first_number_by_one():
    def loss(x):
        return (np.tile(x, (4, 1)) * WEIGHTS).sum()

    grown = loss(SOURCE + np.array([[1, 0, 0]])) - loss(SOURCE)
    assert right_text("raise-first-number") == f"{grown:g}"


def test_the_mean_divides_by_all_elements():
    by_sum = np.array(differences(lambda x: (np.tile(x, (4, 1)) * WEIGHTS).sum()))
    by_mean = np.array(differences(lambda x: (np.tile(x, (4, 1)) * WEIGHTS).mean()))
    assert np.allclose(by_sum / by_mean, 12, rtol=1e-5)
    assert right_text("mean-loss") == "Each is divided by 12"


def test_the_weights_arrive_at_the_view():
    x, w = torch_case()
    y = x.expand(4, 3)
    y.retain_grad()
    (y * w).sum().backward()
    assert y.grad.tolist() == w.tolist()
    assert x.grad.tolist() == [y.grad.sum(axis=0).tolist()]
    assert EXERCISES["gradient-at-view"].right == "weights"


@pytest.mark.parametrize(("exercise", "by_data"), [("edited-clone", False), ("edit-by-data", True)])
def test_an_edit_of_a_clone(exercise, by_data):
    x, w = torch_case()
    y = x.expand(4, 3).clone()
    (y.data if by_data else y)[0, 0] = 9
    (y * w).sum().backward()
    told = ", ".join(f"{each:g}" for each in x.grad[0].tolist())
    assert right_text(exercise).startswith(f"({told})")


def test_the_difference_in_float32():
    source, weights = SOURCE.astype(np.float32), WEIGHTS.astype(np.float32)
    found = zs.finite_difference(lambda x: (np.tile(x, (4, 1)) * weights).sum(), source, step=1e-5).values
    assert 0.1 < abs(found[0, 0] - 22) < 5
    assert EXERCISES["difference-in-float32"].right == "coarse"


def test_unit_weights():
    assert EXERCISES["unit-weights"].right[1] == differences(lambda x: np.tile(x, (4, 1)).sum())
    wrong = answers("unit-weights")
    assert [wrong["lesson-weights"]] == differences(lambda x: (np.tile(x, (4, 1)) * WEIGHTS).sum())
    assert np.allclose([wrong["as-a-mean"]], differences(lambda x: np.tile(x, (4, 1)).mean()), atol=1e-6)


def test_the_mean_of_two_rows():
    weights = np.array([[4.0, 5.0, 6.0], [8.0, 13.0, 18.0]])
    loss = np.tile(SOURCE, (2, 1)) * weights
    exact = differences(lambda x: (np.tile(x, (2, 1)) * weights).mean())
    assert EXERCISES["mean-of-two-rows"].right[1] == exact
    wrong, sums = answers("mean-of-two-rows"), weights.sum(axis=0)
    assert wrong["summed"] == sums.tolist()
    assert wrong["by-rows"] == (sums / loss.shape[0]).tolist()
    assert wrong["by-columns"] == (sums / loss.shape[1]).tolist()
    assert wrong["by-twelve"] == (sums / 12).tolist()
    assert wrong["first-row"] == weights[0].tolist()
    assert wrong["row-sums"] == weights.sum(axis=1).tolist()


def test_an_overwritten_row():
    def loss(x, row=slice(1, 2)):
        rows = np.tile(x, (4, 1))
        rows[row] = 0
        return (rows * WEIGHTS).sum()

    assert EXERCISES["overwritten-row"].right[1] == differences(loss)
    wrong = answers("overwritten-row")
    assert [wrong["first-row-removed"]] == differences(lambda x: loss(x, slice(0, 1)))
    assert [wrong["one-element"]] == differences(lambda x: loss(x, (0, 0)))
    assert [wrong["edit-ignored"]] == differences(lambda x: loss(x, slice(0, 0)))


def test_one_element_or_one_stored_number():
    def loss(rows):
        return (rows * WEIGHTS).sum()

    of_copy = differences(loss, np.tile(SOURCE, (4, 1)))[0][0]
    of_stored = differences(loss, np.broadcast_to(SOURCE, (4, 3)), of="stored")[0][0]
    assert EXERCISES["element-or-stored"].right == [[of_copy, of_stored]]
    assert differences(loss, np.broadcast_to(SOURCE, (4, 3)), of="element")[0][0] == of_copy
