"""What importing zerostride costs beside ``import numpy``: fresh interpreters in turns, the ratio printed."""

import argparse
import statistics
import subprocess
import sys
import time

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
    subprocess.run([sys.executable, "-c", program], check=True)
    return time.perf_counter() - start


def medians(rounds):
    """Return the median seconds of each program, taken in turns, the interpreter's own start taken off."""
    for program in PROGRAMS.values():
        seconds(program)  # once without counting, so that every file is in the cache
    taken = [[seconds(program) for program in PROGRAMS.values()] for _ in range(rounds)]
    middle = dict(zip(PROGRAMS, map(statistics.median, zip(*taken, strict=True)), strict=True))
    return {name: cost - middle["nothing"] for name, cost in middle.items() if name != "nothing"}


def main():
    """Print the ratios; return 1 where NumPy and zerostride together miss the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--smoke", action="store_true", help="few rounds: shows that it runs, fails on gross loss alone"
    )
    smoke = parser.parse_args().smoke
    rounds, most = (5, SMOKE_GOAL) if smoke else (31, GOAL)
    cost = medians(rounds)
    ratios = {name: own / cost["import numpy"] for name, own in cost.items()}
    for name, own in cost.items():
        print(f"{name:30}{own * 1000:7.1f} ms {ratios[name]:6.2f} x import numpy")
    print(f"goal: import numpy, zerostride at most {GOAL} x; {rounds} rounds, medians")
    return 0 if ratios["import numpy, zerostride"] <= most else 1


if __name__ == "__main__":
    sys.exit(main())
