"""Make the two font files of the printed editions anew: ``python tests/paper_fonts.py [--check]``.

Takes Noto Sans SC (SIL Open Font License 1.1) from a pinned npm package and
keeps ASCII, Latin-1, the signs that the course uses and all of GB2312. With
``--check`` it writes nothing and tells whether the stored files are the same
bytes. Needs npm and fontTools, on the machine of whoever makes the fonts only.
"""

import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from fontTools import subset

PACKAGE = "@expo-google-fonts/noto-sans-sc@0.4.3"
FACES = {
    "NotoSansSC-Regular.ttf": "package/400Regular/NotoSansSC_400Regular.ttf",
    "NotoSansSC-Bold.ttf": "package/700Bold/NotoSansSC_700Bold.ttf",
}
LICENCE = {"OFL.txt": "package/LICENSE_FONT"}
FONTS = Path(__file__).parents[1] / "src" / "zerostride" / "publish" / "fonts"


def gb2312():
    """Return every character of GB2312."""
    rows = range(0xA1, 0xF8)
    pairs = (bytes([row, cell]) for row in rows for cell in range(0xA1, 0xFF))
    return {pair.decode("gb2312", "ignore") for pair in pairs} - {""}


def kept():
    """Return every character that the cut fonts hold, where Noto Sans SC has it."""
    latin = {chr(point) for point in (*range(0x20, 0x7F), *range(0xA0, 0x100), *range(0x2010, 0x2028))}
    return latin | set("←↑→↓↔⇒−∂≠≤≥≈×÷☐☑✓") | gb2312()


def cut(face):
    """Return one font cut to the characters kept; the same bytes on every run."""
    options = subset.Options(layout_features=["*"], hinting=False, notdef_outline=True)
    options.recalc_timestamp = False
    font = subset.load_font(io.BytesIO(face), options)
    cutter = subset.Subsetter(options)
    cutter.populate(text="".join(sorted(kept())))
    cutter.subset(font)
    made = io.BytesIO()
    subset.save_font(font, made, options)
    return made.getvalue()


def made():
    """Yield the name and the bytes of every file, from a fresh download."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, capture_output=True)
        [packed] = Path(folder).glob("*.tgz")
        with tarfile.open(packed) as package:
            for name, member in FACES.items():
                yield name, cut(package.extractfile(member).read())
            for name, member in LICENCE.items():
                yield name, package.extractfile(member).read()


def main():
    differ = []
    for name, content in made():
        target = FONTS / name
        if "--check" in sys.argv[1:]:
            differ += [name] * (not target.is_file() or target.read_bytes() != content)
        else:
            target.write_bytes(content)
            print(f"{name}: {len(content):,} bytes")
    print("\n".join(f"{name} differs" for name in differ), end="")
    return len(differ)


if __name__ == "__main__":
    sys.exit(main())
