"""The Python side of the explorer of writes: its state, what torch was recorded to do, the static twin."""

import json
import subprocess
import sys
from itertools import product

import pytest

import zerostride as zs
from zerostride.explore import write_policies
from zerostride.explore.write_policies import (
    FORMS,
    MADE,
    TARGETS,
    measured_outcomes,
    one_write,
    policies,
    recorded,
)
from zerostride.language import LANGUAGES

WIDGET = "application/vnd.jupyter.widget-view+json"
UNLOADED = """
import json, sys
import zerostride as zs
explorers = [zs.explore.writes(library="torch", target="view", form=form) for form in sys.argv[1:]]
seen = [explorer.static().to_dict()["write"] for explorer in explorers]
print(json.dumps([seen, "torch" in sys.modules, explorers[0].drawing.policies["torch"]["name"]]))
"""


def test_starts_as_asked():
    asked = {"rows": 2, "cols": 5, "library": "torch", "form": "row", "target": "view", "row": 1, "col": 4}
    explorer = zs.explore.writes(**asked)
    assert explorer.state == asked == explorer.drawing.initial
    drawn = explorer.drawing
    numbers = (drawn.rows, drawn.cols, drawn.library, drawn.form, drawn.target, drawn.row, drawn.col)
    assert numbers == (2, 5, 1, 1, 1, 1, 4)
    assert zs.explore.writes(cols=1).state["col"] == 0


def test_state_and_write_follow_what_the_page_sends():
    explorer = zs.explore.writes()
    explorer.drawing.set_state({"target": 1, "row": 3, "col": 2})
    assert explorer.write.code == "view[3, 2] = 9"
    assert explorer.write.outcome == "raises"
    explorer.controls["rows"].set_state({"value": 2})
    explorer.controls["cols"].set_state({"value": 1})
    explorer.controls["form"].set_state({"index": 2})
    assert explorer.write.code == "view[:, 0] = 9"
    assert (explorer.state["row"], explorer.state["col"]) == (1, 0)


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ({"rows": 0}, "rows must be a whole number from 1 to 6, not 0"),
        ({"cols": 7}, "cols must be a whole number from 1 to 6, not 7"),
        ({"rows": "4"}, "rows must be a whole number"),
        ({"library": "jax"}, "library must be one of numpy, torch, not 'jax'"),
        ({"form": "mask"}, "form must be one of element, row, column, all, not 'mask'"),
        ({"target": "dense"}, "target must be one of source, view, tiled, edited, not 'dense'"),
        ({"row": 1}, "row must be a whole number from 0 to 0, not 1"),
        ({"target": "view", "row": 4}, "row must be a whole number from 0 to 3, not 4"),
        ({"col": 3}, "col must be a whole number from 0 to 2, not 3"),
        ({"col": None, "cols": [3]}, "cols must be a whole number"),
    ],
)
def test_what_no_control_can_be_set_to_is_refused_in_words(argument, said):
    with pytest.raises(ValueError, match=said):
        zs.explore.writes(**argument)


def differences(mine, its):
    """Return where two tables of outcomes are not alike, one line each."""
    return [
        f"{target} {form}: recorded {mine[target][form]}, measured {its[target][form]}"
        for target, form in product(TARGETS, FORMS)
        if mine[target][form] != its[target][form]
    ]


@pytest.mark.parametrize("library", MADE)
def test_what_a_library_was_recorded_to_do_it_still_does(library):
    installed = pytest.importorskip(library).__version__.partition("+")[0]
    found = differences(recorded()[library]["outcomes"], measured_outcomes(library))
    if installed != recorded()[library]["version"]:
        print(*found, sep="\n")
        pytest.skip(f"recorded with {library} {recorded()[library]['version']}, not {installed}")
    assert found == []


def test_a_wrong_record_is_seen():
    wrong = json.loads(json.dumps(recorded()["torch"]["outcomes"]))
    wrong["view"]["column"][0] = ["together", ""]
    assert differences(wrong, recorded()["torch"]["outcomes"]) == [
        "view column: recorded [['together', ''], ['together', '']], measured "
        f"{recorded()['torch']['outcomes']['view']['column']}"
    ]


def shown_in_a_new_process(*before):
    """Return the writes, whether torch was loaded, and the name that torch has."""
    command = [sys.executable, "-c", "".join(before) + UNLOADED, *FORMS]
    return json.loads(subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout)


def test_torch_is_shown_as_recorded_and_not_loaded():
    seen, loaded, name = shown_in_a_new_process()
    assert not loaded
    assert name == f"torch {recorded()['torch']['version']}"
    pytest.importorskip("torch")
    really = [one_write("torch", 4, 3, "view", form, 0, 1).to_dict() for form in FORMS]
    assert seen == json.loads(json.dumps(really))
    assert shown_in_a_new_process("import torch")[:2] == [seen, True]


def test_without_torch_every_write_is_what_torch_does(monkeypatch):
    """NumPy walks the same addresses where torch is not loaded: the cells that change are torch's."""
    pytest.importorskip("torch")
    states = [
        ("torch", rows, cols, target, form, 0, cols - 1)
        for rows, cols, target, form in product((1, 2, 5), (1, 3), TARGETS, FORMS)
    ]
    measured = [one_write(*state).to_dict() for state in states]
    monkeypatch.setattr(write_policies, "sys", type("NoTorch", (), {"modules": {}}))
    assert [one_write(*state).to_dict() for state in states] == measured
    assert policies()["torch"]["name"] == f"torch {recorded()['torch']['version']}"
    monkeypatch.setattr(write_policies, "numpy_arrays", lambda *size, writable: write_policies_copies(*size))
    assert [one_write(*state).to_dict() for state in states] != measured


def write_policies_copies(rows, cols):
    """Return arrays of which none shares a byte."""
    return {name: x.copy() for name, x in write_policies.MADE["numpy"](rows, cols).items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_output_for_every_reader(language):
    zs.use(language)
    (data, metadata), again = (
        zs.explore.writes()._repr_mimebundle_(),
        zs.explore.writes()._repr_mimebundle_()[0],
    )
    assert set(data) == {"text/plain", "image/png", "image/svg+xml", WIDGET}
    assert metadata["image/png"]["width"] < 900
    assert all(data[kind] == again[kind] for kind in data if kind != WIDGET)
    assert repr(zs.explore.writes()).encode("gbk")
    twin = zs.explore.writes(target="view").static()
    assert twin.to_dict()["write"]["outcome"] == "raises"
    shown = twin._repr_mimebundle_()
    assert "<table>" in shown["text/html"]
    assert {"en": "refused (ValueError", "zh": "被拒绝（ValueError"}.get(language, "") in shown["text/plain"]
