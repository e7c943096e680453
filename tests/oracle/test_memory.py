#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random traces: `memory` against a walk over every event, by GPU and by step, with random windows; and `memory-growth` against
the median of all slopes.

ORACLE_SEEDS: how many traces (default 40); ORACLE_BASE: the first seed (default 1).
"""
import os
import random
import sqlite3
import tempfile

import wl
from tracefile import MEMORY_KINDS, Trace

SCHEMA = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, returnValue);
CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, textId, domainId);
CREATE TABLE TARGET_INFO_GPU (id, name);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, contextId, address, bytes, memKind, memoryOperationType,
  localMemoryPoolAddress, localMemoryPoolSize, localMemoryPoolUtilizedSize);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.24.7');
INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaLaunchKernel');
"""
STEP = 1000


def pool(r):
    """Address, size and used bytes of a CUDA memory pool after an event; mostly of none."""
    held = r.choice([0, 100, 4096, r.randrange(5000)])
    return r.choice([(None, None, None)] * 4 + [(7, held, r.randint(0, held)), (7, held, held + 1), (7, None, None), (None, held, 0)])


def make(r, path):
    """({pid: begins of its steps}, events)"""
    db, steps, events = sqlite3.connect(path), {}, []
    db.executescript(SCHEMA)
    shared = r.random() < 0.5
    for pid in range(100, 100 + r.randint(1, 3)):
        steps[pid] = [STEP * (i + 1) for i in range(r.randint(6, 24))]
        db.execute("INSERT INTO TARGET_INFO_GPU VALUES (?, 'GPU')", (pid,))
        db.execute("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (?, 0, ?)", (100 if shared else pid, pid))
        for i, begin in enumerate(steps[pid]):
            db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, 'step', ?, NULL, 0)", (begin, begin + 900, pid << 24 | pid))
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, 2, 0)", (begin + 10, begin + 20, pid << 24 | pid, i))
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, 1, 1)", (begin + 50, begin + 800, i, pid << 24))
        last, grows = steps[pid][-1] + 1500, r.choice([0, 0, r.randrange(40)])
        for _ in range(r.randrange(1, 60)):
            events.append((r.choice([r.randrange(last), r.choice(steps[pid]), None]), pid, r.choice([0, 0, 0, 1]), r.choice([0, 1, 100, r.randrange(1000)]),
                           r.choice([1, 2, 2, 2, 4]), r.choice([0, 0, 1, 1, 7]), pool(r)))
        events += [(begin + 40, pid, 0, grows, 2, 0, (None, None, None)) for begin in steps[pid] if grows]
    r.shuffle(events)
    db.executemany("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (?, ?, ?, 1, 0, ?, ?, ?, ?, ?, ?)",
                   [(t, pid << 24, ordinal, size, kind, op, *of_pool) for t, pid, ordinal, size, kind, op, of_pool in events])
    db.commit()
    db.close()
    return steps, events


def pools_of(trace, events, by_process):
    """{(device, pid, ordinal, kind): [(time, signed bytes, is it a free, its CUDA memory pool)] in order}"""
    out = {}
    for time, pid, ordinal, size, kind, op, of_pool in events:
        if time is None or op > 1:
            continue
        device = trace.device_of.get((pid, ordinal))
        key = (device, pid if by_process or device is None else None, None if device is not None else ordinal, MEMORY_KINDS[kind])
        out.setdefault(key, []).append((time, -size if op else size, bool(op), of_pool))
    return {key: sorted(found, key=lambda e: e[0]) for key, found in out.items()}


def measure(pool, begin, end):
    def in_use(until):
        return before + sum(change for time, change, *_ in pool if time < until)
    before = max([0] + [-sum(change for _, change, *_ in pool[:i + 1]) for i in range(len(pool))])
    inside = [e for e in pool if begin <= e[0] < end]
    level = peak = in_use(begin)
    at = None
    for time, change, *_ in inside:
        level += change
        if level > peak:
            peak, at = level, time
    taken = [change for _, change, frees, _ in inside if not frees]
    given = [-change for _, change, frees, _ in inside if frees]
    held = [(size, used) for *_, (address, size, used) in inside if address is not None and size is not None and used <= size]
    size, used = max(held, key=lambda h: h[0], default=(None, None))
    return {"pool_size": size, "pool_used": used, "allocs": len(taken), "frees": len(given), "allocated": sum(taken), "freed": sum(given), "before": in_use(begin), "in_use": in_use(end),
            "peak": peak, "peak_at": at, "largest": max(taken, default=None)}


def expect(trace, steps, events, by, window):
    out = {}
    for (device, pid, ordinal, kind), pool in pools_of(trace, events, by == "step").items():
        begin, end = window
        if by == "gpu":
            out[device, pid, ordinal, kind, None] = measure(pool, begin, end)
            continue
        for i, cut in enumerate([begin, *steps[pid]]):
            part = measure(pool, max(begin, cut), min(end, [*steps[pid], end][i]))
            whole = max(begin, cut) < min(end, [*steps[pid], end][i])
            if whole and (i or part["allocs"] or part["frees"]):
                out[device, pid, ordinal, kind, i - 1 if i else None] = part
    return out


def growth(trace, steps, events):
    """Subjects of the finding."""
    found = set()
    for (device, pid, _, kind), pool in pools_of(trace, events, True).items():
        ends = steps[pid][1:]
        if device is None or len(ends) < 8:
            continue
        levels = [measure(pool, 0, end)["in_use"] for end in ends]
        slopes = sorted((levels[k] - levels[i]) / (k - i) for i in range(len(ends)) for k in range(i + 1, len(ends)))
        if slopes[(len(slopes) - 1) // 2] * 10 > 0.01 * measure(pool, 0, ends[-1])["peak"]:
            found.add((device, kind))
    return found


def compare(path, arguments, want):
    status, document = wl.run("memory", path, *arguments)
    if status:
        return ["%s: exit %d" % (arguments, status)] if status != wl.NO_DATA or want else []
    got = {(r["device"], r.get("pid"), r.get("ordinal"), r["kind"], r.get("iter")): r for r in document["rows"]}
    bad = ["%s: rows: %s, not %s" % (arguments, set(got) - set(want), set(want) - set(got))] if set(got) != set(want) else []
    return bad + ["%s: %s: %s is %s, not %s" % (arguments, key, name, got[key][name], value)
                  for key in set(got) & set(want) for name, value in want[key].items() if got[key].get(name) != value]


def differences(r, path):
    steps, events = make(r, path)
    trace = Trace(path)
    last = max(op.end for op in trace.ops)
    begin, end = sorted(r.sample(range(500, last), 2))
    bad = []
    for by in ("gpu", "step"):
        bad += compare(path, ["--by", by], expect(trace, steps, events, by, (0, 1 << 40)))
        bad += compare(path, ["--by", by, "--window=%dns..%dns" % (begin, end)], expect(trace, steps, events, by, (begin, end)))
    rows = wl.run("findings", path)[1]["rows"]
    said = {row["subject"] for row in rows if row["code"] == "memory-growth"}
    want = {"GPU %d, %s" % one for one in growth(trace, steps, events)}
    return bad + (["growth: %s, not %s" % (said, want)] if said != want and not (len(said) == 4 and said < want) else [])


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-memory-") as scratch:
        for seed in wl.seeds(40):
            path = os.path.join(scratch, "%d.sqlite" % seed)
            tally.check("seed %d" % seed, [str(d)[:600] for d in differences(random.Random(seed), path)][:6])
    tally.finish()


if __name__ == "__main__":
    main()
