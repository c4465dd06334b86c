"""What is missing on a machine is told, with the line that installs it."""

import re
import sys
import tomllib

import pytest

import zerostride as zs
from sample_course import ROOT
from zerostride import installed
from zerostride.language import LANGUAGES


def test_this_machine_has_what_the_tests_use():
    report = zs.machine().to_dict()
    assert {"numpy", "matplotlib", "anywidget"} & set(report["wanting"]) == set()
    assert re.match(r"\d+\.\d+\.\d+", report["parts"]["numpy"]["version"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_missing_package_is_told_with_its_remedy(language, monkeypatch):
    zs.use(language)
    before = str(zs.machine())
    assert "%pip" not in before or zs.machine().wanting
    monkeypatch.setitem(sys.modules, "torch", None)
    found = zs.machine()
    assert "torch" in found.wanting
    assert found.to_dict()["parts"]["torch"] == {"version": "", "status": "missing"}
    assert re.search(r"%pip install -U .*torch", str(found))
    assert "whl/cpu" in str(found)
    assert str(found) != before
    str(found).encode("gbk")


def test_an_old_package_is_told(monkeypatch):
    monkeypatch.setattr(installed, "version", lambda package: "1.26.4")
    assert zs.machine().to_dict()["parts"]["numpy"]["status"] == "too_old"
    assert "numpy" in zs.machine().wanting
    assert "whl/cpu" in str(zs.machine())


def test_a_package_without_a_known_version_is_there(monkeypatch):
    def unknown(package):
        raise installed.PackageNotFoundError(package)

    monkeypatch.setattr(installed, "version", unknown)
    assert zs.machine().to_dict()["parts"]["numpy"] == {"version": "", "status": "there"}


def test_versions_end_their_lines_so_a_stored_output_can_pass_over_them(monkeypatch):
    def shown(release):
        monkeypatch.setattr(installed, "version", lambda package: release)
        return [re.sub(r"\b\d+\.\d+\.\d+(?:\+\w+)?\b", "VERSION", text) for text in forms()]

    def forms():
        return str(zs.machine()), zs.machine()._repr_html_()

    assert shown("9.0.0") == shown("10.11.12+cpu")


def test_the_oldest_releases_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = dict(
        text.split(">=") for text in project["dependencies"] + extras["torch"] + extras["lab"] if ">=" in text
    )
    wanted.pop("ipykernel")
    assert wanted == installed._OLDEST
