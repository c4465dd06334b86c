"""Faults told by the way of a derivative, and by what learns."""

from collections.abc import Iterator
from typing import Any

from zerostride.findings.by_error import Found
from zerostride.findings.running import Use
from zerostride.findings.steps import CONVERSIONS, Step
from zerostride.gradients.precision import EPSILON
from zerostride.layouts import Layout, is_tensor, layout
from zerostride.sharing import compare

CUTS = {"detach": ".detach()", "data": ".data", "numpy": ".numpy()", "item": ".item()", "tolist": ".tolist()"}


def path_cut(use: Use) -> Iterator[Found]:
    """Tell that the loss depends on the source, and no derivative comes back."""
    if use.gradient is None or use.gradient.verdict != "cut" or list(integer_cut(use)):
        return
    steps = use.learned.steps if use.learned else []
    cut = next((CUTS[step.name] for step in steps if step.learned and step.name in CUTS), "")
    yield {"cut": cut or _unrecorded(steps) or _new_leaf(use) or "?"}, ("y = source.clone()",)


def _unrecorded(steps: list[Step]) -> str:
    """Return the first call from which no path leads back, although one leads to it."""
    for step in steps:
        if step.learned and step.outputs and not any(_learns(each) for each in step.outputs):
            return f"{step.name}()" if step.recording else "torch.no_grad()"
    return ""


def _new_leaf(use: Use) -> str:
    """Return what makes a leaf of values that were computed."""
    for run in filter(None, (use.learned, use.whole)):
        for each in [*run.results.values(), *(x for step in run.steps for x in step.inputs)]:
            if _learns(each) and each.is_leaf and each is not run.source:
                return "torch.nn.Parameter()" if type(each).__name__ == "Parameter" else "requires_grad_()"
    return ""


def _learns(x: Any) -> bool:
    return is_tensor(x) and bool(x.requires_grad)


def integer_cut(use: Use) -> Iterator[Found]:
    """Tell that a conversion to integers or truth values drops the derivative."""
    if not use.learned or (
        use.gradient.verdict not in ("cut", "unused") if use.gradient else use.leads_back is not False
    ):
        return
    for step in use.learned.steps:
        if step.name in CONVERSIONS and step.learned and step.outputs:
            made = step.outputs[0]
            if is_tensor(made) and not (made.is_floating_point() or made.is_complex()):
                yield {"dtype": str(made.dtype)}, ("y = source.to(torch.float64)",)
                return


def precision_lost(use: Use) -> Iterator[Found]:
    """Tell that a program calculates in fewer digits than its source has, and differences drown in that."""
    if use.gradient is None or use.gradient.verdict not in ("differ", "unclear"):
        return
    own = EPSILON.get(layout(use.plain.source).dtype, 1.0)
    for step in use.whole.steps if use.whole else use.seen.steps:
        for made in step.after if step.name in CONVERSIONS else ():
            if EPSILON.get(made.dtype, 0.0) > own:
                yield (
                    {"dtype": made.dtype},
                    ("y = y.to(source.dtype)" if made.library == "torch" else "y = y.astype(source.dtype)",),
                )
                return


def integer_source(use: Use) -> Iterator[Found]:
    """Tell that a derivative of integers is asked for."""
    read = layout(use.plain.source)
    if (
        use.whole
        and use.no_gradient
        and not use.plain.error
        and read.dtype.startswith(("int", "uint", "bool"))
    ):
        made = ".double()" if read.library == "torch" else ".astype(np.float64)"
        yield {"dtype": read.dtype}, (f"source = source{made}",)


def data_hides_edit(use: Use) -> Iterator[Found]:
    """Tell that a value is edited behind the back of the graph, which has seen it before."""
    if not use.learned:
        return
    known: set[int] = set()
    taken: list[Any] = []
    for step in use.learned.steps:
        if step.name == "data" and step.learned and id(step.inputs[0]) in known:
            taken += step.outputs
        elif step.name != "data":
            known |= {id(each) for each in (*step.inputs, *step.outputs)}
    for step in use.learned.steps:
        if step.target is not None and any(compare(step.target, each).common_bytes for each in taken):
            yield {"call": step.call}, ("y = y.detach().clone()",)
            return


def leaf_lost(use: Use) -> Iterator[Found]:
    """Tell that what an optimizer gets, or whose ``grad`` is read, is no leaf."""
    read = [
        step for step in use.steps
        if step.name == "grad" and step.inputs and is_tensor(step.inputs[0]) and not step.inputs[0].is_leaf
        and not step.inputs[0].retains_grad
    ]  # fmt: skip
    runs = filter(None, (use.plain, use.learned))
    if read or any("can't optimize a non-leaf" in run.message for run in runs):
        yield {}, ("w = torch.nn.Parameter(y.detach().clone())", "y.retain_grad()")


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
    """Tell that a module that a program is, or returns, has a fault of its own."""
    if not is_tensor(use.plain.source):
        return
    from torch.nn import Module

    modules = [x for x in (use.plain.program, use.plain.value) if isinstance(x, Module)]
    if not modules:
        return
    from zerostride.parameters import parameter_report

    for problem in parameter_report(modules[0]).problems:
        names = ", ".join(problem.parameters)
        yield {"problem": f"{problem.name} ({names})"}, tuple(problem.repairs.values())


def stale(use: Use) -> Iterator[Found]:
    """Tell that a tensor was computed once: two runs on unlike sources return the same memory."""
    if use.again is None or use.again.error:
        return
    for name, first in use.plain.results.items():
        second = use.again.results.get(name)
        before = use.plain.contents.get(name)
        same = before is not None and before == use.again.contents.get(name)
        if same and compare(first, second).common_bytes:
            yield {"result": name}, ("lambda source: compute(source)",)
            return


BY_PATH = {
    "path_cut": ("05_derivatives", path_cut),
    "integer_cut": ("05_derivatives", integer_cut),
    "precision_lost": ("05_derivatives", precision_lost),
    "integer_source": ("05_derivatives", integer_source),
    "data_hides_edit": ("05_derivatives", data_hides_edit),
    "leaf_lost": ("06_parameters", leaf_lost),
    "expanded_parameter": ("06_parameters", expanded_parameter),
    "parameter_problem": ("06_parameters", parameter_problem),
    "stale": ("06_parameters", stale),
}
