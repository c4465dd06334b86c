"""Every lesson of the course keeps every pairing rule (test_pairs_twins.py shows that each rule can fail)."""

import pytest

from lesson_samples import good_pair
from zerostride.course import lessons_folder
from zerostride.pairs import check_names, main, names, read_pair
from zerostride.pairs.rules import RULES

FOLDER = lessons_folder()
LESSONS = sorted(set(names(FOLDER / "en")) | set(names(FOLDER / "zh")))


def test_there_are_lessons():
    assert LESSONS


def test_the_same_files_in_both_languages():
    assert check_names(names(FOLDER / "en"), names(FOLDER / "zh")) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("name", LESSONS)
def test_lesson_keeps_rule(name, rule):
    found = [
        f"{language}/{name} [{cell}] {detail}" for language, cell, detail in rule(read_pair(FOLDER, name))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_sample_keeps_rule(rule):
    assert list(rule(good_pair())) == []


def test_check_command_agrees(capsys):
    assert main(["check"]) == 0, capsys.readouterr().out
    assert capsys.readouterr().out == "every rule holds\n"
