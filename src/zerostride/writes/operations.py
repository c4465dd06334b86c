"""What writes in place: every method of the installed torch and the forms people type, as statements."""

from collections.abc import Iterator
from dataclasses import dataclass

from zerostride.writes.targets import COMMON

NUMPY_TARGETS = ("expanded", "lifted", "strided", "window", "column", "repeat")


@dataclass(frozen=True)
class Operation:
    """One statement that writes into ``y``, and how it is tried.

    Attributes
    ----------
    library, family, statement : str
        Who runs it, which group it is of, and what a person types.
    kind : str
        The values in ``y`` that show its effect.
    partial : bool
        Whether it names a part of ``y``; else all of ``y`` is its result.
    reference : str
        What gives the right numbers on a copy; by default the statement.
    instead : str
        The safe way, where it is not a copy and then the statement.
    reason : str
        Why it cannot be tried, where it cannot.
    targets : tuple of str
        The layouts that it is tried on.
    """

    library: str
    family: str
    statement: str
    kind: str = "plain"
    partial: bool = False
    reference: str = ""
    instead: str = ""
    reason: str = ""
    targets: tuple[str, ...] = COMMON


# What stands in the brackets of a method of a tensor; one that is in no line takes nothing.
_ARGUMENTS = (
    ("1", "add_ sub_ subtract_ bitwise_and_ bitwise_left_shift_ bitwise_or_ bitwise_right_shift_"),
    ("1", "bitwise_xor_ mvlgamma_ unsqueeze_"),
    (
        "2",
        "mul_ multiply_ div_ divide_ true_divide_ floor_divide_ fmod_ remainder_ pow_ float_power_ eq_ ne_",
    ),
    (
        "2",
        "not_equal_ ge_ gt_ greater_ greater_equal_ le_ lt_ less_ less_equal_ clamp_max_ xlogy_ polygamma_",
    ),
    ("0", "cumsum_ cumprod_"),
    ("9", "fill_ fill_diagonal_ clamp_min_"),
    ("-2", "copysign_"),
    ("2, 2.5", "clamp_ clip_"),
    ("0.5", "geometric_"),
    ("2, 0, 1", "renorm_"),
    ("2, 3", "resize_"),
    ("0, 1", "swapaxes_ swapdims_ transpose_"),
    ("torch.arange(12.).reshape(4, 3)", "copy_"),
    ("torch.zeros(4, 3)", "logical_and_ nextafter_ heaviside_ set_"),
    ("torch.zeros(4, 3), 0.5", "lerp_"),
    (
        "torch.ones(4, 3)",
        "arctan2_ atan2_ hypot_ igamma_ igammac_ ldexp_ logical_or_ logical_xor_ resize_as_",
    ),
    ("torch.full((4, 3), 4)", "gcd_ lcm_"),
    ("torch.ones(4, 3), torch.ones(4, 3)", "addcdiv_ addcmul_"),
    ("torch.ones(4, 2), torch.ones(2, 3)", "addmm_"),
    ("torch.ones(2, 4, 2), torch.ones(2, 2, 3)", "addbmm_ baddbmm_"),
    ("torch.ones(4, 2), torch.ones(2)", "addmv_"),
    ("torch.ones(4), torch.ones(3)", "addr_"),
    ("lambda a: a + 1", "apply_"),
    ("torch.ones(4, 3), lambda a, b: a + b", "map_"),
    ("torch.ones(4, 3), torch.ones(4, 3), lambda a, b, c: a + b + c", "map2_"),
    ("(3, 1), (1, 1)", "as_strided_"),
    ("0, torch.tensor([0]), torch.ones(1, 3)", "index_add_"),
    ("0, torch.tensor([0]), torch.zeros(1, 3)", "index_copy_"),
    ("0, torch.tensor([0]), 9", "index_fill_"),
    ("(torch.tensor([0]), torch.tensor([1])), torch.tensor(9.)", "index_put_"),
    ("0, torch.tensor([0]), torch.full((1, 3), 9.), 'amax'", "index_reduce_"),
    ("torch.eye(4, 3).bool(), 9", "masked_fill_"),
    ("torch.eye(4, 3).bool(), torch.arange(12.)", "masked_scatter_"),
    ("torch.tensor([0]), torch.tensor([9.])", "put_"),
    ("0, torch.zeros(1, 3).long(), 9", "scatter_"),
    ("0, torch.zeros(1, 3).long(), torch.ones(1, 3)", "scatter_add_"),
    ("0, torch.zeros(1, 3).long(), torch.ones(1, 3), 'sum'", "scatter_reduce_"),
    ("torch.tensor([1, 2], dtype=torch.uint64)", "_philox_normal_ _philox_uniform_"),
)
_KINDS = (
    ("fraction", "acos_ arccos_ asin_ arcsin_ atanh_ arctanh_ erfinv_ logit_ log_ logical_not_"),
    ("quarter", "ceil_ fix_ floor_ floor_divide_ frac_ round_ trunc_"),
    ("negative", "abs_ absolute_ relu_ heaviside_"),
    ("whole", "bitwise_and_ bitwise_left_shift_ bitwise_not_ bitwise_or_ bitwise_right_shift_ bitwise_xor_"),
    ("whole", "gcd_ lcm_ __iand__ __ior__ __ixor__ __ilshift__ __irshift__"),
    ("double", "apply_ float_power_"),
    ("missing", "nan_to_num_"),
    ("complex", "conj_physical_ sgn_"),
    ("vector", "addmv_"),
    ("batch", "baddbmm_"),
)
_REASONS = (
    ("sparse", "_coalesced_ resize_as_sparse_ sparse_resize_ sparse_resize_and_clear_"),
    ("gpu", "_philox_normal_ _philox_uniform_"),
)
METADATA = (
    "as_strided_", "detach_", "requires_grad_", "resize_", "resize_as_", "set_", "share_memory_", "squeeze_",
    "swapaxes_", "swapdims_", "t_", "transpose_", "unsqueeze_",
)  # fmt: skip
_SYMBOLS = {
    "__iadd__": "+= 1", "__isub__": "-= 1", "__imul__": "*= 2", "__itruediv__": "/= 2", "__idiv__": "",
    "__ifloordiv__": "//= 2", "__imod__": "%= 2", "__ipow__": "**= 2", "__iand__": "&= 1", "__ior__": "|= 4",
    "__ixor__": "^= 1", "__ilshift__": "<<= 1", "__irshift__": ">>= 1", "__imatmul__": "@= y",
}  # fmt: skip


def _by_name(table: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return {name: value for value, names in table for name in names.split()}


_ARGUMENTS_OF, _KIND_OF, _REASON_OF = map(_by_name, (_ARGUMENTS, _KINDS, _REASONS))


def inplace_methods(array: type) -> list[str]:
    """Return the name of every method of a class of tensors or arrays that by its name works in place.

    Examples
    --------
    >>> import numpy as np
    >>> inplace_methods(np.ndarray)[:3]
    ['__iadd__', '__iand__', '__ifloordiv__']
    """
    names = dir(array)
    dunders = [name for name in names if name.startswith("__i") and "__" + name[3:] in names]
    return [name for name in names if name.endswith("_") and not name.endswith("__")] + dunders


def of_method(name: str, library: str = "torch") -> Operation:
    """Return how one method is tried.

    Examples
    --------
    >>> of_method("add_").statement, of_method("__iadd__").statement, of_method("sparse_resize_").reason
    ('y.add_(1)', 'y += 1', 'sparse')
    """
    symbol = _SYMBOLS.get(name)
    statement = (
        f"y {symbol}" if symbol else f"y.{name}({_ARGUMENTS_OF.get(name, '2' if name[:2] == '__' else '')})"
    )
    partial = name in ("fill_diagonal_", "put_") or name.startswith(("index_", "masked_", "scatter_"))
    kind, reason = _KIND_OF.get(name, "plain"), _REASON_OF.get(name, "")
    targets = COMMON if library == "torch" else NUMPY_TARGETS
    return Operation(library, "method", statement, kind, partial, reason=reason, targets=targets)


def assignments(library: str) -> Iterator[Operation]:
    """Yield assignments to a part of ``y``: elements, rows, columns, all, by mask and by index."""
    module, array = ("torch", "tensor") if library == "torch" else ("np", "array")
    mask = "torch.eye(4, 3).bool()" if library == "torch" else "np.eye(4, 3, dtype=bool)"
    targets = COMMON if library == "torch" else NUMPY_TARGETS
    rows = f"{module}.{array}([0, 2])"
    indexed = ("y[y > 2]", f"y[{mask}]", f"y[{rows}]", f"y[{rows}, {rows}]", "y[[0, 2]]")
    basic = ("y[0, 0]", "y[1, 1]", "y[0]", "y[:, 0]", "y[:]", "y[...]", "y[1:]", "y[:, 1:]", "y[::2]")
    yield from (
        Operation(library, "assignment", statement, partial=True, targets=targets)
        for statement in (
            *(f"{part} = 9" for part in (*basic, *indexed)),
            *(f"{part} += 1" for part in (*basic, *indexed)),
            *(
                f"{part} {sign} 2"
                for part in ("y[0]", "y[:, 1]")
                for sign in ("-=", "*=", "/=", "//=", "**=")
            ),
            f"y[0] = {module}.zeros(3)",
            f"y[:, 0] = {module}.arange(4.)",
            f"y[:] = {module}.zeros((4, 3))",
            f"y[:] = {module}.arange(12.).reshape(4, 3)",
        )
    )
    copied = "clone" if library == "torch" else "copy"
    for part in ("y[1:]", "y[:, 1:]"):
        source = part.replace("1:", ":-1")
        apart = f"{part} += {source}.{copied}()"
        yield Operation(
            library, "assignment", f"{part} += {source}", "plain", True, apart, apart, targets=targets
        )
