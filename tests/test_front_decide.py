"""The page's guide against ``zs.advise``, combination by combination."""

from itertools import product

import pytest

import test_front
import zerostride as zs
from test_front import SOURCE
from zerostride.advice import ANSWERS, REQUIREMENTS
from zerostride.advice.asking import CHOICES
from zerostride.expansion import LIBRARIES
from zerostride.explore.deciding import PAIRS, answer_table, decide
from zerostride.explore.panel import front_words
from zerostride.language import LANGUAGES, say, use

call = test_front.call

SIZES = [len(PAIRS), *map(len, CHOICES.values())]
STATES = list(product(*map(range, SIZES)))


def by_python(chosen):
    """Return what ``zs.advise`` says to what is chosen."""
    (source, target, pattern), *words = (
        known[at] for known, at in zip((PAIRS, *CHOICES.values()), chosen, strict=True)
    )
    advice = zs.advise(source, target, *words[:-1], library=words[-1], pattern=pattern)
    return {
        "answer": say(f"advice.answer.{advice.answer}"),
        "code": [advice.code.get(name, "") for name in LIBRARIES],
        "reasons": advice.reasons,
        "checks": [[check.title, check.link] for check in advice.checks],
        "open": advice.open_questions,
    }


def unlike_advise(call, states, source=SOURCE):
    """Yield what is chosen where the page says something else than ``zs.advise``."""
    table = answer_table(list(PAIRS))
    answers = call([["decisionOf", [table, SIZES, chosen]] for chosen in states], source)
    for chosen, seen in zip(states, answers, strict=True):
        if seen != by_python(chosen):
            yield chosen


def numpy_states():
    """Every combination with NumPy, and some with torch, whose checks take longer."""
    return [chosen for at, chosen in enumerate(STATES) if chosen[-1] == 0 or at % 16 == 1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_combination_equals_advise(call, language):
    pytest.importorskip("torch")
    use(language)
    assert len(STATES) == len(PAIRS) * 4 * 3 * 7 * 2
    states = numpy_states()[:: 1 if language == "en" else 7]
    assert list(unlike_advise(call, states)) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("place * sizes[k] + at", "place * sizes[k] + 0"),
        ("code: read(code)", "code: read(reasons)"),
        ("open: read(open)", "open: []"),
        ("answers[answer]", "answers[0]"),
    ],
)
def test_a_wrong_answer_is_seen(call, right, wrong):
    assert SOURCE.count(right) == 1
    assert list(
        unlike_advise(call, [each for each in STATES if each[-1] == 0][::5], SOURCE.replace(right, wrong))
    )


def test_what_was_found_belongs_to_what_is_chosen(call):
    found = {"chosen": [0, 0], "checks": [["passed", "passed", "told"]]}
    checks = [["title", "link"]]
    calls = [
        [found, [0, 0], checks],
        [found, [0, 1], checks],
        [found, [0, 0], checks * 2],
        [{}, [0, 0], checks],
    ]
    assert call([["foundNow", given] for given in calls]) == [found["checks"], None, None, None]


@pytest.mark.parametrize("language", LANGUAGES)
def test_presets_are_six_situations_with_their_answers(call, language):
    use(language)
    words = front_words("decide")
    presets = call([["decidePresets", [words]]])[0]
    answers = [by_python([0, *chosen])["answer"] for _, chosen in presets]
    wanted = ["leave_to_broadcasting", "expand", "copy_first", "separate_parameters", "expand", "repeat"]
    assert answers == [say(f"advice.answer.{answer}") for answer in wanted]
    assert all(name in words.values() for name, _ in presets)


def test_the_mission_can_be_done():
    table = decide().drawing.table
    assert {row[0] for row in table["rows"]} == set(range(len(ANSWERS)))
    assert len(table["rows"]) == len(STATES)
    assert len(REQUIREMENTS) == 3
