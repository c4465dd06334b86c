"""The lessons: where they are, and their cells with the tags and the outputs stored in them."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from zerostride.language import LANGUAGES, enumerated, say

_LESSON = re.compile(r"\d\d_[a-z0-9_]+\.ipynb")
_ASKED = re.compile(r'zs\.(?P<kind>predict|your_turn)\("(?P<exercise>[a-z0-9-]+)"')


def lessons_folder() -> Path:
    """Return the folder that holds ``en`` and ``zh``: the package's own, else the checkout's.

    Raises
    ------
    LookupError
        If there are no lessons in either place.
    """
    package = Path(__file__).parent
    for folder in (package / "notebooks", package.parents[1] / "notebooks"):
        if all((folder / language).is_dir() for language in LANGUAGES):
            return folder
    raise LookupError(say("cli.no_lessons", folder=package / "notebooks"))


def lessons(language: str) -> list[Path]:
    """Return the complete lessons in one language, in their order.

    Examples
    --------
    >>> lessons("zh")[0].name
    '00_start_here.ipynb'
    """
    folder = lessons_folder() / language
    found = sorted(path for path in folder.iterdir() if _LESSON.fullmatch(path.name))
    if not found:
        raise LookupError(say("cli.no_lessons", folder=folder))
    return found


@dataclass(frozen=True)
class Cell:
    """One cell of a lesson.

    Attributes
    ----------
    id : str
        Written by hand, the same in every language.
    kind : {"markdown", "code"}
        What the cell holds.
    source : str
        Its text.
    tags : frozenset of str
        Among slide, answer, extra, torch, instructor.
    outputs : tuple of dict
        One mime bundle an output, as stored; streams and errors are none.
    """

    id: str
    kind: str
    source: str
    tags: frozenset[str]
    outputs: tuple[dict[str, str], ...]

    @property
    def predicts(self) -> str | None:
        """The exercise that the cell asks before something runs."""
        return self._exercise("predict")

    @property
    def judges(self) -> str | None:
        """The exercise whose answer the cell judges."""
        return self._exercise("your_turn")

    def _exercise(self, kind: str) -> str | None:
        asked = _ASKED.search(self.source) if self.kind == "code" else None
        return asked["exercise"] if asked and asked["kind"] == kind else None


@dataclass(frozen=True)
class Lesson:
    """One lesson in one language.

    Attributes
    ----------
    name : str
        The file's name without its end, ``01_four_rows_three_numbers``.
    language : {"en", "zh"}
        The language of its prose.
    notebook : dict
        The complete edition, as ``json.load`` reads it; not to be changed.
    """

    name: str
    language: str
    notebook: dict[str, Any]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells in their order."""
        return tuple(_cell(cell) for cell in self.notebook["cells"])

    @property
    def core(self) -> tuple[Cell, ...]:
        """The cells that every learner goes through, without those for the teacher."""
        return tuple(cell for cell in self.cells if not cell.tags & {"extra", "instructor"})

    @property
    def title(self) -> str:
        """The first heading, as Markdown."""
        first = self.cells[0].source.lstrip().splitlines()[0]
        return first.removeprefix("# ")


def read_lessons(language: str, wanted: Sequence[str] = ()) -> tuple[Lesson, ...]:
    """Return the lessons of one language in their order.

    Parameters
    ----------
    language : {"en", "zh"}
        Which notebooks are read.
    wanted : sequence of str
        Names or numbers, ``"01"`` or ``"01_four_rows_three_numbers"``; all lessons where it is empty.

    Raises
    ------
    LookupError
        If there is no lesson of such a name.
    ValueError
        If a notebook cannot be read.

    Examples
    --------
    >>> [lesson.title for lesson in read_lessons("en", ["01"])]
    ['1 · Four rows: how many numbers are stored?']
    """
    there = {path.stem: path for path in lessons(language)}
    numbers = {name[:2]: name for name in there}
    names = [numbers.get(name and name.zfill(2), name) for name in wanted] or list(there)
    unknown = [name for name in names if name not in there]
    if unknown:
        raise LookupError(say("publish.no_lesson", lesson=unknown[0], known=enumerated(there)))
    return tuple(_read(there[name], language) for name in sorted(set(names)))


def _read(path: Path, language: str) -> Lesson:
    try:
        lesson = Lesson(path.stem, language, json.loads(path.read_text("utf-8")))
        if lesson.title:
            return lesson
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(say("publish.not_a_lesson", path=path)) from error
    raise ValueError(say("publish.not_a_lesson", path=path))


def source(cell: dict[str, Any]) -> str:
    """Return the text of a notebook's cell, which may be kept as a list of lines."""
    return str(_text(cell["source"]))


def tags(cell: dict[str, Any]) -> list[str]:
    """Return the tags of a notebook's cell."""
    return list(cell["metadata"].get("tags", ()))


def _cell(cell: dict[str, Any]) -> Cell:
    bundles = (output["data"] for output in cell.get("outputs", ()) if "data" in output)
    outputs = tuple({kind: _text(value) for kind, value in bundle.items()} for bundle in bundles)
    return Cell(cell["id"], cell["cell_type"], source(cell), frozenset(tags(cell)), outputs)


def _text(value: Any) -> Any:
    return "".join(value) if isinstance(value, list) else value
