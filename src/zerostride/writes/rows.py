"""One verdict: what one statement does to one layout."""

from dataclasses import dataclass

from zerostride.writes.targets import line

OUTCOMES = ("raises", "differs", "warns", "together", "unsafe", "safe", "metadata", "not_applicable")


@dataclass(frozen=True)
class Row:
    """What one statement does to ``y`` of one layout.

    Attributes
    ----------
    library, family, operation, target : str
        Who runs it, which group it is of, the statement, the layout of ``y``.
    outcome : str
        ``"raises"``; ``"together"``, every alias changes together;
        ``"differs"``, the result differs from a copy's; ``"warns"``;
        ``"unsafe"``, it may corrupt memory; ``"safe"``; ``"metadata"``, values
        stay; or ``"not_applicable"``.
    error, warning : str
        Class of what was raised or warned.
    then : str
        What it did beside that: the outcome had there been no warning, or
        ``"differs"`` where it wrote before it raised.
    volatile : bool
        Whether the numbers depend on the order in which elements are written.
    instead : str
        The safe way; empty where the statement is.
    reason : str
        Name of the reason why it is not applicable.
    kind : str
        The values in ``y``.
    """

    library: str
    family: str
    operation: str
    target: str
    outcome: str
    error: str = ""
    warning: str = ""
    then: str = ""
    volatile: bool = False
    instead: str = ""
    reason: str = ""
    kind: str = "plain"

    @property
    def reproducer(self) -> str:
        """Two lines that show it, after ``import numpy as np`` and ``import torch``."""
        made = line(self.library, self.target, self.kind)
        return f"{made}\n{self.operation}" if made else ""

    @property
    def compiled(self) -> bool:
        """Whether it was compiled and not run eagerly."""
        return self.family == "compiled"
