"""The eight questions before the course and the parallel ones after it: one form, facts that hold."""

import re
import sys
from dataclasses import replace

import numpy as np
import pytest

import zerostride as zs
from zerostride.quiz.exercises import every_exercise

EXERCISES = every_exercise()
TOPICS = [name.removeprefix("pre-") for name in EXERCISES if name.startswith("pre-")]
FORMS = ["pre", "post"]


def shapes_in(text):
    """Every shape, such as ``(4, 3)``, that a text names."""
    return [tuple(map(int, re.findall(r"\d+", found))) for found in re.findall(r"\((?:\d+, ?)+\d*\)", text)]


def question(form, topic):
    return EXERCISES[f"{form}-{topic}"].question["en"]


def right(form, topic):
    asked = EXERCISES[f"{form}-{topic}"]
    return next(choice.text["en"] for choice in asked.choices if choice.id == asked.right)


def wrong(form, topic):
    asked = EXERCISES[f"{form}-{topic}"]
    return {choice.id: choice.text["en"] for choice in asked.choices if choice.id != asked.right}


def not_parallel(one, other):
    """What two questions of one topic do not have in common: their right choice, or their misconceptions."""
    found = [] if one.right == other.right else ["right"]
    same = {choice.id for choice in one.choices} == {choice.id for choice in other.choices}
    return found if same else [*found, "choices"]


def at_the_same_letter(one, other):
    """The choices that stand at the same letter in both: letters learnt by heart would be right again."""
    pairs = zip(one.choices, other.choices, strict=True)
    return [here.id for here, there in pairs if here.id == there.id]


def test_there_are_eight_and_their_parallels_in_the_same_order():
    assert len(TOPICS) == 8
    assert [name.removeprefix("post-") for name in EXERCISES if name.startswith("post-")] == TOPICS
    lessons = {EXERCISES[f"{form}-{topic}"].lesson for form in FORMS for topic in TOPICS}
    assert lessons == {"00_start_here", "08_expand_or_repeat"}


@pytest.mark.parametrize("topic", TOPICS)
def test_both_forms_ask_for_the_same_with_other_values(topic):
    one, other = (EXERCISES[f"{form}-{topic}"] for form in FORMS)
    assert not_parallel(one, other) == []
    assert one.question["en"] != other.question["en"]
    assert one.kind == other.kind == "predict"


def test_a_form_that_is_not_parallel_is_found():
    assert not_parallel(EXERCISES["pre-address"], EXERCISES["post-axes"]) == ["right", "choices"]


@pytest.mark.parametrize("topic", TOPICS)
def test_no_letter_is_right_or_wrong_for_the_same_reason_twice(topic):
    one, other = (EXERCISES[f"{form}-{topic}"] for form in FORMS)
    assert at_the_same_letter(one, other) == []


def test_letters_that_agree_are_found():
    one, other = EXERCISES["pre-axes"], EXERCISES["post-axes"]
    assert at_the_same_letter(one, one) == [choice.id for choice in one.choices]
    assert at_the_same_letter(one, replace(other, choices=[*other.choices[1:3], *one.choices[2:]])) == [
        "divides",
        "size-one",
    ]


def test_the_right_answers_stand_in_all_places():
    for form in FORMS:
        asked = [EXERCISES[f"{form}-{topic}"] for topic in TOPICS]
        places = [[choice.id for choice in each.choices].index(each.right) for each in asked]
        assert {places.count(place) for place in range(4)} == {2}


@pytest.mark.parametrize("form", FORMS)
def test_addresses(form):
    source_shape, view_shape, element = shapes_in(question(form, "address"))
    dtype = re.search(r"float32|int64", question(form, "address"))[0]
    source = np.ones(source_shape, dtype)
    view, tiled = np.broadcast_to(source, view_shape), np.tile(source, (view_shape[0], 1))
    offset = zs.layout(view).offset_bytes(element)
    given = {name: int(text) for name, text in wrong(form, "address").items()}
    assert int(right(form, "address")) == offset
    assert given["stored-rows"] == zs.layout(tiled).offset_bytes(element)
    assert given["elements"] * view.itemsize == offset
    assert given["axes-swapped"] == element[0] * view.itemsize


@pytest.mark.parametrize("form", FORMS)
def test_axes(form):
    (target,) = shapes_in(question(form, "axes"))
    shapes = [shapes_in(choice.text["en"])[0] for choice in EXERCISES[f"{form}-axes"].choices]
    assert [shape for shape in shapes if zs.can_expand(shape, target)] == shapes_in(right(form, "axes"))


@pytest.mark.parametrize("form", FORMS)
def test_an_edit_of_one_row_needs_a_copy(form):
    shape = {"pre": (64, 300), "post": (12, 9)}[form]
    assert str(shape[0]) in question(form, "choice")
    assert str(shape[1]) in question(form, "choice")
    row = np.zeros((1, shape[1]))
    view, copied = np.broadcast_to(row, shape), np.tile(row, (shape[0], 1))
    with pytest.raises(ValueError, match="read-only"):
        view[0] += 1.0
    copied[0] += 1.0
    assert (row.any(), copied[1:].any(), copied[0].all()) == (False, False, True)


@pytest.mark.parametrize("form", FORMS)
def test_bytes(form):
    source_shape, view_shape = shapes_in(question(form, "bytes"))
    x = np.ones(source_shape, re.search(r"float32|float64", question(form, "bytes"))[0])
    y = np.broadcast_to(x, view_shape)
    bytes_in = {name: int(text.replace(",", "")) for name, text in wrong(form, "bytes").items()}
    measured = zs.measure(lambda rows: rows + 1, y)
    result_bytes = (y + 1).nbytes
    assert int(right(form, "bytes").replace(",", "")) == result_bytes
    assert result_bytes <= measured.forward_peak_bytes < 1.1 * result_bytes
    assert bytes_in["one-row"] == x.nbytes
    assert f"{x.nbytes:,} bytes" in question(form, "bytes")
    assert bytes_in["filled-first"] == 2 * result_bytes


@pytest.mark.parametrize("form", FORMS)
def test_copies(form):
    torch = pytest.importorskip("torch")
    given = [int(number) for number in re.findall(r"\d+", question(form, "copies").split("]")[0])]
    seen = torch.tensor(given).repeat(2).tolist()
    assert right(form, "copies") == ", ".join(map(str, seen))
    assert wrong(form, "copies")["elements"] == ", ".join(map(str, np.repeat(given, 2)))
    assert wrong(form, "copies")["stacked"] == str([given, given])


@pytest.mark.parametrize("form", FORMS)
def test_writes(form):
    torch = pytest.importorskip("torch")
    x, y, write = re.search(
        r"x = (torch\S+ ?[^)]*\)), y = (x\.expand\(\d, \d\))\. Then (.+) is run", question(form, "writes")
    ).groups()
    names = {"torch": torch, "x": eval(x)}
    names["y"] = eval(y, names)
    exec(write, names)
    line, place = {"pre": ("first column", (0, 0)), "post": ("second row", (1, 0))}[form]
    seen = names["y"][:, 0] if form == "pre" else names["y"][1]
    values = ", ".join(f"{value:g}" for value in seen.tolist())
    said = f"The {line} of y becomes {values}, and x[{place[0]}, {place[1]}] becomes {names['x'][place]:g}"
    assert right(form, "writes") == said


@pytest.mark.parametrize("form", FORMS)
def test_derivatives(form):
    torch = pytest.importorskip("torch")
    shape, *_ = shapes_in(question(form, "derivatives"))
    count = int(re.search(r"repeat\((\d), 1\)", question(form, "derivatives"))[1])
    x = torch.ones(shape, requires_grad=True)
    x.repeat(count, 1).sum().backward()
    assert shapes_in(right(form, "derivatives")) == [tuple(x.grad[0].int().tolist())]


@pytest.mark.parametrize("form", FORMS)
def test_parameters(form):
    torch = pytest.importorskip("torch")
    shape, *_ = shapes_in(question(form, "parameters"))
    count = int(re.search(r"repeat\((\d), 1\)", question(form, "parameters"))[1])
    row = torch.nn.Parameter(torch.zeros(shape))
    copied = row.repeat(count, 1)
    assert int(right(form, "parameters")) == row.numel()
    assert int(wrong(form, "parameters")["copies-learn"]) == copied.numel()
    assert not copied.is_leaf


def test_what_settles_sharing_is_what_numpy_says():
    """Of two pairs, one that shares and one that does not, only the right tests tell them apart."""
    source = np.array([[1.0, 2.0, 3.0]])
    view, tiled = np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))
    tests = [
        str,
        lambda x: (x == source).all(),
        lambda x: id(x) == id(source),
        lambda x: x.base is None,
        lambda x: x.nbytes,
        lambda x: np.shares_memory(x, source),
    ]
    told_apart = [bool(str(test(view)) != str(test(tiled))) for test in tests]
    assert EXERCISES["settles-sharing"].right[0] == told_apart


def test_results_without_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    counts = zs.checks.run().counts
    assert EXERCISES["without-torch"].right == [[counts[name] for name in ("passed", "failed", "not_run")]]


def test_bytes_of_five_by_two():
    results = zs.checks.run(5, 2, "float32", ["numpy"]).results
    evidence = next(each for each in results if each.claim == "logical_bytes_exceed_stored_bytes").evidence
    said = [evidence["view_stored_bytes"], evidence["view_logical_bytes"]]
    assert EXERCISES["bytes-of-five-by-two"].right == [said], evidence
