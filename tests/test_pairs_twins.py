"""Each pairing rule, broken once in a small good pair, is the one that is found."""

import json
from copy import deepcopy

import pytest

from lesson_samples import cell_of, good_pair
from zerostride.course import source
from zerostride.pairs import check_folder, check_names, check_pair, glossary, main, stamp_pair
from zerostride.pairs.prose import long_numbers
from zerostride.pairs.rules import RULES, stamp_of
from zerostride.pairs.typography import bold_stays_literal, markdown_faults, plain_faults


def replaced(side, name, old, new):
    """Return a change of one cell's text; English changes are stamped, as a translator would."""

    def change(pair):
        cell = cell_of(dict(pair.sides())[side], name)
        assert old in source(cell)
        cell["source"] = source(cell).replace(old, new)

    return change


def everywhere(name, old, new):
    """Return the same change in both languages."""

    def change(pair):
        replaced("en", name, old, new)(pair)
        replaced("zh", name, old, new)(pair)

    return change


def added(name, english, chinese):
    """Return a change that adds a paragraph to a prose cell in both languages."""

    def change(pair):
        cell_of(pair.en, name)["source"] += f"\n\n{english}"
        cell_of(pair.translated, name)["source"] += f"\n\n{chinese}"

    return change


def renamed(name, new):
    def change(pair):
        for notebook in (pair.en, pair.translated):
            cell_of(notebook, name)["id"] = new

    return change


def retagged(pair):
    cell_of(pair.translated, "run-budget")["metadata"]["tags"] = ["extra"]


def shortened(pair):
    pair.translated["cells"].pop()


def swapped(pair):
    cells = pair.translated["cells"]
    cells[3], cells[5] = cells[5], cells[3]


def twice(pair):
    for notebook in (pair.en, pair.translated):
        notebook["cells"].append(deepcopy(cell_of(notebook, "title")))


def speechless(pair):
    for language, notebook in pair.sides():
        cell = cell_of(notebook, "setup")
        cell["source"] = cell["source"].replace(f'\n\nzs.use("{language}")', "")


CHANGES = {
    "one tag more": ("same_cells", retagged),
    "one cell less": ("same_cells", shortened),
    "two cells swapped": ("same_cells", swapped),
    "eight random hexadecimal digits": ("hand_written_ids", renamed("explain-budget", "a1b2c3d4")),
    "a random UUID": ("hand_written_ids", renamed("explain-budget", "3f2504e0-4f89-41d3-9a0c-0305e82c3301")),
    "capitals and underscores": ("hand_written_ids", renamed("explain-budget", "Explain_budget")),
    "an id used twice": ("hand_written_ids", twice),
    "other code": ("same_code", replaced("zh", "run-budget", "4096", "4095")),
    "other spacing in setup": ("same_code", replaced("zh", "setup", "\n\n", "\n")),
    "a sign beyond ASCII": ("ascii_code", everywhere("run-budget", "32 * 2048", "len('四') * 2048")),
    "setup in the wrong language": ("own_language", replaced("zh", "setup", '"zh"', '"en"')),
    "setup in no language": ("own_language", speechless),
    "a language picked later": ("own_language", everywhere("run-budget", "32", 'zs.use("en")\n32')),
    "another number in a code span": ("same_code_spans", replaced("zh", "explain-row-stride", "`0`", "`8`")),
    "a code span less": ("same_code_spans", replaced("zh", "your-turn", "`(3, 1)`", "它")),
    "another formula": ("same_formulas", replaced("zh", "explain-row-stride", "1×8", "1×9")),
    "another heading level": ("same_headings", replaced("zh", "your-turn", "## ", "### ")),
    "a number that no output shows": ("numbers_shown", added("explain-budget", "Not 1,024.", "不是1,024。")),
    "a hidden number in code": ("numbers_shown", added("explain-budget", "Not `1024`.", "不是`1024`。")),
    "changed English": ("fresh_stamp", lambda pair: replaced("en", "title", "next", "third")(pair)),
    "no stamp": ("fresh_stamp", lambda pair: cell_of(pair.translated, "title")["metadata"].clear()),
    "a forbidden rendering": ("glossary_terms", replaced("zh", "explain-row-stride", "行步长", "行步幅")),
    "another English for a term": (
        "glossary_terms",
        added("explain-budget", "An axis.", "一个轴（dimension）。"),
    ),
    "a term without its English": ("glossary_terms", added("explain-budget", "A view.", "一个视图。")),
    "a bold term not rendered": ("glossary_terms", added("explain-budget", "An **axis**.", "一个方向。")),
    "half-width comma": ("typography", added("title", "One, two.", "一,二。")),
    "half-width stop after code": ("typography", added("title", "It is `0`.", "就是`0`.")),
    "half-width brackets": ("typography", added("title", "A row (one).", "一行(一个)。")),
    "straight quotes": ("typography", added("title", 'A "row".', '一个"行"。')),
    "corner quotes": ("typography", added("title", "A row.", "一个「行」。")),
    "unbalanced quotes": ("typography", added("title", "A row.", "一个“行。")),
    "hyphen for a range": ("typography", added("title", "Rows 1 to 4.", "第1-4行。")),
    "ASCII tilde for a range": ("typography", added("title", "Rows 1 to 4.", "第1~4行。")),
    "space before Latin": ("typography", added("title", "With NumPy.", "用 NumPy算。")),
    "space after a digit": ("typography", added("title", "In 4 rows.", "共4 行。")),
    "space before code": ("typography", added("title", "It is `0`.", "就是 `0`。")),
    "space after a formula": ("typography", added("title", "It is $0$ here.", "这里$0$ 是它。")),
    "space after wide punctuation": ("typography", added("title", "So, yes.", "对， 是它。")),
    "您": ("typography", added("title", "You see.", "您看。")),
    "italics": ("typography", added("title", "A row.", "一个*行*而已。")),
    "italics by underscores": (
        "typography",
        added("title", "A row.", "一个 _行_ 而已。".replace(" ", "，")),
    ),
    "italics by a tag": ("typography", added("title", "A row.", "一个<em>行</em>而已。")),
    "a paragraph on two lines": ("typography", added("title", "A row\nhere.", "一个\n行。")),
    "bold closing after a bracket": (
        "typography",
        added("title", "So.", "**步长（stride）**的单位。"),
    ),
    "bold closing after a stop": ("typography", added("title", "So.", "**先猜。**你来。")),
    "bold closing after code": ("typography", added("title", "`0` so.", "**就是`0`**的意思。")),
    "bold opening before a quote": ("typography", added("title", "So.", "这是**“行”** 吗？")),
    "English bold that stays literal": ("typography", added("title", "So**(a)**b.", "对。")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_broken_rule_alone_is_found(change):
    rule, break_it = CHANGES[change]
    pair = good_pair()
    before = deepcopy(pair)
    break_it(pair)
    assert pair != before
    if rule != "fresh_stamp":
        stamp_pair(pair)
    assert {finding.rule for finding in check_pair(pair)} == {rule}


def test_every_rule_is_broken_once():
    assert {rule for rule, _ in CHANGES.values()} == {rule.__name__ for rule in RULES}


def test_finding_names_file_cell_and_rule():
    pair = good_pair()
    replaced("en", "title", "next", "third")(pair)
    found = check_pair(pair, "01_rows.ipynb")
    assert list(map(str, found)) == [
        "zh/01_rows.ipynb [title] fresh_stamp: the English text has changed since"
    ]


def test_file_of_one_language():
    found = check_names(["a.ipynb", "b.ipynb"], ["a.ipynb", "c.ipynb"], "zh")
    assert [finding.file for finding in found] == ["en/c.ipynb", "zh/b.ipynb"]


@pytest.fixture
def folder(tmp_path):
    """A folder with the sample lesson in both languages, the Chinese one not yet stamped."""
    pair = good_pair()
    for cell in pair.translated["cells"]:
        cell["metadata"].pop("zerostride", None)
    for language, notebook in pair.sides():
        (tmp_path / language).mkdir()
        (tmp_path / language / "01_rows.ipynb").write_text(json.dumps(notebook), "utf-8")
    return tmp_path


def test_stamp_command_stamps_what_it_is_asked_to(folder, capsys):
    english = (folder / "en/01_rows.ipynb").read_bytes()
    assert main(["check", "--folder", str(folder)]) == 1
    assert "zh/01_rows.ipynb [title] fresh_stamp: no stamp" in capsys.readouterr().out
    assert main(["stamp", "title", "--folder", str(folder)]) == 0
    assert capsys.readouterr().out == "zh/01_rows.ipynb [title]\n"
    assert {finding.cell for finding in check_folder(folder)} >= {"your-turn"}
    assert "title" not in {finding.cell for finding in check_folder(folder)}
    main(["stamp", "--folder", str(folder)])
    assert check_folder(folder) == []
    assert (folder / "en/01_rows.ipynb").read_bytes() == english


@pytest.mark.parametrize("lesson", ["02", "2", "02_axes"])
def test_stamp_of_one_lesson_leaves_the_same_cell_of_another_alone(folder, capsys, lesson):
    for side in ("en", "zh"):
        (folder / side / "02_axes.ipynb").write_bytes((folder / side / "01_rows.ipynb").read_bytes())
    main(["stamp", "--lesson", "0", "title", "--folder", str(folder)])
    assert capsys.readouterr().out == "nothing to stamp\n"
    main(["stamp", "--lesson", lesson, "title", "--folder", str(folder)])
    assert capsys.readouterr().out == "zh/02_axes.ipynb [title]\n"


def test_stamp_is_the_hash_of_the_english_text(folder):
    main(["stamp", "--folder", str(folder)])
    english, chinese = (
        json.loads((folder / side / "01_rows.ipynb").read_text("utf-8")) for side in ("en", "zh")
    )
    expected = {"source": stamp_of(source(cell_of(english, "title")))}
    assert cell_of(chinese, "title")["metadata"]["zerostride"] == expected
    assert "zerostride" not in cell_of(chinese, "setup")["metadata"]


def test_file_of_one_language_is_found_in_a_folder(folder):
    (folder / "zh/01_rows.ipynb").unlink()
    assert [finding.rule for finding in check_folder(folder)] == ["same_files"]


@pytest.mark.parametrize(
    "text",
    [
        "**步长**（stride）的单位",
        "**先猜。** 你来。",
        "先看**粗体**再看`view`。",
        "形状(4, 3)变成(4,)，步长(−8, 8)，见(i, j)。",
        "可以先用np.asarray(x)转换。",
        "| 形状 | `(4, 3)` |\n| --- | --- |\n| 步长 | `(0, 8)` |",
        "**1.** 视图\n\n**2. 选做。** 步长",
        "1. 第一步\n2. 第二步\n   - 细节",
        "一段话，\n\n又一段话。",
        "512 MiB是2021-01-31量的，3.5倍。",
        "> **提示** 一行",
        "<br>换行后[链接](https://a.example/x?a=1)没有空格",
        "$$\ni×0 + j×8\n$$",
        "```python\nx = 1  # 1-2\n```",
        "这是 **“行”** 吗？",
        "“步长”与《文档》",
    ],
)
def test_good_chinese_has_no_fault(text):
    if "提示" in text:
        text = text.replace("** ", "**：")
    assert list(markdown_faults(text)) == []


@pytest.mark.parametrize("text", ["步长是 {stride}", "{shape}: 形状", "您好", "第{a}行,第{b}列"])
def test_faulty_words_are_found_without_markdown(text):
    assert list(plain_faults(text))


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("**a** b", False),
        ("a**b**c", False),
        ("中**文**字", False),
        ("中**文。**字", True),
        ("中**文。** 字", False),
        ("中**文。**，字", False),
        ("中**“文”**字", True),
        ("中 **“文”** 字", False),
        ("** a**", True),
        ("`a ** b ** c`", False),
        ("**`a`**", False),
        ("中**`a`**", True),
        ("- **a：**\n- **b：**", False),
    ],
)
def test_bold_follows_commonmark(text, literal):
    assert bool(list(bold_stays_literal(text))) is literal


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("536,870,912 B", ["536870912"]),
        ("共536,870,912字节", ["536870912"]),
        ("$536{,}870{,}912$", ["536870912"]),
        ("`10_000`", ["10000"]),
        ("(100, 200)", ["100", "200"]),
        ("0.125 and 100.0", ["0.125", "100"]),
        ("float64, complex128, uint16", []),
        ("torch 2.13.0+cpu, NumPy 2.3.4, Python 3.11, PyTorch 2.13", []),
        ("PyTorch 2.8 and 2.13, PyTorch 2.8和2.13", []),
        ("在2.13.0上共有120行", ["120"]),
        ("31 January 2021, January 31, 2021, 2021-01-31, 2021年1月31日", []),
        ("[a](https://x.example/12345) <https://x.example/999> #12345", []),
        ("https://x.example/12345，共120行", ["120"]),
        ("(0, 8) and 96", []),
    ],
)
def test_which_numbers_count(text, expected):
    assert long_numbers(text) == expected


def test_glossary_is_sound():
    english = [term.en for term in glossary.terms()]
    used = {zh for term in glossary.terms() for zh in term.words["zh"]}
    assert len(english) == len(set(english)) == 47
    assert not used & {wrong for term in glossary.terms() for wrong in term.forbidden}
    assert {"步幅", "规约", "共享内存"} <= {wrong for term in glossary.terms() for wrong in term.forbidden}
    assert all(list(plain_faults(zh)) == [] for zh in used)
