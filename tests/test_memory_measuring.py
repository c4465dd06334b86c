"""Measuring leaves nothing behind: no allocation, no gradient, no line on stderr; and it counts right."""

import gc
import re
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import zerostride as zs
from test_memory import SHAPES, TORCH_STEPS, WAYS, bills, program
from zerostride.memory import EXACT_FROM_BYTES, room, timing
from zerostride.memory.tape import large
from zerostride.pairs.typography import HAN

NUMPY_ALONE = """
import sys, numpy as np, zerostride as zs
x = np.ones((1, 4096))
zs.bytes_of(x), zs.measure(lambda x: x + 1, x), zs.saving(x), zs.budget((4, 3), "float32", (1, 3), ["sin"])
print(zs.measure_time({"a": lambda x: x.sum()}, x, rounds=3))
print("torch" in sys.modules)
"""
QUIET = """
import os, sys, torch, zerostride as zs
def f(x):
    os.write(2, b"from the program\\n")
    print("and from Python", file=sys.stderr)
    return (x.expand(64, 4096) ** 2).sum()
zs.measure(f, torch.ones(1, 4096, requires_grad=True))
"""
LOUD = """
import torch
with torch.profiler.profile(profile_memory=True): torch.ones(3)
"""


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)


def test_numpy_input_imports_no_torch():
    answer = run(NUMPY_ALONE)
    assert answer.stdout.splitlines()[-1] == "False"
    assert answer.stderr == ""


def test_the_profilers_lines_are_held_back_and_no_others():
    pytest.importorskip("torch")
    assert run(QUIET).stderr.splitlines() == ["from the program", "and from Python"] * 2


def test_the_profiler_alone_would_be_heard():
    pytest.importorskip("torch")
    assert run(LOUD).stderr != ""


def test_dense_result_of_numpy():
    view = np.broadcast_to(np.ones((1, 4096)), (64, 4096))
    seen = zs.measure(lambda y: y.copy(), view)
    assert 0 <= seen.kept_bytes - view.nbytes < 4096
    assert (seen.forward_allocated_bytes, seen.backward_peak_bytes) == (None, None)
    assert zs.measure(lambda y: (y.copy(), y.copy()), view).kept_bytes > 2 * view.nbytes


def test_a_trace_that_runs_already_goes_on_and_none_is_left_running():
    view = np.broadcast_to(np.ones((1, 4096)), (64, 4096))
    zs.measure(lambda y: y.copy(), view)
    assert not tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        zs.measure(lambda y: y.copy(), view)
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


class TheirMistake(Exception):
    pass


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("in_run", [1, 2])
def test_an_error_of_the_program_passes_and_leaves_all_as_it_was(library, in_run, capfd):
    x = np.ones((4, 4096)) if library == "numpy" else pytest.importorskip("torch").ones(4, 4096)
    runs = []

    def f(x):
        runs.append(x)
        if len(runs) == in_run:
            raise TheirMistake
        return x + 1

    with pytest.raises(TheirMistake):
        zs.measure(f, x)
    assert gc.isenabled()
    assert not tracemalloc.is_tracing()
    print("heard", file=sys.stderr)
    assert "heard" in capfd.readouterr().err
    assert zs.measure(lambda x: x + 1, x).kept_bytes >= 4 * 4096 * x.itemsize


def test_gradients_are_put_back_and_inputs_keep_theirs():
    torch = pytest.importorskip("torch")
    x, layer = torch.ones(8, 4, requires_grad=True), torch.nn.Linear(4, 2)
    x.grad, layer.weight.grad = torch.full((8, 4), 7.0), torch.full((2, 4), 5.0)
    seen = zs.measure(layer, x)
    assert (x.grad == 7).all()
    assert (layer.weight.grad == 5).all()
    assert layer.bias.grad is None
    assert seen.gradient_bytes == 4 * (8 * 4 + 2 * 4 + 2)


def test_a_graph_before_the_input_is_left_alone():
    torch = pytest.importorskip("torch")
    source = torch.ones(1, 4, requires_grad=True)
    before = source**2
    zs.measure(lambda y: (y * 2).sum(), before)
    before.sum().backward()
    assert source.grad.tolist() == [[2.0] * 4]


def test_small_arrays_are_counted_to_the_byte():
    torch = pytest.importorskip("torch")
    view = torch.ones(1, 3, dtype=torch.float64).expand(4, 3)
    seen = zs.measure(lambda y: y + torch.zeros(4, 3, dtype=torch.float64), view)
    assert seen.kept_bytes == 96
    assert seen.arrays == ([], [])
    assert seen.small_bytes >= 2 * 96


def test_threads_do_not_count_each_other():
    torch = pytest.importorskip("torch")
    found = {}

    def work(rows):
        view = torch.ones(1, 4096).expand(rows, 4096)
        found[rows] = [zs.measure(lambda y: y.clone(), view).arrays[0] for _ in range(5)]

    workers = [threading.Thread(target=work, args=(rows,)) for rows in (32, 64, 128)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == {rows: [[rows * 4096 * 4]] * 5 for rows in (32, 64, 128)}


def test_nothing_stays_allocated():
    view = np.broadcast_to(np.ones((1, 4096)), (256, 4096))
    zs.measure(lambda y: y.copy(), view)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    zs.measure(lambda y: y.copy(), view)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 50_000 < view.nbytes


def test_a_running_profiler_is_named():
    torch = pytest.importorskip("torch")
    x = torch.ones(3)
    with torch.profiler.profile(), pytest.raises(RuntimeError, match="profiler"):
        zs.measure(lambda x: x + 1, x)
    assert zs.measure(lambda x: x + 1, x).kept_bytes == 12


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("inputs", [(), ([1, 2],), (None,), (np.ones(3), 4), ("x",)])
@pytest.mark.parametrize("instrument", ["measure", "saved_for_backward", "measure_time", "saving"])
def test_wrong_inputs_are_refused_in_words(instrument, inputs, language):
    zs.use(language)
    calls = {
        "measure": lambda: zs.measure(np.sum, *inputs),
        "saved_for_backward": lambda: zs.saved_for_backward(np.sum, *inputs),
        "measure_time": lambda: zs.measure_time({"sum": np.sum}, *inputs),
        "saving": lambda: zs.saving(list(inputs)),
    }
    with pytest.raises(TypeError) as refused:
        calls[instrument]()
    assert bool(re.search(f"[{HAN}]", str(refused.value))) == (language == "zh")


@pytest.mark.parametrize("programs", [None, {}, [np.sum], {"three": 3}])
def test_programs_have_names(programs):
    with pytest.raises(TypeError):
        zs.measure_time(programs, np.ones(3))
    with pytest.raises(ValueError, match="3 rounds"):
        zs.measure_time({"sum": np.sum}, np.ones(3), rounds=2)


def test_what_does_not_fit_is_not_run(monkeypatch):
    calls = []
    huge = np.broadcast_to(np.ones(1), (10, 10**12))
    for instrument in (zs.measure, lambda f, x: zs.measure_time({"f": f}, x), lambda f, x: zs.saving(x)):
        with pytest.raises(MemoryError, match=r"(8|32)0,000,000,000,000 B"):
            instrument(calls.append, huge)
    small = np.ones((1, 1000))
    bill = zs.budget((1000, 1000), "float64", (1, 1000), way="repeat", library="numpy")
    monkeypatch.setattr(room, "free_bytes", lambda device=None: bill.new_peak_bytes - 1)
    with pytest.raises(MemoryError, match=f"{bill.new_peak_bytes:,} B"):
        zs.measure(calls.append, small, budget=bill)
    assert calls == []
    monkeypatch.setattr(room, "free_bytes", lambda device=None: bill.new_peak_bytes)
    zs.measure(calls.append, small, budget=bill)
    assert len(calls) == 2


def test_a_budget_says_that_a_huge_view_is_only_read():
    huge = np.broadcast_to(np.ones(1), (10, 10**12))
    bill = zs.budget((10, 10**12), "float64", (1,), library="numpy")
    assert zs.measure(lambda y: y[0, 0], huge, budget=bill).kept_bytes < 4096


def test_saved_for_backward_of_view_and_copy():
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64, requires_grad=True)
    weights = torch.arange(12.0, dtype=torch.float64).reshape(4, 3)
    view = zs.saved_for_backward(lambda x: (x.expand(4, 3) ** 2).sum(), x)
    copy = zs.saved_for_backward(lambda x: (x.repeat(4, 1) ** 2).sum(), x)
    assert (view.logical_bytes, view.stored_bytes, view.new_stored_bytes) == (96, 24, 0)
    assert (copy.logical_bytes, copy.stored_bytes, copy.new_stored_bytes) == (96, 96, 96)
    (only,) = view.tensors
    assert (only.node, only.attribute, only.inputs) == ("PowBackward0", "self", (0,))
    for make in (lambda x: x.expand(4, 3), lambda x: x.repeat(4, 1)):
        constant = zs.saved_for_backward(lambda x, w, make=make: (make(x) * w).sum(), x, weights)
        assert [(each.attribute, each.inputs) for each in constant.tensors] == [("other", (1,))]
    assert x.grad is None


@pytest.mark.parametrize("way", WAYS)
def test_the_bill_says_what_torch_keeps(way, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setitem(SHAPES, "small", ((8, 4, 16), (1, 1, 16)))
    for steps, bill in bills("torch", TORCH_STEPS, way, "small"):
        f, inputs = program(bill, "torch")
        kept = zs.saved_for_backward(f, *inputs)
        assert (steps, *bill.lines["saved"]) == (steps, kept.logical_bytes, kept.stored_bytes)


def test_what_is_freed_on_the_way_is_in_the_bill():
    pytest.importorskip("torch")
    for steps, bill in bills("torch", TORCH_STEPS[::3], "expand", "last"):
        f, inputs = program(bill, "torch")
        freed = -sum(each for each in large(zs.measure(f, *inputs).forward, EXACT_FROM_BYTES) if each < 0)
        assert 0 <= bill.temporaries_bytes - freed < EXACT_FROM_BYTES, (steps, bill.temporaries_bytes, freed)


def test_a_storage_saved_twice_counts_once():
    torch = pytest.importorskip("torch")
    x = torch.ones(4, 3, dtype=torch.float64, requires_grad=True)
    kept = zs.saved_for_backward(lambda x: (x.sin() * x.T.exp().T * x).sum(), x)
    storages = {each.storage for each in kept.tensors}
    assert len(storages) < len(kept.tensors)
    assert kept.stored_bytes == 96 * len(storages)
    assert kept.logical_bytes == 96 * len(kept.tensors)
    assert all(each.node for each in kept.tensors)


def test_nothing_is_saved_where_nothing_learns():
    torch = pytest.importorskip("torch")
    kept = zs.saved_for_backward(lambda x: (x**2).sum(), torch.ones(3))
    assert (kept.tensors, kept.stored_bytes) == ((), 0)
    with pytest.raises(TypeError, match="NumPy saves nothing"):
        zs.saved_for_backward(np.sum, np.ones(3))


def test_programs_take_turns_and_the_whole_path_is_timed():
    torch = pytest.importorskip("torch")
    order, passes = [], []

    class Counted(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            passes.append(1)
            return gradient

    x = torch.ones(512, 512, requires_grad=True)
    programs = {
        name: lambda x, name=name: (order.append(name), Counted.apply(x).sin().sum())[1] for name in "ab"
    }
    seen = zs.measure_time(programs, x, rounds=4)
    turns = re.sub(r"(.)\1*", r"\1", "".join(order))
    assert turns.count("ab") >= 4
    assert len(passes) == len(order)
    assert seen.backward
    assert [len(each.seconds) for each in seen.programs] == [4, 4]
    assert all(each.new_peak_bytes >= 512 * 512 * 4 for each in seen.programs)


@pytest.mark.parametrize(("language", "words"), [("en", "no ranking"), ("zh", "不能推出别处的快慢")])
def test_no_ranking_follows(language, words):
    zs.use(language)
    shown = str(zs.measure_time({"sum": lambda x: x.sum()}, np.ones(1000), rounds=3))
    assert words in shown
    assert "cpu" in shown
    assert ".." in shown


def test_a_bar_for_what_takes_long_and_none_for_what_does_not(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    zs.measure_time({"sum": np.sum}, np.ones(10), rounds=3)
    assert "3/3" not in capsys.readouterr().err
    monkeypatch.setattr(timing, "SLOW_SECONDS", 0.0)
    zs.measure_time({"sum": np.sum}, np.ones(10), rounds=3)
    assert "3/3" in capsys.readouterr().err


def test_a_gpu_is_counted_by_its_allocator():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU here")
    x = torch.ones(1, 4096, device="cuda", requires_grad=True)
    bill = zs.budget((64, 4096), "float32", (1, 4096), ["sin", "sum"], way="repeat", learns=True)
    seen = zs.measure(lambda x: x.repeat(64, 1).sin().sum(), x)
    assert abs(seen.new_peak_bytes - bill.new_peak_bytes) < 64 * 1024
