"""Predict before you run, and answer in your own words: what is asked and what is said back."""

from typing import Any

from zerostride.language import say
from zerostride.quiz.exercises import Exercise, exercise, in_words
from zerostride.quiz.judges import Verdict, judge
from zerostride.quiz.plain_values import shown
from zerostride.reports import Report, Table


class Prediction(Report):
    """A question with choices: a live panel where a kernel runs, plain words everywhere else.

    The words are the same on every run and hold no answer; what the learner
    chose lives in the panel alone.
    """

    def __init__(self, asked: Exercise) -> None:
        self.exercise = asked
        self._panel: Any = None

    @property
    def panel(self) -> Any:
        """The live controls, made when they are first wanted."""
        if self._panel is None:
            from zerostride.quiz.panel import Panel

            self._panel = Panel(self.exercise)
        return self._panel

    def table(self) -> Table:
        """Return the question with lettered choices; no answer."""
        lettered = self.exercise.lettered.items()
        rows = [(letter, in_words(choice.text)) for letter, choice in lettered]
        return Table(rows, caption=in_words(self.exercise.question), notes=(say("quiz.decide_first"),))

    def to_dict(self) -> dict[str, object]:
        """Return the identifiers of the question and its choices."""
        return {"exercise": self.exercise.id, "choices": [choice.id for choice in self.exercise.choices]}

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = self.panel._repr_mimebundle_()
        return data | {"text/plain": str(self), "text/html": self._repr_html_()}, metadata


class Feedback(Report):
    """What an answer shows, in words.

    Attributes
    ----------
    exercise : Exercise
        The question.
    verdict : Verdict
        Right, wrong with or without a known misconception, not answered, or unclear.
    given : str
        The answer as it is shown.
    """

    def __init__(self, asked: Exercise, verdict: Verdict, given: str) -> None:
        self.exercise, self.verdict, self.given = asked, verdict, given

    def table(self) -> Table:
        """Return the answer and what is behind it, under the question as long as it is open."""
        status = self.verdict.status
        rows = [(say("quiz.result"), say(f"quiz.status.{status}"))]
        if status != "not_answered":
            rows.insert(0, (say("quiz.your_answer"), self.given))
        rows += {"right": self._right, "wrong": self._wrong}.get(status, self._open)()
        asked = "" if status == "right" else in_words(self.exercise.question)
        return Table(rows, caption=asked)

    def to_dict(self) -> dict[str, object]:
        """Return exercise, status and the misconception's identifier."""
        return {
            "exercise": self.exercise.id,
            "status": self.verdict.status,
            "misconception": self.verdict.mistake,
        }

    def _right(self) -> list[tuple[str, str]]:
        rows = [(say("quiz.why"), in_words(self.exercise.why, **self.verdict.values))]
        if self.verdict.remarkable:
            rows.append((say("quiz.look_at"), in_words(self.exercise.remark)))
        return rows

    def _wrong(self) -> list[tuple[str, str]]:
        mistakes = {mistake.id: mistake for mistake in self.exercise.wrong}
        mistake = mistakes.get(self.verdict.mistake or "")
        example = [(say("quiz.example"), self.verdict.example)] if self.verdict.example else []
        if mistake is None:
            hint = (say("quiz.look_at"), in_words(self.exercise.hint))
            return [(say("quiz.behind_it"), say("quiz.unlisted")), *example, hint, *self._expected()]
        behind = (say("quiz.behind_it"), in_words(mistake.misconception, **self.verdict.values))
        return [behind, *example, (say("quiz.look_at"), in_words(mistake.look))]

    def _open(self) -> list[tuple[str, str]]:
        reason = [(say("quiz.why"), self.verdict.reason)] if self.verdict.reason else []
        return [*reason, *self._expected()]

    def _expected(self) -> list[tuple[str, str]]:
        return [(say("quiz.expected"), in_words(self.exercise.expects))]


def predict(name: str) -> Prediction:
    """Return a question to decide on before the next cell runs.

    Showing it writes and reads no answer that a page could store; only its
    button appends a line to ``.zerostride/answers.jsonl``.

    Parameters
    ----------
    name : str
        Identifier of a prediction in ``quiz/exercises``.

    Returns
    -------
    Prediction
        A panel in a notebook, question and choices as text elsewhere.

    Raises
    ------
    ValueError
        If there is no such prediction; near names are shown.

    Examples
    --------
    >>> print(predict("equal-prints"))
    Two arrays print the same twelve numbers. Do they read one storage?
    A  Yes, the numbers are the same
    B  No, they are two arrays
    C  Printing cannot tell
    Decide first, then run the next cell.
    """
    return Prediction(exercise(name, "predict"))


def your_turn(name: str, answer: object) -> Feedback:
    """Return what an answer shows: right and why, or the misconception behind it.

    Parameters
    ----------
    name : str
        Identifier of a your-turn exercise in ``quiz/exercises``.
    answer : object
        The learner's answer, or ``...`` where none is given yet. A function
        is called; what it raises is told in words.

    Returns
    -------
    Feedback
        Text in a terminal, a panel of words in a notebook; an answer is never given away.

    Raises
    ------
    ValueError
        If there is no such exercise; near names are shown.

    Examples
    --------
    >>> your_turn("offset-of-3-1", 80).to_dict()
    {'exercise': 'offset-of-3-1', 'status': 'wrong', 'misconception': 'stored-rows'}
    >>> your_turn("offset-of-3-1", ...).to_dict()["status"]
    'not_answered'
    """
    asked = exercise(name, "your_turn")
    return Feedback(asked, judge(asked, answer), shown(answer))
