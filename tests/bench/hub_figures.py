"""What the measured figures of a hub mean for a class: arithmetic alone, and the tables."""

from math import ceil

CLASSES = (30, 300, 3000)
GROUPS = ("numpy", "torch")
READY_WITHIN_SECONDS = 600
PODS_PER_NODE = 110  # the most that a Kubernetes node takes unless it is told otherwise
MIB = 2**20


def arithmetic(record, classes=CLASSES):
    """Return one row a class size: memory, cores and pods that follow from the measured figures.

    Nothing here was tried. Memory is the proportional size (PSS) of every
    learner after the lesson, with hub and proxy once; what Kubernetes
    reserves is the guarantee of every learner. The cores are those that start
    every server and run all of lesson 1 once within ten minutes.
    """
    cpu_seconds = record["server"]["cpu_seconds"] + record["torch"]["cpu_seconds"]
    return [
        {
            "learners": learners,
            **{
                f"{group}_gib": ceil((learners * record[group]["pss_mib"] + record["hub"]["pss_mib"]) / 1024)
                for group in GROUPS
            },
            "reserved_gib": ceil(learners * limits(record)["guarantee_mib"] / 1024),
            "cores": ceil(learners * cpu_seconds / READY_WITHIN_SECONDS),
            "pods": learners,
            "nodes_by_pods": ceil(learners / PODS_PER_NODE),
        }
        for learners in classes
    ]


def limits(record):
    """Return MiB to promise to a learner and MiB beyond which the kernel is stopped.

    Promised is what server and kernel hold after lesson 1 with torch, the
    pages that others use too counted in full. The limit is the most that any
    lesson took and 40 percent more, the headroom that the documentation of
    The Littlest JupyterHub advises at most. Both are whole steps of 128 MiB.
    """
    most = max(record["peaks_mib"].values())
    return {"guarantee_mib": _step(record["torch"]["rss_mib"]), "limit_mib": _step(most * 1.4)}


def _step(mib, step=128):
    return ceil(mib / step) * step


def markdown(record):
    """Return both tables as Markdown."""
    return "\n".join([*_measured(record), "", *_followed(record)])


def _measured(record):
    yield "| state | s, median | s, last | CPU s | PSS, MiB | RSS, MiB |"
    yield "|---|---|---|---|---|---|"
    names = {"server": "server started", "numpy": "lesson 1 without torch cells", "torch": "all of lesson 1"}
    for state, name in names.items():
        row = record[state]
        times = f"{row['seconds']} | {row['last_seconds']} | {row['cpu_seconds']}"
        yield f"| {name} | {times} | {row['pss_mib']} | {row['rss_mib']} |"
    yield f"| hub and proxy, once | | | | {record['hub']['pss_mib']} | {record['hub']['rss_mib']} |"


def _followed(record):
    minutes = READY_WITHIN_SECONDS // 60
    cores = f"cores, all ready in {minutes} min"
    yield f"| learners | GiB, NumPy | GiB, torch | GiB reserved | {cores} | pods | nodes by pods |"
    yield "|---|---|---|---|---|---|---|"
    for row in record["arithmetic"]:
        yield "| " + " | ".join(f"{value:,}" for value in row.values()) + " |"
