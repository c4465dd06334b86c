"""Importing the package is cheap, and its public names stay what they are."""

import subprocess
import sys
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType

import pytest

import zerostride as zs

HEAVY = ("torch", "matplotlib", "ipywidgets", "anywidget", "IPython", "traitlets")


def loaded_by(program):
    """Run a program in a fresh interpreter; return the heavy packages it has loaded."""
    question = f"\nimport sys; print(*[name for name in {HEAVY} if name in sys.modules])"
    answer = subprocess.run(
        [sys.executable, "-c", program + question], capture_output=True, text=True, check=True
    )
    return answer.stdout.split()


@pytest.mark.parametrize(
    "program",
    [
        "import zerostride",
        "import zerostride as zs; zs.use('zh'); dir(zs)",
        "import numpy, zerostride as zs; str(zs.layout(numpy.ones((4, 3))))",
        "import zerostride.cli, zerostride.course",
    ],
)
def test_nothing_heavy_is_loaded(program):
    assert loaded_by(program) == []


@pytest.mark.parametrize("name", ["matplotlib", "ipywidgets"])
def test_something_heavy_would_be_seen(name):
    assert find_spec(name)
    assert name in loaded_by(f"import zerostride, {name}")


def clashes(package):
    """Return the public functions and classes that a submodule of the same name would replace."""
    modules = {module.name for module in iter_modules(package.__path__)}
    return [
        name
        for name in package.__all__
        if name in modules and not isinstance(getattr(package, name), ModuleType)
    ]


def test_no_public_name_is_the_name_of_a_submodule():
    assert clashes(zs) == []


def test_a_clash_would_be_seen():
    package = ModuleType("package")
    package.__path__ = zs.__path__
    package.__all__ = ["layouts", "language"]
    package.layouts = lambda x: x
    package.language = sys
    assert clashes(package) == ["layouts"]


@pytest.mark.parametrize("name", zs.__all__)
def test_a_public_name_is_the_same_object_each_time(name):
    first = getattr(zs, name)
    assert getattr(zs, name) is first
    assert name in dir(zs)


def test_every_public_name_twice_in_a_fresh_interpreter():
    program = "import zerostride as zs\nfor name in zs.__all__ * 2:\n    print(name, id(getattr(zs, name)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[: len(zs.__all__)] == lines[len(zs.__all__) :]
    assert len(lines) == 2 * len(zs.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = zs.nothing
