#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mpi against a count of every row, on rich random traces, by name, kind, rank and thread, with random windows.

ORACLE_SEEDS: how many (75); ORACLE_BASE: the first. A trace that differs is kept.
"""
import os
import random
import shutil
import tempfile

import calls
import compare
import mktrace
import oracle
import wl
from test_random import random_window
from tracefile import Trace

KINDS = {"MPI_Allreduce": "collective", "MPI_Barrier": "collective", "MPI_Iallreduce": "collective", "MPI_Send": "p2p", "MPI_Irecv": "p2p",
         "MPI_Waitall": "wait"}
KEYS = {"name": ["name", "kind"], "kind": ["kind"], "rank": ["name", "kind", "pid"], "thread": ["name", "kind", "pid", "tid"]}


def kind_of(row):
    return {"COLLECTIVES": "collective", "P2P": "p2p", "START_WAIT": "wait"}.get(row.table) or KINDS.get(row.name, "other")


def mpi(query, by):
    groups, total = {}, 0
    for row in query.trace.mpi:
        part = calls.host_part(query, row)
        if not part:
            continue
        facts = {"name": row.name, "kind": kind_of(row), "pid": row.process & 0xFFFFFF, "tid": row.thread & 0xFFFFFF}
        groups.setdefault((*(facts[k] for k in KEYS[by]), row.process if by in ("rank", "thread") else None), []).append((part[1] - part[0], row))
        total += part[1] - part[0]
    out = []
    for key, found in groups.items():
        lengths, sizes = [x for x, _ in found], [r.bytes for _, r in found if r.bytes is not None]
        out.append({**dict(zip(KEYS[by], key)), "calls": len(found), "sum": sum(lengths), "share": sum(lengths) / total if total else None,
                    "p50": oracle.percentile(lengths, 50), "p90": oracle.percentile(lengths, 90), "max": max(lengths),
                    "bytes": sum(sizes) if sizes else None, "max_size": max(sizes) if sizes else None})
    return out


def one_seed(seed, path):
    maker = mktrace.make(seed, path, rich=True)
    trace, r = Trace(path), random.Random(seed * 31 + 7)
    window, per_device, common = random_window(r, maker, trace) if trace.ops else ([], None, None)
    if window and (common is None or "+" in window[0]):
        window, per_device = [], None                       # open: how far such windows reach for host rows
    query = oracle.Query(trace, window=per_device)
    for by, keys in KEYS.items():
        status, document = wl.run("mpi", path, "--by", by, *window)
        if status == wl.NO_DATA:
            yield (by, *window), ["exit %d" % status] if trace.mpi else []
            continue
        rows = document["rows"]
        bad = compare.rows(rows, mpi(query, by), keys)
        bad += ["rows are out of order"] if rows != sorted(rows, key=lambda x: -x["sum"]) else []
        yield (by, *window), bad


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-mpi-"), wl.Tally()
    for seed in wl.seeds(75):
        path, bad = os.path.join(scratch, "%d.sqlite" % seed), []
        for what, differences in one_seed(seed, path):
            bad += [" ".join(what)[:200] + "\n         " + str(d)[:600] for d in differences]
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if not bad and os.path.exists(path):
            os.remove(path)
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
