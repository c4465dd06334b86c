"""The form of every lesson in both languages, and that it stands alone without torch."""

import configparser
import json
import os
import re
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from kernels import loads_torch_too_early, run_without_torch, without_torch_cells
from lesson_samples import cell_of, sample_notebook
from notebook_form import CORE_MINUTES, RULES, SECONDS_PER, core_minutes, form_faults
from zerostride.course import lessons_folder
from zerostride.language import LANGUAGES

FILES = sorted(path for language in LANGUAGES for path in (lessons_folder() / language).glob("*.ipynb"))
NBVAL = Path(__file__).with_name("nbval.cfg")


def name_of(path):
    return f"{path.parent.name}/{path.stem}"


def read(path):
    return json.loads(path.read_text("utf-8"))


def test_there_are_lessons():
    assert {path.parent.name for path in FILES} == set(LANGUAGES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_lesson_form(path, rule):
    found = [f"{name_of(path)} [{cell}] {seen}" for cell, seen in rule(read(path))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_lesson_is_written_as_nbformat_writes(path):
    assert list(form_faults(path.read_bytes().decode())) == []


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_lesson_stands_without_torch(path, tmp_path):
    run_without_torch(read(path), tmp_path)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_lesson_loads_no_torch_before_a_torch_cell(path, tmp_path):
    assert not loads_torch_too_early(read(path), tmp_path)


# The twins: each rule, broken once in the good sample, is the one that is found.


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_sample_form(rule, language):
    assert list(rule(sample_notebook(language))) == []


def code(name, text):
    """Return a change of one cell's code."""

    def change(notebook):
        cell_of(notebook, name)["source"] = text

    return change


def key(name, **values):
    """Return a change of some keys of a cell."""

    def change(notebook):
        cell_of(notebook, name).update(values)

    return change


def tagged(name, *tags):
    def change(notebook):
        cell_of(notebook, name)["metadata"]["tags"] = list(tags)

    return change


def output(name, **data):
    """Return a change that adds a displayed output, its kinds written with ``_`` for ``/``."""

    def change(notebook):
        kinds = {kind.replace("_", "/"): value for kind, value in data.items()}
        shown = {"output_type": "display_data", "metadata": {}, "data": kinds}
        cell_of(notebook, name)["outputs"].append(shown)

    return change


def about(name, value):
    def change(notebook):
        notebook["metadata"][name] = value

    return change


def without(name):
    def change(notebook):
        notebook["cells"].remove(cell_of(notebook, name))

    return change


def swapped_code(notebook):
    first, second = cell_of(notebook, "setup"), cell_of(notebook, "run-row-stride")
    cells = notebook["cells"]
    at, other = cells.index(first), cells.index(second)
    cells[at], cells[other] = second, first
    first["execution_count"], second["execution_count"] = 2, 1


def unfolded(notebook):
    del cell_of(notebook, "run-budget")["metadata"]["jupyter"]


def timed(notebook):
    cell_of(notebook, "run-budget")["metadata"]["execution"] = {"iopub.execute_input": "2021-01-31"}


def long_median(notebook):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and cell["id"] not in ("setup", "answer-offset"):
            cell["source"] = cell["source"].replace("\n", "\n" * 4) + "\n" * 5 + "'end'"


ERROR = {"output_type": "error", "ename": "ValueError", "evalue": "", "traceback": []}
STDERR = {"output_type": "stream", "name": "stderr", "text": "warning"}

CHANGES = {
    "never executed": ("executed_in_order", key("run-budget", execution_count=None)),
    "executed twice": ("executed_in_order", key("run-budget", execution_count=9)),
    "outputs stripped": ("outputs_stored", key("run-budget", outputs=[])),
    "an error": ("no_errors", key("run-budget", outputs=[ERROR])),
    "a warning": ("no_errors", key("run-budget", outputs=[STDERR])),
    "skipped by nbval": ("nothing_skipped", tagged("run-budget", "nbval-skip")),
    "output not compared": ("nothing_skipped", tagged("run-budget", "nbval-ignore-output")),
    "allowed to raise": ("nothing_skipped", tagged("run-budget", "raises-exception")),
    "a comment": ("no_comments", code("run-budget", "32 * 2048  # rows")),
    "a magic": ("no_magics", code("run-budget", "%pip install torch")),
    "a shell command": ("no_magics", code("run-budget", "!ls")),
    "a download": ("no_downloads", code("run-budget", "np.lib.npyio.urlopen('x')")),
    "sys.path": ("no_downloads", code("run-budget", "sys.path.append('..')")),
    "21 lines": ("short_cells", code("run-budget", "32\n" * 21)),
    "long cells": ("short_cells", long_median),
    "ends on print": ("ends_on_an_expression", code("run-budget", "print(32 * 2048)")),
    "ends on an assignment": ("ends_on_an_expression", code("run-budget", "n = 32")),
    "a trailing semicolon": ("no_semicolon", code("run-budget", "32 * 2048;")),
    "img without alt": ("images_have_alternatives", output("run-budget", text_html="<img src='x'>")),
    "img with empty alt": (
        "images_have_alternatives",
        output("run-budget", text_html="<img alt='' src='x'>"),
    ),
    "a bare figure": (
        "images_have_alternatives",
        output("run-budget", image_png="aGk=", text_plain="<Figure size 640x480 with 1 Axes>"),
    ),
    "Markdown image without alt": ("images_have_alternatives", code("title", "# Why?\n\n![](a.png)")),
    "setup comes second": ("setup_comes_first", swapped_code),
    "a late import": ("imports_in_setup_alone", code("run-budget", "import math\nmath.prod([32, 2048])")),
    "torch without the tag": ("torch_in_tagged_cells_alone", code("run-budget", "torch.ones(1)")),
    "torch never imported": (
        "first_torch_cell_imports_it",
        code("run-torch-stride", "torch.ones(1)"),
    ),
    "no closing section": ("english_frame", without("what-this-does-not-show")),
    "a section without heading": ("english_frame", code("your-turn", "Your turn: where is it?")),
    "another heading": ("english_frame", code("your-turn", "## Exercises")),
    "no opening": ("english_frame", without("what-you-will-do")),
    "no slide": ("required_tags", tagged("run-row-stride")),
    "no extra": ("required_tags", tagged("run-formula")),
    "the answer in view": ("run_outputs_folded", unfolded),
    "another kernel": ("clean_metadata", about("kernelspec", {"name": "venv311"})),
    "a Python version": ("clean_metadata", about("language_info", {"name": "python", "version": "3.11.7"})),
    "stored widgets": ("clean_metadata", about("widgets", {})),
    "execution times": ("clean_metadata", timed),
    "a path of this machine": ("no_machine_paths", output("run-budget", text_plain="'/home/ann/x.npy'")),
    "a path in the metadata": ("no_machine_paths", about("path", "/root/x")),
    "too long to read": ("core_fits", code("explain-budget", "word " * 180 * CORE_MINUTES)),
    "too long to do": ("core_fits", code("run-budget", "zs.your_turn(1)\n" * 13)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_broken_form_alone_is_found(change):
    expected, break_it = CHANGES[change]
    notebook = sample_notebook("en")
    before = deepcopy(notebook)
    break_it(notebook)
    assert notebook != before
    assert {rule.__name__ for rule in RULES if list(rule(notebook))} == {expected}


def test_every_form_rule_is_broken_once():
    assert {rule for rule, _ in CHANGES.values()} == {rule.__name__ for rule in RULES}


@pytest.mark.parametrize(
    "data",
    [
        {"image_png": "aGk=", "text_html": "<img alt='four rows' src='x'>", "text_plain": "<Figure>"},
        {"image_png": "aGk=", "text_plain": "four rows"},
    ],
)
def test_image_with_alternative_is_good(data):
    notebook = sample_notebook("en")
    output("run-budget", **data)(notebook)
    assert [rule.__name__ for rule in RULES if list(rule(notebook))] == []


def test_time_counts_what_the_core_holds():
    notebook = sample_notebook("en")
    core = core_minutes(notebook)
    code("explain-budget", "word " * 180)(notebook)
    longer = core_minutes(notebook)
    assert core < longer < core + 1
    tagged("explain-budget", "extra")(notebook)
    assert core_minutes(notebook) < core


def test_time_counts_an_explorer_and_not_its_static_twin():
    notebook = sample_notebook("en")
    code("run-budget", "1 + 1")(notebook)
    core = core_minutes(notebook)
    code("run-budget", "zs.explore.decide((1, 3)).static()")(notebook)
    assert core_minutes(notebook) == pytest.approx(core)
    code("run-budget", "zs.explore.decide((1, 3))")(notebook)
    assert core_minutes(notebook) == pytest.approx(core + SECONDS_PER["explore"] / 60)


def test_time_counts_chinese_characters():
    notebook = sample_notebook("zh")
    code("explain-budget", "字" * 320)(notebook)
    with_one = core_minutes(notebook)
    code("explain-budget", "字" * 640)(notebook)
    assert core_minutes(notebook) == pytest.approx(with_one + 1)


def written(notebook):
    return nbformat.writes(nbformat.from_dict(notebook)) + "\n"


def test_form_of_the_file():
    good = written(sample_notebook("zh"))
    assert list(form_faults(good)) == []
    assert list(form_faults(good.rstrip("\n"))) == ["not as nbformat writes it"]
    assert list(form_faults(good.replace("\n ", "\n  "))) == ["not as nbformat writes it"]
    assert list(form_faults(json.dumps(json.loads(good), indent=1, sort_keys=True) + "\n"))
    assert any("invalid" in fault for fault in form_faults(good.replace('"code"', '"cod"')))


def test_sample_stands_without_torch(tmp_path):
    executed = run_without_torch(sample_notebook("en"), tmp_path)
    assert cell_of(executed, "run-row-stride").outputs[0].data["text/plain"] == "(0, 8)"
    assert not any(cell["id"] == "run-torch-stride" for cell in executed.cells)


def test_a_lesson_that_needs_torch_fails_without(tmp_path):
    notebook = sample_notebook("en")
    tagged("run-torch-stride")(notebook)
    assert without_torch_cells(notebook) == notebook
    with pytest.raises(CellExecutionError, match="import of torch halted"):
        run_without_torch(notebook, tmp_path)


@pytest.mark.parametrize("early", [False, True])
def test_torch_that_is_loaded_early_is_seen(early, tmp_path):
    (tmp_path / "torch.py").write_text("")
    notebook = sample_notebook("en")
    if early:
        code("run-budget", "len(__import__('torch').__name__)")(notebook)
    assert loads_torch_too_early(notebook, tmp_path) is early


# What strict nbval may overlook, and nothing wider.


def sanitize_rules():
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(NBVAL, encoding="ascii")
    return {name: (section["regex"], section["replace"]) for name, section in parser.items() if section}


SANITIZED = {
    "version": [
        "torch 2.13.0+cpu",
        "NumPy 2.4.6",
        "PyTorch 2.13",
        "2.13.0+cu126",
        "2.9.0.dev20250801",
        "2.5.0rc1",
    ],
    "timing": ["280 ms", "1.25 s", "53 us", "0.9 \u00b5s", "17 ns"],
    "picture": ['src="data:image/png;base64,iVBORw0KGgo+/a="'],
    "address": ["<zerostride.x.Y object at 0x7f3a5c0d2b50>", "0x55D0AABBCC"],
    "rounding": ["1.3e-09", "7.7e-11", "2.0e-08"],
}
COMPARED = [
    "1.0e+00",
    "1.3e-07",
    "1e-05",
    "(0, 8)",
    "(24, 8) bytes = (3, 1) elements",
    "96 B",
    "536,870,912 bytes = 512 MiB",
    "32 + i×0 + j×(−8)",
    "2×0 + 1×8 = 8 B",
    "array([[22., 26., 30.]])",
    "1.8333333333333333",
    "11/6, 13/6, 5/2",
    "2 sources, 4 steps, 3 suites",
    "float64, 8 B",
    "0x10",
    "[0.5.]",
]


def test_every_sanitize_rule_has_an_example():
    assert set(sanitize_rules()) == set(SANITIZED)


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in SANITIZED.items() for text in texts]
)
def test_sanitize_rule_matches_its_example_alone(name, text):
    matching = {rule for rule, (regex, _) in sanitize_rules().items() if re.search(regex, text)}
    assert matching == {name}


@pytest.mark.parametrize("text", COMPARED)
def test_plain_results_are_compared(text):
    for regex, replacement in sanitize_rules().values():
        assert re.sub(regex, replacement, text) == text


def test_pictures_differ_in_pixels_alone():
    regex, replacement = sanitize_rules()["picture"]
    image = '<img alt="{}" src="data:image/png;base64,{}">'

    def seen(alt, pixels):
        return re.sub(regex, replacement, image.format(alt, pixels))

    assert seen("four rows", "AAAA") == seen("four rows", "BBBB") != seen("two rows", "AAAA")


def nbval(notebook, folder, **variables):
    """Return whether nbval passes as `make test` runs it, and what it said."""
    (folder / "01_rows.ipynb").write_text(written(notebook), "utf-8")
    options = [
        "--nbval",
        "--nbval-current-env",
        "--nbval-sanitize-with",
        str(NBVAL),
        "-p",
        "no:cacheprovider",
    ]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options, "."],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
    )
    return ran.returncode == 0, ran.stdout.decode()


@pytest.mark.parametrize(("stored", "passes"), [("(0, 8)", True), ("(0, 9)", False)])
def test_strict_nbval_compares_what_is_stored(stored, passes, tmp_path):
    notebook = without_torch_cells(sample_notebook("en"))
    cell_of(notebook, "run-row-stride")["outputs"][0]["data"]["text/plain"] = stored
    passed, told = nbval(notebook, tmp_path)
    assert passed is passes, told


WARNS = """exec("import warnings; warnings.warn('old', {})", {{"__name__": "{}"}})\n"""


@pytest.mark.parametrize(
    ("warning", "module", "strict", "passes"),
    [
        ("UserWarning", "numpy", False, False),  # shown, and no output of a lesson has it
        ("DeprecationWarning", "zerostride.draw", False, True),  # Python hides it
        ("DeprecationWarning", "zerostride.draw", True, False),
        ("DeprecationWarning", "__main__", True, False),
        ("DeprecationWarning", "zerostridex", True, True),
    ],
)
def test_a_warning_in_a_lesson_fails(warning, module, strict, passes, tmp_path):
    notebook = without_torch_cells(sample_notebook("en"))
    cell = cell_of(notebook, "run-row-stride")
    cell["source"] = WARNS.format(warning, module) + cell["source"]
    passed, told = nbval(notebook, tmp_path, PYTHONPATH=str(NBVAL.with_name("strict")) if strict else "")
    assert passed is passes, told
