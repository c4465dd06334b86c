"""What building the editions takes: each alone, then all together in two processes, against the limit."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from zerostride.language import LANGUAGES
from zerostride.publish.editions import EDITIONS, Wishes, build, publish

LIMIT_SECONDS = 90
SMOKE_SECONDS = 3 * LIMIT_SECONDS  # a busy machine says no more


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


def main():
    """Print the times; return 1 where all editions together take longer than the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="all together alone, fails on gross loss alone")
    smoke = parser.parse_args().smoke
    if not smoke:
        alone()
    seconds, most = together(), SMOKE_SECONDS if smoke else LIMIT_SECONDS
    print(f"all editions, both languages, two processes: {seconds:.1f} s (at most {most} s)")
    return 0 if seconds <= most else 1


if __name__ == "__main__":
    sys.exit(main())
