#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mpi against a count of every row, on rich random traces, by name, kind, rank, thread and communicator, with random windows.

ORACLE_SEEDS: how many (75); ORACLE_BASE: the first. A trace that differs is kept.
"""
import os
import random
import shutil
import sqlite3
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
KEYS = {"name": ["name", "kind"], "kind": ["kind"], "rank": ["name", "kind", "pid"], "thread": ["name", "kind", "pid", "tid"],
        "comm": ["name", "kind", "comm"]}


def kind_of(row):
    return {"COLLECTIVES": "collective", "P2P": "p2p", "START_WAIT": "wait"}.get(row.table) or KINDS.get(row.name, "other")


def add_comms(path, trace, seed):
    """A rank for each process, and what it says of the communicators of its calls; some are listed twice or not at all."""
    r, db = random.Random("comms %d" % seed), sqlite3.connect(path)
    for table, columns in (("MPI_RANKS", "globalTid, rank"), ("MPI_COMMUNICATORS", "rank, timestamp, commHandle, parentHandle, localRank, size, groupRoot, "
                                                              "groupRootUid, members")):
        db.execute("DROP TABLE IF EXISTS %s" % table)
        db.execute("CREATE TABLE %s (%s)" % (table, columns))
    times = [c.start for c in trace.mpi] or [0]
    for rank, process in enumerate(sorted({c.process for c in trace.mpi} | set(trace.processes))):
        db.execute("INSERT INTO MPI_RANKS VALUES (?, ?)", (process << 24 | 1, rank))
        for handle in (1, 2):
            for _ in range(r.choice([0, 1, 1, 2])):
                db.execute("INSERT INTO MPI_COMMUNICATORS VALUES (?, ?, ?, ?, 0, ?, NULL, NULL, ?)",
                           (rank, r.choice(times) + r.choice([-5, 0, 5]), handle, r.choice([None, 0, 1]), r.choice([1, 2, 4]), r.choice([None, "0,1", "2,3"])))
    db.commit()
    db.close()


def comm_of(trace, row):
    """Name and size of a call's communicator."""
    if row.comm is None:
        return None, None
    rank = trace.rank_of.get(row.process)
    listed = [(c["timestamp"], i, c) for i, c in enumerate(trace.comms) if c["rank"] == rank and c["commHandle"] == row.comm]
    if not listed:
        return "0x%x" % row.comm, None
    found = max((x for x in listed if x[0] <= row.start), key=lambda x: x[:2], default=min(listed, key=lambda x: x[:2]))[2]
    size, world = found["size"], max(c["size"] for c in trace.comms)
    if not found["parentHandle"]:
        return "MPI_COMM_WORLD" if size == world else "MPI_COMM_SELF" if size == 1 else "of %d ranks" % size, size
    return "ranks " + found["members"] if found["members"] else "0x%x of rank %d" % (row.comm, rank), size


def mpi(query, by):
    groups, total = {}, 0
    for row in query.trace.mpi:
        part = calls.host_part(query, row)
        if not part:
            continue
        comm, size = comm_of(query.trace, row) if by == "comm" else (None, None)
        facts = {"name": row.name, "kind": kind_of(row), "pid": row.process & 0xFFFFFF, "tid": row.thread & 0xFFFFFF, "comm": comm}
        groups.setdefault((*(facts[k] for k in KEYS[by]), row.process if by in ("rank", "thread") else size), []).append((part[1] - part[0], row))
        total += part[1] - part[0]
    out = []
    for key, found in groups.items():
        lengths, sizes = [x for x, _ in found], [r.bytes for _, r in found if r.bytes is not None]
        more = {"comm_size": key[-1]} if by == "comm" else {}
        out.append({**dict(zip(KEYS[by], key)), **more, "calls": len(found), "sum": sum(lengths), "share": sum(lengths) / total if total else None,
                    "p50": oracle.percentile(lengths, 50), "p90": oracle.percentile(lengths, 90), "max": max(lengths),
                    "bytes": sum(sizes) if sizes else None, "max_size": max(sizes) if sizes else None})
    return out


def one_seed(seed, path):
    maker = mktrace.make(seed, path, rich=True)
    add_comms(path, Trace(path), seed)
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
