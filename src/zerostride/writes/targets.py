"""What is written into: small arrays of each kind of layout, as the line that makes them."""

# By kind of values: a row of three, and an expression that counts up to a number. Most operations show their
# effect on 1, 2, 3; others need fractions, negative, whole, true or complex numbers.
_VALUES = {
    "plain": ("torch.tensor([[1., 2., 3.]])", "torch.arange(1., {}.)"),
    "fraction": ("torch.tensor([[0.25, 0.5, 0.75]])", "(torch.arange(1., {}.) / 32)"),
    "quarter": ("torch.tensor([[1.25, 2.25, 3.25]])", "(torch.arange(1., {}.) + 0.25)"),
    "negative": ("torch.tensor([[-1., -2., -3.]])", "(-torch.arange(1., {}.))"),
    "missing": ("torch.tensor([[1., torch.nan, 3.]])", "(torch.arange(1., {}.) - 4).sqrt()"),
    "whole": ("torch.tensor([[1, 2, 3]])", "torch.arange(1, {})"),
    "double": ("torch.tensor([[1., 2., 3.]]).double()", "torch.arange(1., {}.).double()"),
    "complex": ("torch.tensor([[1 + 1j, 2 + 1j, 3 + 1j]])", "(torch.arange(1., {}.) + 1j)"),
}
_TORCH = {
    "expanded": "{three}.expand(4, 3)",
    "window": "{six}.unfold(0, 3, 1)",
    "column": "{twenty}.reshape(4, 5)[:, 1:4]",
    "repeat": "{three}.repeat(4, 1)",
}
_VECTOR = {
    "expanded": "torch.tensor([1.]).expand(4)",
    "column": "torch.arange(1., 21.).reshape(4, 5)[:, 1]",
    "repeat": "torch.tensor([1.]).repeat(4)",
}
_BATCH = {
    "expanded": "torch.tensor([[1., 2., 3.]]).expand(2, 4, 3)",
    "window": "torch.arange(1., 13.).reshape(2, 6).unfold(1, 3, 1)",
    "column": "torch.arange(1., 41.).reshape(2, 4, 5)[:, :, 1:4]",
    "repeat": "torch.tensor([[1., 2., 3.]]).repeat(2, 4, 1)",
}
_NUMPY = {
    "expanded": "y = np.broadcast_to(np.array([[1., 2., 3.]]), (4, 3))",
    "lifted": "y = np.broadcast_to(np.array([[1., 2., 3.]]), (4, 3)); y.flags.writeable = True",
    "strided": "y = np.lib.stride_tricks.as_strided(np.array([1., 2., 3.]), (4, 3), (0, 8))",
    "window": "y = np.lib.stride_tricks.sliding_window_view(np.arange(1., 7.), 3, writeable=True)",
    "column": "y = np.arange(1., 21.).reshape(4, 5)[:, 1:4]",
    "repeat": "y = np.tile(np.array([[1., 2., 3.]]), (4, 1))",
    "warning": "y = np.broadcast_arrays(np.array([[1., 2., 3.]]), np.zeros((4, 1)))[0]",
    "outside": "y = np.lib.stride_tricks.as_strided(np.array([1., 2., 3.]), (4, 3), (24, 8))",
}
# Whole numbers for bit operations, falling ones for sorting.
_NUMPY_VALUES = {
    "whole": (("1., 2., 3.", "1, 2, 3"), ("np.arange(1., ", "np.arange(1, "), ("7.)", "7)"), ("21.)", "21)")),
    "falling": (("1., 2., 3.", "3., 2., 1."), ("np.arange(1., 7.)", "np.arange(6., 0., -1)"),
                ("np.arange(1., 21.)", "np.arange(20., 0., -1)")),
}  # fmt: skip
_LEARNS = {
    "leaf": "y = torch.tensor([[1., 2., 3.]], requires_grad=True).expand(4, 3)",
    "saved": "x = torch.tensor([[1., 2., 3.]], requires_grad=True); y = x.expand(4, 3); loss = (y**2).sum()",
}
TARGETS = tuple(dict.fromkeys([*_TORCH, *_NUMPY, *_LEARNS]))
COMMON = tuple(_TORCH)


def line(library: str, target: str, kind: str = "plain") -> str:
    """Return the line that makes ``y``; empty where there is no such target.

    Parameters
    ----------
    library : {"numpy", "torch"}
        Which library runs the statement.
    target : str
        The layout of ``y``.
    kind : str, default "plain"
        The values in it; ``"vector"`` and ``"batch"`` are of one axis and of
        three, ``"numpy"`` an array that goes through a door to torch.

    Examples
    --------
    >>> line("torch", "expanded")
    'y = torch.tensor([[1., 2., 3.]]).expand(4, 3)'
    """
    if kind == "learns":
        return _LEARNS.get(target, "")
    if library == "numpy" or kind == "numpy":
        made = _NUMPY.get(target, "")
        for plain, other in _NUMPY_VALUES.get(kind, ()):
            made = made.replace(plain, other)
        return made
    if kind in ("vector", "batch"):
        made = (_VECTOR if kind == "vector" else _BATCH).get(target, "")
    else:
        three, count = _VALUES[kind]
        made = _TORCH.get(target, "").format(three=three, six=count.format(7), twenty=count.format(21))
    return made and f"y = {made}"
