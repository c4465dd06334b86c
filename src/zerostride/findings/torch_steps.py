"""The steps of a program in torch: every function that Python calls on a tensor."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode, resolve_name

from zerostride.findings.steps import Log, arrays_in

# Read without a tensor coming out, and worth a line all the same.
TOLD = ("nbytes", "numpy", "item", "tolist", "grad", "backward")


class Watching(TorchFunctionMode):
    """Adds each call to a log; inside a call nothing is seen."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self.log = log

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        options = kwargs or {}
        name = _name(func)
        target = _target(name, args, options)
        if target is None and name not in TOLD and name in _QUIET:
            return func(*args, **options)
        return self.log.watch(name, func, args, options, target)


# Nothing is made or changed by these.
_QUIET = frozenset((
    "shape", "dtype", "device", "layout", "ndim", "is_leaf", "requires_grad", "grad_fn", "size",
    "stride", "dim", "numel", "element_size", "storage_offset", "untyped_storage", "data_ptr",
    "is_contiguous", "is_floating_point", "__repr__", "__len__", "__bool__", "__format__", "is_complex",
    "__hash__", "itemsize", "names", "is_cuda", "is_meta", "_version", "__iter__", "retain_grad",
    "requires_grad_", "register_hook", "is_sparse", "is_quantized", "output_nr", "_is_view",
    "is_nested", "retains_grad",
))  # fmt: skip


def _name(func: Any) -> str:
    full = resolve_name(func) or getattr(func, "__name__", "")
    parts = full.split(".")
    return str(parts[-2] if parts[-1] in ("__get__",) else parts[-1])


def _target(name: str, args: Any, options: dict[str, Any]) -> Any:
    out = options.get("out")
    if isinstance(out, torch.Tensor):
        return out
    augmented = (
        name.startswith("__i") and name.endswith("__") and name not in ("__index__", "__iter__", "__int__")
    )
    in_place = augmented or name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))
    if (
        (in_place or options.get("inplace"))
        and name not in _QUIET
        and args
        and isinstance(args[0], torch.Tensor)
    ):
        return args[0]
    return None


@contextmanager
def watching(log: Log) -> Iterator[None]:
    """Log what the block does with tensors, and what it saves."""
    save = torch.save

    def seen(thing: Any, *args: Any, **options: Any) -> Any:
        return log.watch(
            "save", lambda *_, **__: save(thing, *args, **options), tuple(arrays_in(thing)), {}, None
        )

    with mock.patch.object(torch, "save", seen), Watching(log):
        yield
