"""From key press to changed drawing in a real JupyterLab: the live drawings beside a naive ``interact``.

The naive one shows the same picture as the first. All are moved by arrow keys, in one notebook, in
turns.
"""

import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))

from rows import Row, main
from served_lab import Lab, browser, chromium, jupyterlab

MEDIAN_MS, P95_MS, TIMES_FASTER = 10, 16, 30
SMOKE_TIMES_FASTER = 5  # eight presses on a busy machine say no more
NAIVE = """import ipywidgets
import matplotlib.pyplot as plt
from zerostride.explore.address_panel import addresses_layout
import numpy as np

def picture(rows=4, cols=3):
    _, ax = plt.subplots()
    values = np.tile([f"{col}.0" for col in range(1, cols + 1)], (rows, 1))
    zs.draw.addresses(ax, addresses_layout(rows, cols), highlight=(0, 0), values=values)
    plt.show()

naive = ipywidgets.interactive(picture, rows=(1, 8), cols=(1, 6))
naive.add_class("naive")
naive"""
CELLS = [
    "import zerostride as zs",
    "zs.explore.addresses()",
    "zs.explore.shapes()",
    "zs.explore.writes()",
    "zs.explore.derivative()",
    "zs.explore.byte_bill(steps=['square', 'sum'], learns=True)",
    "zs.explore.decide()",
    NAIVE,
]

ADDRESSES, WRITES = ".zs-explorer:has(svg.zs-drawing)", ".zs-explorer:has(.zs-arrays)"

# Box, control and what a change shows of each version: new parts of the drawing, another image.
VERSIONS = {
    "addresses, rows": (ADDRESSES, f"{ADDRESSES} .zs-rows .noUi-handle", "svg.zs-drawing *"),
    "addresses, row stride": (ADDRESSES, f"{ADDRESSES} [data-dial=down]", "svg.zs-drawing *"),
    "shapes": (".zs-explorer:has(.zs-shapes)", "[data-dial=target-1]", ".zs-verdict *"),
    "writes, rows": (WRITES, f"{WRITES} .zs-rows .noUi-handle", ".zs-box"),
    "derivative, weight": (".zs-explorer:has(.zs-weights)", "[data-dial='1,0']", ".zs-value"),
    "byte bill, size": (".zs-explorer:has(.zs-bill)", "[data-dial=T]", ".zs-bill *"),
    "guide, what follows": (
        ".zs-explorer:has(.zs-decided)",
        '[data-question="3"][value="0"]',
        ".zs-decided *",
    ),
    "interactive + pyplot": (".naive", ".naive .noUi-handle >> nth=0", "img"),
}
NAIVE_NAME = "interactive + pyplot"

WATCH = """([root, what]) => {
  const times = window.times = [];
  let pressed = null;
  const node = document.querySelector(root);
  const shows = (at) => at.matches?.(what) || at.querySelector?.(what);
  node.addEventListener('keydown', (event) => { pressed = event.timeStamp; }, true);
  new MutationObserver((records) => {
    const parts = records.flatMap((record) => [record.target, ...record.addedNodes]);
    if (pressed === null || !parts.some(shows)) return;
    times.push(performance.now() - pressed);
    pressed = null;
  }).observe(node, { childList: true, subtree: true, attributes: true, attributeFilter: ['src'] });
}"""


def notebook():
    """Return a notebook with both versions."""
    empty = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [empty | {"id": f"cell-{at}", "source": source} for at, source in enumerate(CELLS)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def pressed(lab, root, handle, what, presses):
    """Return milliseconds from each key press to the change it made."""
    lab.page.locator(handle).focus()
    lab.page.evaluate(WATCH, [root, what])
    for at in range(presses):
        lab.page.keyboard.press("ArrowLeft" if at % 2 else "ArrowRight")
        lab.page.wait_for_function("(count) => window.times.length > count", arg=at, polling=5)
    return lab.page.evaluate("() => window.times")


def measure(presses, naive_presses):
    """Return the times of each version, taken in turns."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "course").mkdir()
        (folder / "course" / "bench.ipynb").write_text(json.dumps(notebook()))
        with (
            jupyterlab(folder / "course", folder / "jupyter") as address,
            sync_playwright() as playwright,
            browser(playwright) as started,
        ):
            lab = Lab(started.new_page(viewport={"width": 1200, "height": 1000}), *address)
            lab.open("bench.ipynb")
            lab.explorer()
            lab.page.locator(".naive img").wait_for()
            times = {name: [] for name in VERSIONS}
            for _ in range(4):
                for name, version in VERSIONS.items():
                    count = naive_presses if name == NAIVE_NAME else presses
                    times[name] += pressed(lab, *version, count // 4)
            return times


def summary(times):
    """Return median and 95th percentile."""
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def rows(smoke=False):
    """Return the slowest explorer beside the naive version and beside the limits."""
    if not chromium():
        sys.exit("no Chromium on this machine: nothing measured")
    found = {name: summary(taken) for name, taken in measure(*((8, 8) if smoke else (200, 40))).items()}
    naive, naive_p95 = found[NAIVE_NAME]
    print(f"{'key press to changed drawing':30}{'p50 ms':>9}{'p95 ms':>9}{'times faster':>16}")
    for name, (median, p95) in found.items():
        print(f"{name:30}{median:>9.1f}{p95:>9.1f}{naive / median:>8.0f}{naive_p95 / p95:>8.0f}")
    ours = [each for name, each in found.items() if name != NAIVE_NAME]
    slowest, slowest_p95 = (max(each[at] for each in ours) for at in (0, 1))
    if smoke:
        return {"explorers": Row("ms", slowest, naive, 1 / SMOKE_TIMES_FASTER)}
    return {
        "explorers": Row("ms", slowest, naive, 1 / TIMES_FASTER),
        "explorers_median": Row("ms", slowest, MEDIAN_MS, 1),
        "explorers_p95": Row("ms", slowest_p95, P95_MS, 1),
    }


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
