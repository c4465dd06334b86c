"""Processes that build editions, and that never outlive the one who asked for them."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process, resource_tracker
from threading import Thread

from zerostride.language import say


class WorkerEndedError(RuntimeError):
    """A process that was building was ended by something else, for instance for want of memory."""


@contextmanager
def workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of processes; after an error or Ctrl-C none of them finishes what it began.

    Raises
    ------
    WorkerEndedError
        If one of them was ended from outside.
    """
    others = set(active_children())
    # Spawned, not forked: a copy of a process in which Typst's threads once ran would wait for them for ever.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_live_with_the_parent)
    try:
        with _ctrl_c_later():
            for _ in range(jobs):
                pool.submit(os.getpid)  # each starts a process, since none is ready yet
        yield pool
    except BaseException as error:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in set(active_children()) - others:
            worker.terminate()
        if isinstance(error, BrokenProcessPool):
            raise WorkerEndedError(say("publish.worker_ended")) from error
        raise
    finally:
        pool.shutdown()


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    # A terminal sends Ctrl-C to every process, and one that is starting would print where it was.
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start would let signals through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _live_with_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_after_the_parent, daemon=True).start()


def _end_after_the_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)
