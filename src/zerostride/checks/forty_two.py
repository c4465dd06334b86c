"""All claims in all suites, for any rows, columns and dtype."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature

from zerostride.checks import claims
from zerostride.checks.differences import MOST_DIFFERENCE_ELEMENTS
from zerostride.checks.judge import not_implemented
from zerostride.checks.results import CLAIMS, STATUSES, SUITES, CheckFailed, NotApplicable, Result, header
from zerostride.checks.samples import DTYPES, NumpySamples, TorchSamples
from zerostride.handed_in import is_among, items_of, told, whole_number
from zerostride.language import enumerated, say
from zerostride.reports import Report, Table

MOST_ELEMENTS = 1 << 18


@dataclass(frozen=True, repr=False)
class RunReport(Report):
    """The results of a run, in the order of the claims.

    Attributes
    ----------
    rows, cols, dtype
        What was run.
    results : tuple of Result
        One for each claim and suite.

    Examples
    --------
    >>> report = run(suites=["numpy"])
    >>> report.passed, report.counts["passed"], len(report.table().rows), report.to_dict()["rows"]
    (True, 14, 14, 4)
    """

    rows: int
    cols: int
    dtype: str
    results: tuple[Result, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing failed; what did not run or does not apply is counted apart."""
        return not self.counts["failed"]

    @property
    def counts(self) -> dict[str, int]:
        """How many results have each status."""
        found = Counter(result.status for result in self.results)
        return {status: found[status] for status in STATUSES}

    def table(self) -> Table:
        """Return one row per claim and suite, and the counts below."""
        counts = say("checks.counts", total=len(self.results), **self.counts)
        caption = say("checks.caption", rows=self.rows, cols=self.cols, dtype=self.dtype)
        return Table([result.cells for result in self.results], header(), (counts,), caption)

    def to_dict(self) -> dict[str, object]:
        """Return the run as plain data."""
        return {
            "rows": self.rows,
            "cols": self.cols,
            "dtype": self.dtype,
            "passed": self.passed,
            "counts": self.counts,
            "results": [result.to_dict() for result in self.results],
        }


def run(rows: int = 4, cols: int = 3, dtype: str = "float64", suites: Sequence[str] = SUITES) -> RunReport:
    """Return the fourteen claims in each suite, on a source of one row made for the purpose.

    Parameters
    ----------
    rows, cols : int
        Shape of view and copy, 0 and 1 included.
    dtype : str
        Name of the element type: bool, int8 … uint64, float16, bfloat16,
        float32, float64, complex64, complex128.
    suites : sequence of {"numpy", "torch", "autograd"}
        What to run. Where torch is absent its suites say *not run*.

    Returns
    -------
    RunReport
        One result for each claim and suite in ``results``; ``passed`` where none failed.

    Raises
    ------
    ValueError
        If a size is no whole number from 0, or too large, or a name is unknown;
        nothing is allocated then.

    Examples
    --------
    >>> run(suites=["numpy"]).counts
    {'passed': 14, 'failed': 0, 'not_run': 0, 'not_applicable': 0}
    >>> run(rows=1, suites=["numpy"]).results[2].words
    'with one row nothing moves along this axis'
    """
    chosen = _suites(suites)
    rows, cols = _sizes(rows, cols)
    if not is_among(dtype, DTYPES):
        raise ValueError(say("checks.bad_dtype", dtype=dtype, known=enumerated(DTYPES)))
    calls = {suite: _suite(suite, rows, cols, dtype) for suite in chosen}
    results = tuple(calls[suite](claim) for claim in CLAIMS for suite in chosen)
    return RunReport(rows, cols, dtype, results)


def _suite(suite: str, rows: int, cols: int, dtype: str) -> Callable[[str], Result]:
    """Return what gives one claim's result in a suite; why the whole suite cannot run is found once."""
    if suite != "numpy":
        try:
            import torch  # noqa: F401
        except (ImportError, OSError):
            return partial(_without, suite=suite, reason=NotApplicable("no_torch"), status="not_run")
    if suite == "numpy" and dtype == "bfloat16":
        return partial(_without, suite=suite, reason=NotApplicable("not_in_numpy", dtype=dtype))
    if suite == "autograd" and not dtype.startswith(("float", "bfloat", "complex")):
        return partial(_without, suite=suite, reason=NotApplicable("cannot_require_grad", dtype=dtype))
    if suite == "numpy":
        return partial(_with, suite=suite, samples=NumpySamples(rows, cols, dtype))
    samples = TorchSamples(rows, cols, dtype, requires_grad=suite == "autograd")
    return partial(_with, suite=suite, samples=samples)


def _with(claim: str, suite: str, samples: NumpySamples) -> Result:
    check: Callable[..., Result] = getattr(claims, claim)
    try:
        return check(**{name: samples.part(name, claim) for name in signature(check).parameters})
    except CheckFailed as failure:
        return failure.result
    except (NotImplementedError, RuntimeError) as error:
        return not_implemented(error).result(claim, suite)


def _without(claim: str, suite: str, reason: NotApplicable, status: str = "not_applicable") -> Result:
    return reason.result(claim, suite, status)


def _suites(suites: Sequence[str]) -> list[str]:
    asked = [suites] if isinstance(suites, str) else items_of(suites)
    for suite in [suites] if asked is None else asked:
        if not is_among(suite, SUITES):
            raise ValueError(say("checks.bad_suite", suite=suite, known=enumerated(SUITES)))
    return [suite for suite in SUITES if suite in (asked or ())]


def _sizes(*sizes: int) -> tuple[int, int]:
    for size in sizes:
        if (whole_number(size) or 0) < 0 or whole_number(size) is None:
            raise ValueError(say("checks.bad_size", size=told(size)))
    rows, cols = map(int, sizes)
    tall, wide = max(rows, 1), max(cols, 1)
    if tall * wide > MOST_ELEMENTS or tall * wide * wide > MOST_DIFFERENCE_ELEMENTS:
        values = {"elements": MOST_ELEMENTS, "differences": MOST_DIFFERENCE_ELEMENTS}
        raise ValueError(say("checks.too_large", rows=rows, cols=cols, **values))
    return rows, cols
