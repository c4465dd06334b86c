"""Where no browser is."""

import pytest
from served_lab import unavailable


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_skip_in_ci_is_a_failure(monkeypatch, ci, outcome):
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="no browser"):
        unavailable("no browser")
