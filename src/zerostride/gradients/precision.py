"""Numbers of either library: read, lifted, summed by column, and how far rounding may move them."""

from typing import Any

import numpy as np

from zerostride.language import say
from zerostride.layouts import is_tensor, layout

EPSILON = {"bfloat16": 2.0**-7, "float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52}
EPSILON |= {"complex64": 2.0**-23, "complex128": 2.0**-52}


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
        # Tensor.numpy() would mark the storage as lent for good: resize_ would fail from then on.
        seen: np.ndarray[Any, Any] = np.from_dlpack(plain.cpu())
    except (TypeError, NotImplementedError, RuntimeError, BufferError) as error:
        raise TypeError(say("gradients.unreadable", dtype=name)) from error
    return seen


def same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return where two arrays hold the same number, NaN included."""
    equal: np.ndarray[Any, Any] = (a == b) | ((a != a) & (b != b))
    return equal


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
    epsilon = EPSILON.get(name, 0.0)
    adding = EPSILON["float32"] if is_tensor(x) and name in ("float16", "bfloat16") else epsilon
    return min(2 * epsilon + terms * adding, 1 / 64)


def in_float64(x: Any) -> Any:
    """Return an own float64 copy of a real floating-point array or tensor, without its graph."""
    return numbers(x).astype(np.float64) if isinstance(x, np.ndarray) else x.detach().double().clone()


def is_real(x: Any) -> bool:
    """Return whether ``x`` holds real floating-point numbers.

    Examples
    --------
    >>> is_real(np.zeros(3, np.float16)), is_real(np.zeros(3, int)), is_real(np.zeros(3, complex))
    (True, False, False)
    """
    return x.dtype.kind == "f" if isinstance(x, np.ndarray) else bool(x.is_floating_point())
