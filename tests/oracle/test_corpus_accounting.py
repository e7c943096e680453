#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time accounting on every corpus trace: the identity, equality with the oracle, and tiles that add up."""
import compare
import oracle
import sweep
import wl
from tracefile import Trace

BRUTE_LIMIT = 1200                                          # operations; above it the sweep, checked against brute force below it
PARTS = ("compute", "exposed_comm", "exposed_copy", "idle")
ADDITIVE = PARTS + ("window", "busy", "kernel_busy", "comm", "overlapped_comm", "copy", "overlapped_copy")


def expected(trace):
    query = oracle.Query(trace)
    swept = oracle.overlap(query, sweep.segments)
    if len(trace.ops) <= BRUTE_LIMIT:
        assert swept == oracle.overlap(query), "the oracle's two ways disagree on " + trace.path
    return swept


def tiles(path, trace, whole):
    """F8: windows that touch add up to their union, for every column that is a length."""
    first, last = min(o.start for o in trace.ops), max(o.end for o in trace.ops)
    cuts = [first, first + (last - first) // 3, first + (last - first) // 2, last]
    total = {}
    for a, b in zip(cuts, cuts[1:]):
        _, document = wl.run("overlap", path, "--window=%dns..%dns" % (a, b))
        for row in document["rows"]:
            for c in ADDITIVE:
                total[row["device"], c] = total.get((row["device"], c), 0) + (row[c] or 0)
    return ["device %s %s: tiles %d, whole %d" % (r["device"], c, total.get((r["device"], c), 0), r[c])
            for r in whole for c in ADDITIVE if total.get((r["device"], c), 0) != (r[c] or 0)]


def main():
    wl.skip_without_corpus()
    tally = wl.Tally()
    for name, path in wl.corpus_traces():
        trace = Trace(path)
        status, document = wl.run("overlap", path)
        tally.equal(name + ": exit status", status, 0 if trace.ops else wl.NO_DATA)
        if status or not trace.ops:
            continue
        got = document["rows"]
        tally.check(name + ": identity", [r for r in got if sum(r[c] or 0 for c in PARTS) != r["window"]])
        tally.check(name + ": equals the oracle", compare.rows(got, expected(trace), ["device"]))
        tally.check(name + ": tiles add up", tiles(path, trace, got))
    tally.finish()


if __name__ == "__main__":
    main()
