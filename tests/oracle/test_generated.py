#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of tools/gen_trace.py with known truth: the oracle against the truth, and warplens against both.

The truth's compute and exposed communication are of kernels only; ours count memsets and graph rows as compute. So
busy, idle, kernel_busy and comm are compared with the truth, the rest with the oracle. ORACLE_SELF=1: oracle only.
"""
import json
import os
import subprocess
import sys
import tempfile

import compare
import oracle
import sweep
import wl
from tracefile import Trace

STALL = 5_000_000
CASES = [["--ranks", "2", "--layers", "2", "--iters", "3"],
         ["--ranks", "4", "--layers", "4", "--iters", "3", "--straggler", "2:1.15", "--schema", "2026.4"],
         ["--ranks", "2", "--layers", "2", "--iters", "4", "--stall", "2:5ms"],
         ["--ranks", "4", "--layers", "4", "--iters", "2", "--moe"],
         ["--ranks", "2", "--layers", "4", "--iters", "20", "--serving"],
         ["--ranks", "2", "--layers", "2", "--iters", "3", "--graph", "node"],
         ["--ranks", "2", "--layers", "2", "--iters", "3", "--graph", "graph", "--schema", "2026.4"],
         ["--ranks", "2", "--layers", "2", "--iters", "4", "--serving", "--graph", "graph", "--schema", "2026.4"]]


def against_truth(rows, truth, device):
    """The figures both define alike; rows is the accounting of that device alone, over its own span."""
    row = next(r for r in rows if r["device"] == device)
    want = {"window": truth["last_ns"] - truth["first_ns"], "busy": truth["busy_ns"], "idle": truth["idle_ns"], "kernel_busy": truth["kernel_busy_ns"]}
    if truth.get("comm_union_ns") is not None and row["comm"] is not None:
        want["comm"] = truth["comm_union_ns"]
    return ["%s: got %r, truth %r" % (c, row[c], v) for c, v in want.items() if row[c] != v]


def causes(path, rank, truth):
    """idle by cause, without unused, is the truth's idle time of the device's own span."""
    _, document = wl.run("idle", path, "--gpu", rank)
    found = sum(r["sum"] for r in document["rows"] if r["cause"] != "unused")
    return [] if found == truth["idle_ns"] else ["idle by cause %d, truth %d" % (found, truth["idle_ns"])]


def stall(path, length):
    """Each device waits for the host once, for this long."""
    _, document = wl.run("gaps", path, "--min", "%dns" % length)
    found = sorted((r["device"], r["cause"]) for r in document["rows"])
    return [] if [d for d, _ in found] == [0, 1] and all(c in ("host", "os") for _, c in found) else document["rows"]


def host_gaps(path, truth):
    """A server's scheduler leaves the GPU idle before each step but the first: host code, in the range `schedule`."""
    shortest = min(truth["host_gap_ns"])
    _, document = wl.run("gaps", path, "--min", "%dns" % (shortest // 2))
    found = {}
    for row in document["rows"]:
        key = row["device"], row["cause"], row["detail"]
        found[key] = found.get(key, 0) + 1
    want = {(device, "host", "schedule"): truth["iterations"] - 1 for device in range(truth["ranks"])}
    return [] if found == want else ["gaps %r, want %r" % (found, want)]


def main():
    generator = os.path.join(wl.SHARED, "tools", "gen_trace.py")
    if not os.path.exists(generator):
        print("skipped: no", generator)
        sys.exit(77)
    tally, only_self = wl.Tally(), os.environ.get("ORACLE_SELF")
    with tempfile.TemporaryDirectory(prefix="wl-generated-") as scratch:
        for number, case in enumerate(CASES):
            path, what = os.path.join(scratch, "%d.sqlite" % number), " ".join(case)
            subprocess.run([sys.executable, generator, "-o", path, *case], stdout=subprocess.DEVNULL, check=True)
            with open(path + ".truth.json", encoding="utf-8") as f:
                whole = json.load(f)
            ranks = whole["files"][0]["by_rank"]
            trace = Trace(path)
            for rank, truth in ranks.items():
                one = oracle.overlap(oracle.Query(trace, gpus={int(rank)}), sweep.segments)
                tally.check("oracle = truth, rank %s: %s" % (rank, what), against_truth(one, truth, int(rank)))
                if not only_self:
                    _, document = wl.run("overlap", path, "--gpu", rank)
                    tally.check("warplens = truth, rank %s: %s" % (rank, what), against_truth(document["rows"], truth, int(rank)))
                    tally.check("idle = truth, rank %s: %s" % (rank, what), causes(path, rank, truth))
            if not only_self and "--stall" in case:
                tally.check("the stall is seen: " + what, stall(path, STALL))
            if not only_self and "--serving" in case:
                tally.check("the host's gaps are seen: " + what, host_gaps(path, whole))
            if not only_self:
                _, document = wl.run("overlap", path)
                tally.check("warplens = oracle: " + what, compare.rows(document["rows"], oracle.overlap(oracle.Query(trace), sweep.segments), ["device"]))
                status, _ = wl.run("kernels", path)
                has_kernels = any(o.kind == "kernel" for o in trace.ops)
                tally.equal("kernels refuses opaque graphs only: " + what, status, 0 if has_kernels else wl.NO_DATA)
    tally.finish()


if __name__ == "__main__":
    main()
