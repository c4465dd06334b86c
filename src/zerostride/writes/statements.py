"""A write as a person types it: read without running it, by an allowed list of forms."""

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from zerostride.language import say
from zerostride.layouts import is_tensor

LONGEST = 1000
LARGEST_ARGUMENT = 1 << 12
_ARITHMETIC: dict[type[ast.AST], tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any] | None]] = {
    ast.Add: (operator.add, operator.iadd),
    ast.Sub: (operator.sub, operator.isub),
    ast.Mult: (operator.mul, operator.imul),
    ast.Div: (operator.truediv, operator.itruediv),
    ast.FloorDiv: (operator.floordiv, operator.ifloordiv),
    ast.Mod: (operator.mod, operator.imod),
    ast.Pow: (operator.pow, operator.ipow),
    ast.BitAnd: (operator.and_, operator.iand),
    ast.BitOr: (operator.or_, operator.ior),
    ast.BitXor: (operator.xor, operator.ixor),
    ast.LShift: (operator.lshift, operator.ilshift),
    ast.RShift: (operator.rshift, operator.irshift),
    ast.MatMult: (operator.matmul, operator.imatmul),
}
_COMPARED: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
_LIBRARIES = {"np": "numpy", "numpy": "numpy", "torch": "torch"}
_COPIES = ("clone", "copy", "detach")
_MAKERS = ("array", "tensor", "zeros", "ones", "full", "arange")
_CONSTANTS = ("nan", "inf", "newaxis")
# Methods and functions that are tried; those that hand in a program of one's own or move memory are not.
_NUMPY_METHODS = ("fill", "put", "sort", "partition")
_NUMPY_FUNCTIONS = ("put", "place", "putmask", "copyto", "fill_diagonal")
_WITH_OUT = ("clip", "cumsum", "cumprod", "matmul", "dot", "sum", "where", "tril", "triu", "clamp", "round")
_NO_TRIAL = ("apply_", "map_", "map2_", "as_strided_", "set_", "resize_", "resize_as_", "share_memory_")
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
        of_method = self.form == "method" and isinstance(function, ast.Attribute)
        return (
            function.attr
            if of_method and isinstance(function, ast.Attribute)
            else ".".join(_dotted(function)[1:])
        )

    @property
    def library(self) -> str:
        """The library that a function is of, or ""."""
        return _LIBRARIES[_dotted(self.call.func)[0]] if self.form == "function" and self.call else ""

    @property
    def has_arrays(self) -> bool:
        """Whether a list or a new array stands in it beside the index: its length is part of the question."""
        outside = [node for node in (self.value, self.call) if node]
        nodes = [each for node in outside for each in ast.walk(node)]
        return any(isinstance(node, ast.List) or _maker(node) for node in nodes)

    @property
    def names_itself(self) -> bool:
        """Whether the array stands on the right-hand side too."""
        return self.value is not None and any(
            isinstance(node, ast.Name) and node.id == self.name for node in ast.walk(self.value)
        )


def parsed(statement: object) -> Write:
    """Return a statement as one of the allowed forms; nothing in it is run.

    Parameters
    ----------
    statement : str
        One line that writes into an array by its name.

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
    if len(body) != 1:
        raise StatementError(say("writes.ask.one", count=len(body)) if body else say("writes.ask.length"))
    write = _read(body[0], statement.strip())
    if write is None:
        raise StatementError(say("writes.ask.form", statement=statement[:80]))
    return write


def _read(line: ast.stmt, text: str) -> Write | None:
    if isinstance(line, ast.Assign) and len(line.targets) == 1:
        place = line.targets[0]
        if isinstance(place, ast.Name):
            raise StatementError(say("writes.ask.rebinds", name=place.id))
        name = _name_of(place)
        return Write(name, text, "assignment", place, value=line.value) if name else None
    if isinstance(line, ast.AugAssign):
        name = _name_of(line.target)
        return Write(name, text, "augmented", line.target, type(line.op), line.value) if name else None
    if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call):
        return _read_call(line.value, text)
    return None


def _read_call(call: ast.Call, text: str) -> Write | None:
    names = _dotted(call.func)
    if isinstance(call.func, ast.Attribute) and (of := _name_of(call.func.value)) and of not in _LIBRARIES:
        method = call.func.attr
        allowed = method in _NUMPY_METHODS or (method.endswith("_") and method[0] != "_")
        if not allowed or method in _NO_TRIAL:
            raise StatementError(say("writes.ask.method", name=method))
        return Write(of, text, "method", call.func.value, call=call)
    if len(names) < 2 or names[0] not in _LIBRARIES:
        return None
    called = ".".join(names[1:])
    out = next((each.value for each in call.keywords if each.arg == "out"), None)
    written = out or (call.args[0] if call.args else None)
    if not isinstance(written, ast.Name):
        return None
    if not _is_known(_LIBRARIES[names[0]], called, bool(out)):
        raise StatementError(say("writes.ask.method", name=called))
    return Write(written.id, text, "function", written, call=call)


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
    """Return the name of an array, of a part of it or of a part of a part; or ""."""
    while isinstance(place, ast.Subscript):
        place = place.value
    return place.id if isinstance(place, ast.Name) else ""


def _dotted(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id]
    return (
        [*_dotted(node.value), node.attr] if isinstance(node, ast.Attribute) and _dotted(node.value) else []
    )


def _maker(node: ast.AST) -> bool:
    names = _dotted(node.func) if isinstance(node, ast.Call) else []
    return len(names) == 2 and names[0] in _LIBRARIES and names[1] in _MAKERS


@dataclass(frozen=True)
class Scope:
    """What names stand for while a write is done: the array.

    ``copied`` hands out copies of the array on the right-hand side, so that
    nothing is read after it was written; ``marks`` is written in its place.
    """

    write: Write
    array: Any
    copied: bool = False
    marks: Any = None

    def perform(self) -> None:
        """Write into the array."""
        write = self.write
        if write.form == "function":
            self._call_function()
        elif write.call:
            holder, index = self.place(write.place)
            written = holder if index is None else holder[index[0]]
            getattr(written, write.called)(*self._positional(write.call), **self._named(write.call))
        else:
            self._assign()

    def _assign(self) -> None:
        value = self.value(self.write.value)
        holder, index = self.place(self.write.place)
        if index is None:
            _in_place(self.write.operator)(holder, value)
        elif self.write.operator is None:
            holder[index[0]] = value
        else:
            holder[index[0]] = _in_place(self.write.operator)(holder[index[0]], value)

    def place(self, place: ast.expr) -> tuple[Any, Any]:
        """Return what is written into and, in a tuple, at which index; None where it is all of the array."""
        if not isinstance(place, ast.Subscript):
            return self.array if self.marks is None else self.marks, None
        holder, before = self.place(place.value)
        held = holder if before is None else holder[before[0]]
        return held, (self.value(place.slice),)

    def _call_function(self) -> None:
        call = self.write.call
        assert call is not None
        function: Any = np
        if self.write.library == "torch":
            import torch

            function = torch
        for name in self.write.called.split("."):
            function = getattr(function, name)
        named = self._named(call)
        if "out" in named:
            named["out"] = self.array
            function(*self._positional(call), **named)
        else:
            function(self.array, *self._positional(call)[1:], **named)

    def _positional(self, call: ast.Call) -> list[Any]:
        return [self.value(each) for each in call.args]

    def _named(self, call: ast.Call) -> dict[str, Any]:
        return {each.arg or "": self.value(each.value) for each in call.keywords}

    def value(self, node: ast.AST | None) -> Any:
        """Return what an expression stands for.

        Raises
        ------
        ValueError
            If it is not a number, a list, the array itself or a part of it.
        """
        match node:
            case ast.Constant(value=value) if not isinstance(value, bytes):
                return value
            case ast.Tuple(elts=items):
                return tuple(map(self.value, items))
            case ast.List(elts=items):
                return list(map(self.value, items))
            case ast.Slice(lower=lower, upper=upper, step=step):
                return slice(*(each and self.value(each) for each in (lower, upper, step)))
            case ast.Name(id=name) if name == self.write.name:
                return self._own(self.array)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand)
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return ~self.value(operand)
            case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _COMPARED:
                return _COMPARED[type(sign)](self.value(left), self.value(right))
            case ast.BinOp(left=left, op=sign, right=right) if _calculable(
                sign, left, right, self.write.name
            ):
                return self._calculated(sign, self.value(left), self.value(right))
            case ast.Subscript(value=holder, slice=index) if not isinstance(holder, ast.List | ast.Tuple):
                return self._own(self.value(holder)[self.value(index)])
            case ast.Attribute(value=holder, attr="T") if not isinstance(holder, ast.Constant):
                return self._own(self.value(holder).T)
            case ast.Attribute(value=ast.Name(id=library), attr=name) if library in _LIBRARIES:
                if name in _CONSTANTS:
                    return getattr(np, name)
            case ast.Call(func=ast.Attribute(value=holder, attr=name), args=[], keywords=[]) if (
                name in _COPIES
            ):
                return self._copied(self.value(holder), name)
            case ast.Call() if _maker(node):
                return self._made(node)
        raise StatementError(say("writes.ask.value", text=ast.unparse(node) if node else ""))

    def _own(self, array: Any) -> Any:
        if not self.copied or not hasattr(array, "shape"):
            return array
        return array.clone() if is_tensor(array) else np.array(array)

    def _calculated(self, sign: ast.operator, left: Any, right: Any) -> Any:
        if any(isinstance(side, list | tuple | str) for side in (left, right)):  # would be joined or repeated
            raise StatementError(say("writes.ask.value", text=self.write.text[:80]))
        return _ARITHMETIC[type(sign)][0](left, right)

    def _copied(self, array: Any, name: str) -> Any:
        if not hasattr(array, name):
            raise StatementError(say("writes.ask.value", text=f"{self.write.name}.{name}()"))
        return getattr(array, name)()

    def _made(self, call: ast.Call) -> Any:
        library, name = _dotted(call.func)
        arguments = self._positional(call)
        sizes = np.ravel(arguments[0]) if arguments and name not in ("array", "tensor") else [1]
        if call.keywords or not arguments or prod(int(abs(size)) for size in sizes) > LARGEST_ARGUMENT:
            raise StatementError(say("writes.ask.value", text=ast.unparse(call)))
        if _LIBRARIES[library] == "torch":
            import torch

            return getattr(torch, name)(*arguments)
        return getattr(np, name)(*arguments)


def _in_place(sign: type[ast.AST] | None) -> Callable[[Any, Any], Any]:
    found = _ARITHMETIC[sign][1] if sign else None
    assert found is not None
    return found


def _calculable(sign: ast.operator, left: ast.expr, right: ast.expr, name: str) -> bool:
    """Return whether arithmetic is of arrays; powers and shifts of numbers alone could grow without bound."""
    mentions = any(
        isinstance(node, ast.Name) and node.id == name for side in (left, right) for node in ast.walk(side)
    )
    return type(sign) in _ARITHMETIC and (
        mentions or isinstance(sign, ast.Add | ast.Sub | ast.Mult | ast.Div)
    )
