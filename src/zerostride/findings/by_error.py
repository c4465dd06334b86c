"""Faults told by what a library refuses, and the lines that put them right."""

from collections.abc import Iterator
from typing import Any

from zerostride.findings.running import Use, first_line
from zerostride.findings.steps import Step, written_together
from zerostride.layouts import is_tensor

# What a recognizer yields: the values in its words, and the lines that put it right.
Found = tuple[dict[str, object], tuple[str, ...]]

# By name: the lesson, a part of the message, the repair in NumPy, the repair in torch.
BY_ERROR: dict[str, tuple[str, str, str, str]] = {
    "write_refused": (
        "04_who_else_changes", "more than one element of the written-to tensor",
        "y = y.copy()", "y = y.clone()",
    ),
    "read_only_write": ("04_who_else_changes", "is read-only", "y = y.copy()", "y = y.clone()"),
    "operands_overlap": (
        "04_who_else_changes", "some elements of the input tensor",
        "y += other.copy()", "y += other.clone()",
    ),
    "leaf_written": (
        "05_derivatives", "a leaf Variable that requires grad",
        "y = source.copy()", "y = source.clone()",
    ),
    "saved_value_edited": (
        "05_derivatives", "modified by an inplace operation",
        "y = y.copy()", "y = y.detach().clone()",
    ),
    "view_impossible": (
        "07_bytes", "view size is not compatible|Unable to avoid creating a copy|"
        "Incompatible shape for in-place",
        "y = y.reshape(-1)", "y = y.reshape(-1)",
    ),
    "axis_cannot_expand": (
        "02_which_axes_expand", "must match the existing size|could not be broadcast|must match the size of|"
        "remapped shapes|non-broadcastable|number of sizes provided|allowed in a leading",
        "zs.can_expand(source.shape, (4, 3))", "zs.can_expand(source.shape, (4, 3))",
    ),
    "repeat_rank": (
        "03_copies", "Number of dimensions of repeat dims",
        "y = np.tile(source, 4)", "y = torch.tile(source, (4,))",
    ),
    "negative_strides": (
        "03_copies", "strides is negative|negative strides",
        "y = torch.from_numpy(source[::-1].copy())", "y = torch.from_numpy(array.copy())",
    ),
    "integer_leaf": (
        "05_derivatives", "can require gradients",
        "x = source.astype(np.float64)", "x = source.double().requires_grad_()",
    ),
    "numpy_of_graph": (
        "05_derivatives", "Can't call numpy() on Tensor that requires grad",
        "y = y.copy()", "y = y.detach().clone().numpy()",
    ),
    "bfloat16_in_numpy": (
        "03_copies", "unsupported ScalarType BFloat16",
        "y = y.float().numpy()", "y = y.float().numpy()",
    ),
    "byte_order": (
        "03_copies", "byte order different",
        'y = torch.from_numpy(source.astype(source.dtype.newbyteorder("=")))',
        'y = torch.from_numpy(array.astype(array.dtype.newbyteorder("=")))',
    ),
}  # fmt: skip


def own(x: Any, name: str = "y") -> str:
    """Return the line that copies an array, in its library."""
    return f"y = {name}.clone()" if is_tensor(x) else f"y = {name}.copy()"


def of_error(use: Use) -> Iterator[tuple[str, Found]]:
    """Yield the faults that stand behind what a program raised, or autograd as it went back."""
    raised = [use.plain.message, use.gradient.error if use.gradient else "", use.no_gradient]
    for name, (_, parts, in_numpy, in_torch) in BY_ERROR.items():
        lines = [line for each in raised for line in each.splitlines()]
        message = next((line for line in lines if any(part in line for part in parts.split("|"))), "")
        if message:
            code = in_torch if is_tensor(use.plain.source) else in_numpy
            step = use.seen.log.failed
            own = _OF_CALL[name](step) if name in _OF_CALL and step and step.before else ()
            if name == "leaf_written" and _wrote_together(use):
                own = ("y = y.clone()",)
            yield name, ({"error": first_line(message)}, own or (code,))


def _wrote_together(use: Use) -> bool:
    """Return whether a write, also one that was refused, went to copies that share addresses."""
    runs = (run for run in (use.seen, use.learned, use.whole) if run)
    return any(any(written_together([*run.steps, *filter(None, [run.log.failed])])) for run in runs)


def _reshapes(step: Step) -> tuple[str, ...]:
    """Return ``view`` as it was called, as a reshape, and a line that keeps an expanded axis, if one does."""
    if step.name != "view" or step.options:
        return ()
    read, copied = step.before[0], f"y = y.reshape({_arguments(step)})"
    if read.shared_axes[:1] != (0,):
        return (copied,)
    return copied, f"y = y[:1].reshape(1, -1).expand({read.shape[0]}, -1)"


def _compared(step: Step) -> tuple[str, ...]:
    """Return the line that compares the two shapes which met."""
    first, *others = (read.shape for read in step.before)
    if others:
        return (f"zs.can_expand({others[0]}, {first})",)
    if step.options or step.name not in ("expand", "broadcast_to"):
        return ()
    target = _arguments(step)
    target = target if target.startswith("(") else f"({target})"
    library = ', library="torch"' if "-1" in target else ""
    return (f"zs.can_expand({first}, {target}{library})",)


def _arguments(step: Step) -> str:
    return step.call.partition("), ")[2][:-1]


_OF_CALL = {"view_impossible": _reshapes, "axis_cannot_expand": _compared}
