"""The fourteen claims, each a function that judges the arrays handed in.

The suite follows from the arrays: ndarrays are judged by NumPy evidence,
tensors by torch evidence, and tensors of which one requires grad by autograd
evidence. A claim that holds returns a :class:`Result`; one that does not raises
:class:`CheckFailed`; one that says nothing here returns a result with status
``"not_applicable"`` and the reason. No check writes into what it is given, fills a
``.grad`` or runs a hook. Where ``source`` is handed in, the view has to read it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from zerostride.checks.conditions import target_shape
from zerostride.checks.judge import judged
from zerostride.checks.results import Result


def shapes_match(source: Any, view: Any, tiled: Any) -> Result:
    """Claim 1: expanding and repeating give one shape; autograd: the gradient has the source's.

    Parameters
    ----------
    source, view, tiled : ndarray or Tensor
        The row, its expansion and its repetition.

    Raises
    ------
    CheckFailed
        If the claim does not hold, here and in every check of this module.

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

    ``weights``, used by autograd alone, are 1, 2, 3 … row by row unless given.

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

    Autograd needs ``source`` too.

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

    Autograd needs ``view`` too.

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

    Examples
    --------
    >>> import numpy as np
    >>> size_two_axis_cannot_expand(np.ones((2, 3)), (4, 3)).evidence
    {'source': '(2, 3)', 'target': '(4, 3)', 'error': 'ValueError'}
    """
    options = {"shape": target_shape(shape)}
    return judged("size_two_axis_cannot_expand", two_rows=two_rows, options=options)


def column_sums_are_22_26_30(weights: Any, sums: Any, source: Any = None) -> Result:
    """Claim 12: ``sums`` are the column sums of the weights; autograd: what backward gave the source.

    The name speaks of the weights 1 … 12; what is expected is computed from the
    weights handed in. For autograd hand in ``source`` and its gradient.

    Examples
    --------
    >>> import numpy as np
    >>> weights = np.arange(1.0, 13.0).reshape(4, 3)
    >>> column_sums_are_22_26_30(weights, weights.sum(axis=0)).evidence["sums"]
    '(22, 26, 30)'
    """
    return judged("column_sums_are_22_26_30", weights=weights, sums=sums, source=source)


def view_gradient_matches_column_sums(source: Any, weights: Any, make: Callable[[Any], Any]) -> Result:
    """Claim 13: differences through a view are the column sums; autograd: so is its gradient (gradcheck).

    Parameters
    ----------
    source, weights : ndarray or Tensor
        One row, and one weight per use of its values. Differences are taken in
        float64, whatever the dtype, and on copies.
    make : callable
        The program under study, from a row to rows; its result must read the
        bytes of its input.

    Examples
    --------
    >>> import numpy as np
    >>> source, weights = np.array([[1.0, 2.0, 3.0]]), np.arange(1.0, 13.0).reshape(4, 3)
    >>> result = view_gradient_matches_column_sums(source, weights, lambda z: np.broadcast_to(z, (4, 3)))
    >>> result.evidence["differences"]
    '(22, 26, 30)'
    """
    options = {"make": make}
    return judged("view_gradient_matches_column_sums", source=source, weights=weights, options=options)


def copy_gradient_matches_column_sums(source: Any, weights: Any, make: Callable[[Any], Any]) -> Result:
    """Claim 14: as claim 13 through a copy, whose result must share no byte with its input.

    Examples
    --------
    >>> import numpy as np
    >>> source, weights = np.array([[1.0, 2.0, 3.0]]), np.arange(1.0, 13.0).reshape(4, 3)
    >>> copy_gradient_matches_column_sums(source, weights, lambda z: np.tile(z, (4, 1))).status
    'passed'
    """
    options = {"make": make}
    return judged("copy_gradient_matches_column_sums", source=source, weights=weights, options=options)
