#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings name what was planted: the group whose link is slow, the steps and the call of a rare or slow collective, the
call of the system that a step waits for; and advise no smaller buckets where the transfer itself is slow.

Jobs are simulated by tests/support/mesh_sim.py and cause_sim.py.
"""
import os
import sys
import tempfile

import wl

sys.path.append(os.path.join(wl.ROOT, "tests", "support"))
from cause_file import File  # noqa: E402
from cause_sim import Sim  # noqa: E402
from causes import every  # noqa: E402
from mesh_sim import Mesh  # noqa: E402

FOUR = {"ranks": 4, "steps": 20, "layers": 4}
EIGHT = {"ranks": 8, "steps": 16, "layers": 4}
GROUP, LONGER = "transfers in the group of", "times as long there as in other steps"


def slow_link(kind, group=None, factor=6, steps=None):
    return {"link": lambda step, k, g, ns: ns * factor if k == kind and group in (None, g) and (steps is None or step in steps) else ns}


def stops(ranks, steps, ns):
    """The hosts of these ranks (None: all) are in fsync before these steps."""
    return {"hostgap": lambda r, i: ns if (ranks is None or r in ranks) and i in steps else 30e3, "gapos": "fsync"}


# what: (simulator, job, what the first finding has to say, and its action)
CASES = {
    "pair 2-3": (Mesh, {**FOUR, **slow_link("tp", [2, 3])}, ("AllReduce", GROUP + " GPUs 2-3 take 6.0 times"), "links between GPUs 2-3"),
    "pair 4-5 of four": (Mesh, {**EIGHT, **slow_link("tp", [4, 5])}, ("AllReduce", GROUP + " GPUs 4-5 take 6.0 times"), "links between GPUs 4-5"),
    "replicas 1, 3": (Mesh, {**FOUR, **slow_link("dp", [1, 3])}, ("ReduceScatter", GROUP + " GPUs 1,3 take 6.0 times"), "links between GPUs 1,3"),
    "slow steps": (Mesh, {**FOUR, **slow_link("dp", None, 40, every(5, 2))}, ("ReduceScatter", "in 4 of 18 steps: 2, 7, 12, 17", LONGER), "step 2"),
    "checkpoint": (Mesh, {**FOUR, "rare": every(5, 4), "rare_ns": 30_000_000},
                   ("AllGather in checkpoint", "in 3 of 18 steps: 4, 9, 14", "other steps have none"), "less often"),
    "one evaluation": (Mesh, {**FOUR, "rare": [10], "rare_ns": 60_000_000}, ("AllGather in checkpoint", "in 1 of 18 steps: 10"), "less often"),
    "fsync of all": (Sim, stops(None, every(5, 2), 20e6), ("(2, 7, 12, 17)", "OS calls (`fsync`)"), "step 2"),
    "fsync of rank 0": (Sim, stops([0], every(5, 2), 20e6), ("GPU 0", "2, 7, 12, ...", "OS calls (`fsync`)"), "GPU 0"),
    "one fsync": (Sim, stops([0], [7], 60e6), ("GPU 0", "in step 7", "OS calls (`fsync`)"), "GPU 0"),
    "one fsync of one GPU": (Sim, {"ranks": 1, **stops([0], [7], 60e6)}, ("step 7", "OS calls (`fsync`)"), "step 7"),
}
CLEAN = {"clean": (Mesh, FOUR), "clean of eight": (Mesh, EIGHT)}


def findings(scratch, simulator, job):
    path = os.path.join(scratch, "t.sqlite")
    File(simulator(**job), path)
    return wl.run("findings", path)[1]["rows"]


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-told-") as scratch:
        for name, (simulator, job, said, action) in CASES.items():
            first = findings(scratch, simulator, job)[0]
            tally.check(name, [s for s in said if s not in first["finding"]] and [said, first["finding"]])
            tally.check(name + ": action", [] if action in first["action"] and "buckets" not in first["action"] else [first["action"]])
        for name, (simulator, job) in CLEAN.items():
            rows = findings(scratch, simulator, job)
            tally.check(name, [r["finding"] for r in rows if GROUP in r["finding"] or LONGER in r["finding"]])
    tally.finish()


if __name__ == "__main__":
    main()
