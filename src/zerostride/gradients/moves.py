"""What moves in a difference: one element, or one stored value with all elements that read it."""

from typing import Any

import numpy as np

from zerostride.gradients.programs import fresh, need_room
from zerostride.handed_in import is_among, told
from zerostride.language import say
from zerostride.layouts import Layout, is_tensor
from zerostride.layouts.arithmetic import byte_offsets

QUESTIONS = {"element": "of_element", "stored": "of_stored"}
MOST_STORED_ELEMENTS = 1 << 22

Array = np.ndarray[Any, Any]
Groups = list[Array]


def moved_together(seen: Layout, of: str) -> Groups:
    """Return the places of the elements of each move: one, or all that read one address.

    Raises
    ------
    ValueError
        If there is no such question, too much would have to be copied, or
        elements share some of their bytes and not all.
    """
    if not is_among(of, QUESTIONS):
        raise ValueError(say("gradients.bad_question", of=told(of)))
    if of == "element":
        need_room(seen.size * seen.size, seen.shape)
        return list(np.arange(seen.size).reshape(-1, 1))
    if seen.size > MOST_STORED_ELEMENTS:
        need_room(seen.size * seen.size, seen.shape)
    offsets = byte_offsets(seen.shape, seen.strides_bytes, seen.storage_offset_bytes).ravel()
    starts, counts = np.unique(offsets, return_counts=True)
    if (np.diff(starts) < seen.itemsize).any():
        raise ValueError(say("gradients.partly_shared"))
    need_room(seen.size * len(starts), seen.shape)
    groups = np.split(np.argsort(offsets, kind="stable"), np.cumsum(counts)[:-1]) if seen.size else []
    return sorted(groups, key=lambda places: int(places[0]))


def moved(x: Any, dtype: str, places: Array, by: float) -> Any:
    """Return a copy of ``x`` in which some elements are moved."""
    z = fresh(x, dtype)
    flat = z.reshape(-1)
    for place in places.tolist():
        # Float8 tensors can be filled and not added to.
        flat[place] = float(flat[place]) + by if is_tensor(z) else flat[place] + by
    return z
