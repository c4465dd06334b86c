"""A row of the table of costs: what was measured, and beside it a peer or the limit."""

import argparse
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What was measured, what stands beside it, and how many times as much it may be at most."""

    unit: str
    measured: float
    beside: float
    at_most: float | None = None

    @property
    def ratio(self):
        return self.measured / self.beside

    @property
    def kept(self):
        return self.at_most is None or self.ratio <= self.at_most


def line(name, row):
    """Return a row as text for the terminal."""
    promised = "" if row.at_most is None else f", at most {row.at_most:.3g}"
    missed = "" if row.kept else "  MISSED"
    values = f"{row.measured:.4g} {row.unit} beside {row.beside:.4g} {row.unit}"
    return f"{name:18} {values}: ratio {row.ratio:.3g}{promised}{missed}"


def judged(rows):
    """Print every row; return 1 where one is more than it may be."""
    print("\n".join(line(*each) for each in rows.items()))
    return int(not all(row.kept for row in rows.values()))


def main(about, rows):
    """Measure as the command line asks; return the exit status."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument(
        "--smoke", action="store_true", help="quick: shows that it runs, fails on gross loss alone"
    )
    return judged(rows(parser.parse_args().smoke))
