"""How Chinese is set here, as rules that need no judgement, and bold that really turns bold."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from zerostride.pairs.prose import CODE_MARK, MARKS, taken_apart, without_links

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff"
_WIDE = "，。：；？！（）《》、“”‘’～…—"
_HALF = r",.:;?!()"

_HAN = re.compile(f"[{HAN}]")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_INSIDE = rf"[^(){HAN}]*"
_CALL = re.compile(rf"[A-Za-z_][\w.]*(?:\({_INSIDE}(?:\({_INSIDE}\){_INSIDE})*\)[\w.]*)+", re.ASCII)
_ENTRY = rf"(?:[-−]?\d+(?:[./]\d+)?|[A-Za-z]|[{MARKS}])"
_TUPLE = re.compile(rf"\(\s*{_ENTRY}\s*,(?:\s*{_ENTRY}\s*,?)*\s*\)")
_LINE_START = re.compile(
    r"^[ \t]*(?:>[ \t]*|#{1,6}[ \t]+|[-*+][ \t]+|(?:\*\*)?\d+\.(?:\*\*)?[ \t]*)*", re.MULTILINE
)
_TABLE_BAR = re.compile(r"[ \t]*\|[ \t]*")
_BLOCK_START = re.compile(r"\s*(?:[-*+] |\d+\. |#{1,6} |\||>|<|\$\$|!?\[.*\]: |-{3,}$|:?-+:?\|)")
# Bold beside punctuation or code needs a space where a 汉字 would touch it (see bold_stays_literal).
_LABEL_SPACE = re.compile(rf"(?<=[{_WIDE}{_HALF}{MARKS}])(\*\*) +")
_LABEL_SPACE_BEFORE = re.compile(rf" +(\*\*)(?=[{_WIDE}{_HALF}{MARKS}])")


def plain_faults(text: str) -> Iterator[tuple[str, str]]:
    """Yield (rule, place) for each fault in a Chinese text without Markdown.

    Examples
    --------
    >>> list(plain_faults("步长是{stride}字节。"))
    []
    >>> list(plain_faults("步长是 0,从头读起。"))
    [('no_space_beside_latin', '步长是 0,从头读起。'), ('wide_punctuation', '步长是 0,从头读起。')]
    """
    yield from _set_in_chinese(_PLACEHOLDER.sub(CODE_MARK, text))


def markdown_faults(text: str) -> Iterator[tuple[str, str]]:
    """Yield (rule, place) for each fault in a Chinese text in Markdown.

    Examples
    --------
    >>> list(markdown_faults("**为什么？** 行步长（stride）是`0`。"))
    []
    >>> list(markdown_faults("**步长（stride）**的单位"))
    [('bold_turns_bold', '长（stride）**的单位')]
    """
    words = taken_apart(text).words
    bare = without_links(words)
    spaced = _LABEL_SPACE_BEFORE.sub(r"\1", _LABEL_SPACE.sub(r"\1", bare))
    blocks = _TABLE_BAR.sub("\n", _LINE_START.sub("", spaced))
    yield from _set_in_chinese(blocks.replace("*", ""))
    yield from _italics(text, bare)
    yield from _broken_paragraphs(words)
    yield from (("bold_turns_bold", place) for place in bold_stays_literal(text))


def bold_stays_literal(text: str) -> Iterator[str]:
    """Yield each place where CommonMark prints two asterisks instead of turning bold.

    A closing ``**`` after punctuation closes only before a space or
    punctuation, an opening one before punctuation opens only after them, and
    a 汉字 is neither (CommonMark 0.31, "left-flanking delimiter run").

    Examples
    --------
    >>> list(bold_stays_literal("**先猜。**你")), list(bold_stays_literal("**先猜。** 你"))
    (['**先猜。**你'], [])
    """
    words = taken_apart(text).words
    for block in re.split(r"\n\s*\n|\n(?=[ \t]*(?:[-*+]|\d+\.)[ \t])|[ \t]*\|[ \t]*", words):
        for number, run in enumerate(re.finditer(r"(?<![\\*])\*\*(?!\*)", block)):
            before = block[run.start() - 1] if run.start() else " "
            after = block[run.end()] if run.end() < len(block) else " "
            inner, outer = (after, before) if number % 2 == 0 else (before, after)
            if inner.isspace() or (
                _is_punctuation(inner) and not (outer.isspace() or _is_punctuation(outer))
            ):
                yield _around(block, run, 9)


def _is_punctuation(sign: str) -> bool:
    return sign in MARKS or unicodedata.category(sign)[0] in "PS"


_RULES = {
    "no_space_beside_latin": re.compile(
        rf"(?<=[{HAN}]) +(?=[A-Za-z0-9{MARKS}{HAN}])|(?<=[A-Za-z0-9{MARKS}]) +(?=[{HAN}])"
        rf"|(?<=[{_WIDE}]) +(?=\S)|(?<=\S) +(?=[{_WIDE}])"
    ),
    "wide_punctuation": re.compile(
        rf"(?<=[{HAN}])[{_HALF}]|[{_HALF}](?=[{HAN}])|(?<=\S)[,:;?!](?= +[{HAN}])"
        rf"|(?<=[{MARKS}])[,.:;?!](?=[\s{MARKS}]|$)"
    ),
    "curly_quotes": re.compile(rf"(?<=[{HAN}{_WIDE}])[\"']|[\"'](?=[{HAN}{_WIDE}])|[「」『』]"),
    "wide_range": re.compile(rf"(?<![\d.-])\d+(?:-|–| ?[—~] ?)\d+(?![\d-])|(?<=[{HAN}])[~–]|[~–](?=[{HAN}])"),
    "plain_you": re.compile("您"),
}


def _set_in_chinese(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        code = _TUPLE.sub(CODE_MARK, _CALL.sub(CODE_MARK, line))
        if not _HAN.search(code):
            continue
        for rule, pattern in _RULES.items():
            yield from ((rule, _around(code, match)) for match in pattern.finditer(code))
        if code.count("“") != code.count("”"):
            yield "curly_quotes", "“ and ” do not balance"


def _italics(text: str, bare: str) -> Iterator[tuple[str, str]]:
    lines = _LINE_START.sub("", bare).replace("**", "")
    stars = re.finditer(rf"\*[^*\n]*[{HAN}][^*\n]*\*", lines)
    bars = re.finditer(rf"(?<![A-Za-z0-9])_[^_\n]*[{HAN}][^_\n]*_(?![A-Za-z0-9])", lines)
    tags = re.finditer(rf"<(em|i)>[^<]*[{HAN}][^<]*</\1>", text)
    for found in (*stars, *bars, *tags):
        yield "no_italics", found[0]


def _broken_paragraphs(words: str) -> Iterator[tuple[str, str]]:
    lines = words.splitlines()
    for line, following in pairwise(lines):
        if not line.strip() or not following.strip():
            continue
        own_line = re.match(r"\s*(?:#{1,6} |\||<|\$\$)", line)
        if not own_line and not _BLOCK_START.match(following):
            yield "one_line_paragraph", following[:20]


def _around(text: str, match: re.Match[str], reach: int = 8) -> str:
    start, end = max(match.start() - reach, 0), match.end() + reach
    return re.sub(rf"[{MARKS}]", "`…`", text[start:end]).replace("\n", " ").strip()
