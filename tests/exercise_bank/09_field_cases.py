"""Answers to the exercises of lesson 9, as a learner would give them."""

import numpy as np

RIGHT = {
    "fault-of-a-stop": [1, "1", 1.0, np.int64(1), "１"],
    "fault-of-a-twelfth": [7, "7", [7], np.array([7])],
    "fault-of-a-cast": [3, "3", (3,), 3.0],
    "fault-of-a-snapshot": [5, "5", np.int64(5), "5。"],
}

WRONG = {
    "fault-of-a-stop": [
        (2, "bytes-suspected"),
        (3, "writes-out"),
        (4, "learning-suspected"),
        (5, "derivative-astray"),
        (6, "path-suspected"),
        (7, "reduction-suspected"),
        (8, "no-error-no-fault"),
    ],
    "fault-of-a-twelfth": [
        (1, "sharing-blamed"),
        (2, "size-blamed"),
        (3, "view-written-out"),
        (4, "no-parameter"),
        (5, "goes-astray"),
        (6, "path-cut"),
        (8, "no-error-no-fault"),
    ],
    "fault-of-a-cast": [
        (1, "write-suspected"),
        (2, "logical-suspected"),
        (4, "learning-suspected"),
        (5, "derivative-astray"),
        (6, "path-suspected"),
        (7, "reduction-suspected"),
        (8, "no-error-no-fault"),
    ],
    "fault-of-a-snapshot": [
        (1, "sharing-suspected"),
        (2, "size-suspected"),
        (3, "writes-out"),
        (4, "no-parameter"),
        (6, "path-cut"),
        (7, "reduction-suspected"),
        (8, "no-error-no-fault"),
    ],
}

ALSO_WRONG = {
    "fault-of-a-stop": [("8", "no-error-no-fault")],
    "fault-of-a-twelfth": [("3", "view-written-out"), ([6], "path-cut")],
    "fault-of-a-cast": [(2.0, "logical-suspected")],
    "fault-of-a-snapshot": [("６", "path-cut")],
}

# The answer is a number of the list: no digit of its own may stand in what is said.
GIVEN_AWAY = {
    "fault-of-a-stop": r"(?<!\d)1(?!\d)",
    "fault-of-a-twelfth": r"(?<!\d)7(?!\d)",
    "fault-of-a-cast": r"(?<!\d)3(?!\d)",
    "fault-of-a-snapshot": r"(?<!\d)5(?!\d)",
}
