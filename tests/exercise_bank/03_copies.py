"""Answers to the exercises of lesson 3, as a learner would give them."""

import numpy as np

RIGHT = {
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

WRONG = {
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

ALSO_WRONG = {
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

GIVEN_AWAY = {
    "repeat-twice": r"1, 1, 2, 2, 3, 3|1, 2, 3, 1, 2, 3",
    "tile-in-torch": r"\(1, 4\)",
    "stored-together": r"144",
    "contiguous-copies": r"False, True, False, True",
}
