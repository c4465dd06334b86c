"""A shared row and independent rows trained, the claim on repeat examined, and steps tried apart."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zerostride as zs
from picture_rules import faults, grey, pixels
from zerostride.pictures import alt_text, png, svg

torch = pytest.importorskip("torch")

from zerostride.child import Ended  # noqa: E402
from zerostride.parameters import SETTINGS, Training, examine_repeat, stepping, train, trials, try_steps  # noqa: E402

START = np.array([1.0, 2.0, 3.0])
TARGETS = np.arange(1.0, 13.0).reshape(4, 3)


def by_hand(targets, steps, rate):
    """Return losses and rows of gradient descent on a mean of squares, shared and independent."""
    count = targets.size
    shared, rows = START.copy(), np.tile(START, (len(targets), 1))
    curves = [[], []]
    for step in range(steps + 1):
        curves[0].append(((shared - targets) ** 2).mean())
        curves[1].append(((rows - targets) ** 2).mean())
        if step < steps:
            shared = shared - rate * 2 * (shared - targets).sum(axis=0) / count
            rows = rows - rate * 2 * (rows - targets) / count
    return curves, shared, rows


numbers = st.integers(-9, 9).map(float)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=1, max_size=5), st.integers(1, 12))
def test_training_is_gradient_descent_by_hand(targets, steps):
    training = train(targets, steps, optimizer="SGD", learning_rate=0.5)
    curves, shared, rows = by_hand(np.array(targets), steps, 0.5)
    np.testing.assert_allclose(training.shared.losses, curves[0], atol=1e-12)
    np.testing.assert_allclose(training.independent.losses, curves[1], atol=1e-12)
    np.testing.assert_allclose(training.shared.values, np.tile(shared, (len(targets), 1)), atol=1e-12)
    np.testing.assert_allclose(training.independent.values, rows, atol=1e-12)


def test_another_rate_would_be_seen():
    curves, _, _ = by_hand(TARGETS, 5, 0.4)
    assert not np.allclose(train(steps=5, optimizer="SGD", learning_rate=0.5).shared.losses, curves[0])


def test_three_values_learn_one_row_and_twelve_learn_four():
    training = train()
    assert (training.shared.learnable_values, training.independent.learnable_values) == (3, 12)
    np.testing.assert_allclose(training.shared.values[0], TARGETS.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(training.independent.values, TARGETS, atol=0.15)
    assert len(set(training.shared.values)) == 1
    assert len(set(training.independent.values)) == 4
    assert training.shared.losses[0] == training.independent.losses[0] == 31.5
    assert training.shared.losses[-1] >= TARGETS.var(axis=0).mean() == 11.25
    assert training.independent.losses[-1] < 0.01


def test_what_the_optimizer_holds():
    training = train(steps=1)
    assert training.shared.state == {"step": ((), 4), "exp_avg": ((1, 3), 24), "exp_avg_sq": ((1, 3), 24)}
    assert training.independent.state["exp_avg"] == ((4, 3), 96)
    assert (training.shared.state_bytes, training.independent.state_bytes) == (52, 196)
    assert train(steps=1, optimizer="SGD").shared.state == {}


def test_independent_rows_of_one_target_stay_equal():
    training = train([[4.0, 5.0, 6.0]] * 4)
    assert training.independent.learnable_values == 12
    assert len(set(training.independent.values)) == 1
    assert len(set(train().independent.values)) == 4


def test_the_same_numbers_every_time_and_nothing_is_changed():
    threads, random = torch.get_num_threads(), torch.get_rng_state().tolist()
    with torch.no_grad():
        first = train().to_dict()
        assert not torch.is_grad_enabled()
    torch.manual_seed(1)
    assert train().to_dict() == first
    torch.set_rng_state(torch.tensor(random, dtype=torch.uint8))
    assert torch.get_num_threads() == threads
    assert train(steps=99).to_dict() != first


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (((),), "1 to 100 rows"),
        (("abc",), "three numbers"),
        ((None,), "three numbers"),
        (([[1.0, 2.0]],), "three numbers"),
        (([["a", "b", "c"]],), "three numbers"),
        (([[1.0, 2.0, float("nan")]],), "three numbers"),
        (([[1.0, 2.0, 1e300]],), "three numbers"),
        (([[1.0, 2.0, 3.0]] * 101,), "1 to 100 rows"),
        ((TARGETS, 0), "steps is a whole number from 1 to 1000, not 0"),
        ((TARGETS, 10**9), "not 1000000000"),
        ((TARGETS, 2.5), "not 2.5"),
        ((TARGETS, True), "not True"),
        ((TARGETS, 5, "LBFGS"), "SGD or Adam, not LBFGS"),
        ((TARGETS, 5, "SGD", 0), "above 0 and at most 10, not 0"),
        ((TARGETS, 5, "SGD", "fast"), "not fast"),
        ((TARGETS, 5, "SGD", True), "not True"),
        ((TARGETS, 5, "SGD", float("nan")), "not nan"),
    ],
)
def test_what_cannot_be_trained_is_named(given, words):
    named = dict(zip(("targets", "steps", "optimizer", "learning_rate"), given, strict=False))
    with pytest.raises(ValueError, match=words):
        train(**named)
    zs.use("zh")
    with pytest.raises(ValueError, match=r"[\u4e00-\u9fff]"):
        train(**named)


def test_numbers_of_numpy_are_numbers():
    assert train(steps=np.int64(5)) == train(steps=5)
    assert train(learning_rate=np.float32(0.5)) == train(learning_rate=0.5)
    assert examine_repeat(np.int32(2)) == examine_repeat(2)


def test_the_table_tells_what_was_lost_on_the_way_and_what_an_optimizer_holds():
    plain, adam = train(steps=7, optimizer="SGD"), train(steps=3)
    steps = [f"{plain.shared.losses[step]:.4g}" for step in (0, 1, 5, 7)]
    assert plain.table().rows[0][2:6] == tuple(steps)
    assert len(set(steps)) == 4
    assert "held by the optimizer" not in plain.table().text()
    assert "exp_avg (1, 3)" in adam.table().text()
    assert [name[-1] for name in adam.table().header if "loss" in name] == ["0", "1", "3"]


# The claim.


@pytest.mark.parametrize("rows", [2, 4, 7])
def test_the_claim_by_hand(rows):
    claim = examine_repeat(rows)
    one = 2 * (START - 4.0)
    gradients = {
        (code, kind): claim.of(code, kind).gradient for code in claim_codes(rows) for kind in ("sum", "mean")
    }
    for (code, kind), gradient in gradients.items():
        uses = rows if code.startswith("row.") else 1
        by_kind = one * uses if kind == "sum" else one * uses / (3 * uses)
        np.testing.assert_allclose(gradient, by_kind, rtol=1e-12)
    for trial in claim.trials:
        np.testing.assert_allclose(
            trial.steps["SGD"], -trial.learning_rate * np.array(trial.gradient), rtol=1e-9
        )
        decayed = -trial.learning_rate * (np.array(trial.gradient) + 0.1 * START)
        np.testing.assert_allclose(trial.steps["SGD, weight_decay"], decayed, rtol=1e-9)
        np.testing.assert_allclose(trial.steps["Adam"], trial.learning_rate, rtol=1e-6)


def claim_codes(rows):
    return [each.code for each in examine_repeat(rows).trials[:4]]


def test_what_is_true_of_the_claim():
    assert examine_repeat().findings() == {
        "expand_equals_repeat": True,
        "multiplied_under_sum": True,
        "multiplied_under_mean": False,
        "like_a_larger_rate_in_sgd": True,
        "like_a_larger_rate_with_decay": False,
        "like_a_larger_rate_in_adam": False,
    }


@pytest.mark.parametrize(
    ("code", "finding"),
    [
        ("row.expand(4, 3)", "expand_equals_repeat"),
        ("row.repeat(4, 1)", "multiplied_under_sum"),
        ("row, lr * 4", "like_a_larger_rate_in_sgd"),
    ],
)
def test_a_finding_follows_what_was_measured(code, finding):
    claim = examine_repeat()
    for trial in claim.trials:
        if trial.code == code:
            object.__setattr__(trial, "gradient", (0.0, 0.0, 0.0))
            trial.steps["SGD"] = (0.0, 0.0, 0.0)
    assert claim.findings()[finding] is False


@pytest.mark.parametrize("rows", [0, 1, 1001, 2.5, "4", None, True])
def test_rows_of_the_claim_are_whole_and_few(rows):
    with pytest.raises(ValueError, match="from 2 to 1000"):
        examine_repeat(rows)


@pytest.mark.parametrize(("alone", "other"), [("sum", "mean"), ("mean", "sum")])
def test_one_reduction_alone_says_what_both_say_of_it(alone, other):
    claim, both = examine_repeat(reductions=[alone]), examine_repeat()
    assert claim.trials == tuple(each for each in both.trials if each.reduction == alone)
    assert claim.findings().items() < both.findings().items()
    assert f"multiplied_under_{other}" not in claim.findings()


@pytest.mark.parametrize("reductions", ["sum", [], ["max"], None, [1]])
def test_reductions_of_the_claim_are_known(reductions):
    with pytest.raises(ValueError, match="sum, mean"):
        examine_repeat(reductions=reductions)


# Steps in a child process.

SUSPICIOUS = ("x.expand(4, 3)", "x.unfold(0, 3, 1)", "x[:, :3]")


@pytest.fixture(scope="module")
def tried():
    return try_steps(["SGD", "Adam"])


def test_a_step_on_a_copy_is_right(tried):
    for optimizer in ("SGD", "Adam"):
        assert {tried.outcome("x.repeat(4, 1)", optimizer, each) for each in SETTINGS} == {"as_a_copy"}


def test_steps_on_an_expanded_parameter_are_refused_unless_fused(tried):
    for optimizer in ("SGD", "Adam"):
        outcomes = [tried.outcome("x.expand(4, 3)", optimizer, each) for each in SETTINGS]
        assert outcomes[:2] == ["refused", "refused"]
        assert outcomes[2] in ("writes_beyond", "refused")
    errors = {step.error for step in tried.steps if step.outcome == "refused"}
    assert all("more than one element of the written-to tensor" in error for error in errors)


def test_no_step_on_windows_is_right(tried):
    outcomes = {step.outcome for step in tried.steps if step.parameter == "x.unfold(0, 3, 1)"}
    assert outcomes <= {"wrong", "writes_beyond", "refused"}


def test_the_report_warns_wherever_a_step_was_not_right(tried):
    for parameter in SUSPICIOUS:
        wrong = {
            step.setting
            for step in tried.steps
            if step.parameter == parameter and step.outcome != "as_a_copy"
        }
        room = torch.zeros(stepping.ROOM, dtype=torch.float64)
        made = torch.nn.Parameter(stepping.MAKERS[parameter](room))
        for setting in SETTINGS:
            optimizer = torch.optim.SGD([made], lr=0.1, **stepping.SETTINGS[setting])
            named = {problem.name for problem in zs.parameter_report([made], optimizer).problems}
            assert bool(named) == (setting in wrong)


def test_plain_steps_run_here_say_the_same(tried):
    for step in tried.steps:
        if step.setting == "foreach=False":
            assert stepping.outcome(step.parameter, step.optimizer, step.setting) == (
                step.outcome,
                step.error,
            )


def test_a_process_that_dies_or_hangs_is_told(monkeypatch):
    asked = []

    def run(_, steps, **__):
        asked.append(json.loads(steps))
        if len(asked) == 2:
            return Ended(None, '["wrong", ""]\n["as', "")
        answers = [json.dumps(["refused", "an error"])] * (2 if len(asked) == 1 else len(asked[-1]))
        return Ended(0, "\n".join(answers) + "\n", "")

    monkeypatch.setattr(trials, "run_child", run)
    outcomes = [step.outcome for step in try_steps(["SGD"]).steps]
    assert outcomes == ["refused", "refused", "died", "wrong", "timed_out", *["refused"] * 7]
    assert list(map(len, asked)) == [12, 9, 7]


def test_a_time_limit_is_kept():
    steps = try_steps(["SGD"], timeout_seconds=0.001).steps
    assert {step.outcome for step in steps} == {"timed_out"}


@pytest.mark.parametrize("optimizers", ["SGD", ["SGD", "LBFGS"], None, [["SGD"]], 5])
def test_other_optimizers_are_not_tried(optimizers):
    with pytest.raises(ValueError, match="SGD, Adam, AdamW"):
        try_steps(optimizers)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), "60", None])
def test_a_time_limit_is_above_zero(seconds):
    with pytest.raises(ValueError, match="above 0"):
        try_steps(timeout_seconds=seconds)


# The picture.

CASES = {
    "as it is": {},
    "crossing": {"optimizer": "SGD", "steps": 40},
    "on one another": {"targets": [[4.0, 5.0, 6.0]] * 4},
    "no loss": {"targets": [[1.0, 2.0, 3.0]] * 2, "steps": 5},
    "many rows": {"targets": [[float(k), 2.0, 3.0] for k in range(100)], "steps": 1},
    "loss of many digits": {"targets": [[1e9, 2.0, 3.0]], "steps": 3},
}


@pytest.mark.parametrize("name", CASES)
def test_rules_of_the_picture(name):
    training = train(**CASES[name])
    figure = zs.draw.training_curves(training)
    assert faults(figure, [run.code for run in training.runs]) == {}
    assert [axis.get_label().get_text() for axis in (figure.axes[0].xaxis, figure.axes[0].yaxis)] == [
        "step",
        "loss",
    ]


def test_the_name_of_an_axis_that_is_cut_off_is_seen():
    figure = zs.draw.training_curves(train(steps=5))
    figure.axes[0].yaxis.set_label_coords(-0.17, 0.5)
    assert faults(figure, [run.code for run in train(steps=5).runs]) == {"cut_off": ["loss"]}


def test_what_was_not_trained_has_no_picture():
    with pytest.raises(TypeError, match="not function"):
        zs.draw.training_curves(train)


@pytest.mark.parametrize("name", CASES)
def test_the_picture_holds_the_losses(name):
    training = train(**CASES[name])
    figure = zs.draw.training_curves(training)
    drawn = [tuple(line.get_ydata()) for line in figure.axes[0].lines]
    assert drawn == [run.losses for run in training.runs]
    assert figure.axes[0].get_yscale() == ("linear" if name == "no loss" else "log")
    rows = [len(run.values) if run is training.independent else 1 for run in training.runs]
    assert len(figure.axes[1].patches) == sum(3 * each for each in rows if each <= 10)


def test_the_last_losses_stand_at_the_ends_of_their_curves():
    training = train(optimizer="SGD", steps=40)
    ax = zs.draw.training_curves(training).axes[0]
    ends = [ax.transData.transform((40, run.losses[-1])) for run in training.runs]
    for text, (x, y) in zip(ax.texts, ends, strict=True):
        left, middle = ax.transAxes.transform(text.get_position())
        assert 0 < left - x < 30
        assert abs(middle - y) < 10
    assert [text.get_text() for text in ax.texts] == ["≈11.25", "≈2.091"]


def looks(line):
    return line.get_linestyle(), line.get_marker(), line.get_markerfacecolor()


def test_curves_differ_without_colour():
    shared, independent = zs.draw.training_curves(train()).axes[0].lines
    assert all(a != b for a, b in zip(looks(shared), looks(independent), strict=True))
    assert not all(a != b for a, b in zip(looks(shared), looks(shared), strict=True))
    assert max(grey(shared.get_color()), grey(independent.get_color())) < 140


def test_the_picture_is_not_empty_and_the_same_every_time():
    figure = zs.draw.training_curves(train())
    assert (pixels(figure) < 128).mean() > 0.005
    assert svg(figure) == svg(zs.draw.training_curves(train()))
    assert png(figure) == png(zs.draw.training_curves(train()))
    assert svg(figure) != svg(zs.draw.training_curves(train(steps=99)))


def test_alternative_in_both_languages():
    training = train()
    assert isinstance(training, Training)
    words = alt_text(training)
    assert (
        "row.expand(4, 3): 3 learnable values, and over 100 steps the loss goes from 31.5 to 11.25." in words
    )
    assert "rows: 12 learnable values" in words
    zs.use("zh")
    assert "rows：可学习的值有12个，经过100步，损失从31.5变为0.002536。" in alt_text(training)
