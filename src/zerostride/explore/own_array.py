"""The learner's own array or tensor as the explorer of addresses takes it: two short axes, and its values."""

from dataclasses import replace
from typing import Any

from zerostride.draw.values import MOST_LETTERS, fitting_word, plain
from zerostride.explore.operations import Own
from zerostride.language import say
from zerostride.layouts import Layout, is_tensor, layout
from zerostride.layouts.arithmetic import indices

MOST = 8


def own_array(x: Any) -> Own:
    """Return layout and values of an array or a tensor of at most two short axes; nothing is copied.

    Raises
    ------
    ValueError
        If it has more axes, a longer one, or no element.
    TypeError
        If it is no array.

    Examples
    --------
    >>> import numpy as np
    >>> own = own_array(np.arange(6).reshape(2, 3)[:, ::-1])
    >>> own.seen.formula, own.values[16]
    ('16 + i×24 + j×(−8)', '2')
    """
    seen = layout(x)
    if seen.ndim > 2:
        raise ValueError(say("front.error.axes", axes=seen.ndim))
    if any(size > MOST for size in seen.shape):
        raise ValueError(say("front.error.large", shape=seen.shape, most=MOST))
    if seen.size == 0 or seen.itemsize == 0:
        raise ValueError(say("front.error.empty", shape=seen.shape))
    held = not isinstance(x, Layout) and not (is_tensor(x) and x.is_meta)
    words = (
        {seen.offset_bytes(index): fitting_word(plain(x[index]), _fits) for index in indices(seen.shape)}
        if held
        else {}
    )
    return Own(_two_axes(seen), words)


def _two_axes(seen: Layout) -> Layout:
    missing = 2 - seen.ndim
    shape = (1,) * missing + seen.shape
    last = seen.strides_bytes or (seen.itemsize,)
    # Along an axis of length 1 no stride ever counts: the one that a row would have is shown.
    strides = (seen.shape[0] * last[0] if seen.ndim else seen.itemsize,) * (missing > 0) + tuple(last)
    made = Layout.of(
        shape,
        strides[-2:],
        seen.itemsize,
        storage_offset_bytes=seen.storage_offset_bytes,
        storage_bytes=seen.storage_bytes,
        dtype=seen.dtype,
    )
    return replace(made, library=seen.library)


def _fits(text: str) -> bool:
    return len(text) <= MOST_LETTERS
