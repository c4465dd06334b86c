"""What other inspectors say of a view and of a copy that hold equal values: do they tell the two apart?

    python tests/bench/inspectors.py FOLDER

FOLDER holds them; `make bench` installs them into `.venv/peers`. None is a dependency of the course.
"""

import json
import re
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

import numpy as np

import zerostride as zs

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
OWN_NUMBER = re.compile(r"\d{9,}")  # of an object; another in every process


def graph(source, result):
    """Return the drawing of memory-graph as text."""
    mg = import_module("memory_graph")
    mg.extend_numpy()
    mg.extend_torch()
    return mg.create_graph({"source": source, "result": result}).source


INSPECTORS = {
    "print": lambda _, result: str(result),
    "lovely-numpy": lambda _, result: str(import_module("lovely_numpy").lo(result)),
    "lovely-tensors": lambda _, result: str(import_module("lovely_tensors").lovely(result)),
    "treescope": lambda _, result: import_module("treescope").render_to_text(result),
    "memory-graph": graph,
    "rainbow-tensor": lambda _, result: import_module("rainbow_tensor").memory(result).text,
    "zerostride": lambda _, result: str(zs.layout(result)),
}
OURS = ("print", "zerostride")
LIBRARIES = {"lovely-numpy": ("numpy",), "lovely-tensors": ("torch",)}


def missing():
    """Return the inspectors that are not installed."""

    def there(name):
        try:
            return version(name)
        except PackageNotFoundError:
            return None

    return [name for name in INSPECTORS if name not in OURS and not there(name)]


def pairs():
    """Return source, view and copy in each library."""
    import torch

    array, tensor = np.array([[1.0, 2.0, 3.0]]), torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64)
    return {
        "numpy": (array, np.broadcast_to(array, (4, 3)), np.tile(array, (4, 1))),
        "torch": (tensor, tensor.expand(4, 3), tensor.repeat(4, 1)),
    }


def asked(inspector, source, result):
    """Return what an inspector says, numbers of objects in their order of appearance."""
    said, seen = COLOUR.sub("", inspector(source, result)), {}
    return OWN_NUMBER.sub(lambda number: f"#{seen.setdefault(number[0], len(seen))}", said)


def outcome(inspector, source, view, copy):
    """Return whether an inspector says the same of view and copy, and how its answer begins."""
    try:
        said = [asked(inspector, source, result) for result in (view, copy)]
    except Exception as error:  # Whatever it raises is its answer.
        return {"outcome": "fails", "said": f"{type(error).__name__}: {error}"}
    return {"outcome": "alike" if said[0] == said[1] else "apart", "said": said[0].splitlines()[0]}


def answers():
    """Return the outcome for each inspector and library, with its version."""
    told = {}
    for name, inspector in INSPECTORS.items():
        told[name] = {} if name in OURS else {"version": version(name)}
        for library, three in pairs().items():
            if library in LIBRARIES.get(name, pairs()):
                told[name][library] = outcome(inspector, *three)
    return told


if __name__ == "__main__":
    sys.path.extend(sys.argv[1:])
    print(json.dumps(answers(), indent=1, ensure_ascii=False))
