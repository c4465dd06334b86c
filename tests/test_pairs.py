"""Every lesson of the course keeps every pairing rule (test_pairs_twins.py shows that each rule can fail)."""

import pytest

from lesson_samples import good_pair
from zerostride.course import lessons_folder
from zerostride.language import TRANSLATIONS
from zerostride.pairs import check_names, main, names, read_pair
from zerostride.pairs.rules import RULES

FOLDER = lessons_folder()
LESSONS = names(FOLDER / "en")
EVERY_LANGUAGE = pytest.mark.parametrize("language", TRANSLATIONS)


def test_there_are_lessons():
    assert LESSONS


@EVERY_LANGUAGE
def test_the_same_files_in_every_language(language):
    assert check_names(LESSONS, names(FOLDER / language), language) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("name", LESSONS)
@EVERY_LANGUAGE
def test_lesson_keeps_rule(language, name, rule):
    pair = read_pair(FOLDER, name, language)
    found = [f"{side}/{name} [{cell}] {detail}" for side, cell, detail in rule(pair)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_sample_keeps_rule(rule):
    assert list(rule(good_pair())) == []


def test_check_command_agrees(capsys):
    assert main(["check"]) == 0, capsys.readouterr().out
    assert capsys.readouterr().out == "every rule holds\n"
