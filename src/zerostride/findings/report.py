"""The report: shapes, sharing and writes, derivatives, cost, what was recognized, what was not seen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from zerostride.findings.by_pair import reduction
from zerostride.findings.faults import Fault
from zerostride.findings.own_copies import Guard
from zerostride.findings.running import Probe, Use
from zerostride.findings.steps import Step, same_values
from zerostride.gradients.comparing import GradientComparison
from zerostride.language import enumerated, say
from zerostride.layouts import Layout, is_tensor, layout
from zerostride.reports import Report, Table
from zerostride.sharing import compare, storages, writable

MOST_STEPS_SHOWN = 8
MOST_CALL = 44


@dataclass(frozen=True, repr=False, eq=False)
class Evidence(Report):
    """Three kinds of evidence on several uses of one array, and the faults that they show.

    Attributes
    ----------
    source : Layout
        How the source is read.
    uses : tuple of Use
        One per program.
    problems : tuple of Fault
        Known faults, each with words, the lines that put it right and its lesson.
    guard : Guard
        Whether the caller's array is as it was.
    timings : Timings or None
        Time and peak memory, where they were asked for.
    unmeasured : str
        Why they are missing all the same.
    """

    source: Layout
    uses: tuple[Use, ...]
    problems: tuple[Fault, ...]
    guard: Guard
    timings: Any = None
    unmeasured: str = ""

    @property
    def layouts(self) -> dict[str, dict[str, Layout]]:
        """By program, how each result is read."""
        return {use.name: {name: layout(x) for name, x in use.plain.results.items()} for use in self.uses}

    @property
    def unchanged(self) -> bool:
        """Whether every byte of the caller's array is as it was."""
        return self.guard.restored

    @property
    def gradients(self) -> GradientComparison | None:
        """What the witnesses say of each loss; None without any."""
        found = {use.name: use.gradient for use in self.uses if use.gradient}
        return GradientComparison(found, self.source.library, self.source.dtype) if found else None

    def sections(self) -> Iterator[tuple[str, Table]]:
        """Yield each part of the report: its title and its table."""
        yield say("findings.title.shapes"), self.table()
        if any(use.plain.results for use in self.uses):
            yield say("findings.title.sharing"), self._sharing()
        gradients = self.gradients
        if gradients:
            yield say("findings.title.gradients"), self._derivatives(gradients.table())
        if self.timings is not None:
            yield say("findings.title.cost"), self.timings.table()
        lines = [line for problem in self.problems for line in problem.lines()]
        yield say("findings.title.problems"), _listed(lines or [say("findings.no_problem")])
        yield say("findings.title.notes"), _listed(list(self._notes()))

    def table(self) -> Table:
        """Return how the source, what is seen on the way and the results are read."""
        columns = ("program", "what", "shape", "bytes", "elements", "logical", "touched", "stored")
        rows = [("", say("findings.source"), *_read(self.source))]
        for use in self.uses:
            rows += [(use.name, *cells) for cells in self._steps(use)]
            rows += [(use.name, name, *_read(layout(x))) for name, x in use.plain.results.items()]
            if use.plain.error or not use.plain.results:
                empty = ("-",) * (len(columns) - 2)
                rows.append((use.name, use.plain.error or say("findings.nothing"), *empty))
        return Table(rows, tuple(say(f"findings.column.{name}") for name in columns))

    def _steps(self, use: Use) -> Iterator[tuple[str, ...]]:
        results = [layout(x) for x in use.seen.results.values()]
        steps = [step for step in use.seen.steps if step.outputs]
        if steps and list(map(layout, steps[-1].outputs)) == results:
            del steps[-1]
        for step in steps[:MOST_STEPS_SHOWN]:
            yield (_clipped(step.call), *_read(step.after[0]))
        if len(steps) > MOST_STEPS_SHOWN:
            more = say("findings.more_steps", count=len(steps) - MOST_STEPS_SHOWN + use.seen.log.left_out)
            yield (more, *("-",) * 6)

    def _sharing(self) -> Table:
        columns = ("program", "what", "relation", "common", "write", "from_source", "one_write", "to_source")
        rows = []
        for use in self.uses:
            for name, x in use.plain.results.items():
                both, probe = compare(x, use.plain.source), use.probes.get(name, Probe())
                outcome = say(f"sharing.outcome.{writable(x).outcome}")
                rows.append(
                    (
                        use.name,
                        name,
                        both.words,
                        f"{_span(*both.common_bytes_between)} B",
                        outcome,
                        _counted(probe.into_source),
                        probe.refused or _counted(probe.into_result),
                        "-" if probe.refused else _counted(probe.reaches_source),
                    )
                )
        header = tuple(say(f"findings.column.{name}") for name in columns)
        return Table(rows, header, list(self._between()))

    def _derivatives(self, table: Table) -> Table:
        """Return the table of the derivatives, with what was not looked at."""
        taken = max(len(use.sampled) for use in self.uses)
        if not taken:
            return table
        told = say("findings.sampled", taken=taken, count=f"{self.source.size:,}")
        return replace(table, notes=(told, *table.notes))

    def _between(self) -> Iterator[str]:
        """Yield what each program has stored in all, and which results print alike."""
        for use in self.uses:
            if use.plain.results:
                named: dict[str, Any] = {"source": use.plain.source, **use.plain.results}
                named |= {f"step{n}": x for n, step in enumerate(use.plain.steps) for x in step.outputs[:1]}
                found = storages(**named)
                yield say(
                    "findings.stored",
                    program=use.name,
                    storages=len(found.groups),
                    bytes=f"{found.total_bytes:,}",
                )
        first = [
            (use.name, x) for use in self.uses for x in [use.plain.results.get("result")] if x is not None
        ]
        for place, (name, x) in enumerate(first):
            alike = [other for other, y in first[place + 1 :] if same_values(x, y)]
            if alike:
                yield say("findings.equal", program=name, others=enumerated(alike))

    def _notes(self) -> Iterator[str]:
        restored = "put_back" if self.guard.restored else "not_put_back"
        yield say(f"findings.caller.{restored if self.guard.changed else 'unchanged'}")
        library = "torch" if self.source.library == "torch" else "numpy"
        yield say(f"findings.unseen.{library}")
        for use in self.uses:
            if use.seen.log.blind:
                yield say("findings.blind", program=use.name)
            for warning in use.plain.warned:
                yield say("findings.warned", program=use.name, warning=warning)
            if use.no_gradient == "too_large":
                yield say("findings.too_large", program=use.name, count=f"{self.source.size:,}")
            elif use.no_gradient:
                yield say("findings.no_gradient", program=use.name, error=use.no_gradient)
        ends = {use.name: found for use in self.uses if use.gradient and (found := reduction(use))}
        if len(set(ends.values())) > 1:
            told = enumerated(f"{name}: {found}" for name, found in ends.items())
            yield say("findings.reductions", told=told)
        if not self.gradients and not any(use.no_gradient for use in self.uses):
            yield say("findings.no_loss")
        if self.unmeasured:
            yield say("findings.unmeasured", error=self.unmeasured)

    def to_text(self, width: int | None = None) -> str:
        """Return every part under its title, in lines of at most so many columns where a width is given."""
        return "\n\n".join(f"{title}\n{table.text(width)}" for title, table in self.sections())

    def _repr_html_(self) -> str:
        # A heading would not fit the levels around it.
        return "".join(_titled(title, table).html() for title, table in self.sections())

    def to_markdown(self) -> str:
        """Return the report as Markdown for a bug report, with versions, in the language in use."""
        faults = "\n".join(line for problem in self.problems for line in _fault(problem))
        told = {say("findings.title.problems"): faults} if faults else {}
        parts = [f"### {title}\n\n{told.get(title) or _markdown(table)}" for title, table in self.sections()]
        return "\n\n".join([*parts, f"`{', '.join(_versions())}`"]) + "\n"

    def to_dict(self) -> dict[str, object]:
        """Return the evidence as plain data, the same in every language."""
        gradients = self.gradients
        return {
            "source": _plain(self.source),
            "programs": {use.name: _use(use) for use in self.uses},
            "gradients": gradients.to_dict() if gradients else None,
            "timings": None if self.timings is None else self.timings.to_dict(),
            "problems": [problem.to_dict() for problem in self.problems],
            "source_unchanged": self.unchanged,
            "source_was_written": self.guard.changed,
        }


def _read(read: Layout) -> tuple[str, ...]:
    elements = "?" if None in read.strides_elements else str(read.strides_elements)
    counts = (f"{read.logical_bytes:,}", _span(*read.touched_bytes_between), f"{read.storage_bytes:,}")
    return (f"{read.shape} {read.dtype}", str(read.strides_bytes), elements, *counts)


def _span(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}..{high:,}"


def _counted(number: int | None) -> str:
    return say("findings.not_tried") if number is None else f"{number:,}"


def _clipped(call: str) -> str:
    return call if len(call) <= MOST_CALL else f"{call[: MOST_CALL - 3]}..."


def _listed(lines: Sequence[str]) -> Table:
    return Table([(line,) for line in lines])


def _titled(title: str, table: Table) -> Table:
    return replace(table, caption="\n".join([title, table.caption]).strip())


def _markdown(table: Table) -> str:
    if not table.header:
        return "\n".join(f"- {_escaped(row[0])}" for row in table.rows)
    lines = [table.header, ["---"] * len(table.header), *table.rows]
    shown = [f"| {' | '.join(map(_escaped, line))} |" for line in lines]
    caption = [f"{_escaped(table.caption)}\n"] if table.caption else []
    return "\n".join([*caption, *shown, *(f"\n{_escaped(note)}" for note in table.notes)])


def _fault(problem: Fault) -> Iterator[str]:
    """Yield a fault as an item of a list, with its code as code."""
    named, *_ = problem.lines()
    yield f"- {_escaped(named)}"
    for code in problem.repairs:
        yield f"  - `{code}`"
    yield f"  - `{problem.lesson}`"


def _escaped(text: str) -> str:
    for sign in ("\\", "|", "*", "_", "<", "`", "["):
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")


def _versions() -> list[str]:
    import platform
    import sys

    import zerostride

    loaded = [sys.modules[name] for name in ("numpy", "torch") if name in sys.modules]
    return [
        f"Python {platform.python_version()}",
        f"zerostride {zerostride.__version__}",
        *(f"{module.__name__} {module.__version__}" for module in loaded),
    ]


def _use(use: Use) -> dict[str, object]:
    return {
        "error": use.plain.error,
        "warnings": use.plain.warned,
        "wrote_its_argument": use.plain.wrote_source,
        "leads_back": use.leads_back,
        "no_gradient": use.no_gradient,
        "sampled": list(use.sampled),
        "steps": [_step(step) for step in use.seen.steps],
        "results": {name: _result(use, name, x) for name, x in use.plain.results.items()},
    }


def _step(step: Step) -> dict[str, object]:
    return {"call": step.call, "outputs": [_plain(each) for each in step.after]}


def _result(use: Use, name: str, x: Any) -> dict[str, object]:
    probe = use.probes.get(name, Probe())
    return {
        "layout": _plain(layout(x)),
        "against_source": compare(x, use.plain.source).to_dict(),
        "writable": writable(x).to_dict(),
        "leaf": bool(x.is_leaf) if is_tensor(x) else None,
        "write_probe": {key: getattr(probe, key) for key in Probe.__dataclass_fields__},
    }


def _plain(read: Layout) -> dict[str, object]:
    told = read.to_dict()
    del told["notes"]  # words, in the language in use
    return told
