"""``python -m zerostride.pairs`` checks or stamps the lessons."""

import sys

from zerostride.pairs import main

if __name__ == "__main__":
    sys.exit(main())
