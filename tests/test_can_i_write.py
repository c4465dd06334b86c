"""May I write: the answer is what the write would do, and nothing is run or written to find it."""

import re
import warnings

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import zerostride as zs
from zerostride.expansion import LIBRARIES
from zerostride.gradients.precision import same
from zerostride.language import LANGUAGES
from zerostride.pairs.typography import HAN
from zerostride.writes import shrinking
from zerostride.writes.recorded import installed, recorded
from zerostride.writes.statements import StatementError
from zerostride.writes.targets import line
from zerostride.writes.trials import copy_of, values_of

torch = pytest.importorskip("torch")
from torch._subclasses import FakeTensorMode  # noqa: E402


def made(text):
    names = {"np": np, "torch": torch}
    exec(text, names)
    return names["y"]


def view():
    return torch.tensor([[1.0, 2.0, 3.0]]).expand(4, 3)


def read_only():
    return np.broadcast_to(np.array([[1.0, 2.0, 3.0]]), (4, 3))


def test_the_answer_is_the_atlas():
    if any(installed(library) != recorded()[0][library] for library in LIBRARIES):
        pytest.skip("the record is of other versions")
    compared, unlike = 0, []
    for row in recorded()[1]:
        plain = row.kind == "plain" and row.family in ("method", "assignment", "out", "function")
        if not plain or row.target in ("outside", "warning") or row.outcome in ("metadata", "not_applicable"):
            continue
        try:
            found = zs.can_i_write(made(line(row.library, row.target, row.kind)), row.operation)
        except StatementError:
            continue
        compared += 1
        if (found.outcome, found.error, found.warning) != (row.outcome, row.error, row.warning):
            unlike.append((row.library, row.operation, row.target, row.outcome, found.outcome, found.error))
    assert unlike == []
    assert compared > 900


# Layouts too large to be copied, each with statements: the small sample answers as the write itself does.

ROWS, COLS = 90, 60
LARGE = {
    "torch": {
        "expanded": lambda: torch.arange(1.0, COLS + 1)[None].expand(ROWS, COLS),
        "expanded column": lambda: torch.arange(1.0, ROWS + 1)[:, None].expand(ROWS, COLS),
        "matrix": lambda: torch.arange(1.0, ROWS * COLS + 1).reshape(ROWS, COLS),
        "columns": lambda: torch.arange(1.0, 2 * ROWS * COLS + 1).reshape(ROWS, 2 * COLS)[:, 3 : COLS + 3],
        "every second": lambda: torch.arange(1.0, 2 * ROWS * COLS + 1).reshape(ROWS, 2 * COLS)[:, ::2],
        "transposed": lambda: torch.arange(1.0, ROWS * COLS + 1).reshape(COLS, ROWS).t(),
        "windows": lambda: torch.arange(1.0, ROWS + COLS).unfold(0, COLS, 1),
        "whole numbers": lambda: torch.arange(1, COLS + 1)[None].expand(ROWS, COLS),
        "frames": lambda: torch.arange(1.0, 3000.0).unfold(0, COLS, 25)[:ROWS],
    },
    "numpy": {
        "read-only": lambda: np.broadcast_to(np.arange(1.0, COLS + 1), (ROWS, COLS)),
        "strided": lambda: as_strided(np.arange(1.0, COLS + 1), (ROWS, COLS), (0, 8)),
        "matrix": lambda: np.arange(1.0, ROWS * COLS + 1).reshape(ROWS, COLS),
        "reversed": lambda: np.arange(1.0, ROWS * COLS + 1).reshape(ROWS, COLS)[:, ::-1],
        "windows": lambda: sliding_window_view(np.arange(1.0, ROWS + COLS) % 67, COLS, writeable=True),
        "frames": lambda: sliding_window_view(np.arange(1.0, 3000.0) % 67, COLS, writeable=True)[::25][:ROWS],
    },
}
STATEMENTS = [
    "y[0, 0] = 9", "y[-1, -1] = 9", "y[0] = 9", "y[:, 0] = 9", "y[5:9, 3] = 2", "y[::2] = 1",
    "y[1::3, 2] += 1", "y[:] = 4", "y[..., 7] = 4", "y[3:3] = 1", "y[[0, 5]] = 9", "y += 1", "y *= 2",
    "y[200, 0] = 1", "y[-200] = 1", "y[0, 0, 0] = 1", "y[1:] += y[:-1]", "y[:, 1:] += y[:, :-1]",
    "y[2:4] = y[7:9]", "y[0] = y[1]", "y[80:] = 1", "y[-3:-1] = 1", "y[:200] = 1", "y[0] = y[80]",
    "y[::7] = 1", "y[:, ::10] = 0", "y[5] = y[:, 0]", "y += y[0]", "y += y.T",
    "y[y > 40] = 0", "y[(y > 3) & ~(y == 7)] += 1",
]  # fmt: skip
OF_TORCH = [
    "y.add_(1)",
    "y.mul_(2)",
    "y.zero_()",
    "y.tril_()",
    "y.exp_()",
    "torch.add(y, 1, out=y)",
]
OF_NUMPY = ["np.add(y, 1, out=y)", "y.fill(3)", "y.sort(1)", "np.copyto(y, 0)", "np.fill_diagonal(y, 7)"]


def done(y, statement):
    """Write, on a large array of our own; return the error, and whether its overlaps spoil a result."""
    copy, names, errors = copy_of(y), {"np": np, "torch": torch}, []
    apart = re.sub(r"(= )(y[.[].*)$", r"\1(\2) * 1", statement)
    for array, text in ((copy, apart), (y, statement)):
        torch.manual_seed(0)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                exec(text, names | {"y": array})
        except Exception as error:
            errors.append(type(error).__name__)
    if errors:
        return errors[-1], None
    return "warned" if caught else "", values_of(y), values_of(copy)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_smaller_sample_answers_as_the_write_itself(library, monkeypatch):
    monkeypatch.setattr(shrinking, "SMALL_ELEMENTS", 4096)
    torch.set_warn_always(True)
    wrong, tried = [], 0
    for kind, make in LARGE[library].items():
        for statement in STATEMENTS + (OF_TORCH if library == "torch" else OF_NUMPY):
            answer = zs.can_i_write(make(), statement)
            if answer.row.reason == "large_windows":
                continue
            assert "smaller" in answer.notes
            error, *results = done(make(), statement)
            tried += 1
            if results[0] is None:
                right = (answer.outcome, answer.error) == ("raises", error)
            else:
                equal = same(*results).all()
                named_all = statement.startswith(
                    ("y +", "y *", "y.", "torch", "np.add", "np.copyto", "y[:] ")
                )
                said = answer.row.then or answer.outcome
                right = (answer.outcome == "warns") == (error == "warned") and said != "raises"
                right = right and (not named_all or (said == "differs") == (not equal))
                right = right and (said != "safe" or equal)
            if not right:
                wrong.append((kind, statement, answer.outcome, answer.error, error))
    torch.set_warn_always(False)
    assert wrong == []
    assert tried > 100


def brute_force(y, statement):
    """Return what changes when one value is written, beside what the statement names."""
    before, copy = values_of(y), copy_of(y)
    exec(statement, {"y": y})
    exec(statement, {"y": copy})
    return {
        tuple(map(int, each)) for each in np.argwhere((values_of(y) != before) & (values_of(copy) == before))
    }


@pytest.mark.parametrize(
    "statement", ["y[0, 0] = 99", "y[2] = 99", "y[:, 1] = 99", "y[1:3, 2] = 99", "y[-1, -1] = 99"]
)
@pytest.mark.parametrize(
    "make",
    [
        lambda: as_strided(np.arange(3.0), (4, 3), (0, 8)),
        lambda: sliding_window_view(np.arange(6.0), 3, writeable=True),
        lambda: sliding_window_view(np.arange(36.0).reshape(6, 6), (3, 3), writeable=True)[0],
        lambda: np.arange(12.0).reshape(4, 3),
        lambda: torch.arange(5.0).unfold(0, 2, 1)[:, [0, 1]].t()[:, :3].t(),
        lambda: torch.arange(3.0).expand(4, 3),
        lambda: as_strided(np.arange(9.0), (4, 3), (8, 16)),
    ],
)
def test_who_else_changes_is_who_changes(make, statement):
    answer = zs.can_i_write(make(), statement)
    if answer.outcome == "raises":
        return
    found = brute_force(make(), statement)
    assert len(answer.also_changes) + answer.left_out == len(found)
    assert set(answer.also_changes) <= found


def test_many_are_capped_and_counted():
    answer = zs.can_i_write(torch.zeros(1, 2048).expand(10**6, 2048), "y[7, 5] = 9")
    assert (len(answer.also_changes), answer.left_out) == (12, 10**6 - 13)
    assert (7, 5) not in answer.also_changes
    assert "999987" in str(answer)
    row = zs.can_i_write(torch.zeros(1, 2048).expand(10**6, 2048), "y[7] = 9")
    assert len(row.also_changes) + row.left_out == (10**6 - 1) * 2048


def test_windows_of_a_large_array_are_not_counted():
    answer = zs.can_i_write(torch.zeros(10**5).unfold(0, 3, 1), "y[5, 1] = 9")
    assert (answer.outcome, answer.also_changes, answer.left_out) == ("together", (), None)


def test_frames_of_a_signal_change_together_at_any_length():
    for samples in (10**4, 10**7):
        answer = zs.can_i_write(torch.zeros(samples).unfold(0, 400, 160), "y[5, 390] = 9")
        assert (answer.outcome, bool(answer.left_out or answer.also_changes)) == ("together", samples < 10**5)
    assert zs.can_i_write(torch.zeros(10**7).unfold(0, 400, 400), "y[5, 390] = 9").outcome == "safe"


def test_others_that_are_not_listed_are_not_denied():
    answer = zs.can_i_write(as_strided(np.arange(600.0), (900, 600), (0, 8)), "np.fill_diagonal(y, 5)")
    assert (answer.outcome, answer.also_changes, answer.left_out) == ("together", (), None)


def test_nothing_is_written_and_nothing_else_moves():
    y, state = view(), torch.get_rng_state()
    before = y.clone()
    for statement in ("y[0, 0] = 9", "y.normal_()", "y.zero_()", "y[y > 1] = 0", "torch.add(y, 1, out=y)"):
        zs.can_i_write(y, statement)
    assert torch.equal(y, before)
    assert y._version == 0
    assert torch.equal(torch.get_rng_state(), state)
    assert not torch.is_warn_always_enabled()


def test_the_safe_line_is_safe():
    for statement in ("x[0, 0] = 9", "x.add_(1)", "x += 1", "x[1:] += x[:-1]", "x.tril_()", "x[x > 2] = 0"):
        x = view()
        instead = zs.can_i_write(x, statement).instead
        names = {"x": x}
        exec(instead, names)
        assert x.tolist() == view().tolist()
        assert not torch.equal(names["x"], x)
        assert not zs.compare(names["x"], x).same_storage


FREE_CODE = [
    "y[0] = __import__('os').getcwd()",
    "y[open('/tmp/never', 'w')] = 1",
    "y[(lambda: 0)()] = 1",
    "y[[i for i in range(3)]] = 1",
    "y.apply_(print)",
    "y.map_(y, max)",
    "y.__class__.__init__(y)",
    "y[0] = y.storage()",
    "y[0] = [0] * 10**9",
    "y[0] = 9**9**9",
    "y[0] = f'{1}'",
    "y.set_()",
    "y.resize_(10**9)",
    "y.as_strided_((9, 9), (9, 9))",
    "np.save(y, 1)",
    "np.lib.stride_tricks.as_strided(y, (9, 9), (9, 9))",
    "np.add.reduce(y)",
    "torch.load(y)",
    "torch.save(y, out=y)",
    "y[0] = torch.zeros(10**9)",
    "y[0] = np.ones((99999, 99999))",
    "y[0] = (y := 3)",
    "y = 9",
    "y",
    "y + 1",
    "del y[0]",
    "for i in y: i += 1",
    "y[0] = 1; y[1] = 2",
    "y[0] = x",
    "x.y[0] = 1",
    "",
    "y[0] =",
    "y[0] = 1\x00",
    "y" + "[0]" * 2000 + " = 1",
    "(" * 900,
    "print(y)",
    "y.fill(9)",
    "y.frobnicate_()",
    "await y",
    "y[0] = " + "-" * 900 + "1",
    "y[0] = torch.ones(4096, 4096)",
    "y[0] = np.arange(0, 1, 1e-12)",
    "y[0] = np.arange(10**12)",
    "y[0] = torch.full((4096, 4096), 1)",
    "y[0] = np.zeros('x')",
    "y[0] = (y, 1) * 10**9",
    "y[0] = 'a' * 10**9",
]


@pytest.mark.parametrize("statement", FREE_CODE, ids=range(len(FREE_CODE)))
def test_free_code_is_refused_in_both_languages(statement):
    for language in LANGUAGES:
        zs.use(language)
        with pytest.raises(ValueError, match=r".") as refused:
            zs.can_i_write(view(), statement)
        assert bool(re.search(f"[{HAN}]", str(refused.value))) == (language == "zh")
        assert len(str(refused.value)) < 300


@pytest.mark.parametrize("x", [[1, 2], None, "y", 3, np.float64(3)])
def test_what_has_no_strides_is_refused(x):
    with pytest.raises(TypeError):
        zs.can_i_write(x, "y[0] = 1")


@pytest.mark.parametrize("statement", [None, 3, b"y[0] = 1", ["y[0] = 1"]])
def test_a_statement_is_text(statement):
    with pytest.raises(TypeError, match="line of text"):
        zs.can_i_write(view(), statement)


KINDS = [
    (lambda: as_strided(np.zeros(3), (4, 3), (24, 8)), "unsafe", ""),
    (lambda: torch.ones(4, 3, device="meta"), "not_applicable", "device"),
    (lambda: FakeTensorMode().from_tensor(torch.ones(4, 3)), "not_applicable", "unknown"),
    (lambda: np.ma.zeros((4, 3)), "not_applicable", "subclass"),
    (lambda: np.array([["a"]], object), "not_applicable", "dtype"),
    (lambda: torch.tensor([[1 + 1j]]).conj(), "not_applicable", "lazy"),
    (lambda: np.zeros((0, 3)), "raises", ""),
    (lambda: np.zeros((1, 0)), "raises", ""),
    (lambda: torch.tensor([[1.0]], requires_grad=True), "raises", ""),
    (lambda: torch.tensor([[1.0]], requires_grad=True).expand(4, 3), "raises", ""),
    (lambda: torch.ones(4, 3).bfloat16()[:1].expand(4, 3), "together", ""),
    (lambda: torch.ones(1, 3).to(torch.float8_e5m2).expand(4, 3), "together", ""),
    (lambda: np.broadcast_arrays(np.zeros((1, 3)), np.zeros((4, 1)))[0], "warns", ""),
    (lambda: np.ones((1, 1), dtype=">f4"), "safe", ""),
    (lambda: np.ones((4, 3), bool), "safe", ""),
    (lambda: np.ones((4, 3))[::-1, ::-1], "safe", ""),
]


@pytest.mark.parametrize(("make", "outcome", "reason"), KINDS, ids=range(len(KINDS)))
def test_kinds_of_arrays(make, outcome, reason):
    answer = zs.can_i_write(make(), "y[0, 0] = 9")
    assert (answer.outcome, answer.row.reason) == (outcome, reason)
    assert bool(answer.also_changes) == (outcome in ("together", "warns"))


def test_too_large_for_what_is_asked():
    y = torch.zeros(1, 2048).expand(10**6, 2048)
    asked = {
        "y[y[0] > 1] = 0": "depends_on_values",
        "y[0] = [1, 2]": "large_arrays",
        "y[0][1] = 2": "large_arrays",
        "y[::999] = 1": "large_step",
        "y.tril_(5)": "large_arrays",
    }
    for statement, reason in asked.items():
        answer = zs.can_i_write(y, statement)
        assert (answer.outcome, answer.row.reason) == ("not_applicable", reason)


def test_a_copy_made_by_an_index_is_named():
    answer = zs.can_i_write(np.arange(6.0).reshape(2, 3), "y[[0, 1]][0] = 9")
    assert (answer.outcome, answer.notes) == ("safe", ("nothing_named",))


def test_a_derivative_is_named():
    y = torch.ones(3, requires_grad=True) * 1
    assert zs.can_i_write(y, "y += 1").notes == ("learns",)
    assert zs.can_i_write(y.detach(), "y += 1").notes == ()


def test_what_does_not_fit_a_leaf_is_told_as_such():
    leaf = torch.ones(3, requires_grad=True)
    assert zs.can_i_write(leaf, "y[9] = 1").error == "IndexError"
    assert zs.can_i_write(leaf, "y[0] = 1").notes == ("refused",)


@pytest.mark.parametrize(
    "value",
    ["torch.zeros(3)", "torch.ones((3,))", "torch.full((3,), 9)", "torch.arange(3)",
     "torch.tensor([1., 2., 3.])", "y[1] * 2 + 1", "-y[1]", "y[1].clone()", "y[2]", "(y > 2)[0]"],
)  # fmt: skip
def test_what_may_stand_on_the_right(value):
    assert zs.can_i_write(torch.ones(4, 3), f"y[0] = {value}").outcome == "safe"


def test_a_copy_of_many_elements_is_named():
    y = np.lib.stride_tricks.as_strided(np.zeros(3), (2**20, 2**20, 3), (0, 0, 8))
    answer = zs.can_i_write(y, "y[0, 0] = 1")
    assert (answer.outcome, answer.notes, answer.left_out) == (
        "together",
        ("smaller", "large_copy"),
        3 * 2**40 - 15,
    )


@pytest.mark.parametrize("statement", ["y.copy_(y.T)", "y += y.T", "y[1:] += y[:-1]", "y.add_(y.T)"])
def test_what_is_read_of_itself_is_copied_first(statement):
    y = torch.arange(9.0).reshape(3, 3)
    answer = zs.can_i_write(y, statement)
    assert answer.outcome == "raises"
    names = {"y": y.clone()}
    exec(answer.instead, names)
    assert not torch.equal(names["y"], y)


def test_without_elements():
    assert zs.can_i_write(torch.ones(0, 3), "y += 1").outcome == "safe"
    assert zs.can_i_write(torch.ones(1, 3).expand(0, 3), "y[:] = 1").outcome == "safe"


def test_a_mask_of_its_own_values_names_what_it_masks():
    y = torch.tensor([[1.0, 0.0, 3.0]]).expand(4, 3)
    answer = zs.can_i_write(y, "y.masked_fill_(y > 2, 9)")
    assert (answer.outcome, answer.row.then, answer.also_changes) == ("warns", "together", ())


@pytest.mark.parametrize("statement", ["y.t_()", "y.unsqueeze_(0)", "y.squeeze_()", "y.swapaxes_(0, 1)"])
def test_what_changes_only_metadata(statement):
    for y in (view(), torch.ones(1, 3), torch.ones(2, 2048).expand(2, 2048).repeat(300, 1)):
        assert zs.can_i_write(y, statement).outcome == "metadata"


def test_only_a_view_refuses_to_be_detached():
    assert zs.can_i_write(view(), "y.detach_()").error == "RuntimeError"
    assert zs.can_i_write(torch.ones(4, 3), "y.detach_()").outcome == "metadata"
    assert (
        zs.can_i_write(torch.ones(4, 3, requires_grad=True), "y.requires_grad_(False)").outcome == "metadata"
    )


GRAPHS = {
    "leaf": lambda: torch.arange(6.0).reshape(2, 3).requires_grad_(),
    "view of a leaf": lambda: torch.ones(1, 3, requires_grad=True).expand(2, 3),
    "intermediate": lambda: torch.ones(2, 3, requires_grad=True) * 2,
    "plain": lambda: torch.ones(2, 3),
}


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("statement", ["torch.add(y, 1, out=y)", "y[0] = y[1]", "y += y[:1]", "y.add_(1)"])
def test_in_a_graph_the_answer_and_the_safe_line_are_as_they_run(graph, statement):
    y = GRAPHS[graph]()
    answer = zs.can_i_write(y, statement)
    names = {"torch": torch, "y": GRAPHS[graph]()}
    try:
        exec(statement, names)
    except RuntimeError:
        assert answer.error == "RuntimeError"
        before = y.detach().clone()
        exec(answer.instead, names := {"torch": torch, "y": y})
        assert graph in ("plain", "intermediate") or torch.equal(y, before)
    else:
        assert answer.outcome in ("safe", "differs")


def test_infinity_may_be_written():
    y = torch.zeros(1, 3).expand(4, 3)
    assert zs.can_i_write(y, "y.masked_fill_(y == 0, float('-inf'))").warning == "UserWarning"
    with pytest.raises(ValueError, match="float"):
        zs.can_i_write(y, "y[0] = float('one')")


THROUGH_VIEWS = [
    "y.T[0] = 9", "y.t().add_(1)", "y.view(-1)[0] = 9", "y.reshape(-1)[0] = 9", "y.flat[0] = 9",
    "y.ravel()[0] += 1", "y.data[0, 0] = 9", "y.detach()[0] = 9", "y.numpy()[0, 0] = 9",
    "y.transpose(0, 1)[0] = 9", "y.clone()[0] = 9", "y.copy()[0] = 9", "y.real[0, 0] = 9",
    "y.diagonal().zero_()", "y[0].data.zero_()",
]  # fmt: skip
BEHIND = {
    "expanded": view,
    "matrix": lambda: torch.arange(12.0).reshape(4, 3),
    "columns": lambda: torch.arange(20.0).reshape(4, 5)[:, :3],
    "leaf": lambda: torch.ones(4, 3, requires_grad=True),
    "read-only": read_only,
    "strided": lambda: as_strided(np.arange(3.0), (4, 3), (0, 8)),
    "array": lambda: np.arange(12.0).reshape(4, 3),
}


@pytest.mark.parametrize("statement", THROUGH_VIEWS)
def test_a_write_through_a_view_answers_as_it_runs(statement):
    tried = 0
    for make in BEHIND.values():
        y, copy = make(), copy_of(make())
        try:
            exec(statement, {"y": copy})
        except Exception:
            continue  # no such view of a tensor, or of an array
        try:
            answer, error = zs.can_i_write(make(), statement), ""
        except StatementError:
            assert ".data" in statement  # of an array it is raw memory
            continue
        try:
            exec(statement, {"y": y})
        except Exception as raised:
            error = type(raised).__name__
        tried += 1
        assert answer.error == error
        if not error:
            beyond = "nothing_named" not in answer.notes and not same(values_of(y), values_of(copy)).all()
            assert beyond == bool(answer.also_changes or answer.outcome == "differs")
        if answer.instead and answer.outcome != "raises":
            exec(answer.instead, names := {"y": make()})
            assert same(values_of(names["y"]), values_of(copy)).all()
    assert tried >= 2


@pytest.mark.filterwarnings("error")
def test_what_is_written_into_a_copy_is_told():
    for y, statement in (
        (as_strided(np.arange(1.0, 4.0), (4, 3), (0, 8)), "y.reshape(-1)[0] = 1"),
        (np.broadcast_arrays(np.ones(3), np.zeros((4, 1)))[0], "y.ravel()[0] = 1"),
        (np.arange(12.0).reshape(3, 4).T, "y.reshape(-1)[0] = 5"),
        (torch.ones(4, 3), "y[[0, 1]].add_(1)"),
        (view(), "y.clone().zero_()"),
    ):
        answer = zs.can_i_write(y, statement)
        assert (answer.outcome, answer.also_changes, answer.notes) == ("safe", (), ("nothing_named",))
    assert zs.can_i_write(torch.ones(2, 3, 4), "y.T[0] = 1").outcome == "safe"
    assert zs.can_i_write(torch.ones(2, 3, requires_grad=True), "y.t_()").error == "RuntimeError"


@pytest.mark.parametrize(
    "statement", ["y.T = 9", "y.T += 1", "y.data = 9", "np.ravel(y)[0] = 1", "y.data.cpu()[0] = 1"]
)
def test_views_beyond_the_list_are_refused(statement):
    with pytest.raises(StatementError):
        zs.can_i_write(view(), statement)


def test_what_is_read_of_an_array_by_the_library():
    column = np.array([584.0, np.nan, 779.0])
    column.flags.writeable = False
    assert zs.can_i_write(column, "T[~np.isfinite(T)] = np.nan").error == "ValueError"
    assert zs.can_i_write(column.copy(), "T[~np.isfinite(T)] = np.nan").outcome == "safe"
    assert zs.can_i_write(view(), "y -= torch.mean(y)").error == "RuntimeError"
    with pytest.raises(StatementError):
        zs.can_i_write(column, "T[np.fromfile(T)] = 0")


@pytest.mark.parametrize("statement", ["y[y == 0] = -1e9", "y.masked_fill_(y == 0, -1e9)"])
def test_a_mask_of_a_large_array_is_tried(statement):
    mask = torch.zeros(1, 1, 1024, 1024).expand(8, 12, 1024, 1024)
    answer = zs.can_i_write(mask, statement)
    assert (answer.warning, answer.row.then, answer.also_changes) == ("UserWarning", "together", ())
    assert zs.can_i_write(torch.zeros(1024, 1024), statement).outcome == "safe"
    assert zs.can_i_write(mask[:1, :1] * 1j, statement.replace("==", ">")).notes[-1] == "copy_refuses"


def test_a_mask_of_a_large_read_only_array_is_refused():
    assert zs.can_i_write(np.broadcast_to(np.zeros(9), (10**9, 9)), "y[y < 1] = 2").error == "ValueError"


@pytest.mark.parametrize("statement", ["np.add(y, 1, y)", "np.add(y, 1, out=(y,))", "np.negative(y, y)"])
def test_what_a_ufunc_writes_into_may_stand_third(statement):
    assert zs.can_i_write(read_only(), statement).error == "ValueError"
    assert zs.can_i_write(read_only().copy(), statement).outcome == "safe"
    assert zs.can_i_write(as_strided(np.arange(3.0), (4, 3), (0, 8)), statement).outcome == "together"


def test_what_leaves_a_tensor_as_it_is_is_no_write():
    with pytest.raises(StatementError, match="sort"):
        zs.can_i_write(view(), "y.sort()")
    assert zs.can_i_write(view(), "y.numpy().sort()").outcome == "together"
    assert zs.can_i_write(read_only(), "y.sort()").error == "ValueError"


def test_the_first_of_two_errors_is_told():
    one = np.broadcast_to(np.ones((1, 2), bool), (4, 2))
    with pytest.raises(ValueError, match="read-only"):
        one += 1
    assert zs.can_i_write(one, "y += 1").error == "ValueError"
    assert zs.can_i_write(one.copy(), "y += 1").error == "UFuncTypeError"


def test_a_tensor_is_not_written_by_adding_an_array_to_its_name():
    y = before = torch.ones(4, 3)
    with warnings.catch_warnings(action="ignore"):
        y += np.ones(3)
    assert y is not before
    for each in (before, view()):
        with pytest.raises(StatementError, match="gives the name y to another object"):
            zs.can_i_write(each, "y += np.ones(3)")
    assert zs.can_i_write(view(), "y[0] += np.ones(3)").outcome == "together"


def test_a_result_that_is_no_view_may_be_detached_in_place():
    learns = torch.ones(4, 3, requires_grad=True)
    for made in (learns * 2, (learns * 2).t().exp()):
        assert zs.can_i_write(made, "y.detach_()").outcome == "metadata"
    assert zs.can_i_write((learns * 2)[1:], "y.detach_()").error == "RuntimeError"


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    "statement",
    ["y[0] = 1", "y.data[0] = 1", "y.detach()[0] = 9", "y.numpy()[0] = 1", "y.data.fill_(1)", "y.t_()",
     "y.requires_grad_()", "y.detach_()", "y.clone()[0] = 1"],
)  # fmt: skip
def test_a_tensor_of_inference_mode_is_tried_as_one(statement, inside):
    def made():
        with torch.inference_mode():
            return torch.ones(1, 3).expand(4, 3)

    with torch.inference_mode(inside):
        error = ""
        try:
            exec(statement, {"y": made()})
        except RuntimeError:
            error = "RuntimeError"
        assert zs.can_i_write(made(), statement).error == error


def test_no_derivative_is_blamed_for_what_inference_mode_made():
    with torch.inference_mode():
        made = torch.ones(4, 3)
    with torch.no_grad(), pytest.raises(RuntimeError, match="InferenceMode"):
        made += 1
    found = zs.can_i_write(made, "y += 1")
    assert (found.error, found.notes) == ("RuntimeError", ())
    exec(found.instead, {"y": made})
    assert zs.can_i_write(torch.ones(4, 3, requires_grad=True), "y += 1").notes == ("refused",)


@pytest.mark.parametrize("statement", ["y.requires_grad_(False)", "y.requires_grad_(requires_grad=False)"])
def test_a_result_stops_learning_by_the_repair(statement):
    names = {"y": torch.ones(4, 3, requires_grad=True) * 2}
    found = zs.can_i_write(names["y"], statement)
    with pytest.raises(RuntimeError, match="leaf"):
        exec(f"y = y.clone(); {statement}", dict(names))
    exec(found.instead, names)
    assert found.error == "RuntimeError"
    assert not names["y"].requires_grad


@pytest.mark.parametrize("statement", ["y.numpy()[0] = 1", "y[1:].numpy()[0, 0] += 1"])
def test_numpy_refuses_what_learns_and_the_repair_detaches_it(statement):
    leaf = torch.ones(1, 3, requires_grad=True)
    for given in (leaf.clone().expand(4, 3), leaf.expand(4, 3), torch.ones(4, 3, requires_grad=True)):
        with pytest.raises(RuntimeError, match="numpy"):
            exec(f"y = y.clone(); {statement}", {"y": given})
        found = zs.can_i_write(given, statement)
        assert found.error == "RuntimeError"
        exec(found.instead, {"y": given})
    assert zs.can_i_write(view(), "y.numpy()[0] = 1").instead == "y = y.clone(); y.numpy()[0] = 1"
    through = zs.can_i_write(leaf.expand(4, 3), "y.detach().numpy()[0] = 1").instead
    assert through == "y = y.clone(); y.detach().numpy()[0] = 1"


@pytest.mark.parametrize("statement", ["y |= 1", "y[9] = 1", "y += 1.5j"])
def test_a_write_that_fits_no_copy_is_refused_as_the_array_refuses_it(statement):
    for given in (read_only(), np.ones((4, 3)), view()):
        with pytest.raises(Exception) as raised:  # noqa: PT011
            exec(statement, {"y": given})
        found = zs.can_i_write(given, statement)
        assert (found.error, found.notes) == (raised.type.__name__, ("copy_refuses",))
