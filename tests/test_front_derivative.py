"""The page's derivatives against Python's, torch's and plain differences, on a grid of control positions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import test_front
from test_front import SOURCE
from zerostride.explore.deriving import MOST_COLS, MOST_ROWS, MOST_WEIGHT
from zerostride.explore.panel import front_words
from zerostride.explore.weighted_rows import REDUCTIONS, WAYS, WeightedRows, sum_text
from zerostride.language import LANGUAGES, speaking

call = test_front.call
WITHIN = 1e-7


def grids():
    """Return weights of many shapes: counted, alternating, all the same, and at the ends of the dials."""
    rng = np.random.default_rng(0)
    for rows, cols in product(range(1, MOST_ROWS + 1), range(1, MOST_COLS + 1)):
        yield np.arange(rows * cols).reshape(rows, cols) % (MOST_WEIGHT + 1)
        yield (-1) ** np.add.outer(np.arange(rows), np.arange(cols))
        yield np.full((rows, cols), MOST_WEIGHT)
        yield rng.integers(-MOST_WEIGHT, MOST_WEIGHT, (rows, cols), endpoint=True)


STATES = [
    WeightedRows(tuple(map(tuple, grid.tolist())), way, reduction)
    for grid, way, reduction in product(grids(), WAYS, REDUCTIONS)
]
FOUR = WeightedRows(((1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12)))


def as_state(rows):
    (high, wide), weights = rows.shape, [list(row) for row in rows.weights]
    return {"rows": high, "cols": wide, "weights": weights, "way": rows.way, "reduction": rows.reduction}


def unlike_python(call, states, source=SOURCE):
    """Yield the states whose derivative, uses or difference on the page are not Python's."""
    answers = call([["derivativeOf", [as_state(rows)]] for rows in states], source)
    for rows, seen in zip(states, answers, strict=True):
        parts = seen["parts"]
        values = [part["total"] for part in parts]
        shown = None if None in values else [Fraction(value, seen["factor"]) for value in values]
        same = (shown, [part["terms"] for part in parts]) == (rows.derivative, rows.terms())
        differences = [part["difference"] for part in parts]
        near = np.abs(np.subtract(differences, rows.differences)).max() <= WITHIN
        if not (same and near and np.isclose(seen["loss"], rows.loss(rows.source), rtol=1e-13, atol=1e-12)):
            yield rows


def test_every_state_equals_python(call):
    assert len(STATES) == 24 * 4 * 5 * 2
    assert list(unlike_python(call, STATES)) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('way === "independent" ? x[i][j] : x[j])', 'way === "independent" ? x[0][j] : x[j])'),
        ('reduction === "mean" ? rows * cols : 1', 'reduction === "mean" ? rows : 1'),
        ('way !== "edited" || use !== EDITED', "true"),
        ('way === "detach" ? null : total', "total"),
        ("[1e-5, 2e-5, 1e-7]", "[1e-5, 1e-5, 1e-7]"),
        ("const readers = alone ? [i]", "const readers = alone ? [0]"),
        ('return reduction === "mean" ? total / (rows * cols) : total', "return total"),
    ],
)
def test_a_wrong_derivative_is_seen(call, right, wrong):
    assert SOURCE.count(right) == 1
    assert list(unlike_python(call, STATES[::7], SOURCE.replace(right, wrong)))


def said_to_agree(call, states, source=SOURCE):
    answers = call([["derivativeOf", [as_state(rows)]] for rows in states], source)
    return [{part["agrees"] for part in seen["parts"]} for seen in answers]


def test_difference_and_derivative_agree_unless_the_path_is_cut(call):
    for rows, said in zip(STATES, said_to_agree(call, STATES), strict=True):
        assert said == {rows.way != "detach"}, rows
    wrong = SOURCE.replace("total / factor) <= TOLERANCE", "total) <= TOLERANCE")
    mean = WeightedRows(FOUR.weights, "expand", "mean")
    assert said_to_agree(call, [mean], wrong) == [{False}]


def by_autograd(rows):
    """Return what torch leaves in the gradient of the source, or of the rows of their own."""
    torch = pytest.importorskip("torch")
    high, wide = rows.shape
    x = torch.arange(1.0, wide + 1, dtype=torch.float64).reshape(1, wide).requires_grad_()
    leaf = torch.nn.Parameter(x.detach().repeat(high, 1)) if rows.way == "independent" else x
    y = {
        "expand": lambda: x.expand(high, wide),
        "repeat": lambda: x.repeat(high, 1),
        "edited": lambda: x.expand(high, wide).clone(),
        "detach": lambda: x.detach().expand(high, wide),
        "independent": lambda: leaf,
    }[rows.way]()
    if rows.way == "edited":
        y[0, 0] = 9.0
    loss = getattr(y * torch.tensor(rows.weights), rows.reduction)()
    if loss.requires_grad:
        loss.backward()
    assert loss.item() == pytest.approx(rows.loss(rows.source), rel=1e-13, abs=1e-12)
    return None if leaf.grad is None else leaf.grad.ravel().tolist()


def unlike_autograd(states):
    for rows in states:
        shown = None if rows.derivative is None else [float(value) for value in rows.derivative]
        if shown is None or by_autograd(rows) is None:
            if shown != by_autograd(rows):
                yield rows
        elif not np.allclose(shown, by_autograd(rows), rtol=1e-12, atol=1e-12):
            yield rows


def test_derivatives_are_those_of_autograd():
    assert list(unlike_autograd(STATES[::3])) == []


def test_a_derivative_unlike_autograd_is_seen(monkeypatch):
    monkeypatch.setattr(WeightedRows, "factor", property(lambda rows: rows.shape[0]))
    assert list(unlike_autograd([WeightedRows(FOUR.weights, "repeat", "mean")]))


def test_the_articles_numbers(call):
    wanted = {
        ("expand", "sum"): "(22, 26, 30)",
        ("repeat", "sum"): "(22, 26, 30)",
        ("expand", "mean"): "(11/6, 13/6, 5/2)",
        ("edited", "sum"): "(21, 26, 30)",
        ("detach", "sum"): "None",
        ("independent", "sum"): "((1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12))",
    }
    states = [as_state(WeightedRows(FOUR.weights, *ways)) for ways in wanted]
    seen = call([["derivativeOf", [state]] for state in states])
    texts = [["derivativeText", [state, each]] for state, each in zip(states, seen, strict=True)]
    assert call(texts) == list(wanted.values())


def test_sums_are_written_as_python_writes_them(call):
    cases = [([1, 4, 7, 10], 1), ([-1, 2, -3], 6), ([5], 4), ([], 1), ([-2], 1)]
    assert call([["sumText", list(case)] for case in cases]) == [sum_text(*case) for case in cases]
    assert sum_text([1, 4, 7, 10]) == "1 + 4 + 7 + 10"
    fractions = [(22, 12), (-22, 12), (24, 12), (0, 12), (-7, 1)]
    written = [str(Fraction(*each)).replace("-", "−") for each in fractions]
    assert call([["fractionText", list(each)] for each in fractions]) == written


def by_trying(rows, i, j):
    """Raise one weight by one, and return the places of the components that are others then."""
    more = [list(row) for row in rows.weights]
    more[i][j] += 1
    after = WeightedRows(tuple(map(tuple, more)), rows.way)
    both = zip(rows.derivative or [], after.derivative or [], strict=True)
    return [place for place, (old, new) in enumerate(both) if old != new]


def wrongly_moved(call, source=SOURCE):
    """Yield way and weight where the page says that other components move than do."""
    states = [WeightedRows(FOUR.weights, way) for way in WAYS]
    seen = call([["derivativeOf", [as_state(rows)]] for rows in states], source)
    cases = [
        (rows, each, index) for rows, each in zip(states, seen, strict=True) for index in np.ndindex(4, 3)
    ]
    said = call(
        [["movedBy", [each, rows.way, "{},{}".format(*index)]] for rows, each, index in cases], source
    )
    for (rows, each, index), names in zip(cases, said, strict=True):
        if names != [each["parts"][place]["name"] for place in by_trying(rows, *index)]:
            yield rows.way, index


def test_what_moves_is_what_uses_the_weight(call):
    assert list(wrongly_moved(call)) == []
    assert list(wrongly_moved(call, SOURCE.replace('way === "detach" ? [] :', "")))
    assert by_trying(WeightedRows(FOUR.weights, "edited"), 0, 0) == []


def solved(call, before, now, source=SOURCE):
    return call([["derivativeMissions", [before, now]]], source)[0]


def test_missions_are_solved_by_what_they_ask(call):
    start = as_state(FOUR)
    repeat, mean = start | {"way": "repeat"}, start | {"reduction": "mean"}
    one = start | {"weights": [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 5]]}
    told = {"before": "expand", "after": "repeat", "derivative": "(22, 26, 30)"}
    assert solved(call, start, repeat) == {"storage": told}
    assert solved(call, repeat, start)["storage"]["after"] == "expand"
    moved = {"i": 3, "j": 2, "name": "x[0, 2]", "from": "30", "to": "23"}
    assert solved(call, start, one) == {"one": moved}
    eight = mean | {"cols": 2, "weights": [row[:2] for row in start["weights"]]}
    assert solved(call, mean, eight) == {"factor": {"shape": "(4, 2)", "factor": 8}}


def test_missions_are_not_solved_by_anything_else(call):
    start = as_state(FOUR)
    two = start | {"weights": [[2, 2, 3], [5, 5, 6], [7, 8, 9], [10, 11, 12]]}
    edited = start | {"way": "edited"}
    unused = edited | {"weights": [[7, 2, 3], *start["weights"][1:]]}
    no_steps = [
        (None, start),
        (start, start),
        (start, two),
        (start, start | {"way": "detach"}),
        (start, start | {"reduction": "mean"}),
        (start, two | {"way": "repeat"}),
        (edited, unused),
    ]
    assert [solved(call, *step) for step in no_steps] == [{}] * len(no_steps)
    lenient = SOURCE.replace('same("rows", "cols", "weights", "reduction")', "before")
    assert solved(call, start, two | {"way": "repeat"}, lenient)


@pytest.mark.parametrize("language", LANGUAGES)
def test_presets_can_be_set_on_the_controls(call, language):
    with speaking(language):
        words = front_words("derivative")
    presets = call([["derivativePresets", [words, {"rows": MOST_ROWS, "cols": MOST_COLS}]]])[0]
    assert len(presets) == 7
    for name, state in presets:
        assert name in words.values()
        assert np.shape(state["weights"]) == (MOST_ROWS, MOST_COLS)
        assert np.abs(state["weights"]).max() <= MOST_WEIGHT
        assert (state["way"] in WAYS, state["reduction"] in REDUCTIONS) == (True, True)


def test_the_program_shown_is_the_one_differentiated(call):
    """Run what the page writes as code, in torch, and compare the gradient."""
    torch = pytest.importorskip("torch")
    for way, reduction in product(WAYS, REDUCTIONS):
        rows = WeightedRows(FOUR.weights, way, reduction)
        code = call([["derivativeCode", [as_state(rows)]]])[0]
        x = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64, requires_grad=True)
        names = {"x": x, "w": torch.tensor(FOUR.weights), "Parameter": torch.nn.Parameter}
        exec(code.replace("; ", "\n"), names)
        if names["loss"].requires_grad:
            names["loss"].backward()
        gradient = names.get("p", x).grad
        shown = None if gradient is None else gradient.ravel().tolist()
        assert shown == (
            None if rows.derivative is None else pytest.approx(list(map(float, rows.derivative)))
        )
