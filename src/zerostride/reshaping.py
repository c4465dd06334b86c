"""Whether a reshape copies: predicted from sizes and strides, and nothing is reshaped."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

from zerostride.expansion import Shape, beyond_limit, sizes
from zerostride.language import say
from zerostride.layouts import Layout, layout
from zerostride.reports import Report, Table


@dataclass(frozen=True, repr=False)
class Reshape(Report):
    """Whether a reshape copies; true or false like the answer.

    Attributes
    ----------
    layout : Layout
        What is reshaped.
    shape : tuple of int
        The new shape, -1 resolved.
    axis : int or None
        The axis of the source whose step makes a view impossible; None where
        the result is a view.
    next_axis : int or None
        The axis that it would have to continue.
    """

    layout: Layout
    shape: Shape
    axis: int | None = None
    next_axis: int | None = None

    @property
    def copies(self) -> bool:
        """Whether the result has storage of its own."""
        return self.axis is not None

    def __bool__(self) -> bool:
        return self.copies

    @property
    def copied_bytes(self) -> int:
        """Bytes that the copy takes; 0 for a view."""
        return self.layout.logical_bytes if self.copies else 0

    @property
    def reason(self) -> str:
        """Why, in the language in use."""
        if self.axis is None or self.next_axis is None:
            return say("expansion.steps_fit") if self.layout.size else say("expansion.no_element")
        size, step = self.layout.shape[self.next_axis], self.layout.strides_bytes[self.next_axis]
        return say(
            "expansion.step_breaks",
            axis=self.axis,
            step=self.layout.strides_bytes[self.axis],
            next=self.next_axis,
            product=f"{size}×{step} = {size * step}",
        )

    def table(self) -> Table:
        """Return shapes, answer and reason as rows."""
        rows = [
            (say("expansion.shape"), str(self.layout.shape)),
            (say("expansion.new_shape"), str(self.shape)),
            (say("expansion.result"), say("expansion.a_copy") if self.copies else say("expansion.a_view")),
            (say("expansion.because_column"), self.reason),
            (say("expansion.copied"), f"{self.copied_bytes:,} B"),
        ]
        return Table(rows)

    def to_dict(self) -> dict[str, object]:
        """Return every answer under its public name."""
        return {
            name: getattr(self, name) for name in ("copies", "shape", "axis", "next_axis", "copied_bytes")
        }


def reshape_copies(x: Any, shape: Iterable[int] | int) -> Reshape:
    """Return whether reshaping ``x`` copies, and the axis that makes it; nothing is reshaped.

    Axes that the new shape joins must step like one: each by the size times
    the step of the next. Both libraries copy exactly where none fits; there,
    torch's ``view`` raises, and so does ``reshape(..., copy=False)`` of NumPy
    2.1 or newer.

    Parameters
    ----------
    x : numpy.ndarray, torch.Tensor or Layout
        Whatever ``layout`` reads.
    shape : sequence of int, or int
        The new shape in row-major order; one size may be -1.

    Returns
    -------
    Reshape
        True or false like ``copies``, with the ``reason`` and ``copied_bytes``.

    Raises
    ------
    TypeError
        If ``x`` has no strides, or a size is no whole number.
    ValueError
        If the library refuses the shape.

    Examples
    --------
    >>> import numpy as np
    >>> view = np.broadcast_to(np.array([[1.0, 2.0, 3.0]]), (4, 3))
    >>> reshape_copies(view, -1).axis, reshape_copies(view, (2, 2, 3)).copies
    (0, False)
    >>> print(reshape_copies(view, -1).reason)
    axis 0 steps 0 B; to go on where axis 1 ends it would have to step 3×8 = 24 B
    >>> reshape_copies(view, (5, 3))
    Traceback (most recent call last):
    ValueError: 12 elements do not fill shape (5, 3)
    """
    read = layout(x)
    new = _filled(read, sizes(shape))
    limit = beyond_limit(new, read.library, read.itemsize) if read.library != "numbers" else ""
    if limit:
        raise ValueError(say(f"expansion.limit.{limit}"))
    breaks = _break(read, new) if read.size else None
    return Reshape(read, new, *(breaks or ()))


def _filled(read: Layout, shape: Shape) -> Shape:
    """Return the shape with -1 resolved, as the library of the layout does."""
    unknown = [axis for axis, size in enumerate(shape) if size < 0]
    if len(unknown) > 1:
        raise ValueError(say("expansion.two_unknown", shape=shape))
    if unknown and read.library == "torch" and shape[unknown[0]] != -1:
        raise ValueError(say("expansion.negative_size", size=shape[unknown[0]]))
    known = prod(size for size in shape if size >= 0)
    if unknown and known == 0:
        raise ValueError(say("expansion.ambiguous", shape=shape))
    if unknown and read.size % known == 0:
        return tuple(read.size // known if size < 0 else size for size in shape)
    if unknown or known != read.size:
        raise ValueError(say("expansion.other_number", elements=read.size, shape=shape))
    return shape


def _break(read: Layout, shape: Shape) -> tuple[int, int] | None:
    """Return the first two neighbouring axes that must be joined and cannot, None if all can."""
    old = [(axis, size) for axis, size in enumerate(read.shape) if size != 1]
    new = iter(size for size in shape if size != 1)
    have = want = 1
    for (axis, size), (after, next_size) in pairwise(old):
        have *= size
        while want < have:
            want *= next(new)
        if want != have and read.strides_bytes[axis] != next_size * read.strides_bytes[after]:
            return axis, after
    return None
