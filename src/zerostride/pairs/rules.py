"""What must hold between an English lesson and its translation, one function a rule.

Each rule yields (language, cell id, what was seen) for whatever breaks it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from zerostride.course import source, tags
from zerostride.language import about
from zerostride.pairs import glossary
from zerostride.pairs.prose import long_numbers, numbers, taken_apart, without_links
from zerostride.pairs.typography import bold_stays_literal, markdown_faults

Cell = dict[str, Any]
Notebook = dict[str, Any]
Found = Iterator[tuple[str, str, str]]

_WORD = r"(?:[a-z]+\d{0,3}|\d{1,3}[a-z]?)"
_WRITTEN_BY_HAND = re.compile(rf"[a-z]+\d{{0,3}}(?:-{_WORD})*")
_RANDOM = re.compile(r"(?=.*\d)[0-9a-f]{8,}")
_LITERAL = re.compile(r"\buse\((['\"])([a-z]+)\1\)")


@dataclass(frozen=True)
class Pair:
    """One lesson and its translation, each as ``json.load`` reads it."""

    en: Notebook
    translated: Notebook
    language: str

    def twins(self, kind: str) -> Iterator[tuple[Cell, Cell]]:
        """Yield the cells of one kind, markdown or code, that have the same id in both languages."""
        english = {cell["id"]: cell for cell in self.en["cells"] if cell["cell_type"] == kind}
        for cell in self.translated["cells"]:
            if cell["cell_type"] == kind and cell["id"] in english:
                yield english[cell["id"]], cell

    def sides(self) -> tuple[tuple[str, Notebook], tuple[str, Notebook]]:
        """Return both notebooks, each after its language."""
        return ("en", self.en), (self.language, self.translated)


def stamp_of(english: str) -> str:
    """Return the short hash of an English text that its translation carries; trailing spaces do not count.

    Examples
    --------
    >>> stamp_of("Why?") == stamp_of("Why?  ")
    True
    """
    lines = [line.rstrip() for line in english.strip().splitlines()]
    return sha256("\n".join(lines).encode()).hexdigest()[:12]


def same_cells(pair: Pair) -> Found:
    """Ids, kinds and tags follow one another alike."""
    english, translated = (
        [(cell["id"], cell["cell_type"], sorted(tags(cell))) for cell in notebook["cells"]]
        for _, notebook in pair.sides()
    )
    for left, right in zip(english, translated, strict=False):
        if left != right:
            yield pair.language, right[0], f"{right} where English has {left}"
            return
    if len(english) != len(translated):
        more = max(english, translated, key=len)[min(len(english), len(translated))]
        yield pair.language, more[0], f"{len(translated)} cells where English has {len(english)}"


def hand_written_ids(pair: Pair) -> Found:
    """Ids are words joined by hyphens, each once; no random hexadecimal."""
    for language, notebook in pair.sides():
        ids = [cell["id"] for cell in notebook["cells"]]
        for name, count in Counter(ids).items():
            if count > 1:
                yield language, name, "used twice"
            elif not _WRITTEN_BY_HAND.fullmatch(name) or _RANDOM.fullmatch(name):
                yield language, name, "not words joined by hyphens"


def same_code(pair: Pair) -> Found:
    """Code cells are the same bytes, the language literal in ``setup`` apart."""
    for english, translated in pair.twins("code"):
        left, right = source(english), source(translated)
        if english["id"] == "setup":
            left, right = _LITERAL.sub("use()", left), _LITERAL.sub("use()", right)
        if left != right:
            yield pair.language, translated["id"], "differs from the English code"


def ascii_code(pair: Pair) -> Found:
    """Code cells hold ASCII only."""
    for language, notebook in pair.sides():
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code" and not source(cell).isascii():
                wide = sorted({sign for sign in source(cell) if not sign.isascii()})
                yield language, cell["id"], f"not ASCII: {' '.join(wide)}"


def own_language(pair: Pair) -> Found:
    """Only ``setup`` picks a language, once: the notebook's own."""
    for language, notebook in pair.sides():
        for cell in notebook["cells"]:
            picked = [match[2] for match in _LITERAL.finditer(source(cell))]
            if cell["cell_type"] == "code" and picked != ([language] if cell["id"] == "setup" else []):
                yield language, cell["id"], f"picks {picked or 'no language'}"


def same_code_spans(pair: Pair) -> Found:
    """Each prose pair has the same code spans, in whatever order."""
    for english, translated in pair.twins("markdown"):
        difference = _difference(taken_apart(source(english)).code, taken_apart(source(translated)).code)
        if difference:
            yield pair.language, translated["id"], difference


def same_formulas(pair: Pair) -> Found:
    """Each prose pair has the same formulas, in whatever order."""
    for english, translated in pair.twins("markdown"):
        difference = _difference(
            taken_apart(source(english)).formulas, taken_apart(source(translated)).formulas
        )
        if difference:
            yield pair.language, translated["id"], difference


def same_headings(pair: Pair) -> Found:
    """Each prose pair has headings of the same levels in the same order."""
    for english, translated in pair.twins("markdown"):
        left, right = taken_apart(source(english)).headings, taken_apart(source(translated)).headings
        if left != right:
            yield pair.language, translated["id"], f"levels {right} where English has {left}"


def numbers_shown(pair: Pair) -> Found:
    """Numbers of three digits or more in prose are also in an executed output of the notebook."""
    english = {cell["id"]: numbers(source(cell)) for cell in pair.en["cells"]}
    for language, notebook in pair.sides():
        shown = {number for text in _shown(notebook) for number in numbers(without_links(text))}
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                # What is a date or a version in English is one in a translation, however written there.
                copied = english.get(cell["id"], []) if language != "en" else []
                for number in long_numbers(source(cell)):
                    if number not in shown and number not in copied:
                        yield language, cell["id"], f"{number} is in no output"


def fresh_stamp(pair: Pair) -> Found:
    """Each translated prose cell carries the hash of the English text as it is now."""
    for english, translated in pair.twins("markdown"):
        carried = translated["metadata"].get("zerostride", {}).get("source")
        if carried != stamp_of(source(english)):
            yield (
                pair.language,
                translated["id"],
                "no stamp" if carried is None else "the English text has changed since",
            )


def glossary_terms(pair: Pair) -> Found:
    """Each translation uses the glossary's renderings; in Chinese with the English beside a first use."""
    for english, translated in pair.twins("markdown"):
        text = source(translated)
        yield from ((pair.language, translated["id"], wrong) for wrong in glossary.forbidden_renderings(text))
        yield from ((pair.language, translated["id"], wrong) for wrong in glossary.wrong_parentheses(text))
        yield from (
            (pair.language, translated["id"], f"no {term}")
            for term in glossary.missing_renderings(source(english), text, pair.language)
        )
    if not about(pair.language).wide:  # in Latin letters a reader knows the English when it comes
        return
    # A learner has neither the instructor's cells nor the answers, so no first use counts there.
    read = [cell for _, cell in pair.twins("markdown") if not {"instructor", "answer"} & set(tags(cell))]
    paragraphs = [re.sub(r"(?m)^#{1,6} .*$", "", source(cell)) for cell in read]
    for number, rendering in glossary.missing_introductions(paragraphs, pair.language):
        yield pair.language, read[number]["id"], f"first use of {rendering} without its English in （）"


def typography(pair: Pair) -> Found:
    """Chinese prose is set as style asks; bold turns bold in both languages."""
    for english, translated in pair.twins("markdown"):
        yield from (
            ("en", english["id"], f"bold_turns_bold: {at}") for at in bold_stays_literal(source(english))
        )
        yield from (
            (pair.language, translated["id"], f"{rule}: {at}")
            for rule, at in markdown_faults(source(translated))
        )


def _difference(english: Sequence[str], translated: Sequence[str]) -> str:
    left, right = Counter(english), Counter(translated)
    only = [
        f"only in {side}: {', '.join(rest)}"
        for side, rest in (("English", left - right), ("the translation", right - left))
        if rest
    ]
    return "; ".join(only)


def _shown(notebook: Notebook) -> Iterator[str]:
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            kinds = {"text/plain": output.get("text", ""), **output.get("data", {})}
            for kind, text in kinds.items():
                if kind.startswith("text/") or kind == "image/svg+xml":
                    yield text if isinstance(text, str) else "".join(text)


RULES: tuple[Callable[[Pair], Found], ...] = (
    same_cells,
    hand_written_ids,
    same_code,
    ascii_code,
    own_language,
    same_code_spans,
    same_formulas,
    same_headings,
    numbers_shown,
    fresh_stamp,
    glossary_terms,
    typography,
)
