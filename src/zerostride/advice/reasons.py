"""Why an answer is the one, and what it leaves open, by name and in words."""

from collections.abc import Mapping
from dataclasses import replace

from zerostride.advice.decisions import VIEWS
from zerostride.advice.growth import Growth
from zerostride.advice.lines import WITHOUT_CODE, expression
from zerostride.language import say


def reason_names(answer: str, because: str, found: Growth, asked: Mapping[str, str]) -> list[str]:
    """Return the names of the reasons, the deciding one first."""
    names = [f"because.{because}"]
    if answer == "impossible" and found.kind == "none":
        return names
    if answer in WITHOUT_CODE:
        return names + (["because.one_axis_more"] if found.kind == "blocks" else [])
    view = answer in VIEWS
    if answer == "separate_parameters":
        names.append("because.optimizer_writes" if asked["writes"] == "nobody" else "because.edits_apart")
    elif view or asked["writes"].startswith("each_copy"):
        names.append(f"because.{'view' if view else 'copy'}.{asked['writes']}")
    names += ["because.learns_shared"] if asked["learns"] == "shared" else []
    if answer == "expand" and asked["then"] in ("dense", "save", "process", "optimizer_loop"):
        names.append(f"because.then.{asked['then']}")
    if answer in ("repeat", "repeat_each") and found.kind == "blocks":
        names.append("because.one_axis_more")
    return names


def open_names(answer: str, found: Growth, asked: Mapping[str, str], library: str) -> list[str]:
    """Return the names of what is not settled."""
    if answer in WITHOUT_CODE:
        return []
    wanted = {
        "speed": True,
        "meaning": found.grows and answer in VIEWS,
        "promise": library == "torch" and answer in ("expand", "reshape_first"),
        "snapshot": asked["writes"] == "source" and asked["then"] in ("save", "process"),
        "derivative": library == "numpy" and asked["learns"] == "shared",
        "derivative_of_each": library == "numpy" and asked["learns"] == "each_copy",
    }
    return [name for name, holds in wanted.items() if holds]


def reason(name: str, found: Growth, library: str) -> str:
    """Return a reason in the language in use."""
    starts, targets = found.one_axis_more
    blocks = found.kind == "blocks"
    values = {
        "source": found.source,
        "target": found.target,
        "whole": expression("repeat", replace(found, pattern="whole"), library) if blocks else "",
        "each": expression("repeat", replace(found, pattern="each"), library) if blocks else "",
        "more": expression("expand", Growth("reshaped", found.source, targets, starts, None), library),
        "order": "AABB" if found.pattern == "each" else "ABAB",
        "index": "i // times" if found.pattern == "each" else "i % size",
        "flattest": found.flattest[1],
    }
    return say(f"advice.{name}", **values)
