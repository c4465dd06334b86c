"""What the product answers on cases from public threads: layout, sharing and reshape.

Each case says what is right in ``expected``. What is asked of other parts of
the product, or of the libraries alone, is named here too, so that no fact is
left out by mistake.
"""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import zerostride as zs

torch = pytest.importorskip("torch")

from case_answers import answered, unseen, wrong_answers  # noqa: E402
from cases.cases import CASES  # noqa: E402

KINDS = ("A", "C", "D", "E", "I", "J", "H01", "H07")
HERE = {case["id"]: case for case in CASES if case["id"].startswith(KINDS)}


def of(x, *pairs):
    """Return some answers of a layout under the names that a case gives them."""
    read = zs.layout(x)
    return {name: getattr(read, field) for name, field in pairs}


def shares(a, b):
    return zs.compare(a, b).same_storage


def strides(x):
    read = zs.layout(x)
    return read.strides_bytes if read.library == "numpy" else read.strides_elements


def stored(x):
    return zs.layout(x).storage_bytes


def fails(refused):
    """Return an answer that stands against any error of a library."""
    return "refused" if refused else "ok"


def read_only(x):
    return zs.writable(x).outcome == "read_only"


BYTES = (("logical_bytes", "logical_bytes"), ("unique_bytes", "touched_bytes"), ("max_alias", "most_aliases"))
BOTH = (("strides_bytes", "strides_bytes"), ("strides_elems", "strides_elements"))


def overlapping_strides(base, v):
    read = zs.layout(v)
    return of(v, *BYTES, *BOTH, ("storage_bytes", "storage_bytes"), ("c_contiguous", "contiguous")) | {
        "has_zero_stride": bool(read.shared_axes),
        "shared_pair": (read.offset_bytes((0, 1, 1)), read.offset_bytes((1, 0, 0))),
        "add_one_outcome": fails(zs.writable(v).outcome == "refused"),
    }


def zero_size(a, b, s, t, e):
    view = t.expand(0, 3)
    return of(view, *BYTES, ("storage_bytes_of_view", "storage_bytes")) | {
        "np_128x0": strides(a),
        "t_128x0": strides(torch.empty(128, 0, dtype=torch.float16)),
        "np_0x2048": strides(b),
        "t_0x2048": strides(torch.zeros(0, 2048)),
        "np_1x3_to_0x3": strides(np.broadcast_to(s, (0, 3))),
        "t_1x3_to_0x3": strides(view),
        "add_on_empty_expand": fails(zs.writable(view).outcome != "safe"),
        "same_storage": shares(view, t),
    }


def reversed_broadcast(x, b):
    return of(b, *BYTES, *BOTH, ("offset_bytes", "storage_offset_bytes")) | {
        "shares_source": shares(b, x),
        "writable_flag": not read_only(b),
        "offset_of_3_1": zs.layout(b).offset_bytes((3, 1)),
        "rows_reversed_strides": strides(np.broadcast_to(x, (4, 5))[::-1]),
    }


def read_only_can_be_lifted(x, b, z):
    return {
        "setitem": fails(read_only(b)),
        "iadd": fails(read_only(b)),
        "base_is_source": shares(b, x),
        "copy_writable": not read_only(b.copy()),
    }


def sliding_windows(x, o, t):
    windows = sliding_window_view(x, 3)
    return of(windows, *BYTES, BOTH[0]) | {
        "default_writable": not read_only(windows),
        "torch_strides": strides(t.unfold(0, 3, 1)),
        "torch_outcome": fails(zs.writable(t.unfold(0, 3, 1)).outcome == "refused"),
    }


def window_block_write(a):
    return of(sliding_window_view(a, (3, 3)), *BYTES, BOTH[0], ("view_shape", "shape"))


def from_numpy_ignores_read_only(x, b):
    t = torch.from_numpy(b)
    assert zs.compare(t, x).relation == zs.compare(t, b).relation == "same_memory"
    return of(t, BYTES[0], ("storage_bytes", "storage_bytes"), ("stride", "strides_elements")) | {
        "write": fails(zs.writable(t).outcome != "changes_several"),
        "tensor_stride": strides(torch.tensor(b)),
        "tensor_storage": stored(torch.tensor(b)),
        "as_tensor_stride": strides(torch.as_tensor(b)),
        "asarray_copy_stride": strides(torch.asarray(b, copy=True)),
    }


def negative_strides(a, f, t):
    return of(f, ("strides", "strides_bytes"), ("offset_bytes", "storage_offset_bytes")) | {
        "shares": shares(a, f),
        "after_copy": strides(torch.from_numpy(f.copy())),
        "torch_flip_shares": shares(t, t.flip(0)),
    }


def byte_swapped(a, b):
    native = a.astype(a.dtype.newbyteorder("="))
    return of(b, BYTES[1], ("strides", "strides_bytes")) | {
        "native": np.dtype(zs.layout(a).dtype).isnative,
        "native_dtype": zs.layout(native).dtype,
        "astype_shares": shares(native, a),
    }


def reshape_then_expand(a):
    e = a.expand(100, 2, 2)
    early, late = zs.reshape_copies(e, (-1, 4)), zs.reshape_copies(e[:1], (-1, 4))
    assert late.copied_bytes == 16
    last = e[:1].reshape(-1, 4).expand(100, -1)
    return {
        "expanded_strides": strides(e),
        "expanded_storage": stored(e),
        "early_storage": early.copied_bytes,
        "early_strides": strides(e.reshape(-1, 4)),
        "late_storage": stored(last),
        "late_strides": strides(last),
    }


def clone_is_dense(e, d):
    made = {
        "source_strides": e, "clone": e.clone(), "preserve": e.clone(memory_format=torch.preserve_format),
        "contiguous": e.contiguous(), "empty_like": torch.empty_like(e), "plus": e + 0,
        "to_double": e.double(), "to_meta": e.to("meta"), "detach": e.detach(),
        "transpose_clone": d.t().clone(),
    }  # fmt: skip
    assert [name for name, x in made.items() if shares(x, e)] == ["source_strides", "detach"]
    return {name: strides(x) for name, x in made.items()} | {
        "clone_storage": stored(e.clone()),
        "contiguous_of_dense_is_self": zs.compare(d.contiguous(), d).relation == "same_memory",
    }


def fortran_and_shape_assignment(a):
    b, t = np.broadcast_to(a, (4, 2, 3)), torch.from_numpy(a)
    copies = zs.reshape_copies(a, 6).copies
    return {
        "strides": strides(a),
        "shape_assign": fails(copies),
        "reshape_shares": not copies,
        "copy_false": fails(copies),
        "reshape_f_shares": shares(a, a.reshape(6, order="F")),
        "torch_stride": strides(t),
        "torch_contiguous": zs.layout(t).contiguous,
        "broadcast_strides": strides(b),
        "broadcast_reshape_copy_false": fails(zs.reshape_copies(b, (8, 3)).copies),
        "tile_strides": strides(np.tile(a, (2, 1))),
    }


def bfloat16(y):
    return of(y, BYTES[0], BOTH[0], ("itemsize", "itemsize"), ("storage_bytes", "storage_bytes")) | {
        "int16_strides": strides(y.view(torch.int16).numpy()),
        "float_strides": strides(y.float()),
        "float_storage": stored(y.float()),
    }


def complex_parts(z, one, n, bad):
    real = of(
        z.real,
        ("real_strides_elems", "strides_elements"),
        ("real_itemsize", "itemsize"),
        ("unique_bytes_real", "touched_bytes"),
    )
    return real | {
        "imag_offset_bytes": zs.layout(z.imag).storage_offset_bytes,
        "np_real_strides": strides(n.real),
        "one_real_contiguous": strides(one.real.contiguous()),
        "one_is_contiguous": zs.layout(one.real).contiguous,
        "two_real_contiguous": strides(z.real.contiguous()),
        "expand_strides": strides(one.expand(3)),
        "view_as_real_strides": strides(torch.view_as_real(one.expand(3))),
        "expand_storage": stored(one.expand(3)),
    }


def meta(a, b):
    e = a.expand(4, 3)
    return of(e, BYTES[0], ("storage_bytes", "storage_bytes"), ("stride", "strides_elements")) | {
        "storage_says_alias": shares(a, b),
        "view_same_storage": shares(a, e),
    }


def integers_have_no_gradient(f, k):
    return {"int_layout_strides": zs.layout(k.expand(4, 3)).strides_bytes}


def three_meanings_of_repeat(t, a, m, o):
    return {
        "repeat_once_shares": shares(o, o.repeat(1, 1)),
        "tile_once_shares": shares(o, torch.tile(o, (1, 1))),
        "expand_same_shares": shares(o, o.expand(1, 3)),
    }


def flat_repeat_is_impossible(x, b, t):
    flat = zs.reshape_copies(b, -1)
    return of(b, ("two_d_unique_bytes", "touched_bytes"), ("two_d_logical", "logical_bytes")) | {
        "reshape_shares": not flat.copies,
        "reshape_bytes": flat.copied_bytes,
        "ravel_shares": shares(b.ravel(), x),
        "t_flatten_storage": zs.reshape_copies(t, -1).copied_bytes,
        "t_view": fails(zs.reshape_copies(t, -1).copies),
    }


def column_meets_row(line, t, **_):
    (told,) = zs.evidence(line, {"f": lambda line: line - t}).problems
    assert told.name == "broadcast_unintended"
    return {"difference_shape": told.values["square"]}


def nbytes(z, x, dense):
    b, e = np.broadcast_to(z, (10, 10**12)), x.expand(4, 3)
    return {
        "np_nbytes": zs.layout(b).logical_bytes,
        "np_source_bytes": stored(b),
        "t_nbytes": zs.layout(e).logical_bytes,
        "t_storage": stored(e),
    }


def virtual_sizes(t, i8, f, s, a):
    e = t.expand(2**31, 2**31)
    return {
        "np_ok": zs.layout(np.broadcast_to(i8, (2**31, 2**31))).logical_bytes,
        "np_too_big": fails(not zs.can_expand(f.shape, (2**31, 2**31), itemsize=f.itemsize)),
        "torch_numel": zs.layout(e).size,
        "right_bytes": zs.layout(e).logical_bytes,
        "torch_numel_overflow": fails(not zs.can_expand(tuple(t.shape), (2**32, 2**32), library="torch")),
    }


# By the name of the case after its number: how the product answers, and the facts that are no question to it.
ANSWERS = {
    "A02_overlapping_strides": (overlapping_strides, "same_as_out_of_place"),
    "A04_zero_size": (zero_size, "np_shares_itself np_may_share_itself data_ptr_of_empty"),
    "A06_reversed_broadcast": (reversed_broadcast, "from_numpy"),
    "C01_read_only_can_be_lifted": (
        read_only_can_be_lifted,
        "lift after_one_write source lift_on_frozen_source",
    ),
    "C03_sliding_windows": (sliding_windows, "one_write windows_after numpy_times2 torch_times2"),
    "C05_window_block_write": (window_block_write, "changed block_sum"),
    "D01_from_numpy_ignores_read_only": (from_numpy_ignores_read_only, "warns numpy_source"),
    "D03_negative_strides": (negative_strides, "from_numpy torch_slice torch_as_strided_neg"),
    "D05_byte_swapped": (byte_swapped, "values from_numpy tensor after_native reinterpreted_equal"),
    "E02_reshape_then_expand": (reshape_then_expand, "equal"),
    "E04_clone_is_dense": (clone_is_dense, ""),
    "E06_fortran_and_shape_assignment": (fortran_and_shape_assignment, "reshape_values reshape_f_values"),
    "I01_bfloat16": (bfloat16, "numpy int16_row"),
    "I03_complex_parts": (complex_parts, "write_real view_as_complex_bad"),
    "I05_meta": (meta, "ptrs ptr_says_alias inplace numpy params_counted_by_pointer"),
    "I07_integers_have_no_gradient": (
        integers_have_no_gradient,
        "int_tensor bool_tensor int_parameter int_parameter_frozen to_int_requires_grad "
        "to_half_requires_grad complex_ok",
    ),
    "J01_three_meanings_of_repeat": (
        three_meanings_of_repeat,
        "t_repeat np_tile t_tile np_repeat t_interleave no_dim_flattens repeat_fewer tile_fewer "
        "np_tile_fewer",
    ),
    "J03_flat_repeat_is_impossible": (flat_repeat_is_impossible, "flat_value modulo_value"),
    "J05_column_meets_row": (
        column_meets_row,
        "loss_of_the_line loss_of_the_mean loss_in_columns mse_warns formula_warns",
    ),
    "H01_nbytes": (nbytes, "view_getsizeof_below_nbytes dense_getsizeof_above_nbytes"),
    "H07_virtual_sizes": (virtual_sizes, "torch_nbytes torch_bounds np_bounds"),
}


def answers_to(name):
    return answered(ANSWERS[name][0], HERE[name])


@pytest.mark.parametrize("name", HERE)
def test_case(name):
    assert wrong_answers(answers_to(name), HERE[name]["expected"]) == {}


def test_no_fact_is_left_out():
    assert set(ANSWERS) == set(HERE)
    for name, (_, elsewhere) in ANSWERS.items():
        answers = set(answers_to(name))
        assert not answers & set(elsewhere.split())
        assert answers | set(elsewhere.split()) == set(HERE[name]["expected"])


@pytest.mark.parametrize("name", HERE)
def test_each_wrong_answer_is_seen(name):
    assert unseen(answers_to(name), HERE[name]["expected"]) == []
