"""A module run in a process of its own that has a time limit: it, and all that it started, ends with that."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any


@dataclass(frozen=True)
class Ended:
    """How a child ended: its exit status, None where it took too long; what it printed, and on stderr."""

    status: int | None
    printed: str
    said: str

    @property
    def lines(self) -> list[str]:
        """The whole lines that it printed; one that it began and never ended is none."""
        return self.printed.split("\n")[:-1]

    @property
    def last_words(self) -> str:
        """The last line on stderr."""
        return self.said.strip().rpartition("\n")[2]


def run_child(module: str, *arguments: str, seconds: float, **variables: str) -> Ended:
    """Run ``python -m module`` with further variables of the environment; return how it ended.

    Examples
    --------
    >>> run_child("platform", "--terse", seconds=60).status
    0
    """
    command = [sys.executable, "-m", module, *arguments]
    with TemporaryFile() as printed, TemporaryFile() as said:  # a pipe would wait for its own children too
        process = subprocess.Popen(
            command,
            env=os.environ | variables,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=said,
            start_new_session=True,
        )
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end(process)
        return Ended(status, _text(printed), _text(said))


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
