"""JupyterHub on this machine with N learners: seconds and memory of each, with torch and without.

    npm install --prefix /tmp/proxy configurable-http-proxy@5.3.0
    python3 -m venv /tmp/hub && /tmp/hub/bin/pip install -c constraints.txt -e '.[lab,bench]'
    /tmp/hub/bin/python tests/bench/hub.py --proxy /tmp/proxy/node_modules/.bin/configurable-http-proxy

Starts the hub on 127.0.0.1, logs the learners in, starts all their servers at
once and runs their own copy of lesson 1 by the API, first without the cells
tagged `torch`, then with them. Fails where a cell fails, where a kernel that
ran no such cell has loaded torch, or where one that did has not. Then one
learner runs every lesson, for the most memory that any of them takes. Prints
Markdown; `--json FILE` writes the record. Linux only: it reads /proc. Every
process it started ends with it.

Servers reach their kernels by sockets in the folder (`ipc`). By `tcp`, the
default of Jupyter, two servers that start kernels at the same moment now and
then pick the same free port, and one kernel does not start. The names here
are short because the path of such a socket may have 107 characters.
"""

import argparse
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median

import requests
from hub_figures import GROUPS, arithmetic, limits, markdown
from websocket import create_connection

from zerostride.course import lessons

LESSON = "01_four_rows_three_numbers.ipynb"
MARK = "ZEROSTRIDE_HUB"
PATIENCE_SECONDS = 600
TORCH_LOADED = "import sys; print('torch' in sys.modules)"
CONFIG = """
from pathlib import Path
from zerostride.learner import copy_course

c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api_port}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = {password!r}
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = "{folder}/{{username}}"
c.Spawner.cmd = [{python!r}, "-m", "jupyterhub.singleuser"]
c.Spawner.args = {args!r}
c.Spawner.environment = {{"{mark}": "{folder}"}}
c.Spawner.start_timeout = c.Spawner.http_timeout = {patience}
c.Spawner.pre_spawn_hook = lambda spawner: copy_course(Path("{folder}") / spawner.user.name / "course")
"""


def main(argv=None):
    """Measure, print, and write what was asked for."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--proxy", required=True, type=Path, help="the program configurable-http-proxy")
    asked.add_argument("--learners", type=int, default=12)
    asked.add_argument("--transport", choices=("ipc", "tcp"), default="ipc", help="server to kernel")
    asked.add_argument("--json", type=Path, help="where to write the record")
    asked.add_argument("--smoke", action="store_true", help="two learners, one lesson, no record")
    told = asked.parse_args(argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="hub-") as folder, Hub(folder, told) as hub:
        count, every = (2, lessons("en")[:1]) if told.smoke else (told.learners, lessons("en"))
        record = measured(hub, count, every)
    print(markdown(record))
    if told.json and not told.smoke:
        told.json.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


class Hub:
    """JupyterHub with its proxy in a folder of its own; its end is the end of everything it started."""

    def __init__(self, folder, told):
        self.folder, self.transport = folder, told.transport
        self.password = secrets.token_hex(16)
        port, hub_port, api_port = free_ports(3)
        self.site = f"http://127.0.0.1:{port}"
        self.config = CONFIG.format(
            port=port,
            hub_port=hub_port,
            api_port=api_port,
            proxy=str(told.proxy.resolve()),
            password=self.password,
            folder=folder,
            python=sys.executable,
            args=[f"--KernelManager.transport={self.transport}", *["--allow-root"] * (os.geteuid() == 0)],
            mark=MARK,
            patience=PATIENCE_SECONDS,
        )

    def __enter__(self):
        home = Path(self.folder)
        (home / "jupyterhub_config.py").write_text(self.config, "utf-8")
        self.log = (home / "hub.log").open("wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub"],
            cwd=home,
            env=os.environ | {MARK: self.folder, "HOME": self.folder},
            stdout=self.log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            until(lambda: answered(f"{self.site}/hub/health"), "the hub answers")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *failure):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # nothing may interrupt the clearing up
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
        for process in processes(self):
            os.kill(process, signal.SIGKILL)
        self.log.close()
        if any(failure):
            print(Path(self.log.name).read_text("utf-8", "replace")[-4000:], file=sys.stderr)


class Learner:
    """Somebody who logs in with name and password and works in a server of their own."""

    def __init__(self, hub, name):
        self.hub, self.name = hub, name
        self.session = requests.Session()
        self.session.trust_env = False
        self.mine = f"{hub.site}/user/{name}"

    def log_in(self):
        page = f"{self.hub.site}/hub/login"
        self.session.get(page).raise_for_status()
        form = {"username": self.name, "password": self.hub.password, "_xsrf": self.session.cookies["_xsrf"]}
        self.session.post(page, data=form, allow_redirects=False).raise_for_status()
        about = f"{self.hub.site}/hub/api/users/{self.name}"
        xsrf = {"_xsrf": next(it.value for it in self.session.cookies if it.path == "/hub/")}
        answer = self.session.post(
            f"{about}/tokens", params=xsrf, headers={"Referer": f"{self.hub.site}/hub/"}
        )
        answer.raise_for_status()
        self.session.headers["Authorization"] = f"token {answer.json()['token']}"
        return about

    def start(self):
        """Log in, start the server; return seconds from login until it answers."""
        begin = time.monotonic()
        about = self.log_in()
        self.session.post(f"{about}/server").raise_for_status()
        until(lambda: self.session.get(about).json().get("server"), f"the server of {self.name} runs")
        until(lambda: self.session.get(f"{self.mine}/api/status").ok, f"the server of {self.name} answers")
        return time.monotonic() - begin

    def run(self, lesson, with_torch):
        """Run a lesson in a new kernel and leave that running; return seconds."""
        begin = time.monotonic()
        cells = self.ask("get", f"api/contents/course/en/{lesson}")["content"]["cells"]
        self.kernel = self.ask("post", "api/kernels", json={"path": f"course/en/{lesson}"})["id"]
        address = f"{self.mine}/api/kernels/{self.kernel}/channels".replace("http:", "ws:")
        token = f"Authorization: {self.session.headers['Authorization']}"
        self.channel = create_connection(address, header=[token], timeout=PATIENCE_SECONDS)
        for cell in cells:
            if cell["cell_type"] == "code" and (
                with_torch or "torch" not in cell["metadata"].get("tags", [])
            ):
                self.execute(cell["source"])
        return time.monotonic() - begin

    def run_first(self, with_torch):
        """Run lesson 1; return seconds, once it is sure that torch is there only where it was asked for."""
        seconds = self.run(LESSON, with_torch)
        loaded = self.execute(TORCH_LOADED).strip()
        assert loaded == str(with_torch), f"{self.name}: torch loaded is {loaded}"
        return seconds

    def peak(self, lesson):
        """Run all of a lesson; return the most MiB that server and kernel, with their children, held."""
        with ThreadPoolExecutor(1) as pool:
            running, most = pool.submit(self.run, lesson, True), 0
            while not running.done():
                most = max(most, held(self.hub, self.name, "status", "VmHWM"))
                time.sleep(0.1)
        running.result()
        self.end_kernel()
        return most

    def execute(self, source):
        """Run one cell; return what it printed."""
        mine = uuid.uuid4().hex
        header = {"msg_id": mine, "msg_type": "execute_request", "session": self.name, "username": self.name}
        header |= {"version": "5.4", "date": "2000-01-01T00:00:00Z"}
        content = {"code": source, "silent": False, "store_history": True, "user_expressions": {}}
        content |= {"allow_stdin": False, "stop_on_error": True}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        self.channel.send(json.dumps(message | {"channel": "shell", "buffers": []}))
        printed, waiting = [], {"execute_reply", "idle"}
        while waiting:
            told = self.channel.recv()
            if isinstance(told, bytes):  # a widget's buffers; nothing of ours comes so
                continue
            told = json.loads(told)
            if told["parent_header"].get("msg_id") != mine:
                continue
            kind, about = told["msg_type"], told["content"]
            if kind == "error" or about.get("status") == "error":
                raise AssertionError(f"{self.name}: {about.get('ename')}: {about.get('evalue')}\n{source}")
            if kind == "stream":
                printed.append(about["text"])
            waiting -= {about.get("execution_state") if kind == "status" else kind}
        return "".join(printed)

    def end_kernel(self):
        self.channel.close()
        self.session.delete(f"{self.mine}/api/kernels/{self.kernel}").raise_for_status()

    def ask(self, verb, path, **more):
        answer = self.session.request(verb, f"{self.mine}/{path}", **more)
        answer.raise_for_status()
        return answer.json()


def measured(hub, count, every):
    """Return the record: versions, figures of every state, and the arithmetic made from them."""
    learners = [Learner(hub, f"l{number}") for number in range(1, count + 1)]
    packages = ("jupyterhub", "jupyterlab", "numpy", "torch")
    record = {"learners": count, "cores": os.cpu_count(), "transport": hub.transport}
    record["versions"] = {name: version(name).split("+")[0] for name in packages}
    with ThreadPoolExecutor(count) as pool:
        record["server"] = state(hub, learners, lambda: list(pool.map(Learner.start, learners)))
        for group, with_torch in zip(GROUPS, (False, True), strict=True):
            run = partial(Learner.run_first, with_torch=with_torch)
            record[group] = state(hub, learners, lambda run=run: list(pool.map(run, learners)))
            list(pool.map(Learner.end_kernel, learners))
    record["hub"] = {f"{size.lower()}_mib": held(hub, "", "smaps_rollup", size) for size in ("Pss", "Rss")}
    record["peaks_mib"] = {lesson.stem: learners[0].peak(lesson.name) for lesson in every}
    return record | {"limits": limits(record), "arithmetic": arithmetic(record)}


def state(hub, learners, work):
    """Do something for all learners at once; return the figures of one of them."""
    before = spent(hub)
    seconds = work()
    cpu = (spent(hub) - before) / len(learners)
    figures = {"seconds": median(seconds), "last_seconds": max(seconds), "cpu_seconds": cpu}
    figures = {name: round(value, 1) for name, value in figures.items()}
    for size in ("Pss", "Rss"):
        of_each = [held(hub, learner.name, "smaps_rollup", size) for learner in learners]
        figures[f"{size.lower()}_mib"] = round(median(of_each))
    return figures


def processes(hub):
    """Return the processes that this hub started with whose they are, found by their environment."""
    found = {}
    for about in Path("/proc").glob("[0-9]*/environ"):
        try:
            environment = about.read_text("utf-8", "replace").split("\0")
        except OSError:  # it has ended, or is another user's
            continue
        if f"{MARK}={hub.folder}" in environment:
            users = [entry.partition("=")[2] for entry in environment if entry.startswith("JUPYTERHUB_USER=")]
            found[int(about.parent.name)] = users[0] if users else ""
    return found


def held(hub, user, file, size):
    """Return MiB of somebody's processes together, the hub's own where the user is empty."""
    kib = 0
    for process, whose in processes(hub).items():
        if whose == user:
            try:
                lines = Path(f"/proc/{process}/{file}").read_text().splitlines()
            except OSError:  # it has just ended
                continue
            kib += sum(int(line.split()[1]) for line in lines if line.startswith(f"{size}:"))
    return round(kib / 1024)


def spent(hub):
    """Return the CPU seconds of everything the hub started, ended children included."""
    ticks = 0
    for process in processes(hub):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def until(done, what):
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not done():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {PATIENCE_SECONDS} s: {what}")
        time.sleep(0.2)


def answered(address):
    try:
        return requests.get(address, timeout=5).ok
    except requests.ConnectionError:
        return False


def free_ports(count):
    """Return ports of 127.0.0.1 that nobody listens on."""
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [it.getsockname()[1] for it in taken]
    for it in taken:
        it.close()
    return ports


if __name__ == "__main__":
    main()
