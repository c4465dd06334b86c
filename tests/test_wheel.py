"""The wheel, built from a checkout full of junk, installed and used away from it."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email import message_from_bytes

import pytest

from sample_course import LESSON, ROOT, checkout
from zerostride.language import LANGUAGES

JUNK = (
    "notes.txt",
    "scratch.ipynb",
    "01_four_rows_three_numbers-Copy1.ipynb",
    "01_four_rows copy.ipynb",
    ".ipynb_checkpoints/01_four_rows_three_numbers-checkpoint.ipynb",
    ".virtual_documents/01_four_rows_three_numbers.ipynb",
    "01_data/01_numbers.ipynb",
    "predictions.json",
)


def fill_with_junk(notebooks):
    for name in JUNK:
        for language in LANGUAGES:
            place = notebooks / language / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("{}", "utf-8")
    (notebooks / "readme.md").write_text("junk", "utf-8")
    (notebooks / "mine").mkdir()
    (notebooks / "mine" / LESSON).write_text("{}", "utf-8")


def build(folder, kind, out):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)], cwd=folder, check=True
    )
    return next(out.iterdir())


def carried_notebooks(wheel):
    with zipfile.ZipFile(wheel) as file:
        return sorted(name for name in file.namelist() if "notebooks" in name)


@pytest.fixture(scope="module")
def littered(tmp_path_factory):
    """Return a checkout with junk beside the lessons."""
    folder = tmp_path_factory.mktemp("littered")
    checkout(folder)
    fill_with_junk(folder / "notebooks")
    for name in ("pyproject.toml", "README.md", "README.zh.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(littered, tmp_path_factory):
    return build(littered, "wheel", tmp_path_factory.mktemp("wheel"))


WHERE = "from zerostride.course import lessons_folder; print(lessons_folder())"
WANTED = sorted(f"zerostride/notebooks/{language}/{LESSON}" for language in LANGUAGES)


def test_the_wheel_holds_the_lessons_and_nothing_else_from_their_folder(wheel):
    assert carried_notebooks(wheel) == WANTED


def test_the_way_over_the_source_archive_gives_the_same(littered, tmp_path):
    archive = build(littered, "sdist", tmp_path / "sdist")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path / "open", filter="data")
    unpacked = next((tmp_path / "open").iterdir())
    assert carried_notebooks(build(unpacked, "wheel", tmp_path / "wheel")) == WANTED


def test_without_the_rules_the_junk_would_be_seen(littered, tmp_path):
    careless = tmp_path / "careless"
    shutil.copytree(littered, careless)
    rules = careless / "pyproject.toml"
    kept = [line for line in rules.read_text("utf-8").splitlines() if not line.startswith("exclude = [")]
    rules.write_text("\n".join(kept), "utf-8")
    assert carried_notebooks(build(careless, "wheel", tmp_path / "out")) != WANTED


def test_words_types_and_licence_travel_along(wheel):
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        about = message_from_bytes(file.read(next(name for name in names if name.endswith("/METADATA"))))
    source = ROOT / "src" / "zerostride"
    data = [path for path in source.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert {f"zerostride/{path.relative_to(source).as_posix()}" for path in data} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if "test" in name]
    assert set(about.get_all("Provides-Extra")) >= {"lab", "torch", "test"}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return the Python of a fresh environment with the wheel, and the libraries of this one."""
    folder = tmp_path_factory.mktemp("fresh environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    options = ["install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), *options], check=True)
    query = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    place = subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()
    # A path in a .pth file is searched, but the .pth files in it (an editable install) are not.
    with open(os.path.join(place, "libraries.pth"), "w", encoding="utf-8") as file:
        file.write(sysconfig.get_path("purelib") + "\n")
    return python


def run(python, *arguments, cwd):
    cleared = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(python), *arguments],
        cwd=cwd,
        env=cleared | {"ZEROSTRIDE_LANG": "en"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_installed_package_is_the_wheel(installed, tmp_path):
    place = run(installed, "-c", "import zerostride; print(zerostride.__file__)", cwd=tmp_path).stdout
    assert str(installed.parents[1]) in place
    folder = run(installed, "-c", WHERE, cwd=tmp_path).stdout
    assert str(installed.parents[1]) in folder


def test_the_installed_package_copies_its_lessons(installed, tmp_path):
    done = run(installed, "-m", "zerostride", "lab", "--copy-only", "--dir", "my course", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    copied = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.ipynb"))
    assert copied == sorted(f"my course/{language}/{LESSON}" for language in LANGUAGES)
    assert "SECRET" not in (tmp_path / copied[0]).read_text("utf-8")


PRINTED = """
import sys
from zerostride.publish.paper.markup import document, opening
sys.stdout.write(str(document(opening(title="rows", size="a4") + "四行 *rows*")[:5]))
"""


def test_the_installed_package_publishes_with_its_own_fonts_and_template(installed, tmp_path):
    pytest.importorskip("typst")
    done = run(installed, "-c", PRINTED, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("b'%PDF-'", "")
    done = run(
        installed, "-m", "zerostride", "publish", "--edition", "learner", "--out", "made", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "SECRET" not in (tmp_path / "made" / "en" / "learner" / LESSON).read_text("utf-8")
    assert (tmp_path / "made" / "zh" / "learner.zip").is_file()


def test_the_installed_package_checks(installed, tmp_path):
    done = run(installed, "-m", "zerostride", "check", "--suite", "numpy", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "passed" in done.stdout


def test_the_installed_command_has_its_name(installed, tmp_path):
    command = installed.with_name("zerostride" + installed.suffix)
    assert run(command, "--version", cwd=tmp_path).stdout.startswith("zerostride ")


def test_an_editable_install_reads_the_checkouts_own_lessons(tmp_path):
    src = checkout(tmp_path)
    # An editable install puts the checkout's src on the path and does no more.
    query = f"import sys; sys.path.insert(0, {str(src)!r}); {WHERE}"
    assert run(sys.executable, "-c", query, cwd=tmp_path).stdout.strip() == str(tmp_path / "notebooks")
    inside = src / "zerostride" / "notebooks"
    for language in LANGUAGES:
        (inside / language).mkdir(parents=True)
    assert run(sys.executable, "-c", query, cwd=tmp_path).stdout.strip() == str(inside)
