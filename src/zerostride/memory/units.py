"""Bytes in words that are exact: binary units, and nothing rounded without saying so."""

from zerostride.language import say

UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1))


def in_units(size: int) -> str:
    """Return bytes in binary units: exact where two of them will do, else rounded and marked so.

    Examples
    --------
    >>> in_units(536_870_912), in_units(2**30 + 2**14), in_units(96)
    ('512 MiB', '1 GiB + 16 KiB', '96 B')
    >>> in_units(2**30 + 2**20 + 2**10)
    'about 1.001 GiB'
    """
    terms, rest = [], size
    for unit, each in UNITS:
        count, rest = divmod(rest, each)
        terms += [f"{count:,} {unit}"] if count else []
    if len(terms) <= 2:
        return " + ".join(terms) or "0 B"
    unit, each = next(pair for pair in UNITS if size >= pair[1])
    thousandths = (2000 * size + each) // (2 * each)
    return say("memory.about", size=f"{thousandths // 1000:,}.{thousandths % 1000:03} {unit}")


def bytes_and_units(size: int) -> str:
    """Return a number of bytes, and the same in larger units.

    Examples
    --------
    >>> bytes_and_units(536_870_912), bytes_and_units(96)
    ('536,870,912 B (512 MiB)', '96 B')
    """
    words = in_units(size)
    return f"{size:,} B" if size < UNITS[2][1] else say("memory.both", size=f"{size:,}", words=words)
