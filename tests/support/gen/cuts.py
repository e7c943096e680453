# SPDX-License-Identifier: MIT
"""Captures that begin late and stop early: rows of a rank outside its window are taken out again."""
import random

from .plants import duration

TIMED = {"KERNEL": "globalPid", "MEMCPY": "globalPid", "MEMSET": "globalPid", "SYNCHRONIZATION": "globalPid", "GRAPH_TRACE": "globalPid", "RUNTIME": "globalTid"}

def windows(a, first, last):
    """(from, to) by rank, on the true clock; first and last are the ends of the iterations."""
    rng = random.Random("cuts %d" % a.seed); out = {r: (None, None) for r in range(a.ranks)}
    for who, head, tail in a.cuts:
        for r in range(a.ranks) if who == "all" else [int(who)]:
            h, t = duration(head or "0"), duration(tail or "0")
            if who == "all": h, t = int(h * rng.random()), int(t * rng.random())
            out[r] = (first + h if h else None, last - t if t else None)
    return out

def apply(f):
    """Deletes, and counts what is left in each table."""
    have = {n for n, in f.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    where = {"CUPTI_ACTIVITY_KIND_" + t: c for t, c in TIMED.items()}
    where.update({t: "globalTid" for t in ("NVTX_EVENTS", "OSRT_API", "PROFILER_OVERHEAD", "MPI_COLLECTIVES_EVENTS", "MPI_P2P_EVENTS", "MPI_OTHER_EVENTS")})
    for r in f.ranks:
        lo, hi = (None if t is None else f.tm(t) for t in f.job.windows[r]); low, high = -1 << 62 if lo is None else lo, 1 << 62 if hi is None else hi
        if "CUPTI_ACTIVITY_KIND_CUDA_EVENT" in have:              # no time of their own: they go with the call that waits for them
            f.db.execute("DELETE FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT WHERE globalPid = ?1 AND correlationId NOT IN (SELECT q.correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME q WHERE (q.globalTid & ~16777215) = ?1 AND q.start >= ?2 AND q.end <= ?3)", (f.GP[r], low, high))
        for t, c in where.items():
            if t in have: f.db.execute("DELETE FROM %s WHERE (%s & ~16777215) = ? AND start >= 0 AND (start < ? OR ifnull(end, start) > ?)" % (t, c), (f.GP[r], low, high))
        if "NCCL_GPU_OPERATIONS" in have and len(f.ranks) == 1: f.db.execute("DELETE FROM NCCL_GPU_OPERATIONS WHERE start < ? OR end > ?", (low, high))
    names = ("KERNEL", "RUNTIME", "MEMCPY", "MEMSET", "SYNCHRONIZATION", "NVTX_EVENTS", "GRAPH_TRACE", "OSRT_API", "CUDA_EVENT")
    table = {n: n if n in ("NVTX_EVENTS", "OSRT_API") else "CUPTI_ACTIVITY_KIND_" + n for n in names}
    return {n: f.db.execute("SELECT count(*) FROM " + t).fetchone()[0] if t in have else 0 for n, t in table.items()}
