"""What importing zerostride costs beside ``import numpy``: fresh interpreters in turns, medians."""

import statistics
import subprocess
import sys
import time

from rows import Row, main

GOAL = 1.3
SMOKE_GOAL = 2.6  # five rounds on a busy machine say no more
PROGRAMS = {
    "nothing": "pass",
    "import numpy": "import numpy",
    "import zerostride": "import zerostride",
    "import numpy, zerostride": "import numpy, zerostride",
    "from zerostride import layout": "from zerostride import layout",
}


def seconds(program):
    """Return how long a fresh interpreter takes for a program."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def medians(programs, rounds):
    """Return the median seconds of each program, taken in turns."""
    for program in programs.values():
        seconds(program)  # once without counting, so that every file is in the cache
    taken = [[seconds(program) for program in programs.values()] for _ in range(rounds)]
    return dict(zip(programs, map(statistics.median, zip(*taken, strict=True)), strict=True))


def rows(smoke=False):
    """Return what NumPy and zerostride cost beside NumPy alone, without the interpreter's own start."""
    middle = medians(PROGRAMS, 5 if smoke else 31)
    cost = {name: (own - middle["nothing"]) * 1000 for name, own in middle.items() if name != "nothing"}
    for name, own in cost.items():
        print(f"{name:30}{own:7.1f} ms")
    both, alone = cost["import numpy, zerostride"], cost["import numpy"]
    return {"import": Row("ms", both, alone, SMOKE_GOAL if smoke else GOAL)}


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
