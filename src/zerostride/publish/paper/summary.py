"""The course on one page, to hang beside a screen."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from zerostride.advice.decisions import REQUIREMENTS, decide
from zerostride.course import Lesson, read_lessons
from zerostride.language import current, say
from zerostride.layouts import layout
from zerostride.publish.editions import Wishes
from zerostride.publish.paper.markup import Length, first_picture, first_that_fits, literal, opening
from zerostride.quiz.exercises import in_words

# Points of the text: the largest at which the page holds everything.
SIZES = (13.5, 13, 12.5, 12, 11.5, 11)
_USUAL = {name: known[0] for name, known in REQUIREMENTS.items()}
_SECTIONS = ("evidence", "bytes", "seen", "decide", "beliefs")


def build(lessons: Sequence[Lesson], wishes: Wishes) -> Iterator[tuple[str, bytes]]:
    """Yield the page: that of the whole course, whichever lessons are asked for."""
    yield f"summary.{wishes.paper}.pdf", summary(wishes)


def summary(wishes: Wishes) -> bytes:
    """Return the page as a PDF, in the language in use, with the first picture of lesson 1."""
    drawn, pictures = first_picture(read_lessons(current(), ["01"]))
    parts = {
        "title": say("publish.course"),
        "headings": [say(f"publish.summary_heading.{name}") for name in _SECTIONS],
        "setup": "\n".join(content()["setup"]),
        "evidence": [(in_words(row["name"]), in_words(row["asks"])) for row in content()["evidence"]],
        "bytes": (_header("array", "logical", "stored"), byte_rows()),
        "seen": (_header("see", "proves", "leaves"), seen_rows()),
        "decide": (_header("required", "answer"), decision_rows()),
        "beliefs": (_header("belief"), belief_rows()),
    }
    given = ", ".join(f"{name}: {literal(value)}" for name, value in parts.items())
    openings = (_opening(wishes, points) for points in SIZES)
    body = f'#import "poster.typ": poster\n#poster({given})[{drawn}]'
    return first_that_fits(openings, body, pictures)


def _opening(wishes: Wishes, points: float) -> str:
    return opening(
        title=f"{say('publish.course')} {say('publish.summary')}",
        size=wishes.paper,
        margin=Length("(x: 11mm, top: 9mm, bottom: 8mm)"),
        text_size=Length(f"{points}pt"),
        code_size=Length(f"{points * 0.76}pt"),
        most=1,
    )


@cache
def content() -> Mapping[str, Any]:
    """Return the words and the lines of code of the page, as the data file has them."""
    return tomllib.loads(files("zerostride.publish.paper").joinpath("summary.toml").read_text("utf-8"))


def byte_rows() -> list[tuple[str, str, str]]:
    """Return logical and stored bytes of a source, a view, a copy and a result, as measured now.

    Examples
    --------
    >>> byte_rows()[1]
    ('`view`', '96', '24')
    """
    source = np.array([[1.0, 2.0, 3.0]])
    view, tiled = np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))
    arrays = {"source": source, "view": view, "tiled": tiled, "view + 1": view + 1}
    seen = {name: layout(array) for name, array in arrays.items()}
    return [(f"`{name}`", str(it.logical_bytes), str(it.storage_bytes)) for name, it in seen.items()]


def decision_rows() -> list[tuple[str, str]]:
    """Return what changes the answer of ``zs.advise``, one requirement at a time, and the answer.

    Examples
    --------
    >>> [answer for required, answer in decision_rows()][-1]
    'impossible as ordinary expansion'
    """
    asked = [(name, value, {"expand"}, _USUAL | {name: value}) for name, value in _values()]
    asked += [("pattern", kind, {kind}, _USUAL) for kind in ("whole", "each")]
    rows = [
        (f"`{name}` {say(f'advice.choice.{name}.{value}')}", decide(kinds, **wanted).answer)
        for name, value, kinds, wanted in asked
    ]
    rows.append((say("publish.nothing_fits"), decide({"none"}, **_USUAL).answer))
    named = [(required, say(f"advice.answer.{answer}")) for required, answer in rows]
    return sorted(named, key=lambda row: [answer for _, answer in named].index(row[1]))


def _values() -> Iterator[tuple[str, str]]:
    """Yield every value that can be asked for with the others at their defaults."""
    for name, known in REQUIREMENTS.items():
        for value in known[1:]:
            if decide({"expand"}, **(_USUAL | {name: value})).answer != "contradictory":
                yield name, value


def seen_rows() -> list[tuple[str, str, str]]:
    """Return what is seen, what it proves, and what it leaves open."""
    return [
        (f"`{row['see']}`", in_words(row["proves"]), in_words(row["leaves"])) for row in content()["seen"]
    ]


def belief_rows() -> list[tuple[str, str]]:
    """Return popular wrong beliefs, each with the line that settles it and what that shows."""
    rows = content()["beliefs"]
    return [(in_words(row["belief"]), f"`{row['code']}` → `{row['shows']}`") for row in rows]


def _header(*names: str) -> list[str]:
    return [say(f"publish.summary_header.{name}") for name in names]
