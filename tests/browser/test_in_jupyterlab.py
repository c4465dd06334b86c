"""Lessons and explorers in a real JupyterLab: run, walked by keyboard, in both themes, without a kernel."""

import re

import pytest
import quizzes
from axe_playwright_python.sync_playwright import Axe
from served_lab import LESSONS, unavailable

from zerostride.explore.address_panel import addresses_layout
from zerostride.explore.operations import DTYPES, OPERATIONS
from zerostride.language import say, speaking
from zerostride.layouts.arithmetic import byte_offsets
from zerostride.quiz.exercises import every_exercise, in_words

pytestmark = pytest.mark.browser

PATHS = sorted(path.relative_to(LESSONS.parent) for path in LESSONS.glob("*/[0-9]*.ipynb"))


def drawn(explorer, rows, cols, dtype="float64", operation="expand", unit="bytes"):
    """Assert that the drawing shows exactly what Layout computes."""
    seen = addresses_layout(rows, cols, dtype, operation)
    offsets = byte_offsets(seen.shape, seen.strides_bytes)
    shown = offsets if unit == "bytes" else offsets // seen.itemsize
    assert explorer.offsets() == shown.tolist()
    assert explorer.text("formula").startswith(f"{seen.formula_in(unit)} → ")
    numbers = re.findall(r"\d+", explorer.text("summary"))
    read = seen.touched_bytes, seen.storage_bytes, seen.logical_bytes
    expected = (*seen.strides_bytes, *seen.strides_elements, *read)
    assert numbers == [str(number) for number in expected]


def focused(lab):
    return lab.page.evaluate("() => document.activeElement.dataset.cell ?? document.activeElement.className")


@pytest.mark.parametrize("path", PATHS, ids=str)
def test_lesson_runs_and_its_explorers_move(lab, path):
    lab.open(path)
    try:
        assert lab.errors() == []
        for number in range(lab.panel.locator(".zs-explorer").count()):
            explorer = lab.explorer(number)
            if explorer.box.locator("[data-typed=source]").count():
                explorer.type("source", "(4, 1)")
                explorer.type("target", "(4, 3)")
                assert aligned(explorer)["−1"][1] == "0"
            elif explorer.box.locator(".zs-weights").count():
                explorer.do("preset-1")
                explorer.slide("rows", "Home", "ArrowRight")
                assert explorer.box.locator("[data-part] .zs-value").all_inner_texts() == ["= 2"] * 3
            elif explorer.box.locator(".zs-bill").count():
                explorer.do("preset-1")
                explorer.toggle("way", "repeat")
                peak = explorer.box.locator("[data-line=peak] b")
                assert peak.inner_text() == "2 GiB + 16 KiB"
            elif explorer.box.locator(".zs-dtype").count():
                explorer.toggle("operation", "expand")
                explorer.slide("rows", "Home", "ArrowRight")
                drawn(explorer, 2, 3)
                explorer.slide("cols", "End")
                drawn(explorer, 2, 6)
    finally:
        lab.close()


@pytest.mark.parametrize("path", PATHS, ids=str)
def test_each_question_is_answered_right_and_wrong(lab, path):
    lab.open(path)
    try:
        with speaking(path.parent.name):
            for number, (name, cell) in enumerate(quizzes.predictions(lab)):
                for at, choice in enumerate(every_exercise()[name].choices):
                    told = say("quiz.noted", answer=in_words(choice.text), sure=say("quiz.sure.fairly"))
                    quizzes.noted(lab, number, cell, at, told)
            for name, answer, source, check in quizzes.turns(lab):
                assert say("quiz.status.right") in quizzes.run(lab, check), name
                quizzes.run(lab, answer, quizzes.wrong_source(name, source))
                assert say("quiz.status.wrong") in quizzes.run(lab, check), name
                quizzes.run(lab, answer, source)
                assert say("quiz.status.right") in quizzes.run(lab, check), name
        assert lab.errors() == []
    finally:
        lab.close()


@pytest.fixture(scope="module")
def opened(lab):
    """Open the small notebook in English."""
    lab.open("en.ipynb")
    yield lab
    lab.close()


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


KEYS = ["ArrowDown", "ArrowUp", "ArrowLeft", "Enter", "a", "b", "x", "d", "d", "Escape", "m", " "]


PLACES = ['[data-cell="2,1"]', ".zs-rows .noUi-handle", ".zs-dtype .noUi-handle", "[data-dial=start]"]
SHAPE_PLACES = ["[data-typed=source]", "[data-dial=target-0]", "[data-do=preset-0]"]


@pytest.mark.parametrize("place", PLACES)
def test_keys_stay_in_the_explorer(opened, explorer, place):
    before = opened.cells()
    explorer.box.locator(place).focus()
    for key in KEYS:
        opened.page.keyboard.press(key)
    assert opened.cells() == before


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


def comes_to_say(lab, question, shown):
    """Assert that Python comes to print this: the page sends its state when the kernel is ready."""
    for _ in range(20):
        told = lab.python(question)
        if told == shown:
            return
        lab.page.wait_for_timeout(50)
    assert told == shown


def as_python_says(lab, explorer, name="explorer"):
    """Assert that page and Python hold the same, legal layout."""
    shown = f"{explorer.text('formula').split(' → ')[0]}|True"
    comes_to_say(lab, f"{name}.layout.formula, {name}.setting.legal(), sep='|'", shown)


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
    own = opened.explorer(2)
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


def aligned(explorer):
    """Verdict and stride drawn for each axis, by its number."""
    heads = explorer.box.locator("[data-head]:visible").all_inner_texts()
    verdicts = explorer.box.locator(".zs-verdict td:visible b").all_inner_texts()
    strides = explorer.box.locator(".zs-stride td:visible b").all_inner_texts()
    shown = zip(heads, verdicts, strides, strict=True)
    return {axis: (verdict.split(" ")[-1], stride) for axis, verdict, stride in shown}


@pytest.fixture
def shapes(opened):
    """Hand out the explorer of shapes, as it was at the start."""
    assert opened.errors() == []
    found = opened.explorer(1)
    found.do("reset")
    return found


def as_can_expand_says(lab, shapes):
    """Assert that the page shows the verdicts of ``zs.can_expand`` for what Python holds."""
    shown = {axis: verdict for axis, (verdict, _) in aligned(shapes).items()}
    axes = "{f'−{-axis.axis}': axis.verdict for axis in reversed(shapes.expansion.axes)}"
    comes_to_say(lab, axes, str(shown))


def test_shapes_typed_or_slid_are_judged(opened, shapes):
    assert aligned(shapes) == {"−2": ("expanded", "0"), "−1": ("same", "8")}
    shapes.type("source", "(3,)")
    assert aligned(shapes) == {"−2": ("new", "0"), "−1": ("same", "8")}
    as_can_expand_says(opened, shapes)
    shapes.dial("source-0", "ArrowRight")
    assert aligned(shapes) == {"−2": ("new", "–"), "−1": ("refused", "–")}
    assert "✗ axis −1: 4 is neither 1 nor 3" in shapes.text("result")
    shapes.dial("target-ndim", "Home")
    as_can_expand_says(opened, shapes)
    shapes.dial("target-ndim", "End")
    as_can_expand_says(opened, shapes)
    comes_to_say(opened, "shapes.state", "{'source': (4,), 'target': (1, 1, 1, 1), 'library': 'numpy'}")


def test_torch_counts_elements_and_keeps_sizes(opened, shapes):
    shapes.toggle("library", "torch")
    shapes.type("target", "4, -1")
    assert aligned(shapes) == {"−2": ("expanded", "0"), "−1": ("same", "1")}
    assert "✓ shape (4, 3), strides (0, 1) elements" in shapes.text("result")
    shapes.toggle("library", "numpy")
    assert aligned(shapes)["−1"] == ("refused", "–")
    as_can_expand_says(opened, shapes)


def test_what_is_no_shape_is_said_and_changes_nothing(shapes):
    box = shapes.box.locator("[data-typed=source]")
    for words in ("(1, 9)", "2.5", "__import__('os')"):
        shapes.type("source", words)
        assert box.get_attribute("aria-invalid") == "true"
        assert "at most 4 whole numbers from 0 to 8" in shapes.text("live")
        assert aligned(shapes) == {"−2": ("expanded", "0"), "−1": ("same", "8")}
    shapes.box.locator("[data-typed=target]").focus()
    assert box.input_value() == "(1, 3)"
    assert shapes.text("live") == ""


def test_the_mission_of_shapes_is_recognized(shapes):
    done = shapes.box.locator(".zs-mission [role=status]")
    shapes.type("source", "(4,)")
    shapes.type("target", "(4,)")
    assert done.inner_text() == ""
    shapes.type("target", "(4, 1)")
    assert done.inner_text() == "Done!"
    assert "✓ shape (4, 4): both were expanded" in shapes.text("result")
    shapes.type("source", "()")
    shapes.type("target", "(4, -1)")
    assert "Solved with (4,) and (4, 1): the sum has shape (4, 4). Done!" in shapes.text("mission")
    assert "a size cannot be negative" in shapes.text("result")
    shapes.do("reset")
    shapes.type("source", "()")
    shapes.type("target", "(4, -1)")
    assert shapes.text("mission").endswith("Elements now: source 1, target unknown (-1), sum not allowed.")


def test_axes_are_marked_first_then_revealed(opened, shapes):
    shapes.do("ask")
    assert aligned(shapes) == {"−2": ("", "?"), "−1": ("", "?")}
    shapes.box.locator("[data-do=mark-0]").focus()
    opened.page.keyboard.press("Enter")
    assert shapes.box.locator("[data-do=mark-0]").get_attribute("aria-pressed") == "true"
    shapes.do("reveal")
    assert shapes.text("live") == "Right 0, missed 1, too many 1."
    shapes.do("ask")
    shapes.do("ask")
    shapes.do("mark-1")
    shapes.do("reveal")
    assert shapes.text("live").startswith("All right: 1")


def test_marks_outlive_what_changes_no_answer(explorer, shapes):
    explorer.do("ask")
    explorer.cell(0, 1).click()
    explorer.toggle("unit", "elements")
    assert explorer.text("live").endswith("Marked: 1.")
    explorer.slide("rows", "ArrowRight")
    assert explorer.text("live").startswith("The layout changed: marks cleared. Which other elements")
    assert explorer.text("live").endswith("Marked: 0.")
    explorer.cell(0, 1).click()
    assert explorer.text("live").startswith("Which other elements")
    shapes.do("ask")
    shapes.do("mark-1")
    shapes.toggle("library", "torch")
    assert shapes.text("live").endswith("Marked: 1.")
    shapes.type("source", "(3,)")
    assert shapes.text("live").startswith("The layout changed: marks cleared.")


def test_one_row_expanded_tells_what_numpy_prints(explorer):
    note = explorer.box.locator(".zs-note")
    assert note.count() == 0
    explorer.slide("rows", "Home")
    assert note.inner_text().endswith("NumPy prints stride 0 here, torch keeps 24.")


@pytest.mark.parametrize("place", SHAPE_PLACES)
def test_keys_stay_in_the_shapes_too(opened, shapes, place):
    before = opened.cells()
    shapes.box.locator(place).focus()
    for key in KEYS:
        opened.page.keyboard.press(key)
    assert opened.cells() == before


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


def violations(lab):
    """Return what axe-core finds in the explorers, by rule."""
    # JupyterLab's body has no height of its own, and axe takes all text in it for hidden.
    lab.page.evaluate("() => { document.body.style.height = '100vh'; }")
    found = Axe().run(lab.page, context=".zs-explorer").response
    lab.page.evaluate("() => { document.body.style.height = ''; }")
    assert "color-contrast" in {rule["id"] for rule in found["passes"] + found["violations"]}
    return {rule["id"]: [node["html"] for node in rule["nodes"]] for rule in found["violations"]}


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


def luminance(colour):
    """Return the relative luminance of "rgb(…)", as WCAG 2.2 defines it."""
    channels = [int(channel) / 255 for channel in re.findall(r"\d+", colour)[:3]]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def pale(explorer):
    """Return what in the drawing has less contrast than text (4.5) or graphics (3) need: axe skips SVG."""
    found = []
    for ink, paper, needed, part in explorer.box.evaluate(COLOURS):
        dark, light = sorted([luminance(ink), luminance(paper)])
        if (light + 0.05) / (dark + 0.05) < needed:
            found.append((ink, paper, part))
    return found


def hard_to_read(lab, explorer):
    return violations(lab), pale(explorer)


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_accessible_in_light_and_dark(opened, explorer, shapes, theme):
    opened.theme(theme)
    try:
        assert hard_to_read(opened, explorer) == ({}, [])
        explorer.do("ask")
        explorer.cell(1, 0).click()
        assert hard_to_read(opened, explorer) == ({}, [])
        explorer.do("reveal")
        assert hard_to_read(opened, explorer) == ({}, [])
        shapes.type("source", "(2, 3)")
        assert violations(opened) == {}
        shapes.do("ask")
        shapes.do("mark-1")
        assert violations(opened) == {}
        paper = explorer.box.locator(".zs-cell .zs-face").last.evaluate(
            "(face) => getComputedStyle(face).fill"
        )
        assert (luminance(paper) > 0.5) == (theme == "JupyterLab Light")
    finally:
        opened.theme("JupyterLab Light")


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


@pytest.fixture
def wide_again(opened):
    yield
    opened.page.set_viewport_size({"width": 1200, "height": 1000})


@pytest.mark.parametrize("width", [1200, 900, 700])
def test_nothing_sticks_out_or_collides(opened, explorer, width, wide_again):
    opened.page.set_viewport_size({"width": width, "height": 1000})
    explorer.slide("rows", "End")
    explorer.slide("cols", "End")
    explorer.toggle("operation", "repeat")
    for dtype in ("Home", "End"):
        explorer.slide("dtype", dtype)
        opened.page.wait_for_timeout(100)
        assert explorer.box.evaluate(BEYOND) == []
        assert explorer.box.evaluate(COLLIDING) == []


def test_a_part_too_wide_or_in_the_way_would_be_seen(explorer):
    explorer.cell(1, 1).locator(".zs-offset").evaluate("(text) => { text.setAttribute('x', '90'); }")
    explorer.cell(1, 1).locator(".zs-offset").evaluate("(text) => { text.setAttribute('y', '26'); }")
    assert explorer.box.evaluate(COLLIDING) == ["1,1"]
    widen = "(svg) => { svg.style.width = '1500px'; svg.style.maxWidth = 'none'; }"
    explorer.box.locator("svg").evaluate(widen)
    assert explorer.box.evaluate(BEYOND)


def test_an_untrusted_copy_shows_the_picture(lab):
    lab.open("stored.ipynb", run=False)
    try:
        lab.panel.locator('img[src^="data:image/png"]').wait_for()
        assert lab.panel.locator('img[src^="data:image/svg"], .zs-explorer').count() == 0
        assert not lab.page.evaluate("() => window.panel.content.model.cells.get(1).trusted")
        lab.command("notebook:run-all-cells")
        drawn(lab.explorer(), 4, 3)
    finally:
        lab.close()


def test_chinese_words_follow_the_language(lab):
    lab.open("zh.ipynb")
    try:
        explorer = lab.explorer()
        drawn(explorer, 4, 3)
        assert explorer.text("live").startswith("元素(2, 1)：2×0 + 1×8 = 8 B。")
        assert explorer.box.locator(".zs-rows .widget-label").inner_text() == "行数"
        shapes = lab.explorer(1)
        assert shapes.box.locator(".zs-verdict td:visible b").all_inner_texts() == ["✓ 扩展", "✓ 相同"]
        assert "步长(0, 8)字节" in shapes.text("result")
        assert lab.errors() == []
    finally:
        lab.close()


def test_without_a_kernel_it_goes_on(lab):
    lab.open("en.ipynb")
    try:
        explorer = lab.explorer()
        lab.ask("() => window.panel.sessionContext.shutdown()")
        explorer.slide("rows", "End")
        drawn(explorer, 8, 3)
        explorer.do("preset-2")
        drawn(explorer, 4, 3, operation="repeat")
        explorer.slide("cols", "ArrowLeft")
        drawn(explorer, 4, 2, operation="repeat")
        explorer.dial("down", "ArrowRight")
        assert explorer.text("formula").startswith("i×24 + j×8")
        shapes = lab.explorer(1)
        shapes.type("source", "(2, 3)")
        assert aligned(shapes)["−2"] == ("refused", "–")
    finally:
        lab.close()


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_skip_in_ci_is_a_failure(monkeypatch, ci, outcome):
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="no browser"):
        unavailable("no browser")
