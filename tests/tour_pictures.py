"""The pictures of the lessons in the READMEs; ``python tests/tour_pictures.py`` takes them afresh."""

import base64
import json
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".github" / "lessons"
CELLS = {
    "00_start_here": "picture-two-arrays",
    "01_four_rows_three_numbers": "picture-addresses",
    "02_which_axes_expand": "picture-alignment",
    "03_copies": "picture-storage-and-path",
    "04_who_else_changes": "picture-source-edit",
    "05_derivatives": "run-uses",
    "06_parameters": "picture-training",
    "07_bytes": "static-byte-bill",
    "08_expand_or_repeat": "static-decide",
    "09_field_cases": "picture-window",
}


def picture(lesson, cell):
    """Return the stored picture of a cell; it holds no words, so one serves both languages."""
    notebook = json.loads((ROOT / "notebooks" / "en" / f"{lesson}.ipynb").read_text("utf-8"))
    outputs = next(each for each in notebook["cells"] if each["id"] == cell)["outputs"]
    stored = next(each["data"]["image/png"] for each in outputs if "image/png" in each.get("data", {}))
    return base64.b64decode(stored if isinstance(stored, str) else "".join(stored))


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for lesson, cell in CELLS.items():
        (FOLDER / f"{lesson}.png").write_bytes(picture(lesson, cell))
