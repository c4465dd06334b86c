"""Evidence on a file: its names are looked up and run in a child process that has a time limit."""

import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from zerostride import language
from zerostride.findings import evidence
from zerostride.findings.running import named
from zerostride.language import say
from zerostride.layouts import is_tensor

REFUSED = 3


@dataclass(frozen=True)
class Asked:
    """What is asked of a file.

    Attributes
    ----------
    file : str
        Path of the program.
    source : str
        Name of the array in it, or of a function without arguments that returns it.
    programs : tuple of str
        Names of the functions.
    loss : str
        Name of the loss; empty for none.
    measure : bool
        Whether time and memory are measured.
    form : {"text", "json", "markdown"}
        What is printed.
    """

    file: str
    source: str
    programs: tuple[str, ...]
    loss: str = ""
    measure: bool = False
    form: str = "text"


def told(asked: Asked, time_limit_s: float) -> str:
    """Return the report on a file as text.

    Raises
    ------
    ValueError
        In words, where the file raises, has no such name, ends its process or takes too long.
    """
    command = [sys.executable, "-m", "zerostride.findings", json.dumps(asdict(asked))]
    environment = os.environ | {"ZEROSTRIDE_LANG": language.current(), "PYTHONIOENCODING": "utf-8"}
    with TemporaryFile() as out, TemporaryFile() as told_aside:  # a pipe would wait for its own children too
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=told_aside,
            start_new_session=True,
        )
        try:
            status = process.wait(time_limit_s)
        except subprocess.TimeoutExpired as late:
            raise ValueError(say("findings.file.late", seconds=f"{time_limit_s:g}")) from late
        finally:
            _end(process)
        report, said = (_text(each) for each in (out, told_aside))
    last = said.strip().rpartition("\n")[2]
    if status == REFUSED:
        raise ValueError(last)
    if status or not report:
        raise ValueError(say("findings.file.ended", status=status, said=f": {last}" if last else ""))
    return report


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the child, and what it started."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def _text(file: Any) -> str:
    file.seek(0)
    return str(file.read().decode("utf-8", errors="replace"))


def child(argument: str) -> int:
    """Print the report that is asked for; the child's part. What the program prints goes to stderr."""
    asked = Asked(**json.loads(argument))
    answer = os.dup(1)
    os.dup2(2, 1)  # compiled code prints as well
    sys.argv = [asked.file]
    try:
        report = _report(asked)
    except (ValueError, TypeError) as error:
        print(str(error).replace("\n", " "), file=sys.stderr)
        return REFUSED
    forms = {
        "text": lambda: f"{report}\n",
        "json": lambda: json.dumps(report.to_dict(), indent=2) + "\n",
        "markdown": report.to_markdown,
    }
    with open(answer, "w", encoding="utf-8") as out:
        out.write(forms[asked.form]())
    return 0


def _report(asked: Asked) -> Any:
    sys.path.insert(0, str(Path(asked.file).resolve().parent))
    names = _returned(runpy.run_path, asked.file, run_name="zerostride_program")
    source = _named(names, asked.source)
    if callable(source) and not is_tensor(source):
        source = _returned(source)
    programs = {name: _named(names, name) for name in asked.programs}
    loss = _named(names, asked.loss) if asked.loss else None
    return evidence(source, programs, loss, asked.measure)


def _returned(f: Callable[..., Any], *args: Any, **options: Any) -> Any:
    try:
        return f(*args, **options)
    except (Exception, SystemExit) as error:
        raise ValueError(say("findings.file.raised", error=named(error))) from error


def _named(names: dict[str, Any], name: str) -> Any:
    if name not in names:
        known = language.enumerated(each for each in names if not each.startswith("_"))
        raise ValueError(say("findings.file.no_name", name=name, known=known))
    return names[name]
