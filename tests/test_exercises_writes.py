"""What lesson 4 and its exercises say about writes is what NumPy and torch do."""

import warnings

import numpy as np
import pytest

from exercise_bank import ALSO_WRONG, RIGHT, WRONG
from zerostride.quiz.exercises import every_exercise
from zerostride.quiz.judges import judge
from zerostride.writes.recorded import on_record

EXERCISES = every_exercise()


def answers(name):
    """The first answer of every mistake of an exercise."""
    return {mistake.id: mistake.answers[0] for mistake in EXERCISES[name].wrong}


def three():
    source = np.array([[1.0, 2.0, 3.0]])
    return source, np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))


def test_a_source_edit_reaches_every_row_of_the_view_alone():
    source, view, tiled = three()
    source[0, 0] = 9
    assert (view[:, 0] == 9).all()
    assert (tiled[:, 0] == 1).all()
    assert EXERCISES["source-edit"].right == "every-row-of-the-view"


def test_numpy_refuses_a_write_into_the_view():
    source, view, _ = three()
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 7
    assert source[0, 0] == 1
    assert EXERCISES["write-into-view"].right == "refused"


def test_a_lifted_flag_lets_the_write_through_to_the_source():
    source, view, _ = three()
    view.flags.writeable = True
    view[0, 0] = 9
    assert source[0, 0] == 9
    assert (view[:, 0] == 9).all()
    assert EXERCISES["lifted-flag"].right == "all-rows-and-source"
    frozen, view, _ = three()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="WRITEABLE"):
        np.broadcast_to(frozen, (4, 3)).flags.writeable = True


def test_torch_writes_one_element_into_every_row():
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1.0, 2.0, 3.0]])
    y = x.expand(4, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y[0, 0] = 9
    assert (y[:, 0] == 9).all()
    assert x[0, 0] == 9
    assert EXERCISES["one-element-in-torch"].right == "all-rows-and-source"


def test_the_rules_that_a_row_and_a_column_suggest_are_refuted():
    torch = pytest.importorskip("torch")
    y = torch.tensor([[1.0, 2.0, 3.0]]).expand(4, 3)
    y[0] = 7
    assert (y == 7).all()  # silent, and three rows too many
    with pytest.raises(RuntimeError, match="single memory location"):
        y[:, 0] = 5  # refused, though the view could hold it
    y.fill_(5)
    assert (y == 5).all()  # all rows named, and it runs
    with pytest.raises(RuntimeError, match="single memory location"):
        y[:] = 4
    assert EXERCISES["fill-or-slice"].right == "fill"


def test_the_column_after_the_write():
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1.0], [2.0]])
    y = x.expand(2, 3)
    untouched = y.tolist()
    y[0, 1] = 9
    assert [y.tolist()] == EXERCISES["write-into-column"].right
    wrong = answers("write-into-column")
    edited = torch.tensor([[1.0], [2.0]]).repeat(1, 3)
    edited[0, 1] = 9
    assert wrong["one-element"] == edited.tolist()
    assert wrong["nothing"] == untouched
    assert wrong["only-x"] == x.tolist()
    assert wrong["turned"] == y.T.tolist()


def test_which_lines_change_the_source():
    torch = pytest.importorskip("torch")
    changed = []
    for line in ("y[0] = 9", "y = y + 1", "y.clone()[0] = 9", "y[y > 2] = 0"):
        x = torch.tensor([[1.0, 2.0, 3.0]])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(line, {"y": x.expand(4, 3)})
        changed.append(x.tolist() != [[1.0, 2.0, 3.0]])
    assert changed == EXERCISES["which-change-the-source"].right[0]
    assert answers("which-change-the-source")["inverted"] == [not each for each in changed]


def test_which_doors_lead_to_the_source():
    torch = pytest.importorskip("torch")
    doors = torch.from_numpy, torch.tensor, torch.as_tensor, lambda view: torch.from_numpy(view.copy())
    reached = []
    for door in doors:
        source, view, _ = three()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            door(view)[0, 0] = 9
        reached.append(bool(source[0, 0] == 9))
    assert reached == EXERCISES["through-which-door"].right[0]
    assert answers("through-which-door")["inverted"] == [not each for each in reached]


def test_dlpack_carries_no_flag_and_older_versions_refuse():
    torch = pytest.importorskip("torch")
    source, view, _ = three()
    try:
        torch.from_dlpack(view)[0, 0] = 9
    except BufferError:
        assert not on_record("torch")
    else:
        assert source[0, 0] == 9
    assert not view.flags.writeable


def test_the_judge_of_the_repair_looks_at_source_and_result_alike():
    exercise = EXERCISES["repair-the-write"]
    for function in RIGHT["repair-the-write"]:
        source, view, _ = three()
        result = np.array(function(view))
        assert source[0, 0] == 1
        assert (result == 9).sum() == 1
    for function, mistake in WRONG["repair-the-write"] + ALSO_WRONG["repair-the-write"]:
        source, view, _ = three()
        if mistake == "still-refused":
            continue
        result = np.array(function(view))
        wanted = np.tile(three()[0], (4, 1))
        wanted[0, 0] = 9
        assert source[0, 0] == 9 or not np.array_equal(result, wanted), function.__name__
        assert bool(source[0, 0] == 9) is (mistake in ("flag-lifted", "another-way-in")), function.__name__
    lifted = judge(exercise, RIGHT["repair-the-write"][-1])
    assert lifted.remarkable
    assert not judge(exercise, RIGHT["repair-the-write"][0]).remarkable


@pytest.mark.parametrize("answer", [9, "with_nine", np.ndarray, print, lambda: 9, lambda view: object()])
def test_what_is_no_such_function_is_no_verdict_on_the_learner(answer):
    assert judge(EXERCISES["repair-the-write"], answer).status in ("unclear", "not_answered")


def test_an_answer_of_another_value_gets_the_hint():
    verdict = judge(EXERCISES["repair-the-write"], lambda view: view + np.eye(4, 3))
    assert (verdict.status, verdict.mistake) == ("wrong", None)
