"""The questions of ``advise``, asked in a terminal where their answers were not typed."""

from collections.abc import Callable, Mapping

from zerostride.advice.advising import advise
from zerostride.advice.answer import Advice
from zerostride.advice.decisions import REQUIREMENTS
from zerostride.advice.growth import PATTERNS, growth
from zerostride.expansion import LIBRARIES, Shape
from zerostride.language import say

CHOICES = {**REQUIREMENTS, "library": LIBRARIES}
SHAPES = ("source", "target")


def advice_on(typed: Mapping[str, str | None], ask: Callable[[str], str] | None = None) -> Advice:
    """Return the advice on what was typed; what is missing is asked, or taken as its default.

    Parameters
    ----------
    typed : dict of str to str or None
        ``source`` and ``target`` as "1,3", and the arguments of ``advise``.
    ask : callable, optional
        From a question to an answer, such as ``input``; without it nothing is asked.

    Raises
    ------
    TypeError, ValueError
        If something typed is no shape, or unknown.

    Examples
    --------
    >>> advice_on({"source": "1,3", "target": "(4, 3)", "then": "contiguous"}).answer
    'repeat'
    """
    given = {name: value for name, value in typed.items() if value is not None}
    for name in SHAPES:
        if name not in given:
            if ask is None:
                raise ValueError(say("advice.bad.missing", name=name))
            given[name] = _asked(ask, name)
    source, target = (_shape(name, given.pop(name)) for name in SHAPES)
    if ask is not None:
        for name, known in CHOICES.items():
            given[name] = given.get(name) or _chosen(ask, name, known)
        kind = growth(
            source, target, library=given["library"] if given["library"] in LIBRARIES else "numpy"
        ).kind
        if kind == "blocks" and "pattern" not in given:
            given["pattern"] = _chosen(ask, "pattern", PATTERNS)
    return advise(source, target, **given)


def _asked(ask: Callable[[str], str], name: str) -> str:
    while True:
        answer = ask(say(f"advice.ask.{name}")).strip()
        try:
            _shape(name, answer)
        except ValueError as error:
            print(error)
        else:
            return answer


def _chosen(ask: Callable[[str], str], name: str, known: tuple[str, ...]) -> str:
    """Return one of the known words, by its number or its name; the first where nothing is typed."""
    lines = [
        f"  {number} {word}: {say(f'advice.choice.{name}.{word}')}" for number, word in enumerate(known, 1)
    ]
    print("\n".join([say(f"advice.ask.{name}"), *lines]))
    by_name = {word: word for word in known} | {str(place): word for place, word in enumerate(known, 1)}
    while True:
        answer = ask(say("advice.ask.number", count=len(known))).strip() or known[0]
        if answer in by_name:
            return by_name[answer]


def _shape(name: str, text: str) -> Shape:
    """Return a shape typed as "4,3", "(4, 3)" or "4x3"; "()" is that of one number."""
    parts = text.strip().strip("()[]").replace("x", ",").replace("，", ",").split(",")
    words = [part.strip() for part in parts if part.strip()]
    if not all(word.removeprefix("-").isdecimal() and len(word) <= 30 for word in words) or not (
        words or text.strip() in ("()", "[]")
    ):
        raise ValueError(say("advice.bad.shape", name=name, text=text))
    return tuple(int(word) for word in words)
