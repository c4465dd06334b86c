"""The learner edition, its outputs cleared and answers emptied to "your turn", and a learner's copy of it."""

import ast
import json
from pathlib import Path
from typing import Any

from zerostride.course import read_lessons, source, tags
from zerostride.language import LANGUAGES, say, speaking
from zerostride.placing import Placed, place

_KEPT_ABOUT_THE_NOTEBOOK = ("kernelspec", "language_info")
_RECORD = ".zerostride/course.json"


def copy_course(directory: Path) -> Placed:
    """Copy the learner edition into ``en`` and ``zh`` of a folder; return what was done.

    A file that differs from what was once written here belongs to the learner and is never touched.

    Raises
    ------
    LookupError, ValueError
        If the lessons are missing or cannot be read.
    OSError
        If the folder cannot be written.
    """
    for language in LANGUAGES:
        (directory / language).mkdir(parents=True, exist_ok=True)
    editions = {
        f"{language}/{lesson.name}.ipynb": as_file(learner_edition(lesson.notebook, language))
        for language in LANGUAGES
        for lesson in read_lessons(language)
    }
    return place(directory, editions, _RECORD)


def learner_edition(notebook: dict[str, Any], language: str) -> dict[str, Any]:
    """Return a notebook without outputs and answers; the one handed in stays as it is.

    Parameters
    ----------
    notebook : dict
        The complete edition, as ``json.load`` reads an ``.ipynb`` file.
    language : {"en", "zh"}
        The language that an emptied Markdown answer speaks.

    Returns
    -------
    dict
        Cells in the same order with the same ids; those tagged ``instructor`` are gone.

    Raises
    ------
    ValueError
        If a code cell tagged ``answer`` holds more than assignments to names and functions.

    Examples
    --------
    >>> answer = {"cell_type": "code", "id": "a", "metadata": {"tags": ["answer"]}, "source": "n = 96"}
    >>> learner_edition({"cells": [answer], "metadata": {}}, "en")["cells"][0]["source"]
    ['n = ...']
    """
    cells = [_emptied(cell, language) for cell in notebook["cells"] if "instructor" not in tags(cell)]
    about = {
        key: notebook["metadata"][key] for key in _KEPT_ABOUT_THE_NOTEBOOK if key in notebook["metadata"]
    }
    return notebook | {"cells": cells, "metadata": about}


def as_file(notebook: dict[str, Any]) -> bytes:
    """Return a notebook as it is written to disk."""
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def _emptied(cell: dict[str, Any], language: str) -> dict[str, Any]:
    # Only tags survive: any other metadata may describe, fold or hash an answer.
    left = cell | {"metadata": {"tags": tags(cell)} if tags(cell) else {}}
    if cell["cell_type"] == "code":
        left |= {"outputs": [], "execution_count": None}
    if "answer" in tags(cell):
        left["source"] = _your_turn(cell, language).splitlines(keepends=True)
        left.pop("attachments", None)
    return left


def _your_turn(cell: dict[str, Any], language: str) -> str:
    if cell["cell_type"] == "code":
        return without_answers(source(cell), cell.get("id", "?"))
    with speaking(language):
        return say("cli.your_turn") if cell["cell_type"] == "markdown" else ""


def without_answers(source: str, cell_id: str = "?") -> str:
    """Return the names of an answer with nothing behind them.

    Parameters
    ----------
    source : str
        Top-level assignments ``name = value`` and function definitions, nothing else.
    cell_id : str
        What an error calls the cell.

    Raises
    ------
    ValueError
        If there is anything else in the cell.

    Examples
    --------
    >>> print(without_answers("total = 4 * 3 * 8"))
    total = ...
    """
    return "\n".join(_hollow(node, cell_id) for node in ast.parse(source).body)


def _hollow(node: ast.stmt, cell_id: str) -> str:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return f"{name} = ..."
        case ast.FunctionDef():
            node.body = [ast.Expr(ast.Constant(...))]
            return ast.unparse(node)
    raise ValueError(say("cli.not_an_answer", cell=cell_id, source=ast.unparse(node)))
