"""How long the atlas of writes takes: read from the record, and with every statement tried."""

import argparse
import os
import sys
import time

import zerostride as zs

GOAL_SECONDS = 20
SMOKE_GOAL_SECONDS = 60  # a busy machine says no more


def main():
    """Print the times; return 1 where the whole atlas misses the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="NumPy alone: shows that it runs")
    smoke = parser.parse_args().smoke
    libraries = ("numpy",) if smoke else ("numpy", "torch")
    start = time.perf_counter()
    recorded = zs.writes.atlas(libraries)
    between = time.perf_counter()
    tried = zs.writes.atlas(libraries, fresh=True)
    seconds = time.perf_counter() - between
    own = os.times()
    print(f"from the record: {len(recorded)} rows in {between - start:.2f} s")
    print(f"every statement tried: {len(tried)} rows in {seconds:.1f} s, computing {own[2] + own[3]:.1f} s")
    print(f"unlike the record: {len(tried.unlike)}; goal: at most {GOAL_SECONDS} s")
    return 0 if seconds <= (SMOKE_GOAL_SECONDS if smoke else GOAL_SECONDS) else 1


if __name__ == "__main__":
    sys.exit(main())
