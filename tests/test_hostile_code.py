"""What could run a stranger's text stands only where that is the point, and each place is known."""

import ast
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "zerostride"
RUNS = ("eval", "exec", "compile", "__import__")
UNPICKLES = ("load", "loads", "Unpickler")

KNOWN = {
    ("advice/instance.py", "eval"),  # the advice's own expression, made from a growth and a library
    ("advice/trials.py", "pickle.loads"),  # what was pickled in the same line
    ("child.py", "runpy.run_module"),  # a module of the package, named by who calls
    ("findings/files.py", "runpy.run_path"),  # the learner's program, which is what was asked
    ("memory/storing.py", "np.load"),  # written a moment ago
    ("memory/storing.py", "pickle.loads"),
    ("writes/trials.py", "exec"),  # statements of the atlas
}


def dotted(node):
    if isinstance(node, ast.Name):
        return node.id
    return f"{dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else "?"


def is_given(call, name, value):
    return any(each.arg == name and ast.literal_eval(each.value) is value for each in call.keywords)


def dangers(source):
    """Yield what could run what it is handed, by its dotted name: a call, or a function that is handed on."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Attribute) and dotted(call).startswith(("runpy.", "os.system")):
            yield dotted(call)
        if not isinstance(call, ast.Call):
            continue
        name = dotted(call.func)
        last = name.rpartition(".")[2]
        unsafe_torch = name.endswith("torch.load") and not is_given(call, "weights_only", True)
        pickled = (
            name.split(".")[0] in ("pickle", "marshal", "dill", "joblib", "shelve") and last in UNPICKLES
        )
        allowed = last in ("load", "fromfile") and is_given(call, "allow_pickle", True)
        runs = name in (*RUNS, "os.popen") or is_given(call, "shell", True)
        if unsafe_torch or pickled or allowed or runs:
            yield name


def test_every_danger_is_known_and_every_known_one_is_there():
    found = {
        (path.relative_to(SRC).as_posix(), name)
        for path in SRC.rglob("*.py")
        for name in dangers(path.read_text("utf-8"))
    }
    assert found == KNOWN


@pytest.mark.parametrize(
    "source",
    [
        "eval(text)",
        "exec(text, {})",
        "pickle.loads(held)",
        "pickle.Unpickler(file).load()",
        "torch.load(path)",
        "self.torch.load(path, weights_only=False)",
        "np.load(path, allow_pickle=True)",
        "subprocess.run(text, shell=True)",
        "os.system(text)",
        "told(runpy.run_path, path)",
    ],
)
def test_a_danger_would_be_seen(source):
    assert list(dangers(source))


@pytest.mark.parametrize(
    "source",
    ["torch.load(path, weights_only=True)", "np.load(path)", "ast.literal_eval(text)", "re.compile(text)"],
)
def test_what_is_safe_is_let_pass(source):
    assert not list(dangers(source))
