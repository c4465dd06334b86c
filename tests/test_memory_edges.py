"""Measuring and predicting at the edges: other devices, other systems, a GPU by its counters, a bar."""

import re
import sys
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

import zerostride as zs
from zerostride.layouts import Layout
from zerostride.memory import measuring, numpy_loops, room, timing
from zerostride.memory.room import free_bytes, refuse_what_does_not_fit
from zerostride.memory.units import in_units

TANGLED = ((1000,) * 5, tuple(8 * step for step in (1000003, 999983, 700001, 500009, 300007)))


def tangled():
    """A view beyond its array, of strides that nobody can count: it is never read."""
    return np.lib.stride_tricks.as_strided(np.zeros(8), *TANGLED)


def without_psutil(name):
    raise ImportError(name)


def test_without_psutil_linux_tells_what_is_free(monkeypatch):
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux has /proc/meminfo")
    monkeypatch.setattr(room, "import_module", without_psutil)
    with open("/proc/meminfo", encoding="ascii") as table:
        total = next(int(line.split()[1]) for line in table if line.startswith("MemTotal"))
    assert 2**20 < free_bytes() <= total * 1024


@pytest.mark.parametrize(("platform", "there"), [("darwin", True), ("win32", True), ("linux", False)])
def test_elsewhere_nothing_tells(monkeypatch, platform, there):
    monkeypatch.setattr(room, "import_module", without_psutil)
    monkeypatch.setattr(room.sys, "platform", platform)
    monkeypatch.setattr(room.Path, "exists", lambda self: there)
    assert free_bytes() is None


def test_a_gpu_tells_what_is_free(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (3 * 2**30 + int(device.index), 5))
    assert free_bytes(torch.device("cuda", 1)) == 3 * 2**30 + 1
    assert free_bytes(torch.device("cpu")) != 3 * 2**30


def test_a_budget_has_to_be_one():
    with pytest.raises(TypeError, match=r"from zs\.budget, not dict"):
        refuse_what_does_not_fit([], {})


@pytest.mark.parametrize(("needed", "fits"), [(4096, True), (4097, False)])
def test_what_just_fits_is_not_refused(monkeypatch, needed, fits):
    monkeypatch.setattr(room, "free_bytes", lambda device=None: 4096)
    if fits:
        refuse_what_does_not_fit([np.ones(8)], least_bytes=needed)
    else:
        with pytest.raises(MemoryError, match="4,097"):
            refuse_what_does_not_fit([np.ones(8)], least_bytes=needed)
        with pytest.raises(MemoryError, match="8,000"):
            refuse_what_does_not_fit([np.ones(8), np.broadcast_to(np.ones(1), (1000,))])


def test_libraries_and_devices_are_not_mixed():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="one library"):
        zs.measure(lambda *x: None, np.ones(2), torch.ones(2))
    with pytest.raises(TypeError, match="not on meta"):
        zs.measure(lambda *x: None, torch.ones(2, device="meta"))
    with pytest.raises(TypeError, match="not on cpu, meta"):
        zs.measure(lambda *x: None, torch.ones(2, device="meta"), torch.ones(2))


@pytest.mark.parametrize(("size", "told"), [(0, 0), (65535, 0), (65536, 65536), (65537, 65537)])
def test_what_is_told_beside_begins_at_64_kib(size, told):
    assert measuring._noteworthy(size) == told


def test_a_program_of_numpy_runs_once_to_warm_up_and_once_counted():
    for torch_is_there in (True, False):
        if torch_is_there:
            pytest.importorskip("torch")
        calls = []
        zs.measure(calls.append, np.ones(3))
        assert len(calls) == 2


def test_without_torch_nothing_is_held_beside(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    calls = []
    assert measuring._warmed_up(calls.append, (1,)) == 0
    assert calls == [1]


def test_tensors_on_a_gpu_are_measured_there(monkeypatch):
    torch = pytest.importorskip("torch")
    asked = []
    monkeypatch.setattr(measuring, "forward_and_backward", lambda f, inputs, counted: asked.append(inputs))
    monkeypatch.setattr(measuring, "_cuda", lambda *given: given)
    inputs = (SimpleNamespace(device=torch.device("cuda", 1)),)
    assert measuring._torch(len, inputs) == (len, inputs, torch.device("cuda", 1))
    assert asked == [inputs]


@pytest.mark.parametrize("learns", [False, True])
def test_what_the_allocator_of_a_gpu_counted(monkeypatch, learns):
    """Its counters, played: 100 bytes at the start, then each reading 1,000 higher than the last."""
    torch = pytest.importorskip("torch")
    readings, cleared = count(), []

    def stats(device):
        now = next(readings)
        names = {"current": 100 + 1000 * now, "peak": 300 + 1000 * now, "allocated": 50 + 3000 * now}
        return {f"requested_bytes.all.{name}": size for name, size in names.items()}

    for name, played in {
        "memory_stats": stats,
        "synchronize": lambda device: None,
        "reset_peak_memory_stats": cleared.append,
        "get_device_name": lambda device: "a card",
    }.items():
        monkeypatch.setattr(torch.cuda, name, played)
    x = torch.ones(1, 4, requires_grad=learns)
    seen = measuring._cuda(lambda x: x * 2, (x,), "cuda:0")
    assert (seen.library, seen.device, seen.instrument) == ("torch", "a card", "torch.cuda.memory_stats")
    assert (seen.input_bytes, seen.gradient_bytes) == (16, 16 if learns else None)
    assert (seen.forward_peak_bytes, seen.kept_bytes, seen.forward_allocated_bytes) == (2200, 2000, 3000)
    second = (4200, 3000) if learns else (None, None)
    assert (seen.backward_peak_bytes, seen.backward_allocated_bytes) == second
    assert cleared == ["cuda:0"] * (1 + learns)


def test_a_bar_moves_in_a_notebook(monkeypatch):
    import ipywidgets
    from IPython import display

    bars = []
    monkeypatch.setattr(display, "display", bars.append)
    monkeypatch.setattr(ipywidgets.IntProgress, "close", lambda self: bars.append("closed"))
    pytest.importorskip("ipykernel")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    with timing._progress(5, timing.SLOW_SECONDS) as advance:
        advance()
    assert bars == []
    with timing._progress(5, timing.SLOW_SECONDS + 1) as advance:
        advance()
        advance()
        (bar,) = bars
        assert (bar.max, bar.value) == (5, 2)
    assert bars == [bar, "closed"]


def test_saving_asks_for_an_axis():
    with pytest.raises(TypeError, match="at least one axis"):
        zs.saving(np.array(1.0))


@pytest.mark.parametrize(
    ("library", "way", "code"),
    [
        ("numpy", "repeat", "np.tile(x, (64, 1)).sum()"),
        ("numpy", "expand", "np.broadcast_to(x, (64, 4096)).sum()"),
        ("numpy", "implicit", "x.sum()"),
        ("torch", "repeat", "x.repeat(64, 1).sum()"),
        ("torch", "expand", "x.expand(64, 4096).sum()"),
        ("torch", "implicit", "x.sum()"),
    ],
)
def test_the_bill_shows_the_code_it_is_for(library, way, code):
    bill = zs.budget((64, 4096), "float64", (1, 4096), ["sum"], way=way, library=library)
    assert bill.code == code


def test_a_single_number_has_a_bill():
    assert zs.budget((), "float64", (), ["add"], library="numpy").output_bytes == 8


def test_bytes_of_nothing_are_no_number():
    with pytest.raises(TypeError, match=re.escape(zs.language.say("memory.no_inputs"))):
        zs.bytes_of()


def test_bytes_that_nobody_can_count_are_left_open():
    found = zs.bytes_of(tangled())
    assert found.touched_bytes is None
    assert found.logical_bytes == 8 * 1000**5
    assert zs.bytes_of(tangled(), np.ones(3)).touched_bytes is None


def test_the_bill_as_a_sentence_has_every_line():
    bill = zs.budget((64, 64), "float32", (1, 64), ["sin", "sum"], way="expand", learns=True)
    told = bill.alternative()
    assert bill.code in told
    for name, (_, allocated) in bill.lines.items():
        assert zs.language.say(f"memory.made.{bill.way}" if name == "made" else f"memory.line.{name}") in told
        assert in_units(allocated) in told
    assert in_units(bill.peak_bytes) in told
    assert in_units(bill.logical_bytes) in told


@pytest.mark.parametrize("dtype", ["int64", "int32", "bool", "float32"])
@pytest.mark.parametrize("step", ["sum", "sum_last"])
def test_a_sum_of_whole_numbers_needs_them_long(dtype, step):
    torch = pytest.importorskip("torch")
    bill = zs.budget((64, 4096), dtype, (1, 4096), [step], way="repeat", library="torch")
    x = torch.ones(1, 4096).to(getattr(torch, dtype))
    last = {"sum": (), "sum_last": (-1,)}[step]
    seen = zs.measure(lambda x: x.repeat(64, 1).sum(*last), x)
    assert abs(seen.new_peak_bytes - bill.new_peak_bytes) < 16 * 1024
    assert bill.new_peak_bytes // (64 * 4096) == {"int64": 8, "int32": 12, "bool": 9, "float32": 4}[dtype]


ORDERS = [
    [(3, 4), (32, 8)],
    [(3, 4), (8, 24)],
    [(3, 4, 5), (8, 120, 24)],
    [(3, 4, 5), (160, 8, 32)],
    [(3, 4, 5), (0, 8, 32)],
    [(3, 4, 5), (8, 0, 24)],
    [(3, 1, 5), (8, 999, 24)],
    [(2, 3, 4, 5), (8, 80, 16, 240)],
    [(2, 3, 4, 5), (480, 8, 0, 24)],
]


def order_of_numpy(shape, *strides):
    """Return the axes as NumPy's own iterator walks them, the innermost first."""
    room_for_it = np.zeros(10_000)
    views = [np.lib.stride_tricks.as_strided(room_for_it, shape, each) for each in strides]
    walked = np.nditer(views, ["multi_index"], order="K")
    order, before = [], walked.multi_index
    while walked.iternext():
        moved = [
            axis for axis, (new, old) in enumerate(zip(walked.multi_index, before, strict=True)) if new > old
        ]
        order += [axis for axis in moved if axis not in order]
        before = walked.multi_index
    return order


@pytest.mark.parametrize(("shape", "strides"), ORDERS)
@pytest.mark.parametrize("with_result", [False, True])
def test_axes_are_walked_in_the_order_of_numpys_iterator(shape, strides, with_result):
    all_strides = [strides] + [np.zeros(shape).strides] * with_result
    layouts = [Layout.of(shape, each, 8) for each in all_strides]
    ours = [axis for axis in numpy_loops.walk(layouts) if shape[axis] > 1]
    assert ours == order_of_numpy(shape, *all_strides)
