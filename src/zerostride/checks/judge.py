"""From a claim and the arrays handed in to the suite that judges them, and to a result."""

import sys
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np

from zerostride.checks import array_suite
from zerostride.checks.results import CheckFailed, Finding, NotApplicable, Result
from zerostride.gradients import numbers
from zerostride.language import say
from zerostride.layouts import is_tensor, layout


def judged(claim: str, *, options: dict[str, Any] | None = None, **arrays: Any) -> Result:
    """Return the result of one claim for these arrays, or raise CheckFailed."""
    given = {name: x for name, x in arrays.items() if x is not None}
    suite = suite_of(*given.values())
    own = import_module(f"zerostride.checks.{suite}_suite")
    check = getattr(own if hasattr(own, claim) else array_suite, claim)
    _need_each(check, given, arrays)
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
        If something is no array with bytes of its own, or arrays of two libraries are mixed.

    Examples
    --------
    >>> suite_of(np.zeros(3))
    'numpy'
    """
    for x in arrays:
        if is_tensor(x):
            _need_plain_tensor(x)
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


def _need_each(check: Callable[..., Finding], given: dict[str, Any], arrays: dict[str, Any]) -> None:
    for name, parameter in signature(check).parameters.items():
        if name in arrays and name not in given and parameter.default is parameter.empty:
            raise TypeError(say("checks.needs_array", name=name))


def _need_plain_tensor(x: Any) -> None:
    """Raise TypeError where torch shows a tensor whose bytes it hides: inside vmap, or nested."""
    hidden = x.is_nested
    if str(x.layout) == "torch.strided":
        try:
            x.untyped_storage()
        except (NotImplementedError, RuntimeError):
            hidden = True
    if hidden:
        raise TypeError(say("checks.no_plain_tensor"))


def _need_numbers_in_storage(*arrays: Any) -> None:
    for x in arrays:
        if isinstance(x, np.ndarray):
            if x.dtype.kind not in "biufc":
                raise NotApplicable("no_numbers", dtype=str(x.dtype))
        elif x.untyped_storage().device.type == "meta":
            raise NotApplicable("no_storage")
        elif not _is_readable(x):
            raise NotApplicable("no_numbers", dtype=layout(x).dtype)


def _is_readable(x: Any) -> bool:
    """Return whether elements of this type can be read as numbers; tried on none of them."""
    try:
        numbers(x.new_empty(0))
    except TypeError:
        return False
    return True
