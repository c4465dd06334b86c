"""The cases import torch at once: nobody collects them, tests that have torch import them."""

collect_ignore = ["cases.py"]
