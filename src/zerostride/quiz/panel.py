"""The live side of a prediction: choices, how sure, a button, and what was noted."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from zerostride.language import current, say
from zerostride.quiz.answers import earlier, record
from zerostride.quiz.exercises import CONFIDENCE, Exercise, in_words


def _front(name: str) -> str:
    return files("zerostride").joinpath("front", name).read_text("utf-8")


class Panel(anywidget.AnyWidget):
    """Controls for one question; nothing is written before its button is pressed.

    Attributes
    ----------
    choice, sure : int or None
        Positions chosen so far.
    note : str
        What happened, in words.
    locked : bool
        Whether the answer is written.
    """

    _esm = _front("quiz.js")
    _css = _front("quiz.css")
    words = traitlets.Dict().tag(sync=True)
    choice = traitlets.Int(None, allow_none=True).tag(sync=True)
    sure = traitlets.Int(None, allow_none=True).tag(sync=True)
    note = traitlets.Unicode("").tag(sync=True)
    locked = traitlets.Bool(False).tag(sync=True)

    def __init__(self, exercise: Exercise) -> None:
        self._exercise, self._language = exercise, current()
        super().__init__(words=panel_words(exercise), note=_earlier(exercise))
        self.on_msg(self._on_message)

    def _on_message(self, _: object, content: Any, __: object) -> None:
        if isinstance(content, dict) and content.get("commit"):
            self.commit(content.get("choice"), content.get("sure"))

    def commit(self, choice: object, sure: object) -> None:
        """Write the answer at these positions, or say why it is not written."""
        if self.locked:
            return
        at, how = _position(choice, self._exercise.choices), _position(sure, CONFIDENCE)
        if at is None or how is None:
            self.note = say("quiz.choose_both")
            return
        self.choice, self.sure = at, how
        picked, level = self._exercise.choices[at], CONFIDENCE[how]
        values = {"answer": in_words(picked.text), "sure": say(f"quiz.sure.{level}")}
        try:
            record(self._exercise.id, picked.id, level, self._language)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self.note = say("quiz.not_written", file=".zerostride/answers.jsonl", reason=reason, **values)
        else:
            self.locked = True
            self.note = say("quiz.noted", **values)


def _position(at: object, among: Sequence[object]) -> int | None:
    return at if isinstance(at, int) and 0 <= at < len(among) else None


def panel_words(exercise: Exercise) -> dict[str, object]:
    """Return what the controls of a question say, in the language in use; no answer is in it."""
    return {
        "question": in_words(exercise.question),
        "choices": [f"{letter}. {in_words(choice.text)}" for letter, choice in exercise.lettered.items()],
        "how_sure": say("quiz.how_sure"),
        "levels": [say(f"quiz.sure.{level}") for level in CONFIDENCE],
        "commit": say("quiz.commit"),
    }


def _earlier(exercise: Exercise) -> str:
    """Return what was answered last time, in words; empty where nothing may be read."""
    answer = earlier(exercise.id)
    texts = {choice.id: choice.text for choice in exercise.choices}
    if answer is None or answer.choice not in texts or answer.confidence not in CONFIDENCE:
        return ""
    return say(
        "quiz.earlier", answer=in_words(texts[answer.choice]), sure=say(f"quiz.sure.{answer.confidence}")
    )
