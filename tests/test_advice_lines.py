"""The code of each answer as a person reads it, and what the small trials find on a view and on a copy."""

import inspect

import pytest

from zerostride.advice import trials
from zerostride.advice.growth import growth
from zerostride.advice.instance import Instance
from zerostride.advice.lines import expression, lines, measuring, other_expression

GROWTHS = {
    "row": growth((1, 3), (4, 3)),
    "same": growth((4, 3), (4, 3)),
    "new axis": growth((3,), (4, 3)),
    "blocks": growth((2, 3), (4, 3)),
    "each": growth((2, 3), (4, 3), "each"),
    "reshaped": growth((4, 3), (4, 5, 3), reshaped=True),
}
OWN = "x.clone(memory_format=torch.contiguous_format)"
TILED = "np.tile(x.reshape(4, 1, 3), (1, 5, 1))"
VIEWED = "np.broadcast_to(x.reshape(4, 1, 3), (4, 5, 3))"
# How it grows, the answer, the library, its code, what would be written otherwise.
CODE = [
    ("row", "expand", "numpy", "np.broadcast_to(x, (4, 3))", "np.tile(x, (4, 1))"),
    ("row", "expand", "torch", "x.expand(4, 3)", "x.repeat(4, 1)"),
    ("row", "copy_first", "numpy", "np.broadcast_to(x, (4, 3)).copy()", "np.broadcast_to(x, (4, 3))"),
    ("row", "copy_first", "torch", "x.expand(4, 3).clone()", "x.expand(4, 3)"),
    ("row", "repeat", "torch", "x.repeat(4, 1)", "x.expand(4, 3)"),
    ("row", "repeat_each", "numpy", "np.tile(x, (4, 1))", "np.broadcast_to(x, (4, 3))"),
    ("row", "separate_parameters", "torch", "x.repeat(4, 1)", "x.expand(4, 3)"),
    ("row", "reshape_first", "torch", "x.reshape(1, 3).expand(4, 3)", "x.repeat(4, 1).reshape(-1)"),
    ("row", "leave_to_broadcasting", "numpy", "x + other", "np.tile(x, (4, 1)) + other"),
    ("row", "leave_to_broadcasting", "torch", "x + other", "x.repeat(4, 1) + other"),
    ("same", "expand", "numpy", "x", "x.copy()"),
    ("same", "expand", "torch", "x", OWN),
    ("same", "copy_first", "torch", "x.clone()", "x"),
    ("same", "repeat", "torch", OWN, "x"),
    ("same", "reshape_first", "numpy", "x.reshape(12)", "x.copy().reshape(-1)"),
    ("same", "leave_to_broadcasting", "torch", "x + other", f"{OWN} + other"),
    ("new axis", "expand", "torch", "x.expand(4, 3)", "x.repeat(4, 1)"),
    ("new axis", "reshape_first", "torch", "x.reshape(1, 3).expand(4, 3)", "x.repeat(4, 1).reshape(-1)"),
    ("blocks", "repeat", "numpy", "np.tile(x, (2, 1))", ""),
    ("blocks", "copy_first", "torch", "x.repeat(2, 1)", ""),
    ("blocks", "leave_to_broadcasting", "torch", "x + other", ""),
    ("each", "repeat_each", "numpy", "np.repeat(x, 2, axis=-2)", ""),
    ("each", "repeat_each", "torch", "x.repeat_interleave(2, dim=-2)", ""),
    ("reshaped", "expand", "numpy", VIEWED, TILED),
    ("reshaped", "reshape_first", "numpy", VIEWED, TILED),
    ("reshaped", "copy_first", "numpy", f"{VIEWED}.copy()", VIEWED),
    ("reshaped", "repeat", "numpy", TILED, VIEWED),
    ("reshaped", "separate_parameters", "torch", "x.reshape(4, 1, 3).repeat(1, 5, 1)",
     "x.reshape(4, 1, 3).expand(4, 5, 3)"),
]  # fmt: skip
LEARNS = "w = torch.nn.Parameter(x.detach().clone())\n"
STEPS = "optimizer = torch.optim.SGD([{}], lr=0.1)"
ROWS = "rows = torch.nn.Parameter(x.detach().repeat(4, 1))"
# What is asked of a row that becomes four: answer, library, writes, learns, then; and the lines.
LINES = [
    ("expand numpy nobody nobody nothing", "y = np.broadcast_to(x, (4, 3))"),
    ("expand torch source shared optimizer_loop",
     f"w = torch.nn.Parameter(x)\n{STEPS.format('w')}\ny = w.expand(4, 3)"),
    ("expand torch nobody shared nothing", f"{LEARNS}y = w.expand(4, 3)"),
    ("separate_parameters torch nobody each_copy optimizer_loop", f"{ROWS}\n{STEPS.format('rows')}"),
    ("separate_parameters torch nobody each_copy nothing", ROWS),
    ("separate_parameters torch each_copy nobody nothing", "rows = x.detach().repeat(4, 1)"),
    ("separate_parameters numpy nobody each_copy optimizer_loop", "rows = np.tile(x, (4, 1))"),
    ("copy_first torch each_copy nobody nothing", "y = x.detach().expand(4, 3).clone()"),
    ("copy_first torch nobody nobody nothing", "y = x.expand(4, 3).clone()"),
    ("copy_first torch nobody nobody contiguous",
     "y = x.expand(4, 3).clone(memory_format=torch.contiguous_format)"),
    ("copy_first numpy each_copy nobody contiguous", "y = np.broadcast_to(x, (4, 3)).copy()"),
    ("expand torch nobody nobody save", 'torch.save(x, "x.pt")\ny = torch.load("x.pt").expand(4, 3)'),
    ("expand numpy nobody nobody save", 'np.save("x.npy", x)\ny = np.broadcast_to(np.load("x.npy"), (4, 3))'),
    ("expand torch nobody nobody process",
     "import pickle\nsent = pickle.dumps(x)\ny = pickle.loads(sent).expand(4, 3)"),
    ("expand torch nobody shared save",
     f'{LEARNS}torch.save(w, "x.pt")\ny = torch.load("x.pt").expand(4, 3)'),
    ("leave_to_broadcasting numpy nobody nobody nothing", "result = x + other"),
    ("leave_to_broadcasting torch nobody shared nothing", f"{LEARNS}result = w + other"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answer", "library", "code", "otherwise"), CODE)
def test_each_answer_has_its_code(name, answer, library, code, otherwise):
    assert expression(answer, GROWTHS[name], library) == code
    assert other_expression(answer, GROWTHS[name], library) == otherwise


@pytest.mark.parametrize(("asked", "told"), LINES)
def test_each_answer_has_its_lines(asked, told):
    answer, library, writes, learns, then = asked.split()
    assert lines(answer, GROWTHS["row"], library, writes, learns, then) == told


@pytest.mark.parametrize(
    ("name", "answer", "told"),
    [
        ("row", "expand",
         '{"this": lambda x: x.expand(4, 3).sum(), "other_way": lambda x: x.repeat(4, 1).sum()}, x'),
        ("row", "leave_to_broadcasting",
         '{"this": lambda x, other: (x + other).sum(), '
         '"other_way": lambda x, other: (x.repeat(4, 1) + other).sum()}, x, other'),
        ("blocks", "repeat", '{"this": lambda x: x.repeat(2, 1).sum()}, x'),
    ],
)  # fmt: skip
def test_each_answer_can_be_measured(name, answer, told):
    assert measuring(answer, GROWTHS[name], "torch") == f"zs.measure_time({told})"


# Of four rows read from one: what each trial finds on a view, and on a copy.
ON_A_VIEW = {
    "comes_back": (True, {"data": 24, "all": 96}),
    "each_learns": (True, {"values": 12}),
    "edit_returns_a_new_array": (True, {"bytes": 96}),
    "edit_stays": (False, {"changed": 0}),
    "gradient_adds_up": (True, {"first": "4", "uses": 4}),
    "is_contiguous": (False, {"strides": (0, 8)}),
    "library_refuses": (False, {"source": (1, 3), "target": (4, 3), "error": "-"}),
    "no_small_step": (True, {"dtype": "float64", "error": "-"}),
    "nothing_learns": (True, {"values": 3}),
    "one_value_learns": (True, {"values": 3}),
    "operation_broadcasts": (True, {"shape": (4, 3)}),
    "own_storage": (False, {"bytes": 24, "logical": 96}),
    "reshape_last_copies": (True, {"copied": 96, "stored": 24}),
    "result_is_dense": (True, {"bytes": 96}),
    "same_values": (True, {"shape": (4, 3), "elements": 12}),
    "shares_storage": (True, {"logical": 96, "stored": 24}),
    "source_edit_is_not_seen": (True, {"changed": 0, "uses": 4}),
    "source_edit_is_seen": (True, {"changed": 4, "uses": 4}),
    "write_would_spread": (True, {"outcome": "read_only"}),
}
ON_A_COPY = ON_A_VIEW | {
    "edit_stays": (True, {"changed": 1}),
    "is_contiguous": (True, {"strides": (24, 8)}),
    "own_storage": (True, {"bytes": 96, "logical": 96}),
    "reshape_last_copies": (True, {"copied": 96, "stored": 96}),
    "shares_storage": (False, {"logical": 96, "stored": 24}),
    "source_edit_is_seen": (False, {"changed": 0, "uses": 4}),
    "write_would_spread": (False, {"outcome": "safe"}),
}
OTHERWISE_IN_TORCH = {
    "edit_stays": (False, {"changed": 4}),
    "no_small_step": (False, {"dtype": "float64", "error": "-"}),
    "write_would_spread": (True, {"outcome": "changes_several"}),
}


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("name", ON_A_VIEW)
def test_each_trial_tells_a_view_from_a_copy(name, library):
    if library == "torch":
        pytest.importorskip("torch")
    trial = getattr(trials, name)
    for answers, wanted in (
        (("expand", "reshape_first", "leave_to_broadcasting"), ON_A_VIEW),
        (("copy_first", "separate_parameters"), ON_A_COPY),
    ):
        for answer in answers:
            found = trial(Instance(answer, GROWTHS["row"], library, "float64"))
            other = library == "torch" and (wanted is ON_A_VIEW or name == "no_small_step")
            assert found == (OTHERWISE_IN_TORCH.get(name, wanted[name]) if other else wanted[name])


def test_no_trial_is_left_out():
    defined = {
        name for name, found in inspect.getmembers(trials, inspect.isfunction)
        if found.__module__ == trials.__name__ and not name.startswith("_")
    }  # fmt: skip
    assert defined == set(ON_A_VIEW)
