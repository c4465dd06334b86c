"""Faults told by the evidence on one program."""

from collections.abc import Callable, Iterator
from typing import Any

from zerostride.expansion import can_expand
from zerostride.findings.by_error import Found
from zerostride.findings.running import Use
from zerostride.findings.steps import Step, same_values
from zerostride.layouts import Layout, is_tensor, layout
from zerostride.sharing import compare, writable

CONVERSIONS = frozenset(
    ("to", "type", "type_as", "astype", "float", "double", "half", "bfloat16", "int", "long", "short", "bool",
     "byte", "char", "cfloat", "cdouble")
)  # fmt: skip
RESHAPES = frozenset(("reshape", "flatten", "ravel"))
COPIES = {"numpy": ("tile", "repeat"), "torch": ("repeat", "tile", "repeat_interleave")}
SAVES = ("save", "savez", "savez_compressed", "pickle", "tobytes", "tofile", "dump", "dumps")
CUTS = {"detach": ".detach()", "data": ".data", "numpy": ".numpy()", "item": ".item()", "tolist": ".tolist()"}


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
            code = f"{_cast('source', made)}.expand{made.shape}"
            if read.library == "numpy":
                code = f"np.broadcast_to({_cast('source', made)}, {made.shape})"
            yield _sizes(step, read, made), (code,)


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
        row = f"y[:1].reshape{(1, *made.shape[1:])}"
        return (
            f"{row}.expand{made.shape}"
            if read.library == "torch"
            else f"np.broadcast_to({row}, {made.shape})"
        )
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


def write_into_shared(use: Use) -> Iterator[Found]:
    """Tell that a write ran on elements that share addresses, and a copy would have come out otherwise."""
    for step in use.seen.steps:
        if step.target is not None and step.differs and layout(step.target).overlaps:
            yield {"call": step.call}, _out_of_place(step)


def write_into_own_source(use: Use) -> Iterator[Found]:
    """Tell that a write reads what it has written itself."""
    for step in use.seen.steps:
        if step.target is not None and step.differs and not layout(step.target).overlaps:
            others = [each for each in step.inputs if each is not step.target]
            if any(compare(step.target, each).common_bytes_between[1] for each in others):
                yield {"call": step.call}, ("y[:, 1:] += y[:, :-1].clone()",)


def _out_of_place(step: Step) -> tuple[str, ...]:
    copy = "y = y.clone()" if is_tensor(step.target) else "y = y.copy()"
    name = step.name
    outside = name.endswith("_") and not name.endswith("__")
    return (copy, f"y = y.{name[:-1]}(...)") if outside else (copy,)


def protection_lifted(use: Use) -> Iterator[Found]:
    """Tell that an array of NumPy takes a write although several elements read one address."""
    made = [*use.plain.results.values(), *(each for step in use.seen.steps for each in step.outputs)]
    for each in made:
        if not is_tensor(each) and each.flags.writeable and writable(each).outcome in _TOGETHER:
            yield {"shape": layout(each).shape, "most": layout(each).most_aliases or "?"}, ("y = y.copy()",)
            return


_TOGETHER = ("changes_several", "undetected_overlap")


def read_only_lost(use: Use) -> Iterator[Found]:
    """Tell that a tensor lies in memory of NumPy that forbids a write, or shares addresses."""
    source = use.plain.source
    if is_tensor(source):
        return
    for each in use.plain.results.values():
        exposed = is_tensor(each) and (not source.flags.writeable or layout(each).overlaps)
        if exposed and compare(each, source).common_bytes_between[1]:
            yield {}, ("y = torch.tensor(array)", "y = torch.from_numpy(array.copy())")


def writes_source(use: Use) -> Iterator[Found]:
    """Tell that a program changes the array that it is given."""
    if use.plain.wrote_source:
        yield {}, ("y = source.clone()" if is_tensor(use.plain.source) else "y = source.copy()",)


def broadcast_unintended(use: Use) -> Iterator[Found]:
    """``(n,)`` meets ``(n, 1)``, and out comes ``(n, n)``."""
    for step in use.steps:
        shapes = [read.shape for read in step.before]
        for column in (shape for shape in shapes if len(shape) == 2 and shape[1] == 1 < shape[0]):
            row, square = (column[0],), (column[0], column[0])
            silent = not step.after or step.after[0].shape == square
            if row in shapes and (silent or step.name.endswith("_loss")) and step.name not in _PRODUCTS:
                yield {"row": row, "column": column, "square": square}, ("column.reshape(-1)",)
                return


_PRODUCTS = ("outer", "ger", "matmul", "dot", "tensordot", "einsum", "meshgrid")


def path_cut(use: Use) -> Iterator[Found]:
    """Tell that the loss depends on the source, and no derivative comes back."""
    if use.gradient is None or use.gradient.verdict != "cut" or list(integer_cut(use)):
        return
    steps = use.learned.steps if use.learned else []
    cut = next((CUTS[step.name] for step in steps if step.learned and step.name in CUTS), "")
    unrecorded = any(
        step.learned
        and step.outputs
        and not any(is_tensor(each) and each.requires_grad for each in step.outputs)
        for step in steps
    )
    yield {"cut": cut or ("torch.no_grad()" if unrecorded else "?")}, ("y = source.clone()",)


def integer_cut(use: Use) -> Iterator[Found]:
    """Tell that a conversion to integers or truth values drops the derivative."""
    if not use.learned or (use.gradient.verdict != "cut" if use.gradient else use.leads_back is not False):
        return
    for step in use.learned.steps:
        if step.name in CONVERSIONS and step.learned and step.outputs:
            made = step.outputs[0]
            if is_tensor(made) and not (made.is_floating_point() or made.is_complex()):
                yield {"dtype": str(made.dtype)}, ("y = source",)
                return


def integer_source(use: Use) -> Iterator[Found]:
    """Tell that a derivative of integers is asked for."""
    read = layout(use.plain.source)
    if use.no_gradient and not use.plain.error and read.dtype.startswith(("int", "uint", "bool")):
        made = ".double()" if read.library == "torch" else ".astype(np.float64)"
        yield {"dtype": read.dtype}, (f"source = source{made}",)


def data_hides_edit(use: Use) -> Iterator[Found]:
    """Tell that a value that the graph may need is edited behind its back."""
    if not use.learned:
        return
    taken = [
        step.outputs[0] for step in use.learned.steps if step.name == "data" and step.learned and step.outputs
    ]
    for step in use.learned.steps:
        if step.target is not None and any(compare(step.target, each).common_bytes for each in taken):
            yield {"call": step.call}, ("y = y.detach().clone()",)
            return


def leaf_lost(use: Use) -> Iterator[Found]:
    """Tell that what an optimizer gets, or whose ``grad`` is read, is no leaf."""
    read = [
        step for step in use.steps
        if step.name == "grad" and is_tensor(step.inputs[0]) and not step.inputs[0].is_leaf
        and not step.inputs[0].retains_grad
    ]  # fmt: skip
    if (
        read
        or "can't optimize a non-leaf" in use.plain.error
        or "can't optimize a non-leaf" in _learned_error(use)
    ):
        yield {}, ("w = torch.nn.Parameter(y.detach().clone())", "y.retain_grad()")


def _learned_error(use: Use) -> str:
    return use.learned.error if use.learned else ""


def expanded_parameter(use: Use) -> Iterator[Found]:
    """Tell that a leaf that learns has elements that share addresses."""
    run = use.seen
    made = [run.source, *run.results.values(), *(each for step in run.steps for each in step.inputs)]
    for each in made:
        if is_tensor(each) and each.is_leaf and each.requires_grad and layout(each).overlaps:
            yield (
                {"shape": layout(each).shape, "stored": layout(each).touched_bytes},
                _own_or_shared(layout(each)),
            )
            return


def _own_or_shared(read: Layout) -> tuple[str, ...]:
    first = ", ".join(":1" if axis in read.shared_axes else ":" for axis in range(read.ndim))
    independent = "w = torch.nn.Parameter(y.detach().clone())"
    return independent, f"w = torch.nn.Parameter(y.detach()[{first}].clone()); y = w.expand{read.shape}"


def parameter_problem(use: Use) -> Iterator[Found]:
    """Tell that a module that a program returns has a fault of its own."""
    torch = _torch_of(use)
    if torch is None or not isinstance(use.plain.value, torch.nn.Module):
        return
    from zerostride.parameters import parameter_report

    for problem in parameter_report(use.plain.value).problems:
        names = ", ".join(problem.parameters)
        yield {"problem": f"{problem.name} ({names})"}, tuple(problem.repairs.values())


def _torch_of(use: Use) -> Any:
    import sys

    return sys.modules.get("torch") if is_tensor(use.plain.source) else None


def stale(use: Use) -> Iterator[Found]:
    """Tell that a tensor was computed once: two runs on unlike sources return the same memory."""
    if use.again is None or use.again.error:
        return
    for name, first in use.plain.results.items():
        second = use.again.results.get(name)
        if second is not None and compare(first, second).common_bytes and same_values(first, second):
            yield {"result": name}, ("lambda source: compute(source)",)
            return


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
                yield _sizes(step, read, made), (_expanded(made),)
                return


def _is_expansion(step: Step) -> bool:
    if is_tensor(step.inputs[0]):
        return bool((step.inputs[0].expand(step.after[0].shape) == step.outputs[0]).all())
    import numpy as np

    return bool((np.broadcast_to(step.inputs[0], step.after[0].shape) == step.outputs[0]).all())


def _expanded(made: Layout) -> str:
    if made.library == "torch":
        return f"y = source.expand{made.shape}"
    return f"y = np.broadcast_to(source, {made.shape})"


def _shared(read: Layout) -> bool:
    return read.touched_bytes is not None and read.touched_bytes < read.logical_bytes


def _logical(read: Layout) -> dict[str, object]:
    return {"logical": read.logical_bytes, "touched": read.touched_bytes}


def _sizes(step: Step, read: Layout, made: Layout) -> dict[str, object]:
    return {"call": step.call, "before": read.touched_bytes, "after": made.touched_bytes}


def _cast(name: str, made: Layout) -> str:
    return f"{name}.to(torch.{made.dtype})" if made.library == "torch" else f"{name}.astype(np.{made.dtype})"


Recognizer = Callable[[Use], Iterator[Found]]

BY_PROGRAM: dict[str, tuple[str, Recognizer]] = {
    "write_into_shared": ("04_who_else_changes", write_into_shared),
    "write_into_own_source": ("04_who_else_changes", write_into_own_source),
    "protection_lifted": ("04_who_else_changes", protection_lifted),
    "read_only_lost": ("04_who_else_changes", read_only_lost),
    "writes_source": ("04_who_else_changes", writes_source),
    "broadcast_unintended": ("02_which_axes_expand", broadcast_unintended),
    "path_cut": ("05_derivatives", path_cut),
    "integer_cut": ("05_derivatives", integer_cut),
    "integer_source": ("05_derivatives", integer_source),
    "data_hides_edit": ("05_derivatives", data_hides_edit),
    "leaf_lost": ("06_parameters", leaf_lost),
    "expanded_parameter": ("06_parameters", expanded_parameter),
    "parameter_problem": ("06_parameters", parameter_problem),
    "stale": ("06_parameters", stale),
    "nbytes_as_memory": ("07_bytes", nbytes_as_memory),
    "dense_by_dtype": ("07_bytes", dense_by_dtype),
    "dense_by_reshape": ("07_bytes", dense_by_reshape),
    "saved_whole_storage": ("07_bytes", saved_whole_storage),
    "saved_every_element": ("07_bytes", saved_every_element),
    "copied_without_need": ("08_expand_or_repeat", copied_without_need),
}
