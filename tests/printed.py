"""What a reader, or a program for readers, finds in a PDF."""

import io
import re
import unicodedata
from functools import cache

from pypdf import PdfReader

from zerostride.course import read_lessons
from zerostride.language import say, speaking
from zerostride.publish.editions import Wishes
from zerostride.publish.paper.booklet import booklet
from zerostride.publish.paper.handout import handout
from zerostride.publish.paper.summary import summary


@cache
def printed(edition, language, paper="a4", answers="end", lesson=None):
    """Return the bytes of one document; each is built once."""
    lessons, wishes = read_lessons(language, [lesson] if lesson else ()), Wishes(paper, answers)
    with speaking(language):
        if edition == "handout":
            return handout(lessons[0], wishes)
        return {"booklet": booklet, "summary": summary}[edition](lessons, wishes)


@cache
def read(*document):
    """Return a reader of one document."""
    return PdfReader(io.BytesIO(printed(*document)))


@cache
def text_of(*document):
    """Return the text of a document as one, without running heads and what floats between its paragraphs."""
    seen, language = set(), document[1]
    with speaking(language):
        foot = re.escape(bare(say("publish.page", page="0", pages="0"))).replace("0", r"\d+")
        floats = re.compile(rf"{foot}|{say('publish.picture')}\d+")
        course = say("publish.course")
    found = ""
    for page in read(*document).pages:
        head, *lines = page.extract_text().splitlines()
        found += "" if head in seen or head.startswith(f"{course} ") else bare(head)
        found += "".join(line for line in map(bare, lines) if not floats.fullmatch(line))
        seen.add(head)
    return found


def bare(text):
    """Return what is left for comparison: letters, digits and most signs, whatever the line breaks."""
    return re.sub(r"[\s\-\u00ad\u200b\u2010\[\]`*]", "", unicodedata.normalize("NFKC", text))


def sentences(markdown):
    """Yield the pieces of prose that stand between formulas, links and marks, each without markup."""
    plain = re.sub(r"\]\([^)]*\)", "]", markdown)
    plain = re.sub(r"^```\w*|^ *(?:[-+] |\d+\. |#+ )|^\|[-| ]*\|$", "\n", plain, flags=re.MULTILINE)
    for piece in re.split(r"\$\$[^$]*\$\$|\$[^$]*\$|[|\n]", plain):
        if words := bare(piece):
            yield words


def figures(reader):
    """Yield the text alternative of every figure in the structure of a document, None where it has none."""
    waiting = [reader.root_object["/StructTreeRoot"]]
    while waiting:
        node = waiting.pop(0).get_object()
        if not hasattr(node, "get"):
            continue
        if node.get("/S") == "/Figure":
            yield node.get("/Alt")
        kids = node.get("/K", [])
        kids = kids.get_object() if hasattr(kids, "get_object") else kids
        waiting += kids if isinstance(kids, list) else [kids]


def bookmarks(reader):
    """Return the titles in the outline of a document, deeper ones in their place."""
    flat, waiting = [], list(reader.outline)
    while waiting:
        entry = waiting.pop(0)
        if isinstance(entry, list):
            waiting = entry + waiting
        else:
            flat.append(entry.title)
    return flat
