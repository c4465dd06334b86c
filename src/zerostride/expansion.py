"""Whether a shape can be expanded to another: axis by axis, from the trailing end."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from math import prod

from zerostride.handed_in import is_among, items_of, told, whole_number
from zerostride.language import say
from zerostride.reports import Report, Table

Shape = tuple[int, ...]

LIBRARIES = ("numpy", "torch")
NUMPY_MOST_AXES = 64
MOST = (1 << 63) - 1


@dataclass(frozen=True)
class AxisVerdict:
    """What becomes of one axis.

    Attributes
    ----------
    axis : int
        Counted from the trailing end: -1 is the last.
    source_size, target_size : int or None
        Sizes as handed in; None where that shape has no such axis.
    verdict : {"same", "expanded", "new", "refused"}
        What becomes of it.
    because : str
        Name of the reason.
    """

    axis: int
    source_size: int | None
    target_size: int | None
    verdict: str
    because: str

    @property
    def reason(self) -> str:
        """Why, in the language in use."""
        return say(f"expansion.because.{self.because}", source=self.source_size, target=self.target_size)

    def to_dict(self) -> dict[str, object]:
        """Return every field under its name."""
        names = ("axis", "source_size", "target_size", "verdict", "because")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, repr=False)
class Expansion(Report):
    """Whether one shape expands to another; true or false like the answer.

    Attributes
    ----------
    library : {"numpy", "torch"}
        Whose rules.
    source_shape, target_shape : tuple of int
        As handed in.
    axes : tuple of AxisVerdict
        One per axis, the last axis first.
    limit : str
        Name of the limit of the library that forbids it; empty where none does.
    """

    library: str
    source_shape: Shape
    target_shape: Shape
    axes: tuple[AxisVerdict, ...]
    limit: str = ""

    @property
    def refused(self) -> AxisVerdict | None:
        """The first axis, from the trailing end, that does not fit."""
        return next((axis for axis in self.axes if axis.verdict == "refused"), None)

    @property
    def allowed(self) -> bool:
        """Whether the library expands the one to the other."""
        return self.refused is None and not self.limit

    def __bool__(self) -> bool:
        return self.allowed

    @property
    def shape(self) -> Shape | None:
        """The resulting shape, each -1 resolved; None where it is refused."""
        return resolved(self.source_shape, self.target_shape) if self.allowed else None

    @property
    def reason(self) -> str:
        """Why, in the language in use."""
        if self.refused:
            return say("expansion.refused_axis", axis=self.refused.axis, reason=self.refused.reason)
        if self.limit:
            return say(f"expansion.limit.{self.limit}")
        changed = any(axis.verdict != "same" for axis in self.axes)
        return say("expansion.fits") if changed else say("expansion.nothing_to_do")

    @property
    def hint(self) -> str:
        """Which other operation may have been meant, in the language in use; empty if none."""
        extra = len(self.target_shape) - len(self.source_shape)
        from_the_front = (*self.source_shape, *(1,) * extra)
        differs = self.refused is not None and self.refused.because in ("differs", "shrinks")
        if differs and extra > 0 and can_expand(from_the_front, self.target_shape, self.library):
            return say("expansion.from_the_front", shape=from_the_front)
        sizes = (
            (self.refused.source_size, self.refused.target_size) if self.refused and differs else (None, None)
        )
        if sizes[0] and sizes[1] and sizes[1] > sizes[0] and sizes[1] % sizes[0] == 0:
            return say("expansion.other_operation", source=sizes[0], target=sizes[1])
        return ""

    def table(self) -> Table:
        """Return one row per axis, the last axis first, and the verdict below."""
        rows = [
            (
                str(axis.axis),
                _size(axis.source_size),
                _size(axis.target_size),
                say(f"expansion.verdict.{axis.verdict}"),
                axis.reason,
            )
            for axis in self.axes
        ]
        columns = ("axis", "source", "target", "verdict_column", "because_column")
        header = tuple(say(f"expansion.{column}") for column in columns)
        verdict = say("expansion.allowed", shape=self.shape) if self.allowed else say("expansion.not_allowed")
        caption = say(f"expansion.caption.{self.library}", source=self.source_shape, target=self.target_shape)
        return Table(rows, header, [line for line in (verdict, self.reason, self.hint) if line], caption)

    def to_dict(self) -> dict[str, object]:
        """Return shapes, answer and one entry per axis."""
        names = "library source_shape target_shape allowed shape limit"
        axes = [axis.to_dict() for axis in self.axes]
        return {**{name: getattr(self, name) for name in names.split()}, "axes": axes}


def can_expand(
    source_shape: Iterable[int] | int,
    target_shape: Iterable[int] | int,
    library: str = "numpy",
    itemsize: int = 1,
) -> Expansion:
    """Return whether a shape expands to another, with the reason, axis by axis.

    NumPy's rules are those of ``np.broadcast_to``, torch's those of
    ``Tensor.expand``, where -1 keeps the size of an axis.

    Parameters
    ----------
    source_shape, target_shape : sequence of int, or int
        Size of each axis.
    library : {"numpy", "torch"}
        Whose rules.
    itemsize : int, default 1
        Bytes of one element. NumPy refuses views of 2**63 logical bytes and
        more, so the size of the elements can decide.

    Returns
    -------
    Expansion
        True or false like ``allowed``, with the ``reason`` and a verdict for each of the ``axes``.

    Raises
    ------
    TypeError
        If a size is no whole number.
    ValueError
        If a size of the source is negative, or the library is another one.

    Examples
    --------
    >>> can_expand((1, 3), (4, 3)).allowed, can_expand((2, 3), (4, 3)).allowed
    (True, False)
    >>> can_expand((1, 3), (2, -1, 3), library="torch").shape
    (2, 1, 3)
    >>> can_expand((4,), (4, 3))
    NumPy: (4,) to (4, 3)
    axis  source  target  verdict  because
    ----  ------  ------  -------  ------------------------------------------
    -1    4       3       refused  4 is neither 1 nor 3
    -2            4       new      a new axis: the source can be read 4 times
    refused
    axis -1: 4 is neither 1 nor 3
    (4, 1) would fit: new axes come in front unless you write one behind, as in x[..., None]
    """
    source, target = sizes(source_shape), sizes(target_shape)
    if not is_among(library, LIBRARIES):
        raise ValueError(say("expansion.unknown_library", library=told(library, str)))
    if any(size < 0 for size in source):
        raise ValueError(say("expansion.negative_source", shape=source))
    if (bytes_each := whole_number(itemsize)) is None or bytes_each < 1:
        raise ValueError(say("layout.bad_itemsize", itemsize=itemsize))
    pairs = zip_longest(reversed(source), reversed(target))
    axes = tuple(_verdict(-place, *pair, library) for place, pair in enumerate(pairs, 1))
    fits = all(axis.verdict != "refused" for axis in axes)
    limit = beyond_limit(resolved(source, target), library, bytes_each) if fits else ""
    return Expansion(library, source, target, axes, limit)


def sizes(shape: Iterable[int] | int) -> Shape:
    """Return a shape as a tuple of whole numbers.

    Raises
    ------
    TypeError
        If it is none.

    Examples
    --------
    >>> sizes(3), sizes([4, 3])
    ((3,), (4, 3))
    """
    parts = items_of(shape) if isinstance(shape, Iterable) else [shape]
    found = [whole_number(part) for part in parts or ()]
    whole = tuple(size for size in found if size is not None)
    if parts is None or len(whole) < len(parts):
        raise TypeError(say("expansion.not_a_shape", shape=told(shape)))
    return whole


def beyond_limit(shape: Shape, library: str, itemsize: int) -> str:
    """Return the name of the limit of a library that a shape exceeds, empty if none.

    Examples
    --------
    >>> beyond_limit((2**31, 2**31), "numpy", 1), beyond_limit((2**31, 2**31), "numpy", 8)
    ('', 'numpy_bytes')
    """
    if library == "numpy" and len(shape) > NUMPY_MOST_AXES:
        return "numpy_axes"
    if library == "numpy":
        return "numpy_bytes" if prod(size for size in shape if size) * itemsize > MOST else ""
    elements, most_on_the_way = 1, 1
    for size in shape:
        elements *= size
        most_on_the_way = max(most_on_the_way, elements)
    too_many = most_on_the_way > 2 * MOST + 1 or max(elements, *shape, 0) > MOST
    return "torch_elements" if too_many else ""


def _verdict(axis: int, source: int | None, target: int | None, library: str) -> AxisVerdict:
    verdict, because = _judged(source, target, library)
    return AxisVerdict(axis, source, target, verdict, because)


def _judged(source: int | None, target: int | None, library: str) -> tuple[str, str]:
    if target is None:
        return "refused", "axis_missing"
    if target == -1 and library == "torch":
        return ("refused", "nothing_to_keep") if source is None else ("same", "kept")
    if target < 0:
        known_size = target == -1 and source is not None
        return "refused", "numpy_minus_one" if known_size else "negative"
    if target > MOST:
        return "refused", "too_long"
    if source is None:
        return "new", "new"
    if source == target:
        return "same", "same"
    if source == 1:
        return "expanded", "expanded"
    return "refused", "shrinks" if target == 1 else "differs"


def resolved(source: Shape, target: Shape) -> Shape:
    """Return the target with -1 replaced by the size that it keeps."""
    shift = len(target) - len(source)
    return tuple(source[axis - shift] if size == -1 else size for axis, size in enumerate(target))


def _size(size: int | None) -> str:
    return "" if size is None else str(size)
