#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CUDA graphs that were recorded whole (GRAPH_TRACE rows), on the real export of nsys 2025.5 that has them: every verb answers, and
graphs, overlap, idle, kernels, transfers and info say what SQL by hand says. Generated ones are checked the same way.
"""
import os
import sqlite3
import subprocess
import tempfile

import test_newest_schema as newest
import wl

REAL = os.path.join(wl.SHARED, "inputs", "nsys", "flameox-graphtrace-2025.5.sqlite.zst")
OPS = ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE")


def union(found):
    total, until = 0, None
    for start, end in sorted(found):
        total += max(0, end - (start if until is None else max(start, until)))
        until = end if until is None else max(until, end)
    return total


class File:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.have = {r[0] for r in self.db.execute("SELECT name FROM sqlite_master")}

    def rows(self, kind, columns):
        table = "CUPTI_ACTIVITY_KIND_" + kind
        return self.db.execute("SELECT %s FROM %s" % (columns, table)).fetchall() if table in self.have else []

    def devices(self):
        """{(pid, ordinal): [(start, end)]} of all operations."""
        out = {}
        for kind in OPS:
            for pid, device, start, end in self.rows(kind, "globalPid, deviceId, start, end"):
                out.setdefault((pid >> 24 & 0xffffff, device), []).append((start, end))
        return out

    def graphs(self):
        """{(pid, graph): (launches, replays, busy)}: calls that launched it, rows, and the union of these."""
        calls = {(tid >> 24, corr) for tid, corr in self.rows("RUNTIME", "globalTid, correlationId")}
        found = {}
        for pid, graph, corr, start, end in self.rows("GRAPH_TRACE", "globalPid, graphId, correlationId, start, end"):
            found.setdefault((pid >> 24 & 0xffffff, graph), []).append(((pid >> 24, corr), start, end))
        return {k: (len({c for c, _, _ in v if c in calls}), len(v), union([(s, e) for _, s, e in v])) for k, v in found.items()}


def check(tally, name, path):
    f = File(path)
    graphs = f.graphs()
    tally.equal(name + ": has replays", bool(graphs), True)
    _, document = wl.run("graphs", path)
    got = {(r["pid"], int(r["graph"])): (r["launches"], r["replays"], r["busy"]) for r in document["rows"]}
    tally.equal(name + ": graphs", got, graphs)
    tally.check(name + ": coverage", [r for r in document["rows"] if r["coverage"] != r["replays"] / r["launches"]])
    devices = f.devices()
    begin, end = min(s for v in devices.values() for s, _ in v), max(e for v in devices.values() for _, e in v)
    busy = sum(union(v) for v in devices.values())
    _, document = wl.run("overlap", path)
    tally.equal(name + ": busy", sum(r["busy"] for r in document["rows"]), busy)
    _, document = wl.run("idle", path)
    tally.equal(name + ": idle", sum(r["sum"] for r in document["rows"]), len(devices) * (end - begin) - busy)
    kernels = f.rows("KERNEL", "end - start")
    status, document = wl.run("kernels", path)
    tally.equal(name + ": kernels", sum(r["sum"] for r in document["rows"]) if document else status, sum(d for d, in kernels) if kernels else wl.NO_DATA)
    copies = f.rows("MEMCPY", "end - start, bytes")
    status, document = wl.run("transfers", path)
    got = [r for r in document["rows"] if r["kind"] != "memset"] if document else []
    tally.equal(name + ": copies", (sum(r["sum"] for r in got), sum(r["bytes"] for r in got)), (sum(d for d, _ in copies), sum(b for _, b in copies)))
    _, document = wl.run("info", path, "--section", "about")
    facts = {r["key"]: r["value"] for s in document.get("sections", [document]) for r in s.get("rows", [])}
    tally.equal(name + ": info", (facts.get("CUDA graphs"), facts.get("CUDA tracing")), ("whole graphs", "unknown"))
    newest.every_verb(tally, name, path)


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-graphs-") as directory:
        newest.prepare(directory)
        if os.path.exists(REAL):
            path = os.path.join(directory, "real.sqlite")
            with open(path, "wb") as out:
                subprocess.run(["zstd", "-qdc", REAL], stdout=out, check=True)
            check(tally, "real", path)
        for name, options in (("training", ["--graph", "graph"]), ("serving", ["--serving", "--iters", "8", "--graph", "graph"])):
            check(tally, name, newest.generate(directory, name, options))
    tally.finish()


if __name__ == "__main__":
    main()
