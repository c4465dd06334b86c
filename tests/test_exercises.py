"""The questions: one structure in both languages, facts that hold, every mistake told apart."""

import json
import re
import tomllib
from copy import deepcopy
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import zerostride as zs
from exercise_bank import ALSO_WRONG, GIVEN_AWAY, RIGHT, WRONG
from zerostride.quiz.exercises import every_exercise, exercise
from zerostride.quiz.judges import judge

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted((ROOT / "src" / "zerostride" / "quiz" / "exercises").glob("*.toml"))
NOTEBOOKS = ROOT / "notebooks"
EXERCISES = every_exercise()
YOUR_TURN = [each.id for each in EXERCISES.values() if each.kind == "your_turn"]
LANGUAGES = ["en", "zh"]

# English term, Chinese term: whoever says the one says the other.
GLOSSARY = [
    (r"\bstrides?\b", "步长"),
    (r"\bview\b(?! =|\.)", "视图"),
    (r"\bstorages?\b", "存储"),
    (r"\baxis|\baxes\b", "轴"),
    (r"\bitemsize of\b", "元素大小"),
    (r"\bbyte offset\b", "字节偏移"),
    (r"\btiled copy\b", "平铺副本"),
    (r"\btuple\b(?!\()", "元组"),
]
AVOIDED = ["您", "共享内存", "规约", "步幅", "拷贝", "内存"]


def texts(node, path=""):
    """Every text of a nested table, as (path, {"en": …, "zh": …})."""
    if isinstance(node, dict):
        if set(node) & {"en", "zh"}:
            yield path, node
            return
        for name, value in node.items():
            yield from texts(value, f"{path}.{name}")
    elif isinstance(node, list):
        for at, value in enumerate(node):
            yield from texts(value, f"{path}[{at}]")


def language_faults(pair):
    """What is wrong with one text in two languages."""
    if not {"en", "zh"} <= set(pair) or not all(pair.values()):
        return ["both languages are needed"]
    en, zh = pair["en"], pair["zh"]
    faults = [
        f"{en!r} needs {term}" for english, term in GLOSSARY if re.search(english, en) and term not in zh
    ]
    faults += [f"avoid {word}" for word in AVOIDED if word in zh]
    if re.search(r"[\u4e00-\u9fff] [A-Za-z0-9(]|[A-Za-z0-9)] [\u4e00-\u9fff]", zh):
        faults.append("no space between Chinese and Latin")
    if re.search(r"[\u4e00-\u9fff][,.;:?!]|[,;:?!][\u4e00-\u9fff]", zh):
        faults.append("full-width punctuation")
    if re.findall(r"\{\w+\}", en) != re.findall(r"\{\w+\}", zh):
        faults.append("not the same values filled in")
    if re.search(r"[\u4e00-\u9fff]", en):
        faults.append("Chinese in the English text")
    return faults


def schema_faults(name, table):
    """What is wrong with the structure of one exercise."""
    needed = {"kind", "question", "why", "right"}
    allowed = needed | {"choices"}
    if table.get("kind") == "your_turn":
        needed = {"kind", "level", "judge", "answer", "question", "why", "expects", "hint", "wrong"}
        allowed = needed | {"right", "remark"}
    faults = [f"{name} lacks {key}" for key in sorted(needed - set(table))]
    faults += [f"{name} has {key}" for key in sorted(set(table) - allowed)]
    if table.get("kind") == "predict":
        choices = table.get("choices", [])
        ids = [choice["id"] for choice in choices]
        if len(ids) < 3 or len(set(ids)) < len(ids):
            faults.append(f"{name} needs three choices or more, all different")
        if ids.count(table.get("right")) != 1:
            faults.append(f"{name} needs exactly one right choice")
        for choice in choices:
            if ("misconception" in choice) is (choice["id"] == table.get("right")):
                faults.append(f"{name}: every wrong choice, and no right one, has a misconception")
    return faults


RAW = [(name, table) for file in FILES for name, table in tomllib.loads(file.read_text("utf-8")).items()]


def test_every_text_is_there_in_both_languages_and_by_the_glossary():
    found = [
        (path, fault)
        for name, table in RAW
        for path, pair in texts(table, name)
        for fault in language_faults(pair)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("pair", "fault"),
    [
        ({"en": "x"}, "both languages"),
        ({"en": "x", "zh": ""}, "both languages"),
        ({"en": "the row stride", "zh": "行的步幅"}, "needs 步长"),
        ({"en": "you", "zh": "您"}, "avoid 您"),
        ({"en": "x", "zh": "用 float64存"}, "no space"),
        ({"en": "x", "zh": "行,列"}, "full-width"),
        ({"en": "{count} rows", "zh": "几行"}, "filled in"),
        ({"en": "行", "zh": "行"}, "Chinese in the English"),
    ],
)
def test_a_fault_of_language_is_found(pair, fault):
    assert any(fault in each for each in language_faults(pair))


def test_every_exercise_has_a_name_of_its_own_and_the_lesson_of_its_file():
    assert [name for name, _ in RAW] == list(EXERCISES)
    assert {each.lesson for each in EXERCISES.values()} == {file.stem for file in FILES}


def test_every_exercise_has_its_structure():
    assert [fault for name, table in RAW for fault in schema_faults(name, table)] == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda table: table.pop("question"), "lacks question"),
        (lambda table: table.update(extra=1), "has extra"),
        (lambda table: table.update(right="7"), "exactly one right"),
        (lambda table: table["choices"].pop(), "three choices"),
        (lambda table: table["choices"][1].pop("misconception"), "every wrong choice"),
        (lambda table: table["choices"][2].update(misconception={}), "every wrong choice"),
    ],
)
def test_a_fault_of_structure_is_found(change, fault):
    table = deepcopy(dict(RAW)["equal-prints"])
    change(table)
    assert any(fault in each for each in schema_faults("equal-prints", table))


@pytest.mark.parametrize("name", YOUR_TURN)
def test_the_bank_is_large_enough_and_meets_every_mistake(name):
    assert len(RIGHT[name]) >= 2
    assert len(WRONG[name]) >= 5
    met = {mistake for _, mistake in WRONG[name]}
    assert met == {mistake.id for mistake in EXERCISES[name].wrong}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", YOUR_TURN)
def test_every_right_answer_is_accepted(name, language):
    zs.use(language)
    for answer in RIGHT[name]:
        feedback = zs.your_turn(name, answer)
        assert feedback.to_dict()["status"] == "right", (answer, str(feedback))
        why = EXERCISES[name].why[language].replace("×", "*").split("{given}")[-1]
        assert why in str(feedback)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", YOUR_TURN)
def test_every_wrong_answer_has_a_diagnosis_of_its_own(name, language):
    zs.use(language)
    diagnoses = {}
    for answer, mistake in WRONG[name] + ALSO_WRONG[name]:
        feedback = zs.your_turn(name, answer)
        seen = feedback.to_dict()
        assert (seen["status"], seen["misconception"]) == ("wrong", mistake), (answer, str(feedback))
        str(feedback).encode("gbk")
        said = tuple(text for label, text in feedback.table().rows[2:])
        assert "{" not in "".join(said)
        diagnoses.setdefault(mistake, said)
    assert len({said[0] for said in diagnoses.values()}) == len(diagnoses)
    assert len({said[-1] for said in diagnoses.values()}) == len(diagnoses)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", YOUR_TURN)
def test_no_diagnosis_gives_the_answer_away(name, language):
    exercise = EXERCISES[name]
    said = [text[language] for mistake in exercise.wrong for text in (mistake.misconception, mistake.look)]
    for text in [*said, exercise.hint[language], exercise.expects[language]]:
        assert not re.search(GIVEN_AWAY[name], text), text
    assert re.search(GIVEN_AWAY[name], exercise.answer)


def test_a_yes_is_no_number():
    number = replace(exercise("offset-of-3-1", "your_turn"), right=[1], wrong=())
    answers = (1, 1.0, "1 byte", True, "yes", np.bool_(True))
    assert [judge(number, answer).status for answer in answers] == ["right"] * 3 + ["wrong"] * 3
    assert judge(replace(number, right=[True]), 1).status == "wrong"


@pytest.mark.parametrize("name", YOUR_TURN)
def test_the_printed_answer_is_right(name):
    source = EXERCISES[name].answer
    if source.lstrip().startswith("def "):
        names = {}
        exec(source, names)
        answer = names[source.split("(")[0].split()[-1]]
    else:
        answer = eval(source)
    assert judge(EXERCISES[name], answer).status == "right"


def test_the_stored_numbers_are_what_numpy_says():
    source = np.array([[1.0, 2.0, 3.0]])
    view, tiled = np.broadcast_to(source, (4, 3)), np.tile(source, (4, 1))
    assert EXERCISES["row-stride"].right == str(view.strides[0])
    offset = EXERCISES["offset-of-3-1"]
    assert offset.right == [zs.layout(view).offset_bytes((3, 1))]
    answers = {mistake.id: mistake.answers[0] for mistake in offset.wrong}
    assert answers["stored-rows"] == zs.layout(tiled).offset_bytes((3, 1))
    assert answers["elements"] * view.itemsize == offset.right[0]
    assert answers["axes-swapped"] == 3 * view.strides[1] + 1 * view.strides[0]
    assert answers["row-only"] == zs.layout(view).offset_bytes((3, 0))
    assert answers["both-move"] == (3 + 1) * view.itemsize
    assert answers["one-too-far"] == zs.layout(view).offset_bytes((3, 2))
    assert answers["stored-rows-in-elements"] * view.itemsize == answers["stored-rows"]


def test_the_stored_numbers_are_what_torch_says():
    torch = pytest.importorskip("torch")
    tensor = torch.ones(1, 6, dtype=torch.float32)[:, ::2].expand(4, 3)
    array = np.broadcast_to(np.ones((1, 6), np.float32)[:, ::2], (4, 3))
    assert (tensor.stride(), array.strides) == ((0, 2), (0, 8))
    assert EXERCISES["same-byte-strides"].right[0] == list(zs.layout(tensor).strides_bytes)
    assert zs.layout(tensor).strides_bytes == zs.layout(array).strides_bytes


def test_six_addresses_counts_as_brute_force_does():
    for strides in product(range(-24, 25, 4), repeat=2):
        starts = {i * strides[0] + j * strides[1] for i in range(4) for j in range(3)}
        verdict = judge(EXERCISES["six-addresses"], strides)
        assert (verdict.status == "right") is (len(starts) == 6), strides
        assert verdict.values["count"] == len(starts)
        if verdict.mistake == "rows-too-far":
            assert abs(strides[0]) == 2 * abs(strides[1])
        if verdict.mistake == "columns-too-far":
            assert abs(strides[1]) == 2 * abs(strides[0])


def test_an_unusual_right_answer_gets_its_remark():
    assert "no multiples of 8" in str(zs.your_turn("six-addresses", (1, 1)))
    assert "no multiples of 8" not in str(zs.your_turn("six-addresses", (16, 16)))


CALL = re.compile(r"zs\.(predict|your_turn)\(\s*[\"']([^\"']+)[\"']")


def asked_in(folder):
    """Every (notebook, function, exercise) in a folder of notebooks."""
    found = set()
    for path in folder.rglob("*.ipynb"):
        if ".ipynb_checkpoints" in path.parts:
            continue
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code":
                found |= {(path.stem, *call) for call in CALL.findall(source)}
    return found


def unknown_calls(asked):
    """Calls of a name that the data file does not have, or has for the other function."""
    known = {(each.kind, each.id) for each in EXERCISES.values()}
    return sorted(call for call in asked if call[1:] not in known)


def unasked(asked, lesson):
    """Exercises of a lesson that its notebook never asks."""
    mine = {(each.kind, each.id) for each in EXERCISES.values() if each.lesson == lesson}
    return sorted(mine - {call[1:] for call in asked if call[0] == lesson})


def test_every_exercise_that_a_notebook_asks_exists():
    assert unknown_calls(asked_in(NOTEBOOKS)) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson", sorted({each.lesson for each in EXERCISES.values()}))
def test_every_exercise_is_asked_by_its_lesson(lesson, language):
    if not (NOTEBOOKS / language / f"{lesson}.ipynb").exists():
        pytest.skip(f"{lesson} is not there in {language}")
    assert unasked(asked_in(NOTEBOOKS / language), lesson) == []


def test_a_wrong_or_missing_call_is_found(tmp_path):
    lesson = "01_four_rows_three_numbers"
    sources = ['zs.predict("row-stride")', "zs.predict('offset-of-3-1')", 'zs.your_turn("nothing", answer)']
    cells = [{"cell_type": "code", "source": [source]} for source in sources]
    (tmp_path / f"{lesson}.ipynb").write_text(json.dumps({"cells": cells}), "utf-8")
    asked = asked_in(tmp_path)
    assert [call[2] for call in unknown_calls(asked)] == ["offset-of-3-1", "nothing"]
    assert ("predict", "equal-prints") in unasked(asked, lesson)
    assert ("predict", "row-stride") not in unasked(asked, lesson)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unknown_exercise_is_told_in_words(language):
    zs.use(language)
    with pytest.raises(ValueError, match="row-stride"):
        exercise("row-strid", "predict")
    for name in ["zzzz", "", 3, None, ["row-stride"]]:
        with pytest.raises(ValueError, match=r"no exercise|没有名为"):
            exercise(name, "predict")
    with pytest.raises(ValueError, match=r"zs\.your_turn\('to-bytes', answer\)"):
        zs.predict("to-bytes")
    with pytest.raises(ValueError, match=r"zs\.predict\('row-stride'\)"):
        zs.your_turn("row-stride", 0)
