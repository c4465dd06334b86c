"""A third language is words in the data files, a folder of notebooks, a name and two fonts: no code.

The language is English with macrons, each shown text in « », put into a copy
of the package; whatever is shown without brackets was not asked of the catalogue.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import start_language
import zerostride
from test_words import Data, data_texts, words_of
from word_rules import Product, in_all_languages
from zerostride.course import lessons_folder
from zerostride.language import LANGUAGES

PACKAGE = Path(zerostride.__file__).parent
# Both come with Typst; the second is what a PDF calls the first.
FONTS = {"Libertinus Serif": "LibertinusSerif", "New Computer Modern": "NewCM"}
LESSON = "01_four_rows_three_numbers"
SPOKEN = (*LANGUAGES, "xx")
MACRONS = str.maketrans("aeiouAEIOU", "āēīōūĀĒĪŌŪ")
KEPT = re.compile(
    r"```[\s\S]*?```|`[^`]*`|\$\$?[^$]*\$\$?|\{[^{}]*\}|<[^<>]*>|\]\([^()]*\)|https?://\S+|(?<!\w)--?\w+"
    r"|\w+[._/]\w[\w./]*"
)


def accented(text):
    """Return a text with macrons, but for code, formulas, placeholders, tags and addresses."""
    ends = [0, *(at for found in KEPT.finditer(text) for at in found.span()), len(text)]
    parts = [text[first:last] for first, last in pairwise(ends)]
    return "".join(part if at % 2 else part.translate(MACRONS) for at, part in enumerate(parts))


def pseudo(text):
    return f"«{accented(text)}»"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A copy of the package and its notebooks that speaks ``xx`` too, one lesson of it run."""
    root = tmp_path_factory.mktemp("course")
    hidden = shutil.ignore_patterns("__pycache__", ".*")
    package, notebooks = root / "src" / "zerostride", root / "notebooks"
    shutil.copytree(PACKAGE, package, ignore=hidden)
    shutil.copytree(lessons_folder(), notebooks, ignore=hidden)
    start_language.start(
        package, notebooks, "xx", pseudo("English"), list(FONTS), text=pseudo, prose=accented, term=accented
    )
    # As a translator would: this term is also called by its other English form.
    glossary = package / "pairs" / "glossary.toml"
    glossary.write_text(
        glossary.read_text("utf-8").replace('"lēāf tēnsōr"]', '"lēāf tēnsōr", "lēāf"]'), "utf-8"
    )
    return root


def run(root, *arguments, language="xx"):
    """Run Python on the copy; return the status, what it printed, and the errors."""
    known = {"PYTHONPATH": str(root / "src"), "ZEROSTRIDE_LANG": language, "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=root, env=os.environ | known, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


# Words that stand in a report outside of any text: code, and names of things.
NAMES = set(
    re.findall(
        r"\w+",
        "array autograd bias float64 matplotlib numpy other result row source torch view python ipywidgets"
        " anywidget jupyterlab cpu expand ValueError",
    )
)
CALLS = re.compile(r"https?://\S+|\w+\((?:[^()\n]|\([^()\n]*\))*\)|\w+\[[^]\n]*\]|\w+(?:[._]\w+)+")
REPORTS = """
import numpy as np, zerostride as zs
source = np.array([[1.0, 2.0, 3.0]])
view = np.broadcast_to(source, (4, 3))
spread = {"view": lambda x: np.broadcast_to(x, (4, 3))}
for report in (
    zs.layout(view), zs.compare(source, view), zs.writable(view), zs.can_i_write(view, "view[0] = 9"),
    zs.can_expand((2, 3), (4, 3)), zs.bytes_of(view), zs.uses(spread["view"], source), zs.machine(),
    zs.budget((32, 2048, 4096), "bfloat16"), zs.checks.row_stride_is_zero(view),
    zs.checks.run(suites="numpy"), zs.evidence(source, spread), zs.advise((1, 3), (4, 3)),
):
    print(report)
"""


def outside(text):
    """Return what stands outside of all brackets."""
    depth, left = 0, []
    for sign in text:
        depth += sign == "«"
        left += sign if depth == 0 else ""
        depth -= sign == "»"
    return "".join(left)


def unsaid(text):
    """Return the words that no text of the catalogue said, but for code and names."""
    return set(re.findall("[A-Za-z]{3,}[0-9]*", CALLS.sub("", outside(text)))) - NAMES


def test_reports_speak_it(course):
    status, told, errors = run(course, "-c", REPORTS)
    assert (status, errors) == (0, "")
    assert told.count("«") == told.count("»") > 100
    assert unsaid(told) == set()
    assert {"passed", "strides", "yes"} <= unsaid(run(course, "-c", REPORTS, language="en")[1])


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--suite", "numpy"),
        ("check", "--rows", "x"),
        ("layout", "missing.npy"),
        ("advise", "--help"),
        ("--help",),
        ("nothing",),
    ],
    ids=" ".join,
)
def test_the_command_line_speaks_it(course, arguments):
    told = [
        run(course, "-m", "zerostride", "--lang", language, *arguments, language="en")
        for language in ("en", "xx")
    ]
    assert told[0][0] == told[1][0] in (0, 2)
    for english, other in zip(told[0][1:], told[1][1:], strict=True):
        assert ("«" in other) == bool(english.strip())
        assert "«" not in english


def test_explorers_and_questions_speak_it(course):
    asked = """
import json, zerostride as zs
explorers = zs.explore.addresses(), zs.explore.shapes(), zs.explore.byte_bill(), zs.explore.derivative()
print(json.dumps([*(it.drawing.words for it in explorers), zs.predict("row-stride").panel.words]))
"""
    status, told, errors = run(course, "-c", asked)
    assert (status, errors) == (0, "")
    for words in json.loads(told):
        texts = [text for text in words.values() if isinstance(text, str)]
        assert len(texts) >= 3
        assert all(text.startswith("«") for text in texts if re.search("[A-Za-z]{3}", text))


def test_lab_copies_its_lessons_and_opens_the_first(course):
    asked = """
import sys
from pathlib import Path
from zerostride import lab
from zerostride.learner import copy_course
copy_course(Path(sys.argv[1]))
print(lab.first_page())
"""
    status, told, errors = run(course, "-c", asked, "mine")
    assert (status, told, errors) == (0, "/lab/workspaces/xx/tree/xx/00_start_here.ipynb\n", "")
    assert names(course / "mine" / "xx") == names(course / "notebooks" / "en")


def names(folder):
    return sorted(path.name for path in folder.glob("*.ipynb"))


def test_a_lesson_and_a_handout_are_published_in_its_fonts(course):
    pypdf = pytest.importorskip("pypdf")
    lesson = course / "notebooks" / "xx" / f"{LESSON}.ipynb"
    ran = run(course, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", str(lesson))
    assert ran[0] == 0, ran[2]
    wanted = ("--edition", "learner", "--edition", "handout", "--edition", "page", "--lesson", "01")
    status, told, errors = run(
        course, "-m", "zerostride", "publish", "--lang", "xx", "--out", "made", *wanted
    )
    assert (status, errors) == (0, ""), told
    made = course / "made" / "xx"
    assert "Rūn" in (made / "learner" / f"{LESSON}.ipynb").read_text("utf-8")
    page = (made / "zerostride.html").read_text("utf-8")
    assert '<html lang="xx"' in page
    assert '<a href="../zh/zerostride.html" lang="zh-Hans" hreflang="zh-Hans">中文</a>' in page
    reader = pypdf.PdfReader(made / "handouts" / f"{LESSON}.a4.pdf")
    assert reader.trailer["/Root"]["/Lang"] == "xx"
    fonts = {str(font["/BaseFont"]) for page in reader.pages for font in _fonts(page)}
    assert all(any(name in font for font in fonts) for name in FONTS.values())
    assert not any("NotoSansSC" in font for font in fonts)


def _fonts(page):
    return [font.get_object() for font in page["/Resources"]["/Font"].values()]


def test_the_rules_of_pairs_hold_it_against_english(course):
    assert {line.split()[2] for line in broken(course)} == {"fresh_stamp:"}
    run(course, "-m", "zerostride.pairs", "stamp")
    assert broken(course) == []
    lesson = course / "notebooks" / "xx" / f"{LESSON}.ipynb"
    whole = lesson.read_text("utf-8")
    assert whole.count("`(3, 1)`") == 1
    lesson.write_text(whole.replace("`(3, 1)`", "`(3, 2)`"), "utf-8")
    [found] = broken(course)
    lesson.write_text(whole, "utf-8")
    assert found.startswith(f"xx/{LESSON}.ipynb")
    assert "same_code_spans" in found


def broken(course):
    """Return what the rules of pairs say of the language."""
    told = run(course, "-m", "zerostride.pairs", "check")[1].splitlines()
    assert told
    return [line for line in told if line.startswith("xx/")]


def lacking(package):
    """Return what the rule of the catalogue says of a package's words and data."""
    words = Product(words_of(package), {}, languages=SPOKEN)
    return [*in_all_languages(words), *in_all_languages(Data(data_texts(package), SPOKEN))]


def test_a_missing_text_is_named(course):
    package = course / "src" / "zerostride"
    assert lacking(package) == []
    for name, line in (("words/report", 'xx = "«pāssēd»"\n'), ("quiz/exercises/03_copies", "why.xx = ")):
        file = package / f"{name}.toml"
        whole = file.read_text("utf-8")
        at = whole.index(line)
        file.write_text(whole[:at] + whole[whole.index("\n", at) + 1 :], "utf-8")
        [found] = lacking(package)
        assert found.endswith(" lacks ['xx'], has []")
        assert found.startswith(file.stem)
        if name == "words/report":
            assert "KeyError: 'report.passed.xx'" in run(course, "-c", REPORTS)[2]
        file.write_text(whole, "utf-8")
