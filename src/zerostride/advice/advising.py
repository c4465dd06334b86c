"""From requirements to one answer, with its code, its reasons, its checks and its cost."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from zerostride.advice.checking import Check, checked, names_of, untried
from zerostride.advice.decisions import REQUIREMENTS, VIEWS, decide, kinds_of
from zerostride.advice.growth import PATTERNS, Growth, growth
from zerostride.advice.lines import WITHOUT_CODE, expression, lines, other_expression
from zerostride.expansion import LIBRARIES, Shape, can_expand
from zerostride.language import enumerated, say
from zerostride.memory import Budget, budget, in_units
from zerostride.memory.tape import FLOATS, ITEMSIZES
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
    def checked_shapes(self) -> tuple[Shape, Shape]:
        """Source and target on which the checks were run."""
        return self.growth.small.source, self.growth.small.target

    @property
    def reasons(self) -> list[str]:
        """Why, in the language in use."""
        found = [_reason(name, self.growth, self.library) for name in reason_names(self)]
        if self.growth.kind == "none":
            axes = can_expand(self.growth.source, self.growth.target, self.library)
            found += [text for text in (axes.reason, axes.hint) if text]
            if shape := self.growth.reshape_that_fits:
                found.append(say("advice.because.reshape_fits", shape=shape, target=self.growth.target))
        return found

    @property
    def open_questions(self) -> list[str]:
        """What this does not settle, in the language in use; the first names the line that measures."""
        return [_open(name, self) for name in open_names(self)]

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
        source, target = self.growth.source, self.growth.target
        notes = []
        if self.checks and self.growth.small is not self.growth:
            small = dict(zip(("source", "target"), self.checked_shapes, strict=True))
            notes.append(say("advice.smaller", **small))
        caption = say(
            "advice.caption", source=source, target=target, dtype=self.dtype, library=_NAMES[self.library]
        )
        return Table(once, notes=notes, caption=caption)

    def alternative(self) -> str:
        """Return answer and reasons as sentences, in the language in use."""
        return say(
            "advice.alternative", answer=self.words, reasons=say("advice.sentences").join(self.reasons)
        )

    def _costs(self) -> list[str]:
        if self.cost is None:
            return []
        found = [_cost("advice.cost", self.cost)]
        return found + ([_cost("advice.cost_otherwise", self.cost_otherwise)] if self.cost_otherwise else [])

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
            "reasons": reason_names(self),
            "checks": [check.to_dict() for check in self.checks],
            "checked_shapes": self.checked_shapes,
            "cost": self.cost and self.cost.to_dict(),
            "cost_otherwise": self.cost_otherwise and self.cost_otherwise.to_dict(),
            "open_questions": open_names(self),
            "measuring": self.measuring,
        }


def advise(
    source_shape: Iterable[int] | int,
    target_shape: Iterable[int] | int,
    writes: str = "nobody",
    learns: str = "nobody",
    then: str = "broadcasts",
    *,
    library: str = "numpy",
    dtype: str = "float64",
    pattern: str | None = None,
) -> Advice:
    """Return which way from a source to a target shape meets the requirements, and why.

    Nothing of the size of the shapes is allocated: the checks run on a small
    instance of them, the cost is predicted. No way is better by its name, and
    speed is left to ``zs.measure_time``.

    Parameters
    ----------
    source_shape, target_shape : sequence of int
        What there is, and what is wanted. With ``then="reshape"`` the target
        may also be the shape after the reshape.
    writes : {"nobody", "source", "each_copy", "each_copy_in_place"}
        Who is edited later: the source, and every copy has to show it; each
        copy by itself through operations that return a new array; or in place.
        An optimizer's steps do not count as an edit.
    learns : {"nobody", "shared", "each_copy"}
        Who gets a derivative: one value for all, or each copy its own.
    then : {"broadcasts", "dense", "reshape", "contiguous", "save", "process", "optimizer_loop"}
        What follows: an operation that broadcasts; one that wants the full
        shape and returns a dense result; a reshape; C or a compiled extension;
        a file; another process, as of a DataLoader; a loop of optimizer steps.
    library : {"numpy", "torch"}
        Where the checks run and whose cost is told; code is given for both.
    dtype : str
        Name of the element type.
    pattern : {"whole", "each"}, optional
        Where an axis of two or more grows: blocks repeated as a whole (ABAB),
        or each element by itself (AABB).

    Raises
    ------
    TypeError, ValueError
        If a shape is none, or a requirement is unknown.

    Examples
    --------
    >>> advice = advise((1, 3), (4, 3), writes="each_copy_in_place")
    >>> advice.answer, advice.code["numpy"]
    ('copy_first', 'y = np.broadcast_to(x, (4, 3)).copy()')
    >>> [check.status for check in advice.checks]
    ['passed', 'passed', 'passed']
    >>> advise((2, 3), (4, 3)).answer, advise((2, 3), (4, 3), pattern="each").answer
    ('impossible', 'repeat_each')
    """
    asked = {"writes": writes, "learns": learns, "then": then}
    for name, known in REQUIREMENTS.items():
        _among(name, asked[name], known)
    _among("library", library, LIBRARIES)
    _among("dtype", dtype, tuple(name for name in ITEMSIZES if (library, name) != ("numpy", "bfloat16")))
    if pattern is not None:
        _among("pattern", pattern, PATTERNS)
    found = growth(
        source_shape,
        target_shape,
        pattern,
        reshaped=then == "reshape",
        library=library,
        itemsize=ITEMSIZES[dtype],
    )
    return with_evidence(planned(found, asked, library, dtype))


def planned(found: Growth, asked: Mapping[str, str], library: str, dtype: str) -> Advice:
    """Return the answer with its checks named and not run, and without its cost."""
    rule = decide(kinds_of(found, learnable=dtype in FLOATS), **asked)
    answer = rule.answer
    code = {} if answer in WITHOUT_CODE else {
        each: lines(answer, found, each, **asked) for each in LIBRARIES
    }  # fmt: skip
    checks = untried(names_of(answer, rule.because, found, **asked), "no_kernel")
    return Advice(answer, rule.because, found, asked, library, dtype, code, checks, None, None)


def with_evidence(plan: Advice) -> Advice:
    """Return the same with its checks run now, and its cost."""
    asked, names = plan.requirements, [check.name for check in plan.checks]
    cost, otherwise = _bills(
        plan.answer, plan.growth, plan.library, plan.dtype, asked["learns"], asked["then"]
    )
    checks = checked(names, plan.answer, plan.growth, plan.library, plan.dtype)
    return replace(plan, checks=checks, cost=cost, cost_otherwise=otherwise)


def reason_names(advice: Advice) -> list[str]:
    """Return the names of the reasons, the deciding one first."""
    answer, asked = advice.answer, advice.requirements
    names = [f"because.{advice.because}"]
    if answer == "impossible" and advice.growth.kind == "none":
        return names
    if answer in WITHOUT_CODE:
        return names + (["because.one_axis_more"] if advice.growth.kind == "blocks" else [])
    if answer == "leave_to_broadcasting" and advice.library == "numpy" and advice.growth.grows:
        names.append("because.small_buffer")
    view = answer in VIEWS
    if answer == "separate_parameters":
        names.append("because.optimizer_writes" if asked["writes"] == "nobody" else "because.edits_apart")
    elif view or asked["writes"].startswith("each_copy"):
        names.append(f"because.{'view' if view else 'copy'}.{asked['writes']}")
    names += ["because.learns_shared"] if asked["learns"] == "shared" else []
    if answer == "expand" and asked["then"] in ("dense", "save", "process", "optimizer_loop"):
        names.append(f"because.then.{asked['then']}")
    if answer in ("repeat", "repeat_each") and advice.growth.kind == "blocks":
        names.append("because.one_axis_more")
    return names


def open_names(advice: Advice) -> list[str]:
    """Return the names of what is not settled."""
    asked = advice.requirements
    if advice.answer in WITHOUT_CODE:
        return []
    wanted = {
        "speed": True,
        "meaning": advice.growth.grows and advice.answer in VIEWS,
        "promise": advice.library == "torch" and advice.answer in ("expand", "reshape_first"),
        "snapshot": asked["writes"] == "source" and asked["then"] in ("save", "process"),
        "derivative": advice.library == "numpy" and asked["learns"] == "shared",
        "derivative_of_each": advice.library == "numpy" and asked["learns"] == "each_copy",
    }
    return [name for name, holds in wanted.items() if holds]


def measuring(answer: str, found: Growth, library: str) -> str:
    """Return the line that measures an answer against the other way; empty where there is no answer.

    Examples
    --------
    >>> from zerostride.advice.growth import growth
    >>> measuring("expand", growth((1,), (4,)), "torch")
    'zs.measure_time({"this": lambda x: x.expand(4).sum(), "other_way": lambda x: x.repeat(4).sum()}, x)'
    """
    if answer in WITHOUT_CODE:
        return ""
    ways = {"this": expression(answer, found, library), "other_way": other_expression(answer, found, library)}
    inputs = "x, other" if answer == "leave_to_broadcasting" else "x"
    whole = {
        name: f"({code}).sum()" if " + " in code else f"{code}.sum()" for name, code in ways.items() if code
    }
    programs = ", ".join(f'"{name}": lambda {inputs}: {code}' for name, code in whole.items())
    return f"zs.measure_time({{{programs}}}, {inputs})"


def _reason(name: str, found: Growth, library: str) -> str:
    starts, targets = found.one_axis_more
    values = {
        "source": found.source,
        "target": found.target,
        "whole": expression("repeat", replace(found, pattern="whole"), library)
        if found.kind == "blocks"
        else "",
        "each": expression("repeat", replace(found, pattern="each"), library)
        if found.kind == "blocks"
        else "",
        "more": expression("expand", Growth("reshaped", found.source, targets, starts, None), library),
        "order": "AABB" if found.pattern == "each" else "ABAB",
        "index": "i // times" if found.pattern == "each" else "i % size",
        "flattest": found.flattest[1],
    }
    return say(f"advice.{name}", **values)


def _open(name: str, advice: Advice) -> str:
    return say(f"advice.open.{name}", line=advice.measuring)


def _bills(
    answer: str, found: Growth, library: str, dtype: str, learns: str, then: str
) -> tuple[Budget | None, Budget | None]:
    """Return what the answer takes, and what the other way would."""
    if answer in WITHOUT_CODE:
        return None, None
    if found.kind == "blocks" or answer == "separate_parameters":
        return _blocks(answer, found, library, dtype, learns), None
    start, target = (found.start, found.target) if answer != "reshape_first" else found.flattest
    learned = learns == "shared" and library == "torch"

    def bill(way: str, steps: list[str]) -> Budget:
        counted = "uint8" if dtype == "bool" else dtype  # One byte each, and x + other is no number for bool.
        bill = budget(target, counted, start, steps, way=way, library=library, learns=learned)
        return replace(bill, dtype=dtype)

    follows = (
        ["add"]
        if answer == "leave_to_broadcasting"
        else ["shift"]
        if then == "dense" and dtype != "bool"
        else []
    )
    ways = {
        "leave_to_broadcasting": (("implicit", follows), ("repeat", follows)),
        "expand": (("expand", follows), ("repeat", follows)),
        "repeat": (("repeat", follows), ("expand", follows)),
        "copy_first": (("expand", ["clone"]), ("expand", [])),
        "reshape_first": (("expand", []), ("expand", ["reshape"])),
    }[answer]
    return bill(*ways[0]), bill(*ways[1])


def _blocks(answer: str, found: Growth, library: str, dtype: str, learns: str) -> Budget:
    """Return what a copy of its own takes; its bytes do not depend on the order of its elements."""
    learned = learns != "nobody" and library == "torch"
    if answer == "separate_parameters":
        bill = budget(found.target, dtype, found.target, ["shift"], library=library, learns=learned)
    else:
        starts, targets = found.one_axis_more
        bill = budget(targets, dtype, starts, way="repeat", library=library, learns=learned)
    return replace(
        bill, code=expression(answer, found, library), shape=found.target, source_shape=found.source
    )


def _cost(key: str, bill: Budget) -> str:
    values = {
        "code": bill.code,
        "source": in_units(bill.source_bytes),
        "logical": in_units(bill.logical_bytes),
        "new": in_units(bill.new_peak_bytes),
    }
    return say(key, **values)


def _among(name: str, value: object, known: Iterable[str]) -> None:
    if not isinstance(value, str) or value not in known:
        raise ValueError(say("advice.bad.choice", name=name, value=repr(value), known=enumerated(known)))


_NAMES = {"numpy": "NumPy", "torch": "torch"}
