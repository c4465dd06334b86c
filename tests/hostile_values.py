"""Whatever can be handed to a function: of each kind one."""

import itertools
import warnings

import numpy as np

try:
    import torch
except ImportError:
    torch = None

SOURCE = np.array([[1.0, 2.0, 3.0]])
VIEW = np.broadcast_to(SOURCE, (4, 3))
WEIGHTS = np.arange(1.0, 13.0).reshape(4, 3)


def raising(*names):
    """Return an object of which these methods and properties raise."""

    def raises(*_, **__):
        raise RuntimeError("its own")

    properties = {"shape", "dtype", "__array_interface__"}
    made = {name: property(raises) if name in properties else raises for name in names}
    return type("Raising", (), made)()


class Inherited(np.ndarray):
    """An array of a class of its own."""


def itself():
    held = []
    held.append(held)
    return held


# Made anew each time: an iterator is used up.
VALUES = {
    "None": lambda: None,
    "huge": lambda: 10**5000,
    "wide": lambda: 2**62,
    "minus": lambda: -1,
    "zero": lambda: 0,
    "three": lambda: 3,
    "nan": lambda: float("nan"),
    "infinite": lambda: float("inf"),
    "true": lambda: True,
    "complex": lambda: 1j,
    "bytes": lambda: b"\x00<b>",
    "signs": lambda: "\x1b[31m\x00<b>{0}%s\udc80",
    "long": lambda: "a" * 5000,
    "shape as text": lambda: "(4, 3)",
    "shape": lambda: (4, 3),
    "uneven": lambda: [[1], [2, 3]],
    "itself": itself,
    "dict": lambda: {"a": 1},
    "iterator": lambda: iter([1, 2]),
    "endless": itertools.count,
    "range": lambda: range(10**12),
    "object": object,
    "class": lambda: int,
    "module": lambda: np,
    "function": lambda: lambda x: x,
    "row": lambda: np.arange(3.0),
    "matrix": lambda: np.ones((1, 2)).view(np.matrix),
    "view": lambda: VIEW,
    "transposed": lambda: WEIGHTS.T,
    "vast": lambda: np.broadcast_to(np.int8(1), (2**51,)),
    "inherited": lambda: np.arange(3.0).view(Inherited),
    "no axis": lambda: np.array(1.0),
    "no element": lambda: np.zeros((0, 3)),
    "number": lambda: np.float64(3),
    "objects": lambda: np.array([object(), None]),
    "fields": lambda: np.zeros(3, [("a", "f8"), ("b", "i4")]),
    "record": lambda: np.rec.array([(1, 2.0)]),
    "masked": lambda: np.ma.array([1.0, 2.0], mask=[False, True]),
    "dates": lambda: np.array(["2026"], "M8[D]"),
    "words": lambda: np.array(["a", "b"]),
    "void": lambda: np.zeros(2, "V3"),
    "not finite": lambda: np.array([[np.nan, np.inf, 1]]),
    "half": lambda: np.ones((1, 3), np.float16),
    "long double": lambda: np.ones((1, 3), np.longdouble),
    "memory": lambda: memoryview(b"abc"),
} | {
    " ".join(names): lambda names=names: raising(*names)
    for names in [
        ("__repr__", "__str__"),
        ("__eq__", "__hash__"),
        ("__len__", "__iter__"),
        ("__array__",),
        ("__array_interface__",),
        ("__dlpack__", "__dlpack_device__"),
        ("shape", "dtype"),
        ("__bool__",),
        ("__index__", "__int__", "__float__"),
        ("__format__",),
        ("__getattr__",),
    ]
}


def tensors():
    """Return tensors of every kind by name."""
    row = torch.ones(1, 3)
    with torch.inference_mode():
        frozen = torch.ones(1, 3)
    parts = [torch.ones(2), torch.ones(3)]
    return {
        "tensor": row,
        "expanded": row.expand(4, 3),
        "leaf": torch.ones(1, 3, requires_grad=True),
        "parameter": torch.nn.Parameter(torch.ones(1, 3)),
        "layer": torch.nn.Linear(2, 2),
        "sparse": torch.eye(3).to_sparse(),
        "rows packed": torch.eye(3).to_sparse_csr(),
        "quantized": torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
        "meta": torch.empty(2**40, device="meta"),
        "vast tensor": torch.ones(1).expand(2**51),
        "nested": torch.nested.nested_tensor(parts),
        "nested by row": torch.nested.nested_tensor(parts, layout=torch.jagged),
        "masked tensor": torch.masked.masked_tensor(torch.ones(2), torch.tensor([True, False])),
        "conjugate": torch.ones(3, dtype=torch.complex64).conj(),
        "negative": torch.ones(3, dtype=torch.complex64).conj().imag,
        "bfloat16": row.bfloat16(),
        "float8": torch.zeros(3, dtype=torch.float8_e4m3fn),
        "one bool": torch.tensor([True]),
        "one number": torch.tensor(1.0),
        "frozen": frozen,
        "inherited tensor": torch.ones(3).as_subclass(type("Inherited", (torch.Tensor,), {})),
    }


if torch is not None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, of kinds that are young or old
        VALUES |= {name: lambda x=x: x for name, x in tensors().items()}
