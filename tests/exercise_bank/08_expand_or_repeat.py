"""Answers to the exercises of lesson 8, as a learner would give them."""

import numpy as np

RIGHT = {
    "choose-without-names": [
        (2, 0, 3, 1, 2),
        [2, 0, 3, 1, 2],
        "2，0，3，1，2",
        np.array([2, 0, 3, 1, 2]),
    ],
    "evidence-that-decides": [(3, 1, 4, 2), [3.0, 1.0, 4.0, 2.0], "(3, 1, 4, 2)"],
    "three-reports": [(2, 1, 3), "2, 1, 3", np.array([2, 1, 3])],
    "what-times-tell": [
        (True, False, True, False, False),
        np.array([True, False, True, False, False]),
        ("yes", "no", "yes", "no", "no"),
        ["是", "否", "是", "否", "否"],
    ],
}

WRONG = {
    "choose-without-names": [
        ((1, 1, 1, 1, 1), "thrift-alone"),
        ((2, 2, 2, 2, 2), "copies-to-be-safe"),
        ((2, 0, 2, 1, 2), "copies-learn"),
        ((2, 0, 3, 1, 3), "parameters-for-edits"),
        ((1, 0, 3, 1, 2), "strides-are-followed"),
        ((2, 0, 3, 0, 2), "everything-broadcasts"),
        ((2, 1, 3, 1, 2), "call-to-be-sure"),
        ((2, 0, 3, 1, 1), "writes-stay-apart"),
    ],
    "evidence-that-decides": [
        ((2, 1, 4, 3), "storage-for-derivatives"),
        ((3, 2, 4, 1), "own-bytes-for-order"),
        ((3, 4, 1, 2), "array-for-the-path"),
        ((3, 1, 4, 1), "strides-for-sharing"),
        ((3, 1, 4, 3), "derivatives-for-writes"),
        ((4, 4, 4, 4), "time-for-everything"),
    ],
    "three-reports": [
        ((3, 1, 3), "copy-cuts"),
        ((2, 1, 2), "copy-is-enough"),
        ((2, 2, 3), "shapes-cost-alike"),
        ((2, 3, 3), "no-derivative-saves"),
        ((1, 1, 1), "one-write-one-row"),
    ],
    "what-times-tell": [
        ((True, True, True, False, False), "median-ranks"),
        ((True, False, False, False, False), "medians-without-spread"),
        ((True, False, True, True, False), "difference-is-fixed"),
        ((True, False, True, False, True), "cost-before-meaning"),
        ((False, False, False, False, False), "nothing-follows"),
    ],
}

ALSO_WRONG = {
    "choose-without-names": [
        ("2, 2, 3, 2, 2", "copies-to-be-safe"),
        ([1, 0, 3, 1, 1], "thrift-alone"),
        ((2, 1, 3, 0, 2), "call-to-be-sure"),
    ],
    "evidence-that-decides": [
        ([2, 1, 4, 2], "storage-for-derivatives"),
        ((3, 1, 1, 2), "array-for-the-path"),
    ],
    "three-reports": [((1, 1, 3), "copy-cuts"), ("2, 1, 1", "one-write-one-row")],
    "what-times-tell": [
        ((True,) * 5, "cost-before-meaning"),
        ((True, True, False, False, False), "median-ranks"),
    ],
}

GIVEN_AWAY = {
    "choose-without-names": r"2, 0, 3, 1, 2|\b2, 0\b",
    "evidence-that-decides": r"3, 1, 4, 2",
    "three-reports": r"2, 1, 3",
    "what-times-tell": r"True, False",
}
