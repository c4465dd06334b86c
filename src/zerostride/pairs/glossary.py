"""The terms of the course in every language, and what a text does with them."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from zerostride.language import TRANSLATIONS
from zerostride.pairs.typography import HAN

_BESIDE = re.compile(rf"([{HAN}]+)（([A-Za-z][^（）]*)）")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")


@dataclass(frozen=True)
class Term:
    """One English term, its renderings by language, its meaning, and what the course does not call it."""

    en: str
    words: dict[str, tuple[str, ...]]
    means: dict[str, str]
    forms: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    introduce: bool = False
    note: str = ""

    @property
    def english(self) -> tuple[str, ...]:
        """Every English form in lower case."""
        return self.en, f"{self.en}s", *self.forms

    @property
    def renderings(self) -> tuple[str, ...]:
        """Every rendering, in whatever language."""
        return tuple(word for words in self.words.values() for word in words)


@cache
def terms() -> tuple[Term, ...]:
    """Return the glossary.

    Examples
    --------
    >>> [(term.en, term.words["zh"]) for term in terms()][0]
    ('stride', ('步长',))
    """
    table = tomllib.loads(files("zerostride.pairs").joinpath("glossary.toml").read_text("utf-8"))
    return tuple(_term(**row) for row in table["terms"])


def _term(**row: Any) -> Term:
    words = {language: tuple(row.pop(language, ())) for language in TRANSLATIONS}
    fixed: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
    }
    return Term(words=words, **fixed)


def forbidden_renderings(translated: str) -> Iterator[str]:
    """Yield each rendering that the course does not use, with the term it stands for.

    Examples
    --------
    >>> list(forbidden_renderings("按行规约"))
    ['规约 for reduction: write 归约']
    """
    for term in terms():
        for wrong in term.forbidden:
            if wrong in translated:
                yield f"{wrong} for {term.en}: write {term.renderings[0]}"


def wrong_parentheses(chinese: str) -> Iterator[str]:
    """Yield each ``汉字（English）`` that the glossary does not know so; names in code spans are free.

    Examples
    --------
    >>> list(wrong_parentheses("步长（stride）与步长（step）和视图（alias）"))
    ['与步长（step）', '和视图（alias）']
    """
    for found in _BESIDE.finditer(chinese.replace("*", "")):
        before, english = found[1], re.split(r"[,，;；:：]", found[2].lower())[0].strip()
        named = [term for term in terms() if english in term.english]
        shown = _rendering_at_end(before)
        wrongly_named = named and not any(before.endswith(term.renderings) for term in named)
        wrongly_shown = shown and not any(form in english for term in shown for form in term.english)
        if wrongly_named or (wrongly_shown and re.fullmatch(r"[a-z][a-z -]*", english)):
            yield found[0]


def missing_introductions(paragraphs: Sequence[str], language: str) -> Iterator[tuple[int, str]]:
    """Yield (number of the paragraph, rendering) where a first use lacks its English in parentheses.

    Examples
    --------
    >>> list(missing_introductions(["步长（stride）", "步长与视图", "视图（view）"], "zh"))
    [(1, '视图')]
    """
    seen: set[str] = set()
    for number, paragraph in enumerate(paragraphs):
        text = re.sub(r"[*`]", "", paragraph)
        for found in _any_rendering(language).finditer(text):
            term = next(term for term in terms() if found[0] in term.words[language])
            if not term.introduce or term.en in seen:
                continue
            seen.add(term.en)
            beside = re.match(r"（([^（）]*)）", text[found.end() :])
            if not beside or not any(form in beside[1].lower() for form in term.english):
                yield number, found[0]


def missing_renderings(english: str, translated: str, language: str) -> Iterator[str]:
    """Yield each term that is bold in an English text and has no rendering in the translated one.

    Examples
    --------
    >>> list(missing_renderings("The **stride** is `0`.", "间隔是`0`。", "zh"))
    ['stride: 步长']
    """
    bold = {found.strip(" .:?").lower() for found in _BOLD.findall(english)}
    for term in terms():
        if bold & set(term.english) and not any(
            word.lower() in translated.lower() for word in term.words[language]
        ):
            yield f"{term.en}: {term.words[language][0]}"


def _rendering_at_end(text: str) -> list[Term]:
    ends = {
        max((it for it in term.renderings if text.endswith(it)), key=len, default=""): term
        for term in terms()
    }
    longest = max(ends, key=len)
    return [ends[longest]] if longest else []


@cache
def _any_rendering(language: str) -> re.Pattern[str]:
    # The longest first, so that 存储偏移 is no use of 存储.
    renderings = sorted((word for term in terms() for word in term.words[language]), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, renderings)))
