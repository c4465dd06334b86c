"""What an answer shows: right, or which misconception stands behind it; each kind of answer has a judge.

An exercise with ``judge = "value"`` is judged by the function ``judge`` of ``value.py`` here.
"""

from dataclasses import dataclass, field
from importlib import import_module

from zerostride.language import say
from zerostride.quiz.exercises import Exercise
from zerostride.quiz.plain_values import emptied


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
        verdict: Verdict = import_module(f"{__name__}.{exercise.judge}").judge(exercise, answer)
    except KeyboardInterrupt:
        return Verdict("unclear", reason=say("quiz.interrupted"))
    except Exception:
        # An object may raise at whatever is asked of it: that is no verdict on the learner.
        return Verdict("unclear", reason=say("quiz.unreadable", type=type(answer).__name__))
    return verdict
