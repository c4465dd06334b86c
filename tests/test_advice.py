"""Advice: every combination of requirements has one answer, and its checks hold."""

import ast
import json
import random
import subprocess
import sys
import tracemalloc
from itertools import product

import numpy as np
import pytest

import zerostride as zs
from zerostride.advice import ANSWERS, REQUIREMENTS, checking, decisions, instance
from zerostride.advice.decisions import RULES, decide
from zerostride.advice.growth import growth
from zerostride.advice.lines import expression, measuring
from zerostride.expansion import LIBRARIES
from zerostride.language import LANGUAGES, use

SHAPES = {
    "size one": ((1, 3), (4, 3), None),
    "new axis": ((3,), (4, 3), None),
    "nothing grows": ((2, 3), (2, 3), None),
    "large": ((1, 1, 4096), (32, 2048, 4096), None),
    "whole": ((2, 3), (4, 3), "whole"),
    "each": ((2, 3), (2, 4, 9), "each"),
    "large blocks": ((1, 1000, 2), (3, 3000, 2), "each"),
    "two patterns": ((2, 3), (4, 3), None),
    "nothing fits": ((2, 3), (5, 3), None),
    "one number": ((), (2, 2), None),
}
COMBINATIONS = list(product(*REQUIREMENTS.values()))
RESHAPED = [((1, 2, 2), (100, 4), None), ((4,), (4, 3), None), ((6, 50), (300, 7), None)]


def every(library, shapes):
    """Yield the advice on every combination."""
    (source, target, pattern) = shapes
    for dtype in ("float64", "int64"):
        for writes, learns, then in COMBINATIONS:
            asked = {"library": library, "dtype": dtype, "pattern": pattern}
            yield zs.advise(source, target, writes, learns, then, **asked)


def faults(advice):
    """Yield what is not as it has to be with an answer."""
    if advice.answer not in ANSWERS:
        yield "no answer"
    if not advice.checks:
        yield "nothing checked"
    for check in advice.checks:
        if check.status != "passed" or not check.words or not check.lesson:
            yield f"{check.name}: {check.status} {check.evidence}"
    without = advice.answer in ("impossible", "contradictory")
    if without == bool(advice.code) or without != (advice.cost is None) or without == bool(advice.measuring):
        yield "code, cost or measuring"
    if not advice.reasons or bool(advice.open_questions) == without:
        yield "reasons or open questions"
    if max(map(np.prod, advice.checked_shapes)) > 1000:
        yield "not small"
    json.dumps(advice.to_dict())


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", SHAPES)
def test_every_combination_has_one_answer_whose_checks_pass(library, name):
    if library == "torch":
        pytest.importorskip("torch")
    found = [(advice, fault) for advice in every(library, SHAPES[name]) for fault in faults(advice)]
    assert [(str(advice), fault) for advice, fault in found[:1]] == []


@pytest.mark.parametrize("shapes", RESHAPED)
def test_the_target_may_be_the_shape_after_the_reshape(shapes):
    source, target, _ = shapes
    for writes, learns in product(REQUIREMENTS["writes"], REQUIREMENTS["learns"]):
        advice = zs.advise(source, target, writes, learns, "reshape")
        assert list(faults(advice)) == []
        assert advice.answer != "impossible"
    assert zs.advise(source, target, then="reshape").answer == "reshape_first"
    assert zs.advise(source, target).answer == "impossible"


def test_every_answer_and_every_rule_is_reached():
    found = {
        (advice.answer, advice.because) for shapes in SHAPES.values() for advice in every("numpy", shapes)
    }
    assert {answer for answer, _ in found} == set(ANSWERS)
    assert {because for _, because in found} == {rule.because for rule in RULES}


@pytest.mark.parametrize(
    ("asked", "because"),
    [
        ({"writes": "source", "learns": "each_copy"}, "own_values_follow_nobody"),
        ({"writes": "source", "then": "contiguous"}, "dense_follows_nobody"),
        ({"then": "optimizer_loop"}, "nothing_learns"),
        ({"learns": "shared", "dtype": "int32"}, "no_small_step"),
        ({"learns": "each_copy", "dtype": "bool"}, "no_small_step"),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_contradictions_are_named(asked, because, language):
    use(language)
    advice = zs.advise((1, 3), (4, 3), **asked)
    assert (advice.answer, advice.because) == ("contradictory", because)
    assert advice.words in str(advice)
    assert {"en": "contradict", "zh": "矛盾"}.get(language, "") in advice.words


ASKED = [
    ({}, "leave_to_broadcasting"),
    ({"then": "dense"}, "expand"),
    ({"then": "save"}, "expand"),
    ({"then": "process"}, "expand"),
    ({"then": "contiguous"}, "repeat"),
    ({"then": "reshape"}, "reshape_first"),
    ({"writes": "source"}, "leave_to_broadcasting"),
    ({"writes": "each_copy_in_place"}, "copy_first"),
    ({"writes": "each_copy_in_place", "learns": "shared"}, "copy_first"),
    ({"writes": "each_copy"}, "leave_to_broadcasting"),
    ({"learns": "shared", "then": "optimizer_loop"}, "expand"),
    ({"learns": "each_copy"}, "separate_parameters"),
    ({"learns": "each_copy", "then": "save"}, "separate_parameters"),
]


@pytest.mark.parametrize(("asked", "answer"), ASKED)
def test_answers_of_the_course(asked, answer):
    assert zs.advise((1, 3), (4, 3), **asked).answer == answer


def test_no_requirement_is_idle():
    """Each value of each requirement changes some answer, or is the first of its kind."""

    def table(name, value):
        others = [key for key in REQUIREMENTS if key != name]
        return [
            decide({"expand"}, **{name: value}, **dict(zip(others, values, strict=True)))
            for values in product(*(REQUIREMENTS[key] for key in others))
        ]

    for name in ("writes", "learns"):
        tables = [table(name, value) for value in REQUIREMENTS[name]]
        assert all(tables.count(each) == 1 for each in tables)


def run_code(code, library, source, target, folder):
    """Run lines on the learner's shapes; return the last name they give a value to."""
    x = np.arange(float(np.prod(source, dtype=int))).reshape(source)
    names = {"np": np, "x": x, "other": np.ones(target), "zs": zs}
    if library == "torch":
        import torch

        names |= {"torch": torch, "x": torch.tensor(x), "other": torch.ones(target, dtype=torch.float64)}
    exec(code.replace('"x.', f'"{folder}/x.'), names)
    last = [node for node in ast.parse(code).body if isinstance(node, ast.Assign)]
    made = next(each for each in reversed(last) if each.targets[0].id in ("y", "rows", "result"))
    return names, names[made.targets[0].id]


@pytest.mark.parametrize("shapes", [*(SHAPES[each] for each in ("size one", "whole", "each")), *RESHAPED[:2]])
@pytest.mark.parametrize("library", LIBRARIES)
def test_code_runs_and_gives_the_shape(library, shapes, tmp_path):
    if library == "torch":
        pytest.importorskip("torch")
    source, target, pattern = shapes
    seen = {}
    for writes, learns, then in COMBINATIONS:
        advice = zs.advise(source, target, writes, learns, then, pattern=pattern)
        if advice.code:
            seen[advice.code[library], advice.measuring] = advice
    assert seen
    for (code, _), advice in seen.items():
        names, made = run_code(code, library, source, target, tmp_path)
        flattened = advice.answer == "reshape_first" and advice.growth.kind == "expand"
        assert tuple(made.shape) == (advice.growth.flattest[1] if flattened else target)
        if library == "torch" and advice.requirements["learns"] == "each_copy":
            assert isinstance(made, names["torch"].nn.Parameter)


@pytest.mark.parametrize(
    "answer", ["expand", "leave_to_broadcasting", "copy_first", "repeat", "reshape_first"]
)
def test_the_measuring_line_runs(answer, tmp_path):
    line = measuring(answer, growth((1, 3), (4, 3)), "numpy")
    names, _ = run_code("y = x", "numpy", (1, 3), (4, 3), tmp_path)
    timings = eval(f"{line[:-1]}, rounds=3)", names)
    assert "this" in str(timings)
    assert "other_way" in str(timings)


def test_what_does_not_fit_is_told_axis_by_axis():
    advice = zs.advise((4,), (4, 3))
    assert advice.answer == "impossible"
    assert "axis -1: 4 is neither 1 nor 3" in advice.reasons
    assert any(reason.startswith("(4, 1) would fit") for reason in advice.reasons)


WRONG = {
    "expand": "repeat",
    "leave_to_broadcasting": "repeat",
    "reshape_first": "repeat",
    "repeat": "expand",
    "copy_first": "expand",
    "separate_parameters": "expand",
}


@pytest.mark.parametrize("asked", [asked for asked, _ in ASKED])
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_wrong_way_fails_a_check(asked, library, monkeypatch):
    """The answer's checks, run on what another answer makes."""
    if library == "torch":
        pytest.importorskip("torch")
    right = zs.advise((1, 3), (4, 3), **asked, library=library)
    made = checking.Instance.made

    def other(self, x, answer="", found=None):
        return made(self, x, answer or WRONG[self.answer], found)

    monkeypatch.setattr(checking.Instance, "made", other)
    monkeypatch.setattr(checking.Instance, "origin", lambda self: self.growth.origin)
    wrong = zs.advise((1, 3), (4, 3), **asked, library=library)
    assert wrong.answer == right.answer
    assert "failed" in {check.status for check in wrong.checks}


def test_a_wrong_order_is_seen(monkeypatch):
    advice = zs.advise((2, 3), (4, 3), pattern="each")
    as_whole = growth((2, 3), (4, 3), "whole")
    monkeypatch.setattr(instance, "expression", lambda *_: expression("repeat", as_whole, "numpy"))
    wrong = zs.advise((2, 3), (4, 3), pattern="each")
    assert {check.name: check.status for check in advice.checks}["same_values"] == "passed"
    assert {check.name: check.status for check in wrong.checks}["same_values"] == "failed"


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "bfloat16", "float32"])
def test_every_element_type(dtype, library):
    if library == "torch":
        pytest.importorskip("torch")
    elif dtype == "bfloat16":
        with pytest.raises(ValueError, match="dtype must be one of"):
            zs.advise((1, 3), (4, 3), dtype=dtype)
        return
    for writes, learns, then in COMBINATIONS:
        advice = zs.advise((1, 3), (4, 3), writes, learns, then, library=library, dtype=dtype)
        assert list(faults(advice)) == []


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ((None, (4, 3)), TypeError, "a shape is whole numbers"),
        (((1, 3), "4, 3"), TypeError, "a shape is whole numbers"),
        (((1, 3), (4.5, 3)), TypeError, "a shape is whole numbers"),
        (((-1, 3), (4, 3)), ValueError, "negative|below"),
        (((1, 3), (-4, 3)), ValueError, "axis -2"),
        (((1,), (2**62, 2)), ValueError, "2\\*\\*63|bytes"),
        (((1,), (10**30,)), ValueError, "axis -1"),
        (((1, 3), (4, 3), "everybody"), ValueError, "writes must be one of nobody, source"),
        (((1, 3), (4, 3), ["nobody"]), ValueError, "writes must be one of"),
        (((1, 3), (4, 3), "nobody", None), ValueError, "learns must be one of"),
        (((1, 3), (4, 3), "nobody", "nobody", "print"), ValueError, "then must be one of"),
    ],
)
def test_bad_input_is_refused_in_words(arguments, error, said):
    with pytest.raises(error, match=said):
        zs.advise(*arguments)


@pytest.mark.parametrize(
    "more", [{"library": "jax"}, {"dtype": "complex64"}, {"dtype": np.float64}, {"pattern": "ABAB"}]
)
def test_unknown_names_are_refused(more):
    (name,) = more
    with pytest.raises(ValueError, match=f"{name} must be one of"):
        zs.advise((1, 3), (4, 3), **more)


def test_huge_shapes_allocate_nothing():
    zs.advise((1, 1, 4), (2, 3, 4))
    tracemalloc.start()
    try:
        for writes, learns, then in COMBINATIONS:
            zs.advise((1, 2**20, 2**10), (2**20, 2**20, 2**10), writes, learns, then)
        zs.advise((2**30,), (2**40,), pattern="each")
        zs.advise((1,) * 50, (2,) * 50)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_without_elements_checks_are_not_applicable():
    advice = zs.advise((0, 3), (4, 0, 3), then="dense")
    assert {check.status for check in advice.checks} == {"not_applicable"}
    assert "not applicable" in str(advice)


def test_minus_one_keeps_a_size_in_torch():
    pytest.importorskip("torch")
    advice = zs.advise((1, 3), (4, -1), then="dense", library="torch")
    assert advice.code["torch"] == "y = x.expand(4, 3)"


def test_numpy_alone_loads_no_torch():
    asked = "zs.advise((1, 3), (4, 3), learns='shared')"
    program = f"import sys, zerostride as zs; str({asked}); print('torch' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"


def test_checks_pass_in_any_mode_of_torch_and_leave_it():
    torch = pytest.importorskip("torch")
    asked = {"learns": "shared", "then": "optimizer_loop", "library": "torch"}
    torch.set_default_device("meta")
    try:
        with torch.inference_mode():
            assert list(faults(zs.advise((1, 3), (4, 3), **asked))) == []
            assert torch.is_inference_mode_enabled()
        with torch.no_grad():
            assert list(faults(zs.advise((1, 3), (4, 3), **asked))) == []
            assert not torch.is_grad_enabled()
    finally:
        torch.set_default_device("cpu")


def test_random_shapes_have_answers_whose_checks_pass():
    dice = random.Random(0)
    for _ in range(150):
        source = tuple(dice.choice([1, 1, 2, 3, 5, 40]) for _ in range(dice.randint(0, 4)))
        grown = tuple(size * dice.choice([1, 2, 3] if size > 1 else [1, 4, 7, 300]) for size in source)
        target = tuple(dice.choice([1, 2, 9]) for _ in range(dice.randint(0, 2))) + grown
        if dice.random() < 0.1:
            target = (*target, 7)
        asked = {name: dice.choice(known) for name, known in REQUIREMENTS.items()}
        advice = zs.advise(source, target, **asked, pattern=dice.choice([None, "whole", "each"]))
        assert list(faults(advice)) == [], str(advice)


def test_without_torch_the_answer_stands_and_says_that_nothing_was_run(monkeypatch):
    monkeypatch.setattr(checking, "find_spec", lambda _: None)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    advice = zs.advise((1, 3), (4, 3), library="torch")
    assert {check.status for check in advice.checks} == {"not_run"}
    assert advice.answer == "leave_to_broadcasting"


def test_costs_are_those_of_budget():
    advice = zs.advise((1, 1, 4096), (32, 2048, 4096), then="dense", library="torch", dtype="float32")
    assert (advice.cost.new_peak_bytes, advice.cost_otherwise.new_peak_bytes) == (2**30, 2**31)
    reshape = zs.advise((1, 2, 2), (100, 2, 2), then="reshape", dtype="float32")
    assert (reshape.cost.new_peak_bytes, reshape.cost_otherwise.new_peak_bytes) == (0, 1600)
    blocks = zs.advise((2, 3), (4, 3), pattern="whole")
    assert (blocks.cost.source_bytes, blocks.cost.new_peak_bytes) == (48, 96)
    own = zs.advise((1, 3), (4, 3), learns="each_copy", library="torch")
    assert own.cost.source_bytes == 96


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_survive_a_console(language):
    use(language)
    for shapes in SHAPES.values():
        for advice in list(every("numpy", shapes))[::5]:
            assert str(advice).encode("gbk")


@pytest.mark.parametrize("shapes", [((4, 3), (3,)), ((2, 3), (6,)), ((2, 2, 2), ())])
def test_fewer_axes_do_not_fit_and_have_words(shapes):
    told = zs.advise(*shapes)
    assert told.answer == "impossible"
    assert told.reasons
    assert str(told)


@pytest.mark.parametrize(
    ("shapes", "code"),
    [
        (((12,), (4, 3)), "x.reshape(4, 3)"),
        (((2, 3), (6,)), "x.reshape(6,)"),
        (((4,), (4, 3)), ""),
        (((5,), (4, 3)), ""),
    ],
)
def test_a_reshape_that_would_fit_is_named(shapes, code):
    named = [reason for reason in zs.advise(*shapes).reasons if 'then="reshape"' in reason]
    assert len(named) == bool(code)
    assert code in "".join(named)


SAME = {
    ("broadcasts", "each_copy_in_place"): ("x.copy()", "x.detach().clone()"),
    ("reshape", "nobody"): ("x.reshape(12)", "x.reshape(12)"),
    ("dense", "nobody"): ("x", "x"),
    ("contiguous", "nobody"): ("x.copy()", "x.clone(memory_format=torch.contiguous_format)"),
}


@pytest.mark.parametrize("asked", SAME)
def test_a_shape_that_stays_needs_no_expansion(asked):
    then, writes = asked
    code = zs.advise((4, 3), (4, 3), then=then, writes=writes).code
    assert tuple(line.removeprefix("y = ") for line in code.values()) == SAME[asked]


def repeats_in_name_alone():
    """Yield every combination whose answer is called repeat, and whose code repeats nothing."""
    for shapes in SHAPES.values():
        for advice in every("numpy", shapes):
            if advice.answer == "repeat" and "np.tile" not in advice.code["numpy"]:
                yield advice.growth.source, advice.growth.target, advice.requirements


def test_what_is_called_repeat_repeats(monkeypatch):
    assert list(repeats_in_name_alone()) == []
    without = tuple(rule for rule in RULES if rule.because != "own_block")
    monkeypatch.setattr(decisions, "RULES", without)
    assert {(source, target) for source, target, _ in repeats_in_name_alone()} == {((2, 3), (2, 3))}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_brief_form_says_answer_and_reasons_alone(language):
    use(language)
    advice = zs.advise((1, 28), (10, 28), writes="each_copy_in_place")
    shown = str(advice.brief)
    assert all(text in shown for text in (advice.words, *advice.reasons))
    others = [check.told for check in advice.checks] + advice.open_questions + [advice.code["numpy"]]
    assert all(text in str(advice) for text in others)
    assert not any(text in shown for text in others)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_value_of_every_requirement_is_listed_and_taken(language):
    use(language)
    rows, argument, listed = zs.requirements().table().rows, "", {}
    for name, value, meaning in rows:
        argument = name or argument
        listed.setdefault(argument, []).append(value)
        assert zs.advise((1, 3), (4, 3), **{argument: value}).requirements[argument] == value
        assert meaning
    assert {name: tuple(values) for name, values in listed.items()} == REQUIREMENTS
    assert str(len(ANSWERS)) in str(zs.requirements())


def test_a_block_is_contiguous_even_from_a_transposed_source():
    torch = pytest.importorskip("torch")
    for source, writes in (((4, 3), "nobody"), ((1, 4, 3), "each_copy_in_place")):
        told = zs.advise(source, (*(2,) * (len(source) - 2), 4, 3), then="contiguous", writes=writes)
        x = torch.ones(source).mT.contiguous().mT
        names = {"x": x, "torch": torch}
        exec(told.code["torch"], names)
        assert not x.is_contiguous()
        assert names["y"].is_contiguous()


@pytest.mark.parametrize(("learns", "name"), [("shared", "derivative"), ("each_copy", "derivative_of_each")])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_gradient_is_added_up_only_where_one_value_learns(learns, name, language):
    use(language)
    told = zs.advise((1, 3), (4, 3), learns=learns)
    named = [each for each in told.to_dict()["open_questions"] if each.startswith("derivative")]
    assert named == [name]
    wrong = {"en": "add up the incoming gradient", "zh": "沿变长的轴相加"}.get(language, "")
    assert (wrong in str(told)) == (learns == "shared")


@pytest.mark.parametrize("writes", ["nobody", "each_copy", "each_copy_in_place", "source"])
def test_training_changes_the_source_only_where_its_edits_show(writes):
    torch = pytest.importorskip("torch")
    told = zs.advise((1, 3), (4, 3), writes, "shared", library="torch")
    names = {"torch": torch, "x": torch.ones(1, 3), "other": torch.ones(4, 3)}
    exec(told.code["torch"], names)
    with torch.no_grad():
        names["w"] -= 1
    assert (names["x"].sum() == 0) == (writes == "source")


def test_small_instances_are_unequal_where_the_shapes_allow():
    assert zs.advise((8,), (32, 8)).checked_shapes == ((3,), (2, 3))
    dice = random.Random(1)
    for _ in range(200):
        source = tuple(dice.choice([1, 9, 50]) for _ in range(dice.randint(1, 3)))
        grown = tuple(size if size > 1 else dice.choice([1, 70]) for size in source)
        small = zs.advise(source, (8, *grown)).checked_shapes[1]
        longer = [size for size in small if size > 1]
        if max(np.prod(source), np.prod((8, *grown))) > 64:
            assert len(set(longer)) == len(longer), (source, grown, small)


@pytest.mark.parametrize("library", LIBRARIES)
def test_equal_peaks_on_small_arrays_are_explained(library):
    told = zs.advise((8,), (32, 8), library=library)
    equal = told.cost.new_peak_bytes == told.cost_otherwise.new_peak_bytes
    assert equal == ("small buffer" in str(told)) == (library == "numpy")
    assert "small buffer" not in str(told.brief)
