"""What only torch evidence can say; the other claims are in ``array_suite``."""

from typing import Any

from zerostride.checks import array_suite
from zerostride.checks.conditions import need_rows
from zerostride.checks.equality import changed_rows
from zerostride.checks.relations import in_one_storage, other_source
from zerostride.checks.replicas import replicas
from zerostride.checks.results import Finding, measured, wrong
from zerostride.checks.storage import share_storage, write_first
from zerostride.gradients import numbers


def tile_has_own_storage(source: Any, tiled: Any) -> Finding:
    """Look for a common byte, and for two storages."""
    found = array_suite.tile_has_own_storage(source, tiled)
    if found.holds and share_storage(source, tiled):
        return in_one_storage(source, tiled, holds=False)
    return found


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
        found = measured(
            written == view.shape[0],
            "checks.view_is_read_only.torch",
            error=type(error).__name__,
            **evidence,
        )
        return (other_source(source, view) or found) if found.holds else found
    return wrong("arithmetic_ran", **evidence)
