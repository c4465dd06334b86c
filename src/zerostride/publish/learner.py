"""The learner edition: no outputs, and answers emptied to "your turn"."""

import ast
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from zerostride.language import say, speaking

if TYPE_CHECKING:
    from zerostride.publish.editions import Wishes
    from zerostride.publish.lessons import Lesson

_KEPT_ABOUT_THE_NOTEBOOK = ("kernelspec", "language_info")


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
    cells = [_emptied(cell, language) for cell in notebook["cells"] if "instructor" not in _tags(cell)]
    about = {
        key: notebook["metadata"][key] for key in _KEPT_ABOUT_THE_NOTEBOOK if key in notebook["metadata"]
    }
    return notebook | {"cells": cells, "metadata": about}


def build(lessons: "Sequence[Lesson]", wishes: "Wishes") -> Iterator[tuple[str, bytes]]:
    """Yield the learner edition as files and as one zip."""
    yield from notebooks("learner", {it.name: learner_edition(it.notebook, it.language) for it in lessons})


def notebooks(
    edition: str, made: dict[str, dict[str, Any]], more: dict[str, bytes] | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield notebooks, and more files, of an edition's folder and, after them, all as one zip."""
    from zerostride.publish.editions import zipped

    files = {f"{edition}/{name}.ipynb": as_file(notebook) for name, notebook in made.items()}
    files |= {f"{edition}/{name}": content for name, content in (more or {}).items()}
    yield from files.items()
    yield f"{edition}.zip", zipped(files)


def as_file(notebook: dict[str, Any]) -> bytes:
    """Return a notebook as it is written to disk."""
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def _tags(cell: dict[str, Any]) -> list[str]:
    tags: list[str] = cell["metadata"].get("tags", [])
    return tags


def _emptied(cell: dict[str, Any], language: str) -> dict[str, Any]:
    # Only tags survive: any other metadata may describe, fold or hash an answer.
    left = cell | {"metadata": {"tags": _tags(cell)} if _tags(cell) else {}}
    if cell["cell_type"] == "code":
        left |= {"outputs": [], "execution_count": None}
    if "answer" in _tags(cell):
        left["source"] = _your_turn(cell, language).splitlines(keepends=True)
        left.pop("attachments", None)
    return left


def _your_turn(cell: dict[str, Any], language: str) -> str:
    source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
    if cell["cell_type"] == "code":
        return without_answers(source, cell.get("id", "?"))
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
