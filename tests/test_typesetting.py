"""From Typst's markup to a PDF: pictures that are no text, and no room for temporary files."""

import errno
import os
import struct
import zlib
from pathlib import Path

import pytest

from zerostride.language import speaking
from zerostride.publish.editions import Wishes, build
from zerostride.publish.paper.typesetting import TypesettingError, typeset


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


# One grey pixel; its first byte is part of no text.
PNG = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(b"\0\x80"))
    + chunk(b"IEND", b"")
)
PICTURE = '#set document(title: "a", date: none)\n#image("pictures/a.png", alt: "grey")'


def test_a_picture_that_is_no_text_is_set():
    assert typeset(PICTURE, {"pictures/a.png": PNG}, accessible=True).startswith(b"%PDF")
    with pytest.raises(TypesettingError, match="failed to decode"):
        typeset(PICTURE, {"pictures/a.png": PNG[:20]})


@pytest.mark.parametrize(
    ("language", "words"), [("en", "temporary files cannot be used"), ("zh", "临时文件的文件夹不能用")]
)
def test_no_room_for_temporary_files_is_said_so(monkeypatch, language, words):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with speaking(language), pytest.raises(TypesettingError, match=words):
        typeset("a")


@pytest.mark.parametrize("edition", ["handout", "slides"])
def test_an_error_names_edition_language_and_lesson(monkeypatch, edition):
    def overfull(*_, **__):
        raise TypesettingError("overfull table")

    monkeypatch.setattr("zerostride.publish.paper.handout.first_that_fits", overfull)
    monkeypatch.setattr("zerostride.publish.slides.typeset", overfull)
    with pytest.raises(TypesettingError, match=f"^{edition}, zh: 02_which_axes_expand: overfull table$"):
        build(edition, "zh", ["02"], Wishes())
