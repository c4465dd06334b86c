"""The explorer of shapes: two shapes aligned from the trailing end, the verdict and the reason."""

from collections.abc import Iterable
from typing import Any

import traitlets

from zerostride import draw
from zerostride.expansion import LIBRARIES, Expansion, Shape, can_expand, sizes
from zerostride.explore.panel import Drawing, Explorer, Twin, among, buttons, front_words, started
from zerostride.language import catalogue, current, say

MOST_AXES, MOST_SIZE = 4, 8


class ShapeDrawing(Drawing):
    """The live drawing of two shapes."""

    source: Any = traitlets.List().tag(sync=True)
    target: Any = traitlets.List().tag(sync=True)
    library = traitlets.Int().tag(sync=True)


class ShapeExplorer(Explorer):
    """Controls around the live drawing of two shapes."""

    drawing: ShapeDrawing

    @property
    def state(self) -> dict[str, Any]:
        """What the explorer is set to, by the names of its arguments."""
        library = self.controls["library"].value
        return {
            "source": tuple(self.drawing.source),
            "target": tuple(self.drawing.target),
            "library": library,
        }

    @property
    def expansion(self) -> Expansion:
        """What ``zs.can_expand`` says to the present shapes."""
        now = self.state
        return can_expand(now["source"], now["target"], now["library"])

    def static(self) -> Twin:
        """Return the static twin of the present shapes, as figure and table.

        Examples
        --------
        >>> twin = shapes((4,), (4, 3)).static()
        >>> twin.to_dict()["expansion"]["allowed"]
        False
        """
        now = self.state
        figure = draw.alignment(now["source"], now["target"], now["library"])
        return Twin(figure, {"expansion": self.expansion})

    def __repr__(self) -> str:
        now, seen = self.state, self.expansion
        verdict = say("expansion.allowed", shape=seen.shape) if seen else say("expansion.not_allowed")
        return say("front.plain_shapes", **now, verdict=verdict, reason=seen.reason)


def shapes(
    source: Iterable[int] | int = (1, 3), target: Iterable[int] | int = (4, 3), library: str = "numpy"
) -> ShapeExplorer:
    """Return the explorer of shapes: whether a source expands to a target, aligned from the trailing end.

    Type the two shapes or move their sliders; verdict, reason and strides
    follow, by the rules of NumPy or torch, and beside them the shape that one
    operation of two such arrays has.

    Parameters
    ----------
    source, target : sequence of int, or int
        At most 4 axes, sizes from 0 to 8; -1 in a target keeps a size in torch.
    library : {"numpy", "torch"}
        Whose rules.

    Returns
    -------
    ShapeExplorer
        Live in a notebook; ``expansion`` is what it shows, ``static()`` the picture and table.

    Raises
    ------
    ValueError
        If an argument is none that its control can be set to.
    TypeError
        If a shape is none.

    Examples
    --------
    >>> explorer = shapes((3,), (4, 3))
    >>> explorer.expansion.allowed, explorer.state["library"]
    (True, 'numpy')
    >>> shapes((1, 3), (4, 9))
    Traceback (most recent call last):
    ValueError: target has at most 4 axes of sizes from 0 to 8, not (4, 9)
    """
    start: dict[str, Any] = {
        "source": list(_shape("source", source, 0)),
        "target": list(_shape("target", target, -1)),
        "library": among("library", library, LIBRARIES),
    }
    controls = {"library": buttons("library", start["library"], LIBRARIES)}
    words = front_words("shapes") | _reasons()
    return ShapeExplorer(started(ShapeDrawing, "shapes", start, controls, words=words), controls)


def _reasons() -> dict[str, str]:
    """Return why an axis fits or not: the words of ``zs.can_expand``, filled in by the page."""
    language, prefixes = current(), {"expansion.because.": "because_", "expansion.verdict.": "is_"}
    return {
        key.replace(prefix, name): words[language]
        for key, words in catalogue().items()
        for prefix, name in prefixes.items()
        if key.startswith(prefix)
    }


def _shape(name: str, given: Iterable[int] | int, least: int) -> Shape:
    shape = sizes(given)
    if len(shape) > MOST_AXES or any(not least <= size <= MOST_SIZE for size in shape):
        raise ValueError(say("front.error.shape", name=name, axes=MOST_AXES, most=MOST_SIZE, shape=shape))
    return shape
