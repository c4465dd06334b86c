"""Every name that a learner is told to call is described, with an example that runs."""

import ast
import doctest
import inspect
import json
import re
import textwrap

import pytest

import zerostride as zs
from zerostride.course import lessons

FINDER = doctest.DocTestFinder(recurse=False)


def public(module, name="zs"):
    """Yield every public name below a module with what it stands for; constants apart."""
    for inner in module.__all__:
        value = getattr(module, inner)
        if inspect.ismodule(value) or callable(value):
            yield f"{name}.{inner}", value
        if inspect.ismodule(value):
            yield from public(value, f"{name}.{inner}")


PUBLIC = dict(public(zs))


def examples(value):
    """Return the source of every example that is run."""
    found = [each for test in FINDER.find(value) for each in test.examples]
    return "".join(each.source for each in found if not each.options.get(doctest.SKIP))


def sections(text):
    """Return the text of each section of a docstring by its heading."""
    parts = re.split(r"(?m)^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(text or ""))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def raises(function):
    """Return whether a function raises an error of its own."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return any(isinstance(node, ast.Raise) and node.exc for node in ast.walk(tree))


def undescribed(value):
    """Yield what the description of a function lacks."""
    told, signature = sections(value.__doc__), inspect.signature(value)
    named = re.findall(r"(?m)^\*{0,2}(\w+(?:, \w+)*)(?: : .*)?$", told.get("Parameters", ""))
    known = {name for line in named for name in line.split(", ")}
    yield from (f"parameter {name}" for name in signature.parameters if name not in known | {"cls"})
    if signature.return_annotation not in (None, "None") and not {"Returns", "Yields"} & told.keys():
        yield "Returns"
    if raises(value) and "Raises" not in told:
        yield "Raises"


def members(value):
    """Return the public methods and properties that a class defines."""
    return {name: each for name, each in vars(value).items() if not name.startswith("_") and is_member(each)}


def is_member(value):
    return (
        isinstance(value, property | classmethod | staticmethod) or hasattr(value, "func") or callable(value)
    )


def faults(value):
    """Yield what is missing where a public name is described."""
    if not examples(value):
        yield "no example"
    if inspect.isfunction(value):
        yield from undescribed(value)
    if inspect.isclass(value):
        for name, each in members(value).items():
            if not inspect.getdoc(each):
                yield f"{name} is not described"
            own = examples(each.__func__) if isinstance(each, classmethod) else ""
            if not re.search(rf"\b{name}\b", examples(value) + own):
                yield f"{name} is in no example"


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_described_with_an_example(name):
    assert list(faults(PUBLIC[name])) == []


def called(source):
    """Return every public name that a cell uses."""
    return {
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and re.fullmatch(r"zs\.[a-z_.A-Z0-9]+", ast.unparse(node))
    }


def unknown(sources):
    """Return the calls that lead to no public name, or to nothing of one."""
    calls = {call for source in sources for call in called(source)}
    return {call for call in calls - MODULES if not set(prefixes(call)) & set(PUBLIC)}


def prefixes(call):
    parts = call.split(".")
    return [".".join(parts[:end]) for end in range(2, len(parts) + 1) if ".".join(parts[:end]) not in MODULES]


MODULES = {name for name, value in PUBLIC.items() if inspect.ismodule(value)}


def test_lessons_call_public_names_alone():
    cells = [cell for path in lessons("en") for cell in json.loads(path.read_text("utf-8"))["cells"]]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len({call for source in sources for call in called(source)}) > 50
    assert unknown(sources) == set()
    assert unknown(["zs.draw.nothing(1)", "zs.layout(x)"]) == {"zs.draw.nothing"}


def good(x: int) -> int:
    """Return twice a number.

    Parameters
    ----------
    x : int
        The number.

    Returns
    -------
    int
        Twice as much.

    Raises
    ------
    ValueError
        If it is negative.

    Examples
    --------
    >>> good(2)
    4
    """
    if x < 0:
        raise ValueError(x)
    return 2 * x


class Good:
    """A good one.

    Examples
    --------
    >>> Good().half()
    1
    """

    def half(self):
        """Return one."""
        return 1


@pytest.mark.parametrize(
    ("value", "old", "new", "fault"),
    [
        (good, "x : int", "y : int", "parameter x"),
        (good, "Returns", "Gives", "Returns"),
        (good, "Raises", "Refuses", "Raises"),
        (good, ">>> good(2)", ">>> good(2)  # doctest: +SKIP", "no example"),
        (Good, ".half()", ".whole()", "half is in no example"),
    ],
)
def test_a_name_that_is_badly_described_is_found(monkeypatch, value, old, new, fault):
    assert list(faults(value)) == []
    assert old in value.__doc__
    monkeypatch.setattr(value, "__doc__", value.__doc__.replace(old, new))
    assert list(faults(value)) == [fault]
