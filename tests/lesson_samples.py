"""A small lesson in both languages that breaks no rule; tests break one rule at a time in a copy."""

from zerostride.pairs import stamp_pair
from zerostride.pairs.rules import Pair

_CODE = [
    ("setup", [], "import numpy as np\nimport zerostride as zs\n\nzs.use({language!r})", None),
    ("run-row-stride", ["slide"], "view = np.broadcast_to(np.ones((1, 3)), (4, 3))\nview.strides", "(0, 8)"),
    ("run-budget", [], "32 * 2048 * 4096 * 2", "536870912"),
    ("run-formula", ["extra"], "zs.layout(view).formula", "'i×0 + j×8'"),
    ("answer-offset", ["answer"], "offset = 8", None),
    ("offset-is-right", [], "offset == 3 * 0 + 1 * 8", "True"),
    ("run-torch-stride", ["torch"], "import torch\n\ntorch.ones(1, 3).expand(4, 3).stride()", "(0, 1)"),
]

_PROSE = {
    "title": ("# How far is it to the next row?", "# 到下一行有多远？"),
    "what-you-will-do": (
        "## What you will do\n\nRead a **stride**.\n\n"
        "**Learn how to** read.\n\n**Need:** NumPy.\n\n**Time:** 5 min.",
        "## 做什么\n\n读一个步长（stride）。\n\n**学会**读懂。\n\n**需要：** NumPy。\n\n**时间：** 5分钟。",
    ),
    "explain-row-stride": (
        "**Why?** The row stride is `0`: element `(3, 1)` starts at $3×0 + 1×8$.\n\n"
        "- `view`: rows 1 to 4 ([PyTorch 2.8](https://pytorch.org/docs/2.8.0/), 31 January 2021, #12345).",
        "**为什么？** 行步长是`0`：元素`(3, 1)`从$3×0 + 1×8$开始。\n\n"
        "- `view`读第1～4行（[PyTorch 2.8](https://pytorch.org/docs/2.8.0/)，2021年1月31日，#12345）。",
    ),
    "explain-budget": (
        "## Is that much?\n\nA *dense* array takes 536,870,912 bytes.",
        "## 这算多吗？\n\n稠密数组要占536,870,912字节，“稠密”与“稀疏”无关。",
    ),
    "your-turn": ("## Your turn\n\nWhere does `(3, 1)` start?", "## 轮到你了\n\n`(3, 1)`从哪里开始？"),
    "what-this-does-not-show": (
        "## What this does not show\n\nAnother library may refuse.",
        "## 这里没有说明什么\n\n别的库可能会拒绝。",
    ),
}

_ORDER = (
    "title what-you-will-do setup run-row-stride explain-row-stride run-budget explain-budget run-formula "
    "your-turn answer-offset offset-is-right run-torch-stride what-this-does-not-show"
)


def sample_notebook(language):
    """Return the sample lesson in one language, as ``json.load`` would read it."""
    cells = {name: _prose(name, texts[language == "zh"]) for name, texts in _PROSE.items()}
    for count, (name, tags, text, shown) in enumerate(_CODE, 1):
        cells[name] = _code(name, tags, text.replace("{language!r}", f'"{language}"'), shown, count)
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return {
        "cells": [cells[name] for name in _ORDER.split()],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def good_pair():
    """Return the sample lesson in both languages, stamped."""
    pair = Pair(sample_notebook("en"), sample_notebook("zh"), "zh")
    stamp_pair(pair)
    return pair


def cell_of(notebook, name):
    """Return one cell by its id."""
    return next(cell for cell in notebook["cells"] if cell["id"] == name)


def _prose(name, text):
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}


def _code(name, tags, text, shown, count):
    metadata = {"tags": tags} if tags else {}
    if name.startswith("run-"):
        metadata["jupyter"] = {"outputs_hidden": True}
    result = {"output_type": "execute_result", "metadata": {}, "execution_count": count}
    outputs = [result | {"data": {"text/plain": shown}}] if shown else []
    return {
        "cell_type": "code",
        "id": name,
        "metadata": metadata,
        "execution_count": count,
        "outputs": outputs,
        "source": text,
    }
