"""Expand or repeat? Read, draw and check the layouts of NumPy arrays and torch tensors.

Importing this package loads NumPy and nothing heavier; every public name loads
its module when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from zerostride import checks, draw, explore, parameters, writes
    from zerostride.advice import advise, requirements
    from zerostride.complaints import caught
    from zerostride.expansion import can_expand
    from zerostride.findings import evidence
    from zerostride.gradients import compare_gradients, finite_difference, uses
    from zerostride.installed import machine
    from zerostride.language import use
    from zerostride.layouts import Layout, layout
    from zerostride.memory import budget, bytes_of, measure, measure_time, saved_for_backward, saving
    from zerostride.parameters import parameter_report
    from zerostride.pictures import show
    from zerostride.quiz import predict, your_turn
    from zerostride.reshaping import reshape_copies
    from zerostride.sharing import compare, storages, writable
    from zerostride.word_list import glossary
    from zerostride.writes import can_i_write

_MODULES = ("checks", "draw", "explore", "parameters", "writes")
_HOMES = {
    "Layout": "layouts",
    "advise": "advice",
    "budget": "memory",
    "bytes_of": "memory",
    "can_expand": "expansion",
    "can_i_write": "writes",
    "caught": "complaints",
    "compare": "sharing",
    "compare_gradients": "gradients",
    "evidence": "findings",
    "finite_difference": "gradients",
    "glossary": "word_list",
    "layout": "layouts",
    "machine": "installed",
    "measure": "memory",
    "measure_time": "memory",
    "parameter_report": "parameters",
    "predict": "quiz",
    "requirements": "advice",
    "reshape_copies": "reshaping",
    "saved_for_backward": "memory",
    "saving": "memory",
    "show": "pictures",
    "storages": "sharing",
    "use": "language",
    "uses": "gradients",
    "writable": "sharing",
    "your_turn": "quiz",
}

__all__ = [
    "Layout",
    "advise",
    "budget",
    "bytes_of",
    "can_expand",
    "can_i_write",
    "caught",
    "checks",
    "compare",
    "compare_gradients",
    "draw",
    "evidence",
    "explore",
    "finite_difference",
    "glossary",
    "layout",
    "machine",
    "measure",
    "measure_time",
    "parameter_report",
    "parameters",
    "predict",
    "requirements",
    "reshape_copies",
    "saved_for_backward",
    "saving",
    "show",
    "storages",
    "use",
    "uses",
    "writable",
    "writes",
    "your_turn",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"zerostride.{name}")
    if name in _HOMES:
        value = getattr(import_module(f"zerostride.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'zerostride' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
