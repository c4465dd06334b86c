"""Small arrays of one library, and what an answer makes of them."""

from math import prod
from typing import Any

import numpy as np

from zerostride.advice.growth import Growth
from zerostride.advice.lines import expression


class Instance:
    """Small arrays of one library, and what the answer makes of them."""

    def __init__(self, answer: str, growth: Growth, library: str, dtype: str) -> None:
        self.answer, self.growth, self.library, self.dtype = answer, growth.small, library, dtype
        count = prod(self.growth.source)
        values = np.arange(1, count + 1) % 2 if dtype == "bool" else np.arange(1, count + 1) % 100
        self.values = values.reshape(self.growth.source)
        self.torch = None
        if library == "torch":
            import torch

            self.torch = torch

    def x(self, dtype: str = "") -> Any:
        """Return a source of its own."""
        return self.like(self.values, dtype)

    def made(self, x: Any, answer: str = "", growth: Growth | None = None) -> Any:
        """Return what the answer, or another one, makes of a source."""
        answer = answer or self.answer
        way = "expand" if answer == "leave_to_broadcasting" else answer
        code = expression(way, growth or self.growth, self.library)
        return eval(code, {"x": x, "np": np, "torch": self.torch})

    def origin(self) -> Any:
        """Return for each element made which element of the source it is."""
        origin = self.growth.origin
        return origin.reshape(self.growth.flattest[1]) if self._flattened() else origin

    def _flattened(self) -> bool:
        return self.answer == "reshape_first" and self.growth.kind == "expand"

    def weights(self) -> Any:
        """Return one whole number for each element made."""
        shape = self.origin().shape
        return 1 + np.arange(prod(shape)).reshape(shape) % 3  # Their sums are exact in bfloat16.

    def like(self, values: Any, dtype: str = "") -> Any:
        """Return numbers as an array of the library."""
        if self.torch is None:
            return np.asarray(values).astype(dtype or self.dtype)
        return (
            self.torch.tensor(np.asarray(values).tolist(), device="cpu")
            .reshape(np.shape(values))
            .to(getattr(self.torch, dtype or self.dtype))
        )

    def added(self, x: Any) -> Any:
        """Return a sum with an array of the target's shape; NumPy makes no array of numbers without axes."""
        result = x + self.like(self.weights())
        return np.asarray(result) if self.torch is None else result

    def summed(self) -> Any:
        """Return the weights of all uses of each element of the source, added up."""
        added = np.bincount(self.origin().ravel(), self.weights().ravel(), prod(self.growth.source))
        return added.reshape(self.growth.source)


def as_expansion(growth: Growth) -> Growth:
    """Return the growth as an ordinary expansion from its start, whether or not it is one."""
    return Growth("expand" if growth.start == growth.source or growth.kind == "expand" else "reshaped",
                  growth.source, growth.target, growth.start, None)  # fmt: skip
