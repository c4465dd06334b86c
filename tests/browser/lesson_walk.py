"""What is done in each lesson in JupyterLab: its explorers moved, its questions answered."""

import re
import time

import quizzes
from drawings import aligned, drawn
from explorer_page import BEYOND, violations
from keys import Keys, faults
from served_lab import LESSONS

from zerostride.language import say, speaking
from zerostride.quiz.exercises import every_exercise, in_words

SHOWN = re.compile(r"^zs\.explore\.(\w+)\([^()]*\)$", re.MULTILINE)


def lessons(language):
    """Paths of the lessons in a language, from the folder that is served."""
    return sorted(path.relative_to(LESSONS.parent) for path in LESSONS.glob(f"{language}/[0-9]*.ipynb"))


def move_addresses(explorer):
    explorer.toggle("operation", "expand")
    explorer.slide("rows", "Home", "ArrowRight")
    drawn(explorer, 2, 3)
    explorer.slide("cols", "End")
    drawn(explorer, 2, 6)


def move_shapes(explorer):
    explorer.type("source", "(4, 1)")
    explorer.type("target", "(4, 3)")
    assert aligned(explorer)["−1"][1] == "0"


def move_writes(explorer):
    explorer.toggle("library", "torch")
    explorer.box.locator('[data-cell="view:2,1"]').click()
    assert explorer.box.locator("[data-array=view] [data-cell] b").all_inner_texts() == ["1", "9", "3"] * 4


def move_derivative(explorer):
    explorer.do("preset-1")
    explorer.slide("rows", "Home", "ArrowRight")
    assert explorer.box.locator("[data-part] .zs-value").all_inner_texts() == ["= 2"] * 3


def move_byte_bill(explorer):
    explorer.do("preset-1")
    explorer.toggle("way", "repeat")
    assert explorer.box.locator("[data-line=peak] b").inner_text() == "2 GiB + 16 KiB"


def move_decide(explorer):
    explorer.do("preset-0")
    first = explorer.box.locator(".zs-answer").inner_text()
    explorer.do("preset-2")
    assert explorer.box.locator(".zs-answer").inner_text() != first


MOVES = {
    "addresses": move_addresses,
    "byte_bill": move_byte_bill,
    "decide": move_decide,
    "derivative": move_derivative,
    "shapes": move_shapes,
    "writes": move_writes,
}


def move_explorers(lab):
    """Move each explorer that the open lesson shows, and assert that its drawing follows."""
    shown = [name for _, source, _ in quizzes.cells(lab) for name in SHOWN.findall(source)]
    for number, name in enumerate(shown):
        MOVES[name](lab.explorer(number))
    assert lab.panel.locator(".zs-explorer").count() == len(shown)


def answer_predictions(lab):
    """Note each choice of each prediction, the first by mouse, and assert that the panel says so."""
    for number, (name, cell) in enumerate(quizzes.predictions(lab)):
        for at, choice in enumerate(every_exercise()[name].choices):
            told = say("quiz.noted", answer=in_words(choice.text), sure=say("quiz.sure.fairly"))
            quizzes.noted(lab, number, cell, at, told, by_mouse=at == 0)


def take_turns(lab):
    """Answer each exercise right, wrong and right again, and assert that its check says so."""
    for name, answer, source, check in quizzes.turns(lab):
        assert say("quiz.status.right") in quizzes.run(lab, check), name
        quizzes.run(lab, answer, quizzes.wrong_source(name, source))
        assert say("quiz.status.wrong") in quizzes.run(lab, check), name
        quizzes.run(lab, answer, source)
        assert say("quiz.status.right") in quizzes.run(lab, check), name


def answer_questions(lab, language):
    """Answer every question of the open lesson in its language."""
    with speaking(language):
        answer_predictions(lab)
        take_turns(lab)


def hard_to_reach(lab):
    """Return what keys miss in each explorer and each question of the open lesson, by cell."""
    keys, found = Keys(lab), {}
    for cell, source, _ in quizzes.cells(lab):
        if SHOWN.search(source) or source.startswith("zs.predict("):
            keys.go_to(cell)
            found[cell] = faults(keys, cell)
    return {cell: missed for cell, missed in found.items() if missed}


# Axe-core does not judge the contrast of what is folded, or scrolled out of sight.
UNSEEN = """() => {
  const outside = window.panel.node.querySelector('.jp-WindowedPanel-outer');
  outside.scrollTop = 0;
  const { top, bottom } = outside.getBoundingClientRect();
  return window.panel.content.widgets.filter((cell) => {
    const box = cell.node.getBoundingClientRect();
    return cell.outputHidden || cell.inputHidden || box.top < top || box.bottom > bottom;
  }).map((cell) => cell.model.id);
}"""
HEIGHT = "() => window.panel.node.querySelector('.jp-WindowedPanel-viewport').scrollHeight + 300"
UNFOLD = "() => { for (const fold of window.panel.node.querySelectorAll('details')) fold.open = true; }"


def see_whole(page, *, within_seconds=60):
    """Make the window as high as the open lesson; JupyterLab lays it out anew a moment later."""
    end = time.monotonic() + within_seconds
    while unseen := page.evaluate(UNSEEN):
        assert time.monotonic() < end, f"not in the window: {unseen}"
        page.set_viewport_size({"width": 1200, "height": page.evaluate(HEIGHT)})
        page.wait_for_timeout(100)


def hard_to_use(lab):
    """Return what axe-core finds in the open lesson: in its prose, its outputs, explorers and questions.

    Left out is what JupyterLab draws: its menus and toolbars, prompts and
    editors, and links, which it does not underline.
    """
    lab.page.evaluate(UNFOLD)
    try:
        see_whole(lab.page)
        assert [
            each for box in lab.panel.locator(".zs-explorer").all() for each in box.evaluate(BEYOND)
        ] == []
        prose, outputs = ".jp-MarkdownCell .jp-RenderedMarkdown", ".jp-OutputArea-output"
        return violations(lab, prose, outputs, drawn_by_others=["link-in-text-block"])
    finally:
        lab.page.set_viewport_size({"width": 1200, "height": 1000})
