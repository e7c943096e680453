#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Timelines in Chrome's format: strictly valid, no slice overlaps another one of its row, all operations, calls and
ranges are there once with their true times, by SQL, and a second run gives the same bytes. On fixtures, hostile and
random traces, and all of the corpus.

ORACLE_SEEDS: how many random traces (30); ORACLE_BASE: the first. A random trace that differs is kept.
"""
import collections
import filecmp
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import chromefile
import mkmetrics
import mktrace
import wl
from exported_checks import sampled
from tracefile import Trace

SUPPORT = os.path.join(wl.ROOT, "tests", "support")


def export(path, out, *options):
    """None, or why there is no file."""
    command = [wl.WARPLENS, "export", path, "-f", "chrome", "-o", out, *options]
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    return None if p.returncode == 0 else "exit %d: %s" % (p.returncode, p.stderr.decode("utf-8", "replace")[:400])


def check(tally, what, path, scratch):
    """Whether all is well."""
    out = os.path.join(scratch, "x.json")
    trouble = export(path, out)
    if trouble:
        tally.check((what, "export"), [trouble])
        return False
    try:
        timeline = chromefile.Timeline(out)
    except (chromefile.Malformed, ValueError, KeyError) as e:
        tally.check((what, "valid"), ["%s: %s" % (type(e).__name__, str(e)[:400])])
        return False
    before = tally.failed
    again = out + ".again"
    tally.check((what, "the same bytes"), [] if export(path, again) is None and filecmp.cmp(out, again, False) else ["they differ"])
    tally.check((what, "rows"), timeline.faults())
    tally.check((what, "events"), chromefile.differences(timeline, Trace(path)))
    tally.check((what, "metrics"), metric_differences(timeline, path))
    return tally.failed == before


def metric_differences(timeline, path):
    """Every sample of a metric is a value of a counter, and there are no others: also what was sampled before all slices."""
    first = min([0] + [s.start for row in timeline.rows.values() for s in row.slices])
    want = sampled(path, first)
    got = collections.Counter((name.split(" [")[0], time, float(value)) for (process, name), values in timeline.counters.items()
                              if process.endswith(" metrics") or " metrics, " in process for time, value in values)
    return ["%s: %r" % (what, row) for what, less in (("missing", want - got), ("too many", got - want)) for row in list(less)[:3]]


def main():
    tally, scratch = wl.Tally(), tempfile.mkdtemp(prefix="wl-chrome-")
    for path in sorted(glob.glob(os.path.join(os.environ.get("WARPLENS_FIXTURES", ""), "*.sqlite"))):
        check(tally, os.path.basename(path), path, scratch)
    for name, *script in (("hostile", "hostile.py", "make"), ("generated", "gen_trace.py", "--ranks=2", "--layers=2", "-o"),
                          ("graphs", "gen_trace.py", "--ranks=2", "--layers=2", "--graph=graph", "--schema=2026.4", "-o")):
        path = os.path.join(scratch, name + ".sqlite")
        subprocess.run([sys.executable, "-B", os.path.join(SUPPORT, script[0]), *script[1:], path], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        check(tally, name, path, scratch)
    kept = []
    for seed in wl.seeds(30):
        path = os.path.join(scratch, "%d.sqlite" % seed)
        mktrace.make(seed, path, rich=True)
        if seed % 2:
            mkmetrics.add(seed, path)
        if check(tally, "seed %d" % seed, path, scratch):
            os.remove(path)
        else:
            kept.append(path)
    if os.path.isdir(wl.CORPUS):
        for name, path in wl.corpus_traces():
            check(tally, name, path, scratch)
    if kept:
        print("kept:", *kept[:5])
    else:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
