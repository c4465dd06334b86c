"""Every public function, handed whatever there is in the place of each of its arguments."""

import inspect
import re
import signal
import time
import traceback
import warnings
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

import zerostride as zs
from hostile_values import SOURCE, VALUES, VIEW, WEIGHTS, torch
from test_hostile_names import assert_harmless, assert_typed
from zerostride.language import LANGUAGES, use
from zerostride.pairs.typography import HAN

try:
    import resource
except ImportError:
    resource = None

SRC, HERE = Path(zs.__file__).parent, Path(__file__)
SECONDS, ROOM_BYTES = 20, 1 << 30
TILED = np.tile(SOURCE, (4, 1))
STANDING = (SOURCE, TILED, WEIGHTS)
ROW, GROWN = {"source_shape": (1, 3)}, {"source_shape": (1, 3), "target_shape": (4, 3)}
SUM = {"sum": lambda x: x.sum()}


def expanded(x):
    return np.broadcast_to(x, (4, 3))


# What a check is handed, by the names of its parameters.
SAMPLES = {
    "source": SOURCE,
    "view": VIEW,
    "tiled": TILED,
    "edited": TILED,
    "dense": TILED,
    "weights": None,
    "sums": np.full((1, 3), 4.0),
    "make": expanded,
    "two_rows": np.ones((2, 3)),
    "shape": (4, 3),
}
# A good call of every public function, by the names of its parameters.
GOOD = {
    "Layout.of": {"shape": (4, 3), "strides_bytes": (0, 8), "itemsize": 8},
    "advise": GROWN,
    "budget": {"shape": (4, 3)},
    "bytes_of": {"arrays": (SOURCE,)},
    "can_expand": GROWN,
    "can_i_write": {"x": TILED, "statement": "y[0] = 9"},
    "caught": {},
    "compare": {"a": SOURCE, "b": VIEW},
    "compare_gradients": {"programs": SUM, "x": SOURCE},
    "draw.addresses": {"ax": Figure(figsize=(9, 4)).add_subplot(), "x": VIEW},
    "draw.alignment": GROWN,
    "draw.byte_bill": {"bill": zs.budget((4, 3))},
    "draw.chain_rule": {"report": zs.uses(expanded, SOURCE)},
    "draw.measured_routes": {},
    "draw.measured_write": {"statement": "source[0, 1] = 9", "named": {"source": SOURCE}},
    "draw.one_ruler": {"named": {"view": VIEW}},
    "draw.origins": {"named": {"row": SOURCE[0]}},
    "draw.side_by_side": {"named": {"view": VIEW}},
    "draw.storage_and_path": {},
    "draw.storages": {"named": {"view": VIEW}},
    "draw.timings": {"report": zs.measure_time(SUM, SOURCE, rounds=3)},
    "draw.training_curves": {"training": None if torch is None else zs.parameters.train(steps=1)},
    "draw.write_propagation": {"write": zs.draw.measured_write("source[0, 1] = 9", source=SOURCE)},
    "evidence": {"source": SOURCE, "programs": {"expand": expanded}},
    "explore.addresses": {},
    "explore.byte_bill": {},
    "explore.decide": {},
    "explore.derivative": {},
    "explore.shapes": {},
    "explore.writes": {},
    "finite_difference": {"f": SUM["sum"], "x": SOURCE},
    "glossary": {},
    "layout": {"x": SOURCE},
    "machine": {},
    "measure": {"f": expanded, "inputs": (SOURCE,)},
    "measure_time": {"programs": SUM, "inputs": (SOURCE,), "rounds": 3},
    "parameter_report": {"module_or_parameters": {} if torch is None else torch.nn.Linear(2, 2)},
    "parameters.examine_repeat": {"rows": 2},
    "parameters.train": {"steps": 1},
    "parameters.try_steps": {"optimizers": ["none"]},
    "predict": {"name": "row-stride"},
    "requirements": {},
    "reshape_copies": {"x": VIEW, "shape": -1},
    "saved_for_backward": {"f": SUM["sum"]},
    "saving": {"x": SOURCE},
    "show": {"figure": Figure(figsize=(1, 1)), "alt": "report.passed"},
    "storages": {"named": {"a": SOURCE}},
    "use": {"language": "en"},
    "uses": {"f": expanded, "x": SOURCE, "weights": WEIGHTS},
    "writable": {"x": SOURCE},
    "writes.atlas": {},
    "writes.autograd": {},
    "your_turn": {"name": "offset-of-3-1", "answer": 8},
    "checks.run": {"suites": ["numpy"]},
} | {f"checks.{claim}": SAMPLES for claim in zs.checks.CLAIMS}
SLOTS = [
    (name, slot)
    for name in GOOD
    for slot in inspect.signature(attrgetter(name)(zs)).parameters
    if (name, slot) != ("writes.atlas", "fresh")
]
OFTEN = settings(
    max_examples=500,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=5)
NESTED = st.recursive(LEAVES, lambda inside: st.lists(inside, max_size=3) | st.tuples(inside, inside))
HANDED = st.sampled_from(list(VALUES)).map(lambda name: VALUES[name]()) | NESTED


def public():
    """Return the names of all public functions, each once."""
    for name in zs.__all__:
        each = getattr(zs, name)
        if not inspect.ismodule(each):
            yield f"{name}.of" if name == "Layout" else name
            continue
        for part in each.__all__:
            found = getattr(each, part)
            if inspect.isfunction(found) and found is not getattr(zs, part, None):
                yield f"{name}.{part}"


def documented(name):
    """Return the errors that a function tells of; the first check speaks for all."""
    name = "checks.shapes_match" if name.split(".")[-1] in zs.checks.CLAIMS else name
    told = inspect.getdoc(attrgetter(name)(zs)).partition("Raises\n------\n")[2]
    names = re.findall(r"^(\w+(?:, \w+)*)$", told.partition("\n\n")[0], re.MULTILINE)
    names += ["ImportError"] if torch is None else []
    errors = {
        name: getattr(zs.checks, name, None) or __builtins__.get(name)
        for name in ", ".join(names).split(", ")
    }
    return tuple(filter(None, errors.values()))


def call(name, slot, value):
    """Call a public function with a value in one place and good ones in the others."""
    function, good = attrgetter(name)(zs), GOOD[name]
    parameters = inspect.signature(function).parameters.values()
    one_by_one = next((each.name for each in parameters if each.kind is each.VAR_POSITIONAL), None)
    given, more, named = [], (), {}
    for each in parameters:
        held = value if each.name == slot else good.get(each.name, each.empty)
        if held is each.empty:
            continue
        if each.kind is each.VAR_POSITIONAL:
            more = (value,) if each.name == slot else held
        elif each.kind is each.VAR_KEYWORD:
            named |= {"a": value} if each.name == slot else held
        elif each.kind is each.POSITIONAL_OR_KEYWORD and one_by_one:
            given.append(held)
        else:
            named[each.name] = held
    return function(*given, *more, **named)


class NoEndError(BaseException):
    """A call took too long; nothing may catch that."""


@contextmanager
def bounded():
    """End what takes long, and let nothing large be allocated."""

    def ended(*_):
        raise NoEndError

    if resource is None or not Path("/proc/self/statm").exists():
        yield
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    alarm = signal.signal(signal.SIGALRM, ended)
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM_BYTES, before[1]))
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, alarm)
        resource.setrlimit(resource.RLIMIT_AS, before)


def held_in(value):
    """Return the bytes of a small array or tensor that was handed in; None for anything else."""
    if isinstance(value, np.ndarray) and value.nbytes < 1 << 20 and not value.dtype.hasobject:
        return value.tobytes()
    plain = torch is not None and type(value) is torch.Tensor and value.layout is torch.strided
    if (
        plain
        and value.device.type == "cpu"
        and not (value.is_quantized or value.is_nested or value.numel() > 99)
    ):
        return str(value.tolist())
    return None


def is_its_own(error, value):
    """Return whether a program raised the error itself: one that was handed in, or one of this file."""
    files = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
    of_ours = max((at for at, file in enumerate(files) if SRC in file.parents), default=-1)
    return 0 <= of_ours < len(files) - 1 and (callable(value) or HERE in files[of_ours + 1 :])


def shown(report):
    """Hold that a report can be shown, and that nothing in it is run."""
    if hasattr(report, "to_dict"):
        report.to_dict()
        assert_harmless(report._repr_html_())
        assert_typed(str(report))


def harmless(made, errors, value, language):
    """Hold that a call is answered or refused in words, with an error that is told of; nothing is changed."""
    use(language)
    before = [held_in(each) for each in (value, *STANDING)]
    refused = None
    with bounded(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            report = made()
        except Exception as error:
            refused = error
        else:
            shown(report)
    assert [held_in(each) for each in (value, *STANDING)] == before
    if refused and not is_its_own(refused, value):
        assert isinstance(refused, errors), repr(refused)
        words = str(refused.args[0])
        assert words
        assert bool(re.search(f"[{HAN}]", words)) == (language == "zh"), words


@pytest.fixture(scope="module")
def atlas():
    """Try every write once, outside the clock: on versions without a record that takes its time."""
    zs.writes.atlas()


@pytest.fixture
def folder(tmp_path, monkeypatch, atlas):
    """Be in a folder where a file that is written would be seen; close what is opened."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("IPython.display.display", lambda _: None)
    yield tmp_path
    from ipywidgets import Widget

    Widget.close_all()
    assert not list(tmp_path.iterdir())


def test_every_public_function_is_called():
    assert set(public()) == set(GOOD)


@OFTEN
@given(place=st.sampled_from(SLOTS), value=HANDED, language=st.sampled_from(LANGUAGES))
def test_whatever_is_handed_in_is_answered_or_refused_in_words(folder, place, value, language):
    name, slot = place
    harmless(lambda: call(name, slot, value), documented(name), value, language)


def test_good_calls_are_answered(folder):
    for name in GOOD:
        harmless(lambda name=name: call(name, "", None), documented(name), None, "zh")


def changed(value):
    value[...] = 9


def refused(error):
    raise error


LEAKS = {
    "NumPy's own": lambda value: bool(value == value),
    "not told of": lambda _: refused(KeyError("没有")),
    "another language": lambda _: refused(ValueError("no array")),
    "no words": lambda _: refused(ValueError("")),
    "changed": changed,
    "much memory": lambda _: np.empty(1 << 31),
    "no end": lambda _: time.sleep(3),
    "HTML": lambda _: SimpleNamespace(to_dict=dict, _repr_html_=lambda: "<script>"),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_would_be_seen(monkeypatch, leak):
    """Put each in the place of the package's own code."""
    monkeypatch.setattr(f"{__name__}.SECONDS", 1)
    monkeypatch.setattr(f"{__name__}.HERE", None)
    value = np.arange(3.0)
    with pytest.raises((AssertionError, NoEndError)):
        harmless(lambda: LEAKS[leak](value), (TypeError, ValueError), value, "zh")
