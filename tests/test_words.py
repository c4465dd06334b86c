"""Every shown word is in all languages, used, and set as style asks."""

import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from word_rules import RULES, Product
from zerostride.language import LANGUAGES, catalogue, say

PACKAGE = Path(str(files("zerostride")))


def product():
    """Return the package as it is."""
    words = words_of(PACKAGE)
    code = {str(path.relative_to(PACKAGE)): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    others = [*PACKAGE.glob("front/*.js"), *PACKAGE.glob("*.toml")]
    return Product(words, code, "\n".join(path.read_text("utf-8") for path in others))


def words_of(package):
    """Return the text of each words file of a package by its name."""
    return {path.stem: path.read_text("utf-8") for path in sorted((package / "words").glob("*.toml"))}


def data_texts(package=PACKAGE):
    """Return the questions, misconceptions and plans of the data files as a catalogue of their own."""
    found = {}
    for path in (*package.glob("quiz/exercises/*.toml"), *package.glob("publish/**/*.toml")):
        follow(path.stem, tomllib.loads(path.read_text("utf-8")), found)
    return found


def follow(key, value, found):
    if isinstance(value, list):
        value = {str(place): each for place, each in enumerate(value)}
    if not isinstance(value, dict):
        return
    if set(LANGUAGES) & set(value):
        found[key] = value
        return
    for name, each in value.items():
        follow(f"{key}.{name}", each, found)


class Data(Product):
    """A catalogue whose entries are given; nothing in the sources names them."""

    entries = None

    def __init__(self, entries, languages=LANGUAGES):
        super().__init__({}, {}, languages=languages)
        object.__setattr__(self, "entries", entries)


OF_TEXTS = [rule for rule in RULES if not rule.__name__.startswith("every_")]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_catalogue(rule):
    found = list(rule(product()))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("rule", OF_TEXTS, ids=lambda rule: rule.__name__)
def test_questions_and_misconceptions(rule):
    entries = data_texts()
    found = list(rule(Data(entries)))
    assert entries
    assert not found, "\n".join(found)


def test_rules_read_what_the_product_reads():
    assert product().entries == catalogue()


def test_a_sentence_has_its_values_in_it():
    assert say("layout.bad_unit", unit="bits") == "the unit is bytes or elements, not bits"


# The twins: a small good catalogue, broken once per rule.

WORDS = """
[passed]
en = "passed"
zh = "通过"

[unit.bytes]
en = "{count} bytes × 2"
zh = "{count}字节 × 2"

[unit.elements]
en = "{count} elements"
zh = "{count}元素"
"""
SAME = '\nen = "x"\nzh = "x"\n\n'
CODE = """
UNITS = ("bytes", "elements")

def shown(unit, count):
    "This docstring names unused and bits."
    return say("report.passed") + say(f"report.unit.{unit}", count=count)
"""


def broken(words=("", ""), code=("", "")):
    assert words[0] in WORDS
    assert code[0] in CODE
    return Product({"report": WORDS.replace(*words)}, {"a.py": CODE.replace(*code)}, languages=("en", "zh"))


CHANGES = {
    "no Chinese": ("in_all_languages", broken(('zh = "通过"\n', ""))),
    "a third language": ("in_all_languages", broken(('zh = "通过"', 'zh = "通过"\nfr = "passé"'))),
    "an untranslated text": ("translated", broken(("通过", "〔passed〕"))),
    "a number for a text": ("in_all_languages", broken(('zh = "通过"', "other = 1"))),
    "an empty text": ("not_empty", broken(('"通过"', '""'))),
    "another placeholder": ("same_placeholders", broken(("{count}元素", "{number}元素"))),
    "a missing key": ("every_key_exists", broken(code=("UNITS", 'say("report.failed")\nUNITS'))),
    "a missing key held in a name": (
        "every_key_exists",
        broken(code=("UNITS", 'KEY = "report.failed"\nUNITS')),
    ),
    "a missing family": ("every_key_exists", broken(code=("UNITS", 'say(f"report.size.{1}")\nUNITS'))),
    "an unused key": ("every_key_is_used", broken(("[passed]", '[unused]\nen = "x"\nzh = "x"\n\n[passed]'))),
    "an unused member": (
        "every_key_is_used",
        broken(("[passed]", '[unit.bits]\nen = "x"\nzh = "x"\n\n[passed]')),
    ),
    "a value that is not given": (
        "every_value_is_given",
        broken(('en = "passed"\nzh = "通过"', 'en = "{n} passed"\nzh = "{n}项通过"')),
    ),
    "a value that is not shown": ("every_value_is_given", broken(code=('passed")', 'passed", n=1)'))),
    "a space beside a placeholder": ("chinese_is_set_well", broken(("{count}元素", "{count} 元素"))),
    "a half-width colon": ("chinese_is_set_well", broken(("通过", "通过:"))),
    "a forbidden rendering": ("glossary_is_kept", broken(("通过", "按步幅通过"))),
    "another English for a term": ("glossary_is_kept", broken(("通过", "步长（step）通过"))),
    "a sign outside GBK": ("survives_gbk", broken(('"passed"', '"passed ✓"'))),
}


@pytest.mark.parametrize("change", CHANGES)
def test_broken_catalogue_alone_is_found(change):
    expected, catalogue_ = CHANGES[change]
    assert {rule.__name__ for rule in RULES if list(rule(catalogue_))} == {expected}


def test_every_words_rule_is_broken_once():
    assert {rule for rule, _ in CHANGES.values()} == {rule.__name__ for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_small_catalogue_is_good(rule):
    assert list(rule(broken())) == []


def test_a_key_that_another_file_names_is_used():
    more = f"{WORDS}\n[unit.bits]{SAME}"
    used = next(rule for rule in RULES if rule.__name__ == "every_key_is_used")
    assert list(used(Product({"report": more}, {"a.py": CODE}))) == ["report.unit.bits"]
    assert list(used(Product({"report": more}, {"a.py": CODE}, "unit.bits"))) == []
