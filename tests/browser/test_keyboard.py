"""One whole lesson by keyboard alone: run, answered, explored; every control reached, seen and left again."""

import pytest
import quizzes
from drawings import drawn
from explorer_page import comes_to_say
from keys import Keys, faults
from lesson_walk import hard_to_reach, hard_to_use

from zerostride.language import say
from zerostride.quiz.exercises import every_exercise, in_words

pytestmark = pytest.mark.browser
LESSON = "notebooks/en/01_four_rows_three_numbers.ipynb"
EXPLORER = "explore-addresses"

COUNTS = """() => Array.from(window.panel.content.model.cells).filter((cell) => cell.type === 'code')
  .map((cell) => cell.executionCount)"""
OPEN = """(count) => window.panel.node.querySelectorAll('.zs-quiz').length === count
  && !window.panel.node.querySelector('.zs-quiz input:disabled')"""
SHARE = """() => {
  const first = window.panel.node.querySelectorAll('.zs-quiz fieldset:first-of-type input');
  for (const part of first) part.name = 'shared';
}"""
STATE = "[shown for shown in Out.values() if type(shown).__name__ == 'AddressExplorer'][-1].state"


def predict(keys, cell, exercise):
    """Answer a question with its second choice, quite sure of it."""
    panel = keys.lab.panel.locator(f".zs-quiz >> nth={len(keys.answered)}")
    panel.locator("button").wait_for()
    assert faults(keys, cell) == []
    keys.leave(cell)
    choices = every_exercise()[exercise].choices
    first = f"A. {in_words(choices[0].text)}"
    keys.tab_to(first)
    keys.press("ArrowDown")
    keys.press("Tab")
    keys.press("Space")
    for _ in range(2):
        keys.press("ArrowDown")
    keys.press("Tab")
    assert keys.focus()["name"] == say("quiz.commit")
    keys.press("Enter")
    told = say("quiz.noted", answer=in_words(choices[1].text), sure=say("quiz.sure.certain"))
    panel.locator("[role=status]").filter(has_text=told).wait_for()
    keys.answered.append(exercise)
    keys.leave(cell)


def explore(keys, cell):
    """Go through every control, then set some of them."""
    shown = keys.lab.explorer()
    assert faults(keys, cell) == []
    keys.leave(cell)
    keys.tab_to("repeat")
    keys.press("Enter")
    keys.tab_to("rows")
    keys.press("End")
    keys.tab_to("element type")
    keys.press("ArrowLeft")
    drawn(shown, 8, 3, "float32", "repeat")
    keys.leave(cell)


def walk(keys):
    """Go from the first cell to the last."""
    every = quizzes.cells(keys.lab)
    for name, source, _ in every:
        assert (keys.focus()["cell"], keys.focus()["on_cell"]) == (name, True)
        if source.startswith("zs.predict("):
            keys.press("Control+Enter")
            predict(keys, name, source.split('"')[1])
        elif name == EXPLORER:
            keys.press("Control+Enter")
            explore(keys, name)
        elif name == every[-1][0]:
            keys.press("Control+Enter")
            return
        else:
            if name == "offset-answer":
                keys.write("offset = 40")
            keys.press("Shift+Enter")
            continue
        keys.press("ArrowDown")


@pytest.fixture(scope="module")
def walked(lab):
    """Walk through the lesson."""
    lab.open(LESSON, run=False)
    keys = Keys(lab)
    keys.answered = []
    walk(keys)
    yield keys
    lab.close()


def test_a_whole_lesson_by_keyboard(walked):
    lab = walked.lab
    lab.page.wait_for_function(f"() => !({COUNTS})().includes(null)")
    counts = lab.page.evaluate(COUNTS)
    assert counts == sorted(set(counts))
    assert lab.errors() == []
    assert walked.answered == [exercise for exercise, _ in quizzes.predictions(lab)]
    assert lab.python("offset") == "40"
    comes_to_say(lab, f"{STATE}['rows'], {STATE}['dtype'], {STATE}['operation']", "8 float32 repeat")


@pytest.fixture
def on_explorer(walked):
    """Go back to the explorer's cell, by keyboard."""
    while walked.focus()["cell"] != EXPLORER:
        walked.press("ArrowUp")
    yield walked
    walked.press("Escape")


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        ("part.tabIndex = -1", "not reached: "),
        ("part.style.outline = 'none'", "unseen: "),
        ("part.style.outlineColor = '#ddd'", "unseen: "),
        ("part.style.translate = '-300px -300px'", "above the one before: "),
    ],
)
def test_a_control_that_keys_miss_is_noticed(on_explorer, fault, found):
    part = on_explorer.lab.explorer().box.locator("[data-do=reset]")
    part.evaluate(f"(part) => {{ {fault}; }}")
    try:
        assert [each[: len(found)] for each in faults(on_explorer, EXPLORER)] == [found]
    finally:
        part.evaluate("(part) => { part.removeAttribute('style'); part.removeAttribute('tabindex'); }")


def test_questions_that_share_their_buttons_are_noticed(walked):
    lab, cells = walked.lab, [cell for _, cell in quizzes.predictions(walked.lab)]
    for cell in cells:
        quizzes.run(lab, cell)
    lab.page.wait_for_function(OPEN, arg=len(cells))
    assert hard_to_reach(lab) == {}
    lab.page.evaluate(SHARE)
    assert list(hard_to_reach(lab)) == cells[1:]


def test_what_is_hard_to_use_is_noticed(walked):
    page = walked.lab.panel
    page.locator(".jp-OutputArea-output img").first.evaluate("(image) => image.removeAttribute('alt')")
    for part in (".jp-RenderedMarkdown p", ".jp-OutputArea-output td"):
        page.locator(part).first.evaluate("(words) => { words.style.color = '#bbb'; }")
    found = hard_to_use(walked.lab)
    assert {rule: len(parts) for rule, parts in found.items()} == {"image-alt": 1, "color-contrast": 2}
