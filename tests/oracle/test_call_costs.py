#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What CUDA calls spend time on besides their own work: api, threads, pids, launch and idle against SQL by hand.

On random traces whose calls have such rows, and on the real ones that have the table, where each row must also be joined to
a call that it lies in. ORACLE_SEEDS: how many random ones (60); ORACLE_BASE: the first.
"""
import os
import sqlite3
import tempfile

import compare
import idle
import intervals
import mktrace
import oracle
import wl
from test_known_numbers import unpacked
from tracefile import COST_KINDS, Trace, cost_order

TABLE = "CUPTI_ACTIVITY_KIND_OVERHEAD"
COLUMNS = ("queue_full", "loading", "profiler")
INPUTS = os.path.join(wl.SHARED, "inputs", "nsys")


def pieces(costs):
    """{thread: [(start, end, kind)]} that do not overlap: between two edges the first cost there counts."""
    by_thread, out = {}, {}
    for c in costs:
        by_thread.setdefault(c.thread, []).append(c)
    for thread, mine in by_thread.items():
        mine = intervals.Finder(mine).rows
        cuts = sorted({t for c in mine for t in (c.start, c.end)})
        here = [(a, b, min(around, key=cost_order).kind) for a, b, around in zip(cuts, cuts[1:], intervals.active(mine, cuts)) if around]
        out[thread] = here
    return out


def divided(start, end, mine):
    """The parts of [start, end) by kind."""
    out = dict.fromkeys(COLUMNS, 0)
    for a, b, kind in mine:
        out[kind] += max(0, min(b, end) - max(a, start))
    return out


def api(trace):
    by_thread, out = pieces(trace.costs), {}
    for call in trace.calls:
        row = out.setdefault(call.name, {"name": call.name, "sum": 0, "own": 0, **dict.fromkeys(COLUMNS, 0)})
        parts = divided(call.start, call.end, by_thread.get(call.thread, ()))
        row["sum"] += call.end - call.start
        row["own"] += call.end - call.start - sum(parts.values())
        for kind, time in parts.items():
            row[kind] += time
    return list(out.values())


def union_parts(trace):
    """{thread: times by kind}: inside any of its calls, each nanosecond once."""
    by_thread, calls, out = pieces(trace.costs), {}, {}
    for c in trace.calls:
        calls.setdefault(c.thread, []).append((c.start, c.end))
    for thread, found in calls.items():
        out[thread] = dict.fromkeys(COLUMNS, 0)
        until = min(a for a, _ in found)
        for a, b in sorted(found):
            for kind, time in divided(max(a, until), max(b, until), by_thread.get(thread, ())).items():
                out[thread][kind] += time
            until = max(until, b)
    return out


def check(tally, name, path):
    trace = Trace(path)
    status, document = wl.run("api", path)
    got = document["rows"] if status == 0 else []
    if not trace.costs or not trace.calls:
        tally.check(name + ": no table, no columns", [c for c in ("own",) + COLUMNS if any(c in r for r in got)])
        return
    tally.check(name + ": api", compare.rows(got, api(trace), ["name"]))
    threads, pids = union_parts(trace), {}
    status, document = wl.run("host", path)
    want = [{"pid": t >> 24 & 0xFFFFFF, "tid": t & 0xFFFFFF, "queue_full": v["queue_full"], "loading": v["loading"]} for t, v in threads.items()]
    shown = {(w["pid"], w["tid"]) for w in want}
    tally.check(name + ": threads", compare.rows([r for r in document["rows"] if (r["pid"], r["tid"]) in shown], want, ["pid", "tid"]))
    for w in want:
        p = pids.setdefault(w["pid"], {"pid": w["pid"], "queue_full": 0, "loading": 0})
        p["queue_full"] += w["queue_full"]
        p["loading"] += w["loading"]
    status, document = wl.run("pids", path)
    tally.check(name + ": pids", compare.rows([r for r in document["rows"] if r["pid"] in pids], list(pids.values()), ["pid"]))
    if trace.ops:
        query = oracle.Query(trace)
        status, document = wl.run("idle", path, "--by", "detail")
        tally.check(name + ": idle", compare.rows(document["rows"], idle.idle(query, True), ["device", "cause", "detail", "opened_by", "opened_in"]))


def check_real(tally, name, path):
    """By SQL alone: no reader of ours has a part in it."""
    db = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (TABLE,)).fetchone():
        return 0
    n, joined, inside = db.execute(
        "SELECT count(*), count(r.start), sum(o.start >= r.start AND o.end <= r.end) FROM %s o LEFT JOIN CUPTI_ACTIVITY_KIND_RUNTIME r "
        "ON r.correlationId = o.correlationId AND r.globalTid = o.globalTid" % TABLE).fetchone()
    if n:
        tally.check(name + ": each row is in its call", [] if n == joined == inside else [(n, joined, inside)])
        sums = dict.fromkeys(COLUMNS, 0)
        for kind, time in db.execute("SELECT e.name, sum(o.end - o.start) FROM %s o JOIN ENUM_CUPTI_OVERHEAD_TYPE e ON e.id = o.overheadType GROUP BY 1" % TABLE):
            sums[COST_KINDS.get(kind, "profiler")] += time
        rows = wl.run("api", path)[1]["rows"]
        got = {c: sum(r[c] for r in rows) for c in COLUMNS}
        tally.check(name + ": sums", [] if got == sums else [got, sums])
        tally.check(name + ": own", [r for r in rows if r["own"] + sum(r[c] for c in COLUMNS) != r["sum"] or r["own"] < 0])
        print("%s: %d rows, all in their calls; %s" % (name, n, got))
    db.close()
    return n


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-costs-") as scratch:
        path = os.path.join(scratch, "random.sqlite")
        for seed in wl.seeds(60):
            mktrace.make(seed, path, rich=True)
            check(tally, "seed %d" % seed, path)
            os.remove(path)
        if os.path.isdir(wl.CORPUS):
            for name, trace in wl.corpus_traces(main_only=True):
                if check_real(tally, name, trace):
                    check(tally, name, trace)
        trace = unpacked(INPUTS, "flameox-graphtrace-2025.5.sqlite.zst", scratch)
        if trace and check_real(tally, "flameox", trace):
            check(tally, "flameox", trace)
    tally.finish()


if __name__ == "__main__":
    main()
