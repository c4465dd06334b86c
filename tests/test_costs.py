"""The table of costs in the READMEs is what the record of `make bench` gives."""

import copy
import json
import shutil
import sys

import cost_table
import pytest
import run_all
import stored_outputs
from rows import Row, judged

from sample_course import ROOT

TABLES = list(cost_table.READMES)


def stale(text, record, language):
    return cost_table.with_table(text, record, language) != text


@pytest.mark.parametrize("language", TABLES)
def test_the_readme_shows_the_record(language):
    text, record = cost_table.READMES[language].read_text("utf-8"), cost_table.stored()
    assert not stale(text, record, language), "run tests/bench/run_all.py --only learners"
    changed = copy.deepcopy(record)
    changed["rows"]["publish"]["measured"] *= 2
    assert stale(text, changed, language)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Return a folder with copies of the READMEs and the record, which are written instead of ours."""
    for path in (*cost_table.READMES.values(), cost_table.RECORD):
        shutil.copy(path, tmp_path)
    readmes = {language: tmp_path / path.name for language, path in cost_table.READMES.items()}
    monkeypatch.setattr(cost_table, "READMES", readmes)
    monkeypatch.setattr(cost_table, "RECORD", tmp_path / "figures.json")
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def fake(smoke=False):
    return {"publish": Row("s", 45, 90, 1 if smoke else 0.4)}


def test_what_is_measured_afresh_is_recorded_and_shown_and_the_rest_stays(elsewhere, monkeypatch, capsys):
    pytest.importorskip("torch")  # its version is recorded
    monkeypatch.setitem(run_all.BENCHES, "publish", fake)
    before = cost_table.stored()["rows"]
    assert run_all.main(["--only", "publish"]) == 1
    after = cost_table.stored()["rows"]
    assert after.pop("publish")["measured"] == 45
    assert before.pop("publish")
    assert after == before
    for path in cost_table.READMES.values():
        assert "| 45\N{NO-BREAK SPACE}s | " in path.read_text("utf-8")
        ours, theirs = ((folder / path.name).read_text("utf-8") for folder in (ROOT, elsewhere))
        assert ours.partition(cost_table.BEGIN)[0] == theirs.partition(cost_table.BEGIN)[0]
        assert ours.partition(cost_table.END)[2] == theirs.partition(cost_table.END)[2]
    assert "MISSED" in next(line for line in capsys.readouterr().out.splitlines() if "publish  " in line)


def test_a_whole_run_keeps_nothing_of_the_one_before(elsewhere, monkeypatch, capsys):
    pytest.importorskip("torch")  # its version is recorded
    monkeypatch.setattr(run_all, "BENCHES", {"publish": fake})
    monkeypatch.setattr(run_all.inspectors, "missing", list)
    monkeypatch.setattr(run_all.inspectors, "answers", dict)
    monkeypatch.setattr(cost_table, "WORDS", {"publish": cost_table.WORDS["publish"]})
    assert run_all.main([]) == 1
    assert set(cost_table.stored()["rows"]) == {"publish"}
    assert cost_table.stored()["inspectors"] == {}
    assert "import numpy" not in cost_table.block(cost_table.stored(), "en")
    capsys.readouterr()


def test_a_benchmark_that_cannot_run_loses_nothing_of_the_others(elsewhere, monkeypatch, capsys):
    pytest.importorskip("torch")  # its version is recorded

    def ends(smoke=False):
        sys.exit("no Chromium here")

    before = cost_table.stored()["rows"]
    monkeypatch.setattr(run_all, "BENCHES", {"explorers": ends, "publish": fake})
    monkeypatch.setattr(run_all.inspectors, "missing", list)
    monkeypatch.setattr(run_all.inspectors, "answers", dict)
    assert run_all.main([]) == 1
    after = cost_table.stored()["rows"]
    assert after.pop("publish")["measured"] == 45
    assert after == {name: row for name, row in before.items() if name != "publish"}
    assert "explorers: no Chromium here" in capsys.readouterr().err


def test_without_the_other_inspectors_nothing_is_measured(elsewhere, tmp_path):
    before = cost_table.RECORD.read_bytes()
    with pytest.raises(SystemExit, match=r"treescope.*make bench"):
        run_all.main(["--only", "layout", "--peers", str(tmp_path)])
    assert cost_table.RECORD.read_bytes() == before


def test_a_smoke_run_writes_nothing(elsewhere, monkeypatch, capsys):
    monkeypatch.setattr(run_all, "SMOKE", {"publish": fake})
    before = {path.name: path.read_bytes() for path in elsewhere.iterdir()}
    assert run_all.main(["--smoke"]) == 0
    assert {path.name: path.read_bytes() for path in elsewhere.iterdir()} == before
    assert "MISSED" not in capsys.readouterr().out


def test_a_row_that_is_more_than_it_may_be_fails():
    assert judged({"a": Row("s", 1, 2, 1), "b": Row("s", 3, 2)}) == 0
    assert judged({"a": Row("s", 1, 2, 1), "b": Row("s", 3, 2, 1)}) == 1


@pytest.mark.parametrize(
    ("ratio", "shown"), [(1.0449, "1.04"), (0.5, "0.50"), (1 / 30, "1/30"), (0.03 / 4041, "1/135,000")]
)
def test_small_ratios_are_fractions(ratio, shown):
    assert cost_table.times(ratio) == shown


@pytest.mark.parametrize(("value", "shown"), [(4040.8, "4,041"), (8.62, "8.62"), (0.03125, "0.0312")])
def test_figures_have_three_digits(value, shown):
    assert cost_table.number(value) == shown


def limits():
    return {
        "import": run_all.import_cost.GOAL,
        "check": run_all.check.GOAL,
        "layout_size": run_all.costs.SIZE_TIMES,
        "explorers": 1 / run_all.explorers.TIMES_FASTER,
    }, {
        "explorers_median": run_all.explorers.MEDIAN_MS,
        "explorers_p95": run_all.explorers.P95_MS,
        "writes": run_all.writes.LIMIT_SECONDS,
        "nbval": run_all.stored_outputs.LIMIT_SECONDS,
        "publish": run_all.publish.LIMIT_SECONDS,
    }


def test_the_record_keeps_to_the_limits_that_the_benchmarks_have():
    rows, (times, beside) = cost_table.stored()["rows"], limits()
    assert {name: rows[name]["at_most"] for name in times} == times
    assert {name: rows[name]["beside"] for name in beside} == beside


def test_the_rows_about_learners_are_those_of_the_hub():
    rows = cost_table.stored()["rows"]
    for name, row in run_all.learners().items():
        assert (rows[name]["measured"], rows[name]["beside"]) == (row.measured, row.beside)


def test_every_row_has_its_script_and_words():
    assert set(cost_table.WORDS) == set(cost_table.stored()["rows"])
    for script, words in cost_table.WORDS.values():
        assert (ROOT / "tests" / "bench" / script).is_file()
        assert set(words) == set(TABLES)


def test_the_notebooks_are_timed_as_make_test_runs_them():
    recipe = (ROOT / "Makefile").read_text("utf-8")
    timed = [word for word in stored_outputs.COMMAND.split() if word not in ("-m", "2")]
    assert [word for word in timed if word not in recipe] == []
    assert 'PYTHONPATH="$(CURDIR)/tests/strict"' in recipe


def test_the_record_is_written_as_it_is_read():
    text = cost_table.RECORD.read_text("utf-8")
    assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize(("load", "shared"), [(3.9, False), (4.1, True)])
def test_figures_of_a_busy_machine_are_said_to_be_upper_limits(load, shared):
    record = {**cost_table.stored(), "cores": 2, "rows": {"publish": {"load": load}, "learner": {}}}
    for language, words in cost_table.BUSY.items():
        assert (words in cost_table.conditions(record, language)) is shared
