"""The explorer of the byte bill: what an expression of an expanded or a repeated source allocates."""

from collections.abc import Iterable
from typing import Any

import ipywidgets as widgets
import traitlets

from zerostride import draw
from zerostride.expansion import sizes
from zerostride.explore.panel import Drawing, Explorer, Twin, among, buttons, made_control, started
from zerostride.handed_in import is_among, items_of, told
from zerostride.language import enumerated, say
from zerostride.memory import OPERATIONS, Budget, budget
from zerostride.memory.prediction import truth
from zerostride.memory.tape import FLOATS

WAYS = ("expand", "repeat", "implicit")
UNITS = ("B", "KiB", "MiB", "GiB")
# Together with 8 bytes an element: at most 2**62 bytes.
MOST = (2**19, 2**20, 2**20)
MOST_STEPS = 4
STEPS = (
    *("shift", "add", "mul", "square", "sin", "exp", "sum", "mean", "reshape", "clone"),
    *("to_float16", "to_bfloat16", "to_float32", "to_float64"),
)


class BillDrawing(Drawing):
    """The live drawing of the bill; every number in it is computed in the page, in whole numbers."""

    operations: Any = traitlets.Dict().tag(sync=True)
    itemsizes: Any = traitlets.Dict().tag(sync=True)
    most: Any = traitlets.List().tag(sync=True)
    places = traitlets.Int().tag(sync=True)
    sizes: Any = traitlets.List().tag(sync=True)
    steps: Any = traitlets.List().tag(sync=True)
    dtype = traitlets.Int().tag(sync=True)
    way = traitlets.Int().tag(sync=True)
    unit = traitlets.Int().tag(sync=True)
    learns = traitlets.Bool().tag(sync=True)


class BillExplorer(Explorer):
    """Controls around the live drawing of a byte bill."""

    drawing: BillDrawing

    @property
    def state(self) -> dict[str, Any]:
        """What the explorer is set to, by the names of its arguments."""
        chosen = {"shape": tuple(self.drawing.sizes), "steps": tuple(self.drawing.steps)}
        return chosen | super().state

    @property
    def bill(self) -> Budget:
        """What ``zs.budget`` says to the present state."""
        now = {name: value for name, value in self.state.items() if name != "unit"}
        return budget(source_shape=(1, 1, now["shape"][2]), **now)

    def static(self) -> Twin:
        """Return the static twin of the present state, as figure and table.

        Examples
        --------
        >>> twin = byte_bill(dtype="float32", steps=["shift"]).static()
        >>> twin.to_dict()["bill"]["peak_bytes"] == 2**30 + 2**14
        True
        """
        return Twin(draw.byte_bill(self.bill), {"bill": self.bill})

    def __repr__(self) -> str:
        seen = self.bill
        numbers = {
            "source": f"{seen.source_bytes:,}",
            "logical": f"{seen.logical_bytes:,}",
            "made": f"{seen.made_bytes:,}",
            "peak": f"{seen.peak_bytes:,}",
        }
        return say("front.plain_byte_bill", code=seen.code, dtype=seen.dtype, **numbers)


def byte_bill(
    shape: Iterable[int] = (32, 2048, 4096),
    dtype: str = "float16",
    steps: Iterable[str] = (),
    way: str = "expand",
    *,
    learns: bool = False,
    unit: str = "GiB",
) -> BillExplorer:
    """Return the explorer of the byte bill: what an expression of a source ``(1, 1, D)`` allocates.

    The source becomes ``(B, T, D)`` by a view, by a copy or inside the first
    operation; up to four steps follow. The bill is that of ``zs.budget`` for
    torch, exact at any size.

    Parameters
    ----------
    shape : sequence of three int
        B from 1 to 2**19, T and D from 1 to 2**20.
    dtype : {"float16", "bfloat16", "float32", "float64"}
        Element type of the source.
    steps : sequence of str
        At most four of shift, add, mul, square, sin, exp, sum, mean, reshape,
        clone, to_float16, to_bfloat16, to_float32 and to_float64.
    way : {"expand", "repeat", "implicit"}
        How the source gets the larger shape.
    learns : bool
        Whether the source gets a gradient.
    unit : {"B", "KiB", "MiB", "GiB"}
        The largest unit that numbers are written in.

    Returns
    -------
    BillExplorer
        Live in a notebook; ``bill`` is what it shows, ``static()`` the picture and table.

    Raises
    ------
    TypeError
        If the shape is none, or ``learns`` neither True nor False.
    ValueError
        If an argument is none that its control can be set to.

    Examples
    --------
    >>> byte_bill()
    Byte bill: x.expand(32, 2048, 4096), float16; source 8,192, logical 536,870,912,
    allocated for it 0, peak with the source 8,192 bytes.
    """
    start: dict[str, Any] = {
        "sizes": _shape(shape),
        "steps": _steps(steps),
        "dtype": among("dtype", dtype, list(FLOATS)),
        "way": among("way", way, WAYS),
        "unit": among("unit", unit, UNITS),
        "learns": truth("learns", learns),
    }
    named = [(say(f"front.way.{each}"), each) for each in WAYS]
    controls = {
        "way": buttons("way", start["way"], named),
        "dtype": buttons("dtype", start["dtype"], list(FLOATS)),
        "unit": buttons("unit", start["unit"], UNITS),
        "learns": made_control(widgets.Checkbox, "learns", start["learns"], indent=False),
    }
    limits = {"itemsizes": FLOATS, "most": list(MOST), "places": MOST_STEPS}
    operations = {name: _for_the_page(name) for name in STEPS}
    drawing = started(BillDrawing, "byte_bill", start, controls, operations=operations, **limits)
    return BillExplorer(drawing, controls)


def _for_the_page(name: str) -> dict[str, Any]:
    """Return what the page needs to know of an operation, from the rules of ``zs.budget``."""
    operation = OPERATIONS[name]
    names = ("kind", "torch", "saves", "temporaries", "product", "operand")
    return {each: getattr(operation, each) for each in names} | {"dtype": name.removeprefix("to_")}


def _shape(shape: Iterable[int]) -> list[int]:
    found = list(sizes(shape))
    if len(found) != 3 or any(not 1 <= size <= most for size, most in zip(found, MOST, strict=True)):
        raise ValueError(say("front.error.bill_shape", most=MOST, value=told(tuple(found))))
    return found


def _steps(steps: Iterable[str]) -> list[str]:
    found = [steps] if isinstance(steps, str) else items_of(steps, MOST_STEPS)
    if found is None or not all(is_among(step, STEPS) for step in found):
        value = told(steps if found is None else found)
        raise ValueError(
            say("front.error.bill_steps", places=MOST_STEPS, known=enumerated(STEPS), value=value)
        )
    return found
