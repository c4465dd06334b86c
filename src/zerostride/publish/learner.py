"""The learner edition as files and as one zip."""

from collections.abc import Iterator, Sequence
from typing import Any

from zerostride.course import Lesson
from zerostride.learner import as_file, learner_edition
from zerostride.publish.editions import Wishes, zipped


def build(lessons: Sequence[Lesson], wishes: Wishes) -> Iterator[tuple[str, bytes]]:
    """Yield the learner edition as files and as one zip."""
    yield from notebooks("learner", {it.name: learner_edition(it.notebook, it.language) for it in lessons})


def notebooks(
    edition: str, made: dict[str, dict[str, Any]], more: dict[str, bytes] | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield notebooks, and more files, of an edition's folder and, after them, all as one zip."""
    files = {f"{edition}/{name}.ipynb": as_file(notebook) for name, notebook in made.items()}
    files |= {f"{edition}/{name}": content for name, content in (more or {}).items()}
    yield from files.items()
    yield f"{edition}.zip", zipped(files)
