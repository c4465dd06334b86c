"""Layouts read from files: headers only, hostile files refused in words, nothing executed."""

import io
import os
import pickle
import re
import struct
import zipfile

import numpy as np
import pytest

import zerostride as zs
from zerostride.array_files import UnreadableFileError, file_layouts


class Bomb:
    """Would write a file if anything unpickled it."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return open, (str(self.place), "w")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["bool", "float64", ">i4", "complex64", "datetime64[s]", "U3"])
@pytest.mark.parametrize("shape", [(), (3,), (4, 3), (2, 0, 3), (2, 3, 4)])
def test_the_header_says_what_numpy_would_load(tmp_path, shape, dtype, order):
    saved = np.zeros(shape, dtype, order=order)
    np.save(tmp_path / "x.npy", saved)
    np.savez(tmp_path / "x.npz", x=saved)
    loaded = np.load(tmp_path / "x.npy")
    for path, name in [(tmp_path / "x.npy", ""), (tmp_path / "x.npz", "x")]:
        seen = file_layouts(path).layouts[name]
        assert (seen.shape, seen.dtype, seen.itemsize) == (loaded.shape, str(loaded.dtype), loaded.itemsize)
        assert seen.logical_bytes == seen.storage_bytes == loaded.nbytes
        if loaded.size:
            assert seen.strides_bytes == loaded.strides


def test_a_huge_array_is_not_loaded(tmp_path, monkeypatch):
    np.save(tmp_path / "x.npy", np.zeros((1000, 1000)))
    monkeypatch.setattr(np, "load", lambda *a, **k: pytest.fail("loaded"))
    monkeypatch.setattr(np, "fromfile", lambda *a, **k: pytest.fail("read"))
    assert file_layouts(tmp_path / "x.npy").layouts[""].logical_bytes == 8_000_000


def test_a_bomb_in_an_archive_is_not_unpacked(tmp_path):
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "|u1", "fortran_order": False, "shape": (10**8,)})
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", head.getvalue() + bytes(10**8))
    assert (tmp_path / "x.npz").stat().st_size < 10**6
    assert file_layouts(tmp_path / "x.npz").layouts["x"].logical_bytes == 10**8


@pytest.mark.parametrize("language", ["en", "zh"])
def test_hostile_files_are_refused_in_words(tmp_path, language):
    zs.use(language)
    place = tmp_path / "written by a pickle"
    np.save(tmp_path / "objects.npy", np.array([Bomb(place)], object), allow_pickle=True)
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (2**50,)})
    (tmp_path / "shorter.npy").write_bytes(head.getvalue() + bytes(64))
    (tmp_path / "cut.npy").write_bytes(head.getvalue()[:20])
    (tmp_path / "text.npy").write_text("no array")
    (tmp_path / "empty.npz").write_bytes(b"")
    (tmp_path / "noise.pt").write_bytes(b"no zip and no pickle")
    (tmp_path / "nested.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", 9000) + b"(" * 9000)
    for path in sorted(tmp_path.iterdir()):
        with pytest.raises(UnreadableFileError) as caught:
            file_layouts(path)
        assert ("文件" in str(caught.value) or "数组" in str(caught.value)) == (language == "zh"), path
    assert not place.exists()


def test_another_kind_of_file_is_refused(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"\.csv is not a kind of file that is read"):
        file_layouts(tmp_path / "x.csv")
    with pytest.raises(FileNotFoundError):
        file_layouts(tmp_path / "x.npy")


def test_torch_files_tell_who_shares(tmp_path):
    torch = pytest.importorskip("torch")
    source = torch.ones(1, 3, dtype=torch.float64)
    held = {"source": source, "nested": [source.expand(4, 3), {"copy": source.repeat(4, 1)}], "step": 3}
    torch.save(held, tmp_path / "x.pt")
    seen = file_layouts(tmp_path / "x.pt")
    assert seen.layouts["nested[0]"].strides_bytes == (0, 8)
    assert seen.storages == {"source": 1, "nested[0]": 1, "nested[1].copy": 2}
    assert "source, nested[0] share storage 1." in str(seen)


def test_torch_pickles_are_never_executed(tmp_path):
    torch = pytest.importorskip("torch")
    place = tmp_path / "written by a pickle"
    torch.save({"x": Bomb(place)}, tmp_path / "x.pt")
    (tmp_path / "old.pth").write_bytes(pickle.dumps(Bomb(place)))
    for name in ("x.pt", "old.pth"):
        with pytest.raises(UnreadableFileError):
            file_layouts(tmp_path / name)
    assert not place.exists()
    torch.load(tmp_path / "x.pt", weights_only=False)
    assert place.exists()


def test_safetensors_are_read_from_their_header(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    safetensors.save_file(
        {"w": np.zeros((4, 3), np.float32), "b": np.zeros(3, bool)}, tmp_path / "x.safetensors"
    )
    seen = file_layouts(tmp_path / "x.safetensors")
    assert seen.layouts["w"].strides_bytes == (12, 4)
    assert seen.layouts["b"].logical_bytes == 3
    (tmp_path / "cut.safetensors").write_bytes((tmp_path / "x.safetensors").read_bytes()[:30])
    with pytest.raises(UnreadableFileError, match="damaged"):
        file_layouts(tmp_path / "cut.safetensors")


def test_nothing_in_an_archive_vanishes(tmp_path):
    np.savez(tmp_path / "x.npz", w=np.zeros(3), objects=np.array([None]))
    with zipfile.ZipFile(tmp_path / "x.npz", "a") as archive:
        archive.writestr("readme.txt", "no array")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("w.npy", zipfile.ZipFile(tmp_path / "x.npz").read("w.npy"))
    seen = file_layouts(tmp_path / "x.npz")
    assert list(seen.layouts) == ["w", "w (2)"]
    assert list(seen.unread) == ["objects", "readme.txt"]
    assert "Not counted: readme.txt, because it is no array" in str(seen)
    with zipfile.ZipFile(tmp_path / "empty.npz", "w"):
        pass
    assert "There is no array in this file." in str(file_layouts(tmp_path / "empty.npz"))


def test_tensors_of_one_path_and_sparse_ones_are_all_named(tmp_path):
    torch = pytest.importorskip("torch")
    one = torch.ones(3)
    torch.save(
        {"a.b": one, "again": one[1:], "a": {"b": one.clone()}, "s": torch.eye(2).to_sparse()},
        tmp_path / "x.pt",
    )
    seen = file_layouts(tmp_path / "x.pt")
    assert seen.storages == {"a.b": 1, "again": 1, "a.b (2)": 2}
    assert list(seen.unread) == ["s"]


@pytest.mark.filterwarnings("ignore:.*nested tensors is in prototype", "ignore:.*quantize_per_tensor")
def test_tensors_of_other_kinds_leave_the_rest_readable(tmp_path):
    torch = pytest.importorskip("torch")
    kinds = {
        "nested": torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
        "packed": torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.quint4x2),
        "quantized": torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
        "plain": torch.ones(3),
    }
    torch.save(kinds, tmp_path / "x.pt")
    seen = file_layouts(tmp_path / "x.pt")
    assert list(seen.layouts) == ["quantized", "plain"]
    assert list(seen.unread) == ["nested", "packed"]
    torch.save(torch.eye(2).to_sparse(), tmp_path / "alone.pt")
    assert "Not counted: alone.pt, because" in str(file_layouts(tmp_path / "alone.pt"))


def test_tensors_without_data_share_no_storage(tmp_path):
    torch = pytest.importorskip("torch")
    torch.save([torch.ones(3, device="meta"), torch.ones(2, device="meta")], tmp_path / "x.pt")
    assert list(file_layouts(tmp_path / "x.pt").storages.values()) == [1, 2]


def test_names_of_fields_are_read_as_they_are_written(tmp_path):
    array = np.zeros(3, [("步", "<f8"), ("r", [("é", "<i4", (2,))])])
    with pytest.warns(UserWarning, match=re.escape("format 3.0")):
        np.save(tmp_path / "x.npy", array)
    assert file_layouts(tmp_path / "x.npy").layouts[""].dtype == str(array.dtype)
    written = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(written[:6] + b"\x04" + written[7:])
    with pytest.raises(UnreadableFileError, match="damaged"):
        file_layouts(tmp_path / "x.npy")


def test_names_in_files_cannot_drive_a_terminal(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        head = io.BytesIO()
        np.save(head, np.zeros(2))
        archive.writestr("\x1b[31mred\x07\nfake.npy", head.getvalue())
        archive.writestr("n" * 500 + ".npy", head.getvalue())
    told = str(file_layouts(tmp_path / "x.npz"))
    assert "\x1b" not in told
    assert "\x07" not in told
    assert max(map(len, told.splitlines())) < 200


def test_elements_of_no_bytes_take_none(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros(3, "V0"))
    assert file_layouts(tmp_path / "x.npy").layouts[""].storage_bytes == 0


def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "x.npy")
    with pytest.raises(UnreadableFileError, match="no ordinary file"):
        file_layouts(tmp_path / "x.npy")
