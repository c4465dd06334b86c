"""Run unit tests, doctests and lessons on the oldest and the newest versions, each combination in a venv.

``make matrix`` prints one line for each combination; what failed is in ``.matrix/<combination>/``.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from kernels import without_torch_cells

ROOT = Path(__file__).resolve().parent.parent
MATRIX = ROOT / ".matrix"
TORCH = "2.13.0"
# Python, versions within the bounds of pyproject.toml, torch.
COMBINATIONS = [
    ("3.11", "oldest", None),
    ("3.11", "oldest", TORCH),
    ("3.11", "newest", None),
    ("3.11", "newest", TORCH),
    ("3.12", "newest", None),
    ("3.13", "newest", None),
]
RESOLUTION = {"oldest": "lowest-direct", "newest": "highest"}
TOLD = ("numpy", "matplotlib", "torch", "ipykernel", "ipywidgets")
LIMITS = ["jsonschema<4.25"]
# What is left out: tests of the checkout and its tools, of the text alone, of what Typst, pandoc and black
# write, which are pinned for that, of hubs, and of the lessons, which run here anyway.
LEFT_OUT = (
    *("faults", "image", "installed", "makefile", "matrix", "setup", "wheel", "workers"),
    *("article", "guide", "pairs", "pairs_twins", "readmes", "word_list", "words"),
    *("editions", "figures", "fonts", "kit", "page", "paper", "publish", "slides", "typesetting"),
    *("hub", "pulled_course"),
    *("learner", "notebooks", "third_language"),
)


def name_of(python, versions, torch):
    return f"{python}-{versions}" + (f"-torch-{torch}" if torch else "")


def install(folder, python, versions, torch):
    """Install the course and its tests; return what uv said where that failed."""
    from uv import find_uv_bin

    limits, forced = folder / "limits.txt", folder / "forced.txt"
    limits.write_text("\n".join(LIMITS))
    # A marker that never holds leaves the package out.
    forced.write_text(f"torch=={torch}" if torch else 'torch; python_version < "3"')
    bounds = ["--constraint", limits, "--override", forced, "--resolution", RESOLUTION[versions]]
    into = ["pip", "install", "--python", folder / "venv"]
    # By itself first: the lowest torch of a version is never the build for the CPU.
    alone = [[*into, f"torch=={torch}"]] if torch else []
    commands = [
        ["venv", "--clear", "--no-python-downloads", "--python", python, folder / "venv"],
        *alone,
        [*into, *bounds, "--editable", f"{ROOT}[test]"],
    ]
    for command in commands:
        run = [find_uv_bin(), "--quiet", *command]
        done = subprocess.run(run, capture_output=True, text=True, check=False)
        if done.returncode:
            (folder / "install.log").write_text(done.stderr, "utf-8")
            return f"not installed, see {folder / 'install.log'}"
    return ""


def versions_in(folder):
    code = f"""
from importlib.metadata import PackageNotFoundError, version
for name in {TOLD}:
    try:
        print(name, version(name))
    except PackageNotFoundError:
        pass
"""
    command = [folder / "venv/bin/python", "-c", code]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    return ", ".join(told.stdout.splitlines())


def lessons(folder, torch):
    """Write the lessons, without the cells that need torch where there is none, and what may differ."""
    shutil.rmtree(folder / "notebooks", ignore_errors=True)
    for path in sorted((ROOT / "notebooks").glob("??/[0-9][0-9]_*.ipynb")):
        notebook = json.loads(path.read_text("utf-8"))
        copy = folder / "notebooks" / path.parent.name / path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        left = notebook if torch else without_torch_cells(notebook)
        copy.write_text(json.dumps(left), "utf-8")
    rules = [(ROOT / "tests" / name).read_text("ascii") for name in ("nbval.cfg", "matrix.cfg")]
    (folder / "differ.cfg").write_text("\n".join(rules), "ascii")


def outcome(folder, name, *options):
    """Run pytest and return its last line; the rest is kept beside the venv."""
    command = [folder / "venv/bin/python", "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *options]
    strict = os.environ | {"PYTHONPATH": str(ROOT / "tests" / "strict")}
    with (folder / f"{name}.log").open("w", encoding="utf-8") as log:
        done = subprocess.run(
            command, cwd=ROOT, env=strict, stdout=log, stderr=subprocess.STDOUT, check=False
        )
    lines = (folder / f"{name}.log").read_text("utf-8", errors="replace").splitlines() or [""]
    counts = re.findall(r"\d+ (?:passed|failed|errors?|skipped)", lines[-1])
    return done.returncode == 0, f"{name} {', '.join(counts) or 'did not run'}"


def one(python, versions, torch):
    """Return whether all passed on one combination, and its line."""
    name = name_of(python, versions, torch)
    folder = MATRIX / name
    folder.mkdir(parents=True, exist_ok=True)
    if failed := install(folder, python, versions, torch):
        return False, f"{name}: {failed}"
    lessons(folder, torch)
    ignored = [f"--ignore=tests/test_{each}.py" for each in LEFT_OUT]
    units, said = outcome(folder, "tests", "-m", "not browser", "--doctest-ignore-import-errors", *ignored)
    nbval = ("--nbval", "--nbval-current-env", "--nbval-cell-timeout=300", "--nbval-sanitize-with")
    cells, told = outcome(folder, "cells", *nbval, f"{folder / 'differ.cfg'}", f"{folder / 'notebooks'}")
    return units and cells, f"{name}: {versions_in(folder)}: {said}; {told}"


def main(wanted):
    # A shell has it ignored in the background, and tests interrupt their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chosen = [each for each in COMBINATIONS if not wanted or name_of(*each) in wanted]
    good = bool(chosen)
    for combination in chosen:
        passed, line = one(*combination)
        good = good and passed
        print("passed" if passed else "FAILED", line, flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
