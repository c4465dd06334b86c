"""The live drawings: parts in plain JavaScript and CSS, joined into one self-contained module.

A relative import fails inside anywidget, and a page without a kernel wants one
script; so the parts share one scope and are joined in this order.
"""

from importlib.resources import files

PARTS = (
    "common",
    "addresses",
    "address_drawing",
    "address_explorer",
    "shapes",
    "weights",
    "derivative",
    "writes",
    "tape",
    "byte_bill",
    "decide",
    "entry",
)
STYLES = ("common", "derivative", "writes", "byte_bill", "decide")


def script() -> str:
    """Return the ES module that serves all explorers of the course.

    Examples
    --------
    >>> script().rstrip().endswith("export default { render };")
    True
    """
    return "\n".join(_read(f"{part}.js") for part in PARTS)


def styles() -> str:
    """Return the style sheet of all explorers."""
    return "\n".join(_read(f"{part}.css") for part in STYLES)


def _read(name: str) -> str:
    return files("zerostride").joinpath("front", name).read_text("utf-8")
