"""What every explorer is tried for: one output for every reader, and controls linked in the page."""

WIDGET = "application/vnd.jupyter.widget-view+json"


def one_output(make):
    """Return the text of an explorer, once all that a reader may get is there, and the same each time."""
    made = [make(), make()]
    (data, metadata), (again, _) = (explorer._repr_mimebundle_() for explorer in made)
    assert set(data) == {"text/plain", "image/png", "image/svg+xml", WIDGET}
    assert metadata["image/png"]["width"] < 900
    assert all(data[kind] == again[kind] for kind in data if kind != WIDGET)
    assert repr(made[0]).encode("gbk")
    return repr(made[0])


def links(explorer):
    """Return what is linked in the page: the control, its trait, and the trait of the drawing."""
    return {(link.source[0], link.source[1], link.target[1]) for link in explorer.links}
