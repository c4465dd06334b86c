"""Whatever a learner types: options, shapes, statements, answers, and what stands in the learner's folder."""

import json
import os
import re
import string
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zerostride as zs
from zerostride.cli import main
from zerostride.language import LANGUAGES, use
from zerostride.pairs.typography import HAN
from zerostride.placing import Placed, place
from zerostride.quiz import answers, plain_values
from zerostride.quiz.exercises import every_exercise
from zerostride.writes.statements import StatementError

OFTEN = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
YOUR_TURN = [name for name, each in every_exercise().items() if each.kind == "your_turn"]
ODD = [
    "",
    "-",
    "--",
    "=--",
    "²",
    "٣",
    "4x3",
    "(1, 3)",
    "１，３",
    "-1",
    "9" * 5000,
    "nan",
    "\x00",
    "\n",
    "\x1b[31m",
]
ODD += [
    "<img src=x onerror=alert(1)>",
    "{0}",
    "%s",
    "~nobody-of-this-name",
    "a" * 5000,
    "/dev/null",
    "\udc80",
]
WORDS = st.one_of(st.sampled_from(ODD), st.text(max_size=12), st.integers().map(str))
OPTIONS = {
    "": ["--version", "--lang", "--help"],
    "check": ["--rows", "--cols", "--dtype", "--suite", "--json"],
    "layout": ["--json"],
    "writes": ["--only", "--json"],
    "advise": ["--source", "--target", "--writes", "--learns", "--then", "--library", "--dtype", "--pattern"],
    "evidence": ["--source", "--loss", "--measure", "--time-limit", "--json", "--markdown"],
    "lab": ["--dir"],
    "publish": ["--out", "--lesson", "--edition", "--paper", "--answers", "--json"],
}


class Nobody:
    """In the place of the processes that build editions."""

    def submit(self, *_):
        built = Future()
        built.set_result({})
        return built


@st.composite
def typed(draw):
    command = draw(st.sampled_from(list(OPTIONS)))
    # First of all: an option after "--" is JupyterLab's.
    first = {"": [], "lab": ["lab", "--copy-only"], "check": ["check", "--suite", "no suite"]}
    words = first.get(command, [command])[:]
    for _ in range(draw(st.integers(1, 4))):
        option, word = draw(st.sampled_from(OPTIONS[command])), draw(WORDS)
        words += draw(st.sampled_from([[option, word], [f"{option}={word}"], [option], [word]]))
    return words


def refused_in_words(capsys, arguments, language):
    use(language)
    status = main(arguments)
    out, errors = capsys.readouterr()
    assert status in (0, 1, 2), arguments
    assert errors.count("\n") == (status == 2), (arguments, errors)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]|Traceback", errors)
    assert bool(out) or status == 2 or arguments[:1] == ["lab"]
    return status, errors


@OFTEN
@given(arguments=typed(), language=st.sampled_from(LANGUAGES))
def test_no_option_ends_in_a_traceback(tmp_path, monkeypatch, capsys, arguments, language):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("zerostride.learner.copy_course", lambda _: Placed())  # "/" is a folder too
    monkeypatch.setattr("zerostride.publish.editions.workers", lambda _: nullcontext(Nobody()))
    refused_in_words(capsys, arguments, language)


NAMED = [
    (["lab", "--copy-only", "--dir", "~nobody-of-this-name"], "home", "主目录"),
    (["lab", "--copy-only", "--dir", "a" * 300], "too long", "太长"),
    (["lab", "--copy-only", "--dir", ""], "no such name; choose another with --dir", "请用--dir另选一个"),
    (["evidence", "a" * 300, "--use", "f"], "too long", "太长"),
    (["layout", "a" * 300 + ".npy"], "too long", "太长"),
    (["evidence", ".", "--use", "f"], "it is a folder", "它是文件夹"),
    (["layout", "."], "it is a folder", "它是文件夹"),
    (["evidence", "absent.py", "--use=--"], "--use=-- cannot be used like that", "--use=--的用法不对"),
    (["check", "--suite", "\x1b[31m"], r"\\x1b\[31m", r"\\x1b\[31m"),
]


@pytest.mark.parametrize(("arguments", "en", "zh"), NAMED, ids=range(len(NAMED)))
def test_what_was_wrong_is_said(tmp_path, monkeypatch, capsys, arguments, en, zh):
    monkeypatch.chdir(tmp_path)
    for language, words in (("en", en), ("zh", zh)):
        status, errors = refused_in_words(capsys, arguments, language)
        assert status == 2
        assert re.search(words, errors)
        assert re.search(f"[{HAN}]", errors) or language == "en"


def test_an_error_that_nobody_foresaw_would_be_seen(capsys, monkeypatch):
    monkeypatch.setattr("zerostride.refusals.Path.expanduser", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        refused_in_words(capsys, ["lab", "--copy-only"], "en")


SIGNS = st.text(st.sampled_from("y[]()0123456789=+-*/.:, 'npabx_{}@\\\n;#\x00\ud800ï"), max_size=30)
PARTS = st.sampled_from(
    """y|y[0]|y[:, 0]|y.T|y > 0|np.isnan(y)|9|-1|10**9|9**9**9|None|...|[0, 2]|(0, 1)|::0|np.zeros(3)
    np.array([0])|torch.ones(3)|float('nan')|'a'|y.data|lambda: 0|open('x')|y.__class__|[i for i in y]
    f'{y}'|(z := 1)|99999999999999999999|1j|*y|y.base""".replace("\n", "|").split("|")
)
STATEMENTS = st.one_of(
    SIGNS,
    st.builds("y[{}] = {}".format, PARTS, PARTS),
    st.builds("{} += {} * {}".format, PARTS, PARTS, PARTS),
    st.builds(
        "y.{}({}, {})".format,
        st.sampled_from(["fill", "put", "add_", "scatter_", "__init__", "apply_"]),
        PARTS,
        PARTS,
    ),
    st.builds(
        "np.{}({}, {}, out={})".format,
        st.sampled_from(["add", "clip", "load", "copyto"]),
        PARTS,
        PARTS,
        PARTS,
    ),
    st.builds("y[{}].{}_()".format, PARTS, st.sampled_from(["zero", "squeeze", "t", "resize"])),
)


def written_into():
    """Yield small and large arrays, and the same as tensors where torch is installed."""
    yield np.broadcast_to(np.array([[1.0, 2.0, 3.0]]), (4, 3))
    yield np.zeros((4, 3), np.int8)
    yield np.broadcast_to(np.zeros(3), (10**6, 500, 3))
    try:
        import torch
    except ImportError:
        return
    yield torch.ones(1, 3).expand(4, 3)
    yield torch.ones(3, dtype=torch.bool)


TARGETS = list(written_into())


def asked(target, statement, language):
    """Ask, and hold that nothing but an answer or a refusal in words comes back."""
    use(language)
    answer, refused = None, ""
    try:
        answer = zs.can_i_write(target, statement)
    except StatementError as error:
        refused = str(error)
    assert bool(re.search(f"[{HAN}]", refused)) == (language == "zh" and answer is None)
    assert len(refused) < 400
    return answer


@settings(OFTEN, max_examples=400)
@given(target=st.sampled_from(TARGETS), statement=STATEMENTS, language=st.sampled_from(LANGUAGES))
def test_no_statement_ends_in_an_error_of_a_library(tmp_path, monkeypatch, target, statement, language):
    monkeypatch.chdir(tmp_path)
    before = target[:4].tolist()
    answer = asked(target, statement, language)
    assert answer is None or (str(answer) and answer._repr_html_())
    assert target[:4].tolist() == before
    assert not list(tmp_path.iterdir())


def test_a_mask_that_the_marks_do_not_take_is_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(StatementError, match="isnan"):
        zs.can_i_write(torch.ones(3, dtype=torch.bool), "y[np.isnan(y)].squeeze_()")


def test_a_statement_that_is_run_would_be_seen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, statement = np.zeros(3), "y[open('x', 'w').write('run')] = 9"
    assert asked(y, statement, "en") is None
    assert not list(tmp_path.iterdir())
    exec("try: " + statement + "\nexcept IndexError: pass")
    assert list(tmp_path.iterdir())


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=20),
    st.binary(),
)
NUMBERS = st.sampled_from(
    ["float64", "longdouble", "int8", "bool", "complex64", "M8[s]", "S3", "U2", "O", "V3"]
)
ARRAYS = st.builds(np.zeros, st.lists(st.integers(0, 3), max_size=4).map(tuple), NUMBERS)
ANSWERS = st.recursive(
    LEAVES | ARRAYS | st.sampled_from([object(), print, int, range(10**9), slice(3), 10**4000, ...]),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.tuples(inside, inside)
        | st.dictionaries(st.text(max_size=3), inside, max_size=2)
    ),
    max_leaves=6,
)


@settings(OFTEN, max_examples=300)
@given(name=st.sampled_from(YOUR_TURN), answer=ANSWERS, language=st.sampled_from(LANGUAGES))
def test_whatever_type_an_answer_has_it_is_answered_in_words(name, answer, language):
    use(language)
    feedback = zs.your_turn(name, answer)
    assert feedback.to_dict()["status"] in ("right", "wrong", "unclear", "not_answered")
    assert len(str(feedback)) < 1500
    assert "<img" not in feedback._repr_html_()


def doubled(times):
    """Return a short list that stands for very many: each holds the one before twice."""
    held = [1]
    for _ in range(times):
        held = [held, held]
    return held


ITSELF: list = []
ITSELF.append(ITSELF)
ENDLESS = [ITSELF, doubled(60), " " * 10**6 + "x", "1" * 10**6 + " " * 10**6, "(" * 10**6, "\ufdfa" * 10**5]


@pytest.mark.parametrize("at", range(len(ENDLESS)))
def test_an_answer_without_end_is_refused_at_once(at):
    assert zs.your_turn("offset-of-3-1", ENDLESS[at]).to_dict()["status"] in ("unclear", "wrong")


def test_without_a_bound_each_level_doubles_the_work(monkeypatch):
    read = []
    whole = plain_values.plain
    monkeypatch.setattr(plain_values, "plain", lambda *told: read.append(told) or whole(*told))
    assert whole(doubled(2)) == (((1,), (1,)), ((1,), (1,)))
    few = len(read)
    whole(doubled(9), 10)
    assert len(read) - few > 100 * few


LINES = st.one_of(
    st.binary(max_size=60),
    st.recursive(LEAVES.filter(lambda leaf: not isinstance(leaf, bytes | complex)), st.lists).map(
        lambda held: json.dumps(held).encode()
    ),
    st.fixed_dictionaries(
        dict.fromkeys(("exercise", "choice", "confidence", "language", "time"), WORDS | st.just("row-stride"))
    ).map(lambda held: json.dumps(held).encode()),
)


@pytest.fixture
def session(tmp_path, monkeypatch):
    """Be in a learner's session, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JPY_SESSION_NAME", "x")
    monkeypatch.delenv("PYTEST_VERSION", raising=False)
    answers.FILE.parent.mkdir()
    return tmp_path


@OFTEN
@given(lines=st.lists(LINES, max_size=5))
def test_a_broken_file_of_answers_is_read_and_never_lost(session, lines):
    held = b"\n".join(lines)
    answers.FILE.write_bytes(held)
    zs.predict("row-stride").panel.close()
    answers.record("row-stride", "0", "guess", "en")
    assert answers.FILE.read_bytes().startswith(held)
    assert answers.earlier("row-stride").choice == "0"


def test_a_pipe_in_the_place_of_the_answers_is_not_waited_for(session):
    if not hasattr(os, "mkfifo"):
        pytest.skip("the system has no pipes in folders")
    os.mkfifo(answers.FILE)
    assert answers.earlier("row-stride") is None


RECORDS = st.one_of(
    st.binary(max_size=40),
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inside: (
            st.lists(inside, max_size=2) | st.dictionaries(st.text(string.printable, max_size=20), inside)
        ),
    ).map(lambda held: json.dumps(held).encode()),
    st.sampled_from([b"[" * 10**5, b'{"en/a.ipynb": ["x"]}', b'{"en/a.ipynb": null}', b"\xff\xfe{}"]),
)


@OFTEN
@given(record=RECORDS)
def test_no_record_makes_a_changed_file_ours(tmp_path, record):
    (tmp_path / "en").mkdir(exist_ok=True)
    Path(tmp_path, "en", "a.ipynb").write_bytes(b"mine")
    (tmp_path / "record.json").write_bytes(record)
    assert place(tmp_path, {"en/a.ipynb": b"new"}, "record.json").left_alone == ["en/a.ipynb"]
    assert Path(tmp_path, "en", "a.ipynb").read_bytes() == b"mine"
