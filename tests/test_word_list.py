"""Every term of the glossary has a meaning in both languages, set as style asks."""

import re

import pytest

import zerostride as zs
from zerostride.language import LANGUAGES
from zerostride.pairs.glossary import forbidden_renderings, terms
from zerostride.pairs.typography import HAN, markdown_faults


def faults(term):
    """What is wrong with the meaning of one term."""
    means = term.means
    if set(means) != set(LANGUAGES) or not all(means.values()):
        return ["both languages are needed"]
    found = [str(fault) for fault in markdown_faults(means["zh"])]
    found += list(forbidden_renderings(means["zh"]))
    found += [name for name, text in means.items() if text.endswith((".", "。"))]
    if re.search(f"[{HAN}]", means["en"]):
        found.append("Chinese in the English text")
    return found


@pytest.mark.parametrize("term", terms(), ids=lambda term: term.en)
def test_each_meaning_is_sound(term):
    assert faults(term) == []


@pytest.mark.parametrize(
    "means",
    [
        {"en": "a step"},
        {"en": "a step", "zh": ""},
        {"en": "a step", "zh": "走一步,再走"},
        {"en": "a step", "zh": "步幅"},
        {"en": "a step.", "zh": "走一步"},
        {"en": "步长", "zh": "走一步"},
    ],
)
def test_a_faulty_meaning_is_found(means):
    term = terms()[0]
    assert faults(type(term)(term.en, term.words, means)) != []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_shows_every_term_once(language):
    zs.use(language)
    rows = zs.glossary().table().rows
    assert len(rows) == len(terms())
    for term, row in zip(terms(), rows, strict=True):
        assert term.means[language] == row[-1]
        assert term.words.get(language, (term.en,))[0] in row[0]
    str(zs.glossary()).encode("gbk")
