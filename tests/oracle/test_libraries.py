#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""launch --by library against a look at every row of cuDNN, cuBLAS and OpenACC for every launch: on random traces with such rows,
nested, crossing, empty and equal ones, with random windows; and what a generated trace was made with.

ORACLE_SEEDS: how many (40); ORACLE_BASE: the first. A trace that differs is kept.
"""
import os
import random
import shutil
import sqlite3
import tempfile

import compare
import launch
import mktrace
import oracle
import planted
import wl
from ranges import parts_of
from test_random import random_window
from tracefile import Trace, rows

ACC = "CUPTI_ACTIVITY_KIND_OPENACC_"
TABLES = [("CUDNN_EVENTS", "cuDNN"), ("CUBLAS_EVENTS", "cuBLAS"), (ACC + "LAUNCH", "OpenACC"), (ACC + "DATA", "OpenACC"), (ACC + "OTHER", "OpenACC")]
FUNCTIONS = ["cudnnConvolutionForward", "cublasSgemm", "Enter Data", "Wait"]


def add_rows(path, trace, seed):
    """Calls of libraries on the threads of CUDA calls, with edges at those of other calls or at random."""
    r, db = random.Random("libraries %d" % seed), sqlite3.connect(path)
    free = max(trace.strings, default=0) + 1
    db.executemany("INSERT INTO StringIds (id, value) VALUES (?, ?)", [(free + i, s) for i, s in enumerate([*FUNCTIONS, "a.f90", "lib/b.c"])])
    threads = sorted({c.thread for c in trace.calls}) or [1 << 24 | 1]
    edges = sorted({t + d for c in trace.calls for t in (c.start, c.end) for d in (-1, 0, 1)}) or [0]
    for table, library in TABLES:
        if r.random() < 0.2:
            continue
        more = ", lineNo INTEGER, srcFile INTEGER" if library == "OpenACC" else ""
        db.execute("CREATE TABLE %s (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER%s)" % (table, more))
        for _ in range(r.choice([0, 3, 20, 60])):
            begin = r.randrange(len(edges))
            row = [edges[begin], edges[min(begin + r.choice([0, 1, 2, 5, 20, 400]), len(edges) - 1)], r.choice(threads), free + r.randrange(len(FUNCTIONS))]
            row += [r.choice([0, 7, 54]), r.choice([free + 4, free + 5, None])] if more else []
            db.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(row))), row)
    db.commit()
    db.close()


def library_rows(path, strings):
    """By thread: (start, -end, table, row, library, name), of which the last around a moment is the innermost."""
    db, out = sqlite3.connect("file:%s?mode=ro" % path, uri=True), {}
    db.text_factory = lambda b: b.decode("utf-8", "replace")
    for number, (table, library) in enumerate(TABLES):
        for position, row in enumerate(rows(db, table)):
            name, file = strings[row["nameId"]], strings.get(row.get("srcFile"))
            if file:
                name = "%s%s (%s)" % (file, ":%d" % row["lineNo"] if row["lineNo"] else "", name)
            out.setdefault(row["globalTid"], []).append((row["start"], -max(row["start"], row["end"]), number, position, library, name))
    db.close()
    return out


def around(found, call):
    inside = [x for x in found.get(call.thread, ()) if x[0] <= call.start < -x[1]] if call else []
    return max(inside)[4:] if inside else (None, None)


def by_library(query, found):
    """Rows as launch has them by kernel name, of the kernels of each library call."""
    groups, times = {}, {}
    for op, (start, end) in parts_of(query, query.ops).items():
        if op.kind == "kernel":
            key = around(found, op.launch)
            groups.setdefault(key, []).append(op)
            times[key] = times.get(key, 0) + end - start
    exposed = launch.exposed_by(query, lambda op: around(found, op.launch))
    out = []
    for key in [*groups, *(k for k in exposed if k not in groups)]:
        row = launch.row_of(groups.get(key, []), exposed.get(key, 0))
        out.append({"library": key[0], "library_call": key[1], "kernel_time": times.get(key, 0),
                    **{k: v for k, v in row.items() if not k.startswith(("queue", "latency", "negative"))}})
    return out


def random_trace(seed, path):
    maker = mktrace.make(seed, path, rich=True)
    trace = Trace(path)
    add_rows(path, trace, seed)
    trace, r = Trace(path), random.Random(seed * 17 + 5)
    found = library_rows(path, trace.strings)
    has_rows = any(around(found, c) != (None, None) for c in trace.calls)
    window, per_device, _ = random_window(r, maker, trace) if trace.ops else ([], None, None)
    status, document = wl.run("launch", path, "--by", "library", *window)
    if status == wl.NO_DATA:
        return ["exit %d" % status] if has_rows and any(o.kind == "kernel" for o in trace.ops) else []
    want = by_library(oracle.Query(trace, window=per_device), found)
    bad = compare.rows(document["rows"], want, ["library", "library_call"])
    times = [row["kernel_time"] for row in document["rows"]]
    return bad + (["rows are out of order"] if times != sorted(times, reverse=True) else [])


def generated(path):
    truth = planted.generate(path, ["--ranks", "2", "--layers", "2", "--iters", "3", "--libraries"])["libraries"][0]
    _, document = wl.run("launch", path, "--by", "library")
    got = {row["library_call"] or "": [row["calls"], row["kernel_time"]] for row in document["rows"]}
    return [] if got == truth and len(truth) == 3 else ["%r, made with %r" % (got, truth)]


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-libraries-"), wl.Tally()
    tally.check("generated", generated(os.path.join(scratch, "generated.sqlite")))
    for seed in wl.seeds(40):
        path = os.path.join(scratch, "%d.sqlite" % seed)
        bad = random_trace(seed, path)
        tally.check("seed %d, trace %s" % (seed, path), [str(d)[:600] for d in bad])
        if not bad:
            os.remove(path)
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
