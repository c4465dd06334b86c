"""Markdown of many cells turned into another format, by one run of pandoc."""

import re
from collections.abc import Mapping
from hashlib import sha256

_MARKDOWN = (
    "markdown-smart-citations-example_lists-fancy_lists+lists_without_preceding_blankline-auto_identifiers"
)


def converted(texts: Mapping[str, str], to: str) -> dict[str, str]:
    r"""Return the same texts in another format, each under its name.

    Parameters
    ----------
    texts : mapping of str to str
        Texts by name. A text cannot see another's links or footnotes.
    to : {"typst", "html"}
        The format wanted; formulas become Typst's or MathML.

    Examples
    --------
    >>> converted({"a": "A **view**.", "b": r"$i \times 0$"}, "typst")
    {'a': 'A #strong[view].', 'b': '$i times 0$'}
    """
    import pypandoc

    names = list(texts)
    fence = "zs" + sha256("\n".join(texts.values()).encode()).hexdigest()[:24]
    whole = "".join(f"\n\n{fence}-{number}\n\n{texts[name]}" for number, name in enumerate(names))
    options = ["--wrap=none", *(["--mathml", "--syntax-highlighting=none"] if to == "html" else [])]
    made = str(pypandoc.convert_text(whole, to, format=_MARKDOWN, extra_args=options))
    between = re.split(rf"(?:<p>)?{fence}-\d+(?:</p>)?\n*", made)
    return dict(zip(names, (part.strip() for part in between[1:]), strict=True))
