"""The explorer of addresses in a real JupyterLab: by mouse and keyboard, in both languages."""

import pytest
from drawings import as_python_says, drawn
from explorer_page import comes_to_say, keys_stay

from zerostride.explore.operations import DTYPES, OPERATIONS

pytestmark = pytest.mark.browser
EXPLORER = "addresses"
MORE = [
    "import numpy as np\nx = np.arange(12.0).reshape(4, 3)[::-1]\nown = zs.explore.addresses(x)\nown",
    'import ipywidgets\nplain = ipywidgets.IntSlider()\nplain.add_class("plain")',
]


def focused(lab):
    return lab.page.evaluate("() => document.activeElement.dataset.cell ?? document.activeElement.className")


def test_sliders_move_the_drawing_and_python_sees_it(opened, explorer):
    drawn(explorer, 4, 3)
    explorer.slide("rows", "End")
    drawn(explorer, 8, 3)
    explorer.slide("cols", "ArrowRight")
    explorer.slide("dtype", "Home", "ArrowRight", "ArrowRight", "ArrowRight")
    drawn(explorer, 8, 4, "bfloat16")
    explorer.toggle("operation", "repeat")
    drawn(explorer, 8, 4, "bfloat16", "repeat")
    explorer.toggle("unit", "elements")
    drawn(explorer, 8, 4, "bfloat16", "repeat", "elements")
    assert opened.python("explorer.layout.strides_bytes") == "(8, 2)"
    assert opened.python("explorer.state['unit']") == "elements"


def test_a_wrong_drawing_is_seen(explorer):
    explorer.slide("rows", "ArrowRight")
    with pytest.raises(AssertionError):
        drawn(explorer, 4, 3)


def test_each_dtype_is_drawn(explorer):
    explorer.slide("dtype", "Home")
    for dtype in DTYPES:
        drawn(explorer, 4, 3, dtype)
        explorer.slide("dtype", "ArrowRight")


def test_presets_and_reset_move_the_controls_too(explorer):
    readout = explorer.box.locator(".zs-rows .widget-readout")
    explorer.do("preset-2")
    drawn(explorer, 4, 3, operation="repeat")
    explorer.do("preset-9")
    drawn(explorer, 3, 3, operation="window")
    assert readout.inner_text() == "3"
    explorer.do("reset")
    drawn(explorer, 4, 3)
    assert readout.inner_text() == "4"


def test_arrows_walk_enter_pins_escape_releases(opened, explorer):
    explorer.cell(2, 1).focus()
    for key, cell in [("ArrowDown", "3,1"), ("ArrowDown", "3,1"), ("Home", "3,0"), ("End", "3,2")]:
        opened.page.keyboard.press(key)
        assert focused(opened) == cell
    assert "3,2" in explorer.lit()
    opened.page.keyboard.press("Enter")
    opened.page.keyboard.press("ArrowLeft")
    assert "Element (3, 2)" in explorer.text("live")
    assert "Pinned" in explorer.text("live")
    opened.page.keyboard.press("Escape")
    assert "Element (3, 1)" in explorer.text("live")
    assert explorer.box.locator('.zs-cell[tabindex="0"]').count() == 1


def test_tab_goes_from_the_sliders_into_the_drawing_and_on(opened, explorer):
    explorer.box.locator("[data-do=reset]").focus()
    where = "() => Object.values(document.activeElement.dataset)[0]"
    for stop in ("axis-0", "axis-1", "2,1", "start", "down", "across", "ask"):
        opened.page.keyboard.press("Tab")
        assert opened.page.evaluate(where) == stop


@pytest.mark.parametrize(
    "place", ['[data-cell="2,1"]', ".zs-rows .noUi-handle", ".zs-dtype .noUi-handle", "[data-dial=start]"]
)
def test_keys_stay_in_the_explorer(opened, explorer, place):
    keys_stay(opened, explorer.box.locator(place))


@pytest.mark.parametrize("place", ["[data-dial=down]", ".zs-rows .noUi-handle"])
def test_a_change_leaves_the_focus_on_its_slider(opened, explorer, place):
    shown = explorer.text("head")
    explorer.box.locator(place).focus()
    opened.page.keyboard.press("ArrowRight")
    assert explorer.text("head") != shown
    assert explorer.box.locator(place).evaluate("(slider) => slider === document.activeElement")


def test_rows_that_stay_as_they_were_are_left_in_place(explorer):
    explorer.cell(0, 0).evaluate("(cell) => { cell.seen = true; }")
    explorer.slide("rows", "ArrowRight")
    assert explorer.offsets() == [[0, 8, 16]] * 5
    assert explorer.cell(0, 0).evaluate("(cell) => cell.seen")
    explorer.slide("cols", "ArrowRight")
    assert explorer.offsets() == [[0, 8, 16, 24]] * 5
    assert not explorer.cell(0, 0).evaluate("(cell) => cell.seen")


def test_elsewhere_the_same_keys_change_the_notebook(opened):
    """The twin: from a widget outside the explorer, JupyterLab takes the key."""
    before = opened.cells()
    opened.page.locator(".plain .noUi-handle").focus()
    opened.page.keyboard.press("a")
    opened.page.wait_for_function(
        "(count) => window.panel.content.model.cells.length > count", arg=len(before["ids"])
    )
    opened.command("notebook:undo-cell-action")
    assert opened.cells()["ids"] == before["ids"]


def test_the_mission_is_recognized(explorer):
    mark, done = explorer.text("mission")[0], explorer.box.locator(".zs-mission [role=status]")
    assert (mark, done.inner_text()) == ("○", "")
    explorer.slide("rows", "Home", "ArrowRight")
    explorer.slide("cols", "ArrowRight", "ArrowRight")
    assert done.inner_text() == ""
    explorer.slide("cols", "End")
    assert (explorer.text("mission")[0], done.inner_text()) == ("✓", "Done!")
    explorer.slide("rows", "End")
    solved = (
        "✓ Mission: twelve elements on exactly six addresses. "
        "Solved with shape (2, 6), strides (0, 8) bytes. Done!"
    )
    assert explorer.text("mission") == solved


def test_strides_dialled_by_hand_solve_the_mission_too(opened, explorer):
    assert explorer.box.locator(".zs-mission [role=status]").inner_text() == ""
    explorer.dial("down", "ArrowRight")
    assert explorer.text("formula").startswith("i×8 + j×8 → ")
    assert explorer.box.locator(".zs-mission [role=status]").inner_text() == "Done!"
    comes_to_say(opened, "explorer.state['operation'], explorer.layout.strides_bytes", "as_strided (8, 8)")


def test_a_page_that_python_does_not_follow_is_seen(opened, explorer):
    with pytest.raises(AssertionError):
        as_python_says(opened, explorer, "own")


def test_no_dial_reaches_an_illegal_state(opened, explorer):
    ends = [
        ("down", "End"),
        ("across", "End"),
        ("start", "End"),
        ("down", "Home"),
        ("across", "Home"),
        ("start", "Home"),
    ]
    for name, key in ends:
        explorer.dial(name, key)
        as_python_says(opened, explorer)
    for control in ("rows", "cols"):
        explorer.slide(control, "End")
        as_python_says(opened, explorer)
    explorer.do("preset-7")
    assert explorer.text("formula").startswith("16 + i×24 + j×(−8) → ")
    explorer.dial("start", "Home")
    assert explorer.text("formula").startswith("16 + i×24 + j×(−8) → ")


def test_each_operation_goes_from_the_last_and_stays_legal(opened, explorer):
    explorer.slide("rows", "End")
    explorer.slide("cols", "End")
    for operation in (*OPERATIONS, "tile", "slice", "expand"):
        explorer.toggle("operation", operation)
        as_python_says(opened, explorer)
        if operation in ("tile", "slice", "window", "repeat_interleave"):
            explorer.dial("count", "End")
            as_python_says(opened, explorer)
        if explorer.box.locator("[data-do=axis-1]").is_visible():
            explorer.do("axis-1")
            as_python_says(opened, explorer)


def test_repeating_shows_in_the_values(explorer):
    values = (
        "(box) => [...box.querySelectorAll('[data-cell$=\",0\"] .zs-value')].map((text) => text.textContent)"
    )
    explorer.do("preset-4")
    assert explorer.box.evaluate(values) == ["1.0", "4.0", "1.0", "4.0"]
    explorer.toggle("operation", "repeat_interleave")
    assert explorer.box.evaluate(values) == ["1.0", "1.0", "4.0", "4.0"]
    explorer.slide("rows", "ArrowRight")
    assert explorer.box.evaluate(values) == ["1.0"] * 3 + ["4.0"] * 3


def test_ones_own_array_is_shown_and_worked_on(opened):
    own = opened.explorer(1)
    own.do("reset")
    assert own.text("formula").startswith("72 + i×(−24) + j×8 → ")
    assert own.cell(0, 0).get_attribute("aria-label") == "(0, 0): value 9.0, offset 72"
    for operation in ("transpose", "slice", "expand", "window", "reverse", "repeat_interleave", "as_strided"):
        own.toggle("operation", operation)
        as_python_says(opened, own, "own")
    own.toggle("operation", "transpose")
    assert len(own.offsets()) == 3
    own.slide("rows", "End")
    assert len(own.offsets()) == 3
    own.do("reset")


def test_marks_outlive_what_changes_no_answer(explorer):
    explorer.do("ask")
    explorer.cell(0, 1).click()
    explorer.toggle("unit", "elements")
    assert explorer.text("live").endswith("Marked: 1.")
    explorer.slide("rows", "ArrowRight")
    assert explorer.text("live").startswith("The layout changed: marks cleared. Which other elements")
    assert explorer.text("live").endswith("Marked: 0.")
    explorer.cell(0, 1).click()
    assert explorer.text("live").startswith("Which other elements")


def test_one_row_expanded_tells_what_numpy_prints(explorer):
    note = explorer.box.locator(".zs-note")
    assert not note.is_visible()
    explorer.slide("rows", "Home")
    assert note.inner_text().endswith("NumPy prints stride 0 here, torch keeps 24.")


def test_mark_first_then_reveal(opened, explorer):
    explorer.do("ask")
    assert explorer.lit() == []
    assert explorer.text("formula") == "i×0 + j×8"
    assert explorer.cell(0, 1).get_attribute("aria-label") == "(0, 1): value 2.0"
    assert not explorer.cell(0, 1).locator(".zs-offset").is_visible()
    explorer.cell(0, 1).click()
    explorer.cell(2, 0).click()
    explorer.cell(3, 1).focus()
    opened.page.keyboard.press("Enter")
    explorer.do("reveal")
    assert explorer.text("live") == "For (2, 1): ✓ right 2 · ! missed 1 · ✗ too many 1."
    signs = {(0, 1): "✓", (1, 1): "!", (3, 1): "✓", (2, 0): "✗", (2, 1): "", (0, 0): ""}
    assert {at: explorer.cell(*at).locator(".zs-sign").text_content() for at in signs} == signs
    assert explorer.cell(1, 1).get_attribute("aria-label").endswith("missed")
    explorer.do("next")
    assert "(3, 2)" in explorer.text("live")
    assert explorer.lit() == []


def test_chinese_words_follow_the_language(chinese):
    explorer = chinese.explorer()
    drawn(explorer, 4, 3)
    assert explorer.text("live").startswith("元素(2, 1)：2×0 + 1×8 = 8 B。")
    assert explorer.box.locator(".zs-rows .widget-label").inner_text() == "行数"
    assert chinese.errors() == []


def test_without_a_kernel_it_goes_on(chinese):
    explorer = chinese.explorer()
    chinese.ask("() => window.panel.sessionContext.shutdown()")
    explorer.slide("rows", "End")
    drawn(explorer, 8, 3)
    explorer.do("preset-2")
    drawn(explorer, 4, 3, operation="repeat")
    explorer.slide("cols", "ArrowLeft")
    drawn(explorer, 4, 2, operation="repeat")
    explorer.dial("down", "ArrowRight")
    assert explorer.text("formula").startswith("i×24 + j×8")
