"""What a check returns, raises and shows."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from zerostride.gradients import numbers
from zerostride.language import say
from zerostride.reports import Report, Table

CLAIMS = (
    "shapes_match",
    "values_match",
    "row_stride_is_zero",
    "view_shares_storage",
    "tile_has_own_storage",
    "view_is_read_only",
    "source_write_reaches_every_row",
    "copied_write_stays_local",
    "logical_bytes_exceed_stored_bytes",
    "dense_result_has_own_storage",
    "size_two_axis_cannot_expand",
    "column_sums_are_22_26_30",
    "view_gradient_matches_column_sums",
    "copy_gradient_matches_column_sums",
)
SUITES = ("numpy", "torch", "autograd")
STATUSES = ("passed", "failed", "not_run", "not_applicable")

SHOW_AT_MOST = 6


@dataclass(frozen=True)
class Result(Report):
    """One claim in one suite: what was found, in the language in use whenever it is shown.

    Attributes
    ----------
    claim : str
        Name of the check.
    suite : {"numpy", "torch", "autograd"}
        What kind of arrays it judged.
    status : {"passed", "failed", "not_run", "not_applicable"}
        A claim that says nothing here is never passed.
    evidence : dict
        Measured numbers and short texts, the same in every language.

    Examples
    --------
    >>> import numpy as np
    >>> from zerostride.checks import row_stride_is_zero
    >>> result = row_stride_is_zero(np.broadcast_to([1.0, 2.0, 3.0], (4, 3)))
    >>> result.number, result.words
    (3, 'strides (0, 8) bytes = (0, 1) elements')
    >>> result.table().rows == [result.cells], result.to_dict()["status"]
    (True, 'passed')
    """

    claim: str
    suite: str
    status: str
    evidence: dict[str, object]
    key: str = field(repr=False)

    @property
    def number(self) -> int | None:
        """Place of the claim among the fourteen, from 1; None for a further one."""
        return CLAIMS.index(self.claim) + 1 if self.claim in CLAIMS else None

    @property
    def words(self) -> str:
        """The evidence in the language in use."""
        yes_no = (say("report.no"), say("report.yes"))
        found = self.evidence.items()
        return say(
            self.key, **{name: yes_no[each] if isinstance(each, bool) else each for name, each in found}
        )

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of this result in a table."""
        return (str(self.number or "-"), self.claim, self.suite, say(f"report.{self.status}"), self.words)

    def table(self) -> Table:
        """Return a table of one row."""
        return Table([self.cells], header())

    def to_dict(self) -> dict[str, object]:
        """Return the result as plain data."""
        names = ("number", "claim", "suite", "status", "evidence")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        return str(self)


class CheckFailed(AssertionError):  # noqa: N818, a failed check is no error of the program
    """A claim does not hold for the arrays handed in; ``result`` has the evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from zerostride.checks import row_stride_is_zero
    >>> try:
    ...     row_stride_is_zero(np.ones((4, 3)))
    ... except CheckFailed as failure:
    ...     print(failure.result.evidence["strides_bytes"])
    (24, 8)
    """

    def __init__(self, result: Result) -> None:
        self.result = result
        super().__init__(
            say(
                "checks.failed",
                claim=result.claim,
                suite=result.suite,
                found=result.words,
                claimed=say(f"checks.claim.{result.claim}"),
            )
        )


class NotApplicable(Exception):  # noqa: N818, it ends a check early and is no error
    """The claim says nothing about these arrays; ``name`` is the reason under ``checks.reason``."""

    def __init__(self, name: str, **values: object) -> None:
        self.name, self.values = name, values
        super().__init__(say(f"checks.reason.{name}", **values))

    def result(self, claim: str, suite: str, status: str = "not_applicable") -> Result:
        """Return the result that carries the reason."""
        evidence = {"reason": self.name, **self.values}
        return Result(claim, suite, status, evidence, f"checks.reason.{self.name}")


@dataclass(frozen=True)
class Finding:
    """What a suite measured: whether the claim holds, and the words and numbers that say why."""

    holds: bool
    key: str
    evidence: dict[str, object]


def measured(holds: object, key: str, **evidence: object) -> Finding:
    """Return a finding whose words tell the same numbers whether the claim holds or not."""
    return Finding(bool(holds), key, evidence)


def wrong(name: str, **evidence: object) -> Finding:
    """Return a finding against the claim, with its own words under ``checks.found``."""
    return Finding(False, f"checks.found.{name}", {"found": name, **evidence})


def header() -> tuple[str, ...]:
    """Return the words above the columns of every table of results."""
    return tuple(say(f"checks.header.{name}") for name in ("number", "claim", "suite", "status", "evidence"))


def sized(x: Any) -> str:
    """Return a shape as text, ``"(4, 3)"``."""
    return str(tuple(x.shape))


def short(value: Any) -> str:
    """Return one number as short text.

    Examples
    --------
    >>> short(22.000000001), short(9), short(True)
    ('22', '9', 'True')
    """
    return f"{value:.6g}" if isinstance(value, float | complex) else str(value)


def listed(values: Iterable[Any]) -> str:
    """Return numbers as short text; the middle of a long list is left out.

    Examples
    --------
    >>> import numpy as np
    >>> listed(np.array([[22.0, 26.0, 30.0]])), listed(range(100))
    ('(22, 26, 30)', '(0, 1, 2, ..., 99)')
    """
    flat = values if isinstance(values, range | list | tuple) else numbers(values).ravel().tolist()
    shown = [short(value) for value in flat]
    if len(shown) > SHOW_AT_MOST:
        shown[3:-1] = ["..."]
    return "(" + ", ".join(shown) + ("," if len(shown) == 1 else "") + ")"
