"""How long it takes to run all twenty notebooks and compare every stored output, as `make test` does."""

import os
import subprocess
import sys
import time
from pathlib import Path

from rows import Row, main

ROOT = Path(__file__).parents[2]
LIMIT_SECONDS = 240
COMMAND = (
    "-m pytest -q --nbval --nbval-current-env --nbval-cell-timeout=120 "
    "--nbval-sanitize-with tests/nbval.cfg -n 2 --dist loadfile"
)


def rows(smoke=False):
    """Return the seconds for every notebook beside the limit; for a smoke run the two of one lesson."""
    which = sorted(map(str, (ROOT / "notebooks").glob("*/02_*.ipynb"))) if smoke else ["notebooks"]
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *COMMAND.split(), *which],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "tests" / "strict")},
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - start
    print(done.stdout if done.returncode else done.stdout.splitlines()[-1])
    if done.returncode:
        sys.exit("an output differs from the stored one: nothing measured")
    return {"nbval": Row("s", seconds, LIMIT_SECONDS, 1)}


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
