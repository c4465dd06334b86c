"""Copies of arrays that share storage among themselves as the originals do."""

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from zerostride.checks.replicas import replicas


def tensor_copies(named: Mapping[str, Any]) -> dict[str, Any]:
    """Return tensors on copies of their storages; one storage stays one."""
    import torch

    plain = [x.detach().as_subclass(torch.Tensor) for x in named.values()]
    return dict(zip(named, copy.deepcopy(plain), strict=True))


def array_copies(named: Mapping[str, Any]) -> dict[str, Any]:
    """Return arrays on copies of their bytes; what overlaps goes on overlapping, read-only stays so."""
    arrays = [np.asarray(x) for x in named.values()]
    made = replicas(*arrays)
    for x, own in zip(arrays, made, strict=True):
        own.flags.writeable = x.flags.writeable
    return dict(zip(named, made, strict=True))
