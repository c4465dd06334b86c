"""How the explorer of addresses looks: pointed at, in both themes, in narrow windows, as a stored picture."""

import json

import pytest
from drawings import drawn
from explorer_page import contrast, luminance, violations
from served_lab import notebook

import zerostride as zs
from zerostride.explore.operations import DTYPES
from zerostride.reports import Table

pytestmark = pytest.mark.browser
EXPLORER = "addresses"


def test_pointing_lights_every_reader_of_the_same_bytes(explorer):
    explorer.cell(0, 2).hover()
    assert explorer.lit() == ["0,2", "1,2", "2,2", "3,2"]
    live = "Element (0, 2): 0×0 + 2×8 = 16 B. The same bytes are also read by (1, 2), (2, 2), (3, 2)."
    assert explorer.text("live") == live
    assert explorer.box.locator(".zs-slot.zs-lit").get_attribute("data-byte") == "16"
    explorer.toggle("operation", "repeat")
    explorer.cell(0, 2).hover()
    assert explorer.lit() == ["0,2"]
    assert explorer.text("live").endswith("No other element reads these bytes.")


COLOURS = """(box) => {
  const shown = [...box.querySelectorAll('svg text, svg path.zs-mark, .zs-lit .zs-face, .zs-here .zs-face')];
  const behind = (part) => {
    for (let at = part; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (colour !== 'rgba(0, 0, 0, 0)') return colour;
    }
  };
  return shown.filter((part) => getComputedStyle(part).display !== 'none').map((part) => {
    const style = getComputedStyle(part);
    const face = part.closest('.zs-cell, .zs-slot')?.querySelector('.zs-face');
    const text = part.tagName === 'text';
    const paper = face && face !== part ? getComputedStyle(face).fill : behind(box);
    return [text ? style.fill : style.stroke, paper, text ? 4.5 : 3, part.outerHTML];
  });
}"""


def pale(explorer):
    """Return what in the drawing has less contrast than text (4.5) or graphics (3) need: axe skips SVG."""
    shown = explorer.box.evaluate(COLOURS)
    return [(ink, paper, part) for ink, paper, needed, part in shown if contrast(ink, paper) < needed]


def hard_to_read(lab, explorer):
    return violations(lab), pale(explorer)


def test_accessible_in_light_and_dark(opened, explorer, theme):
    assert hard_to_read(opened, explorer) == ({}, [])
    explorer.do("ask")
    explorer.cell(1, 0).click()
    assert hard_to_read(opened, explorer) == ({}, [])
    explorer.do("reveal")
    assert hard_to_read(opened, explorer) == ({}, [])
    paper = explorer.box.locator(".zs-cell .zs-face").last.evaluate("(face) => getComputedStyle(face).fill")
    assert (luminance(paper) > 0.5) == (theme == "JupyterLab Light")


@pytest.mark.parametrize("part", [".zs-live", "svg .zs-value", "svg path.zs-mark"])
def test_a_pale_part_would_be_seen(opened, explorer, part):
    first = explorer.box.locator(part).first
    first.evaluate("(part) => { for (const ink of ['color', 'fill', 'stroke']) part.style[ink] = '#bbb'; }")
    try:
        rules, drawn_pale = hard_to_read(opened, explorer)
        assert ("color-contrast" in rules) == (part == ".zs-live")
        assert len(drawn_pale) == (part != ".zs-live")
    finally:
        first.evaluate("(part) => { part.removeAttribute('style'); }")


BEYOND = """(box) => {
  const parts = [...box.querySelectorAll('button, text, svg, p, .widget-readout')];
  const right = (part) => part.getBoundingClientRect().right;
  const cut = (part) => part.matches('button, .widget-readout') && part.scrollWidth > part.clientWidth + 1;
  return parts.filter((part) => right(part) > right(box) + 1 || cut(part)).map((part) => part.outerHTML);
}"""
COLLIDING = """(box) => [...box.querySelectorAll('.zs-cell')].filter((cell) => {
  const boxes = [...cell.querySelectorAll('text, .zs-mark')].map((part) => part.getBoundingClientRect());
  const inside = boxes.filter((part) => part.width);
  // Line boxes are taller than digits: a few pixels of overlap are air.
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 5 && b.top < a.bottom - 5;
  return inside.some((a, k) => inside.slice(k + 1).some((b) => meet(a, b)));
}).map((cell) => cell.dataset.cell)"""


# 600 is what is left of 1200 pixels when a page is enlarged to 200 %.
@pytest.mark.parametrize("width", [1200, 900, 700, 600], indirect=True)
def test_nothing_sticks_out_or_collides(explorer, width):
    explorer.slide("rows", "End")
    explorer.slide("cols", "End")
    explorer.toggle("operation", "repeat")
    first, *_, last = DTYPES
    for key, dtype in (("Home", first), ("End", last)):
        explorer.slide("dtype", key)
        drawn(explorer, 8, 6, dtype, "repeat")
        assert explorer.box.evaluate(BEYOND) == []
        assert explorer.box.evaluate(COLLIDING) == []


def test_a_part_too_wide_or_in_the_way_would_be_seen(explorer):
    explorer.cell(1, 1).locator(".zs-offset").evaluate("(text) => { text.setAttribute('x', '90'); }")
    explorer.cell(1, 1).locator(".zs-offset").evaluate("(text) => { text.setAttribute('y', '26'); }")
    assert explorer.box.evaluate(COLLIDING) == ["1,1"]
    widen = "(svg) => { svg.style.width = '1500px'; svg.style.maxWidth = 'none'; }"
    explorer.box.locator("svg").evaluate(widen)
    assert explorer.box.evaluate(BEYOND)


MOVING = """(box) => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
  done(box.querySelector('.zs').getAnimations({ subtree: true }).length))))"""
MOVE = "(box) => { box.prepend(Object.assign(document.createElement('style'), { textContent: '%s' })); }"


def moving(explorer, column):
    """Return how many parts move once a column is lit: nobody has to ask for less motion."""
    explorer.cell(0, column).hover()
    explorer.box.locator(f'.zs-lit[data-cell="0,{column}"]').wait_for()
    return explorer.box.evaluate(MOVING)


def test_nothing_moves_by_itself(explorer):
    explorer.cell(0, 1).hover()
    assert moving(explorer, 0) == 0
    explorer.box.evaluate(MOVE % ".zs-face { transition: fill 9s; }")
    try:
        # Not back again: what turns round on its way is there at once.
        assert moving(explorer, 2) > 0
    finally:
        explorer.box.evaluate("(box) => { box.querySelector('style').remove(); }")


@pytest.fixture
def untrusted(lab, served):
    """Open a notebook not run, with an explorer's output as it is stored."""
    data, metadata = zs.explore.addresses()._repr_mimebundle_()
    stored = {"output_type": "execute_result", "execution_count": 1, "data": data, "metadata": metadata}
    show = "explorer = zs.explore.addresses()\nexplorer"
    cells = notebook("import zerostride as zs", show, outputs=[stored])
    (served[0] / "stored.ipynb").write_text(json.dumps(cells))
    lab.open("stored.ipynb", run=False)
    yield lab
    lab.close()


def test_an_untrusted_copy_shows_the_picture(untrusted):
    untrusted.panel.locator('img[src^="data:image/png"]').wait_for()
    assert untrusted.panel.locator('img[src^="data:image/svg"], .zs-explorer').count() == 0
    assert not untrusted.page.evaluate("() => window.panel.content.model.cells.get(1).trusted")
    untrusted.command("notebook:run-all-cells")
    drawn(untrusted.explorer(), 4, 3)


def test_a_caption_is_not_squeezed_in_an_untrusted_copy(lab, served):
    made = Table([("A", "0")], caption="twelve words, " * 4).html()
    without = made.replace("width:34em;", "")
    outputs = [
        {"output_type": "display_data", "data": {"text/html": html}, "metadata": {}}
        for html in (made, without)
    ]
    (served[0] / "captions.ipynb").write_text(json.dumps(notebook("", outputs=outputs)))
    lab.open("captions.ipynb", run=False)
    try:
        captions = lab.panel.locator("caption")
        captions.last.wait_for()
        own, squeezed = captions.evaluate_all("(all) => all.map((each) => each.clientWidth)")
        assert own > 300 > squeezed
    finally:
        lab.close()
