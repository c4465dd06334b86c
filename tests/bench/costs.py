"""What `zs.layout` costs over axes and logical size, and what other inspectors say of the same views.

    python tests/bench/costs.py                    the table of costs
    python tests/bench/costs.py --peers FOLDER     and twenty views before lovely-numpy and lovely-tensors

Prints Markdown. The two inspectors are no dependency of the course; `make bench`
installs them into `.venv/peers`, apart from everything else.
"""

import argparse
import re
import sys
import time
import timeit
import warnings
from importlib import import_module

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from rows import Row

import zerostride as zs

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SIZES = [2**4, 2**10, 2**20, 2**30, 2**60]
AXES = [1, 2, 4, 8, 16, 32, 64]
SIZE_TIMES, SMOKE_TIMES = 1.2, 2  # the larger may not cost more; a busy machine says no more


def main(argv=None):
    """Print the tables that were asked for."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--peers", help="the folder that holds lovely-numpy and lovely-tensors")
    asked.add_argument("--rounds", type=int, default=200)
    told = asked.parse_args(argv)
    warnings.simplefilter("ignore")
    print(cost_table(told.rounds))
    if told.peers:
        sys.path.append(told.peers)
        print("\n" + comparison(twenty_views()))


def rows(smoke=False):
    """Return the largest view beside the smallest, and two of 512 MiB beside the other inspectors."""
    one = np.zeros(1, np.int8)
    views = [np.broadcast_to(one, (round(size**0.5),) * 2) for size in (SIZES[-1], SIZES[0])]
    turns = [[microseconds(everything, x, 50, 1) for x in views] for _ in range(10 if smoke else 100)]
    largest, smallest = map(min, zip(*turns, strict=True))
    found = {"layout_size": Row("µs", largest, smallest, SMOKE_TIMES if smoke else SIZE_TIMES)}
    return found if smoke else found | {f"layout_{name}": beside_lovely(x) for name, x in large_views()}


def large_views():
    """Yield the view of 512 MiB that reads 8 KiB, in each library."""
    views = twenty_views()
    yield "numpy", views["np.broadcast_to(budget, (32, 2048, 4096))"]
    yield "torch", views["budget.expand(32, 2048, 4096)"]


def beside_lovely(x):
    """Return the least time for the bytes of a view beside what the other inspector takes for its line."""
    return Row("ms", min(timed(ours, x)[1] for _ in range(20)), min(timed(lovely, x)[1] for _ in range(2)))


def everything(x):
    """Return all that a layout answers."""
    seen = zs.layout(x)
    return seen.touched_bytes, seen.most_aliases, seen.overlaps, seen.contiguous, seen.formula


def microseconds(f, x, rounds, repeat=5):
    """Return the least time of a call, computing alone: what else the machine does is left out."""
    taken = timeit.repeat(lambda: f(x), timer=time.process_time, number=rounds, repeat=repeat)
    return min(taken) / rounds * 1e6


def cost_table(rounds):
    """Return the times as a Markdown table: one view with more elements, then one with more axes."""
    import torch

    lines = [
        "| view | axes | logical elements | read, µs | read and answer all, µs |",
        "|---|---|---|---|---|",
    ]
    one = np.zeros(1, np.int8)
    views = [(f"expanded, {kind}", view) for size in SIZES for kind, view in expanded(torch, one, size)]
    views += [("windows, numpy", windows(axes)) for axes in AXES]
    for name, x in views:
        seen = zs.layout(x)
        read, answered = (microseconds(f, x, rounds) for f in (zs.layout, everything))
        lines.append(f"| {name} | {seen.ndim} | {seen.size:,} | {read:.0f} | {answered:.0f} |")
    return "\n".join(lines)


def expanded(torch, one, size):
    """Yield a square of so many elements on one byte, in both libraries."""
    side = round(size**0.5)
    yield "numpy", np.broadcast_to(one, (side, side))
    yield "torch", torch.from_numpy(one).expand(side, side)


def windows(axes):
    """Return overlapping windows of two along every axis: each index moves by one element."""
    long = min(axes, 59)
    shape = (2,) * long + (1,) * (axes - long)
    return as_strided(np.zeros(axes + 1), shape, (8,) * axes, writeable=False)


def twenty_views():
    """Return ten views of each library by a short name."""
    import torch

    row, square, ramp = np.zeros((1, 3)), np.zeros((4, 4)), np.arange(12.0)
    record = np.zeros(3, [("a", "i1"), ("b", "<f8")])
    budget, trow = np.zeros((1, 1, 4096), np.float16), torch.zeros(1, 3)
    tsquare, tramp, tcomplex = torch.zeros(4, 4), torch.arange(12.0), torch.zeros(3, dtype=torch.complex64)
    tbudget = torch.zeros(1, 1, 4096, dtype=torch.float16)
    return {
        "np.broadcast_to(row, (4, 3))": np.broadcast_to(row, (4, 3)),
        "np.tile(row, (4, 1))": np.tile(row, (4, 1)),
        "square.T": square.T,
        "square[::2, ::-1]": square[::2, ::-1],
        "sliding_window_view(ramp, 4)": sliding_window_view(ramp, 4),
        "ramp[2:4]": ramp[2:4],
        "record['b']": record["b"],
        "np.broadcast_to(row, (0, 3))": np.broadcast_to(row, (0, 3)),
        "as_strided(ramp, (3, 3), (16, 24))": as_strided(ramp, (3, 3), (16, 24)),
        "np.broadcast_to(budget, (32, 2048, 4096))": np.broadcast_to(budget, (32, 2048, 4096)),
        "row.expand(4, 3)": trow.expand(4, 3),
        "row.repeat(4, 1)": trow.repeat(4, 1),
        "square.t()": tsquare.t(),
        "square[:, 1]": tsquare[:, 1],
        "ramp.unfold(0, 4, 1)": tramp.unfold(0, 4, 1),
        "ramp[2:4], a tensor": tramp[2:4],
        "complex.conj().imag": tcomplex.conj().imag,
        "row.expand(0, 3)": trow.expand(0, 3),
        "ramp.as_strided((2, 2, 2), (3, 2, 1))": tramp.as_strided((2, 2, 2), (3, 2, 1)),
        "budget.expand(32, 2048, 4096)": tbudget.expand(32, 2048, 4096),
    }


def comparison(views):
    """Return what each inspector says of the views' bytes, and in what time, as a Markdown table."""
    lines = [
        "| view | lovely says | lovely, ms | ours: logical | touched | storage | on one address | ours, ms |"
    ]
    lines.append("|---|---|---|---|---|---|---|---|")
    for name, x in views.items():
        said, their_time = timed(lovely, x)
        answers, our_time = timed(ours, x)
        cells = (
            f"`{name}`",
            said,
            f"{their_time:.2f}",
            *(f"{each:,}" for each in answers),
            f"{our_time:.2f}",
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def timed(f, x):
    """Return what a function answers the second time, and how many milliseconds it computed."""
    f(x)
    started = time.process_time()
    answer = f(x)
    return answer, (time.process_time() - started) * 1e3


def ours(x):
    """Return logical, touched and storage bytes, and the most indices on one address."""
    seen = zs.layout(x)
    return seen.logical_bytes, seen.touched_bytes, seen.storage_bytes, seen.most_aliases


def lovely(x):
    """Return the start of what lovely-numpy or lovely-tensors prints of an array, or how it fails."""
    try:
        if isinstance(x, np.ndarray):
            said = str(import_module("lovely_numpy").lo(x))
        else:
            said = str(import_module("lovely_tensors").lovely(x))
    except Exception as error:  # Whatever it raises is its answer.
        said = f"{type(error).__name__}: {error}"
    return f"`{COLOUR.sub('', said).splitlines()[0][:52].strip()}`"


if __name__ == "__main__":
    sys.exit(main())
