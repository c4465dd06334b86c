"""What writes in place with torch beside methods: ``out=``, ``_foreach_``, optimizers, doors, compiled."""

from collections.abc import Iterator

from zerostride.writes.operations import Operation, assignments, inplace_methods, of_method

_OUT = (
    "torch.add(y, 1, out=y)",
    "torch.add(torch.ones(4, 3), 1, out=y)",
    "torch.mul(y, 2, out=y)",
    "torch.exp(torch.ones(4, 3), out=y)",
    "torch.clamp(y, 2, 2.5, out=y)",
    "torch.where(torch.eye(4, 3).bool(), torch.ones(4, 3), torch.zeros(4, 3), out=y)",
    "torch.matmul(torch.ones(4, 2), torch.ones(2, 3), out=y)",
    "torch.cumsum(torch.ones(4, 3), 0, out=y)",
    "torch.sum(torch.ones(2, 4, 3), 0, out=y)",
    "torch.cat([torch.zeros(2, 3), torch.ones(2, 3)], out=y)",
    "torch.stack([torch.zeros(3)] * 4, out=y)",
    "torch.index_select(torch.zeros(4, 3), 0, torch.arange(4), out=y)",
    "torch.gather(torch.zeros(4, 3), 0, torch.zeros(4, 3).long(), out=y)",
    "torch.sort(-torch.arange(12.).reshape(4, 3), out=(y, torch.zeros(4, 3).long()))",
    "torch.tril(torch.ones(4, 3), out=y)",
    "torch.zeros(4, 3, out=y)",
    "torch.full((4, 3), 9, out=y)",
    "torch.rand(4, 3, out=y)",
)
_FUNCTIONS = (
    "torch.relu_(y)",
    "torch.fill_(y, 9)",
    "torch.dropout_(y, 0.5, True)",
    "torch.nn.functional.relu(y, inplace=True)",
    "torch.nn.functional.dropout(y, 0.5, inplace=True)",
    "torch.nn.init.zeros_(y)",
    "torch.nn.init.normal_(y)",
)
_OPTIMIZERS = (
    "SGD([y], lr=1)",
    "SGD([y], lr=1, foreach=True)",
    "SGD([y], lr=1, fused=True)",
    "Adam([y], lr=1)",
    "Adam([y], lr=1, foreach=True)",
    "Adam([y], lr=1, fused=True)",
    "AdamW([y], lr=1)",
    "AdamW([y], lr=1, foreach=True)",
    "AdamW([y], lr=1, fused=True)",
    "Adagrad([y], lr=1)",
    "Adadelta([y], lr=1)",
    "Adamax([y], lr=1)",
    "ASGD([y], lr=1)",
    "NAdam([y], lr=1)",
    "RAdam([y], lr=1)",
    "RMSprop([y], lr=1)",
    "Rprop([y], lr=1)",
)
_FOREACH = {
    "add": "1", "sub": "1", "mul": "2", "div": "2", "pow": "2", "maximum": "2.5", "clamp_min": "2.5",
    "minimum": "2", "clamp_max": "2", "copy": "[torch.zeros(4, 3)]", "lerp": "[torch.zeros(4, 3)], 0.5",
    "addcdiv": "[torch.ones(4, 3)], [torch.ones(4, 3)]", "addcmul": "[torch.ones(4, 3)], [torch.ones(4, 3)]",
}  # fmt: skip
# A write goes through each door; the last of them are copies.
_DOORS = (
    ("plain", "z = y.numpy(); z[0, 0] = 9", "z = y.clone().numpy(); z[0, 0] = 9"),
    ("plain", "z = np.asarray(y); z[0, 0] = 9", "z = np.array(y); z[0, 0] = 9"),
    ("plain", "z = np.from_dlpack(y); z[0, 0] = 9", "z = np.from_dlpack(y.clone()); z[0, 0] = 9"),
    ("plain", "z = y.numpy(); z += 1", "z = y.numpy() + 1"),
    ("plain", "z = y.detach(); z[0, 0] = 9", "z = y.detach().clone(); z[0, 0] = 9"),
    ("plain", "z = y.data; z[0, 0] = 9", "z = y.data.clone(); z[0, 0] = 9"),
    ("plain", "z = np.array(y); z[0, 0] = 9", ""),
    ("numpy", "z = torch.from_numpy(y); z[0, 0] = 9", "z = torch.tensor(y); z[0, 0] = 9"),
    ("numpy", "z = torch.as_tensor(y); z[0, 0] = 9", "z = torch.tensor(y); z[0, 0] = 9"),
    ("numpy", "z = torch.asarray(y); z[0, 0] = 9", "z = torch.asarray(y, copy=True); z[0, 0] = 9"),
    ("numpy", "z = torch.from_dlpack(y); z[0, 0] = 9", "z = torch.from_dlpack(y.copy()); z[0, 0] = 9"),
    ("numpy", "z = torch.from_numpy(y); z += 1", "z = torch.tensor(y) + 1"),
    ("numpy", "z = torch.tensor(y); z[0, 0] = 9", ""),
)
_COMPILED = (
    "y.add_(1)", "y.sub_(1)", "y.mul_(2)", "y.div_(2)", "y.copy_(torch.ones(4, 3))", "y.zero_()",
    "y.fill_(9)", "y.exp_()", "y.neg_()", "y.relu_()",
)  # fmt: skip
_LEAF = (
    ("y[0, 0] = 9", "z = y.clone(); z[0, 0] = 9"),
    ("y.add_(1)", "z = y + 1"),
    ("y.detach()[0, 0] = 9", "z = y.detach().clone(); z[0, 0] = 9"),
    ("y.data[0, 0] = 9", "z = y.detach().clone(); z[0, 0] = 9"),
    ("with torch.no_grad(): y[0, 0] = 9", "z = y.clone(); z[0, 0] = 9"),
    ("z = y.clone(); z[0, 0] = 9", ""),
)
_SAVED = (
    ("y.detach()[0, 0] = 9; loss.backward()", "z = y.detach().clone(); z[0, 0] = 9; loss.backward()"),
    ("y.data[0, 0] = 9; loss.backward()", "z = y.detach().clone(); z[0, 0] = 9; loss.backward()"),
    ("with torch.no_grad(): y[0, 0] = 9; loss.backward()", "z = y.clone(); z[0, 0] = 9; loss.backward()"),
    ("with torch.no_grad(): x[0, 0] = 9; loss.backward()", "z = y.clone(); z[0, 0] = 9; loss.backward()"),
    ("z = y.clone(); z[0, 0] = 9; loss.backward()", ""),
)


def torch_operations() -> Iterator[Operation]:
    """Yield every statement that is tried with torch."""
    import torch

    yield from map(of_method, inplace_methods(torch.Tensor))
    yield from assignments("torch")
    yield from (Operation("torch", "out", statement) for statement in _OUT)
    for statement in _FUNCTIONS:
        yield Operation("torch", "function", statement, "negative" if "relu" in statement else "plain")
    foreach = [name for name in dir(torch) if name.startswith("_foreach_") and name.endswith("_")]
    yield from map(_of_foreach, foreach)
    for optimizer in _OPTIMIZERS:
        statement = f"y.grad = torch.ones(4, 3); torch.optim.{optimizer}.step()"
        yield Operation("torch", "optimizer", statement)
    for kind, statement, instead in _DOORS:
        targets = ("expanded", "lifted") if kind == "numpy" else ("expanded",)
        yield Operation("torch", "door", statement, kind, "+=" not in statement, "", instead, targets=targets)
    yield from autograd_operations()
    yield from _compiled()


def _compiled() -> Iterator[Operation]:
    # Judged by the eager statement on a copy: compiling is what takes time.
    for statement in _COMPILED:
        kind, instead = "negative" if "relu" in statement else "plain", f"y = y.clone(); {statement}"
        called = f'torch.compile(lambda y: {statement}, backend="aot_eager")(y)'
        inside = called.replace("lambda y: y.", "lambda x: x.expand(4, 3).").replace("(y)", "(y[:1])")
        for compiled, targets in ((called, ("expanded", "window")), (f"y = {inside}", ("expanded",))):
            yield Operation("torch", "compiled", compiled, kind, False, statement, instead, targets=targets)


def autograd_operations() -> Iterator[Operation]:
    """Yield writes into tensors whose derivative is recorded."""
    for target, group in (("leaf", _LEAF), ("saved", _SAVED)):
        for statement, instead in group:
            partial = "add_" not in statement
            yield Operation("torch", "autograd", statement, "learns", partial, "", instead, targets=(target,))


def _of_foreach(name: str) -> Operation:
    short = name.removeprefix("_foreach_")
    kind = (
        of_method(short).kind
        if short in ("abs_", "ceil_", "floor_", "frac_", "round_", "trunc_")
        else "plain"
    )
    if short in ("acos_", "asin_", "log_", "lgamma_", "sign_", "sqrt_"):
        kind = "fraction"
    arguments = _FOREACH.get(short.removesuffix("_"), "")
    return Operation("torch", "foreach", f"torch.{name}([y]{', ' * bool(arguments)}{arguments})", kind)
