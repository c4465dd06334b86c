"""The words of the course and what they mean."""

from dataclasses import dataclass

from zerostride.language import TRANSLATIONS, current, enumerated, say
from zerostride.pairs.glossary import Term, terms
from zerostride.reports import Report, Table


@dataclass(frozen=True, repr=False)
class WordList(Report):
    """Terms of the course with their meaning in the language in use.

    Attributes
    ----------
    terms : tuple of Term
        In the order in which the course meets them.
    """

    terms: tuple[Term, ...]

    def table(self) -> Table:
        """Return one row a term; beside a translation stands the English term."""
        columns = ("word", "english", "meaning") if current() in TRANSLATIONS else ("word", "meaning")
        header = tuple(say(f"word_list.{column}") for column in columns)
        return Table([tuple(_cells(term)[column] for column in columns) for term in self.terms], header)

    def to_dict(self) -> dict[str, object]:
        """Return the terms of every language."""
        return {
            term.en: {language: list(words) for language, words in term.words.items()}
            | {"means": dict(term.means)}
            for term in self.terms
        }


def glossary() -> WordList:
    """Return the words of the course, each with one line on what it means here.

    Returns
    -------
    WordList
        One row for each term, in the language in use.

    Examples
    --------
    >>> print(glossary().table().rows[0][0])
    stride
    """
    return WordList(terms())


def _cells(term: Term) -> dict[str, str]:
    word = enumerated(term.words.get(current(), (term.en,)))
    return {"word": word, "english": term.en, "meaning": term.means[current()]}
