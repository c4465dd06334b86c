"""Reports on a slide: the first table, narrow enough; the template cuts it to the room there is."""

from dataclasses import replace

from zerostride.publish.paper.markup import literal, table_markup
from zerostride.publish.stored import StoredTable, stored_tables
from zerostride.reports import display_width

_LINE, _MANY = 78, 5


def report(html: str) -> tuple[str, int]:
    """Return a stored report as Typst's markup that depends on ``kept``, and how many lines it may keep."""
    first, *others = stored_tables(html)
    table = narrowed(first)
    notes = [note for note in table.notes if display_width(note) <= _LINE]
    more = bool(others) or notes != table.notes
    shown = table_markup(replace(table, notes=notes)).removeprefix("#ruled(")
    return f"shortened(kept, {literal(more)}, {shown}", len(table.rows) + len(notes)


def narrowed(table: StoredTable) -> StoredTable:
    """Return a table of many columns and few rows with its columns as rows; any other as it is.

    Examples
    --------
    >>> narrowed(StoredTable(header=list("abcdef"), rows=[list("123456")])).rows[:2]
    [['b', '2'], ['c', '3']]
    """
    if len(table.header) <= max(_MANY, len(table.rows)):
        return table
    header, *rows = (list(line) for line in zip(table.header, *table.rows, strict=True))
    return replace(table, header=header, rows=rows)
