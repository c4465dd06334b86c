"""The atlas of writes is complete, its rows show what they say, and the record is what is found here."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import zerostride as zs
from zerostride.expansion import LIBRARIES
from zerostride.gradients.precision import same
from zerostride.writes import OUTCOMES
from zerostride.writes.operations import inplace_methods, of_method
from zerostride.writes.recorded import FILE, as_recorded, differences, on_record, recorded
from zerostride.writes.trials import copy_of, root_of, row_of, values_of, writes_outside

torch = pytest.importorskip("torch")

ON_RECORD = {library: on_record(library) for library in LIBRARIES}
HELPED = ("raises", "differs", "warns", "together", "unsafe")


@pytest.fixture(scope="module")
def fresh():
    """Return the whole atlas as it is found here."""
    return zs.writes.atlas(fresh=True)


def told(pairs):
    """Return differences as lines that a person can read."""
    lines = []
    for before, after in pairs:
        row = before or after
        was, now = (f"{each.outcome} {each.error}".strip() if each else "no row" for each in (before, after))
        more = {name for name in row.__dict__ if before and after and vars(before)[name] != vars(after)[name]}
        at = f"{row.library}, {row.operation}, {row.target}"
        lines.append(f"{at}: recorded {was}, here {now} ({', '.join(sorted(more))})")
    return "\n".join(lines)


def test_the_record_is_what_is_found_here(fresh):
    for library in LIBRARIES:
        found = told(pair for pair in fresh.unlike if library in {row.library for row in pair if row})
        if ON_RECORD[library]:
            assert found == ""
        else:
            print(found)


@pytest.mark.parametrize(
    ("numpy", "torch", "held"),
    [("2.4", "2.13.0", (True, True)), ("2.4", "2.8.0", (True, False)), ("2.0", "2.13.0", (False, False))],
)
def test_rows_of_torch_are_on_record_with_the_numpy_they_were_found_with(numpy, torch, held, monkeypatch):
    monkeypatch.setattr("zerostride.writes.recorded.installed", {"numpy": numpy, "torch": torch}.get)
    assert (on_record("numpy"), on_record("torch")) == held


def test_the_file_is_what_would_be_written(fresh):
    if all(ON_RECORD.values()):
        assert FILE.read_text("utf-8") == as_recorded(fresh)


def test_a_row_unlike_the_record_is_told():
    rows = list(recorded()[1])
    rows[0] = replace(rows[0], outcome="safe", error="")
    assert told(differences(recorded()[1], rows[:-1])).splitlines() == [
        "numpy, y += 1, expanded: recorded raises ValueError, here safe (error, outcome)",
        f"torch, {rows[-1].operation}, {rows[-1].target}: recorded {rows[-1].outcome}, here no row ()",
    ]


def unclassified(names, rows):
    """Return the in-place methods of a tensor that have no verdict."""
    statements = {row.operation for row in rows if row.library == "torch" and row.outcome in OUTCOMES}
    return [name for name in names if of_method(name).statement not in statements]


def test_every_inplace_method_of_torch_has_a_verdict():
    names = inplace_methods(torch.Tensor)
    assert {"add_", "zero_", "__iadd__", "index_put_", "set_"} <= set(names)
    missing = unclassified(names, recorded()[1])
    if ON_RECORD["torch"]:
        assert missing == []
    else:
        print("without a verdict:", missing)


def test_a_method_without_a_verdict_is_seen():
    class Newer(torch.Tensor):
        def invert_everything_(self):
            return self

    rows = recorded()[1]
    missing = set(unclassified(inplace_methods(Newer), rows))
    assert missing - set(unclassified(inplace_methods(torch.Tensor), rows)) == {"invert_everything_"}


def test_a_newcomer_is_tried_by_itself():
    assert row_of(of_method("square_"), "expanded").outcome == "raises"
    nothing = row_of(of_method("invert_everything_"), "expanded")
    assert (nothing.outcome, nothing.reason, nothing.error) == (
        "not_applicable",
        "copy_refuses",
        "AttributeError",
    )


def test_not_applicable_only_with_a_reason_and_never_for_want_of_arguments():
    rows = [row for row in recorded()[1] if row.outcome == "not_applicable"]
    assert {row.reason for row in rows} == {"sparse", "gpu", "removed", "no_such_layout", "no_effect"}
    seen = {row.operation for row in recorded()[1] if row.outcome != "not_applicable"}
    assert not [row for row in rows if row.reason == "no_effect" and row.operation not in seen]


@pytest.mark.skipif(not hasattr(torch.Tensor, "_philox_normal_"), reason="new in torch 2.13")
def test_philox_needs_a_gpu():
    with pytest.raises((NotImplementedError, RuntimeError), match="CPU"):
        torch.ones(3)._philox_normal_(torch.tensor([1, 2], dtype=torch.uint64))


# What a row says, judged here from its two lines alone.


def begun(row):
    names = {"np": np, "torch": torch}
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(row.reproducer.partition("\n")[0], names)
    return names


def ended(names, statement):
    """Run a statement; return the class of its error and of its warnings."""
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            torch.manual_seed(0)
            exec(statement, names)
    except Exception as error:
        return type(error).__name__, set()
    finally:
        torch.set_warn_always(False)
    return "", {each.category.__name__ for each in caught}


def shows(row):
    """Return whether a row's two lines do what the row says."""
    names = begun(row)
    y = names["y"]
    if row.outcome == "unsafe":
        outside = zs.layout(y).outside
        return outside or writes_outside(row.reproducer.partition("\n")[0], row.operation)
    memory, before = values_of(root_of(y)), root_of(y)
    copied = names | {"y": copy_of(y)}
    if row.target == "saved":
        return shows_in_gradient(row, names)
    error, warned = ended(names, row.operation)
    changed = not same(values_of(before), memory).all()
    if row.outcome == "raises":
        return row.error == error
    if error:
        return False
    if row.outcome in ("metadata", "safe") and (
        row.outcome == "metadata" or row.family in ("door", "autograd")
    ):
        return not changed
    if row.outcome == "warns":
        return row.warning in warned and changed
    if row.outcome == "together":
        return changed and (row.target == "warning" or zs.layout(y).overlaps)
    ended(copied, row.operation)
    own = row.instead.partition("; ")[2] if "[:, " in row.operation or "[1:]" in row.operation else ""
    if row.outcome == "differs" and (own or row.compiled):
        copied = begun(row)
        ended(copied, row.instead)
    alike = same(values_of(names["y"]), values_of(copied["y"])).all()
    if row.target == "column" and row.outcome == "differs":
        return True if not alike else changed
    return bool(alike) == (row.outcome == "safe")


def shows_in_gradient(row, names):
    wanted = begun(row)
    ended(wanted, "loss.backward()")
    error, _ = ended(names, row.operation)
    if error:
        return (row.outcome, row.error) == ("raises", error)
    equal = torch.equal(names["x"].grad, wanted["x"].grad)
    return row.outcome == ("safe" if equal else "differs")


def rows_of(**asked):
    if not all(ON_RECORD.values()):
        pytest.skip("the record is of other versions")
    return [row for row in zs.writes.atlas().filter(**asked) if row.outcome != "not_applicable"]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("outcome", [name for name in OUTCOMES if name != "not_applicable"])
def test_two_lines_show_each_row(library, outcome):
    rows = rows_of(library=library, outcome=outcome)
    assert rows
    assert [row.reproducer for row in rows if not shows(row)] == []


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_safe_way_is_right_and_changes_no_alias(library):
    rows = [row for row in rows_of(library=library, outcome=HELPED) if row.target not in ("outside", "saved")]
    assert [row.reproducer for row in rows if not row.instead] == []
    assert [(row.reproducer, row.instead) for row in rows if not is_safe(row)] == []


def is_safe(row):
    names = begun(row)
    y, memory = names["y"], values_of(root_of(names["y"]))
    root = root_of(y)
    error, _ = ended(names, row.instead)
    result = names.get("z", names["y"])
    apart = (
        not shares(result, root) or "detach" in row.operation
    )  # taken out of the graph, and nothing written
    return not error and same(values_of(root), memory).all() and apart


def shares(result, root):
    storages = [
        each.untyped_storage().data_ptr() if isinstance(each, torch.Tensor) else each.ctypes.data
        for each in (result, root)
    ]
    return storages[0] == storages[1]


def test_the_safe_way_beside_what_is_saved():
    for row in rows_of(target="saved", outcome=HELPED):
        assert shows(replace(row, operation=row.instead, outcome="safe", error=""))


WRONG = [
    ("y.add_(1)", "expanded", {"outcome": "together", "error": ""}),
    ("y.add_(1)", "expanded", {"error": "ValueError"}),
    ("y[0, 0] = 9", "expanded", {"outcome": "safe"}),
    ("y.tril_()", "expanded", {"outcome": "safe"}),
    ("y.masked_fill_(torch.eye(4, 3).bool(), 9)", "expanded", {"warning": "FutureWarning"}),
    ("y.add_(1)", "repeat", {"outcome": "differs"}),
    ("y.t_()", "expanded", {"outcome": "raises", "error": "RuntimeError"}),
    ("y.data[0, 0] = 9; loss.backward()", "saved", {"outcome": "raises"}),
    ("y.fill_(9)", "expanded", {"outcome": "unsafe"}),
]


@pytest.mark.parametrize(("operation", "target", "wrong"), WRONG)
def test_a_wrong_row_is_seen(operation, target, wrong):
    row = next(
        row
        for row in recorded()[1]
        if (row.operation, row.target) == (operation, target) and row.library == "torch"
    )
    assert shows(row)
    assert not shows(replace(row, **wrong))


def test_a_way_that_changes_an_alias_is_seen():
    row = next(row for row in recorded()[1] if row.operation == "y.add_(1)" and row.target == "window")
    assert is_safe(row)
    assert not is_safe(replace(row, instead="y[0, 0] = 9"))
    assert not is_safe(replace(row, instead="y = y[:]"))
