"""What a NumPy array or a torch tensor is made of: one frozen object for both libraries."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, Self

from zerostride.handed_in import is_among, items_of, told, whole_number
from zerostride.language import say
from zerostride.layouts.arithmetic import Reading, is_contiguous, reading, span
from zerostride.layouts.sources import facts
from zerostride.layouts.sources import is_tensor as is_tensor
from zerostride.layouts.table import layout_table, remarks
from zerostride.reports import Report, Table

AXIS_NAMES = "ijklmn"


@dataclass(frozen=True)
class Layout(Report):
    """How logical elements are read from one storage.

    Everything is counted in bytes, from the start of the storage; torch's
    element strides are converted once, when the layout is read.

    Attributes
    ----------
    shape : tuple of int
        Size of each axis.
    strides_bytes : tuple of int
        Step along each axis in bytes.
    itemsize : int
        Bytes of one element.
    storage_offset_bytes : int
        Where the element at index ``(0, ..., 0)`` starts.
    storage_bytes : int
        Size of the whole storage, whoever else reads it.
    dtype : str
        Name of the element type, ``"float64"``.
    library : {"numpy", "torch", "other", "numbers"}
        Where the layout was read from.
    owner : str
        What holds the storage: ``"this array"``, ``"another ndarray"``,
        ``"torch storage"``, the type of another holder such as ``"mmap"`` or
        ``"bytes"``, ``"unknown"``, or nothing for a layout made from numbers.
    storage_id : hashable or None
        Equal for two layouts of one storage, read while it lives:
        ``("cpu", first address)`` in ordinary memory, for both libraries.
        None where the storage has no identity that could be asked.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> view = layout(np.broadcast_to(source, (4, 3)))
    >>> view.strides_bytes, view.strides_elements, view.formula
    ((0, 8), (0, 1), 'i×0 + j×8')
    >>> view.logical_bytes, view.touched_bytes, view.storage_bytes
    (96, 24, 24)
    >>> view.ndim, view.size, view.most_aliases, view.shared_axes, view.overlaps, view.contiguous
    (2, 12, 4, (0,), True, False)
    >>> view.worked((2, 1)), view.offset_bytes((3, 1)), view.formula_in("elements"), view.axis_names
    ('2×0 + 1×8 = 8 B', 8, 'i×0 + j×1', ('i', 'j'))
    >>> view.touched_bytes_between, view.outside, view.notes
    ((24, 24), False, ())
    >>> view.to_dict()["touched_bytes"], view.table().rows[0]
    (24, ('shape', '(4, 3)'))
    """

    shape: tuple[int, ...]
    strides_bytes: tuple[int, ...]
    itemsize: int
    storage_offset_bytes: int
    storage_bytes: int
    dtype: str = ""
    library: str = "numbers"
    note_keys: tuple[str, ...] = field(default=(), repr=False)
    owner: str = ""
    storage_id: Hashable = field(default=None, compare=False)

    @classmethod
    def of(
        cls,
        shape: Sequence[int],
        strides_bytes: Sequence[int],
        itemsize: int,
        *,
        storage_offset_bytes: int | None = None,
        storage_bytes: int | None = None,
        dtype: str = "",
    ) -> Self:
        """Return a layout made from numbers alone; nothing is allocated.

        Parameters
        ----------
        shape, strides_bytes : sequence of int
            Size of each axis, and the step along it in bytes.
        itemsize : int
            Bytes of one element, at least 1.
        storage_offset_bytes : int, optional
            Where the first element starts; by default as early as the
            negative strides allow.
        storage_bytes : int, optional
            Size of the storage; by default just enough for every element.
        dtype : str, optional
            Name to show.

        Returns
        -------
        Self
            As :func:`layout` gives it of an array.

        Raises
        ------
        ValueError
            If the numbers describe no layout: fractions, sizes below 0, more
            or fewer strides than axes, or an element outside the storage.

        Examples
        --------
        >>> Layout.of((4, 3), (0, -8), 8).formula
        '16 + i×0 + j×(−8)'
        >>> Layout.of((4, 3), (24, 8), 8, storage_bytes=24)
        Traceback (most recent call last):
        ValueError: the elements reach byte 96, but the storage ends at byte 24
        """
        start, size = storage_offset_bytes, storage_bytes
        shape, strides_bytes = _whole_numbers(shape), _whole_numbers(strides_bytes)
        [itemsize] = _whole_numbers([itemsize])
        start, size = (None if number is None else _whole_numbers([number])[0] for number in (start, size))
        if len(shape) != len(strides_bytes):
            raise ValueError(say("layout.bad_strides", axes=len(shape), strides=len(strides_bytes)))
        if any(size < 0 for size in shape):
            raise ValueError(say("layout.bad_size", shape=shape))
        if itemsize < 1:
            raise ValueError(say("layout.bad_itemsize", itemsize=itemsize))
        low, high = span(shape, strides_bytes, itemsize)
        start = -low if start is None else start
        end = start + high
        size = max(end, 0) if size is None else size
        if start + low < 0:
            raise ValueError(say("layout.before_storage", byte=start + low))
        if end > size:
            raise ValueError(say("layout.past_storage", byte=end, end=size))
        return cls(shape, strides_bytes, itemsize, start, size, told(dtype, str))

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of logical elements."""
        return prod(self.shape)

    @property
    def strides_elements(self) -> tuple[int | None, ...]:
        """Step along each axis in elements, as torch counts; None where it is no whole number."""
        return tuple(
            step // self.itemsize if self.itemsize and step % self.itemsize == 0 else None
            for step in self.strides_bytes
        )

    @property
    def logical_bytes(self) -> int:
        """Elements times item size: what ``nbytes`` reports, allocated or not."""
        return self.size * self.itemsize

    @cached_property
    def _reading(self) -> Reading:
        return reading(self.shape, self.strides_bytes, self.itemsize)

    @property
    def touched_bytes(self) -> int | None:
        """Bytes that at least one index reads; None where unknown (see ``notes``)."""
        return self._reading.touched_bytes

    @property
    def touched_bytes_between(self) -> tuple[int, int]:
        """True bounds of ``touched_bytes``; both the same where it is known."""
        return self._reading.touched_bytes_between

    @property
    def most_aliases(self) -> int | None:
        """The largest number of indices on one address; None where unknown (see ``notes``)."""
        return self._reading.most_aliases

    @property
    def overlaps(self) -> bool | None:
        """Whether two different indices read a common byte; None where unknown (see ``notes``)."""
        return self._reading.overlaps

    @property
    def shared_axes(self) -> tuple[int, ...]:
        """Axes longer than 1 along which the address never moves."""
        return tuple(
            axis
            for axis, (size, step) in enumerate(zip(self.shape, self.strides_bytes, strict=True))
            if size > 1 and step == 0
        )

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps."""
        return is_contiguous(self.shape, self.strides_bytes, self.itemsize)

    @property
    def outside(self) -> bool:
        """Whether an element lies outside the storage, as ``as_strided`` allows."""
        low, high = span(self.shape, self.strides_bytes, self.itemsize)
        start = self.storage_offset_bytes
        return self.size > 0 and not 0 <= start + low <= start + high <= self.storage_bytes

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about this kind of array, and why something is unknown, in the language in use."""
        return (*map(say, self.note_keys), *remarks(self))

    @property
    def axis_names(self) -> tuple[str, ...]:
        """One name per axis: ``i``, ``j``, ``k`` … or ``i0``, ``i1`` … beyond six axes."""
        if self.ndim <= len(AXIS_NAMES):
            return tuple(AXIS_NAMES[: self.ndim])
        return tuple(f"i{axis}" for axis in range(self.ndim))

    @property
    def formula(self) -> str:
        """The byte offset of an element, ``i×0 + j×8``, with a start where there is one."""
        return self.formula_in("bytes")

    def formula_in(self, unit: str, index: Sequence[object] | None = None) -> str:
        """Return the offset formula in ``"bytes"`` or ``"elements"``, with an index put in if given.

        Raises
        ------
        ValueError
            If a step is no whole number of elements.
        """
        start, steps = self._in(unit)
        names = self.axis_names if index is None else index
        terms = [f"{name}×{_signed(step)}" for name, step in zip(names, steps, strict=True)]
        if start or not terms:
            terms.insert(0, str(start))
        return " + ".join(terms)

    def worked(self, index: Sequence[int], unit: str = "bytes") -> str:
        """Return the formula with the numbers of one index put in and its result, ``2×0 + 1×8 = 8 B``."""
        from_start = self._from_start(index)
        offset, terms = self.offset_bytes(from_start), self.formula_in(unit, from_start)
        return f"{terms} = {offset} B" if unit == "bytes" else f"{terms} = {offset // self.itemsize}"

    def offset_bytes(self, index: Sequence[int]) -> int:
        """Return where one element starts, in bytes from the start of the storage.

        Parameters
        ----------
        index : sequence of int
            One number per axis; negative numbers count from the end.

        Raises
        ------
        IndexError
            If there are too many or too few numbers, or one is out of range.
        """
        moves = zip(self._from_start(index), self.strides_bytes, strict=True)
        return self.storage_offset_bytes + sum(position * step for position, step in moves)

    def _from_start(self, index: Sequence[int]) -> tuple[int, ...]:
        """Return an index as whole numbers that count from the start of each axis."""
        try:
            positions = _whole_numbers(index)
        except ValueError as error:
            raise IndexError(say("layout.bad_index", index=told(index), shape=self.shape)) from error
        inside = all(-size <= at < size for at, size in zip(positions, self.shape, strict=False))
        if len(positions) != self.ndim or not inside:
            raise IndexError(say("layout.bad_index", index=tuple(positions), shape=self.shape))
        return tuple(at % size for at, size in zip(positions, self.shape, strict=True))

    def _in(self, unit: str) -> tuple[int, tuple[int, ...]]:
        if not is_among(unit, ("bytes", "elements")):
            raise ValueError(say("layout.bad_unit", unit=unit))
        if unit == "bytes":
            return self.storage_offset_bytes, self.strides_bytes
        whole = tuple(step for step in self.strides_elements if step is not None)
        if len(whole) < self.ndim or self.itemsize == 0 or self.storage_offset_bytes % self.itemsize:
            raise ValueError(say("layout.no_whole_elements"))
        return self.storage_offset_bytes // self.itemsize, whole

    def to_dict(self) -> dict[str, object]:
        """Return every answer under its public name."""
        names = (
            "shape dtype library itemsize strides_bytes strides_elements storage_offset_bytes storage_bytes "
            "owner logical_bytes touched_bytes touched_bytes_between most_aliases shared_axes overlaps "
            "contiguous formula notes"
        )
        return {name: getattr(self, name) for name in names.split()}

    def table(self) -> Table:
        """Return the answers as rows of words in the language in use."""
        return layout_table(self)

    def __repr__(self) -> str:
        return str(self)


def layout(x: Any) -> Layout:
    """Return how an array or a tensor is read from its storage; nothing is copied.

    Parameters
    ----------
    x : numpy.ndarray, torch.Tensor or another strided array
        Another library's array is read through ``__array_interface__`` or
        DLPack, as long as they hand out its memory and no copy of it. A layout
        is returned as it is.

    Returns
    -------
    Layout
        Shape, strides, bytes and the formula of the address.

    Raises
    ------
    TypeError
        If ``x`` has no strides (a list, a number, a sparse or nested tensor)
        or nothing tells where its elements lie.

    Examples
    --------
    >>> import numpy as np
    >>> layout(np.tile(np.array([[1.0, 2.0, 3.0]]), (4, 1))).strides_bytes
    (24, 8)
    >>> layout([1, 2, 3])
    Traceback (most recent call last):
    TypeError: hand in a NumPy array or a torch tensor, not list: np.asarray(x) makes one
    """
    return x if isinstance(x, Layout) else Layout(**facts(x))


def _whole_numbers(given: Sequence[int]) -> tuple[int, ...]:
    items = items_of(given)
    numbers = [int(each) if isinstance(each, bool) else whole_number(each) for each in items or ()]
    found = tuple(number for number in numbers if number is not None)
    if items is None or len(found) < len(items):
        raise ValueError(say("layout.whole_numbers"))
    return found


def _signed(number: int) -> str:
    return f"(−{-number})" if number < 0 else str(number)
