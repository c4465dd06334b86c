"""``python -m zerostride`` is the command ``zerostride``."""

import sys

from zerostride.cli import main

if __name__ == "__main__":
    sys.exit(main())
