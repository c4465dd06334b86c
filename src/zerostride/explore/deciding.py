"""The live guide: expand or repeat? Questions, one answer, and its checks where a kernel is there."""

from collections.abc import Iterable
from itertools import product
from typing import Any

import traitlets
from matplotlib.figure import Figure

from zerostride import draw
from zerostride.advice import ANSWERS, REQUIREMENTS, Advice, advise
from zerostride.advice.advising import planned
from zerostride.advice.asking import CHOICES
from zerostride.advice.growth import Growth, growth
from zerostride.advice.instance import Instance
from zerostride.expansion import LIBRARIES, Shape
from zerostride.explore.panel import Drawing, Explorer, Twin, started
from zerostride.language import say

Pair = tuple[Shape, Shape, str | None]

PAIRS: tuple[Pair, ...] = (
    ((1, 3), (4, 3), None),
    ((2, 3), (4, 3), "whole"),
    ((2, 3), (4, 3), "each"),
    ((2, 3), (5, 3), None),
)
DTYPE = "float64"


class DecideDrawing(Drawing):
    """The live guide; every answer is in its table, and the kernel adds what the checks find."""

    questions: Any = traitlets.List().tag(sync=True)
    table: Any = traitlets.Dict().tag(sync=True)
    chosen: Any = traitlets.List().tag(sync=True)
    found: Any = traitlets.Dict().tag(sync=True)


class DecideExplorer(Explorer):
    """Questions, the answer to them, and the checks that it stands on."""

    drawing: DecideDrawing

    def __init__(self, drawing: DecideDrawing, pairs: list[Pair]) -> None:
        super().__init__(drawing, {})
        self.pairs = pairs
        self._check()
        drawing.observe(lambda _: self._check(), "chosen")

    @property
    def state(self) -> dict[str, Any]:
        """What is chosen, by the names of the arguments."""
        place, *others = self.drawing.chosen
        source, target, pattern = self.pairs[place]
        words = [known[at] for known, at in zip(CHOICES.values(), others, strict=True)]
        shapes = {"source_shape": source, "target_shape": target, "pattern": pattern}
        return {**shapes, **dict(zip(CHOICES, words, strict=True))}

    @property
    def advice(self) -> Advice:
        """What ``zs.advise`` says to what is chosen."""
        return advise(dtype=DTYPE, **self.state)

    def _check(self) -> None:
        checks = [[check.status, say(f"report.{check.status}"), check.words] for check in self.advice.checks]
        self.drawing.found = {"chosen": list(self.drawing.chosen), "checks": checks}

    def static(self) -> Twin:
        """Return the static twin of what is chosen, as figure and table.

        Examples
        --------
        >>> decide(writes="each_copy_in_place").static().to_dict()["advice"]["answer"]
        'copy_first'
        """
        advice = self.advice
        return Twin(_figure(advice), {"advice": advice.brief})

    def __repr__(self) -> str:
        advice = self.advice
        shapes = {"source": advice.growth.source, "target": advice.growth.target}
        return say("front.plain_decide", **shapes, answer=advice.words)


def decide(
    source_shape: Iterable[int] | int = (1, 3),
    target_shape: Iterable[int] | int = (4, 3),
    writes: str = "nobody",
    learns: str = "nobody",
    then: str = "broadcasts",
    *,
    library: str = "numpy",
    pattern: str | None = None,
) -> DecideExplorer:
    """Return the live guide: requirements are chosen, and the answer follows with its code and reasons.

    Every answer is in the page, so it follows without a kernel; where one is
    there, the checks run and show what they find.

    Parameters
    ----------
    source_shape, target_shape, writes, learns, then, library, pattern
        As for ``zs.advise``.

    Returns
    -------
    DecideExplorer
        Live in a notebook; ``advice`` is what it shows, ``static()`` the picture and table.

    Raises
    ------
    TypeError, ValueError
        As ``zs.advise``.

    Examples
    --------
    >>> decide()
    Guide: from (1, 3) to (4, 3): leave it to broadcasting.
    """
    asked = {"writes": writes, "learns": learns, "then": then}
    start = advise(source_shape, target_shape, **asked, library=library, dtype=DTYPE, pattern=pattern)
    own = (start.growth.source, start.growth.target, pattern)
    pairs = list(dict.fromkeys([own, *PAIRS]))
    values = {**asked, "library": library}
    chosen = [0, *(known.index(values[name]) for name, known in CHOICES.items())]
    asks = {"questions": _questions(pairs), "table": answer_table(pairs)}
    return DecideExplorer(started(DecideDrawing, "decide", {"chosen": chosen}, {}, **asks), pairs)


def answer_table(pairs: list[Pair]) -> dict[str, Any]:
    """Return the answer to every combination, in the order of the questions; each text stands there once."""
    texts: dict[str, int] = {}

    def place(text: str) -> int:
        return texts.setdefault(text, len(texts))

    rows = []
    for pair, asked in product(pairs, product(*REQUIREMENTS.values(), LIBRARIES)):
        plan = _planned(pair, dict(zip(REQUIREMENTS, asked[:-1], strict=True)), asked[-1])
        rows.append(
            [
                ANSWERS.index(plan.answer),
                [place(plan.code[name]) if plan.code else place("") for name in LIBRARIES],
                [place(text) for text in plan.reasons],
                [[place(check.title), place(check.link)] for check in plan.checks],
                [place(text) for text in plan.open_questions],
            ]
        )
    answers = [say(f"advice.answer.{answer}") for answer in ANSWERS]
    return {"answers": answers, "texts": list(texts), "rows": rows}


def _planned(pair: Pair, asked: dict[str, str], library: str) -> Advice:
    found = growth(*pair, reshaped=asked["then"] == "reshape", library=library, itemsize=8)
    return planned(found, asked, library, DTYPE)


def _questions(pairs: list[Pair]) -> list[dict[str, Any]]:
    """Return each question with the sentences to choose from."""
    shapes = [_pair_text(*pair) for pair in pairs]
    asked = [
        {
            "name": name,
            "asks": say(f"advice.ask.{name}"),
            "choices": [say(f"advice.choice.{name}.{word}") for word in known],
        }
        for name, known in CHOICES.items()
    ]
    return [{"name": "shapes", "asks": say("advice.ask.shapes"), "choices": shapes}, *asked]


def _pair_text(source: Shape, target: Shape, pattern: str | None) -> str:
    order = {"whole": " ABAB", "each": " AABB", None: ""}[pattern]
    return f"{source} → {target}{order}"


def _figure(advice: Advice) -> Figure:
    """Draw the storages of source and result; two shapes that do not fit, aligned."""
    small: Growth = advice.growth.small
    if not advice.code:
        return draw.alignment(small.source, small.target)
    instance = Instance(advice.answer, small, "numpy", DTYPE)
    source = instance.x()
    return draw.storages(source=source, y=instance.made(source))
