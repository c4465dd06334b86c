"""What an answer costs, and what the other way would."""

from dataclasses import replace

from zerostride.advice.growth import Growth
from zerostride.advice.lines import WITHOUT_CODE, expression
from zerostride.memory import Budget, budget


def bills(
    answer: str, found: Growth, library: str, dtype: str, learns: str, then: str
) -> tuple[Budget | None, Budget | None]:
    """Return what the answer takes, and what the other way would."""
    if answer in WITHOUT_CODE:
        return None, None
    if found.kind == "blocks" or answer == "separate_parameters":
        return _blocks(answer, found, library, dtype, learns), None
    start, target = (found.start, found.target) if answer != "reshape_first" else found.flattest
    learned = learns == "shared" and library == "torch"

    def bill(way: str, steps: list[str]) -> Budget:
        counted = "uint8" if dtype == "bool" else dtype  # One byte each, and x + other is no number for bool.
        bill = budget(target, counted, start, steps, way=way, library=library, learns=learned)
        return replace(bill, dtype=dtype)

    follows = (
        ["add"]
        if answer == "leave_to_broadcasting"
        else ["shift"]
        if then == "dense" and dtype != "bool"
        else []
    )
    ways = {
        "leave_to_broadcasting": (("implicit", follows), ("repeat", follows)),
        "expand": (("expand", follows), ("repeat", follows)),
        "repeat": (("repeat", follows), ("expand", follows)),
        "copy_first": (("expand", ["clone"]), ("expand", [])),
        "reshape_first": (("expand", []), ("expand", ["reshape"])),
    }[answer]
    return bill(*ways[0]), bill(*ways[1])


def _blocks(answer: str, found: Growth, library: str, dtype: str, learns: str) -> Budget:
    """Return what a copy of its own takes; its bytes do not depend on the order of its elements."""
    learned = learns != "nobody" and library == "torch"
    if answer == "separate_parameters":
        bill = budget(found.target, dtype, found.target, ["shift"], library=library, learns=learned)
    else:
        starts, targets = found.one_axis_more
        bill = budget(targets, dtype, starts, way="repeat", library=library, learns=learned)
    return replace(
        bill, code=expression(answer, found, library), shape=found.target, source_shape=found.source
    )
