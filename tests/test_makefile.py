"""What make does, without installing anything: targets, stamp files, the Python it needs."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from sample_course import LESSON, ROOT, write_lessons

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not on this machine")


def read(name):
    return (ROOT / name).read_text("utf-8")


def make(folder, *arguments, **variables):
    # Inside `make test` these would hand this run's own variables on.
    left_out = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PYTHON")
    environment = {name: value for name, value in os.environ.items() if name not in left_out} | variables
    command = ["make", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path):
    """Return a folder with a space in its name that holds the files make looks at."""
    folder = tmp_path / "Anna's checkout, (目录)"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


def as_if_installed(folder):
    (folder / ".venv").mkdir(exist_ok=True)
    (folder / ".venv" / "made.stamp").write_text(f"{folder.resolve()}\n", "utf-8")
    for name in ("lab.stamp", "publish.stamp", "test.stamp", "bench.stamp"):
        (folder / ".venv" / name).touch()


def touch_later(file):
    later = time.time() + 5
    os.utime(file, (later, later))


def installs(folder, target):
    done = make(folder, "-n", target)
    assert done.returncode == 0, done.stderr
    return "pip install" in done.stdout


def test_make_alone_explains_every_target(project):
    told = make(project).stdout
    targets = re.search(r"\.PHONY: (help.*)", read("Makefile"))[1].split()
    assert set(targets) == {"help", "lab", "handouts", "test", "bench", "matrix", "notebooks", "clean"}
    for target in set(targets) - {"help"}:
        assert f"make {target}" in told


@pytest.mark.parametrize("target", ["lab", "handouts", "test", "bench"])
def test_it_installs_once_and_again_after_a_change(project, target):
    assert installs(project, target)
    as_if_installed(project)
    assert not installs(project, target)
    for changed in ("pyproject.toml", "constraints.txt"):
        touch_later(project / changed)
        assert installs(project, target)
        shutil.copy(ROOT / changed, project)
        as_if_installed(project)


def test_it_installs_again_after_the_folder_was_moved(project):
    as_if_installed(project)
    moved = project.rename(project.with_name("moved"))
    assert installs(moved, "lab")
    assert "-m venv --clear" in make(moved, "-n", "lab").stdout


def test_lab_opens_the_course_and_passes_options_on(project):
    as_if_installed(project)
    told = make(project, "-n", "lab", "LAB_ARGS=--lang zh --port 9000").stdout.strip()
    assert told == ".venv/bin/python -m zerostride lab --dir course --lang zh --port 9000"


def test_handouts_are_built_beside_the_course_and_options_passed_on(project):
    as_if_installed(project)
    told = make(project, "-n", "handouts", "PUBLISH_ARGS=--lang zh --paper us-letter").stdout.strip()
    editions = "--edition handout --edition booklet --edition summary"
    assert told == (
        f".venv/bin/python -m zerostride publish {editions} --out handouts --lang zh --paper us-letter"
    )


def test_every_install_keeps_to_the_constraints(project):
    for target in ("lab", "handouts", "test", "bench"):
        lines = [line for line in make(project, "-n", target).stdout.splitlines() if "pip install" in line]
        assert lines
        assert all("-c constraints.txt" in line for line in lines)


def test_test_runs_each_kind_of_check(project):
    as_if_installed(project)
    told = make(project, "-n", "test").stdout
    strict = f'PYTHONPATH="{project.resolve()}/tests/strict"'
    for wanted in (
        "ruff check",
        "ruff format --check",
        "mypy",
        "pytest -q -n",
        "--nbval-sanitize-with",
        strict,
    ):
        assert wanted in told
    assert "--nbval-lax" not in told


def test_bench_passes_options_on_and_installs_the_peers_apart(project):
    told = make(project, "-n", "bench", "BENCH_ARGS=--only publish").stdout
    assert told.strip().endswith(".venv/bin/python tests/bench/run_all.py --only publish")
    (peers,) = [line for line in told.splitlines() if "--target .venv/peers" in line]
    assert "--no-deps" in peers


def test_clean_keeps_the_learners_course(project):
    for name in ("course", "build", "handouts", ".venv", ".matrix", "src", "tests"):
        (project / name).mkdir()
        (project / name / "file").touch()
    assert make(project, "clean").returncode == 0
    assert sorted(path.name for path in project.iterdir() if path.is_dir()) == ["course", "src", "tests"]


def test_notebooks_stores_outputs_and_nothing_of_this_machine(project):
    as_if_installed(project)
    write_lessons(project / "notebooks")
    (project / ".venv" / "bin").mkdir()
    program = project / ".venv" / "bin" / "python"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', "utf-8")
    program.chmod(0o755)
    (project / "tests").mkdir(exist_ok=True)
    (project / "tests" / "tour_pictures.py").write_text("print('pictures taken')", "utf-8")
    done = make(project, "notebooks")
    assert done.returncode == 0, done.stderr
    assert "pictures taken" in done.stdout
    for language in ("en", "zh"):
        stored = json.loads((project / "notebooks" / language / LESSON).read_text("utf-8"))
        assert set(stored["metadata"]) == {"kernelspec", "language_info"}
        assert stored["metadata"]["language_info"] == {"name": "python"}
        cells = {cell["id"]: cell for cell in stored["cells"]}
        assert cells["use-bytes"]["outputs"][0]["data"]["text/plain"] == ["(96, 8)"]
        assert cells["answer-bytes"]["metadata"]["tags"] == ["answer"]
        assert not any("execution" in cell["metadata"] for cell in stored["cells"])


def fake_python(folder, script):
    folder.mkdir()
    program = folder / "python3"
    program.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    program.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


TOO_OLD = 'case "$2" in *version_info*) exit 1;; esac'
NO_VENV = 'case "$2" in *ensurepip*) echo "ModuleNotFoundError" >&2; exit 1;; esac'


@pytest.mark.parametrize(
    ("script", "words"),
    [(TOO_OLD, ("older than 3.11", "太旧")), (NO_VENV, ("python3-venv", "缺少venv"))],
)
def test_a_python_that_will_not_do_is_one_line(project, tmp_path, script, words):
    done = make(project, "-s", "lab", **fake_python(tmp_path / "bin", script))
    assert done.returncode != 0
    assert all(word in done.stdout for word in words)
    assert len(done.stdout.splitlines()) == 1
    assert not (project / ".venv").exists()


def test_no_python_at_all_is_one_line(project):
    done = make(project, "-s", "lab", "PYTHON=python-of-nowhere")
    assert "No python-of-nowhere here" in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_a_python_that_will_do_is_used(project, tmp_path):
    script = f'echo "$@" >> "{tmp_path}/asked"\nif [ "$2" = venv ]; then mkdir .venv; fi'
    make(project, "-s", ".venv/made.stamp", **fake_python(tmp_path / "bin", script))
    assert "-m venv --clear .venv" in (tmp_path / "asked").read_text("utf-8")
    assert (project / ".venv" / "made.stamp").is_file()
