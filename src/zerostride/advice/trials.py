"""What has to hold, each tried on a small instance of the shapes."""

import io
import pickle
from typing import Any

import numpy as np

from zerostride.advice.instance import Instance, as_expansion
from zerostride.checks.storage import write_first
from zerostride.gradients import finite_difference, numbers
from zerostride.layouts import layout
from zerostride.reshaping import reshape_copies
from zerostride.sharing import compare, writable

Found = tuple[bool, dict[str, object]]


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
        back = at.torch.load(io.BytesIO(written.getvalue()), weights_only=True)
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
