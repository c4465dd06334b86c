"""One write, measured: run on private copies, and every value compared before and after."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerostride.draw.private_copies import array_copies, tensor_copies
from zerostride.draw.values import exact, plain
from zerostride.language import enumerated, say
from zerostride.layouts import Layout, is_tensor, layout
from zerostride.reports import Report, Table
from zerostride.sharing import storages

MOST_NAMES, MOST_SIZE, MOST_LETTERS = 6, 8, 200
MOST_STORAGE_BYTES = 2**26
MOST_LISTED = 8

Rows = tuple[tuple[object, ...], ...]
Cell = tuple[int, int]


@dataclass(frozen=True, repr=False)
class Write(Report):
    """What one statement changed, under every name.

    Attributes
    ----------
    code : str
        What was run.
    target : str
        The name that was written to.
    library : {"numpy", "torch"}
        Whose arrays.
    asked : frozenset of (int, int)
        The elements that the statement names, by row and column.
    before, after : dict of str to tuple of rows
        Every value by name, before and after.
    storages : tuple of (tuple of str, int)
        Names that live in one storage, and its bytes.
    error : str
        Class and first sentence of what was raised; empty where the statement ran.
    """

    code: str
    target: str
    library: str
    asked: frozenset[Cell]
    before: dict[str, Rows]
    after: dict[str, Rows]
    storages: tuple[tuple[tuple[str, ...], int], ...]
    error: str = ""

    @property
    def changed(self) -> dict[str, tuple[Cell, ...]]:
        """Rows and columns of the elements whose value is another one, by name."""
        return {name: tuple(_unlike(self.before[name], self.after[name])) for name in self.before}

    @property
    def outcome(self) -> str:
        """``raises``, ``together`` where more changed than was named, or ``safe``."""
        if self.error:
            return "raises"
        beyond = {(name, cell) for name, cells in self.changed.items() for cell in cells}
        return "together" if beyond - {(self.target, cell) for cell in self.asked} else "safe"

    def table(self) -> Table:
        """Return one row per name: how many elements changed, and which."""
        header = tuple(say(f"written.{column}") for column in ("name", "changed", "which"))
        rows = [
            (name, say("written.of", count=len(cells), size=_size(self.before[name])), _listed(cells))
            for name, cells in self.changed.items()
        ]
        return Table(rows, header, caption=say("written.caption", code=self.code, verdict=self.verdict))

    @property
    def verdict(self) -> str:
        """The outcome in the language in use."""
        if self.error:
            return say("written.refused", error=self.error)
        return say(f"written.outcome.{self.outcome}")

    def alternative(self) -> str:
        """Return what the picture shows as sentences, in the language in use."""
        groups = [say("written.alt_storage", names=enumerated(names)) for names, _ in self.storages]
        told = [
            say("written.alt_changed", name=name, count=len(cells), size=_size(rows), which=_listed(cells))
            if (cells := self.changed[name])
            else say("written.alt_same", name=name)
            for name, rows in self.before.items()
        ]
        first = say("written.alt_code", code=self.code, verdict=self.verdict)
        return say("draw.alt_space").join([first, *told, *groups])

    def to_dict(self) -> dict[str, object]:
        """Return what was run, its outcome, and what changed by name."""
        changed = {name: [list(cell) for cell in cells] for name, cells in self.changed.items()}
        names = ("code", "library", "outcome", "error")
        return {name: getattr(self, name) for name in names} | {"changed": changed}


def _unlike(before: Rows, after: Rows) -> Iterator[Cell]:
    for i, (old, new) in enumerate(zip(before, after, strict=True)):
        for j, (one, other) in enumerate(zip(old, new, strict=True)):
            # Exact words, not ==: a NaN that stays is no change.
            if exact(one) != exact(other):
                yield i, j


def _size(rows: Rows) -> int:
    return len(rows) * len(rows[0])


def _listed(cells: tuple[Cell, ...]) -> str:
    more = [say("written.more", count=len(cells) - MOST_LISTED)] if len(cells) > MOST_LISTED else []
    return enumerated([*map(str, cells[:MOST_LISTED]), *more]) if cells else say("written.none")


def measured_write(statement: str, **named: Any) -> Write:
    """Return what one write changes under every name; your own arrays stay as they are.

    The statement is read, not evaluated: a name, an index of whole numbers and
    slices, and a number. It runs on private copies that share storage among
    themselves as yours do.

    Parameters
    ----------
    statement : str
        As ``"view[0, 1] = 9"``.
    **named : numpy.ndarray or torch.Tensor
        All of one library; at most two axes and 8 by 8 elements each. Tensors are detached.

    Returns
    -------
    Write
        Every array before and after; for ``zs.draw.write_propagation``.

    Raises
    ------
    ValueError
        If the statement is no such write, or an array is too large to show.
    TypeError
        If something handed in has no values to read, or libraries are mixed.

    Examples
    --------
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> view, tiled = np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))
    >>> measured_write("source[0, 1] = 9", source=source, view=view, tiled=tiled)
    source[0, 1] = 9: runs, and changes more than it names
    name    changed  which
    ------  -------  ------------------------------
    source  1 of 3   (0, 1)
    view    4 of 12  (0, 1), (1, 1), (2, 1), (3, 1)
    tiled   0 of 12  none
    >>> measured_write("view[0, 1] = 9", source=source, view=view).error
    'ValueError: assignment destination is read-only'
    """
    target, index, value = _read(statement, named)
    library = _one_library(named)
    groups = tuple((group.names, group.storage_bytes) for group in storages(**named).groups)
    copies = tensor_copies(named) if library == "torch" else array_copies(named)
    before = {name: _rows(x) for name, x in copies.items()}
    error = ""
    try:
        copies[target][index] = value
    except Exception as raised:  # whatever the library says is the answer
        error = f"{type(raised).__name__}: {_first_sentence(str(raised))}"
    after = {name: _rows(x) for name, x in copies.items()}
    asked = _asked(before[target], copies[target].ndim, index)
    return Write(statement.strip(), target, library, asked, before, after, groups, error)


def _read(statement: object, named: Mapping[str, Any]) -> tuple[str, Any, Any]:
    """Return name, index and value of a write, read and never evaluated."""
    if isinstance(statement, str) and len(statement) <= MOST_LETTERS:
        try:
            match ast.parse(statement.strip()).body:
                case [ast.Assign(targets=[ast.Subscript(ast.Name(name), where)], value=value)] if (
                    name in named
                ):
                    number = ast.literal_eval(value)
                    if isinstance(number, int | float | complex):
                        return name, _index(where), number
        except (SyntaxError, ValueError, TypeError):
            pass
    raise ValueError(say("written.error.statement", statement=statement, names=enumerated(named)))


def _index(node: ast.expr) -> Any:
    if isinstance(node, ast.Tuple):
        return tuple(map(_index, node.elts))
    if isinstance(node, ast.Slice):
        ends = (node.lower, node.upper, node.step)
        return slice(*(None if end is None else _index(end) for end in ends))
    number = ast.literal_eval(node)
    if number is not ... and (not isinstance(number, int) or isinstance(number, bool)):
        raise ValueError(number)
    return number


def _one_library(named: Mapping[str, Any]) -> str:
    if len(named) > MOST_NAMES:
        raise ValueError(say("draw.too_many_names", most=MOST_NAMES, names=len(named)))
    libraries = set()
    for name, x in named.items():
        seen = layout(x)
        if isinstance(x, Layout) or (is_tensor(x) and x.is_meta) or seen.dtype == "object":
            raise TypeError(say("written.error.values", name=name))
        if seen.ndim > 2 or seen.size == 0 or max(seen.shape, default=1) > MOST_SIZE:
            raise ValueError(say("written.error.shape", name=name, shape=seen.shape, most=MOST_SIZE))
        if seen.storage_bytes > MOST_STORAGE_BYTES:
            raise ValueError(say("written.error.storage", name=name, most=MOST_STORAGE_BYTES >> 20))
        libraries.add("torch" if is_tensor(x) else "numpy")
    if len(libraries) > 1:
        raise TypeError(say("written.error.mixed"))
    return libraries.pop()


def _rows(x: Any) -> Rows:
    shape = (1,) * (2 - x.ndim) + tuple(x.shape)
    return tuple(tuple(plain(x[(i, j)[2 - x.ndim :]]) for j in range(shape[1])) for i in range(shape[0]))


def _first_sentence(words: str) -> str:
    return words.partition("\n")[0].partition(". ")[0].rstrip(".")


def _asked(rows: Rows, ndim: int, index: Any) -> frozenset[Cell]:
    """Return rows and columns that an index names; none where it names nothing there."""
    mask = np.zeros((len(rows), len(rows[0]))[2 - ndim :], bool)
    try:
        mask[index] = True
    except IndexError:
        return frozenset()
    found = np.argwhere(mask.reshape(len(rows), len(rows[0]))).tolist()
    return frozenset((i, j) for i, j in found)
