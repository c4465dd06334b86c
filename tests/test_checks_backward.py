"""Gradients without hooks are the gradients of torch, for every way that graphs branch and join."""

import pytest

torch = pytest.importorskip("torch")

from zerostride.checks.backward import gradients, leads  # noqa: E402


class Scaled(torch.autograd.Function):
    """A Function of Python with arguments that need no gradient before and after the tensors."""

    @staticmethod
    def forward(ctx, factor, x, constant, y):
        ctx.save_for_backward(x, y)
        ctx.factor = factor
        return factor * x * y, x + y

    @staticmethod
    def backward(ctx, first, second):
        x, y = ctx.saved_tensors
        return None, ctx.factor * first * y + second, None, ctx.factor * first * x + second


def edited(x):
    copy = x.expand(4, 3).clone()
    copy[0, 0] = -1
    copy[1] *= 2
    return copy


PROGRAMS = {
    "expand": lambda x: x.expand(4, 3),
    "repeat": lambda x: x.repeat(4, 1),
    "broadcast": lambda x: x * torch.arange(12.0).reshape(4, 3),
    "scalar broadcast": lambda x: x[0, 0] + torch.ones(4, 3),
    "branch and join": lambda x: (x * 2 + x.exp()) * x,
    "same tensor twice": lambda x: torch.cat([x, x, x * x]),
    "index": lambda x: x[torch.tensor([0, 0, 0])],
    "unbind, one part used": lambda x: x.expand(4, 3).clone().unbind(1)[1],
    "unbind, all parts used": lambda x: sum(x.unbind(1)),
    "in place": edited,
    "mixed dtypes": lambda x: x.float() * x,
    "matrix product": lambda x: x.T @ x,
    "stacked": lambda x: torch.stack([x, x.sin()]).max(0).values,
    "Function of Python": lambda x: Scaled.apply(3, x, torch.ones(3), x * 2)[0],
    "Function of Python, second result": lambda x: Scaled.apply(3, x, None, x * 2)[1],
    "Function of Python, both results": lambda x: sum(Scaled.apply(3, x, None, x * 2)),
    "the source itself": lambda x: x,
    "a source within": lambda x: x.exp().expand(4, 3),
    "checkpoint": lambda x: torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=False),
}


@pytest.fixture
def source():
    return torch.tensor([[1.0, -2.0, 3.0]], dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_walk_gives_what_the_engine_gives(name, source):
    inner = source * source
    for target in (source, inner):
        loss = (PROGRAMS[name](target) * 1.5).sum()
        (found,) = gradients(loss, [target])
        (wanted,) = torch.autograd.grad(loss, target)
        assert found.dtype == target.dtype
        assert torch.equal(found, wanted)


def test_several_targets_on_one_path(source):
    view = source.exp().expand(4, 3)
    loss = (view * view).sum()
    found = gradients(loss, [view, source, torch.ones(1, requires_grad=True)])
    wanted = torch.autograd.grad(loss, [view, source])
    assert torch.equal(found[0], wanted[0])
    assert torch.equal(found[1], wanted[1])
    assert found[2] is None


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_path_is_found_where_one_is(name, source):
    other = torch.ones(1, 3, dtype=torch.float64, requires_grad=True)
    assert leads(PROGRAMS[name](source), source)
    assert not leads(PROGRAMS[name](source), other)
    assert not leads(PROGRAMS[name](source.detach()), source)
    assert not leads(source, PROGRAMS[name](source) * 2)


def test_each_part_of_one_node_is_told_apart(source):
    parts = source.expand(4, 3).clone().unbind(1)
    assert leads(parts[0] * 2, parts[0])
    assert not leads(parts[0] * 2, parts[1])


def test_a_deep_graph_needs_no_deep_stack(source):
    x = source
    for _ in range(5000):
        x = x + source
    assert leads(x, source)
    assert gradients(x.sum(), [source])[0].tolist() == [[5001.0] * 3]


def test_what_lies_beyond_the_target_is_not_asked(source):
    used = source.exp()
    used.sum().backward()
    assert gradients((used * 2).sum(), [used])[0].tolist() == [[2.0] * 3]


def test_an_error_of_another_kind_is_raised_as_it_is(source):
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, gradient):
            raise RuntimeError("out of paper")

    with pytest.raises(RuntimeError, match="out of paper"):
        gradients(Broken.apply(source).sum(), [source])


def test_no_hook_runs_and_no_gradient_is_kept(source):
    ran = []
    middle = source * 2
    middle.retain_grad()
    for x in (source, middle):
        x.register_hook(ran.append)
    middle.grad_fn.register_hook(lambda *given: ran.append(given))
    middle.grad_fn.register_prehook(lambda *given: ran.append(given))
    loss = middle.sum()
    assert leads(loss, source)
    assert gradients(loss, [source])[0].tolist() == [[2.0] * 3]
    assert (ran, source.grad, middle.grad) == ([], None, None)
    torch.autograd.grad(loss, source)
    assert len(ran) == 4
