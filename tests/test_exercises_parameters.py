"""What lesson 6 and its exercises say about parameters is what torch does."""

import pytest

from zerostride.parameters import examine_repeat, parameter_report, train
from zerostride.quiz.exercises import every_exercise

torch = pytest.importorskip("torch")

EXERCISES = every_exercise()
ROW = (1.0, 2.0, 3.0)


def x():
    return torch.tensor([ROW])


def chosen_as_right(name):
    exercise = EXERCISES[name]
    return next(choice.text["en"] for choice in exercise.choices if choice.id == exercise.right)


def module(parameter, computed=None):
    built = torch.nn.Module()
    built.p = torch.nn.Parameter(parameter)
    if computed:
        built.w = computed(built.p)
    return built


def test_an_optimizer_refuses_copies():
    row = torch.nn.Parameter(x())
    with pytest.raises(ValueError, match="non-leaf"):
        torch.optim.SGD([row.repeat(4, 1)], lr=0.1)
    assert EXERCISES["optimizer-and-copies"].right == "refused"


def test_copies_go_stale_in_a_step():
    built = module(x(), lambda p: p.repeat(4, 1))
    optimizer = torch.optim.SGD(built.parameters(), lr=0.1)
    built.w.sum().backward()
    optimizer.step()
    row, rows = (
        ", ".join(f"{value:.2g}" for value in values.tolist())
        for values in (built.p.detach()[0], built.w.detach()[0])
    )
    assert chosen_as_right("copies-after-a-step") == f"row ({row}), and rows[0] still ({rows})"


def test_a_step_on_an_expand_raises_after_a_full_gradient():
    expanded = torch.nn.Parameter(x().expand(4, 3))
    (expanded * torch.arange(1.0, 13.0).reshape(4, 3)).sum().backward()
    assert (
        f"its gradient has shape {tuple(expanded.grad.shape)}"
        in EXERCISES["step-on-an-expand"].question["en"]
    )
    assert len(expanded.grad.unique()) == 12
    assert EXERCISES["step-on-an-expand"].right == "step-raises"
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.optim.SGD([expanded], lr=0.1).step()


def test_the_shared_row_is_faster_at_first_and_ends_above():
    training = train(optimizer="SGD", learning_rate=0.3, steps=40)
    shared, own = (run.losses for run in training.runs)
    assert shared[1] < own[1]
    assert shared[-1] > own[-1]
    assert shared[-1] > 11
    assert EXERCISES["two-loss-curves"].right == "faster-then-above"


def test_expand_gets_the_gradient_of_repeat():
    claim = examine_repeat()
    told = {choice.id: choice.text["en"] for choice in EXERCISES["expand-and-the-claim"].choices}

    def shown(code):
        return f"({', '.join(f'{value:g}' for value in claim.of(code, 'sum').gradient)})"

    assert told["the-same"] == shown("row.expand(4, 3)") == shown("row.repeat(4, 1)")
    assert told["not-multiplied"] == shown("row")


def test_learnable_values_of_three_modules():
    built = [
        module(x()),
        module(x().repeat(5, 1)),
        module(x(), lambda p: p.repeat(5, 1)),
    ]
    assert EXERCISES["learnable-in-three"].right == [
        [parameter_report(each).learnable_values for each in built]
    ]
    assert [problem.name for problem in parameter_report(built[2]).problems] == ["stale"]


def test_independent_rows_with_one_goal_stay_equal():
    same = train([(4.0, 4.0, 4.0)] * 4).independent
    assert EXERCISES["one-goal"].right == [[same.learnable_values, len(set(same.values))]]
    assert len(set(train().independent.values)) == 4


def changed(make):
    """How many stored values one step changes; 0 where it raises."""
    p = torch.nn.Parameter(make(x()))
    before = p.detach().clone()
    (p**2).sum().backward()
    try:
        torch.optim.SGD([p], lr=0.1).step()
    except RuntimeError:
        return 0
    assert parameter_report(p).learnable_values == p.numel()
    return int((p.detach() != before).sum())


def test_values_that_a_step_changes():
    ways = [
        lambda x: x.expand(4, 3).detach(),
        lambda x: x.expand(4, 3).clone(),
        lambda x: x.repeat(4, 1),
        lambda x: x.expand(1, 3),
    ]
    assert EXERCISES["values-a-step-changes"].right == [[changed(make) for make in ways]]


def test_factors_of_eight_rows():
    claim = examine_repeat(8)

    def factor(code, reduction):
        return claim.of(code, reduction).gradient[0] / claim.of("row", reduction).gradient[0]

    asked = [("row.repeat(8, 1)", "sum"), ("row.repeat(8, 1)", "mean"), ("row.expand(8, 3)", "sum")]
    assert EXERCISES["factors-of-eight"].right == [pytest.approx([factor(*each) for each in asked])]
