r"""The cells of a lesson as Typst's markup, for every edition on paper.

``pieces(lesson, columns)`` turns each cell into a ``Piece``: what the cell is,
the markup of its text or code, that of its outputs, and the pictures these
name. An edition picks pieces, puts ``opening(...)`` in front and hands all of
it to ``document``, which adds the template ``paper.typ`` and typesets::

    chosen = [piece for piece in pieces(lesson, 57) if "slide" in piece.cell.tags]
    body = "\n\n".join(piece.source + "\n\n" + piece.output for piece in chosen)
    pdf = document(opening(title=lesson.title, size="a4") + body, pictures_of(chosen))

The template has the functions that the markup calls (``code``, ``result``,
``ruled``, ``check``, ``picture``, ``predict``, ``asks``, ``room``, ``formula``); what is wider than its
column is an error. An edition with a page of its own uses ``#show: paper.with(...)``
through ``opening`` and sets what it wants to differ after it.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from zerostride.course import Cell, Lesson
from zerostride.language import say, speaking
from zerostride.learner import without_answers
from zerostride.publish.paper.code_lines import fitted
from zerostride.publish.paper.typesetting import TOO_MANY, TypesettingError, typeset
from zerostride.publish.prose import converted
from zerostride.publish.stored import (
    StoredPicture,
    StoredTable,
    is_explorer,
    stored_picture,
    stored_tables,
)
from zerostride.quiz.exercises import CONFIDENCE, Exercise, exercise, in_words

_LESSON_LINK = re.compile(r'#link\("(\d\d)_[a-z0-9_]+\.ipynb"\)\[')
_OTHER_LESSON = re.compile(r'#link\("\.\./[a-z]+/\w+\.ipynb"\)')
_FORMULA = re.compile(r"(?<!\\)\$([^$]+)\$")
_NUMBER = re.compile(r"[-−]?[\d,.]+(?:e[-+]?\d+)?(?: ?(?:B|KiB|MiB|GiB))?|")
_TEMPLATES = ("paper.typ", "book.typ", "poster.typ")


@dataclass(frozen=True)
class Piece:
    """One cell on paper.

    Attributes
    ----------
    cell : Cell
        Where it comes from.
    kind : {"prose", "setup", "predict", "answer", "judge", "check", "explorer", "picture", "code"}
        What it is for. An ``explorer`` has the picture stored for it; ``picture`` is any other
        cell that draws.
    source : str
        Markup of its text or code; of a ``predict``, question and boxes; of an ``answer``, room to write.
    output : str
        Markup of what it gave back; of a ``check``, one line; of a ``judge``, why the answer is right.
    answer : str
        Markup of an ``answer``'s code, and nothing for other kinds.
    pictures : dict of str to bytes
        Files that the markup names.
    """

    cell: Cell
    kind: str
    source: str
    output: str = ""
    answer: str = ""
    pictures: dict[str, bytes] = field(default_factory=dict)


def pieces(lesson: Lesson, columns: int) -> tuple[Piece, ...]:
    """Return every cell of a lesson as markup, in the lesson's language.

    Raises
    ------
    ValueError
        If a line of code cannot be broken so.

    Examples
    --------
    >>> from zerostride.course import read_lessons
    >>> [lesson] = read_lessons("en", ["01"])
    >>> [piece.source for piece in pieces(lesson, 57) if piece.cell.id == "run-ordinary-strides"]
    ['#code("tiled.strides")']
    """
    texts = {cell.id: cell.source for cell in lesson.cells if cell.kind == "markdown"}
    prose = {name: linked(text) for name, text in converted(texts, "typst").items()}
    after = (*lesson.cells[1:], None)
    with speaking(lesson.language):
        return tuple(
            Piece(cell, "prose", _text(prose[cell.id], following))
            if cell.kind == "markdown"
            else _of_code(lesson, cell, columns)
            for cell, following in zip(lesson.cells, after, strict=True)
        )


def on_paper(piece: Piece, *, inline: bool) -> str:
    """Return the markup of a piece; where answers stand elsewhere, a question without its answer."""
    if piece.kind == "judge":
        return piece.output if inline else ""
    if piece.kind == "answer":
        return piece.answer if inline else piece.source
    return f"{piece.source}\n\n{piece.output}"


def opening(**parameters: object) -> str:
    """Return the first lines of a document in the language in use.

    Parameters
    ----------
    **parameters
        Those of ``paper`` in the template, with ``_`` for ``-``.

    Examples
    --------
    >>> print(opening(title="Rows", columns=2))
    #import "paper.typ": *
    #show: paper.with(
      title: "Rows",
      columns: 2,
      words: (picture: "Picture", see: "See picture %n."),
    )
    <BLANKLINE>
    """
    words = {"picture": say("publish.picture"), "see": say("publish.see_picture", number="%n")}
    known = {**parameters, "words": words}
    given = "".join(f"\n  {name.replace('_', '-')}: {literal(value)}," for name, value in known.items())
    return f'#import "paper.typ": *\n#show: paper.with({given}\n)\n'


def document(markup: str, pictures: Mapping[str, bytes] | None = None) -> bytes:
    """Return the PDF of a markup that begins with ``opening``; it keeps to PDF/UA-1."""
    folder = files("zerostride.publish.paper")
    templates = {name: folder.joinpath(name).read_bytes() for name in _TEMPLATES}
    return typeset(markup, {**templates, **(pictures or {})}, accessible=True)


def first_that_fits(openings: Iterable[str], body: str, pictures: Mapping[str, bytes]) -> bytes:
    """Return the PDF with the first opening under which a body has no more pages than it may.

    Raises
    ------
    TypesettingError
        If it has more under each of them.
    """
    refused: TypesettingError | None = None
    for first in openings:
        try:
            return document(first + body, pictures)
        except TypesettingError as error:
            if TOO_MANY not in str(error):
                raise
            refused = error
    raise refused or ValueError(openings)


def pictures_of(chosen: Iterable[Piece]) -> dict[str, bytes]:
    """Return the files that pieces name."""
    return {name: content for piece in chosen for name, content in piece.pictures.items()}


def first_picture(lessons: Iterable[Lesson]) -> tuple[str, dict[str, bytes]]:
    """Return the markup of the first picture in lessons, and the file that it names."""
    for output in (output for lesson in lessons for cell in lesson.core for output in cell.outputs):
        if drawn := stored_picture(output):
            return _drawn("first.svg", drawn), {"first.svg": drawn.svg.encode()}
    return "", {}


class Length(str):
    """Something that stands in the markup as it is: a length, a name."""


def literal(value: object) -> str:
    """Return a value as Typst writes it.

    Examples
    --------
    >>> literal(["a", ("b", 1)]), literal(Length("2cm"))
    ('("a", ("b", 1,),)', '2cm')
    """
    match value:
        case Length():
            return str(value)
        case str():
            return json.dumps(value, ensure_ascii=False)
        case bool():
            return str(value).lower()
        case None:
            return "none"
        case list() | tuple():
            return "(" + "".join(f"{literal(item)}, " for item in value).rstrip(" ") + ")"
        case dict():
            return "(" + ", ".join(f"{name}: {literal(item)}" for name, item in value.items()) + ")"
    return str(value)


def question(asked: Exercise) -> str:
    """Return a prediction to be made on paper: question, lettered choices to tick, and how sure."""
    choices = [(letter, in_words(choice.text)) for letter, choice in asked.lettered.items()]
    levels = [say(f"quiz.sure.{level}") for level in CONFIDENCE]
    said = (say("publish.predict"), in_words(asked.question), choices, say("quiz.how_sure"), levels)
    return f"#predict({', '.join(map(literal, said))})"


def _text(prose: str, following: Cell | None) -> str:
    """Return a text as the template sets it: a question stays with the room below it."""
    if following is None or "answer" not in following.tags:
        return f"#prose[\n{prose}\n]"
    heading, _, rest = prose.partition("\n") if prose.startswith("=") else ("", "", prose)
    return f"{heading}\n\n#asks[\n{rest}\n]".lstrip()


def _of_code(lesson: Lesson, cell: Cell, columns: int) -> Piece:
    if cell.predicts:
        return Piece(cell, "predict", question(exercise(cell.predicts, "predict")))
    if cell.judges:
        return Piece(cell, "judge", "", _why(cell))
    code = f"#code({literal(fitted(cell.source, columns))})"
    if "answer" in cell.tags:
        return Piece(cell, "answer", _room(cell, columns), answer=code)
    outputs, pictures = [], {}
    for number, output in enumerate(cell.outputs):
        name = f"{lesson.name[:2]}-{cell.id}-{number}.svg"
        if drawn := stored_picture(output):
            pictures[name] = drawn.svg.encode()
            outputs.append(_drawn(name, drawn))
        else:
            outputs.append(_shown(output))
    return Piece(cell, _kind(cell, pictures), code, "\n\n".join(outputs), pictures=pictures)


def _drawn(name: str, picture: StoredPicture) -> str:
    key = f", key: {literal(picture.key)}" if picture.key else ""
    return f"#picture({literal(name)}, {literal(picture.alt)}, {picture.width}pt{key})"


def _why(cell: Cell) -> str:
    """Return why the stored answer is right: the words of the judge that saw it."""
    [table] = stored_tables(cell.outputs[0]["text/html"])
    return f"#why({literal(dict(table.rows)[say('quiz.why')])})"


def _kind(cell: Cell, pictures: Mapping[str, bytes]) -> str:
    if cell.id == "setup":
        return "setup"
    if cell.source.startswith("zs.checks.") and cell.outputs and _one_check(cell.outputs[0]):
        return "check"
    if pictures:
        return "explorer" if any(map(is_explorer, cell.outputs)) else "picture"
    return "code"


def _one_check(output: Mapping[str, str]) -> list[str] | None:
    tables = stored_tables(output["text/html"]) if "text/html" in output else []
    [row, *others] = tables[0].rows if tables else [[]]
    return row if len(tables) == 1 and len(row) == 5 and not others else None


def _shown(output: Mapping[str, str]) -> str:
    if row := _one_check(output):
        _, claim, suite, status, evidence = row
        passed = literal(status == say("report.passed"))
        return f"#check({', '.join(map(literal, (claim, suite, evidence)))}, passed: {passed})"
    if "text/html" in output:
        return "\n\n".join(map(table_markup, stored_tables(output["text/html"])))
    return f"#result({literal(output['text/plain'])})"


def table_markup(table: StoredTable) -> str:
    """Return a table of words, its columns of numbers aligned to the right."""
    columns = zip(*table.rows, strict=True)
    numeric = [all(map(_NUMBER.fullmatch, column)) and any(column) for column in columns]
    parts = {
        "header": table.header,
        "rows": table.rows,
        "caption": table.caption or None,
        "notes": table.notes,
        "aligned": [Length("right" if number else "left") for number in numeric],
    }
    return "#ruled(" + ", ".join(f"{name}: {literal(value)}" for name, value in parts.items()) + ")"


def _room(cell: Cell, columns: int) -> str:
    hollow = without_answers(cell.source, cell.id)
    begun = re.sub(r"(?m)^( *)\.\.\.$|(?<= =) \.\.\.$", "", hollow).rstrip("\n")
    lines = cell.source.count("\n") + 1 if begun.startswith("def ") else 0
    if any(len(line) > columns for line in begun.splitlines()):
        raise ValueError(say("publish.long_line", line=begun, columns=columns))
    return f"#room({literal(begun)}, {lines})"


def linked(text: str) -> str:
    """Return prose whose tables and formulas are the template's; links to lessons stay in the document."""
    text = _OTHER_LESSON.sub("#box", _LESSON_LINK.sub(r'#lesson-link("\1")[', text))
    text = text.replace("#table(", "#prose-table(")
    return _FORMULA.sub(lambda found: f"#formula({literal(found[1].strip())}, {found[0]})", text)
