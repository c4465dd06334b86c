"""What the drawing of derivatives shows, against what Python computes."""

import pytest

FOUR = ((1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12))


def drawn(explorer, rows):
    """Assert that the drawing shows exactly what Python computes."""
    part = explorer.box.locator("[data-part]")
    shown = [text.removeprefix("= ").replace("−", "-") for text in part.locator("b").all_inner_texts()]
    assert shown == [str(value) for value in rows.derivative or ["None"] * rows.shape[1]]
    differences = [text[:-2].replace("−", "-") for text in part.locator(".zs-difference").all_inner_texts()]
    assert [float(text) for text in differences] == pytest.approx(rows.differences, abs=1e-7)
    marks = {text[-1] for text in part.locator(".zs-difference").all_inner_texts()}
    assert marks == {"✗" if rows.way == "detach" else "✓"}
    uses = part.locator(".zs-uses").all_inner_texts()
    assert [text.split()[-1] for text in uses] == [str(len(terms)) for terms in rows.terms()]
