"""Test cases about tensor memory layout, taken from real public threads.

    python cases.py                     check every expected value against raw numpy / torch
    python cases.py --list              one line per case

Each case is a class, turned into a plain dict in CASES:
    id, kind, source, title, advice, volatile, build, measure, expected
build()    -> dict of fresh inputs (numpy arrays / torch tensors / callables)
measure(i) -> dict of what raw numpy / torch really do with those inputs
expected   -> hand-written right values; the runner compares the two, key by key

volatile=True marks values that are an implementation detail of the versions below (order of writes
inside overlapping memory, a warning, a bug): a product may report them as "not reliable".
Written against torch 2.13.0 (CPU), numpy 2.4.6, Python 3.11, little-endian Linux.
No code or wording is copied from the threads; every input here is our own.
"""

# ruff: noqa
import copy, io, itertools, math, pickle, sys, warnings
import numpy as np
import torch
import torch.nn as nn
from numpy.lib.stride_tricks import as_strided, sliding_window_view

CASES = []


class Case:
    volatile, advice = False, ""

    def __init_subclass__(cls):
        CASES.append(
            dict(
                id=cls.__name__,
                kind=cls.kind,
                source=cls.source,
                title=cls.title,
                advice=cls.advice,
                volatile=cls.volatile,
                build=cls.build,
                measure=cls.measure,
                expected=cls.expected,
            )
        )


# ---------- raw measuring helpers (brute force on purpose, so they share no logic with a product) ----------
def addresses(shape, strides_bytes, itemsize, start=0):
    """Every logical element's first byte, by enumerating all indices."""
    return [
        start + sum(i * s for i, s in zip(ix, strides_bytes)) for ix in itertools.product(*map(range, shape))
    ]


def span(shape, strides_bytes, itemsize, start=0):
    adr = addresses(shape, strides_bytes, itemsize, start)
    touched = {a + k for a in adr for k in range(itemsize)}
    most = max((adr.count(a) for a in set(adr)), default=0)
    return dict(
        unique_bytes=len(touched),
        max_alias=most,
        first_byte=min(touched, default=None),
        last_byte=max(touched, default=None),
    )


def np_layout(a, src=None):
    s = a.strides
    d = dict(
        shape=a.shape,
        itemsize=a.itemsize,
        strides_bytes=s,
        strides_elems=tuple(v // a.itemsize for v in s) if all(v % a.itemsize == 0 for v in s) else None,
        logical_bytes=a.size * a.itemsize,
        writable_flag=a.flags.writeable,
        c_contiguous=a.flags.c_contiguous,
    )
    start = 0
    if src is not None:
        start = a.__array_interface__["data"][0] - src.__array_interface__["data"][0]
        d["shares_source"] = bool(np.shares_memory(a, src))
        d["offset_bytes"] = start
    sp = span(a.shape, s, a.itemsize, start)
    d.update(unique_bytes=sp["unique_bytes"], max_alias=sp["max_alias"])
    return d


def t_layout(t, src=None):
    b = tuple(v * t.element_size() for v in t.stride())
    st = t.untyped_storage()
    sp = span(tuple(t.shape), b, t.element_size())
    d = dict(
        shape=tuple(t.shape),
        itemsize=t.element_size(),
        strides_bytes=b,
        strides_elems=t.stride(),
        offset_bytes=t.storage_offset() * t.element_size(),
        logical_bytes=math.prod(t.shape) * t.element_size(),
        storage_bytes=st.nbytes(),
        unique_bytes=sp["unique_bytes"],
        max_alias=sp["max_alias"],
        c_contiguous=t.is_contiguous(),
    )
    if src is not None:
        d["shares_source"] = same_storage(t, src)
    return d


def same_storage(a, b):
    return a.untyped_storage()._cdata == b.untyped_storage()._cdata


def pick(d, *keys):
    return {k: d[k] for k in keys}


KNOWN = [
    "more than one element of the written-to tensor",
    "some elements of the input tensor",
    "read-only",
    "view size is not compatible",
    "non-leaf",
    "a leaf Variable that requires grad",
    "a view of a leaf Variable that requires grad",
    "modified by an inplace operation",
    "negative",
    "byte order",
    "not a multiple of the element byte size",
    "conjugate bit",
    "negative bit",
    "BFloat16",
    "Cannot access storage",
    "doesn't have storage",
    "unsupported for Sparse",
    "can require gradients",
    "Setting strides is possible only",
    "out of bounds",
    "array is too big",
    "must match the existing size",
    "could not be broadcast",
    "leading, non-existing",
    "number of sizes provided",
    "more dimensions",
    "Number of dimensions of repeat",
    "Unable to avoid creating a copy",
    "Incompatible shape",
    "stride 0",
    "same_kind",
    "last dimension with stride 1",
    "Error(s) in loading",
    "meta",
    "can't optimize",
    "numel: integer multiplication overflow",
]


def outcome(fn):
    """'ok', or 'ErrorClass: known phrase'."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fn()
        except Exception as e:
            msg = str(e)
            return (
                type(e).__name__
                + ": "
                + next((k for k in sorted(KNOWN, key=len, reverse=True) if k in msg), msg[:90])
            )
    return "ok"


def warned(fn):
    """Names of the warning classes fn raises (errors swallowed)."""
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as w:
            warnings.simplefilter("always")
            try:
                fn()
            except Exception:
                pass
        return sorted({x.category.__name__ for x in w})
    finally:
        torch.set_warn_always(False)


def quiet(fn):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn()


class saved:
    """Tensors autograd keeps for backward while the block runs."""

    def __enter__(self):
        self.kept = []
        self.ctx = torch.autograd.graph.saved_tensors_hooks(
            lambda t: (self.kept.append(t), t)[1], lambda t: t
        )
        self.ctx.__enter__()
        return self

    def __exit__(self, *a):
        self.ctx.__exit__(*a)

    def logical(self):
        return sum(t.numel() * t.element_size() for t in self.kept)

    def storage(self):
        return sum({t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in self.kept}.values())


def store(obj):
    b = io.BytesIO()
    torch.save(obj, b)
    n = b.tell()
    b.seek(0)
    return torch.load(b), n


W = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]
MORE = "RuntimeError: more than one element of the written-to tensor"


# ==== CASES ====
# ---------------------------------------------------------------- A  layout, units, offsets
class A02_overlapping_strides(Case):
    kind = "A layout"
    source = "https://github.com/pytorch/pytorch/issues/6165"
    title = "sharing without any zero stride: sizes (2,2,2), strides (3,2,1) on 7 elements"
    advice = "clone before writing"
    expected = dict(
        strides_elems=(3, 2, 1),
        strides_bytes=(24, 16, 8),
        logical_bytes=64,
        unique_bytes=56,
        storage_bytes=56,
        max_alias=2,
        c_contiguous=False,
        has_zero_stride=False,
        shared_pair=(24, 24),
        add_one_outcome="ok",
        same_as_out_of_place=False,
    )

    def build():
        base = torch.arange(7)
        return dict(base=base, v=base.as_strided((2, 2, 2), (3, 2, 1)))

    def measure(i):
        d = pick(
            t_layout(i["v"]),
            "strides_elems",
            "strides_bytes",
            "logical_bytes",
            "unique_bytes",
            "storage_bytes",
            "max_alias",
            "c_contiguous",
        )
        s = d["strides_bytes"]
        d.update(
            has_zero_stride=0 in s, shared_pair=(0 * s[0] + 1 * s[1] + 1 * s[2], 1 * s[0])
        )  # v[0,1,1] and v[1,0,0]
        want = (i["v"] + 1).tolist()
        d.update(add_one_outcome=outcome(lambda: i["v"].add_(1)))
        d.update(same_as_out_of_place=i["v"].tolist() == want)
        return d


class A04_zero_size(Case):
    kind, volatile = "A layout", True
    source = "https://github.com/PaddlePaddle/Paddle/pull/78565 (zh) ; https://github.com/tile-ai/tilelang/issues/1697 ; https://github.com/data-apis/array-api-strict/pull/232"
    title = "an axis of length 0: no bytes are touched, libraries disagree on strides, shares_memory says False even for x, x"
    expected = dict(
        np_128x0=(0, 0),
        t_128x0=(1, 1),
        np_0x2048=(0, 0),
        t_0x2048=(2048, 1),
        np_1x3_to_0x3=(0, 8),
        t_1x3_to_0x3=(0, 1),
        unique_bytes=0,
        logical_bytes=0,
        storage_bytes_of_view=12,
        max_alias=0,
        np_shares_itself=False,
        np_may_share_itself=False,
        add_on_empty_expand="ok",
        data_ptr_of_empty=0,
        same_storage=True,
    )

    def build():
        return dict(
            a=np.empty((128, 0), "f2"),
            b=np.zeros((0, 2048), "f4"),
            s=np.ones((1, 3)),
            t=torch.ones(1, 3),
            e=np.zeros((0, 3)),
        )

    def measure(i):
        v = i["t"].expand(0, 3)
        d = t_layout(v, i["t"])
        return dict(
            np_128x0=i["a"].strides,
            t_128x0=torch.empty(128, 0, dtype=torch.float16).stride(),
            np_0x2048=i["b"].strides,
            t_0x2048=torch.zeros(0, 2048).stride(),
            np_1x3_to_0x3=np.broadcast_to(i["s"], (0, 3)).strides,
            t_1x3_to_0x3=v.stride(),
            unique_bytes=d["unique_bytes"],
            logical_bytes=d["logical_bytes"],
            storage_bytes_of_view=d["storage_bytes"],
            max_alias=d["max_alias"],
            np_shares_itself=bool(np.shares_memory(i["e"], i["e"])),
            np_may_share_itself=bool(np.may_share_memory(i["e"], i["e"])),
            add_on_empty_expand=outcome(lambda: v.add_(1)),
            data_ptr_of_empty=torch.empty(0, 3).data_ptr(),
            same_storage=d["shares_source"],
        )


class A06_reversed_broadcast(Case):
    kind = "A layout"
    source = "https://github.com/dask/distributed/pull/3474"
    title = (
        "broadcast then reverse the columns: strides (0,-8), the first element is the last source byte block"
    )
    expected = dict(
        strides_bytes=(0, -8),
        strides_elems=(0, -1),
        offset_bytes=32,
        logical_bytes=160,
        unique_bytes=40,
        max_alias=4,
        shares_source=True,
        writable_flag=False,
        offset_of_3_1=24,
        from_numpy="ValueError: negative",
        rows_reversed_strides=(0, 8),
    )

    def build():
        x = np.arange(5)
        return dict(x=x, b=np.broadcast_to(x, (4, 5))[:, ::-1])

    def measure(i):
        d = pick(
            np_layout(i["b"], i["x"]),
            "strides_bytes",
            "strides_elems",
            "offset_bytes",
            "logical_bytes",
            "unique_bytes",
            "max_alias",
            "shares_source",
            "writable_flag",
        )
        d.update(
            offset_of_3_1=d["offset_bytes"] + 3 * 0 + 1 * -8,
            from_numpy=outcome(lambda: torch.from_numpy(i["b"])),
            rows_reversed_strides=np.broadcast_to(i["x"], (4, 5))[::-1].strides,
        )
        assert i["b"][3, 1] == i["x"][d["offset_of_3_1"] // 8]
        return d


# ---------------------------------------------------------------- B  torch: writing into expanded / overlapping memory
class B01_arithmetic_inplace(Case):
    kind = "B torch in-place"
    source = "https://github.com/pytorch/pytorch/issues/957 ; https://github.com/pytorch/pytorch/issues/4664 ; https://github.com/pytorch/pytorch/issues/15358 ; https://github.com/pytorch/pytorch/issues/17185"
    title = "y += t on an expanded tensor: silent nonsense in 2017, an error now; source unchanged"
    advice = "clone (or out-of-place)"
    expected = dict(
        add_=MORE,
        iadd=MORE,
        mul_=MORE,
        copy_=MORE,
        out_arg=MORE,
        source_after=[[1.0, 2.0, 3.0]],
        out_of_place=[[2.0, 3.0, 4.0]] * 4,
        clone_then_add=[[2.0, 3.0, 4.0]] * 4,
    )

    def build():
        x = torch.tensor([[1.0, 2.0, 3.0]])
        return dict(x=x, y=x.expand(4, 3), o=torch.ones(4, 3))

    def measure(i):
        y, o = i["y"], i["o"]
        return dict(
            add_=outcome(lambda: y.add_(1)),
            iadd=outcome(lambda: y.__iadd__(o)),
            mul_=outcome(lambda: y.mul_(2)),
            copy_=outcome(lambda: y.copy_(o)),
            out_arg=outcome(lambda: torch.add(o, 1, out=y)),
            source_after=i["x"].tolist(),
            out_of_place=(y + o).tolist(),
            clone_then_add=y.clone().add_(o).tolist(),
        )


class B03_masked_and_index_writes(Case):
    kind, volatile = "B torch in-place", True
    source = "https://github.com/pytorch/pytorch/issues/39639 ; https://github.com/pytorch/pytorch/issues/10756 ; https://github.com/pytorch/pytorch/pull/184488"
    title = "masked_fill_, y[mask] = v, index_put_, index_fill_: only a warning, all rows change; index_add_, scatter_ raise"
    advice = "clone, or masked_fill without the underscore"
    expected = dict(
        masked_fill_="ok",
        masked_fill_after=[[0.0, 0.0, 0.0]] * 4,
        masked_fill_warns=["UserWarning"],
        out_of_place=[[0.0, 2.0, 3.0], [1.0, 0.0, 3.0], [1.0, 2.0, 0.0], [1.0, 2.0, 3.0]],
        out_of_place_strides=(3, 1),
        mask_setitem="ok",
        index_put_="ok",
        index_put_after=[[1.0, 5.0, 3.0]] * 4,
        index_fill_="ok",
        index_add_=MORE,
        index_copy_=MORE,
        scatter_=MORE,
        masked_scatter_=MORE,
    )

    def build():
        return dict(make=lambda: torch.tensor([[1.0, 2.0, 3.0]]).expand(4, 3), m=torch.eye(4, 3).bool())

    def measure(i):
        mk, m = i["make"], i["m"]
        z, one = torch.tensor([0]), torch.ones(1, 3)
        a, b = mk(), mk()
        d = dict(
            masked_fill_=outcome(lambda: a.masked_fill_(m, 0.0)),
            index_put_=outcome(lambda: b.index_put_((z, torch.tensor([1])), torch.tensor(5.0))),
        )
        d.update(
            masked_fill_after=a.tolist(),
            index_put_after=b.tolist(),
            masked_fill_warns=warned(lambda: mk().masked_fill_(m, 0.0)),
            out_of_place=mk().masked_fill(m, 0.0).tolist(),
            out_of_place_strides=mk().masked_fill(m, 0.0).stride(),
            mask_setitem=outcome(lambda: mk().__setitem__(m, 0.0)),
            index_fill_=outcome(lambda: mk().index_fill_(0, z, 5.0)),
            index_add_=outcome(lambda: mk().index_add_(0, z, one)),
            index_copy_=outcome(lambda: mk().index_copy_(0, z, one)),
            scatter_=outcome(lambda: mk().scatter_(0, z.expand(1, 3), 5.0)),
            masked_scatter_=outcome(lambda: mk().masked_scatter_(m, torch.ones(12))),
        )
        return d


class B05_triu_tril(Case):
    kind, volatile = "B torch in-place", True
    source = "https://github.com/pytorch/pytorch/pull/176782 ; https://github.com/pytorch/pytorch/pull/165993"
    title = "tril_/triu_ on a matrix whose rows share memory: wrong numbers, no error; on an expanded batch of real matrices: right"
    advice = "tril (out of place), or build the mask dense"
    expected = dict(
        tril_scalar="ok",
        tril_scalar_after=[[0.0, 0.0, 0.0]] * 3,
        tril_rows_after=[[1.0, 0.0, 0.0]] * 4,
        triu_rows_after=[[0.0, 0.0, 0.0]] * 4,
        out_of_place=[[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]],
        batch_ok=[[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]],
    )

    def build():
        return dict(
            s=lambda: torch.tensor(1.0).expand(3, 3),
            rows=lambda: torch.tensor([[1.0, 2.0, 3.0]]).expand(4, 3),
            batch=lambda: torch.ones(3, 3).expand(2, 3, 3),
        )

    def measure(i):
        s, a, b, c = i["s"](), i["rows"](), i["rows"](), i["batch"]()
        d = dict(tril_scalar=outcome(lambda: s.tril_()), out_of_place=i["s"]().tril().tolist())
        a.tril_()
        b.triu_()
        c.tril_()
        d.update(
            tril_scalar_after=s.tolist(),
            tril_rows_after=a.tolist(),
            triu_rows_after=b.tolist(),
            batch_ok=c[1].tolist(),
        )
        return d


class B07_partial_overlap(Case):
    kind, volatile = "B torch in-place", True
    source = "https://github.com/pytorch/pytorch/issues/115521 ; https://github.com/numpy/numpy/issues/1683 ; https://github.com/numpy/numpy/issues/16749"
    title = "x[1:] += x[:-1]: torch raises for contiguous slices, silently differs for column slices, numpy is always right"
    advice = "clone the right-hand side in torch"
    expected = dict(
        torch_1d="RuntimeError: some elements of the input tensor",
        torch_cols="ok",
        torch_cols_equals_out_of_place=False,
        numpy_1d=[1.0, 3.0, 5.0, 7.0],
        numpy_cols_equals_out_of_place=True,
        torch_x_plus_xT="RuntimeError: some elements of the input tensor",
        numpy_x_plus_xT=[[2.0, 5.0], [5.0, 8.0]],
        torch_with_clone_ok=True,
    )

    def build():
        return dict(
            t=torch.arange(1.0, 5.0),
            m=torch.arange(1.0, 10.0).reshape(3, 3),
            n=np.arange(1.0, 5.0),
            p=np.arange(1.0, 10.0).reshape(3, 3),
            s=torch.tensor([[1.0, 2.0], [3.0, 4.0]]),
            q=np.array([[1.0, 2.0], [3.0, 4.0]]),
        )

    def measure(i):
        def add(dst, src):
            dst += src

        want = i["p"].copy()
        want[:, 1:] = i["p"][:, 1:] + i["p"][:, :-1]
        m2 = i["m"].clone()
        d = dict(
            torch_1d=outcome(lambda: add(i["t"][1:], i["t"][:-1])),
            torch_cols=outcome(lambda: add(i["m"][:, 1:], i["m"][:, :-1])),
            torch_x_plus_xT=outcome(lambda: add(i["s"], i["s"].t())),
        )
        add(i["n"][1:], i["n"][:-1])
        add(i["p"][:, 1:], i["p"][:, :-1])
        add(i["q"], i["q"].T)
        add(m2[:, 1:], m2[:, :-1].clone())
        d.update(
            torch_cols_equals_out_of_place=i["m"].tolist() == want.tolist(),
            numpy_1d=i["n"].tolist(),
            torch_with_clone_ok=m2.tolist() == want.tolist(),
            numpy_cols_equals_out_of_place=i["p"].tolist() == want.tolist(),
            numpy_x_plus_xT=i["q"].tolist(),
        )
        return d


# ---------------------------------------------------------------- C  numpy: writing into broadcast / window views
class C01_read_only_can_be_lifted(Case):
    kind = "C numpy in-place"
    source = "https://github.com/pydata/xarray/issues/8274 ; https://stackoverflow.com/questions/49673804 ; https://github.com/numpy/numpy/pull/5371"
    title = "broadcast_to is read-only, but flags.writeable = True works when the source is writable, and then one write hits all rows"
    advice = "copy before writing; never lift the flag"
    expected = dict(
        setitem="ValueError: read-only",
        iadd="ValueError: read-only",
        lift="ok",
        after_one_write=[[-1.0, 1.0, 2.0]] * 4,
        source=[-1.0, 1.0, 2.0],
        lift_on_frozen_source="ValueError",
        copy_writable=True,
        base_is_source=True,
    )

    def build():
        x = np.arange(3.0)
        z = np.arange(3.0)
        z.flags.writeable = False
        return dict(x=x, b=np.broadcast_to(x, (4, 3)), z=z)

    def measure(i):
        b = i["b"]
        d = dict(
            setitem=outcome(lambda: b.__setitem__((0, 0), 1)),
            iadd=outcome(lambda: b.__iadd__(1)),
            base_is_source=b.base is i["x"],
            copy_writable=b.copy().flags.writeable,
            lift_on_frozen_source=outcome(lambda: np.broadcast_to(i["z"], (4, 3)).setflags(write=True)).split(
                ":"
            )[0],
            lift=outcome(lambda: b.setflags(write=True)),
        )
        b[0, 0] = -1
        d.update(after_one_write=b.tolist(), source=i["x"].tolist())
        return d


class C03_sliding_windows(Case):
    kind, volatile = "C numpy in-place", True
    source = "https://github.com/numpy/numpy/issues/29677 ; https://github.com/numpy/numpy/pull/29869 ; https://github.com/pytorch/pytorch/pull/17576"
    title = "windows over 5 elements: same picture, numpy v *= 2 doubles once, torch unfold(...).mul_(2) doubles up to three times"
    advice = "copy windows before writing"
    expected = dict(
        strides_bytes=(8, 8),
        logical_bytes=72,
        unique_bytes=40,
        max_alias=3,
        default_writable=False,
        one_write=[0, 1, 99, 3, 4],
        windows_after=[[0, 1, 99], [1, 99, 3], [99, 3, 4]],
        numpy_times2=[2.0, 2.0, 2.0, 2.0, 2.0],
        torch_times2=[2.0, 4.0, 8.0, 4.0, 2.0],
        torch_outcome="ok",
        torch_strides=(1, 1),
    )

    def build():
        return dict(x=np.arange(5), o=np.ones(5), t=torch.ones(5))

    def measure(i):
        d = pick(
            np_layout(sliding_window_view(i["x"], 3), i["x"]),
            "strides_bytes",
            "logical_bytes",
            "unique_bytes",
            "max_alias",
        )
        d.update(default_writable=sliding_window_view(i["x"], 3).flags.writeable)
        v = sliding_window_view(i["x"], 3, writeable=True)
        v[1, 1] = 99
        s = sliding_window_view(i["o"], 3, writeable=True)
        s *= 2
        u = i["t"].unfold(0, 3, 1)
        d.update(
            one_write=i["x"].tolist(),
            windows_after=v.tolist(),
            numpy_times2=i["o"].tolist(),
            torch_strides=u.stride(),
            torch_outcome=outcome(lambda: u.mul_(2)),
        )
        d.update(torch_times2=i["t"].tolist())
        return d


class C05_window_block_write(Case):
    kind = "C numpy in-place"
    source = "https://github.com/numpy/numpy/issues/25746"
    title = "v[1,1] += 2 on 3x3 windows changes one 3x3 block of the array, not 'every element': a window is a position, not the whole"
    expected = dict(
        view_shape=(4, 4, 3, 3),
        strides_bytes=(48, 8, 48, 8),
        changed=9,
        block_sum=27.0,
        logical_bytes=1152,
        unique_bytes=288,
        max_alias=9,
    )

    def build():
        return dict(a=np.ones((6, 6)))

    def measure(i):
        v = sliding_window_view(i["a"], (3, 3), writeable=True)
        d = pick(np_layout(v, i["a"]), "strides_bytes", "logical_bytes", "unique_bytes", "max_alias")
        d.update(view_shape=v.shape)
        v[1, 1] += 2
        d.update(changed=int((i["a"] != 1).sum()), block_sum=float(i["a"][1:4, 1:4].sum()))
        return d


# ---------------------------------------------------------------- D  numpy <-> torch
class D01_from_numpy_ignores_read_only(Case):
    kind = "D interop"
    source = "https://github.com/pytorch/pytorch/issues/5442 ; https://github.com/pytorch/pytorch/pull/33615 ; https://github.com/pytorch/pytorch/issues/47160"
    title = "torch.from_numpy on a broadcast array: strides kept, read-only lost, one write reaches the numpy source; torch.tensor copies"
    advice = "torch.tensor(...) or .copy() first"
    expected = dict(
        stride=(0, 1),
        storage_bytes=24,
        logical_bytes=96,
        warns=["UserWarning"],
        write="ok",
        numpy_source=[-5.0, 1.0, 2.0],
        tensor_stride=(3, 1),
        tensor_storage=96,
        as_tensor_stride=(0, 1),
        asarray_copy_stride=(3, 1),
    )

    def build():
        x = np.arange(3.0)
        return dict(x=x, b=np.broadcast_to(x, (4, 3)))

    def measure(i):
        b = i["b"]
        w = warned(lambda: torch.from_numpy(b))
        t = quiet(lambda: torch.from_numpy(b))
        d = dict(
            stride=t.stride(),
            storage_bytes=t.untyped_storage().nbytes(),
            logical_bytes=t.numel() * t.element_size(),
            warns=w,
        )
        c = quiet(lambda: torch.tensor(b))
        d.update(
            tensor_stride=c.stride(),
            tensor_storage=c.untyped_storage().nbytes(),
            as_tensor_stride=quiet(lambda: torch.as_tensor(b)).stride(),
            asarray_copy_stride=quiet(lambda: torch.asarray(b, copy=True)).stride(),
            write=outcome(lambda: t.__setitem__((0, 0), -5.0)),
        )
        d.update(numpy_source=i["x"].tolist())
        return d


class D03_negative_strides(Case):
    kind = "D interop"
    source = (
        "https://github.com/pytorch/pytorch/issues/92680 ; https://github.com/pytorch/pytorch/issues/38271"
    )
    title = "numpy flips are views with negative strides; torch refuses them, and torch.flip copies"
    expected = dict(
        strides=(-8,),
        shares=True,
        from_numpy="ValueError: negative",
        after_copy=(1,),
        torch_slice="ValueError",
        torch_flip_shares=False,
        torch_as_strided_neg="RuntimeError",
        offset_bytes=24,
    )

    def build():
        a = np.arange(4.0)
        return dict(a=a, f=np.flip(a), t=torch.arange(4.0))

    def measure(i):
        return dict(
            strides=i["f"].strides,
            shares=bool(np.shares_memory(i["a"], i["f"])),
            from_numpy=outcome(lambda: torch.from_numpy(i["f"])),
            after_copy=torch.from_numpy(i["f"].copy()).stride(),
            torch_slice=outcome(lambda: i["t"][::-1]).split(":")[0],
            torch_flip_shares=same_storage(i["t"], i["t"].flip(0)),
            torch_as_strided_neg=outcome(lambda: i["t"].as_strided((4,), (-1,))).split(":")[0],
            offset_bytes=np_layout(i["f"], i["a"])["offset_bytes"],
        )


class D05_byte_swapped(Case):
    kind = "D interop"
    source = "https://github.com/pytorch/pytorch/issues/3671 ; https://github.com/cositools/cosipy/issues/636"
    title = "big-endian arrays: the layout is the same, the numbers are right in numpy, torch refuses even torch.tensor"
    expected = dict(
        native=False,
        strides=(0, 4),
        unique_bytes=12,
        values=[0.0, 1.0, 2.0],
        from_numpy="ValueError: byte order",
        tensor="ValueError: byte order",
        native_dtype="float32",
        astype_shares=False,
        after_native=[0.0, 1.0, 2.0],
        reinterpreted_equal=False,
    )

    def build():
        a = np.arange(3, dtype=">f4")
        return dict(a=a, b=np.broadcast_to(a, (2, 3)))

    def measure(i):
        n = i["a"].astype(i["a"].dtype.newbyteorder("="))
        return dict(
            native=i["a"].dtype.isnative,
            strides=i["b"].strides,
            unique_bytes=np_layout(i["b"])["unique_bytes"],
            values=i["a"].tolist(),
            from_numpy=outcome(lambda: torch.from_numpy(i["a"])),
            tensor=outcome(lambda: torch.tensor(i["a"])),
            native_dtype=n.dtype.name,
            astype_shares=bool(np.shares_memory(n, i["a"])),
            after_native=torch.from_numpy(n).tolist(),
            reinterpreted_equal=bool((i["a"].view("<f4") == i["a"]).all()),
        )


# ---------------------------------------------------------------- E  reshape, contiguity, copies
class E02_reshape_then_expand(Case):
    kind = "E reshape"
    source = "https://github.com/pytorch/pytorch/issues/141295"
    title = "order matters: expand(100,2,2).reshape(-1,4) stores 1600 bytes, reshape first and expand last stores 16"
    advice = "expand last"
    expected = dict(
        expanded_strides=(0, 1, 0),
        expanded_storage=8,
        late_storage=16,
        late_strides=(0, 1),
        early_storage=1600,
        early_strides=(4, 1),
        equal=True,
    )

    def build():
        return dict(a=torch.tensor([[[1.0], [2.0]]]))

    def measure(i):
        e = i["a"].expand(100, 2, 2)
        early, late = e.reshape(-1, 4), e[:1].reshape(-1, 4).expand(100, -1)
        return dict(
            expanded_strides=e.stride(),
            expanded_storage=e.untyped_storage().nbytes(),
            late_storage=late.untyped_storage().nbytes(),
            late_strides=late.stride(),
            early_storage=early.untyped_storage().nbytes(),
            early_strides=early.stride(),
            equal=torch.equal(early, late),
        )


class E04_clone_is_dense(Case):
    kind = "E reshape"
    source = "https://github.com/pytorch/pytorch/issues/143847 ; https://github.com/pytorch/pytorch/issues/156644 ; https://github.com/pytorch/pytorch/issues/64176"
    title = "preserve_format does not preserve a zero stride: clone, contiguous, empty_like, to(dtype), + all give dense memory"
    expected = dict(
        source_strides=(1, 0),
        clone=(2, 1),
        preserve=(2, 1),
        contiguous=(2, 1),
        empty_like=(2, 1),
        plus=(2, 1),
        to_double=(2, 1),
        to_meta=(2, 1),
        detach=(1, 0),
        transpose_clone=(1, 3),
        contiguous_of_dense_is_self=True,
        clone_storage=16,
    )

    def build():
        return dict(e=torch.tensor([[1.0], [2.0]]).expand(2, 2), d=torch.zeros(2, 3))

    def measure(i):
        e = i["e"]
        return dict(
            source_strides=e.stride(),
            clone=e.clone().stride(),
            preserve=e.clone(memory_format=torch.preserve_format).stride(),
            contiguous=e.contiguous().stride(),
            empty_like=torch.empty_like(e).stride(),
            plus=(e + 0).stride(),
            to_double=e.double().stride(),
            to_meta=e.to("meta").stride(),
            detach=e.detach().stride(),
            transpose_clone=i["d"].t().clone().stride(),
            contiguous_of_dense_is_self=i["d"].contiguous() is i["d"],
            clone_storage=e.clone().untyped_storage().nbytes(),
        )


class E06_fortran_and_shape_assignment(Case):
    kind = "E reshape"
    source = "https://github.com/deepanshs/csdmpy/issues/53 ; https://github.com/numpy/numpy/issues/9818"
    title = "Fortran order: a.shape = (6,) raises, reshape(6) copies, reshape(6, order='F') is a view with another reading order"
    expected = dict(
        strides=(8, 16),
        shape_assign="AttributeError: Incompatible shape",
        reshape_shares=False,
        reshape_values=[0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        reshape_f_shares=True,
        reshape_f_values=[0.0, 3.0, 1.0, 4.0, 2.0, 5.0],
        copy_false="ValueError: Unable to avoid creating a copy",
        torch_stride=(1, 2),
        torch_contiguous=False,
        broadcast_strides=(0, 8, 16),
        broadcast_reshape_copy_false="ValueError: Unable to avoid creating a copy",
        tile_strides=(24, 8),
    )

    def build():
        return dict(a=np.asfortranarray(np.arange(6.0).reshape(2, 3)))

    def measure(i):
        a = i["a"]
        b = np.broadcast_to(a, (4, 2, 3))
        return dict(
            strides=a.strides,
            shape_assign=outcome(lambda: setattr(a, "shape", (6,))),
            reshape_shares=bool(np.shares_memory(a, a.reshape(6))),
            reshape_values=a.reshape(6).tolist(),
            reshape_f_shares=bool(np.shares_memory(a, a.reshape(6, order="F"))),
            reshape_f_values=a.reshape(6, order="F").tolist(),
            copy_false=outcome(lambda: a.reshape(6, copy=False)),
            torch_stride=torch.from_numpy(a).stride(),
            torch_contiguous=torch.from_numpy(a).is_contiguous(),
            broadcast_strides=b.strides,
            broadcast_reshape_copy_false=outcome(lambda: b.reshape(8, 3, copy=False)),
            tile_strides=np.tile(a, (2, 1)).strides,
        )


# ---------------------------------------------------------------- F  gradients
class F01_expand_or_repeat_same_gradient(Case):
    kind = "F gradient"
    source = "https://github.com/AuCson/PyTorch-Batch-Attention-Seq2seq/issues/6 ; https://github.com/allenai/allennlp/pull/605"
    title = "expand, repeat, repeat_interleave, clone, implicit broadcasting: one and the same gradient; only sum / mean changes it"
    advice = "expand (read-only use)"
    expected = dict(
        sum={k: [[22.0, 26.0, 30.0]] for k in ("expand", "repeat", "interleave", "clone", "implicit")},
        mean={k: [[11 / 6, 13 / 6, 5 / 2]] for k in ("expand", "repeat", "interleave", "clone", "implicit")},
        grad_shape=(1, 3),
        grad_storage=24,
    )

    def build():
        return dict(
            x=torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64, requires_grad=True),
            w=torch.tensor(W, dtype=torch.float64),
        )

    def measure(i):
        x, w = i["x"], i["w"]
        ways = dict(
            expand=lambda: x.expand(4, 3),
            repeat=lambda: x.repeat(4, 1),
            interleave=lambda: x.repeat_interleave(4, 0),
            clone=lambda: x.expand(4, 3).clone(),
            implicit=lambda: x,
        )
        d = {
            r: {k: torch.autograd.grad(getattr(f() * w, r)(), x)[0].tolist() for k, f in ways.items()}
            for r in ("sum", "mean")
        }
        (x.expand(4, 3) * w).sum().backward()
        d.update(grad_shape=tuple(x.grad.shape), grad_storage=x.grad.untyped_storage().nbytes())
        return d


class F03_window_gradient_counts_uses(Case):
    kind = "F gradient"
    source = "https://github.com/PaddlePaddle/Paddle/pull/79718 (zh) ; https://github.com/pytorch/pytorch/issues/20806"
    title = "overlapping windows: each element's gradient is its number of windows, [1,2,3,2,1], not all ones"
    expected = dict(
        unfold=[1.0, 2.0, 3.0, 2.0, 1.0],
        as_strided=[1.0, 2.0, 3.0, 2.0, 1.0],
        finite_difference=[1.0, 2.0, 3.0, 2.0, 1.0],
        mean=[1 / 9, 2 / 9, 3 / 9, 2 / 9, 1 / 9],
    )

    def build():
        return dict(x=torch.ones(5, dtype=torch.float64, requires_grad=True))

    def measure(i):
        x = i["x"]
        g = lambda y: torch.autograd.grad(y, x)[0].tolist()
        f = lambda v: sliding_window_view(v, 3).sum()
        fd = []
        for j in range(5):
            a, b = np.ones(5), np.ones(5)
            a[j] += 1e-5
            b[j] -= 1e-5
            fd.append((f(a) - f(b)) / 2e-5)
        return dict(
            unfold=g(x.unfold(0, 3, 1).sum()),
            as_strided=g(x.as_strided((3, 3), (1, 1)).sum()),
            finite_difference=fd,
            mean=g(x.unfold(0, 3, 1).mean()),
        )


class F05_detach_or_data(Case):
    kind = "F gradient"
    source = "https://github.com/pytorch/pytorch/issues/6990 ; https://github.com/pytorch/pytorch/issues/7860"
    title = "writing through detach() is caught at backward, through .data it silently gives a wrong gradient; both share storage"
    advice = "detach().clone()"
    expected = dict(
        detach_shares=True,
        detach_backward="RuntimeError: modified by an inplace operation",
        data_backward="ok",
        data_grad=[0.0, 0.0, 0.0],
        right_grad=[0.25, 0.25, 0.25],
        detach_clone_grad=[0.25, 0.25, 0.25],
        unsaved_case="ok",
        unsaved_y_grad=[0.0, 0.0],
    )

    def build():
        return dict(make=lambda: torch.zeros(3, requires_grad=True))

    def measure(i):
        def run(cut):
            a = i["make"]()
            out = a.sigmoid()
            c = cut(out)
            shares = same_storage(c, out)
            c.zero_()
            r = outcome(lambda: out.sum().backward())
            return shares, r, None if a.grad is None else a.grad.tolist()

        det, dat, cl = run(lambda t: t.detach()), run(lambda t: t.data), run(lambda t: t.detach().clone())
        a = i["make"]()
        a.sigmoid().sum().backward()
        p, q = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(2, requires_grad=True)
        x = p * 2
        x.detach().zero_()  # before x is used: nothing to catch, the zeros are simply the new value
        un = outcome(lambda: (x * q).sum().backward())
        return dict(
            detach_shares=det[0],
            detach_backward=det[1],
            data_backward=dat[1],
            data_grad=dat[2],
            right_grad=a.grad.tolist(),
            detach_clone_grad=cl[2],
            unsaved_case=un,
            unsaved_y_grad=q.grad.tolist(),
        )


class F07_clone_passes_gradient(Case):
    kind = "F gradient"
    source = "https://blog.csdn.net/weixin_39901404/article/details/111491903 (zh)"
    title = "clone copies data but stays in the graph: the source's gradient grows, the clone's .grad is None"
    expected = dict(
        after_first=2.0,
        after_both=5.0,
        clone_grad=None,
        clone_leaf=False,
        clone_shares=False,
        detach_leaf=True,
        detach_shares=True,
        detach_clone_shares=False,
        clone_is_parameter=False,
        deepcopy_is_parameter=True,
    )

    def build():
        return dict(a=torch.tensor(1.0, requires_grad=True), p=nn.Parameter(torch.ones(1, 3)))

    def measure(i):
        a, p = i["a"], i["p"]
        c = a.clone()
        (a**2).backward()
        g1 = a.grad.item()
        (c * 3).backward()
        return dict(
            after_first=g1,
            after_both=a.grad.item(),
            clone_grad=quiet(lambda: c.grad),
            clone_leaf=c.is_leaf,
            clone_shares=same_storage(c, a),
            detach_leaf=p.detach().is_leaf,
            detach_shares=same_storage(p.detach(), p),
            detach_clone_shares=same_storage(p.detach().clone(), p),
            clone_is_parameter=isinstance(p.clone(), nn.Parameter),
            deepcopy_is_parameter=isinstance(copy.deepcopy(p), nn.Parameter),
        )


# ---------------------------------------------------------------- G  parameters, optimizers
class _Holder(nn.Module):
    def __init__(self, t):
        super().__init__()
        self.p = nn.Parameter(t)


class _Buffered(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.arange(3.0).view(1, 3).expand(2, -1))


class G01_parameter_from_expand(Case):
    kind = "G parameters"
    source = "https://github.com/lucidrains/titans-pytorch/issues/64 ; https://github.com/pytorch/pytorch/issues/28318 ; https://github.com/pytorch/pytorch/issues/34880"
    title = "nn.Parameter(x.expand(4,3)) is a leaf with stride 0: gradients come per row, then optimizer.step and load_state_dict raise"
    advice = "separate_parameters: nn.Parameter(x.detach().repeat(4,1)); shared: nn.Parameter(x) and expand in forward"
    expected = dict(
        is_leaf=True,
        stride=(0, 1),
        storage_bytes=12,
        numel=12,
        grad_stride=(3, 1),
        grad=W,
        sgd=MORE,
        adam=MORE,
        load=MORE,
        load_assign="ok",
        buffer_load=MORE,
        repeat_stride=(3, 1),
        repeat_sgd="ok",
        repeat_after=[[0.0, 0.0, 0.0], [-3.0, -3.0, -3.0], [-6.0, -6.0, -6.0], [-9.0, -9.0, -9.0]],
        shared_after=[[-21.0, -24.0, -27.0]],
    )

    def build():
        x = torch.tensor([[1.0, 2.0, 3.0]])
        return dict(
            x=x,
            w=torch.tensor(W),
            bad=_Holder(x.expand(4, 3)),
            good=_Holder(x.repeat(4, 1)),
            shared=_Holder(x.clone()),
            other=_Holder(torch.zeros(4, 3)),
        )

    def measure(i):
        w, p = i["w"], i["bad"].p
        (p * w).sum().backward()
        d = dict(
            is_leaf=p.is_leaf,
            stride=p.stride(),
            storage_bytes=p.untyped_storage().nbytes(),
            numel=p.numel(),
            grad_stride=p.grad.stride(),
            grad=p.grad.tolist(),
            sgd=outcome(lambda: torch.optim.SGD([p], lr=1.0).step()),
            adam=outcome(lambda: torch.optim.Adam([p], lr=1.0).step()),
            load=outcome(lambda: i["bad"].load_state_dict(i["other"].state_dict())),
            buffer_load=outcome(lambda: _Buffered().load_state_dict(_Buffered().state_dict())),
        )
        d.update(load_assign=outcome(lambda: i["bad"].load_state_dict(i["other"].state_dict(), assign=True)))
        g = i["good"].p
        (g * w).sum().backward()
        d.update(repeat_stride=g.stride(), repeat_sgd=outcome(lambda: torch.optim.SGD([g], lr=1.0).step()))
        s = i["shared"].p
        (s.expand(4, 3) * w).sum().backward()
        torch.optim.SGD([s], lr=1.0).step()
        d.update(repeat_after=g.tolist(), shared_after=s.tolist())
        return d


class G03_not_a_leaf(Case):
    kind = "G parameters"
    source = "https://github.com/pytorch/pytorch/issues/140469 ; https://github.com/wangkuiyi/gotorch/issues/261 ; https://github.com/aliasgharkhani/SLiMe/issues/10"
    title = "repeat / expand / slice / * of a parameter is no leaf: the optimizer refuses it, and a module does not register it"
    advice = "separate_parameters via nn.Parameter(x.detach().repeat(...))"
    expected = dict(
        expand_leaf=False,
        repeat_leaf=False,
        plain_expand_leaf=True,
        optimizer="ValueError: can't optimize",
        registered=["base"],
        state_keys=["base"],
        wrapped_ok="ok",
        wrapped_shares=False,
        parameter_of_expand_shares=True,
    )

    def build():
        class M(nn.Module):
            def __init__(self):
                super().__init__()
                self.base = nn.Parameter(torch.ones(1, 3))
                self.heads = self.base.repeat(4, 1)

        return dict(x=torch.ones(1, 3, requires_grad=True), m=M())

    def measure(i):
        x, m = i["x"], i["m"]
        w = nn.Parameter(x.detach().repeat(4, 1))
        return dict(
            expand_leaf=x.expand(4, 3).is_leaf,
            repeat_leaf=x.repeat(4, 1).is_leaf,
            plain_expand_leaf=torch.ones(1, 3).expand(4, 3).requires_grad_().is_leaf,
            optimizer=outcome(lambda: torch.optim.SGD([x.repeat(4, 1)], lr=0.1)),
            registered=[n for n, _ in m.named_parameters()],
            state_keys=list(m.state_dict()),
            wrapped_ok=outcome(lambda: torch.optim.SGD([w], lr=0.1)),
            wrapped_shares=same_storage(w, x),
            parameter_of_expand_shares=same_storage(nn.Parameter(x.expand(4, 3)), x),
        )


# ---------------------------------------------------------------- H  memory budgets, saving
class H01_nbytes(Case):
    kind = "H memory"
    source = "https://github.com/numpy/numpy/issues/22925 ; https://github.com/dask/dask/pull/6343"
    title = "nbytes is the logical size: 80 TB for one stored integer; torch's tensor.nbytes too, only the storage tells"
    expected = dict(
        np_nbytes=80000000000000,
        np_source_bytes=8,
        t_nbytes=48,
        t_storage=12,
        view_getsizeof_below_nbytes=True,
        dense_getsizeof_above_nbytes=True,
    )

    def build():
        return dict(z=np.array(0), x=torch.ones(1, 3), dense=np.zeros(1000))

    def measure(i):
        b, e = np.broadcast_to(i["z"], (10, 10**12)), i["x"].expand(4, 3)
        v = np.broadcast_to(np.zeros(3), (1000, 3))
        return dict(
            np_nbytes=b.nbytes,
            np_source_bytes=i["z"].nbytes,
            t_nbytes=e.nbytes,
            t_storage=e.untyped_storage().nbytes(),
            view_getsizeof_below_nbytes=sys.getsizeof(v) < v.nbytes,
            dense_getsizeof_above_nbytes=sys.getsizeof(i["dense"]) > i["dense"].nbytes,
        )


class H03_pickle_and_deepcopy(Case):
    kind = "H memory"
    source = "https://github.com/pydata/xarray/issues/1058 ; https://github.com/dask/distributed/pull/3180 ; https://github.com/pytorch/pytorch/issues/145665 ; https://github.com/pytorch/pytorch/pull/126126"
    title = "pickle: numpy writes every logical element and forgets the sharing, torch keeps stride 0; plain pickle of [x, x[:]] stores x twice, torch.save once"
    expected = dict(
        np_pickle_bytes_full=True,
        np_back_strides=(8000, 8),
        np_back_writable=True,
        np_npy_full=True,
        np_deepcopy_owndata=True,
        t_pickle_small=True,
        t_back_strides=(0, 1),
        t_back_storage=4000,
        t_pickle_pair_doubles=True,
        t_pickle_pair_shared=False,
        t_save_pair_shared=True,
        t_deepcopy_strides=(0, 1),
        t_deepcopy_storage=4000,
        t_deepcopy_shares=False,
    )

    def build():
        x = torch.arange(1000.0).reshape(1, 1000)
        return dict(b=np.broadcast_to(np.arange(1000.0), (50, 1000)), x=x, e=x.expand(50, 1000))

    def measure(i):
        pb, pe = pickle.dumps(i["b"]), pickle.dumps(i["e"])
        nb, te = pickle.loads(pb), pickle.loads(pe)
        buf = io.BytesIO()
        np.save(buf, i["b"])
        x = i["x"]
        pp = pickle.dumps([x, x[:]])
        q = pickle.loads(pp)
        sv, _ = store([x, x[:]])
        dc = copy.deepcopy(i["e"])
        return dict(
            np_pickle_bytes_full=len(pb) > 400000,
            np_back_strides=nb.strides,
            np_back_writable=nb.flags.writeable,
            np_npy_full=buf.tell() > 400000,
            np_deepcopy_owndata=copy.deepcopy(i["b"]).flags.owndata,
            t_pickle_small=len(pe) < 10000,
            t_back_strides=te.stride(),
            t_back_storage=te.untyped_storage().nbytes(),
            t_pickle_pair_doubles=len(pp) > 8000,
            t_pickle_pair_shared=same_storage(*q),
            t_save_pair_shared=same_storage(*sv),
            t_deepcopy_strides=dc.stride(),
            t_deepcopy_storage=dc.untyped_storage().nbytes(),
            t_deepcopy_shares=same_storage(dc, i["e"]),
        )


class H05_pairwise_distance(Case):
    kind = "H memory"
    source = "https://github.com/Maghoumi/pytorch-softdtw-cuda/pull/23 ; https://github.com/pytorch/pytorch/issues/24345 ; https://github.com/pytorch/pytorch/pull/50196"
    title = "x[:,None]-y[None] makes and keeps an N*M*D tensor; the matmul form and cdist keep only N*D, M*D and N*M"
    expected = dict(
        diff_kept=96000,
        formula_n_m_d=96000,
        cdist_kept=1600 + 1920 + 12000,
        matmul_kept=1600 + 1920,
        same_values=True,
    )

    def build():
        torch.manual_seed(0)
        return dict(x=torch.rand(50, 8, requires_grad=True), y=torch.rand(60, 8, requires_grad=True))

    def measure(i):
        x, y = i["x"], i["y"]
        with saved() as a:
            d1 = (x[:, None] - y[None]).pow(2).sum(-1)
        with saved() as b:
            d2 = torch.cdist(x, y)
        with saved() as c:
            d3 = (x**2).sum(-1, keepdim=True) + (y**2).sum(-1)[None] - 2 * (x @ y.T)
        return dict(
            diff_kept=a.storage(),
            formula_n_m_d=50 * 60 * 8 * 4,
            cdist_kept=b.storage(),
            matmul_kept=c.storage(),
            same_values=bool(torch.allclose(d1, d2**2, atol=1e-4) and torch.allclose(d1, d3, atol=1e-4)),
        )


class H07_virtual_sizes(Case):
    kind, volatile = "H memory", True
    source = "https://github.com/numpy/numpy/issues/16994 ; https://github.com/pytorch/pytorch/issues/20056 ; https://github.com/numpy/numpy/pull/8315"
    title = "limits of virtual shapes: numpy refuses above 2**63 bytes, torch.Tensor.nbytes wraps to 0, torch checks as_strided bounds and numpy does not"
    expected = dict(
        np_ok=4611686018427387904,
        np_too_big="ValueError: array is too big",
        torch_numel=4611686018427387904,
        torch_nbytes=0,
        right_bytes=18446744073709551616,
        torch_numel_overflow="RuntimeError: numel: integer multiplication overflow",
        torch_bounds="RuntimeError: out of bounds",
        np_bounds="ok",
    )

    def build():
        return dict(t=torch.zeros(1), i8=np.int8(0), f=np.zeros(1), s=torch.zeros(16), a=np.zeros(16))

    def measure(i):
        e = i["t"].expand(2**31, 2**31)
        return dict(
            np_ok=np.broadcast_to(i["i8"], (2**31, 2**31)).nbytes,
            np_too_big=outcome(lambda: np.broadcast_to(i["f"], (2**31, 2**31))),
            torch_numel=e.numel(),
            torch_nbytes=e.nbytes,
            right_bytes=e.numel() * e.element_size(),
            torch_numel_overflow=outcome(lambda: i["t"].expand(2**32, 2**32).numel()),
            torch_bounds=outcome(lambda: i["s"].as_strided((64, 64), (64, 1))),
            np_bounds=outcome(lambda: as_strided(i["a"], (64, 64), (512, 8))),
        )


# ---------------------------------------------------------------- I  dtypes and unusual tensors
class I01_bfloat16(Case):
    kind = "I dtypes"
    source = "https://github.com/pytorch/pytorch/issues/110285 ; https://github.com/TransformerLensOrg/TransformerLens/pull/1346"
    title = "bfloat16: 2 bytes, the layout report works, .numpy() does not; look through view(torch.int16)"
    expected = dict(
        itemsize=2,
        logical_bytes=24,
        storage_bytes=6,
        strides_bytes=(0, 2),
        numpy="TypeError: BFloat16",
        int16_strides=(0, 2),
        int16_row=[16256, 16384, 16448],
        float_strides=(3, 1),
        float_storage=48,
    )

    def build():
        return dict(y=torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.bfloat16).expand(4, 3))

    def measure(i):
        y = i["y"]
        d = t_layout(y)
        v = y.view(torch.int16).numpy()
        return dict(
            itemsize=d["itemsize"],
            logical_bytes=d["logical_bytes"],
            storage_bytes=d["storage_bytes"],
            strides_bytes=d["strides_bytes"],
            numpy=outcome(lambda: y.numpy()),
            int16_strides=v.strides,
            int16_row=v[0].tolist(),
            float_strides=y.float().stride(),
            float_storage=y.float().untyped_storage().nbytes(),
        )


class I03_complex_parts(Case):
    kind = "I dtypes"
    source = (
        "https://github.com/pytorch/pytorch/issues/38468 ; https://github.com/pytorch/pytorch/issues/82610"
    )
    title = "real and imag are views with half the itemsize and twice the stride; on one element contiguous() keeps stride 2"
    expected = dict(
        real_strides_elems=(2,),
        real_itemsize=4,
        imag_offset_bytes=4,
        np_real_strides=(16,),
        write_real=[9 + 2j, 3 + 0j],
        one_real_contiguous=(2,),
        one_is_contiguous=True,
        two_real_contiguous=(1,),
        expand_strides=(0,),
        view_as_real_strides=(0, 1),
        expand_storage=8,
        view_as_complex_bad="RuntimeError: last dimension with stride 1",
        unique_bytes_real=8,
    )

    def build():
        return dict(
            z=torch.tensor([1 + 2j, 3 + 0j]),
            one=torch.tensor([1 + 2j]),
            n=np.array([1 + 2j, 3]),
            bad=torch.ones(2, 1).expand(2, 2),
        )

    def measure(i):
        z, one = i["z"], i["one"]
        e = one.expand(3)
        d = dict(
            real_strides_elems=z.real.stride(),
            real_itemsize=z.real.element_size(),
            imag_offset_bytes=z.imag.storage_offset() * 4,
            np_real_strides=i["n"].real.strides,
            one_real_contiguous=one.real.contiguous().stride(),
            one_is_contiguous=one.real.is_contiguous(),
            two_real_contiguous=z.real.contiguous().stride(),
            expand_strides=e.stride(),
            view_as_real_strides=torch.view_as_real(e).stride(),
            expand_storage=e.untyped_storage().nbytes(),
            view_as_complex_bad=outcome(lambda: torch.view_as_complex(i["bad"])),
            unique_bytes_real=t_layout(z.real)["unique_bytes"],
        )
        z.real[0] = 9
        d.update(write_real=z.tolist())
        return d


class I05_meta(Case):
    kind, volatile = "I dtypes", True
    source = "https://github.com/pytorch/pytorch/pull/54710 ; https://github.com/pytorch/pytorch/issues/123879 ; https://github.com/bigscience-workshop/Megatron-DeepSpeed/pull/40"
    title = "meta tensors: every data_ptr is 0, so pointer comparison says all alias; storage identity is right; in-place on an expand does not raise here"
    expected = dict(
        ptrs=(0, 0),
        ptr_says_alias=True,
        storage_says_alias=False,
        view_same_storage=True,
        stride=(0, 1),
        storage_bytes=12,
        logical_bytes=48,
        inplace="ok",
        numpy="TypeError: meta",
        params_counted_by_pointer=1,
    )

    def build():
        return dict(a=torch.empty(1, 3, device="meta"), b=torch.empty(1, 3, device="meta"))

    def measure(i):
        a, b = i["a"], i["b"]
        e = a.expand(4, 3)
        return dict(
            ptrs=(a.data_ptr(), b.data_ptr()),
            ptr_says_alias=a.data_ptr() == b.data_ptr(),
            storage_says_alias=same_storage(a, b),
            view_same_storage=same_storage(a, e),
            stride=e.stride(),
            storage_bytes=e.untyped_storage().nbytes(),
            logical_bytes=e.numel() * e.element_size(),
            inplace=outcome(lambda: e.add_(1)),
            numpy=outcome(lambda: a.numpy()),
            params_counted_by_pointer=len({p.data_ptr(): p.numel() for p in (a, b)}),
        )


class I07_integers_have_no_gradient(Case):
    kind = "I dtypes"
    source = "https://github.com/pytorch/pytorch/issues/53466 ; https://github.com/pytorch/pytorch/issues/95110 ; https://github.com/pytorch/pytorch/pull/150913"
    title = "requires_grad needs float or complex: int and bool raise, .to(int) silently drops it, an int Parameter needs requires_grad=False"
    expected = dict(
        int_tensor="RuntimeError: can require gradients",
        bool_tensor="RuntimeError: can require gradients",
        int_parameter="RuntimeError: can require gradients",
        int_parameter_frozen="ok",
        to_int_requires_grad=False,
        to_half_requires_grad=True,
        complex_ok=True,
        int_layout_strides=(0, 8),
    )

    def build():
        return dict(f=torch.ones(3, requires_grad=True), k=torch.arange(3))

    def measure(i):
        f, k = i["f"], i["k"]
        return dict(
            int_tensor=outcome(lambda: torch.tensor([1, 2], requires_grad=True)),
            bool_tensor=outcome(lambda: torch.tensor([True], requires_grad=True)),
            int_parameter=outcome(lambda: nn.Parameter(k)),
            int_parameter_frozen=outcome(lambda: nn.Parameter(k, requires_grad=False)),
            to_int_requires_grad=f.to(torch.int64).requires_grad,
            to_half_requires_grad=f.half().requires_grad,
            complex_ok=torch.tensor([1 + 2j]).requires_grad_().requires_grad,
            int_layout_strides=t_layout(k.expand(4, 3))["strides_bytes"],
        )


# ---------------------------------------------------------------- J  repeat, tile, invalid expansion
class J01_three_meanings_of_repeat(Case):
    kind = "J repeat/tile"
    source = "https://github.com/helmholtz-analytics/heat/issues/179 ; https://github.com/numpy/numpy/issues/5743 ; https://github.com/pytorch/pytorch/pull/8116 ; https://arsetstudium.tistory.com/114 (ko)"
    title = "torch.repeat = np.tile = torch.tile in order; np.repeat = torch.repeat_interleave; ranks are treated differently; repeat(1,1) still copies"
    expected = dict(
        t_repeat=[1, 2, 3, 1, 2, 3],
        np_tile=[1, 2, 3, 1, 2, 3],
        t_tile=[1, 2, 3, 1, 2, 3],
        np_repeat=[1, 1, 2, 2, 3, 3],
        t_interleave=[1, 1, 2, 2, 3, 3],
        no_dim_flattens=[1, 1, 2, 2, 3, 3, 4, 4],
        repeat_fewer="RuntimeError: Number of dimensions of repeat",
        tile_fewer=(2, 6),
        np_tile_fewer=(2, 6),
        repeat_once_shares=False,
        tile_once_shares=False,
        expand_same_shares=True,
    )

    def build():
        return dict(
            t=torch.tensor([1, 2, 3]),
            a=np.array([1, 2, 3]),
            m=torch.tensor([[1, 2], [3, 4]]),
            o=torch.ones(1, 3),
        )

    def measure(i):
        t, a, m, o = i["t"], i["a"], i["m"], i["o"]
        return dict(
            t_repeat=t.repeat(2).tolist(),
            np_tile=np.tile(a, 2).tolist(),
            t_tile=torch.tile(t, (2,)).tolist(),
            np_repeat=np.repeat(a, 2).tolist(),
            t_interleave=t.repeat_interleave(2).tolist(),
            no_dim_flattens=m.repeat_interleave(2).tolist(),
            repeat_fewer=outcome(lambda: torch.ones(2, 3).repeat(2)),
            tile_fewer=tuple(torch.tile(torch.ones(2, 3), (2,)).shape),
            np_tile_fewer=np.tile(np.ones((2, 3)), 2).shape,
            repeat_once_shares=same_storage(o, o.repeat(1, 1)),
            tile_once_shares=same_storage(o, torch.tile(o, (1, 1))),
            expand_same_shares=same_storage(o, o.expand(1, 3)),
        )


class J03_flat_repeat_is_impossible(Case):
    kind = "J repeat/tile"
    source = "https://stackoverflow.com/questions/5564098 (repeat an array without replicating data) ; https://stackoverflow.com/questions/55125558 (what broadcasting does under the hood)"
    title = "a 1-D array of 1000 back-to-back repeats cannot be a strided view: (1000,3) can, flattening it copies, .flat iterates without a copy"
    advice = "keep 2-D, or index modulo n"
    expected = dict(
        two_d_unique_bytes=24,
        two_d_logical=24000,
        reshape_shares=False,
        reshape_bytes=24000,
        ravel_shares=False,
        flat_value=1.0,
        modulo_value=1.0,
        t_flatten_storage=12000,
        t_view="RuntimeError: view size is not compatible",
    )

    def build():
        x = np.arange(3.0)
        return dict(x=x, b=np.broadcast_to(x, (1000, 3)), t=torch.arange(3.0).expand(1000, 3))

    def measure(i):
        b, x = i["b"], i["x"]
        return dict(
            two_d_unique_bytes=span((1000, 3), b.strides, 8)["unique_bytes"],
            two_d_logical=b.size * 8,
            reshape_shares=bool(np.shares_memory(b.reshape(-1), x)),
            reshape_bytes=b.reshape(-1).nbytes,
            ravel_shares=bool(np.shares_memory(b.ravel(), x)),
            flat_value=float(b.flat[2998]),
            modulo_value=float(x[2998 % 3]),
            t_flatten_storage=i["t"].flatten().untyped_storage().nbytes(),
            t_view=outcome(lambda: i["t"].view(-1)),
        )


class J05_column_meets_row(Case):
    kind = "J repeat/tile"
    source = "https://github.com/pytorch/pytorch/issues/16045 ; https://github.com/pytorch/pytorch/issues/16413 ; https://github.com/pytorch/pytorch/pull/18349"
    title = "(n,1) minus (n,) is (n,n): a loss runs over every pair, mse_loss warns, the formula written out does not"
    expected = dict(
        difference_shape=(4, 4),
        loss_of_the_line=10.0,
        loss_of_the_mean=5.0,
        loss_in_columns=0.0,
        mse_warns=["UserWarning"],
        formula_warns=[],
    )

    def build():
        x = torch.arange(4.0)[:, None]
        return dict(line=2 * x + 1, mean=torch.full((4, 1), 4.0), t=2 * x[:, 0] + 1)

    def measure(i):
        loss = lambda p, t: ((p - t) ** 2).mean()
        line, t = i["line"], i["t"]
        return dict(
            difference_shape=tuple((line - t).shape),
            loss_of_the_line=loss(line, t).item(),
            loss_of_the_mean=loss(i["mean"], t).item(),
            loss_in_columns=loss(line, t[:, None]).item(),
            mse_warns=warned(lambda: nn.functional.mse_loss(line, t)),
            formula_warns=warned(lambda: loss(line, t)),
        )


# ---------------------------------------------------------------- K  finite differences, the checks on other dtypes
def _fd(x, w, h):
    out = []
    for j in range(x.shape[1]):
        a, b = x.copy(), x.copy()
        a[0, j] += h
        b[0, j] -= h
        out.append(
            float(
                ((np.broadcast_to(a, w.shape) * w).sum() - (np.broadcast_to(b, w.shape) * w).sum()) / (2 * h)
            )
        )
    return out


class K02_float32_step(Case):
    kind = "K finite difference"
    source = "https://github.com/pytorch/pytorch/issues/8659 ; https://github.com/pytorch/pytorch/issues/5351 ; https://github.com/chainer/chainer/issues/3046"
    title = "float32 with h=1e-5 misses 22 by 0.6; a step of 2**-7 is exact here; gradcheck warns and fails in float32, passes in float64"
    advice = "compute finite differences in float64, or scale the step"
    expected = dict(
        off_by_more_than_half=True,
        within_1e_8=False,
        power_of_two_step=[22.0, 26.0, 30.0],
        gradcheck32=False,
        gradcheck64=True,
        gradcheck32_warns=["UserWarning"],
    )

    def build():
        return dict(
            x=np.array([[1, 2, 3]], "f4"),
            w=np.array(W, "f4"),
            t32=torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True),
            t64=torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64, requires_grad=True),
        )

    def measure(i):
        fd = _fd(i["x"], i["w"], 1e-5)
        f = lambda v: (v.expand(4, 3) * torch.tensor(W, dtype=v.dtype)).sum()
        chk = lambda v: torch.autograd.gradcheck(f, (v,), raise_exception=False)
        return dict(
            off_by_more_than_half=abs(fd[0] - 22) > 0.5,
            within_1e_8=bool(np.allclose(fd, [22, 26, 30], rtol=1e-8, atol=1e-8)),
            power_of_two_step=_fd(i["x"], i["w"], 2.0**-7),
            gradcheck32=quiet(lambda: chk(i["t32"])),
            gradcheck64=chk(i["t64"]),
            gradcheck32_warns=warned(lambda: chk(i["t32"])),
        )


# ==== RUNNER ====
def close(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, float) or isinstance(b, float):
        return (
            isinstance(a, (int, float))
            and isinstance(b, (int, float))
            and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)
        )
    return a == b


def verify(case):
    got = case["measure"](case["build"]())
    bad = [
        f"{k}: expected {case['expected'].get(k, '(absent)')!r}, got {got.get(k, '(absent)')!r}"
        for k in sorted(set(got) | set(case["expected"]))
        if k not in got or k not in case["expected"] or not close(case["expected"][k], got[k])
    ]
    return bad


def main(argv):
    if "--list" in argv:
        for c in CASES:
            print(f"{c['id']:45s} {c['title']}")
        return 0
    failed = values = 0
    for c in CASES:
        bad = verify(c)
        values += len(c["expected"])
        failed += bool(bad)
        print(f"{'FAIL' if bad else 'ok  '} {c['id']}")
        for b in bad:
            print("       ", b)
    print(
        f"{len(CASES)} cases, {values} expected values, {failed} failed; torch {torch.__version__}, numpy {np.__version__}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
