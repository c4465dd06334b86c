"""A function that turns strides in elements into strides in bytes."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from zerostride.language import say
from zerostride.quiz.exercises import Exercise
from zerostride.quiz.judges import Verdict
from zerostride.quiz.plain_values import MOST_ITEMS, UnreadableError, emptied, plain, shown, shown_error

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


def judge(_: Exercise, function: Any) -> Verdict:
    """Return what the learner's function shows."""
    if not callable(function) or isinstance(function, type):
        raise UnreadableError
    try:
        results = [_collected(function(*case)) for case in _CASES]
    except (Exception, SystemExit) as error:
        return Verdict("unclear", reason=say("quiz.raised", error=shown_error(error)))
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
