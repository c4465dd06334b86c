"""Errors and warnings of a block are listed; a block without any lists none."""

import warnings

import pytest

import zerostride as zs


def test_nothing_is_listed_where_nobody_complains():
    with zs.caught() as complaints:
        done = 1
    assert done == 1
    assert complaints == []


def test_an_error_ends_the_block_and_is_listed_by_its_first_sentence():
    reached = False
    with zs.caught() as complaints:
        raise ValueError("two\n places. See /usr/lib")
        reached = True
    assert not reached
    assert complaints == ["ValueError: two places"]


def test_warnings_are_listed_each_time_and_before_the_error():
    with zs.caught() as complaints:
        for _ in range(2):
            warnings.warn("slow. (Triggered internally)", UserWarning, stacklevel=1)
        raise KeyError("gone")
    assert complaints == ["UserWarning: slow", "UserWarning: slow", "KeyError: 'gone'"]


def test_an_interrupt_is_no_complaint():
    with pytest.raises(KeyboardInterrupt), zs.caught():
        raise KeyboardInterrupt


def test_filters_are_left_as_they_were():
    before = list(warnings.filters)
    with zs.caught():
        pass
    assert warnings.filters == before
