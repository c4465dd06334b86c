"""The bill of an expression: predicted bytes, line by line."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from zerostride.expansion import Shape
from zerostride.language import enumerated, say
from zerostride.layouts import Layout
from zerostride.memory.tape import peak_of
from zerostride.memory.units import bytes_and_units, in_units
from zerostride.reports import Report, Table

EXACT_FROM_BYTES = 64 * 1024


class Kept(NamedTuple):
    """What one step saves for the backward pass.

    Attributes
    ----------
    step : str
        Which step.
    name : str
        What it is, where it has a name.
    layout : Layout
        How it is read.
    """

    step: str
    name: str
    layout: Layout


@dataclass(frozen=True, repr=False)
class Budget(Report):
    """Predicted bytes of an expression, all whole numbers.

    The lines overlap: what is saved may be the source, the copy, a result or
    another array, and is then the same bytes. ``peak_bytes`` counts each once.

    Attributes
    ----------
    learns : bool
        Whether the source was to get a gradient.
    code : str
        The expression; ``x`` is the source.
    source_bytes : int
        The source.
    logical_bytes : int
        Elements of the larger shape times item size, stored or not.
    made_bytes : int
        What is allocated for it: 0 for a view and for implicit broadcasting.
    temporaries_bytes : int
        All that is allocated on the way forward and freed before its end.
    output_bytes : int
        The result; 0 where it is the view or the copy itself.
    saved_bytes : int
        Storage that is kept for the backward pass, each counted once.
    gradient_bytes : int
        Gradients that stay: of the source, and of arrays that learn.
    operands : dict of str to Layout
        Arrays that the steps take and that exist already.
    forward, backward : tuple of int
        Bytes of each array as it is allocated, minus its bytes as it is freed.
    reused : tuple of str
        Steps whose result NumPy writes into a temporary that it no longer needs.
    """

    shape: Shape
    dtype: str
    source_shape: Shape
    steps: tuple[str, ...]
    way: str
    library: str
    learns: bool
    code: str
    source_bytes: int
    logical_bytes: int
    made_bytes: int
    temporaries_bytes: int
    output_bytes: int
    saved_bytes: int
    gradient_bytes: int
    saved: tuple[Kept, ...]
    operands: Mapping[str, Layout]
    learned: tuple[str, ...]
    forward: tuple[int, ...]
    backward: tuple[int, ...]
    reused: tuple[str, ...]

    @property
    def saved_logical_bytes(self) -> int:
        """Elements times item size of everything saved, however little of it is stored."""
        return sum(kept.layout.logical_bytes for kept in self.saved)

    @property
    def operand_bytes(self) -> int:
        """Bytes of the arrays that exist already, the source not among them."""
        return sum(layout.storage_bytes for layout in self.operands.values())

    @property
    def backward_temporaries_bytes(self) -> int:
        """All that the backward pass allocates and frees again, the incoming gradient among it."""
        return sum(each for each in self.backward if each > 0) - self.gradient_bytes

    @property
    def new_peak_bytes(self) -> int:
        """The most that is alive at once, beside what exists already."""
        return peak_of(self.forward + self.backward)

    @property
    def forward_peak_bytes(self) -> int:
        """The same, up to the end of the forward pass."""
        return peak_of(self.forward)

    @property
    def peak_bytes(self) -> int:
        """The source, and the most that is alive at once beside it."""
        return self.source_bytes + self.new_peak_bytes

    @property
    def lines(self) -> dict[str, tuple[int, int]]:
        """Logical and allocated bytes of each line of the bill, by name."""
        made_logical = 0 if self.way == "implicit" else self.logical_bytes
        return {
            "source": (self.source_bytes, self.source_bytes),
            "made": (made_logical, self.made_bytes),
            "temporaries": (self.temporaries_bytes, self.temporaries_bytes),
            "output": (self.output_bytes, self.output_bytes),
            "saved": (self.saved_logical_bytes, self.saved_bytes),
            "gradient": (self.gradient_bytes, self.gradient_bytes),
        }

    def table(self) -> Table:
        """Return the bill line by line, logical beside allocated."""
        words = {name: say(f"memory.line.{name}") for name in self.lines}
        words["made"] = say(f"memory.made.{self.way}")
        rows = [
            (words[name], bytes_and_units(logical), bytes_and_units(allocated))
            for name, (logical, allocated) in self.lines.items()
        ]
        rows.append((say("memory.line.peak"), "", bytes_and_units(self.peak_bytes)))
        header = tuple(say(f"memory.{column}") for column in ("line_column", "logical", "allocated"))
        return Table(rows, header, tuple(self._notes()), self.code)

    def alternative(self) -> str:
        """Return the bill as a sentence, in the language in use."""
        parts = [
            say(
                "memory.alt_line" if logical == allocated else "memory.alt_line_logical",
                name=say(f"memory.made.{self.way}" if name == "made" else f"memory.line.{name}"),
                allocated=in_units(allocated),
                logical=in_units(logical),
            )
            for name, (logical, allocated) in self.lines.items()
        ]
        return say("memory.alt_bill", code=self.code, lines=enumerated(parts), peak=in_units(self.peak_bytes))

    def _notes(self) -> list[str]:
        notes = [say("memory.lines_overlap")] if self.saved else []
        if self.way == "implicit" and self.source_shape != self.shape and not self.operands:
            notes.append(say("memory.never_broadcast", shape=self.shape))
        if self.operands:
            arrays = [f"{name} {layout.shape}" for name, layout in self.operands.items()]
            notes.append(say("memory.exist_already", arrays=enumerated(arrays)))
        if self.reused:
            notes.append(say("memory.reused", steps=enumerated(self.reused)))
        return [*notes, say("memory.not_in_it")]

    def to_dict(self) -> dict[str, object]:
        """Return every number under its public name."""
        names = (
            "shape dtype source_shape steps way library learns code source_bytes logical_bytes made_bytes "
            "temporaries_bytes output_bytes saved_bytes saved_logical_bytes gradient_bytes operand_bytes "
            "backward_temporaries_bytes forward_peak_bytes new_peak_bytes peak_bytes reused"
        )
        saved = [(kept.step, kept.name, kept.layout.logical_bytes) for kept in self.saved]
        return {name: getattr(self, name) for name in names.split()} | {"saved": saved}
