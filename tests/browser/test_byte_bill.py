"""The explorer of the byte bill in a real JupyterLab: walked by keyboard, in both themes and languages."""

import pytest
from bills_drawn import drawn, step
from explorer_page import BEYOND, comes_to_say, contrast, keys_stay, violations

from zerostride.explore.billing import UNITS

pytestmark = pytest.mark.browser
EXPLORER = "byte_bill"


def test_the_articles_budget_and_what_follows(opened, explorer):
    drawn(explorer)
    assert explorer.box.locator('[data-line="made"] small').inner_text() == "logical: 512 MiB"
    explorer.toggle("dtype", "float32")
    step(explorer, 0, "shift")
    drawn(explorer, dtype="float32", steps=["shift"])
    assert explorer.box.locator('[data-line="peak"] b').inner_text() == "1 GiB + 16 KiB"
    explorer.toggle("way", "repeat")
    assert explorer.box.locator('[data-line="peak"] b').inner_text() == "2 GiB + 16 KiB"
    explorer.box.locator(".zs-learns input").check()
    step(explorer, 0, "square")
    step(explorer, 2, "sum")
    drawn(explorer, dtype="float32", steps=["square", "sum"], way="repeat", learns=True)
    comes_to_say(opened, "explorer.state['steps'], explorer.state['way']", "('square', 'sum') repeat")
    explorer.toggle("way", "broadcasting")
    drawn(explorer, dtype="float32", steps=["square", "sum"], way="implicit", learns=True)


def test_a_wrong_bill_is_seen(explorer):
    explorer.toggle("way", "repeat")
    with pytest.raises(AssertionError):
        drawn(explorer)


def test_sizes_are_typed_or_slid(opened, explorer):
    explorer.type("B", "2**19")
    explorer.type("T", "1,048,576")
    explorer.box.locator("[data-dial=D]").focus()
    opened.page.keyboard.press("End")
    explorer.toggle("dtype", "float64")
    drawn(explorer, shape=(2**19, 2**20, 2**20), dtype="float64")
    comes_to_say(opened, "explorer.bill.logical_bytes == 2**62", "True")
    explorer.toggle("unit", "B")
    assert explorer.box.locator('[data-line="made"] small').inner_text() == f"logical: {2**62:,} B"
    explorer.type("D", "1048573")
    drawn(explorer, shape=(2**19, 2**20, 1048573), dtype="float64")
    opened.page.keyboard.press("Tab")
    assert explorer.box.locator("[data-typed=D]").input_value() == "1,048,573"


def test_what_is_no_size_is_said_and_changes_nothing(explorer):
    for words in ("", "0", "2**20", "1.5", "__import__('os')"):
        explorer.type("B", words)
        assert explorer.box.locator("[data-typed=B]").get_attribute("aria-invalid") == "true"
        assert explorer.text("live").startswith("A size is a whole number from 1 to 524,288")
        drawn(explorer)
    explorer.box.locator("[data-typed=T]").focus()
    assert explorer.box.locator("[data-typed=B]").input_value() == "32"
    assert explorer.text("live").startswith("Most bytes at once")


def test_presets_units_and_reset(explorer):
    explorer.do("preset-6")
    drawn(explorer, shape=(1, 4, 3), dtype="float64", steps=["add"])
    explorer.do("preset-4")
    drawn(explorer, dtype="float32", steps=["square", "sum"], learns=True)
    assert explorer.box.locator(".zs-learns input").is_checked()
    for unit in UNITS:
        explorer.toggle("unit", unit)
        drawn(explorer, dtype="float32", steps=["square", "sum"], learns=True)
    explorer.do("reset")
    drawn(explorer)


def bars(explorer):
    """Return how wide each filled bar is, in pixels; 0 where there is none."""
    return explorer.box.locator(".zs-allocated").evaluate_all(
        "(bars) => bars.map((bar) => bar.getBoundingClientRect().width)"
    )


def test_bars_are_in_true_scale_unless_said(explorer):
    explorer.do("preset-1")
    explorer.toggle("way", "repeat")
    source, made, _, output, _, _, peak = bars(explorer)
    assert made == output == pytest.approx(peak / 2, rel=0.01)
    assert 0 < source <= 2
    assert explorer.box.locator(".zs-scale").inner_text().startswith("True scale")
    explorer.do("scale")
    assert explorer.box.locator(".zs-scale").inner_text().startswith("Logarithmic")
    assert bars(explorer)[0] == pytest.approx(peak * 14 / 31, rel=0.01)


def test_the_mission_needs_both_states(explorer):
    done = explorer.box.locator(".zs-mission [role=status]")
    assert explorer.text("mission").endswith("half: not yet; nothing: not yet.")
    explorer.do("preset-1")
    assert explorer.text("live").endswith("Expand saves half.")
    assert (done.inner_text(), explorer.text("mission")[0]) == ("", "○")
    explorer.do("preset-2")
    assert explorer.text("mission").endswith("half: (y + 1); nothing: not yet.")
    explorer.do("preset-3")
    assert explorer.text("live").endswith("Expand saves nothing.")
    assert explorer.text("mission").endswith("Solved: half in (y + 1), nothing in y.reshape(-1). Done!")
    explorer.do("reset")
    assert explorer.text("mission").startswith("○")


@pytest.mark.parametrize("place", ["[data-typed=T]", "[data-dial=T]", "[data-step='0']", "[data-do=scale]"])
def test_keys_stay_in_the_explorer(opened, explorer, place):
    keys_stay(opened, explorer.box.locator(place))


def test_accessible_in_light_and_dark(opened, explorer, theme):
    for act in ("preset-0", "preset-4", "scale"):
        explorer.do(act)
        assert violations(opened) == {}, act
    explorer.type("B", "none")
    assert violations(opened) == {}
    colours = explorer.box.locator(".zs-allocated").last.evaluate(
        "(bar) => [bar, bar.parentElement].map((part) => getComputedStyle(part).backgroundColor)"
    )
    assert contrast(*colours) >= 3


# Choices of a step whose longest text does not fit into their box.
CUT = """(box) => [...box.querySelectorAll('select')].filter((choice) => {
  const now = choice.offsetWidth;
  choice.style.width = 'max-content';
  return now < choice.offsetWidth;
}).length"""


@pytest.mark.parametrize("width", [1200, 900], indirect=True)
def test_nothing_sticks_out(explorer, width):
    assert explorer.box.evaluate(CUT) == 0
    explorer.box.locator("select").first.evaluate("(choice) => { choice.style.width = '10.5em'; }")
    assert explorer.box.evaluate(CUT) == 1
    explorer.type("D", "1048573")
    for preset in ("preset-0", "preset-4", "preset-5"):
        explorer.do(preset)
        explorer.type("D", "1048573")
        assert explorer.box.evaluate(BEYOND) == []


def test_in_chinese_and_without_a_kernel(chinese):
    explorer = chinese.explorer()
    assert explorer.text("live").startswith("峰值（不含源）")
    chinese.ask("() => window.panel.sessionContext.shutdown()")
    explorer.do("preset-1")
    assert explorer.text("live").endswith("expand省一半。")
    explorer.toggle("way", "repeat")
    assert explorer.box.locator('[data-line="peak"] b').inner_text() == "2 GiB + 16 KiB"
    explorer.type("B", "1")
    drawn(explorer, shape=(1, 2048, 4096), dtype="float32", steps=["shift"], way="repeat")
