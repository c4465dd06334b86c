"""The rules that hold an English lesson and its translations together, and the command that stamps them.

``python -m zerostride.pairs check`` names every broken rule by file and cell;
``python -m zerostride.pairs stamp`` records, in each translated prose cell, which
English text it was made from. Stamp after reading both, never before.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from zerostride.course import lessons_folder, source
from zerostride.language import TRANSLATIONS
from zerostride.pairs.rules import RULES, Pair, stamp_of


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


def check_names(english: Iterable[str], translated: Iterable[str], language: str) -> list[Finding]:
    """Return a finding for each file that only one language has.

    Examples
    --------
    >>> print(*check_names(["01_a.ipynb"], [], "zh"))
    zh/01_a.ipynb [-] same_files: missing
    """
    left, right = set(english), set(translated)
    missing = [(language, name) for name in left - right] + [("en", name) for name in right - left]
    return [Finding(f"{side}/{name}", "-", "same_files", "missing") for side, name in sorted(missing)]


def names(folder: Path) -> list[str]:
    """Return the names of the notebooks in one folder."""
    return sorted(path.name for path in folder.glob("*.ipynb"))


def read_pair(folder: Path, name: str, language: str) -> Pair:
    """Return one lesson and its translation, from a folder that holds one of each language."""
    english, translated = (json.loads((folder / side / name).read_text("utf-8")) for side in ("en", language))
    return Pair(english, translated, language)


def read_pairs(folder: Path) -> Iterator[tuple[str, Pair]]:
    """Yield the name of each lesson in English and another language, and both."""
    for language in TRANSLATIONS:
        for name in sorted(set(names(folder / "en")) & set(names(folder / language))):
            yield name, read_pair(folder, name, language)


def check_folder(folder: Path) -> list[Finding]:
    """Return every finding in a folder that holds one of each language."""
    english = names(folder / "en")
    missing = [it for code in TRANSLATIONS for it in check_names(english, names(folder / code), code)]
    return missing + [finding for name, pair in read_pairs(folder) for finding in check_pair(pair, name)]


def stamp_pair(pair: Pair, only: Sequence[str] = ()) -> list[str]:
    """Stamp the translated prose cells of a pair in place and return the ids that changed.

    Parameters
    ----------
    pair : Pair
        Its translation is written to.
    only : sequence of str, optional
        Ids to stamp; by default all.
    """
    changed = []
    for english, translated in pair.twins("markdown"):
        if only and translated["id"] not in only:
            continue
        about = translated["metadata"].setdefault("zerostride", {})
        if about.get("source") != stamp_of(source(english)):
            about["source"] = stamp_of(source(english))
            changed.append(translated["id"])
    return changed


def stamp_folder(folder: Path, only: Sequence[str] = (), lesson: str = "") -> list[str]:
    """Stamp the translations in a folder and return ``file [cell]`` for each stamp that changed.

    Parameters
    ----------
    folder : Path
        Holds one of each language.
    only : sequence of str, optional
        Ids to stamp; by default all.
    lesson : str, optional
        How the name of the only lesson to stamp begins, since lessons share ids.
    """
    changed = []
    for name, pair in read_pairs(folder):
        cells = stamp_pair(pair, only) if name.startswith(lesson) else []
        if cells:
            written = json.dumps(pair.translated, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
            (folder / pair.language / name).write_text(written, "utf-8")
        changed += [f"{pair.language}/{name} [{cell}]" for cell in cells]
    return changed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``check`` or ``stamp`` and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m zerostride.pairs", description=__doc__)
    parser.add_argument("command", choices=["check", "stamp"])
    parser.add_argument("cells", nargs="*", help="ids of the cells to stamp; by default every one")
    parser.add_argument("--lesson", default="", help="stamp only this one, by its number or name")
    parser.add_argument("--folder", type=Path, help="holds one of each language; by default the course's own")
    asked = parser.parse_intermixed_args(arguments)
    folder = asked.folder or lessons_folder()
    if asked.command == "stamp":
        lesson = asked.lesson.zfill(2) if asked.lesson.isdecimal() else asked.lesson
        print(*(stamp_folder(folder, asked.cells, lesson) or ["nothing to stamp"]), sep="\n")
        return 0
    found = check_folder(folder)
    print("\n".join(map(str, found)) or "every rule holds")
    return 1 if found else 0
