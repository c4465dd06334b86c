"""What the drawing of writes shows, against what Python measured in fresh arrays."""

from zerostride.explore.write_policies import TARGETS


def cell(explorer, target, row, col):
    return explorer.box.locator(f'[data-cell="{target}:{row},{col}"]')


def names(explorer, selector):
    found = explorer.box.locator(selector)
    return found.evaluate_all("(cells) => cells.map((cell) => cell.dataset.cell)")


def values(explorer, target):
    rows = explorer.box.locator(f"[data-array={target}] [role=row]").all()
    return [[int(text) for text in row.locator("b").all_text_contents()] for row in rows]


def drawn(explorer, write):
    """Assert that the drawing shows exactly what was measured in Python, in fresh arrays."""
    for target in TARGETS:
        assert values(explorer, target) == [[int(value) for value in row] for row in write.after[target]]
        shown = explorer.box.locator(f"[data-array={target}] .zs-count").inner_text()
        size = len(write.after[target]) * len(write.after[target][0])
        assert shown == f"changed {len(write.changed[target])} of {size}"
        stored = next(each for names, each in write.storages if target in names)
        assert (
            explorer.box.locator(f"[data-array={target}] .zs-name span").inner_text().endswith(f" {stored} B")
        )
    lit = [f"{target}:{i},{j}" for target in TARGETS for i, j in write.changed[target]]
    assert names(explorer, ".zs-box.zs-lit") == lit
    assert write.code in explorer.text("formula")
    assert ("✗" in explorer.text("formula")) == bool(write.error)
    assert write.error in explorer.text("live")
