"""A value that is one of the right ones, or one that a known misconception gives."""

from zerostride.quiz.exercises import Exercise
from zerostride.quiz.judges import Verdict
from zerostride.quiz.plain_values import plain, same_value


def judge(exercise: Exercise, answer: object) -> Verdict:
    """Return what a value shows."""
    given, one_number = plain(answer), not any(isinstance(plain(value), tuple) for value in exercise.right)
    while one_number and isinstance(given, tuple) and len(given) == 1:
        (given,) = given
    if any(same_value(given, plain(value)) for value in exercise.right):
        return Verdict("right")
    for mistake in exercise.wrong:
        if any(same_value(given, plain(value)) for value in mistake.answers):
            return Verdict("wrong", mistake.id)
    return Verdict("wrong")
