#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Causes that nsys itself records since 2025, planted: with the table the first finding names the cause, its saving is what was planted,
and a replay without it takes as long as the twin without the cause; without the table the same gaps are the host's, or a wait that
nothing explains, and nothing is said of the cause. idle, path and findings agree with the planted lengths to the nanosecond.
"""
import os
import shutil
import sqlite3
import sys
import tempfile

import idle
import oracle
import planted
import wl
from test_twins import span
from tracefile import Trace

sys.path.append(planted.SUPPORT)
from plantfile import CAK, File, Stops  # noqa: E402

SMALL = ["--ranks", "2", "--layers", "3", "--iters", "12"]
ALONE = ["--ranks", "1", "--layers", "3", "--iters", "12"]
LENGTH, PATH, SIZE = 1_200_000, "/root/.nv/ComputeCache", 65536
FUNCTION = "write_to_disk(void*)"
HOST = "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER"
TABLES = {
    CAK + "JIT": HOST + ", overheadType INTEGER NOT NULL, jitEntryType INTEGER NOT NULL, jitOperationType INTEGER NOT NULL, deviceId INTEGER, "
    "jitOperationCorrelationId INTEGER, cacheSize INTEGER, cachePath TEXT",
    "CUDA_HOST_CALLBACK": HOST,
    CAK + "GRAPH_HOST_NODE_AND_HOST_LAUNCH": "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, "
    "greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, graphNodeId INTEGER, graphId INTEGER",
}


def edit(source, target, tables):
    """A copy under edit that has these tables."""
    file = File(source, target)
    for table in tables:
        file.db.execute("CREATE TABLE %s (%s)" % (table, TABLES[table]))
        file.tables.append(table)
    return file


def compile_in_steps(source, target):
    """Before each iteration a call of no known purpose, in which the driver compiles, and stores what it made."""
    file, n = edit(source, target, [CAK + "JIT"]), 0
    for process, begin in planted.planting.stop_each(file, LENGTH):
        number = file.call(process, begin, begin + LENGTH, "cuCtxGetDevice")
        for start, end, operation in ((0, LENGTH * 3 // 4, 3), (LENGTH * 3 // 4, LENGTH, 2)):
            n += 1
            file.add(CAK + "JIT", start=begin + start, end=begin + end, eventClass=0, globalTid=process << 24 | process & 0xFFFFFF, correlationId=number,
                     nameId=None, overheadType=2, jitEntryType=1, jitOperationType=operation, deviceId=0, jitOperationCorrelationId=n,
                     cacheSize=SIZE, cachePath=PATH)
    file.finish({})


def queued(file, process):
    """In each iteration a kernel in the middle that starts with an idle GPU although it was launched long before: (start, place, id)."""
    rows = file.db.execute("SELECT k.start, k.end, deviceId, contextId, streamId, k.correlationId, r.end FROM %sKERNEL k JOIN %sRUNTIME r ON "
                           "r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24 WHERE k.globalPid >> 24 = ? ORDER BY k.start"
                           % (CAK, CAK), [process]).fetchall()
    bounds = [*file.bounds, 1 << 62]
    for low, high in zip(bounds, bounds[1:]):
        mine = [r for r in rows if low <= r[0] < high]
        until, found = 0, []
        for r in mine:
            if r[0] >= until and r[6] < r[0] - 50_000:
                found.append(r)
            until = max(until, r[1])
        yield found[len(found) // 2]


def wait_for_functions(source, target):
    """In each iteration a stream waits for a function of the host; the kernel behind it was queued."""
    file = edit(source, target, ["CUDA_HOST_CALLBACK", CAK + "GRAPH_HOST_NODE_AND_HOST_LAUNCH"])
    chosen = {p: list(queued(file, p)) for p in file.processes}
    clocks = {p: Stops([(r[0], LENGTH) for r in rows]) for p, rows in chosen.items()}
    file.move(clocks)
    for process, rows in chosen.items():
        for start, _, device, context, stream, _, _ in rows:
            begin, number = clocks[process].stopped(start), file.new_id(process)
            file.add(CAK + "GRAPH_HOST_NODE_AND_HOST_LAUNCH", start=begin, end=begin + LENGTH, deviceId=device, contextId=context, streamId=stream,
                     correlationId=number, globalPid=process << 24, graphNodeId=None, graphId=None)
            file.add("CUDA_HOST_CALLBACK", start=begin + 2_000, end=begin + LENGTH - 1_000, eventClass=0, globalTid=process << 24 | 99, correlationId=number,
                     nameId=file.text(FUNCTION))
    file.finish({})


def without(source, target, tables):
    shutil.copyfile(source, target)
    db = sqlite3.connect(target)
    for table in tables:
        db.execute("DROP TABLE " + table)
    db.commit()
    db.close()


def first_of(path):
    return wl.run("findings", path, "--all")[1]["rows"][0]


def idle_of(path, cause):
    """By the program, and by the definition: {detail: time} of a cause on all GPUs."""
    got, want = {}, {}
    for r in wl.run("idle", path, "--by", "detail")[1]["rows"]:
        if r["cause"] == cause:
            got[r["detail"]] = got.get(r["detail"], 0) + r["sum"]
    for r in idle.idle(oracle.Query(Trace(path)), True):
        if r["cause"] == cause:
            want[r["detail"]] = want.get(r["detail"], 0) + r["sum"]
    return got, want


def on_path(path, cls):
    return sum(r["time"] for r in wl.run("path", path, "--savings", "no")[1]["rows"] if r["class"] == cls)


def replay_error(good, bad, scenario):
    """How far a run without the cause, by replay, is from the twin that never had it."""
    saving = wl.run("whatif", bad, "--with", scenario)[1]["rows"][0]["saving"]
    return abs(span(bad) - saving - span(good)) / span(good)


def check(tally, name, good, bad, tables, cause, details, code, cls, words):
    """details: {name: time} of the whole trace and all GPUs."""
    got, want = idle_of(bad, cause)
    tally.equal(name + ": idle as defined", got, want)
    tally.equal(name + ": idle as planted", got, details)
    first = first_of(bad)
    tally.check(name + ": first finding", [] if first["code"] == code and all(w in first["finding"] for w in words) else [(first["code"], first["finding"])])
    tally.check(name + ": saving of a step", [] if abs(first["saving"] - LENGTH) <= LENGTH // 50 else [first["saving"]])
    error = replay_error(good, bad, code)
    tally.check(name + ": replay against the twin", [] if error < 0.02 else ["%.2f %%" % (100 * error)])
    tally.check(name + ": on the path", [] if on_path(bad, cls) >= 10 * LENGTH else [on_path(bad, cls)])
    bare = bad + ".bare"
    without(bad, bare, tables)
    found = wl.run("findings", bare, "--all")[1]["rows"]
    tally.check(name + ": without the table nothing is said of it", [r["finding"] for r in found if r["code"] == code])
    tally.equal(name + ": without the table not on the path", on_path(bare, cls), 0)
    got, want = idle_of(bare, cause)
    tally.equal(name + ": without the table no such cause", got, {})
    return bare


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-recorded-") as scratch:
        good, bad = (os.path.join(scratch, n) for n in ("good.sqlite", "bad.sqlite"))
        planted.generate(good, [*SMALL, "--seed", 7])
        compile_in_steps(good, bad)
        stops = 11 * 2                                      # before the first iteration there is no gap
        bare = check(tally, "compiler", good, bad, [CAK + "JIT"], "load",
                     {"JIT compile (PTX)": stops * LENGTH * 3 // 4, "JIT cache store": stops * LENGTH // 4}, "module-load-in-loop", "loading",
                     ["JIT compile (PTX)", PATH, "compiled %d times" % (12 * 2)])
        tally.equal("compiler: without the table the host is named", first_of(bare)["code"], "host-starved")
        planted.generate(good, [*ALONE, "--seed", 7])
        wait_for_functions(good, bad)
        bare = check(tally, "host functions", good, bad, ["CUDA_HOST_CALLBACK", CAK + "GRAPH_HOST_NODE_AND_HOST_LAUNCH"], "callback", {FUNCTION: 12 * LENGTH},
                     "host-callback", "callback", [FUNCTION])
        got, _ = idle_of(bare, "dependency")
        tally.check("host functions: without the table a wait", [] if got.get(None, 0) >= 12 * LENGTH else [got])
    tally.finish()


if __name__ == "__main__":
    main()
