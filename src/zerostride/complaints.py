"""What a library says against a few lines."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def caught() -> Iterator[list[str]]:
    """Run the lines of a ``with`` block; list its error and its warnings, each by its first sentence.

    The list stays empty where nobody complains, so that the same lines fit every case.

    Yields
    ------
    list of str
        Warnings first, then the error; full after the block alone.

    Examples
    --------
    >>> import numpy as np
    >>> with caught() as complaints:
    ...     np.broadcast_to([1, 2], (2, 2))[0, 0] = 9
    >>> complaints
    ['ValueError: assignment destination is read-only']
    """
    complaints: list[str] = []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            yield complaints
        except Exception as error:
            complaints.append(_first_sentence(error))
    complaints[:0] = [_first_sentence(each.message) for each in seen if isinstance(each.message, Warning)]


def _first_sentence(complaint: Exception) -> str:
    # What follows, a library's advice or the place in its source, changes with the version.
    text = " ".join(str(complaint).split(". ")[0].split())
    return f"{type(complaint).__name__}: {text}"
