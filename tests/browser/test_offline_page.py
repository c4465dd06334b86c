"""The offline page in Chromium, from a file and without a network: explorers and questions are live."""

from itertools import product

import bills_drawn as bills
import derivatives_drawn as derivatives
import pytest
import writes_drawn as writes
from drawings import aligned, drawn
from served_lab import Explorer

from zerostride.advice import advise
from zerostride.expansion import can_expand
from zerostride.explore.address_panel import addresses_layout
from zerostride.explore.operations import MOST_COLS, MOST_ROWS
from zerostride.explore.weighted_rows import WeightedRows
from zerostride.explore.write_policies import one_write
from zerostride.quiz.exercises import exercise, in_words

pytestmark = pytest.mark.browser


class OnPage(Explorer):
    """An explorer of the page: its controls are native inputs."""

    def slide(self, control, *keys):
        self.box.locator(f"[data-control={control}] input").focus()
        for key in keys:
            self.page.keyboard.press(key)

    def toggle(self, control, label):
        self.box.locator(f"[data-control={control}]").get_by_role("button", name=label, exact=True).click()

    def look(self, control, name):
        return self.box.locator(f"[data-control={control}] input").get_attribute(name)


@pytest.fixture(scope="module")
def live(show):
    """Open the whole English page once, for what is tried in it."""
    with show() as page:
        yield page
        assert (page.asked, page.complaints) == ([page.address], [])


@pytest.fixture
def explorer(live):
    """Hand out explorers as they were at the start."""

    def found(place):
        made = OnPage(live.locator(f'[data-explorer="{place}"] .zs-explorer'))
        made.do("reset")
        return made

    return found


def test_addresses(explorer):
    shown = explorer("01-explore-addresses")
    drawn(shown, 4, 3)
    shown.toggle("operation", "repeat")
    shown.slide("rows", "End")
    shown.slide("cols", "ArrowRight")
    shown.slide("dtype", "Home", "ArrowRight", "ArrowRight")
    drawn(shown, 8, 4, "float16", "repeat")
    shown.toggle("unit", "elements")
    drawn(shown, 8, 4, "float16", "repeat", "elements")
    assert shown.look("dtype", "aria-valuetext") == "float16"


SUMMARIES = """(box, sizes) => sizes.map((size) => {
  size.forEach((value, at) => {
    const input = box.querySelector(`[data-control=${at ? 'cols' : 'rows'}] input`);
    input.value = value;
    input.dispatchEvent(new Event('input'));
  });
  return box.querySelector('.zs-summary').textContent.match(/\\d+/g).map(Number);
})"""


@pytest.mark.parametrize("operation", ["expand", "repeat"])
def test_every_size_is_counted_as_python_counts(explorer, operation):
    shown = explorer("01-explore-addresses")
    shown.toggle("operation", operation)
    sizes = list(product(range(1, MOST_ROWS + 1), range(1, MOST_COLS + 1)))
    layouts = [addresses_layout(*size, operation=operation) for size in sizes]
    counted = [
        [*it.strides_bytes, *it.strides_elements, it.touched_bytes, it.storage_bytes, it.logical_bytes]
        for it in layouts
    ]
    assert shown.box.evaluate(SUMMARIES, sizes) == counted


def test_limits_follow_each_other_as_in_python(explorer):
    shown = explorer("01-explore-addresses")
    shown.toggle("operation", "repeat")
    shown.dial("count", "Home", "ArrowRight")
    assert [shown.look("rows", name) for name in ("min", "step", "max")] == ["2", "2", "8"]
    shown.slide("rows", "Home")
    drawn(shown, 2, 3, operation="repeat")


def test_the_mission_presets_and_mark_first(explorer):
    shown = explorer("01-explore-addresses")
    shown.slide("rows", "Home", "ArrowRight")
    shown.slide("cols", "End")
    assert shown.text("mission").startswith("✓")
    shown.do("preset-0")
    shown.do("ask")
    shown.cell(0, 0).click()
    shown.do("reveal")
    assert shown.box.locator(".zs-extra").count() == 1
    shown.do("reset")
    drawn(shown, 4, 3)
    assert shown.text("mission").startswith("○")


def test_shapes(explorer):
    shown = explorer("02-explore-shapes")
    shown.type("source", "(3, 1)")
    shown.type("target", "(3, 5)")
    shown.toggle("library", "torch")
    told = can_expand((3, 1), (3, 5), "torch")
    assert {name: verdict for name, (verdict, _) in aligned(shown).items()} == {
        f"−{-axis.axis}": axis.verdict for axis in told.axes
    }


def test_writes(explorer):
    shown = explorer("04-explore-writes")
    shown.toggle("library", "torch")
    shown.slide("rows", "ArrowLeft")
    writes.cell(shown, "view", 2, 1).click()
    writes.drawn(shown, one_write("torch", 3, 3, "view", "element", 2, 1))


def test_derivative(explorer):
    shown = explorer("05-explore-derivative")
    shown.toggle("way", "independent rows")
    shown.toggle("reduction", "mean")
    shown.slide("rows", "Home", "ArrowRight")
    derivatives.drawn(shown, WeightedRows(derivatives.FOUR[:2], "independent", "mean"))
    with pytest.raises(AssertionError):
        derivatives.drawn(shown, WeightedRows(derivatives.FOUR[:2], "independent"))


@pytest.mark.parametrize("rows", ["Home", "ArrowLeft"])
def test_derivative_starts_again_from_fewer_rows(explorer, rows):
    shown = explorer("05-explore-derivative")
    shown.slide("rows", rows, rows)
    shown.do("reset")
    derivatives.drawn(shown, WeightedRows(derivatives.FOUR, "edited"))


def test_the_stride_of_an_axis_of_length_one_stays_on_its_dial(explorer):
    shown = explorer("01-explore-addresses")
    shown.slide("cols", "Home", "ArrowRight")
    shown.slide("rows", "Home", "ArrowRight")
    shown.dial("down", "End")
    shown.slide("rows", "Home")
    shown.dial("start", "End")
    down = shown.box.locator("[data-dial=down]")
    stride = int(down.get_attribute("aria-valuetext").removesuffix(" B"))
    assert int(down.input_value()) * 8 == stride > 8


def test_a_slider_says_its_value_once(explorer):
    shown = explorer("01-explore-addresses")
    seen = shown.box.aria_snapshot()
    assert seen.count('slider "rows": "4"') == 1
    assert "status: " not in seen.split("code:")[0]
    shown.box.locator("output").first.evaluate("(output) => output.removeAttribute('aria-hidden')")
    assert 'status: "4"' in shown.box.aria_snapshot()
    shown.box.locator("output").first.evaluate("(output) => output.setAttribute('aria-hidden', 'true')")


def test_byte_bill(explorer):
    shown = explorer("07-explore-byte-bill")
    shown.toggle("way", "repeat")
    shown.toggle("dtype", "float32")
    shown.box.locator("[data-control=learns] input").check()
    bills.step(shown, 0, "square")
    bills.step(shown, 1, "sum")
    bills.drawn(shown, dtype="float32", steps=["square", "sum"], way="repeat", learns=True)


def test_the_guide(explorer):
    shown = explorer("08-explore-decide")
    shown.box.locator('[data-question="2"][value="2"]').check()
    advice = advise((1, 3), (4, 3), learns="each_copy", dtype="float64")
    assert shown.box.locator(".zs-answer").inner_text() == f"Answer: {advice.words}"
    assert "✗" not in shown.box.locator(".zs-checks").inner_text()


def asked(page, place):
    return page.locator(f'[data-question="{place}"] .live')


def answer(page, place, choice, sure=1):
    panel = asked(page, place)
    for at, chosen in enumerate((choice, sure)):
        panel.locator("fieldset").nth(at).locator("input").nth(chosen).check()
    panel.locator("button").click()
    return panel.locator("[role=status]").inner_text()


def test_a_wrong_prediction_is_told_what_is_behind_it(live):
    fold = live.locator('[id="01-run-row-stride"] details')
    assert not fold.evaluate("(fold) => fold.open")
    assert asked(live, "01-predict-row-stride").locator("[role=status]").inner_text() == ""
    told = answer(live, "01-predict-row-stride", 3)
    ordinary = exercise("row-stride", "predict").choices[3]
    assert told.startswith("Your answer: D. 24 bytes (fairly sure).\nNot yet.")
    assert in_words(ordinary.misconception) in told
    assert fold.evaluate("(fold) => fold.open")
    assert asked(live, "01-predict-row-stride").locator("input:not(:disabled)").count() == 0


def test_a_right_prediction_is_told_why(live):
    question = exercise("equal-prints", "predict")
    right = [choice.id for choice in question.choices].index(question.right)
    told = answer(live, "01-predict-equal-prints", right)
    assert "\nRight.\n" in told
    assert told.endswith(in_words(question.why))


def test_nothing_is_told_before_both_are_chosen_nor_by_the_pretest(live):
    panel = asked(live, "02-predict-two-rows")
    for group in (None, 0):
        if group is not None:
            panel.locator("fieldset").nth(group).locator("input").first.check()
        panel.locator("button").click()
        assert panel.locator("[role=status]").inner_text().startswith("Choose an answer")
    told = answer(live, "00-question-address", 0)
    assert told == "Your answer: A. 56 (fairly sure)."


def test_the_bar_and_the_contents_lead_to_lessons(show):
    with show() as page:
        page.locator(".bar").get_by_text("6", exact=True).click()
        page.wait_for_function("() => document.querySelector('.bar [aria-current]')?.textContent === '6'")
        assert page.locator("#lesson-06 h2").bounding_box()["y"] < 200
        page.keyboard.press("Home")
        page.locator(".skip").focus()
        assert page.locator(".skip").bounding_box()["x"] >= 0
