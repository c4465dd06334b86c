"""What an English and a Chinese page of Markdown must have in common."""

import re

MIRROR = re.compile(r"https?://[^\s)>`\"]+")


def outline(text):
    """Return what must be equal in both languages: headings, commands, code spans, links, numbers."""
    blocks = re.findall(r"^ *```\w*\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^ *```\w*\n.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    spans = sorted(re.findall(r"`([^`]+)`", prose))
    rest = re.sub(r"`[^`]+`|\]\([^)]*\)", "", MIRROR.sub("", prose))
    return {
        "headings": [len(marks) for marks in re.findall(r"^(#+) ", prose, re.MULTILINE)],
        "commands": blocks,
        "code spans": spans,
        "links": sorted(
            link.replace(".zh.", ".").replace("notebooks/zh/", "notebooks/en/")
            for link in re.findall(r"\]\(([^)]*)\)", prose)
            if "README" not in link
        ),
        "numbers": sorted(re.findall(r"\d+(?:[.,]\d+)*", rest)),
    }


def differences(english, chinese):
    ours, theirs = outline(english), outline(chinese)
    return [part for part in ours if ours[part] != theirs[part]]
