"""Mutants of the core modules: mutmut's mutations of everything inside a function, sampled by a seed."""

import random
import re
from dataclasses import asdict, dataclass
from difflib import ndiff

import libcst as cst
import libcst.matchers as m
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider
from mutmut.mutation.mutators import mutation_operators

PACKAGES = ("layouts", "sharing", "gradients", "memory", "writes", "advice", "checks")
# As mutmut does: what they return hardly ever survives a change.
NEVER_MUTATED = m.Call(func=m.Name("len") | m.Name("isinstance"))
# A guard against bugs elsewhere, which no right call can set off.
STRICT = re.compile(r", (strict=\w+)?(?=\))")
SAYING = m.Call(func=m.Name("say"))


@dataclass(frozen=True)
class Mutant:
    """One change of one file: the lines it touches, and the whole changed text."""

    file: str
    function: str
    first: int
    last: int
    was: str
    now: str
    text: str

    @property
    def key(self):
        """What names it in ``equivalent.toml``."""
        return self.file, self.function, self.was, self.now

    def to_dict(self):
        return asdict(self)


class Places(cst.CSTVisitor):
    """Every node inside a function that may change, with the name of the outermost function."""

    METADATA_DEPENDENCIES = (PositionProvider, ParentNodeProvider)

    def __init__(self):
        self.found = []
        self.classes, self.functions = [], []

    def on_visit(self, node):
        if isinstance(node, cst.ClassDef):
            self.classes.append(node.name.value)
        elif isinstance(node, cst.FunctionDef):
            self.functions.append(node.name.value)
        if isinstance(node, cst.Annotation | cst.Decorator) or m.matches(node, NEVER_MUTATED):
            return False
        if isinstance(node, cst.Param) and node.default is not None:
            return False
        if self.functions and not self._is_words(node):
            name = ".".join(self.classes + self.functions[:1])
            self.found.append((node, name, *self._lines(node)))
        return True

    def on_leave(self, node):
        if isinstance(node, cst.ClassDef):
            self.classes.pop()
        elif isinstance(node, cst.FunctionDef):
            self.functions.pop()

    def _is_words(self, node):
        """Whether a node is a docstring or the key of something shown."""
        if not isinstance(node, cst.BaseString):
            return False
        parent = self.get_metadata(ParentNodeProvider, node)
        above = self.get_metadata(ParentNodeProvider, parent)
        return isinstance(parent, cst.Expr) or m.matches(above, SAYING)

    def _lines(self, node):
        """Return the lines of the statement a node belongs to."""
        while not isinstance(node, cst.BaseSmallStatement | cst.BaseCompoundStatement):
            node = self.get_metadata(ParentNodeProvider, node)
        if isinstance(node, cst.Expr | cst.BaseSmallStatement):
            place = self.get_metadata(PositionProvider, node)
            return place.start.line, place.end.line
        start = self.get_metadata(PositionProvider, node).start.line
        body = self.get_metadata(PositionProvider, node.body).start.line if hasattr(node, "body") else start
        return start, max(start, body - 1)


def changes(path):
    """Return the syntax tree of a file and every change of one node in it, with the lines around the node."""
    wrapper = MetadataWrapper(cst.parse_module(path.read_text("utf-8")))
    places = Places()
    wrapper.visit(places)
    return wrapper.module, [
        (node, changed, place)
        for node, *place in places.found
        for kind, operator in mutation_operators
        if isinstance(node, kind)
        for changed in operator(node)
    ]


def difference(code, text):
    lines = [line for line in ndiff(code.splitlines(), text.splitlines()) if line[0] in "-+"]
    was = " ".join(line[2:].strip() for line in lines if line[0] == "-")
    now = " ".join(line[2:].strip() for line in lines if line[0] == "+")
    return was, now


def sampled(root, package, each, seed, unchanged=False):
    """Return how many changes a package has room for, and mutants of some of them, drawn at random."""
    trees, every = {}, []
    for path in sorted((root / "src/zerostride" / package).rglob("*.py")):
        trees[path], found = changes(path)
        every += [(path, *change) for change in found]
    mutants = []
    for path, node, changed, place in random.Random(f"{seed} {package}").sample(every, len(every)):
        if len(mutants) == each:
            break
        code, text = trees[path].code, trees[path].deep_replace(node, changed).code
        if STRICT.sub("", code) != STRICT.sub("", text):
            written = code if unchanged else text
            mutants.append(
                Mutant(path.relative_to(root).as_posix(), *place, *difference(code, text), written)
            )
    return len(every), mutants
