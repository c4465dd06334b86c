"""The two READMEs say the same, and their links lead somewhere."""

import copy
import json
import re
import shlex

import cost_table
import pytest

from sample_course import ROOT
from tour_pictures import CELLS, FOLDER, picture
from two_languages import differences, outline
from zerostride.cli import main
from zerostride.course import lessons
from zerostride.publish.editions import EDITIONS
from zerostride.publish.guide import record


def read(name):
    return (ROOT / name).read_text("utf-8")


def test_the_readmes_say_the_same():
    assert differences(read("README.md"), read("README.zh.md")) == []
    assert outline(read("README.md"))["commands"]


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("\n## ", "\n### ", "headings"),
        ("make lab", "make course", "commands"),
        ("`zerostride check`", "`zerostride`", "code spans"),
        ("(LICENSE)", "(LICENCE)", "links"),
        ("3.11", "3.10", "numbers"),
    ],
)
def test_a_difference_between_the_readmes_would_be_seen(old, new, part):
    chinese = read("README.zh.md")
    assert old in chinese
    assert part in differences(read("README.md"), chinese.replace(old, new))


@pytest.mark.parametrize("name", ["README.md", "README.zh.md", "CONTRIBUTING.md"])
def test_every_link_to_a_file_leads_somewhere(name):
    links = re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", read(name))
    inside = [link for pair in links for link in pair if link and not link.startswith("http")]
    assert [link for link in inside if not (ROOT / link).exists()] == []


def first_screen(text):
    """Return what stands before the first section."""
    return text.partition("\n## ")[0]


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_first_screen_has_a_picture_and_two_commands(name):
    screen = first_screen(read(name))
    assert re.search(r'<img src="\.github/[^"]+\.png" width="\d+" alt="[^"]{40,}">', screen)
    assert re.findall(r"^```sh\n(.*?)^```", screen, re.MULTILINE | re.DOTALL) == ["make lab\nmake test\n"]
    assert len(screen) < 1500


def verdicts(text):
    """Return tool and version, then the verdicts for NumPy and PyTorch, of each row of the comparison."""
    cell = r"(–|no|yes|fails with [\d.]+|不能|能|在[\d.]+版上报错)"
    rows = re.findall(
        rf"^\| `?([\w-]+)`?(?: ([\d.]+))?[^|]* \| [^|]* \| {cell} \| {cell} \|$", text, re.MULTILINE
    )
    outcomes = {"–": None, "no": "alike", "yes": "apart", "不能": "alike", "能": "apart"}
    return {tool: (version, *(outcomes.get(each, "fails") for each in both)) for tool, version, *both in rows}


def answered(record):
    """Return the same from the record."""
    return {
        tool: (said.get("version", ""), *(said.get(at, {}).get("outcome") for at in ("numpy", "torch")))
        for tool, said in record["inspectors"].items()
    }


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_what_other_inspectors_say_is_what_they_said(name):
    record = cost_table.stored()
    assert verdicts(read(name)) == answered(record)
    changed = copy.deepcopy(record)
    changed["inspectors"]["rainbow-tensor"]["torch"]["outcome"] = "apart"
    assert verdicts(read(name)) != answered(changed)


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_what_other_inspectors_are_quoted_with_is_what_they_said(name):
    said = [
        answer.get("said")
        for tool in cost_table.stored()["inspectors"].values()
        for answer in tool.values()
        if isinstance(answer, dict)
    ]
    quoted = re.findall(r"^\| (?:lovely|treescope)[^|]* \| `([^`]+)` \|", read(name), re.MULTILINE)
    assert len(quoted) == 3
    assert [quote for quote in quoted if quote not in said] == []


def drawn_live(language):
    """Return the numbers of the lessons that show an explorer."""
    sources = {path.name: json.loads(path.read_text("utf-8"))["cells"] for path in lessons(language)}
    return [
        str(int(name[:2]))
        for name, cells in sources.items()
        if any("".join(cell["source"]).startswith("zs.explore.") for cell in cells)
    ]


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_lessons_with_a_live_drawing_are_those_named(name):
    (line,) = [
        line for line in read(name).splitlines() if "Python" in line and "`1`" in line and "`8`" in line
    ]
    assert re.findall(r"`(\d)`", line) == drawn_live("en")
    assert re.findall(r"`(\d)`", line.replace("`5`", "`6`")) != drawn_live("en")


TOURS = [("README.md", "en"), ("README.zh.md", "zh")]


def untold(text, language):
    """The lessons that a README does not link to, with a picture and two sentences."""
    shown = r"\| .*\| \*\*\[{number} · .+\]\(notebooks/{language}/{lesson}\)\*\*<br>.+[.。；，].+[.。] \|"
    return [
        path.name
        for path in lessons(language)
        if not re.search(shown.format(number=int(path.name[:2]), language=language, lesson=path.name), text)
    ]


@pytest.mark.parametrize(("name", "language"), TOURS)
def test_the_tour_goes_through_every_lesson(name, language):
    assert untold(read(name), language) == []


@pytest.mark.parametrize(("name", "language"), TOURS)
def test_a_lesson_left_out_of_the_tour_is_found(name, language):
    assert untold(read(name).replace("03_copies.ipynb", "02_copies.ipynb"), language) == ["03_copies.ipynb"]


@pytest.mark.parametrize("lesson", CELLS)
def test_each_picture_of_the_tour_is_that_of_its_lesson(lesson):
    assert (FOLDER / f"{lesson}.png").read_bytes() == picture(lesson, CELLS[lesson]), "run tour_pictures.py"
    assert all(f".github/lessons/{lesson}.png" in read(name) for name, _ in TOURS)


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_python_of_the_readme_runs_and_recognizes_the_fault(name):
    torch = pytest.importorskip("torch")
    (block,) = re.findall(r"^```python\n(.*?)^```", read(name), re.MULTILINE | re.DOTALL)
    names = {}
    exec(block.replace("zs.evidence(", "found = zs.evidence("), names)
    assert "write_into_shared" in [fault.name for fault in names["found"].problems]
    assert torch.equal(names["row"], torch.tensor([[1.0, 2.0, 3.0]]))


def test_the_commands_of_the_readme_run(tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch")
    (block,) = re.findall(r"^```python\n(.*?)^```", read("README.md"), re.MULTILINE | re.DOTALL)
    program = block[: block.index("zs.evidence")] + "\ndef other(x):\n    return x.repeat(4, 1)\n"
    (tmp_path / "program.py").write_text(program, "utf-8")
    monkeypatch.chdir(tmp_path)
    lines = re.findall(
        r"^\.venv/bin/zerostride ((?:evidence|advise|writes) .*)$", read("README.md"), re.MULTILINE
    )
    assert len(lines) == 3
    for line in lines:
        assert main([*shlex.split(line), "--lang", "en"]) == 0, line
    capsys.readouterr()


def editions_named(text):
    """The editions of the table for a class, in their order."""
    return re.findall(r"^\| `(\w+)` \| .* \| \d+\.\d \|$", text, re.MULTILINE)


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_table_for_a_class_names_every_edition(name):
    assert editions_named(read(name)) == list(EDITIONS)
    assert editions_named(read(name).replace("| `kit` |", "| `bag` |")) != list(EDITIONS)


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_a_class_on_a_hub_takes_what_was_measured(name):
    told = record()
    line = next(line for line in read(name).splitlines() if "The Littlest JupyterHub" in line)
    figures = [int(number) for number in re.findall(r"`(\d+)`", line)]
    assert figures == [told["learners"], told["numpy"]["pss_mib"], told["torch"]["pss_mib"]]


def test_the_commands_for_a_class_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^\.venv/bin/zerostride (publish .*)$", read("README.md"), re.MULTILINE)
    lines += [f"publish {more}" for more in re.findall(r'PUBLISH_ARGS="(.*)"', read("README.md"))]
    assert len(lines) == 3
    for line in lines:
        small = ["--edition", "learner", "--lesson", "01", "--out", "printed"]
        assert main([*shlex.split(line.replace("--edition handout ", "")), *small]) == 0, line
    assert (tmp_path / "printed" / "zh" / "learner.zip").is_file()
    capsys.readouterr()
