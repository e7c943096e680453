#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kernels --by block against brute force from the definition: docs/definitions/kernels.md, Blocks.

On generated exports of nsys 2026.5, and on random small ones: kernels that share a correlation id and differ in the node, blocks
without times, of no kernel, of no length and that overlap on a multiprocessor, kernels that have warps alone.
"""
import os
import random
import sqlite3
import tempfile

import wl
from test_newest_schema import generate

COLUMNS = ("calls", "blocks", "sms", "span", "tail", "tail_share", "tail_idle", "imbalance", "block_avg", "block_max", "block_ratio", "warps", "warp_imbalance")
GP = 1 << 48 | 77 << 24
PIECE = "start INTEGER, end INTEGER, deviceId INTEGER, correlationId INTEGER, nodeId INTEGER, SMId INTEGER, globalPid INTEGER, BlockID INTEGER, UGPUId INTEGER, CGAId INTEGER"


def low(node):
    return (node or 0) & 0xffffffff


def pieces(db, table):
    """[{...}] with both times; an end before the start is the start."""
    if not db.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]:
        return []
    found = [dict(r) for r in db.execute("SELECT * FROM " + table)]
    found = [p for p in found if p["start"] is not None and p["end"] is not None]
    for p in found:
        p["end"] = max(p["start"], p["end"])
    return found


def owner(kernels, p):
    """The kernel of the same process, correlation id and node: the last that starts at or before it, else the first."""
    same = [k for k in kernels if k["globalPid"] == p["globalPid"] and k["correlationId"] == p["correlationId"] and low(k["graphNodeId"]) == low(p["nodeId"])]
    before = [k for k in same if k["start"] <= p["start"]]
    return max(before, key=lambda k: k["start"]) if before else min(same, key=lambda k: k["start"]) if same else None


def union(found):
    total, until = 0, None
    for p in sorted(found, key=lambda p: p["start"]):
        start = p["start"] if until is None else max(until, p["start"])
        total += max(0, p["end"] - start)
        until = p["end"] if until is None else max(until, p["end"])
    return total


def by(found, key):
    out = {}
    for p in found:
        out.setdefault(p[key], []).append(p)
    return out


def of_warps(warps):
    """The blocks that warps make."""
    out = []
    for mine in by(warps, "BlockID").values():
        first = min(mine, key=lambda p: (p["start"], p["SMId"]))
        out.append({"start": first["start"], "end": max(p["end"] for p in mine), "SMId": first["SMId"]})
    return out


def execution(blocks, warps):
    """The figures of one kernel; those that add up."""
    sms, begin, end = by(blocks, "SMId"), min(p["start"] for p in blocks), max(p["end"] for p in blocks)
    done = [max(p["end"] for p in mine) for mine in sms.values()]
    busy = [union(mine) for mine in sms.values()]
    per_block = [[w["end"] - w["start"] for w in mine] for mine in by(warps, "BlockID").values()]
    return {"calls": 1, "blocks": len(blocks), "sms": len(sms), "span": end - begin, "tail": end - min(done),
            "sm_span": len(sms) * (end - begin), "idle": sum(end - d for d in done), "busy": sum(busy), "most": len(sms) * max(busy),
            "sum": sum(p["end"] - p["start"] for p in blocks), "block_max": max(p["end"] - p["start"] for p in blocks),
            "warps": len(warps), "warp_sum": sum(map(sum, per_block)), "warp_most": sum(len(b) * max(b) for b in per_block)}


def share(part, whole):
    return part / whole if whole else None


def expected(path):
    """{name: {column: value}} and how many pieces are of no kernel."""
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    kernels = [dict(r) for r in db.execute("SELECT k.*, s.value AS name FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName")]
    of, foreign = {}, 0
    for table in ("BLOCK_TRACE", "WARP_TRACE"):
        index = {}
        for k in kernels:
            index.setdefault((k["globalPid"], k["correlationId"], low(k["graphNodeId"])), []).append(k)
        for p in pieces(db, table):
            kernel = owner(index.get((p["globalPid"], p["correlationId"], low(p["nodeId"])), []), p)
            if kernel is None:
                foreign += 1
            else:
                of.setdefault(id(kernel), (kernel, {}))[1].setdefault(table, []).append(p)
    db.close()
    out = {}
    for kernel, found in of.values():
        warps = found.get("WARP_TRACE", [])
        one = execution(found.get("BLOCK_TRACE") or of_warps(warps), warps)
        sums = out.setdefault(kernel["name"], dict.fromkeys(one, 0))
        for key, v in one.items():
            sums[key] = max(sums[key], v) if key in ("sms", "block_max") else sums[key] + v
    for s in out.values():
        s.update(tail_share=share(s["tail"], s["span"]), tail_idle=share(s["idle"], s["sm_span"]), imbalance=share(s["most"] - s["busy"], s["most"]),
                 block_avg=s["sum"] // s["blocks"], block_ratio=share(s["block_max"] * s["blocks"], s["sum"]),
                 warp_imbalance=share(s["warp_most"] - s["warp_sum"], s["warp_most"]), warps=s["warps"] or None)
    return out, foreign


def same(a, b):
    if isinstance(b, float) and isinstance(a, (int, float)):
        return abs(a - b) <= 1e-9 * max(1, abs(b))
    return a == b


def check(tally, name, path):
    want, foreign = expected(path)
    status, document = wl.run("kernels", path, "--by", "block")
    if not want and not foreign:
        tally.equal(name + ": no blocks", status, wl.NO_DATA)
        return
    got = {r["name"]: r for r in document["rows"]}
    wrong = ["only %s: %s" % (side, n) for side, n in [("here", n) for n in want if n not in got] + [("there", n) for n in got if n not in want]]
    for n in want:
        wrong += ["%s.%s: got %r, want %r" % (n, c, got[n].get(c), want[n][c]) for c in COLUMNS if n in got and not same(got[n].get(c), want[n][c])]
    tally.check(name + ": blocks by kernel", wrong)
    notes = " ".join(n["text"] if isinstance(n, dict) else n for n in document.get("notes", []))
    tally.equal(name + ": blocks of no kernel", ("%d of " % foreign) in notes if foreign else "are of no kernel" not in notes, True)


def random_trace(r, path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, "kernel_%s" % "abc"[i - 1]) for i in (1, 2, 3)])
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
               "demangledName INTEGER, shortName INTEGER, graphNodeId INTEGER)")
    kernels, at = [], 1000
    for i in range(r.randrange(1, 7)):
        length = r.randrange(1, 400)
        graph = r.random() < .3
        kernels.append((at, at + length, r.randrange(2), 1, 7, r.randrange(1, 4) if graph else 10 + i, GP + (r.randrange(2) << 24), r.randrange(1, 4), 1, (5 << 32 | r.randrange(1, 3)) if graph else None))
        at += length + r.randrange(50)
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%s)" % ",".join("?" * 10), kernels)
    for table, more in (("BLOCK_TRACE", ""), ("WARP_TRACE", ", WarpID INTEGER")):
        if r.random() < .2:
            continue
        db.execute("CREATE TABLE %s (%s%s)" % (table, PIECE, more))
        for k in kernels:
            if r.random() < .3:
                continue
            for i in range(r.randrange(1, 14)):
                start = k[0] + r.randrange(-5, k[1] - k[0] + 5)
                end = start + r.choice((0, -3, r.randrange(1, 120), r.randrange(1, 120)))
                node = k[9] if r.random() < .5 else low(k[9]) if k[9] else r.choice((None, 0))
                row = (start if r.random() < .97 else None, end if r.random() < .97 else None, k[2], k[5] if r.random() < .93 else 9999, node, r.randrange(4), k[6], r.randrange(5), 0, 0)
                db.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * (len(row) + bool(more)))), row + ((i,) if more else ()))
    db.commit()
    db.close()


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-blocks-") as directory:
        for name, options in (("plain", []), ("nodes", ["--graph", "node"])):
            check(tally, name, generate(directory, name, options))
        for seed in wl.seeds(60):
            path = os.path.join(directory, "random%d.sqlite" % seed)
            random_trace(random.Random(seed), path)
            check(tally, "random %d" % seed, path)
            os.remove(path)
    tally.finish()


if __name__ == "__main__":
    main()
