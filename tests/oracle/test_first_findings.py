#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""findings: on traces with one planted cause of lost time, the first finding names it, and no other finding stands before it.

CAUSES_ALL=1: all cases; else some of each sort.
"""
import tempfile

import caused
import wl

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


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-first-findings-") as scratch:
        for name, (path, truth) in caused.write(scratch, caused.part(ALL, FEW)).items():
            check(tally, name, path, truth)
    tally.finish()


if __name__ == "__main__":
    main()
