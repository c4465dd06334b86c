"""What repo2docker makes of this repository, as far as it goes without Docker."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from rattler import MatchSpec
from rattler.exceptions import InvalidMatchSpecError

from sample_course import LESSON, ROOT, checkout

ENVIRONMENT = (ROOT / "environment.yml").read_text("utf-8")


def recipe(folder):
    """Return the Dockerfile that repo2docker would build in a folder."""
    command = [sys.executable, "-m", "repo2docker", "--debug", "--no-build", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stderr + done.stdout


@pytest.fixture
def repository(tmp_path):
    """Return a folder with the files that repo2docker looks at."""
    for name in ("environment.yml", "postBuild", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def problems(dockerfile):
    """Return what is wrong with a recipe: the files come first, then the environment, then the copy."""
    steps = (r"for python=3\.11", r"COPY .* src/ ", r'env update .*"environment\.yml"', r"RUN \./postBuild")
    places = [found.start() if (found := re.search(step, dockerfile)) else -1 for step in steps]
    missing = [step for step, place in zip(steps, places, strict=True) if place < 0]
    return missing or ([] if places == sorted(places) else ["order"])


def test_repo2docker_reads_the_environment_after_the_files_and_then_copies_the_course(repository):
    assert problems(recipe(repository)) == []


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("environment.yml", ENVIRONMENT.replace(".[hub]", "zerostride"), "order"),
        ("environment.yml", ENVIRONMENT.replace("python=3.11", "python=3.12"), r"for python=3\.11"),
        ("Dockerfile", "FROM scratch", None),
        ("binder/postBuild", "", None),
    ],
)
def test_a_recipe_that_leaves_the_course_out_would_be_seen(repository, name, text, problem):
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_text(text, "utf-8")
    found = problems(recipe(repository))
    assert found
    assert problem in (None, *found)


def test_nothing_overrides_the_environment():
    for name in ("Dockerfile", "binder", ".binder", "requirements.txt", "runtime.txt", "apt.txt"):
        assert not (ROOT / name).exists()
    assert os.access(ROOT / "postBuild", os.X_OK)


def unreadable(text):
    """Return the lines for conda that conda's own grammar does not take."""
    wrong = []
    for line in yaml.safe_load(text)["dependencies"]:
        if isinstance(line, str):
            try:
                MatchSpec(line, strict=True)
            except InvalidMatchSpecError:
                wrong.append(line)
    return wrong


def test_every_line_for_conda_can_be_read():
    assert unreadable(ENVIRONMENT) == []


@pytest.mark.parametrize("line", ["numpy=>2.0", "numpy>=2.0,", "numpy>=2.0 with mkl"])
def test_a_line_that_conda_cannot_read_would_be_seen(line):
    assert unreadable(ENVIRONMENT.replace("numpy>=2.0", line)) == [line]


def finished(folder, script):
    """Run postBuild as the image does, with the sample course; return where a server then sends a visitor."""
    src = checkout(folder / "sample")
    home, prefix = folder / "home", folder / "prefix"
    home.mkdir()
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "python").symlink_to(sys.executable)
    command = prefix / "bin" / "zerostride"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m zerostride "$@"\n', "utf-8")
    command.chmod(0o755)
    path = os.pathsep.join([str(prefix / "bin"), os.environ["PATH"]])
    environment = os.environ | {"NB_PYTHON_PREFIX": str(prefix), "PYTHONPATH": str(src), "PATH": path}
    subprocess.run(["bash", "-c", script], cwd=home, env=environment, check=True)
    assert (home / "course" / "zh" / LESSON).is_file()
    environment["JUPYTER_CONFIG_PATH"] = str(prefix / "etc" / "jupyter")
    command = [sys.executable, "-m", "jupyter_server", "--show-config-json"]
    done = subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, check=True)
    settings = prefix / "etc" / "jupyter" / "labconfig" / "default_setting_overrides.json"
    return json.loads(done.stdout)["ServerApp"]["default_url"], json.loads(settings.read_text("utf-8"))


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on this machine")
def test_the_image_opens_on_the_first_lesson(tmp_path):
    page, settings = finished(tmp_path, (ROOT / "postBuild").read_text("utf-8"))
    assert page == f"/lab/workspaces/en/tree/course/en/{LESSON}"
    assert "@jupyter-widgets/jupyterlab-manager:plugin" in settings
