"""Faults told by bytes: written out, saved or counted without need."""

from collections.abc import Iterator

import numpy as np

from zerostride.expansion import can_expand
from zerostride.findings.by_error import Found, own
from zerostride.findings.running import Use
from zerostride.findings.steps import CONVERSIONS, Step, identity
from zerostride.layouts import Layout, is_tensor, layout
from zerostride.sharing import compare

RESHAPES = frozenset(("reshape", "flatten", "ravel"))
COPIES = {"numpy": ("tile", "repeat"), "torch": ("repeat", "tile", "repeat_interleave")}
SAVES = ("save", "savez", "savez_compressed", "pickle", "tobytes", "tofile", "dump", "dumps")


def nbytes_as_memory(use: Use) -> Iterator[Found]:
    """Tell that a program reads ``nbytes`` of an array that stores less."""
    for step in use.seen.steps:
        if step.name == "nbytes" and _shared(step.before[0]):
            read = step.before[0]
            yield _logical(read), ("zs.bytes_of(y).storage_bytes",)


def dense_by_dtype(use: Use) -> Iterator[Found]:
    """Tell that elements are converted after they were expanded."""
    for step, read, made in _densified(use, CONVERSIONS):
        if made.dtype != read.dtype:
            yield _sizes(step, read, made), (_expanded(_cast("source", made), made),)


def dense_by_reshape(use: Use) -> Iterator[Found]:
    """Tell that an expanded array is reshaped, and every element written out."""
    for step, read, made in _densified(use, RESHAPES):
        code = _reshaped_first(read, made)
        if code:
            yield _sizes(step, read, made), (code,)


def _densified(use: Use, names: frozenset[str]) -> Iterator[tuple[Step, Layout, Layout]]:
    for step in use.seen.steps:
        if step.name in names and len(step.inputs) == len(step.outputs) == 1:
            read, made = step.before[0], step.after[0]
            apart = compare(step.inputs[0], step.outputs[0]).common_bytes_between == (0, 0)
            if _shared(read) and read.size == made.size and not made.overlaps and apart:
                yield step, read, made


def _reshaped_first(read: Layout, made: Layout) -> str:
    """Return a line that keeps the expanded axis; empty where none does."""
    first, flat = read.shared_axes[0], made.ndim == 1
    if first == 0 and made.shape[0] == read.shape[0] and not flat:
        return _expanded(f"y[:1].reshape{(1, *made.shape[1:])}", made)
    if first == 0 and flat:
        return f"y[0].reshape(-1)[i % {read.size // read.shape[0]}]"
    if (read.ndim, first) == (2, 1) and flat:
        return f"y[i // {read.shape[1]}, 0]"
    return ""


def saved_whole_storage(use: Use) -> Iterator[Found]:
    """``torch.save`` of a small view writes all of its storage."""
    for step in use.seen.steps:
        for read in step.before if step.name == "save" else ():
            if (
                read.library == "torch"
                and read.touched_bytes is not None
                and read.touched_bytes < read.storage_bytes
            ):
                yield (
                    {"touched": read.touched_bytes, "stored": read.storage_bytes},
                    ("torch.save(y.clone(), file)",),
                )


def saved_every_element(use: Use) -> Iterator[Found]:
    """Tell that numPy writes every element of an expanded array into a file."""
    for step in use.seen.steps:
        for read in step.before if step.name in SAVES else ():
            if read.library == "numpy" and _shared(read):
                yield (
                    _logical(read),
                    ("np.save(file, source)", f"y = np.broadcast_to(np.load(file), {read.shape})"),
                )


def view_holds_storage(use: Use) -> Iterator[Found]:
    """Tell that a small result keeps a large storage alive that nobody else reads."""
    reads = [layout(each) for each in use.plain.results.values()]
    for each, read in zip(use.plain.results.values(), reads, strict=True):
        touched = sum(
            other.touched_bytes_between[1] for other in reads if other.storage_id == read.storage_id
        )
        if (
            read.ndim
            and 0 < 2 * touched < read.storage_bytes
            and compare(each, use.plain.source).same_storage is False
        ):
            yield {"touched": touched, "stored": read.storage_bytes}, (own(each),)
            return


def pairwise_kept(use: Use) -> Iterator[Found]:
    """Tell that ``(N, 1, D)`` minus ``(1, M, D)`` made an array of ``N×M×D`` elements."""
    for step in use.steps:
        if step.name in ("sub", "subtract", "__sub__") and len(step.before) == 2 and step.after:
            made, sizes = step.after[0], [read.size for read in step.before]
            pairs = made.ndim == 3 and made.shape[-1] > 1 and min(sizes) > made.shape[-1] and _crossed(step)
            if pairs and _only_squared(use, made):
                values = {"shape": made.shape, "after": made.logical_bytes}
                yield {**values, "before": sum(read.logical_bytes for read in step.before)}, _distances(made)
                return


def _crossed(step: Step) -> bool:
    """Return whether each of two operands is expanded along an axis of the other."""
    made = step.after[0].shape
    grown = [
        {axis for axis in range(1, 4) if axis > read.ndim or read.shape[-axis] < made[-axis]}
        for read in step.before
    ]
    return all(grown) and not grown[0] & grown[1]


def _only_squared(use: Use, pairs: Layout) -> bool:
    """Return whether all that is done with differences is that their squares are summed."""
    here = identity(pairs)
    reads = [step for step in use.steps if any(identity(read) == here for read in step.before)]
    summed = any(
        step.after and step.after[0].shape in (pairs.shape[:-1], (*pairs.shape[:-1], 1)) for step in use.steps
    )
    kept = any(layout(each).shape == pairs.shape for each in use.plain.results.values())
    return summed and not kept and bool(reads) and all(map(_squares, reads))


def _squares(step: Step) -> bool:
    twice = len(step.before) == 2 and identity(step.before[0]) == identity(step.before[1])
    power = step.name in ("pow", "__pow__", "pow_", "power") and step.call.endswith(
        (", 2)", ", 2.0)", "exponent=2)")
    )
    return power or step.name in _SQUARES or (twice and step.name in ("mul", "multiply", "einsum"))


_SQUARES = ("square", "norm", "linalg_norm", "linalg_vector_norm", "vector_norm")


def _distances(made: Layout) -> tuple[str, ...]:
    if made.library == "torch":
        return ("torch.cdist(x, y)", "(x * x).sum(-1)[:, None] + (y * y).sum(-1) - 2 * (x @ y.T)")
    return ("(x * x).sum(-1)[:, None] + (y * y).sum(-1) - 2 * (x @ y.T)",)


def copied_without_need(use: Use) -> Iterator[Found]:
    """Tell that a copy is made of what a view could read, and no write to it is seen."""
    run = use.seen
    if run.error or run.log.left_out:
        return
    kept = [*run.results.values(), *(step.target for step in run.steps if step.target is not None)]
    kept += [each for step in run.steps if step.name in SAVES for each in step.inputs]
    for step in run.steps:
        if step.name in COPIES["torch" if any(map(is_tensor, step.inputs)) else "numpy"] and step.outputs:
            read, made, copy = step.before[0], step.after[0], step.outputs[0]
            if (
                made.size > read.size
                and can_expand(read.shape, made.shape)
                and _is_expansion(step)
                and not any(compare(copy, each).common_bytes_between[1] for each in kept)
            ):
                yield _sizes(step, read, made), (f"y = {_expanded('source', made)}",)
                return


def _is_expansion(step: Step) -> bool:
    read, made = step.inputs[0], step.outputs[0]
    view = read.expand(made.shape) if is_tensor(read) else np.broadcast_to(read, made.shape)
    return bool((view == made).all())


def _expanded(code: str, made: Layout) -> str:
    return (
        f"{code}.expand{made.shape}" if made.library == "torch" else f"np.broadcast_to({code}, {made.shape})"
    )


def _shared(read: Layout) -> bool:
    return read.touched_bytes is not None and read.touched_bytes < read.logical_bytes


def _logical(read: Layout) -> dict[str, object]:
    return {"logical": read.logical_bytes, "touched": read.touched_bytes}


def _sizes(step: Step, read: Layout, made: Layout) -> dict[str, object]:
    return {"call": step.call, "before": read.touched_bytes, "after": made.touched_bytes}


def _cast(name: str, made: Layout) -> str:
    return f"{name}.to(torch.{made.dtype})" if made.library == "torch" else f"{name}.astype(np.{made.dtype})"


BY_BYTES = {
    "nbytes_as_memory": ("07_bytes", nbytes_as_memory),
    "dense_by_dtype": ("07_bytes", dense_by_dtype),
    "dense_by_reshape": ("07_bytes", dense_by_reshape),
    "saved_whole_storage": ("07_bytes", saved_whole_storage),
    "saved_every_element": ("07_bytes", saved_every_element),
    "view_holds_storage": ("07_bytes", view_holds_storage),
    "pairwise_kept": ("07_bytes", pairwise_kept),
    "copied_without_need": ("08_expand_or_repeat", copied_without_need),
}
