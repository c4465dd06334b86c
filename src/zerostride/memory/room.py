"""Refuse what would not fit before anything is allocated."""

import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from zerostride.language import say
from zerostride.layouts import is_tensor, layout
from zerostride.memory.bill import Budget
from zerostride.memory.units import bytes_and_units


def free_bytes(device: Any = None) -> int | None:
    """Return how much memory is free for this process; None where nothing tells.

    Examples
    --------
    >>> free_bytes() is None or free_bytes() > 0
    True
    """
    if device is not None and device.type == "cuda":
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    try:
        return int(import_module("psutil").virtual_memory().available)
    except ImportError:
        table = Path("/proc/meminfo")
    if not sys.platform.startswith("linux") or not table.exists():
        return None
    lines = dict(line.split(":", 1) for line in table.read_text("ascii").splitlines())
    return int(lines["MemAvailable"].split()[0]) * 1024


def refuse_what_does_not_fit(inputs: Iterable[Any], budget: Any = None, least_bytes: int = 0) -> None:
    """Raise where the predicted peak, or one array of an input's full size, is more than the free memory.

    Raises
    ------
    TypeError
        If the budget is none.
    MemoryError
        With the sizes in words.
    """
    if not isinstance(budget, Budget | None):
        raise TypeError(say("memory.no_budget", type=type(budget).__name__))
    arrays = list(inputs)
    device = next((each.device for each in arrays if is_tensor(each)), None)
    free = free_bytes(device)
    needed = max((layout(each).logical_bytes for each in arrays), default=0)
    needed = max(needed, least_bytes)
    if budget is not None:
        needed = budget.new_peak_bytes
    if free is not None and needed > free:
        sizes = {"needed": bytes_and_units(needed), "free": bytes_and_units(free)}
        raise MemoryError(say("memory.does_not_fit", **sizes))
