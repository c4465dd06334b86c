"""The lessons: where they are, and a learner's own copy of them."""

import json
import re
from pathlib import Path

from zerostride.language import LANGUAGES, say
from zerostride.placing import Placed, place
from zerostride.publish.learner import as_file, learner_edition

_LESSON = re.compile(r"\d\d_[a-z0-9_]+\.ipynb")
_RECORD = ".zerostride/course.json"


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


def copy_course(directory: Path) -> Placed:
    """Copy the learner edition into ``en`` and ``zh`` of a folder; return what was done.

    A file that differs from what was once written here belongs to the learner and is never touched.

    Parameters
    ----------
    directory : Path
        Made where it does not exist.

    Raises
    ------
    OSError
        If the folder cannot be written.
    """
    for language in LANGUAGES:
        (directory / language).mkdir(parents=True, exist_ok=True)
    editions = {
        f"{language}/{lesson.name}": _edition(lesson, language)
        for language in LANGUAGES
        for lesson in lessons(language)
    }
    return place(directory, editions, _RECORD)


def _edition(lesson: Path, language: str) -> bytes:
    return as_file(learner_edition(json.loads(lesson.read_text("utf-8")), language))
