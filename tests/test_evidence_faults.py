"""Each known fault: a program that has it, one like it that has not, and what the report says of both."""

import io
import re

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import zerostride as zs
from zerostride.findings import FAULTS
from zerostride.findings.faults import LESSONS

torch = pytest.importorskip("torch")

WEIGHTS = torch.arange(1.0, 13.0, dtype=torch.float64).reshape(4, 3)
GIVEN = torch.ones(3, dtype=torch.float64)
ONCE = torch.ones(1, 3, dtype=torch.float64).repeat(4, 1)


def row():
    return torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64)


def array():
    return np.array([[1.0, 2.0, 3.0]])


def column():
    return torch.arange(4.0).reshape(4, 1)


def total(y):
    return (y * WEIGHTS).sum()


def edited(copy):
    def program(x):
        y = copy(x.expand(4, 3))
        y[0, 0] = 9
        return y

    return program


def data_edited(cut):
    def program(x):
        y = x.sigmoid()
        cut(y).zero_()
        return y.sum()

    return program


def unlocked(x):
    y = np.broadcast_to(x, (4, 3))
    y.flags.writeable = True
    return y


def shifted(copy):
    def program(x):
        y = x.clone()
        y[:, 1:] += copy(y[:, :-1])
        return y

    return program


def edited_before_backward(copy):
    def program(x):
        y = x.exp()
        z = copy(y)
        z[0, 0] = 0
        return y.sum() + z.detach().sum()

    return program


class Module(torch.nn.Module):
    def __init__(self, values):
        super().__init__()
        self.heads = values


def optimized(make):
    return lambda x: torch.optim.SGD([make(x.detach().requires_grad_())], lr=0.1)


def reads_grad(x):
    y = x.clone().requires_grad_() * 2
    y.sum().backward()
    return y.grad


def reads_leaf_grad(x):
    y = x.detach().clone().requires_grad_()
    y.sum().backward()
    return y.grad


def one(f):
    return {"f": f}


# By fault: the source, programs that have it, programs that have not (some with a source of their own), loss.
KINDS = {
    "write_refused": (
        row, one(lambda x: x.expand(4, 3).add_(1)), one(lambda x: x.expand(4, 3).clone().add_(1)),
    ),
    "read_only_write": (
        array, one(lambda x: np.broadcast_to(x, (4, 3)).fill(1)), one(lambda x: np.tile(x, (4, 1)).fill(1)),
    ),
    "operands_overlap": (
        lambda: torch.arange(4.0), one(lambda x: _add_inside(x.clone())),
        one(lambda x: _add_inside(x.clone(), copy=True)),
    ),
    "leaf_written": (
        lambda: row().requires_grad_(), one(lambda x: x.add_(1)), one(lambda x: x.clone().add_(1)),
    ),
    "saved_value_edited": (
        row, one(edited_before_backward(lambda y: y.detach())),
        one(edited_before_backward(lambda y: y.detach().clone())),
    ),
    "view_impossible": (
        row, one(lambda x: x.expand(4, 3).view(-1)), one(lambda x: x.view(-1).expand(4, 3)),
    ),
    "axis_cannot_expand": (
        lambda: torch.ones(2, 3), one(lambda x: x.expand(4, 3)), one(lambda x: x[:1].expand(4, 3)),
    ),
    "repeat_rank": (
        lambda: torch.ones(2, 3), one(lambda x: x.repeat(4)), one(lambda x: x.repeat(4, 1)),
    ),
    "negative_strides": (
        array, one(lambda x: torch.from_numpy(x[:, ::-1])),
        one(lambda x: torch.from_numpy(x[:, ::-1].copy())),
    ),
    "byte_order": (
        lambda: np.ones(3, ">f8"), one(torch.from_numpy), one(lambda x: torch.from_numpy(x.astype("f8"))),
    ),
    "write_into_shared": (row, one(edited(lambda y: y)), one(edited(lambda y: y.clone()))),
    "write_into_own_source": (
        lambda: torch.arange(1.0, 10.0).reshape(3, 3), one(shifted(lambda y: y)), one(shifted(torch.clone)),
    ),
    "protection_lifted": (array, one(unlocked), one(lambda x: np.broadcast_to(x, (4, 3)))),
    "read_only_lost": (
        array, one(lambda x: torch.from_numpy(np.broadcast_to(x, (4, 3)))),
        one(lambda x: torch.tensor(np.broadcast_to(x, (4, 3)))),
    ),
    "writes_source": (row, one(lambda x: x.add_(1)), one(lambda x: x.add(1))),
    "broadcast_unintended": (
        column, one(lambda x: x - torch.arange(4.0)), one(lambda x: x[:, 0] - torch.arange(4.0)),
    ),
    "path_cut": (row, one(lambda x: x.detach().repeat(4, 1)), one(lambda x: x.clone().repeat(4, 1)), total),
    "precision_lost": (
        row, one(lambda x: x.expand(4, 3).float().double()), one(lambda x: x.expand(4, 3).double()), total,
    ),
    "integer_cut": (
        row, one(lambda x: x.long() * 2), one(lambda x: x.float() * 2),
    ),
    "integer_source": (
        lambda: torch.tensor([[1, 2, 3]]), one(lambda x: x.expand(4, 3)),
        (row, one(lambda x: x.expand(4, 3))),
        total,
    ),
    "data_hides_edit": (
        lambda: torch.zeros(3, dtype=torch.float64), one(data_edited(lambda y: y.data)),
        one(data_edited(lambda y: y.detach().clone())),
    ),
    "leaf_lost": (row, one(optimized(lambda p: p.repeat(4, 1))), one(optimized(lambda p: p))),
    "expanded_parameter": (
        row, one(lambda x: torch.nn.Parameter(x.expand(4, 3))),
        one(lambda x: torch.nn.Parameter(x.repeat(4, 1))),
    ),
    "parameter_problem": (
        row, one(lambda x: Module(torch.nn.Parameter(x.detach()).repeat(4, 1))),
        one(lambda x: Module(torch.nn.Parameter(x.detach().repeat(4, 1)))),
    ),
    "stale": (row, one(lambda x: ONCE), one(lambda x: x.repeat(4, 1))),
    "nbytes_as_memory": (
        array, one(lambda x: np.broadcast_to(x, (4, 3)).nbytes), one(lambda x: np.tile(x, (4, 1)).nbytes),
    ),
    "dense_by_dtype": (row, one(lambda x: x.expand(4, 3).float()), one(lambda x: x.float().expand(4, 3))),
    "dense_by_reshape": (
        lambda: torch.tensor([[[1.0], [2.0]]]), one(lambda x: x.expand(100, 2, 2).reshape(100, 4)),
        one(lambda x: x.expand(1, 2, 2).reshape(1, 4).expand(100, 4)),
    ),
    "saved_whole_storage": (
        lambda: torch.zeros(100, 100), one(lambda x: torch.save(x[:1], io.BytesIO())),
        one(lambda x: torch.save(x[:1].clone(), io.BytesIO())),
    ),
    "saved_every_element": (
        array, one(lambda x: np.save(io.BytesIO(), np.broadcast_to(x, (4, 3)))),
        one(lambda x: np.save(io.BytesIO(), x)),
    ),
    "copied_without_need": (row, one(lambda x: x.repeat(4, 1).sum()), one(lambda x: x.repeat(4, 1))),
    "view_holds_storage": (
        lambda: torch.ones(10, 10), one(lambda x: (x * 2)[:1]), one(lambda x: (x * 2)[:1].clone()),
    ),
    "pairwise_kept": (
        lambda: torch.arange(12.0).reshape(4, 3), one(lambda x: ((x[:, None] - x[None]) ** 2).sum(-1)),
        one(lambda x: torch.cdist(x, x)),
    ),
    "integer_leaf": (
        lambda: torch.tensor([1, 2]), one(lambda x: x.clone().requires_grad_()),
        one(lambda x: x.double().requires_grad_()),
    ),
    "numpy_of_graph": (
        lambda: row().requires_grad_(), one(lambda x: x.numpy()), one(lambda x: x.detach().numpy()),
    ),
    "bfloat16_in_numpy": (
        lambda: row().bfloat16(), one(lambda x: x.numpy()), one(lambda x: x.float().numpy()),
    ),
    "repeat_is_np_repeat": (
        array, {"a": lambda x: np.tile(x, (1, 2)), "b": lambda x: np.repeat(x, 2, axis=1)},
        {"a": lambda x: np.tile(x, (2, 1)), "b": lambda x: np.repeat(x, 2, axis=0)},
    ),
    "mean_against_sum": (
        row,
        {"a": lambda x: (x.expand(4, 3) * WEIGHTS).mean(), "b": lambda x: (x.repeat(4, 1) * WEIGHTS).sum()},
        {"a": lambda x: (x.expand(4, 3) * WEIGHTS).sum(), "b": lambda x: (x.repeat(4, 1) * WEIGHTS).sum()},
    ),
    "clone_keeps_path": (
        row, {"a": lambda x: x.clone(), "b": lambda x: x.detach().clone()},
        {"a": lambda x: x.clone(), "b": lambda x: x + 0},
    ),
    "detach_cuts_path": (
        row, {"a": lambda x: x.detach(), "b": lambda x: x.clone()},
        {"a": lambda x: x.detach(), "b": lambda x: x.detach().clone()},
    ),
    "equal_values_other_storage": (
        row, {"a": lambda x: x.expand(4, 3), "b": lambda x: x.repeat(4, 1)},
        {"a": lambda x: x.expand(4, 3), "b": lambda x: x.expand(4, -1)},
    ),
}  # fmt: skip


BUFFER = torch.zeros(1, 3, dtype=torch.float64)


def scaled():
    w = torch.nn.Parameter(torch.ones(1, 3, dtype=torch.float64))
    w.data.mul_(0.9)
    return w


def _holder(values):
    module = torch.nn.Module()
    module.w = torch.nn.Parameter(values)
    return module


def _add_inside(y, copy=False):
    y[1:] += y[:-1].clone() if copy else y[:-1]
    return y


def found(make, programs, loss=None):
    return zs.evidence(make(), programs, loss).problems


@pytest.mark.parametrize("name", KINDS)
def test_fault_is_recognized_and_its_like_is_not(name):
    make, faulty, sound, *loss = KINDS[name]
    told = {problem.name: problem for problem in found(make, faulty, *loss)}
    assert name in told
    other, sound = sound if isinstance(sound, tuple) else (make, sound)
    assert name not in {problem.name for problem in found(other, sound, *loss)}
    problem = told[name]
    assert problem.lesson == LESSONS[name]
    assert problem.repair
    assert set(problem.programs) <= set(faulty)


@pytest.mark.parametrize("name", KINDS)
def test_fault_speaks_both_languages(name):
    make, faulty, _, *loss = KINDS[name]
    problem = next(each for each in found(make, faulty, *loss) if each.name == name)
    english = list(problem.lines())
    zs.use("zh")
    chinese = list(problem.lines())
    assert len(english) == len(chinese) >= 3
    assert not re.search("[一-鿿]", "".join(english))
    assert re.search("[一-鿿]", chinese[0])
    assert "\n".join(chinese).encode("gbk")


def test_every_kind_is_tried():
    assert set(KINDS) == set(FAULTS)
    assert len(FAULTS) >= 15


# Other forms of the same faults, and programs that come near to one.
def adds_to_first(y):
    y[0] += 1
    return y


ALSO = {
    "a mask": ("write_into_shared", row, lambda x: x.expand(4, 3).masked_fill_(torch.eye(4, 3).bool(), 0)),
    "tril_": ("write_into_shared", row, lambda x: x.expand(4, 3).tril_()),
    "windows of torch": ("write_into_shared", lambda: torch.ones(5), lambda x: x.unfold(0, 3, 1).mul_(2)),
    "no stride of 0": (
        "write_into_shared", lambda: torch.arange(7), lambda x: x.as_strided((2, 2, 2), (3, 2, 1)).add_(1),
    ),
    "windows of NumPy": (
        "protection_lifted", lambda: np.arange(5), lambda x: sliding_window_view(x, 3, writeable=True),
    ),
    "as_strided": ("protection_lifted", array, lambda x: as_strided(x, (4, 3), (0, 8))),
    "flatten in NumPy": (
        "dense_by_reshape", lambda: np.arange(3.0), lambda x: np.broadcast_to(x, (1000, 3)).ravel(),
    ),
    "astype": ("dense_by_dtype", array, lambda x: np.broadcast_to(x, (4, 3)).astype("f4")),
    "nbytes of torch": ("nbytes_as_memory", row, lambda x: x.expand(4, 3).nbytes),
    "a frozen array": (
        "read_only_lost", lambda: np.broadcast_to(np.arange(3.0), (4, 3)), lambda x: torch.from_numpy(x),
    ),
    "a pickled view": (
        "saved_every_element", array, lambda x: __import__("pickle").dumps(np.broadcast_to(x, (4, 3))),
    ),
    "NumPy shapes": ("broadcast_unintended", lambda: np.arange(4.0), lambda x: x - x.reshape(4, 1)),
    "an expand of two": ("axis_cannot_expand", lambda: np.ones((2, 3)), lambda x: np.broadcast_to(x, (4, 3))),
    "the grad of a result": ("leaf_lost", row, reads_grad),
    "a parameter as source": (
        "expanded_parameter", lambda: torch.nn.Parameter(row().expand(4, 3)), lambda x: x * 2,
    ),
    "data as a number": ("path_cut", row, lambda x: x.sum().item() * x.new_ones(())),
    "a writable array out of torch": ("protection_lifted", row, lambda x: x.expand(4, 3).numpy()),
    "a write after lifting the flag": (
        "write_into_shared", array, lambda x: unlocked(x).__setitem__((0, 0), 9),
    ),
    "a checkpoint": (
        "write_refused", row,
        lambda x: _holder(x.expand(4, 3)).load_state_dict(_holder(torch.zeros(4, 3)).state_dict()),
    ),
    "a slice handed in": (
        "saved_whole_storage", lambda: torch.zeros(100, 100)[:1], lambda x: torch.save(x, io.BytesIO()),
    ),
    "a module as the program": (
        "parameter_problem", row, Module(torch.nn.Parameter(torch.ones(1, 3)).repeat(4, 1)),
    ),
    "a slice of a copy in NumPy": ("view_holds_storage", array, lambda x: np.tile(x, (9, 1))[:1]),
    "a write into one of the expanded rows": ("write_into_shared", row, lambda x: x.expand(4, 3)[0].zero_()),
    "an expanded row that is added to": ("write_into_shared", row, lambda x: adds_to_first(x.expand(4, 3))),
    "a batch of one": ("broadcast_unintended", lambda: torch.ones(1, 4, 1), lambda x: x - torch.ones(1, 4)),
    "squares of differences in NumPy": (
        "pairwise_kept", lambda: np.arange(8.0).reshape(4, 2),
        lambda x: np.linalg.norm(x[:, None] - x, axis=-1),
    ),
    "no_grad": ("path_cut", row, lambda x: torch.no_grad()(torch.sum)(x)),
}  # fmt: skip


@pytest.mark.parametrize("form", ALSO)
def test_other_forms(form):
    name, make, program = ALSO[form]
    assert name in {problem.name for problem in found(make, {"f": program})}


def points():
    return torch.arange(8.0).reshape(4, 2)


def forces(apart):
    return (apart / (apart.square().sum(-1, keepdim=True) + 1)).sum(1)


SOUND = {
    "expand": (row, lambda x: x.expand(4, 3)),
    "a weighted sum": (row, lambda x: (x.expand(4, 3) * WEIGHTS).sum()),
    "an edited clone": (row, edited(torch.clone)),
    "a batch of whole matrices": (lambda: torch.ones(1, 3, 3), lambda x: x.expand(2, 3, 3).clone().tril_()),
    "an outer product": (lambda: torch.arange(4.0), lambda x: torch.outer(x, x)),
    "every pair, said so": (column, lambda x: x[:, None] - x[None]),
    "a shift in NumPy": (lambda: np.arange(5.0), lambda x: _add_inside(x.copy())),
    "a random write": (row, lambda x: x.clone().normal_()),
    "the grad of a leaf": (row, reads_leaf_grad),
    "a reshape that keeps the view": (row, lambda x: x.expand(4, 3).reshape(2, 2, 3)),
    "nbytes of a source": (row, lambda x: x.nbytes),
    "a dtype that stays": (row, lambda x: x.expand(4, 3).double()),
    "saving the whole": (row, lambda x: torch.save(x, io.BytesIO())),
    "a parameter used": (lambda: torch.nn.Parameter(row()), lambda x: (x.expand(4, 3) * WEIGHTS).sum()),
    "a whole edit in place, undone by none": (row, lambda x: x.clone().add_(1)),
    "NumPy alone": (array, lambda x: np.broadcast_to(x, (4, 3)).sum(axis=0)),
    "every pair by a new axis": (lambda: np.arange(4.0), lambda x: x[:, None] * x),
    "every pair by a new axis in torch": (lambda: torch.arange(4.0), lambda x: x.unsqueeze(1) * x),
    "a buffer that is filled anew": (row, lambda x: BUFFER.copy_(x)),
    "a parameter scaled before it is used": (row, lambda x: scaled() * x),
    "a function of gradients": (row, lambda x: torch.func.grad(lambda z: (z**2).sum())(x)),
    "a write into a row of a clone": (row, lambda x: adds_to_first(x.expand(4, 3).clone())),
    "an accuracy of whole numbers": (
        lambda: torch.arange(3),
        lambda x: (x == torch.arange(3)).float().mean(),
    ),
    "three axes that meet": (lambda: torch.ones(4, 4, 1), lambda x: x * torch.ones(4, 4, 3)),
    "differences that are kept": (points, lambda x: x[:, None] - x),
    "differences used twice": (
        points,
        lambda x: (x[:, None] - x) / (x[:, None] - x).square().sum(-1)[..., None],
    ),
    "forces": (points, lambda x: forces(x[:, None] - x)),
    "sums of absolute differences": (points, lambda x: (x[:, None] - x).abs().sum(-1)),
    "all parts of a result": (row, lambda x: (x * 2).chunk(3, dim=1)),
    "a part of the source": (lambda: torch.ones(10, 10), lambda x: x[:1]),
    "rounded indices beside a path": (row, lambda x: x.sum() + x.argmax()),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_programs_have_no_fault(name):
    make, program = SOUND[name]
    assert found(make, {"f": program}) == ()


def less_first(x):
    y = x.clone()
    y -= y[:, :1]
    return y


def set_shifted(y):
    y[:, 1:] = y[:, :-1]
    return y


REPAIRED = {
    "heads merged after a permute": (
        lambda: torch.ones(2, 4, 8, 3), lambda x: x.permute(0, 2, 1, 3).view(2, 8, -1),
        "view_impossible", ("y = y.reshape(2, 8, -1)",),
    ),
    "expanded rows in one line": (
        row, lambda x: x.expand(4, 3).view(-1),
        "view_impossible", ("y = y.reshape(-1)", "y = y[:1].reshape(1, -1).expand(4, -1)"),
    ),
    "an expansion that does not fit": (
        lambda: torch.ones(4), lambda x: x.expand(4, 3),
        "axis_cannot_expand", ("zs.can_expand((4,), (4, 3))",),
    ),
    "an expansion that does not fit, in NumPy": (
        lambda: np.ones(4), lambda x: np.broadcast_to(x, (4, 3)),
        "axis_cannot_expand", ("zs.can_expand((4,), (4, 3))",),
    ),
    "a new axis that should keep its size": (
        lambda: torch.ones(3), lambda x: x.expand(-1, 3),
        "axis_cannot_expand", ('zs.can_expand((3,), (-1, 3), library="torch")',),
    ),
    "shapes that do not meet": (
        lambda: torch.ones(4, 3), lambda x: x * torch.ones(4),
        "axis_cannot_expand", ("zs.can_expand((4,), (4, 3))",),
    ),
    "a write that has no other form": (
        row, lambda x: x.expand(4, 3).fill_diagonal_(9),
        "write_into_shared", ("y = y.clone()",),
    ),
    "a column subtracted in place": (
        lambda: torch.tensor([[1.0, 2.0], [3.0, 5.0]]), less_first,
        "write_into_own_source", ("y -= other.clone()",),
    ),
    "a slice set from its neighbour": (
        lambda: torch.arange(9.0).reshape(3, 3), lambda x: set_shifted(x.clone()),
        "write_into_own_source", ("y[...] = other.clone()",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REPAIRED)
def test_the_repair_is_that_of_the_call(name):
    make, program, fault, repairs = REPAIRED[name]
    (told,) = (problem for problem in found(make, {"f": program}) if problem.name == fault)
    assert told.repairs == repairs


def test_of_a_long_error_the_line_that_matters_is_told():
    _, make, program = ALSO["a checkpoint"]
    (told,) = (each for each in found(make, {"f": program}) if each.name == "write_refused")
    assert "written-to tensor" in told.words or "While copying" in told.words


CUT = {
    "tensor()": lambda x: torch.tensor(x),
    "torch.nn.Parameter()": lambda x: torch.nn.Parameter(x * 2),
    ".detach()": lambda x: x.detach() * 2,
    ".item()": lambda x: torch.tensor([x[0, 0].item()]),
    "torch.no_grad()": lambda x: torch.no_grad()(torch.sum)(x),
}


@pytest.mark.parametrize("cut", CUT)
def test_what_cuts_the_path_is_named(cut):
    (told,) = (each for each in found(row, {"f": CUT[cut]}, torch.sum) if each.name == "path_cut")
    assert f" {cut} " in told.words
