"""What ``zerostride check`` costs, all 42 results, beside ``import torch``: fresh interpreters in turns."""

import sys

from import_cost import medians
from rows import Row, main

GOAL = 2
SMOKE_GOAL = 4  # a busy machine says no more
PROGRAMS = {
    "check": "import sys; from zerostride.cli import main; sys.exit(main(['check', '--lang', 'en']))",
    "torch": "import torch",
}


def rows(smoke=False):
    """Return the seconds of the command beside those of the import that it needs, start included."""
    middle = medians(PROGRAMS, 1 if smoke else 9)
    return {"check": Row("s", middle["check"], middle["torch"], SMOKE_GOAL if smoke else GOAL)}


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
