"""Statements tried in a child process, since a few of them corrupt memory."""

import json
from collections.abc import Sequence
from dataclasses import astuple, replace

from zerostride.child import run_child
from zerostride.language import say
from zerostride.writes.rows import Row

TIME_LIMIT_S = 120
ENDED_AT_MOST = 20


def probed(libraries: Sequence[str], time_limit_s: float = TIME_LIMIT_S) -> list[Row]:
    """Return a row for each statement and each layout, tried on the installed versions.

    A statement that ends the process, or never ends, is ``"unsafe"``; the
    next process goes on after it.

    Raises
    ------
    RuntimeError
        If no child process gets through, with what it said last.

    Examples
    --------
    >>> rows = probed(["numpy"])
    >>> next(row.outcome for row in rows if row.operation == "y += 1")
    'raises'
    """
    rows: list[Row] = []
    for _ in range(ENDED_AT_MOST):
        before = len(rows)
        finished, said = _child(libraries, rows, time_limit_s)
        if finished:
            return rows
        if len(rows) == before:
            break
    raise RuntimeError(say("writes.no_child", said=said))


def _child(libraries: Sequence[str], rows: list[Row], time_limit_s: float) -> tuple[bool, str]:
    """Try what is not in ``rows`` yet and add it; return whether that was all, and its last words."""
    variables = {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "default"}
    asked = ("probe", str(len(rows)), *libraries)
    ended = run_child("zerostride.writes", *asked, seconds=time_limit_s, **variables)
    started = None
    for line in ended.lines:
        if line.startswith("["):
            row = Row(*json.loads(line))
            started = row if row.outcome == "started" else None
            rows += [] if started else [row]
    if started:
        rows.append(replace(started, outcome="unsafe"))
    return ended.status == 0, ended.last_words


def probe(libraries: Sequence[str], skip: int = 0) -> None:
    """Try every statement and print a line before each and a line after; the child's part."""
    from zerostride.writes.operations import Operation
    from zerostride.writes.trials import row_of

    operations: list[Operation] = []
    if "numpy" in libraries:
        from zerostride.writes.numpy_forms import numpy_operations

        operations += numpy_operations()
    if "torch" in libraries:
        import torch

        from zerostride.writes.torch_forms import torch_operations

        torch.set_warn_always(True)  # else each warning is heard once a process
        operations += torch_operations()
    pairs = [(operation, target) for operation in operations for target in operation.targets]
    for operation, target in pairs[skip:]:
        about = (operation.library, operation.family, operation.statement, target)
        _print(Row(*about, outcome="started", kind=operation.kind))
        _print(row_of(operation, target))


def _print(row: Row) -> None:
    print(json.dumps(astuple(row)), flush=True)
