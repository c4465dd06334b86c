"""The instructor edition: no outputs; answers, timings and talking points are there."""

from collections.abc import Iterator, Sequence
from typing import Any

from zerostride.course import Lesson
from zerostride.language import current
from zerostride.publish.editions import Wishes
from zerostride.publish.guide import guide_text
from zerostride.publish.learner import notebooks


def build(lessons: Sequence[Lesson], wishes: Wishes) -> Iterator[tuple[str, bytes]]:
    """Yield the instructor edition and the teacher guide as files and as one zip."""
    made = {lesson.name: instructor_edition(lesson.notebook) for lesson in lessons}
    yield from notebooks("instructor", made, {"guide.md": guide_text(current()).encode()})


def instructor_edition(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook without outputs; the one handed in stays as it is.

    Examples
    --------
    >>> cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "outputs": [{}]}
    >>> instructor_edition({"cells": [cell]})["cells"][0]["outputs"]
    []
    """
    empty: dict[str, Any] = {"outputs": [], "execution_count": None}
    cells = [cell | empty if cell["cell_type"] == "code" else cell for cell in notebook["cells"]]
    return notebook | {"cells": cells}
