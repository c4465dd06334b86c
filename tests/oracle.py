"""What is true of a layout, by brute force that shares no code with the product.

Every address comes from the library's own pointers, one element at a time;
touched bytes are listed one by one; a write probe changes one element and
looks which logical elements changed.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import product

import numpy as np


@dataclass
class Sample:
    """An array or a tensor, and what its maker knows of the storage behind it.

    Attributes
    ----------
    x : numpy.ndarray or torch.Tensor
        What is looked at.
    address, storage_bytes : int
        Where the storage starts, and its size.
    raw : ndarray of uint8
        The storage as writable bytes.
    story : list of str
        How it was made, for the message of a failure.
    """

    x: object
    address: int
    storage_bytes: int
    raw: np.ndarray
    story: list


def is_numpy(x):
    return isinstance(x, np.ndarray)


def size_of(x):
    return x.itemsize if is_numpy(x) else x.element_size()


def starts(sample):
    """Return the byte at which each element starts in the storage, by index."""
    x = sample.x
    places = product(*(range(size) for size in x.shape))
    if is_numpy(x):
        return {
            index: x[(*[slice(i, i + 1) for i in index], ...)].__array_interface__["data"][0] - sample.address
            for index in places
        }
    return {index: x[index].data_ptr() - sample.address for index in places}


def truth(sample):
    """Return what brute force finds, under the public names of a layout."""
    x, itemsize, found = sample.x, size_of(sample.x), starts(sample)
    readers = Counter(start + byte for start in found.values() for byte in range(itemsize))
    strides = x.strides if is_numpy(x) else tuple(step * itemsize for step in x.stride())
    return {
        "shape": tuple(x.shape),
        "itemsize": itemsize,
        "strides_bytes": strides,
        "storage_bytes": sample.storage_bytes,
        "logical_bytes": len(found) * itemsize,
        "touched_bytes": len(readers),
        "touched_bytes_between": (len(readers), len(readers)),
        "most_aliases": max(Counter(found.values()).values(), default=0),
        "overlaps": any(times > 1 for times in readers.values()),
        "shared_axes": shared_axes(x.shape, found),
        "contiguous": x.flags.c_contiguous if is_numpy(x) else x.is_contiguous(),
    }


def shared_axes(shape, found):
    """Return the axes longer than 1 whose every step keeps the address."""
    kept = []
    for axis, size in enumerate(shape):
        steps = {
            found[(*index[:axis], index[axis] + 1, *index[axis + 1 :])] - start
            for index, start in found.items()
            if index[axis] + 1 < size
        }
        # A layout without elements moves no address: only its printed stride can be asked.
        if size > 1 and steps == {0}:
            kept.append(axis)
    return tuple(kept)


def faults(sample, seen, index=None):
    """Yield one sentence for each answer of a layout that brute force contradicts."""
    true, found = truth(sample), starts(sample)
    for name, value in true.items():
        if name == "shared_axes" and not found:
            continue
        if getattr(seen, name) != value:
            yield f"{name} is {value}, not {getattr(seen, name)}: {sample.story}"
    for place, start in found.items():
        if seen.offset_bytes(place) != start:
            yield f"{place} starts at {start}, not {seen.offset_bytes(place)}: {sample.story}"
        if by_formula(seen.formula, seen.axis_names, place) != start:
            yield f"{seen.formula} is not {start} at {place}: {sample.story}"
    if index is not None:
        yield from probe_faults(sample, seen, index)


def by_formula(formula, names, index):
    """Work out a printed formula."""
    plain = formula.replace("×", "*").replace("−", "-")
    return eval(plain, {"__builtins__": {}}, dict(zip(names, index, strict=True)))


def probe_faults(sample, seen, index):
    """Write one element and compare who changed with whom the layout says to change."""
    changed = write_probe(sample, index)
    at = seen.offset_bytes(index)
    said = {
        place
        for place in product(*(range(size) for size in sample.x.shape))
        if abs(seen.offset_bytes(place) - at) < seen.itemsize
    }
    if changed != said:
        yield f"a write at {index} changes {sorted(changed)}, not {sorted(said)}: {sample.story}"


def write_probe(sample, index):
    """Set one element to other bytes and return the indices that then read differently.

    The element is assigned where the array lets itself be written; otherwise
    its bytes in the storage are changed, at the address the library gives.
    """
    sample.raw[:] = 0
    before = logical_bytes(sample)
    if writable(sample.x):
        assign_ones(sample.x, index)
    else:
        start = starts(sample)[index]
        sample.raw[start : start + size_of(sample.x)] = 1
    different = (before != logical_bytes(sample)).any(axis=1)
    places = list(product(*(range(size) for size in sample.x.shape)))
    return {place for place, changed in zip(places, different, strict=True) if changed}


def writable(x):
    if is_numpy(x):
        return x.flags.writeable and x.dtype.names is None
    return not x.requires_grad


def assign_ones(x, index):
    """Assign an element all of whose bytes are 1, whatever its type."""
    one = (*[slice(i, i + 1) for i in index], ...)
    ones = np.ones(size_of(x), np.uint8)
    if is_numpy(x):
        x[one] = ones.view(x.dtype).reshape((1,) * x.ndim)
    else:
        import torch

        x[one].copy_(torch.from_numpy(ones).view(x.dtype).reshape((1,) * x.ndim))


def logical_bytes(sample):
    """Return the bytes of each logical element, one row an element, as a copy."""
    x, itemsize = sample.x, size_of(sample.x)
    places = list(product(*(range(size) for size in x.shape)))
    if is_numpy(x) and x.dtype.names:
        # Copying a record leaves its padding behind.
        found = starts(sample)
        return np.stack([sample.raw[found[place] : found[place] + itemsize] for place in places])
    if is_numpy(x):
        return np.frombuffer(x.tobytes(), np.uint8).reshape(len(places), itemsize)
    import torch

    plain = x.detach().resolve_conj().resolve_neg()
    flat = torch.stack([plain[place] for place in places])
    return flat.view(torch.uint8).reshape(len(places), itemsize).numpy().copy()
