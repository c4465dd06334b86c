"""The page's account of each write against the libraries that run it, in every state of its controls."""

from functools import cache
from itertools import product

import numpy as np
import pytest

import test_front
import zerostride as zs
from test_front import SOURCE
from zerostride.explore.panel import front_words
from zerostride.explore.write_policies import FORMS, TARGETS, policies, statement
from zerostride.explore.writing import MOST
from zerostride.language import LANGUAGES, use

call = test_front.call
SIZES = list(product(range(1, MOST + 1), range(1, MOST + 1)))


def every_state(library, sizes=SIZES):
    """Return each size, target and form, with the first, the last and a middle cell."""
    states = []
    for (rows, cols), target, form in product(sizes, TARGETS, FORMS):
        high = 1 if target == "source" else rows
        cells = {(0, 0), (high - 1, cols - 1), (high // 2, cols // 2)}
        for row, col in sorted(cells):
            size = {"rows": rows, "cols": cols, "row": row, "col": col}
            states.append(size | {"library": library, "target": target, "form": form})
    return states


def numpy_cast(rows, cols):
    source = np.arange(1.0, cols + 1).reshape(1, cols)
    view = np.broadcast_to(source, (rows, cols))
    return dict(zip(TARGETS, (source, view, np.tile(source, (rows, 1)), view.copy()), strict=True))


def torch_cast(rows, cols):
    torch = pytest.importorskip("torch")
    source = torch.arange(1.0, cols + 1).reshape(1, cols)
    view = source.expand(rows, cols)
    return dict(zip(TARGETS, (source, view, source.repeat(rows, 1), view.clone()), strict=True))


@cache
def really_run(library, rows, cols, target, form, row, col):
    """Return outcome and changed cells of the statement, typed and run in the library itself."""
    arrays = {"numpy": numpy_cast, "torch": torch_cast}[library](rows, cols)
    before = {name: x.tolist() for name, x in arrays.items()}
    code, error = statement(target, form, row, col), ""
    try:
        exec(code, {}, dict(arrays))
    except (ValueError, RuntimeError) as raised:
        error = type(raised).__name__
    changed = {
        name: [f"{i},{j}" for i, j in np.argwhere(np.array(before[name]) != np.array(x.tolist())).tolist()]
        for name, x in arrays.items()
    }
    probe = np.zeros(np.shape(before[target]), bool)
    exec(code.replace(target, "probe"), {}, {"probe": probe})
    named = [f"{i},{j}" for i, j in np.argwhere(probe).tolist()]
    beyond = any(set(cells) - set(named if name == target else []) for name, cells in changed.items())
    outcome = "raises" if error else "together" if beyond else "safe"
    return {"outcome": outcome, "error": error, "changed": changed, "named": named, "code": code}


def told_by_the_page(call, states, source=SOURCE):
    rules = policies()
    functions = ("outcomeOf", "changedBy")
    asked = [[name, [state, rules]] for state in states for name in functions]
    answers = call(asked + [["namedCells", [state]] for state in states], source)
    codes = call([["written", [state]] for state in states], source)
    for at, code in enumerate(codes):
        outcome, changed = answers[2 * at : 2 * at + 2]
        named = [f"{i},{j}" for i, j in answers[2 * len(states) + at]]
        error = outcome["error"].partition(":")[0]
        yield {"outcome": outcome["outcome"], "error": error, "changed": changed, "named": named} | {
            "code": f"{code} = 9"
        }


def unlike_the_library(call, states, source=SOURCE):
    """Return the states that the page tells otherwise than the library does them."""
    told = told_by_the_page(call, states, source)
    return [state for state, page in zip(states, told, strict=True) if page != really_run(**state)]


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_every_state_is_what_the_library_does(call, library):
    states = every_state(library)
    assert len(states) > 1500
    assert unlike_the_library(call, states) == []


BROKEN = {
    "a view of its own": ('["source", "view"].includes(target) ?', 'target === "source" ?'),
    "a copy that shares": ("`${j}` : `${target} ${i},${j}`", "`${j}` : `${i},${j}`"),
    "one row as several": ("[rows === 1 ? 1 : 0]", "[0]"),
    "a refusal that writes": ("(refused ? [] : namedCells", "(false ? [] : namedCells"),
    "rows for columns": ("(!whole.row || i === row)", "(!whole.row || j === row)"),
    "a row that is one cell": ('col: ["column", "element"]', 'col: ["row", "column", "element"]'),
    "another statement": ("column: `:, ${col}`", "column: `${col}`"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_wrong_module_is_seen(call, fault):
    right, wrong = BROKEN[fault]
    assert SOURCE.count(right) == 1
    states = every_state("torch", [(1, 3), (4, 3)])
    assert unlike_the_library(call, states, SOURCE.replace(right, wrong))


def test_a_wrong_outcome_is_seen(call, monkeypatch):
    rules = policies()
    rules["numpy"]["outcomes"] = rules["torch"]["outcomes"]
    monkeypatch.setattr("test_front_writes.policies", lambda: rules, raising=False)
    monkeypatch.setitem(globals(), "policies", lambda: rules)
    assert unlike_the_library(call, every_state("numpy", [(4, 3)]))


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_arrays_are_made_as_the_page_says(call, library):
    """The code beside each array makes what the page draws; long lists are cut, so up to three columns."""
    xp = np if library == "numpy" else pytest.importorskip("torch")
    for rows, cols in product((1, 2, 4), (1, 2, 3)):
        size = {"rows": rows, "cols": cols, "library": library}
        codes = call([["madeBy", [target, size]] for target in TARGETS])
        names = {"np": xp, "torch": xp}
        for target, code in zip(TARGETS, codes, strict=True):
            names[target] = eval(code, {}, names)
        found = zs.storages(**{target: names[target] for target in TARGETS})
        assert [group.names for group in found.groups] == [("source", "view"), ("tiled",), ("edited",)]
        assert [tuple(names[target].shape) for target in TARGETS] == [(1, cols)] + [(rows, cols)] * 3
        assert names["edited"].tolist() == [[j + 1 for j in range(cols)]] * rows


def tried(library, outcome, code="view[2, 1]", beyond=True, size="(4, 3)"):
    return {"library": library, "outcome": outcome, "code": code, "beyond": beyond, "size": size, "count": 5}


def test_the_mission_is_the_same_write_refused_and_silent(call):
    refused, silent = tried("numpy", "raises"), tried("torch", "together")
    others = [
        [],
        [refused],
        [silent],
        [refused, tried("torch", "together", code="view[0, 1]")],
        [refused, tried("torch", "together", size="(5, 3)")],
        [refused, tried("torch", "together", beyond=False)],
        [refused, tried("torch", "raises")],
        [tried("torch", "raises"), silent],
    ]
    solved = [[refused, silent], [silent, refused], [tried("numpy", "raises", "view[0]"), *others[3], silent]]
    answers = call([["sameWrite", [tries]] for tries in others + solved])
    assert [answer["both"] is not None for answer in answers] == [False] * len(others) + [True] * len(solved)
    assert answers[3] == {"refused": "view[2, 1]", "silent": "view[0, 1]", "both": None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_mission_tells_what_solved_it(call, language):
    use(language)
    words, won = front_words("writes"), {"code": "view[2, 1]", "count": 47}
    now = {"refused": "view[0]", "silent": words["none"]}
    before, after = call([["missionLine", [words, each, now]] for each in (None, won)])
    assert before.startswith(f"○ {words['mission']}")
    assert "view[0]" in before
    assert after.startswith(f"✓ {words['mission']}")
    assert "view[2, 1]" in after
    assert "47" in after
    assert "view[0]" not in after
    assert "{" not in before + after


def test_presets_can_be_set_on_the_controls_and_teach_each_outcome(call):
    words = front_words("writes")
    named = call([["writePresets", [words]]])[0]
    states = [state for _, state in named]
    assert all(label in words.values() for label, _ in named)
    for state in states:
        assert zs.explore.writes(**state).state == state
    assert unlike_the_library(call, states) == []
    assert {really_run(**state)["outcome"] for state in states} == {"raises", "together", "safe"}


def test_arrows_stay_in_the_grid(call):
    source = SOURCE.replace("function moved(", "export function moved(")
    moves = {
        ("ArrowUp", (0, 1)): [0, 1],
        ("ArrowDown", (0, 1)): [1, 1],
        ("ArrowDown", (3, 1)): [3, 1],
        ("ArrowLeft", (2, 0)): [2, 0],
        ("ArrowRight", (2, 1)): [2, 2],
        ("Home", (2, 2)): [2, 0],
        ("End", (2, 0)): [2, 2],
    }
    assert call([["moved", [key, cell, [3, 2]]] for key, cell in moves], source) == list(moves.values())
    assert not call([["moved", ["a", [0, 0], [3, 2]]]], source.replace("return to &&", "return !!to &&"))[0]
