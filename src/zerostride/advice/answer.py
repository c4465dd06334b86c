"""One answer with its code, its reasons, its checks and its cost, as a report."""

from collections.abc import Mapping
from dataclasses import dataclass

from zerostride.advice.checking import Check
from zerostride.advice.growth import Growth
from zerostride.advice.lines import measuring
from zerostride.advice.reasons import open_names, reason, reason_names
from zerostride.expansion import Shape, can_expand
from zerostride.language import say
from zerostride.memory import Budget, in_units
from zerostride.reports import Report, Table


@dataclass(frozen=True, repr=False)
class Advice(Report):
    """One answer to "expand or repeat?", and what it stands on.

    Attributes
    ----------
    answer : str
        One of ``zerostride.advice.ANSWERS``.
    because : str
        Name of the rule that decided.
    code : dict of str to str
        Lines for ``"numpy"`` and ``"torch"``; ``x`` is the source, ``other`` an
        array of the target's shape. Empty where the answer is none.
    checks : tuple of Check
        Each tried just now on ``checked_shapes``.
    cost : Budget or None
        What the answer takes, as ``zs.budget`` predicts it.
    cost_otherwise : Budget or None
        What the other way takes.
    """

    answer: str
    because: str
    growth: Growth
    requirements: Mapping[str, str]
    library: str
    dtype: str
    code: Mapping[str, str]
    checks: tuple[Check, ...]
    cost: Budget | None
    cost_otherwise: Budget | None

    @property
    def words(self) -> str:
        """The answer in the language in use."""
        return say(f"advice.answer.{self.answer}")

    @property
    def caption(self) -> str:
        """Shapes, element type and library, in the language in use."""
        source, target, library = self.growth.source, self.growth.target, _NAMES[self.library]
        return say("advice.caption", source=source, target=target, dtype=self.dtype, library=library)

    @property
    def checked_shapes(self) -> tuple[Shape, Shape]:
        """Source and target on which the checks were run."""
        return self.growth.small.source, self.growth.small.target

    @property
    def reasons(self) -> list[str]:
        """Why, in the language in use."""
        found = [reason(name, self.growth, self.library) for name in self._reason_names()]
        if self.growth.kind == "none":
            axes = can_expand(self.growth.source, self.growth.target, self.library)
            found += [text for text in (axes.reason, axes.hint) if text]
            if shape := self.growth.reshape_that_fits:
                found.append(say("advice.because.reshape_fits", shape=shape, target=self.growth.target))
        return found

    @property
    def open_questions(self) -> list[str]:
        """What this does not settle, in the language in use; the first names the line that measures."""
        return [say(f"advice.open.{name}", line=self.measuring) for name in self._open_names()]

    @property
    def measuring(self) -> str:
        """The line that measures the answer against the other way; empty where there is none."""
        return measuring(self.answer, self.growth, self.library)

    def table(self) -> Table:
        """Return answer, code, reasons, checks, cost and open questions, a row each."""
        rows = [(say("advice.row.answer"), self.words)]
        rows += [
            (say(f"advice.row.{name}"), line)
            for name, code in self.code.items()
            for line in code.splitlines()
        ]
        rows += [(say("advice.row.because"), reason) for reason in self.reasons]
        rows += [(say(f"report.{check.status}"), check.told) for check in self.checks]
        rows += [(say("advice.row.cost"), line) for line in self._costs()]
        rows += [(say("advice.row.open"), line) for line in self.open_questions]
        once = [(name if name != before else "", line)
                for (name, line), (before, _) in zip(rows, [("", ""), *rows], strict=False)]  # fmt: skip
        notes = []
        if self.checks and self.growth.small is not self.growth:
            small = dict(zip(("source", "target"), self.checked_shapes, strict=True))
            notes.append(say("advice.smaller", **small))
        return Table(once, notes=notes, caption=self.caption)

    @property
    def brief(self) -> "Brief":
        """The answer and its reasons alone."""
        return Brief(self)

    def _reason_names(self) -> list[str]:
        return reason_names(self.answer, self.because, self.growth, self.requirements)

    def _open_names(self) -> list[str]:
        return open_names(self.answer, self.growth, self.requirements, self.library)

    def _costs(self) -> list[str]:
        if self.cost is None:
            return []
        found = [_cost("advice.cost", self.cost)]
        found += [_cost("advice.cost_otherwise", self.cost_otherwise)] if self.cost_otherwise else []
        buffered = self.answer == "leave_to_broadcasting" and self.library == "numpy" and self.growth.grows
        return found + [say("advice.small_buffer")] * buffered

    def to_dict(self) -> dict[str, object]:
        """Return the answer as plain data, the same in every language."""
        return {
            "answer": self.answer,
            "because": self.because,
            "source_shape": self.growth.source,
            "target_shape": self.growth.target,
            "pattern": self.growth.pattern,
            **self.requirements,
            "library": self.library,
            "dtype": self.dtype,
            "code": dict(self.code),
            "reasons": self._reason_names(),
            "checks": [check.to_dict() for check in self.checks],
            "checked_shapes": self.checked_shapes,
            "cost": self.cost and self.cost.to_dict(),
            "cost_otherwise": self.cost_otherwise and self.cost_otherwise.to_dict(),
            "open_questions": self._open_names(),
            "measuring": self.measuring,
        }


@dataclass(frozen=True, repr=False)
class Brief(Report):
    """The answer of an advice and its reasons, without code, checks, cost and open questions."""

    advice: Advice

    def table(self) -> Table:
        """Return the answer and each reason, a row each."""
        because = [say("advice.row.because"), *[""] * (len(self.advice.reasons) - 1)]
        reasons = zip(because, self.advice.reasons, strict=True)
        return Table([(say("advice.row.answer"), self.advice.words), *reasons], caption=self.advice.caption)

    def alternative(self) -> str:
        """Return answer and reasons as sentences, in the language in use."""
        reasons = say("advice.sentences").join(self.advice.reasons)
        return say("advice.alternative", answer=self.advice.words, reasons=reasons)

    def to_dict(self) -> dict[str, object]:
        """Return the names of the answer and of its reasons."""
        whole = self.advice.to_dict()
        return {name: whole[name] for name in ("answer", "reasons")}


def _cost(key: str, bill: Budget) -> str:
    values = {
        "code": bill.code,
        "source": in_units(bill.source_bytes),
        "logical": in_units(bill.logical_bytes),
        "new": in_units(bill.new_peak_bytes),
    }
    return say(key, **values)


_NAMES = {"numpy": "NumPy", "torch": "torch"}
