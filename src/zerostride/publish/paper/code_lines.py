"""Python in lines of a given length, still the same program."""

import ast
from functools import cache

from zerostride.language import say


@cache
def fitted(source: str, columns: int) -> str:
    """Return Python whose lines have at most so many columns; what fits already stays as it is.

    Raises
    ------
    ValueError
        If a line cannot be broken so.

    Examples
    --------
    >>> print(fitted("view.strides, tiled.strides", 20))
    (
        view.strides,
        tiled.strides,
    )
    """
    if not _too_long(source, columns):
        return source
    import black

    mode = black.Mode(line_length=columns, magic_trailing_comma=False)
    made = black.format_str(_with_brackets(source, columns), mode=mode).rstrip("\n").replace("\n\n\n", "\n\n")
    if long := _too_long(made, columns):
        raise ValueError(say("publish.long_line", line=long[0].strip(), columns=columns))
    return made


def _too_long(source: str, columns: int) -> list[str]:
    return [line for line in source.splitlines() if len(line) > columns]


def _with_brackets(source: str, columns: int) -> str:
    """Return a program whose long bare tuples stand in brackets: each part can have a line of its own."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        bare = _bare_tuple(node)
        if bare and bare.end_lineno and len(lines[bare.lineno - 1]) > columns:
            last = bare.end_lineno - 1
            lines[last] = _inserted(lines[last], bare.end_col_offset or 0, ")")
            lines[bare.lineno - 1] = _inserted(lines[bare.lineno - 1], bare.col_offset, "(")
    return "\n".join(lines)


def _bare_tuple(node: ast.AST) -> ast.Tuple | None:
    value = node.value if isinstance(node, ast.Expr | ast.Assign | ast.Return) else None
    if not isinstance(value, ast.Tuple) or len(value.elts) < 2:
        return None
    first = value.elts[0]
    return value if (value.lineno, value.col_offset) == (first.lineno, first.col_offset) else None


def _inserted(line: str, at: int, sign: str) -> str:
    # Offsets of the syntax tree count bytes.
    return (line.encode()[:at] + sign.encode() + line.encode()[at:]).decode()
