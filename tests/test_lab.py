"""The command that opens the course, really started."""

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from threading import Event

import pytest

from sample_course import LESSON, checkout
from zerostride import course, lab
from zerostride.cli import main
from zerostride.language import use

START_SECONDS = 60


@pytest.fixture(scope="module")
def src(tmp_path_factory):
    return checkout(tmp_path_factory.mktemp("a checkout 目录"))


@pytest.fixture
def environment(src, tmp_path):
    """Return variables for a child process: the sample checkout, private Jupyter folders, no browser."""
    mine = {"PYTHONPATH": str(src), "PYTHONIOENCODING": "utf-8", "ZEROSTRIDE_LANG": "en"}
    for name in ("CONFIG", "DATA", "RUNTIME"):
        mine[f"JUPYTER_{name}_DIR"] = str(tmp_path / name)
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "JUPYTER_TOKEN")
    return {name: value for name, value in os.environ.items() if name not in hidden} | mine


class Course:
    """A running ``zerostride lab``."""

    def __init__(self, arguments, environment, folder):
        self.said = folder / f"said-{time.monotonic_ns()}.txt"
        with self.said.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "zerostride", "lab", *arguments],
                env=environment,
                cwd=folder,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def text(self):
        return self.said.read_text("utf-8")

    def address(self):
        for _ in range(START_SECONDS * 10):
            found = re.search(r"http://\S+", self.text())
            if found:
                return found[0]
            assert self.process.poll() is None, self.text()
            time.sleep(0.1)
        raise AssertionError(self.text())

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(timeout=30)


@pytest.fixture
def start(environment, tmp_path):
    """Return a function that starts the course; whatever it started is stopped at the end."""
    running = []

    def run(*arguments, **more):
        running.append(Course(arguments, environment | more, tmp_path))
        return running[-1]

    yield run
    for one in running:
        one.stop()


def status(address):
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), Stay)
    try:
        return opener.open(address, timeout=30).status
    except urllib.error.HTTPError as error:
        return error.code


def test_the_course_opens_with_its_token_and_not_without(start, tmp_path):
    running = start("--dir", "我的 课程", "--lang", "zh")
    address = running.address()
    assert address.startswith("http://127.0.0.1:")
    assert f"/lab/workspaces/zh/tree/zh/{LESSON}?token=" in address
    page, token = address.split("?token=")
    site = page.split("/lab/")[0]
    assert status(address) == 200
    assert status(f"{site}/api/contents/en/{LESSON}?token={token}") == 200
    assert status(page) in (302, 403)
    assert status(f"{site}/api/contents?token=") == 403
    assert status(f"{site}/api/contents?token=wrong") == 403
    assert len(token) >= 40
    assert (tmp_path / "我的 课程" / "zh" / LESSON).is_file()
    os.killpg(running.process.pid, signal.SIGINT)
    assert running.process.wait(timeout=30) == 0
    assert "Traceback" not in running.text()
    assert "课程已打开" in running.text()


def test_the_port_moves_on_and_the_printed_one_is_right(start):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        running = start("--port", str(port), "--nonsense=3")
        assert f":{port}/" not in running.address()
        assert status(running.address()) == 200
        assert "Unrecognized alias: 'nonsense'" in running.text()  # what the server says is passed on


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere 127.0.0.2 is no address of this machine")
def test_an_address_of_ones_own_is_the_printed_one(start):
    address = start("--ip=127.0.0.2", "--ServerApp.base_url=/my/hub/").address()
    assert address.startswith("http://127.0.0.2:")
    assert f"/my/hub/lab/workspaces/en/tree/en/{LESSON}?token=" in address
    assert status(address) == 200


def test_a_token_of_ones_own_is_kept_and_a_stop_ends_the_server(start):
    running = start(JUPYTER_TOKEN="my-own-token")
    address = running.address()
    assert address.endswith("?token=my-own-token")
    assert status(address) == 200
    running.process.terminate()
    running.process.wait(timeout=30)
    with pytest.raises(urllib.error.URLError):
        status(address)


REFUSED = {
    ("en", "--ServerApp.port=many"): ("JupyterLab did not start", "expected an int"),
    ("zh", "--nonsense"): ("JupyterLab没有启动", "--nonsense"),
}


@pytest.mark.parametrize(("language", "option"), REFUSED)
def test_what_jupyterlab_refuses_is_one_line_and_2(environment, tmp_path, language, option):
    """Its own many lines, a usage or a traceback, stay away; the last of them is quoted."""
    arguments = ["--lang", language, "lab", "--dir", "course", option]
    done = subprocess.run(
        [sys.executable, "-m", "zerostride", *arguments],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=START_SECONDS,
        check=False,
    )
    assert done.returncode == 2
    assert "http://" not in done.stdout
    assert done.stderr.count("\n") == 1
    assert all(word in done.stderr for word in REFUSED[language, option])


def test_what_a_server_says_is_held_back_until_it_has_started(capsys):
    lines = ["usage: many lines\n", "error: no such option\n", "\n"]
    said = lab._Said(lines)
    assert (said.end(), capsys.readouterr().err) == ("error: no such option", "")
    said.pass_on()
    assert capsys.readouterr().err == "".join(lines)


class Unread(io.StringIO):
    """The end of a pipe whose reader has gone."""

    def write(self, _):
        raise BrokenPipeError


def test_a_server_whose_words_nobody_reads_goes_on(monkeypatch):
    """A pipe that is no longer emptied would fill up and stop it."""
    monkeypatch.setattr("sys.stderr", Unread())
    begun, lines = Event(), iter(["a line\n"] * 3)
    said = lab._Said(line for line in lines if begun.wait(START_SECONDS))
    said.pass_on()
    begun.set()
    said.end()
    assert list(lines) == []


@pytest.fixture
def sample(tmp_path, monkeypatch):
    """Use the sample lessons in this process."""
    folder = checkout(tmp_path / "checkout").parent / "notebooks"
    monkeypatch.setattr(course, "lessons_folder", lambda: folder)


def wide(command):
    """Return the options of a command that let somebody else in: another address, no token, a password."""
    own = ("--ServerApp.ip=127.0.0.1", "--LabApp.expose_app_in_browser=True")
    risky = re.compile(r"ip\b|token|password|allow_(?:origin|remote)|disable_check_xsrf|expose")
    return [option for option in command if risky.search(option.split("=")[0]) and option not in own]


WIDE = [
    "--ip=0.0.0.0",
    "--ServerApp.ip=*",
    "--IdentityProvider.token=",
    "--ServerApp.password=",
    "--NotebookApp.token=",
]


def test_nobody_else_is_let_in_but_by_an_option_of_ones_own(sample):
    ours = lab.command(Path("/course"), [])
    assert {"--ServerApp.ip=127.0.0.1", "--ServerApp.root_dir=/course"} <= set(ours)
    assert wide(ours) == []
    for option in WIDE:
        theirs = lab.command(Path("/course"), [option])
        assert wide(theirs) == [option]
        assert ("--ServerApp.ip=127.0.0.1" in theirs) is ("ip" not in option)


@pytest.mark.parametrize(("token", "kept"), [("", False), ("my-own", True)])
def test_an_empty_token_in_the_environment_is_none(sample, tmp_path, monkeypatch, token, kept):
    monkeypatch.setenv("JUPYTER_TOKEN", token)
    given = [lab.environment(tmp_path)["JUPYTER_TOKEN"] for _ in range(2)]
    assert (given == [token, token]) is kept
    assert kept or (min(map(len, given)) >= 40 and given[0] != given[1])


@pytest.mark.parametrize(("user", "allowed"), [(0, True), (1000, False)])
def test_root_is_allowed_and_only_root(sample, monkeypatch, user, allowed):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert ("--allow-root" in lab.command(Path("/course"), [])) is allowed


@pytest.fixture
def settings_of(start):
    """Return a function that starts the course and asks JupyterLab for one of its settings."""

    def ask(plugin, *arguments):
        page, token = start(*arguments).address().split("?token=")
        site = page.split("/lab/")[0]
        address = f"{site}/lab/api/settings/{plugin}?token={token}"
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address) as answer:
            return json.load(answer)

    return ask


MENU = "@jupyterlab/translation-extension:plugin"


@pytest.mark.parametrize(("language", "locale"), [("zh", "zh_CN"), ("en", "default")])
def test_the_menu_speaks_the_language_of_the_course(settings_of, language, locale):
    menu = settings_of(MENU, "--dir", "c", "--lang", language)
    assert menu["schema"]["properties"]["locale"]["default"] == locale
    assert menu["settings"] == {}


def test_a_menu_chosen_by_the_learner_stays(settings_of, tmp_path):
    chosen = tmp_path / "CONFIG" / "lab" / "user-settings" / "@jupyterlab" / "translation-extension"
    chosen.mkdir(parents=True)
    (chosen / "plugin.jupyterlab-settings").write_text('{"locale": "default"}', "utf-8")
    assert settings_of(MENU, "--lang", "zh")["settings"] == {"locale": "default"}


def test_without_the_pack_the_menu_is_left_alone(monkeypatch):
    use("zh")
    assert MENU in lab.defaults()
    monkeypatch.setattr(lab, "find_spec", lambda _: None)
    assert MENU not in lab.defaults()


def test_what_a_hub_has_configured_already_stays(sample, tmp_path):
    file = tmp_path / "jupyter_server_config.json"
    file.write_text('{"ServerApp": {"jpserver_extensions": {"mine": true}}, "Other": {"a": 1}}', "utf-8")
    lab.configure(tmp_path, "course")
    page = f"/lab/workspaces/en/tree/course/en/{LESSON}"
    assert json.loads(file.read_text("utf-8")) == {
        "ServerApp": {"jpserver_extensions": {"mine": True}, "default_url": page},
        "Other": {"a": 1},
    }


def test_the_first_page_follows_the_language(sample):
    assert lab.first_page() == f"/lab/workspaces/en/tree/en/{LESSON}"
    use("zh")
    assert lab.first_page() == f"/lab/workspaces/zh/tree/zh/{LESSON}"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="these always have a display")
def test_a_browser_needs_a_display_and_a_browser(sample, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert not lab.has_browser()
    assert "--no-browser" in lab.command(Path("/course"), [])
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.get", lambda: object())
    assert lab.has_browser()
    assert "--no-browser" not in lab.command(Path("/course"), [])


@pytest.mark.parametrize(("language", "words"), [("en", "is not installed"), ("zh", "还没有安装JupyterLab")])
def test_without_jupyterlab_it_says_what_to_install(sample, tmp_path, monkeypatch, capsys, language, words):
    monkeypatch.setattr(lab, "find_spec", lambda _: None)
    assert main(["lab", "--dir", str(tmp_path / "c"), "--lang", language]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert 'pip install "zerostride[lab]"' in said
    assert (tmp_path / "c" / "en" / LESSON).is_file()


@pytest.mark.parametrize("place", ["a file", "a file/below"])
def test_a_file_in_the_place_of_the_folder_is_one_clear_line(sample, tmp_path, capsys, place):
    (tmp_path / "a file").write_text("mine", "utf-8")
    assert main(["lab", "--copy-only", "--dir", str(tmp_path / place)]) == 2
    said = capsys.readouterr().err
    assert "there is a file in its place" in said
    assert said.count("\n") == 1
    assert (tmp_path / "a file").read_text("utf-8") == "mine"


def test_a_folder_that_may_not_be_written_is_one_clear_line(sample, tmp_path, monkeypatch, capsys):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert main(["lab", "--copy-only", "--dir", str(tmp_path / "closed"), "--lang", "zh"]) == 2
    said = capsys.readouterr().err
    assert "你没有写入权限" in said
    assert said.count("\n") == 1


def test_what_was_done_is_said_once(sample, tmp_path, capsys):
    folder = tmp_path / "course"
    assert main(["lab", "--copy-only", "--dir", str(folder)]) == 0
    assert str(folder) in capsys.readouterr().out
    assert main(["lab", "--copy-only", "--dir", str(folder)]) == 0
    assert capsys.readouterr().out == ""
    (folder / "en" / LESSON).write_text(json.dumps({}), "utf-8")
    assert main(["lab", "--copy-only", "--dir", str(folder)]) == 0
    assert f"left alone, they are yours: en/{LESSON}" in capsys.readouterr().out


def test_a_stray_word_is_no_folder(sample, capsys):
    assert main(["lab", "my-folder"]) == 2
    assert "my-folder" in capsys.readouterr().err


def test_without_dir_the_copy_lands_in_a_folder_of_its_name(environment, tmp_path):
    subprocess.run(
        [sys.executable, "-m", "zerostride", "lab", "--copy-only"], env=environment, cwd=tmp_path, check=True
    )
    assert (tmp_path / "zerostride-course" / "en" / LESSON).is_file()
