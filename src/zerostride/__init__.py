"""Expand or repeat? Read, draw and check the layouts of NumPy arrays and torch tensors.

Importing this package loads NumPy and nothing heavier; every public name loads
its module when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from zerostride import checks, draw, explore
    from zerostride.language import use
    from zerostride.layouts import Layout, layout
    from zerostride.pictures import show
    from zerostride.quiz import predict, your_turn

_MODULES = ("checks", "draw", "explore")
_HOMES = {
    "Layout": "layouts",
    "layout": "layouts",
    "predict": "quiz",
    "show": "pictures",
    "use": "language",
    "your_turn": "quiz",
}

__all__ = [
    "Layout",
    "checks",
    "draw",
    "explore",
    "layout",
    "predict",
    "show",
    "use",
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
