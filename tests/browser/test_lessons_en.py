"""The English lessons in a real JupyterLab: run, their explorers moved, their questions answered."""

import pytest
from lesson_walk import answer_questions, hard_to_reach, hard_to_use, lessons, move_explorers

pytestmark = [
    pytest.mark.browser,
    pytest.mark.parametrize("lesson", lessons("en"), ids=str, indirect=True),
]


def test_lesson_runs_and_its_explorers_move(lesson):
    assert lesson.errors() == []
    move_explorers(lesson)


def test_keys_reach_and_leave_every_control(lesson):
    assert hard_to_reach(lesson) == {}


def test_each_question_is_answered_right_and_wrong(lesson):
    answer_questions(lesson, "en")
    assert lesson.errors() == []


def test_nothing_is_hard_to_use(lesson):
    assert hard_to_use(lesson) == {}
