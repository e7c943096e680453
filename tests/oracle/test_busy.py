#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random traces: the section busy of summary against a count of nanoseconds by the definition.

The window from the first start to the last end is cut into 60 parts, each as long as what is left over the parts that
are left, rounded down; or into one part per nanosecond where it is shorter. ORACLE_SEEDS: how many (default 120).
"""
import os
import shutil
import tempfile

import mktrace
import wl
from tracefile import Trace

PARTS = 60


def covered(ops, begin, end):
    """The length of the union of the operations inside [begin, end)."""
    total, at = 0, begin
    for start, stop in sorted((max(o.start, begin), min(o.end, end)) for o in ops if o.end > begin and o.start < end):
        total += max(0, stop - max(start, at))
        at = max(at, stop)
    return total


def edges(begin, end):
    n, at = min(PARTS, end - begin), begin
    for i in range(n):
        step = (end - at) // (n - i)
        yield at, at + step
        at += step


def expected(trace):
    begin, end = min(o.start for o in trace.ops), max(o.end for o in trace.ops)
    devices = {o.device for o in trace.ops}
    for a, b in edges(begin, end):
        busy = sum(covered([o for o in trace.ops if o.device == d], a, b) for d in devices)
        yield {"start": a, "busy": busy}


def differences(path):
    trace = Trace(path)
    status, document = wl.run("summary", path, "--section", "busy")
    if not trace.ops:
        return [] if status == wl.NO_DATA else ["exit %d without operations" % status]
    want = list(expected(trace))
    if len(document["rows"]) != len(want):
        return ["%d rows, not %d" % (len(document["rows"]), len(want))]
    bad = ["%r, not %r" % (row, w) for row, w in zip(document["rows"], want) if row["start"] != w["start"] or row["busy"] != w["busy"]]
    for row in document["rows"]:
        share = row["busy"] / row["window"] if row["window"] else None
        if share is not None and abs(row["busy_share"] - share) > 1e-9:
            bad.append("share of %r" % row)
        if share is not None and row["compute_share"] > share + 1e-9:
            bad.append("more compute than busy: %r" % row)
    return bad


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-busy-"), wl.Tally()
    for seed in wl.seeds(120):
        path = os.path.join(scratch, "%d.sqlite" % seed)
        mktrace.make(seed, path)
        tally.check("seed %d, trace %s" % (seed, path), differences(path))
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
