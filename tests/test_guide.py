"""The teacher guide: the same pages in both languages, set as style asks, every figure from the record."""

import copy
import re
from collections import Counter

import pytest

from zerostride.pairs.rules import (
    Pair,
    glossary_terms,
    same_code_spans,
    same_formulas,
    same_headings,
    typography,
)
from zerostride.publish import guide

RULES = (same_headings, same_code_spans, same_formulas, typography, glossary_terms)
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"<[a-z][\w.]*>")


def as_pair(english, chinese):
    """Return pages as one notebook in each language, a Markdown cell a page."""

    def notebook(pages):
        cells = [
            {"cell_type": "markdown", "id": name, "metadata": {}, "source": pages[name]} for name in pages
        ]
        return {"cells": cells}

    return Pair(notebook(english), notebook(chinese), "zh")


def pages(language):
    """Return the pages by name, as a reader gets them."""
    return dict(
        zip(guide.raw_pages(language), [text for _, text in guide.guide_pages(language)], strict=True)
    )


def faults(rule, english, chinese):
    return [f"{language} {page}: {seen}" for language, page, seen in rule(as_pair(english, chinese))]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_both_languages_keep_the_rules_of_lessons(rule):
    assert faults(rule, pages("en"), pages("zh")) == []


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        (same_headings, "## 评分", "### 评分"),
        (same_code_spans, "`zs.predict`", "`zs.foretell`"),
        (typography, "评分，", "评分,"),
        (glossary_terms, "这套课程不打分", "这套课程讲步幅"),
    ],
)
def test_a_broken_rule_would_be_seen(rule, old, new):
    chinese = pages("zh")
    last = list(chinese)[-1]
    assert old in chinese[last]
    chinese[last] = chinese[last].replace(old, new)
    assert faults(rule, pages("en"), chinese)


def apart(english, chinese):
    """Return the pages whose commands or figures differ between the languages."""
    return [
        name
        for name in english.keys() | chinese.keys()
        for part in (FENCE, PLACE)
        if Counter(part.findall(english.get(name, ""))) != Counter(part.findall(chinese.get(name, "")))
    ]


def test_the_same_pages_commands_and_figures_in_both_languages():
    assert apart(guide.raw_pages("en"), guide.raw_pages("zh")) == []


@pytest.mark.parametrize(
    ("old", "new"), [("<numpy.pss_mib>", "<torch.pss_mib>"), ("tljh-config reload", "reload")]
)
def test_another_command_or_figure_would_be_seen(old, new):
    chinese = guide.raw_pages("zh")
    assert old in chinese["6-hubs.md"]
    changed = chinese | {"6-hubs.md": chinese["6-hubs.md"].replace(old, new)}
    assert apart(guide.raw_pages("en"), changed) == ["6-hubs.md"]


def written_by_hand(text):
    """Return the rows of tables that hold a number which is not a place for a figure."""
    rows = [
        line for line in text.splitlines() if line.startswith("|") and ("_mib>" in line or "_gib>" in line)
    ]
    return [row for row in rows if re.search(r"\d", PLACE.sub("", row))]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_figure_in_the_tables_is_the_measured_one(language):
    raw = guide.raw_pages(language)["6-hubs.md"]
    assert written_by_hand(raw) == []
    assert written_by_hand(raw.replace("<server.pss_mib>", "90"))
    told, text = guide.record(), pages(language)["6-hubs.md"]
    for state in ("server", "numpy", "torch"):
        figures = " | ".join(map(str, told[state].values()))
        assert f"| {figures} |" in text
    for row in told["arithmetic"]:
        assert "| " + " | ".join(f"{value:,}" for value in row.values()) + " |" in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_place_is_left_and_a_new_measurement_is_shown(language, monkeypatch):
    assert not [name for name, text in pages(language).items() if PLACE.search(text)]
    told = copy.deepcopy(guide.record())
    told["peaks_mib"]["06_parameters"] = 98765
    monkeypatch.setattr(guide, "record", lambda: told)
    assert [name for name, text in pages(language).items() if "98,765 MiB" in text] == [
        "3-a-machine-fails.md",
        "6-hubs.md",
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_figure_that_is_typed_has_no_comma(language):
    commands = [text for page in pages(language).values() for text in FENCE.findall(page)]
    assert any(f"limits.memory {guide.record()['limits']['limit_mib']}M\n" in text for text in commands)


def test_a_place_without_a_figure_would_be_seen(monkeypatch):
    monkeypatch.setattr(guide, "raw_pages", lambda language: {"page.md": "# Page\n<server.furlongs>"})
    with pytest.raises(KeyError, match="furlongs"):
        guide.guide_pages("en")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_whole_guide_is_every_page_one_level_deeper(language):
    whole = guide.guide_text(language)
    headings = re.findall(r"^#+ ", FENCE.sub("", whole), re.MULTILINE)
    assert headings.count("# ") == 1
    assert headings.count("## ") == len(guide.guide_pages(language))
    for _, page in guide.guide_pages(language):
        for fence in FENCE.findall(page):
            assert fence in whole  # comments in code are no headings
