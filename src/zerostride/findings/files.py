"""Evidence on a file: its names are looked up and run in a child process that has a time limit."""

import json
import os
import runpy
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from zerostride import language
from zerostride.child import run_child
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
    width : int, optional
        Columns of the terminal that the text is for.
    """

    file: str
    source: str
    programs: tuple[str, ...]
    loss: str = ""
    measure: bool = False
    form: str = "text"
    width: int | None = None


def told(asked: Asked, time_limit_s: float) -> str:
    """Return the report on a file as text.

    Raises
    ------
    ValueError
        In words, where the file raises, has no such name, ends its process or takes too long.
    """
    spoken = {"ZEROSTRIDE_LANG": language.current(), "PYTHONIOENCODING": "utf-8"}
    ended = run_child("zerostride.findings", json.dumps(asdict(asked)), seconds=time_limit_s, **spoken)
    if ended.status is None:
        raise ValueError(say("findings.file.late", seconds=f"{time_limit_s:g}"))
    if ended.status == REFUSED:
        raise ValueError(ended.last_words)
    if ended.status or not ended.printed:
        said = f": {ended.last_words}" if ended.last_words else ""
        raise ValueError(say("findings.file.ended", status=ended.status, said=said))
    return ended.printed


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
        "text": lambda: f"{report.to_text(asked.width)}\n",
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
