"""What is alive on the offline page, as data: explorers with their controls, questions with replies."""

import ast
import re
from typing import Any

import anywidget

from zerostride import explore, front
from zerostride.explore.panel import Explorer, linked
from zerostride.explore.write_policies import recorded_policies
from zerostride.language import say
from zerostride.quiz.exercises import Exercise, in_words
from zerostride.quiz.panel import Panel, panel_words

_EXPORTED = re.compile(r"^export (?=const |function )", re.MULTILINE)
_MODULE_END = "export default { render };"
_SHOWN = ("index", "value", "min", "max", "step", "description")


def shown_explorer(source: str) -> Explorer | None:
    """Return the explorer that a cell shows; None where it shows none, or only its static twin.

    Examples
    --------
    >>> shown_explorer("zs.explore.shapes((1, 3), (5, 3))").expansion.shape
    (5, 3)
    >>> shown_explorer("zs.explore.writes().static()")
    """
    match ast.parse(source).body:
        case [
            ast.Expr(ast.Call(ast.Attribute(ast.Attribute(ast.Name("zs"), "explore"), name), args, kwargs))
        ]:
            given = {each.arg or "": ast.literal_eval(each.value) for each in kwargs}
            made: Explorer = getattr(explore, name)(*map(ast.literal_eval, args), **given)
            return made
    return None


def described(explorer: Explorer) -> dict[str, Any]:
    """Return an explorer as the page builds it again: the drawing's values, the controls, and their links.

    Examples
    --------
    >>> rows = described(explore.derivative())["controls"][2]
    >>> rows["kind"], rows["max"], rows["links"]
    ('IntSlider', 6, {'value': 'rows'})
    """
    drawing = explorer.drawing
    own = set(drawing.trait_names(sync=True)) - set(anywidget.AnyWidget.class_trait_names())
    state = {name: getattr(drawing, name) for name in sorted(own) if not name.startswith("_")}
    if "found" in state:
        # What the checks found comes from a kernel, and a page has none.
        state["found"] = {}
    if "policies" in state:
        # As recorded, so that the page is the same whatever is installed where it is made.
        state["policies"] = recorded_policies()
    return {
        "state": state,
        "controls": [_control(explorer, control) for control in explorer.controls.values()],
    }


def _control(explorer: Explorer, control: Any) -> dict[str, Any]:
    ends = [(link.source, link.target) for link in explorer.links]
    links = {mine: its for (widget, mine), (_, its) in ends if widget is control}
    names = [
        name
        for name in _SHOWN
        if control.has_trait(name) and name != ("index", "value")[linked(control) == "index"]
    ]
    labels = [str(label) for label in getattr(control, "_options_labels", ())]
    known = {name: getattr(control, name) for name in names}
    return {
        "kind": type(control).__name__,
        "labels": labels,
        "links": links,
        "moves": linked(control),
        **known,
    }


def question(asked: Exercise, *, reveals: bool) -> dict[str, Any]:
    """Return what the page says of a question: its words, and what each choice is answered with.

    Examples
    --------
    >>> from zerostride.quiz.exercises import exercise
    >>> said = question(exercise("row-stride", "predict"), reveals=True)["said"]
    >>> [words.split(".")[0] for words in said]
    ['Right', 'Not yet', 'Not yet', 'Not yet']
    """
    return {
        "words": panel_words(asked),
        "noted": say("page.noted", answer="{answer}", sure="{sure}"),
        "choose_both": say("quiz.choose_both"),
        "said": ["\n".join(answered(asked, place)) if reveals else "" for place in range(len(asked.choices))],
    }


def answered(asked: Exercise, place: int) -> list[str]:
    """Return what is said to the choice at a place: whether it is right, what is behind it, and why."""
    choice = asked.choices[place]
    if choice.id == asked.right:
        return [say("page.is_right"), in_words(asked.why)]
    return [say("page.is_wrong"), in_words(choice.misconception), in_words(asked.why)]


def script(page: str) -> str:
    """Return one script: the drawings and the questions as in JupyterLab, then the page's own."""
    parts = {"drawings": front.script(), "questions": Panel._esm}
    modules = [f"const {name} = {_as_function(source)};" for name, source in parts.items()]
    return "\n".join(['"use strict";', *modules, page])


def _as_function(module: str) -> str:
    """Return a module as an expression: a page has no address to import it from."""
    if not module.rstrip().endswith(_MODULE_END):
        raise ValueError(module[-80:])
    body = _EXPORTED.sub("", module.rstrip().removesuffix(_MODULE_END))
    return f"(() => {{\n{body}return {{ render }};\n}})()"
