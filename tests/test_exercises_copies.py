"""What the exercises of lesson 3 call right and wrong is what NumPy and torch do."""

import numpy as np
import pytest

import zerostride as zs
from zerostride.quiz.exercises import every_exercise
from zerostride.quiz.judges import judge

EXERCISES = every_exercise()


def answers(name):
    """The first answer of every mistake of an exercise."""
    return {mistake.id: mistake.answers[0] for mistake in EXERCISES[name].wrong}


def chosen_as_right(name):
    exercise = EXERCISES[name]
    return next(choice.text["en"] for choice in exercise.choices if choice.id == exercise.right)


def five_names():
    source = np.array([[1.0, 2.0, 3.0]])
    view = np.broadcast_to(source, (4, 3))
    return {
        "source": source,
        "view": view,
        "flat": view.reshape(12),
        "folded": view.reshape(2, 2, 3),
        "once": np.tile(source, (1, 1)),
    }


def test_base_is_no_test_of_sharing():
    source = np.array([[1.0, 2.0, 3.0]])
    tiled = np.tile(source, (4, 1))
    assert chosen_as_right("base-of-tiled") == f"{tiled.base is None}, {np.shares_memory(source, tiled)}"
    assert not np.shares_memory(source, tiled.base)


def test_reshape_of_the_view_copies_ninety_six_bytes():
    names = five_names()
    reshape = zs.reshape_copies(names["view"], 12)
    assert reshape.copies
    assert chosen_as_right("reshape-of-view") == f"A copy that stores {reshape.copied_bytes} bytes"
    assert zs.layout(names["flat"]).storage_bytes == reshape.copied_bytes


def test_bytes_of_the_five_names():
    names = five_names()
    wrong = answers("stored-together")
    seen = zs.storages(**names)
    assert EXERCISES["stored-together"].right == [seen.total_bytes]
    assert wrong["all-views"] == names["source"].nbytes
    assert wrong["reshape-never-copies"] == seen.total_bytes - names["flat"].nbytes
    assert wrong["once-is-no-copy"] == seen.total_bytes - names["once"].nbytes
    assert wrong["reshape-always-copies"] == seen.total_bytes + names["folded"].nbytes
    assert wrong["the-other-reshape"] == seen.total_bytes + names["folded"].nbytes - names["once"].nbytes
    assert wrong["nbytes-added"] == sum(x.nbytes for x in names.values())
    assert wrong["counted-per-name"] == sum(zs.layout(x).touched_bytes for x in names.values())
    assert wrong["elements"] * names["source"].itemsize == seen.total_bytes


def test_one_name_two_operations():
    torch = pytest.importorskip("torch")
    row = [1, 2, 3]
    one, other = np.repeat(row, 2).tolist(), torch.tensor(row).repeat(2).tolist()
    assert EXERCISES["repeat-twice"].right == [[one, other]]
    wrong = answers("repeat-twice")
    assert wrong["swapped"] == [other, one]
    assert wrong["both-rows"] == [np.tile(row, 2).tolist(), other]
    assert wrong["both-elements"] == [one, torch.tensor(row).repeat_interleave(2).tolist()]
    assert wrong["two-more"] == [np.repeat(row, 3).tolist(), torch.tensor(row).repeat(3).tolist()]


def test_counts_of_repeat_do_what_their_diagnosis_says():
    torch = pytest.importorskip("torch")
    leaf = torch.tensor([[1.0, 2.0, 3.0]])
    source = leaf.numpy()
    right = leaf.repeat(*EXERCISES["tile-in-torch"].right[0])
    assert np.array_equal(right.numpy(), np.tile(source, 4))
    shapes = {}
    for mistake in EXERCISES["tile-in-torch"].wrong:
        for counts in mistake.answers:
            counts = counts if isinstance(counts, list) else [counts]
            try:
                shapes.setdefault(mistake.id, []).append(tuple(leaf.repeat(*counts).shape))
            except RuntimeError:
                shapes.setdefault(mistake.id, []).append("raises")
    assert (1, 12) not in [shape for several in shapes.values() for shape in several]
    assert set(shapes["one-count"]) == set(shapes["minus-one"]) == {"raises"}
    assert shapes["rows-repeated"] == [(4, 3)]
    assert shapes["both-repeated"] == [(4, 12)]
    assert all(len(shape) == 3 for shape in shapes["third-axis"])
    assert shapes["only-copied"] == [tuple(leaf.shape)]
    assert shapes["source-shape"] == [(1, 9)]


def test_contiguous_copies_what_the_answer_says():
    torch = pytest.importorskip("torch")
    leaf = torch.tensor([[1.0, 2.0, 3.0]])
    repeated = leaf.repeat(4, 1)
    asked = [leaf, leaf.expand(4, 3), repeated, repeated.T]
    copies = [not zs.compare(x, x.contiguous()).same_storage for x in asked]
    assert EXERCISES["contiguous-copies"].right == [copies, list(map(int, copies))]
    assert [x.contiguous() is x for x in asked] == [not each for each in copies]
    assert answers("contiguous-copies")["inverted"] == [x.is_contiguous() for x in asked]
    assert asked[3].stride() == (1, 3)


def test_answers_as_tensors_are_read():
    torch = pytest.importorskip("torch")
    row = torch.tensor([1, 2, 3])
    pair = row.repeat_interleave(2), row.repeat(2)
    assert judge(EXERCISES["repeat-twice"], pair).status == "right"
    assert judge(EXERCISES["repeat-twice"], pair[::-1]).mistake == "swapped"
    assert judge(EXERCISES["tile-in-torch"], torch.Size((1, 4))).status == "right"


def test_clone_has_storage_of_its_own_and_keeps_the_path():
    torch = pytest.importorskip("torch")
    x = torch.ones(1, 3, requires_grad=True)
    y = x.clone()
    y.sum().backward()
    own, arrived = not zs.compare(x.detach(), y.detach()).same_storage, x.grad is not None
    assert (own, arrived) == (True, True)
    assert EXERCISES["clone-and-path"].right == "own-and-kept"
