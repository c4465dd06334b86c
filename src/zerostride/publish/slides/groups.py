"""Which cells stand together on a slide: decided by rules, alike in every language."""

from dataclasses import dataclass, field, replace
from typing import Literal

from zerostride.course import Cell, Lesson
from zerostride.publish.paper.code_lines import fitted
from zerostride.publish.slides.reports import narrowed
from zerostride.publish.slides.text import block_lines, is_mission
from zerostride.publish.stored import PICTURE, is_explorer, stored_tables
from zerostride.reports import display_width

What = Literal["prose", "code", "output", "picture"]
Kind = Literal["title", "text", "picture", "poll"]

# In lines of code at their smallest: a slide, prose and an answer on it, a call short enough for a report.
ROOM, PROSE, ANSWER, FEW = 15, 5, 7, 6
LINE, CALLS = 70, 2


@dataclass(frozen=True)
class Part:
    """A cell's prose, code, output or picture; of long code, so many lines as fit on a slide."""

    cell: Cell
    what: What
    code: str = ""


@dataclass(frozen=True)
class Slide:
    """One slide, before it is set.

    Attributes
    ----------
    kind : {"title", "text", "picture", "poll"}
        How it is set; ``text`` is prose, code and outputs, and the answer to a vote.
    heading : str
        What the slide is about, as Markdown.
    opens : bool
        Whether it is the first slide under its heading.
    parts : tuple of Part
        What it shows, in order; none where the answer stands alone.
    exercise : str
        The prediction that is voted on, or answered.
    told : tuple of Cell
        Prose without a slide of its own, to be said here.
    """

    kind: Kind
    heading: str
    opens: bool
    parts: tuple[Part, ...] = ()
    exercise: str = ""
    told: tuple[Cell, ...] = ()

    @property
    def weight(self) -> int:
        """How many lines of code it takes the place of, an answer among them."""
        answer = ANSWER if self.exercise and self.kind == "text" else 0
        return sum(map(weight, self.parts)) + answer

    @property
    def asks(self) -> bool:
        """Whether it opens a heading with prose alone."""
        return self.kind == "text" and self.opens and [part.what for part in self.parts] == ["prose"]


def slides_of(lesson: Lesson) -> list[Slide]:
    """Return the slides of a lesson from its cells tagged ``slide``.

    A heading, an explanation, a picture and a vote begin a slide; code and its
    output join the slide before them where they fit. The answer follows the
    results after its vote, before anything else is said.

    Examples
    --------
    >>> from zerostride.course import read_lessons
    >>> [slide.kind for slide in slides_of(read_lessons("en", ["01"])[0])][:6]
    ['title', 'text', 'text', 'poll', 'text', 'text']
    """
    deck = _Deck()
    for cell in lesson.cells:
        if "instructor" not in cell.tags:
            deck.take(cell)
    deck.close()
    return deck.slides


def weight(part: Part) -> int:
    """Return how many lines of code a part takes the place of; outputs leave room for their call."""
    if part.what == "prose":
        return PROSE + block_lines(part.cell.source)
    if part.what == "code":
        return len(part.code.splitlines()) + 1
    return min(ROOM - 1, sum(map(_lines, part.cell.outputs)))


def chunks(code: str) -> list[str]:
    r"""Return code in pieces that each fit on a slide, broken at empty lines.

    Examples
    --------
    >>> block = "\n".join(["a = 1"] * 6)
    >>> [len(piece.splitlines()) for piece in chunks("\n\n".join([block] * 3))]
    [13, 6]
    """
    made: list[str] = []
    for block in code.split("\n\n"):
        joined = f"{made[-1]}\n\n{block}" if made else block
        if made and len(joined.splitlines()) < ROOM:
            made[-1] = joined
        else:
            made.append(block)
    return made


def heading_of(cell: Cell) -> str:
    """Return the heading that a cell begins with, without its signs; empty where there is none."""
    first = cell.source.lstrip().partition("\n")[0]
    return first.lstrip("#").strip() if cell.kind == "markdown" and first.startswith("#") else ""


def _lines(output: dict[str, str]) -> int:
    if "text/html" in output:
        table = narrowed(stored_tables(output["text/html"])[0])
        return -(-4 * (len(table.rows) + bool(table.header)) // 3) + min(2, len(table.notes))
    return sum(max(1, -(-display_width(line) // LINE)) for line in output["text/plain"].splitlines())


def _can_be_cut(cell: Cell) -> bool:
    return any("text/html" in output for output in cell.outputs)


@dataclass
class _Deck:
    slides: list[Slide] = field(default_factory=list)
    heading: str = ""
    opens: bool = True
    parts: list[Part] = field(default_factory=list)
    told: list[Cell] = field(default_factory=list)
    vote: str = ""
    seen_result: bool = False
    explorer: bool = False

    def take(self, cell: Cell) -> None:
        if cell.kind == "markdown":
            self._take_prose(cell)
        elif "slide" in cell.tags:
            self._take_code(cell)

    def close(self) -> None:
        answer = self.vote if self.seen_result else ""
        if answer and sum(map(weight, self.parts)) + ANSWER > ROOM:
            self._flush()
        if self.parts or answer:
            self._add("text", *self.parts, exercise=answer)
        self.parts = []
        self.vote = "" if answer else self.vote

    def _flush(self) -> None:
        if self.parts:
            self._add("text", *self.parts)
        self.parts = []

    def _add(self, kind: Kind, *parts: Part, exercise: str = "") -> None:
        self.slides.append(Slide(kind, self.heading, self.opens, parts, exercise, tuple(self.told)))
        self.opens, self.told = False, []

    def _take_prose(self, cell: Cell) -> None:
        shown, heading = "slide" in cell.tags, heading_of(cell)
        if self.explorer and shown and not heading and is_mission(cell.source):
            self._add_mission(cell)
            return
        if heading or (self.vote and self.seen_result):
            self.close()
        if shown or not cell.id.startswith("before-"):
            self._flush()
        if heading:
            self.heading, self.opens = heading, True
        if not shown:
            self._tell(cell)
        elif cell.source.lstrip().startswith("# "):
            self._add("title", Part(cell, "prose"))
        else:
            self.parts = [Part(cell, "prose")]
        self.explorer = False

    def _tell(self, cell: Cell) -> None:
        if "extra" in cell.tags:
            return
        if self.parts or not self.slides:
            self.told.append(cell)
        else:
            self.slides[-1] = replace(self.slides[-1], told=(*self.slides[-1].told, cell))

    def _take_code(self, cell: Cell) -> None:
        self.explorer = False
        if cell.predicts:
            self.close()
            self._add("poll", Part(cell, "code"), exercise=cell.predicts)
            self.vote, self.seen_result = cell.predicts, False
        elif any(PICTURE in output for output in cell.outputs):
            self._take_picture(cell)
        else:
            self._take_lines(cell)
        self.seen_result |= cell.id.startswith(("run-", "picture-"))

    def _take_picture(self, cell: Cell) -> None:
        prose = self.parts if [part.what for part in self.parts] == ["prose"] else []
        if not prose:
            self._flush()
        self.parts, self.explorer = [], any(map(is_explorer, cell.outputs))
        if self.explorer and prose and not self.opens and self.slides[-1].asks:
            asked = self.slides.pop()
            self.opens, self.told = True, [*asked.told, *self.told]
            prose = [*asked.parts, *prose]
        self._add("picture", *prose, Part(cell, "picture"))

    def _add_mission(self, cell: Cell) -> None:
        *before, picture = self.slides[-1].parts
        self.slides[-1] = replace(self.slides[-1], parts=(*before, Part(cell, "prose"), picture))

    def _take_lines(self, cell: Cell) -> None:
        *before, last = chunks(fitted(cell.source, LINE))
        for chunk in before:
            self._flush()
            self.parts = [Part(cell, "code", chunk)]
        code, output = Part(cell, "code", last), Part(cell, "output")
        needed = weight(code) + weight(output)
        if sum(map(weight, self.parts)) + needed > ROOM or self._calls() == CALLS:
            self._flush()
        self.parts.append(code)
        if needed > ROOM and not (weight(code) <= FEW and _can_be_cut(cell)):
            self._flush()
        if weight(output):
            self.parts.append(output)

    def _calls(self) -> int:
        return sum(part.what == "code" for part in self.parts)
