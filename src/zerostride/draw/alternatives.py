"""What a picture shows, in words: made from the layouts and reports that it was drawn from."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from zerostride.draw.values import CUT, exact, plain
from zerostride.expansion import Expansion
from zerostride.language import enumerated, say
from zerostride.layouts import Layout, is_tensor, layout
from zerostride.layouts.arithmetic import byte_offsets
from zerostride.reports import Report
from zerostride.sharing import Storages, compare, storages

MOST_LISTED = 64
MOST_COMPARED = 4
MOST_VALUES = 12
MOST_LETTERS = 40


def alt_text(alt: Any) -> str:
    """Return in words what a picture of these layouts, reports or catalogue keys shows.

    Parameters
    ----------
    alt : Layout, array, tensor, Report, str, a sequence of these, or a dict of arrays by name
        What the picture was drawn from; a string is the key of a catalogue
        entry. A dict tells who shares storage with whom as well. Of an array of
        at most 12 elements the values are told, too.

    Raises
    ------
    KeyError
        If a string is no key of the catalogue.

    Examples
    --------
    >>> alt_text(Layout.of((4, 3), (0, 8), 8))
    'Shape (4, 3), byte offset i×0 + j×8: 12 elements read 24 of 24 stored bytes, up to 4 of them
    the same bytes. The elements of every row start at bytes 0, 8, 16.'
    """
    if isinstance(alt, str):
        return _entry(alt)
    if isinstance(alt, Mapping):
        return _named(alt)
    if isinstance(alt, Sequence):
        return _sentences(alt_text(each) for each in alt)
    if isinstance(alt, Storages):
        return _storages(alt)
    if isinstance(alt, Expansion):
        return _expansion(alt)
    if isinstance(alt, Report) and not isinstance(alt, Layout):
        return str(alt.alternative()) if hasattr(alt, "alternative") else str(alt)
    return _layout(layout(alt)) + _values(alt)


def _entry(key: str) -> str:
    try:
        return say(key)
    except KeyError:
        raise KeyError(say("draw.no_such_text", name=key)) from None


def _sentences(parts: Iterable[str]) -> str:
    return say("draw.alt_space").join(parts)


def _layout(seen: Layout) -> str:
    if seen.overlaps is None:
        shared = say("draw.alt_unknown")
    elif seen.most_aliases is not None and seen.most_aliases > 1:
        shared = say("draw.alt_shared", aliases=seen.most_aliases)
    else:
        shared = say("draw.alt_overlapping") if seen.overlaps else say("draw.alt_not_shared")
    words = say(
        "draw.alt_layout",
        shape=seen.shape,
        formula=seen.formula,
        size=seen.size,
        touched=_touched(seen),
        storage=seen.storage_bytes,
        shared=shared,
    )
    return words + _starts(seen)


def _touched(seen: Layout) -> str:
    low, high = seen.touched_bytes_between
    return str(low) if low == high else say("draw.alt_between", low=low, high=high)


def _starts(seen: Layout) -> str:
    """Return where the elements of each row start; nothing where they are too many to listen to."""
    if not 0 < seen.size <= MOST_LISTED or not seen.ndim:
        return ""
    offsets = byte_offsets(seen.shape, seen.strides_bytes, seen.storage_offset_bytes)
    rows = [enumerated(row) for row in offsets.reshape(-1, seen.shape[-1]).tolist()]
    if len(rows) == 1:
        return say("draw.alt_one_row", offsets=rows[0])
    if len(set(rows)) == 1:
        return say("draw.alt_every_row", offsets=rows[0])
    return say("draw.alt_rows", rows=" / ".join(rows))


def _values(x: Any) -> str:
    """Return the values of a small array row by row; nothing where there are none to read."""
    if not isinstance(x, np.ndarray) and not (is_tensor(x) and not x.is_meta):
        return ""
    seen = layout(x)
    if not 0 < seen.size <= MOST_VALUES or seen.outside:
        return ""
    words = [_spoken(x[index]) for index in np.ndindex(*seen.shape)]
    across = seen.shape[-1] if seen.ndim else 1
    rows = [enumerated(words[first : first + across]) for first in range(0, len(words), across)]
    if len(rows) == 1:
        return say("draw.alt_values", values=rows[0])
    if len(set(rows)) == 1:
        return say("draw.alt_values_every_row", values=rows[0])
    return say("draw.alt_values_rows", rows=" / ".join(rows))


def _spoken(value: Any) -> str:
    text = exact(plain(value))
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}{CUT}"


def _named(named: Mapping[str, Any]) -> str:
    told = {name: _layout(layout(x)) + _values(x) for name, x in named.items()}
    words = [say("draw.alt_named", name=name, words=each) for name, each in told.items()]
    arrays = {name: x for name, x in named.items() if not isinstance(x, Layout)}
    if arrays:
        words += _groups(storages(**arrays))
    if len(arrays) <= MOST_COMPARED:
        words += [_common(first, second, arrays) for first, second in combinations(arrays, 2)]
    return _sentences(words)


def _common(first: str, second: str, arrays: Mapping[str, Any]) -> str:
    low, high = compare(arrays[first], arrays[second]).common_bytes_between
    if high == 0:
        return say("draw.alt_no_common", first=first, second=second)
    if low == high:
        return say("draw.alt_common", first=first, second=second, bytes=low)
    return say("draw.alt_common_between", first=first, second=second, low=low, high=high)


def _groups(found: Storages) -> list[str]:
    return [
        say("draw.alt_storage", bytes=f"{group.storage_bytes:,}", names=enumerated(group.names))
        for group in found.groups
    ]


def _storages(found: Storages) -> str:
    words = _groups(found)
    for group in found.groups:
        for name, seen in group.layouts.items():
            low, high = group.byte_range(name)
            words.append(say("draw.alt_touches", name=name, touched=_touched(seen), low=low, high=high))
    return _sentences([*words, say("draw.alt_total", bytes=f"{found.total_bytes:,}")])


def _expansion(answer: Expansion) -> str:
    words = [answer.table().caption + say("draw.alt_stop")]
    words += [say("draw.alt_axis", axis=axis.axis, reason=axis.reason) for axis in answer.axes]
    return _sentences([*words, say("draw.alt_fits") if answer.allowed else say("draw.alt_does_not_fit")])
