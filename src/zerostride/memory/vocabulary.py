"""The operations that a budget knows: how each is written, and which family of rules it follows."""

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal[
    "unary", "scalar", "operand", "where", "cat", "total", "mean", "last", "matmul", "reshape", "clone",
    "contiguous", "compare", "softmax", "layer_norm", "to", "pairwise",
]  # fmt: skip


@dataclass(frozen=True)
class Operation:
    """One operation.

    Attributes
    ----------
    kind : str
        The family of rules.
    numpy, torch : str
        How it is written; empty where the library has none.
    saves : {"", "input", "output", "operand", "both"}
        What torch keeps for the derivative.
    temporaries : int
        Arrays of the input's size that the derivative makes beside its result.
    product : bool
        Whether the derivative makes an array at all; else it passes on what came.
    operand : {"", "other", "bias", "row", "weight", "mask"}
        The other array that it takes.
    learned : bool
        Whether that array learns, too.
    any_dtype : bool
        Whether integers will do.
    one_dnn : bool
        Whether torch takes the derivative with oneDNN where the input is
        contiguous, which then wants a contiguous gradient.
    reuses : bool
        Whether NumPy may write the result into a temporary on its left.
    """

    kind: Kind
    numpy: str
    torch: str
    saves: str = ""
    temporaries: int = 0
    product: bool = True
    operand: str = ""
    learned: bool = False
    any_dtype: bool = False
    one_dnn: bool = False
    reuses: bool = False


def _unary(numpy: str, torch: str, saves: str, temporaries: int = 0, **more: Any) -> Operation:
    return Operation("unary", numpy, torch, saves, temporaries, **more)


def _binary(sign: str, saves: str = "", operand: str = "other", **more: Any) -> Operation:
    code = f"({{y}} {sign} {{operand}})"
    return Operation("operand", code, code, saves, operand=operand, reuses=operand == "other", **more)


def _alike(kind: Kind, code: str, **more: Any) -> Operation:
    return Operation(kind, code, code, **more)


# What is saved and made follows the formulas of torch's derivatives.yaml, named at the right.
OPERATIONS = {
    "neg": _unary("(-{y})", "(-{y})", "", any_dtype=True, reuses=True),  # -grad
    "abs": _unary("abs({y})", "abs({y})", "input", 1, any_dtype=True, reuses=True),  # grad * self.sgn()
    "square": _unary("({y} ** 2)", "({y} ** 2)", "input", 2, any_dtype=True, reuses=True),
    "sqrt": _unary("np.sqrt({y})", "{y}.sqrt()", "output", 1),  # grad / (2 * result)
    "exp": _unary("np.exp({y})", "{y}.exp()", "output"),  # grad * result
    "log": _unary("np.log({y})", "{y}.log()", "input"),  # grad.div(self)
    "sin": _unary("np.sin({y})", "{y}.sin()", "input", 1),  # grad * self.cos()
    "tanh": _unary("np.tanh({y})", "{y}.tanh()", "output"),  # tanh_backward(grad, result)
    "sigmoid": _unary("", "{y}.sigmoid()", "output"),
    "relu": _unary("", "{y}.relu()", "output"),
    "gelu": _unary("", "torch.nn.functional.gelu({y})", "input", one_dnn=True),
    "scale": Operation("scalar", "({y} * 2)", "({y} * 2)", any_dtype=True),  # grad * other
    "shift": Operation("scalar", "({y} + 1)", "({y} + 1)", product=False, any_dtype=True),
    "add": _binary("+", product=False, any_dtype=True),
    "sub": _binary("-", product=False, any_dtype=True),
    "mul": _binary("*", "operand", any_dtype=True),  # grad * other
    "div": _binary("/", "operand"),  # grad / other
    "mul_learned": _binary("*", "both", learned=True),  # other learns: self is kept, too
    "bias_add": _binary("+", operand="bias", product=False, any_dtype=True),
    "bias_add_learned": _binary("+", operand="bias", product=False, learned=True),
    "difference": _binary("-", operand="row", product=False, any_dtype=True),
    "where": Operation(
        "where", "np.where({operand}, {y}, 0)", "torch.where({operand}, {y}, 0.0)", operand="mask"
    ),
    "cat": Operation(
        "cat", "np.concatenate([{y}, {operand}])", "torch.cat([{y}, {operand}])", operand="other",
        any_dtype=True,
    ),
    "sum": _alike("total", "{y}.sum()", any_dtype=True),
    "mean": _alike("mean", "{y}.mean()"),
    "sum_last": _alike("last", "{y}.sum(-1)", any_dtype=True),
    "matmul": Operation("matmul", "({y} @ {operand})", "({y} @ {operand})", operand="weight"),
    "matmul_learned": Operation("matmul", "", "({y} @ {operand})", operand="weight", learned=True),
    "reshape": _alike("reshape", "{y}.reshape(-1)", any_dtype=True),
    "clone": Operation("clone", "{y}.copy()", "{y}.clone()", any_dtype=True),
    "contiguous": Operation("contiguous", "np.ascontiguousarray({y})", "{y}.contiguous()", any_dtype=True),
    "compare": _alike("compare", "({y} > 0)", any_dtype=True),
    "softmax": Operation("softmax", "", "{y}.softmax(-1)", "output"),
    "layer_norm": Operation("layer_norm", "", "torch.nn.functional.layer_norm({y}, ({last},))", "input"),
    "pairwise_matmul": Operation(
        "pairwise",
        "",
        "(({y} * {y}).sum(-1) + ({operand} * {operand}).sum(-1)"
        " - 2 * ({y}.squeeze(1) @ {operand}.squeeze(0).T))",
        operand="row",
    ),
}  # fmt: skip

_TO = {
    name: Operation("to", f"{{y}}.astype(np.{name})", f"{{y}}.to(torch.{name})", any_dtype=True)
    for name in ("bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64")
}
OPERATIONS |= {f"to_{name}": operation for name, operation in _TO.items()}
OPERATIONS["to_bfloat16"] = Operation("to", "", "{y}.to(torch.bfloat16)", any_dtype=True)
