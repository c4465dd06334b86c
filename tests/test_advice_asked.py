"""``zerostride advise``: by flags, and by questions on a terminal."""

import json

import pytest

import zerostride as zs
from zerostride.advice.asking import advice_on
from zerostride.cli import main
from zerostride.language import LANGUAGES


@pytest.fixture
def run(capsys):
    """Return a function that runs a command and gives its status, output and errors."""

    def command(*arguments):
        return main(["advise", *arguments]), *capsys.readouterr()

    return command


def answering(*answers):
    """Return what gives these answers, one a question."""
    left = list(answers)
    return lambda _: left.pop(0)


def test_flags_give_what_the_function_gives(run):
    flags = ("--source", "1,3", "--target", "(4, 3)", "--writes", "each_copy_in_place", "--learns", "shared")
    status, told, errors = run(*flags)
    wanted = zs.advise((1, 3), (4, 3), "each_copy_in_place", "shared")
    assert (status, told, errors) == (0, f"{wanted}\n", "")
    _, told, _ = run(*flags, "--json")
    assert json.loads(told) == json.loads(json.dumps(wanted.to_dict()))


def test_pattern_and_dtype_are_passed_on(run):
    _, told, _ = run("--source", "2x3", "--target", "4x3", "--pattern", "each", "--dtype", "int8", "--json")
    answer = json.loads(told)
    assert (answer["answer"], answer["dtype"]) == ("repeat_each", "int8")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ((), "--source is missing"),
        (("--source", "1,3"), "--target is missing"),
        (("--source", "one", "--target", "4,3"), "source: a shape is whole numbers with commas"),
        (("--source", "", "--target", "4,3"), "source: a shape is"),
        (("--source", "1.5", "--target", "4,3"), "source: a shape is"),
        (("--source", "1", "--target", "9" * 31), "target: a shape is"),
        (("--source", "1,3", "--target", "4,3", "--writes", "all"), "writes must be one of nobody"),
        (("--source", "1,3", "--target=-4,3"), "axis -2"),
        (("--nothing",), "nothing here is called --nothing"),
    ],
)
def test_what_cannot_be_used_is_told_in_words(run, flags, said):
    status, told, errors = run(*flags)
    assert (status, told) == (2, "")
    assert said in errors
    assert "Traceback" not in errors


def test_it_asks_where_nothing_was_typed(capsys):
    ask = answering("nonsense", "1,3", "4,3", "4", "", "7?", "dense", "numpy")
    advice = advice_on({"source": None, "target": None}, ask)
    assert advice.answer == "copy_first"
    assert advice.requirements == {"writes": "each_copy_in_place", "learns": "nobody", "then": "dense"}
    asked = capsys.readouterr().out
    assert "nonsense" in asked
    assert "4 each_copy_in_place: each copy by itself, in place" in asked


def test_what_was_typed_is_not_asked_again_and_the_order_is_asked_where_it_matters():
    typed = {"source": "2,3", "target": None, "writes": "nobody", "learns": "nobody", "then": "dense"}
    advice = advice_on(typed, answering("4,3", "numpy", "2"))
    assert advice.answer == "repeat_each"


def test_questions_come_on_a_terminal_alone(run, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", answering("1,3", "4,3", "", "", "", ""))
    status, told, _ = run()
    assert status == 0
    assert "leave it to broadcasting" in told


def test_without_any_input_nothing_is_asked(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)  # as after <&- in a shell
    status, told, errors = run()
    assert (status, told) == (2, "")
    assert "--source" in errors


def test_the_end_of_the_input_is_told(run, monkeypatch):
    def ended(_):
        raise EOFError

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", ended)
    status, _, errors = run()
    assert (status, "ended before" in errors) == (2, True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_in_both_languages(run, language):
    status, told, _ = run("--help", "--lang", language)
    assert status == 0
    assert {"en": "who is edited later", "zh": "之后谁会被修改"}.get(language, "") in told
    assert told.encode("gbk")
