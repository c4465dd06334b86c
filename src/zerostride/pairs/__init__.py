"""The rules that hold an English lesson and its Chinese twin together, and the command that stamps a twin.

``python -m zerostride.pairs check`` names every broken rule by file and cell;
``python -m zerostride.pairs stamp`` records, in each Chinese prose cell, which
English text it was made from. Stamp after reading both, never before.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from zerostride.course import lessons_folder
from zerostride.pairs.rules import RULES, Pair, source, stamp_of


class Finding(NamedTuple):
    """One broken rule: where, which, and what was seen."""

    file: str
    cell: str
    rule: str
    detail: str

    def __str__(self) -> str:
        return f"{self.file} [{self.cell}] {self.rule}: {self.detail}"


def check_pair(pair: Pair, name: str = "") -> list[Finding]:
    """Return every finding of every rule in one pair; a good pair has none."""
    return [
        Finding(f"{language}/{name}", cell, rule.__name__, detail)
        for rule in RULES
        for language, cell, detail in rule(pair)
    ]


def check_names(english: Iterable[str], chinese: Iterable[str]) -> list[Finding]:
    """Return a finding for each file that only one language has.

    Examples
    --------
    >>> print(*check_names(["01_a.ipynb"], []))
    zh/01_a.ipynb [-] same_files: missing
    """
    left, right = set(english), set(chinese)
    missing = [("zh", name) for name in left - right] + [("en", name) for name in right - left]
    return [Finding(f"{language}/{name}", "-", "same_files", "missing") for language, name in sorted(missing)]


def names(folder: Path) -> list[str]:
    """Return the names of the notebooks in one folder."""
    return sorted(path.name for path in folder.glob("*.ipynb"))


def read_pair(folder: Path, name: str) -> Pair:
    """Return one lesson of a folder that holds ``en`` and ``zh``."""
    english, chinese = (json.loads((folder / side / name).read_text("utf-8")) for side in ("en", "zh"))
    return Pair(english, chinese)


def check_folder(folder: Path) -> list[Finding]:
    """Return every finding in a folder that holds ``en`` and ``zh``."""
    english, chinese = names(folder / "en"), names(folder / "zh")
    both = sorted(set(english) & set(chinese))
    found = check_names(english, chinese)
    return found + [finding for name in both for finding in check_pair(read_pair(folder, name), name)]


def stamp_pair(pair: Pair, only: Sequence[str] = ()) -> list[str]:
    """Stamp the Chinese prose cells of a pair in place and return the ids that changed.

    Parameters
    ----------
    pair : Pair
        Its Chinese notebook is written to.
    only : sequence of str, optional
        Ids to stamp; by default all.
    """
    changed = []
    for english, chinese in pair.prose():
        if only and chinese["id"] not in only:
            continue
        about = chinese["metadata"].setdefault("zerostride", {})
        if about.get("source") != stamp_of(source(english)):
            about["source"] = stamp_of(source(english))
            changed.append(chinese["id"])
    return changed


def stamp_folder(folder: Path, only: Sequence[str] = (), lesson: str = "") -> list[str]:
    """Stamp the Chinese notebooks of a folder and return ``file [cell]`` for each stamp that changed.

    Parameters
    ----------
    folder : Path
        Holds ``en`` and ``zh``.
    only : sequence of str, optional
        Ids to stamp; by default all.
    lesson : str, optional
        How the name of the only lesson to stamp begins, since lessons share ids.
    """
    changed = []
    both = set(names(folder / "en")) & set(names(folder / "zh"))
    for name in sorted(name for name in both if name.startswith(lesson)):
        pair = read_pair(folder, name)
        cells = stamp_pair(pair, only)
        if cells:
            written = json.dumps(pair.zh, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
            (folder / "zh" / name).write_text(written, "utf-8")
        changed += [f"zh/{name} [{cell}]" for cell in cells]
    return changed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``check`` or ``stamp`` and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m zerostride.pairs", description=__doc__)
    parser.add_argument("command", choices=["check", "stamp"])
    parser.add_argument("cells", nargs="*", help="ids of the cells to stamp; by default every one")
    parser.add_argument("--lesson", default="", help="stamp only this one, by its number or name")
    parser.add_argument("--folder", type=Path, help="holds en and zh; by default the course's own")
    asked = parser.parse_args(arguments)
    folder = asked.folder or lessons_folder()
    if asked.command == "stamp":
        print(*(stamp_folder(folder, asked.cells, asked.lesson) or ["nothing to stamp"]), sep="\n")
        return 0
    found = check_folder(folder)
    print("\n".join(map(str, found)) or "every rule holds")
    return 1 if found else 0
