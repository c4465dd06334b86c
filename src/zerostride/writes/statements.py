"""A write as a person types it: read without running it, by an allowed list of forms."""

import ast
from dataclasses import dataclass

import numpy as np

from zerostride.language import say

LONGEST = 1000
DEEPEST = 20
READING = ("isnan", "isinf", "isfinite", "abs", "zeros_like", "ones_like", "mean", "sum", "amax", "amin")
LIBRARY_OF = {"np": "numpy", "numpy": "numpy", "torch": "torch"}
_MAKERS = ("array", "tensor", "zeros", "ones", "full", "arange")
# Methods and functions that are tried; those that hand in a program of one's own or move memory are not.
_NUMPY_METHODS = ("fill", "put", "sort", "partition")
_NUMPY_FUNCTIONS = ("put", "place", "putmask", "copyto", "fill_diagonal")
_WITH_OUT = ("clip", "cumsum", "cumprod", "matmul", "dot", "sum", "where", "tril", "triu", "clamp", "round")
_NO_TRIAL = ("apply_", "map_", "map2_", "as_strided_", "set_", "resize_", "resize_as_", "share_memory_")
# What may stand between an array and what is written: mostly views; where it is a copy, the trial shows it.
_VIEWS = ("T", "mT", "data", "flat", "real")
_VIEW_METHODS = (
    "view", "reshape", "ravel", "flatten", "t", "transpose", "permute", "swapaxes", "squeeze", "unsqueeze",
    "detach", "diagonal", "numpy", "copy", "clone",
)  # fmt: skip
# What counts positions along all elements means something else in a smaller array.
BY_POSITION = ("put", "put_", "place", "partition", "putmask")


class StatementError(ValueError):
    """A statement is none of the allowed forms; the text says why, in the language in use."""


@dataclass(frozen=True)
class Write:
    """One statement, read.

    Attributes
    ----------
    name : str
        What the array is called in it.
    text : str
        The statement.
    form : {"assignment", "augmented", "method", "function"}
        Which of the allowed forms it has.
    place : ast.expr
        Where an assignment writes; for the others the array itself.
    operator : type or None
        Of an augmented assignment.
    value : ast.expr or None
        The right-hand side.
    call : ast.Call or None
        A method's or a function's.
    """

    name: str
    text: str
    form: str
    place: ast.expr
    operator: type[ast.AST] | None = None
    value: ast.expr | None = None
    call: ast.Call | None = None

    @property
    def called(self) -> str:
        """Name of the method or function, such as ``"add_"`` or ``"add.at"``."""
        if self.call is None:
            return ""
        function = self.call.func
        if self.form == "method" and isinstance(function, ast.Attribute):
            return function.attr
        return ".".join(dotted(function)[1:])

    @property
    def library(self) -> str:
        """The library that a function is of, or ""."""
        return LIBRARY_OF[dotted(self.call.func)[0]] if self.form == "function" and self.call else ""

    @property
    def has_arrays(self) -> bool:
        """Whether a list or a new array stands in it beside the index: its length is part of the question."""
        outside = [node for node in (self.value, self.call) if node]
        nodes = [each for node in outside for each in ast.walk(node)]
        return any(isinstance(node, ast.List) or makes_array(node) for node in nodes)

    @property
    def names_itself(self) -> bool:
        """Whether the array is read beside being written, as in ``y[1:] += y[:-1]``."""
        read = [self.value] if self.value else self.call.args if self.call and self.form == "method" else []
        return any(map(self.mentions_itself, read))

    @property
    def is_detached(self) -> bool:
        """Whether the write goes past the graph of derivatives, as through ``.data``, or into a clone."""
        return self._names_any("data", "detach", "clone")

    @property
    def through_numpy(self) -> bool:
        """Whether the write goes through ``.numpy()`` alone: that refuses what requires a gradient."""
        return self._names_any("numpy") and not self.is_detached

    def _names_any(self, *names: str) -> bool:
        return any(isinstance(node, ast.Attribute) and node.attr in names for node in ast.walk(self.place))

    def mentions_itself(self, part: ast.AST) -> bool:
        """Return whether the array stands in a part of the statement."""
        return any(isinstance(node, ast.Name) and node.id == self.name for node in ast.walk(part))


def parsed(statement: object) -> Write:
    """Return a statement as one of the allowed forms; nothing in it is run.

    Raises
    ------
    TypeError
        If it is no text.
    ValueError
        If it is none of the allowed forms.

    Examples
    --------
    >>> parsed("y[:, 0] += 9").form, parsed("x.add_(1)").name, parsed("np.add(z, 1, out=z)").called
    ('augmented', 'x', 'add')
    """
    if not isinstance(statement, str):
        raise TypeError(say("writes.ask.no_text", kind=type(statement).__name__))
    try:
        body = ast.parse(statement.strip()).body if len(statement) <= LONGEST else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise StatementError(say("writes.ask.syntax", statement=statement[:80])) from None
    if any(_deeper_than(DEEPEST, line) for line in body):
        raise StatementError(say("writes.ask.form", statement=statement[:80]))
    if len(body) != 1:
        raise StatementError(say("writes.ask.one", count=len(body)) if body else say("writes.ask.length"))
    write = _read(body[0], statement.strip())
    if write is None:
        raise StatementError(say("writes.ask.form", statement=statement[:80]))
    return write


def _deeper_than(levels: int, node: ast.AST) -> bool:
    nodes = [node]
    for _ in range(levels):
        nodes = [child for each in nodes for child in ast.iter_child_nodes(each)]
    return bool(nodes)


def _read(line: ast.stmt, text: str) -> Write | None:
    if isinstance(line, ast.Assign) and len(line.targets) == 1:
        place = line.targets[0]
        if isinstance(place, ast.Name):
            raise StatementError(say("writes.ask.rebinds", name=place.id))
        name = _name_of(place) if isinstance(place, ast.Subscript) else ""
        return Write(name, text, "assignment", place, value=line.value) if name else None
    if isinstance(line, ast.AugAssign):
        name = "" if isinstance(line.target, ast.Attribute) else _name_of(line.target)
        return Write(name, text, "augmented", line.target, type(line.op), line.value) if name else None
    if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call):
        return _read_call(line.value, text)
    return None


def _read_call(call: ast.Call, text: str) -> Write | None:
    names = dotted(call.func)
    if isinstance(call.func, ast.Attribute) and (of := _name_of(call.func.value)) and of not in LIBRARY_OF:
        method = call.func.attr
        allowed = method in _NUMPY_METHODS or (method.endswith("_") and method[0] != "_")
        if not allowed or method in _NO_TRIAL:
            raise StatementError(say("writes.ask.method", name=method))
        return Write(of, text, "method", call.func.value, call=call)
    if len(names) < 2 or names[0] not in LIBRARY_OF:
        return None
    called = ".".join(names[1:])
    call = _with_out_named(call, called) if LIBRARY_OF[names[0]] == "numpy" else call
    out = next((each.value for each in call.keywords if each.arg == "out"), None)
    written = out or (call.args[0] if call.args else None)
    if not isinstance(written, ast.Name):
        return None
    if not _is_known(LIBRARY_OF[names[0]], called, bool(out)):
        raise StatementError(say("writes.ask.method", name=called))
    return Write(written.id, text, "function", written, call=call)


def _with_out_named(call: ast.Call, called: str) -> ast.Call:
    """Return a call of a ufunc with what it writes into under ``out=``, alone."""
    function = getattr(np, called, None)
    if not isinstance(function, np.ufunc):
        return call
    read, written = call.args[: function.nin], call.args[function.nin :]
    named = [*(ast.keyword("out", each) for each in written), *call.keywords]
    for each in named:
        if each.arg == "out" and isinstance(each.value, ast.Tuple) and len(each.value.elts) == 1:
            each.value = each.value.elts[0]
    return ast.Call(call.func, read, named)


def _is_known(library: str, called: str, out: bool) -> bool:
    if library == "torch":
        return out and (called in _WITH_OUT or called + "_" in _torch_methods())
    function, _, at = called.partition(".")
    if isinstance(getattr(np, function, None), np.ufunc):
        return (out and not at) or at == "at"
    return called in (_WITH_OUT if out else _NUMPY_FUNCTIONS) and hasattr(np, called)


def _torch_methods() -> list[str]:
    import torch

    return dir(torch.Tensor)


def _name_of(place: ast.expr) -> str:
    """Return the name of an array, of a part of it or of a view of that; or ""."""
    while inside := _inside(place):
        place = inside
    return place.id if isinstance(place, ast.Name) and place.id not in LIBRARY_OF else ""


def _inside(place: ast.expr) -> ast.expr | None:
    """Return what a part or a view is one of."""
    match place:
        case ast.Subscript(value=inside):
            return inside
        case ast.Attribute(value=inside, attr=name) if name in _VIEWS:
            return inside
        case ast.Call(func=ast.Attribute(value=inside, attr=name), keywords=[]) if name in _VIEW_METHODS:
            return inside
    return None


def dotted(node: ast.expr) -> list[str]:
    """Return the names of ``a.b.c``; nothing where it is more than names."""
    if isinstance(node, ast.Name):
        return [node.id]
    return [*dotted(node.value), node.attr] if isinstance(node, ast.Attribute) and dotted(node.value) else []


def makes_array(node: ast.AST) -> bool:
    """Return whether a call makes a new array, such as ``np.zeros(3)``."""
    names = dotted(node.func) if isinstance(node, ast.Call) else []
    return len(names) == 2 and names[0] in LIBRARY_OF and names[1] in _MAKERS
