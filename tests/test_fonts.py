"""The fonts of the printed editions have every character that the course writes."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from zerostride.course import lessons
from zerostride.language import LANGUAGES
from zerostride.publish.paper.typesetting import FONTS, TypesettingError, typeset

PACKAGE = Path(str(files("zerostride")))
DATA = (
    "words/*.toml",
    "pairs/glossary.toml",
    "quiz/exercises/*.toml",
    "publish/paper/*.toml",
    "publish/kit/*.toml",
)


def written():
    """Return every character of notebooks, shown words, questions and glossary."""
    texts = [path.read_text("utf-8") for pattern in DATA for path in sorted(PACKAGE.glob(pattern))]
    for language in LANGUAGES:
        for path in lessons(language):
            texts += strings(json.loads(path.read_text("utf-8")))
    return {sign for text in texts for sign in text if sign.isprintable() and sign != " "}


def strings(value):
    """Yield every string in a notebook but pictures."""
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from strings(each)
        case dict():
            for name, each in value.items():
                if not name.startswith("image/"):
                    yield from strings(each)


def unknown(font):
    """Return the characters written that a font file does not have."""
    known = TTFont(PACKAGE / "publish" / "fonts" / font, lazy=True).getBestCmap()
    return {sign for sign in written() if ord(sign) not in known}


def set_in(signs, font):
    head = '#set document(title: "signs", date: none)'
    return typeset(
        f'{head}\n#set text(font: "{font}", fallback: false)\n#"{"".join(sorted(signs))}"', accessible=True
    )


@pytest.mark.parametrize("font", FONTS)
def test_every_character_is_in_the_font_or_in_the_one_for_code(font):
    left = unknown(font)
    assert not any("\u4e00" <= sign <= "\u9fff" for sign in left)
    assert len(left) < 20
    set_in(left, "DejaVu Sans Mono")


def test_a_character_in_no_font_is_an_error():
    with pytest.raises(TypesettingError):
        set_in("\u3400", "DejaVu Sans Mono")
    with pytest.raises(TypesettingError):
        set_in("a", "No Such Font")


def test_a_missing_character_is_found():
    assert "\u3400" not in written()
    known = TTFont(PACKAGE / "publish" / "fonts" / FONTS[0], lazy=True).getBestCmap()
    assert 0x3400 not in known
    assert ord("步") in known
