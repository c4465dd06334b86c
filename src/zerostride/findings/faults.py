"""Known faults: each with a name, the lesson that explains it, and the function that recognizes it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from zerostride.findings.by_bytes import BY_BYTES
from zerostride.findings.by_error import BY_ERROR, Found, of_error
from zerostride.findings.by_pair import BY_PAIR
from zerostride.findings.by_path import BY_PATH
from zerostride.findings.by_write import BY_WRITE
from zerostride.findings.running import Use
from zerostride.language import enumerated, say


@dataclass(frozen=True)
class Fault:
    """One fault that the evidence shows.

    Attributes
    ----------
    name : str
        One of ``FAULTS``.
    programs : tuple of str
        Names of the programs that have it; of a pair, the one that is spoken of comes first.
    repairs : tuple of str
        Lines of code; ``source`` is the array handed in, ``y`` the array that the words speak of.
    lesson : str
        The lesson that explains it.
    """

    name: str
    programs: tuple[str, ...]
    repairs: tuple[str, ...]
    lesson: str
    values: dict[str, object] = field(default_factory=dict, repr=False, compare=False)

    @property
    def repair(self) -> str:
        """The first line of code that puts it right."""
        return self.repairs[0]

    @property
    def words(self) -> str:
        """What is wrong, in the language in use."""
        first, second = self.programs[0], enumerated(self.programs[1:])
        return say(f"findings.fault.{self.name}", first=first, second=second, **self.values)

    def lines(self) -> Iterator[str]:
        """Yield what is wrong, each repair, and the lesson."""
        yield say("findings.named", name=self.name, programs=enumerated(self.programs), words=self.words)
        for code in self.repairs:
            yield say("findings.repair", code=code)
        yield say("findings.lesson", lesson=self.lesson)

    def to_dict(self) -> dict[str, object]:
        """Return name, programs, repairs and lesson."""
        return {key: getattr(self, key) for key in ("name", "programs", "repairs", "lesson")}


BY_PROGRAM: dict[str, tuple[str, Callable[[Use], Iterator[Found]]]] = {**BY_WRITE, **BY_PATH, **BY_BYTES}

LESSONS: dict[str, str] = {
    **{name: lesson for name, (lesson, _) in [*BY_PROGRAM.items(), *BY_PAIR.items()]},
    **{name: lesson for name, (lesson, *_) in BY_ERROR.items()},
}
FAULTS = tuple(LESSONS)


def faults(uses: Sequence[Use]) -> tuple[Fault, ...]:
    """Return what is recognized; one fault with the same repairs in several programs is told once."""
    told: dict[object, Fault] = {}

    def add(name: str, programs: tuple[str, ...], found: Found) -> None:
        values, repairs = found
        # Of a pair the first keeps its place: what is told of it is not told of the others.
        key = (name, repairs, programs[0] if len(programs) > 1 else "")
        earlier = told.get(key)
        names = tuple(dict.fromkeys((*(earlier.programs if earlier else ()), *programs)))
        told[key] = Fault(name, names, repairs, LESSONS[name], earlier.values if earlier else values)

    for use in uses:
        for name, found in of_error(use):
            add(name, (use.name,), found)
        for name, (_, recognize) in BY_PROGRAM.items():
            for found in recognize(use):
                add(name, (use.name,), found)
    for one, other in permutations(uses, 2):
        for name, (_, recognize_pair) in BY_PAIR.items():
            for found in recognize_pair(one, other):
                add(name, (one.name, other.name), found)
    return tuple(told.values())
