"""From a claim and the arrays handed in to the suite that judges them, and to a result."""

import sys
import warnings
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any

import numpy as np

from zerostride.checks import array_suite
from zerostride.checks.results import CheckFailed, Finding, NotApplicable, Result
from zerostride.language import say
from zerostride.layouts import is_tensor, layout


def judged(claim: str, *, options: dict[str, Any] | None = None, **arrays: Any) -> Result:
    """Return the result of one claim for these arrays, or raise CheckFailed."""
    given = {name: x for name, x in arrays.items() if x is not None}
    suite = suite_of(*given.values())
    own = import_module(f"zerostride.checks.{suite}_suite")
    check = getattr(own if hasattr(own, claim) else array_suite, claim)
    try:
        with warnings.catch_warnings(), _grad_mode(suite):
            warnings.simplefilter("ignore")
            _need_numbers_in_storage(*given.values())
            finding: Finding = check(**given, **(options or {}))
    except NotApplicable as reason:
        return reason.result(claim, suite)
    except (NotImplementedError, RuntimeError) as error:
        return not_implemented(error).result(claim, suite)
    status = "passed" if finding.holds else "failed"
    result = Result(claim, suite, status, finding.evidence, finding.key)
    if not finding.holds:
        raise CheckFailed(result)
    return result


def suite_of(*arrays: Any) -> str:
    """Return which suite judges these arrays.

    Raises
    ------
    TypeError
        If something is no array, or arrays of two libraries are mixed.

    Examples
    --------
    >>> suite_of(np.zeros(3))
    'numpy'
    """
    for x in arrays:
        layout(x)
    if all(isinstance(x, np.ndarray) for x in arrays):
        return "numpy"
    if not all(is_tensor(x) for x in arrays):
        raise TypeError(say("checks.mixed"))
    return "autograd" if any(x.requires_grad for x in arrays) else "torch"


def not_implemented(error: Exception) -> NotApplicable:
    """Return the reason that torch lacks an operation for this dtype; any other error is raised again."""
    if "not implemented for" not in str(error):
        raise error
    return NotApplicable("not_implemented", error=str(error).splitlines()[0])


def _grad_mode(suite: str) -> AbstractContextManager[Any]:
    if suite == "numpy":
        return nullcontext()
    torch = sys.modules["torch"]
    mode: AbstractContextManager[Any] = torch.enable_grad() if suite == "autograd" else torch.no_grad()
    return mode


def _need_numbers_in_storage(*arrays: Any) -> None:
    for x in arrays:
        if isinstance(x, np.ndarray):
            if x.dtype.kind not in "biufc":
                raise NotApplicable("no_numbers", dtype=str(x.dtype))
        elif x.device.type == "meta":
            raise NotApplicable("no_storage")
