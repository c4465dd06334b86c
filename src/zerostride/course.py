"""The lessons: where they are, and a learner's own copy of them."""

import json
import os
import re
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from zerostride.language import LANGUAGES, enumerated, say
from zerostride.publish.learner import learner_edition

_LESSON = re.compile(r"\d\d_[a-z0-9_]+\.ipynb")
_RECORD = Path(".zerostride") / "course.json"


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


@dataclass
class Copied:
    """What one copying did to each lesson, as names relative to the course's folder."""

    written: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    left_alone: list[str] = field(default_factory=list)

    def told(self, folder: Path) -> str:
        """Return what was done in words; nothing where nothing was."""
        lines = []
        if self.written:
            lines.append(say("cli.copied.written", count=len(self.written), folder=folder))
        if self.updated:
            lines.append(say("cli.copied.updated", names=enumerated(self.updated)))
        if self.left_alone:
            lines.append(say("cli.copied.left_alone", names=enumerated(self.left_alone)))
        return "\n".join(lines)


def copy_course(directory: Path) -> Copied:
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
    copied = Copied()
    record = _read_record(directory / _RECORD)
    for language in LANGUAGES:
        (directory / language).mkdir(parents=True, exist_ok=True)
        for lesson in lessons(language):
            name = f"{language}/{lesson.name}"
            edition = _edition(lesson, language)
            _place(directory / name, name, edition, record, copied)
    _replace(directory / _RECORD, json.dumps(record, indent=1, sort_keys=True).encode())
    return copied


def _edition(lesson: Path, language: str) -> bytes:
    notebook = learner_edition(json.loads(lesson.read_text("utf-8")), language)
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def _place(target: Path, name: str, edition: bytes, record: dict[str, str], copied: Copied) -> None:
    new = sha256(edition).hexdigest()
    there = sha256(target.read_bytes()).hexdigest() if target.is_file() else None
    if there is None and not os.path.lexists(target):
        copied.written.append(name)
    elif there == new:
        copied.unchanged.append(name)
    elif there is not None and there == record.get(name):
        copied.updated.append(name)
    else:
        copied.left_alone.append(name)
        return
    if there != new:
        _replace(target, edition)
    record[name] = new


def _read_record(path: Path) -> dict[str, str]:
    # Without a readable record nothing counts as ours, so nothing can be overwritten.
    try:
        record = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _replace(target: Path, content: bytes) -> None:
    # Never half a file: the whole content lands under another name first.
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
