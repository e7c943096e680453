#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wrong answers of other tools that must not happen here, one named check each: F1 to F14 of docs/nsys-data.md, and more
of the same kind.

The numbers are written down by hand, counted by SQL in the trace, computed by the brute force of this directory, or
put in by the generator; none comes from the program. What a fact needs and no verb can show yet stands in its comment.
That no share of a whole exceeds 1 on any trace is in test_identities.py, that gaps are nsys's on all of them in
test_nsys_launch.py.
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

import idle
import intervals
import iters
import oracle
import wl
from nvtx import forest_of
from tracefile import Trace


def rows(verb, path, *arguments):
    status, document = wl.run(verb, path, *arguments)
    return document["rows"] if status == 0 else []


def total(table, column, **equal):
    return sum(r[column] for r in table if all(r[k] == v for k, v in equal.items()))


def coverage(path, what):
    """(have, of) of a population in the section `coverage` of `info`, or None."""
    _, document = wl.run("info", path)
    for section in document["sections"]:
        for row in section["rows"] if section["analysis"] == "coverage" else []:
            if row["what"] == what:
                return row["have"], row["of"]
    return None


def ask(path, query):
    """The first row of an SQL query."""
    with sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True) as db:
        return db.execute(query).fetchone()


def complaint(*arguments):
    """(exit status, what was written to stderr)"""
    p = subprocess.run([wl.WARPLENS, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    return p.returncode, p.stderr.decode("utf-8", "replace")


def launches_join_per_process(t, name, path):
    """F1: correlation ids collide between processes; the naive join gives 4,280 for the first, 129 for the last."""
    want = {"nsys-ai-mfu-2gpu-before": (3986, 4010), "nsys-ai-mfu-2gpu-after": (3577, 3587), "p2p-acc-4gpu-mpi-openacc": (45, 45),
            "nersc-sc22-nobroadcast-clockskew": (7751, 7787), "nsys-ai-h100-2gpu-1s": (1632, 3442)}
    if name in want:
        t.equal("F1 %s: kernels with a launch" % name, coverage(path, "kernels with a launch call"), want[name])
    if name == "nsys-ai-mfu-2gpu-before":
        nccl = [r for r in rows("kernels", path, "--by", "name") if r["name"].startswith("nccl")]
        t.equal("F1 NCCL kernels counted once", (total(nccl, "calls"), total(nccl, "sum")), (66, 25401752))
        nccl = rows("nccl", path)
        t.equal("F1 collectives counted once", (total(nccl, "calls"), total(nccl, "sum")), (66, 25401752))
    launched = {"nsys-ai-mfu-2gpu-before": 3986, "nsys-ai-mfu-2gpu-after": 3577, "p2p-acc-4gpu-mpi-openacc": 45}
    if name in launched:
        t.equal("F1 %s: launches" % name, total(rows("launch", path), "launched"), launched[name])


def attribution_joins_per_process(t, generate):
    """F1 where every id collides: a join on it alone gives each kernel the ranges of both ranks."""
    path, _ = generate("--ranks", "2", "--layers", "8", "--iters", "20")
    trace = Trace(path)
    want = sum(op.kind == "kernel" for op in forest_of(trace).direct)
    naive = ask(path, "SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN CUPTI_ACTIVITY_KIND_RUNTIME USING (correlationId)")[0]
    t.equal("F1 the generated ids collide", naive, 2 * sum(op.kind == "kernel" for op in trace.ops))
    t.equal("F1 kernels under ranges", total(rows("nvtx-kernels", path), "calls"), want)
    runs = [r for r in rows("nvtx", path) if r["name"] == "iteration #"]
    owned = sum(any(r.name.startswith("iteration ") for r in forest_of(trace).stack(op)) for op in trace.ops)
    t.equal("F1 operations of iterations", total(runs, "gpu_ops"), owned)


def graph_nodes_are_all_kernels(t, name, path):
    """F2: 22,022 kernels under 1,001 correlation ids, none lost."""
    if name == "instant-ngp-cudagraph-nodes":
        kernels, launches = ask(path, "SELECT COUNT(*), COUNT(DISTINCT correlationId) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId IS NOT NULL")
        memsets = ask(path, "SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_MEMSET WHERE graphNodeId IS NOT NULL")[0]
        t.equal("F2 what the trace has", (kernels, launches), (22022, 1001))
        t.equal("F2 all kernels", total(rows("kernels", path), "calls"), 36676)
        t.equal("F2 all have a launch", total(rows("launch", path), "launched"), 36676)
        graphs = rows("graphs", path)
        t.equal("F2 launches and replays", (total(graphs, "launches"), total(graphs, "replays")), (1001, 1001))
        t.equal("F2 kernels and memsets under them", sum(r["replays"] * r["nodes_per_replay"] for r in graphs), 22022 + memsets)


def graph_replays_are_busy_time(t, generate):
    """F2 in graph mode: no kernel rows, so no ranking of kernels, and the replays are not idle time."""
    path, truth = generate("--ranks", "2", "--layers", "2", "--iters", "6", "--graph", "graph", "--schema", "2026.4")
    t.equal("F2 kernels refuses", wl.run("kernels", path)[0], wl.NO_DATA)
    t.equal("F2 and names the flag", "--cuda-graph-trace=node" in complaint("kernels", path)[1], True)
    found = {r["device"]: (r["busy"], r["kernel_busy"]) for r in rows("overlap", path)}
    t.equal("F2 replays are busy", found, {int(r): (d["busy_ns"], 0) for r, d in truth["files"][0]["by_rank"].items()})


def graph_nodes_are_counted_one_by_one(t, generate):
    """F2 in node mode: a map from correlation id to kernel keeps one of each graph."""
    path, _ = generate("--ranks", "2", "--layers", "8", "--iters", "4", "--graph", "node")
    count, ids = ask(path, "SELECT COUNT(*), COUNT(DISTINCT globalPid || ' ' || correlationId) FROM CUPTI_ACTIVITY_KIND_KERNEL")
    t.equal("F2 the generated nodes share ids", ids < count, True)
    t.equal("F2 generated nodes", total(rows("kernels", path), "calls"), count)
    t.equal("F2 generated nodes with a launch", total(rows("launch", path), "launched"), count)


def copies_keep_the_device_busy(t, name, path):
    """F3."""
    if name == "nsys-ai-h100-2gpu-1s":
        row = next((r for r in rows("overlap", path) if r["device"] == 0), {})
        t.equal("F3 device 0", [row.get(c) for c in ("kernel_busy", "busy", "window", "idle")], [22385163, 962890247, 969447605, 6557358])


def long_queues_are_good(t, name, path):
    """F4: 814 of 816 launches wait more than 1 ms because the host runs ahead; idle time blames the launches for nearly nothing."""
    if name == "nsys-ai-h100-2gpu-1s":
        joined, late, waited = ask(path, """SELECT COUNT(*), SUM(k.start - r.end > 1000000), SUM(MAX(k.start - r.end, 0))
            FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
            ON r.correlationId = k.correlationId AND r.globalTid & ~0xFFFFFF = k.globalPid WHERE k.deviceId = 0""")
        t.equal("F4 what the trace has", (joined, late, round(waited / joined / 1e6, 1)), (816, 814, 366.8))
        table = rows("launch", path, "--gpu", "0")
        t.equal("F4 launches and their waits", (total(table, "launched"), sum(r["queue_sum"] or 0 for r in table)), (joined, waited))
        causes = {r["cause"]: r["sum"] for r in rows("idle", path, "--gpu", "0")}
        want = {r["cause"]: r["sum"] for r in idle.idle(oracle.Query(Trace(path), gpus={0}))}
        t.equal("F4 idle by cause", causes, want)
        t.check("F4 launches are not to blame", [] if causes["launch"] + causes["latency"] < 969447605 // 1000 else [causes])


def memory_kinds(t, name, path):
    """F5: kind 0 is pageable, 1 is pinned."""
    if name == "nsys-ai-h100-2gpu-1s":
        table = rows("transfers", path)
        pageable = [r for r in table if "pageable" in (r["src"], r["dst"])]
        t.equal("F5 pageable copies", (total(pageable, "ops"), total(pageable, "bytes")), (4, 3136))
        t.equal("F5 pinned copies", (total(table, "ops", kind="HtoD", src="pinned"), total(table, "ops", kind="DtoH", dst="pinned")), (446, 4))


def copy_kinds(t, name, path):
    """F6: the codes of "GPU rows" in docs/nsys-data.md."""
    want = {"icon-uvm-2025.1": {"managed HtoD": 4768, "managed DtoH": 742, "DtoH": 1},
            "gpubootcamp-jacobi-2gpu-nvlink": {"DtoH": 3003, "DtoD": 2000, "PtoP": 4004, "memset": 3006}}
    if name in want:
        table = rows("transfers", path)
        t.equal("F6 %s" % name, {k: total(table, "ops", kind=k) for k in {r["kind"] for r in table}}, want[name])


def sum_is_not_busy(t, name, path):
    """F7."""
    if name == "nsys-ai-mfu-2gpu-before":
        busy = next((r["kernel_busy"] for r in rows("overlap", path) if r["device"] == 0), None)
        t.equal("F7 sum and union", (total(rows("kernels", path), "sum", device=0), busy), (270875926, 270863484))


def windows_clip(t, name, path):
    """F8: a kernel across the edge counts on both sides with its parts."""
    if name == "nsys-ai-mfu-2gpu-before":
        whole = total(rows("kernels", path), "sum")
        first = wl.run("search", "flash_fwd_kernel", path)[1]["rows"][0]["first"]
        cut = first + 1000
        halves = [total(rows("kernels", path, "--window=" + w), "sum") for w in ("..%dns" % cut, "%dns.." % cut)]
        t.equal("F8 clipped parts add up", sum(halves), whole)


def devices_are_apart(t, name, path):
    """F9: one sweep over all devices lets the compute of one hide the SendRecv of another; the merged lengths are what must not be said."""
    want = {"nsys-ai-mfu-2gpu-before": ({0: 17172652, 1: 8229100}, 8946803), "nsys-ai-mfu-2gpu-after": ({0: 9989016, 1: 23753085}, 12912348)}
    if name in want:
        exposed, merged = want[name]
        trace = Trace(path)
        union = {c: intervals.union((o.start, o.end) for o in trace.ops if o.cls == c) for c in ("comm", "compute")}
        t.equal("F9 %s: one sweep over all" % name, intervals.length(intervals.subtract(union["comm"], union["compute"])), merged)
        t.equal("F9 %s: exposed, nccl" % name, {r["device"]: r["exposed"] for r in rows("nccl", path)}, exposed)
        table = rows("overlap", path)
        t.equal("F9 %s: exposed, overlap" % name, {r["device"]: r["exposed_comm"] for r in table}, exposed)
        t.check("F9 %s: never above the device's window" % name, [r for r in table if not r["exposed_comm"] <= r["comm"] <= r["busy"] <= r["window"]])


def straggler_is_the_shortest(t, generate):
    """F10: rank 2 computes longest, so it arrives last and its collectives are short; the long ones wait for it."""
    path, truth = generate("--ranks", "4", "--layers", "4", "--iters", "10", "--straggler", "2:1.15")
    _, document = wl.run("nccl", path)
    slow = truth["pids"][2]
    for kind in ("ReduceScatter", "AllReduce"):
        mine = {r["pid"]: r for r in document["rows"] if r["type"] == kind}
        t.equal("F10 shortest " + kind, min(mine, key=lambda p: mine[p]["sum"]), slow)
        t.equal("F10 last in every " + kind, {p: r["last"] for p, r in mine.items()}, {p: r["calls"] if p == slow else 0 for p, r in mine.items()})
        t.equal("F10 who does not wait in " + kind, [p for p, r in mine.items() if r["wait_all"] == 0], [slow])
    t.equal("F10 said", [n for n in document["notes"] if "GPU 2 makes the others" in n] != [], True)


def negative_times(t, name, path):
    """F12: one kernel of the skewed trace starts before 0 and is inside the window; NVTX rows before 0 are names, not time."""
    if name == "nersc-sc22-ddp-4gpu-baseline":
        t.equal("F12 NVTX rows before 0", ask(path, "SELECT COUNT(*), SUM(end IS NULL) FROM NVTX_EVENTS WHERE start < 0"), (34, 34))
        t.equal("F12 nothing of them is a range", total(rows("nvtx", path, "--window=..0ns"), "count"), 0)
    if name == "nersc-sc22-nobroadcast-clockskew":
        t.equal("F12 all kernels", total(rows("kernels", path), "calls"), 7787)
        t.equal("F12 kernels before 0", total(rows("kernels", path, "--window=..0ns"), "calls"), 1)


def skewed_clocks_prove_nothing(t, name, path):
    """All 7,751 joined kernels begin before their launch: no statement about host and GPU may be made."""
    if name == "nersc-sc22-nobroadcast-clockskew":
        t.equal("skew: early kernels", total(rows("launch", path), "negative"), 7751)
        t.equal("skew: causes of idle time", {r["cause"] for r in rows("idle", path)}, {"unknown"})
        t.equal("skew: what the GPU did during waits", {(r["gpu_idle"], r["gpu_busy"]) for r in rows("sync", path)}, {(None, None)})
        for verb in ("launch", "idle", "gaps", "sync"):
            t.check("skew: %s says so" % verb, [] if any("clocks" in n for n in wl.run(verb, path)[1]["notes"]) else ["no note"])


def nothing_is_said_as_nothing(t, name, path):
    """No GPU rows: exit 5, not zero; API rows are still answered."""
    if name in ("api-without-kernels", "jacc-nokernels-2026.2", "lab7-2025.6", "nvtx-end-null", "own-nvtx-demo"):
        for verb in ("kernels", "transfers", "overlap"):
            t.equal("%s %s: exit" % (name, verb), wl.run(verb, path)[0], wl.NO_DATA)
        calls = {"api-without-kernels": 13283, "nvtx-end-null": 6650}.get(name, 0)
        t.equal("%s: API calls" % name, total(rows("api", path), "calls"), calls)


def thousand_streams(t, name, path):
    """The fixture is called after its 1,000 stream operations; its kernels are on four streams."""
    if name == "streams-1000":
        table = rows("kernels", path, "--by", "stream")
        t.equal("streams", sorted((int(r["stream"]), r["calls"]) for r in table), [(13, 250), (14, 250), (15, 250), (16, 250)])


def styles(path):
    """Instances of ranges in `nvtx` by style."""
    table = rows("nvtx", path)
    return {s: total(table, "count", style=s) for s in {r["style"] for r in table}}


def unnamed_and_unclosed_ranges(t, name, path):
    """F11: ranges without text or textId, and a range whose end is NULL, are found."""
    if name == "nvtx-no-text":
        found = [r for r in wl.run("search", "unnamed", path)[1]["rows"] if r["kind"] == "nvtx"]
        t.equal("F11 ranges without a name", total(found, "count"), 1998)
        named = ask(path, "SELECT COUNT(*) FROM NVTX_EVENTS WHERE eventType = 59 AND text IS NOT NULL")[0]
        t.equal("F11 all ranges", styles(path), {"push/pop": 1998 + named})
    if name == "nvtx-end-null":
        t.equal("F11 a start/end range without an end", styles(path), {"start/end": 1})
        found = [r for r in wl.run("search", "^Model$", path)[1]["rows"] if r["kind"] == "nvtx"]
        t.equal("F11 a range without an end", [(r["count"], r["first"]) for r in found], [(1, 2401834855)])
    if name == "own-nvtx-demo":
        kinds = ask(path, "SELECT SUM(eventType = 59), SUM(eventType = 60), SUM(eventType = 59 AND textId IS NOT NULL) FROM NVTX_EVENTS")
        t.equal("F11 what the trace has", kinds, (35, 8, 6))
        t.equal("F11 ranges by style, nothing mixed", styles(path), {"push/pop": 35, "start/end": 8})
        registered = [r["count"] for r in rows("nvtx", path) if r["name"].endswith(":registered-name")]
        t.equal("F11 registered strings are names", registered, [6])
        parents = {r["parent"] for r in rows("tree", path)}
        t.equal("F11 start/end ranges are no parents", [r for r in rows("tree", path) if r["style"] == "start/end" and r["id"] in parents], [])


def totals_are_not_steps(t, name, path):
    """F13: the second cut has 9% less kernel time because it holds fewer periods; each of them is 12 to 15% longer.

    The fact's -29.43% is of whole runs that the corpus does not have; a verdict per iteration needs `diff`."""
    want = {"nsys-ai-mfu-2gpu-before": (535200650, {0: 299848812, 1: 298661551}, {0: 16665851, 1: 16682962}),
            "nsys-ai-mfu-2gpu-after": (488835406, {0: 299251215, 1: 299269422}, {0: 18655420, 1: 19199419})}
    if name in want:
        kernel_time, spans, medians = want[name]
        t.equal("F13 %s: kernel time" % name, total(rows("kernels", path), "sum"), kernel_time)
        t.equal("F13 %s: spans of devices, apart" % name, {r["device"]: r["last"] - r["first"] for r in rows("setup", path)}, spans)
        for source, table in (("warplens", rows("iters", path)), ("brute force", iters.rows(Trace(path)))):
            periods = {d: [r["period"] for r in table if r["device"] == d and r["period"] is not None] for d in spans}
            found = {d: oracle.percentile(p, 50) for d, p in periods.items() if p}
            t.equal("F13 %s: median periods, %s" % (name, source), found, medians)
        notes = wl.run("iters", path)[1]["notes"]
        t.check("F13 %s: the way is said" % name, [] if any("sequence of 119 kernels" in n for n in notes) else notes)


def names_without_builds(t, name, path):
    """F14: what a build changes in a name, its template arguments, is not in the base name. Matching by grid and position needs `diff`."""
    if name in ("nsys-ai-mfu-2gpu-before", "nsys-ai-mfu-2gpu-after"):
        table = rows("kernels", path, "--name", "base", "--by", "name")
        for base in ("at::native::vectorized_elementwise_kernel", "at::native::elementwise_kernel", "flash::flash_fwd_kernel"):
            calls, time, names = ask(path, """SELECT COUNT(*), SUM(end - start), COUNT(DISTINCT demangledName) FROM CUPTI_ACTIVITY_KIND_KERNEL
                JOIN StringIds ON id = demangledName WHERE value LIKE 'void %s<%%'""" % base)
            t.equal("F14 %s: %d builds of %s" % (name, names, base), [(r["calls"], r["sum"]) for r in table if r["name"] == base], [(calls, time)])
        t.equal("F14 %s: none lost" % name, total(table, "calls"), {"nsys-ai-mfu-2gpu-before": 4010, "nsys-ai-mfu-2gpu-after": 3587}[name])


def no_phantom_iterations(t, name, path):
    """A model load of 1 s has gaps of 2 ms and no iterations."""
    if name == "nsys-ai-h100-2gpu-1s":
        t.equal("the brute force finds none", iters.find_all(Trace(path)), {})
        status, text = complaint("iters", path)
        t.equal("no phantom iterations", (status, "no iterations found" in text, "--marker" in text), (wl.NO_DATA, True, True))


def gaps_of_all_engines(t, name, path):
    """gpu_gaps of docs/nsys-data.md, from 1 ms on: copies and memsets are no gaps, kernels alone would show 112 on the last."""
    want = {"nsightful-power-iteration-2025.3": (44, 652453545), "gpubootcamp-jacobi-2gpu-nvlink": (5, 369166770), "nsys-ai-h100-2gpu-1s": (0, 0)}
    if name in want:
        table = rows("gaps", path, "--min", "1ms")
        t.equal("gaps of %s" % name, (len(table), total(table, "duration")), want[name])


def idle_is_of_the_device(t, generate):
    """Gaps of streams added up are more than the device's idle time."""
    path, truth = generate("--ranks", "2", "--layers", "4", "--iters", "6")
    trace, naive = Trace(path), {0: 0, 1: 0}
    for device, stream in sorted({(op.device, op.stream) for op in trace.ops}):
        mine = [(op.start, op.end) for op in trace.ops if (op.device, op.stream) == (device, stream)]
        naive[device] += max(e for _, e in mine) - min(s for s, _ in mine) - intervals.length(intervals.union(mine))
    want = {int(r): d["idle_ns"] for r, d in truth["files"][0]["by_rank"].items()}
    table = [r for r in rows("idle", path) if r["cause"] != "unused"]
    t.equal("idle of devices", {d: total(table, "sum", device=d) for d in want}, want)
    t.check("is not that of streams", [] if all(naive[d] > want[d] for d in want) else [naive, want])


def few_rows(t, name, path):
    """Two kernels are enough for every verb: an answer, or that there is none."""
    if name == "nsys-ai-mock-2026.1":
        verbs = json.loads(subprocess.run([wl.WARPLENS, "--introspect"], stdout=subprocess.PIPE, check=True).stdout)["verbs"]
        for verb in (v["name"] for v in verbs if v["kind"] == "analysis" and v["name"] not in ("search", "phases")):
            t.equal("few rows: %s" % verb, wl.run(verb, path)[0] in (0, wl.NO_DATA), True)
        t.equal("few rows: kernels", total(rows("kernels", path), "calls"), 2)


FACTS = [launches_join_per_process, graph_nodes_are_all_kernels, copies_keep_the_device_busy, long_queues_are_good, memory_kinds,
         copy_kinds, sum_is_not_busy, windows_clip, devices_are_apart, unnamed_and_unclosed_ranges, negative_times,
         totals_are_not_steps, names_without_builds, skewed_clocks_prove_nothing, nothing_is_said_as_nothing, thousand_streams,
         no_phantom_iterations, gaps_of_all_engines, few_rows]
GENERATED = [attribution_joins_per_process, graph_replays_are_busy_time, graph_nodes_are_counted_one_by_one,
             straggler_is_the_shortest, idle_is_of_the_device]


def on_generated(tally):
    with tempfile.TemporaryDirectory(prefix="wl-facts-") as scratch:
        path = os.path.join(scratch, "t.sqlite")

        def generate(*options):
            """Makes a trace in place of the one before; its path and what was put in."""
            generator = os.path.join(wl.ROOT, "tests", "support", "gen_trace.py")
            subprocess.run([sys.executable, "-B", generator, "-o", path, *options], stdout=subprocess.DEVNULL, check=True)
            with open(path + ".truth.json", encoding="utf-8") as f:
                return path, json.load(f)
        for fact in GENERATED:
            fact(tally, generate)


def main():
    tally = wl.Tally()
    on_generated(tally)
    if os.path.isdir(wl.CORPUS):
        for name, path in wl.corpus_traces(main_only=True):
            for fact in FACTS:
                fact(tally, name, path)
    else:
        print("corpus skipped: not at", wl.CORPUS)
    tally.finish()


if __name__ == "__main__":
    main()
