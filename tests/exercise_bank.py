"""Right and wrong answers as a learner would give them, each wrong one with the misconception it shows."""

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

# Other answers that the same misconception produces.
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

RIGHT |= {
    "repeat-twice": [
        ((1, 1, 2, 2, 3, 3), (1, 2, 3, 1, 2, 3)),
        [[1, 1, 2, 2, 3, 3], [1, 2, 3, 1, 2, 3]],
        (np.repeat([1, 2, 3], 2), np.tile([1, 2, 3], 2)),
        np.array([[1.0, 1, 2, 2, 3, 3], [1, 2, 3, 1, 2, 3]]),
        "[1, 1, 2, 2, 3, 3], [1, 2, 3, 1, 2, 3]",
    ],
    "tile-in-torch": [(1, 4), [1, 4], np.array([1, 4]), "(1, 4)", "1, 4", "（1，4）", (1.0, 4.0)],
    "stored-together": [144, 144.0, np.int64(144), "144 B", "144字节", 24 + 96 + 24],
    "contiguous-copies": [
        (False, True, False, True),
        [False, True, False, True],
        np.array([False, True, False, True]),
        ("no", "yes", "no", "yes"),
        ["否", "是", "否", "是"],
    ],
}

WRONG |= {
    "repeat-twice": [
        (((1, 2, 3, 1, 2, 3), (1, 1, 2, 2, 3, 3)), "swapped"),
        (((1, 2, 3, 1, 2, 3), (1, 2, 3, 1, 2, 3)), "both-rows"),
        (((1, 1, 2, 2, 3, 3), (1, 1, 2, 2, 3, 3)), "both-elements"),
        (((2, 4, 6), (2, 4, 6)), "multiplied"),
        (((1, 2, 3), (1, 2, 3)), "unchanged"),
        ((((1, 2, 3),) * 2,) * 2, "stacked"),
        (((1, 1, 1, 2, 2, 2, 3, 3, 3), (1, 2, 3, 1, 2, 3, 1, 2, 3)), "two-more"),
        ((1, 1, 2, 2, 3, 3), "one-result"),
    ],
    "tile-in-torch": [
        (4, "one-count"),
        ((4, 1), "rows-repeated"),
        ((1, 12), "sizes"),
        ((4, 4), "both-repeated"),
        ((-1, 4), "minus-one"),
        ((1, 1, 4), "third-axis"),
        ((1, 1), "only-copied"),
        ((1, 3), "source-shape"),
    ],
    "stored-together": [
        (24, "all-views"),
        (48, "reshape-never-copies"),
        (120, "once-is-no-copy"),
        (240, "reshape-always-copies"),
        (216, "the-other-reshape"),
        (336, "nbytes-added"),
        (192, "counted-per-name"),
        (18, "elements"),
    ],
    "contiguous-copies": [
        ((True, True, True, True), "always"),
        ((False, False, False, False), "never"),
        ((True, False, True, False), "inverted"),
        ((False, False, False, True), "expanded-is-fine"),
        ((False, True, False, False), "transposed-is-fine"),
        ((False, True, True, True), "repeated-again"),
        ((True, True, False, True), "source-copied"),
    ],
}

ALSO_WRONG |= {
    "repeat-twice": [
        (np.repeat([1, 2, 3], 2), "one-result"),
        (((1, 1, 2, 2, 3, 3), ((1, 2, 3), (1, 2, 3))), "stacked"),
        (((2, 4, 6), (1, 2, 3, 1, 2, 3)), "multiplied"),
    ],
    "tile-in-torch": [
        ((4,), "one-count"),
        ("4", "one-count"),
        (12, "sizes"),
        ((4, 3), "sizes"),
        ((1, -1), "minus-one"),
        ((4, 1, 1), "third-axis"),
    ],
    "stored-together": [("24 bytes", "all-views"), (336.0, "nbytes-added")],
    "contiguous-copies": [(["yes"] * 4, "always"), (np.zeros(4, bool), "never")],
}


TWO_ROWS = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
FOUR_VALUES = np.array([1.0, 2.0, 3.0, 4.0])
FOUR_BY_FOUR = FOUR_VALUES - FOUR_VALUES[:, None]

RIGHT |= {
    "which-three-expand": [
        (False, False, True),
        [False, False, True],
        np.array([False, False, True]),
        (np.False_, np.False_, np.True_),
        "(False, False, True)",
        ("no", "no", "yes"),
        ("否", "否", "是"),
        (0, 0, 1),
    ],
    "mean-square-of-pairs": [2.5, "2.5", 40 / 16, (FOUR_BY_FOUR**2).mean(), np.array(2.5)],
    "four-rows-aabb": [
        np.repeat(TWO_ROWS, 2, axis=0),
        np.repeat(TWO_ROWS, 2, axis=0).tolist(),
        TWO_ROWS[[0, 0, 1, 1]],
        np.broadcast_to(TWO_ROWS[:, None], (2, 2, 3)).reshape(4, 3),
    ],
    "minus-one-keeps": [(2, 12, 3), [2, 12, 3], "(2, 12, 3)", np.array([2, 12, 3])],
}

WRONG |= {
    "which-three-expand": [
        ((True, True, True), "from-the-front"),
        ((True, True, False), "front-and-equal"),
        ((False, False, False), "only-equal"),
        ((True, False, True), "first-from-front"),
        ((False, True, True), "second-from-front"),
        ((True, False, False), "first-alone"),
        ((False, True, False), "second-alone"),
        (3, "one-answer"),
    ],
    "mean-square-of-pairs": [
        (((FOUR_VALUES - FOUR_VALUES) ** 2).mean(), "it-runs"),
        ((FOUR_BY_FOUR**2).sum() / 4, "divided-by-four"),
        ((FOUR_BY_FOUR**2).sum(), "not-divided"),
        (np.abs(FOUR_BY_FOUR).mean(), "not-squared"),
        (np.sqrt((FOUR_BY_FOUR**2).mean()), "rooted"),
        ((FOUR_BY_FOUR**2).sum() / 12, "diagonal-left-out"),
        ((FOUR_VALUES**2).mean(), "nothing-subtracted"),
        (FOUR_BY_FOUR.shape, "how-many"),
    ],
    "four-rows-aabb": [
        (np.tile(TWO_ROWS, (2, 1)), "round-and-round"),
        (np.repeat(TWO_ROWS, 2), "flattened"),
        (np.repeat(TWO_ROWS, 2, axis=1), "columns-doubled"),
        (np.tile(TWO_ROWS, 2), "rows-longer"),
        (np.broadcast_to(TWO_ROWS[:1], (4, 3)), "b-is-lost"),
        (np.broadcast_to(TWO_ROWS[:, None], (2, 2, 3)), "three-axes"),
        (TWO_ROWS, "still-two"),
        (np.repeat(TWO_ROWS[::-1], 2, axis=0), "b-first"),
    ],
    "minus-one-keeps": [
        ((2, 2, 3), "as-in-reshape"),
        ((2, 1, 3), "from-the-front"),
        ((2, -1, 3), "left-standing"),
        ((2, 3, 3), "from-the-neighbour"),
        ((12, 3), "no-new-axis"),
        ((2, 12, 1), "one-not-expanded"),
        ((12, 2, 3), "new-axis-behind"),
        (12, "how-many"),
    ],
}

ALSO_WRONG |= {
    "which-three-expand": [
        ((1, 1, 1), "from-the-front"),
        (("yes", "yes", "yes"), "from-the-front"),
        (1, "one-answer"),
    ],
    "mean-square-of-pairs": [
        (FOUR_BY_FOUR.mean(), "it-runs"),
        (FOUR_VALUES.var(), "not-squared"),
        (1.58, "rooted"),
        (16, "how-many"),
    ],
    "four-rows-aabb": [(np.concatenate([TWO_ROWS, TWO_ROWS]), "round-and-round")],
    "minus-one-keeps": [("(2, -1, 3)", "left-standing"), ((12, 1, 3), "new-axis-behind")],
}
