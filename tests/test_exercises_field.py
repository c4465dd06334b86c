"""Lesson 9 retells open cases, names their threads, and says of them what NumPy and torch say."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import zerostride as zs
from zerostride.quiz.exercises import every_exercise

LESSON = "09_field_cases"
NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
MINE = {name: each for name, each in every_exercise().items() if each.lesson == LESSON}
LANGUAGES = ["en", "zh"]
THREAD = re.compile(r"\]\((https://(?:github\.com|stackoverflow\.com|blog\.csdn\.net)/[^)\s]+)\)")


def cells(language):
    return json.loads((NOTEBOOKS / language / f"{LESSON}.ipynb").read_text("utf-8"))["cells"]


def threads(found):
    """Links to threads, by the cell that names them."""
    by_cell = {cell["id"]: THREAD.findall("".join(cell["source"])) for cell in found}
    return {name: links for name, links in by_cell.items() if links}


def retold(links, sources):
    """Ids of the cases that a list of links names; an unknown link is an error."""
    return {next(case for case, known in sources.items() if link in known) for link in links}


@pytest.fixture(scope="module")
def sources():
    pytest.importorskip("torch")
    from cases.cases import CASES

    return {case["id"]: re.findall(r"https://\S+", case["source"]) for case in CASES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_at_least_twelve_open_cases_four_of_them_core(language, sources):
    named = threads(cells(language))
    by_cell = {name: retold(links, sources) for name, links in named.items()}
    assert all(len(ids) == 1 for ids in by_cell.values())
    extra = {cell["id"] for cell in cells(language) if "extra" in cell["metadata"].get("tags", [])}
    assert len(set.union(*by_cell.values())) == len(by_cell) >= 12
    assert len(set(by_cell) - extra) >= 4


def test_an_unknown_thread_is_found(sources):
    assert retold(["https://github.com/numpy/numpy/issues/22925"], sources) == {"H01_nbytes"}
    with pytest.raises(StopIteration):
        retold(["https://github.com/numpy/numpy/issues/1"], sources)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_prediction_comes_before_its_evidence(language):
    ids = [cell["id"] for cell in cells(language)]
    cases = [name.removeprefix("predict-") for name in ids if name.startswith("predict-")]
    assert len(cases) == len([each for each in MINE.values() if each.kind == "predict"])
    for case in cases:
        order = [
            ids.index(f"{part}-{case}") for part in ("ask", "symptom", "predict", "run-evidence", "explain")
        ]
        assert order == sorted(order)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_explanation_names_the_right_choice(language):
    said = {"en": "The right answer was", "zh": "**正确答案：**"}.get(language, "")
    explained = ["".join(cell["source"]) for cell in cells(language) if cell["id"].startswith("explain-")]
    assert [said in text for text in explained] == [True] * len(explained)


def test_no_position_gives_the_right_choice_away():
    asked = [each for each in MINE.values() if each.kind == "predict"]
    places = [[choice.id for choice in each.choices].index(each.right) for each in asked]
    assert max(places.count(place) for place in range(4)) <= len(asked) / 2
    assert any(each.right == "no-fault" for each in asked)


def test_numpy_numbers_of_the_questions():
    counts = np.broadcast_to(np.array(0), (10, 10**12))
    assert counts.nbytes == 80 * 10**12
    windows = sliding_window_view(np.arange(36.0).reshape(6, 6), (3, 3))
    assert np.shares_memory(windows[0, 0], windows[1, 1])
    assert 0 not in windows.strides
    level = np.array([8.0, 4.0, 2.0])
    earlier = level[:]
    level /= 2
    assert abs(level - earlier).max() == 0
    lines = np.broadcast_to(np.ones((1, 1024)), (64, 1024))
    assert zs.bytes_of(lines.astype(np.float32)).storage_bytes == 256 * 1024


def test_single_precision_drowns_what_double_precision_shows():
    x, weights = np.float32([[1, 2, 3]]), np.arange(1, 13, dtype=np.float32).reshape(4, 3)

    def loss(x):
        return (np.broadcast_to(x, (4, 3)) * weights).sum()

    off = np.abs(zs.finite_difference(loss, x, step=1e-5).values - [[22, 26, 30]])
    assert off.max() > 0.3
    doubled = zs.finite_difference(loss, x.astype(np.float64), step=1e-5).values
    assert np.allclose(doubled, [[22, 26, 30]], rtol=1e-8)


def test_torch_numbers_of_the_questions():
    torch = pytest.importorskip("torch")
    near, far = torch.ones(50, 8, requires_grad=True), torch.zeros(60, 8)
    kept = zs.saved_for_backward(lambda near: ((near[:, None] - far[None]) ** 2).sum(-1).sum(), near)
    assert (zs.bytes_of(near, far).storage_bytes, kept.stored_bytes) == (3520, 96_000)
    assert torch.cdist(near, far).numel() * near.element_size() == 12_000
    weight = torch.tensor(1.0, requires_grad=True)
    snapshot = weight.clone()
    (snapshot * 3).backward()
    assert weight.grad == 3
    x = torch.zeros(3, requires_grad=True)
    active = x.sigmoid()
    total = active.sum()
    active.detach().zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        total.backward()


def test_a_column_meets_a_row_of_targets():
    torch = pytest.importorskip("torch")
    inputs, targets = torch.arange(4.0)[:, None], 2 * torch.arange(4.0) + 1
    assert ((2 * inputs + 1 - targets[:, None]) ** 2).mean() == 0
    all_pairs = (torch.full((4, 1), 4.0) - targets) ** 2
    assert (all_pairs.shape, all_pairs.mean().item()) == ((4, 4), 5)
    with pytest.warns(UserWarning, match="different to the input size"):
        torch.nn.functional.mse_loss(inputs, targets)


def test_two_libraries_repeat_in_two_orders():
    torch = pytest.importorskip("torch")
    shown, named = torch.tensor([1, 2, 3]).repeat(2).numpy(), np.repeat([1, 2, 3], 2)
    assert (shown == named).tolist() == [True, False, False, False, False, True]
    assert (np.tile([1, 2, 3], 2) == shown).all()


def test_an_overlap_that_torch_does_not_notice():
    torch = pytest.importorskip("torch")
    days = np.arange(1.0, 10.0).reshape(3, 3)
    apart = days.copy()
    apart[:, 1:] = days[:, 1:] + days[:, :-1]
    in_numpy, in_torch, cloned = days.copy(), torch.tensor(days), torch.tensor(days)
    in_numpy[:, 1:] += in_numpy[:, :-1]
    in_torch[:, 1:] += in_torch[:, :-1]
    cloned[:, 1:] += cloned[:, :-1].clone()
    assert (in_numpy == apart).all()
    assert (cloned.numpy() == apart).all()
    assert (in_torch.numpy()[:, 2] > apart[:, 2]).all()
