"""What all explorers share: the drawing in the page, controls linked to it, one output for every reader."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import anywidget
import ipywidgets as widgets
import traitlets
from matplotlib.figure import Figure

from zerostride import front, pictures
from zerostride.draw.alternatives import alt_text
from zerostride.handed_in import is_among, told, whole_number
from zerostride.language import catalogue, current, enumerated, say
from zerostride.reports import Report, Table, display_width


class Drawing(anywidget.AnyWidget):
    """The live drawing; everything it shows is computed in the front end."""

    _esm = front.script()
    _css = front.styles()
    kind = traitlets.Unicode().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)
    initial = traitlets.Dict().tag(sync=True)

    def __repr__(self) -> str:
        return f"Drawing(kind={self.kind!r})"


Live = TypeVar("Live", bound=Drawing)


@dataclass(frozen=True, repr=False)
class Twin(Report):
    """A figure and a table that show without a kernel what an explorer shows with one.

    Attributes
    ----------
    figure : matplotlib.figure.Figure
        What the explorer would draw.
    reports : dict of str to Report
        What was drawn, by the name it has in the table; layouts, or one report.
    """

    figure: Figure
    reports: dict[str, Any]

    @property
    def layouts(self) -> dict[str, Any]:
        """What was drawn, by operation."""
        return self.reports

    def table(self) -> Table:
        """Return the reports side by side."""
        tables: list[Table] = [seen.table() for seen in self.reports.values()]
        if len(tables) == 1:
            return tables[0]
        lines = zip(*(table.rows for table in tables), strict=True)
        rows = [(same[0][0], *(line[1] for line in same)) for same in lines]
        return Table(rows, header=("", *self.reports))

    def to_dict(self) -> dict[str, object]:
        """Return the answers of each report by name."""
        return {name: seen.to_dict() for name, seen in self.reports.items()}

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        shown = pictures.bundle(self.figure, alt_text(list(self.reports.values())))
        return shown | {"text/html": shown["text/html"] + self.table().html(), "text/plain": str(self)}


class Explorer:
    """Controls around a live drawing; made by the functions of this package.

    Displaying it gives one output for every reader: the live widget, a PNG and
    an SVG for pages without a kernel, and a stable line of text.
    """

    def __init__(self, drawing: Drawing, controls: dict[str, Any]) -> None:
        self.drawing = drawing
        self.controls = controls
        self.links = [link for name, control in controls.items() for link in _links(drawing, name, control)]
        wrapped = widgets.Layout(flex_flow="row wrap", overflow="visible")
        row = widgets.Box(list(controls.values()), layout=wrapped)
        self.box = widgets.VBox([row, drawing], layout=widgets.Layout(max_width="900px", overflow="visible"))
        self.box.add_class("zs-explorer")

    @property
    def state(self) -> dict[str, Any]:
        """What the controls are set to, by name."""
        return {name: control.value for name, control in self.controls.items()}

    def static(self) -> Twin:
        """Return the static twin: figure and table of the present state."""
        raise NotImplementedError

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        figure = self.static().figure
        data = {
            "text/plain": repr(self),
            "image/png": b64encode(pictures.png(figure)).decode(),
            "image/svg+xml": pictures.svg(figure),
        }
        view = "application/vnd.jupyter.widget-view+json"
        data[view] = self.box._repr_mimebundle_()[view]
        return data, {"image/png": {"width": round(figure.get_figwidth() * 90)}}


def _links(drawing: Drawing, name: str, control: Any) -> list[Any]:
    """Link a control to the trait of its name, and its limits to those that the drawing computes."""
    pairs = [(linked(control), name)]
    if hasattr(drawing, f"{name}_most"):
        pairs += [("max", f"{name}_most"), ("min", f"{name}_by"), ("step", f"{name}_by")]
    return [widgets.jslink((control, mine), (drawing, its)) for mine, its in pairs]


def linked(control: Any) -> str:
    """Return the trait of a control that a page can link.

    The value of a selection exists only in Python; the front end knows its index.
    """
    return "index" if hasattr(control, "index") else "value"


def front_words(kind: str) -> dict[str, str]:
    """Return what a live drawing says, by name, in the language in use; braces are filled in there."""
    return _words_of("every") | _words_of(kind)


def _words_of(kind: str) -> dict[str, str]:
    prefix, language = f"front.{kind}.", current()
    entries = catalogue().items()
    return {key.removeprefix(prefix): words[language] for key, words in entries if key.startswith(prefix)}


def started(
    drawing: type[Live], kind: str, start: dict[str, Any], controls: dict[str, Any], **more: Any
) -> Live:
    """Return a drawing that shows a start; what a control is linked to has the value of the control."""
    shown = {name: getattr(control, linked(control)) for name, control in controls.items()}
    traits = {"kind": kind, "words": front_words(kind), "initial": start}
    return drawing(**traits | start | more | shown)


def buttons(name: str, chosen: str, options: Sequence[Any]) -> Any:
    """Return a button for each of some options, words or pairs of what is shown and the word."""
    return made_control(widgets.ToggleButtons, name, chosen, options=list(options))


def slider(name: str, chosen: int, most: int) -> Any:
    """Return a slider over whole numbers from 1."""
    return made_control(widgets.IntSlider, name, chosen, min=1, max=most)


def made_control(kind: type, name: str, value: Any, **options: Any) -> Any:
    """Return a control under its name in the language in use, marked with a class for the page."""
    control = kind(value=value, description=say(f"front.control.{name}"), **options)
    control.style.description_width = "initial"
    control.add_class(f"zs-{name}")
    if kind is widgets.ToggleButtons:
        longest = max(display_width(str(label)) for label in control._options_labels)
        control.style.button_width = "6.5em" if longest < 10 else "auto"
        control.layout.width = "max-content" if longest < 10 else "auto"
        control.layout.flex_flow = "row nowrap" if longest < 10 else "row wrap"
    else:
        control.layout.width = "24em" if kind is widgets.SelectionSlider else "18em"
    control.layout.margin = "2px 18px 2px 2px"
    return control


def within(name: str, value: Any, most: int, least: int = 1) -> int:
    """Return a whole number, or raise ValueError in words where its control cannot be set to it."""
    number = whole_number(value)
    if number is None or not least <= number <= most:
        raise ValueError(say("front.error.number", name=name, low=least, high=most, value=told(value)))
    return number


def among(name: str, value: Any, known: Sequence[str]) -> str:
    """Return one of the known words, or raise ValueError in words."""
    if not is_among(value, known):
        raise ValueError(say("front.error.choice", name=name, known=enumerated(known), value=told(value)))
    return str(value)
