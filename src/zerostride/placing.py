"""Files put into somebody's folder: never over one that was changed there, never half a file."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from glob import escape
from hashlib import sha256
from pathlib import Path

from zerostride.language import enumerated, say

_PART = ".{name}.{process}.part"
_MOST_RECORD_BYTES = 1 << 20


@dataclass
class Placed:
    """What became of each file, as names relative to the folder."""

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


def must_take_files(folder: Path) -> None:
    """Raise OSError where it is plain that nothing can be written into a folder; it may not exist yet."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if not there.is_dir():
        raise FileExistsError(there)
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(there)


def place(folder: Path, files: Mapping[str, bytes], record: str) -> Placed:
    """Write files below a folder and keep a record of them; return what was done.

    A file that differs from what was once written here belongs to whoever
    changed it and is never touched.

    Parameters
    ----------
    folder : Path
        Made where it does not exist.
    files : mapping of str to bytes
        Contents by their names relative to the folder.
    record : str
        The name of the file that remembers what was written, relative to the folder.

    Raises
    ------
    OSError
        If the folder cannot be written.
    """
    placed, known = Placed(), _read_record(folder / record)
    ours: dict[str, str] = {}
    try:
        for name, content in files.items():
            if new := _place(folder / name, name, content, known, placed):
                ours[name] = new
    finally:
        # Read again: another process may have written here meanwhile.
        if ours:
            known = _read_record(folder / record) | ours
            put(folder / record, json.dumps(known, indent=1, sort_keys=True).encode())
    return placed


def _place(target: Path, name: str, content: bytes, known: dict[str, str], placed: Placed) -> str | None:
    _sweep(target)
    new = sha256(content).hexdigest()
    there = sha256(target.read_bytes()).hexdigest() if target.is_file() else None
    if there is None and not os.path.lexists(target):
        placed.written.append(name)
    elif there == new:
        placed.unchanged.append(name)
    elif there is not None and there == known.get(name):
        placed.updated.append(name)
    else:
        placed.left_alone.append(name)
        return None
    if there != new:
        put(target, content)
    return new


def _read_record(path: Path) -> dict[str, str]:
    # Without a readable record nothing counts as ours, so nothing can be overwritten.
    try:
        # Neither a pipe is waited for nor a file of any size read.
        if not path.is_file() or path.stat().st_size > _MOST_RECORD_BYTES:
            return {}
        record = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def put(target: Path, content: bytes) -> None:
    """Write a file: never half of it, for the whole content lands under another name first."""
    target.parent.mkdir(parents=True, exist_ok=True)
    _sweep(target)
    part = target.with_name(_PART.format(name=target.name, process=os.getpid()))
    try:
        part.write_bytes(content)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def _sweep(target: Path) -> None:
    """Remove the unfinished parts of a file that killed processes left beside it."""
    for part in target.parent.glob(_PART.format(name=escape(target.name), process="*")):
        process = part.name.split(".")[-2]
        if process.isdecimal() and not _runs(int(process)):
            with suppress(OSError):
                part.unlink()


def _runs(process: int) -> bool:
    if os.name == "nt":  # there, asking would end it
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is somebody else's
        return True
    return process != os.getpid()
