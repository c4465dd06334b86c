"""What of a cell's prose stands on a slide: its first words, and the list or table after them."""

import re

from zerostride.reports import display_width

_PIECE = re.compile(r"`[^`]*`|\$[^$]*\$|\[[^\]]*\]\([^)]*\)|.", re.DOTALL)
_CLOSED = re.compile(r"(?:[.?!][*”\")]*(?=\s|$)|[。？！][*”）]*\s*)")
_ITEM = re.compile(r"(?:[-*]|\d+\.) ")
_LOCAL_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]*\)")


def paragraphs(source: str) -> list[str]:
    r"""Return the blocks of a cell's prose without its heading; a fenced block is one.

    Examples
    --------
    >>> paragraphs("## Why?\n\nSo.\n\n- a\n- b")
    ['So.', '- a\n- b']
    """
    parts = [part.strip() for part in re.split(r"(```.*?```)|\n\s*\n", source, flags=re.DOTALL) if part]
    return [part for part in parts if part and not part.startswith("#")]


def sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph; a short label such as ``**Why.**`` stays with the next.

    Examples
    --------
    >>> sentences("**Why.** It reads `a. b` twice. So it goes.")
    ['**Why.** It reads `a. b` twice.', 'So it goes.']
    >>> sentences("先猜。再运行。")
    ['先猜。', '再运行。']
    """
    found, current, at = [], "", 0
    while at < len(text):
        closing = _CLOSED.match(text, at)
        piece = closing or _PIECE.match(text, at)
        assert piece is not None
        current, at = current + piece[0], piece.end()
        if closing and not (current.startswith("**") and current.rstrip().endswith("**")):
            found.append(current.strip())
            current = ""
    return [*found, current.strip()] if current.strip() else found


def opening(text: str, columns: int) -> str:
    """Return whole sentences from the beginning of a paragraph, at least one.

    Parameters
    ----------
    text : str
        The paragraph, as Markdown.
    columns : int
        How wide all of them may be; a Chinese character counts two.
    """
    first, *others = sentences(text)
    taken = [first]
    for sentence in others:
        if display_width("".join([*taken, sentence])) > columns:
            break
        taken.append(sentence)
    return _joined(taken)


def _joined(said: list[str]) -> str:
    chinese = any(display_width(sentence) > 1.3 * len(sentence) for sentence in said)
    return ("" if chinese else " ").join(said)


def is_block(paragraph: str) -> bool:
    """Return whether a paragraph is a list, a table or code."""
    return bool(_ITEM.match(paragraph)) or paragraph.startswith(("|", "```"))


def block_lines(source: str) -> int:
    """Return how many lines of code the first list, table or code of a cell takes the place of."""
    block = next(filter(is_block, paragraphs(source)), "")
    lines = len(block.splitlines())
    return lines if not block or block.startswith("```") else 2 * lines


def on_slide(source: str, columns: int, alone: bool) -> str:
    """Return the beginning of a cell's prose, and its first list, table or code.

    Parameters
    ----------
    source : str
        The cell's Markdown.
    columns : int
        How wide its sentences may be, in all.
    alone : bool
        Whether nothing else stands on the slide: then whole paragraphs follow the
        first while they fit, and no sentence announces what is not there.
    """
    blocks = paragraphs(source)
    shown = [] if is_block(blocks[0]) else [opening(blocks[0], columns)]
    after = blocks[len(shown) :]
    block = next(filter(is_block, after), "")
    if alone and not block:
        shown = _filled(shown, after, columns)
    return without_local_links("\n\n".join([*shown, _brief(block)]).strip())


def _filled(shown: list[str], after: list[str], columns: int) -> list[str]:
    for paragraph in after:
        if "](http" in paragraph or display_width("".join([*shown, paragraph])) > columns:
            break
        shown = [*shown, paragraph]
    said = sentences(shown[-1])
    announced = len(said) > 1 and said[-1].endswith((":", "："))
    return [*shown[:-1], _joined(said[:-1])] if announced else shown


def is_mission(source: str) -> bool:
    """Return whether prose sets a task beside a live drawing: a paragraph with a bold beginning."""
    return any(part.startswith("**") for part in paragraphs(source))


def mission(source: str) -> str:
    """Return the task beside a live drawing: the first sentence of the paragraph with a bold beginning."""
    return opening(next(part for part in paragraphs(source) if part.startswith("**")), 0)


def without_local_links(text: str) -> str:
    """Return Markdown whose links to other lessons are plain words.

    Examples
    --------
    >>> without_local_links("See [lesson 4](04_who_else_changes.ipynb).")
    'See lesson 4.'
    """
    return _LOCAL_LINK.sub(r"\1", text)


def _brief(block: str) -> str:
    if not _ITEM.match(block):
        return block
    return "\n".join(_item(line) for line in block.splitlines())


def _item(line: str) -> str:
    sign = _ITEM.match(line)
    return f"{sign[0]}{opening(line[sign.end() :], 0)}" if sign else line
