"""Every edition of the course by its name, built from the stored notebooks alone."""

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from zerostride.course import Lesson, read_lessons
from zerostride.language import LANGUAGES, enumerated, say, speaking
from zerostride.placing import Placed, must_take_files, place
from zerostride.publish.paper.typesetting import naming
from zerostride.publish.workers import workers
from zerostride.reports import Report, Table, display_width

# Each is a module below publish with build(lessons, wishes), yielding names and contents.
EDITIONS = {
    "learner": "learner",
    "instructor": "instructor",
    "handout": "paper.handout",
    "booklet": "paper.booklet",
    "summary": "paper.summary",
    "slides": "slides",
    "figures": "figures",
    "page": "page",
    "kit": "kit",
}
PAPERS = ("a4", "us-letter")
ANSWERS = ("none", "end", "inline")
RECORD = ".zerostride/editions.json"


@dataclass(frozen=True)
class Wishes:
    """What can be chosen about the editions on paper.

    Attributes
    ----------
    paper : {"a4", "us-letter"}
        The size of a sheet.
    answers : {"none", "end", "inline"}
        Where the answers to exercises stand.
    """

    paper: str = "a4"
    answers: str = "end"

    def __post_init__(self) -> None:
        for wish, known in ((self.paper, PAPERS), (self.answers, ANSWERS)):
            if wish not in known:
                raise ValueError(say("publish.no_choice", wish=wish, known=enumerated(known)))


@dataclass(frozen=True, repr=False)
class Published(Report):
    """What was written.

    Attributes
    ----------
    sizes : mapping of str to int
        Bytes of every file, by its name relative to the folder.
    placed : Placed
        What became of each.
    """

    sizes: Mapping[str, int]
    placed: Placed

    def table(self) -> Table:
        """Return one row a file: what became of it and how large it is."""
        done = {name: say("publish.left_alone") for name in self.placed.left_alone}
        done |= {name: say("publish.written") for name in self.placed.written}
        done |= {name: say("publish.updated") for name in self.placed.updated}
        done |= {name: say("publish.unchanged") for name in self.placed.unchanged}
        sizes = {name: f"{size:,}" for name, size in self.sizes.items()}
        widest = max(map(display_width, sizes.values()), default=0)
        rows = [(name, sizes[name].rjust(widest), done[name]) for name in sizes]
        return Table(rows, (say("publish.file"), say("publish.bytes"), say("publish.outcome")))

    def to_dict(self) -> dict[str, object]:
        """Return names with bytes, and what became of them."""
        return {"sizes": dict(self.sizes), **vars(self.placed)}


def publish(
    out: Path,
    languages: Sequence[str] = LANGUAGES,
    lessons: Sequence[str] = (),
    editions: Sequence[str] = tuple(EDITIONS),
    wishes: Wishes | None = None,
    jobs: int = 2,
    progress: Callable[[int, int], None] = lambda done, all_of_them: None,
) -> Published:
    """Build editions and write them into a folder, each language in its own.

    Nothing is written before everything is built. A file that was changed
    after it had been published is left alone.

    Parameters
    ----------
    out : Path
        The folder; made where it does not exist.
    languages, lessons, editions : sequence of str
        Which of them; all lessons where none is named.
    wishes : Wishes, optional
        Paper and answers.
    jobs : int
        How many processes build at once.
    progress : callable
        Called with the parts done and all parts, at the start and after each.

    Raises
    ------
    LookupError
        If there is no such lesson or edition.
    ValueError
        If a notebook cannot be read.
    WorkerEndedError
        If something else ended a process that was building.
    OSError
        If the folder cannot be written.
    """
    if unknown := [name for name in editions if name not in EDITIONS]:
        raise LookupError(say("publish.no_edition", edition=unknown[0], known=enumerated(EDITIONS)))
    for language in languages:
        read_lessons(language, lessons)
    must_take_files(out)  # building takes minutes
    asked = [(edition, language) for edition in editions for language in languages]
    made: dict[str, bytes] = {}
    with workers(jobs) as pool:
        waiting = [
            pool.submit(build, edition, language, lessons, wishes or Wishes()) for edition, language in asked
        ]
        progress(0, len(waiting))
        for count, part in enumerate(as_completed(waiting), 1):
            made |= part.result()
            progress(count, len(waiting))
    made = dict(sorted(made.items()))
    return Published({name: len(content) for name, content in made.items()}, place(out, made, RECORD))


def build(edition: str, language: str, lessons: Sequence[str], wishes: Wishes) -> dict[str, bytes]:
    """Return the files of one edition in one language, by their names.

    Examples
    --------
    >>> list(build("learner", "en", ["01"], Wishes()))[0]
    'en/learner/01_four_rows_three_numbers.ipynb'
    """
    builder: Callable[[Sequence[Lesson], Wishes], Iterator[tuple[str, bytes]]]
    builder = import_module(f"zerostride.publish.{EDITIONS[edition]}").build
    with speaking(language), naming(f"{edition}, {language}"):
        files = builder(read_lessons(language, lessons), wishes)
        return {_placed(name, language): content for name, content in files}


def _placed(name: str, language: str) -> str:
    # A name that begins with / is the same file in every language.
    return name.removeprefix("/") if name.startswith("/") else f"{language}/{name}"


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of files; the same bytes on every machine, so nothing is compressed or dated."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return packed.getvalue()
