"""The keyboard in JupyterLab: what Tab reaches in a cell's output, and whether the focus is seen there."""

from itertools import pairwise

from explorer_page import contrast

# Of a group of radio buttons and of a grid, Tab reaches one; arrows reach the others.
NUMBER_STOPS = """(id) => {
  const cell = window.panel.content.widgets.find((each) => each.model.id === id).node;
  const controls = 'button, input, select, a[href], [tabindex], [contenteditable=true]';
  const groups = new Map();
  for (const part of cell.querySelectorAll(`.jp-OutputArea-output :is(${controls})`)) {
    if (part.disabled || !part.checkVisibility()) continue;
    const group = part.closest('[role=grid]') ?? (part.type === 'radio' ? part.name : part);
    if (!groups.has(group)) groups.set(group, groups.size);
    part.dataset.stop = groups.get(group);
  }
  return groups.size;
}"""
FOCUS = """() => {
  const part = document.activeElement;
  const ring = part.querySelector(':scope > .zs-ring');
  const style = getComputedStyle(ring ?? part);
  const line = ring ? [style.stroke === 'none' ? 'none' : 'solid', style.strokeWidth, style.stroke]
    : [style.outlineStyle, style.outlineWidth, style.outlineColor];
  let behind = part.closest('.slider-container') ?? part;
  const paper = () => getComputedStyle(behind).backgroundColor;
  do behind = behind.parentElement; while (behind && paper() === 'rgba(0, 0, 0, 0)');
  const output = part.closest('.jp-OutputArea-output');
  const { top, bottom, left, right } = part.getBoundingClientRect();
  const from = (output ?? part).getBoundingClientRect().top;
  return {
    cell: window.panel.content.widgets.find((each) => each.node.contains(part))?.model.id,
    in_output: output !== null,
    on_cell: part.matches('.jp-Cell'),
    stop: part.dataset.stop === undefined ? null : Number(part.dataset.stop),
    name: part.getAttribute('aria-label') ?? (part.labels?.[0] ?? part).textContent,
    line: line[0], width: parseFloat(line[1]), ink: line[2], paper: paper(),
    top: top - from, bottom: bottom - from, left, right,
  };
}"""
GO = """(id) => {
  const { content } = window.panel;
  content.deselectAll();
  content.activeCellIndex = content.widgets.findIndex((each) => each.model.id === id);
  content.mode = 'command';
  content.activate();
}"""
MOST_STOPS = 80


class Keys:
    """The keyboard, and what has the focus."""

    def __init__(self, lab):
        self.lab, self.press = lab, lab.page.keyboard.press

    def focus(self):
        return self.lab.page.evaluate(FOCUS)

    def go_to(self, cell):
        """Put the focus on a cell, as a walk through the notebook does."""
        self.lab.page.evaluate(GO, cell)

    def tab_to(self, name):
        """Press Tab until a control has the focus."""
        for _ in range(MOST_STOPS):
            self.press("Tab")
            if self.focus()["name"] == name:
                return
        raise AssertionError(f"Tab does not reach {name}")

    def leave(self, cell):
        self.press("Escape")
        now = self.focus()
        assert (now["on_cell"], now["cell"]) == (True, cell)

    def write(self, source):
        """Write other code into the cell."""
        self.press("Enter")
        self.press("Control+a")
        self.lab.page.keyboard.insert_text(source)
        self.press("Escape")


def unseen(stop):
    """Whether nothing, or nothing with contrast enough, shows that a control has the focus."""
    if stop["line"] == "auto":
        return False
    return stop["line"] == "none" or stop["width"] < 2 or contrast(stop["ink"], stop["paper"]) < 3


def faults(keys, cell):
    """Press Tab through a cell's output and out of it; return what is missed, unseen or in no order."""
    count, stops = keys.lab.page.evaluate(NUMBER_STOPS, cell), []
    for _ in range(MOST_STOPS):
        keys.press("Tab")
        now = keys.focus()
        if now["in_output"] and now["cell"] == cell:
            stops.append(now)
        elif stops:
            break
    else:
        return ["a trap"]
    for _ in range(MOST_STOPS):
        keys.press("Shift+Tab")
        if (keys.focus()["cell"], keys.focus()["stop"]) == (cell, stops[-1]["stop"]):
            break
    reached = [stop["stop"] for stop in stops]
    found = [f"not reached: {number}" for number in range(count) if number not in reached]
    found += [
        f"above the one before: {stop['name']}"
        for before, stop in pairwise(stops)
        if stop["bottom"] <= before["top"] and stop["left"] < before["right"]
    ]
    return found + [f"unseen: {stop['name']}" for stop in stops if unseen(stop)]
