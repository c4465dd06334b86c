"""What each library does with each form of write: measured where the library is loaded, else as recorded."""

import json
import sys
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from zerostride.draw.written import Write, measured_write

TARGETS = ("source", "view", "tiled", "edited")
FORMS = {"element": "{row}, {col}", "row": "{row}", "column": ":, {col}", "all": ":"}
VALUE = 9
_NAMES = {"numpy": "NumPy", "torch": "torch"}

Outcomes = dict[str, dict[str, list[list[str]]]]


def statement(target: str, form: str, row: int, col: int) -> str:
    """Return a write as it is typed.

    Examples
    --------
    >>> statement("view", "column", 2, 1)
    'view[:, 1] = 9'
    """
    return f"{target}[{FORMS[form].format(row=row, col=col)}] = {VALUE}"


def numpy_arrays(rows: int, cols: int, *, writable: bool = False) -> dict[str, Any]:
    """Return source, view and both copies; a view made writable has the same addresses."""
    source = np.arange(1.0, cols + 1)[None]
    view = np.broadcast_to(source, (rows, cols))
    if writable:
        view = np.lib.stride_tricks.as_strided(source, (rows, cols), (0, source.itemsize))
    return {"source": source, "view": view, "tiled": np.tile(source, (rows, 1)), "edited": view.copy()}


def torch_tensors(rows: int, cols: int) -> dict[str, Any]:
    """Return the same as float64 tensors."""
    import torch

    source = torch.arange(1, cols + 1, dtype=torch.float64)[None]
    view = source.expand(rows, cols)
    return {"source": source, "view": view, "tiled": source.repeat(rows, 1), "edited": view.clone()}


MADE = {"numpy": numpy_arrays, "torch": torch_tensors}


@cache
def measured_outcomes(library: str) -> Outcomes:
    """Return outcome and error by target and form: for several rows, and for one."""
    return {
        target: {form: [_outcome(library, target, form, rows) for rows in (2, 1)] for form in FORMS}
        for target in TARGETS
    }


def _outcome(library: str, target: str, form: str, rows: int) -> list[str]:
    write = measured_write(statement(target, form, 0, 0), **MADE[library](rows, 2))
    return [write.outcome, write.error]


@cache
def recorded() -> dict[str, dict[str, Any]]:
    """Return what each library did when it was last recorded, and which version it was.

    Examples
    --------
    >>> sorted(recorded()), sorted(recorded()["torch"])
    (['numpy', 'torch'], ['outcomes', 'version'])
    """
    text = files("zerostride").joinpath("explore", "recorded_writes.json").read_text("utf-8")
    return dict(json.loads(text))


def policies() -> dict[str, dict[str, Any]]:
    """Return name with version, and outcomes, of each library; torch is not loaded for it."""
    numpy = {"version": np.__version__, "outcomes": measured_outcomes("numpy")}
    torch = recorded()["torch"]
    if (loaded := sys.modules.get("torch")) is not None:
        version = str(loaded.__version__).partition("+")[0]
        torch = {"version": version, "outcomes": measured_outcomes("torch")}
    return _named({"numpy": numpy, "torch": torch})


def recorded_policies() -> dict[str, dict[str, Any]]:
    """Return the same as recorded, so it does not depend on what is installed.

    Examples
    --------
    >>> recorded_policies()["torch"]["name"]
    'torch 2.13.0'
    """
    return _named(recorded())


def _named(known: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        library: {"name": f"{_NAMES[library]} {it['version']}", "outcomes": it["outcomes"]}
        for library, it in known.items()
    }


def one_write(library: str, rows: int, cols: int, target: str, form: str, row: int, col: int) -> Write:
    """Return what a write changes; where torch is not loaded, NumPy writes to the same addresses.

    Examples
    --------
    >>> one_write("torch", 4, 3, "view", "row", 2, 0).outcome
    'together'
    """
    code = statement(target, form, row, col)
    if library == "numpy" or "torch" in sys.modules:
        return measured_write(code, **MADE[library](rows, cols))
    write = measured_write(code, **numpy_arrays(rows, cols, writable=True))
    _, error = recorded()["torch"]["outcomes"][target][form][rows == 1]
    return replace(write, library="torch", error=error, after=write.before if error else write.after)
