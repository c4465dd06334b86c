"""A pytest plugin: which test reaches which line, and whether the tests see a mutant.

Everything is collected once. Each mutant then runs in a fork in which the code of the
changed function is exchanged; the changed file lies on the disk too, for child processes.
"""

import gc
import importlib
import json
import os
import signal
import sys
import time
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType

import pytest

WORK = Path(os.environ["MUTATION_WORK"])
TASK = os.environ["MUTATION_TASK"]
LIMIT_S = 60
early = set()  # functions that ran while everything was imported and collected


def note_early(frame, event, _):
    if event == "call" and "/zerostride/" in frame.f_code.co_filename:
        early.add(frame.f_code.co_filename + " " + frame.f_code.co_qualname)


if TASK != "reach":
    importlib.import_module("torch")  # Importing it under a profile takes long.
    sys.setprofile(note_early)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    if session.testsfailed:
        raise session.Interrupted("not everything could be collected")
    sys.setprofile(None)
    session.config._tmp_path_factory.getbasetemp()
    if TASK == "reach":
        reach(session.items)
    else:
        try_each(session.items)
    return True


def run(items):
    """Run tests and yield each with what it took; stop where the reader stops."""
    for item, following in zip(items, [*items[1:], None], strict=False):
        start = time.monotonic()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        yield item, time.monotonic() - start


def reach(items):
    """Write what each test took, whether it passed, and who reached each line."""
    from coverage import Coverage

    settings = WORK / "reach.ini"
    settings.write_text(
        f"[run]\nparallel = true\npatch = subprocess\n"
        f"data_file = {WORK / 'coverage'}\nsource = {Path('src/zerostride').resolve()}\n"
    )
    coverage = Coverage(config_file=str(settings))
    coverage.start()
    tests = []
    failed = 0
    for number, item in enumerate(items):
        coverage.switch_context(str(number))
        coverage.config.context = str(number)  # of the child processes it starts
        os.environ["COVERAGE_PROCESS_CONFIG"] = coverage.config.serialize()
        ((_, seconds),) = run([item])
        tests.append({"id": item.nodeid, "seconds": seconds, "passed": item.session.testsfailed == failed})
        failed = item.session.testsfailed
    coverage.stop()
    coverage.save()
    coverage.combine(keep=True)
    data, lines = coverage.get_data(), {}
    for file in data.measured_files():
        reached = data.contexts_by_lineno(file).items()
        lines[Path(file).relative_to(Path.cwd()).as_posix()] = {
            line: sorted(int(name) for name in contexts if name) for line, contexts in reached
        }
    (WORK / "reach.json").write_text(json.dumps({"tests": tests, "lines": lines}))


def try_each(items):
    """Write what became of each mutant, one a line."""
    by_id = {item.nodeid: item for item in items}
    functions = by_place()
    with (WORK / f"{TASK}.results").open("a", buffering=1) as results:
        for mutant in json.loads((WORK / f"{TASK}.json").read_text()):
            chosen = [by_id[name] for name in mutant["tests"]]
            start = time.monotonic()
            outcome = tried(mutant, chosen, functions)
            took = round(time.monotonic() - start, 1)
            results.write(json.dumps({"number": mutant["number"], **outcome, "seconds": took}) + "\n")


def by_place():
    """Return the functions of the package by file, name and first line; decorated ones too."""
    found = {}
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and "/zerostride/" in thing.__code__.co_filename:
            found.setdefault(place(thing.__code__), []).append(thing)
    return found


def place(code):
    return code.co_filename, code.co_qualname, code.co_firstlineno


def tried(mutant, items, functions):
    """Run tests in a fork with the mutant in place; return what happened and which test saw it."""
    file, seen_by = Path(mutant["file"]).resolve(), WORK / f"{TASK}.seen"
    seen_by.write_text("")
    original = file.read_bytes()
    file.write_text(mutant["text"], "utf-8")
    try:
        child = os.fork()
        if not child:
            trial(mutant["text"], str(file), items, functions, seen_by)
        status = waited(child, LIMIT_S + 10 * mutant["expected"])
    finally:
        file.write_bytes(original)
    outcome = {None: "timeout", 0: "survived", 1: "killed"}.get(status, "crashed")
    ran_early = f"{file} {mutant['function']}" in early
    return {"outcome": outcome, "by": seen_by.read_text(), "early": ran_early}


def trial(text, file, items, functions, seen_by):
    os.setpgid(0, 0)
    try:
        for code in codes(compile(text, file, "exec")):
            for function in functions.get(place(code), ()):
                function.__code__ = code
        for thing in gc.get_objects():
            if type(thing) is _lru_cache_wrapper and (thing.__module__ or "").startswith("zerostride"):
                thing.cache_clear()
        for item, _ in run(items):
            if item.session.testsfailed:
                seen_by.write_text(item.nodeid)
                os._exit(1)
        os._exit(0)
    except BaseException as error:
        seen_by.write_text(repr(error)[:300])
        os._exit(2)


def codes(code):
    """Return the code of every function of a module, at any depth."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from codes(inner)


def waited(child, limit_s):
    """Return the exit status of a child, or None where it took too long."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None
