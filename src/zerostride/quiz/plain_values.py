"""An answer as plain numbers, whatever type or text it came as."""

import ast
import re
from typing import Any
from unicodedata import normalize

import numpy as np

from zerostride.layouts import is_tensor

_YES, _NO = ("true", "yes", "same", "是", "相同"), ("false", "no", "different", "否", "不是", "不同")
_WORDS = dict.fromkeys(_YES, True) | dict.fromkeys(_NO, False)
# An address differs from run to run, and a stored output may not.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_BYTES = re.compile(r"(?P<value>.*?)\s*(?:B|bytes?|字节)", re.IGNORECASE)
MOST_ITEMS = 64
MOST_LEVELS = 3
LONGEST = 1000


class UnreadableError(ValueError):
    """The answer is of a kind that cannot be compared."""


def shown(answer: Any) -> str:
    """Return an answer as short text that is the same on every run, never an address.

    Examples
    --------
    >>> shown((0, np.int64(8))), shown(shown), shown(object())
    ('(0, 8)', 'shown', 'object')
    """
    try:
        if callable(answer):
            return shortened(answer.__name__)
        return shortened(repr(answer if isinstance(answer, str) else plain(answer)))
    except Exception:
        return type(answer).__name__


def shortened(text: str, at_most: int = 60) -> str:
    """Return the beginning of a text, with an ellipsis where it goes on.

    Examples
    --------
    >>> shortened("strides", 4)
    'stri…'
    """
    return text if len(text) <= at_most else text[:at_most] + "…"


def shown_error(error: BaseException) -> str:
    """Return class and first line of an error as short text that is the same on every run.

    Examples
    --------
    >>> shown_error(ValueError("too many values"))
    'ValueError: too many values'
    """
    line = f"{type(error).__name__}: {error}".splitlines()[0].removesuffix(": ")
    return shortened(_ADDRESS.sub("", line), 120)


def plain(answer: Any, levels: int = MOST_LEVELS) -> Any:
    """Return an answer as a bool, an int, a float or a tuple of them, whatever it came as.

    Whole floats become integers, words such as ``"yes"`` a bool, and text such
    as ``"8 bytes"`` or ``"(0, 8)"`` what it stands for. A list may hold lists,
    ``levels`` deep: one that holds itself would have no end.

    Raises
    ------
    UnreadableError
        If the answer is none of these.

    Examples
    --------
    >>> plain(np.array([0, 8])), plain("8 bytes"), plain(8.0), plain("是")
    ((0, 8), 8, 8, True)
    """
    if isinstance(answer, np.generic | np.ndarray) or is_tensor(answer):
        if np.prod(answer.shape, dtype=object) > MOST_ITEMS:
            raise UnreadableError
        answer = answer.tolist()
    if isinstance(answer, str):
        return _from_text(answer[:LONGEST].strip(), levels)
    if isinstance(answer, bool | int):
        return answer
    if isinstance(answer, float):
        return int(answer) if answer.is_integer() else answer
    if isinstance(answer, tuple | list) and len(answer) <= MOST_ITEMS and levels:
        return tuple(plain(each, levels - 1) for each in answer[:MOST_ITEMS])
    raise UnreadableError


def _from_text(text: str, levels: int) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    # A Chinese input method writes full-width digits and signs, and ends with a full stop.
    text = normalize("NFKC", text).replace("−", "-").rstrip("。. ")
    with_unit = _BYTES.fullmatch(text)
    try:
        value = ast.literal_eval(with_unit["value"] if with_unit else text)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise UnreadableError from error
    if isinstance(value, str):
        raise UnreadableError
    return plain(value, levels)


def emptied(answer: object) -> bool:
    """Return whether nothing was filled in: ``...`` or None, alone or inside a tuple.

    Examples
    --------
    >>> emptied(...), emptied((0, ...)), emptied(0)
    (True, True, False)
    """
    if answer is None or answer is ...:
        return True
    if isinstance(answer, str):
        return not answer.strip()
    if isinstance(answer, tuple | list):
        return any(each is None or each is ... for each in answer[:MOST_ITEMS])
    return False


def same_value(one: Any, other: Any) -> bool:
    """Return whether two plain answers are equal; True is not 1.

    Examples
    --------
    >>> same_value((0, 8), (0, 8)), same_value(True, 1)
    (True, False)
    """
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same_value, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
