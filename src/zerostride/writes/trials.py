"""What a statement does, found by running it on fresh small arrays beside an independent copy.

The statements are this package's own; they run in a child process (see ``children``).
"""

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from zerostride.gradients.precision import same
from zerostride.layouts import is_tensor, layout
from zerostride.layouts.arithmetic import byte_offsets
from zerostride.writes.operations import METADATA, Operation
from zerostride.writes.rows import Row
from zerostride.writes.targets import line

MARGIN = 64
Values = np.ndarray[Any, np.dtype[Any]]


class Sample:
    """Names of a fresh ``y`` and what else its line made, with all of its memory in view."""

    def __init__(self, made: str, *, copied: bool = False) -> None:
        self.names: dict[str, Any] = {"np": np}
        if "torch" in made or "torch" in sys.modules:
            import torch

            torch.manual_seed(0)
            self.names["torch"] = torch
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(made, self.names)
            if copied:
                self.names["y"] = copy_of(self.names["y"])
        self.y = self.names["y"]
        self.root = root_of(self.y)

    def run(self, statement: str) -> tuple[str, set[str]]:
        """Run a statement; return the class of its error and those of its warnings."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            error = ""
            try:
                exec(statement, self.names)
            except Exception as raised:  # whatever a library may raise is the answer
                error = type(raised).__name__
        return error, {each.category.__name__ for each in caught}

    @property
    def result(self) -> Any:
        """What the statement leaves under the name it made, or in ``y``."""
        return self.names.get("z", self.names["y"])

    @property
    def form(self) -> tuple[object, ...]:
        """What is not values: shape, strides, address, flags."""
        y = self.names["y"]
        if is_tensor(y):
            return tuple(y.shape), y.stride(), y.data_ptr(), y.requires_grad
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # asking some arrays for the flag warns already
            return y.shape, y.strides, y.ctypes.data, y.flags.writeable


def copy_of(y: Any) -> Any:
    """Return an independent copy, outside any graph."""
    return y.detach().clone() if is_tensor(y) else y.copy()


def values_of(y: Any) -> Values:
    """Return the values as an array that shares nothing with them."""
    return np.array(y.detach().tolist()).reshape(tuple(y.shape)) if is_tensor(y) else np.array(y)


def root_of(y: Any) -> Any:
    """Return all memory that ``y`` is a part of, as one row."""
    if is_tensor(y):
        import torch

        whole = y.detach().untyped_storage()
        size = whole.nbytes() // y.element_size()
        return torch.empty(0, dtype=y.dtype, device=y.device).set_(whole, 0, (size,), (1,))
    root = y
    while getattr(root, "base", None) is not None:
        root = root.base
    return root.reshape(-1)


def row_of(operation: Operation, target: str) -> Row:
    """Return what one statement does to one layout.

    Examples
    --------
    >>> row_of(Operation("numpy", "assignment", "y[0, 0] = 9", partial=True), "lifted").outcome
    'together'
    """
    made = line(operation.library, target, operation.kind)
    row = partial(Row, operation.library, operation.family, operation.statement, target, kind=operation.kind)
    if operation.reason or not made:
        return row(outcome="not_applicable", reason=operation.reason or "no_such_layout")
    if target == "saved":
        return _saved(operation, made, row)
    if layout(Sample(made).y).outside:  # never run: what it would write over is not its own
        return row(outcome="unsafe")
    copy = Sample(made, copied=True)
    before = values_of(copy.y)
    refused, usual = copy.run(operation.reference or operation.statement)
    if refused:
        return row(outcome="not_applicable", reason="copy_refuses", error=refused)
    wanted = values_of(copy.y)
    if operation.family not in ("autograd", "compiled") and writes_outside(made, operation.statement):
        return row(outcome="unsafe", instead=_instead(operation, made, wanted))
    seen = _seen(operation, made, before, wanted, usual)
    needs_help = seen.outcome in ("raises", "warns", "together", "differs", "unsafe")
    instead = _instead(operation, made, wanted) if needs_help else ""
    return row(**seen.__dict__, instead=instead)


@dataclass
class _Seen:
    outcome: str
    error: str = ""
    warning: str = ""
    then: str = ""
    volatile: bool = False
    reason: str = ""


def _seen(operation: Operation, made: str, before: Values, wanted: Values, usual: set[str]) -> _Seen:
    sample = Sample(made)
    form, memory = sample.form, values_of(sample.root)
    error, warned = sample.run(operation.statement)
    changed = not same(values_of(sample.root), memory).all()
    if error:
        return _Seen("raises", error, then="differs" if changed else "")
    if not changed and wanted.shape == before.shape and same(wanted, before).all():
        return _without_values(operation, sample.form != form)
    if sample.y.shape != wanted.shape or sample.form[:3] != form[:3]:
        return _without_values(operation, True)
    addressed = ~same(wanted, before) if operation.partial else np.ones(before.shape, bool)
    got = values_of(sample.names["y"])
    here = _places(sample, form)
    right = same(got, wanted)[addressed].all() and _neighbours_stay(sample, memory, here)
    others = np.isin(here, here[addressed]) & ~addressed
    meet = others.any() or len(np.unique(here[addressed])) < addressed.sum()
    outcome = "differs" if not right else "together" if meet and changed else "safe"
    said = ", ".join(sorted(warned - usual))
    volatile = outcome == "differs"
    return _Seen("warns", "", said, outcome, volatile) if said else _Seen(outcome, volatile=volatile)


def _without_values(operation: Operation, form_changed: bool) -> _Seen:
    if form_changed or operation.family == "metadata" or _method(operation.statement) in METADATA:
        return _Seen("metadata")
    if operation.family in ("door", "autograd"):
        return _Seen("safe")
    return _Seen("not_applicable", reason="no_effect")


def _method(statement: str) -> str:
    found = re.match(r"y\.(\w+)\(", statement)
    return found[1] if found else ""


def _places(sample: Sample, form: tuple[Any, ...]) -> Values:
    """Return where each element of ``y`` lies in its memory, counted in elements."""
    read = layout(sample.y)
    start = read.storage_offset_bytes
    if not is_tensor(sample.y):
        start = form[2] - sample.root.ctypes.data
    return byte_offsets(read.shape, read.strides_bytes, start) // read.itemsize


def _neighbours_stay(sample: Sample, memory: Values, here: Values) -> bool:
    """Return whether all memory that is no element of ``y`` is as before."""
    others = np.ones(len(memory), bool)
    others[here.ravel()] = False
    return bool(same(values_of(sample.root), memory)[others].all())


def writes_outside(made: str, statement: str) -> bool:
    """Return whether a statement writes past the ends of the memory of ``y``; shown on memory with margins.

    Examples
    --------
    >>> writes_outside(line("numpy", "lifted"), "y += 1")
    False
    """
    sample = Sample(made)
    read, memory = layout(sample.y), values_of(sample.root)
    root = np.asarray(sample.root)
    fenced = np.zeros(len(memory) + 2 * MARGIN, root.dtype)
    middle = fenced[MARGIN:-MARGIN]
    middle[:] = root
    inside: Any
    if is_tensor(sample.y):
        import torch

        start = sample.y.storage_offset()
        inside = torch.from_numpy(middle).as_strided(read.shape, sample.y.stride(), start)
    else:
        start = (sample.y.ctypes.data - sample.root.ctypes.data) // read.itemsize
        inside = np.lib.stride_tricks.as_strided(
            middle[start:], read.shape, read.strides_bytes, writeable=bool(sample.form[-1])
        )
    sample.names["y"] = inside
    sample.run(statement)
    return bool(fenced[:MARGIN].any() or fenced[-MARGIN:].any())


def _saved(operation: Operation, made: str, row: Callable[..., Row]) -> Row:
    """Return what a write does to a derivative whose program has saved ``y``."""
    clean = Sample(made)
    clean.run("loss.backward()")
    wanted = values_of(clean.names["x"].grad)

    def tried(statement: str) -> tuple[str, str]:
        sample = Sample(made)
        error, _ = sample.run(statement)
        if error:
            return "raises", error
        return "safe" if same(values_of(sample.names["x"].grad), wanted).all() else "differs", ""

    outcome, error = tried(operation.statement)
    instead = operation.instead if outcome != "safe" and tried(operation.instead)[0] == "safe" else ""
    return row(outcome=outcome, error=error, instead=instead)


def _instead(operation: Operation, made: str, wanted: Values) -> str:
    """Return the first way that gives the right numbers and leaves all memory of ``y`` alone."""
    for statement in _ways(operation, "clone" if is_tensor(Sample(made).y) else "copy"):
        sample = Sample(made)
        memory = values_of(sample.root)
        error, _ = sample.run(statement)
        result = sample.result
        if error or not hasattr(result, "strides" if isinstance(result, np.ndarray) else "stride"):
            continue
        dtype_kept = "z" in sample.names or result.dtype == sample.y.dtype
        got = values_of(result)
        right = dtype_kept and got.shape == wanted.shape and same(got, wanted).all()
        if right and same(values_of(sample.root), memory).all():
            return statement
    return ""


def _ways(operation: Operation, copying: str) -> Iterator[str]:
    statement = operation.statement
    if operation.instead:
        yield operation.instead
    if method := re.fullmatch(r"y\.(\w+[^_])_(\(.*\))", statement):
        yield f"y = y.{method[1]}{method[2]}"
    if operator := re.fullmatch(r"y (\S+)= (.+)", statement):
        yield f"y = y {operator[1]} {operator[2]}"
    if ", out=y" in statement and "where=" not in statement:
        yield f"y = {statement.replace(', out=y', '')}"
    yield f"y = y.{copying}(); {statement}"
    for right in filter(None, (operation.instead, operation.reference)):
        yield f"y = y.{copying}(); {right}"
