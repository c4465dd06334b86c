"""The explorer of writes in a real JupyterLab: by mouse and keyboard, in both themes and languages."""

import pytest
from explorer_page import comes_to_say, keys_stay, luminance, violations
from writes_drawn import cell, drawn, names, values

from zerostride.explore.write_policies import TARGETS, one_write

pytestmark = pytest.mark.browser
EXPLORER = "writes"


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_each_form_on_each_array_is_drawn_as_measured(explorer, library):
    explorer.toggle("library", library)
    forms = {"element": "y[i, j] = 9", "row": "y[i] = 9", "column": "y[:, j] = 9", "all": "y[:] = 9"}
    for form, label in forms.items():
        explorer.toggle("form", label)
        for target in TARGETS:
            row = 0 if target == "source" else 2
            cell(explorer, target, row, 1).click()
            drawn(explorer, one_write(library, 4, 3, target, form, row, 1))
            explorer.do("undo")
    assert names(explorer, ".zs-box.zs-lit") == []


def test_a_wrong_drawing_is_seen(explorer):
    cell(explorer, "tiled", 0, 1).click()
    with pytest.raises(AssertionError):
        drawn(explorer, one_write("numpy", 4, 3, "edited", "element", 0, 1))


def test_sizes_start_from_fresh_arrays_and_python_follows(opened, explorer):
    explorer.toggle("library", "torch")
    cell(explorer, "view", 3, 2).click()
    comes_to_say(opened, "explorer.write.code, explorer.state['library']", "view[3, 2] = 9 torch")
    explorer.slide("rows", "Home")
    assert values(explorer, "view") == [[1, 2, 3]]
    explorer.slide("cols", "End")
    explorer.toggle("form", "y[:] = 9")
    cell(explorer, "view", 0, 5).click()
    drawn(explorer, one_write("torch", 1, 6, "view", "all", 0, 5))
    comes_to_say(opened, "explorer.write.code, explorer.state['rows']", "view[:] = 9 1")


def test_writes_add_up_and_are_undone_one_by_one(explorer):
    cell(explorer, "source", 0, 1).click()
    cell(explorer, "edited", 0, 1).click()
    cell(explorer, "view", 0, 1).click()
    assert "view[0, 1] = 11 → ✗ ValueError" in explorer.text("formula")
    assert values(explorer, "view") == [[1, 9, 3]] * 4
    assert values(explorer, "edited")[:2] == [[1, 10, 3], [1, 2, 3]]
    explorer.do("undo")
    explorer.do("undo")
    assert values(explorer, "edited")[0] == [1, 2, 3]
    assert values(explorer, "source") == [[1, 9, 3]]
    explorer.do("undo")
    assert explorer.box.locator("[data-do=undo]").is_disabled()
    assert explorer.text("live").startswith("Click a cell")


def test_presets_run_their_write(explorer):
    for number, write in enumerate(
        [
            one_write("numpy", 4, 3, "source", "element", 0, 1),
            one_write("numpy", 4, 3, "view", "element", 2, 1),
            one_write("torch", 4, 3, "view", "element", 2, 1),
            one_write("torch", 4, 3, "view", "row", 2, 1),
            one_write("torch", 4, 3, "view", "column", 0, 1),
            one_write("torch", 4, 3, "edited", "element", 2, 1),
            one_write("torch", 1, 3, "view", "column", 0, 1),
        ]
    ):
        explorer.do(f"preset-{number}")
        drawn(explorer, write)
    assert explorer.box.locator(".zs-rows .widget-readout").inner_text() == "1"
    explorer.do("reset")
    assert explorer.box.locator(".zs-rows .widget-readout").inner_text() == "4"
    assert names(explorer, ".zs-box.zs-lit") == []


def focused(lab):
    return lab.page.evaluate("() => document.activeElement.dataset.cell ?? document.activeElement.dataset.do")


def test_arrows_walk_enter_writes_tab_goes_on(opened, explorer):
    cell(explorer, "edited", 0, 0).focus()
    walked = [
        ("ArrowDown", "1,0"),
        ("End", "1,2"),
        ("ArrowRight", "1,2"),
        ("ArrowUp", "0,2"),
        ("Home", "0,0"),
    ]
    for key, at in walked:
        opened.page.keyboard.press(key)
        assert focused(opened) == f"edited:{at}"
    opened.page.keyboard.press("Enter")
    drawn(explorer, one_write("numpy", 4, 3, "edited", "element", 0, 0))
    assert focused(opened) == "edited:0,0"
    opened.page.keyboard.press("ArrowRight")
    opened.page.keyboard.press(" ")
    assert values(explorer, "edited")[0] == [9, 10, 3]
    assert cell(explorer, "edited", 0, 1).get_attribute("aria-label") == "edited[0, 1]: 10, changed"
    opened.page.keyboard.press("Tab")
    assert focused(opened) == "ask"
    explorer.box.locator("[data-do=undo]").focus()
    for stop in ("source:0,0", "view:0,0", "tiled:0,0", "edited:0,1"):
        opened.page.keyboard.press("Tab")
        assert focused(opened) == stop


def test_focus_stays_in_the_drawing_when_its_cell_goes(opened, explorer):
    for rows, at in ((5, "edited:3,2"), (2, "edited:0,0")):
        cell(explorer, "edited", 3, 2).focus()
        opened.python(f"explorer.controls['rows'].set_trait('value', {rows})")
        explorer.box.locator(f'[data-cell="view:{rows - 1},0"]').wait_for()
        cell(explorer, "view", rows, 0).wait_for(state="detached")
        assert focused(opened) == at
        assert explorer.box.locator('[data-array=edited] [tabindex="0"]').get_attribute("data-cell") == at


@pytest.mark.parametrize("place", ['[data-cell="view:2,1"]', "[data-do=preset-0]", ".zs-rows .noUi-handle"])
def test_keys_stay_in_the_explorer(opened, explorer, place):
    keys_stay(opened, explorer.box.locator(place))


def test_the_mission_is_recognized(explorer):
    assert explorer.text("mission")[0] == "○"
    cell(explorer, "view", 2, 1).click()
    assert "Last refused by NumPy: view[2, 1]; last silent in torch: none." in explorer.text("mission")
    explorer.toggle("library", "torch")
    cell(explorer, "view", 0, 1).click()
    assert explorer.text("mission")[0] == "○"
    cell(explorer, "view", 2, 1).click()
    assert explorer.text("mission")[0] == "✓"
    cell(explorer, "tiled", 2, 1).click()
    told = "Solved with view[2, 1]: NumPy refuses it, torch changes 5 cells. Done!"
    assert explorer.text("mission").endswith(told)


def test_mark_first_then_reveal(opened, explorer):
    explorer.toggle("library", "torch")
    explorer.do("ask")
    assert "source[0, 1] = 9 → ?" in explorer.text("formula")
    assert "24 B" not in explorer.box.inner_text()
    for target, row in (("source", 0), ("view", 0), ("tiled", 3)):
        cell(explorer, target, row, 1).click()
    assert values(explorer, "view") == [[1, 2, 3]] * 4
    cell(explorer, "view", 1, 1).focus()
    opened.page.keyboard.press("Enter")
    assert explorer.text("live").endswith("Marked: 4.")
    explorer.do("reveal")
    assert explorer.text("live").startswith("✓ right 3 · ! missed 2 · ✗ too many 1. torch ")
    drawn(explorer, one_write("torch", 4, 3, "source", "element", 0, 1))
    assert [cell(explorer, "view", row, 1).locator("i").inner_text() for row in (1, 2)] == ["✓", "!"]
    assert cell(explorer, "view", 2, 1).get_attribute("aria-label").endswith("changed, missed")
    assert cell(explorer, "tiled", 3, 1).locator("i").inner_text() == "✗"
    explorer.do("next")
    assert "view[1, 2] = 10 → ?" in explorer.text("formula")
    cell(explorer, "view", 1, 2).click()
    explorer.toggle("library", "numpy")
    assert explorer.text("live").startswith("Another answer now: marks cleared. Which cells")
    explorer.do("reveal")
    assert explorer.text("live").startswith("All right: 0 marked, missed 0, too many 0. NumPy ")


def test_marks_outlive_what_changes_no_answer(explorer):
    explorer.do("ask")
    cell(explorer, "view", 0, 1).click()
    explorer.toggle("library", "torch")
    assert explorer.text("live").endswith("Marked: 1.")
    explorer.toggle("form", "y[:] = 9")
    assert explorer.text("live").startswith("Another answer now: marks cleared.")


def test_accessible_in_light_and_dark(opened, explorer, theme):
    for act in ("reset", "preset-1", "preset-2", "preset-5", "ask"):
        explorer.do(act)
        assert violations(opened) == {}, act
    cell(explorer, "edited", 2, 1).click()
    cell(explorer, "view", 2, 1).click()
    assert violations(opened) == {}
    explorer.do("reveal")
    assert violations(opened) == {}
    paper = cell(explorer, "tiled", 0, 0).evaluate("(cell) => getComputedStyle(cell).backgroundColor")
    assert (luminance(paper) > 0.5) == (theme == "JupyterLab Light")


BEYOND = """(box) => {
  const parts = [...box.querySelectorAll('button, p, code, .zs-box, .zs-box b, .zs-box i, .widget-readout')];
  const out = (part) => {
    const around = (part.closest('.zs-box') ?? part.closest('.zs-array') ?? box).getBoundingClientRect();
    const own = part.getBoundingClientRect();
    return own.right > around.right + 1 || own.left < around.left - 1;
  };
  const meet = (cell) => {
    const [sign, value] = [cell.firstChild, cell.lastChild].map((part) => part.getBoundingClientRect());
    return sign.width && sign.bottom > value.bottom - 12;
  };
  const cut = (part) => part.matches('button, code') && part.scrollWidth > part.clientWidth + 1;
  const beyond = parts.filter((part) => part.offsetWidth && (out(part) || cut(part)));
  return [...beyond, ...[...box.querySelectorAll('.zs-box')].filter(meet)].map((part) => part.outerHTML);
}"""


@pytest.mark.parametrize("width", [1200, 900, 700], indirect=True)
def test_nothing_sticks_out_or_collides(explorer, width):
    explorer.toggle("library", "torch")
    explorer.slide("rows", "End")
    explorer.slide("cols", "End")
    for _ in range(2):
        cell(explorer, "view", 2, 1).click()
    assert explorer.box.evaluate(BEYOND) == []
    cell(explorer, "view", 2, 1).locator("b").evaluate("(part) => { part.style.fontSize = '60px'; }")
    assert explorer.box.evaluate(BEYOND)


def test_in_chinese_and_without_a_kernel(chinese):
    explorer = chinese.explorer()
    chinese.ask("() => window.panel.sessionContext.shutdown()")
    cell(explorer, "view", 2, 1).click()
    assert "拒绝view[2, 1] = 9（ValueError: assignment destination is read-only）" in explorer.text("live")
    explorer.toggle("library", "torch")
    cell(explorer, "view", 2, 1).click()
    assert explorer.text("mission").endswith("完成！")
    assert explorer.text("live").endswith("读同一段字节的元素全都变了：共5个。")
    explorer.slide("cols", "End")
    assert values(explorer, "source") == [[1, 2, 3, 4, 5, 6]]
