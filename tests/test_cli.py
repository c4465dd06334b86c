"""What the command says, in both languages, and the status it ends with."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import zerostride as zs
from zerostride.cli import main
from zerostride.language import catalogue


@pytest.fixture
def run(capsys):
    """Return a function that runs a command and gives its status, output and errors."""

    def command(*arguments):
        status = main(arguments)
        return status, *capsys.readouterr()

    return command


def child(*arguments, **variables):
    cleared = ("ZEROSTRIDE_LANG", "LC_ALL", "LC_MESSAGES", "LANG", "PYTHONIOENCODING")
    environment = {name: value for name, value in os.environ.items() if name not in cleared} | variables
    command = [sys.executable, "-m", "zerostride", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, check=False)


def test_check_prints_forty_two_rows_and_ends_with_0(run):
    pytest.importorskip("torch")
    status, told, errors = run("check")
    assert (status, errors) == (0, "")
    assert told.count("passed") >= 42
    assert "row_stride_is_zero" in told


def test_a_terminal_gets_lines_that_fit(run, monkeypatch, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import numpy as np\nsource = np.ones((1, 3))\ndef same(x): return x\n")
    asked = [("check", "--suite", "numpy"), ("evidence", str(program), "--use", "same")]
    whole = [run(*each)[1] for each in asked]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "70")
    for each, wide in zip(asked, whole, strict=True):
        told = run(*each)[1]
        assert max(map(len, told.split("\n"))) <= 70 < max(map(len, wide.split("\n")))
        assert sorted(told.replace("-", "").split()) == sorted(wide.replace("-", "").split())


def test_check_speaks_chinese(run):
    status, told, _ = run("check", "--suite", "numpy", "--lang", "zh")
    assert status == 0
    assert "通过" in told
    assert "passed" not in told


def test_check_passes_every_option_on(run):
    sizes = ("--rows", "5", "--cols", "2", "--dtype", "float32")
    _, told, _ = run("check", *sizes, "--suite", "numpy", "--suite", "autograd", "--json")
    wanted = zs.checks.run(rows=5, cols=2, dtype="float32", suites=["numpy", "autograd"]).to_dict()
    assert json.loads(told) == json.loads(json.dumps(wanted))


def test_json_is_ascii_and_the_same_in_both_languages(run):
    _, english, _ = run("check", "--suite", "numpy", "--json")
    _, chinese, _ = run("check", "--suite", "numpy", "--json", "--lang", "zh")
    assert english == chinese
    assert english.isascii()


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_failed_check_ends_with_1(run, monkeypatch, options):
    class Failed:
        passed = False

        def to_dict(self):
            return {"passed": False}

        def to_text(self, width):
            return "one failed"

    monkeypatch.setattr(zs.checks, "run", lambda *_: Failed())
    status, told, errors = run("check", *options)
    assert status == 1
    assert told
    assert errors == ""


def test_not_run_is_no_failure(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    status, told, _ = run("check", "--suite", "torch")
    assert status == 0
    assert told.count("not run") >= 14


BAD = [
    ("foo",),
    ("check", "--rows", "x"),
    ("check", "--rows", "-1"),
    ("check", "--cols", "2.5"),
    ("check", "--rows", "99999999999"),
    ("check", "--dtype", "float31"),
    ("check", "--suite", "jax"),
    ("check", "--suite"),
    ("check", "--json=3"),
    ("check", "--row", "3"),
    ("check", "numpy"),
    ("--foo",),
    ("--lang", "fr", "check"),
    ("check", "--lang"),
    ("lab", "--dir"),
    ("layout",),
    ("layout", "--json"),
    ("evidence", "--use", "f"),
]


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
def test_bad_input_is_one_line_and_2(run, arguments):
    for language in ("en", "zh"):
        zs.use(language)
        status, told, errors = run(*arguments)
        assert (status, told) == (2, "")
        assert errors.startswith("zerostride: ")
        assert errors.count("\n") == 1
        assert errors.isascii() or language == "zh" or "×" in errors
        assert any("一" <= sign <= "鿿" for sign in errors) == (language == "zh")


@pytest.mark.parametrize(("command", "name"), [("layout", "FILE"), ("evidence", "PROGRAM.py")])
def test_what_is_missing_is_named_in_the_language_in_use(run, command, name):
    zs.use("zh")
    assert run(command)[2] == f"zerostride: 缺少{name}，请看zerostride {command} --help\n"
    zs.use("en")
    assert run(command)[2].startswith(f"zerostride: {name} is missing; ")


def test_bad_input_is_no_traceback_in_a_real_process():
    done = child("check", "--rows", "x", ZEROSTRIDE_LANG="zh", PYTHONIOENCODING="utf-8")
    assert done.returncode == 2
    assert "整数" in done.stderr.decode()
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [(), ("--help",), ("check", "--help"), ("lab", "-h")])
def test_help_speaks_the_language_in_use(run, arguments):
    for language in ("en", "zh"):
        zs.use(language)
        status, told, _ = run(*arguments)
        assert status == 0
        assert told.startswith(catalogue()["cli.usage"][language])
        assert catalogue()["cli.options"][language] in told
        for word in ("usage:", "options:", "show this help"):
            assert (word in told) == (language == "en")


def test_help_names_every_command_and_option(run):
    assert all(name in run("--help")[1] for name in ("check", "lab", "--version", "--lang"))
    for option in ("--rows", "--cols", "--dtype", "--suite", "--lang", "--json"):
        assert option in run("check", "--help")[1]


def test_version(run):
    assert run("--version") == (0, f"zerostride {zs.__version__}\n", "")


@pytest.mark.parametrize(
    ("variables", "chinese"),
    [
        ({}, False),
        ({"LANG": "zh_CN.UTF-8"}, True),
        ({"LANG": "de_DE.UTF-8"}, False),
        ({"LANG": "zh_CN.UTF-8", "ZEROSTRIDE_LANG": "en"}, False),
        ({"ZEROSTRIDE_LANG": "zh"}, True),
    ],
)
def test_the_language_comes_from_the_environment(variables, chinese):
    told = child(**variables, PYTHONIOENCODING="utf-8").stdout.decode()
    assert ("用法" in told) is chinese


def test_an_option_wins_over_the_environment():
    told = child("--lang", "en", ZEROSTRIDE_LANG="zh", PYTHONIOENCODING="utf-8").stdout.decode()
    assert told.startswith("usage:")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk", "utf-8"])
def test_no_console_is_too_small_for_the_words(encoding):
    for arguments in (("check", "--suite", "numpy"), ("--help",), ("check", "--rows", "x")):
        done = child(*arguments, ZEROSTRIDE_LANG="zh", PYTHONIOENCODING=encoding)
        assert done.returncode in (0, 2)
        assert b"Traceback" not in done.stderr


def test_a_gbk_console_shows_every_character():
    done = child("check", "--suite", "numpy", ZEROSTRIDE_LANG="zh", PYTHONIOENCODING="gbk")
    assert "?" not in done.stdout.decode("gbk")
    assert "?" in child("--help", ZEROSTRIDE_LANG="zh", PYTHONIOENCODING="ascii").stdout.decode()


def test_a_reader_that_leaves_early_is_no_error():
    command = [sys.executable, "-m", "zerostride", "check", "--suite", "numpy"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait(timeout=60)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_a_full_disk_behind_the_output_is_told_in_one_line():
    command = f"{sys.executable} -m zerostride check --suite numpy --lang en > /dev/full"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "could not be finished: no space is left there" in done.stderr
    assert "Traceback" not in done.stderr


def test_closed_output_is_no_fault():
    command = f"{sys.executable} -m zerostride check --suite numpy >&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("wished", ["zh", "ZH", "zh_CN", "zh-Hans"])
def test_the_language_variable_is_read_like_a_locale(wished):
    assert "通过" in child("check", "--suite", "numpy", ZEROSTRIDE_LANG=wished).stdout.decode()


def test_layout_reads_a_file_in_both_languages(run, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((4, 3)))
    status, told, errors = run("layout", str(tmp_path / "x.npy"))
    assert (status, errors) == (0, "")
    assert "i*24 + j*8" in told
    assert "形状" in run("layout", str(tmp_path / "x.npy"), "--lang", "zh")[1]
    answers = json.loads(run("layout", str(tmp_path / "x.npy"), "--json")[1])
    assert answers[""]["strides_bytes"] == [24, 8]


@pytest.mark.parametrize("name", ["absent.npy", "x.csv"])
def test_layout_of_what_is_no_array_file_is_one_line_and_status_2(run, tmp_path, name):
    status, told, errors = run("layout", str(tmp_path / name))
    assert (status, told) == (2, "")
    assert errors.count("\n") == 1
    assert name in errors
