"""The answer to "may I write": a verdict, who else changes, and the safe line."""

from dataclasses import dataclass

from zerostride.language import enumerated, say
from zerostride.reports import Report, Table
from zerostride.writes.atlases import happens
from zerostride.writes.likeness import Index
from zerostride.writes.rows import Row


@dataclass(frozen=True, repr=False)
class WriteAnswer(Report):
    """What a statement would do to an array.

    Attributes
    ----------
    row : Row
        The verdict, in the atlas's form.
    also_changes : tuple of index
        Elements that the statement does not name and that change with it.
    left_out : int or None
        How many more there are; None where they were not counted.
    notes : tuple of str
        Names of what else should be known.
    """

    row: Row
    also_changes: tuple[Index, ...] = ()
    left_out: int | None = 0
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """One of ``zs.writes.OUTCOMES``."""
        return self.row.outcome

    @property
    def error(self) -> str:
        """Class of the error, where it raises."""
        return self.row.error

    @property
    def warning(self) -> str:
        """Class of the warning, where it warns."""
        return self.row.warning

    @property
    def instead(self) -> str:
        """The safe line to write instead; empty where the statement is safe, or where there is none."""
        return self.row.instead

    @property
    def words(self) -> str:
        """What happens, in the language in use."""
        return happens(self.row)

    def table(self) -> Table:
        """Return the answer as rows of words."""
        rows = [(say("writes.ask.statement"), self.row.operation), (say("writes.column.outcome"), self.words)]
        if self.outcome in ("together", "differs", "warns", "safe"):
            rows.append((say("writes.ask.also"), self._others()))
        if self.instead:
            rows.append((say("writes.column.instead"), self.instead))
        return Table(rows, notes=[say(f"writes.note.{name}") for name in self.notes])

    def _others(self) -> str:
        if self.left_out is None:
            return say("writes.ask.not_counted")
        if not self.also_changes:
            return say("writes.ask.nobody")
        listed = enumerated(self.also_changes)
        return say("writes.ask.and_more", listed=listed, count=self.left_out) if self.left_out else listed

    def to_dict(self) -> dict[str, object]:
        """Return the answer as plain data."""
        names = ("outcome", "error", "warning", "then", "volatile", "instead", "reason")
        told: dict[str, object] = {name: getattr(self.row, name) for name in names}
        others = {"also_changes": self.also_changes, "left_out": self.left_out, "notes": self.notes}
        return {"statement": self.row.operation} | told | others
