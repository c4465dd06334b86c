"""The teacher guide: pages in both languages, with the figures that were measured."""

from urllib.parse import urlencode

from zerostride.lab import first_page
from zerostride.language import speaking


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
