"""Start a language: ``python tests/start_language.py fr Français ["Libertinus Serif" "Noto Sans SC"]``.

Puts every English text where its translation goes, in 〔 〕, and the notebooks
into a folder of their own. Whoever translates replaces texts and takes the
brackets away: ``grep -rl 〔 src`` lists the files that are left to do, and
``python -m zerostride.pairs check`` the cells.
"""

import json
import re
import sys
import tomllib
from pathlib import Path

FONTS = ("Libertinus Serif", "Noto Sans SC")
TO_TRANSLATE = "〔{}〕"
PAGES = ("publish/guide/en/*.md", "publish/kit/*.en.md")
_VALUE = r'"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|\[[^\]\n]*\]'
_LINES = re.compile(rf"(?m)^((?:[\w-]+\.)*)en = ({_VALUE})\n((?:\1\w+ = (?:{_VALUE})\n)+)")
_INLINE = re.compile(rf"(?<=\{{)( ?)en = ({_VALUE})((?:, \w+ = (?:{_VALUE}))+)")


def start(package, notebooks, code, name, fonts=FONTS, text=TO_TRANSLATE.format, prose=str, term=None):
    """Write a language into a package and a folder of notebooks.

    ``text`` makes a text of it from an English one without Markdown, ``prose`` from
    one in Markdown, ``term`` a rendering from a word of the glossary.
    """
    for file in sorted(package.rglob("*.toml")):
        file.write_text(with_texts(file.read_text("utf-8"), code, text, term or text), "utf-8")
    entry = f"\n[{code}]\nname = {_toml(name)}\nfonts = {_toml(list(fonts))}\n"
    with (package / "languages.toml").open("a", encoding="utf-8") as languages:
        languages.write(entry)
    for file in (file for pattern in PAGES for file in package.glob(pattern)):
        copy = Path(str(file).replace("/en/", f"/{code}/").replace(".en.md", f".{code}.md"))
        copy.parent.mkdir(exist_ok=True)
        first, rest = file.read_text("utf-8").split("\n", 1)
        copy.write_text(f"# {text(first.removeprefix('# '))}\n{prose(rest)}", "utf-8")
    (notebooks / code).mkdir()
    for file in (notebooks / "en").glob("*.ipynb"):
        lesson = _lesson(json.loads(file.read_text("utf-8")), code, prose)
        written = json.dumps(lesson, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        (notebooks / code / file.name).write_text(written, "utf-8")


def with_texts(toml, code, text, term):
    """Return a data file with a text of another language after the last one of each entry."""

    def lines(found):
        path, english, others = found.groups()
        return f"{found[0]}{path}{code} = {made(english, others)}\n"

    def inline(found):
        return f"{found[0]}, {code} = {made(found[2], found[3])}"

    def made(english, others):
        english = tomllib.loads(f"it = {english}")["it"]
        if others.endswith("]\n"):
            return _toml([term(english)])
        return _toml(english if english.isspace() else text(english))

    return _INLINE.sub(inline, _LINES.sub(lines, toml))


def _lesson(notebook, code, prose):
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            source = prose(source.replace("](../en/", f"](../{code}/"))
        elif cell["id"] == "setup":
            source = source.replace('zs.use("en")', f'zs.use("{code}")')
        cell["source"] = source.splitlines(keepends=True)
    return notebook


def _toml(value):
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    CODE, NAME, *CHOSEN = sys.argv[1:]
    ROOT = Path(__file__).parents[1]
    start(ROOT / "src" / "zerostride", ROOT / "notebooks", CODE, NAME, CHOSEN or FONTS)
