"""Every doctest starts in English; those that load torch are skipped where there is none."""

from collections.abc import Generator
from importlib.util import find_spec
from typing import Any

import pytest

import zerostride as zs

NO_TORCH = "ModuleNotFoundError: No module named 'torch'"


@pytest.fixture(autouse=True)
def english() -> None:
    """Choose English before each doctest, whatever the last test chose."""
    zs.use("en")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Call a doctest skipped that failed for want of torch."""
    report = yield
    wants = report.failed and hasattr(item, "dtest") and NO_TORCH in report.longreprtext
    if wants and find_spec("torch") is None:
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, "Skipped: needs torch")
    return report
