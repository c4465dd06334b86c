"""Derivatives of a large source at a few of its elements, picked by a fixed seed."""

from typing import Any

import numpy as np

from zerostride.findings.own_copies import own_copy
from zerostride.findings.running import Program
from zerostride.layouts import is_tensor, layout

MOST_DIFFERENCED_ELEMENTS = 1 << 10
MOST_SAMPLED_ELEMENTS = 1 << 20
SAMPLE = 16
SEED = 0


def sample(source: Any) -> tuple[int, ...]:
    """Return the places, row by row, at which derivatives of a source are compared; none for all.

    Examples
    --------
    >>> sample(np.ones((4, 3))), len(sample(np.ones((1000, 1000))))
    ((), 16)
    """
    elements = layout(source).size
    if elements <= MOST_DIFFERENCED_ELEMENTS:
        return ()
    picked = np.random.default_rng(SEED).choice(elements, SAMPLE, replace=False)
    return tuple(sorted(picked.tolist()))


def at_places(f: Program, source: Any, places: tuple[int, ...]) -> tuple[Program, Any]:
    """Return a program as a function of some elements of its source, and these elements.

    All others stay as they are. In torch the program gets a result of that
    choice, no leaf: what it does to leaves has to be asked apart.

    Examples
    --------
    >>> program, few = at_places(np.sum, np.arange(6.0).reshape(2, 3), (1, 5))
    >>> few, float(program(few * 10))
    (array([1., 5.]), 69.0)
    """
    own: Any = own_copy(source, learns=False) if is_tensor(source) else np.array(source)
    chosen = list(places)

    def program(few: Any) -> Any:
        if is_tensor(few):
            import torch

            whole = own.to(few.dtype).reshape(-1)
            return f(whole.index_put((torch.tensor(chosen, device=few.device),), few).reshape(own.shape))
        whole = own.astype(few.dtype).ravel()
        whole[chosen] = few
        return f(whole.reshape(own.shape))

    return program, own.reshape(-1)[chosen]
