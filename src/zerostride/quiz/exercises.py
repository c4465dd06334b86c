"""The questions of the course: a data file per lesson, named for it, with both languages.

A ``predict`` has choices, one of them right; a ``your_turn`` has a judge, the right values where they
can be listed, and the wrong ones that a known misconception produces.
"""

import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from string import ascii_uppercase
from typing import Any

from zerostride.handed_in import told
from zerostride.language import current, say

Words = dict[str, str]
# How sure a learner can be of a prediction.
CONFIDENCE = ("guess", "fairly", "certain")


@dataclass(frozen=True)
class Choice:
    """One answer offered by a prediction; only wrong ones carry a misconception."""

    id: str
    text: Words
    misconception: Words = field(default_factory=dict)


@dataclass(frozen=True)
class Mistake:
    """A wrong answer of the learner's own, the misconception behind it and what to look at."""

    id: str
    misconception: Words
    look: Words
    answers: tuple[object, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """One question: either choices, or a judge for an answer of the learner's own.

    Attributes
    ----------
    id, lesson : str
        Its name, and the notebook that asks it.
    kind : {"predict", "your_turn"}
        Which function shows it.
    right : str or tuple
        Identifier of the right choice; or every right value, where a list can hold them.
    answer : str
        A right answer as Python source, for the answer pages.
    remark : dict
        What to add to a right answer that is unusual.
    """

    id: str
    lesson: str
    kind: str
    question: Words
    why: Words
    right: Any = ()
    choices: tuple[Choice, ...] = ()
    level: str = "core"
    judge: str = ""
    answer: str = ""
    expects: Words = field(default_factory=dict)
    hint: Words = field(default_factory=dict)
    remark: Words = field(default_factory=dict)
    wrong: tuple[Mistake, ...] = ()

    @property
    def lettered(self) -> dict[str, Choice]:
        """The choices by their letters, in their order."""
        return dict(zip(ascii_uppercase, self.choices, strict=False))

    @property
    def right_letter(self) -> str:
        """The letter of the right choice."""
        return next(letter for letter, choice in self.lettered.items() if choice.id == self.right)


@cache
def every_exercise() -> dict[str, Exercise]:
    """Return every exercise by its identifier, in the order of the lessons."""
    found = {}
    for file in sorted(files("zerostride.quiz").joinpath("exercises").iterdir(), key=lambda file: file.name):
        lesson = file.name.removesuffix(".toml")
        for name, table in tomllib.loads(file.read_text("utf-8")).items():
            found[name] = _exercise(name, lesson, table)
    return found


def _exercise(name: str, lesson: str, table: dict[str, Any]) -> Exercise:
    choices = tuple(Choice(**choice) for choice in table.pop("choices", ()))
    wrong = tuple(Mistake(**mistake) for mistake in table.pop("wrong", ()))
    return Exercise(id=name, lesson=lesson, choices=choices, wrong=wrong, **table)


def exercise(name: str, kind: str) -> Exercise:
    """Return one exercise of a kind.

    Raises
    ------
    ValueError
        If there is no such exercise (near names are shown), or if it belongs
        to the other function.

    Examples
    --------
    >>> exercise("row-stride", "predict").right
    '0'
    >>> exercise("row-strides", "predict")
    Traceback (most recent call last):
    ValueError: there is no exercise 'row-strides'; did you mean 'row-stride'?
    """
    found = every_exercise().get(name) if isinstance(name, str) else None
    if found is None:
        near = get_close_matches(told(name, str), every_exercise(), n=1)
        raise ValueError(
            say("quiz.near", id=name, near=repr(near[0])) if near else say("quiz.unknown", id=name)
        )
    if found.kind != kind:
        key = "quiz.is_a_prediction" if found.kind == "predict" else "quiz.is_your_turn"
        raise ValueError(say(key, id=name))
    return found


def in_words(words: Words, **values: object) -> str:
    """Return a text of a data file in the language in use, with values filled in."""
    return words[current()].format(**values)
