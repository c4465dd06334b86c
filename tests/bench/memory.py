"""What is predicted and what is measured, expression by expression, as Markdown.

python tests/bench/memory.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import zerostride as zs
from test_memory import SHAPES, TORCH_STEPS, WAYS, bills, differences, program


def main():
    """Print one row per expression and way; return how many differ."""
    import torch

    print(f"torch {torch.__version__.split('+')[0]} on the CPU, shape and source {SHAPES['last']}, float32\n")
    print("| expression | new peak predicted, B | measured, B | arrays forward, backward | differs |")
    print("|---|---|---|---|---|")
    wrong = 0
    for way in WAYS:
        for _, bill in bills("torch", TORCH_STEPS, way, "last"):
            f, inputs = program(bill, "torch")
            seen = zs.measure(f, *inputs)
            found = differences(bill, seen)
            wrong += bool(found)
            forward, backward = map(len, seen.arrays)
            peaks = f"{bill.new_peak_bytes:,} | {seen.new_peak_bytes:,}"
            print(f"| `{bill.code}` | {peaks} | {forward}, {backward} | {', '.join(found) or 'no'} |")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main()))
