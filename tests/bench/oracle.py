"""Random layouts of each library against brute force: how many, and how many answers were wrong.

    python tests/bench/oracle.py --count 100000

Ends with status 1 if any answer was wrong. An answer left open (a bound
instead of a number) counts as wrong: at these sizes everything can be decided.
"""

import argparse
import random
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import zerostride as zs
from oracle import faults
from strategies import by_hand, numpy_sample, torch_sample

MAKERS = {"numpy": numpy_sample, "torch": torch_sample}


def main(argv=None):
    """Run and print one line a library."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--count", type=int, default=100_000, help="layouts of each library")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--library", choices=MAKERS, action="append")
    told = asked.parse_args(argv)
    warnings.simplefilter("ignore")
    return max(run(name, told.count, told.seed) for name in told.library or MAKERS)


def run(library, count, seed):
    """Compare so many layouts of one library; return 1 if an answer was wrong."""
    choices, seen, wrong, started = random.Random(seed), Counter(), [], time.perf_counter()
    for _ in range(count):
        sample = MAKERS[library](by_hand(choices))
        seen.update(kinds_of(sample))
        wrong += faults(sample, zs.layout(sample.x), random_index(choices, sample.x.shape))
    minutes = (time.perf_counter() - started) / 60
    print(f"{library}: {count:,} layouts, {len(wrong):,} wrong answers, {minutes:.1f} minutes")
    print("  " + ", ".join(f"{number:,} {kind}" for kind, number in sorted(seen.items())))
    for fault in wrong[:10]:
        print("  " + fault)
    return int(bool(wrong))


def random_index(choices, shape):
    """Return an index to write at, or None where there is none."""
    return None if 0 in shape else tuple(choices.randrange(size) for size in shape)


def kinds_of(sample):
    """Name what makes a layout hard, to show that the sample holds enough of it."""
    x = sample.x
    strides = x.strides if isinstance(x, np.ndarray) else x.stride()
    moving = [step for step, size in zip(strides, x.shape, strict=True) if size > 1]
    starts = [operation.split()[0] for operation in sample.story[1:]]
    kinds = {
        "without elements": 0 in x.shape,
        "of no axis": not x.shape,
        "with a zero stride": 0 in moving and 0 not in x.shape,
        "with a negative stride": any(step < 0 for step in moving),
        "with windows or free strides": any("window" in each or "strided" in each for each in starts),
    }
    return [kind for kind, held in kinds.items() if held]


if __name__ == "__main__":
    sys.exit(main())
