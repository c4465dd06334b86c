"""Answers to the exercises of lesson 2, as a learner would give them."""

import numpy as np

TWO_ROWS = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
FOUR_VALUES = np.array([1.0, 2.0, 3.0, 4.0])
FOUR_BY_FOUR = FOUR_VALUES - FOUR_VALUES[:, None]

RIGHT = {
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

WRONG = {
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

ALSO_WRONG = {
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

GIVEN_AWAY = {
    "which-three-expand": r"False, False, True",
    "mean-square-of-pairs": r"(?<!\d)2\.5",
    "four-rows-aabb": r"np\.repeat|repeat_interleave",
    "minus-one-keeps": r"\(2, 12, 3\)",
}
