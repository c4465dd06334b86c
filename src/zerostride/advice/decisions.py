"""The decision as data: requirements, in this order, and what follows from them."""

from typing import NamedTuple

from zerostride.advice.growth import Growth

REQUIREMENTS = {
    "writes": ("nobody", "source", "each_copy", "each_copy_in_place"),
    "learns": ("nobody", "shared", "each_copy"),
    "then": ("broadcasts", "dense", "reshape", "contiguous", "save", "process", "optimizer_loop"),
}
ANSWERS = (
    "leave_to_broadcasting",
    "expand",
    "repeat",
    "copy_first",
    "repeat_each",
    "separate_parameters",
    "reshape_first",
    "impossible",
    "contradictory",
)
# What reads the source's own bytes.
VIEWS = ("leave_to_broadcasting", "expand", "reshape_first")


class Rule(NamedTuple):
    """Requirements that lead to an answer; an empty field takes anything."""

    answer: str
    because: str
    kinds: str = ""
    writes: str = ""
    learns: str = ""
    then: str = ""


# The first row that fits decides; the last fits always.
RULES = (
    Rule("impossible", "nothing_fits", kinds="none"),
    Rule("impossible", "two_patterns", kinds="ambiguous"),
    Rule("contradictory", "no_small_step", kinds="whole_numbers", learns="shared each_copy"),
    Rule("contradictory", "nothing_learns", learns="nobody", then="optimizer_loop"),
    Rule("contradictory", "own_values_follow_nobody", writes="source", learns="each_copy"),
    Rule("contradictory", "dense_follows_nobody", writes="source", then="contiguous"),
    Rule("contradictory", "repetition_follows_nobody", kinds="whole each", writes="source"),
    Rule("separate_parameters", "separate_parameters", learns="each_copy"),
    Rule("repeat", "repeat_blocks", kinds="whole"),
    Rule("repeat_each", "repeat_each", kinds="each"),
    Rule("copy_first", "copy_first", writes="each_copy_in_place"),
    Rule("reshape_first", "reshape_first", kinds="reshaped"),
    Rule(
        "leave_to_broadcasting",
        "leave_to_broadcasting",
        writes="each_copy",
        then="contiguous save process reshape",
    ),
    Rule("copy_first", "own_block", kinds="same", then="contiguous"),
    Rule("repeat", "repeat", then="contiguous"),
    Rule("leave_to_broadcasting", "leave_to_broadcasting", then="broadcasts"),
    Rule("reshape_first", "reshape_first", then="reshape"),
    Rule("expand", "expand"),
)


def kinds_of(growth: Growth, *, learnable: bool) -> set[str]:
    """Return which words of a rule's ``kinds`` a growth and an element type answer to.

    Examples
    --------
    >>> from zerostride.advice.growth import growth
    >>> kinds_of(growth((2, 3), (4, 3)), learnable=True)
    {'ambiguous'}
    """
    kind = (growth.pattern or "ambiguous") if growth.kind == "blocks" else growth.kind
    further = {"whole_numbers": not learnable, "same": not growth.grows}
    return {kind} | {name for name, holds in further.items() if holds}


def decide(kinds: set[str], writes: str, learns: str, then: str) -> Rule:
    """Return the first rule that fits.

    Examples
    --------
    >>> decide({"expand"}, "nobody", "nobody", "broadcasts").answer
    'leave_to_broadcasting'
    >>> decide({"expand"}, "each_copy_in_place", "nobody", "broadcasts").answer
    'copy_first'
    """
    asked = {"writes": writes, "learns": learns, "then": then}
    return next(
        rule
        for rule in RULES
        if (not rule.kinds or kinds & set(rule.kinds.split()))
        and all(
            not getattr(rule, name) or value in getattr(rule, name).split() for name, value in asked.items()
        )
    )
