"""What lesson 7 and its exercises say about bytes is what NumPy, torch and the budgets say."""

import io

import numpy as np
import pytest

from zerostride.memory import budget, bytes_of, in_units, saved_for_backward
from zerostride.quiz.exercises import every_exercise

EXERCISES = every_exercise()
FULL, SOURCE = (32, 2048, 4096), (1, 1, 4096)


def chosen_as_right(name):
    exercise = EXERCISES[name]
    return next(choice.text["en"] for choice in exercise.choices if choice.id == exercise.right)


def stored(*arrays):
    return [bytes_of(each).storage_bytes for each in arrays]


def new_bytes(result, *sources):
    """Storage of a result that none of the sources has already."""
    return bytes_of(*sources, result).storage_bytes - bytes_of(*sources).storage_bytes


def test_a_sum_has_ninety_six_bytes_of_its_own():
    source = np.array([[1.0, 2.0, 3.0]])
    view, ones = np.broadcast_to(source, (4, 3)), np.ones((4, 3))
    assert chosen_as_right("bytes-of-a-sum").startswith(f"{new_bytes(view + ones, source, ones)}: ")
    assert new_bytes(view[:2], source, ones) == 0


def test_peak_of_a_sum():
    bill = budget(FULL, "float16", SOURCE, ["shift"])
    assert chosen_as_right("peak-of-a-sum") == in_units(bill.peak_bytes)
    texts = {choice.id: choice.text["en"] for choice in EXERCISES["peak-of-a-sum"].choices}
    assert texts["copy-too"] == in_units(budget(FULL, "float16", SOURCE, ["shift"], way="repeat").peak_bytes)
    assert texts["source-alone"] == in_units(bill.source_bytes)


def test_which_calls_allocate():
    rows = np.broadcast_to(np.ones((1, 1024)), (64, 1024))
    calls = [rows.reshape(-1), rows.reshape(8, 8, 1024), rows.astype(np.float32)]
    assert [new_bytes(call, rows) for call in calls] == [512 * 1024, 0, 256 * 1024]
    assert chosen_as_right("allocates-after-expand") == "reshape(-1) and astype"


def test_a_square_saves_its_input_as_it_is_stored():
    torch = pytest.importorskip("torch")
    x = torch.ones(1, 3, dtype=torch.float64, requires_grad=True)
    ways = [lambda x: x.expand(4, 3), lambda x: x.repeat(4, 1)]
    kept = [saved_for_backward(lambda x, way=way: (way(x) ** 2).sum(), x).stored_bytes for way in ways]
    assert chosen_as_right("saved-for-a-square") == f"{kept[0]} and {kept[1]}"


def test_peaks_in_float32():
    peaks = [budget(FULL, "float32", SOURCE, ["shift"], way=way).peak_bytes for way in ("expand", "repeat")]
    assert EXERCISES["peaks-in-float32"].right == [peaks]
    answers = {mistake.id: mistake.answers for mistake in EXERCISES["peaks-in-float32"].wrong}
    half = [budget(FULL, "float16", SOURCE, ["shift"], way=way).peak_bytes for way in ("expand", "repeat")]
    assert answers["two-bytes-each"][0] == half
    assert answers["elements"][0] == [peak // 4 for peak in peaks]


def test_new_bytes_of_four_calls():
    column = np.ones((6, 1), np.float32)
    wide = np.broadcast_to(column, (6, 4))
    calls = [wide.T, wide.reshape(24), wide.reshape(2, 3, 4), wide.astype(np.float64)]
    assert EXERCISES["new-bytes-of-four-calls"].right == [[new_bytes(call, column) for call in calls]]
    answers = {mistake.id: mistake.answers for mistake in EXERCISES["new-bytes-of-four-calls"].wrong}
    assert [call.nbytes for call in calls] in answers["nbytes"]


def test_order_of_two_calls():
    x = np.ones((1, 2, 1), np.float32)
    early = np.broadcast_to(x, (64, 2, 2)).reshape(64, 4)
    late = np.broadcast_to(np.broadcast_to(x, (1, 2, 2)).reshape(1, 4), (64, 4))
    assert np.array_equal(early, late)
    assert EXERCISES["order-of-two-calls"].right == [stored(early, late)]


def test_a_slice_in_a_file_brings_its_whole_storage():
    torch = pytest.importorskip("torch")
    big = torch.ones(2048, 8)

    def in_file(tensor):
        with io.BytesIO() as file:
            torch.save(tensor, file)
            file.seek(0)
            return torch.load(file).untyped_storage().nbytes()

    assert EXERCISES["slice-in-a-file"].right == [[in_file(big[:1]), in_file(big[:1].clone())]]
