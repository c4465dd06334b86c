"""The recorded atlas: every row and the versions that it was found with."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

from zerostride.expansion import LIBRARIES
from zerostride.writes.rows import Row

FILE = Path(str(files("zerostride"))) / "writes" / "recorded.json"


@cache
def installed(library: str) -> str:
    """Return the version that decides: NumPy's without its last part, torch's without its build; or "".

    Examples
    --------
    >>> installed("numpy").count(".")
    1
    """
    try:
        number = version(library).partition("+")[0]
    except PackageNotFoundError:
        return ""
    return number.rpartition(".")[0] if library == "numpy" else number


@cache
def recorded() -> tuple[dict[str, str], tuple[Row, ...]]:
    """Return the versions and the rows on record.

    Examples
    --------
    >>> recorded()[0]
    {'numpy': '2.4', 'torch': '2.13.0'}
    """
    data = json.loads(FILE.read_text("utf-8"))
    names = [field.name for field in fields(Row)]
    rows = (dict(zip(data["columns"], values, strict=False)) for values in data["rows"])
    return data["versions"], tuple(Row(**{name: row[name] for name in names if name in row}) for row in rows)


def on_record(library: str) -> bool:
    """Return whether the record is of what is installed; what torch hands to NumPy depends on both.

    Examples
    --------
    >>> on_record("torch") <= on_record("numpy")
    True
    """
    needed = LIBRARIES if library == "torch" else (library,)
    return all(installed(each) == recorded()[0][each] for each in needed)


def as_recorded(rows: Iterable[Row]) -> str:
    """Return rows as the text of the file, one a line; trailing empty values are left out."""
    columns = json.dumps([field.name for field in fields(Row)])
    versions = json.dumps({library: installed(library) for library in LIBRARIES})
    lines = ",\n".join(json.dumps(_short(row)) for row in rows)
    return f'{{"versions": {versions},\n"columns": {columns},\n"rows": [\n{lines}\n]}}\n'


def _short(row: Row) -> list[object]:
    values: list[object] = list(astuple(row))
    defaults = [field.default for field in fields(Row)]
    while values[-1] == defaults[len(values) - 1]:
        values.pop()
    return values


def differences(old: Sequence[Row], new: Sequence[Row]) -> list[tuple[Row | None, Row | None]]:
    """Return what is not alike in two atlases: pairs of rows, None where one has no such row.

    Examples
    --------
    >>> differences(recorded()[1], recorded()[1])
    []
    """
    before, after = ({_key(row): row for row in rows} for rows in (old, new))
    pairs = [(before.get(key), after.get(key)) for key in {**before, **after}]
    return [(one, other) for one, other in pairs if one != other]


def _key(row: Row) -> tuple[str, ...]:
    return row.library, row.family, row.operation, row.target, row.kind
