"""The misconceptions that the course looks for, with the questions that find them."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from zerostride.language import current, enumerated, say
from zerostride.publish.kit.plans import row
from zerostride.quiz.exercises import Choice, Exercise, Mistake, every_exercise

_SHOWN = 2


def misconceptions_text() -> str:
    """Return the table as Markdown, in the language in use, by lesson.

    Examples
    --------
    >>> "| `row-stride` | 1 byte | Counts in rows or elements" in misconceptions_text()
    True
    """
    exercises = list(every_exercise().values())
    parts = [f"# {say('kit.misconceptions.title')}", say("kit.misconceptions.about"), _pairs()]
    for lesson, asked in groupby(exercises, key=lambda it: it.lesson):
        found = [line for one in asked if not paired(one) for line in _rows(one)]
        if found:
            parts.append(f"## {say('kit.misconceptions.lesson', number=int(lesson[:2]))}")
            parts.append(_table(("item", "wrong", "behind"), "|-------|-------|-----------------|", found))
    return "\n\n".join(parts) + "\n"


def paired(asked: Exercise) -> bool:
    """Return whether an exercise is asked before the course and in another form after it."""
    return asked.id.removeprefix("pre-").removeprefix("post-") != asked.id


def _pairs() -> str:
    before = [asked for asked in every_exercise().values() if asked.id.startswith("pre-")]
    rows = []
    for number, first in enumerate(before, 1):
        second = every_exercise()[first.id.replace("pre-", "post-")]
        later = {choice.id: choice for choice in second.choices}
        for choice in first.choices:
            if choice.misconception:
                answers = (plain(it.text[current()]) for it in (choice, later[choice.id]))
                named = f"{number} `{first.id}` `{second.id}`"
                rows.append((named, *answers, plain(choice.misconception[current()])))
    heading = f"## {say('kit.misconceptions.pairs')}"
    columns = ("item", "before", "after", "behind")
    return f"{heading}\n\n{_table(columns, '|------|------|------|-----------|', rows)}"


def _rows(asked: Exercise) -> Iterator[tuple[str, ...]]:
    name = f"`{asked.id}`"
    for choice in asked.choices:
        if choice.misconception:
            yield name, plain(choice.text[current()]), _behind(choice)
    for mistake in asked.wrong:
        yield name, _answers(mistake), _behind(mistake)


def _behind(found: Choice | Mistake) -> str:
    return plain(re.sub(r"\{\w+\}", "…", found.misconception[current()]))


def _answers(mistake: Mistake) -> str:
    shown = sorted((f"`{answer!r}`" for answer in mistake.answers), key=len)[:_SHOWN]
    more = ["…"] if len(mistake.answers) > _SHOWN else []
    return enumerated(shown + more) or say("kit.misconceptions.judged")


def plain(text: str) -> str:
    r"""Return a text so that Markdown shows it as it is.

    Examples
    --------
    >>> plain("x * y | z")
    'x \\* y \\| z'
    """
    return re.sub(r"([\\`*_\[\]<>|$~^@#])", r"\\\1", text)


def _table(columns: tuple[str, ...], widths: str, rows: Iterable[tuple[str, ...]]) -> str:
    header = [say(f"kit.misconceptions.{column}") for column in columns]
    lines, last = [], ""
    for name, *cells in rows:
        lines.append((name if name != last else "", *cells))
        last = name
    return "\n".join([row(*header), widths, *(row(*cells) for cells in lines)])
