"""A program of the learner, run on copies: what it may be run on, in which precision, and what it gives."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import ulp
from typing import Any

import numpy as np

from zerostride.gradients.precision import EPSILON, is_real, numbers
from zerostride.handed_in import shape_of
from zerostride.language import enumerated, say
from zerostride.layouts import Layout, is_tensor, layout

MOST_COPIED_ELEMENTS = 1 << 24
MOST_LISTED = 6
_NO_DATA = {"layout.no_data", "layout.wrapper"}

Program = Callable[[Any], Any]
# A note is the name of its text and the values in it, so that a report speaks every language.
Note = tuple[str, dict[str, object]]


def need_program(f: object) -> None:
    """Raise TypeError where no program is handed in."""
    if not callable(f):
        raise TypeError(say("gradients.no_program", type=type(f).__name__))


def readable(x: Any) -> Layout:
    """Return the layout of an array or a tensor whose elements can be copied.

    Raises
    ------
    TypeError
        If it is no plain array of NumPy and no tensor.
    ValueError
        If it has no memory that could be read, or reads beyond it.
    """
    seen = layout(x)
    plain = type(x) in (np.ndarray, np.memmap) or is_tensor(x)
    if not plain:
        # Masked arrays and matrices calculate by rules of their own.
        raise TypeError(say("gradients.not_plain", type=type(x).__name__))
    if seen.size and (_NO_DATA & set(seen.note_keys) or seen.outside):
        raise ValueError(say("gradients.no_data"))
    return seen


def differentiable(x: Any) -> Layout:
    """Return the layout of real floating-point numbers.

    Raises
    ------
    ValueError
        If a small step is nothing that the elements can take.

    Examples
    --------
    >>> differentiable(np.arange(3))
    Traceback (most recent call last):
    ValueError: int64 has no small step: take the difference in float64
    """
    seen = readable(x)
    if not is_real(x):
        raise ValueError(say("gradients.no_small_step", dtype=seen.dtype))
    return seen


def need_room(copied_elements: int, shape: tuple[int, ...]) -> None:
    """Raise ValueError where a program would have to be run on too many numbers in all."""
    if copied_elements > MOST_COPIED_ELEMENTS:
        raise ValueError(say("gradients.too_many", shape=shape, most=f"{MOST_COPIED_ELEMENTS:,}"))


def dtype_of(x: Any) -> str:
    """Return the name of the element type, whatever its byte order."""
    return str(x.dtype).removeprefix("torch.") if is_tensor(x) else str(x.dtype.name)


def fresh(x: Any, dtype: str) -> Any:
    """Return an own copy in row-major order, without graph; no two elements share an address.

    Examples
    --------
    >>> fresh(np.broadcast_to(np.float32(1), (2, 2)), "float64").strides
    (16, 8)
    """
    if not is_tensor(x):
        return np.array(x, dtype=np.dtype(dtype), order="C")
    import torch

    with torch.no_grad():
        return torch.empty(x.shape, dtype=getattr(torch, dtype), device=x.device).copy_(x.detach())


def ran(f: Program, z: Any) -> Any:
    """Return what a program gives, without a graph; only one that asks for derivatives itself gets a leaf."""
    if not is_tensor(z):
        return asked(f, z)
    import torch

    with torch.no_grad():
        try:
            return asked(f, z.clone())
        except RuntimeError as error:
            refusal = error
    try:
        with torch.inference_mode(mode=False), torch.enable_grad():
            value = f(z.clone().requires_grad_())
    except Exception:
        raise refusal from None
    return value.detach() if is_tensor(value) else value


def asked(f: Program, z: Any) -> Any:
    """Return what a program gives; its own error says on which copy it was run."""
    try:
        return f(z)
    except Exception as error:
        error.add_note(say("gradients.ran_on", shape=tuple(z.shape), dtype=dtype_of(z)))
        raise


def tried(f: Program, x: Any, wished: str) -> tuple[Any, str]:
    """Return what a program gives in the wished dtype, or in that of ``x`` where it runs in no other."""
    own = dtype_of(x)
    try:
        return ran(f, fresh(x, wished)), wished
    except Exception:
        # Layers of a network, for one, take no other dtype than their own.
        if wished == own or not is_real(x):
            raise
        return ran(f, fresh(x, own)), own


def loss_of(value: Any) -> tuple[float, str]:
    """Return a loss as a float, and the dtype that it was given in; none for a float of Python.

    Raises
    ------
    ValueError
        If it is not one number.
    TypeError
        If it is no real floating-point number.

    Examples
    --------
    >>> loss_of(np.float32(2))
    (2.0, 'float32')
    """
    found = value if is_tensor(value) else as_array(value)
    shape = shape_of(found)
    if shape is None or np.prod(shape, dtype=float) != 1:
        raise ValueError(say("gradients.no_scalar", shape=shape_or_type(value)))
    if not is_real(found):
        kind = (
            dtype_of(found)
            if is_tensor(value) or isinstance(value, np.ndarray | np.generic)
            else type(value).__name__
        )
        raise TypeError(say("gradients.no_float_loss", kind=kind))
    return float(found.item()), "" if type(value) is float else dtype_of(found)


def as_real(given: Any) -> np.ndarray[Any, Any]:
    """Return numbers that were handed in as float64.

    Raises
    ------
    TypeError, ValueError
        If they are no real numbers, or no rows of one length.

    Examples
    --------
    >>> as_real([22, 26, 30])
    array([22., 26., 30.])
    """
    read = as_array(given)
    if read.dtype.kind not in "fiubO":
        raise TypeError(str(read.dtype))
    if read.size > MOST_COPIED_ELEMENTS:
        raise ValueError(str(read.shape))
    try:
        return read.astype(np.float64)
    except Exception as error:  # of an object among them
        raise TypeError(str(read.dtype)) from error


def as_array(given: Any) -> np.ndarray[Any, Any]:
    """Return numbers that were handed in as an array; one of None where they are none, or far too many.

    Examples
    --------
    >>> as_array([1, 2]), as_array(range(10**12))
    (array([1, 2]), array(None, dtype=object))
    """
    if isinstance(given, np.ndarray):
        return np.asarray(given)  # of a matrix or a masked array the numbers alone
    try:
        if is_tensor(given):
            return numbers(given)
        if hasattr(given, "__len__") and len(given) > MOST_COPIED_ELEMENTS:
            return np.asarray(None)
        return np.asarray(given)
    except Exception:
        return np.asarray(None)


def shape_or_type(given: object) -> object:
    """Return the shape of what was handed in, or its type where it has none."""
    shape = shape_of(given)
    return type(given).__name__ if shape is None else shape


def epsilon(*dtypes: str) -> float:
    """Return the rounding of the coarsest of some dtypes, at least that of float64.

    Examples
    --------
    >>> epsilon("float64", "float32") == 2.0**-23
    True
    """
    return max(EPSILON["float64"], *(EPSILON.get(name, 0.125 * name.startswith("float8")) for name in dtypes))


def at(shape: tuple[int, ...], place: int, name: str = "x") -> str:
    """Return an element as it is written in code.

    Examples
    --------
    >>> at((4, 3), 5), at((), 0)
    ('x[1, 2]', 'x')
    """
    index = np.unravel_index(place, shape) if shape else ()
    return f"{name}[{', '.join(str(int(each)) for each in index)}]" if shape else name


def written(value: float) -> str:
    """Return a number exactly, as a fraction, or rounded with a sign that it is.

    Examples
    --------
    >>> written(22.0), written(11 / 6), written(0.1), written(2**0.5)
    ('22', '11/6', '0.1', '≈1.41421')
    """
    short = f"{value:.6g}"
    if not np.isfinite(value) or float(short) == value:
        return short
    ratio = Fraction(value).limit_denominator(1000)
    return str(ratio) if abs(float(ratio) - value) <= 4 * ulp(value) else f"≈{short}"


def listed(texts: Iterable[str], most: int = MOST_LISTED) -> str:
    """Return texts as one list; of many the first and how many more there are.

    Examples
    --------
    >>> listed("abc"), listed("abcdefgh")
    ('a, b, c', 'a, b, c, d, e, f, ... (8)')
    """
    return enumerated(shortened(texts, most))


def shortened(texts: Iterable[str], most: int = MOST_LISTED) -> list[str]:
    """Return the first texts, and of many how many there are.

    Examples
    --------
    >>> shortened("abc", most=2)
    ['a', 'b', '... (3)']
    """
    told = list(texts)
    return told if len(told) <= most else [*told[:most], f"... ({len(told)})"]
