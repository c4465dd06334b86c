"""The child process of ``zerostride evidence``."""

import sys

from zerostride.findings.files import child

sys.exit(child(sys.argv[1]))
