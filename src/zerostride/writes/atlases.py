"""The atlas of writes: rows to look through, as text and as a table that filters without a kernel."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from itertools import groupby

from zerostride.expansion import LIBRARIES
from zerostride.handed_in import items_of, told
from zerostride.language import enumerated, say
from zerostride.reports import Report, Table, html_row
from zerostride.writes.children import probed
from zerostride.writes.recorded import differences, installed, on_record, recorded
from zerostride.writes.rows import OUTCOMES, Row
from zerostride.writes.targets import TARGETS

Wanted = str | Sequence[str] | None
# More than there are rows: every statement of an atlas can be asked for at once.
MOST_WORDS = 10_000


@dataclass(frozen=True, repr=False)
class Atlas(Report):
    """Verdicts on writes, and where they are from.

    Attributes
    ----------
    rows : tuple of Row
        One for each statement and each layout.
    origins : dict of str to str
        By library: ``"recorded"`` for the installed version, ``"probed"``
        here, or ``"absent"``: recorded, and not installed.
    unlike : tuple of (Row or None, Row or None)
        What was probed and is not as recorded: the recorded row and the one
        found, None where one has no such row.
    """

    rows: tuple[Row, ...]
    origins: dict[str, str] = field(default_factory=dict)
    unlike: tuple[tuple[Row | None, Row | None], ...] = ()

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def filter(
        self,
        *,
        outcome: Wanted = None,
        library: Wanted = None,
        target: Wanted = None,
        operation: Wanted = None,
    ) -> "Atlas":
        """Return the rows that fit all that is asked.

        Parameters
        ----------
        outcome, library, target : str or sequence of str, optional
            Names, any of which fits.
        operation : str or sequence of str, optional
            A part of the statement.

        Raises
        ------
        ValueError
            If there is no such outcome, library or layout.

        Examples
        --------
        >>> found = atlas().filter(library="torch", target="expanded", operation="y[0, 0] = 9")
        >>> [row.outcome for row in found if row.family == "assignment"]
        ['together']
        """
        outcomes = _known(outcome, OUTCOMES, "outcome")
        libraries = _known(library, LIBRARIES, "library")
        targets = _known(target, TARGETS, "target")
        parts = _several(operation) or ("",)
        rows = tuple(
            row
            for row in self.rows
            if row.outcome in outcomes
            and row.library in libraries
            and row.target in targets
            and any(part in row.operation for part in parts)
        )
        return replace(self, rows=rows)

    def only(self, words: Sequence[str]) -> "Atlas":
        """Return the rows that fit words of any kind: an outcome, a library, a layout, a part of a statement.

        Words of one kind are alternatives; words of several kinds must all fit.

        Raises
        ------
        LookupError
            If no row fits.

        Examples
        --------
        >>> {row.target for row in atlas().only(["warns", "numpy"])}
        {'warning'}
        """
        kinds = (("outcome", OUTCOMES), ("library", LIBRARIES), ("target", TARGETS))
        asked: dict[str, list[str]] = {}
        for word in _several(words):
            kind = next((name for name, known in kinds if word in known), "operation")
            asked.setdefault(kind, []).append(word)
        found = self.filter(**asked)
        if not found.rows:
            raise LookupError(say("writes.none_fits", words=enumerated(_several(words))))
        return found

    @property
    def notes(self) -> list[str]:
        """How many of each outcome there are, and where they are from."""
        counts = {name: sum(row.outcome == name for row in self.rows) for name in OUTCOMES}
        found = [
            say("writes.count", outcome=say(f"writes.outcome.{name}"), count=count)
            for name, count in counts.items()
            if count
        ]
        return [*found, *map(self._origin, self.origins)]

    def _origin(self, library: str) -> str:
        origin = self.origins[library]
        on_record = recorded()[0][library]
        version = on_record if origin == "absent" else installed(library)
        told = say(f"writes.origin.{origin}", library=library, version=version)
        if origin != "probed":
            return told
        count = sum(library in {row.library for row in pair if row} for pair in self.unlike)
        return say("writes.unlike_record", told=told, count=count, version=on_record)

    def table(self) -> Table:
        """Return one line for each statement and each thing that happens, and how many there are of each."""
        if not self.rows:
            return Table([(say("writes.nothing_found"),)])
        lines = [
            (rows[0].library, rows[0].operation, targets_of(rows), happens(rows[0]), rows[0].instead)
            for rows in _alike(self.rows)
        ]
        header = [
            say(f"writes.column.{name}") for name in ("library", "operation", "target", "outcome", "instead")
        ]
        return Table(lines, header, self.notes)

    @property
    def html(self) -> str:
        """The rows by outcome, each outcome to open and close; no script, so that any page shows it."""
        parts = []
        for name in OUTCOMES:
            chosen = [row for row in self.rows if row.outcome == name]
            if chosen:
                title = say("writes.count", outcome=say(f"writes.outcome.{name}"), count=len(chosen))
                summary = f"<summary><strong>{escape(title)}</strong></summary>"
                parts.append(f"<details>{summary}{_html_table(chosen)}</details>")
        if not parts:
            parts.append(f"<p>{escape(say('writes.nothing_found'))}</p>")
        return "".join(parts) + "".join(f"<p>{escape(line)}</p>" for line in map(self._origin, self.origins))

    def _repr_html_(self) -> str:
        return self.html

    def to_dict(self) -> dict[str, object]:
        """Return the rows as plain data, with the two lines that show each, and where they are from."""
        rows = [row.__dict__ | {"reproducer": row.reproducer} for row in self.rows]
        return {"origins": dict(self.origins), "rows": rows}


def atlas(libraries: Sequence[str] = LIBRARIES, *, fresh: bool = False) -> Atlas:
    """Return what each write does; nothing is written in this process.

    The rows come from the record where it is of the installed versions, else
    from a child process that tries every statement (some seconds), once.

    Parameters
    ----------
    libraries : sequence of {"numpy", "torch"}
        Which of them.
    fresh : bool, default False
        Try everything here even where there is a record.

    Returns
    -------
    Atlas
        One of ``rows`` for each operation and target, with its outcome.

    Raises
    ------
    ValueError
        If a library is not covered.

    Examples
    --------
    >>> len(atlas(["numpy"]).filter(outcome="unsafe"))
    2
    """
    asked = _known(libraries, LIBRARIES, "library")
    origins = {library: _origin_of(library, fresh) for library in asked}
    to_probe = [library for library, origin in origins.items() if origin == "probed"]
    again = _probed if fresh else _probed_once
    tried = [row for library in to_probe for row in again(library)]
    known = [row for row in recorded()[1] if row.library in asked]
    unlike = differences([row for row in known if row.library in to_probe], tried)
    rows = [*(row for row in known if row.library not in to_probe), *tried]
    return Atlas(tuple(sorted(rows, key=lambda row: LIBRARIES.index(row.library))), origins, tuple(unlike))


def _probed(library: str) -> list[Row]:
    return probed([library])


_probed_once = cache(_probed)


def autograd() -> Atlas:
    """Return what writes do where a derivative is recorded: into a view of a leaf, into what is saved.

    Returns
    -------
    Atlas
        One of ``rows`` for each operation and target, with its outcome.

    Examples
    --------
    >>> [row.outcome for row in autograd().filter(operation="y.data[0, 0] = 9; loss.backward()")]
    ['differs']
    """
    whole = atlas(["torch"])
    return replace(whole, rows=tuple(row for row in whole if row.family == "autograd"))


def happens(row: Row) -> str:
    """Return what happens, with the class of the error or the warning, in the language in use."""
    if row.outcome == "not_applicable":
        return say("writes.because", reason=say(f"writes.reason.{row.reason}"))
    told = say("writes.raises", error=row.error) if row.error else say(f"writes.outcome.{row.outcome}")
    if row.outcome == "warns":
        then = say(f"writes.outcome.{row.then}")
        told = say("writes.warns", warning=row.warning, then=then)
    elif row.then:
        told = say("writes.written_first", outcome=told)
    return say("writes.volatile", outcome=told) if row.volatile else told


def targets_of(rows: Sequence[Row]) -> str:
    """Return the layouts of some rows in words."""
    return enumerated(say(f"writes.target.{row.target}") for row in rows)


def _origin_of(library: str, fresh: bool) -> str:
    if not installed(library):
        return "absent"
    return "recorded" if on_record(library) and not fresh else "probed"


def _alike(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield rows that differ in the layout alone, together."""
    for _, of_one in groupby(rows, key=lambda row: (row.library, row.operation, row.kind)):
        by_outcome: dict[object, list[Row]] = {}
        for row in of_one:
            by_outcome.setdefault(replace(row, target="", family=""), []).append(row)
        yield from by_outcome.values()


def _html_table(rows: Sequence[Row]) -> str:
    shown = {name: say(f"writes.column.{name}") for name in ("reproducer", "target", "outcome", "instead")}
    words = _in_one_cell(shown["target"], shown["outcome"])
    head = html_row((shown["reproducer"], words, shown["instead"]), header=True)
    return f"<table><thead>{head}</thead><tbody>{''.join(map(_html_row, _alike(rows)))}</tbody></table>"


def _html_row(rows: Sequence[Row]) -> str:
    first = rows[0]
    lines = (first.reproducer or first.operation).splitlines()
    code, instead = (
        "<br>".join(f"<code>{escape(line)}</code>" for line in part if line)
        for part in (lines, [first.instead])
    )
    return html_row((code, _in_one_cell(escape(targets_of(rows)), escape(happens(first))), instead))


def _in_one_cell(target: str, outcome: str) -> str:
    # A narrow column would break Chinese after every sign.
    return f"{target}<br>{outcome}"


def _several(wanted: Wanted) -> tuple[str, ...]:
    words = [wanted] if wanted is None or isinstance(wanted, str) else items_of(wanted, MOST_WORDS)
    return tuple(told(word, str) for word in ([wanted] if words is None else words) if word is not None)


def _known(wanted: Wanted, known: Sequence[str], what: str) -> tuple[str, ...]:
    if wanted is None:
        return tuple(known)
    for name in _several(wanted):
        if name not in known:
            raise ValueError(say(f"writes.bad.{what}", name=name, known=enumerated(known)))
    return _several(wanted)
