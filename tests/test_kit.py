"""The workshop kit: plans that hold against the lessons, misconceptions, sheets, commands that pip reads."""

import io
import re
import shlex
from dataclasses import replace
from importlib.resources import files

import pytest

from notebook_form import core_minutes
from two_languages import differences
from zerostride import checks
from zerostride.course import read_lessons
from zerostride.language import LANGUAGES, TRANSLATIONS, speaking
from zerostride.pairs.typography import markdown_faults
from zerostride.publish.editions import PAPERS, Wishes
from zerostride.publish.kit import SEATS, build, check_in, sheet
from zerostride.publish.kit.misconceptions import misconceptions_text, paired
from zerostride.publish.kit.plans import cells_of, plans_text, read_plans
from zerostride.quiz.exercises import every_exercise

STEPS, PLANS = read_plans()
LESSONS = {language: {it.name[:2]: it for it in read_lessons(language)} for language in LANGUAGES}
BOTH = pytest.mark.parametrize("language", LANGUAGES)
OF_ANY_LENGTH = pytest.mark.parametrize("plan", PLANS, ids=lambda plan: str(plan.minutes))


@pytest.fixture(scope="module", params=LANGUAGES)
def made(request):
    """Return the files of the kit in one language, and the language."""
    with speaking(request.param):
        return dict(build((), Wishes())), request.param


# Plans: time.


def miscounted(plan):
    """What does not add up in a plan: its minutes, and what is saved by cutting."""
    minutes = dict(plan.steps)
    if sum(taken for _, taken in plan.steps) != plan.minutes:
        yield "minutes"
    if sum(plan.late.values()) < 10:
        yield "late"
    for name, saved in plan.late.items():
        if saved > minutes.get(name, 0) or not STEPS[name].instead:
            yield name


@OF_ANY_LENGTH
def test_the_minutes_of_a_plan_add_up_and_ten_can_be_saved(plan):
    assert list(miscounted(plan)) == []


@OF_ANY_LENGTH
def test_a_plan_that_does_not_add_up_is_found(plan):
    name, taken = plan.steps[0]
    longer = replace(plan, steps=((name, taken + 1), *plan.steps[1:]))
    assert list(miscounted(longer)) == ["minutes"]
    first = next(iter(plan.late))
    assert first in list(miscounted(replace(plan, late=plan.late | {first: 60})))
    assert "late" in list(miscounted(replace(plan, late={first: 1})))
    assert name in list(miscounted(replace(plan, late=plan.late | {name: 1})))


def raw_cells(language, step):
    """The cells of a step as the notebook has them: sections, and exercises with what asks them."""
    chosen = []
    for section in step.sections:
        number, head = section.split("/")
        lesson = LESSONS[language][number]
        ids = {cell.id for cell in cells_of(lesson, head)}
        chosen += [cell for cell in lesson.notebook["cells"] if cell["id"] in ids]
    for name in step.exercises:
        lesson = LESSONS[language][every_exercise()[name].lesson[:2]]
        cells = lesson.notebook["cells"]
        at = next(at for at, cell in enumerate(lesson.cells) if cell.judges == name)
        asks = max(n for n in range(at) if cells[n]["cell_type"] == "markdown")
        chosen += cells[asks : at + 1]
    return chosen


def talks(language, step):
    """Minutes that the cells for the teacher give to the sections of a step."""
    minutes = 0
    for section in step.sections:
        number, head = section.split("/")
        cells = LESSONS[language][number].cells
        at = next(n for n, cell in enumerate(cells) if cell.id == head)
        for cell in cells[at + 1 :]:
            if cell.source.startswith("#"):
                break
            if "instructor" in cell.tags:
                minutes += int(re.search(r"\d+", cell.source)[0])
    return minutes


def too_short(plan):
    """Steps that take less time in a plan than the lessons themselves say."""
    for name, taken in plan.steps:
        for language in LANGUAGES:
            alone = core_minutes({"cells": raw_cells(language, STEPS[name])})
            if max(alone, talks(language, STEPS[name])) > taken + 0.5:
                yield name, language


@OF_ANY_LENGTH
def test_each_step_has_the_time_that_its_lesson_asks_for(plan):
    assert list(too_short(plan)) == []


@OF_ANY_LENGTH
def test_a_step_without_time_is_found(plan):
    hasty = replace(plan, steps=tuple((name, 1) for name, _ in plan.steps))
    found = {name for name, _ in too_short(hasty)}
    assert {"equal-prints", "no-rule", "repair"} <= found


# Plans: what they name, and in which order.


def needed(number):
    """Lessons that a lesson needs, as the map in lesson 0 says."""
    source = next(cell.source for cell in LESSONS["en"]["00"].cells if cell.id == "map")
    row = re.search(rf"^\| \[{int(number)}\]\(.*\| ([^|]+) \|$", source, re.MULTILINE)
    words = row[1] if row else ""
    first, _, last = words.split(";")[0].partition("–")
    if not first.strip().isdecimal():
        return set()
    return {f"{n:02}" for n in range(int(first), int(last or first) + 1)}


def lessons_of(step):
    """Numbers of the lessons that a step uses, closing words apart."""
    heads = [section.split("/") for section in step.sections]
    own = [every_exercise()[name].lesson[:2] for name in step.exercises]
    return [number for number, head in heads if head != "not-shown"] + own


def path(plan):
    """Numbers of a plan's lessons in the order in which they begin."""
    return list(dict.fromkeys(number for name, _ in plan.steps for number in lessons_of(STEPS[name])))


def out_of_order(plan):
    """What comes before something that it needs."""
    done, sections = [], []
    for name, _ in plan.steps:
        for number in lessons_of(STEPS[name]):
            missing = (needed(number) & set(path(plan))) - {*done, number}
            if missing:
                yield name
            done.append(number)
        if "07/ask-saved" in STEPS[name].sections and "05" not in done:
            yield name
        sections += STEPS[name].sections
    places = {number: [s for s in sections if s.startswith(number)] for number in path(plan)}
    for number, found in places.items():
        cells = [cell.id for cell in LESSONS["en"][number].cells]
        heads = [cells.index(section.split("/")[1]) for section in found]
        if heads != sorted(heads):
            yield number


def test_the_map_of_lesson_0_is_understood():
    assert needed("06") == {"05"}
    assert needed("08") == {f"{n:02}" for n in range(1, 8)}
    assert needed("01") == needed("00") == set()


@OF_ANY_LENGTH
def test_nothing_comes_before_what_it_needs(plan):
    assert list(out_of_order(plan)) == []


def test_a_step_before_what_it_needs_is_found():
    plan = PLANS[-1]
    backwards = replace(plan, steps=plan.steps[::-1])
    assert {"saved", "copies-learn", "situations", "01"} <= set(out_of_order(backwards))


def test_the_paths_are_those_that_lesson_0_promises():
    assert [set(path(plan)) for plan in PLANS] == [
        {"00", "01", "04"},
        {"00", "01", "02", "04", "07"},
        {"00", "01", "02", "04", "05", "06", "07", "08"},
    ]
    assert [any(name == "saved" for name, _ in plan.steps) for plan in PLANS] == [False, False, True]


@BOTH
def test_every_section_and_exercise_of_the_steps_is_in_the_core_of_its_lesson(language):
    used = {name for plan in PLANS for name, _ in plan.steps}
    assert used == set(STEPS)
    judged = {cell.judges for lesson in LESSONS[language].values() for cell in lesson.core}
    for step in STEPS.values():
        assert set(step.exercises) <= judged
        for section in step.sections:
            number, head = section.split("/")
            assert cells_of(LESSONS[language][number], head)[0].source.startswith("#")


@pytest.mark.parametrize("head", ["ask-nothing", "run-worked", "ask-program"])
def test_a_cell_that_is_no_heading_of_the_core_is_refused(head):
    number = "00" if head == "ask-program" else "01"
    with pytest.raises(LookupError, match=head):
        cells_of(LESSONS["en"][number], head)


@BOTH
def test_the_plan_shows_every_vote_and_explorer_of_its_steps(language):
    with speaking(language):
        text = plans_text(tuple(LESSONS[language].values()))
    for plan in PLANS:
        for name, _ in plan.steps:
            for section in STEPS[name].sections:
                number, head = section.split("/")
                cells = cells_of(LESSONS[language][number], head)
                assert all(f"`{cell.predicts}`" in text for cell in cells if cell.predicts)
    assert text.count({"en": "explorer", "zh": "互动版"}.get(language, "")) >= 5
    assert text.count("▲") == sum(len(plan.late) + 1 for plan in PLANS)
    assert "0–4 " in text or "0～4 " in text


# Misconceptions.


def items(text):
    """(question, wrong answers) pairs of the table as numbers of rows a question."""
    counts, last = {}, ""
    for line in re.findall(r"^\| .* \|$", text, re.MULTILINE):
        first = line[2:].split(" | ")[0].strip()
        last = first or last
        counts[last] = counts.get(last, 0) + 1
    return counts


@BOTH
def test_every_wrong_answer_of_the_course_is_in_the_table(language):
    with speaking(language):
        counts = items(misconceptions_text())
    for asked in every_exercise().values():
        wrong = sum(bool(choice.misconception) for choice in asked.choices) + len(asked.wrong)
        named = next(name for name in counts if f"`{asked.id}`" in name)
        assert counts[named] == wrong, asked.id
        assert ("`post-" in named) == paired(asked)


def test_a_row_left_out_would_be_missed():
    text = misconceptions_text()
    row = re.search(r"^\| `row-stride`.*\n", text, re.MULTILINE)[0]
    assert "`row-stride`" not in items(text.replace(row, ""))
    other = re.search(r"^\|  \| 24 bytes.*\n", text, re.MULTILINE)[0]
    assert items(text.replace(other, ""))["`row-stride`"] == items(text)["`row-stride`"] - 1


# Sheets.

DATA = files("zerostride.publish.kit")
PAGES = ("plan", "check-in", "wheelhouse")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("language", TRANSLATIONS)
def test_each_page_says_the_same_in_every_language(name, language):
    english, other = (DATA.joinpath(f"{name}.{it}.md").read_text("utf-8") for it in ("en", language))
    assert differences(english, other) == []
    assert differences(english, other.replace("\n## ", "\n### ").replace("`zerostride", "`zero")) != []


@pytest.mark.parametrize("name", PAGES)
def test_the_chinese_pages_are_set_as_style_asks(name):
    assert list(markdown_faults(DATA.joinpath(f"{name}.zh.md").read_text("utf-8"))) == []


@BOTH
def test_the_sheet_shows_the_last_line_of_a_real_check(language):
    pytest.importorskip("torch")
    with speaking(language):
        last = str(checks.run()).splitlines()[-1]
        assert last in sheet("check-in")
    (right,) = every_exercise()["without-torch"].right
    assert [
        int(number) for number in re.findall(r"\d+", sheet("check-in").split("42 results: 14")[1])[:3]
    ] == [
        right[1],
        right[2],
        0,
    ]


def commands(text):
    """Lines of the fenced blocks that call pip, as (command, arguments)."""
    blocks = re.findall(r"^ *```(?:sh|bat)\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [re.search(r"-m pip (.*)", line)[1] for line in lines if re.search(r"(?<!uv )-m pip ", line)]


def misread(text):
    """Commands that pip does not read, or that may leave the pinned versions."""
    create_command = pytest.importorskip("pip._internal.commands").create_command
    for line in commands(text):
        name, *arguments = shlex.split(line, posix="\\" not in line)
        try:
            options, wanted = create_command(name).parse_args(arguments)
        except SystemExit:
            yield line, "unknown option"
            continue
        if not {"-c", "-r"} & set(arguments) and wanted != ["uv"]:
            yield line, "not pinned"
        if "--platform" in arguments and not (options.python_version and options.format_control.only_binary):
            yield line, "of no version"


@pytest.mark.parametrize("name", ["wheelhouse", "check-in"])
def test_pip_reads_every_command_and_versions_stay_pinned(name, capsys):
    text = sheet(name)
    assert len(commands(text)) >= 2
    assert list(misread(text)) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("--no-index", "--no-network", "unknown option"),
        ("-c constraints.txt ", "", "not pinned"),
        ("--platform win_amd64 --python-version 3.11", "--platform win_amd64", "of no version"),
    ],
)
def test_a_command_that_would_not_do_is_found(old, new, fault, capsys):
    assert fault in {found for _, found in misread(sheet("wheelhouse").replace(old, new))}


# Print.


def text_of(pdf):
    pypdf = pytest.importorskip("pypdf")
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(pdf)).pages]


def test_print_gives_its_words_back_and_is_short(made):
    pypdf = pytest.importorskip("pypdf")
    kit, language = made
    words = {
        "plan": {"en": ("Ten minutes late?", "180 minutes"), "zh": ("进度慢了十分钟", "先复制，再修改")},
        "misconceptions": {"en": ("what is behind it", "Lesson 9"), "zh": ("背后的想法", "按运行结果判断")},
        "check-in": {"en": ("needs help", "28 not run"), "zh": ("需要帮助", "未运行28")},
    }
    most = {"plan": 4, "misconceptions": 14, "check-in": 2}
    for name, said in words.items():
        pages = text_of(kit[f"kit/{name}.a4.pdf"])
        whole = "".join(pages).replace("\n", "")
        assert all(word in whole for word in said.get(language, ())), name
        assert len(pages) <= most[name]
        reader = pypdf.PdfReader(io.BytesIO(kit[f"kit/{name}.a4.pdf"]))
        assert [below_the_margin(page) for page in reader.pages if below_the_margin(page)] == []
    for name in ("plan", "misconceptions", "wheelhouse"):
        assert kit[f"kit/{name}.md"].decode().startswith("# ")


def heights(page):
    """Texts of a page with their distance from its lower edge, in points."""
    found = []

    def visit(text, matrix, text_matrix, *_):
        if text.strip():
            found.append((text.strip(), text_matrix[5] * matrix[3] + matrix[5]))

    page.extract_text(visitor_text=visit)
    return found


def below_the_margin(page, margin=1.7 * 72 / 2.54):
    return [text for text, height in heights(page)[:-1] if height < margin]


@pytest.mark.parametrize("paper", PAPERS)
def test_the_seats_fit_on_the_front_of_one_sheet(paper):
    pypdf = pytest.importorskip("pypdf")
    front, back = pypdf.PdfReader(io.BytesIO(check_in(Wishes(paper=paper)))).pages
    assert str(SEATS) in [text for text, _ in heights(front)]
    assert below_the_margin(front) == []
    assert below_the_margin(front, margin=60) != []
    assert "Five things that go wrong" in back.extract_text()
