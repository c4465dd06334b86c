"""The steps of a program in NumPy: an array that logs each function, ufunc and method called on it."""

from typing import Any

import numpy as np

from zerostride.findings.steps import Log

_METHODS = (
    "reshape", "astype", "copy", "ravel", "flatten", "transpose", "repeat", "swapaxes", "squeeze", "mean",
    "sum", "dot", "tolist", "item", "__getitem__", "tobytes", "take", "clip", "dump", "dumps", "tofile",
)  # fmt: skip
_WRITING = ("fill", "sort", "put", "partition", "__setitem__")
_REDUCTIONS = {("add", "reduce"): "sum", ("maximum", "reduce"): "max", ("minimum", "reduce"): "min"}
# np.save and its like write to a file, not to their arguments.
_FUNCTIONS_THAT_WRITE = ("copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis")


class Watched(np.ndarray):
    """An array whose calls are logged; what comes out is watched in turn."""

    log: Log | None = None

    def __array_finalize__(self, made_from: Any) -> None:
        self.log = getattr(made_from, "log", None)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        log = _log_of((inputs, options))
        name = _REDUCTIONS.get((ufunc.__name__, method)) or (
            ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        )
        out = options.get("out", (None,))[0]
        if method == "at":
            out = inputs[0]
        result = _watch(log, name, getattr(ufunc, method), inputs, options, out)
        return out if out is not None and method != "at" else result

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        target = args[0] if func.__name__ in _FUNCTIONS_THAT_WRITE else kwargs.get("out")
        return _watch(_log_of((args, kwargs)), func.__name__, func, args, kwargs, target)

    @property
    def nbytes(self) -> int:
        """What ``ndarray.nbytes`` says, and a step."""
        return int(_watch(self.log, "nbytes", lambda x: x.nbytes, (self,), {}, None))

    def __reduce_ex__(self, protocol: Any) -> Any:
        _watch(self.log, "pickle", lambda x: None, (self,), {}, None)
        return _plain(self).__reduce_ex__(protocol)


def _method(name: str, writes: bool) -> Any:
    run = getattr(np.ndarray, name)

    def method(self: Watched, *args: Any, **options: Any) -> Any:
        return _watch(self.log, name, run, (self, *args), options, self if writes else None)

    return method


for _name in (*_METHODS, *_WRITING):
    setattr(Watched, _name, _method(_name, _name in _WRITING))


def watched(x: np.ndarray[Any, Any], log: Log) -> Watched:
    """Return a view of an array that logs what is done with it and with all that is made from it."""
    seen = x.view(Watched)
    seen.log = log
    return seen


def _watch(log: Log | None, name: str, run: Any, args: Any, options: Any, target: Any) -> Any:
    plain_args, plain_options = _plain(tuple(args)), {key: _plain(each) for key, each in options.items()}
    plain_target = next(
        (each for each in (*plain_args, *plain_options.values()) if _same_view(each, target)), None
    )
    out = plain_options.get("out")
    if isinstance(out, tuple) and out and out[0] is not None:
        plain_target = out[0]
    if log is None:
        return run(*plain_args, **plain_options)
    return _again(log.watch(name, run, plain_args, plain_options, plain_target), log)


def _same_view(plain: Any, target: Any) -> bool:
    same = isinstance(plain, np.ndarray) and isinstance(target, np.ndarray)
    return same and plain.__array_interface__ == target.__array_interface__


def _log_of(value: Any) -> Log | None:
    if isinstance(value, Watched):
        return value.log
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return next((log for part in parts if (log := _log_of(part))), None)


def _plain(value: Any) -> Any:
    """Return a value with every watched array in it as the ndarray that it is."""
    if isinstance(value, Watched):
        return value.view(np.ndarray)
    if type(value) in (list, tuple):
        return type(value)(map(_plain, value))
    return value


def _again(value: Any, log: Log) -> Any:
    if type(value) is np.ndarray:
        return watched(value, log)
    return type(value)(_again(each, log) for each in value) if type(value) in (list, tuple) else value
