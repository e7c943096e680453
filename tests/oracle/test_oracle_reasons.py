#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The oracle's stragglers against what the generator planted: rank, reason and factor; healthy jobs name nobody.

The program is not run. ORACLE_SEEDS=20 for the long run.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "jobs"))
import clocks  # noqa: E402
import graph  # noqa: E402
import job as jobs  # noqa: E402
import ranks  # noqa: E402
import reasons  # noqa: E402
import replay  # noqa: E402
import wl  # noqa: E402

GENERATOR = os.path.join(os.path.dirname(HERE), "support", "gen_trace.py")
SMALL = "--ranks 4 --layers 4 --iters 8 --seed %d "
PLANTS = (                                                  # options, rank, letter, factor
    ("--events --straggler 2:1.15", 2, "a", 1.15),
    ("--events --slow-kernel 2:flash_bwd:1.6 --layers 12", 2, "b", 1.6),     # one kernel per layer, and its length varies by 5 %
    ("--events --more-work 2:launches:1.25", 2, "c", 1.25),
    ("--events --more-work 2:grid:1.3", 2, "c", 1.3),
    ("--events --late-host 2:3ms", 2, "d", None),
    ("--events --slow-copies 2:4 --batch 67108864", 2, "e", None),
    ("--chain 2 --straggler 0:1.3", 0, "a", 1.3),           # rank 1 is the victim that delays the others
    ("--events --noise 0.03", None, None, None),
    ("--events", None, None, None),
)


def judged(path):
    """The oracle's verdict on a trace, after the identity check."""
    job = jobs.Job([path])
    ranks.assign(job)
    made = graph.Graph(clocks.settle(job))
    wrong, circles = replay.identity(made)
    return reasons.straggler(job, made)[0], len(wrong) + circles


def check(tally, seed, options, rank, letter, factor):
    with tempfile.TemporaryDirectory(prefix="wl-jobs-") as scratch:
        path = os.path.join(scratch, "t.sqlite")
        subprocess.run([sys.executable, "-B", GENERATOR, "-o", path, *(SMALL % seed + options).split()], check=True, stdout=subprocess.DEVNULL)
        verdict, wrong = judged(path)
    what = "seed %d %s" % (seed, options)
    tally.equal(what + ": identity", wrong, 0)
    tally.equal(what, (verdict.rank, verdict.letter) if verdict else (None, None), (rank, letter))
    if factor and verdict and verdict.factor:
        tally.check(what + ": factor", [] if abs(verdict.factor / factor - 1) <= 0.02 else [verdict.factor])


def main():
    known = subprocess.run([sys.executable, "-B", GENERATOR, "--help"], stdout=subprocess.PIPE, check=True).stdout
    if b"--slow-kernel" not in known:
        print("skipped: the generator plants no reasons")
        sys.exit(77)
    tally = wl.Tally()
    for seed in wl.seeds(1):
        for plant in PLANTS:
            check(tally, seed, *plant)
    tally.finish()


if __name__ == "__main__":
    main()
