"""Every benchmark, one record, one table in both READMEs.

    make bench
    python tests/bench/run_all.py --peers FOLDER       the same, from what is installed here
    python tests/bench/run_all.py --only publish       one row afresh, the others as recorded
    python tests/bench/run_all.py --smoke              quick, writes nothing

Takes some minutes, best on a machine that does nothing else: the load
when each measurement began is recorded with it. What is more than it may be
is named, and the exit status is then 1. The two rows about learners are taken
from the record of `hub.py`, which needs a JupyterHub.
"""

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from importlib.metadata import version

import check
import cost_table
import costs
import explorers
import import_cost
import inspectors
import publish
import stored_outputs
import writes
from rows import Row, judged

from zerostride.publish.guide import record as hub_record


def learners(smoke=False):
    """Return what a learner on the hub took, as `hub.py` recorded it."""
    told = hub_record()
    most, limit = max(told["peaks_mib"].values()), told["limits"]["limit_mib"]
    return {
        "learner": Row("MiB", told["torch"]["pss_mib"], told["numpy"]["pss_mib"]),
        "learner_most": Row("MiB", most, limit, 1),
    }


SMOKE = {
    "import": import_cost.rows,
    "check": check.rows,
    "layout": costs.rows,
    "writes": writes.rows,
    "explorers": explorers.rows,
    "publish": publish.rows,
}
BENCHES = SMOKE | {"nbval": stored_outputs.rows, "learners": learners}
PEERS = cost_table.ROOT / ".venv" / "peers"


def main(argv=None):
    """Measure, record, write the table; return 1 where something is more than it may be."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--only", action="append", choices=[*BENCHES, "inspectors"], help="these alone")
    asked.add_argument("--peers", default=str(PEERS), help="folder of the other inspectors")
    asked.add_argument("--smoke", action="store_true", help="quick: nothing is recorded")
    told = asked.parse_args(argv)
    if told.smoke:
        return judged({name: row for bench in SMOKE.values() for name, row in bench(smoke=True).items()})
    sys.path.append(told.peers)
    chosen = told.only or [*BENCHES, "inspectors"]
    if {"layout", "inspectors"} & {*chosen} and (missing := inspectors.missing()):
        sys.exit(f"not in {told.peers}: {', '.join(missing)}; make bench installs them")
    before = cost_table.stored()
    record, ended = before if told.only else {"rows": {}}, False
    for name in chosen:
        try:
            measure(name, record)
        except SystemExit as why:  # the others are measured all the same, and its rows stay as they were
            print(f"{name}: {why}", file=sys.stderr)
            record, ended = {**before, **record, "rows": before["rows"] | record["rows"]}, True
    cost_table.RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    cost_table.write(record)
    return judged(cost_table.rows(record)) or int(ended)


def measure(name, record):
    """Put what one benchmark finds into the record."""
    load = round(os.getloadavg()[0], 1)
    print(f"\n{name} (load {load})", flush=True)
    if name == "inspectors":
        record["inspectors"] = inspectors.answers()
    else:
        found = BENCHES[name]()
        when = {} if name == "learners" else {"load": load}
        record["rows"] |= {each: asdict(row) | when for each, row in found.items()}
    record |= {"cores": os.cpu_count(), "versions": versions()}


def versions():
    """Return what was measured with."""
    libraries = {name: version(name).partition("+")[0] for name in ("numpy", "torch")}
    return {"python": platform.python_version(), **libraries}


if __name__ == "__main__":
    sys.exit(main())
