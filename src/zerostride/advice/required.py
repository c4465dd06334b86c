"""What ``advise`` has to be told: each value of its arguments, in words."""

from dataclasses import dataclass

from zerostride.advice.decisions import ANSWERS, REQUIREMENTS
from zerostride.language import say
from zerostride.reports import Report, Table


@dataclass(frozen=True, repr=False)
class Requirements(Report):
    """Every value of ``writes``, ``learns`` and ``then``, and how many answers they lead to."""

    def table(self) -> Table:
        """Return a row for each value, the default of each argument first."""
        rows = [
            (name if value == known[0] else "", value, say(f"advice.choice.{name}.{value}"))
            for name, known in REQUIREMENTS.items()
            for value in known
        ]
        header = [say(f"advice.requirements.{name}") for name in ("argument", "value", "meaning")]
        return Table(rows, header, [say("advice.requirements.note", count=len(ANSWERS))])

    def to_dict(self) -> dict[str, object]:
        """Return the values of each argument, and the names of the answers."""
        return {**REQUIREMENTS, "answers": ANSWERS}


def requirements() -> Requirements:
    """Return what ``zs.advise`` has to be told besides two shapes.

    Returns
    -------
    Requirements
        A table of every value, with what it means.

    Examples
    --------
    >>> requirements().to_dict()["learns"]
    ('nobody', 'shared', 'each_copy')
    """
    return Requirements()
