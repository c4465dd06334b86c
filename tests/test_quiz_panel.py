"""The question's controls in a browser: keys stay inside, words stay text, the button sends one message."""

import json
import os
import shutil
from importlib.resources import files

import pytest

import zerostride as zs

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FRONT = files("zerostride") / "front"

PAGE = """
<!doctype html><html lang="en"><title>quiz</title><body><div id="box"></div><button id="after">after</button>
<script type="module">
  const source = SOURCE;
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const module = (await import(url)).default;
  const state = STATE, calls = {};
  window.sent = [], window.keys = [], window.state = state;
  window.model = {
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; },
    save_changes: () => {},
    send: (message) => window.sent.push(message),
    on: (names, call) => names.split(" ").forEach((name) => ((calls[name] ??= []).push(call))),
    off: (names, call) => names.split(" ").forEach(
      (name) => (calls[name] = (calls[name] ?? []).filter((each) => each !== call))),
  };
  window.change = (name, value) => {
    state[name] = value;
    (calls["change:" + name] ?? []).forEach((call) => call());
  };
  document.addEventListener("keydown", (event) => window.keys.push(event.key));
  window.close_panel = module.render({ model: window.model, el: document.getElementById("box") });
  window.listening = () => Object.values(calls).flat().length;
  window.ready = true;
</script>
"""


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        message = "no Chromium on this machine"
        pytest.fail(message) if os.environ.get("CI") == "true" else pytest.skip(message)
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield running
        running.close()


@pytest.fixture
def show(browser):
    """Open a page with one question; the module's source can be changed to see a test fail."""
    pages = []

    def open_page(source=None, **changed):
        panel = zs.predict("row-stride").panel
        state = {name: getattr(panel, name) for name in ("words", "choice", "sure", "note", "locked")}
        source = source or FRONT.joinpath("quiz.js").read_text("utf-8")
        page = browser.new_page()
        pages.append(page)
        html = PAGE.replace("SOURCE", json.dumps(source)).replace("STATE", json.dumps({**state, **changed}))
        page.set_content(html)
        page.wait_for_function("window.ready")
        return page

    yield open_page
    for page in pages:
        page.close()


def test_arrows_choose_within_a_group_and_the_button_sends(show):
    page = show()
    page.get_by_label("0 bytes").focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("[state.choice, state.sure]") == [2, None]
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.evaluate("[state.choice, state.sure]") == [2, 0]
    assert page.evaluate("sent") == []
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("sent") == [{"commit": True, "choice": 2, "sure": 0}]


def press_keys(page):
    for name in ("8 bytes", "certain"):
        page.get_by_label(name).focus()
        for key in [
            "ArrowDown",
            "ArrowUp",
            "a",
            "x",
            "b",
            "Enter",
            "Shift+Enter",
            "Control+Enter",
            "d",
            "Escape",
        ]:
            page.keyboard.press(key)
    page.get_by_role("button", name="Note my answer").focus()
    for key in ["Enter", "a", "x", "Space"]:
        page.keyboard.press(key)
    return [key for key in page.evaluate("keys") if key not in ("Shift", "Control")]


def test_no_key_leaves_the_question(show):
    page = show()
    assert press_keys(page) == []
    page.keyboard.press("Control+b")
    page.locator("#after").focus()
    page.keyboard.press("x")
    assert [key for key in page.evaluate("keys") if key != "Control"] == ["b", "x"]


def test_without_its_listener_the_keys_would_leave(show):
    source = FRONT.joinpath("quiz.js").read_text("utf-8")
    assert press_keys(show(source.replace("event.stopPropagation()", "false")))


def test_once_noted_nothing_can_be_sent_again_and_the_focus_stays(show):
    page = show(choice=1, sure=1)
    button = page.get_by_role("button", name="Note my answer")
    button.focus()
    page.evaluate("change('note', 'Noted.'); change('locked', true)")
    page.keyboard.press("Enter")
    assert page.evaluate("sent") == []
    assert page.get_by_role("status").inner_text() == "Noted."
    assert page.evaluate("document.activeElement.tagName") == "BUTTON"
    assert page.locator("input:disabled").count() == page.locator("input").count() == 7


def test_a_second_view_follows_the_first(show):
    page = show()
    page.evaluate("change('choice', 3)")
    assert page.get_by_label("24 bytes").is_checked()
    page.evaluate("close_panel()")
    assert page.evaluate("listening()") == 0


def test_words_are_text(show):
    mark = "<img src=x onerror='window.broken = 1'>"
    words = {"question": mark, "choices": [mark] * 3, "how_sure": mark, "levels": [mark], "commit": mark}
    page = show(words=words, note=mark)
    assert page.locator("#box img").count() == 0
    assert page.locator("legend").first.inner_text() == mark


def test_groups_are_named_and_axe_finds_nothing(show):
    page = show()
    page.add_style_tag(content=FRONT.joinpath("quiz.css").read_text("utf-8"))
    assert page.get_by_role("group", name="How sure are you?").get_by_role("radio").count() == 3
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    results = axe.run(page, context="#box")
    assert results.violations_count == 0, results.generate_report()
    page.add_style_tag(content=".zs-quiz { color: #bbb !important }")
    assert axe.run(page, context="#box").violations_count > 0
