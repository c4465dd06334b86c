"""What only torch evidence can say; the other claims are in ``array_suite``."""

from typing import Any

from zerostride.checks.array_suite import changed_rows, need_rows
from zerostride.checks.results import Finding, measured, wrong
from zerostride.checks.storage import replicas, write_first
from zerostride.gradients import numbers


def view_is_read_only(view: Any, source: Any = None) -> Finding:
    """Write one element of a replica, then all of it: torch has no flag and refuses only the second."""
    need_rows(view, several=True)
    (replica,) = replicas(view)
    before = numbers(replica).copy()
    write_first(replica)
    written = changed_rows(before, replica)
    evidence = {"written_rows": written, "rows": int(view.shape[0])}
    try:
        replica.mul_(True)
    except RuntimeError as error:
        if "single memory location" not in str(error):
            raise
        holds = written == view.shape[0]
        return measured(holds, "checks.view_is_read_only.torch", error=type(error).__name__, **evidence)
    return wrong("arithmetic_ran", **evidence)
