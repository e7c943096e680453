#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What must add up, on every corpus trace and on generated ones, whatever the numbers are.

- the four parts of `overlap` are the window; `idle` by cause is its idle; `categories` elapsed is its busy
- NVTX self times sum to the root ranges' host times where no ranges cross
- the parts of an iteration are its period
- tiles of a window add up to the whole for every column that a verb marks as a sum
- no share of a whole is above 1
"""
import contextlib
import functools
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

import wl
from tracefile import CAK, Trace, tables

PARTS = ("compute", "exposed_comm", "exposed_copy", "idle")
GENERATED = [["--ranks", "2", "--layers", "2", "--iters", "6", "--osrt", "1"],
             ["--ranks", "4", "--layers", "4", "--iters", "6", "--moe", "--schema", "2026.4"],
             ["--ranks", "2", "--layers", "4", "--iters", "30", "--serving"],
             ["--ranks", "2", "--layers", "2", "--iters", "6", "--graph", "graph", "--schema", "2026.4"]]
# What a verb needs beside the trace. A verb that is not told apart by window has nothing to tile.
ARGUMENTS = {"search": ["."], "phases": None}
VARIANTS = {"overlap": [[], ["--by", "stream"], ["--by", "stage"]], "idle": [[], ["--by", "detail"]],
            "categories": [["--attribution", a] for a in ("share", "first", "last")]}
# Tiles are asked of traces with so many operations; a campaign (soak/identities.sh) takes longer ones.
TILE_LIMIT = int(os.environ.get("TILE_LIMIT", "1500"))
# ratios that compare two times and may exceed 1
UNBOUNDED = {"vs_median"}


def introspect():
    p = subprocess.run([wl.WARPLENS, "--introspect"], stdout=subprocess.PIPE, check=True)
    return [v for v in json.loads(p.stdout)["verbs"] if v["kind"] == "analysis" and ARGUMENTS.get(v["name"], []) is not None]


@functools.lru_cache(maxsize=None)
def rows(verb, path, *arguments):
    """The answer to one question, asked once; check() forgets it with the trace."""
    status, document = wl.run(verb, *ARGUMENTS.get(verb, []), path, *arguments)
    return document["rows"] if status == 0 else []


class Span:
    """A push/pop range."""
    def __init__(self, thread, kind, start, end):
        self.thread, self.type, self.start, self.end = thread, kind, start, max(start, end)


class Times:
    """What the identities need to know of a trace: times of operations, and push/pop ranges."""
    def __init__(self, path):
        with contextlib.closing(sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)) as db:
            there, self.ops, found = tables(db), [], []
            for kind in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"):
                self.ops += db.execute("SELECT start, max(start, end) FROM %s" % (CAK + kind)) if CAK + kind in there else []
            if "NVTX_EVENTS" in there:
                found = db.execute("SELECT globalTid, eventType, start, end FROM NVTX_EVENTS WHERE eventType IN (59, 70)").fetchall()
        if any(end is None for _, _, _, end in found):
            self.ranges = Trace(path).ranges                # which tells where the trace ends
        else:
            self.ranges = [Span(*row) for row in found]


def crosses(trace):
    """Whether push/pop ranges of a thread cross."""
    threads = {}
    for r in trace.ranges:
        if r.type in (59, 70):
            threads.setdefault(r.thread, []).append(r)
    for ranges in threads.values():
        still_open = []
        for r in sorted(ranges, key=lambda r: (r.start, -r.end)):
            still_open = [x for x in still_open if x.end > r.start]
            if any(x.end < r.end for x in still_open):
                return True
            still_open.append(r)
    return False


def accounting(path):
    out, by_device = [], {r["device"]: r for r in rows("overlap", path)}
    for r in by_device.values():
        if sum(r[c] or 0 for c in PARTS) != r["window"]:
            out.append("parts are not the window: %r" % r)
    for how in VARIANTS["idle"]:
        idle = {}
        for r in rows("idle", path, *how):
            idle[r["device"]] = idle.get(r["device"], 0) + r["sum"]
        out += ["device %d: idle %r, causes %r %s" % (d, r["idle"], idle.get(d, 0), how) for d, r in by_device.items() if idle.get(d, 0) != r["idle"]]
    for how in VARIANTS["categories"]:
        elapsed = {}
        for r in rows("categories", path, *how):
            elapsed[r["device"]] = elapsed.get(r["device"], 0) + r["elapsed"]
        out += ["device %d: busy %r, categories %r %s" % (d, r["busy"], elapsed.get(d, 0), how) for d, r in by_device.items() if elapsed.get(d, 0) != r["busy"]]
    return out


def self_times(path, trace):
    if crosses(trace):
        return []
    found = [r for r in rows("tree", path) if r["style"] == "push/pop"]
    roots = sum(r["host_sum"] for r in found if r["parent"] is None)
    alone = sum(r["self"] for r in found)
    return [] if roots == alone else ["roots %d, self times %d" % (roots, alone)]


def iterations(path):
    return ["parts are not the period: %r" % r for r in rows("iters", path)
            if sum(r[c] or 0 for c in PARTS) != (r["span"] if r["period"] is None else r["period"])]


def tiles(verb, path, how, cuts):
    """Differences between the sum of tiles and the whole, by key."""
    sums = [c["key"] for c in verb["columns"] if "sum" in c["flags"]]
    keys = [c["key"] for c in verb["columns"] if "key" in c["flags"]]

    def total(windows):
        out = {}
        for a, b in windows:
            for row in rows(verb["name"], path, *how, "--window=%dns..%dns" % (a, b)):
                # a tree's rows are told apart by their path, which changes its numbers from tile to tile: add by name
                key = tuple(str(row.get(k)) for k in keys)
                for c in sums:
                    if c in row:
                        out[key, c] = out.get((key, c), 0) + (row[c] or 0)
        return {k: v for k, v in out.items() if v}
    parts, whole = total(zip(cuts, cuts[1:])), total([(cuts[0], cuts[-1])])
    return ["%s %s: tiles %r, whole %r" % (verb["name"], k, parts.get(k), whole.get(k))
            for k in sorted(set(parts) | set(whole), key=str) if parts.get(k) != whole.get(k)]


def shares(verb, path, how):
    columns = [c["key"] for c in verb["columns"] if c["type"] == "ratio" and c["key"] not in UNBOUNDED]
    return ["%s: %s of %r" % (verb["name"], c, r) for r in rows(verb["name"], path, *how) for c in columns
            if r.get(c) is not None and not 0 <= r[c] <= 1]


def check(tally, name, path, verbs, tile_limit):
    rows.cache_clear()
    trace = Times(path)
    if trace.ops:
        tally.check(name + ": accounting", accounting(path))
        tally.check(name + ": iterations", iterations(path))
    tally.check(name + ": self times", self_times(path, trace))
    times = [t for interval in trace.ops for t in interval]
    for verb in verbs:
        for how in VARIANTS.get(verb["name"], [[]]):
            what = "%s: %s %s" % (name, verb["name"], " ".join(how))
            tally.check(what + ": shares", shares(verb, path, how))
            if times and len(trace.ops) <= tile_limit and any("sum" in c["flags"] for c in verb["columns"]):
                a, b = min(times), max(times) + 1
                tally.check(what + ": tiles", tiles(verb, path, how, [a, a + (b - a) // 3, a + (b - a) // 2, b]))


def main():
    tally, verbs = wl.Tally(), introspect()
    with tempfile.TemporaryDirectory(prefix="wl-identities-") as scratch:
        for number, case in enumerate(GENERATED):
            path = os.path.join(scratch, "%d.sqlite" % number)
            subprocess.run([sys.executable, os.path.join(wl.ROOT, "tests", "support", "gen_trace.py"), "-o", path, *case],
                           stdout=subprocess.DEVNULL, check=True)
            check(tally, "generated " + " ".join(case), path, verbs, 10 ** 9)
    if os.path.isdir(wl.CORPUS):
        for name, path in wl.corpus_traces(main_only=True):
            check(tally, name, path, verbs, TILE_LIMIT)
    else:
        print("corpus skipped: not at", wl.CORPUS)
    tally.finish()


if __name__ == "__main__":
    main()
