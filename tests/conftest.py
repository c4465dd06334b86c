"""Every test starts in English."""

import pytest

import zerostride as zs


@pytest.fixture(autouse=True)
def english():
    """Choose English before each test, whatever the last one chose."""
    zs.use("en")
