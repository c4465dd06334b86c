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
    all_of_them = sentences(text)
    taken = all_of_them[:1]
    for sentence in all_of_them[1:]:
        if display_width("".join([*taken, sentence])) > columns:
            break
        taken.append(sentence)
    chinese = display_width(text) > 1.3 * len(text)
    return ("" if chinese else " ").join(taken)


def is_block(paragraph: str) -> bool:
    """Return whether a paragraph is a list, a table or code."""
    return bool(_ITEM.match(paragraph)) or paragraph.startswith(("|", "```"))


def block_lines(source: str) -> int:
    """Return how many lines of code the first list, table or code of a cell takes the place of."""
    block = next(filter(is_block, paragraphs(source)), "")
    lines = len(block.splitlines())
    return lines if not block or block.startswith("```") else 2 * lines


def on_slide(source: str, columns: int) -> str:
    """Return the beginning of a cell's prose, and its first list, table or code.

    Parameters
    ----------
    source : str
        The cell's Markdown.
    columns : int
        How wide its sentences may be, in all.
    """
    blocks = paragraphs(source)
    first = [opening(blocks[0], columns)] if blocks and not is_block(blocks[0]) else []
    return without_local_links(
        "\n\n".join(first + [_brief(block) for block in blocks if is_block(block)][:1])
    )


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
