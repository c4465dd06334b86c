"""JupyterLab on a learner's copy of the course."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from zerostride import language
from zerostride.course import lessons
from zerostride.language import current, say
from zerostride.placing import put
from zerostride.refusals import RefusedError

_START_SECONDS = 60
# Defaults only, a learner's own settings win. With their state saved, the drawings of a notebook
# that is opened again are alive before anything runs.
_SETTINGS: dict[str, dict[str, Any]] = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
}


def is_installed() -> bool:
    """Return whether JupyterLab can be started."""
    return find_spec("jupyterlab") is not None


def open_lab(directory: Path, passed_on: list[str], environment: dict[str, str]) -> int:
    """Start JupyterLab in a folder, print its address, wait for its end; return its exit status.

    Parameters
    ----------
    directory : Path
        An absolute path that holds ``en`` and ``zh``.
    passed_on : list of str
        Options for JupyterLab; they win over the ones chosen here.
    environment : dict of str to str
        What ``environment`` gives for that folder.

    Raises
    ------
    RefusedError
        If JupyterLab ends with an error before it can be reached, such as for an option unknown to it.
    """
    earlier = _records()
    server = subprocess.Popen(
        command(directory, passed_on),
        env=environment,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    said = _Said(server.stderr or ())
    try:
        address = _address(server, directory, earlier)
        if (server.poll() or 0) > 0:
            raise RefusedError(say("cli.not_started", said=said.end()))
        said.pass_on()
        if address:
            print(say("cli.open", url=address), flush=True)
        return server.wait()
    except KeyboardInterrupt:
        said.pass_on()
        return _ended(server)
    finally:
        said.end()


class _Said:
    """What a server says: held back until it is known to have started, then passed on as it comes."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._held: list[str] | None = []
        self._lock = Lock()
        self._reader = Thread(target=self._read, args=(lines,), daemon=True)
        self._reader.start()

    def _read(self, lines: Iterable[str]) -> None:
        for line in lines:
            with self._lock:
                if self._held is None:
                    _say_aside(line)
                else:
                    self._held.append(line)

    def pass_on(self) -> None:
        with self._lock:
            _say_aside("".join(self._held or ()))
            self._held = None

    def end(self) -> str:
        """Wait for the last line and return it."""
        self._reader.join(timeout=5)
        lines = [line.strip() for line in self._held or ()]
        return next(filter(None, reversed(lines)), "")


def _say_aside(text: str) -> None:
    # Where nobody reads any more, the server goes on: unread, its pipe would fill up and stop it.
    with suppress(OSError, ValueError):
        print(text, end="", file=sys.stderr, flush=True)


def command(directory: Path, passed_on: list[str]) -> list[str]:
    """Return the command line that starts JupyterLab on the first lesson in the language in use.

    Examples
    --------
    >>> "--ServerApp.ip=127.0.0.1" in command(Path("/course"), [])
    True
    >>> "--ServerApp.ip=127.0.0.1" in command(Path("/course"), ["--ip=0.0.0.0"])
    False
    """
    ours = {
        "ip": "--ServerApp.ip=127.0.0.1",
        "root_dir": f"--ServerApp.root_dir={directory}",
        "default_url": f"--LabApp.default_url={first_page()}",
        "answer_yes": "--ServerApp.answer_yes=True",
        "log-level": "--log-level=ERROR",
    }
    theirs = {option.split("=")[0].lstrip("-").split(".")[-1] for option in passed_on}
    options = [option for name, option in ours.items() if name not in theirs]
    if "no-browser" not in theirs and not has_browser():
        options.append("--no-browser")
    if "allow-root" not in theirs and hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")
    return [sys.executable, "-m", "jupyterlab", *options, *passed_on]


def environment(directory: Path) -> dict[str, str]:
    """Write the settings below a folder; return the variables for JupyterLab, its token among them.

    Raises
    ------
    OSError
        If the folder cannot be written.
    """
    settings = directory / ".zerostride" / "jupyter"
    _write(settings / "labconfig" / "default_setting_overrides.json", defaults())
    config_path = [str(settings), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    token = os.environ.get("JUPYTER_TOKEN") or secrets.token_hex(24)
    return os.environ | {"JUPYTER_TOKEN": token, "JUPYTER_CONFIG_PATH": os.pathsep.join(config_path)}


def defaults() -> dict[str, dict[str, Any]]:
    """Return JupyterLab's settings for the language in use; a learner's own choice wins over each.

    The menu speaks it too where JupyterLab's language pack is installed, as the extra ``zh`` does.

    Examples
    --------
    >>> defaults()["@jupyterlab/apputils-extension:notification"]["fetchNews"]
    'false'
    """
    menu = language.about(current()).menu
    if not menu or find_spec(f"jupyterlab_language_pack_{menu}") is None:
        return _SETTINGS
    return _SETTINGS | {"@jupyterlab/translation-extension:plugin": {"locale": menu}}


def configure(jupyter: Path, folder: str) -> None:
    """Write the defaults and lesson 0 as the first page into a configuration folder of Jupyter.

    For images and hubs, where ``zerostride lab`` is not what starts
    JupyterLab. What the files already say about anything else stays.

    Parameters
    ----------
    jupyter : Path
        One of ``jupyter --paths``, for instance ``/opt/tljh/user/etc/jupyter``.
    folder : str
        The course, relative to the folder where the server starts.
    """
    _add(jupyter / "labconfig" / "default_setting_overrides.json", defaults())
    page = {"ServerApp": {"default_url": first_page(f"{folder}/")}}
    _add(jupyter / "jupyter_server_config.json", page)


def _add(file: Path, settings: dict[str, dict[str, Any]]) -> None:
    known = json.loads(file.read_text("utf-8")) if file.exists() else {}
    _write(file, known | {name: known.get(name, {}) | more for name, more in settings.items()})


def _write(file: Path, settings: dict[str, dict[str, Any]]) -> None:
    put(file, json.dumps(settings, indent=1).encode())


def first_page(folder: str = "") -> str:
    """Return the path of the first lesson in the language in use, as JupyterLab serves it.

    Each language has a workspace of its own, so the tabs of the other one stay away.

    Parameters
    ----------
    folder : str
        Where the course lies below the server's folder, with a slash at its end.

    Examples
    --------
    >>> first_page("course/")
    '/lab/workspaces/en/tree/course/en/00_start_here.ipynb'
    """
    lesson = f"{folder}{current()}/{lessons(current())[0].name}"
    return f"/lab/workspaces/{current()}/tree/{quote(lesson)}"


def has_browser() -> bool:
    """Return whether a browser with a window can be opened from here."""
    windows = sys.platform in ("win32", "darwin")
    if not (windows or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))):
        return False  # what is left are browsers that take over the terminal
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _address(server: "subprocess.Popen[str]", directory: Path, earlier: set[Path]) -> str | None:
    # The port may have moved on, so the server's own record is read; its process may be a child of ours.
    end = time.monotonic() + _START_SECONDS
    while server.poll() is None and time.monotonic() < end:
        for about in map(_read, _records() - earlier):
            if about and Path(about["root_dir"]) == directory and _answers(about["url"]):
                query = "?" + urlencode({"token": about["token"]}) if about["token"] else ""
                return f"{about['url'].rstrip('/')}{first_page()}{query}"
        time.sleep(0.1)
    return None


def _records() -> set[Path]:
    from jupyter_core.paths import jupyter_runtime_dir

    return set(Path(jupyter_runtime_dir()).glob("jpserver-*.json"))


def _read(record: Path) -> dict[str, str] | None:
    try:
        held = json.loads(record.read_text("utf-8"))
        about = {name: str(held[name]) for name in ("root_dir", "url", "token")}
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
    ):  # it is being written, has just gone or is another's
        return None
    # A server on every address is reached on this one.
    return about | {"url": about["url"].replace("//0.0.0.0:", "//127.0.0.1:")}


def _answers(url: str) -> bool:
    site = urlsplit(url)
    try:
        socket.create_connection((site.hostname, site.port or 80), timeout=5).close()
    except OSError:
        return False
    return True


def _ended(server: "subprocess.Popen[str]") -> int:
    # Ctrl-C reached the server too; where it did not, it is told.
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C has nothing more to say
    try:
        server.wait(timeout=5)
    except subprocess.TimeoutExpired:
        server.terminate()
        server.wait()
    return 0
