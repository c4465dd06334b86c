"""All pictures of the lessons as SVG and PNG, for slides and handouts of a teacher's own."""

from base64 import b64decode
from collections.abc import Iterator, Sequence

from zerostride.course import Lesson
from zerostride.language import current, say
from zerostride.publish.editions import Wishes
from zerostride.publish.stored import stored_picture


def build(lessons: Sequence[Lesson], wishes: Wishes) -> Iterator[tuple[str, bytes]]:
    """Yield every picture, and a text that says how to credit them and what they show.

    The pictures hold no words, so one folder serves every language; only the
    text beside them is written in each.
    """
    shown = []
    for lesson in lessons:
        for cell in lesson.cells:
            for output in cell.outputs:
                if drawn := stored_picture(output):
                    name = f"{lesson.name}--{cell.id}"
                    yield f"/figures/{name}.svg", drawn.svg.encode()
                    yield f"/figures/{name}.png", b64decode(output["image/png"])
                    shown.append(f"{name}\n    {' '.join(drawn.alt.split())}\n")
    text = "\n".join([say("publish.figures"), *shown])
    yield f"/figures/README.{current()}.txt", text.encode()
