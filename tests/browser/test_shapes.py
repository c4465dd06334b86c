"""The explorer of shapes in a real JupyterLab: by mouse and keyboard, in both themes and languages."""

import pytest
from drawings import aligned
from explorer_page import comes_to_say, keys_stay, violations

pytestmark = pytest.mark.browser
EXPLORER = "shapes"


def as_can_expand_says(lab, explorer):
    """Assert that the page shows the verdicts of ``zs.can_expand`` for what Python holds."""
    shown = {axis: verdict for axis, (verdict, _) in aligned(explorer).items()}
    axes = "{f'−{-axis.axis}': axis.verdict for axis in reversed(explorer.expansion.axes)}"
    comes_to_say(lab, axes, str(shown))


def test_shapes_typed_or_slid_are_judged(opened, explorer):
    assert aligned(explorer) == {"−2": ("expanded", "0"), "−1": ("same", "8")}
    explorer.type("source", "(3,)")
    assert aligned(explorer) == {"−2": ("new", "0"), "−1": ("same", "8")}
    as_can_expand_says(opened, explorer)
    explorer.dial("source-0", "ArrowRight")
    assert aligned(explorer) == {"−2": ("new", "–"), "−1": ("refused", "–")}
    assert "✗ axis −1: 4 is neither 1 nor 3" in explorer.text("result")
    explorer.dial("target-ndim", "Home")
    as_can_expand_says(opened, explorer)
    explorer.dial("target-ndim", "End")
    as_can_expand_says(opened, explorer)
    comes_to_say(opened, "explorer.state", "{'source': (4,), 'target': (1, 1, 1, 1), 'library': 'numpy'}")


def test_torch_counts_elements_and_keeps_sizes(opened, explorer):
    explorer.toggle("library", "torch")
    explorer.type("target", "4, -1")
    assert aligned(explorer) == {"−2": ("expanded", "0"), "−1": ("same", "1")}
    assert "✓ shape (4, 3), strides (0, 1) elements" in explorer.text("result")
    explorer.toggle("library", "numpy")
    assert aligned(explorer)["−1"] == ("refused", "–")
    as_can_expand_says(opened, explorer)


def test_what_is_no_shape_is_said_and_changes_nothing(explorer):
    box = explorer.box.locator("[data-typed=source]")
    for words in ("(1, 9)", "2.5", "__import__('os')"):
        explorer.type("source", words)
        assert box.get_attribute("aria-invalid") == "true"
        assert "at most 4 whole numbers from 0 to 8" in explorer.text("live")
        assert aligned(explorer) == {"−2": ("expanded", "0"), "−1": ("same", "8")}
    explorer.box.locator("[data-typed=target]").focus()
    assert box.input_value() == "(1, 3)"
    assert explorer.text("live") == ""


def test_the_mission_of_shapes_is_recognized(explorer):
    done = explorer.box.locator(".zs-mission [role=status]")
    explorer.type("source", "(4,)")
    explorer.type("target", "(4,)")
    assert done.inner_text() == ""
    explorer.type("target", "(4, 1)")
    assert done.inner_text() == "Done!"
    assert "✓ shape (4, 4): both were expanded" in explorer.text("result")
    explorer.type("source", "()")
    explorer.type("target", "(4, -1)")
    assert "Solved with (4,) and (4, 1): the sum has shape (4, 4). Done!" in explorer.text("mission")
    assert "a size cannot be negative" in explorer.text("result")
    explorer.do("reset")
    explorer.type("source", "()")
    explorer.type("target", "(4, -1)")
    assert explorer.text("mission").endswith("Elements now: source 1, target unknown (-1), sum not allowed.")


def test_axes_are_marked_first_then_revealed(opened, explorer):
    explorer.do("ask")
    assert aligned(explorer) == {"−2": ("", "?"), "−1": ("", "?")}
    explorer.box.locator("[data-do=mark-0]").focus()
    opened.page.keyboard.press("Enter")
    assert explorer.box.locator("[data-do=mark-0]").get_attribute("aria-pressed") == "true"
    explorer.do("reveal")
    assert explorer.text("live") == "Right 0, missed 1, too many 1."
    explorer.do("ask")
    explorer.do("ask")
    explorer.do("mark-1")
    explorer.do("reveal")
    assert explorer.text("live").startswith("All right: 1")


def test_marks_outlive_what_changes_no_answer(explorer):
    explorer.do("ask")
    explorer.do("mark-1")
    explorer.toggle("library", "torch")
    assert explorer.text("live").endswith("Marked: 1.")
    explorer.type("source", "(3,)")
    assert explorer.text("live").startswith("The layout changed: marks cleared.")


@pytest.mark.parametrize("place", ["[data-typed=source]", "[data-dial=target-0]", "[data-do=preset-0]"])
def test_keys_stay_in_the_shapes_too(opened, explorer, place):
    keys_stay(opened, explorer.box.locator(place))


def test_accessible_in_light_and_dark(opened, explorer, theme):
    explorer.type("source", "(2, 3)")
    assert violations(opened) == {}
    explorer.do("ask")
    explorer.do("mark-1")
    assert violations(opened) == {}


def test_chinese_words_follow_the_language(chinese):
    explorer = chinese.explorer()
    assert explorer.box.locator(".zs-verdict td:visible b").all_inner_texts() == ["✓ 扩展", "✓ 相同"]
    assert "步长(0, 8)字节" in explorer.text("result")
    assert chinese.errors() == []


def test_without_a_kernel_it_goes_on(chinese):
    explorer = chinese.explorer()
    chinese.ask("() => window.panel.sessionContext.shutdown()")
    explorer.type("source", "(2, 3)")
    assert aligned(explorer)["−2"] == ("不允许", "–")
