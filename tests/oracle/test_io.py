#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random traces: `io` against brute force over nanoseconds.

ORACLE_SEEDS: how many traces (default 40); ORACLE_BASE: the first seed (default 1).
"""
import os
import random
import sqlite3
import tempfile

import wl

MODES = {1: "open", 2: "close", 3: "read", 4: "write", 5: "several", 6: "metadata"}
SCHEMA = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName);
CREATE TABLE OSRT_FILE_ACCESS_DESCRIPTORS (fileAccessId INTEGER, processId INTEGER, openedAt INTEGER, closedAt INTEGER, filePath TEXT);
CREATE TABLE OSRT_FILE_ACCESS_EVENTS (fileAccessId INTEGER, threadId INTEGER, startedAt INTEGER, endedAt INTEGER, eventType INTEGER,
  apiCallId INTEGER, bytesProcessed INTEGER);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.24.7');
INSERT INTO StringIds VALUES (1, 'k');
"""


def span(r):
    begin = r.randrange(400)
    return begin, begin + r.choice([0, 1, 5, r.randrange(100)])


def make(r, path):
    """(kernels, files by number, accesses)"""
    kernels = [(r.randrange(3), *span(r)) for _ in range(r.randrange(12))]
    files = {n: r.choice(["/a", "/b", "/c/%d" % n, "Unknown file #%d" % n]) for n in r.sample(range(50), r.randrange(1, 8))}
    accesses = [(r.choice([*files, 99]), *span(r), r.randrange(1, 7), r.choice([0, r.randrange(10000)]))
                for _ in range(r.randrange(1, 30))]
    db = sqlite3.connect(path)
    db.executescript(SCHEMA)
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, 1, 7, 0, ?, 1, 1)",
                   [(b, e, device, 100 << 24) for device, b, e in kernels])
    db.executemany("INSERT INTO OSRT_FILE_ACCESS_DESCRIPTORS VALUES (?, 100, 0, 0, ?)", list(files.items()))
    db.executemany("INSERT INTO OSRT_FILE_ACCESS_EVENTS VALUES (?, 100, ?, ?, ?, 1, ?)", accesses)
    db.commit()
    db.close()
    return kernels, files, accesses


def expect(kernels, files, accesses):
    busy = {t for _, b, e in kernels for t in range(b, e)}
    groups = {}
    for number, begin, end, mode, size in accesses:
        path = files.get(number, "Unknown file #")
        key = "(unknown)" if path.startswith("Unknown file #") else path, MODES[mode]
        groups.setdefault(key, []).append((end - begin, size, sum(t not in busy for t in range(begin, end))))
    out = {}
    for key, found in groups.items():
        total, size, idle = (sum(f[i] for f in found) for i in range(3))
        out[key] = {"calls": len(found), "bytes": size, "sum": total, "max": max(f[0] for f in found),
                    "gpu_idle": idle if busy else None, "bandwidth": size * 1e9 / total if size and total else None}
    return out


def differences(path, want):
    status, document = wl.run("io", path)
    if status:
        return ["exit %d" % status]
    got = {(r["file"], r["mode"]): r for r in document["rows"]}
    bad = ["rows: %s, not %s" % (sorted(got), sorted(want))] if set(got) != set(want) else []
    for key in set(got) & set(want):
        for name, value in want[key].items():
            have = got[key][name]
            if have != value and not (name == "bandwidth" and have and value and abs(have - value) <= 1e-9 * value):
                bad.append("%s: %s is %s, not %s" % (key, name, have, value))
    sums = [r["sum"] for r in document["rows"]]
    return bad + ([] if sums == sorted(sums, reverse=True) else ["rows are out of order"])


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-files-") as scratch:
        for seed in wl.seeds(40):
            path = os.path.join(scratch, "%d.sqlite" % seed)
            tally.check("seed %d" % seed, differences(path, expect(*make(random.Random(seed), path))))
    tally.finish()


if __name__ == "__main__":
    main()
