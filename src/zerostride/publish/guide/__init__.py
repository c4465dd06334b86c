"""The teacher guide: pages in both languages, with the figures that were measured."""

import json
import re
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from zerostride.lab import first_page
from zerostride.language import LANGUAGES, say, speaking

_FOLDER = files("zerostride.publish.guide")
_PLACE = re.compile(r"<([a-z]\w*(?:\.\w+)*)>")
_FENCED = re.compile(r"(^```.*?^```$)", re.M | re.S)
_HUB, _CLASS = "https://hub.example.org", "https://git.example.org/class"


def guide_pages(language: str) -> tuple[tuple[str, str], ...]:
    """Return the pages for teachers in their order, each with its title and its Markdown.

    Figures are taken from the record of the measurement, never written down twice.

    Examples
    --------
    >>> [title for title, _ in guide_pages("en")][:3]
    ['Before class', "At nine o'clock", 'When a machine fails']
    """
    figures = _figures()
    texts = [_PLACE.sub(lambda place: figures[place[1]], raw) for raw in raw_pages(language).values()]
    return tuple((text.partition("\n")[0].removeprefix("# "), text) for text in texts)


def guide_text(language: str) -> str:
    """Return all pages as one Markdown text, each heading one level deeper than on its page.

    Examples
    --------
    >>> print(guide_text("en").splitlines()[0], guide_text("en").splitlines()[2], sep=" / ")
    # Teacher guide / ## Before class
    """
    with speaking(language):
        title = f"# {say('publish.guide')}"
    return "\n\n".join([title, *(_deeper(text).strip() for _, text in guide_pages(language))]) + "\n"


def _deeper(text: str) -> str:
    # In a fenced block a line that begins with # is a comment.
    parts = _FENCED.split(text)
    return "".join(part if part.startswith("```") else re.sub("^#", "##", part, flags=re.M) for part in parts)


def raw_pages(language: str) -> dict[str, str]:
    """Return the pages by name, with ``<name>`` where a figure belongs."""
    pages = sorted(_FOLDER.joinpath(language).iterdir(), key=lambda page: page.name)
    return {page.name: page.read_text("utf-8") for page in pages if page.name.endswith(".md")}


def record() -> dict[str, Any]:
    """Return what ``tests/bench/hub.py`` measured last."""
    told: dict[str, Any] = json.loads(_FOLDER.joinpath("hub.json").read_text("utf-8"))
    return told


def _figures() -> dict[str, str]:
    told = record()
    peaks = sorted(told["peaks_mib"].values())
    links = {language: pull_link(_HUB, _CLASS, language) for language in LANGUAGES}
    limits = {name: str(mib) for name, mib in told["limits"].items()}  # typed, so without commas
    config = {"yaml": _FOLDER.joinpath("config.yaml").read_text("utf-8").strip()}
    more = {
        "pull": links,
        "limits": limits,
        "config": config,
        "least_peak": peaks[0],
        "second_peak": peaks[-2],
    }
    return dict(_flat(told | more))


def _flat(value: Any, name: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict | list):
        inside = value.items() if isinstance(value, dict) else enumerate(value)
        return [pair for key, one in inside for pair in _flat(one, f"{name}.{key}".lstrip("."))]
    return [(name, f"{value:,}" if isinstance(value, int) else str(value))]


def pull_link(hub: str, repository: str, language: str, branch: str = "main") -> str:
    """Return the link that fetches a course by nbgitpuller and opens its first lesson.

    A learner who opens it again gets what is new; what the learner changed stays.

    Parameters
    ----------
    hub : str
        Where the JupyterHub is.
    repository : str
        A git repository that holds ``en`` and ``zh``, as ``git clone`` takes it.
    language : {"en", "zh"}
        Which lesson 0 opens.
    branch : str
        A branch of the repository.

    Examples
    --------
    >>> pull_link("https://hub.example.org", "https://git.example.org/class", "zh").partition("urlpath=")[2]
    'lab/workspaces/zh/tree/class/zh/00_start_here.ipynb'
    """
    folder = repository.rstrip("/").split("/")[-1]
    with speaking(language):
        page = first_page(f"{folder}/").removeprefix("/")
    query = urlencode({"repo": repository, "branch": branch, "urlpath": page}, safe="/:")
    return f"{hub.rstrip('/')}/hub/user-redirect/git-pull?{query}"
