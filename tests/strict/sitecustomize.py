"""On PYTHONPATH, in kernels too: a warning about code of the lessons or of the package is an error."""

import warnings

warnings.filterwarnings("error", module=r"(zerostride|__main__)\b")
