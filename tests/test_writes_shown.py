"""How the atlas of writes is shown: as text, as HTML that filters without a kernel, by the command."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache

import pytest

import zerostride as zs
from zerostride.cli import main
from zerostride.language import LANGUAGES
from zerostride.pairs.typography import HAN
from zerostride.writes import OUTCOMES, Atlas, atlases, children, recorded
from zerostride.writes.rows import Row


@pytest.fixture
def run(capsys):
    """Return a function that runs the command and gives its status, output and errors."""

    def command(*arguments):
        status = main(["writes", *arguments])
        return status, *capsys.readouterr()

    return command


def test_filters_meet():
    whole = zs.writes.atlas()
    found = whole.filter(outcome=["raises", "warns"], library="torch", target="expanded", operation="masked_")
    assert {(row.operation.partition("(")[0], row.outcome) for row in found} == {
        ("y.masked_fill_", "warns"),
        ("y.masked_scatter_", "raises"),
    }
    assert sum(len(whole.filter(outcome=name)) for name in OUTCOMES) == len(whole)
    assert len(whole.filter(operation="no such statement")) == 0
    assert len(whole.filter(operation=[row.operation for row in whole])) == len(whole)


@pytest.mark.parametrize(
    "asked", [{"outcome": "explodes"}, {"library": "jax"}, {"target": ["expanded", "cube"]}]
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unknown_name_is_told(asked, language):
    zs.use(language)
    with pytest.raises(ValueError, match=r"explodes|jax|cube") as refused:
        zs.writes.atlas().filter(**asked)
    assert bool(re.search(f"[{HAN}]", str(refused.value))) == (language == "zh")


def test_an_unknown_library_has_no_atlas():
    with pytest.raises(ValueError, match="jax"):
        zs.writes.atlas(["jax"])


def test_html_opens_and_closes_by_outcome_and_needs_no_script():
    html = zs.writes.atlas().html
    assert (
        html.count("<details>") == html.count("</details>") == len({row.outcome for row in zs.writes.atlas()})
    )
    assert not re.search(r"<script|<style|<input|javascript|https?:|\son\w+=|\sid=", html)
    assert html == zs.writes.atlas()._repr_html_()


def test_every_row_is_in_the_html_with_its_two_lines():
    html = zs.writes.atlas().filter(target="expanded").html
    for row in zs.writes.atlas().filter(target="expanded"):
        first, second = row.reproducer.split("\n")[0], row.operation
        for line in (first, second):
            assert line.replace('"', "&quot;").replace("'", "&#x27;").replace(">", "&gt;").replace(
                "<", "&lt;"
            ) in (html.replace("&amp;", "&"))


def test_a_statement_cannot_become_markup():
    row = Row("torch", "method", "<script>alert(1)</script>", "expanded", "raises", instead="<b>")
    html = Atlas((row,), {"torch": "recorded"}).html
    assert "<script" not in html
    assert "<b>" not in html


def test_nothing_found_is_said():
    empty = zs.writes.atlas().filter(operation="no such statement")
    assert str(empty) == "no row fits"
    assert "no row fits" in empty.html


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_atlas_survives_gbk(language):
    zs.use(language)
    text = str(zs.writes.atlas())
    assert text.encode("gbk")
    widths = {len(line.encode("gbk")) for line in text.splitlines() if set(line) == {"-", " "}}
    assert len(widths) == 1


def test_every_row_is_in_the_text():
    text = str(zs.writes.atlas())
    assert [row.operation for row in zs.writes.atlas() if row.operation not in text] == []


def test_without_torch_the_record_is_shown_and_said(monkeypatch):
    for module in (atlases, recorded):
        monkeypatch.setattr(module, "installed", lambda library: "2.4" if library == "numpy" else "")
    whole = zs.writes.atlas(fresh=False)
    assert whole.origins == {"numpy": "recorded", "torch": "absent"}
    assert "torch is not installed: as recorded for 2.13.0, nothing was run" in str(whole)
    assert whole.filter(library="torch").rows


def other_versions(monkeypatch):
    for module in (atlases, recorded):
        monkeypatch.setattr(module, "installed", lambda _: "9.9")


def test_other_versions_are_tried_and_what_differs_is_told(monkeypatch):
    rows = [row for row in recorded.recorded()[1] if row.library == "numpy"]
    found = [replace(rows[0], outcome="safe", error=""), *rows[2:], replace(rows[1], operation="y @+= 1")]
    other_versions(monkeypatch)
    monkeypatch.setattr(atlases, "_probed_once", lambda _: found)
    whole = zs.writes.atlas(["numpy"])
    assert whole.origins == {"numpy": "probed"}
    changed, lost, newcomer = whole.unlike
    assert (changed[0].outcome, changed[1].outcome) == ("raises", "safe")
    assert lost == (rows[1], None)
    assert newcomer[1].operation == "y @+= 1"
    assert "3 rows unlike those recorded for 2.4" in str(whole)


def test_other_versions_are_tried_once(monkeypatch):
    tried = []
    other_versions(monkeypatch)
    monkeypatch.setattr(atlases, "probed", lambda libraries: tried.append(libraries) or [])
    monkeypatch.setattr(atlases, "_probed_once", cache(atlases._probed_once.__wrapped__))
    for asked, fresh, runs in (
        (["numpy"], False, 1),
        (["numpy"], False, 1),
        (["numpy", "torch"], False, 2),
        (["torch"], False, 2),
        (["numpy"], True, 3),
    ):
        zs.writes.atlas(asked, fresh=fresh)
        assert len(tried) == runs


CHILD = """
import os, sys, time
from dataclasses import replace
from zerostride.writes import children
from zerostride.writes.rows import Row
rows = [Row("numpy", "method", name, "expanded", "safe") for name in ("a", "dies", "b", "hangs", "c")]
for row in rows[int(sys.argv[1]):]:
    children._print(replace(row, outcome="started"))
    if row.operation == "dies":
        os.abort()
    if row.operation == "hangs":
        time.sleep(60)
    children._print(row)
"""


def test_what_ends_the_process_or_never_ends_is_unsafe(monkeypatch):
    started = subprocess.Popen

    def start(command, **options):
        assert command[4:6] == ["zerostride.writes", "probe"]
        return started([sys.executable, "-c", CHILD, command[6]], **options)

    monkeypatch.setattr(subprocess, "Popen", start)
    rows = children.probed(["numpy"], time_limit_s=8)
    assert [(row.operation, row.outcome) for row in rows] == [
        ("a", "safe"),
        ("dies", "unsafe"),
        ("b", "safe"),
        ("hangs", "unsafe"),
        ("c", "safe"),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_child_that_does_not_start_is_told(monkeypatch, language):
    zs.use(language)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError) as refused:
        children.probed(["numpy"])
    assert bool(re.search(f"[{HAN}]", str(refused.value))) == (language == "zh")


def test_the_command_shows_what_is_asked(run):
    status, told, errors = run("--only", "torch", "--only", "expanded", "--only", "differs")
    assert (status, errors) == (0, "")
    assert "y.tril_()" in told
    assert "y.mul_" not in told.replace("y = y.clone(); y.mul_", "")
    _, chinese, _ = run("--only", "tril_", "--lang", "zh")
    assert "结果与在副本上不同" in chinese


def test_the_command_gives_json(run):
    _, told, _ = run("--json", "--only", "unsafe")
    rows = json.loads(told)["rows"]
    assert {row["outcome"] for row in rows} == {"unsafe"}
    assert any("fused=True" in row["reproducer"] for row in rows)
    assert told.isascii()
    _, chinese, _ = run("--json", "--only", "unsafe", "--lang", "zh")
    assert chinese == told


@pytest.mark.parametrize("arguments", [("--only", "no such"), ("--only",), ("unsafe",), ("--frsh",)])
def test_bad_input_is_one_line_and_2(run, arguments):
    for language in LANGUAGES:
        zs.use(language)
        status, told, errors = run(*arguments)
        assert (status, told) == (2, "")
        assert errors.startswith("zerostride: ")
        assert errors.count("\n") == 1
        assert bool(re.search(f"[{HAN}]", errors)) == (language == "zh")


def test_asking_about_an_array_and_reading_the_record_load_no_torch():
    program = (
        "import sys, numpy as np, zerostride as zs; zs.writes.atlas().html;"
        "zs.writes.atlas(['numpy'], fresh=True);"
        "zs.can_i_write(np.ones((4, 3)), 'y[0, 0] = 9'); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
