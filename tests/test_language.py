"""Which language is spoken, and that every report speaks both."""

import ast
import os
import re
import subprocess
import sys
from html import unescape
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import zerostride as zs
from zerostride.array_files import FileLayouts
from zerostride.draw.routes import measured_routes
from zerostride.language import LANGUAGES, current, enumerated, say, speaking
from zerostride.pairs.typography import HAN
from zerostride.placing import Placed
from zerostride.publish.editions import Published
from zerostride.reports import Table, display_width

ASK = "from zerostride.language import current, say; print(current(), say('report.passed'))"
WORDS = {"en": "passed", "zh": "通过"}
VARIABLES = ("ZEROSTRIDE_LANG", "LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE")


def language_of_a_new_process(**variables):
    """Return what a fresh Python speaks with these variables and no others of the kind."""
    clean = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    environment = clean | {"PYTHONUTF8": "1"} | variables
    answer = subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, check=True)
    language, words = answer.stdout.decode("utf-8").split()
    assert words == WORDS[language]
    return language


@pytest.mark.parametrize("language", WORDS)
def test_use_chooses(language):
    zs.use(language)
    assert (current(), say("report.passed")) == (language, WORDS[language])


@pytest.mark.parametrize("language", WORDS)
def test_unknown_language_is_refused_in_the_language_in_use(language):
    zs.use(language)
    words = {"en": "the course speaks {}, not qq", "zh": "本课程的语言是{}，没有qq"}
    wanted = words[language].format(enumerated(LANGUAGES))
    with pytest.raises(ValueError, match=f"^{re.escape(wanted)}$"):
        zs.use("qq")
    assert current() == language


def test_doctests_start_in_english_whatever_was_chosen():
    claims = Path(zs.__file__).parent / "checks/claims.py"
    chosen = os.environ | {"ZEROSTRIDE_LANG": "zh"}
    run = [sys.executable, "-m", "pytest", "-q", "-n0", "--rootdir", claims.parents[3]]
    done = subprocess.run(
        [*run, f"{claims}::zerostride.checks.claims.row_stride_is_zero"], env=chosen, capture_output=True
    )
    assert b"1 passed" in done.stdout
    twin = [sys.executable, "-m", "doctest", claims]
    assert (
        "未通过"
        in subprocess.run(twin, env=chosen | {"PYTHONUTF8": "1"}, capture_output=True).stdout.decode()
    )


def test_speaking_lasts_for_the_block():
    with speaking("zh"):
        assert say("report.passed") == "通过"
    assert say("report.passed") == "passed"


def test_speaking_ends_with_an_error_too():
    with pytest.raises(KeyError, match=r"report\.nothing"), speaking("zh"):
        say("report.nothing")
    assert current() == "en"


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({}, "en"),
        ({"ZEROSTRIDE_LANG": "zh"}, "zh"),
        ({"ZEROSTRIDE_LANG": "en", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"ZEROSTRIDE_LANG": "zh", "LC_ALL": "en_US.UTF-8"}, "zh"),
        ({"ZEROSTRIDE_LANG": "qq", "LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "qq_DE.UTF-8"}, "en"),
        ({"LC_ALL": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_MESSAGES": "zh_SG", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, "zh"),
    ],
)
def test_language_of_the_environment(variables, language):
    assert language_of_a_new_process(**variables) == language


def test_windows_calls_it_chinese(monkeypatch):
    monkeypatch.setattr("zerostride.language._chosen", None)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("locale.getlocale", lambda: ("Chinese (Simplified)_China", "936"))
    assert current() == "zh"
    monkeypatch.setattr("locale.getlocale", lambda: (None, None))
    assert current() == "en"


# Each report by the class that its module defines, made from the cast of the course.


def cast():
    source = np.array([[1.0, 2.0, 3.0]])
    return source, np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))


def routes():
    pytest.importorskip("torch")
    return measured_routes()


def with_torch(make):
    return make(pytest.importorskip("torch"))


def saved_for_backward():
    torch = pytest.importorskip("torch")
    return zs.saved_for_backward(lambda x: (x.expand(4, 3) ** 2).sum(), torch.ones(1, 3, requires_grad=True))


REPORTS = {
    "Layout": lambda: zs.layout(cast()[1]),
    "Advice": lambda: zs.advise((1, 3), (4, 3), then="dense"),
    "Brief": lambda: zs.advise((1, 3), (4, 3), then="dense").brief,
    "Requirements": lambda: zs.requirements(),
    "Comparison": lambda: zs.compare(*cast()[:2]),
    "Storages": lambda: zs.storages(**dict(zip(("source", "view", "tiled"), cast(), strict=True))),
    "Writability": lambda: zs.writable(cast()[1]),
    "Expansion": lambda: zs.can_expand((2, 3), (4, 3)),
    "Reshape": lambda: zs.reshape_copies(cast()[1], -1),
    "Result": lambda: zs.checks.shapes_match(*cast()),
    "RunReport": lambda: zs.checks.run(suites=["numpy"]),
    "Prediction": lambda: zs.predict("row-stride"),
    "Feedback": lambda: zs.your_turn("offset-of-3-1", 80),
    "FileLayouts": lambda: FileLayouts(
        {"w": zs.layout(cast()[0]), "b": zs.layout(cast()[1])}, {"w": 1, "b": 1}
    ),
    "Routes": routes,
    "Machine": lambda: zs.machine(),
    "WordList": lambda: zs.glossary(),
    "Bytes": lambda: zs.bytes_of(*cast()),
    "Budget": lambda: zs.budget((64, 64, 64), "float32", (1, 64, 64), ["mul", "square"], library="numpy"),
    "Measured": lambda: zs.measure(lambda x: x + 1, cast()[1]),
    "SavedForBackward": saved_for_backward,
    "Savings": lambda: zs.saving(cast()[1]),
    "Timings": lambda: zs.measure_time({"view": lambda x: x.sum()}, cast()[1], rounds=3),
    "Differences": lambda: zs.finite_difference(np.sum, cast()[1]),
    "GradientComparison": lambda: zs.compare_gradients({"sum": np.sum}, cast()[0]),
    "Uses": lambda: zs.uses(np.sum, cast()[1]),
    "ParameterReport": lambda: with_torch(
        lambda torch: zs.parameter_report([torch.zeros(1, 3).expand(4, 3)])
    ),
    "Training": lambda: with_torch(lambda torch: zs.parameters.train(steps=2)),
    "RepeatClaim": lambda: with_torch(lambda torch: zs.parameters.examine_repeat()),
    "StepTrials": lambda: zs.parameters.StepTrials(
        tuple(
            zs.parameters.Step("x.expand(4, 3)", "SGD", each, "refused", "an error")
            for each in zs.parameters.SETTINGS
        )
    ),
    "WriteAnswer": lambda: zs.can_i_write(cast()[1], "y[0, 0] = 9"),
    "Atlas": lambda: zs.writes.atlas().filter(operation=["add_(", "y[0, 0] = 9", "sparse"]),
    "Twin": lambda: zs.explore.addresses().static(),
    "WeightedRows": lambda: zs.explore.derivative().rows,
    "Evidence": lambda: zs.evidence(
        cast()[0],
        {"view": lambda x: np.broadcast_to(x, (4, 3)), "tiled": lambda x: np.tile(x, (4, 1))},
        loss=np.sum,
    ),
    "Write": lambda: zs.draw.measured_write("source[0, 1] = 9", source=cast()[0], view=cast()[1]),
    "Published": lambda: Published({"en/learner.zip": 1200}, Placed(written=["en/learner.zip"])),
}


def report_classes():
    """Return the name of every class in the package that is a report."""
    package = Path(str(files("zerostride")))
    trees = [ast.parse(path.read_text("utf-8")) for path in package.rglob("*.py")]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {node.name for node in classes if "Report" in {ast.unparse(base) for base in node.bases}}


def shown(report):
    return str(report), report._repr_html_()


def test_every_report_is_among_those_tried():
    assert report_classes() == set(REPORTS)


@pytest.mark.parametrize("name", REPORTS)
def test_report_speaks_both_languages(name):
    report = REPORTS[name]()
    english = shown(report)
    data = report.to_dict()
    zs.use("zh")
    chinese = shown(report)
    assert report.to_dict() == data
    for in_english, in_chinese in zip(english, chinese, strict=True):
        assert not re.search(f"[{HAN}]", in_english)
        assert re.search(f"[{HAN}]", in_chinese)
    assert chinese[0].encode("gbk")


# An atlas lists by statement in a terminal, and by outcome, with what shows each row, in a notebook.
@pytest.mark.parametrize("name", sorted(set(REPORTS) - {"Atlas"}))
def test_report_has_the_same_words_in_html(name):
    for language in LANGUAGES:
        zs.use(language)
        text, html = shown(REPORTS[name]())
        cells = unescape(re.sub(r"\s+|<[^>]*>", "", html)).replace("×", "*").replace("−", "-")
        assert re.sub(r"\s+|-{3,}", "", text) == cells


def test_a_report_of_one_language_is_seen():
    assert not re.search(f"[{HAN}]", Table([("stride", "(0, 8)")]).text())


@pytest.mark.parametrize("name", REPORTS)
def test_a_narrow_terminal_loses_no_word_of_a_report(name):
    for language in LANGUAGES:
        zs.use(language)
        report = REPORTS[name]()
        whole, narrow = report.to_text(), report.to_text(100)
        assert max(map(display_width, narrow.split("\n"))) <= 100
        assert sorted(re.sub(r"[\s-]", "", narrow)) == sorted(re.sub(r"[\s-]", "", whole))


def test_a_narrow_table_goes_on_below_and_breaks_no_line_before_what_closes():
    table = Table([("view", "reads the bytes of its source"), ("副本", "有自己的存储，与源分开")])
    assert table.text(19) == (
        "view  reads the\n      bytes of its\n      source\n副本  有自己的存\n      储，与源分开"
    )
    assert table.text(99) == table.text()
    assert "  有自己的存\n      储，" in table.text(17)
    assert Table([("x" * 20, "y")]).text(14).split("\n") == ["x" * 11 + "  y", "x" * 9]


NAMES = ["한국어" * 9, "e\u0301" * 30, "🙂" * 9, " " * 9 + "after", "ab   " + " " * 30, ""]


@pytest.mark.parametrize("width", [1, 2, 7, 8, 20])
@pytest.mark.parametrize("word", NAMES)
def test_a_name_in_any_script_keeps_its_column(word, width):
    bare = Table([], notes=[word]).text(width)
    widest = max(map(display_width, bare.split("\n")))
    assert widest <= max(width, 2)
    assert not re.search("(?m)^\u0301", bare)
    assert all(bare.split("\n")) or not word
    assert re.sub(r"\s", "", bare) == re.sub(r"\s", "", word)


def test_marks_on_a_character_take_no_column():
    assert display_width("e\u0301") == display_width("é") == 1
    assert Table([("e\u0301", "x"), ("ab", "y")]).text() == "e\u0301   x\nab  y"


def unnamed(html):
    """Heads of tables that no reader can tell, and rows of several cells that none names."""
    rows = [re.findall(r"<(t[hd])(.*?)>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", html)]
    heads = [cell for row in rows for cell in row if cell[0] == "th"]
    bare = [cell for cell in heads if not re.match(r' scope="(row|col)"', cell[1]) or not cell[2]]
    return bare + [row for row in rows if len(row) > 1 and row[0][2] and row[0][0] != "th"]


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_heads_of_columns_and_rows_are_told_to_a_screen_reader(name):
    html = shown(REPORTS[name]())[1]
    assert unnamed(html) == []
    if "scope=" in html:
        assert unnamed(html.replace(' scope="row"', "").replace(' scope="col"', "")) != []


def test_a_row_without_a_name_or_a_head_without_words_is_seen():
    html = Table([("shape", "(4, 3)"), ("", "(1, 3)")], header=("", "view")).html()
    assert unnamed(html) == []
    assert html.count("<td") == 4
    assert unnamed(re.sub("<td(.*?)></td>", r'<th scope="row"\1></th>', html)) != []
    assert unnamed(html.replace('<th scope="row"', "<td").replace("shape</th>", "shape</td>")) != []


def test_a_short_name_and_a_long_caption_are_not_broken_into_lines():
    shown = Table([("8", "four bytes"), ("a name too long to stand on one line", "")], caption="why").html()
    assert shown.count("white-space:nowrap") == 1
    assert '<th scope="row" style="text-align:left;white-space:nowrap;font-weight:normal">8</th>' in shown
    assert '<caption style="text-align:left;width:2em;width:max-content' in shown
    asked = Table([("8", "four bytes")], caption="\n".join(["why?", "问" * 60, "<b>"])).html()
    assert asked.startswith('<table><caption style="text-align:left;width:45em;width:max-content')
    assert asked.count("<br>") == 2
    assert "&lt;b&gt;</caption>" in asked


def test_a_short_word_in_wide_characters_is_not_broken_into_lines():
    shown = Table([("8", "通过", "每一行都有自己的存储")], header=("", "学习率", "why")).html()
    assert shown.count("white-space:nowrap") == 4
    assert '<td style="text-align:left;white-space:nowrap">通过</td>' in shown
    assert '<th scope="col" style="text-align:left;white-space:nowrap">学习率</th>' in shown
    assert '<td style="text-align:left">每一行都有自己的存储</td>' in shown
