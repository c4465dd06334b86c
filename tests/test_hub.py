"""The measured hub, the arithmetic made from it, and the values for a hub, against each other."""

import copy
import json
import shutil
import subprocess
import sys

import pytest
import yaml
from jsonschema import Draft7Validator

from sample_course import LESSON, ROOT, checkout
from zerostride.lab import first_page
from zerostride.publish.guide import record

sys.path.append(str(ROOT / "tests" / "bench"))
from hub_figures import arithmetic, limits, markdown

VALUES = (ROOT / "src" / "zerostride" / "publish" / "guide" / "config.yaml").read_text("utf-8")
SCHEMA = json.loads((ROOT / "tests" / "z2jh.schema.json").read_text("utf-8"))


def differences(told):
    """Return which figures do not follow from the measured ones."""
    made = {"arithmetic": arithmetic(told), "limits": limits(told)}
    return [name for name, value in made.items() if told[name] != value]


def test_the_arithmetic_follows_from_what_was_measured():
    assert differences(record()) == []


@pytest.mark.parametrize(
    ("state", "figure", "changed"),
    [
        ("numpy", "pss_mib", ["arithmetic"]),
        ("server", "cpu_seconds", ["arithmetic"]),
        ("torch", "rss_mib", ["arithmetic", "limits"]),
        ("peaks_mib", "06_parameters", ["limits"]),
    ],
)
def test_figures_that_do_not_follow_would_be_seen(state, figure, changed):
    told = copy.deepcopy(record())
    told[state][figure] *= 2
    assert differences(told) == changed


def test_arithmetic_by_hand():
    told = {
        "hub": {"pss_mib": 100},
        "server": {"cpu_seconds": 2.0},
        "numpy": {"pss_mib": 200, "rss_mib": 220},
        "torch": {"pss_mib": 300, "rss_mib": 400, "cpu_seconds": 4.0},
        "peaks_mib": {"a": 500, "b": 900},
    }
    assert arithmetic(told, [300]) == [
        {
            "learners": 300,
            "numpy_gib": 59,  # 60,100 MiB
            "torch_gib": 88,  # 90,100 MiB
            "reserved_gib": 150,
            "cores": 3,  # 1,800 s in 600 s
            "pods": 300,
            "nodes_by_pods": 3,
        }
    ]
    assert limits(told) == {"guarantee_mib": 512, "limit_mib": 1280}


def test_the_readme_shows_the_record():
    assert markdown(record()) in (ROOT / "tests" / "bench" / "README.md").read_text("utf-8")


def test_the_tables_show_every_figure():
    told = record()
    rows = [line.split("|")[1:-1] for line in markdown(told).splitlines() if "---" not in line]
    assert [len(row) for row in rows if len(row) > 1] == [6] * 5 + [7] * (1 + len(told["arithmetic"]))


def mistakes(text):
    """Return what the chart's schema says against some values, and where they differ from the record."""
    values = yaml.safe_load(text)
    found = [".".join(map(str, error.absolute_path)) for error in Draft7Validator(SCHEMA).iter_errors(values)]
    memory, wanted = values["singleuser"]["memory"], limits(record())
    found += [size for size in ("guarantee", "limit") if memory.get(size) != f"{wanted[f'{size}_mib']}M"]
    return found + ["defaultUrl"] * (values["singleuser"]["defaultUrl"] != first_page("course/"))


def test_the_values_fit_the_chart_and_the_figures():
    assert mistakes(VALUES) == []


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        ("guarantee: 512M", "guarantee: 256M", "guarantee"),
        ("limit: 1280M", "limits: 1280M", "singleuser.memory"),
        ("every: 300", "every: 5 minutes", "cull.every"),
        ("replicas: 4", "replicas: four", "scheduling.userPlaceholder.replicas"),
        ("cull:", "culling:", ""),
        ("00_start_here", "01_start_here", "defaultUrl"),
    ],
)
def test_values_that_do_not_fit_would_be_seen(old, new, mistake):
    assert old in VALUES
    assert mistake in mistakes(VALUES.replace(old, new))


@pytest.mark.skipif(shutil.which("sh") is None, reason="sh is not on this machine")
def test_a_server_copies_the_course_and_then_starts(tmp_path, monkeypatch):
    src = checkout(tmp_path / "checkout")
    commands = {
        "zerostride": f'exec {sys.executable} -m zerostride "$@"',
        "jupyterhub-singleuser": "echo started",
    }
    for name, script in commands.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("PYTHONPATH", str(src))
    home = tmp_path / "home"
    home.mkdir()
    command = yaml.safe_load(VALUES)["singleuser"]["cmd"]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("started\n")
    assert (home / "course" / "zh" / LESSON).is_file()
