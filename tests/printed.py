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
        return booklet(lessons, wishes) if edition == "booklet" else summary(wishes)


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


def structure(reader):
    """Yield the nodes of the structure of a document, in the order in which they are said."""
    waiting = [reader.root_object["/StructTreeRoot"]]
    while waiting:
        node = waiting.pop(0).get_object()
        if not hasattr(node, "get"):
            continue
        if "/S" in node:
            yield node
        waiting = kids(node) + waiting


def kids(node):
    """Return what stands in a node: nodes, and numbers of marked content."""
    found = node.get("/K", [])
    found = found.get_object() if hasattr(found, "get_object") else found
    return found if isinstance(found, list) else [found]


def figures(reader):
    """Yield the text alternative of every figure in the structure of a document, None where it has none."""
    yield from (node.get("/Alt") for node in structure(reader) if node["/S"] == "/Figure")


def levels(reader):
    """Return the levels of the headings of a document."""
    return [int(node["/S"][2:]) for node in structure(reader) if re.fullmatch(r"/H\d", node["/S"])]


def spoken(reader):
    """Return the text of a document in the order of its structure; a running head is not said."""
    marked = {page.indirect_reference.idnum: _marked(page) for page in reader.pages}

    def said(node, page):
        page = node.raw_get("/Pg").idnum if "/Pg" in node else page
        for kid in kids(node):
            part = kid.get_object()
            if isinstance(part, int):
                yield marked[page].get(part, "")
            elif "/MCID" in part:
                yield marked[part.raw_get("/Pg").idnum if "/Pg" in part else page].get(part["/MCID"], "")
            elif "/S" in part:
                yield from said(part, page)

    return "".join(said(reader.root_object["/StructTreeRoot"], None))


def _marked(page):
    """Return the text of a page by the number of its marked content."""
    inside, texts = [], {}

    def begins(operator, operands, *_):
        if operator in (b"BDC", b"BMC"):
            marks = operands[1] if len(operands) > 1 else {}
            inside.append(marks.get("/MCID") if hasattr(marks, "get") else None)

    def ends(operator, *_):
        if operator == b"EMC":
            inside.pop()

    def read(text, *_):
        number = next((each for each in reversed(inside) if each is not None), None)
        texts[number] = texts.get(number, "") + text

    page.extract_text(visitor_operand_before=begins, visitor_operand_after=ends, visitor_text=read)
    return texts


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
