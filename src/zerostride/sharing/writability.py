"""What a write into an array does: not whether a flag allows it, but what it changes."""

import warnings
from dataclasses import dataclass
from itertools import combinations
from math import gcd, prod
from typing import Any

import numpy as np

from zerostride.language import say
from zerostride.layouts import Layout, is_tensor, layout
from zerostride.reports import Report, Table

LOOK_AT = 1 << 12
SHOW_PAIRS = 3

# What torch calls the ways to make a view into which it refuses to write.
FORBIDDEN_VIEWS = {
    "MULTI_OUTPUT_NODE": "one_of_several_views",
    "NO_GRAD_MODE": "view_without_gradient",
    "INFERENCE_MODE": "view_in_inference_mode",
    "IN_CUSTOM_FUNCTION": "view_of_custom_function",
}
ONCE_LET_THROUGH = {
    "changes_several": "then_changes_several",
    "undetected_overlap": "then_undetected_overlap",
    "outside_storage": "then_outside_storage",
    "unknown": "then_unknown",
}

Index = tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Writability(Report):
    """What a write in place does.

    Attributes
    ----------
    outcome : str
        ``"safe"``; ``"read_only"``, NumPy's policy for this array;
        ``"changes_several"``, allowed, and an axis of stride 0 makes one write
        change several elements; ``"undetected_overlap"``, the same without
        any stride of 0, which no library looks for; ``"outside_storage"``, where
        a write can change other arrays or end the program; ``"refused"`` by
        torch; or ``"unknown"``.
    because : tuple of str
        Names of the reasons, the decisive one first.
    also_changes : tuple of (index, index)
        A few pairs: a write at the first changes the second as well.
    """

    outcome: str
    because: tuple[str, ...]
    also_changes: tuple[tuple[Index, Index], ...] = ()

    @property
    def reason(self) -> str:
        """Why, in the language in use."""
        return say("sharing.full_stop").join(say(f"sharing.because.{key}") for key in self.because)

    def table(self) -> Table:
        """Return the outcome, the reason and the examples as rows."""
        rows = [
            (say("sharing.a_write"), say(f"sharing.outcome.{self.outcome}")),
            (say("sharing.reason"), self.reason),
        ]
        rows += [
            (
                say("sharing.for_example") if place == 0 else "",
                say("sharing.pair", first=first, second=second),
            )
            for place, (first, second) in enumerate(self.also_changes)
        ]
        return Table(rows)

    def to_dict(self) -> dict[str, object]:
        """Return outcome, names of the reasons, and the pairs."""
        return {name: getattr(self, name) for name in ("outcome", "because", "also_changes")}


def writable(x: Any) -> Writability:
    """Return what a write into an array or a tensor does; nothing is written.

    Torch is asked as it stands: a parameter refuses writes while gradients
    are recorded, and takes them under ``torch.no_grad()``.

    Parameters
    ----------
    x : numpy.ndarray or torch.Tensor
        Whatever ``layout`` reads.

    Returns
    -------
    Writability
        The ``outcome`` and the ``reason``.

    Raises
    ------
    TypeError
        If ``x`` has no strides.

    Examples
    --------
    >>> view = np.broadcast_to(np.array([[1.0, 2.0, 3.0]]), (4, 3))
    >>> writable(view).outcome
    'read_only'
    >>> windows = np.lib.stride_tricks.sliding_window_view(np.arange(5), 3, writeable=True)
    >>> writable(windows).outcome, writable(windows).also_changes
    ('undetected_overlap', (((0, 1), (1, 0)),))
    >>> writable(view.copy()).outcome
    'safe'
    """
    read = layout(x)
    outcome, because = _by_layout(read)
    refusal = _torch_refusal(x) if is_tensor(x) else _numpy_refusal(x)
    if is_tensor(x) and x.device.type == "meta" and outcome != "safe":
        because = (*because, "meta")
    if read.size and refusal:
        key, forbidden = refusal
        let_through = key != "zero_tensor" and outcome in ONCE_LET_THROUGH
        others = (ONCE_LET_THROUGH[outcome],) if let_through else ()
        because = (key, *others) if forbidden else (*because, key)
        outcome = forbidden or outcome
    return Writability(outcome, because, overlapping_pairs(read) if read.overlaps else ())


def _by_layout(read: Layout) -> tuple[str, tuple[str, ...]]:
    if not read.size:
        return "safe", ("nothing_to_write",)
    if read.outside:
        return "outside_storage", ("emptied" if "layout.no_data" in read.note_keys else "outside",)
    if "layout.wrapper" in read.note_keys:
        return "unknown", ("wrapper",)
    if read.overlaps is None:
        return "unknown", ("unknown_overlap",)
    if not read.overlaps:
        return "safe", ("each_its_own",)
    if not read.shared_axes:
        return "undetected_overlap", ("no_zero_stride",)
    return "changes_several", ("torch_zero_stride" if read.library == "torch" else "zero_stride",)


def _numpy_refusal(x: Any) -> tuple[str, str] | None:
    """Return NumPy's reason and outcome against a write; an outcome of "" only adds to the reasons."""
    if not hasattr(x, "__array_interface__"):
        return ("dlpack", "")
    if not x.__array_interface__["data"][1]:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # asking such an array for its flag warns already
        warns_only = isinstance(x, np.ndarray) and x.flags.writeable
    return ("warns", "") if warns_only else ("flag", "read_only")


def _torch_refusal(x: Any) -> tuple[str, str] | None:
    import torch

    if x._is_zerotensor():
        return "zero_tensor", "refused"
    if x.is_inference() and not torch.is_inference_mode_enabled():
        return "inference", "refused"
    if not torch.is_grad_enabled():
        return None
    if x._is_view() and x._base is not None and x._base.requires_grad:
        # How a view was made has no public name; without it a few refusals go unseen.
        asked = getattr(torch._C._autograd, "_get_creation_meta", None)
        made = asked(x).name if asked else ""
        if made in FORBIDDEN_VIEWS:
            return FORBIDDEN_VIEWS[made], "refused"
        return ("view_of_leaf", "refused") if x.requires_grad and x._base.is_leaf else None
    return ("leaf", "refused") if x.requires_grad and x.is_leaf else None


def overlapping_pairs(read: Layout) -> tuple[tuple[Index, Index], ...]:
    """Return a few pairs of indices that read a common byte; none where they lie far apart.

    Examples
    --------
    >>> overlapping_pairs(Layout.of((4, 3), (0, 8), 8))
    (((0, 0), (1, 0)), ((0, 0), (2, 0)), ((0, 0), (3, 0)))
    >>> overlapping_pairs(Layout.of((2**40, 2**20), (8 * 2**19, 8), 8))
    (((1, 0), (0, 524288)),)
    """
    box = _corner(read.shape)
    starts = np.zeros(1, dtype=object)
    for size, step in zip(box, read.strides_bytes, strict=True):
        starts = np.add.outer(starts, np.arange(size, dtype=object) * step).ravel()
    order = np.argsort(starts, kind="stable")
    near = np.flatnonzero(np.diff(starts[order]) < read.itemsize)
    if not len(near):
        return _pair_far_apart(read)
    first = int(min(*order[near], *order[near + 1]))
    partners = np.flatnonzero(np.abs(starts - starts[first]) < read.itemsize)
    others = [int(other) for other in partners if other != first][:SHOW_PAIRS]
    return tuple((_index(first, box), _index(other, box)) for other in others)


def _corner(shape: Index) -> list[int]:
    """Return sizes of a corner of few elements, wide along every axis alike."""
    box = [1] * len(shape)
    wide = 2
    while True:
        for axis, size in enumerate(shape):
            wider = min(size, wide)
            if wider > box[axis] and prod(box) // box[axis] * wider > LOOK_AT:
                return box
            box[axis] = wider
        if box == list(shape) or wide > LOOK_AT:
            return box
        wide *= 2


def _index(flat: int, box: list[int]) -> Index:
    return tuple(int(each) for each in np.unravel_index(flat, box))


def _pair_far_apart(read: Layout) -> tuple[tuple[Index, Index], ...]:
    """Return a pair along two axes that meet beyond the corner, if there is one."""
    moving = [axis for axis in range(read.ndim) if read.shape[axis] > 1 and read.strides_bytes[axis]]
    for one, other in combinations(moving, 2):
        step, other_step = read.strides_bytes[one], read.strides_bytes[other]
        shared = gcd(step, other_step)
        along, along_other = abs(other_step) // shared, abs(step) // shared
        if along >= read.shape[one] or along_other >= read.shape[other]:
            continue
        first, second = [0] * read.ndim, [0] * read.ndim
        first[one] = along
        (second if step * other_step > 0 else first)[other] = along_other
        return ((tuple(first), tuple(second)),)
    return ()
