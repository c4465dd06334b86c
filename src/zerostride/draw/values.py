"""Values as they are shown: exact where there is room, else with a sign that something is missing."""

from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np

from zerostride.layouts import is_tensor

ABOUT, CUT, UNREADABLE = "≈", "…", "?"
MOST_LETTERS = 8


def plain(value: Any) -> object:
    """Return an element as a number or text that keeps the precision of its type.

    Examples
    --------
    >>> exact(plain(np.float32(0.1))), exact(plain(np.datetime64("2026-11-30")))
    ('0.1', '2026-11-30')
    """
    if value is np.ma.masked or isinstance(value, np.datetime64 | np.timedelta64):
        return str(value)
    if is_tensor(value):
        try:
            item = value.item()
        except Exception:  # a kind that hands out no elements, such as a masked tensor
            return UNREADABLE
        width = value.dtype.itemsize
        if isinstance(item, float) and width < 8:
            return (np.float16 if str(value.dtype) == "torch.float16" else np.float32)(item)
        return np.complex64(item) if isinstance(item, complex) and width == 8 else item
    if isinstance(value, np.floating | np.complexfloating):
        return value
    return value.item() if isinstance(value, np.generic | np.ndarray) else value


def exact(value: object) -> str:
    """Return a value in the shortest form that says which one it is.

    Examples
    --------
    >>> exact(999999.0), exact(1 / 3), exact(True), exact(2 + 0j)
    ('999999.0', '0.3333333333333333', 'True', '2+0j')
    """
    if isinstance(value, complex | np.complexfloating):
        imaginary = _part(value.imag)
        return f"{_part(value.real)}{'' if imaginary[0] == '-' else '+'}{imaginary}j"
    # NumPy writes zeros for the last digits of a large number of a narrow type.
    return str(float(value)) if _is_narrow_whole(value) else str(value)


def _is_narrow_whole(value: object) -> TypeGuard[np.floating[Any]]:
    return isinstance(value, np.float16 | np.float32) and value.is_integer()


def _part(number: object) -> str:
    return exact(number).removesuffix(".0")


def fitting_word(value: object, fits: Callable[[str], bool]) -> str:
    """Return the first form of a value that fits, else the shortest.

    A rounded number begins with ``≈``, and where digits or letters are left
    out stands ``…``; what has neither is exact.

    Examples
    --------
    >>> [fitting_word(999999.0, lambda text: len(text) <= most) for most in (8, 7, 6)]
    ['999999.0', '≈1e+06', '≈1e+06']
    >>> fitting_word(1e6, lambda text: len(text) <= 6), fitting_word(1e6, lambda text: True)
    ('1e+06', '1000000.0')
    >>> fitting_word(1234567890123456, lambda text: len(text) <= 12)
    '12345…23456'
    """
    forms = _forms(value)
    return next((form for form in forms if fits(form)), min(forms, key=len))


def _forms(value: object) -> list[str]:
    whole = exact(value)
    if isinstance(value, float | np.floating):
        return [whole, *(form for form in _rounded(value) if len(form) < len(whole))]
    if isinstance(value, complex | np.complexfloating):
        about = [f"{ABOUT}{value.real:.{digits}g}{value.imag:+.{digits}g}j" for digits in (3, 2, 1)]
        return [whole, *(form for form in about if len(form) < len(whole))]
    if isinstance(value, int) and not isinstance(value, bool):
        cut = [f"{whole[:kept]}{CUT}{whole[-kept:]}" for kept in (5, 4, 3, 2)]
        return [whole, *(form for form in cut if len(form) < len(whole))]
    return [whole if len(whole) <= MOST_LETTERS else f"{whole[: MOST_LETTERS - 1]}{CUT}"]


def _rounded(value: Any) -> list[str]:
    """Return a number with ever fewer digits; marked where that changes it."""
    texts = [f"{value:.{digits}g}" for digits in (4, 3, 2, 1)]
    kind = type(value) if isinstance(value, np.floating) and not _is_narrow_whole(value) else float
    # The largest numbers of a type, rounded up, are infinite in it.
    with np.errstate(over="ignore"):
        return [text if kind(text) == value else f"{ABOUT}{text}" for text in texts]
