"""What the tests of all explorers ask of a page."""

import re

from axe_playwright_python.sync_playwright import Axe

KEYS = ["ArrowDown", "ArrowUp", "ArrowLeft", "Enter", "a", "b", "x", "d", "d", "m", " "]

BEYOND = """(box) => {
  const parts = [...box.querySelectorAll('button, td, p, small, input, .widget-readout')];
  const right = (part) => part.getBoundingClientRect().right;
  const narrow = (part) => part.scrollWidth > part.clientWidth + 1;
  const cut = (part) => part.matches('button, small, .widget-readout') && narrow(part);
  const home = (part) => (part.matches('input') && part.closest('td, .zs-typed')) || box;
  const out = (part) => right(part) > Math.min(right(home(part)), right(box)) + 1;
  return parts.filter((part) => out(part) || cut(part)).map((part) => part.outerHTML);
}"""


def keys_stay(lab, part):
    """Assert that no key pressed on a part of an explorer changes the notebook, and that Escape leaves it."""
    before = lab.cells()
    part.focus()
    for key in KEYS:
        lab.page.keyboard.press(key)
    assert part.evaluate("(part) => part.closest('.zs-explorer').contains(document.activeElement)")
    # An open list takes the first one.
    for _ in range(2):
        lab.page.keyboard.press("Escape")
    assert part.evaluate("(part) => part.closest('.jp-Cell') === document.activeElement")
    assert lab.cells() == before


def comes_to_say(lab, question, shown):
    """Assert that Python comes to print this: the page sends its state when the kernel is ready."""
    for _ in range(20):
        told = lab.python(question)
        if told == shown:
            return
        lab.page.wait_for_timeout(50)
    assert told == shown


def violations(lab, *areas, drawn_by_others=()):
    """Return what axe-core finds in areas of the notebook in front, by rule; by default in its explorers."""
    include = [[f".jp-NotebookPanel:not(.lm-mod-hidden) {area}"] for area in areas or (".zs-explorer",)]
    rules = {rule: {"enabled": False} for rule in drawn_by_others}
    # JupyterLab's body has no height of its own, and axe takes all text in it for hidden.
    lab.page.evaluate("() => { document.body.style.height = '100vh'; }")
    found = Axe().run(lab.page, context={"include": include}, options={"rules": rules}).response
    lab.page.evaluate("() => { document.body.style.height = ''; }")
    assert "color-contrast" in {rule["id"] for rule in found["passes"] + found["violations"]}
    return {rule["id"]: [node["html"] for node in rule["nodes"]] for rule in found["violations"]}


def luminance(colour):
    """Return the relative luminance of "rgb(…)", as WCAG 2.2 defines it."""
    channels = [int(channel) / 255 for channel in re.findall(r"\d+", colour)[:3]]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Return the contrast of two colours, from 1 to 21, as WCAG 2.2 defines it."""
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)
