"""A function that edits one element where the view that it gets cannot be edited."""

from typing import Any

import numpy as np

from zerostride.language import say
from zerostride.quiz.exercises import Exercise
from zerostride.quiz.judges import Verdict
from zerostride.quiz.plain_values import UnreadableError, emptied, plain, shown_error

_ROW, _ROWS = (1.0, 2.0, 3.0), 4


def judge(_: Exercise, function: Any) -> Verdict:
    """Return what the learner's function does to a read-only view of its own."""
    if not callable(function) or isinstance(function, type):
        raise UnreadableError
    source = np.array([_ROW])
    view = np.broadcast_to(source, (_ROWS, len(_ROW)))
    try:
        result = function(view)
    except (Exception, SystemExit) as error:
        if "read-only" in str(error):
            return Verdict("wrong", "still-refused")
        return Verdict("unclear", reason=say("quiz.raised", error=shown_error(error)))
    lifted, changed = view.flags.writeable, int((view != _ROW).sum())
    if changed:
        return Verdict("wrong", "flag-lifted" if lifted else "another-way-in", {"count": changed})
    if emptied(result):
        return Verdict("not_answered", reason=say("quiz.returns_nothing"))
    return _seen(np.array(plain(result)), lifted)


def _seen(result: Any, lifted: bool) -> Verdict:
    """Return what a result shows, once the source is known to be as it was."""
    wanted = np.tile(_ROW, (_ROWS, 1))
    if not result.ndim:
        raise UnreadableError
    if result.shape != wanted.shape:
        return Verdict("wrong", "another-shape", {"shape": result.shape})
    nines, untouched = result == 9, np.array_equal(result, wanted)
    wanted[0, 0] = 9
    if np.array_equal(result, wanted):
        return Verdict("right", remarkable=lifted)
    if untouched:
        return Verdict("wrong", "nothing-changed")
    if nines[:, 0].all() and not nines[:, 1:].any():
        return Verdict("wrong", "shared-again")
    return Verdict("wrong", "too-much-written" if nines.sum() > 1 else None, {"count": int(nines.sum())})
