"""A name, an answer or an error that holds HTML, a formula, Markdown or signs for a terminal stays text."""

import re
import warnings
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import zerostride as zs
from test_language import REPORTS
from zerostride import draw
from zerostride.array_files import FileLayouts
from zerostride.pictures import bundle
from zerostride.placing import Placed
from zerostride.publish.editions import Published
from zerostride.reports import Table, printable

IMAGE = "<img src=x onerror=alert(1)>"
DRAWN = [
    IMAGE,
    "</title></svg><script>alert(1)</script>",
    "--><b onload=x>",
    '"\' onmouseover="x',
    "$\\frac$",
    "![i](x)[c](javascript:x)",
    "|a|b|",
    "`<b>`",
    "{0}{name}%s",
]
# A font has all signs of the first; the second is drawn as its place.
NAMES = {"drawn": " ".join(DRAWN), "undrawn": f"名字 a\x1b[31m\x07 a\u202eb a\nb {IMAGE}"}
SOURCE = np.array([[1.0, 2.0, 3.0]])
VIEW = np.broadcast_to(SOURCE, (4, 3))


class Tags(HTMLParser):
    """Collects the elements and the attributes of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes = set(), set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}


def assert_harmless(page, images=0):
    seen = Tags(page)
    assert not seen.tags & {"script", "b", "a", *(("img",) if not images else ())}
    assert not [name for name in seen.attributes if name.startswith("on")]


def assert_typed(text):
    """Hold that no sign but a line break controls anything."""
    assert all(line == printable(line) for line in text.split("\n"))


def expanded(x):
    return np.broadcast_to(x, (4, 3))


def raising(name):
    def program(x):
        raise ValueError(name)

    return program


def with_torch(made):
    return made(pytest.importorskip("torch"))


def layouts_of_a_file(name):
    return FileLayouts(
        {name: zs.layout(SOURCE), "b": zs.layout(VIEW)}, {name: 1, "b": 1}, {name: "file.no_array"}
    )


# Every report in which a word of the learner's stands.
NAMED = {
    "Storages": lambda name: zs.storages(**{name: SOURCE, "view": VIEW}),
    "FileLayouts": layouts_of_a_file,
    "Feedback": lambda name: zs.your_turn("offset-of-3-1", name),
    "Evidence": lambda name: zs.evidence(SOURCE, {name: expanded, "raises": raising(name)}, loss=np.sum),
    "Timings": lambda name: zs.measure_time({name: np.sum}, SOURCE, rounds=3),
    "GradientComparison": lambda name: zs.compare_gradients({name: np.sum}, SOURCE),
    "Write": lambda name: draw.measured_write("source[0, 1] = 9", **{"source": SOURCE, name: VIEW}),
    "ParameterReport": lambda name: with_torch(
        lambda torch: zs.parameter_report({name: torch.zeros(1, 3).expand(4, 3)})
    ),
    "Published": lambda name: Published({name: 1200}, Placed(written=[name], left_alone=[name])),
}
PICTURES = {
    "side_by_side": lambda name: draw.side_by_side(**{name: zs.layout(VIEW)}),
    "one_ruler": lambda name: draw.one_ruler(**{name: SOURCE, "view": VIEW}),
    "storages": lambda name: draw.storages(**{name: SOURCE, "view": VIEW}),
    "origins": lambda name: draw.origins(**{name: SOURCE[0], "view": SOURCE[0][:2]}),
    "write_propagation": lambda name: draw.write_propagation(NAMED["Write"](name)),
    "timings": lambda name: draw.timings(NAMED["Timings"](name)),
}


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("report", NAMED)
def test_a_name_in_a_report_is_text(report, kind):
    made = NAMED[report](NAMES[kind])
    assert type(made).__name__ == report
    assert_harmless(made._repr_html_())
    assert_typed(str(made))


@pytest.mark.parametrize("report", REPORTS)
def test_whatever_stands_in_a_cell_of_a_report_is_text(report, monkeypatch):
    """Put hostile text in the place of each cell, whichever report it is."""
    hostile = "<img src=x onerror=alert(1)>\x1b[31m"
    made = REPORTS[report]()
    escaped = made._repr_html_()
    whole = Table.__init__

    def filled(self, rows, header=(), notes=(), caption=""):
        whole(
            self,
            [[hostile for _ in row] for row in rows],
            [hostile for _ in header],
            [hostile for _ in notes],
            hostile if caption else "",
        )

    monkeypatch.setattr(Table, "__init__", filled)
    assert made._repr_html_() != escaped or report == "Atlas"  # which makes its rows by hand: below
    assert_harmless(made._repr_html_())
    assert_typed(str(made))


def test_the_atlas_escapes_its_rows():
    made = zs.writes.atlas()
    rows = [replace(row, operation=IMAGE, instead=DRAWN[1]) for row in made.rows[:3]]
    page = replace(made, rows=tuple(rows))._repr_html_()
    assert_harmless(page)
    assert "&lt;img src=x" in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("picture", PICTURES)
def test_a_name_in_a_picture_is_text(picture, kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a sign that the font lacks
        shown = bundle(PICTURES[picture](NAMES[kind]), f"alternative {NAMES[kind]}")
    assert_harmless(shown["text/html"], images=1)
    assert Tags(shown["text/html"]).attributes == {"alt", "width", "src"}
    ElementTree.fromstring(shown["image/svg+xml"])
    assert_harmless(shown["image/svg+xml"])


@pytest.mark.parametrize("kind", NAMES)
def test_a_name_in_markdown_is_text(kind):
    mistune = pytest.importorskip("mistune")
    report = zs.evidence(SOURCE, {NAMES[kind]: expanded, "raises": raising(NAMES[kind])}, loss=np.sum)
    page = mistune.create_markdown(escape=False, plugins=["table"])(report.to_markdown())
    assert_harmless(page)
    assert len(set(re.findall(r"<tr>", page))) == 1


def test_a_leak_would_be_seen():
    for page in ("<p><img src=x></p>", "<b>", '<p onclick="x">', "<svg><script>"):
        with pytest.raises(AssertionError):
            assert_harmless(page)
    with pytest.raises(AssertionError):
        assert_typed("\x1b[31m")
    for name in DRAWN[:3]:
        with pytest.raises(AssertionError):
            assert_harmless(f"<p>{name}</p>")


def test_a_formula_would_be_drawn_where_it_is_not_forbidden():
    figure = PICTURES["side_by_side"](NAMES["drawn"])
    for text in figure.findobj(lambda artist: hasattr(artist, "set_parse_math")):
        text.set_parse_math(True)
    with pytest.raises(ValueError, match="frac"):
        bundle(figure, "")


@pytest.mark.parametrize("pair", [("a b", "a\nb"), ("p" * 400, "p" * 400 + "q")])
def test_names_that_look_alike_stay_two(pair):
    """A name that is shortened or put on one line would take the place of another program."""
    source, programs = np.ones(3), dict.fromkeys(pair, lambda z: (z * z).sum())
    assert tuple(zs.compare_gradients(programs, source).gradients) == pair
    assert tuple(zs.evidence(source, programs).to_dict()["programs"]) == pair
    assert tuple(each.name for each in zs.measure_time(programs, source, rounds=3).programs) == pair
