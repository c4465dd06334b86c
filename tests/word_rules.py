"""What the catalogue of shown words must hold, one function a rule; each yields what was seen."""

import ast
import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from string import Formatter

from zerostride.language import LANGUAGES
from zerostride.pairs.glossary import forbidden_renderings, wrong_parentheses
from zerostride.pairs.prose import taken_apart
from zerostride.pairs.typography import plain_faults
from zerostride.reports import Table

# Shown by the drawing in a page alone, never in a terminal.
NEVER_IN_A_TERMINAL = ("front.addresses.", "front.writes.")
_NAME = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Product:
    """The catalogue, the Python that shows it, and whatever else names its keys.

    Attributes
    ----------
    words : dict
        Text of each words file by its name.
    code : dict
        Text of each Python file by its name.
    other : str
        The JavaScript and the data files, as one text.
    languages : sequence of str
        What each entry has a text in; the first is the one that the others are translated from.
    """

    words: dict
    code: dict
    other: str = ""
    languages: tuple = LANGUAGES

    @cached_property
    def entries(self):
        """Every entry by key; a table that is no table of texts is followed down."""
        found = {}
        for file, text in self.words.items():
            collect(file, tomllib.loads(text), found)
        return found

    @cached_property
    def trees(self):
        return [without_docstrings(ast.parse(text)) for text in self.code.values()]

    @cached_property
    def nodes(self):
        return [node for tree in self.trees for node in ast.walk(tree)]

    @cached_property
    def strings(self):
        return {
            node.value
            for node in self.nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }

    @cached_property
    def families(self):
        """A pattern for each f-string that starts with the name of a words file."""
        return [
            family(node)
            for node in self.nodes
            if isinstance(node, ast.JoinedStr) and first_text(node).split(".")[0] in self.words
        ]

    @cached_property
    def names(self):
        """Every name and every word of a string in the sources, but for docstrings and comments."""
        found = set(_NAME.findall(self.other))
        for node in self.nodes:
            for attribute in ("id", "attr", "arg", "name"):
                if isinstance(getattr(node, attribute, None), str):
                    found.add(getattr(node, attribute))
        return found | {word for string in self.strings for word in _NAME.findall(string)}

    @cached_property
    def calls(self):
        """Every call of ``say``."""
        return [
            node
            for node in self.nodes
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "say" and node.args
        ]


def collect(prefix, table, found):
    """Add each table of texts under its dotted key."""
    if not isinstance(table, dict) or any(not isinstance(value, dict) for value in table.values()):
        found[prefix] = table
        return
    for name, value in table.items():
        collect(f"{prefix}.{name}", value, found)


def without_docstrings(tree):
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            value = body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                value.value = ""
    return tree


def first_text(joined):
    first = joined.values[0] if joined.values else None
    return first.value if isinstance(first, ast.Constant) else ""


def family(joined):
    """Return the pattern of the keys that an f-string can be; one that ends on a dot takes any rest."""
    parts = [
        re.escape(part.value) if isinstance(part, ast.Constant) else "([a-z0-9_.]+)" for part in joined.values
    ]
    return re.compile("".join(parts) + ("([a-z0-9_.]+)" if parts[-1].endswith(r"\.") else ""))


def placeholders(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def texts(product):
    """Yield (key, language, text) of every entry."""
    for key, entry in product.entries.items():
        if isinstance(entry, dict):
            yield from ((key, language, text) for language, text in entry.items() if isinstance(text, str))


def chinese(product):
    return [(key, text) for key, language, text in texts(product) if language == "zh"]


def in_all_languages(product):
    for key, entry in product.entries.items():
        there = set(entry) if isinstance(entry, dict) else {entry}
        wanted = set(product.languages)
        if there != wanted:
            yield f"{key} lacks {sorted(wanted - there)}, has {sorted(there - wanted)}"


def translated(product):
    # tests/start_language.py leaves English in these brackets.
    for key, language, text in texts(product):
        if "〔" in text:
            yield f"{key}.{language}: {text}"


def not_empty(product):
    for key, language, text in texts(product):
        # A space between English sentences is nothing between Chinese ones.
        only_a_space = language != "en" and product.entries[key].get("en", "x").isspace()
        if not text and not only_a_space:
            yield f"{key}.{language}"


def same_placeholders(product):
    for key, entry in product.entries.items():
        if isinstance(entry, dict) and set(entry) == set(product.languages):
            for language in product.languages[1:]:
                odd = placeholders(entry["en"]) ^ placeholders(entry[language])
                if odd:
                    yield f"{key}: {sorted(odd)} in one of en, {language}"


def every_key_exists(product):
    for call in product.calls:
        key = call.args[0]
        if isinstance(key, ast.Constant) and key.value not in product.entries:
            yield str(key.value)
        if isinstance(key, ast.JoinedStr) and not any(
            family(key).fullmatch(each) for each in product.entries
        ):
            yield ast.unparse(key)
    shape = re.compile(rf"(?:{'|'.join(map(re.escape, product.words))})(?:\.[a-z][a-z0-9_]*)+")
    for string in product.strings - set(product.entries):
        deeper = any(key.startswith(string.rstrip(".") + ".") for key in product.entries)
        if shape.fullmatch(string) and not deeper and not string.endswith((".py", ".js", ".toml", ".css")):
            yield string


def every_key_is_used(product):
    for key in product.entries:
        in_family = any(
            set(".".join(match.groups()).split(".")) <= product.names
            for pattern in product.families
            if (match := pattern.fullmatch(key))
        )
        if key not in product.strings and not in_family:
            yield key


def every_value_is_given(product):
    for call in product.calls:
        key = call.args[0]
        entry = product.entries.get(key.value) if isinstance(key, ast.Constant) else None
        given = {keyword.arg for keyword in call.keywords}
        if (
            isinstance(entry, dict)
            and "en" in entry
            and None not in given
            and given != placeholders(entry["en"])
        ):
            yield f"{key.value} takes {sorted(placeholders(entry['en']))}, given {sorted(given)}"


def chinese_is_set_well(product):
    for key, text in chinese(product):
        yield from (f"{key}: {rule}: {place}" for rule, place in plain_faults(taken_apart(text).words))


def glossary_is_kept(product):
    for key, text in chinese(product):
        yield from (f"{key}: {wrong}" for wrong in [*forbidden_renderings(text), *wrong_parentheses(text)])


def survives_gbk(product):
    for key, language, text in texts(product):
        if not key.startswith(NEVER_IN_A_TERMINAL):
            try:
                Table([[text]]).text().encode("gbk")
            except UnicodeEncodeError as error:
                yield f"{key}.{language}: {text[error.start : error.end]}"


RULES = (
    in_all_languages,
    translated,
    not_empty,
    same_placeholders,
    every_key_exists,
    every_key_is_used,
    every_value_is_given,
    chinese_is_set_well,
    glossary_is_kept,
    survives_gbk,
)
