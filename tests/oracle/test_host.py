#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""osrt, sync, threads, pids and what a summary says of the host against the oracle (host.py), on rich random traces and on the smaller ones of the corpus.

ORACLE_SEEDS: how many (75); ORACLE_BASE: the first. A trace that differs is kept.
"""
import os
import random
import shutil
import tempfile

import calls
import compare
import host
import mktrace
import oracle
import wl
from test_random import random_window
from tracefile import Trace

KEYS = {"osrt": ["name"], "sync": ["name", "pid", "tid", "nvtx"], "threads": ["pid", "tid"], "pids": ["pid"]}
MOST_ROWS = 15_000                                          # calls and ranges, so that the brute force ends soon
compare.RATIOS.add("nvtx_coverage")


def by_tid(rows):
    return [{"tid": r["thread"] & 0xFFFFFF, **{k: v for k, v in r.items() if k != "thread"}} for r in rows]


def expect(verb, query):
    """(rows, whether the whole trace has data for the verb)."""
    trace = query.trace
    if verb == "osrt":
        return host.osrt(query), bool(trace.osrt)
    if verb == "sync":
        return by_tid(host.sync(query)), any(map(calls.blocks, trace.calls))
    if verb == "threads":
        return by_tid(host.threads(query)), bool(trace.calls or trace.osrt or trace.nvtx_rows)
    return host.pids(query), bool(trace.ops or trace.calls)


def ordered(verb, rows):
    """Differences from the order that the verb promises."""
    of = {"osrt": lambda r: -r["sum"], "sync": lambda r: (-(r["gpu_idle"] or 0), -r["sum"]),
          "threads": lambda r: (-(r["api"] or 0), -(r["os"] or 0))}.get(verb)
    return [] if of is None or rows == sorted(rows, key=of) else ["rows are out of order"]


def end_is_told(trace):
    """open: warplens lets unclosed ranges end with the capture's duration, or with the last row of any table if there is none."""
    return not any(r.unclosed for r in trace.ranges) or trace.duration == trace.end


def check(verb, path, arguments, want, has_data):
    status, document = wl.run(verb, path, *arguments)
    if (status == wl.NO_DATA) == has_data:
        return ["exit %d, but the trace has %s data" % (status, "the" if has_data else "no")]
    return compare.rows(document["rows"], want, KEYS[verb]) + ordered(verb, document["rows"]) if has_data else []


def check_section(path, query):
    """Rows of OS and CUDA calls in the summary of a trace without GPU work, which can be asked for of any trace."""
    status, document = wl.run("summary", path, "--section", "host")
    got = {r["what"]: r for r in document["rows"]} if status == 0 else {}
    bad = []
    for what, rows in ("OS calls", query.trace.osrt), ("CUDA calls", query.trace.calls):
        times = {}
        for row in rows:
            times[row.name] = times.get(row.name, 0) + row.end - row.start
        total, row = sum(times.values()), got.get(what)
        if not rows or row is None:
            bad += ["%s: %s" % (what, row)] if bool(rows) != bool(row) else []
            continue
        most = max(times.values())
        want = {"events": len(rows), "threads": len({(r.process, r.thread) for r in rows}), "sum": total,
                "largest": min(n for n in times if times[n] == most) if most else None}
        bad += ["%s: %s is %s, not %s" % (what, k, row[k], want[k]) for k in want if row[k] != want[k]]
        if most and abs(row["share"] - most / total) > 1e-9:
            bad.append("%s: share %s" % (what, row["share"]))
    return bad


def one_seed(seed, path):
    """Yields (what, differences) for each call."""
    maker = mktrace.make(seed, path, rich=True)
    trace, r = Trace(path), random.Random(seed * 7919 + 3)
    window, per_device, common = random_window(r, maker, trace) if trace.ops else ([], None, None)
    if common is None:                                      # open ends and nvtx: differ between host and devices
        window, per_device = [], None
    pids = sorted({o.pid for o in trace.ops})               # open: the window of a selected process without devices
    chosen = set(r.sample(pids, r.randint(1, len(pids)))) if pids and r.random() < 0.3 else None
    selection = ["--pid=%s" % ",".join(map(str, sorted(chosen)))] if chosen else []
    query = oracle.Query(trace, window=per_device, **({"pids": chosen} if chosen else {}))
    yield ("host",), check_section(path, query)
    for verb in KEYS if end_is_told(trace) else [v for v in KEYS if v != "threads"]:
        want, has_data = expect(verb, query)
        yield (verb, *window, *selection), check(verb, path, window + selection, want, has_data)


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-host-"), wl.Tally()
    for seed in wl.seeds(75):
        path, bad = os.path.join(scratch, "%d.sqlite" % seed), []
        try:
            for what, differences in one_seed(seed, path):
                bad += [" ".join(what)[:200] + "\n         " + str(d)[:600] for d in differences]
        except RuntimeError as error:
            bad.append(str(error))
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if not bad:
            os.remove(path)
    if not tally.failed:
        shutil.rmtree(scratch)
    for name, path in wl.corpus_traces(main_only=True) if os.path.isdir(wl.CORPUS) else ():
        query = oracle.Query(Trace(path))
        tally.check("%s: host" % name, check_section(path, query))
        for verb in KEYS if len(query.trace.calls) + len(query.trace.ranges) <= MOST_ROWS else ():
            tally.check("%s: %s" % (name, verb), check(verb, path, [], *expect(verb, query)))
    tally.finish()


if __name__ == "__main__":
    main()
