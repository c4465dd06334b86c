"""One JupyterLab for a worker's browser tests, one Chromium for a file's, on a copy of the lessons."""

import json
import shutil
from contextlib import contextmanager

import pytest
from served_lab import LESSONS, Lab, browser, chromium, jupyterlab, notebook, unavailable

from zerostride.course import read_lessons
from zerostride.language import LANGUAGES, speaking

pytest.register_assert_rewrite("drawings", "explorer_page", "keys", "lesson_walk")


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """Serve the lessons; yields the served folder, the address and the token."""
    if not chromium():
        unavailable("no Chromium on this machine: browser tests not run")
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(LESSONS, folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
    with jupyterlab(folder, tmp_path_factory.mktemp("jupyter")) as address:
        yield folder, *address


@contextmanager
def opened_page(url, token):
    """Open JupyterLab in a page 1200 pixels wide."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, browser(playwright) as chromium_browser:
        page = chromium_browser.new_page(viewport={"width": 1200, "height": 1000})
        page.set_default_timeout(60_000)
        yield Lab(page, url, token)


# Closed with the one file that uses it: while Playwright is open, its event loop is in the way of others.
@pytest.fixture(scope="module")
def lab(served):
    """Open JupyterLab on the served folder."""
    with opened_page(*served[1:]) as lab:
        yield lab
        assert lab.log.elsewhere(lab.url) == []  # whatever was opened, moved and answered meanwhile


@pytest.fixture(scope="module")
def lesson(lab, request):
    """Open a lesson and run it, once for all that is asked of it."""
    lab.open(request.param)
    yield lab
    lab.close()


@pytest.fixture(scope="module")
def written(request, served):
    """Write a notebook in each language that shows the file's ``EXPLORER``; return where they are served."""
    folder = served[0] / request.path.stem
    folder.mkdir()
    show = f"explorer = zs.explore.{request.module.EXPLORER}()\nexplorer"
    for language in ("en", "zh"):
        setup = f'import zerostride as zs\nzs.use("{language}")'
        cells = notebook(setup, show, *getattr(request.module, "MORE", []))
        (folder / f"{language}.ipynb").write_text(json.dumps(cells))
    return folder.name


@pytest.fixture(scope="module")
def opened(lab, written):
    """Open the file's English notebook."""
    lab.open(f"{written}/en.ipynb")
    yield lab
    lab.close()


@pytest.fixture
def explorer(opened):
    """Hand out the explorer as it was at the start."""
    assert opened.errors() == []
    found = opened.explorer()
    found.do("reset")
    return found


@pytest.fixture
def chinese(lab, written):
    """Open the file's Chinese notebook in front."""
    lab.open(f"{written}/zh.ipynb")
    yield lab
    lab.close()


@pytest.fixture(params=["JupyterLab Light", "JupyterLab Dark"])
def theme(request, opened):
    """Show one theme, then the light one again."""
    opened.theme(request.param)
    yield request.param
    opened.theme("JupyterLab Light")


LAID_OUT = """(width) => window.innerWidth === width
  && window.panel.node.getBoundingClientRect().right <= width"""


@pytest.fixture
def width(request, opened):
    """Make the page that wide, then 1200 pixels again."""
    opened.page.set_viewport_size({"width": request.param, "height": 1000})
    opened.page.wait_for_function(LAID_OUT, arg=request.param)
    yield request.param
    opened.page.set_viewport_size({"width": 1200, "height": 1000})


@pytest.fixture(scope="session")
def offline_pages(tmp_path_factory):
    """Write the offline page of each language, and short ones of single lessons."""
    from zerostride.publish.editions import Wishes
    from zerostride.publish.guide import guide_pages
    from zerostride.publish.page import build, page

    folder = tmp_path_factory.mktemp("page")
    for language in LANGUAGES:
        (folder / language).mkdir()
        with speaking(language):
            [(_, content)] = build(read_lessons(language), Wishes())
            (folder / language / "whole.html").write_bytes(content)
            teachers = {str(at): text for at, (_, text) in enumerate(guide_pages(language))}
            for number in ("00", "01", "05", "08"):
                html = page(read_lessons(language, [number]), teachers if number in ("00", "08") else None)
                (folder / language / f"{number}.html").write_text(html, "utf-8")
    return folder


@pytest.fixture(scope="module")
def chrome():
    if not chromium():
        unavailable("no Chromium on this machine: the offline page not opened")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, browser(playwright) as started:
        yield started


@pytest.fixture(scope="module")
def show(chrome, offline_pages):
    """Hand out a way to open an offline page with the network cut; it notes requests and complaints."""

    @contextmanager
    def opened(language="en", name="whole", width=1000, **options):
        size = {"width": width, "height": 900}
        context = chrome.new_context(viewport=size, offline=True, **options)
        page, page.asked, page.complaints = context.new_page(), [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.address = (offline_pages / language / f"{name}.html").as_uri()
        page.goto(page.address)
        yield page
        context.close()

    return opened
