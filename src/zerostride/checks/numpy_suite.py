"""What only NumPy evidence can say; the other claims are in ``array_suite``."""

from typing import Any

from zerostride.checks.relations import other_source
from zerostride.checks.results import Finding, measured, wrong


def view_is_read_only(view: Any, source: Any = None) -> Finding:
    """Read the flag, a policy of this library, and see a write refused."""
    if view.flags.writeable:
        return wrong("writeable")
    try:
        view[...] = view
    except ValueError as error:
        found = measured(True, "checks.view_is_read_only.numpy", error=type(error).__name__)
        return other_source(source, view) or found
    return wrong("writeable")
