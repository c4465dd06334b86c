"""The page's byte bill against ``zs.budget``, number by number, at sizes of any order."""

import random
from itertools import product

import pytest

import test_front
from test_front import SOURCE
from zerostride.explore.billing import MOST, MOST_STEPS, STEPS, UNITS, WAYS, byte_bill
from zerostride.explore.panel import front_words
from zerostride.language import LANGUAGES, speaking
from zerostride.memory import budget, in_units
from zerostride.memory.tape import FLOATS

call = test_front.call

KNOWN = {name: getattr(byte_bill().drawing, name) for name in ("operations", "itemsizes")}
ARTICLE = {"sizes": [32, 2048, 4096], "dtype": "float16", "way": "expand", "learns": False, "steps": []}


def states():
    """Return every way with every step, learning or not, and many chains of up to four of them."""
    single = [
        {"sizes": sizes, "dtype": "float32", "way": way, "learns": learns, "steps": list(steps)}
        for sizes, way, learns, steps in product(
            ([4, 5, 3], [1, 1, 7], list(MOST)), WAYS, (False, True), [(), *((step,) for step in STEPS)]
        )
    ]
    dice = random.Random(0)
    chains = [
        {
            "sizes": [dice.choice([1, 2, 3, 32, most]) for most in MOST],
            "dtype": dice.choice(list(FLOATS)),
            "way": dice.choice(WAYS),
            "learns": dice.random() < 0.6,
            "steps": dice.choices(STEPS, k=dice.randint(2, MOST_STEPS)),
        }
        for _ in range(1500)
    ]
    return single + chains


STATES = states()


def by_python(state):
    """Return what ``zs.budget`` says to a state, as text."""
    names = ("dtype", "way", "learns", "steps")
    asked = {name: state[name] for name in names}
    bill = budget(state["sizes"], source_shape=(1, 1, state["sizes"][2]), **asked)
    lines = bill.lines | {"peak": (bill.peak_bytes, bill.peak_bytes)}
    return {
        "code": bill.code,
        "logical": str(bill.logical_bytes),
        "peak": str(bill.new_peak_bytes),
        "lines": {name: [str(number) for number in pair] for name, pair in lines.items()},
    }


def unlike_budget(call, states, source=SOURCE):
    """Yield the states whose bill on the page is not that of ``zs.budget``."""
    bills = call([["billOf", [state, KNOWN]] for state in states], source)
    for state, seen in zip(states, bills, strict=True):
        if seen != by_python(state):
            yield state


def test_every_bill_equals_budget(call):
    assert len(STATES) == 3 * 3 * 2 * 15 + 1500
    assert list(unlike_budget(call, STATES)) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('if (way === "expand") return [tape.expanded', 'if (way === "none") return [tape.expanded'),
        ("{ input: [y], output: [out] }[saves] ?? []", "{ output: [out] }[saves] ?? []"),
        ("counted(temporaries, () =>", "counted(0, () =>"),
        ("const summed = summedTo(tape, made, y);", "const summed = tape.view(made);"),
        ("const out = inOneStep(y) ?", "const out = true ?"),
        ('saves === "operand" ? [other] : []', "[]"),
        ("kept.has(block) ? sum : sum + tape.sizes[block]", "sum + tape.sizes[block]"),
        ("if (alive > peak) peak = alive;", "peak = alive;"),
        ("peak: twice(source + peak)", "peak: twice(peak)"),
        ("if (grad === seed ||", "if ("),
        ("if (dtype === y.dtype) return", "if (false) return"),
        ("saved.reduce((sum, each) => sum + tape.bytes(each), 0n), tape.distinct(saved)", "0n, 0n"),
    ],
)
def test_a_wrong_bill_is_seen(call, right, wrong):
    assert SOURCE.count(right) == 1
    assert list(unlike_budget(call, STATES[::3], SOURCE.replace(right, wrong)))


def test_no_number_is_rounded(call):
    """At 2**62 bytes and one axis that is no power of two; floating point would round."""
    largest = ARTICLE | {"sizes": list(MOST), "dtype": "float64"}
    odd = ARTICLE | {"sizes": [524_287, 1_048_575, 1_048_573], "dtype": "float64"}
    bills = call([["billOf", [state, KNOWN]] for state in (largest, odd)])
    exact = 524_287 * 1_048_575 * 1_048_573 * 8
    assert [bill["logical"] for bill in bills] == [str(2**62), str(exact)]
    assert float(exact) != exact
    exactly = "sizes.reduce((total, size) => total * size, 1n);"
    in_doubles = SOURCE.replace(exactly, "BigInt(sizes.reduce((total, size) => total * Number(size), 1));")
    assert in_doubles != SOURCE
    assert list(unlike_budget(call, [odd], in_doubles))


def test_the_articles_budget(call):
    lines = call([["billOf", [ARTICLE, KNOWN]]])[0]["lines"]
    assert lines["source"] == ["8192", "8192"]
    assert lines["made"] == ["536870912", "0"]
    dense = ARTICLE | {"dtype": "float32", "steps": ["shift"]}
    bills = call([["billOf", [dense | {"way": way}, KNOWN]] for way in ("expand", "repeat")])
    peaks = [int(bill["lines"]["peak"][1]) for bill in bills]
    assert peaks == [2**30 + 2**14, 2**31 + 2**14]
    texts = call([["bytesText", [str(peak), "GiB"]] for peak in peaks])
    assert texts == ["1 GiB + 16 KiB", "2 GiB + 16 KiB"] == [in_units(peak) for peak in peaks]


UNIT_BYTES = {unit: 1024**power for power, unit in enumerate(UNITS)}


def test_units_are_exact(call):
    numbers = [0, 1, 96, 1023, 1024, 536_870_912, 2**30 + 2**14, 2**62, 2**62 + 1, 4_611_686_018_427_387_903]
    cases = list(product(numbers, UNITS))
    texts = call([["bytesText", [str(number), unit]] for number, unit in cases])
    for (number, unit), text in zip(cases, texts, strict=True):
        terms = [term.split(" ") for term in text.split(" + ")]
        assert sum(int(count.replace(",", "")) * UNIT_BYTES[name] for count, name in terms) == number
        assert all(UNIT_BYTES[name] <= UNIT_BYTES[unit] for _, name in terms)
    assert call([["bytesText", ["536870912", "B"]]]) == ["536,870,912 B"]


def test_sizes_are_read_and_nothing_is_run(call):
    good = {"4096": 4096, " 4,096 ": 4096, "2**12": 4096, "2^12": 4096, "1": 1, "1_000": 1000}
    bad = ["", "0", "-1", "1.5", "abc", "2**99", "9" * 30, "4096; alert(1)", "1e3", "1048577"]
    assert call([["parseSize", [text, 2**20]] for text in good]) == list(good.values())
    assert call([["parseSize", [text, 2**20]] for text in bad]) == [None] * len(bad)


def verdicts(call, expressions, source=SOURCE):
    given = [["expandSaves", [ARTICLE | changes, KNOWN]] for changes in expressions]
    return [each["verdict"] for each in call(given, source)]


def test_where_expand_saves_half_and_where_nothing(call):
    half = [{"steps": [step]} for step in ("shift", "add", "sin", "clone")]
    nothing = [{"steps": ["reshape"]}]
    some = [{"steps": []}, {"steps": ["sum"]}, {"steps": ["mul", "sum"], "learns": True}]
    assert verdicts(call, half) == ["half"] * 4
    assert verdicts(call, nothing) == ["nothing"]
    assert verdicts(call, some) == ["some"] * 3
    for changes in half + nothing + some:
        peaks = [int(by_python(ARTICLE | changes | {"way": way})["peak"]) for way in ("expand", "repeat")]
        said = "nothing" if peaks[0] == peaks[1] else "half" if 2 * peaks[0] == peaks[1] else "some"
        assert verdicts(call, [changes]) == [said]
    lenient = SOURCE.replace('2n * expand === repeat ? "half"', '2n * expand <= repeat ? "half"')
    assert verdicts(call, some, lenient) != ["some"] * 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_presets_can_be_set_on_the_controls(call, language):
    with speaking(language):
        words = front_words("byte_bill")
    presets = call([["billPresets", [words]]])[0]
    assert len(presets) == 7
    assert presets[0][1] == ARTICLE
    for name, state in presets:
        assert name in words.values()
        explorer = byte_bill(state.pop("sizes"), **state)
        assert explorer.bill.peak_bytes > 0
