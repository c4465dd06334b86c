"""The explorer of derivatives in a real JupyterLab: walked by keyboard, in both themes and languages."""

from fractions import Fraction

import pytest
from derivatives_drawn import FOUR, drawn
from explorer_page import BEYOND, comes_to_say, keys_stay, luminance, violations

from zerostride.explore.weighted_rows import WeightedRows

pytestmark = pytest.mark.browser
EXPLORER = "derivative"


def weight(explorer, row, col, *keys):
    explorer.box.locator(f'[data-dial="{row},{col}"]').focus()
    for key in keys:
        explorer.page.keyboard.press(key)


def changed(row, col, value):
    return tuple(
        tuple(value if (i, j) == (row, col) else each for j, each in enumerate(line))
        for i, line in enumerate(FOUR)
    )


def test_ways_and_reductions_are_drawn_as_python_computes(opened, explorer):
    drawn(explorer, WeightedRows(FOUR))
    labels = {
        "repeat": "repeat",
        "edited clone": "edited",
        "detach": "detach",
        "independent rows": "independent",
        "expand": "expand",
    }
    for label, way in labels.items():
        explorer.toggle("way", label)
        drawn(explorer, WeightedRows(FOUR, way))
        comes_to_say(opened, "explorer.state['way']", way)
    explorer.toggle("reduction", "mean")
    drawn(explorer, WeightedRows(FOUR, "expand", "mean"))
    comes_to_say(opened, "*explorer.rows.derivative", "11/6 13/6 5/2")


def test_a_wrong_drawing_is_seen(explorer):
    explorer.toggle("way", "edited clone")
    with pytest.raises(AssertionError):
        drawn(explorer, WeightedRows(FOUR))


def test_arrows_move_a_weight_and_python_follows(opened, explorer):
    weight(explorer, 1, 0, "ArrowUp")
    drawn(explorer, WeightedRows(changed(1, 0, 5)))
    weight(explorer, 1, 0, "ArrowDown", "ArrowLeft")
    drawn(explorer, WeightedRows(changed(1, 0, 3)))
    comes_to_say(opened, "explorer.state['weights'][1]", "(3, 5, 6)")
    weight(explorer, 1, 0, "End", "ArrowRight")
    drawn(explorer, WeightedRows(changed(1, 0, 12)))
    weight(explorer, 1, 0, "Home", "ArrowLeft")
    drawn(explorer, WeightedRows(changed(1, 0, -12)))


def test_sizes_keep_the_weights(explorer):
    explorer.slide("rows", "Home")
    explorer.slide("cols", "End")
    drawn(explorer, WeightedRows(((1, 2, 3, 1),)))
    explorer.slide("rows", "End")
    explorer.slide("cols", "ArrowLeft")
    drawn(explorer, WeightedRows((*FOUR, (1, 1, 1), (1, 1, 1))))


def test_presets_and_reset(explorer):
    explorer.do("preset-1")
    drawn(explorer, WeightedRows(((1,) * 3,) * 4))
    explorer.do("preset-3")
    drawn(explorer, WeightedRows(FOUR, "expand", "mean"))
    explorer.do("preset-6")
    drawn(explorer, WeightedRows(FOUR, "independent"))
    explorer.slide("cols", "Home")
    explorer.do("reset")
    drawn(explorer, WeightedRows(FOUR))
    assert explorer.box.locator(".zs-cols .widget-readout").inner_text() == "3"


def missions(explorer):
    return [text[0] for text in explorer.box.locator(".zs-mission").all_inner_texts()]


def test_each_mission_is_recognized(explorer):
    assert missions(explorer) == ["○"] * 3
    explorer.toggle("way", "detach")
    explorer.toggle("way", "expand")
    assert missions(explorer) == ["○"] * 3
    explorer.toggle("way", "repeat")
    assert missions(explorer) == ["✓", "○", "○"]
    weight(explorer, 0, 2, "ArrowRight")
    assert missions(explorer) == ["✓", "✓", "○"]
    explorer.toggle("reduction", "mean")
    explorer.slide("cols", "ArrowLeft")
    assert missions(explorer) == ["✓"] * 3
    told = explorer.box.locator(".zs-mission").all_inner_texts()
    assert "Solved: from expand to repeat the derivative stays (22, 26, 30)." in told[0]
    assert "component alone moved, from 30 to 31." in told[1]
    assert "Solved with shape (4, 2): rows × columns = 8. Done!" in told[2]
    explorer.do("reset")
    assert missions(explorer) == ["○"] * 3


def test_mark_first_then_reveal(opened, explorer):
    weight(explorer, 2, 1)
    explorer.do("ask")
    assert "22" not in explorer.box.locator("table").inner_text()
    explorer.box.locator("[data-do=mark-0]").focus()
    opened.page.keyboard.press("Enter")
    assert explorer.text("live").endswith("Marked: 1.")
    weight(explorer, 2, 1, "ArrowRight")
    assert explorer.text("live").endswith("Marked: 1.")
    explorer.do("reveal")
    assert explorer.text("live").startswith("For weight (2, 1): right 0, missed 1, too many 1.")
    drawn(explorer, WeightedRows(changed(2, 1, 9)))
    explorer.do("next")
    assert explorer.text("live").startswith("Weight (3, 2) grows by 1.")
    explorer.box.locator("[data-do=mark-2]").click()
    explorer.do("reveal")
    assert explorer.text("live").startswith("All right for weight (3, 2): right 1")
    explorer.do("next")
    explorer.box.locator("[data-do=mark-0]").click()
    explorer.toggle("way", "independent rows")
    assert explorer.text("live").startswith("Something else than a weight changed: marks cleared.")
    assert explorer.box.locator("button[data-do^=mark]:visible").count() == 12


def test_pointing_lights_the_uses(explorer):
    explorer.box.locator('[data-weight="0,2"] b').hover()
    lit = explorer.box.locator(".zs-stretched").evaluate_all(
        "(cells) => cells.map((cell) => cell.dataset.weight ?? `part ${cell.dataset.part}`)"
    )
    assert lit == ["0,2", "1,2", "2,2", "3,2", "part 2"]
    explorer.toggle("way", "edited clone")
    explorer.box.locator('[data-weight="0,0"] b').hover()
    assert explorer.box.locator(".zs-stretched").count() == 0
    assert "no longer uses the source" in explorer.text("live")


@pytest.mark.parametrize("place", ['[data-dial="2,1"]', "[data-do=preset-0]", ".zs-rows .noUi-handle"])
def test_keys_stay_in_the_explorer(opened, explorer, place):
    keys_stay(opened, explorer.box.locator(place))


def test_accessible_in_light_and_dark(opened, explorer, theme):
    for act in ("preset-0", "preset-4", "preset-5", "ask", "mark-1", "reveal", "preset-6"):
        explorer.do(act)
        assert violations(opened) == {}, act
    paper = explorer.box.locator("[data-weight]").last.evaluate(
        "(cell) => getComputedStyle(cell).backgroundColor"
    )
    assert (luminance(paper) > 0.5) == (theme == "JupyterLab Light")


@pytest.mark.parametrize("width", [1200, 900], indirect=True)
def test_nothing_sticks_out(explorer, width):
    explorer.do("preset-3")
    weight(explorer, 2, 1)
    explorer.slide("rows", "End")
    explorer.slide("cols", "End")
    for label in ("expand", "independent rows"):
        explorer.toggle("way", label)
        assert explorer.box.evaluate(BEYOND) == []
    explorer.box.locator(".zs-difference").first.evaluate(
        "(part) => { part.style.cssText = 'white-space: nowrap; font-size: 60px'; }"
    )
    assert explorer.box.evaluate(BEYOND)


def test_in_chinese_and_without_a_kernel(chinese):
    explorer = chinese.explorer()
    assert explorer.text("live").startswith("权重(2, 1) = 8对应x[0, 1]的一次使用")
    chinese.ask("() => window.panel.sessionContext.shutdown()")
    weight(explorer, 0, 0, "ArrowLeft")
    drawn_first = explorer.box.locator('[data-part="0"] b')
    assert drawn_first.inner_text() == "= 21"
    explorer.do("preset-3")
    assert drawn_first.inner_text() == f"= {Fraction(22, 12)}"
    explorer.toggle("way", "独立的参数")
    assert explorer.box.locator("[data-part]").count() == 12
