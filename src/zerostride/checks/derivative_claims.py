"""The claims on derivatives, the last three of the fourteen; ``claims`` says how each judges."""

from collections.abc import Callable
from typing import Any

from zerostride.checks.judge import judged
from zerostride.checks.results import Result


def column_sums_are_22_26_30(weights: Any, sums: Any, source: Any = None) -> Result:
    """Claim 12: ``sums`` are the column sums of the weights; autograd: what backward gave the source.

    The name speaks of the weights 1 … 12; what is expected is computed from the
    weights handed in.

    Parameters
    ----------
    weights : ndarray or Tensor
        One weight for each use of its values.
    sums : ndarray or Tensor
        The sums of its columns; for autograd the gradient of ``source``.
    source : ndarray or Tensor, optional
        The row; needed by autograd.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

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

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

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

    Parameters
    ----------
    source : ndarray or Tensor
        The row.
    weights : ndarray or Tensor
        One weight for each use of its values.
    make : callable
        The program under study, from a row to rows.

    Returns
    -------
    Result
        The evidence, ``passed`` or ``not_applicable``.

    Examples
    --------
    >>> import numpy as np
    >>> source, weights = np.array([[1.0, 2.0, 3.0]]), np.arange(1.0, 13.0).reshape(4, 3)
    >>> copy_gradient_matches_column_sums(source, weights, lambda z: np.tile(z, (4, 1))).status
    'passed'
    """
    options = {"make": make}
    return judged("copy_gradient_matches_column_sums", source=source, weights=weights, options=options)
