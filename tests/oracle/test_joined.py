#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ncu --trace against a join by hand: kernels of generated traces by SQL, beside pages of ncu with some of them.

Pages have whole names, names of functions, other grids, no shared memory, and kernels that the trace does not have. The reports
of the corpus are joined to traces whose first kernels were given their names and configurations.
"""
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import ncupage
import wl

CASES = [["--ranks", "2", "--layers", "2", "--iters", "5"], ["--ranks", "1", "--layers", "3", "--iters", "4", "--schema", "2026.4"]]


def wanted(found, rows):
    """The rows as the table must have them, by (kernel, grid, block, shared memory, where it is)."""
    pairs, rest = ncupage.join(found, rows)
    compute, table = sum(total for _, total, comm in found.values() if not comm), {}
    for (name, grid, block, shared), launches, partners in pairs:
        count, total = (sum(found[p][i] for p in partners) for i in (0, 1))
        mean = sum(row["gpu__time_duration.sum"] for row in launches) / len(launches)
        row = {"ncu_launches": len(launches), "ncu_mean": int(mean + 0.5)}
        if partners:
            row.update(count=count, sum=total, share=total / compute, avg=total // count, ratio=mean * count / total,
                       match="name" if partners[0][0] == name else "function")
        table[name, grid, block, shared, "both" if partners else "ncu"] = row
    for key in rest:
        count, total, comm = found[key]
        table[(*key, "trace")] = {"count": count, "sum": total, "share": None if comm else total / compute, "avg": total // count}
    return table


def same(a, b):
    return a == b or (isinstance(a, (int, float)) and isinstance(b, float) and abs(a - b) <= 1e-9 * abs(b))


def compare(page, trace, want):
    _, document = wl.run("ncu", page, "--trace", trace)
    wrong, seen = [], set()
    for row in document["rows"]:
        key = tuple(row[k] for k in ("kernel", "grid", "block", "shared", "in"))
        seen.add(key)
        if key not in want:
            wrong.append("%r is not expected" % (key,))
            continue
        for column in ("count", "sum", "share", "avg", "ratio", "match", "ncu_launches", "ncu_mean"):
            if not same(row[column], want[key].get(column)):
                wrong.append("%r: %s is %r, want %r" % (key, column, row[column], want[key].get(column)))
    return wrong + ["%r is missing" % (key,) for key in want if key not in seen]


def check_generated(path, scratch, seed):
    rng, found = random.Random(seed), ncupage.kernels(path)
    rows = ncupage.make(rng, found)
    page = os.path.join(scratch, "page.csv")
    ncupage.write(page, rows)
    return compare(page, path, wanted(found, rows))


def check_report(report, path, scratch):
    """Give the kernels of the trace, one name after another, the launches of a report."""
    _, document = wl.run("ncu", report)
    trace = os.path.join(scratch, "renamed.sqlite")
    shutil.copy(path, trace)
    db = sqlite3.connect(trace)
    names = [r[0] for r in db.execute("select distinct demangledName from CUPTI_ACTIVITY_KIND_KERNEL order by 1")]
    for name, row in zip(names, document["rows"]):
        grid, block = ([int(n) for n in row[k].split(",")] for k in ("grid", "block"))
        db.execute("update StringIds set value = ? where id = ?", (row["kernel"], name))
        db.execute("""update CUPTI_ACTIVITY_KIND_KERNEL set gridX = ?, gridY = ?, gridZ = ?, blockX = ?, blockY = ?, blockZ = ?,
                      staticSharedMemory = ?, dynamicSharedMemory = 0 where demangledName = ?""", (*grid, *block, row["shared"], name))
    db.commit()
    db.close()
    found, rows = ncupage.kernels(trace), []
    for row in document["rows"]:
        rows += [{"name": row["kernel"], "grid": row["grid"], "block": row["block"], "shared": row["shared"],
                  "gpu__time_duration.sum": row["duration"] / row["launches"]}] * row["launches"]
    return compare(report, trace, wanted(found, rows))


def reports(scratch):
    for name in sorted(os.listdir(wl.CORPUS)) if os.path.isdir(wl.CORPUS) else []:
        packed, path = os.path.join(wl.CORPUS, name, "report.ncu-rep.zst"), os.path.join(scratch, name + ".ncu-rep")
        if os.path.exists(packed):
            subprocess.run(["zstd", "-dqf", packed, "-o", path], check=True)
            yield path


def main():
    bad = checks = 0
    with tempfile.TemporaryDirectory(prefix="wl-oracle-") as scratch:
        for i, case in enumerate(CASES):
            path = os.path.join(scratch, "t%d.sqlite" % i)
            subprocess.run([sys.executable, os.path.join(wl.ROOT, "tests", "support", "gen_trace.py"), "-o", path, *case], check=True,
                           stdout=subprocess.DEVNULL)
            for seed in wl.seeds(8):
                wrong = check_generated(path, scratch, seed)
                checks, bad = checks + 1, bad + bool(wrong)
                print("\n".join("%s, seed %d: %s" % (" ".join(case), seed, line) for line in wrong[:5]), end="\n" if wrong else "")
        for report in reports(scratch):
            wrong = check_report(report, path, scratch)
            checks, bad = checks + 1, bad + bool(wrong)
            print("\n".join("%s: %s" % (report, line) for line in wrong[:5]), end="\n" if wrong else "")
    print("%d of %d joins agree" % (checks - bad, checks))
    return 1 if bad or not checks else 0


if __name__ == "__main__":
    sys.exit(main())
