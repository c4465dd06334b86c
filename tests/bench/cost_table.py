"""The table of costs in both READMEs, made from the record of `run_all.py`."""

import json
from pathlib import Path

from rows import Row

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).with_name("figures.json")
READMES = {"en": ROOT / "README.md", "zh": ROOT / "README.zh.md"}
BEGIN, END = "<!-- costs: made by tests/bench/run_all.py -->", "<!-- end of costs -->"

CONDITIONS = {
    "en": "Python {python}, NumPy {numpy}, PyTorch {torch}, {cores} cores; "
    "load average when a measurement began: {least} to {most}.",
    "zh": "Python {python}、NumPy {numpy}、PyTorch {torch}，{cores}个核；"
    "每项测量开始时的平均负载：{least}～{most}。",
}

# Script; in each language what was measured, and what stands beside it.
WORDS = {
    "import": (
        "import_cost.py",
        {
            "en": ("`import numpy, zerostride`", "`import numpy` alone"),
            "zh": ("`import numpy, zerostride`", "单独`import numpy`"),
        },
    ),
    "check": (
        "check.py",
        {
            "en": ("`zerostride check`, all `42` results", "`import torch` alone"),
            "zh": ("`zerostride check`，全部`42`项结果", "单独`import torch`"),
        },
    ),
    "layout_size": (
        "costs.py",
        {
            "en": ("`zs.layout` of a view of `2**60` elements", "of `2**4` elements"),
            "zh": ("对`2**60`个元素的视图运行`zs.layout`", "`2**4`个元素"),
        },
    ),
    "layout_numpy": (
        "costs.py",
        {
            "en": ("`zs.layout` of a NumPy view of 512 MiB on 8 KiB", "lovely-numpy, one line"),
            "zh": ("对NumPy视图（逻辑512 MiB，存储8 KiB）运行`zs.layout`", "lovely-numpy输出一行"),
        },
    ),
    "layout_torch": (
        "costs.py",
        {
            "en": ("the same in PyTorch", "lovely-tensors, one line"),
            "zh": ("同样的PyTorch视图", "lovely-tensors输出一行"),
        },
    ),
    "explorers": (
        "explorers.py",
        {
            "en": (
                "key press to changed drawing, slowest explorer, median",
                "`ipywidgets.interactive` with pyplot",
            ),
            "zh": ("从按键到图变化，最慢的互动版，中位数", "`ipywidgets.interactive`加pyplot"),
        },
    ),
    "explorers_median": (
        "explorers.py",
        {"en": ("the same, median", "limit"), "zh": ("同上，中位数", "上限")},
    ),
    "explorers_p95": (
        "explorers.py",
        {"en": ("the same, 95th percentile", "limit"), "zh": ("同上，第95百分位", "上限")},
    ),
    "writes": (
        "writes.py",
        {
            "en": ("every statement of the atlas of writes, tried", "limit"),
            "zh": ("写入图谱的每条语句都试一遍", "上限"),
        },
    ),
    "nbval": (
        "stored_outputs.py",
        {
            "en": ("all `20` notebooks run, every output compared", "limit"),
            "zh": ("运行全部`20`个笔记本并逐项比较输出", "上限"),
        },
    ),
    "publish": (
        "publish.py",
        {
            "en": ("`zerostride publish`, everything", "limit"),
            "zh": ("`zerostride publish`，全部材料", "上限"),
        },
    ),
    "learner": (
        "hub.py",
        {
            "en": ("memory of a learner in lesson 1 with PyTorch", "without PyTorch"),
            "zh": ("一名学员学第1课占的内存，用PyTorch", "不用PyTorch"),
        },
    ),
    "learner_most": (
        "hub.py",
        {
            "en": ("the most that any lesson took", "limit in the teacher guide"),
            "zh": ("各课中占得最多的", "教师指南里的上限"),
        },
    ),
}
COLONS = {"en": ": ", "zh": "："}
BUSY = {
    "en": " Other work shared the cores, so the times are upper limits.",
    "zh": "当时这些核还在做别的工作，所以这些时间只能看作上限。",
}
HEADS = {
    "en": ("what", "measured", "beside it", "ratio", "at most"),
    "zh": ("项目", "实测", "对照", "比值", "不超过"),
}


def number(value):
    """Return three digits of a number, all of a large one."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def amount(value, unit):
    """Return a number and its unit, which no line break parts."""
    return f"{number(value)}\N{NO-BREAK SPACE}{unit}"


def times(ratio):
    """Return a ratio as it is read: 1.04, or 1/250 where it is small, three digits of it."""
    return f"{ratio:.2f}" if ratio >= 0.1 else f"1/{float(f'{1 / ratio:.3g}'):,.0f}"


def rows(record):
    """Return the rows of a record by name, in the order of the table."""
    return {
        name: Row(**{key: value for key, value in record["rows"][name].items() if key != "load"})
        for name in WORDS
    }


def table(record, language):
    """Return the table as Markdown."""
    heads = HEADS[language]
    lines = [f"| {' | '.join(heads)} |", "|---|---:|---|---:|---:|"]
    for name, row in rows(record).items():
        script, words = WORDS[name]
        what, beside = words[language]
        cells = (
            f"[{what}](tests/bench/{script})",
            amount(row.measured, row.unit),
            f"{beside}{COLONS[language]}{amount(row.beside, row.unit)}",
            times(row.ratio),
            "" if row.at_most is None else times(row.at_most),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def conditions(record, language):
    """Return what the figures were measured with, in one line."""
    loads = [row["load"] for row in record["rows"].values() if "load" in row]
    figures = {**record["versions"], "cores": record["cores"], "least": min(loads), "most": max(loads)}
    shared = BUSY[language] if max(loads) > 2 * record["cores"] else ""
    return CONDITIONS[language].format(**figures) + shared


def block(record, language):
    """Return what stands between the two marks."""
    return f"{BEGIN}\n{table(record, language)}\n\n{conditions(record, language)}\n{END}"


def with_table(text, record, language):
    """Return the text of a README with the table that a record gives."""
    before, _, rest = text.partition(BEGIN)
    return before + block(record, language) + rest.partition(END)[2]


def write(record):
    """Write the table into both READMEs."""
    for language, path in READMES.items():
        path.write_text(with_table(path.read_text("utf-8"), record, language), "utf-8")


def stored():
    """Return the record."""
    return json.loads(RECORD.read_text("utf-8"))
