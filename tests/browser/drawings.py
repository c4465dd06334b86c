"""What the drawings of addresses and of shapes show, and what they have to show."""

import re

from explorer_page import comes_to_say

from zerostride.explore.address_panel import addresses_layout
from zerostride.layouts.arithmetic import byte_offsets


def drawn(explorer, rows, cols, dtype="float64", operation="expand", unit="bytes"):
    """Assert that the drawing shows exactly what Layout computes."""
    seen = addresses_layout(rows, cols, dtype, operation)
    offsets = byte_offsets(seen.shape, seen.strides_bytes)
    shown = offsets if unit == "bytes" else offsets // seen.itemsize
    assert explorer.offsets() == shown.tolist()
    assert explorer.text("formula").startswith(f"{seen.formula_in(unit)} → ")
    numbers = re.findall(r"\d+", explorer.text("summary"))
    read = seen.touched_bytes, seen.storage_bytes, seen.logical_bytes
    expected = (*seen.strides_bytes, *seen.strides_elements, *read)
    assert numbers == [str(number) for number in expected]


def as_python_says(lab, explorer, name="explorer"):
    """Assert that page and Python hold the same, legal layout."""
    shown = f"{explorer.text('formula').split(' → ')[0]}|True"
    comes_to_say(lab, f"{name}.layout.formula, {name}.setting.legal(), sep='|'", shown)


def aligned(explorer):
    """Verdict and stride drawn for each axis, by its number."""
    heads = explorer.box.locator("[data-head]:visible").all_inner_texts()
    verdicts = explorer.box.locator(".zs-verdict td:visible b").all_inner_texts()
    strides = explorer.box.locator(".zs-stride td:visible b").all_inner_texts()
    shown = zip(heads, verdicts, strides, strict=True)
    return {axis: (verdict.split(" ")[-1], stride) for axis, verdict, stride in shown}
