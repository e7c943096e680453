#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One question has one answer, whatever verb, file or page gives it.

Each surface (a verb, a section of a document, the head of a page, SQL, a tool of MCP, the first screen) says what it knows of a
trace: surfaces.py. A thing that two of them give different figures for is a contradiction.
"""
import os
import re
import subprocess
import sys
import tempfile

import caused
import wl
from surfaces import SURFACES, Trace

GENERATED = [["--ranks", "4", "--layers", "4", "--iters", "8", "--straggler", "2:1.15", "--osrt", "1"],
             ["--ranks", "8", "--layers", "2", "--iters", "4", "--moe", "--schema", "2026.4"],
             ["--ranks", "2", "--layers", "4", "--iters", "40", "--serving"],
             ["--ranks", "2", "--layers", "2", "--iters", "8", "--graph", "graph", "--schema", "2026.4", "--stall", "3:20ms"],
             ["--ranks", "4", "--layers", "4", "--iters", "8", "--split", "--clock-skew", "2000000:20", "--straggler", "3:1.2"]]
# Planted causes: several that are slow at once, one that is less slow, a node, a group of two, some steps, another program; then healthy ones.
STRAGGLERS = "21 38 37 33b 00 34 24 25 25b 28 41s 42 02 16 19 20 11 12 13 18 37c c_jit-8..0_lag8".split()
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


def numbers(text):
    """4, 5 and 10-11 -> all of them."""
    out = []
    for low, high in re.findall(r"(\d+)(?:-(\d+))?", text):
        out += range(int(low), int(high or low) + 1)
    return sorted(out)


def named_by_ranks(path):
    rows = wl.run("ranks", path)[1]["rows"]
    return sorted(r["device"] if r["rank"] is None else r["rank"] for r in rows if r["saving"] is not None)


def named_by_nccl(path):
    """Of all groups; "rank 3 (GPU 3)" is one."""
    notes = [n.split(" make")[0] for n in wl.run("nccl", path)[1]["notes"] if " the others of the group of GPUs " in n]
    return sorted(n for note in notes for n in numbers(note.split(" (")[0]))


def named_by_findings(path):
    """The names of nodes have numbers, too."""
    found = [r["subject"] for r in wl.run("findings", path)[1]["rows"] if r["code"] == "straggler"]
    return numbers(found[0].split("(ranks")[1] if "(ranks" in found[0] else found[0].split(" (")[0]) if found else []


def check_stragglers(tally, scratch):
    """Who is slow is the same in all verbs, whether they are one, several, a node or none, and in facts of the trace."""
    for name, (path, truth) in caused.write(scratch, caused.part(STRAGGLERS, STRAGGLERS[:6])).items():
        true = truth["ranks"] or []
        if truth["cause"] in ("slow-link", "exposed-copy", "module-load-in-loop"):      # all ranks lose that time
            true = []
        tally.equal(name + " ranks", named_by_ranks(path), true)
        tally.equal(name + " findings", named_by_findings(path), true)
        tally.equal(name + " nccl", named_by_nccl(path), true)
        if os.path.isdir(path):
            continue
        facts = path + ".wlfacts"
        subprocess.run([wl.WARPLENS, "facts", path, "-o", facts], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        tally.equal(name + " ranks of facts", named_by_ranks(facts), true)
        tally.equal(name + " findings of facts", named_by_findings(facts), true)
        tally.equal(name + " nccl of facts", named_by_nccl(facts), true)


def main():
    tally, agreed = wl.Tally(), 0
    with tempfile.TemporaryDirectory(prefix="wl-one-answer-") as scratch:
        for number, case in enumerate(GENERATED):
            path = os.path.join(scratch, "%d%s" % (number, "" if "--split" in case else ".sqlite"))
            subprocess.run([sys.executable, os.path.join(wl.ROOT, "tests", "support", "gen_trace.py"), "-o", path, *case],
                           stdout=subprocess.DEVNULL, check=True)
            agreed += check(tally, "generated " + " ".join(case), path)
        check_compared(tally, scratch)
        check_stragglers(tally, scratch)
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
