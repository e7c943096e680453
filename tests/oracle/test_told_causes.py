#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings name what was planted: the group whose link is slow, the steps and the call of a rare or slow collective, the
call of the system that a step waits for, each of several reasons; and advise no smaller buckets where the transfer itself is slow.
Copies that are issued ahead do not begin a step, and launches that wait for a full queue hide nobody.

Jobs are simulated by tests/support/mesh_sim.py, queue_sim.py and cause_sim.py.
"""
import os
import sys
import tempfile

import wl

sys.path.append(os.path.join(wl.ROOT, "tests", "support"))
from cause_file import File  # noqa: E402
from cause_sim import Sim  # noqa: E402
from causes import every, slow  # noqa: E402
from mesh_sim import Mesh  # noqa: E402
from pipe_sim import Pipe  # noqa: E402
from queue_sim import Queue  # noqa: E402

FOUR = {"ranks": 4, "steps": 20, "layers": 4}
EIGHT = {"ranks": 8, "steps": 16, "layers": 4}
STAGES = {"layers": 2, "steps": 12}
GROUP, PAIR, LONGER = "transfers in the group of", "transfers between GPUs", "times as long there as in other steps"


def slow_link(kind, group=None, factor=6, steps=None):
    return {"link": lambda step, k, g, ns: ns * factor if k == kind and group in (None, g) and (steps is None or step in steps) else ns}


def slow_hop(pair, factor=20):
    return {"hop": lambda ranks, ns: ns * factor if ranks == pair else ns}


def stops(ranks, steps, ns):
    """The hosts of these ranks (None: all) are in fsync before these steps."""
    return {"hostgap": lambda r, i: ns if (ranks is None or r in ranks) and i in steps else 30e3, "gapos": "fsync"}


def copies(late, slow):
    """Rank `late` has a host that is late by 8 ms per step; rank `slow` copies at a quarter of the rate."""
    return {"input": lambda sim, r, i: sim.copy(r, i, "HtoD", 60_000_000), "rate": lambda r, i, k: 6.25 if r == slow and k == "HtoD" else 25.0,
            "hostgap": lambda r, i: 8e6 if r == late else 30e3}


# what: (simulator, job, what the first finding has to say, and its action)
CASES = {
    "pair 2-3": (Mesh, {**FOUR, **slow_link("tp", [2, 3])}, ("AllReduce", GROUP + " GPUs 2-3 take 6.0 times"), "links between GPUs 2-3"),
    "pair 4-5 of four": (Mesh, {**EIGHT, **slow_link("tp", [4, 5])}, ("AllReduce", GROUP + " GPUs 4-5 take 6.0 times"), "links between GPUs 4-5"),
    "replicas 1, 3": (Mesh, {**FOUR, **slow_link("dp", [1, 3])}, ("ReduceScatter", GROUP + " GPUs 1,3 take 6.0 times"), "links between GPUs 1,3"),
    "stages 1 and 2": (Pipe, {**STAGES, **slow_hop((1, 2))}, ("SendRecv", PAIR + " 1 and 2 take 20.0 times as long as between other pairs"),
                       "link between GPUs 1 and 2"),
    "first stages": (Pipe, {**STAGES, **slow_hop((0, 1))}, ("SendRecv", PAIR + " 0 and 1 take 20.0 times"), "link between GPUs 0 and 1"),
    "last of six stages": (Pipe, {"stages": 6, "micro": 12, **STAGES, **slow_hop((4, 5), 40)}, ("SendRecv", PAIR + " 4 and 5 take 40.0 times"),
                           "link between GPUs 4 and 5"),
    "slow steps": (Mesh, {**FOUR, **slow_link("dp", None, 40, every(5, 2))}, ("ReduceScatter", "in 4 of 18 steps: 2, 7, 12, 17", LONGER), "step 2"),
    "checkpoint": (Mesh, {**FOUR, "rare": every(5, 4), "rare_ns": 30_000_000},
                   ("AllGather in checkpoint", "in 3 of 18 steps: 4, 9, 14", "other steps have none"), "less often"),
    "one evaluation": (Mesh, {**FOUR, "rare": [10], "rare_ns": 60_000_000}, ("AllGather in checkpoint", "in 1 of 18 steps: 10"), "less often"),
    "fsync of all": (Sim, stops(None, every(5, 2), 20e6), ("(2, 7, 12, 17)", "OS calls (`fsync`)"), "step 2"),
    "fsync of rank 0": (Sim, stops([0], every(5, 2), 20e6), ("GPU 0", "2, 7, 12, ...", "OS calls (`fsync`)"), "GPU 0"),
    "one fsync": (Sim, stops([0], [7], 60e6), ("GPU 0", "in step 7", "OS calls (`fsync`)"), "GPU 0"),
    "one fsync of one GPU": (Sim, {"ranks": 1, **stops([0], [7], 60e6)}, ("step 7", "OS calls (`fsync`)"), "step 7"),
    "two reasons": (Sim, copies(1, 2), ("GPU 1: late host", "GPU 2: slow copies"), "each of GPUs 1 and 2"),
    "two reasons of one rank": (Sim, copies(2, 2), ("GPU 2 is late because its host is slow", "copies take 9.60"), "GPU 2"),
}
CLEAN = {"clean": (Mesh, FOUR), "clean of eight": (Mesh, EIGHT), "clean stages": (Pipe, STAGES),
         "all hops": (Pipe, {**STAGES, "hop": lambda ranks, ns: ns * 20}), "a slow stage": (Pipe, {**STAGES, "dur": slow([1], 1.3)})}


QUEUE = {"ranks": 4, "layers": 8, "steps": 24}
LATE = {"every 4th step": (every(4, 1), 25e6), "once": ([11], 80e6)}


def check_queues(tally, scratch):
    path = os.path.join(scratch, "t.sqlite")
    clean = Queue(**QUEUE)
    File(clean, path)
    periods = [r["period"] for r in wl.run("iters", path)[1]["rows"] if r["period"] is not None]
    mean = clean.span() / clean.steps
    tally.check("full queue: steps", [p for p in periods if abs(p / mean - 1) > 0.05])
    tally.equal("full queue: nobody", [r["device"] for r in wl.run("ranks", path)[1]["rows"] if r["saving"] is not None], [])
    for name, (steps, ns) in LATE.items():
        late = Queue(**QUEUE, hostgap=lambda r, i, steps=steps, ns=ns: ns if r == 2 and i in steps else 30e3)
        File(late, path)
        named = {r["device"]: r["saving"] for r in wl.run("ranks", path)[1]["rows"] if r["saving"] is not None}
        tally.equal("full queue, late %s: straggler" % name, sorted(named), [2])
        left = (late.span() - named.get(2, 0) - clean.span()) / clean.span()
        tally.check("full queue, late %s: saving" % name, [] if abs(left) <= 0.01 else [named, late.span() - clean.span()])
        rows = wl.run("findings", path)[1]["rows"]
        tally.equal("full queue, late %s: first finding" % name, (rows[0]["code"], rows[0]["look_at"]), ("straggler", 2))
        tally.check("full queue, late %s: no other work" % name, [r["finding"] for r in rows if "a different number of kernels" in r["finding"]])


TURNS = {"ranks": 6, "layers": 4, "steps": 21}


def in_turn(part, factor):
    """In every third step another rank is slow."""
    return lambda r, i, name, ns, _: ns * factor if i % 3 == 1 and r == i // 3 % 6 and part in name else ns


def verdicts(scratch, run):
    path = os.path.join(scratch, "t.sqlite")
    File(run, path)
    answer = wl.run("ranks", path)[1]
    return {r["device"]: r["saving"] for r in answer["rows"] if r["saving"] is not None}, answer["notes"]


def check_turns(tally, scratch):
    """Ranks that are late in turn are found, or not denied where each is late by less than a hundredth of the run."""
    run, clean = Sim(**TURNS, dur=in_turn("", 1.4)), Sim(**TURNS)
    named, notes = verdicts(scratch, run)
    true = run.span() - clean.span()
    tally.check("in turn: saving", [] if named and true * 0.8 <= next(iter(named.values())) <= true * 1.01 else [named, true])
    tally.check("in turn: told", [] if any("changes from step to step" in n for n in notes) else notes)
    notes = verdicts(scratch, Sim(**TURNS, dur=in_turn("flash_fwd", 1.4)))[1]
    tally.check("in turn, one kernel: not denied", [n for n in notes if n.startswith("no straggler: ")])
    tally.check("clean: denied", [] if any(n.startswith("no straggler: ") for n in verdicts(scratch, clean)[1]) else ["not said"])
    # the host is late before its first call: the queue hides the other steps
    notes = verdicts(scratch, Queue(**QUEUE, hostgap=lambda r, i: 8e6 if r == 2 else 30e3))[1]
    tally.check("late from the start", [n for n in notes if "as long" in n or n.startswith("no straggler: ")])


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
            tally.check(name, [r["finding"] for r in rows if GROUP in r["finding"] or PAIR in r["finding"] or LONGER in r["finding"]])
        check_queues(tally, scratch)
        check_turns(tally, scratch)
    tally.finish()


if __name__ == "__main__":
    main()
