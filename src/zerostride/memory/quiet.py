"""torch's profiler without its lines on stderr: it writes its process id and the time there."""

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from zerostride.language import say

# USDT:2026-11-30 02:23:29 23616:23616 SyncActivityProfilerHandler.cpp:52] profiler_start
_ITS_LINE = re.compile(rb"\w+:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \d+:\d+ \w+\.(cpp|h):\d+\] ")


def profiler_runs() -> bool:
    """Return whether a profiler of torch is running."""
    import torch

    autograd: Any = torch.autograd
    return bool(autograd._profiler_enabled())


@contextmanager
def quiet_profiler() -> Iterator[Callable[[], tuple[int, ...]]]:
    """Record allocations on the CPU; what is yielded tells them after the block.

    Yields
    ------
    callable
        Returns bytes of each allocation, and minus its bytes as it is freed, in order.

    Raises
    ------
    RuntimeError
        If a profiler is running already.
    """
    from torch.profiler import ProfilerActivity, profile

    # A second one would end the first without a word.
    if profiler_runs():
        raise RuntimeError(say("memory.profiler_busy"))
    recorder: Any = profile(activities=[ProfilerActivity.CPU], profile_memory=True)

    def told() -> tuple[int, ...]:
        events = recorder.profiler.kineto_results.events()
        changes = [(event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]"]
        return tuple(size for _, size in sorted(changes, key=lambda change: change[0]) if size)

    with _stderr_without_its_lines():
        recorder.start()
        try:
            yield told
        finally:
            recorder.stop()


@contextmanager
def _stderr_without_its_lines() -> Iterator[None]:
    """Hold back what is written to the file descriptor of stderr; pass on what is not the profiler's."""
    try:
        kept = os.dup(2)
    except OSError:  # There is no stderr to keep clean.
        yield
        return
    _flush()
    try:
        with tempfile.TemporaryFile() as held:
            os.dup2(held.fileno(), 2)
            try:
                yield
            finally:
                _flush()
                os.dup2(kept, 2)
                held.seek(0)
                for line in held:
                    if not _ITS_LINE.match(line):
                        os.write(2, line)
    finally:
        os.close(kept)


def _flush() -> None:
    # Whatever a program put in place of stderr: None, something closed, an object that only writes.
    with suppress(AttributeError, ValueError, OSError):
        sys.stderr.flush()
