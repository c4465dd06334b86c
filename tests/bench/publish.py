"""What building the editions takes: each alone, then all together in two processes, against the limit."""

import sys
import tempfile
import time
from pathlib import Path

from rows import Row, main

from zerostride.language import LANGUAGES
from zerostride.publish.editions import EDITIONS, Wishes, build, publish

LIMIT_SECONDS = 90
SMOKE_TIMES = 3  # a busy machine says no more


def alone():
    """Print seconds, files and bytes of each edition in each language, one after the other."""
    print("| edition | language | seconds | files | bytes |\n|---|---|---|---|---|")
    for edition in EDITIONS:
        for language in LANGUAGES:
            start = time.perf_counter()
            files = build(edition, language, (), Wishes())
            seconds, size = time.perf_counter() - start, sum(map(len, files.values()))
            print(f"| {edition} | {language} | {seconds:.1f} | {len(files)} | {size:,} |", flush=True)


def together():
    """Return the seconds of the whole command: everything built in two processes and written."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        publish(Path(folder), jobs=2)
        return time.perf_counter() - start


def rows(smoke=False):
    """Return the seconds of all editions together beside the limit."""
    return {"publish": Row("s", together(), LIMIT_SECONDS, SMOKE_TIMES if smoke else 1)}


if __name__ == "__main__":
    if "--smoke" not in sys.argv:
        alone()
    sys.exit(main(__doc__, rows))
