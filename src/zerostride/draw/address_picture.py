"""Pictures of addresses: the logical grid above its storage, one layout or several on one scale."""

from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from zerostride.draw.grid import draw_bands, draw_grid, left_inches
from zerostride.draw.ink import INK, LIT_INK, MUTED, axes_inches, fitted, unclipped
from zerostride.draw.names import drawn_names, key_of
from zerostride.draw.scale import WIDTH, Scale
from zerostride.draw.scene import RIGHT, Scene, scene_of
from zerostride.draw.strip import STRIP, draw_ruler, draw_strip
from zerostride.handed_in import items_of, whole_number
from zerostride.language import say
from zerostride.layouts import layout

TITLE, BELOW = 1.25, 4.6
ACROSS_INCHES, ROW_INCHES = 4.8, 0.46
LEAST_LEFT_INCHES = 0.38


def addresses(
    ax: Axes,
    x: Any,
    *,
    highlight: Sequence[int] | None = None,
    ruler_bytes: int | None = None,
    unit: str = "bytes",
    values: Any = None,
) -> list[Artist]:
    """Draw which byte each element reads: the logical grid above its storage.

    Equal marks are equal addresses. All cells that read the highlighted bytes
    are lit together, and a band falls from them to their one storage cell.
    Of a long axis the first few positions and the last are drawn, with ``⋮``
    and the number of hidden ones between them; the storage is broken likewise.
    Storage bytes that no element reads are hatched.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw; limits are set and the frame is hidden.
    x : Layout, numpy.ndarray or torch.Tensor
        At most three axes, of any size; the first of three is drawn as planes.
        Values are shown for arrays.
    highlight : sequence of int, optional
        Index of the element to light and to work out.
    ruler_bytes : int, optional
        Bytes across the picture; by default the storage. Give two pictures the
        same number and their storages can be compared.
    unit : {"bytes", "elements"}
        How offsets and the ruler count.
    values : array or nested list of the shape of ``x``, optional
        What stands in the cells, if not the values of ``x``. A number that had
        to be rounded for its cell begins with ``≈``; ``…`` stands for what is left out.

    Returns
    -------
    list of matplotlib.artist.Artist
        Everything drawn.

    Raises
    ------
    TypeError
        If ``ax`` are no axes, or ``x`` no array.
    IndexError
        If no element has the index to light.
    ValueError
        If ``x`` has more than three axes or no element, or the values another shape.

    Examples
    --------
    >>> import numpy as np
    >>> ax = Figure().add_subplot()
    >>> view = np.broadcast_to(np.array([[1.0, 2.0, 3.0]]), (4, 3))
    >>> artists = addresses(ax, view, highlight=(2, 1))
    >>> [text.get_text() for text in ax.texts][-2:]
    ['i×0 + j×8', '2×0 + 1×8 = 8 B']
    """
    if not isinstance(ax, Axes):
        raise TypeError(say("draw.axes_wanted", type=type(ax).__name__))
    index = _index(highlight)
    left = _left(x, index)
    scene = scene_of(x, index, unit, values, axes_inches(ax) - left)
    return _paint(ax, scene, scene.scale(ruler_bytes), left)


def side_by_side(
    *,
    highlight: Sequence[int] | None = (2, 1),
    unit: str = "bytes",
    values: Any = None,
    **named: Any,
) -> Figure:
    """Return a figure of several layouts on one byte scale, each under its name.

    Parameters
    ----------
    highlight : sequence of int, optional
        Index to light in each; left out where a layout is too small for it.
    unit : {"bytes", "elements"}
        How offsets and rulers count.
    values : array, optional
        What stands in the cells of each, if not their own values.
    **named : Layout, numpy.ndarray or torch.Tensor
        What to draw, from left to right. A name that the font of pictures lacks
        is drawn as its place, ``#2``; ``zs.show`` says beside it which name that is.

    Returns
    -------
    Figure
        For ``zs.show``; a grid for each layout, above one ruler.

    Raises
    ------
    TypeError
        If one of them is no array.
    ValueError
        If there is nothing to draw, or one does not fit as for ``addresses``.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1.0, 2.0, 3.0]])
    >>> figure = side_by_side(view=np.broadcast_to(source, (4, 3)), tiled=np.tile(source, (4, 1)))
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['view', 'tiled']
    """
    if not named:
        raise ValueError(say("draw.no_arrays"))
    index = _index(highlight)
    chosen = [index if _fits(index, layout(x).shape) else None for x in named.values()]
    left = max(_left(x, index) for x, index in zip(named.values(), chosen, strict=True))
    room = ACROSS_INCHES * 0.96 - left
    scenes = [scene_of(x, index, unit, values, room) for x, index in zip(named.values(), chosen, strict=True)]
    ruler_bytes = max(1, *(scene.seen.storage_bytes for scene in scenes))
    scales = [scene.scale(ruler_bytes) for scene in scenes]
    tightest = min(scales, key=lambda scale: scale.units_per_byte)
    across = min(2, len(scenes))
    bottoms = [scene.bottom for scene in scenes]
    tallest = [max(bottoms[first : first + across]) for first in range(0, len(bottoms), across)]
    talls = [TITLE + most + BELOW for most in tallest]
    size = ACROSS_INCHES * across, ROW_INCHES * sum(talls)
    figure = Figure(figsize=size, facecolor="white")
    places = figure.subplots(len(talls), across, squeeze=False, height_ratios=talls).ravel()
    figure.subplots_adjust(left=0.01, right=0.99, top=1.0, bottom=0.0, wspace=0.04, hspace=0.0)
    for ax in places[len(scenes) :]:
        ax.remove()
    names = drawn_names(named)
    figure.set_label(key_of(names))
    for number, (ax, name) in enumerate(zip(places, names.values(), strict=False)):
        _paint(ax, scenes[number], scales[number].narrowed(tightest), left)
        ax.set_ylim(*_limits(tallest[number // across]))
        _title(ax, name, 1 - 0.6 / talls[number // across])
    return unclipped(figure)


def _index(highlight: Any) -> list[Any] | None:
    items = None if highlight is None else items_of(highlight)
    return [highlight] if items is None and highlight is not None else items


def _fits(index: Sequence[int] | None, shape: Sequence[int]) -> bool:
    return (
        index is not None
        and len(index) == len(shape)
        and all(_below(size, place) for place, size in zip(index, shape, strict=True))
    )


def _below(size: int, place: Any) -> bool:
    number = whole_number(place)
    return number is not None and number < size


def _title(ax: Axes, name: str, y: float) -> None:
    look: dict[str, Any] = {"fontsize": 13, "fontweight": "bold", "color": INK, "family": "monospace"}
    ax.set_title(name, y=y, pad=0, loc="left", **look)


def _left(x: Any, highlight: Sequence[int] | None) -> float:
    """Return the room for the labels left of the grid, in inches."""
    return max(LEAST_LEFT_INCHES, left_inches(scene_of(layout(x), highlight, "bytes", None, 1.0)))


def _limits(bottom: float) -> tuple[float, float]:
    return bottom + BELOW, -TITLE


def _paint(ax: Axes, scene: Scene, scale: Scale, left: float) -> list[Artist]:
    """Draw a scene, with ``left`` inches for the labels left of the grid."""
    inches = axes_inches(ax)
    unit_inches = (inches - left) / (WIDTH + RIGHT)
    ax.set_xlim(-left / unit_inches, WIDTH + RIGHT)
    ax.set_ylim(*_limits(scene.bottom))
    ax.axis("off")
    parts = (
        draw_bands(ax, scene, scale),
        draw_grid(ax, scene, unit_inches),
        draw_strip(ax, scene, scale, unit_inches),
        _ruler(ax, scene, scale, unit_inches),
        _formula(ax, scene, unit_inches),
    )
    return [artist for part in parts for artist in part]


def _ruler(ax: Axes, scene: Scene, scale: Scale, unit_inches: float) -> Iterator[Artist]:
    itemsize = max(scene.seen.itemsize, 1)
    return draw_ruler(
        ax,
        scale,
        scene.strip_top + STRIP + 0.16,
        step=itemsize,
        unit_inches=unit_inches,
        divisor=itemsize if scene.unit == "elements" else 1,
        first=() if scene.lit_byte is None else (scene.lit_byte,),
    )


def _formula(ax: Axes, scene: Scene, unit_inches: float) -> Iterator[Artist]:
    """Write the formula and the worked index under the grid, or further left where they are long."""
    y, edge = scene.strip_top + STRIP + 1.35, ax.get_xlim()[0] + 0.1
    lines = [(scene.seen.formula_in(scene.unit), MUTED, "normal")]
    if scene.highlight is not None:
        index = scene.highlight[3 - scene.seen.ndim :]
        lines.append((scene.seen.worked(index, scene.unit), LIT_INK, "bold"))
    start = 0.0 if all(fitted(text, 13, WIDTH * unit_inches, look) > 8 for text, _, look in lines) else edge
    room = (WIDTH + RIGHT - 0.1 - start) * unit_inches
    for number, (text, colour, weight) in enumerate(lines):
        size = fitted(text, 13, room, weight)
        place: dict[str, Any] = {"ha": "left", "va": "center", "fontsize": size, "fontweight": weight}
        yield ax.text(start, y + 0.85 * number, text, color=colour, **place)
