"""From requirements to one answer, and its evidence."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from zerostride.advice.answer import Advice
from zerostride.advice.bills import bills
from zerostride.advice.checking import checked, names_of, untried
from zerostride.advice.decisions import REQUIREMENTS, decide, kinds_of
from zerostride.advice.growth import PATTERNS, Growth, growth
from zerostride.advice.lines import WITHOUT_CODE, lines
from zerostride.expansion import LIBRARIES
from zerostride.handed_in import is_among, told
from zerostride.language import enumerated, say
from zerostride.memory.tape import FLOATS, ITEMSIZES


def advise(
    source_shape: Iterable[int] | int,
    target_shape: Iterable[int] | int,
    writes: str = "nobody",
    learns: str = "nobody",
    then: str = "broadcasts",
    *,
    library: str = "numpy",
    dtype: str = "float64",
    pattern: str | None = None,
) -> Advice:
    """Return which way from a source to a target shape meets the requirements, and why.

    Nothing of the size of the shapes is allocated: the checks run on a small
    instance of them, the cost is predicted. No way is better by its name, and
    speed is left to ``zs.measure_time``.

    Parameters
    ----------
    source_shape, target_shape : sequence of int
        What there is, and what is wanted. With ``then="reshape"`` the target
        may also be the shape after the reshape.
    writes : {"nobody", "source", "each_copy", "each_copy_in_place"}
        Who is edited later: the source, and every copy has to show it; each
        copy by itself through operations that return a new array; or in place.
        An optimizer's steps do not count as an edit.
    learns : {"nobody", "shared", "each_copy"}
        Who gets a derivative: one value for all, or each copy its own.
    then : {"broadcasts", "dense", "reshape", "contiguous", "save", "process", "optimizer_loop"}
        What follows: an operation that broadcasts; one that wants the full
        shape and returns a dense result; a reshape; C or a compiled extension;
        a file; another process, as of a DataLoader; a loop of optimizer steps.
    library : {"numpy", "torch"}
        Where the checks run and whose cost is told; code is given for both.
    dtype : str
        Name of the element type.
    pattern : {"whole", "each"}, optional
        Where an axis of two or more grows: blocks repeated as a whole (ABAB),
        or each element by itself (AABB).

    Returns
    -------
    Advice
        The answer with its ``code``, ``reasons``, ``checks`` that back it, ``cost`` and ``open_questions``.

    Raises
    ------
    TypeError, ValueError
        If a shape is none, or a requirement is unknown.

    Examples
    --------
    >>> advice = advise((1, 3), (4, 3), writes="each_copy_in_place")
    >>> advice.answer, advice.code["numpy"]
    ('copy_first', 'y = np.broadcast_to(x, (4, 3)).copy()')
    >>> [check.status for check in advice.checks]
    ['passed', 'passed', 'passed']
    >>> advise((2, 3), (4, 3)).answer, advise((2, 3), (4, 3), pattern="each").answer
    ('impossible', 'repeat_each')
    """
    asked = {"writes": writes, "learns": learns, "then": then}
    for name, known in REQUIREMENTS.items():
        _among(name, asked[name], known)
    _among("library", library, LIBRARIES)
    _among("dtype", dtype, tuple(name for name in ITEMSIZES if (library, name) != ("numpy", "bfloat16")))
    if pattern is not None:
        _among("pattern", pattern, PATTERNS)
    found = growth(
        source_shape,
        target_shape,
        pattern,
        reshaped=then == "reshape",
        library=library,
        itemsize=ITEMSIZES[dtype],
    )
    return with_evidence(planned(found, asked, library, dtype))


def planned(found: Growth, asked: Mapping[str, str], library: str, dtype: str) -> Advice:
    """Return the answer with its checks named and not run, and without its cost."""
    rule = decide(kinds_of(found, learnable=dtype in FLOATS), **asked)
    answer = rule.answer
    code = {} if answer in WITHOUT_CODE else {
        each: lines(answer, found, each, **asked) for each in LIBRARIES
    }  # fmt: skip
    checks = untried(names_of(answer, rule.because, found, **asked), "no_kernel")
    return Advice(answer, rule.because, found, asked, library, dtype, code, checks, None, None)


def with_evidence(plan: Advice) -> Advice:
    """Return the same with its checks run now, and its cost."""
    asked, names = plan.requirements, [check.name for check in plan.checks]
    cost, otherwise = bills(
        plan.answer, plan.growth, plan.library, plan.dtype, asked["learns"], asked["then"]
    )
    checks = checked(names, plan.answer, plan.growth, plan.library, plan.dtype)
    return replace(plan, checks=checks, cost=cost, cost_otherwise=otherwise)


def _among(name: str, value: object, known: Iterable[str]) -> None:
    if not is_among(value, known):
        raise ValueError(say("advice.bad.choice", name=name, value=told(value), known=enumerated(known)))
