"""The offline page in Chromium: without script, on a phone, on paper, for every reader, asking no network."""

import io
from itertools import product

import pytest
from axe_playwright_python.sync_playwright import Axe
from explorer_page import contrast
from pypdf import PdfReader

from zerostride.language import LANGUAGES
from zerostride.quiz.exercises import exercise

pytestmark = pytest.mark.browser


def test_a_request_or_a_foreign_style_would_be_seen(show):
    with show(name="01") as page:
        page.evaluate(
            "() => { document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/a.png' })); }"
        )
        page.evaluate(
            "() => { document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">a</p>'); }"
        )
        page.wait_for_timeout(100)
        assert len(page.complaints) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_readable_without_script(show, language):
    with show(language, java_script_enabled=False) as page:
        assert page.locator(".live").count() == 0
        stills = page.locator(".explorer > .still:visible")
        assert (stills.count(), page.locator("noscript:visible").count()) == (6, 1)
        assert page.locator(".explorer .still img[alt], .explorer .still a").count() == 6
        answers = page.locator('[id="01-predict-row-stride"] details')
        assert not answers.locator("p").first.is_visible()
        answers.locator("summary").click()
        assert answers.locator("p").first.is_visible()
        assert (page.asked, page.complaints) == ([page.address], [])


OUT_OF_REACH = """() => [...document.querySelectorAll('pre, .wide, figure')].filter((box) =>
  box.scrollWidth > box.clientWidth + 1 && box.tabIndex < 0).map((box) => box.outerHTML.slice(0, 200))"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_script_nothing_scrolls_out_of_reach_of_the_keyboard(show, language):
    with show(language, width=360, java_script_enabled=False) as page:
        page.evaluate(UNFOLD)
        assert page.evaluate("() => document.documentElement.scrollWidth") == 360
        assert page.evaluate(OUT_OF_REACH) == []
        page.evaluate("() => document.documentElement.classList.add('script')")
        assert page.evaluate(OUT_OF_REACH) != []


BEYOND = """() => [...document.querySelectorAll('body *')].filter((part) =>
  part.getBoundingClientRect().right > innerWidth + 1
  && !part.closest('pre, .wide, figure, .zs-wide, .skip')).map((part) => part.outerHTML.slice(0, 200))"""
# What is out of sight is laid out as well: axe-core does not judge the contrast of what is not.
UNFOLD = """() => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
  for (const lesson of document.querySelectorAll('.lesson')) lesson.style.contentVisibility = 'visible';
}"""


@pytest.mark.parametrize(("language", "width"), list(product(LANGUAGES, (360, 320))))
def test_a_phone_scrolls_one_way(show, language, width):
    with show(language, width=width) as page:
        page.evaluate(UNFOLD)
        assert page.evaluate("() => document.documentElement.scrollWidth") == width
        assert page.evaluate(BEYOND) == []
        bar = page.locator(".bar")
        page.locator('[id="lesson-03"]').scroll_into_view_if_needed()
        assert bar.bounding_box()["y"] == 0
        page.evaluate("() => { document.querySelector('.lesson p').style.width = '400px'; }")
        assert page.evaluate(BEYOND) != []


def violations(page, context=None):
    found = Axe().run(page, context=context, options={"resultTypes": ["violations"]}).response["violations"]
    return {rule["id"]: [node["html"][:200] for node in rule["nodes"]] for rule in found}


@pytest.mark.parametrize(
    ("language", "name", "scheme", "width"),
    [
        ("en", "05", "dark", 360),
        ("en", "08", "light", 1200),
        ("zh", "01", "light", 360),
        ("zh", "00", "dark", 1200),
    ],
)
def test_accessible(show, language, name, scheme, width):
    with show(language, name, width=width, color_scheme=scheme) as page:
        page.evaluate(UNFOLD)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert violations(page) == {}


def test_a_fault_would_be_found(show):
    with show(name="01") as page:
        page.evaluate("() => { document.querySelector('.lesson img').removeAttribute('alt'); }")
        page.evaluate("() => { document.querySelector('.lesson h2 ~ p').style.color = '#bbb'; }")
        assert set(violations(page, "#lesson-01")) == {"image-alt", "color-contrast"}


COLOURS = (
    """() => [...document.querySelectorAll('pre.source span')].map((word) => getComputedStyle(word).color)"""
)
PAPER = "() => getComputedStyle(document.querySelector('pre.source')).backgroundColor"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_coloured_code_stands_out(show, scheme):
    with show(name="01", color_scheme=scheme) as page:
        inks, paper = set(page.evaluate(COLOURS)), page.evaluate(PAPER)
    assert len(inks) > 3
    assert [ink for ink in inks if contrast(ink, paper) < 4.5] == []


def test_paper_shows_stills_and_answers_and_no_bar(show):
    with show(name="01") as page:
        text = "".join(sheet.extract_text() for sheet in PdfReader(io.BytesIO(page.pdf())).pages)
        page.emulate_media(media="print")
        assert page.locator(".live:visible, .bar:visible, .skip:visible").count() == 0
        assert page.locator(".explorer .still img:visible").count() == 1
    flat = "".join(text.split())
    why = exercise("row-stride", "predict").why["en"]
    for wanted in ("offset=8", "(True,False)", "".join(why.split())):
        assert wanted in flat


@pytest.mark.parametrize(("colours", "line"), [("active", "solid"), ("none", "none")])
def test_the_lesson_read_is_marked_where_colours_are_forced(show, colours, line):
    with show(name="01", forced_colors=colours) as page:
        page.locator(".bar li a").click()
        marked = page.locator(".bar [aria-current]")
        page.mouse.click(5, 500)
        assert marked.evaluate("(link) => getComputedStyle(link).outlineStyle") == line


WIDER_THAN_PAPER = """() => [...document.querySelectorAll('table, pre, img, math, p')].filter((part) =>
  part.getBoundingClientRect().right > innerWidth + 1).map((part) => part.outerHTML.slice(0, 200))"""
WIDTH_OF_A4 = 672


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_wider_than_paper(show, language):
    with show(language, width=WIDTH_OF_A4) as page:
        page.evaluate(UNFOLD)
        assert page.evaluate(WIDER_THAN_PAPER) != []
        page.emulate_media(media="print")
        assert page.evaluate(WIDER_THAN_PAPER) == []
