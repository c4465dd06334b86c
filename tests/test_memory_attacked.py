"""What would be a confidently wrong number is counted right, told beside it, or refused in words."""

import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest

import zerostride as zs
from zerostride.memory import room
from zerostride.pairs.typography import HAN

CLOSED = """
import os, torch, zerostride as zs
os.close(2)
print(zs.measure(lambda x: x.clone(), torch.ones(64, 4096)).kept_bytes)
"""


@pytest.mark.parametrize(("language", "words"), [("en", "torch held"), ("zh", "torch另外")])
def test_torch_inside_a_numpy_program_is_told(language, words):
    torch = pytest.importorskip("torch")
    zs.use(language)
    seen = zs.measure(lambda x: torch.from_numpy(x) + 1, np.ones((64, 4096)))
    assert seen.uncounted_bytes >= 64 * 4096 * 8
    assert words in str(seen)
    assert zs.measure(lambda x: x + 1, np.ones((64, 4096))).uncounted_bytes == 0


def test_torch_imported_by_the_program_is_told_too():
    pytest.importorskip("torch")
    program = """
import numpy as np, zerostride as zs
def f(x):
    import torch
    return torch.from_numpy(x) + 1
print(zs.measure(f, np.ones((64, 4096))).uncounted_bytes >= 64 * 4096 * 8)
"""
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "True\n"


@pytest.mark.parametrize(
    ("language", "words"), [("en", "NumPy and Python held"), ("zh", "NumPy和Python另外")]
)
def test_numpy_inside_a_torch_program_is_told(language, words):
    torch = pytest.importorskip("torch")
    zs.use(language)
    seen = zs.measure(lambda x: torch.from_numpy(x.numpy() + 1), torch.ones(64, 4096))
    assert seen.uncounted_bytes >= 64 * 4096 * 4
    assert words in str(seen)
    alone = zs.measure(lambda x: (x + 1).sum(), torch.ones(64, 4096, requires_grad=True))
    assert alone.uncounted_bytes == 0


@pytest.mark.parametrize(("language", "words"), [("en", "another thread"), ("zh", "其他线程")])
def test_a_result_of_another_thread_is_told(language, words):
    torch = pytest.importorskip("torch")
    zs.use(language)

    def f(x):
        made = []
        worker = threading.Thread(target=lambda: made.append(x + 1))
        worker.start()
        worker.join()
        return made

    x = torch.ones(64, 4096)
    seen = zs.measure(f, x)
    assert seen.elsewhere_bytes == 64 * 4096 * 4
    assert words in str(seen)
    here = [zs.measure(g, x).elsewhere_bytes for g in (lambda x: x + 1, lambda x: x[:1], lambda x: None)]
    assert here == [0, 0, 0]


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_has_not_run_is_not_counted(library, language):
    zs.use(language)
    x = np.ones(3) if library == "numpy" else pytest.importorskip("torch").ones(3, requires_grad=True)

    async def later(x):
        return x + 1

    lazy = (lambda x: (x + k for k in range(3)), lambda x: map(abs, x), later)
    instruments = (zs.measure, zs.saved_for_backward) if library == "torch" else (zs.measure,)
    for f in lazy:
        for instrument in instruments:
            with pytest.raises(TypeError) as refused:
                instrument(f, x)
            assert bool(re.search(f"[{HAN}]", str(refused.value))) == (language == "zh")


def test_tensors_in_a_dataclass_learn():
    torch = pytest.importorskip("torch")

    @dataclass
    class Output:
        logits: object

    x = torch.ones(64, 4096, requires_grad=True)
    assert zs.measure(lambda x: Output(x.sin()), x).gradient_bytes == 64 * 4096 * 4


def test_one_tensor_handed_in_twice_has_one_gradient():
    torch = pytest.importorskip("torch")
    x = torch.ones(64, 4096, requires_grad=True)
    assert zs.measure(lambda a, b: a + b, x, x).gradient_bytes == 64 * 4096 * 4
    assert zs.measure(lambda a, b: a + b, x, x.detach().requires_grad_()).gradient_bytes == 2 * 64 * 4096 * 4


def test_the_callers_graph_is_not_used_up():
    torch = pytest.importorskip("torch")
    source = torch.ones(3, requires_grad=True)
    before = source.sin()
    with pytest.raises(RuntimeError, match="began before"):
        zs.measure(lambda x: x * before, torch.ones(3))
    before.sum().backward()
    assert source.grad is not None


def test_a_cast_that_autocast_remembers_is_no_graph_from_before():
    torch = pytest.importorskip("torch")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert zs.measure(torch.nn.Linear(8, 2), torch.ones(4, 8)).gradient_bytes == 4 * (8 * 2 + 2)


def test_a_step_of_training_that_returns_its_loss_is_named():
    torch = pytest.importorskip("torch")
    layer, x = torch.nn.Linear(4, 2), torch.ones(3, 4)

    def step(x):
        loss = (layer(x) ** 2).sum()
        loss.backward()
        return loss

    for instrument in (zs.measure, zs.saved_for_backward):
        with pytest.raises(RuntimeError, match="backward pass itself"):
            instrument(step, x)
    assert zs.measure(lambda x: step(x).detach(), x).backward_peak_bytes is None


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_measuring_inside_measuring_is_refused_and_works_afterwards(library):
    x = np.ones(3) if library == "numpy" else pytest.importorskip("torch").ones(3)
    with pytest.raises(RuntimeError, match="one program at a time"):
        zs.measure(lambda x: zs.measure(lambda x: x + 1, x), x)
    assert zs.measure(lambda x: x + 1, x).kept_bytes >= 3 * x.itemsize


def test_only_a_budget_is_a_budget():
    for wrong in (5, "1 GiB", {"new_peak_bytes": 5}):
        with pytest.raises(TypeError, match=r"zs\.budget"):
            zs.measure(np.sum, np.ones(3), budget=wrong)


def test_a_closed_stderr_is_no_obstacle():
    pytest.importorskip("torch")
    assert subprocess.check_output([sys.executable, "-c", CLOSED], text=True) == "1048576\n"


def test_any_object_in_place_of_stderr_will_do(monkeypatch):
    torch = pytest.importorskip("torch")
    for replaced in (None, object()):
        monkeypatch.setattr(sys, "stderr", replaced)
        assert zs.measure(lambda x: x.clone(), torch.ones(3)).kept_bytes == 12


def test_what_the_graph_let_go_is_not_saved():
    torch = pytest.importorskip("torch")
    x = torch.ones(64, 3, requires_grad=True)
    kept = zs.saved_for_backward(lambda x: ((x * 2).sin().detach(), x.cos())[1], x)
    assert [each.node for each in kept.tensors] == ["CosBackward0"]
    assert kept.stored_bytes == 64 * 3 * 4


@pytest.mark.parametrize(("language", "words"), [("en", "other hooks"), ("zh", "其他钩子")])
def test_what_other_hooks_keep_is_named(language, words):
    torch = pytest.importorskip("torch")
    zs.use(language)
    x = torch.ones(64, 3, requires_grad=True)

    def f(x):
        with torch.autograd.graph.save_on_cpu():
            return (x**2).sum()

    kept = zs.saved_for_backward(f, x)
    assert kept.unseen == ("PowBackward0 self",)
    assert words in str(kept)
    assert zs.saved_for_backward(lambda x: (x**2).sum(), x).unseen == ()


def test_a_slice_of_a_storage_that_does_not_fit_is_not_saved(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(room, "free_bytes", lambda device=None: 10**6)
    whole = torch.ones(10**6)
    with pytest.raises(MemoryError):
        zs.saving(whole[:5])
    zs.saving(whole[:5].clone())
    zs.saving(np.ones(10**6)[:5])


def test_objects_and_strings_are_saved():
    for x in (np.array([1, None, "x"], dtype=object), np.array(["a", "bc"])):
        assert zs.saving(x).to_dict()["np.save"]["written_bytes"] > 0


def test_two_maps_of_one_file_are_told(tmp_path):
    maps = [np.memmap(tmp_path / "map", "u1", "w+", shape=(4096,)) for _ in range(2)]
    seen = zs.bytes_of(*maps)
    assert seen.touched_bytes is None
    assert "0, 1" in str(seen)
    assert zs.bytes_of(maps[0]).touched_bytes == 4096


def test_tangled_views_are_counted_exactly_and_quickly():
    x = np.arange(30_000.0)
    assert zs.bytes_of(x[:6], x[3:9], x[5:12]).touched_bytes == 96
    started = time.perf_counter()
    rows = x.reshape(300, 100)
    assert zs.bytes_of(*rows).touched_bytes == zs.bytes_of(*rows.T).touched_bytes == x.nbytes
    assert zs.bytes_of(*rows[:, ::2], *rows[::-1, :10]).touched_bytes == 300 * 55 * 8
    assert time.perf_counter() - started < 5


def test_large_views_are_counted_without_marks(monkeypatch):
    monkeypatch.setattr("zerostride.memory.totals.MOST_MARKS", 0)
    x = np.arange(100.0)
    assert zs.bytes_of(x[:60], x[50:], x[:10]).touched_bytes == 800
    assert zs.bytes_of(x[:6], x[3:9], x[5:12]).touched_bytes is None


@pytest.mark.parametrize("dtype", [np.float32, np.dtype("f4"), "float32"])
def test_a_dtype_is_as_good_as_its_name(dtype):
    assert zs.budget((4, 3), dtype).source_bytes == 48


def test_a_dtype_of_torch_is_as_good_as_its_name():
    torch = pytest.importorskip("torch")
    assert zs.budget((4, 3), torch.bfloat16).source_bytes == 24


@pytest.mark.parametrize("steps", [None, 7, [["sum"]], [np.sin]])
def test_steps_are_names(steps):
    with pytest.raises(TypeError, match="steps are names"):
        zs.budget((4, 3), steps=steps)


def test_no_dtype_is_offered_that_the_library_lacks():
    for dtype in ("bfloat16", ["float32"], None):
        with pytest.raises(ValueError, match="knows the element types") as refused:
            zs.budget((4, 3), dtype, library="numpy")
        assert "bfloat16" not in str(refused.value).split(", not ")[0]


def test_a_bill_in_which_nothing_is_broadcast_says_so():
    assert "No step meets" in str(zs.budget((4, 3), "float32", (1, 3), ["sum"], way="implicit"))
    assert "No step meets" not in str(zs.budget((4, 3), "float32", (1, 3), ["add"], way="implicit"))


@pytest.mark.parametrize(("language", "words"), [("en", "Forward alone"), ("zh", "只有前向")])
def test_a_program_without_a_backward_pass_is_named_beside_others(language, words):
    torch = pytest.importorskip("torch")
    zs.use(language)
    x = torch.ones(3, requires_grad=True)
    seen = zs.measure_time({"sin": torch.sin, "cut": lambda x: x.detach().sin()}, x, rounds=3)
    assert seen.forward_only == ("cut",)
    assert words in str(seen)
    assert words in seen.alternative()
    alike = zs.measure_time({"cut": lambda x: x.detach().sin()}, x, rounds=3)
    assert (alike.backward, alike.forward_only) == (False, ())


def test_rounds_and_names_of_any_kind():
    assert zs.measure_time({1: np.sum}, np.ones(3), rounds=np.int64(3)).programs[0].name == "1"
    for wrong in (2, True, 3.0, "9", None):
        with pytest.raises(ValueError, match="3 rounds"):
            zs.measure_time({"sum": np.sum}, np.ones(3), rounds=wrong)


def test_names_of_programs_are_drawn_as_they_are_or_by_their_place():
    names = ["$x_1$", "视图", "n" * 50]
    report = zs.measure_time(dict.fromkeys(names, np.sum), np.ones(3), rounds=3)
    texts = zs.draw.timings(report).axes[0].texts
    drawn = [text.get_text() for text in texts]
    assert {"$x_1$", "#2", "n" * 35 + "…"} <= set(drawn)
    assert not texts[drawn.index("$x_1$")].get_parse_math()


@pytest.mark.parametrize("wrong", [None, 5, "x", []])
def test_only_timings_and_budgets_are_drawn(wrong):
    with pytest.raises(TypeError, match="measure_time"):
        zs.draw.timings(wrong)
    with pytest.raises(TypeError, match=r"zs\.budget"):
        zs.draw.byte_bill(wrong)
