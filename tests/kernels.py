"""Run a notebook's cells in a real kernel, with torch or where torch cannot be imported."""

import json
import os
from copy import deepcopy

import nbformat
from nbclient import NotebookClient

from zerostride.course import tags

_BLOCK = "import sys\nsys.modules['torch'] = None\n"
_PROBE = "import sys as _s\nprint('torch' in _s.modules)"


def without_torch_cells(notebook):
    """Return a copy without the code cells tagged ``torch``."""
    left = deepcopy(notebook)
    left["cells"] = [cell for cell in left["cells"] if not ("torch" in tags(cell) and "source" in cell)]
    return left


def run(notebook, path):
    """Run every cell and return the executed notebook; ``path`` is the kernel's own ``sys.path`` entry.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell raises.
    """
    executed = nbformat.reads(json.dumps(notebook), as_version=4)
    before = os.environ.get("PYTHONPATH")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(path), before])),
        "IPYTHONDIR": str(path / "ipython"),
    }
    client = NotebookClient(executed, timeout=120, resources={"metadata": {"path": str(path)}})
    client.execute(env=environment)
    return executed


def run_without_torch(notebook, path):
    """Run the cells that are not tagged ``torch`` in a kernel where ``import torch`` fails."""
    (path / "sitecustomize.py").write_text(_BLOCK)
    return run(without_torch_cells(notebook), path)


def loads_torch_too_early(notebook, path):
    """Return whether torch is loaded by the cells before the first one tagged ``torch``."""
    cells = notebook["cells"]
    first = next((at for at, cell in enumerate(cells) if "torch" in tags(cell)), len(cells))
    early = deepcopy(notebook)
    early["cells"] = [*early["cells"][:first], nbformat.v4.new_code_cell(_PROBE, id="probe")]
    executed = run(early, path)
    return executed.cells[-1].outputs[0].text.strip() == "True"
