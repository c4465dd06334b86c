"""Put seeded faults into a copy of the package, one at a time: the test meant for each has to fail there.

    python tests/faults/run.py                       all of them, a table at the end
    python tests/faults/run.py --name mean-for-sum   one; may be repeated
    python tests/faults/run.py --area front          those of one file

A fault is a table of a TOML file beside this one: what it would teach, the file below
``src/zerostride``, the text that stands there and the one put in its place, and the tests meant to
catch it, below ``tests``. ``test_x.py::test_y[numpy`` stands for each case whose name begins so, and
one of them has to fail. It has to fail by an assertion: a test that breaks, is skipped or cannot be
collected has caught nothing. The same tests have to pass without the fault.

Exit status 1 where a fault survives.
"""

import argparse
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TIME_LIMIT_S = 300


@dataclass(frozen=True)
class Fault:
    """One fault; ``claim`` and ``suites`` where it concerns one of the fourteen claims.

    ``ends`` names the error where a test runs the code that is recommended, and that does not run.
    """

    area: str
    name: str
    teaches: str
    file: str
    was: str
    becomes: str
    tests: tuple[str, ...]
    claim: str = ""
    suites: tuple[str, ...] = ()
    ends: str = "failed"


def faults(more: Iterable[Path] = ()) -> list[Fault]:
    """Return the faults of all files here, and of more files."""
    return [
        Fault(file.stem, name, **{key: tuple(v) if isinstance(v, list) else v for key, v in table.items()})
        for file in (*sorted(HERE.glob("*.toml")), *more)
        for name, table in tomllib.loads(file.read_text("utf-8")).items()
    ]


class Witness:
    """A plugin for pytest: it keeps the wanted cases, notes how each ended, and stops once enough failed."""

    def __init__(self, wanted: Iterable[str], *, to_the_end: bool) -> None:
        self.wanted, self.to_the_end = tuple(wanted), to_the_end
        self.seen: dict[str, str] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what was not asked for."""
        items[:] = [item for item in items if item.nodeid.startswith(self.wanted)]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note what cannot be collected."""
        if report.failed:
            self.seen[report.nodeid] = "not collected"

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Note how a case ended, by the first of its phases that went wrong."""
        self.seen.setdefault(item.nodeid, "passed")
        if call.excinfo and self.seen[item.nodeid] == "passed":
            failed = call.excinfo.errisinstance((AssertionError, pytest.fail.Exception))
            how = "failed" if failed and call.when == "call" else call.excinfo.typename
            self.seen[item.nodeid] = how
        failed = [node for node, how in self.seen.items() if how == "failed"]
        if not self.to_the_end and all(any(node.startswith(each) for node in failed) for each in self.wanted):
            item.session.shouldstop = "caught"


@contextmanager
def copied() -> Iterator[Path]:
    """Copy the checkout, so that nothing in it changes."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        # Another process may be writing bytecode, under names that vanish.
        left_out = shutil.ignore_patterns(".*", "*.pyc.*")
        for name in ("src", "tests", "notebooks"):
            shutil.copytree(ROOT / name, Path(folder, name), ignore=left_out)
        for file in filter(Path.is_file, ROOT.iterdir()):
            shutil.copy(file, folder)
        yield Path(folder)


def ended(copy: Path, tests: Iterable[str], *, to_the_end: bool = False) -> dict[str, str]:
    """Return how each case of the tests ends against the package in the copy, in a process of its own."""
    forked = multiprocessing.get_context("fork")
    here, there = forked.Pipe(duplex=False)
    child = forked.Process(target=_run, args=(copy, [f"tests/{each}" for each in tests], to_the_end, there))
    child.start()
    there.close()
    try:
        return here.recv() if here.poll(TIME_LIMIT_S) else {"": "no end"}
    except EOFError:
        return {"": "the process died"}
    finally:
        # A test that hangs may have started a browser or a server.
        with suppress(ProcessLookupError):
            os.killpg(child.pid or 0, signal.SIGKILL)
        child.join()


def _run(copy: Path, nodes: list[str], to_the_end: bool, answer: Connection) -> None:
    os.setsid()
    os.chdir(copy)
    sys.path.insert(0, str(copy / "src"))
    os.environ |= {"PYTHONPATH": sys.path[0], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    # A file that was faulty a moment ago must leave nothing compiled behind.
    os.environ["PYTHONDONTWRITEBYTECODE"], sys.dont_write_bytecode = "1", True
    if not os.environ.get("FAULTS_VERBOSE"):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
    import zerostride

    assert Path(zerostride.__file__).is_relative_to(copy), zerostride.__file__
    witness = Witness(nodes, to_the_end=to_the_end)
    functions = sorted({each.partition("[")[0] for each in nodes})
    pytest.main(["-q", "-c", str(copy / "pyproject.toml"), *functions], [witness])
    answer.send({node.removeprefix("tests/"): how for node, how in witness.seen.items()})


def verdict(fault: Fault, seen: dict[str, str]) -> str:
    """Return "caught" where each test that is meant for a fault has failed in at least one case."""
    for test in fault.tests:
        cases = [how for node, how in seen.items() if node.startswith(test)]
        if fault.ends not in cases:
            others = sorted({*cases, *(how for node, how in seen.items() if node.partition("::")[0] == node)})
            return f"survived {test}: {', '.join(others) or 'no such case'}"
    return "caught"


def tried(copy: Path, fault: Fault) -> str:
    """Return what became of one fault."""
    file = copy / "src" / "zerostride" / fault.file
    whole = file.read_text("utf-8")
    if whole.count(fault.was) != 1:
        return f"stands {whole.count(fault.was)} times in {fault.file}"
    file.write_text(whole.replace(fault.was, fault.becomes), "utf-8")
    try:
        return verdict(fault, ended(copy, fault.tests))
    finally:
        file.write_text(whole, "utf-8")


def _warm() -> None:
    """Load what every process would load again: libraries, and nothing of the package."""
    for name in ("numpy", "torch", "matplotlib.figure", "ipywidgets", "hypothesis"):
        try:
            __import__(name)
        except ImportError:
            continue


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--name", action="append", default=[], help="a fault; may be repeated")
    parser.add_argument(
        "--area", action="append", default=[], help="a file here without .toml; may be repeated"
    )
    parser.add_argument("--file", action="append", default=[], type=Path, help="more faults")
    return parser.parse_args()


def main() -> int:
    """Try faults; return 1 where one survives."""
    asked = _arguments()
    chosen = [
        each for each in faults(asked.file)
        if (not asked.name or each.name in asked.name) and (not asked.area or each.area in asked.area)
    ]  # fmt: skip
    unknown = set(asked.name) - {each.name for each in chosen}
    if unknown or not chosen:
        print(f"no such fault: {', '.join(unknown)}", file=sys.stderr)
        return 2
    _warm()
    rows = []
    with copied() as copy:
        without = ended(copy, sorted({test for each in chosen for test in each.tests}), to_the_end=True)
        spoilt = {node: how for node, how in without.items() if how != "passed"}
        for each in chosen:
            start = time.monotonic()
            own = [f"{node} {how}" for node, how in spoilt.items() if node.startswith(each.tests)]
            found = f"without the fault: {own[0]}" if own else tried(copy, each)
            rows.append((each.area, each.name, f"{time.monotonic() - start:.0f} s", found))
            print("  ".join(rows[-1]), flush=True)
    survivors = [row for row in rows if row[-1] != "caught"]
    print(f"\n{len(rows)} faults, {len(rows) - len(survivors)} caught")
    for row in survivors:
        print("  ".join(row))
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
