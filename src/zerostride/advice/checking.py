"""What has to hold for an answer, tried now on a small instance of the shapes."""

import io
import pickle
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from math import prod
from typing import Any

import numpy as np

from zerostride.advice.decisions import VIEWS
from zerostride.advice.growth import Growth
from zerostride.advice.instance import Instance, as_expansion, write_first
from zerostride.gradients import finite_difference, numbers
from zerostride.language import say
from zerostride.layouts import layout
from zerostride.reshaping import reshape_copies
from zerostride.sharing import compare, writable

Found = tuple[bool, dict[str, object]]


@dataclass(frozen=True)
class Check:
    """One thing that has to hold, and what was found.

    Attributes
    ----------
    name : str
        What was tried.
    status : {"passed", "failed", "not_run", "not_applicable"}
        A check that says nothing here is never passed.
    evidence : dict
        Measured numbers and short texts.
    claim : str
        The claim of ``zs.checks`` that it belongs to; empty if none.
    lesson : str
        The lesson that explains it.
    """

    name: str
    status: str
    evidence: dict[str, object]
    claim: str
    lesson: str

    @property
    def title(self) -> str:
        """What has to hold, in the language in use."""
        return say(f"advice.check.{self.name}")

    @property
    def words(self) -> str:
        """What was found, in the language in use."""
        if self.status in ("not_run", "not_applicable"):
            return say(f"advice.not_tried.{self.evidence['reason']}")
        values = dict(self.evidence)
        if "outcome" in values:
            values["outcome"] = say(f"sharing.outcome.{values['outcome']}")
        return say(f"advice.found.{self.name}", **values)

    @property
    def told(self) -> str:
        """What has to hold, what was found and where it is explained."""
        return say("advice.told", title=self.title, words=self.words, link=self.link)

    @property
    def link(self) -> str:
        """Where it is explained: claim and lesson."""
        claim = f"zs.checks.{self.claim}" if self.claim else ""
        return say("advice.dot").join(part for part in (claim, self.lesson) if part)

    def to_dict(self) -> dict[str, object]:
        """Return every field under its name."""
        return {name: getattr(self, name) for name in ("name", "status", "evidence", "claim", "lesson")}


def same_values(at: Instance) -> Found:
    """Return whether the right element of the source stands at every place."""
    y, origin = at.made(at.x()), at.origin()
    right = tuple(y.shape) == origin.shape and np.array_equal(numbers(y), numbers(at.x()).ravel()[origin])
    return bool(right), {"shape": tuple(y.shape), "elements": origin.size}


def shares_storage(at: Instance) -> Found:
    """Return whether the result reads the source's own bytes."""
    x = at.x()
    y = at.made(x)
    seen = compare(x, y)
    # Nothing is shared where nothing is stored.
    return bool(seen.same_storage), {"logical": layout(y).logical_bytes, "stored": layout(x).storage_bytes}


def own_storage(at: Instance) -> Found:
    """Return whether every element has bytes of its own."""
    x = at.x()
    y = at.made(x)
    apart = compare(x, y).common_bytes == 0 and layout(y).overlaps is False
    return apart, {"bytes": layout(y).touched_bytes, "logical": layout(y).logical_bytes}


def source_edit_is_seen(at: Instance) -> Found:
    """Return whether an edit of the source shows wherever it is read."""
    changed, uses = _after_source_edit(at, at.answer)
    return changed == uses, {"changed": changed, "uses": uses}


def source_edit_is_not_seen(at: Instance) -> Found:
    """Return whether an edit of the source shows nowhere in a copy."""
    changed, uses = _after_source_edit(at, "repeat_each" if at.growth.pattern == "each" else "repeat")
    return changed == 0, {"changed": changed, "uses": uses}


def _after_source_edit(at: Instance, answer: str) -> tuple[int, int]:
    x = at.x()
    y = at.made(x, answer)
    before = numbers(y).copy()
    write_first(x)
    return int((numbers(y) != before).sum()), int((at.origin() == 0).sum())


def edit_stays(at: Instance) -> Found:
    """Return whether writing one element changes it alone."""
    x = at.x()
    y = at.made(x)
    before, source = numbers(y).copy(), numbers(x).copy()
    try:
        write_first(y)
    except ValueError:  # NumPy's read-only flag
        return False, {"changed": 0}
    changed = int((numbers(y) != before).sum())
    return changed == 1 and np.array_equal(numbers(x), source), {"changed": changed}


def edit_returns_a_new_array(at: Instance) -> Found:
    """Return whether an edit out of place leaves the source as it is."""
    x = at.x()
    edited = at.added(at.made(x))
    untouched = np.array_equal(numbers(x), numbers(at.x()))
    return untouched and compare(x, edited).common_bytes == 0, {"bytes": layout(edited).logical_bytes}


def write_would_spread(at: Instance) -> Found:
    """Return whether a write into the view is refused, or changes several elements at once."""
    found = writable(at.made(at.x())).outcome
    return found in ("read_only", "changes_several", "refused"), {"outcome": found}


def operation_broadcasts(at: Instance) -> Found:
    """Return whether an operation gives the same with the source as with the expanded view."""
    x = at.x()
    direct, through = at.added(x), at.added(at.made(x))
    same = tuple(direct.shape) == at.growth.target and np.array_equal(numbers(direct), numbers(through))
    return same, {"shape": tuple(direct.shape)}


def gradient_adds_up(at: Instance) -> Found:
    """Return whether the derivative of the source is the sum of the weights of its uses."""
    wanted = at.summed()
    if at.torch is None:
        weights = at.like(at.weights(), "float64")
        found = finite_difference(lambda z: (at.made(z) * weights).sum(), at.x("float64")).values
    else:
        x = at.x().requires_grad_()
        (at.made(x) * at.like(at.weights())).sum().backward()
        found = numbers(x.grad)
    near = bool(np.allclose(found, wanted, rtol=1e-6, atol=1e-6))
    return near, {"first": f"{float(found.ravel()[0]):g}", "uses": int((at.origin() == 0).sum())}


def each_learns(at: Instance) -> Found:
    """Return whether one step moves every copy by its own gradient."""
    return _stepped(at, each=True)


def one_value_learns(at: Instance) -> Found:
    """Return whether one step moves the shared value by the sum over its uses."""
    return _stepped(at, each=False)


def _stepped(at: Instance, *, each: bool) -> Found:
    weights = at.like(at.weights())
    if at.torch is None:
        start = at.made(at.x()) if each else at.x()
        learned, slope = start.copy(), at.like(at.weights() if each else at.summed())
        learned -= slope
        return _moved(start, learned, at.weights() if each else at.summed())
    torch = at.torch
    start = (at.made(at.x()) if each else at.x()).detach()
    parameter = torch.nn.Parameter(start.clone())
    optimizer = torch.optim.SGD([parameter], lr=1.0, foreach=False)
    ((parameter if each else at.made(parameter)) * weights).sum().backward()
    optimizer.step()
    return _moved(start, parameter, at.weights() if each else at.summed())


def _moved(start: Any, learned: Any, wanted: Any) -> Found:
    moved = numbers(start).astype("float64") - numbers(learned)
    return bool(np.array_equal(moved, wanted)), {"values": layout(learned).size}


def is_contiguous(at: Instance) -> Found:
    """Return whether the memory is one block in order, as an extension wants it."""
    y = at.made(at.x())
    return bool(layout(y).contiguous), {"strides": layout(y).strides_bytes}


def result_is_dense(at: Instance) -> Found:
    """Return whether the result of an operation has bytes of its own for every element."""
    x = at.x()
    result = at.added(at.made(x))
    dense = bool(layout(result).contiguous) and compare(x, result).common_bytes == 0
    return dense, {"bytes": layout(result).logical_bytes}


def reshape_last_copies(at: Instance) -> Found:
    """Return whether a reshape across an expanded axis copies what a reshape before it does not."""
    expanded = as_expansion(at.growth)
    flat = reshape_copies(at.made(at.x(), "expand", expanded), -1)
    first = at.made(at.x())
    return flat.copies, {"copied": flat.copied_bytes, "stored": layout(first).touched_bytes}


def comes_back(at: Instance) -> Found:
    """Return whether the source, saved or sent, expands to the same afterwards."""
    x = at.x()
    written = io.BytesIO()
    if at.torch is None:
        np.save(written, x)
        back = np.load(io.BytesIO(written.getvalue()))
    else:
        at.torch.save(x, written)
        back = at.torch.load(io.BytesIO(written.getvalue()))
    same = np.array_equal(numbers(at.made(back)), numbers(at.made(x)))
    sent = np.array_equal(numbers(at.made(pickle.loads(pickle.dumps(x)))), numbers(at.made(x)))
    return same and sent, {"data": layout(x).logical_bytes, "all": layout(at.made(x)).logical_bytes}


def library_refuses(at: Instance) -> Found:
    """Return whether the library itself refuses to expand."""
    try:
        at.made(at.x(), "expand", as_expansion(at.growth))
    except (ValueError, RuntimeError) as error:
        return True, {"source": at.growth.source, "target": at.growth.target, "error": type(error).__name__}
    return False, {"source": at.growth.source, "target": at.growth.target, "error": "-"}


def no_small_step(at: Instance) -> Found:
    """Return whether a small step is lost, and torch refuses a gradient."""
    error = ""
    if at.torch is not None:
        try:
            at.x().requires_grad_()
        except RuntimeError as refused:
            error = type(refused).__name__
    stays = bool(np.array_equal((at.values.astype("float64") + 1e-5).astype("int64"), at.values))
    return stays and (at.torch is None or bool(error)), {"dtype": at.dtype, "error": error or "-"}


def nothing_learns(at: Instance) -> Found:
    """Return whether no derivative leads to the source."""
    recorded = bool(
        getattr((at.made(at.x(), "repeat") * at.like(at.weights())).sum(), "requires_grad", False)
    )
    return not recorded, {"values": at.values.size}


# Claim and lesson of each check.
PLACES = {
    "same_values": ("values_match", "02_which_axes_expand"),
    "shares_storage": ("view_shares_storage", "01_four_rows_three_numbers"),
    "own_storage": ("tile_has_own_storage", "03_copies"),
    "source_edit_is_seen": ("source_write_reaches_every_row", "04_who_else_changes"),
    "source_edit_is_not_seen": ("source_write_reaches_every_row", "04_who_else_changes"),
    "edit_stays": ("copied_write_stays_local", "04_who_else_changes"),
    "edit_returns_a_new_array": ("dense_result_has_own_storage", "04_who_else_changes"),
    "write_would_spread": ("view_is_read_only", "04_who_else_changes"),
    "operation_broadcasts": ("shapes_match", "02_which_axes_expand"),
    "gradient_adds_up": ("view_gradient_matches_column_sums", "05_derivatives"),
    "each_learns": ("", "06_parameters"),
    "one_value_learns": ("", "06_parameters"),
    "is_contiguous": ("", "03_copies"),
    "result_is_dense": ("dense_result_has_own_storage", "07_bytes"),
    "reshape_last_copies": ("", "07_bytes"),
    "comes_back": ("", "07_bytes"),
    "library_refuses": ("size_two_axis_cannot_expand", "02_which_axes_expand"),
    "no_small_step": ("", "05_derivatives"),
    "nothing_learns": ("", "06_parameters"),
}


def names_of(answer: str, because: str, growth: Growth, writes: str, learns: str, then: str) -> list[str]:
    """Return which checks an answer stands on."""
    if answer == "impossible":
        return ["library_refuses"]
    if answer == "contradictory":
        return [because] if because in ("no_small_step", "nothing_learns") else ["source_edit_is_not_seen"]
    view = answer in VIEWS
    names = ["same_values", "shares_storage" if view else "own_storage"]
    wanted = {
        "operation_broadcasts": answer == "leave_to_broadcasting",
        "source_edit_is_seen": view and writes == "source",
        "write_would_spread": view and writes == "nobody" and growth.grows,
        "edit_returns_a_new_array": view and writes == "each_copy",
        "edit_stays": not view and writes.startswith("each_copy"),
        "gradient_adds_up": learns == "shared",
        "one_value_learns": learns == "shared" and then == "optimizer_loop",
        "each_learns": learns == "each_copy",
        "is_contiguous": not view and then in ("contiguous", "reshape"),
        "result_is_dense": view and then == "dense",
        "reshape_last_copies": answer == "reshape_first" and growth.grows and prod(growth.start) > 1,
        "comes_back": answer == "expand" and then in ("save", "process"),
    }
    return names + [name for name, asked in wanted.items() if asked]


def untried(names: list[str], reason: str, status: str = "not_run") -> tuple[Check, ...]:
    """Return each check with the reason why it was not run."""
    return tuple(Check(name, status, {"reason": reason}, *PLACES[name]) for name in names)


def checked(names: list[str], answer: str, growth: Growth, library: str, dtype: str) -> tuple[Check, ...]:
    """Return each check, run now."""
    reason = ""
    if library == "torch" and "torch" not in sys.modules and find_spec("torch") is None:
        reason = "no_torch"
    elif 0 in (*growth.source, *growth.target):
        reason = "no_element"
    if reason:
        status = "not_run" if reason == "no_torch" else "not_applicable"
        return untried(names, reason, status)
    instance = Instance(answer, growth, library, dtype)
    with ExitStack() as modes:
        if instance.torch is not None:  # Whatever mode the caller is in.
            modes.enter_context(instance.torch.inference_mode(False))
            modes.enter_context(instance.torch.enable_grad())
        return tuple(_run(name, instance) for name in names)


def _run(name: str, instance: Instance) -> Check:
    check: Callable[[Instance], Found] = globals()[name]
    holds, evidence = check(instance)
    return Check(name, "passed" if holds else "failed", evidence, *PLACES[name])
