#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random traces: `ops` against brute force, with random windows, selections, patterns, filters, orders and limits. Steps are
those of `export`, which has an oracle of its own.

ORACLE_SEEDS: how many traces (default 150); ORACLE_BASE: the first seed (default 1).
"""
import csv
import os
import random
import subprocess
import tempfile

import mktrace
import oracle
import test_random
import wl
from tracefile import Trace

KEYS = ["name", "device", "stream", "start", "duration", "pid", "context", "kind", "bytes", "call", "tid", "latency"]
PATTERNS = [None, None, "nccl", "[Kk]ernel", "a.*a", "memcpy", "^void"]


def random_filter(r, trace):
    """(arguments, predicate)."""
    median = sorted(o.end - o.start for o in trace.ops)[len(trace.ops) // 2]
    return r.choice([
        ([], lambda row: True),
        (["--where=duration > %dns" % median], lambda row: row["duration"] > median),
        (["--where=kind = kernel and not device = 0"], lambda row: row["kind"] == "kernel" and row["device"] != 0),
        (["--where=latency < 0"], lambda row: row["latency"] is not None and row["latency"] < 0)])


def differences(got, want):
    got = [{k: row[k] for k in KEYS} for row in got]
    if len(got) != len(want):
        return ["%d rows, oracle %d" % (len(got), len(want))]
    return ["row %d: %r, oracle %r" % (i, g, w) for i, (g, w) in enumerate(zip(got, want)) if g != w][:3]


def one_seed(seed, path):
    maker = mktrace.make(seed, path)
    trace, r = Trace(path), random.Random(seed * 104729 + 3)
    if not trace.ops:
        return [] if wl.run("ops", path)[0] == wl.NO_DATA else ["rows of a trace without operations"]
    window, per_device, common = test_random.random_window(r, maker, trace)
    selection, chosen = test_random.random_selection(r, trace)
    if window and common is None or window and "+" in window[0]:
        selection, chosen = [], {}
    match, order, top = r.choice(PATTERNS), r.choice(["duration", "start"]), r.choice([0, 1, 3, 10, 1000])
    where, keep = random_filter(r, trace)
    arguments = window + selection + where + ["--order", order, "--top", top] + (["--match", match] if match else [])
    _, document = wl.run("ops", path, *arguments)
    want = oracle.ops(oracle.Query(trace, window=per_device, **chosen), match, order, top, keep)
    return [" ".join(map(str, arguments)) + ": " + d for d in differences(document["rows"], want)]


def steps(path):
    """[(device, stream, start, kind)] -> step of every operation, from `export`."""
    subprocess.run([wl.WARPLENS, "export", path, "-o", path + ".csv"], check=True, stderr=subprocess.DEVNULL)
    with open(path + ".csv", encoding="utf-8", newline="") as file:
        return sorted((int(x["device"]), x["stream"], int(x["start"]), x["kind"], x["iteration"]) for x in csv.DictReader(file))


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-ops-") as scratch:
        for seed in wl.seeds(150):
            path = os.path.join(scratch, "%d.sqlite" % seed)
            tally.check("seed %d" % seed, one_seed(seed, path))
            if seed % 10 == 0 and Trace(path).ops:
                rows = wl.run("ops", path, "--top", 0)[1]["rows"]
                text = lambda v: "" if v is None else str(v)
                got = sorted((x["device"], text(x["stream"]), x["start"], x["kind"], text(x["step"])) for x in rows)
                tally.check("steps of seed %d" % seed, [] if got == steps(path) else ["differ from those of export"])
            os.remove(path)
    tally.finish()


if __name__ == "__main__":
    main()
