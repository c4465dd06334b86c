"""``python -m zerostride.writes record`` writes the recorded atlas; ``probe`` is its child process."""

import sys

from zerostride.expansion import LIBRARIES
from zerostride.writes.children import probe, probed
from zerostride.writes.recorded import FILE, as_recorded


def main(asked: list[str]) -> int:
    """Run one of the two; return 0, or 2 where neither was asked for.

    Examples
    --------
    >>> main(["nothing"])
    2
    """
    if asked[:1] == ["record"]:
        FILE.write_text(as_recorded(probed(LIBRARIES)), "utf-8")
    elif asked[:1] == ["probe"]:
        probe(asked[2:], int(asked[1]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
