"""A JupyterLab of its own, on 127.0.0.1 with a token, and what a test does in its page."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

LESSONS = Path(__file__).parents[2] / "notebooks"
CHROMIUM_FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
}
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def chromium():
    """Return where Chromium is on this machine, or None."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for path in map(shutil.which, names) if path), None)


def unavailable(what):
    """Skip with one clear line; where CI=true everything has to be there, so fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what}, and CI=true allows no skip", pytrace=False)
    pytest.skip(what)


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


@contextmanager
def jupyterlab(folder, private):
    """Serve ``folder``, with settings, data and log under ``private``; yields address and token."""
    for name in ("config", "data"):
        (private / name).mkdir(parents=True)
    overrides = private / "config" / "labconfig" / "default_setting_overrides.json"
    overrides.parent.mkdir()
    overrides.write_text(json.dumps(OVERRIDES))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ServerApp.ip=127.0.0.1"]
    command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"]
    command += [f"--ServerApp.root_dir={folder}", "--LabApp.expose_app_in_browser=True"]
    command += ["--allow-root"] if ROOT else []
    # By TCP two servers that start kernels at one moment may pick one port. The name of a socket is short.
    command += ["--KernelManager.transport=ipc"] if hasattr(socket, "AF_UNIX") else []
    runtime = tempfile.TemporaryDirectory(prefix="zs-", ignore_cleanup_errors=True)
    places = {f"JUPYTER_{name.upper()}_DIR": str(private / name) for name in ("config", "data")}
    places["JUPYTER_RUNTIME_DIR"] = runtime.name
    log = private / "log.txt"
    with log.open("w") as file:
        server = subprocess.Popen(command, env=os.environ | places, stdout=file, stderr=subprocess.STDOUT)
    try:
        _answering(f"http://127.0.0.1:{port}/api/status?token={token}", server, log)
        yield f"http://127.0.0.1:{port}", token
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        runtime.cleanup()


def _answering(url, server, log, within_seconds=60):
    end = time.monotonic() + within_seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab does not answer:\n{log.read_text()[-2000:]}")


@contextmanager
def browser(playwright):
    """Start Chromium; yields Playwright's browser."""
    flags = [*CHROMIUM_FLAGS, *(["--no-sandbox"] if ROOT else [])]
    started = playwright.chromium.launch(executable_path=chromium(), args=flags)
    try:
        yield started
    finally:
        started.close()


# A promise that never settles (a dialog, a dead kernel) must fail the test, not hang it.
WITHIN = """(promise, what) => Promise.race([promise,
  new Promise((_, fail) => setTimeout(() =>
    fail(new Error(`no end within 90 s: ${what} (at ${window.step})`)), 90_000))])"""
OPEN = """async (path) => {
  const app = window.jupyterapp;
  window.step = 'restored';
  await app.restored;
  window.step = 'open';
  const panel = await app.commands.execute('docmanager:open', { path, factory: 'Notebook' });
  await panel.context.ready;
  window.step = 'session';
  await panel.sessionContext.ready;
  window.step = 'kernel';
  await panel.sessionContext.session.kernel.info;
  window.step = 'opened';
  window.opened = [...(window.opened ?? []), panel];
  window.panel = panel;
}"""
COMMAND = """async ([name, args]) => {
  await window.jupyterapp.restored;
  await window.jupyterapp.commands.execute(name, args);
}"""
CELLS = """() => ({
  active: window.panel.content.activeCellIndex,
  mode: window.panel.content.mode,
  ids: Array.from(window.panel.content.model.cells, (cell) => cell.id),
})"""
ERRORS = """() => Array.from(window.panel.content.model.cells).flatMap((cell) =>
  cell.type === 'code' ? cell.outputs.toJSON().filter((out) => out.output_type === 'error') : [])"""
PYTHON = """async (code) => {
  const future = window.panel.sessionContext.session.kernel.requestExecute({ code });
  let text = '';
  future.onIOPub = ({ content }) => { text += content.text ?? content.evalue ?? ''; };
  await future.done;
  return text.trim();
}"""
CLOSE = """async () => {
  await window.panel.sessionContext.shutdown();
  await window.panel.context.revert().catch(() => null);
  window.opened.pop().dispose();
  window.panel = window.opened.at(-1);
  if (window.panel) window.jupyterapp.shell.activateById(window.panel.id);
}"""


class Log:
    """Every address that a page asks for, also by a socket."""

    def __init__(self, page):
        self.asked = []
        page.context.on("request", lambda request: self.asked.append(request.url))
        page.on("websocket", lambda socket: self.asked.append(socket.url))

    def elsewhere(self, site):
        own = urlsplit(site).netloc
        outside = [url for url in self.asked if not url.startswith(("data:", "blob:"))]
        return [url for url in outside if urlsplit(url).netloc != own]


class Lab:
    """One page of JupyterLab, and one notebook open in it."""

    def __init__(self, page, url, token):
        self.page, self.url, self.token = page, url, token
        self.log = Log(page)  # from the first request on
        page.goto(f"{url}/lab?token={token}")
        page.wait_for_function("() => window.jupyterapp && window.jupyterapp.commands", timeout=60_000)

    def ask(self, function, argument=None, what="script"):
        """Evaluate an async function in the page; fail if it does not end."""
        script = f"(argument) => ({WITHIN})(({function})(argument), '{what}')"
        return self.page.evaluate(script, argument)

    def open(self, path, *, run=True):
        self.ask(OPEN, str(path), "open a notebook and wait for its kernel")
        if run:
            self.command("notebook:run-all-cells")

    def close(self):
        """Shut the kernel down, close the notebook unsaved and go back to the one opened before it."""
        self.ask(CLOSE, what="close the notebook")

    def command(self, name, **args):
        self.ask(COMMAND, [name, args], name)

    @property
    def panel(self):
        """The notebook in front."""
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")

    def theme(self, name):
        self.command("apputils:change-theme", theme=name)
        dark = str("Dark" not in name).lower()
        self.page.wait_for_selector(f'body[data-jp-theme-light="{dark}"]', state="attached")
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")

    def cells(self):
        """Active cell, mode and cell ids."""
        return self.page.evaluate(CELLS)

    def errors(self):
        """Error outputs of any cell."""
        return self.page.evaluate(ERRORS)

    def python(self, expression):
        """What the notebook's kernel prints for an expression."""
        return self.ask(PYTHON, f"print({expression})", "ask the kernel")

    def explorer(self, number=0):
        """An explorer of the notebook, once its drawing stands in the page."""
        box = self.panel.locator(".zs-explorer").nth(number)
        box.locator(".zs-drawing").wait_for()
        box.scroll_into_view_if_needed()
        return Explorer(box)


class Explorer:
    """What a learner does with an explorer and sees of it."""

    def __init__(self, box):
        self.box, self.page = box, box.page

    def slide(self, control, *keys):
        """Press keys on a slider."""
        self.box.locator(f".zs-{control} .noUi-handle").focus()
        for key in keys:
            self.page.keyboard.press(key)

    def toggle(self, control, label):
        self.box.locator(f".zs-{control}").get_by_role("button", name=label, exact=True).click()

    def dial(self, name, *keys):
        """Press keys on a slider of the drawing itself."""
        self.box.locator(f"[data-dial={name}]").focus()
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, name, words):
        """Type a shape."""
        self.box.locator(f"[data-typed={name}]").fill(words)

    def do(self, name):
        """Click a button of the drawing."""
        self.box.locator(f"[data-do={name}]").click()

    def cell(self, row, col):
        return self.box.locator(f'[data-cell="{row},{col}"]')

    def offsets(self):
        """The offsets drawn in the cells, row by row."""
        rows = self.box.locator("svg [role=row]").all()
        return [[int(text) for text in row.locator(".zs-offset").all_text_contents()] for row in rows]

    def lit(self):
        """Cells that are lit, as "i,j"."""
        return [cell.get_attribute("data-cell") for cell in self.box.locator(".zs-cell.zs-lit").all()]

    def text(self, part):
        """Text of a part: summary, formula, live, mission."""
        return self.box.locator(f".zs-{part}").inner_text().replace("\u00a0", " ")
