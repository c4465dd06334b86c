"""Measured on real tensors: has a result a storage of its own, and does a gradient reach the source."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from zerostride.gradients.programs import need_program
from zerostride.language import say
from zerostride.layouts import is_tensor
from zerostride.parameters.training import torch_or_words
from zerostride.reports import Report, Table
from zerostride.sharing import compare

OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "x.expand(4, 3)": lambda x: x.expand(4, 3),
    "x.clone()": lambda x: x.clone(),
    "x.detach()": lambda x: x.detach(),
    "x.detach().clone()": lambda x: x.detach().clone(),
}


@dataclass(frozen=True)
class Route:
    """What was measured of one operation.

    Attributes
    ----------
    code : str
        What was run on the source.
    same_storage : bool
        Whether the result lies in the storage of the source.
    gradient : tuple of float or None
        What ``backward`` left at the source; None where nothing arrived.
    """

    code: str
    same_storage: bool
    gradient: tuple[float, ...] | None

    @property
    def place(self) -> tuple[bool, bool]:
        """Whether it shares the storage, and whether a gradient came back."""
        return self.same_storage, self.gradient is not None

    @property
    def shown(self) -> str:
        """The gradient as it is written; empty where nothing arrived."""
        return "" if self.gradient is None else f"[{', '.join(f'{each:g}' for each in self.gradient)}]"


@dataclass(frozen=True, repr=False)
class Routes(Report):
    """Which operation shares its storage with the source, and through which a gradient comes back.

    Attributes
    ----------
    routes : tuple of Route
        One per operation.
    """

    routes: tuple[Route, ...]

    def table(self) -> Table:
        """Return one row per operation."""
        words = {False: say("draw.routes.no"), True: say("draw.routes.yes")}
        rows = [
            (
                route.code,
                words[not route.same_storage],
                words[route.gradient is not None],
                route.shown or say("draw.routes.nothing"),
            )
            for route in self.routes
        ]
        header = tuple(say(f"draw.routes.{column}") for column in ("operation", "own", "path", "gradient"))
        return Table(rows, header)

    def alternative(self) -> str:
        """Return what was measured as sentences, in the language in use."""
        kinds = {True: "shares", False: "owns"}, {True: "keeps", False: "cuts"}
        return say("draw.alt_space").join(
            say(
                "draw.alt_route",
                code=route.code,
                storage=say(f"draw.alt_kind.{kinds[0][route.same_storage]}"),
                path=say(f"draw.alt_kind.{kinds[1][route.gradient is not None]}", gradient=route.shown),
            )
            for route in self.routes
        )

    def to_dict(self) -> dict[str, object]:
        """Return what was measured, by operation."""
        return {
            route.code: {"same_storage": route.same_storage, "gradient": route.gradient}
            for route in self.routes
        }


def measured_routes(operations: dict[str, Callable[[Any], Any]] | None = None) -> Routes:
    """Return what each operation does to storage and gradient, run on a real ``(1, 3)`` tensor.

    Parameters
    ----------
    operations : dict of str to callable, optional
        What to run, by the code to show; by default expand, clone, detach, and
        detach then clone.

    Returns
    -------
    Routes
        One route for each operation; for ``zs.draw.storage_and_path``.

    Raises
    ------
    TypeError
        If this is no dict of programs, or one of them makes no tensor.

    Examples
    --------
    >>> measured_routes().routes[0]
    Route(code='x.expand(4, 3)', same_storage=True, gradient=(4.0, 4.0, 4.0))
    """
    chosen = OPERATIONS if operations is None else operations
    if not isinstance(chosen, Mapping):
        raise TypeError(say("gradients.no_programs", type=type(chosen).__name__))
    return Routes(tuple(_measured(code, operation) for code, operation in chosen.items()))


def _measured(code: str, operation: Callable[[Any], Any]) -> Route:
    torch = torch_or_words()
    need_program(operation)
    x = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64, requires_grad=True)
    y = operation(x)
    if not is_tensor(y):
        raise TypeError(say("checks.made_no_array", kind="torch.Tensor", type=type(y).__name__))
    if y.requires_grad:
        y.sum().backward()
    gradient = None if x.grad is None else tuple(x.grad.ravel().tolist())
    return Route(code, bool(compare(x.detach(), y.detach()).same_storage), gradient)
