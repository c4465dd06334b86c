"""One JupyterLab and one Chromium for all browser tests, on a copy of the lessons."""

import json
import shutil
from contextlib import contextmanager

import pytest
from served_lab import LESSONS, Lab, browser, chromium, jupyterlab, unavailable

import zerostride as zs


def notebook(*sources, outputs=()):
    """Return a notebook of code cells; ``outputs`` belong to the last one."""
    cells = [
        {"cell_type": "code", "id": f"cell-{at}", "source": source, "metadata": {}, "outputs": []}
        | {"execution_count": None}
        for at, source in enumerate(sources)
    ]
    cells[-1]["outputs"] = list(outputs)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def stored_output():
    """Return an explorer's output as it is stored in a notebook."""
    data, metadata = zs.explore.addresses()._repr_mimebundle_()
    return {"output_type": "execute_result", "execution_count": 1, "data": data, "metadata": metadata}


# Closed with the one module that uses them: while Playwright is open, its event loop is in the way of others.
@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Serve the lessons and three small notebooks; yields address and token."""
    if not chromium():
        unavailable("no Chromium on this machine: browser tests not run")
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(LESSONS, folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
    show = "explorer = zs.explore.addresses()\nexplorer"
    shapes = "shapes = zs.explore.shapes()\nshapes"
    own = "x = np.arange(12.0).reshape(4, 3)[::-1]\nown = zs.explore.addresses(x)\nown"
    for language in ("en", "zh"):
        setup = f'import ipywidgets\nimport numpy as np\nimport zerostride as zs\nzs.use("{language}")'
        plain = 'plain = ipywidgets.IntSlider()\nplain.add_class("plain")'
        (folder / f"{language}.ipynb").write_text(json.dumps(notebook(setup, show, shapes, own, plain)))
    stored = notebook("import zerostride as zs", show, outputs=[stored_output()])
    (folder / "stored.ipynb").write_text(json.dumps(stored))
    with jupyterlab(folder, tmp_path_factory.mktemp("jupyter")) as address:
        yield address


@contextmanager
def opened_page(address):
    """Open JupyterLab in a page 1200 pixels wide."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, browser(playwright) as chromium_browser:
        page = chromium_browser.new_page(viewport={"width": 1200, "height": 1000})
        page.set_default_timeout(60_000)
        yield Lab(page, *address)


@pytest.fixture(scope="module")
def lab(served):
    """Open JupyterLab on the lessons and the small notebooks."""
    with opened_page(served) as lab:
        yield lab


@pytest.fixture(scope="module")
def opened(request, tmp_path_factory):
    """Open two small notebooks that show the module's ``EXPLORER``, the English one first."""
    if not chromium():
        unavailable("no Chromium on this machine: browser tests not run")
    folder = tmp_path_factory.mktemp("course")
    show = f"explorer = zs.explore.{request.module.EXPLORER}()\nexplorer"
    for language in ("en", "zh"):
        setup = f'import zerostride as zs\nzs.use("{language}")'
        (folder / f"{language}.ipynb").write_text(json.dumps(notebook(setup, show)))
    with (
        jupyterlab(folder, tmp_path_factory.mktemp("jupyter")) as address,
        opened_page(address) as lab,
    ):
        lab.open("en.ipynb")
        yield lab
        lab.close()


@pytest.fixture
def explorer(opened):
    """Hand out the explorer as it was at the start."""
    assert opened.errors() == []
    found = opened.explorer()
    found.do("reset")
    return found
