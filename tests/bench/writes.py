"""How long the atlas of writes takes: read from the record, and with every statement tried."""

import os
import sys
import time

from rows import Row, main

import zerostride as zs

LIMIT_SECONDS = 20
SMOKE_TIMES = 3  # a busy machine says no more


def rows(smoke=False):
    """Return the seconds that trying takes beside the limit; for a smoke run NumPy's statements alone."""
    libraries = ("numpy",) if smoke else ("numpy", "torch")
    start = time.perf_counter()
    recorded = zs.writes.atlas(libraries)
    between, before = time.perf_counter(), os.times()
    tried = zs.writes.atlas(libraries, fresh=True)
    seconds = time.perf_counter() - between
    computing = sum(os.times()[2:4]) - sum(before[2:4])
    print(f"from the record: {len(recorded)} rows in {between - start:.2f} s")
    print(f"every statement tried: {len(tried)} rows in {seconds:.1f} s, computing {computing:.1f} s")
    print(f"unlike the record: {len(tried.unlike)}")
    return {"writes": Row("s", seconds, LIMIT_SECONDS, SMOKE_TIMES if smoke else 1)}


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
