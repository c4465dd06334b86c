"""A recommended line is run in the program that it was recommended for, on raw torch and NumPy."""

import numpy as np
import pytest

import zerostride as zs

torch = pytest.importorskip("torch")

EXPANDED = "y = source.expand(4, 3)"
LIFTED = "y = np.broadcast_to(source, (4, 3)); y.flags.writeable = True"
STRIDED = "y = np.lib.stride_tricks.as_strided(source, (4, 3), (0, 8))"
WRITES = {
    "one element": ("torch", EXPANDED, "y[0, 0] = 9"),
    "one row": ("torch", EXPANDED, "y[0] += 1"),
    "a mask": ("torch", EXPANDED, "y.masked_fill_(torch.eye(4, 3).bool(), 0)"),
    "all": ("torch", EXPANDED, "y.add_(1)"),
    "an element of NumPy": ("numpy", STRIDED, "y[0, 0] = 9"),
    "a row of NumPy": ("numpy", LIFTED, "y[0] += 1"),
}


def array(library, learns=False):
    values = [[1.0, 2.0, 3.0]]
    return torch.tensor(values, requires_grad=learns) if library == "torch" else np.array(values)


def run(source, *lines):
    names = {"source": source, "np": np, "torch": torch}
    exec("\n".join(lines), names)
    return names["y"]


def repaired(source, make, write, line):
    """Run the program with a line where it belongs: one on the source first, one on y before the write."""
    if "= source." in line:
        return run(source, line.replace("y =", "source ="), make, write)
    return run(source, make, line, write)


def keeps_four_rows(library, make, write, line):
    expected = array(library)
    expected = expected.repeat(4, 1) if library == "torch" else np.tile(expected, (4, 1))
    expected = run(expected, "y = source", write)
    source = array(library)
    try:
        found = repaired(source, make, write, line)
    except RuntimeError:
        return False
    return found.tolist() == expected.tolist() and source.tolist() == [[1, 2, 3]]


def recommended(library, make, write, learns):
    report = zs.evidence(array(library, learns), {"f": lambda x: run(x, make, write)})
    return {line for problem in report.problems for line in problem.repairs if "..." not in line}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("learns", [False, True])
def test_every_line_recommended_for_a_write_keeps_four_rows(name, learns):
    lines = recommended(*WRITES[name], learns and WRITES[name][0] == "torch")
    assert lines
    assert {line for line in lines if not keeps_four_rows(*WRITES[name], line)} == set()


@pytest.mark.parametrize("name", WRITES)
def test_a_copy_of_the_source_alone_keeps_no_four_rows(name):
    line = "y = source.clone()" if WRITES[name][0] == "torch" else "y = source.copy()"
    assert not keeps_four_rows(*WRITES[name], line)


def test_where_nothing_was_expanded_the_source_is_copied():
    (told,) = zs.evidence(array("torch"), {"f": lambda x: x.add_(1)}).problems
    assert (told.name, told.repairs) == ("writes_source", ("y = source.clone()",))


def test_the_line_recommended_for_a_cut_path_joins_it_again():
    report = zs.evidence(array("torch", True), {"f": lambda x: x.detach().expand(4, 3)}, torch.sum)
    (told,) = (problem for problem in report.problems if problem.name == "path_cut")
    for line in told.repairs:
        source = array("torch", True)
        made = run(source, line, "y = y.expand(4, 3)")
        assert made.requires_grad
        made.sum().backward()
        assert source.grad.tolist() == [[4, 4, 4]]
