"""The Chinese lessons in a real JupyterLab: run, their explorers moved, their questions answered."""

import pytest
from lesson_walk import answer_questions, hard_to_reach, hard_to_use, lessons, move_explorers

pytestmark = [
    pytest.mark.browser,
    pytest.mark.parametrize("lesson", lessons("zh"), ids=str, indirect=True),
]


@pytest.fixture(scope="module", autouse=True)
def dark(lab):
    """Show the dark theme: the English lessons have the light one."""
    lab.theme("JupyterLab Dark")
    yield
    lab.theme("JupyterLab Light")


def test_lesson_runs_and_its_explorers_move(lesson):
    assert lesson.errors() == []
    move_explorers(lesson)


def test_keys_reach_and_leave_every_control(lesson):
    assert hard_to_reach(lesson) == {}


def test_each_question_is_answered_right_and_wrong(lesson):
    answer_questions(lesson, "zh")
    assert lesson.errors() == []


def test_nothing_is_hard_to_use(lesson):
    assert hard_to_use(lesson) == {}
