"""Answers to the exercises of lesson 4, as a learner would give them."""

import numpy as np


def with_nine(view):
    edited = view.copy()
    edited[0, 0] = 9
    return edited


def by_where(view):
    return np.where(np.arange(12).reshape(4, 3) == 0, 9, view)


def by_adding(view):
    difference = np.zeros((4, 3))
    difference[0, 0] = 9 - view[0, 0]
    return view + difference


def by_tiling(view):
    tiled = np.tile(view[:1], (4, 1))
    tiled[0, 0] = 9
    return tiled


def as_lists(view):
    rows = view.tolist()
    rows[0][0] = 9
    return rows


def lifted_and_copied(view):
    view.flags.writeable = True
    edited = np.array(view)
    edited[0, 0] = 9
    return edited


def still_refused(view):
    view[0, 0] = 9
    return view


def another_name(view):
    edited = view[:]
    edited[0, 0] = 9
    return edited


def flag_lifted(view):
    view.flags.writeable = True
    view[0, 0] = 9
    return view


def flag_lifted_then_copied(view):
    view.flags.writeable = True
    view[0, 0] = 9
    return view.copy()


def through_strides(view):
    edited = np.lib.stride_tricks.as_strided(view.base, view.shape, view.strides)
    edited[0, 0] = 9
    return edited


def shared_again(view):
    row = view[:1].copy()
    row[0, 0] = 9
    return np.broadcast_to(row, view.shape)


def whole_column(view):
    edited = view.copy()
    edited[:, 0] = 9
    return edited


def copy_thrown_away(view):
    view.copy()[0, 0] = 9
    return view


def only_copied(view):
    return view.copy()


def whole_row(view):
    edited = view.copy()
    edited[0] = 9
    return edited


def filled(view):
    edited = view.copy()
    edited.fill(9)
    return edited


def one_row(view):
    edited = view[0].copy()
    edited[0] = 9
    return edited


RIGHT = {
    "write-into-column": [
        ((9, 9, 9), (2, 2, 2)),
        [[9.0, 9.0, 9.0], [2.0, 2.0, 2.0]],
        np.array([[9, 9, 9], [2, 2, 2]]),
        "[[9, 9, 9], [2, 2, 2]]",
        np.broadcast_to([[9], [2]], (2, 3)),
    ],
    "repair-the-write": [with_nine, by_where, by_adding, by_tiling, as_lists, lifted_and_copied],
    "which-change-the-source": [
        (True, False, False, True),
        [True, False, False, True],
        ("yes", "no", "no", "yes"),
        ["是", "否", "否", "是"],
        (1, 0, 0, 1),
    ],
    "through-which-door": [
        (True, False, True, False),
        np.array([True, False, True, False]),
        ("yes", "no", "yes", "no"),
        (1, 0, 1, 0),
    ],
}

WRONG = {
    "write-into-column": [
        (((1, 9, 1), (2, 2, 2)), "one-element"),
        (((1, 9, 1), (2, 9, 2)), "column-shared"),
        (((9, 9, 9), (9, 9, 9)), "everything"),
        (((1, 1, 1), (2, 2, 2)), "nothing"),
        (((1, 1, 1), (9, 9, 9)), "axes-swapped"),
        (((9,), (2,)), "only-x"),
        (((9, 2), (9, 2), (9, 2)), "turned"),
    ],
    "repair-the-write": [
        (still_refused, "still-refused"),
        (flag_lifted, "flag-lifted"),
        (through_strides, "another-way-in"),
        (shared_again, "shared-again"),
        (copy_thrown_away, "nothing-changed"),
        (whole_row, "too-much-written"),
        (one_row, "another-shape"),
    ],
    "which-change-the-source": [
        ((True, True, True, True), "always"),
        ((False, False, False, False), "never"),
        ((True, True, False, True), "plus-writes"),
        ((True, False, True, True), "clone-shares"),
        ((True, False, False, False), "mask-copies"),
        ((False, False, False, True), "row-is-refused"),
        ((False, True, True, False), "inverted"),
    ],
    "through-which-door": [
        ((False, False, False, False), "flag-protects"),
        ((True, True, True, True), "all-doors"),
        ((True, True, True, False), "tensor-shares"),
        ((True, False, False, False), "as-tensor-copies"),
        ((False, False, True, False), "from-numpy-copies"),
        ((True, False, True, True), "copy-shares"),
        ((False, True, False, True), "inverted"),
    ],
}

ALSO_WRONG = {
    "write-into-column": [
        (np.array([[1, 9, 1], [2, 2, 2]]), "one-element"),
        (((1, 1, 1), (2, 9, 2)), "axes-swapped"),
        ((9, 2), "only-x"),
    ],
    "repair-the-write": [
        (another_name, "still-refused"),
        (flag_lifted_then_copied, "flag-lifted"),
        (whole_column, "shared-again"),
        (only_copied, "nothing-changed"),
        (filled, "too-much-written"),
    ],
    "which-change-the-source": [(np.ones(4, bool), "always"), (["no"] * 4, "never")],
    "through-which-door": [(np.zeros(4, bool), "flag-protects"), (["是"] * 4, "all-doors")],
}

GIVEN_AWAY = {
    "write-into-column": r"9, 9, 9",
    "repair-the-write": r"\.copy\(|np\.where",
    "which-change-the-source": r"True, False, False, True",
    "through-which-door": r"True, False, True, False",
}
