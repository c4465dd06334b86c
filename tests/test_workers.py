"""What ends a build or a child half-way: Ctrl-C, a killed process, the end of the parent; nothing goes on."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import active_children

import pytest

from zerostride.cli import main
from zerostride.language import LANGUAGES
from zerostride.publish import editions
from zerostride.publish.workers import workers

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="signals as on Unix")

OURS = "workers(2)"
PLAIN = 'ProcessPoolExecutor(2, get_context("spawn"))'
BUSY = """
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context
from zerostride.publish.workers import workers

if __name__ == "__main__":
    try:
        with {pool} as pool:
            pool.submit(time.sleep, 0).result()
            waiting = [pool.submit(time.sleep, 90) for _ in range(4)]
            print(*[child.pid for child in active_children()], flush=True)
            waiting[0].result()
    except KeyboardInterrupt:
        print("ended")
"""


@pytest.fixture
def busy(tmp_path):
    """Return what starts a program with two busy workers, and tells their numbers."""
    running = []

    def start(pool):
        program = tmp_path / "program.py"
        program.write_text(BUSY.format(pool=pool), "utf-8")
        arguments = [sys.executable, str(program)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        running.append(subprocess.Popen(arguments, start_new_session=True, **pipes))
        return running[-1], [int(number) for number in running[-1].stdout.readline().split()]

    yield start
    for process in running:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def is_alive(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    shown = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(number)], capture_output=True, text=True, check=False
    )
    return not shown.stdout.startswith("Z") and shown.stdout != ""


def some_go_on(numbers, seconds=30.0):
    """Return whether any of some processes is still there after a while."""
    end = time.monotonic() + seconds
    while any(map(is_alive, numbers)) and time.monotonic() < end:
        time.sleep(0.05)
    return any(map(is_alive, numbers))


@pytest.mark.parametrize("send", [os.kill, os.killpg])
def test_after_ctrl_c_no_worker_goes_on_and_nothing_is_said(busy, send):
    program, numbers = busy(OURS)
    assert len(numbers) == 2
    send(program.pid, signal.SIGINT)
    assert not some_go_on(numbers)
    assert program.communicate(timeout=30) == ("ended\n", "")


def test_a_plain_pool_goes_on_after_ctrl_c(busy):
    program, numbers = busy(PLAIN)
    os.kill(program.pid, signal.SIGINT)
    assert some_go_on(numbers, 2.0)


@pytest.mark.parametrize(("pool", "goes_on"), [(OURS, False), (PLAIN, True)])
def test_no_worker_outlives_its_parent(busy, pool, goes_on):
    program, numbers = busy(pool)
    program.kill()
    program.wait()
    assert some_go_on(numbers, 2.0 if goes_on else 30.0) == goes_on


SLEEPS = """
import subprocess, sys
from zerostride.child import run_child

sleeps = "import os, time; print(os.getpid(), file=open('number', 'w'), flush=True); time.sleep(90)"
if {ours}:
    run_child("timeit", "-n1", "-r1", sleeps, seconds=90)
else:
    subprocess.run([sys.executable, "-c", sleeps], start_new_session=True)
"""


@pytest.mark.parametrize("ours", [True, False])
def test_no_child_outlives_its_parent(tmp_path, ours):
    program = subprocess.Popen([sys.executable, "-c", SLEEPS.format(ours=ours)], cwd=tmp_path)
    number, end = tmp_path / "number", time.monotonic() + 60
    while not (number.is_file() and number.read_text().endswith("\n")) and time.monotonic() < end:
        time.sleep(0.05)
    child = int(number.read_text())
    try:
        program.kill()
        program.wait()
        assert some_go_on([child], 30.0 if ours else 2.0) != ours
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def test_every_process_has_been_started_where_ctrl_c_had_to_wait():
    before = len(active_children())
    with workers(3):
        assert len(active_children()) - before == 3


def test_an_error_ends_the_others_at_once():
    def divides(by):
        with workers(2) as pool:
            pool.submit(time.sleep, 30)
            pool.submit(divmod, 1, by).result()

    begun = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        divides(0)
    assert time.monotonic() - begun < 20


def test_only_the_workers_of_the_pool_are_ended():
    with ProcessPoolExecutor(1) as other:
        assert other.submit(abs, -1).result() == 1
        [mine] = active_children()
        with suppress(ZeroDivisionError), workers(1) as pool:
            pool.submit(divmod, 1, 0).result()
        assert mine.is_alive()
        assert other.submit(abs, -2).result() == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_worker_that_was_killed_is_said_so_and_nothing_is_written(tmp_path, capsys, monkeypatch, language):
    @contextmanager
    def killed(jobs):
        with workers(jobs) as pool:
            pool.submit(os._exit, 1)
            yield pool

    monkeypatch.setattr(editions, "workers", killed)
    out = tmp_path / "out"
    assert main(["publish", "--out", str(out), "--lang", language, "--edition", "learner"]) == 2
    told, errors = capsys.readouterr()
    assert told == ""
    assert {"en": "ended a process", "zh": "被外部终止"}.get(language, "") in errors
    assert not out.exists()
