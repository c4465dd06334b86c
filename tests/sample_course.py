"""A small course in a checkout of its own, for tests of what copies, opens and packs lessons."""

import json
import shutil
from pathlib import Path

from zerostride.language import LANGUAGES

ROOT = Path(__file__).parents[1]
LESSON = "01_four_rows_three_numbers.ipynb"


def code(name, source, tags=(), outputs=()):
    about = {"tags": list(tags)} if tags else {}
    return {
        "cell_type": "code",
        "id": name,
        "metadata": about | {"jupyter": {"outputs_hidden": True}},
        "source": source.splitlines(keepends=True),
        "execution_count": 7,
        "outputs": list(outputs),
    }


def prose(name, source, tags=()):
    return {
        "cell_type": "markdown",
        "id": name,
        "metadata": {"tags": list(tags), "source_hash": "SECRET-hash"},
        "source": source.splitlines(keepends=True),
    }


def printed(text):
    return {"output_type": "stream", "name": "stdout", "text": [text]}


def lesson(language="en"):
    """Return a lesson whose every answer contains the word SECRET."""
    return {
        "cells": [
            code("setup", f'import zerostride as zs\nzs.use("{language}")'),
            prose("title", "# Four rows / 四行"),
            code("run-strides", "4 * 3 * 8", outputs=[printed("SECRET 96")]),
            code("answer-bytes", 'total = 96\nname = "SECRET"', ["answer"]),
            code(
                "answer-function",
                'def offset(i, j, stride=8):\n    """SECRET."""\n    return j * stride',
                ["answer", "extra"],
            ),
            code("use-bytes", "total, offset(1, 1)"),
            prose("answer-why", "Because SECRET.", ["answer"]),
            prose("talk", "Say SECRET aloud.", ["instructor"]),
        ],
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
            "widgets": {"state": "SECRET"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def write_lessons(folder):
    for language in LANGUAGES:
        (folder / language).mkdir(parents=True, exist_ok=True)
        text = json.dumps(lesson(language), indent=1, ensure_ascii=False)
        (folder / language / LESSON).write_text(text, "utf-8")


def checkout(folder):
    """Make a checkout with this package and the sample lessons; return its ``src``."""
    clean = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "zerostride", folder / "src" / "zerostride", ignore=clean)
    write_lessons(folder / "notebooks")
    return folder / "src"
