"""The fourteen claims, each a function that judges the arrays handed in.

The suite follows from the arrays: ndarrays are judged by NumPy evidence,
tensors by torch evidence, and tensors of which one requires grad by autograd
evidence. A claim that holds returns a :class:`Result`; one that does not raises
:class:`CheckFailed`; one that says nothing here returns a result with status
``"not_applicable"`` and the reason. No check writes into what it is given, fills a
``.grad`` or runs a hook. Where ``source`` is handed in, the view has to read it.
"""

from collections.abc import Sequence
from typing import Any

from zerostride.checks.conditions import target_shape
from zerostride.checks.derivative_claims import column_sums_are_22_26_30 as column_sums_are_22_26_30
from zerostride.checks.derivative_claims import (
    copy_gradient_matches_column_sums as copy_gradient_matches_column_sums,
)
from zerostride.checks.derivative_claims import (
    view_gradient_matches_column_sums as view_gradient_matches_column_sums,
)
from zerostride.checks.judge import judged
from zerostride.checks.results import Result


def shapes_match(source: Any, view: Any, tiled: Any) -> Result:
    """Claim 1: expanding and repeating give one shape; autograd: the gradient has the source's.

    Parameters
    ----------
    source, view, tiled : ndarray or Tensor
        The row, its expansion and its repetition.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

    Raises
    ------
    CheckFailed
        If the claim does not hold, here and in every check.
    TypeError, ValueError
        If something is no array, or the arrays do not belong together; here and in every check.
    MemoryError
        If more numbers would have to be compared than the free memory holds.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> shapes_match(source, np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))).status
    'passed'
    """
    return judged("shapes_match", source=source, view=view, tiled=tiled)


def values_match(source: Any, view: Any, tiled: Any, weights: Any = None) -> Result:
    """Claim 2: equal element by element; autograd: and an equal weighted loss, and equal gradients.

    Parameters
    ----------
    source, view, tiled : ndarray or Tensor
        The row, its expansion and its repetition.
    weights : ndarray or Tensor, optional
        1, 2, 3 … row by row unless given; used by autograd alone.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> values_match(source, np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))).evidence
    {'equal': 12, 'elements': 12}
    """
    return judged("values_match", source=source, view=view, tiled=tiled, weights=weights)


def row_stride_is_zero(view: Any, source: Any = None, weights: Any = None) -> Result:
    """Claim 3: moving down a row moves no address; autograd: the dense gradient is summed down the rows.

    Parameters
    ----------
    view : ndarray or Tensor
        The expansion.
    source : ndarray or Tensor, optional
        The row; needed by autograd.
    weights : ndarray or Tensor, optional
        1, 2, 3 … row by row unless given; used by autograd alone.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

    Examples
    --------
    >>> import numpy as np
    >>> view = np.broadcast_to(np.array([[1.0, 2.0, 3.0]]), (4, 3))
    >>> row_stride_is_zero(view).evidence
    {'strides_bytes': '(0, 8)', 'strides_elements': '(0, 1)'}
    >>> row_stride_is_zero(view.copy())
    Traceback (most recent call last):
    zerostride.checks.results.CheckFailed: row_stride_is_zero (numpy) failed: \
strides (24, 8) bytes = (3, 1) elements. The claim: moving down a row does not move the address.
    """
    return judged("row_stride_is_zero", view=view, source=source, weights=weights)


def view_shares_storage(source: Any, view: Any) -> Result:
    """Claim 4: the view reads bytes of the source alone; autograd: and is recorded as its view.

    Alone means: no byte before the source's first or after its last.

    Parameters
    ----------
    source, view : ndarray or Tensor
        The row and its expansion.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> view_shares_storage(source, np.broadcast_to(source, (4, 3))).status
    'passed'
    """
    return judged("view_shares_storage", source=source, view=view)


def tile_has_own_storage(source: Any, tiled: Any) -> Result:
    """Claim 5: every element of the repetition has its own bytes; autograd: and a path to the source.

    In torch these bytes lie in a storage of its own.

    Parameters
    ----------
    source, tiled : ndarray or Tensor
        The row and its repetition.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> tile_has_own_storage(source, np.tile(source, (4, 1))).evidence
    {'logical_bytes': 96, 'own_bytes': 96}
    """
    return judged("tile_has_own_storage", source=source, tiled=tiled)


def view_is_read_only(view: Any, source: Any = None) -> Result:
    """Claim 6: NumPy refuses a write by a flag; torch has no flag; autograd guards the view of a leaf.

    The torch evidence is the absence of that policy: on a replica, writing one
    element runs and changes every row, and whole-view arithmetic raises.

    Parameters
    ----------
    view : ndarray or Tensor
        The expansion.
    source : ndarray or Tensor, optional
        The row; needed by autograd.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

    Examples
    --------
    >>> import numpy as np
    >>> view_is_read_only(np.broadcast_to(np.array([[1.0, 2.0, 3.0]]), (4, 3))).evidence
    {'error': 'ValueError'}
    """
    return judged("view_is_read_only", view=view, source=source)


def source_write_reaches_every_row(source: Any, view: Any, tiled: Any, weights: Any = None) -> Result:
    """Claim 7: a source edit shows in every row of the view, in none of the copy; tried on replicas.

    Autograd: an edit between forward and backward of ``(view**2 * weights).sum()``
    is caught by the version counter, and does not touch the copy. The replica of
    the copy is a clone of the view, so first its numbers and gradients are compared.

    Parameters
    ----------
    source, view, tiled : ndarray or Tensor
        The row, its expansion and its repetition.
    weights : ndarray or Tensor, optional
        1, 2, 3 … row by row unless given; used by autograd alone.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> view, tiled = np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))
    >>> source_write_reaches_every_row(source, view, tiled).evidence
    {'old': '1', 'new': '9', 'rows': 4, 'view_rows': 4, 'tiled_rows': 0}
    """
    return judged("source_write_reaches_every_row", source=source, view=view, tiled=tiled, weights=weights)


def copied_write_stays_local(source: Any, view: Any, edited: Any, weights: Any = None) -> Result:
    """Claim 8: a write into ``edited[0, 0]`` changes one cell; autograd: and removes one use.

    Parameters
    ----------
    source, view, edited : ndarray or Tensor
        ``edited`` is the copy of the view, before or after the first cell was
        edited: the check writes into a replica of its own.
    weights : ndarray or Tensor, optional
        Used by autograd alone; 1, 2, 3 … row by row unless given.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> view = np.broadcast_to(source, (4, 3))
    >>> copied_write_stays_local(source, view, view.copy()).status
    'passed'
    """
    return judged("copied_write_stays_local", source=source, view=view, edited=edited, weights=weights)


def logical_bytes_exceed_stored_bytes(source: Any, view: Any, tiled: Any) -> Result:
    """Claim 9: 96 logical bytes on 24 stored; autograd: so is what ``view**2`` saves for backward.

    Parameters
    ----------
    source, view, tiled : ndarray or Tensor
        The row, its expansion and its repetition.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> view, tiled = np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))
    >>> list(logical_bytes_exceed_stored_bytes(source, view, tiled).evidence.values())
    [96, 24, 96, 96]
    """
    return judged("logical_bytes_exceed_stored_bytes", source=source, view=view, tiled=tiled)


def dense_result_has_own_storage(source: Any, dense: Any, view: Any = None, weights: Any = None) -> Result:
    """Claim 10: ``dense = view + ones`` has its own bytes; autograd: so has the gradient at the view.

    Parameters
    ----------
    source : ndarray or Tensor
        The row.
    dense : ndarray or Tensor
        ``view + ones``, or another result.
    view : ndarray or Tensor, optional
        The expansion; needed by autograd.
    weights : ndarray or Tensor, optional
        1, 2, 3 … row by row unless given; used by autograd alone.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> dense_result_has_own_storage(source, np.broadcast_to(source, (4, 3)) + np.ones((4, 3))).evidence
    {'logical_bytes': 96, 'own_bytes': 96}
    """
    return judged("dense_result_has_own_storage", source=source, dense=dense, view=view, weights=weights)


def size_two_axis_cannot_expand(two_rows: Any, shape: Sequence[int]) -> Result:
    """Claim 11: an axis of size two is refused another size; autograd: before any graph is recorded.

    What can be observed of the graph: no result comes back, nothing is saved
    for backward, and the source has no new node and no new version.

    Parameters
    ----------
    two_rows : ndarray or Tensor
        Two rows.
    shape : sequence of int
        What they are expanded to.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

    Examples
    --------
    >>> import numpy as np
    >>> size_two_axis_cannot_expand(np.ones((2, 3)), (4, 3)).evidence
    {'source': '(2, 3)', 'target': '(4, 3)', 'error': 'ValueError'}
    """
    options = {"shape": target_shape(shape)}
    return judged("size_two_axis_cannot_expand", two_rows=two_rows, options=options)
