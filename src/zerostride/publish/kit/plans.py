"""Plans for a class of 50, 90 and 180 minutes, minute by minute."""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from zerostride.course import Cell, Lesson
from zerostride.language import current, enumerated, say
from zerostride.quiz.exercises import Words, every_exercise

LATE = "▲"


@dataclass(frozen=True)
class Step:
    """What a class does for some minutes.

    Attributes
    ----------
    sections : tuple of str
        Lesson and cell of the heading, ``"01/ask-readers"``, in their order.
    exercises : tuple of str
        Names of the exercises that the learners do.
    teacher, learners : dict
        What each does.
    instead : dict
        What becomes of a step that is cut.
    """

    teacher: Words
    learners: Words
    sections: tuple[str, ...] = ()
    exercises: tuple[str, ...] = ()
    instead: Words = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """A way through the course in a number of minutes.

    Attributes
    ----------
    minutes : int
        How long it takes.
    steps : tuple of (str, int)
        Names of steps with their minutes, in their order.
    late : dict of str to int
        Steps to cut when the class is late, with the minutes that this saves.
    goal, home : dict
        What learners can do afterwards, and what is left for home.
    """

    minutes: int
    steps: tuple[tuple[str, int], ...]
    late: dict[str, int]
    goal: Words
    home: Words


@cache
def read_plans() -> tuple[dict[str, Step], tuple[Plan, ...]]:
    """Return every step by its name, and the plans.

    Examples
    --------
    >>> steps, plans = read_plans()
    >>> [plan.minutes for plan in plans], steps["squeezed"].sections
    ([50, 90, 180], ('01/ask-squeezed',))
    """
    data = tomllib.loads(files("zerostride.publish.kit").joinpath("plans.toml").read_text("utf-8"))
    steps = {name: _step(table) for name, table in data["steps"].items()}
    plans = (
        Plan(int(minutes), tuple((name, taken) for name, taken in table.pop("steps")), **table)
        for minutes, table in data["plans"].items()
    )
    return steps, tuple(plans)


def _step(table: dict[str, Any]) -> Step:
    sections, exercises = (tuple(table.pop(key, ())) for key in ("sections", "exercises"))
    return Step(sections=sections, exercises=exercises, **table)


def plans_text(lessons: Sequence[Lesson]) -> str:
    """Return all plans as Markdown, in the language in use."""
    steps, plans = read_plans()
    before = files("zerostride.publish.kit").joinpath(f"plan.{current()}.md").read_text("utf-8")
    there = {lesson.name[:2]: lesson for lesson in lessons}
    return "\n".join([before, *(_plan(plan, steps, there) for plan in plans)])


def cells_of(lesson: Lesson, section: str) -> tuple[Cell, ...]:
    """Return the core cells from a heading to the next one.

    Raises
    ------
    LookupError
        If no heading stands in a cell of that name.
    """
    head, found = "", []
    for cell in lesson.core:
        if cell.source.startswith("#"):
            head = cell.id
        if head == section:
            found.append(cell)
    if not found:
        raise LookupError(f"{lesson.name}: {section}")
    return tuple(found)


def _plan(plan: Plan, steps: dict[str, Step], there: dict[str, Lesson]) -> str:
    word = current()
    columns = [say(f"kit.plan.{name}") for name in ("minutes", "screen", "teacher", "learners")]
    rows = [row(*columns), "|-------|---------------------|------------------------|----------------|"]
    late = []
    start = 0
    for name, minutes in plan.steps:
        step, time = steps[name], f"{start}{say('kit.plan.to')}{start + minutes}"
        mark = f"\N{NO-BREAK SPACE}{LATE}" if name in plan.late else ""
        rows.append(row(time + mark, _screen(step, there), step.teacher[word], step.learners[word]))
        if name in plan.late:
            late.append(say("kit.plan.cut", time=time, saved=plan.late[name], instead=step.instead[word]))
        start += minutes
    goal = say("kit.plan.goal", goal=plan.goal[word], home=plan.home[word])
    heading = say("kit.plan.heading", minutes=plan.minutes)
    cuts = "\n".join(f"- {line}" for line in late)
    table = "\n".join(rows)
    return f"## {heading}\n\n{goal}\n\n{table}\n\n{say('kit.plan.late', mark=LATE)}\n\n{cuts}\n"


def row(*cells: str) -> str:
    """Return one line of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def _screen(step: Step, there: dict[str, Lesson]) -> str:
    parts = []
    sections = [section.split("/") for section in step.sections]
    for number, group in groupby(sections, key=lambda section: section[0]):
        cells = [cells_of(there[number], head) for _, head in group]
        headings = " / ".join(_heading(part[0]) for part in cells)
        uses = list(_uses([cell for part in cells for cell in part]))
        more = say("kit.plan.more", uses=say("kit.plan.and").join(uses)) if uses else ""
        parts.append(f"**{int(number)}** {headings}{more}")
    for name in step.exercises:
        number = int(every_exercise()[name].lesson[:2])
        parts.append(f"**{number}** {say('kit.plan.exercise', name=name)}")
    return " ".join(parts)


def _heading(cell: Cell) -> str:
    return cell.source.splitlines()[0].lstrip("# ").split(" · ", 1)[-1]


def _uses(cells: Sequence[Cell]) -> Iterator[str]:
    if votes := [f"`{cell.predicts}`" for cell in cells if cell.predicts]:
        yield say("kit.plan.vote", names=enumerated(votes))
    if any(cell.source.startswith("zs.explore.") and ".static" not in cell.source for cell in cells):
        yield say("kit.plan.explorer")
    if any("torch" in cell.tags and cell.source.startswith("#") for cell in cells):
        yield "PyTorch"
