"""Two strides that put twelve elements on six addresses."""

from zerostride.layouts import Layout
from zerostride.layouts.arithmetic import indices
from zerostride.quiz.exercises import Exercise
from zerostride.quiz.judges import Verdict
from zerostride.quiz.plain_values import UnreadableError, plain, shown


def judge(_: Exercise, answer: object) -> Verdict:
    """Return what a pair of strides in bytes shows."""
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
