"""The workshop kit: plans, misconceptions, the guide, a sheet for machines, a room without a network."""

from collections.abc import Iterator, Sequence
from importlib.resources import files

from zerostride.course import Lesson, read_lessons
from zerostride.language import current, say
from zerostride.publish.editions import Wishes
from zerostride.publish.guide import guide_text
from zerostride.publish.kit.misconceptions import misconceptions_text
from zerostride.publish.kit.plans import plans_text
from zerostride.publish.paper.markup import Length, document, literal, opening
from zerostride.publish.prose import converted

SEATS = 30


def build(lessons: Sequence[Lesson], wishes: Wishes) -> Iterator[tuple[str, bytes]]:
    """Yield the kit; it is for the whole course, whichever lessons were chosen."""
    texts = {
        "plan": plans_text(read_lessons(current())),
        "misconceptions": misconceptions_text(),
        "guide": guide_text(current()),
    }
    begins = {"plan": "#show: apart"}
    for name, text in texts.items():
        yield f"kit/{name}.md", text.encode()
        yield f"kit/{name}.{wishes.paper}.pdf", printed(text, wishes, points=9, first=begins.get(name, ""))
    yield f"kit/check-in.{wishes.paper}.pdf", check_in(wishes)
    yield "kit/wheelhouse.md", sheet("wheelhouse").encode()


def sheet(name: str) -> str:
    """Return the Markdown of a sheet in the language in use; what a check says is taken from the check.

    Examples
    --------
    >>> "42 results: 42 passed, 0 failed" in sheet("check-in")
    True
    """
    text = _read(f"{name}.{current()}.md")
    for torch, passed in (("with", 42), ("without", 14)):
        counts = {"passed": passed, "failed": 0, "not_run": 42 - passed, "not_applicable": 0}
        text = text.replace(f"<{torch} torch>", say("checks.counts", total=42, **counts))
    return text


def printed(text: str, wishes: Wishes, points: int, first: str = "") -> bytes:
    """Return Markdown as a PDF; ``first`` is Typst's markup that stands under the first heading."""
    title, rest = text.removeprefix("# ").split("\n", 1)
    start = opening(
        title=title,
        size=wishes.paper,
        text_size=Length(f"{points}pt"),
        margin=Length("1.7cm"),
        head=("zerostride", title),
        pages=say("kit.page"),
    )
    body = converted({"rest": rest}, "typst")["rest"].replace("#table(", "#kit-table(")
    return document(f"{start}\n{_read('tables.typ')}\n= {title}\n\n{first}\n\n{body}")


def check_in(wishes: Wishes) -> bytes:
    """Return the sheet for machines as a PDF: seats in front, what may go wrong on the back."""
    header = [say(f"kit.seats.{column}") for column in ("seat", "name", "whole", "part", "help")]
    seats = f"#seats({literal(say('kit.seats.about'))}, {literal(header)}, {SEATS})"
    return printed(sheet("check-in"), wishes, points=11, first=seats)


def _read(name: str) -> str:
    return files("zerostride.publish.kit").joinpath(name).read_text("utf-8")
