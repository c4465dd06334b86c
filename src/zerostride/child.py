"""A module run in a process of its own; it, and all that it started, ends with its time or its parent."""

import os
import runpy
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from threading import Thread
from typing import Any

MOST_SAID_BYTES = 1 << 16


@dataclass(frozen=True)
class Ended:
    """How a child ended: its exit status, None where it took too long; what it printed and said last."""

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
    command = [sys.executable, "-m", __name__, str(os.getpid()), module, *arguments]
    with TemporaryFile() as printed:  # a pipe would wait for its own children too
        process = subprocess.Popen(
            command,
            env=os.environ | variables,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        said = _LastWords(process.stderr)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end(process)
        printed.seek(0)
        return Ended(status, _text(printed.read()), _text(said.heard()))


class _LastWords(Thread):
    """Hears what a child says and keeps the end: one that never stops would fill every disk."""

    def __init__(self, pipe: Any) -> None:
        super().__init__(daemon=True)
        self._pipe, self._kept = pipe, b""
        self.start()

    def run(self) -> None:
        with self._pipe:
            while part := self._pipe.read1(MOST_SAID_BYTES):
                self._kept = (self._kept + part)[-MOST_SAID_BYTES:]

    def heard(self) -> bytes:
        """Return the end of it; who still holds the pipe, though the child has gone, is not waited for."""
        self.join(timeout=1)
        return self._kept


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the child, and what it started."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def _text(said: bytes) -> str:
    return said.decode("utf-8", errors="replace")


def _end_after(parent: int) -> None:
    """End this process, and what it started, once the one that started it is gone: killed, it could not."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    _, parent, module, *sys.argv[1:] = sys.argv
    if os.name == "posix":
        Thread(target=_end_after, args=[int(parent)], daemon=True).start()
    runpy.run_module(module, run_name="__main__", alter_sys=True)
