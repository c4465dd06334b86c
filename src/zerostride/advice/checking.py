"""What has to hold for an answer, tried now on a small instance of the shapes."""

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from math import prod

from zerostride.advice import trials
from zerostride.advice.decisions import VIEWS
from zerostride.advice.growth import Growth
from zerostride.advice.instance import Instance
from zerostride.language import say


@dataclass(frozen=True)
class Check:
    """One thing that has to hold, and what was found.

    Attributes
    ----------
    name : str
        What was tried.
    status : {"passed", "failed", "not_run", "not_applicable"}
        A check that says nothing here is never passed.
    evidence : dict
        Measured numbers and short texts.
    claim : str
        The claim of ``zs.checks`` that it belongs to; empty if none.
    lesson : str
        The lesson that explains it.
    """

    name: str
    status: str
    evidence: dict[str, object]
    claim: str
    lesson: str

    @property
    def title(self) -> str:
        """What has to hold, in the language in use."""
        return say(f"advice.check.{self.name}")

    @property
    def words(self) -> str:
        """What was found, in the language in use."""
        if self.status in ("not_run", "not_applicable"):
            return say(f"advice.not_tried.{self.evidence['reason']}")
        values = dict(self.evidence)
        if "outcome" in values:
            values["outcome"] = say(f"sharing.outcome.{values['outcome']}")
        return say(f"advice.found.{self.name}", **values)

    @property
    def told(self) -> str:
        """What has to hold, what was found and where it is explained."""
        return say("advice.told", title=self.title, words=self.words, link=self.link)

    @property
    def link(self) -> str:
        """Where it is explained: claim and lesson."""
        claim = f"zs.checks.{self.claim}" if self.claim else ""
        return say("advice.dot").join(part for part in (claim, self.lesson) if part)

    def to_dict(self) -> dict[str, object]:
        """Return every field under its name."""
        return {name: getattr(self, name) for name in ("name", "status", "evidence", "claim", "lesson")}


# Claim and lesson of each check.
PLACES = {
    "same_values": ("values_match", "02_which_axes_expand"),
    "shares_storage": ("view_shares_storage", "01_four_rows_three_numbers"),
    "own_storage": ("tile_has_own_storage", "03_copies"),
    "source_edit_is_seen": ("source_write_reaches_every_row", "04_who_else_changes"),
    "source_edit_is_not_seen": ("source_write_reaches_every_row", "04_who_else_changes"),
    "edit_stays": ("copied_write_stays_local", "04_who_else_changes"),
    "edit_returns_a_new_array": ("dense_result_has_own_storage", "04_who_else_changes"),
    "write_would_spread": ("view_is_read_only", "04_who_else_changes"),
    "operation_broadcasts": ("shapes_match", "02_which_axes_expand"),
    "gradient_adds_up": ("view_gradient_matches_column_sums", "05_derivatives"),
    "each_learns": ("", "06_parameters"),
    "one_value_learns": ("", "06_parameters"),
    "is_contiguous": ("", "03_copies"),
    "result_is_dense": ("dense_result_has_own_storage", "07_bytes"),
    "reshape_last_copies": ("", "07_bytes"),
    "comes_back": ("", "07_bytes"),
    "library_refuses": ("size_two_axis_cannot_expand", "02_which_axes_expand"),
    "no_small_step": ("", "05_derivatives"),
    "nothing_learns": ("", "06_parameters"),
}


def names_of(answer: str, because: str, growth: Growth, writes: str, learns: str, then: str) -> list[str]:
    """Return which checks an answer stands on."""
    if answer == "impossible":
        return ["library_refuses"]
    if answer == "contradictory":
        return [because] if because in ("no_small_step", "nothing_learns") else ["source_edit_is_not_seen"]
    view = answer in VIEWS
    names = ["same_values", "shares_storage" if view else "own_storage"]
    wanted = {
        "operation_broadcasts": answer == "leave_to_broadcasting",
        "source_edit_is_seen": view and writes == "source",
        "write_would_spread": view and writes == "nobody" and growth.grows,
        "edit_returns_a_new_array": view and writes == "each_copy",
        "edit_stays": not view and writes.startswith("each_copy"),
        "gradient_adds_up": learns == "shared",
        "one_value_learns": learns == "shared" and then == "optimizer_loop",
        "each_learns": learns == "each_copy",
        "is_contiguous": not view and then in ("contiguous", "reshape"),
        "result_is_dense": view and then == "dense",
        "reshape_last_copies": answer == "reshape_first" and growth.grows and prod(growth.start) > 1,
        "comes_back": answer == "expand" and then in ("save", "process"),
    }
    return names + [name for name, asked in wanted.items() if asked]


def untried(names: list[str], reason: str, status: str = "not_run") -> tuple[Check, ...]:
    """Return each check with the reason why it was not run."""
    return tuple(Check(name, status, {"reason": reason}, *PLACES[name]) for name in names)


def checked(names: list[str], answer: str, growth: Growth, library: str, dtype: str) -> tuple[Check, ...]:
    """Return each check, run now."""
    reason = ""
    if library == "torch" and "torch" not in sys.modules and find_spec("torch") is None:
        reason = "no_torch"
    elif 0 in (*growth.source, *growth.target):
        reason = "no_element"
    if reason:
        status = "not_run" if reason == "no_torch" else "not_applicable"
        return untried(names, reason, status)
    instance = Instance(answer, growth, library, dtype)
    with ExitStack() as modes:
        if instance.torch is not None:  # Whatever mode the caller is in.
            modes.enter_context(instance.torch.inference_mode(False))
            modes.enter_context(instance.torch.enable_grad())
        return tuple(_run(name, instance) for name in names)


def _run(name: str, instance: Instance) -> Check:
    holds, evidence = getattr(trials, name)(instance)
    return Check(name, "passed" if holds else "failed", evidence, *PLACES[name])
