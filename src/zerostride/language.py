"""The language of everything shown, and the one catalogue of shown words."""

import locale
import os
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from zerostride.handed_in import is_among, told


@dataclass(frozen=True)
class Language:
    """One language of the course; ``languages.toml`` says what each line means."""

    name: str
    fonts: tuple[str, str]
    tag: str
    locales: tuple[str, ...]
    region: str = ""
    points: float = 11
    wide: bool = False
    menu: str = ""


def _every_language() -> dict[str, Language]:
    told = tomllib.loads(files("zerostride").joinpath("languages.toml").read_text("utf-8"))
    return {code: _language({"tag": code, "locales": [code]} | lines) for code, lines in told.items()}


def _language(lines: dict[str, Any]) -> Language:
    fixed: dict[str, Any] = {name: tuple(it) if isinstance(it, list) else it for name, it in lines.items()}
    return Language(**fixed)


_ABOUT = _every_language()
LANGUAGES = tuple(_ABOUT)
TRANSLATIONS = LANGUAGES[1:]

_chosen: str | None = None


def use(language: str) -> None:
    """Choose the language of everything shown from now on.

    Parameters
    ----------
    language : str
        ``"en"`` for English, ``"zh"`` for Simplified Chinese.

    Raises
    ------
    ValueError
        If the course does not speak that language.

    Examples
    --------
    >>> use("zh")
    >>> say("report.passed")
    '通过'
    >>> use("en")
    >>> say("report.passed")
    'passed'
    """
    global _chosen
    if not is_among(language, LANGUAGES):
        raise ValueError(say("report.unknown_language", language=language, known=enumerated(LANGUAGES)))
    _chosen = language


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language inside a ``with`` block, then the one before.

    Examples
    --------
    >>> with speaking("zh"):
    ...     say("report.passed")
    '通过'
    """
    global _chosen
    before = _chosen
    use(language)
    try:
        yield
    finally:
        _chosen = before


def current() -> str:
    """Return the language in use: chosen, else from ``ZEROSTRIDE_LANG``, else from the locale.

    Returns
    -------
    str
        ``"en"`` or ``"zh"``; English where nothing says otherwise.

    Examples
    --------
    >>> with speaking("zh"):
    ...     current()
    'zh'
    """
    if _chosen is not None:
        return _chosen
    names = [os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    set_by_user = next((name for name in names if name), locale.getlocale()[0] or "")
    for wished in (os.environ.get("ZEROSTRIDE_LANG", ""), set_by_user):
        for code, language in _ABOUT.items():
            if wished.lower().startswith(language.locales):
                return code
    return LANGUAGES[0]


def about(language: str) -> Language:
    """Return what is known of one language of the course.

    Examples
    --------
    >>> about("en").fonts
    ('Libertinus Serif', 'Noto Sans SC')
    """
    return _ABOUT[language]


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """Return every shown text by key (``file.name``), each as ``{"en": …, "zh": …}``.

    Examples
    --------
    >>> catalogue()["report.passed"]["zh"]
    '通过'
    """
    entries: dict[str, dict[str, str]] = {}
    for file in sorted(files("zerostride").joinpath("words").iterdir(), key=lambda path: path.name):
        if file.name.endswith(".toml"):
            _collect(file.name.removesuffix(".toml"), tomllib.loads(file.read_text("utf-8")), entries)
    return entries


def _collect(prefix: str, table: dict[str, Any], entries: dict[str, dict[str, str]]) -> None:
    if all(isinstance(value, str) for value in table.values()):
        entries[prefix] = table
        return
    for name, value in table.items():
        _collect(f"{prefix}.{name}", value, entries)


def say(key: str, **values: object) -> str:
    """Return the text of a key in the language in use, with values filled in.

    Parameters
    ----------
    key : str
        ``file.name`` of an entry in ``words/``.
    **values
        What stands for the ``{names}`` in the text.

    Raises
    ------
    KeyError
        If the catalogue has no such key, or not in this language.

    Examples
    --------
    >>> say("layout.bad_unit", unit="bits")
    'the unit is bytes or elements, not bits'
    """
    entry = catalogue()[key]
    if current() not in entry:
        raise KeyError(f"{key}.{current()}")
    text = entry[current()]
    try:
        return text.format(**values)
    except (KeyError, IndexError):
        raise
    except Exception:  # of a value that was handed in and cannot be written
        return text.format(**{name: told(value, format) for name, value in values.items()})


def enumerated(items: Iterable[object]) -> str:
    """Return items as a list in a sentence of the language in use.

    Examples
    --------
    >>> enumerated(["numpy", "torch"])
    'numpy, torch'
    """
    return say("report.comma").join(map(str, items))
