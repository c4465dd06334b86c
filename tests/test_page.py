"""The offline page: small, complete, closed to any network, the same on every build, answers folded."""

import json
import re
import sys
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from zerostride.course import Cell, Lesson, read_lessons
from zerostride.explore import addresses, byte_bill, write_policies, writes
from zerostride.language import LANGUAGES, speaking
from zerostride.publish import page
from zerostride.publish.editions import Wishes
from zerostride.publish.guide import guide_pages
from zerostride.publish.page import lesson as page_lesson
from zerostride.publish.page import live as page_live
from zerostride.publish.prose import converted
from zerostride.quiz.exercises import every_exercise, in_words

TWO_MEGABYTES = 2_000_000
VOID = {"meta", "link", "img", "br", "hr", "col", "input"}


def built(language, *wanted):
    with speaking(language):
        return page.page(read_lessons(language, wanted))


@pytest.fixture(scope="module", params=LANGUAGES)
def whole(request):
    """The page of a language as it is published."""
    return request.param, published(request.param)


def published(language):
    with speaking(language):
        [(name, content)] = page.build(read_lessons(language), Wishes())
    assert name == "zerostride.html"
    return content.decode()


class Tree(HTMLParser):
    """Reads a page: its words without scripts, words outside folds, and what it loads."""

    def __init__(self, html):
        super().__init__()
        self.open, self.words, self.unfolded, self.loads, self.faults = [], [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        names = ("src", "srcset", "data", "poster", "action", "style", *filter(handles, given))
        self.loads += [f"{tag} {name}={given[name]}" for name in names if name in given]
        self.loads += [f"link {given['href']}" for _ in [0] if tag == "link"]
        if tag not in VOID:
            self.open.append((tag, given))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1][0] != tag:
            self.faults.append((tag, self.open[-3:]))
        else:
            self.open.pop()

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if {"script", "style", "annotation"} & set(tags):
            return
        self.words.append(data)
        if "details" not in tags:
            self.unfolded.append(data)


def handles(name):
    return name.startswith("on")


def from_elsewhere(html):
    """Return what a page loads that it does not bring along."""
    return [each for each in Tree(html).loads if not re.match(r"(img src=|link )data:", each)]


def squeezed(text):
    return re.sub(r"\s+", "", text)


def absent(html, lesson):
    """Return the cells of a lesson whose text is not on the page."""
    there = squeezed("".join(Tree(html).words))
    cells = [cell for cell in lesson.cells if "instructor" not in cell.tags and not cell.predicts]
    prose = converted({cell.id: cell.source for cell in cells if cell.kind == "markdown"}, "html")
    texts = {cell.id: "".join(Tree(prose.get(cell.id, "")).words) or cell.source for cell in cells}
    # A reader of code sees its words; a highlighter keeps all of them.
    return [name for name, text in texts.items() if squeezed(text) not in there]


def test_under_two_megabytes(whole):
    assert 500_000 < len(whole[1].encode()) < TWO_MEGABYTES


def test_the_same_on_every_build(whole):
    language, html = whole
    assert published(language) == html


def test_well_formed(whole):
    tree = Tree(whole[1])
    assert (tree.faults, tree.open) == ([], [])
    names = re.findall(r'<[^>]* id="([^"]+)"', whole[1])
    assert len(set(names)) == len(names)


def test_a_tag_left_open_would_be_seen():
    assert Tree("<main><p>a</main>").faults
    assert Tree("<main>").open


def test_nothing_comes_from_elsewhere(whole):
    assert from_elsewhere(whole[1]) == []


@pytest.mark.parametrize(
    "fault",
    [
        '<script src="https://example.org/a.js"></script>',
        '<img alt="" src="https://example.org/a.png">',
        '<link rel="stylesheet" href="a.css">',
        '<p style="background: url(a)">a</p>',
        '<p onclick="a()">a</p>',
    ],
)
def test_a_thing_from_elsewhere_would_be_seen(fault):
    assert from_elsewhere(fault)


def test_the_policy_names_this_script_and_this_style(whole):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', whole[1])[1]
    [style] = re.findall(r"<style>(.*?)</style>", whole[1], re.DOTALL)
    [script] = re.findall(r"<script>(.*?)</script>", whole[1], re.DOTALL)
    hashes = [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in (style, script)]
    assert policy.startswith("default-src 'none'; ")
    assert re.findall(r"(?:style|script)-src (\S+);", policy) == hashes
    assert "unsafe" not in policy


def test_every_cell_is_there(whole):
    language, html = whole
    assert {
        lesson.name: absent(html, lesson) for lesson in read_lessons(language) if absent(html, lesson)
    } == {}


def test_a_cell_that_is_missing_would_be_seen():
    [lesson] = read_lessons("en", ["01"])
    more = {"cell_type": "code", "id": "more", "metadata": {}, "source": "view.strides[::-1]", "outputs": []}
    longer = replace(lesson, notebook=lesson.notebook | {"cells": [*lesson.notebook["cells"], more]})
    assert absent(built("en", "01"), longer) == ["more"]


def test_nothing_for_the_teacher_is_there(whole):
    words = "".join(Tree(whole[1]).words)
    for lesson in read_lessons(whole[0]):
        for cell in lesson.cells:
            if "instructor" in cell.tags:
                assert cell.source[:12].strip("* ") not in words


def in_the_open(html, lesson):
    """Return answers of a lesson that stand outside folds: of exercises, and to predictions."""
    shown = squeezed("".join(Tree(html).unfolded))
    answers = [cell.source for cell in lesson.cells if "answer" in cell.tags and cell.kind == "code"]
    asked = [every_exercise()[cell.predicts] for cell in lesson.cells if cell.predicts]
    answers += [in_words(each.why) for each in asked]
    answers += [
        in_words(choice.misconception) for each in asked for choice in each.choices if choice.misconception
    ]
    return [answer for answer in answers if squeezed(answer) in shown]


def test_no_answer_stands_in_the_open(whole):
    language, html = whole
    with speaking(language):
        assert [found for lesson in read_lessons(language) for found in in_the_open(html, lesson)] == []


def test_an_answer_in_the_open_would_be_seen():
    html = built("en", "01").replace("<details", "<div").replace("</details", "</div")
    with speaking("en"):
        assert "offset = 8" in in_the_open(html, *read_lessons("en", ["01"]))


def test_the_answers_to_the_questions_after_the_course_are_folded():
    told = "'copies': [4, 5, 6, 4, 5, 6]", "a copy before the edits"
    html = built("en", "08")
    for each in told:
        assert squeezed(each) in squeezed("".join(Tree(html).words))
        assert squeezed(each) not in squeezed("".join(Tree(html).unfolded))
        opened = Tree(html.replace("<details", "<div").replace("</details", "</div")).unfolded
        assert squeezed(each) in squeezed("".join(opened))


def leads_out(html):
    """Return links to elsewhere that hand over this page."""
    links = re.findall(r'<a [^>]*href="http[^>]*>', html)
    return [link for link in links if 'rel="noopener noreferrer"' not in link]


def test_links_to_elsewhere_hand_nothing_over(whole):
    assert whole[1].count('href="https://') > 50
    assert leads_out(whole[1]) == []
    assert leads_out('<a href="https://example.org">a</a>') != []


def test_it_says_that_no_code_runs_here_and_where_it_does(whole):
    header = whole[1].split("<header")[1].split("</header>")[0]
    assert "<code>zerostride lab</code>" in header
    assert "`" not in header


def cell(name, kind="markdown", tags=(), source="So."):
    return Cell(name, kind, source, frozenset(tags), ())


def folds(*cells):
    lesson = Lesson("01_x", "en", {"cells": []})
    lesson.__dict__["cells"] = cells
    return [part.cell.id for part in page_lesson.parts(lesson) if part.folded]


ASKS = cell("predict-a", "code", source='zs.predict("row-stride")')


def test_results_are_folded_from_a_prediction_to_its_explanation():
    run, text, why, after = cell("run-a", "code"), cell("before-a"), cell("explain-a"), cell("run-b", "code")
    assert folds(run, ASKS, text, run, why, after) == ["run-a", "explain-a"]
    assert folds(ASKS, cell("ask-b", source="## Next?"), run, why) == []


def test_the_questions_before_and_after_reveal_nothing():
    pre = cell("question-a", "code", source='zs.predict("pre-address")')
    assert folds(pre, cell("run-a", "code"), cell("explain-a")) == ["run-a", "explain-a"]
    live = data(built("en", "00"))["questions"]
    assert live["00-question-address"]["said"] == ["", "", "", ""]


def data(html):
    return json.loads(re.search(r'id="live">(.*?)</script>', html, re.DOTALL)[1])


def test_a_question_says_what_is_behind_each_choice(whole):
    said = data(whole[1])["questions"]["01-predict-row-stride"]["said"]
    asked = every_exercise()["row-stride"]
    with speaking(whole[0]):
        for choice, words in zip(asked.choices, said, strict=True):
            assert in_words(asked.why) in words
            assert choice.id == asked.right or in_words(choice.misconception) in words


def test_explorers_come_from_python():
    told = page_live.described(addresses(rows=2, cols=6))
    assert (told["state"]["rows"], told["state"]["cols"], told["state"]["kind"]) == (2, 6, "addresses")
    rows = told["controls"][1]
    assert rows["links"] == {"value": "rows", "max": "rows_most", "min": "rows_by", "step": "rows_by"}
    assert [control["kind"] for control in page_live.described(byte_bill())["controls"]][-1] == "Checkbox"
    assert page_live.shown_explorer("zs.explore.shapes((1, 3), (5, 3))").state["target"] == (5, 3)
    assert page_live.shown_explorer("zs.explore.shapes().static()") is None


def test_every_explorer_of_the_course_is_on_the_page(whole):
    kinds = {each["state"]["kind"] for each in data(whole[1])["explorers"].values()}
    assert kinds == {"addresses", "shapes", "writes", "derivative", "byte_bill", "decide"}


def test_words_are_escaped(monkeypatch):
    evil = '</script><img src=x onerror="a()">&'
    asked = every_exercise()["row-stride"]
    choices = [replace(choice, text={"en": evil, "zh": evil}) for choice in asked.choices]
    bad = replace(asked, question={"en": evil, "zh": evil}, choices=tuple(choices))
    monkeypatch.setattr(page_lesson, "exercise", lambda *_: bad)
    with speaking("en"):
        html = page.page(read_lessons("en", ["01"]), {"a": '# A "page" onclick="a()"\n\n`<b>` and <'})
    assert evil not in html
    assert from_elsewhere(html) == []
    assert evil in "".join(Tree(html).words)
    assert data(html)["questions"]["01-predict-row-stride"]["words"]["question"] == evil


def test_pages_for_teachers_join_the_contents():
    with speaking("en"):
        html = page.page(read_lessons("en", ["01"]), {"before": "# Before class\n\n## Where?\n\nHere."})
    contents = html.split('<nav class="contents"')[1].split("</nav>")[0]
    assert '<a href="#guide-before">Before class</a>' in contents
    assert '<section class="lesson" id="guide-before">' in html


def test_the_guide_for_teachers_is_there(whole):
    assert {title for title, _ in guide_pages(whole[0])} <= {unescape(words) for words in headings(whole[1])}


def headings(html):
    return re.findall(r"<h2[^>]*>(.*?)</h2>", html)


def test_links_lead_to_what_is_on_the_page():
    alone, more = built("en", "00"), built("en", "00", "01")
    assert 'href="#lesson-01"' not in alone
    assert 'href="#lesson-01"' in more
    for html in (alone, more):
        names = set(re.findall(r' id="([^"]+)"', html))
        assert {unescape(name) for name in re.findall(r'href="#([^"]+)"', html)} <= names
        assert ".ipynb" not in "".join(re.findall(r'href="([^"]+)"', html))


def versions_told():
    """Return which libraries the explorer of writes names on the page."""
    state = page_live.described(writes())["state"]
    return {library: policy["name"] for library, policy in state["policies"].items()}


def test_the_page_does_not_depend_on_what_is_installed(monkeypatch):
    before = versions_told()
    monkeypatch.setattr("numpy.__version__", "9.9.9")
    monkeypatch.setattr(write_policies, "measured_outcomes", lambda library: {})
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(__version__="9.9.9"))
    assert versions_told() == before
    assert write_policies.policies()["numpy"]["name"] == "NumPy 9.9.9"
    monkeypatch.setattr(page_live, "recorded_policies", write_policies.policies)
    assert versions_told() != before


def test_a_module_that_ends_otherwise_is_refused(monkeypatch):
    monkeypatch.setattr(page_live.front, "script", lambda: "export const a = 1;")
    with pytest.raises(ValueError, match="export const"):
        page_live.script("")
