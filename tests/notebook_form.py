"""What every lesson notebook must look like, one function a rule; each yields (cell id, what was seen)."""

import ast
import io
import json
import re
import tokenize
from statistics import median

import nbformat

from zerostride.course import source, tags
from zerostride.pairs.prose import taken_apart, without_links
from zerostride.pairs.typography import HAN

MOST_LINES, MEDIAN_LINES = 20, 4
OPENING = ("you will", "learn how to", "need", "time")
SECTIONS = {"your turn": r"your turn", "what this does not show": r"what (?:this does|does this) not show"}
SKIPPING = {"raises-exception", "skip-execution"}
DOWNLOADS = {
    "urlopen",
    "urlretrieve",
    "urllib",
    "requests",
    "wget",
    "httpx",
    "subprocess",
    "os.system",
    "pip",
}

# Core time. Reading: technical prose at an unhurried pace. Doing: with thinking, once through.
ENGLISH_WORDS_PER_MINUTE = 180
CHINESE_CHARACTERS_PER_MINUTE = 320
SECONDS_PER = {"code cell": 10, "predict": 40, "your_turn": 120, "explore": 150}
CORE_MINUTES = 25


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def parsed(cell):
    """Return the syntax tree of a cell, or an empty one where it is no Python (no_magics says so)."""
    try:
        return ast.parse(source(cell))
    except SyntaxError:
        return ast.Module([], [])


def named(tree):
    """Return every dotted name that a tree uses or imports."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute | ast.Name):
            names |= {ast.unparse(node)}
    return names


def executed_in_order(notebook):
    for expected, cell in enumerate(code_cells(notebook), 1):
        if cell["execution_count"] != expected:
            yield cell["id"], f"execution count {cell['execution_count']}, not {expected}"


def outputs_stored(notebook):
    for cell in code_cells(notebook):
        shows = bool(parsed(cell).body) and isinstance(parsed(cell).body[-1], ast.Expr)
        if shows and cell["id"] != "setup" and not cell["outputs"]:
            yield cell["id"], "ends on an expression, but no output is stored"


def no_errors(notebook):
    for cell in code_cells(notebook):
        for output in cell["outputs"]:
            if output["output_type"] == "error" or output.get("name") == "stderr":
                yield cell["id"], output.get("ename", "stderr")


def nothing_skipped(notebook):
    for cell in notebook["cells"]:
        for tag in tags(cell):
            if tag in SKIPPING or tag.startswith("nbval"):
                yield cell["id"], tag


def no_comments(notebook):
    for cell in code_cells(notebook):
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(source(cell)).readline))
        except (tokenize.TokenError, SyntaxError):
            continue
        yield from ((cell["id"], token.string) for token in tokens if token.type == tokenize.COMMENT)


def no_magics(notebook):
    for cell in code_cells(notebook):
        try:
            ast.parse(source(cell))
        except SyntaxError as error:
            yield cell["id"], f"not Python: {error.text}"


def no_downloads(notebook):
    for cell in code_cells(notebook):
        for name in named(parsed(cell)):
            if DOWNLOADS & {name, *name.split(".")} or name.startswith("sys"):
                yield cell["id"], name


def short_cells(notebook):
    lengths = {cell["id"]: len(source(cell).splitlines()) for cell in code_cells(notebook)}
    yield from ((name, f"{length} lines") for name, length in lengths.items() if length > MOST_LINES)
    if lengths and median(lengths.values()) > MEDIAN_LINES:
        yield "-", f"median of {median(lengths.values())} lines"


def ends_on_an_expression(notebook):
    for cell in code_cells(notebook):
        body = parsed(cell).body
        only_imports = all(isinstance(line, ast.Import | ast.ImportFrom) for line in body)
        # An answer is emptied to "name = ..." in the learner edition, so it assigns or defines.
        if not body or only_imports or cell["id"] == "setup" or "answer" in tags(cell):
            continue
        last = body[-1]
        printed = isinstance(last, ast.Expr) and ast.unparse(last).startswith(("print(", "display("))
        if printed or not isinstance(last, ast.Expr | ast.Try):
            yield cell["id"], f"ends on {ast.unparse(last).splitlines()[0]}"


def no_semicolon(notebook):
    for cell in code_cells(notebook):
        if source(cell).rstrip().endswith(";"):
            yield cell["id"], "ends on ;"


def images_have_alternatives(notebook):
    for cell in notebook["cells"]:
        for html in [source(cell), *(_html(output) for output in cell.get("outputs", []))]:
            for image in re.findall(r"<img\b[^>]*>", html):
                if not re.search(r"""\balt=(["'])(?!\s*\1).+?\1""", image, re.DOTALL):
                    yield cell["id"], "img without alt"
        if cell["cell_type"] == "markdown" and re.search(r"!\[\s*\]\(", source(cell)):
            yield cell["id"], "image without alternative"
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            drawn = any(kind.startswith("image/") for kind in data)
            if drawn and "<img" not in _html(output) and not _words(data.get("text/plain", "")):
                yield cell["id"], "image output without alternative"


def _html(output):
    return _joined(output.get("data", {}).get("text/html", ""))


def _joined(text):
    return text if isinstance(text, str) else "".join(text)


def _words(text):
    return "" if re.match(r"\s*<", _joined(text)) else _joined(text).strip()


def setup_comes_first(notebook):
    first = code_cells(notebook)[:1]
    if not first or first[0]["id"] != "setup":
        yield first[0]["id"] if first else "-", "the first code cell is not setup"


def imports_in_setup_alone(notebook):
    with_torch = [cell["id"] for cell in code_cells(notebook) if "torch" in tags(cell)][:1]
    for cell in code_cells(notebook):
        if cell["id"] not in ["setup", *with_torch]:
            for node in ast.walk(parsed(cell)):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    yield cell["id"], ast.unparse(node)


def torch_in_tagged_cells_alone(notebook):
    for cell in code_cells(notebook):
        uses = any(name.split(".")[0] == "torch" for name in named(parsed(cell)))
        if uses and "torch" not in tags(cell):
            yield cell["id"], "uses torch without the tag"


def first_torch_cell_imports_it(notebook):
    first = next((cell for cell in code_cells(notebook) if "torch" in tags(cell)), None)
    if first and not any(
        isinstance(node, ast.Import) and "torch" in [alias.name for alias in node.names]
        for node in ast.walk(parsed(first))
    ):
        yield first["id"], "the first torch cell does not import torch"


def english_frame(notebook):
    """Hold the fixed frame in English; the pairing rules hold Chinese to the same ids and headings."""
    if 'use("zh")' in "".join(source(cell) for cell in code_cells(notebook)[:1]):
        return
    before_code = [cell["cell_type"] for cell in notebook["cells"]].index("code")
    opening = "\n".join(source(cell) for cell in notebook["cells"][:before_code]).lower()
    yield from (("-", f"the opening lacks “{words}”") for words in OPENING if words not in opening)
    prose = [source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    headings = [line.lower() for text in prose for line in text.splitlines() if line.startswith("#")]
    for name, pattern in SECTIONS.items():
        if not any(re.search(pattern, heading) for heading in headings):
            yield "-", f"no heading “{name}”"


def required_tags(notebook):
    there = {tag for cell in notebook["cells"] for tag in tags(cell)}
    yield from (("-", f"no cell is tagged {tag}") for tag in ("slide", "answer", "extra") if tag not in there)


def run_outputs_folded(notebook):
    for cell in code_cells(notebook):
        if cell["id"].startswith("run-") and not cell["metadata"].get("jupyter", {}).get("outputs_hidden"):
            yield cell["id"], "a run cell whose answer is not folded"


def clean_metadata(notebook):
    about = notebook["metadata"]
    if about.get("kernelspec", {}).get("name") != "python3":
        yield "-", "the kernel is not python3"
    if "version" in about.get("language_info", {}):
        yield "-", "language_info names a Python version"
    if "widgets" in about:
        yield "-", "widget state is stored"
    for cell in notebook["cells"]:
        if "execution" in cell["metadata"]:
            yield cell["id"], "times of execution are stored"


def no_machine_paths(notebook):
    machine = re.compile(r"(?<![\w.:/])/(?:home|root|tmp|Users|usr|work|opt|var|mnt)/\w|\b[A-Z]:\\\\?Users")
    for cell in notebook["cells"]:
        found = machine.search(json.dumps([cell["metadata"], cell.get("outputs", [])]))
        if found:
            yield cell["id"], found[0]
    if machine.search(json.dumps(notebook["metadata"])):
        yield "-", "a path in the metadata"


def core_fits(notebook):
    if core_minutes(notebook) > CORE_MINUTES:
        yield "-", f"{core_minutes(notebook):.1f} minutes"


def core_minutes(notebook):
    """Return estimated minutes of reading and doing, ``extra``, ``answer`` and ``instructor`` cells apart."""
    seconds = 0.0
    for cell in notebook["cells"]:
        if {"extra", "answer", "instructor"} & set(tags(cell)):
            continue
        seconds += _doing(cell) if cell["cell_type"] == "code" else _reading(source(cell))
    return seconds / 60


def _reading(text):
    parts = taken_apart(text)
    words = without_links(parts.words)
    han = len(re.findall(rf"[{HAN}]", words))
    others = len(re.findall(r"[A-Za-z0-9]+", words)) + len(parts.code) + len(parts.formulas)
    return 60 * (han / CHINESE_CHARACTERS_PER_MINUTE + others / ENGLISH_WORDS_PER_MINUTE)


def _doing(cell):
    calls = [node for node in ast.walk(parsed(cell)) if isinstance(node, ast.Call)]
    # The static twin of an explorer is a figure to read, not to play with.
    twins = [call for call in calls if ast.unparse(call.func).endswith(").static")]
    counted = [call for call in calls if call not in [*twins, *(twin.func.value for twin in twins)]]
    names = [ast.unparse(call.func) for call in counted]
    does = ["explore" if name.startswith("zs.explore.") else name.split(".")[-1] for name in names]
    return SECONDS_PER["code cell"] + sum(SECONDS_PER.get(what, 0) for what in does)


RULES = (
    executed_in_order,
    outputs_stored,
    no_errors,
    nothing_skipped,
    no_comments,
    no_magics,
    no_downloads,
    short_cells,
    ends_on_an_expression,
    no_semicolon,
    images_have_alternatives,
    setup_comes_first,
    imports_in_setup_alone,
    torch_in_tagged_cells_alone,
    first_torch_cell_imports_it,
    english_frame,
    required_tags,
    run_outputs_folded,
    clean_metadata,
    no_machine_paths,
    core_fits,
)


def form_faults(text):
    """Yield what keeps a file from being what nbformat would write, byte for byte."""
    notebook = nbformat.reads(text, as_version=nbformat.NO_CONVERT)
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        yield f"invalid: {error.message}"
    if nbformat.writes(notebook) + "\n" != text:
        yield "not as nbformat writes it"
