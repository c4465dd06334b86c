"""Answering a lesson's questions in JupyterLab, as a learner does."""

import inspect
import textwrap
from itertools import pairwise

import numpy as np

from exercise_bank import WRONG

RUN = """async ([id, source]) => {
  const { content } = window.panel;
  const at = content.widgets.findIndex((cell) => cell.model.id === id);
  if (source !== null) content.widgets[at].model.sharedModel.setSource(source);
  content.deselectAll();
  content.activeCellIndex = at;
  await window.jupyterapp.commands.execute('notebook:run-cell');
  const outputs = content.widgets[at].model.outputs.toJSON();
  return outputs.map((output) => output.data?.['text/plain'] ?? output.evalue ?? '').join('\\n');
}"""
SOURCES = """() => Array.from(window.panel.content.model.cells,
  (cell) => [cell.id, cell.sharedModel.source, cell.getMetadata('tags') ?? []])"""


def cells(lab):
    """Id, source and tags of every cell of the open notebook."""
    return lab.page.evaluate(SOURCES)


def turns(lab):
    """Exercise id, id and source of the answer cell, id of the check cell: one of each your-turn exercise."""
    every = cells(lab)
    pairs = pairwise(every)
    found = [
        (answer, check) for answer, check in pairs if "answer" in answer[2] and "zs.your_turn" in check[1]
    ]
    return [(check[1].split('"')[1], answer[0], answer[1], check[0]) for answer, check in found]


def wrong_source(exercise, answer):
    """The source of an answer cell with the bank's first wrong answer in it."""
    wrong, _ = WRONG[exercise][0]
    if callable(wrong):
        body = textwrap.dedent(inspect.getsource(wrong)).replace(f"def {wrong.__name__}(", "def WRONG(")
        return body.replace("WRONG", answer.split("(")[0].removeprefix("def "))
    written = f"np.array({wrong.tolist()})" if isinstance(wrong, np.ndarray) else repr(wrong)
    return f"{answer.split(' = ')[0]} = {written}"


def run(lab, cell, source=None):
    """Run one cell, with another source if given; the text of its outputs."""
    return lab.page.evaluate(RUN, [cell, source])


def predictions(lab):
    """Exercise id and cell id of every prediction."""
    return [
        (source.split('"')[1], cell) for cell, source, _ in cells(lab) if source.startswith("zs.predict(")
    ]


def noted(lab, number, cell, choice, expected, *, by_mouse):
    """Ask anew, choose and note the answer; wait until the panel says what is expected."""
    every = lab.panel.locator(".zs-quiz")
    panel, last = every.nth(number), every.nth(every.count() - 1)
    panel.evaluate("(old) => old.setAttribute('data-old', '')")
    run(lab, cell)
    lab.panel.locator(".zs-quiz[data-old]").wait_for(state="detached")
    last.wait_for(state="attached")  # until the new panel is there, the next question has its number
    question, sure = (panel.locator("fieldset").nth(at).locator("input") for at in (0, 1))
    for part in (question.nth(choice), sure.nth(1)):
        part.check() if by_mouse else part.evaluate("(part) => part.click()")
    button = panel.locator("button")
    button.click() if by_mouse else button.evaluate("(button) => button.click()")
    panel.locator("[role=status]").filter(has_text=expected).wait_for()
