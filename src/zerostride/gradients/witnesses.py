"""Torch as a witness of a gradient: autograd and gradcheck, at leaves of their own."""

import warnings
from typing import Any

import numpy as np

from zerostride.gradients.precision import numbers
from zerostride.gradients.programs import Program, dtype_of, fresh
from zerostride.layouts import is_tensor

Array = np.ndarray[Any, Any]


def by_autograd(f: Program, x: Any) -> tuple[Array | None, str]:
    """Return the gradient at a leaf of its own, None where no path leads to it; and how torch refuses."""
    import torch

    with torch.inference_mode(mode=False), torch.enable_grad():
        leaf = fresh(x, dtype_of(x)).requires_grad_()
        try:
            # It ran without a graph: what it raises here is a refusal to record one, or to go back.
            loss = f(leaf)
            if not is_tensor(loss) or not loss.requires_grad:
                return None, ""
            (found,) = torch.autograd.grad(loss, [leaf], allow_unused=True)
        except Exception as error:
            return None, f"{type(error).__name__}: {str(error).split('. ')[0]}"
    return None if found is None else numbers(found).astype(np.float64), ""


def by_gradcheck(f: Program, x: Any) -> bool | None:
    """Return what torch's gradcheck says; None where it does not run."""
    import torch

    with torch.inference_mode(mode=False), torch.enable_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        leaf = fresh(x, "float64").requires_grad_()
        try:
            if not is_tensor(f(leaf)):
                return None
            return bool(torch.autograd.gradcheck(f, (leaf,), raise_exception=False))
        except Exception:
            return None
