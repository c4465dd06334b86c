"""Answers to the exercises of lesson 0, as a learner would give them."""

import numpy as np

RIGHT = {
    "settles-sharing": [
        (False, False, False, False, False, True),
        [False] * 5 + [True],
        np.array([False, False, False, False, False, True]),
        ("no", "no", "no", "no", "no", "yes"),
        ("否", "否", "否", "否", "否", "是"),
        (0, 0, 0, 0, 0, 1),
    ],
    "without-torch": [(14, 0, 28), [14, 0, 28], np.array([14, 0, 28]), "14, 0, 28", "（14，0，28）"],
    "bytes-of-five-by-two": [(8, 40), [8.0, 40.0], ("8 bytes", "40 B"), ("8字节", "40字节"), "8, 40"],
    "what-it-showed": [
        (True, False, False, True, False),
        np.array([True, False, False, True, False]),
        ("yes", "no", "no", "yes", "no"),
        ["是", "否", "否", "是", "否"],
        (1, 0, 0, 1, 0),
    ],
}

WRONG = {
    "settles-sharing": [
        ((True, True, False, False, False, False), "same-values"),
        ((False, False, True, False, False, False), "same-object"),
        ((False, False, False, True, False, True), "base"),
        ((False, False, False, False, True, False), "bytes-counted"),
        ((True,) * 6, "all-of-them"),
        ((False,) * 6, "none-of-them"),
        ((True, True, True, True, True, False), "turned-round"),
        (6, "one-answer"),
    ],
    "without-torch": [
        ((42, 0, 0), "not-run-is-passed"),
        ((14, 28, 0), "not-run-is-failed"),
        ((28, 0, 14), "autograd-stands-alone"),
        ((0, 0, 42), "one-missing-stops-all"),
        ((14, 0, 14), "claims-counted"),
        ((0, 14, 28), "another-order"),
    ],
    "bytes-of-five-by-two": [
        ((24, 96), "of-the-lesson"),
        ((16, 80), "float64"),
        ((2, 10), "elements"),
        ((8, 8), "stored-alike"),
        ((40, 40), "filled-in"),
        ((40, 8), "swapped"),
        ((20, 40), "rows-for-columns"),
    ],
    "what-it-showed": [
        ((True, True, False, True, False), "torch-as-well"),
        ((True, False, True, True, False), "backward-as-well"),
        ((True, False, False, True, True), "speed-as-well"),
        ((True,) * 5, "everything"),
        ((False,) * 5, "nothing"),
        ((False, True, True, False, True), "turned-round"),
        ((True, True, True, True, False), "torch-and-backward"),
    ],
}

ALSO_WRONG = {
    "settles-sharing": [
        (("yes", "no", "no", "no", "no", "no"), "same-values"),
        ((False, False, True, False, False, True), "same-object"),
        (1, "one-answer"),
    ],
    "without-torch": [((0, 42, 0), "one-missing-stops-all"), ((14, 28), "another-order")],
    "bytes-of-five-by-two": [(("16 B", "80 B"), "float64")],
    "what-it-showed": [(("是",) * 5, "everything")],
}

GIVEN_AWAY = {
    "settles-sharing": r"False, False, False, False, False, True",
    "without-torch": r"14, 0, 28",
    "bytes-of-five-by-two": r"8, 40",
    "what-it-showed": r"True, False, False, True, False",
}
