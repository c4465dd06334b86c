"""The mutation run: how many changes of the core modules does some test notice?

``python tests/mutation/run.py --each 30 --seed 1`` clones the last commit, asks once which
test reaches which line (kept in ``--work``), draws changes of each core package, and runs on
each the tests that reach it, the quickest first; survivors meet the slower ones too. Those that
``equivalent.toml`` does not explain are printed at the end. ``--unchanged`` tries the same
without any change: whatever is "killed" then is a fault of the run.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import tomllib
from math import sqrt
from pathlib import Path

from mutants import PACKAGES, sampled

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EQUIVALENT = HERE / "equivalent.toml"
# Others open a browser, build something, or say nothing about one function of the core.
FILES = (
    *("advice*", "array_files", "can_i_write", "cases_*", "checks*", "counting", "expansion", "gradients*"),
    *(
        "hostile_code",
        "hostile_text",
        "language",
        "layout*",
        "memory*",
        "overlap",
        "parameters",
        "plain_data",
    ),
    *("reshaping", "sharing", "writability", "writes*"),
)
# What tests may take on one change, measured while nothing was changed; then on a survivor.
SECONDS, SECONDS_AGAIN = 30, 120


def cloned(work):
    """Return a clone of the last commit that may be changed."""
    clone = work / "checkout"
    if not clone.exists():
        subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(clone)], check=True)
    return clone


def environment(clone, **more):
    paths = os.pathsep.join([str(HERE), str(clone / "src")])
    return os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": paths} | more


def ask(clone, work, task):
    """Run the plugin in ``trials.py`` over the clone."""
    core = [f"src/zerostride/{package}" for package in PACKAGES]
    files = [str(path) for name in FILES for path in sorted(clone.glob(f"tests/test_{name}.py"))]
    variables = {"MUTATION_WORK": str(work), "MUTATION_TASK": task}
    if task != "reach":
        variables["PYTHONDONTWRITEBYTECODE"] = "1"
    options = ["-q", "--no-header", "-p", "trials", "--hypothesis-seed=0", f"--basetemp={work / 'tmp'}"]
    command = [sys.executable, "-m", "pytest", *options, *core, *files]
    with (work / f"{task}.log").open("w") as log:
        where = {"cwd": clone, "env": environment(clone, **variables)}
        subprocess.run(command, stdout=log, stderr=log, check=False, **where)


def tests_for(mutant, reach, seconds):
    """Return the tests that reach a mutant and fit into so many seconds, and how long they take."""
    lines, tests = reach["lines"].get(mutant.file, {}), reach["tests"]
    places = range(mutant.first, mutant.last + 1)
    reaching = {test for place in places for test in lines.get(str(place), ())}
    chosen, total = [], 0.0
    for test in sorted((tests[number] for number in reaching), key=lambda test: test["seconds"]):
        if test["passed"] and (not chosen or total + test["seconds"] <= seconds):
            chosen.append(test["id"])
            total += test["seconds"]
    return chosen, total


def asked(mutants, task, clone, work, reach, seconds):
    """Return what became of each mutant, in their order."""
    choices = [tests_for(mutant, reach, seconds) for mutant in mutants]
    tasks = [
        {"number": number, **mutant.to_dict(), "tests": tests, "expected": expected}
        for number, (mutant, (tests, expected)) in enumerate(zip(mutants, choices, strict=True))
    ]
    random.Random(len(tasks)).shuffle(tasks)
    (work / f"{task}.json").write_text(json.dumps(tasks))
    results = work / f"{task}.results"
    results.write_text("")
    ask(clone, work, task)
    found = sorted(map(json.loads, results.read_text().splitlines()), key=lambda result: result["number"])
    if len(found) < len(mutants):
        raise SystemExit(f"not every change was tried, see {work / task}.log")
    for mutant, result, (tests, _) in zip(mutants, found, choices, strict=True):
        unseen = result["outcome"] == "survived" and result["early"] and tests
        if unseen and seen_afresh(mutant, tests, clone, work):
            result["outcome"] = "killed"
    return found


def seen_afresh(mutant, tests, clone, work):
    """Return whether tests fail in a new process: for functions that importing the package runs already."""
    file = clone / mutant.file
    original = file.read_text("utf-8")
    file.write_text(mutant.text, "utf-8")
    (work / "tests.txt").write_text("\n".join(tests))
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--hypothesis-seed=0", f"@{work / 'tests.txt'}"]
    variables = environment(clone, PYTHONDONTWRITEBYTECODE="1")
    try:
        return subprocess.run(command, cwd=clone, env=variables, capture_output=True).returncode != 0
    finally:
        file.write_text(original, "utf-8")


def interval(killed, of):
    """Return Wilson's 95 % interval of a share."""
    if not of:
        return 0.0, 1.0
    z, share = 1.96, killed / of
    middle, wide = share + z * z / (2 * of), z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - wide) / (1 + z * z / of), (middle + wide) / (1 + z * z / of)


def row(name, room, outcomes):
    """Return a line of the table; a run that never ends or ends the process counts as noticed."""
    equivalent, survived = outcomes.count("equivalent"), outcomes.count("survived")
    killed, of = len(outcomes) - equivalent - survived, len(outcomes) - equivalent
    low, high = interval(killed, of)
    score = f"{100 * killed / max(of, 1):.1f} ({100 * low:.0f}–{100 * high:.0f})"
    return f"| {name} | {room:,} | {len(outcomes)} | {killed} | {equivalent} | {score} |"


def explained():
    """Return what names each mutant that no test can notice."""
    listed = tomllib.loads(EQUIVALENT.read_text("utf-8"))["mutant"]
    return {(one["file"], one["function"], one["was"], one["now"]) for one in listed}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--each", type=int, default=30, help="changes of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--package", choices=PACKAGES, action="append")
    parser.add_argument("--work", type=Path, help="folder that is kept for the next run")
    parser.add_argument("--unchanged", action="store_true", help="change nothing, to try the run itself")
    chosen = parser.parse_args()
    work = (chosen.work or Path(tempfile.mkdtemp(prefix="mutation-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    clone = cloned(work)
    if not (work / "reach.json").exists():
        ask(clone, work, "reach")
    reach = json.loads((work / "reach.json").read_text())
    packages = chosen.package or PACKAGES
    drawn = {each: sampled(clone, each, chosen.each, chosen.seed, chosen.unchanged) for each in packages}
    mutants = [mutant for _, some in drawn.values() for mutant in some]
    results = asked(mutants, f"seed-{chosen.seed}", clone, work, reach, SECONDS)
    left = [number for number, result in enumerate(results) if result["outcome"] in ("survived", "crashed")]
    if left:
        slower = asked([mutants[each] for each in left], "again", clone, work, reach, SECONDS_AGAIN)
        for number, result in zip(left, slower, strict=True):
            results[number] = result
    known, outcomes = explained(), {each: [] for each in packages}
    for mutant, result in zip(mutants, results, strict=True):
        if result["outcome"] == "survived" and mutant.key in known:
            result["outcome"] = "equivalent"
        outcomes[mutant.file.split("/")[2]].append(result["outcome"])
        if result["outcome"] not in ("killed", "equivalent"):
            print(f"{result['outcome']}: {mutant.file}:{mutant.first} {mutant.function}")
            print(f"- {mutant.was}\n+ {mutant.now}\n")
    print("| package | changes possible | tried | noticed | equivalent | score, % (95 % interval) |")
    print("| --- | --- | --- | --- | --- | --- |")
    for each in packages:
        print(row(each, drawn[each][0], outcomes[each]))
    every = [outcome for some in outcomes.values() for outcome in some]
    print(row("all", sum(room for room, _ in drawn.values()), every))


if __name__ == "__main__":
    main()
