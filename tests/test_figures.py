"""The folder of pictures: complete, without doubles, with what each shows."""

import struct
from functools import cache

import pytest

from zerostride.course import read_lessons
from zerostride.language import LANGUAGES
from zerostride.publish.editions import Wishes, build


@cache
def edition(language):
    return build("figures", language, [], Wishes())


def drawn(language):
    return [
        (f"{lesson.name}--{cell.id}", output)
        for lesson in read_lessons(language)
        for cell in lesson.cells
        for output in cell.outputs
        if "image/svg+xml" in output
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_stored_picture_is_there_as_svg_and_png(language):
    files = edition(language)
    names = [name for name, _ in drawn(language)]
    assert len(names) == len(set(names)) > 20
    assert set(files) == {
        *(f"figures/{name}.{kind}" for name in names for kind in ("svg", "png")),
        f"figures/README.{language}.txt",
    }
    for name, output in drawn(language):
        assert files[f"figures/{name}.svg"].decode() == output["image/svg+xml"]
        kind, width, height = struct.unpack(">12x4s2I", files[f"figures/{name}.png"][:24])
        assert kind == b"IHDR"
        assert min(width, height) > 100


def doubles(english, chinese):
    """Return the shared names whose bytes differ between two languages."""
    return {name for name in english.keys() & chinese.keys() if english[name] != chinese[name]}


def test_one_set_of_files_serves_both_languages():
    english, chinese = map(edition, ("en", "zh"))
    assert doubles(english, chinese) == set()
    assert english.keys() ^ chinese.keys() == {"figures/README.en.txt", "figures/README.zh.txt"}
    name = min(english)
    assert doubles(english, chinese | {name: b""}) == {name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_names_the_licence_and_says_what_every_picture_shows(language):
    text = edition(language)[f"figures/README.{language}.txt"].decode()
    assert "CC BY 4.0" in text
    assert "https://creativecommons.org/licenses/by/4.0/" in text
    for name, output in drawn(language):
        shown = text.partition(f"\n{name}\n")[2].partition("\n")[0].strip()
        assert shown == " ".join(output["text/plain"].split()) != ""
