"""Answers to the exercises of lesson 1, as a learner would give them."""

import numpy as np


def to_bytes(strides_elements, itemsize):
    return tuple(step * itemsize for step in strides_elements)


def by_index(strides_elements, itemsize):
    result = ()
    for axis in range(len(strides_elements)):
        result += (itemsize * strides_elements[axis],)
    return result


def by_numpy(strides_elements, itemsize):
    return tuple(np.multiply(strides_elements, itemsize))


def unchanged(strides_elements, itemsize):
    return strides_elements


def as_list(strides_elements, itemsize):
    return [step * itemsize for step in strides_elements]


def as_generator(strides_elements, itemsize):
    return (step * itemsize for step in strides_elements)


def as_array(strides_elements, itemsize):
    return np.array(strides_elements) * itemsize


def one_number(strides_elements, itemsize):
    return sum(strides_elements) * itemsize


def divided(strides_elements, itemsize):
    return tuple(step / itemsize for step in strides_elements)


def divided_whole(strides_elements, itemsize):
    return tuple(step // itemsize for step in strides_elements)


def always_eight(strides_elements, itemsize):
    return tuple(step * 8 for step in strides_elements)


def always_four(strides_elements, itemsize):
    return tuple(step * 4 for step in strides_elements)


def only_last(strides_elements, itemsize):
    return (*strides_elements[:-1], strides_elements[-1] * itemsize)


def only_first(strides_elements, itemsize):
    return (strides_elements[0] * itemsize, *strides_elements[1:])


def added(strides_elements, itemsize):
    return tuple(step + itemsize for step in strides_elements)


def repeated(strides_elements, itemsize):
    return strides_elements * itemsize


def backwards(strides_elements, itemsize):
    return tuple(step * itemsize for step in reversed(strides_elements))


RIGHT = {
    "offset-of-3-1": [8, 8.0, np.int64(8), np.array(8), "8", "8 bytes", "8字节", 3 * 0 + 1 * 8],
    "same-byte-strides": [
        (0, 8),
        [0, 8],
        np.array([0, 8]),
        (0.0, 8.0),
        "(0, 8)",
        "（0，8）字节",
        True,
        np.True_,
        "yes",
        "是",
    ],
    "six-addresses": [
        (8, 8),
        (-8, 8),
        (8, -8),
        [16, 16],
        np.array([24, 24]),
        "(8, 8) bytes",
        (1, 1),
        (10**30, 10**30),
    ],
    "to-bytes": [
        to_bytes,
        by_index,
        by_numpy,
        lambda strides_elements, itemsize: (*(step * itemsize for step in strides_elements),),
    ],
}

WRONG = {
    "offset-of-3-1": [
        (80, "stored-rows"),
        (1, "elements"),
        (24, "axes-swapped"),
        (0, "row-only"),
        (32, "both-move"),
        (16, "one-too-far"),
        (10, "stored-rows-in-elements"),
        ((0, 8), "not-added"),
    ],
    "same-byte-strides": [
        (False, "raw-tuples"),
        ((0, 2), "elements"),
        ((0, 16), "itemsize-of-float64"),
        ((8, 0), "axes-swapped"),
        ((0, 4), "itemsize-alone"),
        ((8, 8), "both-axes-move"),
        ((0, 0.5), "divided"),
        ((0, 64), "bits"),
        (8, "one-number"),
    ],
    "six-addresses": [
        ((0, 0), "one-address"),
        ((0, 8), "rows-shared"),
        ((8, 0), "columns-shared"),
        ((24, 8), "nothing-shared"),
        ((16, 8), "rows-too-far"),
        ((8, 16), "columns-too-far"),
        ((8, 24), "too-few-meet"),
    ],
    "to-bytes": [
        (unchanged, "unchanged"),
        (as_list, "not-a-tuple"),
        (one_number, "one-number"),
        (divided, "divided"),
        (always_eight, "fixed-itemsize"),
        (only_last, "only-last"),
        (only_first, "only-first"),
        (added, "added"),
        (repeated, "repeated-tuple"),
        (backwards, "reversed"),
    ],
}

ALSO_WRONG = {
    "offset-of-3-1": [("80 B", "stored-rows"), (np.float64(24), "axes-swapped")],
    "same-byte-strides": [("no", "raw-tuples"), ("否", "raw-tuples"), ([2, 0], "axes-swapped")],
    "six-addresses": [((0, 1), "rows-shared"), ((12, 4), "nothing-shared"), ((-16, 8), "rows-too-far")],
    "to-bytes": [
        (as_generator, "not-a-tuple"),
        (as_array, "not-a-tuple"),
        (divided_whole, "divided"),
        (always_four, "fixed-itemsize"),
    ],
}

GIVEN_AWAY = {
    "offset-of-3-1": r"(?<![\d(×])8(?!\d)",
    "same-byte-strides": r"\(0, 8\)",
    "six-addresses": r"\((-?)(\d+), -?\2\)",
    "to-bytes": r"\*|×",
}
