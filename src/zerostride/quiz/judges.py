"""What an answer shows: right, or which misconception stands behind it."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from zerostride.language import say
from zerostride.layouts import Layout
from zerostride.layouts.arithmetic import indices
from zerostride.quiz.exercises import Exercise
from zerostride.quiz.plain_values import (
    MOST_ITEMS,
    UnreadableError,
    emptied,
    plain,
    same_value,
    shortened,
    shown,
)

# An address differs from run to run, and a stored output may not.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


@dataclass(frozen=True)
class Verdict:
    """What an answer shows.

    Attributes
    ----------
    status : {"right", "wrong", "not_answered", "unclear"}
        ``unclear`` where the answer is of a kind that cannot be compared.
    mistake : str or None
        Identifier of the misconception, where it is known.
    values : dict
        What fills the ``{names}`` of its text.
    example, reason : str
        A call of the learner's function and what it gave; why nothing can be compared.
    remarkable : bool
        Whether a right answer is unusual enough for the exercise's remark.
    """

    status: str
    mistake: str | None = None
    values: dict[str, object] = field(default_factory=dict)
    example: str = ""
    reason: str = ""
    remarkable: bool = False


def judge(exercise: Exercise, answer: object) -> Verdict:
    """Return what an answer shows; nothing that the learner's code does raises here.

    Examples
    --------
    >>> from zerostride.quiz.exercises import exercise
    >>> offset = exercise("offset-of-3-1", "your_turn")
    >>> judge(offset, 8).status, judge(offset, 80).mistake, judge(offset, ...).status
    ('right', 'stored-rows', 'not_answered')
    """
    try:
        if emptied(answer):
            return Verdict("not_answered")
        return _JUDGES[exercise.judge](exercise, answer)
    except Exception:
        # An object may raise at whatever is asked of it: that is no verdict on the learner.
        return Verdict("unclear", reason=say("quiz.unreadable", type=type(answer).__name__))


def _judge_value(exercise: Exercise, answer: object) -> Verdict:
    given, one_number = plain(answer), not any(isinstance(plain(value), tuple) for value in exercise.right)
    while one_number and isinstance(given, tuple) and len(given) == 1:
        (given,) = given
    if any(same_value(given, plain(value)) for value in exercise.right):
        return Verdict("right")
    for mistake in exercise.wrong:
        if any(same_value(given, plain(value)) for value in mistake.answers):
            return Verdict("wrong", mistake.id)
    return Verdict("wrong")


def _judge_six_addresses(_: Exercise, answer: object) -> Verdict:
    given = plain(answer)
    if not (isinstance(given, tuple) and len(given) == 2 and all(type(step) is int for step in given)):
        raise UnreadableError
    layout = Layout.of((4, 3), given, 8)
    count = len({layout.offset_bytes(index) for index in indices(layout.shape)})
    values: dict[str, object] = {"given": shown(given), "count": count}
    if count == 6:
        return Verdict("right", values=values, remarkable=any(step % 8 for step in given))
    known = {
        1: "one-address",
        3: "rows-shared",
        4: "columns-shared",
        8: "columns-too-far",
        9: "rows-too-far",
        12: "nothing-shared",
    }
    return Verdict("wrong", known.get(count, "too-few-meet"), values)


_Strides = tuple[int, ...]
_CASES: tuple[tuple[_Strides, int], ...] = (
    ((3, 2), 4),
    ((3, 2), 8),
    ((0, 1), 8),
    ((0, 2), 4),
    ((12, 4, 1), 2),
    ((5,), 1),
)
_WRONG_WAYS: tuple[tuple[str, Callable[[_Strides, int], object]], ...] = (
    ("unchanged", lambda strides, itemsize: strides),
    ("divided", lambda strides, itemsize: tuple(step / itemsize for step in strides)),
    ("divided", lambda strides, itemsize: tuple(step // itemsize for step in strides)),
    ("only-last", lambda strides, itemsize: (*strides[:-1], strides[-1] * itemsize)),
    ("only-first", lambda strides, itemsize: (strides[0] * itemsize, *strides[1:])),
    ("added", lambda strides, itemsize: tuple(step + itemsize for step in strides)),
    ("repeated-tuple", lambda strides, itemsize: strides * itemsize),
    ("reversed", lambda strides, itemsize: tuple(step * itemsize for step in reversed(strides))),
)


def _judge_to_bytes(_: Exercise, function: Any) -> Verdict:
    if not callable(function) or isinstance(function, type):
        raise UnreadableError
    try:
        results = [_collected(function(*case)) for case in _CASES]
    except (Exception, SystemExit) as error:
        return Verdict("unclear", reason=say("quiz.raised", error=_error(error)))
    if all(emptied(result) for _, result in results):
        return Verdict("not_answered", reason=say("quiz.returns_nothing"))
    try:
        given = [plain(result) for _, result in results]
    except Exception:
        return Verdict("wrong", example=_example(_CASES[0], results[0][1]))
    wanted = [_right_bytes(*case) for case in _CASES]
    if given == wanted:
        others = [kind.__name__ for kind, _ in results if not issubclass(kind, tuple)]
        return Verdict("wrong", "not-a-tuple", {"type": others[0]}) if others else Verdict("right")
    failing = next(at for at, case in enumerate(wanted) if given[at] != case)
    return Verdict("wrong", _wrong_way(given), example=_example(_CASES[failing], given[failing]))


def _right_bytes(strides_elements: _Strides, itemsize: int) -> _Strides:
    return tuple(step * itemsize for step in strides_elements)


def _collected(result: Any) -> tuple[type, Any]:
    """Return the type of what a function gave, and its first items where it has to be iterated."""
    if isinstance(result, Iterable) and not isinstance(result, str | tuple) and not hasattr(result, "ndim"):
        return type(result), tuple(islice(result, MOST_ITEMS + 1))
    return type(result), result


def _wrong_way(given: list[Any]) -> str | None:
    if all(not isinstance(each, tuple) for each in given):
        return "one-number"
    for name, way in _WRONG_WAYS:
        if given == [plain(way(*case)) for case in _CASES]:
            return name
    fixed = ([_right_bytes(strides, size) for strides, _ in _CASES] for size in (2, 4, 8, 16))
    return "fixed-itemsize" if given in fixed else None


def _example(case: tuple[_Strides, int], result: object) -> str:
    return f"to_bytes({case[0]}, {case[1]}) = {shown(result)}"


def _error(error: BaseException) -> str:
    line = f"{type(error).__name__}: {error}".splitlines()[0].removesuffix(": ")
    return shortened(_ADDRESS.sub("", line), 120)


_JUDGES: dict[str, Callable[[Exercise, Any], Verdict]] = {
    "value": _judge_value,
    "six_addresses": _judge_six_addresses,
    "to_bytes": _judge_to_bytes,
}
