"""One write measured and drawn: what is marked is what changed, on copies that share as the originals do."""

import numpy as np
import pytest

import zerostride as zs
from picture_rules import faults
from zerostride.draw.ink import LIT_EDGE
from zerostride.pictures import alt_text, png, svg

NAMES = ("source", "view", "tiled", "edited")


def numpy_cast():
    source = np.array([[1.0, 2.0, 3.0]])
    view = np.broadcast_to(source, (4, 3))
    return dict(zip(NAMES, (source, view, np.tile(source, (4, 1)), view.copy()), strict=True))


def torch_cast():
    torch = pytest.importorskip("torch")
    source = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    view = source.expand(4, 3)
    return dict(zip(NAMES, (source, view, source.repeat(4, 1), view.clone()), strict=True))


def overlapping_cast():
    matrix = np.arange(12).reshape(4, 3)
    parts = {"back": matrix[::-1], "column": matrix[:, 1], "row": matrix[2]}
    return {"matrix": matrix, **parts, "other": matrix.copy()}


CASTS = {"numpy": numpy_cast, "torch": torch_cast, "overlapping": overlapping_cast}
COLUMN = ((0, 1), (1, 1), (2, 1), (3, 1))
EVERY = tuple(np.ndindex(4, 3))
# Cast, statement, outcome, and what changes under the names that are not spared.
WRITES = {
    "source": ("numpy", "source[0, 1] = 9", "together", {"source": ((0, 1),), "view": COLUMN}),
    "view": ("numpy", "view[0, 1] = 9", "raises", {}),
    "edited": ("numpy", "edited[0, 0] = 9", "safe", {"edited": ((0, 0),)}),
    "tiled": ("numpy", "tiled[:, 1] = 9", "safe", {"tiled": COLUMN}),
    "torch source": ("torch", "source[0, 1] = 9", "together", {"source": ((0, 1),), "view": COLUMN}),
    "torch view": ("torch", "view[2, 1] = 9", "together", {"source": ((0, 1),), "view": COLUMN}),
    "torch row": ("torch", "view[0] = 9", "together", {"source": EVERY[:3], "view": EVERY}),
    "torch column": ("torch", "view[:, 1] = 9", "raises", {}),
    "torch edited": ("torch", "edited[...] = 9", "safe", {"edited": EVERY}),
    "reversed": (
        "overlapping",
        "back[-1, 1] = 99",
        "together",
        {"matrix": ((0, 1),), "back": ((3, 1),), "column": ((0, 0),)},
    ),
    "no change": ("overlapping", "matrix[0, 0] = 0", "safe", {}),
    "outside": ("overlapping", "matrix[7, 0] = 1", "raises", {}),
}


def written(name):
    cast, statement, *_ = WRITES[name]
    return zs.draw.measured_write(statement, **CASTS[cast]())


@pytest.mark.parametrize("name", WRITES)
def test_what_changed_is_measured(name):
    *_, outcome, changed = WRITES[name]
    write = written(name)
    assert write.outcome == outcome
    assert {each: cells for each, cells in write.changed.items() if cells} == changed


@pytest.mark.parametrize("name", WRITES)
def test_the_same_statement_on_the_arrays_themselves_changes_the_same(name):
    """The twin of the private copies: the libraries on the originals, compared by their own ``==``."""
    cast, statement, *_ = WRITES[name]
    arrays = {each: x.detach() if cast == "torch" else x for each, x in CASTS[cast]().items()}
    before = {each: x.tolist() for each, x in arrays.items()}
    raised = ""
    try:
        exec(statement, {}, dict(arrays))
    except (ValueError, RuntimeError, IndexError) as error:
        raised = type(error).__name__
    write = written(name)
    assert write.error.partition(":")[0] == raised
    for each, x in arrays.items():
        differs = np.atleast_2d(np.array(before[each]) != np.array(x.tolist()))
        assert write.changed[each] == tuple(map(tuple, np.argwhere(differs).tolist()))


@pytest.mark.parametrize("cast", CASTS)
def test_the_arrays_handed_in_stay_as_they_are(cast):
    arrays = CASTS[cast]()
    before = {name: x.tolist() for name, x in arrays.items()}
    first = next(iter(arrays))
    assert any(zs.draw.measured_write(f"{first}[:] = 77", **arrays).changed.values())
    assert {name: x.tolist() for name, x in arrays.items()} == before


def lit(figure):
    return [patch for patch in figure.axes[0].patches if patch.get_edgecolor()[:3] == rgb(LIT_EDGE)]


def rgb(colour):
    return tuple(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))


@pytest.mark.parametrize("name", WRITES)
def test_rules_of_a_picture(name):
    write = written(name)
    figure = zs.draw.write_propagation(write)
    assert faults(figure, [*write.before, "ValueError", "RuntimeError", "IndexError"]) == {}
    assert len(lit(figure)) == sum(map(len, write.changed.values()))
    dots = [
        line for line in figure.axes[0].lines if line.get_marker() == "o" and line.get_markersize() == 4.5
    ]
    assert len(dots) == len(lit(figure))
    texts = [text.get_text() for text in figure.axes[0].texts]
    for rows, cells in zip(write.before.values(), write.changed.values(), strict=True):
        assert f"{len(cells)} / {len(rows) * len(rows[0])}" in texts
    assert ("✗" in texts) == bool(write.error)
    assert texts.count("✎") == 2 * len(write.asked)


def test_a_word_that_is_no_code_is_seen():
    figure = zs.draw.write_propagation(written("view"))
    assert "language" in faults(figure, NAMES)


def test_names_of_one_storage_carry_one_mark():
    figure = zs.draw.write_propagation(written("source"))
    marks = [line.get_marker() for line in figure.axes[0].lines if line.get_markersize() == 9]
    assert marks == ["o", "o", "^", "s"]
    alone = zs.draw.write_propagation(zs.draw.measured_write("tiled[0, 0] = 9", tiled=np.ones((2, 2))))
    assert len([line for line in alone.axes[0].lines if line.get_markersize() == 9]) == 1


@pytest.mark.parametrize("name", ["source", "view", "torch row"])
def test_pictures_are_the_same_bytes_every_time(name):
    first, second = (zs.draw.write_propagation(written(name)) for _ in range(2))
    assert svg(first) == svg(second)
    assert png(first) == png(second)
    assert svg(first) != svg(zs.draw.write_propagation(written("edited")))


def test_the_alternative_speaks_both_languages():
    assert alt_text(written("source")) == (
        "source[0, 1] = 9: runs, and changes more than it names. "
        "source: 1 of 3 elements changed, at (0, 1). "
        "view: 4 of 12 elements changed, at (0, 1), (1, 1), (2, 1), (3, 1). "
        "tiled: unchanged. edited: unchanged. "
        "One storage holds source, view. One storage holds tiled. One storage holds edited."
    )
    zs.use("zh")
    words = alt_text(written("view"))
    assert words.startswith("view[0, 1] = 9：被拒绝（ValueError: assignment destination is read-only）。")
    assert "view：没有改变。" in words


def test_values_that_are_not_numbers_stay_what_they_are():
    nan = np.array([[np.nan, 1.0]])
    assert zs.draw.measured_write("nan[0, 1] = 2", nan=nan).changed == {"nan": ((0, 1),)}
    assert zs.draw.measured_write("x[0] = 7", x=np.float16([1, 2])).changed == {"x": ((0, 0),)}
    torch = pytest.importorskip("torch")
    half = torch.ones(2, 2, dtype=torch.bfloat16)
    assert zs.draw.measured_write("half[0, 1] = 3", half=half, part=half[0]).changed["part"] == ((0, 1),)


STATEMENTS = [
    "view",
    "view = 9",
    "view[0] += 1",
    "view[0] = view",
    "other[0] = 9",
    "view[0]; view[1] = 9",
    "view[f()] = 9",
    "view[True] = 9",
    "view['a'] = 9",
    "view[0] = __import__('os')",
    "view[0] = 'text'",
    "view[" + "0, " * 99 + "] = 9",
    "",
    9,
    None,
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_is_no_write_is_refused_in_words(statement):
    with pytest.raises(ValueError, match=r"write one assignment of a number to elements of view, such as"):
        zs.draw.measured_write(statement, view=np.ones((2, 2)))


@pytest.mark.parametrize(
    ("x", "error", "said"),
    [
        ([[1.0]], TypeError, "hand in"),
        (None, TypeError, "hand in"),
        (zs.Layout.of((2, 2), (8, 8), 8), TypeError, "has no values that can be copied"),
        (np.array([[None]]), TypeError, "has no values that can be copied"),
        (np.zeros((9, 2)), ValueError, r"shape \(9, 2\); a write is shown on one to 8 by 8"),
        (np.zeros((2, 0)), ValueError, "a write is shown on one to 8 by 8"),
        (np.zeros((2, 2, 2)), ValueError, "a write is shown on"),
        (np.broadcast_to(np.ones(1), (2**40, 2)), ValueError, "a write is shown on"),
        (np.zeros(10_000_000)[:2], ValueError, "storage of more than 64 MiB"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_words(x, error, said):
    with pytest.raises(error, match=said):
        zs.draw.measured_write("x[0] = 9", x=x)


def test_libraries_are_not_mixed_and_meta_tensors_have_no_values():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="not both in one write"):
        zs.draw.measured_write("x[0] = 9", x=np.ones(2), y=torch.ones(2))
    with pytest.raises(TypeError, match="has no values"):
        zs.draw.measured_write("x[0] = 9", x=torch.ones(2, device="meta"))
    with pytest.raises(ValueError, match="room for 6 names, not for 7"):
        zs.draw.measured_write("x0[0] = 9", **{f"x{number}": np.ones(2) for number in range(7)})
