#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mfu against a computation by hand, on traces of tools/gen_trace.py: steps and ranges, from SQL and plain loops.

The generator's GPU is an H100 SXM: 989.4 TFLOP/s dense in BF16 (H100 whitepaper). FLOPs of the model are the formula of
docs/definitions/mfu.md, written out for one shape.
"""
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

import intervals
import ncupage
import wl
from conventions import GENERIC, stage_of
from nvtx import forest_of, label
from tracefile import Trace

PEAK = 989.4e12
CASES = [["--ranks", "2", "--layers", "2", "--iters", "5"],
         ["--ranks", "4", "--layers", "4", "--iters", "6", "--straggler", "2:1.15", "--schema", "2026.4"],
         ["--ranks", "2", "--layers", "2", "--iters", "6", "--stall", "2:5ms"]]
LAYERS, HIDDEN, HEADS, KV, FFN, VOCAB, SEQ, TOKENS = 4, 512, 8, 2, 2048, 5000, 256, 100_000
SHAPE = "layers=%d,hidden=%d,heads=%d,kv_heads=%d,ffn=%d,vocab=%d,gated=true" % (LAYERS, HIDDEN, HEADS, KV, FFN, VOCAB)


def model_flops():
    """A step: 3 passes, 2 FLOPs per weight and token, causal attention."""
    head = HIDDEN // HEADS
    layer = HIDDEN * HIDDEN + 2 * HIDDEN * KV * head + HIDDEN * HIDDEN + 3 * HIDDEN * FFN
    attention = LAYERS * 2 * (2 * SEQ / 2 * HEADS * head)
    return 3 * (2 * (LAYERS * layer + HIDDEN * VOCAB) + attention) * TOKENS


def union(intervals):
    total, end = 0, None
    for a, b in sorted(intervals):
        if end is None or a > end:
            total, end = total + b - a, b
        elif b > end:
            total, end = total + b - end, b
    return total


def clip(ops, lo, hi):
    return [(max(a, lo), min(b, hi)) for a, b, _, _ in ops if a < hi and b > lo]


def load(path):
    """By process: operations (start, end, whether a compute kernel, launch) and ranges (start, end, name, thread)."""
    db = sqlite3.connect("file:%s?immutable=1" % path, uri=True)
    names = dict(db.execute("select id, value from StringIds"))
    calls = {(tid >> 24, corr): (start, end, tid)
             for start, end, tid, corr in db.execute("select start, end, globalTid, correlationId from CUPTI_ACTIVITY_KIND_RUNTIME")}
    tables = {r[0] for r in db.execute("select name from sqlite_master")}
    ops, ranges = {}, {}
    for table, name in (("KERNEL", "shortName"), ("MEMCPY", "NULL"), ("MEMSET", "NULL")):
        if "CUPTI_ACTIVITY_KIND_" + table not in tables:
            continue
        for start, end, pid, corr, text in db.execute("select start, end, globalPid, correlationId, %s from CUPTI_ACTIVITY_KIND_%s" % (name, table)):
            text = names.get(text, "")
            compute = table == "KERNEL" and not text.startswith("nccl") and "all_reduce" not in text
            ops.setdefault(pid >> 24, []).append((start, end, compute, calls.get((pid >> 24, corr))))
    for start, end, tid, text, at in db.execute("select start, end, globalTid, text, textId from NVTX_EVENTS where eventType = 59"):
        ranges.setdefault(tid >> 24, []).append((start, end, text or names.get(at, ""), tid))
    db.close()
    return {p: sorted(o, key=lambda x: x[:2]) for p, o in ops.items()}, ranges


def begins(ops, ranges):
    """Where the steps of a process begin on its GPU."""
    marks = sorted(r for r in ranges if r[2].startswith("iteration"))
    first = []
    for lo, hi, _, _ in marks:
        own = [o[0] for o in ops if o[3] and lo <= o[3][0] < hi]
        if own:
            first.append(min(own))
    return first


def steps(ops, ranges):
    """(wall, busy, kernel sum) of each step of a process but the last."""
    first = begins(ops, ranges)
    return [(b - a, union(clip(ops, a, b)), sum(o[1] - o[0] for o in ops if o[2] and a <= o[0] < b)) for a, b in zip(first, first[1:])]


def range_times(ops, ranges, name):
    """The same of all outermost ranges with a name, by the calls inside them on their thread or, on others, while they are open."""
    found, named = [], [r for r in ranges if name in r[2]]
    for lo, hi, text, tid in sorted(named):
        if not any((a, b) != (lo, hi) and a <= lo and hi <= b for a, b, _, _ in named):
            own = [o for o in ops if o[3] and lo <= o[3][0] < hi and (o[3][2] != tid or o[3][1] <= hi)]
            if own:
                found.append((max(o[1] for o in own) - min(o[0] for o in own), [o[:2] for o in own], sum(o[1] - o[0] for o in own if o[2])))
    walls, every, kernels = [f[0] for f in found], [i for f in found for i in f[1]], [f[2] for f in found]
    return len(found), sum(walls), union(every), sum(kernels)


def differs(row, want):
    return ["%s: got %r, want %r" % (k, row[k], v) for k, v in want.items()
            if not (row[k] == v if isinstance(v, int) else row[k] is not None and abs(row[k] - v) <= 1e-9 * abs(v))]


def expected(pieces, wall, busy, kernels, flops, gpus):
    share = flops / gpus * pieces
    return {"pieces": pieces, "wall": wall // pieces, "busy": busy // pieces, "kernel_sum": kernels // pieces,
            "theoretical_flops": float(flops), "peak_tflops": 989.4, "tflops": share / wall / 1e3,
            "mfu": share / (wall * 1e-9 * PEAK), "mfu_busy": share / (busy * 1e-9 * PEAK),
            "mfu_kernels": share / (kernels * 1e-9 * PEAK)}


def check_steps(path, ops, ranges):
    flops, gpus, wrong = model_flops(), len(ops), []
    by_process = [steps(ops[p], ranges[p]) for p in sorted(ops)]
    _, document = wl.run("mfu", path, "--shape", SHAPE, "--tokens", TOKENS, "--seq", SEQ)
    if len(document["rows"]) != len(by_process[0]):
        return ["%d rows, want %d" % (len(document["rows"]), len(by_process[0]))]
    for i, row in enumerate(document["rows"]):
        sums = [sum(p[i][k] for p in by_process) for k in range(3)]
        wrong += ["step %d: %s" % (i, d) for d in differs(row, {"iter": i, **expected(gpus, *sums, flops, gpus)})]
    return wrong


def check_ranges(path, ops, ranges):
    given, gpus, wrong = {"forward": 2 * 10**11, "backward": 4 * 10**11}, len(ops), []
    _, document = wl.run("mfu", path, *[x for n, f in given.items() for x in ("--flops", "%s=%g" % (n, f))])
    for row in document["rows"]:
        sums = [sum(v) for v in zip(*(range_times(ops[p], ranges[p], row["range"]) for p in ops))]
        wrong += ["%s: %s" % (row["range"], d) for d in differs(row, expected(*sums, given[row["range"]], gpus))]
    return wrong + ([] if len(document["rows"]) == 2 else ["%d rows" % len(document["rows"])])


def group_rows(trace, group, runs):
    """By group: counts and times of its operations, and what their kernels executed; group gives None or (name, piece)."""
    flop = {(p, corr): f for p, launches in runs.items() for _, f, corr in launches}
    found = {}
    for op in trace.ops:
        at = group(op)
        if at:
            found.setdefault(at[0], {}).setdefault((op.device, at[1]), []).append(op)
    out = {}
    for name, pieces in found.items():
        ops = [op for piece in pieces.values() for op in piece]
        kernels = [op for op in ops if op.kind == "kernel" and op.cls == "compute"]
        told = [flop[op.process, op.correlation] for op in kernels]
        out[name] = {
            "pieces": len(pieces),
            "wall": sum(max(o.end for o in piece) - min(o.start for o in piece) for piece in pieces.values()),
            "busy": sum(intervals.length(intervals.union((o.start, o.end) for o in ops if o.device == d)) for d in {o.device for o in ops}),
            "kernels": sum(o.end - o.start for o in kernels),
            "measured": sum(o.end - o.start for o, f in zip(kernels, told) if f is not None),
            "flops": sum(f or 0 for f in told)}
    return out


def check_groups(path, scratch, page, runs):
    """The same of stages, of a phase map and of ranges; a row with less than 90% of its kernel time has no share."""
    peak, trace, wrong, phase_map = 5e6, Trace(path), [], os.path.join(scratch, "phases.json")
    forest, n_gpus = forest_of(trace), len({op.device for op in trace.ops})
    with open(phase_map, "w", encoding="utf-8") as out:
        out.write('{"go": ["re:^forward$", "re:^backward$"], "end": ["optimizer"]}')

    def stage(op):
        return stage_of(GENERIC, forest.stack(op), label, forest.above.get(op, ()))[0], 0

    def among(names):
        def group(op):
            around = [r for r in list(forest.stack(op)) + list(forest.above.get(op, ())) if r.name in names]
            outermost = min(around, key=lambda r: r.start) if around else None
            return outermost and (names[outermost.name], outermost)
        return group
    cases = [("stage", stage, ["--by", "stage"]),
             ("phase", among({"forward": "go", "backward": "go", "optimizer": "end"}), ["--by", "phase", "--phase-map", phase_map]),
             ("range", among({"backward": "backward"}), ["--range", "backward"])]
    for key, group, options in cases:
        want = group_rows(trace, group, runs)
        _, document = wl.run("mfu", path, "--ncu", page, "--peak", "%d" % peak, *options)
        if {r[key] for r in document["rows"]} != set(want):
            wrong.append("by %s: %s, want %s" % (key, sorted(r[key] for r in document["rows"]), sorted(want)))
            continue
        for row in document["rows"]:
            w = want[row[key]]
            told = w["kernels"] > 0 and w["measured"] >= 0.9 * w["kernels"]
            cells = {"pieces": w["pieces"], "busy": w["busy"] // w["pieces"], "kernel_sum": w["kernels"] // w["pieces"]}
            if key != "stage":
                cells["wall"] = w["wall"] // w["pieces"]
            if told:
                cells["theoretical_flops"] = w["flops"] if key == "stage" else w["flops"] / w["pieces"] * n_gpus
                cells["hfu_busy"] = w["flops"] / (w["busy"] * 1e-9 * peak * 1e12)
                cells["hfu_kernels"] = w["flops"] / (w["kernels"] * 1e-9 * peak * 1e12)
                if key != "stage":
                    cells["hfu"] = w["flops"] / (w["wall"] * 1e-9 * peak * 1e12)
            elif row["hfu_busy"] is not None:
                wrong.append("by %s, %s: a share of what was not measured" % (key, row[key]))
            wrong += ["by %s, %s: %s" % (key, row[key], d) for d in differs(row, cells)]
    return wrong


def check_ncu(path, scratch, ops, ranges, seed):
    """FLOPs of each launch from a page of ncu, which leaves out less than a tenth of the compute kernel time."""
    rng, found, page, wrong = random.Random(seed), ncupage.kernels(path), os.path.join(scratch, "page.csv"), []
    compute = {k: v for k, v in found.items() if not v[2]}
    least, rows = min(compute, key=lambda k: compute[k][1]), []
    for key in sorted(compute):
        rows += [ncupage.launch(rng, *key) for _ in range(rng.randrange(1, 3))] if key != least else []
    ncupage.write(page, rows)
    flop = {}
    for key, launches, partners in ncupage.join(found, rows)[0]:
        at = ncupage.place(launches)
        for p in partners:
            flop[p] = at["tflops"] * 1e12 * at["ncu_mean"] / 1e9
    db = sqlite3.connect("file:%s?immutable=1" % path, uri=True)
    runs = {}
    for start, pid, corr, *key in db.execute("""select start, globalPid, correlationId, s.value, gridX || ',' || gridY || ',' || gridZ,
            blockX || ',' || blockY || ',' || blockZ, staticSharedMemory + dynamicSharedMemory
            from CUPTI_ACTIVITY_KIND_KERNEL join StringIds s on s.id = demangledName"""):
        runs.setdefault(pid >> 24, []).append((start, flop.get(tuple(key)), corr))
    db.close()
    want = {}
    for p in ops:
        first = begins(ops[p], ranges[p])
        for i, (a, b) in enumerate(zip(first, first[1:])):
            done = want.setdefault(i, [0, 0])
            done[0] += sum(f or 0 for start, f, _ in runs[p] if a <= start < b)
            done[1] += b - a
    wrong += check_groups(path, scratch, page, runs)
    peak = 5e6  # the counters are random: the peak must be high enough
    _, document = wl.run("mfu", path, "--ncu", page, "--peak", "%d" % peak)
    for row in document["rows"]:
        flops, wall = want[row["iter"]]
        wrong += ["step %d: %s" % (row["iter"], d) for d in differs(row, {"theoretical_flops": flops, "tflops": flops / wall / 1e3,
                                                                        "hfu": flops / (wall * 1e-9 * peak * 1e12)})]
    ncupage.write(page, [r for r in rows if "gemm" not in r["name"]])
    if not wl.refuses("mfu", path, "--ncu", page, "--peak", "1000000"):
        wrong.append("too small a part of the kernel time is not refused")
    return wrong + ([] if len(document["rows"]) == len(want) else ["%d rows, want %d" % (len(document["rows"]), len(want))])


def main():
    bad = 0
    with tempfile.TemporaryDirectory(prefix="wl-oracle-") as scratch:
        for i, case in enumerate(CASES):
            path = os.path.join(scratch, "t%d.sqlite" % i)
            subprocess.run([sys.executable, os.path.join(wl.ROOT, "tests", "support", "gen_trace.py"), "-o", path, *case], check=True, stdout=subprocess.DEVNULL)
            ops, ranges = load(path)
            wrong = check_steps(path, ops, ranges) + check_ranges(path, ops, ranges) + check_ncu(path, scratch, ops, ranges, i)
            if not wl.refuses("mfu", path, "--flops", "1e18"):
                wrong.append("more than the peak is not refused")
            for line in wrong[:10]:
                print(" ".join(case) + ": " + line)
            bad += bool(wrong)
    print("%d of %d traces agree" % (len(CASES) - bad, len(CASES)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
