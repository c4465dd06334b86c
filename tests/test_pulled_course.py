"""The course handed out by nbgitpuller: its link opened for real, and a second pull over a learner's work."""

import json
import shutil
import subprocess
import urllib.request
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from served_lab import jupyterlab

from zerostride.course import lessons
from zerostride.learner import copy_course
from zerostride.publish.guide import pull_link

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not on this machine")
FIRST, SECOND = "01_four_rows_three_numbers.ipynb", "02_which_axes_expand.ipynb"
HUB = "http://hub.test/"


def git(folder, *arguments):
    who = ("-c", "user.name=teacher", "-c", "user.email=teacher@example.org")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """Return a teacher's repository that holds the learner edition without lesson 2."""
    folder = tmp_path / "class"
    copy_course(folder)
    (folder / "en" / SECOND).rename(tmp_path / SECOND)
    git(folder, "init", "--quiet", "--initial-branch=main")
    hand_out(folder)
    return folder


def hand_out(folder):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=what is handed out")


def answered(lesson, answer):
    """Write an answer into the place of ``offset = ...``."""
    text = lesson.read_text("utf-8")
    assert "offset = ..." in text
    lesson.write_text(text.replace("offset = ...", answer), "utf-8")


def goes_on(repository, kept):
    """Hand out lesson 2, and change the very line in lesson 1 that the learner has changed."""
    kept.rename(repository / "en" / SECOND)
    answered(repository / "en" / FIRST, "offset = 'the answer of the teacher'")
    hand_out(repository)


def opened(site, token, link):
    """Open a link as nbgitpuller's page does: pull, then go on; return where it goes."""
    asked = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
    local = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with local.open(f"{site}/git-pull?{urlsplit(link).query}&token={token}") as page:
        assert asked["urlpath"] in page.read().decode()
    query = urlencode({"repo": asked["repo"], "branch": asked["branch"], "token": token})
    with local.open(f"{site}/git-pull/api?{query}") as stream:
        events = [json.loads(line[6:]) for line in stream.read().decode().splitlines() if line]
    assert events[-1] == {"phase": "finished"}, events
    return asked["urlpath"]


def losses(learner, answer):
    """Return what of a learner's work, or of what the teacher added, is not there."""
    text = (learner / "en" / FIRST).read_text("utf-8")
    there = {
        "answer": answer in json.dumps([cell["source"] for cell in json.loads(text)["cells"]]),
        "own file": (learner / "notes.txt").is_file(),
        "new lesson": (learner / "en" / SECOND).is_file(),
    }
    return [name for name, is_there in there.items() if not is_there]


def work(learner):
    answered(learner / "en" / FIRST, "offset = 80")
    (learner / "notes.txt").write_text("mine", "utf-8")


def test_a_learners_work_survives_and_the_new_lesson_arrives(repository, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    link = pull_link(HUB, repository.as_uri(), "zh")
    with jupyterlab(home, tmp_path / "private") as (site, token):
        page = opened(site, token, link)
        assert page == f"lab/workspaces/zh/tree/class/zh/{lessons('zh')[0].name}"
        learner = home / "class"
        assert (home / page.partition("/tree/")[2]).is_file()
        work(learner)
        assert losses(learner, "offset = 80") == ["new lesson"]
        goes_on(repository, tmp_path / SECOND)
        opened(site, token, link)
    assert losses(learner, "offset = 80") == []


def test_a_way_that_loses_work_would_be_seen(repository, tmp_path):
    git(tmp_path, "clone", "--quiet", repository.as_uri(), "home")
    learner = tmp_path / "home"
    work(learner)
    goes_on(repository, tmp_path / SECOND)
    git(learner, "fetch", "--quiet")
    git(learner, "reset", "--quiet", "--hard", "origin/main")
    assert losses(learner, "offset = 80") == ["answer"]


def test_the_link_has_the_form_that_nbgitpuller_documents():
    repository = "https://git.example.org/class"
    link = urlsplit(pull_link("https://hub.example.org/base/", repository, "en", "spring"))
    assert link.path == "/base/hub/user-redirect/git-pull"
    assert parse_qs(link.query) == {
        "repo": [repository],
        "branch": ["spring"],
        "urlpath": [f"lab/workspaces/en/tree/class/en/{lessons('en')[0].name}"],
    }
