"""Answers to the exercises of lesson 7, as a learner would give them."""

import numpy as np

MIB, GIB = 2**20, 2**30
ROW = 2**14

RIGHT = {
    "peaks-in-float32": [
        (GIB + ROW, 2 * GIB + ROW),
        [1_073_758_208, 2_147_500_032],
        "1073758208, 2147500032",
        np.array([GIB + ROW, 2 * GIB + ROW]),
        (float(GIB + ROW), float(2 * GIB + ROW)),
    ],
    "new-bytes-of-four-calls": [(0, 96, 0, 192), [0, 96, 0, 192], "0，96，0，192", np.array([0, 96, 0, 192])],
    "order-of-two-calls": [(1024, 16), [1024, 16], "(1024, 16)", np.array([1024.0, 16.0])],
    "slice-in-a-file": [(65_536, 32), [65536, 32], (2.0**16, 32.0), "65536，32"],
}

WRONG = {
    "peaks-in-float32": [
        ((ROW, GIB + ROW), "result-forgotten"),
        ((GIB, 2 * GIB), "source-forgotten"),
        ((512 * MIB + 2**13, GIB + 2**13), "two-bytes-each"),
        ((2**28 + 2**12, 2**29 + 2**12), "elements"),
        ((2 * GIB + ROW, 2 * GIB + ROW), "expand-copies"),
        ((GIB + ROW, GIB + ROW), "copy-is-freed"),
        ((1, 2), "in-units"),
        ((10**9 + 16 * 10**3, 2 * 10**9 + 16 * 10**3), "powers-of-ten"),
        ((2 * GIB + ROW, GIB + ROW), "swapped"),
    ],
    "new-bytes-of-four-calls": [
        ((0, 0, 0, 192), "reshape-never-copies"),
        ((0, 96, 96, 192), "reshape-always-copies"),
        ((96, 96, 0, 192), "transpose-copies"),
        ((0, 24, 0, 48), "sharing-copied-along"),
        ((0, 96, 0, 96), "old-item-size"),
        ((0, 96, 0, 0), "cast-reads"),
        ((96, 96, 96, 96), "nbytes"),
        ((0, 24, 0, 24), "elements"),
    ],
    "order-of-two-calls": [
        ((8, 8), "both-views"),
        ((1024, 8), "small-copy-overlooked"),
        ((1024, 1024), "order-is-no-matter"),
        ((16, 16), "sharing-copied-along"),
        ((8, 16), "early-a-view"),
        ((256, 4), "elements"),
        ((2048, 32), "eight-bytes-each"),
        ((16, 1024), "swapped"),
    ],
    "slice-in-a-file": [
        ((32, 32), "only-the-row"),
        ((65_536, 65_536), "clone-keeps-the-storage"),
        ((32, 65_536), "swapped"),
        ((0, 32), "view-is-free"),
        ((16_384, 8), "elements"),
        ((131_072, 64), "eight-bytes-each"),
    ],
}

ALSO_WRONG = {
    "peaks-in-float32": [
        ((ROW, ROW), "result-forgotten"),
        ((512 * MIB, GIB), "two-bytes-each"),
        ((1024, 2048), "in-units"),
        ((1 + 1 / 2**16, 2 + 1 / 2**16), "in-units"),
        ((10**9, 2 * 10**9), "powers-of-ten"),
    ],
    "new-bytes-of-four-calls": [
        ((0, 0, 0, 96), "reshape-never-copies"),
        ("96, 96, 96, 192", "nbytes"),
        ((0, 0, 0, 0), "cast-reads"),
    ],
    "order-of-two-calls": [("8, 8", "both-views")],
    "slice-in-a-file": [([8, 8], "elements")],
}

GIVEN_AWAY = {
    "peaks-in-float32": r"1073758208|2147500032|2\*\*(?:14|30|31)|1 GiB \+ 16",
    "new-bytes-of-four-calls": r"0, 96, 0|\b192\b",
    "order-of-two-calls": r"\b1024\b",
    "slice-in-a-file": r"4000000|65_536|4,000,000",
}
