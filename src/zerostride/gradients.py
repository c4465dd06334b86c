"""Derivatives of a weighted sum: column sums by hand, central differences by running the program."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from zerostride.language import say
from zerostride.layouts import is_tensor, layout

STEP = 1e-5

_EPSILON = {"bfloat16": 2.0**-7, "float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52}
_EPSILON |= {"complex64": 2.0**-23, "complex128": 2.0**-52}


def numbers(x: Any) -> np.ndarray[Any, Any]:
    """Return the numbers of an array or a tensor as an ndarray, without copying where NumPy can read them.

    Of a masked array these are all numbers, the masked ones too.

    Raises
    ------
    TypeError
        If the elements are no numbers that NumPy can hold: quantized ones.

    Examples
    --------
    >>> numbers(np.arange(3.0))
    array([0., 1., 2.])
    """
    if isinstance(x, np.ndarray):
        return np.asarray(x)
    name = str(x.dtype).removeprefix("torch.")
    try:
        plain = x.detach().resolve_conj().resolve_neg()
        if x.is_floating_point() and name not in ("float16", "float32", "float64"):
            plain = plain.double()
        elif name == "complex32":
            plain = plain.cfloat()
        seen: np.ndarray[Any, Any] = plain.cpu().numpy()
    except (TypeError, NotImplementedError, RuntimeError) as error:
        raise TypeError(say("gradients.unreadable", dtype=name)) from error
    return seen


def column_sums(weights: Any) -> np.ndarray[Any, Any]:
    """Return the sum of the weights by column: what the chain rule gives for rows that read one source.

    Parameters
    ----------
    weights : ndarray or Tensor, shape (rows, cols)
        One weight per use of a source value.

    Returns
    -------
    ndarray, shape (cols,)
        Exact Python integers for bool and integer weights, float64 or
        complex128 otherwise: no wrap and no low precision.

    Raises
    ------
    ValueError
        If the weights have no rows and columns.

    Examples
    --------
    >>> column_sums(np.arange(1.0, 13.0).reshape(4, 3))
    array([22., 26., 30.])
    >>> column_sums(np.full((4, 1), 100, np.int8))
    array([400], dtype=object)
    """
    seen = numbers(weights)
    if seen.ndim != 2:
        raise ValueError(say("gradients.needs_rows_and_columns", shape=seen.shape))
    exact = {"f": np.float64, "c": np.complex128}.get(seen.dtype.kind, object)
    sums: np.ndarray[Any, Any] = seen.sum(axis=0, dtype=exact)
    return sums


def rounding(x: Any, terms: int) -> float:
    """Return the relative error that a sum of ``terms`` numbers in the dtype of ``x`` may have.

    torch adds its half-precision types in float32 and rounds once; NumPy rounds
    float16 at each step. Never more than 1/64, so that no check turns empty.

    Examples
    --------
    >>> rounding(np.zeros(3, np.int8), 4), rounding(np.zeros(3), 4) < 1e-14
    (0.0, True)
    """
    name = layout(x).dtype
    epsilon = _EPSILON.get(name, 0.0)
    adding = _EPSILON["float32"] if is_tensor(x) and name in ("float16", "bfloat16") else epsilon
    return min(2 * epsilon + terms * adding, 1 / 64)


def in_float64(x: Any) -> Any:
    """Return an own float64 copy of a real floating-point array or tensor, without its graph."""
    return numbers(x).astype(np.float64) if isinstance(x, np.ndarray) else x.detach().double().clone()


def finite_difference(f: Callable[[Any], Any], x: Any, step: float | None = None) -> Any:
    """Return the derivative of a scalar program by central differences, in float64.

    One number of ``x`` moves at a time, by ``step`` up and by ``step`` down; all
    others stay, and ``x`` itself is never written.

    Parameters
    ----------
    f : callable
        From an array like ``x``, in float64, to one number.
    x : ndarray or Tensor of floating point
        Where the derivative is taken. Lower precision is lifted to float64:
        there a step of 1e-5 would vanish.
    step : float, optional
        By default 1e-5, times ``abs(x)`` where that is above 1.

    Returns
    -------
    ndarray or Tensor
        float64, of the shape and library of ``x``.

    Raises
    ------
    ValueError
        If ``x`` holds integers, bool or complex numbers, the step is not above
        0, or ``f`` gives no single number.

    Examples
    --------
    >>> weights = np.arange(1.0, 13.0).reshape(4, 3)
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> finite_difference(lambda z: (np.broadcast_to(z, (4, 3)) * weights).sum(), source).round(6)
    array([[22., 26., 30.]])
    """
    if not is_real(x):
        raise ValueError(say("gradients.no_small_step", dtype=layout(x).dtype))
    if step is not None and not step > 0:
        raise ValueError(say("gradients.bad_step", step=step))
    start = in_float64(x)
    result = start.copy() if isinstance(x, np.ndarray) else start.clone()
    with _no_graph(x):
        for index in np.ndindex(tuple(x.shape)):
            width = step or STEP * max(1.0, abs(float(start[index])))
            above, below = in_float64(start), in_float64(start)
            above[index] += width
            below[index] -= width
            moved = float(above[index] - below[index])
            result[index] = (_scalar(f(above)) - _scalar(f(below))) / moved
    return result


def is_real(x: Any) -> bool:
    """Return whether ``x`` holds real floating-point numbers.

    Examples
    --------
    >>> is_real(np.zeros(3, np.float16)), is_real(np.zeros(3, int)), is_real(np.zeros(3, complex))
    (True, False, False)
    """
    return x.dtype.kind == "f" if isinstance(x, np.ndarray) else bool(x.is_floating_point())


def _scalar(value: Any) -> float:
    if np.size(value) != 1 if not is_tensor(value) else value.numel() != 1:
        raise ValueError(say("gradients.no_scalar", shape=tuple(np.shape(value))))
    return float(value)


def _no_graph(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return nullcontext()
    import torch

    return torch.no_grad()
