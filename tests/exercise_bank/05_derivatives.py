"""Answers to the exercises of lesson 5, as a learner would give them."""

import numpy as np

RIGHT = {
    "unit-weights": [(4, 4, 4), [4.0, 4.0, 4.0], np.full((1, 3), 4.0), "(4, 4, 4)", "[4, 4, 4]"],
    "mean-of-two-rows": [
        (2, 3, 4),
        [[2.0, 3.0, 4.0]],
        np.array([2, 3, 4]),
        "(2, 3, 4)",
        (12 / 6, 18 / 6, 24 / 6),
    ],
    "overwritten-row": [(18, 21, 24), [18.0, 21.0, 24.0], np.array([[18, 21, 24]]), "(18，21，24)"],
    "element-or-stored": [(1, 22), [1.0, 22.0], np.array([1, 22]), "(1, 22)"],
}

WRONG = {
    "unit-weights": [
        ((1, 1, 1), "copies-cut"),
        ((0, 0, 0), "no-derivative"),
        ((22, 26, 30), "lesson-weights"),
        ((12, 12, 12), "all-elements"),
        ((4, 8, 12), "values"),
        ((3, 3, 3), "columns-counted"),
        ((4 / 12, 4 / 12, 4 / 12), "as-a-mean"),
    ],
    "mean-of-two-rows": [
        ((12, 18, 24), "summed"),
        ((6, 9, 12), "by-rows"),
        ((4, 6, 8), "by-columns"),
        ((1, 1.5, 2), "by-twelve"),
        ((4, 5, 6), "first-row"),
        ((15, 39), "row-sums"),
        ((2 / 6, 2 / 6, 2 / 6), "one-third"),
    ],
    "overwritten-row": [
        ((22, 26, 30), "edit-ignored"),
        ((21, 24, 27), "first-row-removed"),
        ((21, 26, 30), "one-element"),
        ((0, 0, 0), "everything-cut"),
        ((4, 5, 6), "only-that-row"),
        ((3, 3, 3), "uses-counted"),
    ],
    "element-or-stored": [
        ((1, 1), "both-elements"),
        ((22, 22), "both-sums"),
        ((22, 1), "exchanged"),
        ((1, 4), "uses-counted"),
        ((1, 164), "values"),
        ((1, 5.5), "divided"),
    ],
}

ALSO_WRONG = {
    "unit-weights": [([[1, 1, 1]], "copies-cut"), ("[22, 26, 30]", "lesson-weights")],
    "mean-of-two-rows": [(np.array([12.0, 18.0, 24.0]), "summed"), ((2.5, 6.5), "row-sums")],
    "overwritten-row": [((4, 4, 4), "uses-counted")],
    "element-or-stored": [((164, 164), "values")],
}

GIVEN_AWAY = {
    "unit-weights": r"4, 4, 4",
    "mean-of-two-rows": r"2, 3, 4",
    "overwritten-row": r"18, 21, 24",
    "element-or-stored": r"\b1, 22\b",
}
