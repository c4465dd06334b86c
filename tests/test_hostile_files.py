"""Files of arrays as a stranger may hand them in: damaged, huge by their claims, endless, compressed."""

import io
import pickle
import re
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zerostride import array_files
from zerostride.array_files import UnreadableFileError, file_layouts
from zerostride.cli import main
from zerostride.language import LANGUAGES, use
from zerostride.pairs.typography import HAN

OFTEN = settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def saved(write, *arguments, **options):
    with io.BytesIO() as file:
        write(file, *arguments, **options)
        return file.getvalue()


def packed(entries, way=zipfile.ZIP_DEFLATED):
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", way) as archive:
            for name, content in entries.items():
                archive.writestr(name, content)
        return file.getvalue()


def pickled(content, way=zipfile.ZIP_STORED):
    return packed({"x/data.pkl": content, "x/version": "3\n", "x/byteorder": "little"}, way)


def header(descr="'<f8'", shape="(3,)", rest=bytes(640)):
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + rest


def safetensors(shape, end):
    text = f'{{"w": {{"dtype": "F32", "shape": {shape}, "data_offsets": [0, {end}]}}}}'.encode()
    return struct.pack("<Q", len(text)) + text + bytes(end)


def whole_files():
    """Yield a good file of every kind and of every way to write it."""
    array = saved(np.save, np.arange(300.0))
    yield ".npy", array
    for way in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        yield ".npz", packed({"w.npy": array}, way)
    try:
        import torch
        from safetensors.numpy import save
    except ImportError:
        return
    held = {"w": torch.ones(1, 3).expand(4, 3), "more": [torch.ones(2)]}

    def written(file, as_zip):
        torch.save(held, file, _use_new_zipfile_serialization=as_zip)

    for as_zip in (True, False):
        yield ".pt", saved(written, as_zip)
    yield ".safetensors", save({"w": np.zeros((4, 3), np.float32), "b": np.zeros(3, bool)})


WHOLE = list(whole_files())


@st.composite
def damaged(draw):
    suffix, content = draw(st.sampled_from(WHOLE))
    places = st.integers(0, len(content) - 1)
    if draw(st.booleans()):
        return suffix, content[: draw(places)]
    changed = bytearray(content)
    for _ in range(draw(st.integers(1, 3))):
        changed[draw(places)] = draw(st.integers(0, 255))
    return suffix, bytes(changed)


def told(capsys, path, language):
    """Run the command on a file; hold that its words are all that is said, and return its status."""
    use(language)
    for options in ((), ("--json",)):
        status = main(["layout", str(path), *options])
        out, errors = capsys.readouterr()
        assert status in (0, 2)
        assert bool(out) == (status == 0)
        assert errors.count("\n") == (status == 2)
        assert bool(re.search(f"[{HAN}]", errors)) == (status == 2 and language == "zh")
    return status


@OFTEN
@given(file=damaged(), language=st.sampled_from(LANGUAGES))
def test_no_damage_reaches_a_learner_as_a_traceback(tmp_path, capsys, file, language):
    path = tmp_path / f"x{file[0]}"
    path.write_bytes(file[1])
    told(capsys, path, language)


HOSTILE = {
    "no field.npy": header("()"),
    "one field.npy": header("('<f8',)"),
    "huge size.npy": header(shape=f"(0, {', '.join(['9' * 1000] * 5)})", rest=b""),
    "axes.npy": header(shape="(" + "1, " * 3000 + ")"),
    "negative.npy": header(shape="(-1, 0)"),
    "objects.npy": header("[('a', [('b', 'O')])]"),
    "entries.npz": packed({f"{n}.npy": b"" for n in range(array_files.MOST_ENTRIES + 1)}),
    "noise.npz": packed({"w.npy": saved(np.save, np.arange(300.0))}).replace(b"NUMPY", b"\xff" * 5),
    "huge size.safetensors": safetensors([0, 2**64 - 1, 2**64 - 1], 0),
    "axes.safetensors": safetensors([1] * 2000, 4),
    "length.safetensors": struct.pack("<Q", 2**62) + b"{}",
}
ITSELF: list = []
ITSELF.append(ITSELF)
DOUBLED: list = [1]
for _ in range(60):
    DOUBLED = [DOUBLED, DOUBLED]
DEEP = b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b"."
OF_TORCH = {
    "itself.pt": pickled(pickle.dumps(ITSELF, 2)),
    "doubled.pt": pickled(pickle.dumps(DOUBLED, 2)),
    "deep.pt": pickled(DEEP),
    "deep.pth": DEEP,
    "compressed.pt": pickled(pickle.dumps([1] * 1000, 2), zipfile.ZIP_DEFLATED),
    "cut.pth": b"\x80\x02]q\x00X\xff\xff",
    "no stack.pth": b"\x80\x02a.",
    "called.pt": pickled(b"\x80\x02cbuiltins\neval\nX\x03\x00\x00\x001+1\x85R."),
}


@pytest.mark.parametrize("name", [*HOSTILE, *OF_TORCH])
def test_hostile_files_are_refused_at_once(tmp_path, capsys, name):
    if name in OF_TORCH:
        pytest.importorskip("torch")
    if name.endswith("safetensors"):
        pytest.importorskip("safetensors")
    path = tmp_path / name
    path.write_bytes((HOSTILE | OF_TORCH)[name])
    if name == "noise.npz":
        assert told(capsys, path, "en") == 0  # an entry that is no array is named as such
        return
    assert {told(capsys, path, language) for language in LANGUAGES} == {2}


def test_without_the_care_taken_numpy_raises_its_own(tmp_path):
    path = tmp_path / "no field.npy"
    path.write_bytes(HOSTILE[path.name])
    with pytest.raises(UnreadableFileError):
        file_layouts(path)
    with path.open("rb") as file, pytest.raises(IndexError):
        np.load(file)


def test_a_codec_raises_its_own_where_it_is_not_told_in_words(tmp_path, capsys):
    content = next(content for suffix, content in WHOLE if content[8:10] == b"\x08\x00")  # deflated
    path = tmp_path / "x.npz"
    raised = set()
    for at in range(30, len(content) // 2):
        path.write_bytes(content[:at] + bytes([content[at] ^ 255]) + content[at + 1 :])
        assert told(capsys, path, "en") in (0, 2)
        try:
            np.load(path)["w"]
        except Exception as error:
            raised.add(type(error))
    assert zlib.error in raised


def test_an_old_header_is_read_without_a_warning(tmp_path, capsys, recwarn):
    path = tmp_path / "python 2.npy"
    path.write_bytes(header(shape="(3L,)"))
    assert told(capsys, path, "en") == 0
    assert not recwarn.list
    with path.open("rb") as file, pytest.warns(UserWarning, match="Python 2"):
        np.load(file)


def test_what_a_container_holds_twice_is_named_twice(tmp_path):
    torch = pytest.importorskip("torch")
    part = {"w": torch.ones(2)}
    torch.save({"a": part, "b": (part, [[]])}, tmp_path / "x.pt")
    assert file_layouts(tmp_path / "x.pt").storages == {"a.w": 1, "b[0].w": 1}


MEMORY = """
import re, sys
from pathlib import Path
import torch
from zerostride.array_files import UnreadableFileError, file_layouts

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024

file_layouts(Path(sys.argv[1]))
peaks = [peak()]
for read in (lambda path: file_layouts(Path(path)), lambda path: torch.load(path, weights_only=True)):
    try:
        read(sys.argv[2])
    except UnreadableFileError:
        pass
    peaks.append(peak())
print(*peaks)
"""


def test_a_bomb_takes_no_memory(tmp_path):
    torch = pytest.importorskip("torch")
    if not Path("/proc/self/status").exists():
        pytest.skip("the system does not tell the peak of a process")
    torch.save({"w": torch.ones(2)}, tmp_path / "good.pt")
    size = 100 << 20
    bomb = b"\x80\x02X" + struct.pack("<I", size) + bytes(size) + b"."
    (tmp_path / "bomb.pt").write_bytes(pickled(bomb, zipfile.ZIP_DEFLATED))
    assert (tmp_path / "bomb.pt").stat().st_size < 1 << 20

    command = [sys.executable, "-c", MEMORY, str(tmp_path / "good.pt"), str(tmp_path / "bomb.pt")]
    done = subprocess.run(command, capture_output=True, check=True)
    before, read, by_torch_alone = map(int, done.stdout.split())
    assert read - before < 20
    assert by_torch_alone - read > 90
