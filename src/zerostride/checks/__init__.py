"""Fourteen claims about expand and repeat, each judged by NumPy, torch or autograd evidence.

Hand a claim your own arrays, or :func:`run` them all on arrays made for the purpose:

>>> import zerostride as zs
>>> zs.checks.run(suites=["numpy"]).passed
True
"""

from zerostride.checks.claims import (
    column_sums_are_22_26_30,
    copied_write_stays_local,
    copy_gradient_matches_column_sums,
    dense_result_has_own_storage,
    logical_bytes_exceed_stored_bytes,
    row_stride_is_zero,
    shapes_match,
    size_two_axis_cannot_expand,
    source_write_reaches_every_row,
    tile_has_own_storage,
    values_match,
    view_gradient_matches_column_sums,
    view_is_read_only,
    view_shares_storage,
)
from zerostride.checks.forty_two import RunReport, run
from zerostride.checks.results import CLAIMS, STATUSES, SUITES, CheckFailed, Result

__all__ = [
    "CLAIMS",
    "STATUSES",
    "SUITES",
    "CheckFailed",
    "Result",
    "RunReport",
    "column_sums_are_22_26_30",
    "copied_write_stays_local",
    "copy_gradient_matches_column_sums",
    "dense_result_has_own_storage",
    "logical_bytes_exceed_stored_bytes",
    "row_stride_is_zero",
    "run",
    "shapes_match",
    "size_two_axis_cannot_expand",
    "source_write_reaches_every_row",
    "tile_has_own_storage",
    "values_match",
    "view_gradient_matches_column_sums",
    "view_is_read_only",
    "view_shares_storage",
]
