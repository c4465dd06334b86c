"""Every doctest starts in English."""

import pytest

import zerostride as zs


@pytest.fixture(autouse=True)
def english() -> None:
    """Choose English before each doctest, whatever the last test chose."""
    zs.use("en")
