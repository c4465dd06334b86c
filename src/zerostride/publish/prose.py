"""Markdown and HTML of many cells turned into another format, by one run of pandoc."""

import re
from collections.abc import Mapping
from hashlib import sha256

_MARKDOWN = (
    "markdown-smart-citations-example_lists-fancy_lists+lists_without_preceding_blankline-auto_identifiers"
)


def converted(texts: Mapping[str, str], to: str, source: str = "markdown") -> dict[str, str]:
    r"""Return the same texts in another format, each under its name.

    Parameters
    ----------
    texts : mapping of str to str
        Texts by name. A text cannot see another's links or footnotes.
    to : {"typst", "html"}
        The format wanted; formulas become Typst's or MathML.
    source : {"markdown", "html"}
        The format that the texts are in.

    Examples
    --------
    >>> converted({"a": "A **view**.", "b": r"$i \times 0$"}, "typst")
    {'a': 'A #strong[view].', 'b': '$i times 0$'}
    """
    import pypandoc

    names = list(texts)
    fence = "zs" + sha256("\n".join(texts.values()).encode()).hexdigest()[:24]
    mark = (lambda n: f"\n\n{fence}-{n}\n\n") if source == "markdown" else (lambda n: f"<p>{fence}-{n}</p>")
    whole = "".join(mark(number) + texts[name] for number, name in enumerate(names))
    form = _MARKDOWN if source == "markdown" else "html-auto_identifiers"
    options = ["--wrap=none", *(["--mathml", "--syntax-highlighting=none"] if to == "html" else [])]
    made = str(pypandoc.convert_text(whole, to, format=form, extra_args=options))
    between = re.split(rf"(?:<p>)?{fence}-\d+(?:</p>)?\n*", made)
    return dict(zip(names, (part.strip() for part in between[1:]), strict=True))
