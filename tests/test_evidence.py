"""Evidence on a learner's own programs: what is told, and that nothing of the caller's is touched."""

import json
import os
import sys
import time
import tracemalloc

import numpy as np
import pytest

import zerostride as zs
from zerostride.child import MOST_SAID_BYTES, run_child

WEIGHTS = np.arange(1.0, 13.0).reshape(4, 3)
WAYS = {"view": lambda x: np.broadcast_to(x, (4, 3)), "tiled": lambda x: np.tile(x, (4, 1))}


@pytest.fixture
def source():
    return np.array([[1.0, 2.0, 3.0]])


def loss(y):
    return (y * WEIGHTS).sum()


def names(report):
    return {problem.name for problem in report.problems}


def program(report, name):
    return report.to_dict()["programs"][name]


def test_strides_are_told_in_both_units(source):
    report = zs.evidence(source, WAYS)
    view, tiled = (report.layouts[name]["result"] for name in WAYS)
    assert (view.strides_bytes, view.strides_elements, view.storage_bytes) == ((0, 8), (0, 1), 24)
    assert (tiled.strides_bytes, tiled.strides_elements, tiled.storage_bytes) == ((24, 8), (3, 1), 96)
    for text in (str(report), report.to_markdown(), report._repr_html_()):
        assert "(0, 8)" in text
        assert "(0, 1)" in text


def test_intermediates_of_numpy_are_seen(source):
    report = zs.evidence(source, {"f": lambda x: (np.broadcast_to(x, (4, 3)).reshape(2, 6) * 2).sum()})
    calls = [step["call"].partition("(")[0] for step in program(report, "f")["steps"]]
    assert calls == ["broadcast_to", "reshape", "multiply", "sum"]
    assert "reshape" in str(report)


def test_intermediates_of_torch_are_seen():
    torch = pytest.importorskip("torch")
    report = zs.evidence(torch.ones(1, 3), {"f": lambda x: (x.expand(4, 3).reshape(2, 6) * 2).sum()})
    calls = [step["call"].partition("(")[0] for step in program(report, "f")["steps"]]
    assert calls == ["expand", "reshape", "mul", "sum"]


def test_a_program_without_calls_on_the_source_has_no_steps(source):
    assert program(zs.evidence(source, {"f": lambda x: 3}), "f")["steps"] == []


def test_sharing_and_what_a_write_changes_are_tried(source):
    report = zs.evidence(source, WAYS)
    view, tiled = (program(report, name)["results"]["result"] for name in WAYS)
    assert view["against_source"]["common_bytes"] == 24
    assert view["write_probe"] == {
        "into_source": 4, "into_result": None, "reaches_source": None, "refused": "ValueError",
    }  # fmt: skip
    assert tiled["against_source"]["common_bytes"] == 0
    assert tiled["write_probe"] == {"into_source": 0, "into_result": 1, "reaches_source": 0, "refused": ""}


def test_a_write_through_an_expanded_tensor_reaches_everyone():
    torch = pytest.importorskip("torch")
    report = zs.evidence(torch.tensor([[1.0, 2.0, 3.0]]), {"view": lambda x: x.expand(4, 3)})
    probe = program(report, "view")["results"]["result"]["write_probe"]
    assert probe == {"into_source": 4, "into_result": 4, "reaches_source": 1, "refused": ""}


def test_gradients_by_differences_and_by_autograd(source):
    report = zs.evidence(source, WAYS, loss)
    for name in WAYS:
        assert np.allclose(report.gradients[name].differences, [[22, 26, 30]])
    torch = pytest.importorskip("torch")
    weights = torch.tensor(WEIGHTS)
    ways = {"view": lambda x: x.expand(4, 3), "copy": lambda x: x.repeat(4, 1)}
    report = zs.evidence(torch.tensor(source), ways, lambda y: (y * weights).sum())
    assert report.gradients.verdicts == {"view": "agree", "copy": "agree"}
    assert report.gradients["copy"].autograd.tolist() == [[22, 26, 30]]


def test_a_wrong_derivative_is_told():
    torch = pytest.importorskip("torch")

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sum()

        @staticmethod
        def backward(ctx, g):
            return g * torch.full((1, 3), 4.0, dtype=torch.float64)

    report = zs.evidence(torch.ones(1, 3, dtype=torch.float64), {"f": Wrong.apply})
    assert report.gradients.verdicts == {"f": "differ"}


def test_without_a_loss_nothing_is_differentiated(source):
    report = zs.evidence(source, WAYS)
    assert report.gradients is None
    assert "loss=" in str(report)
    assert "loss=" not in str(zs.evidence(source, WAYS, loss))


def test_each_program_may_have_its_own_loss(source):
    report = zs.evidence(source, WAYS, {"view": loss, "tiled": lambda y: (y * WEIGHTS).mean()})
    assert np.allclose(report.gradients["tiled"].differences, [[11 / 6, 13 / 6, 5 / 2]])
    assert set(zs.evidence(source, WAYS, {"view": loss}).gradients.gradients) == {"view"}


def test_time_and_peak_are_measured_when_asked(source):
    assert zs.evidence(source, WAYS, loss).timings is None
    timings = zs.evidence(source, WAYS, loss, measure=True).timings
    assert [each.name for each in timings.programs] == list(WAYS)
    torch = pytest.importorskip("torch")
    report = zs.evidence(torch.ones(1, 3), {"f": lambda x: x.expand(4, 3).sum()}, measure=True)
    assert report.timings.backward


def test_what_cannot_be_measured_is_said(source):
    calls = iter(range(10**6))

    def tires(x):
        if next(calls) > 6:
            raise OverflowError("tired")
        return x

    report = zs.evidence(source, {"f": tires}, measure=True)
    assert report.timings is None
    assert "tired" in str(report)


ODD = {
    "raises": lambda x: 1 / 0,
    "returns nothing": lambda x: None,
    "returns a view": lambda x: x[:, ::-1],
    "returns several": lambda x: (x, [x.T], {"sum": x.sum(0)}),
    "returns a word": lambda x: "word",
    "returns an empty array": lambda x: x[:0],
    "asks for another device": lambda x: x.to("cuda:7"),
    "asks for what is not there": lambda x: x.nothing,
    "writes": lambda x: x.__setitem__((0, 0), 9),
    "leaves": lambda x: sys.exit(3),
    "returns a list of itself": lambda x: (held := [x]).append(held) or held,
    "returns a generator": lambda x: (each for each in x),
    "calls itself for ever": lambda x: ODD["calls itself for ever"](x),
}


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_odd_programs_are_survived(source, library):
    if library == "torch":
        source = pytest.importorskip("torch").tensor(source)
    before = source.tolist()
    odd = {name: f for name, f in ODD.items() if library == "torch" or "view" not in name}
    report = zs.evidence(source, odd)
    assert program(report, "raises")["error"].startswith("ZeroDivisionError")
    assert program(report, "asks for another device")["error"]
    assert program(report, "returns nothing")["results"] == {}
    assert len(program(report, "returns several")["results"]) == 3
    assert program(report, "writes")["wrote_its_argument"]
    assert not program(report, "returns several")["wrote_its_argument"]
    assert source.tolist() == before
    assert report.unchanged
    assert not report.guard.changed
    for language in ("en", "zh"):
        zs.use(language)
        assert str(report).encode("gbk", errors="strict")
        assert report.to_markdown()
    assert json.dumps(report.to_dict())


def test_an_array_reached_by_another_way_is_put_back(source):
    report = zs.evidence(source, {"f": lambda x: source.fill(7)})
    assert source.tolist() == [[1, 2, 3]]
    assert report.guard.changed
    assert report.unchanged
    assert "put back" in str(report)
    assert "put back" not in str(zs.evidence(source, WAYS))


def test_a_tensor_reached_by_another_way_is_put_back():
    torch = pytest.importorskip("torch")
    big = torch.arange(12.0).reshape(3, 4)
    view = big[:, 1:3]
    report = zs.evidence(view, {"f": lambda x: big.zero_()})
    assert report.guard.changed
    assert view.tolist() == [[1, 2], [5, 6], [9, 10]]


def test_weights_that_a_program_names_are_put_back(source):
    weights = np.ones(3)

    def careless(x):
        weights[0] += x[0, 0]
        return weights.sum()

    report = zs.evidence(source, {"f": careless})
    assert weights.tolist() == [1, 1, 1]
    assert report.guard.changed


def test_the_state_of_a_module_is_put_back():
    torch = pytest.importorskip("torch")
    norm = torch.nn.BatchNorm1d(3)
    zs.evidence(torch.randn(8, 3), {"norm": norm, "by name": lambda x: norm(x)})
    assert norm.running_mean.tolist() == [0, 0, 0]
    assert norm.num_batches_tracked == 0


def test_a_program_of_plain_arrays_alone_is_blind_to_steps(source):
    def strict(x):
        if type(x) is not np.ndarray:
            raise TypeError("plain arrays only")
        return x * 2

    report = zs.evidence(source, {"f": strict})
    assert program(report, "f")["steps"] == []
    assert "steps were not seen" in str(report)
    assert "steps were not seen" not in str(zs.evidence(source, WAYS))


def test_what_an_object_holds_is_put_back(source):
    class Counter:
        seen = np.zeros(3)

        def __init__(self):
            self.total = np.zeros(3)

        def add(self, x):
            self.total += 1
            self.seen += 1
            return x + self.total

    counter = Counter()
    for program in (counter.add, lambda x: counter.add(x)):
        assert zs.evidence(source, {"f": program}).guard.changed
        assert not counter.total.any()
        assert not counter.seen.any()


def test_errors_without_words_are_survived(source):
    class Silent(Exception):
        def __str__(self):
            raise ValueError

    def f(x):
        raise Silent

    def g(x):
        raise AssertionError

    found = zs.evidence(source, {"f": f, "g": g}).to_dict()["programs"]
    assert [found[name]["error"] for name in "fg"] == ["Silent", "AssertionError"]


def test_what_cannot_be_put_back_is_said():
    memory = bytearray(np.ones(3).tobytes())
    frozen = np.frombuffer(memoryview(memory).toreadonly())
    report = zs.evidence(frozen, {"f": lambda x: memory.__setitem__(0, 7)})
    assert report.guard.changed
    assert not report.unchanged
    assert "refuses to be put back" in str(report)


def test_losses_of_unlike_reductions_are_told_apart(source):
    ways = {"view": lambda x: np.broadcast_to(x, (4, 3)), "other": lambda x: np.tile(x, (4, 1)) ** 2}
    report = zs.evidence(source, ways, {"view": np.sum, "other": np.mean})
    assert "differ in their reduction" in str(report)
    assert "differ in their reduction" not in str(zs.evidence(source, ways, np.mean))


def test_an_interrupt_leaves_the_array_as_it_was(source):
    def interrupted(x):
        source[0, 0] = x[0, 0] = 99
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        zs.evidence(source, {"f": interrupted})
    assert source.tolist() == [[1, 2, 3]]


def test_a_read_only_source_stays_so_for_the_program(source):
    source.flags.writeable = False
    report = zs.evidence(source, {"f": lambda x: x.fill(0)})
    assert "read_only_write" in names(report)
    assert not source.flags.writeable


def test_the_gradient_of_the_caller_stays():
    torch = pytest.importorskip("torch")
    x = torch.ones(1, 3, dtype=torch.float64, requires_grad=True)
    x.sum().backward()
    grad = x.grad
    zs.evidence(x, {"f": lambda z: (z.expand(4, 3) ** 2).sum()}, measure=True)
    assert x.grad is grad
    assert grad.tolist() == [[1, 1, 1]]


def test_what_programs_print_is_not_shown(source, capsys):
    zs.evidence(source, {"f": lambda x: print("noise")})
    assert capsys.readouterr().out == ""


def test_warnings_of_a_program_are_told(source):
    report = zs.evidence(source, {"f": lambda x: np.log(x * 0)})
    assert "RuntimeWarning" in str(report)


def test_kinds_of_source_are_told():
    kinds = [
        np.array(3.0), np.zeros((0, 3)), np.arange(5.0)[::-1], np.array(["a", "b"]), np.zeros(3, "f8,i4"),
        np.broadcast_to(np.arange(3.0), (4, 3)), np.array([True, False]), np.array([1j]),
    ]  # fmt: skip
    for each in kinds:
        report = zs.evidence(each, {"f": lambda x: x.reshape(-1)})
        assert report.source == zs.layout(each)
        assert report.unchanged
        assert not report.guard.changed


def test_kinds_of_tensor_are_told():
    torch = pytest.importorskip("torch")
    with torch.inference_mode():
        inference = torch.ones(1, 3)
    kinds = [
        torch.ones(1, 3).bfloat16(), torch.ones(3, dtype=torch.complex64).conj(), torch.tensor([True, False]),
        torch.arange(3).expand(4, 3), torch.ones(1, 3, requires_grad=True) * 2, inference, torch.ones(0, 3),
    ]  # fmt: skip
    for each in kinds:
        report = zs.evidence(each, {"f": lambda x: x.expand(4, *x.shape)})
        assert report.source.strides_bytes == zs.layout(each).strides_bytes
        assert report.unchanged
        assert not report.guard.changed
        assert report.problems == ()


def test_a_conjugated_source_keeps_its_numbers():
    torch = pytest.importorskip("torch")
    x = torch.tensor([1 + 2j]).conj()
    seen = []
    zs.evidence(x, {"f": lambda z: seen.append(z.tolist())})
    assert seen[0] == [1 - 2j]


BAD = {
    "a list": ([1, 2, 3], WAYS, None, TypeError),
    "nothing": (None, WAYS, None, TypeError),
    "no programs": (np.ones(3), {}, None, TypeError),
    "programs without names": (np.ones(3), [abs], None, TypeError),
    "no function": (np.ones(3), {"f": 3}, None, TypeError),
    "a loss that is none": (np.ones(3), {"f": abs}, 3, TypeError),
    "a loss of nobody": (np.ones(3), {"f": abs}, {"g": sum}, TypeError),
    "objects": (np.array([{}]), {"f": abs}, None, TypeError),
    "a masked array": (np.ma.ones(3), {"f": abs}, None, TypeError),
    "a huge view": (np.broadcast_to(np.zeros(1), (10**6, 10**6)), {"f": abs}, None, ValueError),
    "the wrong way round": (abs, np.ones(3), None, TypeError),
    "a crowd": (np.ones(3), {str(n): abs for n in range(99)}, None, ValueError),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_both_languages(name):
    source, programs, loss_, kind = BAD[name]
    told = []
    for language in ("en", "zh"):
        zs.use(language)
        with pytest.raises(kind) as caught:
            zs.evidence(source, programs, loss_)
        told.append(str(caught.value))
    assert told[0] != told[1]
    assert any("一" <= sign <= "鿿" for sign in told[1])


@pytest.mark.filterwarnings("ignore:.*quantize_per_tensor")
def test_a_quantized_tensor_is_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="qint8 elements cannot be read as numbers"):
        zs.evidence(torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8), lambda x: x)


@pytest.mark.parametrize("made", ["np.array([None, 'a'])", "np.array(['a'], 'T')", "np.zeros(3, 'V0')"])
def test_results_that_hold_no_numbers_are_survived(source, made):
    report = zs.evidence(source, lambda x: eval(made))
    (told,) = report.to_dict()["programs"].values()
    assert list(told["results"]) == ["result"]


def test_a_huge_tensor_is_refused_before_it_is_copied():
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match="4000000000000"):
        zs.evidence(torch.zeros(1).expand(10**12), {"f": lambda x: x[:3]})


def test_a_huge_view_takes_no_time():
    torch = pytest.importorskip("torch")
    ways = {"kept": lambda x: x.expand(10**12, 3), "cut": lambda x: x.detach().expand(10**12, 3)}
    ways["other"] = lambda x: (x + 1).expand(10**12, 3)
    started = time.monotonic()
    report = zs.evidence(torch.ones(1, 3), ways)
    assert time.monotonic() - started < 60
    assert [program(report, name)["leads_back"] for name in ways] == [True, False, True]
    assert names(report) == {"detach_cuts_path"}


def test_one_function_will_do(source):
    assert list(zs.evidence(source, np.negative).layouts) == ["negative"]


def test_markdown_names_versions_and_is_made_of_tables(source):
    told = zs.evidence(source, WAYS, loss).to_markdown()
    assert f"numpy {np.__version__}" in told
    assert told.count("\n| --- ") == 3
    assert "&" not in told
    assert "\n- equal\\_values\\_other\\_storage (view, tiled)" in told
    assert "\n  - `zs.compare(y, source)`\n" in told


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "import sys, numpy as np\nprint('noise')\nsource = np.ones((1, 3))\n"
        "def make(): return np.zeros((1, 3))\n"
        "def view(x): return np.broadcast_to(x, (4, 3))\n"
        "def tiled(x): return np.tile(x, (4, 1))\n"
        "def loss(y): return y.sum()\n"
        "def endless(x):\n    while True: pass\n"
        "def ends(x):\n    import os; os._exit(7)\n"
        "def ends_well(x):\n    import os; os._exit(0)\n"
        "def asks(x): return x * float(input('? '))\n"
        "def broken(): raise RuntimeError('no source')\n"
        "def leaves_a_child(x):\n    import subprocess; subprocess.Popen(['sleep', '99']); return x\n"
    )
    return path


def evidence_command(capsys, *arguments):
    from zerostride.cli import main

    status = main(["evidence", *map(str, arguments)])
    return status, *capsys.readouterr()


def test_command(capsys, file):
    status, told, errors = evidence_command(capsys, file, "--use", "view", "--use", "tiled", "--loss", "loss")
    assert (status, errors) == (0, "")
    assert "noise" not in told
    assert "(4, 4, 4)" in told


def test_command_gives_json(capsys, file):
    _, told, _ = evidence_command(capsys, file, "--use", "view", "--source", "make", "--json")
    assert json.loads(told)["programs"]["view"]["results"]["result"]["layout"]["strides_bytes"] == [0, 8]


def test_command_measures_speaks_chinese_and_writes_markdown(capsys, file):
    options = ("--use", "view", "--measure", "--markdown", "--lang", "zh")
    status, told, _ = evidence_command(capsys, file, *options)
    assert status == 0
    assert told.startswith("### 形状与步长")
    assert "### 时间与峰值内存" in told
    _, text, _ = evidence_command(capsys, file, "--use", "view")
    assert "Time and peak memory" not in text


def test_what_compiled_code_prints_stays_out_of_the_answer(capsys, file):
    file.write_text(file.read_text() + "import os\nos.write(1, b'raw noise')\n")
    _, told, _ = evidence_command(capsys, file, "--use", "view", "--json")
    assert json.loads(told)


REFUSED = {
    "no file": (["nowhere.py", "--use", "view"], "nowhere"),
    "no function": ([], "--use"),
    "an unknown name": (["--use", "nothing"], "nothing"),
    "an endless program": (["--use", "endless", "--time-limit", "2"], "2"),
    "a program that ends the process": (["--use", "ends"], "7"),
    "a program that ends it with success": (["--use", "ends_well"], "0"),
    "a source that raises": (["--use", "view", "--source", "broken"], "no source"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_command_refuses(capsys, file, name):
    arguments, word = REFUSED[name]
    if name != "no file":
        arguments = [file, *arguments]
    status, told, errors = evidence_command(capsys, *arguments)
    assert (status, told) == (2, "")
    assert word in errors
    assert errors.count("\n") == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name")
def test_command_reads_no_pipe_and_no_device(capsys, tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "zeros.py").symlink_to("/dev/zero")
    for name in ("pipe.py", "zeros.py"):
        status, told, errors = evidence_command(capsys, tmp_path / name, "--use", "f")
        assert (status, told) == (2, "")
        assert errors.endswith("it is no ordinary file\n")


def test_of_what_a_child_says_the_end_alone_is_kept():
    talks = "import sys; sys.stderr.write('x' * 10**7 + '\\nlast words\\n')"
    ended = run_child("timeit", "-n1", "-r1", talks, seconds=60)
    assert ended.status == 0
    assert ended.last_words == "last words"
    assert len(ended.said) == MOST_SAID_BYTES


def test_what_programs_print_takes_no_memory(source):
    def prints(x):
        for _ in range(50):
            print("x" * 1_000_000)
        return x

    tracemalloc.start()
    zs.evidence(source, prints)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 10_000_000


def test_command_waits_for_nobody(capsys, file):
    started = time.monotonic()
    status, told, _ = evidence_command(capsys, file, "--use", "asks", "--use", "leaves_a_child")
    assert status == 0
    assert "EOFError" in told
    assert time.monotonic() - started < 60


def test_an_interrupt_of_the_command_is_no_traceback(capsys, file, monkeypatch):
    from zerostride import child

    def interrupted(*_):
        raise KeyboardInterrupt

    ended = []
    monkeypatch.setattr(child.subprocess.Popen, "wait", interrupted)
    monkeypatch.setattr(child, "_end", ended.append)
    status, told, errors = evidence_command(capsys, file, "--use", "endless")
    monkeypatch.undo()
    ended[0].kill()
    ended[0].wait()
    assert (status, told, errors) == (130, "", "\n")
