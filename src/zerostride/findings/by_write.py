"""Faults told by writes, and by shapes that met."""

from collections.abc import Iterator

import numpy as np

from zerostride.findings.by_error import Found, own
from zerostride.findings.running import Use
from zerostride.findings.steps import Step, identity, written_together
from zerostride.layouts import is_tensor, layout
from zerostride.sharing import compare, writable


def write_into_shared(use: Use) -> Iterator[Found]:
    """Tell that a write ran on elements that share addresses, or on a part that others share.

    Such a write is told where a copy would have come out otherwise.
    """
    for step in written_together(use.seen.steps):
        whole = layout(step.target).overlaps
        if step.differs or not whole:
            yield {"call": step.call}, _out_of_place(step) if whole else (own(step.target),)


def write_into_own_source(use: Use) -> Iterator[Found]:
    """Tell that a write reads what it has written itself."""
    for step in use.seen.steps:
        if step.target is not None and step.differs and not layout(step.target).overlaps:
            others = [each for each in step.inputs if each is not step.target]
            if any(compare(step.target, each).common_bytes_between[1] for each in others):
                yield {"call": step.call}, (_from_a_copy(step),)


def _from_a_copy(step: Step) -> str:
    other = "other.clone()" if is_tensor(step.target) else "other.copy()"
    if step.name == "__setitem__":
        return f"y[...] = {other}"
    if sign := _SIGNS.get(step.name.strip("_").removeprefix("i")):
        return f"y {sign}= {other}"
    return f"y.{step.name}({other})"


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "truediv": "/", "pow": "**"}


def _out_of_place(step: Step) -> tuple[str, ...]:
    copy, name = own(step.target), step.name
    outside = name.endswith("_") and not name.endswith("__") and hasattr(step.target, name[:-1])
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
        # A copy of the source alone would leave the copies of one element together.
        seen = any(written_together(use.seen.steps))
        together = seen or any(layout(each).overlaps for each in use.plain.results.values())
        yield {}, (own(use.plain.source, "y" if together else "source"),)


def broadcast_unintended(use: Use) -> Iterator[Found]:
    """``(n,)`` meets ``(n, 1)``, and out comes ``(n, n)``."""
    wanted: set[object] = set()
    for step in use.steps:
        if step.name in ("__getitem__", "unsqueeze", "expand_dims") and step.after:
            # Who adds an axis by name means every pair.
            wanted |= {identity(step.after[0])} if step.after[0].ndim > step.before[0].ndim else set()
        if any(identity(read) in wanted for read in step.before):
            continue
        shapes = [read.shape for read in step.before]
        for column in (shape for shape in shapes if len(shape) > 1 and shape[-1] == 1 < shape[-2]):
            row = column[:-1]
            if row not in shapes or step.name in _PRODUCTS or not set(column[:-2]) <= {1, column[-2]}:
                continue
            square = np.broadcast_shapes(row, column)
            if not step.after or step.after[0].shape == square or step.name.endswith("_loss"):
                code = "column.reshape(-1)" if len(row) == 1 else "column.squeeze(-1)"
                yield {"row": row, "column": column, "square": square}, (code,)
                return


_PRODUCTS = ("outer", "ger", "matmul", "dot", "tensordot", "einsum", "meshgrid")


BY_WRITE = {
    "write_into_shared": ("04_who_else_changes", write_into_shared),
    "write_into_own_source": ("04_who_else_changes", write_into_own_source),
    "protection_lifted": ("04_who_else_changes", protection_lifted),
    "read_only_lost": ("04_who_else_changes", read_only_lost),
    "writes_source": ("04_who_else_changes", writes_source),
    "broadcast_unintended": ("02_which_axes_expand", broadcast_unintended),
}
