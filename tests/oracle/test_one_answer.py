#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One question has one answer, whatever verb, file or page gives it.

Each surface (a verb, a section of a document, the head of a page, SQL, a tool of MCP, the first screen) says what it knows of a
trace: surfaces.py. A thing that two of them give different figures for is a contradiction.
"""
import os
import subprocess
import sys
import tempfile

import wl
from surfaces import SURFACES, Trace

GENERATED = [["--ranks", "4", "--layers", "4", "--iters", "8", "--straggler", "2:1.15", "--osrt", "1"],
             ["--ranks", "8", "--layers", "2", "--iters", "4", "--moe", "--schema", "2026.4"],
             ["--ranks", "2", "--layers", "4", "--iters", "40", "--serving"],
             ["--ranks", "2", "--layers", "2", "--iters", "8", "--graph", "graph", "--schema", "2026.4", "--stall", "3:20ms"],
             ["--ranks", "4", "--layers", "4", "--iters", "8", "--split", "--clock-skew", "2000000:20", "--straggler", "3:1.2"]]
# Real jobs, and their files that belong to another one.
REAL_JOBS = {"mpi-cfd-5of8": [], "omp-2x8-internal": ["report9.sqlite", "report16.sqlite"]}


def contradictions(trace):
    """Things with two figures, and how many things two surfaces agree on."""
    said, out, agreed = {}, [], 0
    for surface in SURFACES:
        for thing, figure in surface(trace):
            if thing not in said:
                said[thing] = (figure, surface.__name__)
            elif said[thing][0] != figure:
                out.append("%s: %s says %r, %s says %r" % (thing, said[thing][1], said[thing][0], surface.__name__, figure))
            else:
                agreed += said[thing][1] != surface.__name__
    return out, agreed


def check(tally, name, path):
    with tempfile.TemporaryDirectory(prefix="wl-answers-") as scratch:
        found, agreed = contradictions(Trace(path, scratch))
        tally.check("%s (%d figures agree)" % (name, agreed), found)
        return agreed


def check_compared(tally, scratch):
    """A comparison's scenario saves of a step what whatif of the slower trace has per step."""
    sides = [os.path.join(scratch, name + ".sqlite") for name in ("clean", "late")]
    for path, more in zip(sides, ([], ["--straggler", "1:1.25"])):
        subprocess.run([sys.executable, os.path.join(wl.ROOT, "tests", "support", "gen_trace.py"), "-o", path, "--ranks", "4",
                        "--layers", "6", "--iters", "16", "--seed", "5", *more], stdout=subprocess.DEVNULL, check=True)
    verdict = [r for s in wl.run("diff", *sides)[1]["sections"] if s["analysis"] == "verdict" for r in s["rows"] if r["metric"] == "step"][0]
    row = wl.run("whatif", sides[1], "--with", verdict["scenario"])[1]["rows"][0]
    tally.equal("diff: what-if", verdict["after"] - verdict["replayed"], row["per_step"])


def main():
    tally, agreed = wl.Tally(), 0
    with tempfile.TemporaryDirectory(prefix="wl-one-answer-") as scratch:
        for number, case in enumerate(GENERATED):
            path = os.path.join(scratch, "%d%s" % (number, "" if "--split" in case else ".sqlite"))
            subprocess.run([sys.executable, os.path.join(wl.ROOT, "tests", "support", "gen_trace.py"), "-o", path, *case],
                           stdout=subprocess.DEVNULL, check=True)
            agreed += check(tally, "generated " + " ".join(case), path)
        check_compared(tally, scratch)
        for name, left_out in REAL_JOBS.items() if os.path.isdir(wl.JOBS) and not os.environ.get("TRACES_MOST_KB") else []:
            path = wl.real_job(name, scratch)
            for other in left_out:
                os.remove(os.path.join(path, other))
            agreed += check(tally, name, path)
    if os.path.isdir(wl.CORPUS):
        for name, path in wl.corpus_traces(main_only=True):
            agreed += check(tally, name, path)
    else:
        print("corpus skipped: not at", wl.CORPUS)
    print("%d figures agree" % agreed)
    tally.check("enough is compared", [] if agreed > 500 else ["only %d" % agreed])
    tally.finish()


if __name__ == "__main__":
    main()
