"""What a program does on its way: each call on an array, with what went in and came out."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from zerostride.layouts import Layout, is_tensor, layout

MOST_STEPS = 200
MOST_DEPTH = 6
# Calls that give the same numbers in another element type.
CONVERSIONS = frozenset(
    ("to", "type", "type_as", "astype", "float", "double", "half", "bfloat16", "int", "long", "short", "bool",
     "byte", "char", "cfloat", "cdouble")
)  # fmt: skip
_MOST_SHOWN = 48
_RANDOM = ("normal_", "uniform_", "random_", "bernoulli_", "exponential_", "dropout", "rand")


@dataclass(frozen=True, eq=False)
class Step:
    """One call.

    Attributes
    ----------
    name, call : str
        ``"expand"``, ``"expand((1, 3), 4, 3)"``: arrays are written as their shapes.
    inputs, outputs : tuple of array
        In the order of the call; kept alive, so that storages can be compared.
    before, after : tuple of Layout
        How inputs and outputs are read.
    target : array or None
        What the call writes to.
    differs : bool
        Whether the target came out otherwise than a copy of it does under the same call.
    learned : bool
        Whether an input required a gradient.
    recording : bool
        Whether autograd recorded the graph at that call.
    options : dict
        Keywords of the call.
    """

    name: str
    call: str
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    before: tuple[Layout, ...]
    after: tuple[Layout, ...]
    target: Any = None
    differs: bool = False
    learned: bool = False
    recording: bool = True
    options: dict[str, Any] = field(default_factory=dict)


@dataclass
class Log:
    """The steps of one run, how many more, whether nobody could watch, and the last call that raised."""

    steps: list[Step] = field(default_factory=list)
    left_out: int = 0
    blind: bool = False
    failed: Step | None = None

    def watch(
        self, name: str, run: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any], target: Any
    ) -> Any:
        """Run one call and add it; it goes through without a trace where it cannot be read."""
        if len(self.steps) >= MOST_STEPS:
            self.left_out += 1
            return run(*args, **options)
        inputs = tuple(arrays_in((args, options)))
        before = tuple(map(layout, inputs))
        learned = any(is_tensor(each) and each.requires_grad for each in inputs)
        wished = None if target is None else _on_a_copy(name, run, args, options, target)
        call = f"{name}({', '.join([*map(_short, args), *(f'{k}={_short(v)}' for k, v in options.items())])})"
        recording = learned and _recording()
        step = Step(name, call, inputs, (), before, (), target, False, learned, recording, options)
        try:
            result = run(*args, **options)
        except Exception:
            self.failed = step
            raise
        outputs = tuple(arrays_in(result))
        differs = wished is not None and not same_values(wished, target)
        self.steps.append(replace(step, outputs=outputs, after=tuple(map(layout, outputs)), differs=differs))
        return result


def arrays_in(value: Any, depth: int = MOST_DEPTH) -> list[Any]:
    """Return the arrays and tensors with strides in a value: itself, or in its lists, tuples and dicts."""
    if isinstance(value, np.ndarray):
        return [value]
    if is_tensor(value):
        try:
            layout(value)
        except (TypeError, RuntimeError):
            return []
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [each for part in parts for each in arrays_in(part, depth - 1)] if depth else []


def written_together(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps whose target shares addresses, or is a part that others share."""
    parts: set[object] = set()
    for step in steps:
        parts |= {
            identity(made)
            for read, made in product(step.before, step.after)
            if made.storage_id == read.storage_id and not made.overlaps and made.size < read.size
            and (read.overlaps or identity(read) in parts)
        }  # fmt: skip
        if step.target is not None and (
            layout(step.target).overlaps or identity(layout(step.target)) in parts
        ):
            yield step


def identity(read: Layout) -> object:
    """Return what tells one view from another: NumPy makes a new object for each look at one."""
    return read.storage_id, read.storage_offset_bytes, read.shape, read.strides_bytes


def same_values(a: Any, b: Any) -> bool:
    """Return whether two arrays of either library print alike: same shape, same numbers.

    Examples
    --------
    >>> same_values(np.ones(3), np.ones((1, 3))), same_values(np.full(2, np.nan), np.full(2, np.nan))
    (False, True)
    """
    from zerostride.gradients.precision import numbers

    try:
        read = layout(a), layout(b)
        if read[0].shape != read[1].shape:
            return False
        # Along an axis where both stand still one place is enough, however long it is.
        moves = map(any, zip(*(each.strides_bytes for each in read), strict=True))
        once = (*(slice(None if each else 1) for each in moves), ...)
        one, other = (numbers(x.detach()[once]) if is_tensor(x) else numbers(x)[once] for x in (a, b))
        floats = one.dtype.kind in "fc" and other.dtype.kind in "fc"
        return bool(np.array_equal(one, other, equal_nan=floats))
    except (TypeError, RuntimeError, ValueError):
        return False


def _on_a_copy(
    name: str, run: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any], target: Any
) -> Any:
    """Return the target as the call leaves it where no two elements and no two arrays share a byte."""
    if any(word in name for word in _RANDOM) or layout(target).logical_bytes > 1 << 24:
        return None
    copied = {id(each): _copy(each) for each in arrays_in((args, options))}
    own = copied.setdefault(id(target), _copy(target))

    def put(value: Any) -> Any:
        if id(value) in copied:
            return copied[id(value)]
        return type(value)(map(put, value)) if type(value) in (list, tuple) else value

    try:
        with warnings.catch_warnings(), _no_gradient(target):
            warnings.simplefilter("ignore")
            run(*map(put, args), **{key: put(value) for key, value in options.items()})
    except Exception:
        return None
    return own


def _recording() -> bool:
    import torch

    return torch.is_grad_enabled()


@contextmanager
def _no_gradient(target: Any) -> Iterator[None]:
    if not is_tensor(target):
        yield
        return
    import torch

    with torch.no_grad():
        yield


def _copy(x: Any) -> Any:
    return x.detach().clone() if is_tensor(x) else np.array(x)


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray) or is_tensor(value):
        return str(tuple(value.shape))
    if isinstance(value, list | tuple):
        text = f"({', '.join(map(_short, value))})"
    else:
        text = getattr(value, "__name__", None) or repr(value).replace("\n", " ")
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."
