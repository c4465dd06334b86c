"""Pins, conda, pre-commit, licence and CI against what pyproject.toml declares."""

import os
import re
import shutil
import subprocess
import tomllib
from importlib.metadata import version

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from sample_course import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CONDA_NAMES = {"matplotlib-base": "matplotlib", "pytorch": "torch"}


def read(name):
    return (ROOT / name).read_text("utf-8")


def requirements(lines):
    """Return the version bounds by name; the package's own extras are left out."""
    found = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    return {canonicalize_name(one.name): one.specifier for one in found if one.name != "zerostride"}


def declared(*extras):
    """Return what pyproject.toml asks for, with these extras."""
    optional = PROJECT["project"]["optional-dependencies"]
    lines = [line for extra in extras for line in optional[extra]]
    return requirements([*PROJECT["project"]["dependencies"], *lines])


def pins(text):
    return requirements(text.splitlines())


def unpinned(wanted, pinned):
    """Return what is declared and not pinned to one version inside its bounds."""
    return [
        name
        for name, bounds in wanted.items()
        if not (exact := re.fullmatch(r"==([\w.]+)", str(pinned.get(name, "")))) or exact[1] not in bounds
    ]


def everything_declared():
    build = requirements(PROJECT["build-system"]["requires"])
    return build | declared(*PROJECT["project"]["optional-dependencies"])


def test_everything_declared_is_pinned_inside_its_bounds():
    assert unpinned(everything_declared(), pins(read("constraints.txt"))) == []


@pytest.mark.parametrize("broken", ["numpy>=2.4", "numpy==1.26.4", "numpy<3", ""])
def test_a_pin_that_is_none_would_be_seen(broken):
    text = read("constraints.txt")
    changed = re.sub(r"^numpy==.*$", broken, text, flags=re.MULTILINE)
    assert changed != text
    assert unpinned(everything_declared(), pins(changed)) == ["numpy"]


def test_jsonschema_stays_below_the_slow_one():
    assert str(pins(read("constraints.txt"))["jsonschema"]) == "<4.25"


def conda_problems(text):
    """Return how an environment.yml differs from what pyproject.toml asks for."""
    lines = yaml.safe_load(text)["dependencies"]
    asked = {CONDA_NAMES.get(name, name): bounds for name, bounds in conda_bounds(lines).items()}
    python = asked.pop("python", "")
    wanted = declared("lab", "torch") | {"pip": SpecifierSet(), "jsonschema": SpecifierSet("<4.25")}
    problems = [name for name in asked.keys() | wanted.keys() if asked.get(name) != wanted.get(name)]
    supported = SpecifierSet(PROJECT["project"]["requires-python"])
    if not re.fullmatch(r"=3\.\d+", python) or python[1:] not in supported:
        problems.append("python")
    if lines[-1] != {"pip": [".[hub]"]}:
        problems.append("the package itself")
    return problems


def conda_bounds(lines):
    named = [re.fullmatch(r"([\w-]+)(.*)", line) for line in lines if isinstance(line, str)]
    return {one[1]: one[2] if one[1] == "python" else SpecifierSet(one[2]) for one in named}


def test_conda_asks_for_the_same():
    assert conda_problems(read("environment.yml")) == []
    assert yaml.safe_load(read("environment.yml"))["channels"] == ["conda-forge"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("numpy>=2.0", "numpy>=1.26", "numpy"),
        ("  - numpy>=2.0\n", "", "numpy"),
        ("  - pip:\n", "  - scipy\n  - pip:\n", "scipy"),
        ("pytorch>=2.8", "pytorch", "torch"),
        ("python=3.11", "python=3.10", "python"),
        (".[hub]", "zerostride", "the package itself"),
        (".[hub]", "-e .[hub]", "the package itself"),
    ],
)
def test_a_difference_would_be_seen(old, new, problem):
    text = read("environment.yml")
    assert old in text
    assert conda_problems(text.replace(old, new)) == [problem]


def stray_hooks(text):
    """Return the pre-commit hooks that do not run from .venv, whose versions the constraints set."""
    hooks = [hook for repo in yaml.safe_load(text)["repos"] for hook in repo["hooks"]]
    return [
        hook["id"]
        for hook in hooks
        if hook["language"] != "system" or not re.match(r"\.venv/bin/python -m (ruff|mypy)\b", hook["entry"])
    ]


def test_pre_commit_runs_the_pinned_tools():
    text = read(".pre-commit-config.yaml")
    assert stray_hooks(text) == []
    for tool in ("ruff check", "ruff format", "mypy"):
        assert f"-m {tool}" in text
    for tool in ("ruff", "mypy"):
        assert version(tool) in pins(read("constraints.txt"))[tool]


def test_a_tool_from_elsewhere_would_be_seen():
    text = read(".pre-commit-config.yaml").replace(".venv/bin/python -m mypy", "mypy")
    assert stray_hooks(text) == ["mypy"]


def test_both_licences_are_there():
    text = read("LICENSE")
    assert "MIT License" in text
    assert "creativecommons.org/licenses/by/4.0" in text
    assert PROJECT["project"]["license"] == "MIT AND CC-BY-4.0"


def test_the_ci_script_is_sound():
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not on this machine")
    script = ROOT / ".ci" / "run"
    assert subprocess.run([bash, "-n", str(script)], check=False).returncode == 0
    assert os.access(script, os.X_OK)
    text = script.read_text("utf-8")
    assert "set -eu" in text
    assert "unset PYTHONDONTWRITEBYTECODE" in text
    assert not re.search(r"fonts?-", text)
