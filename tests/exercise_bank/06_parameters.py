"""Answers to the exercises of lesson 6, as a learner would give them."""

import numpy as np

RIGHT = {
    "learnable-in-three": [
        (3, 15, 3),
        [3, 15, 3],
        np.array([3, 15, 3]),
        "3, 15, 3",
        "（3，15，3）",
        (3.0, 15.0, 3.0),
    ],
    "one-goal": [(12, 1), [12, 1], "(12, 1)", np.array([12.0, 1.0])],
    "values-a-step-changes": [(0, 12, 12, 3), [0, 12, 12, 3], "0，12，12，3"],
    "factors-of-eight": [(8, 1, 8), [8.0, 1.0, 8.0], np.array([8, 1, 8])],
}

WRONG = {
    "learnable-in-three": [
        ((15, 15, 15), "all-used"),
        ((3, 15, 15), "copy-is-independent"),
        ((3, 15, 18), "copy-and-source"),
        ((3, 15, 0), "nothing-behind-the-copy"),
        ((3, 3, 3), "size-of-x"),
        ((15, 15, 3), "shape-of-the-expand"),
        ((3, 12, 3), "four-rows"),
        ((1, 5, 1), "tensors-or-rows"),
    ],
    "one-goal": [
        ((12, 4), "rows-drift-apart"),
        ((3, 1), "equal-so-shared"),
        ((3, 4), "the-other-way-round"),
        ((4, 1), "rows-counted"),
        ((12, 12), "elements-counted-twice"),
        ((1, 1), "one-parameter"),
    ],
    "values-a-step-changes": [
        ((12, 12, 12, 3), "detach-copies"),
        ((3, 12, 12, 3), "three-are-updated"),
        ((0, 0, 12, 3), "clone-keeps-the-layout"),
        ((0, 12, 12, 0), "expand-is-always-refused"),
        ((0, 0, 12, 0), "repeat-alone"),
        ((0, 3, 3, 3), "copies-follow"),
        ((0, 0, 0, 0), "nothing-steps"),
    ],
    "factors-of-eight": [
        ((8, 8, 1), "the-claim"),
        ((8, 8, 8), "mean-forgotten"),
        ((8, 1, 1), "expand-spared"),
        ((8, 1 / 8, 8), "mean-divides"),
        ((1, 1, 1), "copies-cut"),
        ((24, 1, 24), "elements"),
        ((4, 1, 4), "four-rows"),
    ],
}

ALSO_WRONG = {
    "learnable-in-three": [
        ("15, 3, 3", "shape-of-the-expand"),
        ([1, 1, 2], "tensors-or-rows"),
        (np.array([3, 15, 15]), "copy-is-independent"),
    ],
    "one-goal": [([4, 4], "rows-counted"), ("(12, 3)", "elements-counted-twice")],
    "values-a-step-changes": [((3, 3, 3, 3), "copies-follow"), ((3, 3, 12, 3), "clone-keeps-the-layout")],
    "factors-of-eight": [((1, 1, 8), "copies-cut"), (np.array([8, 0.125, 8]), "mean-divides")],
}

GIVEN_AWAY = {
    "learnable-in-three": r"3, 15, 3|\b15\b",
    "one-goal": r"12, 1\b|\b12\b",
    "values-a-step-changes": r"0, 12, 12, 3|\b12\b",
    "factors-of-eight": r"8, 1, 8",
}
