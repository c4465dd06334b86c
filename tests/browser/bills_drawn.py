"""What the drawing of a byte bill shows, against what Python computes."""

from zerostride.explore.billing import UNITS, byte_bill

UNIT_BYTES = {unit: 1024**power for power, unit in enumerate(UNITS)}


def exact(text):
    """Return the number of bytes that a text such as "1 GiB + 16 KiB" names."""
    terms = [term.split(" ") for term in text.split(" + ")]
    return sum(int(count.replace(",", "")) * UNIT_BYTES[unit] for count, unit in terms)


def drawn(explorer, **asked):
    """Assert that the drawing shows exactly what Python computes."""
    bill = byte_bill(**asked).bill
    assert explorer.box.locator(".zs-head code").inner_text() == bill.code
    for name, (logical, allocated) in (bill.lines | {"peak": (bill.peak_bytes,) * 2}).items():
        row = explorer.box.locator(f'[data-line="{name}"]')
        assert exact(row.locator("b").inner_text()) == allocated, name
        said = row.locator("small").inner_text().split(": ")[-1]
        assert (exact(said) if said else allocated) == logical, name


def step(explorer, place, name):
    explorer.box.locator(f'[data-step="{place}"]').select_option(name)
