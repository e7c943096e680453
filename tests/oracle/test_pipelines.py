#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pipelines: which stage others wait for, what that costs against the clean twin, and that waiting for a stage is no transfer.

Jobs are simulated by tests/support/pipe_sim.py. PIPELINES_ALL=1: more of them.
"""
import os
import sys
import tempfile

import wl

sys.path.append(os.path.join(wl.ROOT, "tests", "support"))
from cause_file import File  # noqa: E402
from causes import every, slow  # noqa: E402
from pipe_sim import TRANSFER, Pipe  # noqa: E402

SMALL = {"layers": 2, "steps": 12}
LONG = {"layers": 2, "steps": 20}
EIGHT = {"stages": 8, "micro": 16, "layers": 1, "steps": 8}
TWO = {"replicas": 2, **SMALL}
ALL = bool(os.environ.get("PIPELINES_ALL"))

# what: (job, change, stragglers, reason, steps)
SLOW = {
    "stage 1 is slow": (SMALL, {"dur": slow([1], 1.3)}, [1], "slow GPU", ""),
    "stage 1 in every 4th step": (LONG, {"dur": slow([1], 1.5, every(4, 1))}, [1], "slow GPU", "1, 5, 9, 13, 17"),
    "one of two replicas": (TWO, {"dur": slow([5], 1.3)}, [5], "slow GPU", ""),
    "reduced over all": ({"reduce": "all", **SMALL}, {"dur": slow([1], 1.3)}, [1], "slow GPU", ""),
    "stage 2 has more layers": (SMALL, {"work": lambda stage: 3 if stage == 2 else 2}, [2], "more work", ""),
    "the last stage has a head": (SMALL, {"head": 1_000_000}, [3], "more work", ""),
}
MORE = {
    "the last stage": (SMALL, {"dur": slow([3], 1.3)}, [3], "slow GPU", ""),
    "two stages": ({"stages": 2, **SMALL}, {"dur": slow([1], 1.4)}, [1], "slow GPU", ""),
    "eight stages": (EIGHT, {"dur": slow([6], 1.25)}, [6], "slow GPU", ""),
    "steps 5 to 7": (LONG, {"dur": slow([1], 1.5, [5, 6, 7])}, [1], "slow GPU", "5-7"),
    "without NVTX": ({"nvtx": False, **SMALL}, {"dur": slow([1], 1.3)}, [1], "slow GPU", ""),
    "both replicas": (TWO, {"work": lambda stage: 3 if stage == 2 else 2}, [2, 6], "more work", ""),
}
CLEAN = {"four": SMALL, "two replicas": TWO, "reduced": {"reduce": "all", **SMALL}, "eight": EIGHT}


def written(scratch, run):
    path = os.path.join(scratch, "t.sqlite")
    File(run, path)
    return path


def sent(answer, gpu_step):
    """What findings call exposed SendRecv, ns per step."""
    return sum(r["saving"] if r["per"] == "step" else gpu_step for r in answer["rows"] if r["code"] == "exposed-comm" and "SendRecv" in r["subject"])


def check_transfers(tally, name, run, findings):
    """No more than the transfers of a step: 2 for each neighbour and microbatch."""
    most = 4 * run.micro * TRANSFER * 1.1
    tally.check(name + ": waiting is no transfer", [] if sent(findings, most + 1) <= most else [sent(findings, most + 1), most])


def check_slow(tally, scratch, name, job, change, who, reason, steps):
    run, clean = Pipe(**job, **change), Pipe(**job)
    path = written(scratch, run)
    ranks, findings = wl.run("ranks", path)[1], wl.run("findings", path)[1]
    named = {r["device"]: r for r in ranks["rows"] if r["saving"] is not None}
    tally.equal(name + ": stragglers", sorted(named), who)
    for row in named.values():
        tally.equal(name + ": reason", row["reason"], reason)
        tally.equal(name + ": steps", row["slow_steps"] if steps else "", steps)
        left = (run.span() - row["saving"] - clean.span()) / clean.span()
        tally.check(name + ": saving", [] if abs(left) <= 0.01 else [row["saving"], run.span() - clean.span()])
    first = findings["rows"][0]
    tally.check(name + ": first finding", [] if first["code"] == "straggler" and first["look_at"] in who else [first])
    check_transfers(tally, name, run, findings)


def check_clean(tally, scratch, name, job):
    run = Pipe(**job)
    path = written(scratch, run)
    ranks, findings = wl.run("ranks", path)[1], wl.run("findings", path)[1]
    tally.equal(name + ": nobody", [r["device"] for r in ranks["rows"] if r["saving"] is not None], [])
    tally.check(name + ": by design", [] if any("stages of a pipeline" in n for n in ranks["notes"]) else ranks["notes"])
    tally.equal(name + ": no straggler", [r["subject"] for r in findings["rows"] if r["code"] == "straggler"], [])
    check_transfers(tally, name, run, findings)


def check_eager(tally, scratch):
    """Sends that do not wait for their receivers cannot be matched: that is said, and nobody is cleared or blamed."""
    for name, change in (("eager clean", {}), ("eager slow", {"dur": slow([1], 1.3)})):
        path = written(scratch, Pipe(eager=True, **SMALL, **change))
        ranks, findings = wl.run("ranks", path)[1], wl.run("findings", path)[1]
        tally.check(name + ": refused", [] if any("not matched" in n for n in ranks["notes"]) else ranks["notes"])
        tally.check(name + ": not cleared", [n for n in ranks["notes"] if n.startswith("no straggler: ")])
        told = [r for r in findings["rows"] if r["code"] == "exposed-comm"]
        tally.check(name + ": may wait", [] if told and "may be waiting" in told[0]["finding"] and "buckets" not in told[0]["action"] else told[:1])


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-pipelines-") as scratch:
        for name, case in {**SLOW, **(MORE if ALL else {})}.items():
            check_slow(tally, scratch, name, *case)
        for name, job in list(CLEAN.items())[:None if ALL else 2]:
            check_clean(tally, scratch, "clean, " + name, job)
        check_eager(tally, scratch)
    tally.finish()


if __name__ == "__main__":
    main()
