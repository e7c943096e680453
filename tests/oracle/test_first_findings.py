#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""findings: on traces with one planted cause of lost time, the first finding names it, and no other finding stands before it.

CAUSES_ALL=1: all cases; else some of each sort.
"""
import os
import sys
import tempfile

import caused
import wl

sys.path.append(os.path.join(wl.ROOT, "tests", "support"))
from causes import Case  # noqa: E402

# cause: code of the first finding, and the reason that `ranks` gives where it is a straggler
STRAGGLERS = {"slow-gpu": "slow GPU", "slow-node": "slow GPU", "rotating": "slow GPU", "slow-gpu-drift": "slow GPU", "slow-kernel": "slow kernel",
              "shared-gpu": "shared GPU", "more-work": "more work", "slow-copies": "slow copies", "late-host": "late host",
              "rotating-host": "late host", "launch-bound": "late host"}
CODES = {**dict.fromkeys(STRAGGLERS, "straggler"), **dict.fromkeys(("drift", "drift-host", "episode", "level"), "step-time-changed"),
         "warm-up": "slow-iterations", "slow-link": "exposed-comm"}
NO_SAVING = ("tiny-kernels",)           # a finding about compute, which follows those with a saving
CANNOT_BE_REPLAYED = "43"
ALL = ("01 02 03 04 05 05b 06 06b 07 07b 08 09 10 12 13 14 15 16 17 18 19 20 21 22 24 25 25b 27 28 29 30 31 32 33 33b 34 35 36 36b 37 38 40 41s 42 43 43e "
       "00 11 37c 41 j_lag0 j_lag8 j_jit-8..0_lag8 c_jit-8..0_lag8 e_lag3_E").split()
FEW = "02 08 13 17 18 20 27 30 33b 43 00".split()


def input_of(size):
    return lambda sim, rank, step: sim.copy(rank, step, "HtoD", size)


def who_and_when():
    """Jobs whose rank loses what all ranks lose, but more of it: who it is comes first, and what all lose is left for what says when."""
    slower = {r: lambda rank, step, kind, r=r: float(r) if rank == 3 else 25.0 for r in (12, 15, 18)}
    return {"copies at 18 of 25 GB/s": (Case("", "slow-copies", keep={"input": input_of(60_000_000)}, rate=slower[18]), "exposed-copy"),
            "copies at 12 of 25 GB/s": (Case("", "slow-copies", keep={"input": input_of(60_000_000)}, rate=slower[12]), "exposed-copy"),
            "a copy engine at 15 of 25 GB/s": (Case("", "slow-copies", keep={"input": input_of(400_000_000)}, rate=slower[15]), "exposed-copy"),
            "a host that takes 8 ms, the others 4": (
                Case("", "late-host", keep={"hostgap": lambda rank, step: 4e6}, hostgap=lambda rank, step: 8e6 if rank == 1 and step else 4e6),
                "host-starved")}


def first_of(path):
    """The findings; a job is a directory."""
    return wl.run("findings", path)[1]["rows"]


def check(tally, name, path, truth):
    rows, cause = first_of(path), truth["cause"]
    if cause is None:
        tally.check(name + " is healthy", ["%s: %s" % (r["code"], r["finding"]) for r in rows if r["severity"] in ("high", "medium")])
        return
    if cause in NO_SAVING:
        tally.check(name + " has no other cause", ["%s: %s" % (r["code"], r["finding"]) for r in rows if r["severity"] in ("high", "medium")])
        rows = [r for r in rows if r["saves"] is None and r["code"] != "dominant-kernel"]
    tally.equal(name + " first finding", rows[0]["code"] if rows else None, CODES.get(cause, cause))
    if cause in STRAGGLERS and name != CANNOT_BE_REPLAYED:
        reasons = {r["reason"] for r in wl.run("ranks", path)[1]["rows"] if r["saving"] is not None}
        tally.equal(name + " reason", reasons, {STRAGGLERS[cause]})


def check_tenant(tally, name, path, truth):
    """Steps are those of the ranks, and one of them is the steady step of all; the other program is named."""
    rows, notes = (wl.run("iters", path)[1][k] for k in ("rows", "notes"))
    tally.equal(name + " steps by process", {r["pid"]: sum(q["pid"] == r["pid"] for q in rows) for r in rows},
                {70000 + 16 * rank: truth["steps_in_run"] for rank in range(truth["ranks_in_job"])})
    tally.check(name + " the other program is named", [] if any(n.startswith("process 90000 shares a GPU") for n in notes) else notes)
    tally.equal(name + " one steady step", len({r["iter"] for r in wl.run("iters", path, "--steady")[1]["rows"]}), 1)
    tally.equal(name + " steps by its own marker", len([r for r in wl.run("iters", path, "--marker", "kernel:other_job")[1]["rows"] if r["pid"] == 90000]) > 1,
                True)


def check_who_and_when(tally, scratch, name, case, second):
    """The straggler has its saving, and the finding behind it what it saves besides."""
    truth = case.write(scratch, "when")
    rows = first_of(os.path.join(scratch, truth["files"][0]))
    tally.equal(name + " findings", [r["code"] for r in rows[:2]], ["straggler", second])
    off = abs(rows[0]["saves"] - truth["saving_ns"]) / truth["span_ns"]
    tally.check(name + " saving", [] if off < 0.005 else ["%d, truth %d" % (rows[0]["saves"], truth["saving_ns"])])
    rest = wl.run("whatif", os.path.join(scratch, truth["files"][0]), "--with", rows[1]["scenario"])[1]["rows"][0]["saving"]
    left = rest - rows[0]["saves"]
    tally.check(name + " rest", [] if abs(rows[1]["saves"] - left) < 0.005 * truth["span_ns"] else ["%d, left %d" % (rows[1]["saves"], left)])


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-first-findings-") as scratch:
        for name, (path, truth) in caused.write(scratch, caused.part(ALL, FEW)).items():
            check(tally, name, path, truth)
            if truth["cause"] == "shared-gpu":
                check_tenant(tally, name, path, truth)
        for name, (case, second) in who_and_when().items():
            check_who_and_when(tally, scratch, name, case, second)
    tally.finish()


if __name__ == "__main__":
    main()
