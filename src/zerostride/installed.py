"""What the course finds on this machine, what is missing, and how to install it."""

import platform
import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from zerostride.language import say
from zerostride.reports import Report, Table

# The oldest release that the course takes, as pyproject.toml says.
_OLDEST = {
    "numpy": "2.0",
    "torch": "2.8",
    "matplotlib": "3.9",
    "ipywidgets": "8.1",
    "anywidget": "0.9",
    "jupyterlab": "4.4",
}


@dataclass(frozen=True)
class Part:
    """One package that the course uses.

    Attributes
    ----------
    package, version : str
        The name that pip knows, and what is installed; empty where nothing is known.
    status : {"there", "missing", "too_old"}
        Nothing is imported to find it out.
    """

    package: str
    version: str
    status: str


@dataclass(frozen=True, repr=False)
class Machine(Report):
    """What is installed in the environment where the notebook runs.

    Attributes
    ----------
    parts : tuple of Part
        Python first, then every package.
    """

    parts: tuple[Part, ...]

    @property
    def wanting(self) -> tuple[str, ...]:
        """Packages that are missing or too old."""
        return tuple(part.package for part in self.parts if part.status != "there")

    def table(self) -> Table:
        """Return one row a package, and below what to type for what is missing."""
        rows = [
            (part.package, say(f"machine.for.{part.package}"), say(f"machine.{part.status}"), part.version)
            for part in self.parts
        ]
        return Table(rows, notes=self._notes(), caption=say("machine.caption"))

    def to_dict(self) -> dict[str, object]:
        """Return version and status of every package, and what is wanting."""
        parts = {part.package: {"version": part.version, "status": part.status} for part in self.parts}
        return {"parts": parts, "wanting": list(self.wanting)}

    def _notes(self) -> tuple[str, ...]:
        if not self.wanting:
            return (say("machine.complete"),)
        notes = [say("machine.install", packages=" ".join(self.wanting))]
        if "torch" in self.wanting:
            notes += [say("machine.without_torch"), say("machine.smaller_torch")]
        return tuple(notes)


def machine() -> Machine:
    """Return what is installed here, what is missing and how to install it; nothing is imported.

    Returns
    -------
    Machine
        One row for each package that the course uses.

    Examples
    --------
    >>> machine().parts[1].package, machine().parts[1].status
    ('numpy', 'there')
    """
    parts = [Part("python", platform.python_version(), "there")]
    return Machine((*parts, *(_part(package, oldest) for package, oldest in _OLDEST.items())))


def _part(package: str, oldest: str) -> Part:
    if find_spec(package) is None:
        return Part(package, "", "missing")
    try:
        found = version(package)
    except PackageNotFoundError:  # it can be imported, and nobody says which release it is
        return Part(package, "", "there")
    return Part(package, found, "too_old" if _release(found) < _release(oldest) else "there")


def _release(text: str) -> list[int]:
    """Return the first two numbers of a version.

    Examples
    --------
    >>> _release("2.13.0+cpu"), _release("2.9.0.dev20250801")
    ([2, 13], [2, 9])
    """
    return [int(number) for number in re.findall(r"\d+", text)[:2]]
