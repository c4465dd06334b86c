"""The cast of the course for any rows, columns and dtype: source, view, tiled, edited, dense, weights."""

from functools import cached_property
from typing import Any

import numpy as np

from zerostride.checks.storage import write_first
from zerostride.gradients import is_real

DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
)

# Every dtype but bool holds the whole numbers up to 100 exactly; bool gets odd and even.
DISTINCT_VALUES = 100


def counted(rows: int, cols: int, dtype: str = "int64") -> np.ndarray[Any, Any]:
    """Return 1, 2, 3 … row by row, from 1 again after 100; for bool whether each is odd.

    Examples
    --------
    >>> counted(2, 3)
    array([[1, 2, 3],
           [4, 5, 6]])
    """
    numbers = 1 + np.arange(rows * cols) % DISTINCT_VALUES
    return (numbers % 2 if dtype == "bool" else numbers).reshape(rows, cols)


def cycle(x: Any) -> Any:
    """Return such weights for a tensor: its shape, its dtype, its device."""
    import torch

    rows = x.shape[0]
    numbers = torch.from_numpy(counted(rows, x.numel() // rows if rows else 0))
    return numbers.to(dtype=x.dtype, device=x.device).reshape(x.shape)


class NumpySamples:
    """The cast as NumPy arrays; each is made when it is first asked for."""

    def __init__(self, rows: int, cols: int, dtype: str) -> None:
        self.shape, self.dtype = (rows, cols), dtype

    def part(self, name: str, claim: str) -> Any:
        """Return what a parameter of a claim is called for: one of the cast, a program or a shape."""
        rows, cols = self.shape
        if name == "make":
            return self.expand if claim.startswith("view") else self.repeat
        if name == "shape":
            return (rows if rows > 2 else 3, cols)  # unlike the two rows that are to expand to it
        return getattr(self, name)

    def _made(self, rows: int) -> Any:
        return counted(rows, self.shape[1], self.dtype).astype(self.dtype)

    @cached_property
    def source(self) -> Any:
        """Shape (1, cols): 1, 2, 3 …."""
        return self._made(1)

    @cached_property
    def weights(self) -> Any:
        """Shape (rows, cols): 1, 2, 3 … row by row."""
        return self._made(self.shape[0])

    @cached_property
    def two_rows(self) -> Any:
        """Shape (2, cols)."""
        return self._made(2)

    def expand(self, x: Any) -> Any:
        """Return the rows as a view of ``x``."""
        return np.broadcast_to(x, self.shape)

    def repeat(self, x: Any) -> Any:
        """Return the rows as copies of ``x``."""
        return np.tile(x, (self.shape[0], 1))

    @cached_property
    def view(self) -> Any:
        """The source, expanded."""
        return self.expand(self.source)

    @cached_property
    def tiled(self) -> Any:
        """The source, repeated."""
        return self.repeat(self.source)

    @cached_property
    def edited(self) -> Any:
        """A copy of the view with a new number in its first cell."""
        copy = self.view.copy()
        if copy.size:
            write_first(copy)
        return copy

    @cached_property
    def dense(self) -> Any:
        """The view plus ones."""
        return self.view + np.ones_like(self.tiled)

    @cached_property
    def sums(self) -> Any:
        """Column sums of the weights; floating point is summed in float64."""
        wide = np.float64 if is_real(self.weights) else None
        return self.weights.sum(axis=0, keepdims=True, dtype=wide)


class TorchSamples(NumpySamples):
    """The cast as torch tensors; with ``requires_grad`` the gradient stands for the sums."""

    def __init__(self, rows: int, cols: int, dtype: str, requires_grad: bool = False) -> None:
        super().__init__(rows, cols, dtype)
        self.requires_grad = requires_grad

    def _made(self, rows: int) -> Any:
        import torch

        whole = torch.from_numpy(counted(rows, self.shape[1], self.dtype))
        return whole.to(getattr(torch, self.dtype), copy=True)

    @cached_property
    def source(self) -> Any:
        """Shape (1, cols): 1, 2, 3 …."""
        return self._made(1).requires_grad_(self.requires_grad)

    @cached_property
    def two_rows(self) -> Any:
        """Shape (2, cols)."""
        return self._made(2).requires_grad_(self.requires_grad)

    def expand(self, x: Any) -> Any:
        """Return the rows as a view of ``x``."""
        return x.expand(self.shape)

    def repeat(self, x: Any) -> Any:
        """Return the rows as copies of ``x``."""
        return x.repeat(self.shape[0], 1)

    @cached_property
    def edited(self) -> Any:
        """A clone of the view with a new number in its first cell."""
        copy = self.view.clone()
        if copy.numel():
            write_first(copy)
        return copy

    @cached_property
    def dense(self) -> Any:
        """The view plus ones."""
        import torch

        return self.view + torch.ones_like(self.tiled)

    @cached_property
    def sums(self) -> Any:
        """Column sums of the weights, or the gradient that backward gives the source."""
        if self.requires_grad and not self.weights.is_complex():
            leaf = self.source.detach().clone().requires_grad_()
            (self.expand(leaf) * self.weights).sum().backward()
            return leaf.grad
        weights = self.weights.double() if self.weights.is_floating_point() else self.weights
        return weights.sum(0, keepdim=True)
