#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kinds of steps and the notes on steps: warplens against the oracle, on random traces of serving engines.

ORACLE_SEEDS: how many (150); ORACLE_BASE: the first seed. A failing trace is kept. Every kind, and every way to name one, must
occur among 100 traces or more that are compared.
"""
import os
import random
import shutil
import tempfile

import compare
import iters
import kinds
import mktrace
import wl
from mkserve import Serving
from test_iters import KEYS, wanted
from tracefile import Trace

MARKERS = [None, "step", "step", "re:^(step|exec|.Exec)", "context", "kernel:attention", "kernel:re:(?i)decode|prefill", "kernel:reduce"]
SEEN = {"prefill", "decode", "mixed", None, "by ranges", "by kernels", "all alike", "no median", "outlier", "several processes"}


def note_seen(seen, trace, found, kinds_of, rows):
    for process, f in found.items():
        for ranges, kernels in kinds.sayings(trace, process, f):
            seen |= {"by ranges"} if ranges else {"by kernels"} if kernels else set()
        seen |= set(kinds_of[process]) if any(kinds_of[process]) else {"all alike"}
    seen |= {"no median"} if any(x["vs_median"] is compare.OPEN for x in rows) else set()
    seen |= {"outlier"} if any(x["outlier"] is True and x["kind"] for x in rows) else set()
    seen |= {"several processes"} if len(found) > 1 else set()


def one_seed(seed, path, seen):
    mktrace.make(seed, path, rich=True, work=Serving)
    trace, r = Trace(path), random.Random("kinds %d" % seed)
    if not trace.ops:
        return
    for marker in sorted(set(r.sample(MARKERS, 3)), key=str):
        given = ["--conventions=generic"] + (["--marker=" + marker] if marker else [])
        if marker and not iters.marks(trace, marker) or iters.is_open(trace, marker):
            continue
        found = iters.find_all(trace, marker)
        if not found or any(kinds.is_open(trace, p, f) for p, f in found.items()):
            continue
        _, document = wl.run("iters", path, *given)
        want, kinds_of = wanted(trace, marker), {p: kinds.kinds(trace, p, f) for p, f in found.items()}
        yield given, compare.rows(document["rows"], want, KEYS)
        yield given, kinds.check_notes(document["notes"], [(f, kinds_of[p]) for p, f in found.items()])
        note_seen(seen, trace, found, kinds_of, want)


def main():
    tally, seen = wl.Tally(), set()
    scratch = tempfile.mkdtemp(prefix="wl-kinds-")
    seeds = wl.seeds(150)                                   # so many meet every kind
    for seed in seeds:
        path, bad = os.path.join(scratch, "%d.sqlite" % seed), []
        try:
            for what, differences in one_seed(seed, path, seen):
                bad += [" ".join(what)[:200] + "\n         " + str(d)[:600] for d in differences]
        except RuntimeError as error:
            bad.append(str(error))
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if not bad:
            os.remove(path)
    if len(seeds) >= 100:
        tally.equal("what the traces have", seen & SEEN, SEEN)
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
