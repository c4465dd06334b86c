"""Predictions and feedback: what is shown, what is written, and when nothing is."""

import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

import zerostride as zs
from zerostride.quiz.answers import FILE, earlier, record
from zerostride.quiz.exercises import every_exercise
from zerostride.quiz.plain_values import plain, shown

VIEW = "application/vnd.jupyter.widget-view+json"
EXERCISES = every_exercise()
PREDICT = [each.id for each in EXERCISES.values() if each.kind == "predict"]
YOUR_TURN = [each.id for each in EXERCISES.values() if each.kind == "your_turn"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder to run in, outside any Jupyter session."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    return tmp_path


@pytest.fixture
def session(monkeypatch):
    """What a kernel of a Jupyter server sees, and no test run around it."""
    monkeypatch.setenv("JPY_SESSION_NAME", "course/en/01.ipynb")
    monkeypatch.delenv("PYTEST_VERSION", raising=False)


def press(panel, choice, sure):
    """Press the panel's button, as the message of a browser does."""
    panel._handle_custom_msg({"commit": True, "choice": choice, "sure": sure}, [])


def lines():
    return [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", PREDICT)
def test_a_prediction_shows_the_question_and_no_answer(name, language):
    zs.use(language)
    asked = EXERCISES[name]
    data, _ = zs.predict(name)._repr_mimebundle_()
    assert set(data) == {VIEW, "text/plain", "text/html"}
    for shown_text in (data["text/plain"], data["text/html"]):
        assert asked.question[language] in shown_text
        assert [choice.text[language] in shown_text for choice in asked.choices] == [True] * len(
            asked.choices
        )
        assert asked.why[language] not in shown_text
        assert not any(
            text in shown_text for choice in asked.choices for text in choice.misconception.values()
        )
    data["text/plain"].encode("gbk")
    again, _ = zs.predict(name)._repr_mimebundle_()
    assert [again[kind] for kind in ("text/plain", "text/html")] == [
        data[kind] for kind in ("text/plain", "text/html")
    ]


def test_one_prediction_has_one_panel():
    prediction = zs.predict("row-stride")
    first, second = (prediction._repr_mimebundle_()[0][VIEW]["model_id"] for _ in range(2))
    assert first == second == prediction.panel.model_id


def test_the_panel_carries_no_answer_to_the_browser():
    panel = zs.predict("row-stride").panel
    state = json.dumps(panel.get_state(["words", "note", "choice", "sure", "locked"]), ensure_ascii=False)
    asked = EXERCISES["row-stride"]
    assert asked.question["en"] in state
    assert asked.why["en"] not in state
    assert "misconception" not in state


def test_showing_touches_no_file(folder):
    for name in PREDICT:
        zs.predict(name)._repr_mimebundle_()
        repr(zs.predict(name))
    for name in YOUR_TURN:
        zs.your_turn(name, ...)._repr_html_()
    assert list(folder.iterdir()) == []


def test_choosing_writes_nothing_until_the_button(folder):
    panel = zs.predict("row-stride").panel
    panel.set_state({"choice": 2, "sure": 1})
    assert list(folder.iterdir()) == []
    press(panel, 2, 1)
    assert len(lines()) == 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_button_writes_one_line(language):
    zs.use(language)
    panel = zs.predict("row-stride").panel
    press(panel, 3, 2)
    press(panel, 0, 0)
    (line,) = lines()
    assert line.pop("time")[-6:] == "+00:00"
    assert line == {"exercise": "row-stride", "choice": "24", "confidence": "certain", "language": language}
    assert panel.locked
    assert "24" in panel.note
    assert EXERCISES["row-stride"].why[language] not in panel.note
    press(zs.predict("equal-prints").panel, 0, 0)
    assert [line["exercise"] for line in lines()] == ["row-stride", "equal-prints"]


def test_the_line_names_the_language_that_was_read():
    zs.use("zh")
    panel = zs.predict("row-stride").panel
    zs.use("en")
    press(panel, 0, 0)
    assert lines()[0]["language"] == "zh"


@pytest.mark.parametrize(
    ("choice", "sure"), [(None, 1), (1, None), (None, None), (9, 0), (-1, 0), ("0", 0), (0, 3)]
)
def test_half_an_answer_is_not_written(folder, choice, sure):
    panel = zs.predict("row-stride").panel
    press(panel, choice, sure)
    assert "nothing is noted yet" in panel.note
    assert not panel.locked
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("message", [{}, {"commit": False}, "commit", None, {"choice": 0, "sure": 0}])
def test_another_message_is_no_click(folder, message):
    zs.predict("row-stride").panel._handle_custom_msg(message, [])
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_folder_that_refuses_is_told_and_nothing_is_lost(folder, language):
    zs.use(language)
    (folder / ".zerostride").write_text("a file in the way", "utf-8")
    panel = zs.predict("row-stride").panel
    press(panel, 0, 0)
    assert "answers.jsonl" in panel.note
    assert EXERCISES["row-stride"].choices[0].text[language] in panel.note
    assert (panel.choice, panel.sure, panel.locked) == (0, 0, False)
    (folder / ".zerostride").unlink()
    press(panel, 0, 0)
    assert panel.locked
    assert len(lines()) == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this machine")
def test_a_full_disk_is_told(folder):
    (folder / ".zerostride").mkdir()
    (folder / FILE).symlink_to("/dev/full")
    panel = zs.predict("row-stride").panel
    press(panel, 1, 1)
    assert "could not be written" in panel.note
    assert not panel.locked


def test_a_line_cut_short_spoils_neither_itself_nor_the_next(session):
    record("row-stride", "8", "guess", "en")
    with FILE.open("a") as file:
        file.write('{"exercise": "row-stri')
    record("equal-prints", "yes", "guess", "en")
    assert earlier("row-stride").choice == "8"
    assert earlier("equal-prints").choice == "yes"


def test_an_earlier_answer_is_shown_in_a_session_and_only_in_the_panel(session):
    before = zs.predict("row-stride")._repr_mimebundle_()[0]
    press(zs.predict("row-stride").panel, 3, 0)
    prediction = zs.predict("row-stride")
    assert prediction.panel.note == "Your answer last time: 24 bytes (a guess)."
    assert (prediction.panel.choice, prediction.panel.locked) == (None, False)
    after = prediction._repr_mimebundle_()[0]
    assert [before[kind] == after[kind] for kind in ("text/plain", "text/html")] == [True, True]


@pytest.mark.parametrize("environment", [{}, {"JPY_SESSION_NAME": "x", "PYTEST_VERSION": "9"}])
def test_a_test_or_a_conversion_reads_no_earlier_answer(session, monkeypatch, environment):
    press(zs.predict("row-stride").panel, 3, 0)
    monkeypatch.delenv("JPY_SESSION_NAME")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    FILE.unlink()
    FILE.mkdir()
    assert zs.predict("row-stride").panel.note == ""
    assert earlier("row-stride") is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\n",
        b"[]\n",
        b"3\n",
        b'{"exercise": "row-stride"}\n',
        b'{"exercise":"row-stride","choice":[1],"confidence":"guess","language":"en","time":""}\n',
        b'{"exercise":"row-stride","choice":"99","confidence":"guess","language":"en","time":""}\n',
        b'{"exercise":"row-stride","choice":"8","confidence":"x","language":"en","time":""}\n',
    ],
)
def test_a_spoilt_file_is_passed_over(session, content):
    FILE.parent.mkdir()
    FILE.write_bytes(content)
    panel = zs.predict("row-stride").panel
    assert panel.note == ""
    press(panel, 0, 0)
    assert FILE.read_bytes().startswith(content)
    assert earlier("row-stride").choice == "0"


def test_words_are_escaped(monkeypatch):
    mark = "<img src=x onerror=alert(1)>"
    feedback = zs.your_turn("offset-of-3-1", mark)
    assert mark in str(feedback)
    assert "<img" not in feedback._repr_html_()
    monkeypatch.setitem(EXERCISES["row-stride"].question, "en", mark)
    assert "<img" not in zs.predict("row-stride")._repr_html_()


def returns_none(strides_elements, itemsize):
    return None


def returns_dots(strides_elements, itemsize): ...


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", YOUR_TURN)
def test_an_emptied_answer_is_not_answered_yet(name, language):
    zs.use(language)
    emptied = [..., None, "", (..., ...)]
    if name == "to-bytes":
        emptied += [returns_none, returns_dots, lambda strides_elements, itemsize: ...]
    for answer in emptied:
        feedback = zs.your_turn(name, answer)
        assert feedback.to_dict()["status"] == "not_answered", answer
        assert {"en": "not answered yet", "zh": "还没有作答"}.get(language, "") in str(feedback)


class Hostile:
    """Raises at whatever it is asked."""

    def __getattribute__(self, name):
        raise RuntimeError(name)

    def __eq__(self, other):
        raise RuntimeError("==")

    __hash__ = None

    def __repr__(self):
        raise RuntimeError("repr")


def raises(strides_elements, itemsize):
    raise RuntimeError("first line\nsecond line")


def leaves(strides_elements, itemsize):
    sys.exit(3)


def never_ends(strides_elements, itemsize):
    while True:
        yield 1


def too_deep(strides_elements, itemsize):
    return too_deep(strides_elements, itemsize)


STRANGE = [
    Hostile(),
    object(),
    object,
    {},
    {"a": 1},
    float("nan"),
    float("inf"),
    1j,
    b"8",
    "eight",
    "1" * 5000,
    10**5000,
    (10**5000, 8),
    -3,
    True,
    [],
    (),
    (1, 2, 3),
    ((0, 8), 3),
    np.zeros((4, 3)),
    np.broadcast_to(np.zeros(1, np.int8), (2**31, 2**20)),
    np.array(["a"]),
    range(10**9),
    raises,
    leaves,
    never_ends,
    too_deep,
    lambda: 8,
    lambda strides_elements, itemsize: Hostile(),
    lambda strides_elements, itemsize: "text",
    len,
]
DIAGNOSED = [("six-addresses", "nothing-shared"), ("three-reports", "one-write-one-row")]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", YOUR_TURN)
def test_whatever_is_handed_in_is_answered_in_words(name, language):
    zs.use(language)
    for at, answer in enumerate(STRANGE):
        feedback = zs.your_turn(name, answer)
        seen = feedback.to_dict()
        accepted = name == "same-byte-strides" and answer is True
        assert seen["status"] in (["right"] if accepted else ["unclear", "wrong"]), at
        known = (name, seen["misconception"]) in DIAGNOSED
        assert seen["misconception"] is None or known, at
        assert EXERCISES[name].expects[language] in str(feedback) or accepted or known, at
        assert not re.search(r"0x[0-9a-f]{6}", str(feedback)), at
        assert len(str(feedback)) < 1200, at
        feedback._repr_html_()


def test_a_function_that_raises_is_told_in_its_own_words():
    assert "Your function raised RuntimeError: first line." in str(zs.your_turn("to-bytes", raises))
    assert "raised TypeError" in str(zs.your_turn("to-bytes", lambda: 8))
    assert "second line" not in str(zs.your_turn("to-bytes", raises))


def test_a_function_that_only_prints_is_asked_for_its_return():
    feedback = zs.your_turn("to-bytes", print)
    assert feedback.to_dict()["status"] == "not_answered"
    assert "Does it end with return?" in str(feedback)


def test_an_unusual_wrong_function_sees_an_example_of_its_own():
    feedback = zs.your_turn("to-bytes", lambda strides_elements, itemsize: (1, 2, 3))
    assert "to_bytes((3, 2), 4) = (1, 2, 3)" in str(feedback)
    assert "none of the usual mistakes" in str(feedback)


def test_feedback_is_the_same_on_every_run():
    for name in YOUR_TURN:
        for answer in (Hostile(), object(), raises, 80, (0, 8), ...):
            first, second = (zs.your_turn(name, answer) for _ in range(2))
            assert (str(first), first._repr_html_()) == (str(second), second._repr_html_())


def test_numbers_of_torch_are_read_too():
    torch = pytest.importorskip("torch")
    assert plain(torch.tensor([0, 8])) == (0, 8)
    assert plain(torch.Size([0, 8])) == (0, 8)
    assert zs.your_turn("offset-of-3-1", torch.tensor(8)).to_dict()["status"] == "right"
    assert shown(torch.ones(4, 3, device="meta").expand(4, 3)) == "Tensor"


def test_the_quiz_loads_no_widgets_before_one_is_shown():
    code = (
        "import sys, zerostride as zs; str(zs.predict('row-stride')); str(zs.your_turn('to-bytes', len)); "
        "heavy = {'torch', 'matplotlib', 'ipywidgets', 'anywidget'}; print(heavy & set(sys.modules)); "
        "zs.predict('row-stride').panel; print('anywidget' in sys.modules)"
    )
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["set()", "True"], done.stderr


@pytest.mark.parametrize("typed", ["８", "８字节", "8。", "8 bytes.", np.array([8]), np.array([[8.0]])])
def test_full_width_signs_and_arrays_of_one_are_read(typed):
    assert zs.your_turn("offset-of-3-1", typed).to_dict()["status"] == "right"
    assert zs.your_turn("same-byte-strides", "０，８").to_dict()["status"] == "right"


def test_a_line_nested_too_deep_is_no_answer(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JPY_SESSION_NAME", "lesson")
    monkeypatch.delenv("PYTEST_VERSION", raising=False)
    FILE.parent.mkdir()
    FILE.write_text("[" * 100_000)
    assert earlier("row-stride") is None


ENDLESS = """
import zerostride as zs

def to_bytes(strides_elements, itemsize):
    print("looping", flush=True)
    while True:
        pass

zs.use({language!r})
print(zs.your_turn("to-bytes", to_bytes))
"""


def interrupted_in_the_loop(source):
    """What a program still prints when Ctrl+C or the stop button ends its endless loop, and its errors."""
    child = subprocess.Popen(
        [sys.executable, "-X", "utf8", "-c", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert child.stdout.readline() == "looping\n"
    child.send_signal(signal.SIGINT)
    return child.communicate(timeout=60)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal for another process")
@pytest.mark.parametrize(
    ("language", "said"), [("en", "a loop that never ends?"), ("zh", "循环一直不结束？")]
)
def test_an_endless_loop_can_be_stopped_and_is_told_in_words(folder, language, said):
    out, errors = interrupted_in_the_loop(ENDLESS.format(language=language))
    assert said in out
    assert "Traceback" not in errors
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal for another process")
def test_a_loop_that_nobody_judges_ends_in_a_traceback():
    out, errors = interrupted_in_the_loop(ENDLESS.format(language="en").split("zs.use")[0] + "to_bytes(0, 0)")
    assert (out, "KeyboardInterrupt" in errors) == ("", True)
