"""The guide in a real JupyterLab: walked by keyboard, in both themes and languages."""

import pytest
from explorer_page import BEYOND, comes_to_say, keys_stay, violations

pytestmark = pytest.mark.browser
EXPLORER = "decide"


def answer(explorer):
    return explorer.box.locator(".zs-answer").inner_text()


def checks(explorer):
    return explorer.box.locator(".zs-checks li").all_inner_texts()


def comes_to_check(opened, explorer, count):
    opened.page.wait_for_function(
        "count => document.querySelectorAll('.zs-checks li b').length === count"
        " && [...document.querySelectorAll('.zs-checks li b')].every((b) => b.textContent.startsWith('✓'))",
        arg=count,
    )


def test_the_answer_follows_and_the_kernel_checks(opened, explorer):
    assert answer(explorer) == "Answer: leave it to broadcasting"
    comes_to_check(opened, explorer, 4)
    explorer.box.locator('[data-question="1"][value="0"]').focus()
    opened.page.keyboard.press("ArrowUp")
    assert answer(explorer) == "Answer: clone or copy first"
    assert "np.broadcast_to(x, (4, 3)).copy()" in explorer.box.locator(".zs-code").inner_text()
    comes_to_say(opened, "explorer.state['writes'], explorer.advice.answer", "each_copy_in_place copy_first")
    comes_to_check(opened, explorer, 3)
    assert "elements that changed: 1" in checks(explorer)[-1]


def test_presets_and_the_mission(opened, explorer):
    seen = []
    for preset in range(6):
        explorer.do(f"preset-{preset}")
        seen.append(answer(explorer))
    assert seen[2:4] == ["Answer: clone or copy first", "Answer: separate parameters"]
    assert "Reached: 5 of 9" in explorer.text("mission")
    explorer.do("preset-1")
    for question, value in ((3, 2), (3, 6), (3, 1), (0, 2), (0, 3)):
        explorer.box.locator(f'[data-question="{question}"][value="{value}"]').check()
    assert explorer.text("mission").endswith("All 9 reached. Done!")


@pytest.mark.parametrize("place", ['[data-question="1"][value="0"]', "[data-do=preset-0]"])
def test_keys_stay_in_the_explorer(opened, explorer, place):
    keys_stay(opened, explorer.box.locator(place))


def test_accessible_in_light_and_dark(opened, explorer, theme):
    for act in ("reset", "preset-2", "preset-3"):
        explorer.do(act)
        assert violations(opened) == {}, act


@pytest.mark.parametrize("width", [1200, 900], indirect=True)
def test_nothing_sticks_out(explorer, width):
    for preset in range(6):
        explorer.do(f"preset-{preset}")
        assert explorer.box.evaluate(BEYOND) == []


def test_in_chinese_and_without_a_kernel(chinese):
    explorer = chinese.explorer()
    assert answer(explorer) == "答案：交给广播"
    chinese.ask("() => window.panel.sessionContext.shutdown()")
    explorer.do("preset-5")
    assert answer(explorer) == "答案：repeat / tile（整块重复）"
    assert all("未运行，需要内核" in check for check in checks(explorer))
    explorer.do("reset")
    assert "比较了12个元素" in checks(explorer)[0]
