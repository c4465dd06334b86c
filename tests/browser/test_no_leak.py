"""What ``zerostride lab`` opens asks nothing of any other place, and runs no name of the learner's."""

import json
import os
import re
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest
from served_lab import Lab, browser, chromium, notebook, unavailable

pytestmark = pytest.mark.browser

HOSTILE = '<img src=x onerror="window.leaked = 1">'
# Every explorer, a question, an exercise, pictures and reports in which a name of the learner's stands.
SHOWN = [
    'import numpy as np\nimport zerostride as zs\nfrom zerostride import draw\nzs.use("en")',
    f"name = {HOSTILE!r}\nsource = np.array([[1.0, 2.0, 3.0]])\nview = np.broadcast_to(source, (4, 3))",
    *[
        f"zs.explore.{name}()"
        for name in ("addresses", "shapes", "writes", "derivative", "byte_bill", "decide")
    ],
    'zs.predict("row-stride")',
    'zs.your_turn("offset-of-3-1", name)',
    *[
        f"zs.show(draw.{picture}, zs.layout(view))"
        for picture in (
            "side_by_side(**{name: view})",
            "one_ruler(**{name: source, 'view': view})",
            "storages(**{name: source, 'view': view})",
            "alignment((1, 3), (4, 3))",
            "byte_bill(zs.budget((4, 3)))",
        )
    ],
    "zs.storages(**{name: source, 'view': view})",
    "zs.evidence(source, {name: lambda x: np.broadcast_to(x, (4, 3))}, loss=np.sum)",
    "zs.compare_gradients({name: np.sum}, source)",
    "zs.checks.run(suites=['numpy'])",
]


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """Start the course beside a notebook that shows everything; yields address and token."""
    if not chromium():
        unavailable("no Chromium on this machine: no page was watched")
    private = tmp_path_factory.mktemp("jupyter")
    course = tmp_path_factory.mktemp("我的 课程")
    (course / "shown.ipynb").write_text(json.dumps(notebook(*SHOWN)), "utf-8")
    folders = {f"JUPYTER_{name}_DIR": str(private / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "JUPYTER_TOKEN")
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | folders
    command = [sys.executable, "-m", "zerostride", "lab", "--dir", str(course), "--lang", "en"]
    log = private / "said.txt"
    with log.open("wb") as file:
        running = subprocess.Popen(
            [*command, "--LabApp.expose_app_in_browser=True"],
            env=environment | {"PYTHONIOENCODING": "utf-8"},
            stdout=file,
            stderr=file,
        )
    try:
        yield _address(running, log)
    finally:
        running.terminate()
        running.wait(30)


def _address(running, log):
    for _ in range(900):
        if found := re.search(r"(http://127\.0\.0\.1:\d+)/lab\S+\?token=(\w+)", log.read_text("utf-8")):
            return found.groups()
        assert running.poll() is None, log.read_text("utf-8")
        time.sleep(0.1)
    raise AssertionError(log.read_text("utf-8"))


@pytest.fixture(scope="module")
def lab(started):
    """Open everything in JupyterLab and run it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, browser(playwright) as chrome:
        page = chrome.new_page(viewport={"width": 1200, "height": 1000})
        page.set_default_timeout(60_000)
        lab = Lab(page, *started)
        lab.open("shown.ipynb")
        yield lab


def test_no_page_and_no_widget_asks_elsewhere(lab):
    assert lab.errors() == []
    assert lab.panel.locator(".zs-explorer .zs-drawing").count() == 6
    for number in range(6):
        lab.explorer(number).do("reset")
    question = lab.panel.locator(".zs-quiz")
    for fieldset in question.locator("fieldset").all():
        fieldset.locator("input").first.check()
    question.locator("button").click()
    question.locator("[role=status]").filter(has_text="Noted").wait_for()
    assert lab.panel.locator("img[alt]").count() >= 5
    asked = lab.log.asked
    assert {urlsplit(url).scheme for url in asked} >= {"http", "ws"}
    assert lab.log.elsewhere(lab.url) == []


def leaked(lab):
    """Return whether a name of the learner's was run, or stands in the page as an image."""
    lab.page.wait_for_timeout(200)  # an image that is not there tells it later
    return bool(lab.page.evaluate("() => window.leaked")) or lab.page.locator("img[src=x]").count() > 0


def test_a_name_of_the_learners_is_text_in_reports_pictures_and_widgets(lab):
    lab.explorer(1).type("source", HOSTILE)
    assert lab.panel.locator(".jp-OutputArea-output").get_by_text("<img src=x onerror=").count() >= 3
    assert not leaked(lab)


def test_another_place_would_be_seen(lab):
    lab.page.evaluate("""() => {
      document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/a.png' }));
      fetch('http://localhost:9/b').catch(() => null);
      new WebSocket('ws://127.0.0.1:9/c');
    }""")
    lab.page.wait_for_timeout(300)
    assert {urlsplit(url).path for url in lab.log.elsewhere(lab.url)} == {"/a.png", "/b", "/c"}


def test_a_name_that_runs_would_be_seen(lab):
    lab.page.evaluate(f"() => document.body.insertAdjacentHTML('beforeend', {json.dumps(HOSTILE)})")
    assert leaked(lab)
