"""A write that was read, done to an array: only what the allowed forms can say is ever worked out."""

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from zerostride.language import say
from zerostride.layouts import is_tensor
from zerostride.writes.statements import LIBRARY_OF, READING, StatementError, Write, dotted, makes_array

LARGEST_ARGUMENT = 1 << 12
_COPIES = ("clone", "copy", "detach")
_CONSTANTS = ("nan", "inf", "newaxis")
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
            if is_tensor(written) and not write.called.endswith("_"):  # torch's sort() leaves it as it is
                raise StatementError(say("writes.ask.method", name=write.called))
            getattr(written, write.called)(*self._positional(write.call), **self._named(write.call))
        else:
            self._assign()

    def _assign(self) -> None:
        value = self.value(self.write.value)
        holder, index = self.place(self.write.place)
        if index is None:
            if _in_place(self.write.operator)(holder, value) is not holder:  # a tensor += an array of NumPy
                raise StatementError(say("writes.ask.rebinds", name=self.write.name))
        elif self.write.operator is None:
            holder[index[0]] = value
        else:
            holder[index[0]] = _in_place(self.write.operator)(holder[index[0]], value)

    def place(self, place: ast.expr) -> tuple[Any, Any]:
        """Return what is written into and, in a tuple, at which index; None where it is all of the array."""
        if isinstance(place, ast.Subscript):
            return self._held(place.value), (self.value(place.slice),)
        return self._held(place), None

    def _held(self, place: ast.expr) -> Any:
        """Return the array, a part of it or a view of that."""
        if isinstance(place, ast.Subscript):
            return self._held(place.value)[self.value(place.slice)]
        called = place.func if isinstance(place, ast.Call) else place
        if not isinstance(called, ast.Attribute):
            return self.array if self.marks is None else self.marks
        held = self._held(called.value)
        if not hasattr(held, called.attr) or (called.attr == "data" and not is_tensor(held)):
            raise StatementError(say("writes.ask.method", name=called.attr))
        view = getattr(held, called.attr)
        return view(*self._positional(place)) if isinstance(place, ast.Call) else view

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
            case ast.BinOp(left=left, op=sign, right=right) if self._calculable(sign, left, right):
                return self._calculated(sign, self.value(left), self.value(right))
            case ast.Subscript(value=holder, slice=index) if not isinstance(holder, ast.List | ast.Tuple):
                return self._own(self.value(holder)[self.value(index)])
            case ast.Attribute(value=holder, attr="T") if not isinstance(holder, ast.Constant):
                return self._own(self.value(holder).T)
            case ast.Attribute(value=ast.Name(id=library), attr=name) if library in LIBRARY_OF:
                if name in _CONSTANTS:
                    return getattr(np, name)
            case ast.Call(func=ast.Attribute(value=holder, attr=name), args=[], keywords=[]) if (
                name in _COPIES
            ):
                return self._copied(self.value(holder), name)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=library), attr=name), args=[part], keywords=[]
            ) if library in LIBRARY_OF and name in READING:
                return self._read(library, name, self.value(part))
            case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=value)], keywords=[]):
                return _number(value)
            case ast.Call() if makes_array(node):
                return self._made(node)
        raise StatementError(say("writes.ask.value", text=ast.unparse(node) if node else ""))

    def _calculable(self, sign: ast.operator, *sides: ast.expr) -> bool:
        """Return whether arithmetic is of arrays; powers and shifts of numbers alone could grow unbounded."""
        of_arrays = any(map(self.write.mentions_itself, sides))
        known = of_arrays or isinstance(sign, ast.Add | ast.Sub | ast.Mult | ast.Div)
        return type(sign) in _ARITHMETIC and known

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

    def _read(self, library: str, name: str, array: Any) -> Any:
        if LIBRARY_OF[library] == "torch":
            import torch

            return getattr(torch, name)(array)
        return getattr(np, name)(array)

    def _made(self, call: ast.Call) -> Any:
        library, name = dotted(call.func)
        arguments = self._positional(call)
        if call.keywords or not arguments or not _is_short(name, arguments):
            raise StatementError(say("writes.ask.value", text=ast.unparse(call)))
        if LIBRARY_OF[library] == "torch":
            import torch

            return getattr(torch, name)(*arguments)
        return getattr(np, name)(*arguments)


def _is_short(name: str, arguments: list[Any]) -> bool:
    """Return whether a new array has few elements; one written out is as short as the statement."""
    if name in ("array", "tensor"):
        return True
    sizes = arguments[:1] if name == "full" else arguments
    whole = [size for part in sizes for size in (part if isinstance(part, tuple | list) else [part])]
    if not all(isinstance(size, int | float) and abs(size) <= LARGEST_ARGUMENT for size in whole):
        return False
    return len(whole) <= 2 if name == "arange" else prod(whole) <= LARGEST_ARGUMENT


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise StatementError(say("writes.ask.value", text=f"float({value!r})"[:80])) from None


def _in_place(sign: type[ast.AST] | None) -> Callable[[Any, Any], Any]:
    found = _ARITHMETIC[sign][1] if sign else None
    assert found is not None
    return found
