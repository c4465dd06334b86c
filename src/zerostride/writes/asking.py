"""May this be written? The statement is tried on a small array of the same kind of layout."""

import ast
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zerostride.gradients.precision import same
from zerostride.language import say
from zerostride.layouts import Layout, is_tensor, layout
from zerostride.sharing import Writability, writable
from zerostride.writes.answers import WriteAnswer
from zerostride.writes.likeness import Index, Likeness, like, listed_in
from zerostride.writes.operations import METADATA, of_method
from zerostride.writes.performing import Scope
from zerostride.writes.recorded import recorded
from zerostride.writes.rows import Row
from zerostride.writes.shrinking import NotLikeItError
from zerostride.writes.statements import BY_POSITION, StatementError, Write, parsed
from zerostride.writes.trials import Values, copy_of, values_of

SHOW_AT_MOST = 12
LARGE_COPY_BYTES = 1 << 30


def can_i_write(x: Any, statement: str) -> WriteAnswer:
    """Return what a statement would do to an array or a tensor; nothing is written into it.

    The statement is read, not run: assignments to a part, ``+=`` and its like,
    methods in place, functions with ``out=``. It is tried on a small array
    of the same kind of layout, with numbers that are written out.

    Parameters
    ----------
    x : numpy.ndarray or torch.Tensor
        What would be written into.
    statement : str
        One line; whatever name it writes to stands for ``x``.

    Returns
    -------
    WriteAnswer
        The ``outcome``, which elements it ``also_changes``, and what to write ``instead``.

    Raises
    ------
    TypeError
        If ``x`` has no strides or the statement is no text.
    ValueError
        If the statement is none of the allowed forms.

    Examples
    --------
    >>> view = np.broadcast_to(np.array([[1.0, 2.0, 3.0]]), (4, 3))
    >>> can_i_write(view, "view[0, 0] = 9").error
    'ValueError'
    >>> can_i_write(view.copy(), "view[0, 0] = 9").outcome
    'safe'
    >>> view.flags.writeable = True
    >>> can_i_write(view, "view[0, 0] = 9").also_changes
    ((1, 0), (2, 0), (3, 0))
    """
    read = layout(x)
    write = parsed(statement)
    row = Row(read.library, "asked", write.text, "", "not_applicable")
    judged = writable(x)
    if judged.outcome == "outside_storage":
        return WriteAnswer(replace(row, outcome="unsafe"))
    if reason := _no_sample(x, judged.outcome):
        return WriteAnswer(replace(row, reason=reason))
    try:
        likeness = like(x, read, write)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # a view that is asked for may be deprecated; writes are heard apart
            answer = _Trial(likeness, read, write, judged, is_tensor(x) and x.requires_grad).answer(row)
    except NotLikeItError as unlike:
        return WriteAnswer(replace(row, reason=str(unlike)))
    if (
        answer.instead
        and "copy" in answer.instead.replace("clone", "copy")
        and read.logical_bytes > LARGE_COPY_BYTES
    ):
        answer = replace(answer, notes=(*answer.notes, "large_copy"))
    learns = is_tensor(x) and x.requires_grad and answer.outcome not in ("raises", "not_applicable")
    return replace(answer, notes=(*answer.notes, "learns")) if learns else answer


def _no_sample(x: Any, outcome: str) -> str:
    if outcome == "unknown":
        return "unknown"
    if is_tensor(x):
        if x.device.type != "cpu":
            return "device"
        if "layout.no_data" in layout(x).note_keys:  # a fake tensor says that it is on the CPU
            return "unknown"
        return "lazy" if x.is_conj() or x.is_neg() else ""
    if type(x) not in (np.ndarray, np.memmap):
        return "subclass"
    return "dtype" if x.dtype.kind not in "biufc" else ""


def _copied_first(write: Write, way: str, text: str) -> str:
    return f"{write.name} = {write.name}.{way}(); {text}"


@dataclass
class _Trial:
    likeness: Likeness
    read: Layout
    write: Write
    judged: Writability
    learns: bool

    def answer(self, row: Row) -> WriteAnswer:
        """Return what the statement does to the sample, beside what it does to a copy."""
        sample, addresses = self.likeness.sample, self.likeness.addresses
        notes = ("smaller",) * self.likeness.smaller
        copy = copy_of(sample)
        before = values_of(copy)
        refused, usual = _run(Scope(self.likeness.write, copy, copied=True))
        if refused:
            # That an array is read-only is told first.
            refused = _run(Scope(self.likeness.write, sample))[0] or refused
            return WriteAnswer(replace(row, outcome="raises", error=refused), notes=(*notes, "copy_refuses"))
        goes_past = self.write.called in ("detach_", "requires_grad_") or self.write.is_detached
        inference = "inference" in self.judged.because  # the sample is such a tensor too
        if self.judged.outcome == "refused" and not (goes_past or inference):
            found = replace(row, outcome="raises", error="RuntimeError", instead=self._instead())
            return WriteAnswer(found, notes=(*notes, "refused"))
        wanted = values_of(copy)
        addressed = self._addressed(before, wanted)
        error, warned = _run(Scope(self.likeness.write, sample))
        if error:
            found = replace(row, outcome="raises", error=error, instead=self._instead())
            return WriteAnswer(found, notes=notes)
        if self.write.called in METADATA:
            return WriteAnswer(replace(row, outcome="metadata"), notes=notes)
        if _into_a_copy(Scope(self.likeness.write, sample)):
            return WriteAnswer(replace(row, outcome="safe"), notes=(*notes, "nothing_named"))
        got = values_of(sample)
        right = got.shape == wanted.shape and bool(same(got, wanted)[addressed].all())
        others = np.isin(addresses, addresses[addressed]) & ~addressed
        meet = others.any() or len(np.unique(addresses[addressed])) < addressed.sum()
        outcome = "differs" if not right else "together" if meet else "safe"
        found = replace(row, outcome=outcome, volatile=not right)
        if said := ", ".join(sorted(warned - usual)) or "DeprecationWarning" * (
            "warns" in self.judged.because
        ):
            found = replace(found, outcome="warns", warning=said, then=outcome)
        if found.outcome != "safe":
            found = replace(found, instead=self._instead())
        if not addressed.any() and addressed.size:
            notes = (*notes, "nothing_named")
        listed, left_out = self._listed(others)
        return WriteAnswer(found, listed, left_out, notes)

    def _addressed(self, before: Values, wanted: Values) -> Values:
        """Return which elements the statement names."""
        write = self.likeness.write
        if not isinstance(write.place, ast.Name):
            sample = self.likeness.sample
            marks = (
                sample.new_zeros(before.shape).bool() if is_tensor(sample) else np.zeros(before.shape, bool)
            )
            holder, index = Scope(write, sample, marks=marks).place(write.place)
            try:
                holder[... if index is None else index[0]] = True
            except Exception:  # a mask of one library's for the other, for instance
                raise StatementError(say("writes.ask.value", text=ast.unparse(write.place))) from None
            return values_of(marks).astype(bool)
        partial = write.form == "function" or write.called.startswith(("index_", "masked_", "scatter_"))
        if before.shape != wanted.shape or not (partial or write.called in (*BY_POSITION, "fill_diagonal_")):
            return np.ones(before.shape, bool)
        changed = ~same(before, wanted)
        if not write.call or any(
            map(write.mentions_itself, (*write.call.args[1:], *write.call.args[: not partial]))
        ):
            return changed
        # What is written may be what stood there: other values show that.
        other = copy_of(self.likeness.sample)
        other[...] = other == 0
        before = values_of(other)
        _run(Scope(write, other, copied=True))
        return np.asarray(changed | ~same(before, values_of(other)))

    def _instead(self) -> str:
        write = self.write
        if found := _out_of_place(write, self.read.library):
            return found
        if write.called == "requires_grad_" and self.learns:  # a clone is a result too
            return f"{write.name} = {write.name}.detach()"
        # Both out= and numpy() are for what is in no graph.
        detached = self.learns and (write.form == "function" or write.through_numpy)
        way = "copy" if self.read.library != "torch" else "detach().clone" if detached else "clone"
        if not write.names_itself or self.read.library != "torch":
            return _copied_first(write, way, write.text)
        text = _with_copied_sources(write)
        enough = self.read.overlaps is False and self.judged.outcome != "refused"
        return text if enough else _copied_first(write, way, text)

    def _listed(self, others: Values) -> tuple[tuple[Index, ...], int | None]:
        if self.likeness.smaller:
            return listed_in(self.read, self.write, SHOW_AT_MOST) if others.any() else ((), 0)
        found = [tuple(map(int, each)) for each in np.argwhere(others)]
        return tuple(found[:SHOW_AT_MOST]), max(len(found) - SHOW_AT_MOST, 0)


def _with_copied_sources(write: Write) -> str:
    """Return the statement with what it reads of its own array cloned first."""
    line = ast.parse(write.text).body[0]
    if isinstance(line, ast.Assign | ast.AugAssign):
        line.value = _cloned(line.value)
    if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call):
        line.value.args = [_cloned(each) if write.mentions_itself(each) else each for each in line.value.args]
    return ast.unparse(line)


def _cloned(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(node, "clone"), [], [])


def _run(scope: Scope) -> tuple[str, set[str]]:
    """Do a write; return the class of its error and those of its warnings."""
    error = ""
    with _apart(is_tensor(scope.array)), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            scope.perform()
        except StatementError:
            raise
        except AttributeError:
            raise StatementError(say("writes.ask.method", name=scope.write.called)) from None
        except Exception as raised:  # what the library raises is the answer
            error = type(raised).__name__
    return error, {each.category.__name__ for each in caught}


@contextmanager
def _apart(with_torch: bool) -> Iterator[None]:
    """Keep torch's random numbers as they are, and hear each of its warnings."""
    if not with_torch:
        yield
        return
    import torch

    always = torch.is_warn_always_enabled()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        torch.set_warn_always(True)
        try:
            yield
        finally:
            torch.set_warn_always(always)


def _into_a_copy(scope: Scope) -> bool:
    """Return whether what is written into, such as a list of rows, shares nothing with the array."""
    held, index = scope.place(scope.write.place)
    if index and scope.write.call:
        held = held[index[0]]
    held = held.base if isinstance(held, np.flatiter) else held
    if is_tensor(held):
        return bool(held.untyped_storage().data_ptr() != scope.array.untyped_storage().data_ptr())
    return not is_tensor(scope.array) and held.size > 0 and not np.may_share_memory(held, scope.array)


def _out_of_place(write: Write, library: str) -> str:
    """Return the same call out of place where the atlas has found that it gives the same, or ""."""
    if write.form != "method" or not isinstance(write.place, ast.Name) or library != "torch":
        return ""
    plain = write.called.removesuffix("_")
    known = of_method(write.called).statement
    ways = (row.instead for row in recorded()[1] if row.operation == known and row.target == "expanded")
    if not next(ways, "").startswith(f"y = y.{plain}("):
        return ""
    assert write.call is not None
    call = ast.Call(ast.Attribute(write.place, plain), write.call.args, write.call.keywords)
    return f"{write.name} = {ast.unparse(call)}"
