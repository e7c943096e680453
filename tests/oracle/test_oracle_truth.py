#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The oracle of sections 2 to 9 against the truth files of tools/gen_trace.py; warplens is not run.

Differences by definition, each asserted exactly:
 * the truth's compute is kernels only, ours counts memsets and graph rows too: the exposed communication that memsets
   hide is the whole difference;
 * the truth's idle is of the device's own span: ours without `unused`;
 * the truth counts a range's instances that own operations, by exact name with iterations folded.
The truth has no smallest and largest overlap per (rank, stage): both are recomputed here kernel by kernel, from the rows.
"""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

import comm
import exposure
import idle
import intervals
import iters
import launch
import layout
import oracle
import ranges
import windows
import wl
from conventions import GENERIC, PITHTRAIN
from nvtx import exact_label, forest_of
from tracefile import Trace

SMALL = ["--ranks", "2", "--layers", "2", "--variants", "2"]
CASES = [SMALL + ["--iters", "6"],
         SMALL + ["--iters", "5", "--stall", "3:20ms"],
         ["--ranks", "4", "--layers", "2", "--iters", "5", "--variants", "2", "--straggler", "2:1.15", "--schema", "2026.4"],
         ["--ranks", "4", "--layers", "2", "--iters", "4", "--variants", "2", "--moe", "--chunks", "2"],
         ["--ranks", "2", "--layers", "3", "--iters", "30", "--variants", "3", "--serving"],
         ["--ranks", "2", "--layers", "3", "--iters", "14", "--variants", "3", "--serving", "--graph", "none"],
         ["--ranks", "2", "--layers", "3", "--iters", "14", "--variants", "3", "--serving", "--graph", "graph", "--schema", "2026.4"],
         SMALL + ["--iters", "5", "--graph", "node"],
         SMALL + ["--iters", "5", "--graph", "graph", "--schema", "2026.4"]]


def differ(got, want):
    return [] if got == want else ["oracle %r, truth %r" % (got, want)]


class Case:
    def __init__(self, path, options, truth, tally):
        self.trace, self.options, self.truth, self.tally = Trace(path), options, truth, tally
        self.path, self.what = path, " ".join(options)
        self.ranks = {int(r): d for r, d in truth["files"][0]["by_rank"].items()}
        self.process = {r: (1 << 24) | pid for r, pid in enumerate(truth["pids"])}
        self.serving, self.moe = truth["workload"] == "serving", truth["workload"] == "moe"
        self.opaque = truth["graph"] == "graph"

    def check(self, what, differences):
        self.tally.check("%s: %s" % (what, self.what), differences)


# --- definitions/time.md and idle.md ----------------------------------------------------------------------

def accounting(case):
    """Busy, idle without unused, exposed communication with and without what memsets hide."""
    for rank, d in case.ranks.items():
        query = oracle.Query(case.trace, gpus={rank})
        row = exposure.by_device(query)[0]
        case.check("busy, rank %d" % rank, differ(row["busy"], d["busy_ns"]))
        whole = oracle.Query(case.trace)                # the window of all devices: the rest is unused
        causes = [r for r in idle.idle(whole) if r["device"] == rank]
        case.check("idle without unused, rank %d" % rank, differ(sum(r["sum"] for r in causes if r["cause"] != "unused"), d["idle_ns"]))
        if case.opaque:
            if not any(op.cls == "comm" for op in case.trace.ops):
                case.check("opaque graphs tell no communication, rank %d" % rank, differ((row["comm"], row["exposed"]), (None, None)))
            continue
        hidden = hidden_by_memsets(case.trace, rank)
        case.check("comm, rank %d" % rank, differ(row["comm"], d["comm_union_ns"]))
        case.check("exposed, rank %d" % rank, differ(row["exposed"] + hidden, d["exposed_comm_ns"]))


def hidden_by_memsets(trace, device, window=None):
    """Communication that memsets cover and no compute kernel does: what the truth calls exposed and we do not."""
    ops = [op for op in trace.ops if op.device == device]
    sets = {k: intervals.union((op.start, op.end) for op in ops if keep(op)) for k, keep in
            {"memset": lambda o: o.kind == "memset", "comm": lambda o: o.cls == "comm",
             "kernels": lambda o: o.kind == "kernel" and o.cls == "compute"}.items()}
    only = intervals.intersect(intervals.subtract(sets["comm"], sets["kernels"]), sets["memset"])
    return intervals.length(intervals.clipped(only, window) if window else only)


def stages(case):
    """overlap by stage of the expert stream: kernels, sums, overlap, smallest and largest, for every (rank, stage)."""
    if not case.moe:
        return
    rows = exposure.by_stage(oracle.Query(case.trace), PITHTRAIN)
    for rank, d in case.ranks.items():
        mine = {r["stage"]: r for r in rows if r["device"] == rank and r["comm_calls"] and r["stage"].startswith("stage")}
        case.check("rank of the rows, rank %d" % rank, differ({r["rank"] for r in mine.values()}, {rank}))
        got = {s: {"kernels": r["comm_calls"], "comm_ns": r["comm_sum"], "exposed_ns": r["exposed_sum"]} for s, r in mine.items()}
        case.check("stages, rank %d" % rank, differ(got, d["a2a_by_stage"]))
        extremes = stage_extremes(case.path, case.process[rank])
        for stage, r in mine.items():
            want = d["a2a_by_stage"][stage]
            overlap = 1 - want["exposed_ns"] / want["comm_ns"]
            case.check("overlap of %s, rank %d" % (stage, rank), [] if abs(r["overlap"] - overlap) < 1e-9 else [(r["overlap"], overlap)])
            case.check("extremes of %s, rank %d" % (stage, rank),
                       [(r["overlap_min"], r["overlap_max"], extremes[stage])]
                       if max(abs(r["overlap_min"] - extremes[stage][0]), abs(r["overlap_max"] - extremes[stage][1])) > 1e-9 else [])


def stage_extremes(path, process):
    """{stage: (smallest, largest overlap of a kernel)}, straight from the rows, memsets left out."""
    db = sqlite3.connect(path)
    names = dict(db.execute("SELECT id, value FROM StringIds"))
    kernels = [r for r in db.execute("SELECT start, end, streamId, correlationId, shortName FROM CUPTI_ACTIVITY_KIND_KERNEL "
                                     "WHERE globalPid = ? ORDER BY start", (process << 24,))]
    calls = {c: (t, g) for t, g, c in db.execute("SELECT start, globalTid, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME "
                                                 "WHERE globalTid >> 24 = ?", (process,))}
    nested = [r for r in db.execute("SELECT start, end, text, globalTid FROM NVTX_EVENTS WHERE eventType = 59 AND domainId = 0 "
                                    "AND globalTid >> 24 = ?", (process,))]
    db.close()
    compute = [(a, b) for a, b, _, _, n in kernels if not names[n].startswith("nccl")]
    found = {}
    for a, b, stream, c, _ in kernels:
        if stream == 24:
            t, thread = calls[c]
            text = min((r for r in nested if r[3] == thread and r[0] <= t <= r[1]), key=lambda r: r[1] - r[0])[2]
            covered = sum(min(b, e) - max(a, s) for s, e in compute if s < b and a < e)    # one compute stream: never two at once
            found.setdefault(re.findall("stage[1-5]_[fbw]", text)[-1], []).append(covered / (b - a))
    return {stage: (min(v), max(v)) for stage, v in found.items()}


def stalls(case):
    """The injected stall, and the scheduler's time before each serving step, are host time with the right place."""
    option = case.truth["stall"]
    if option:
        at, length = int(option.split(":")[0]), int(option.split(":")[1].rstrip("ms")) * 10 ** 6
        for rank in case.ranks:
            longest = idle.gaps(oracle.Query(case.trace, gpus={rank}))[0]
            inside = length <= longest["duration"] < length + 2_000_000 and longest["cause"] == "host"
            before = longest["start"] < case.truth["iteration_start_ns"][at] < longest["start"] + longest["duration"] + 1_000_000
            case.check("stall, rank %d" % rank, [] if inside and before else [longest])
    if case.serving:
        for rank in case.ranks:
            rows = idle.idle(oracle.Query(case.trace, gpus={rank}), detail=True)
            got = sum(r["sum"] for r in rows if (r["cause"], r["detail"]) == ("host", "schedule"))
            # each step: 300 ns of the range before, and up to 3 us of jitter after, the scheduler's time; the first step has no gap
            wanted = case.truth["host_gap_ns"][1:]
            low, high = sum(wanted) + 300 * len(wanted), sum(wanted) + 3300 * len(wanted)
            case.check("schedule, rank %d" % rank, [] if low <= got < high else [(low, got, high)])


# --- sections 5 and 6 -------------------------------------------------------------------------------------

def projection(case):
    """Instances with operations, projected time and operations, by exact name, for every range of the truth."""
    forest = forest_of(case.trace)
    direct, _ = ranges.inclusive(forest)
    for rank, d in case.ranks.items():
        got = {}
        for r, ops in direct.items():
            if r.process == case.process[rank] and ops:
                name = re.sub(r"^iteration \d+$", "iteration *", exact_label(r))
                row = got.setdefault(name, {"instances": 0, "projected_ns": 0, "gpu_ops": 0})
                row["instances"] += 1
                row["projected_ns"] += max(op.end for op in ops) - min(op.start for op in ops)
                row["gpu_ops"] += len(ops)
        case.check("projection, rank %d" % rank, differ(got, d["nvtx_projected"]))
    rows = {r["name"]: r for r in ranges.nvtx(oracle.Query(case.trace), exact=True)}
    for name, row in rows.items():
        truth = [d["nvtx_projected"][name] for d in case.ranks.values() if name in d["nvtx_projected"]]
        if truth:
            case.check("nvtx row %s" % name, differ((row["projected"], row["gpu_ops"]), tuple(sum(t[c] for t in truth) for c in ("projected_ns", "gpu_ops"))))


def bridging(case):
    """Training: the autograd thread's launches are bridged into `backward` of the main thread, and nothing else."""
    if case.truth["workload"] != "train" or case.truth["graph"] != "none":
        return
    rows = {r["name"]: r for r in ranges.nvtx(oracle.Query(case.trace))}
    foreign = [op for op in case.trace.ops if op.launch and op.launch.thread & 0xFFFFFF != op.launch.pid]
    case.check("bridged operations", differ((rows["backward"]["bridged"], rows["iteration #"]["bridged"], rows["forward"]["bridged"]),
                                            (len(foreign), len(foreign), 0)))
    covered = ranges.coverage(oracle.Query(case.trace))
    case.check("all kernels are inside ranges", differ(covered["bridged"][0], covered["bridged"][1]))


def spans(case):
    """Iterations with their GPU spans, busy time and exposed communication, for each rank, with and without markers."""
    marker = {"train": None, "moe": "iteration", "serving": "schedule"}[case.truth["workload"]]
    starts, lengths = case.truth["iteration_start_ns"], case.truth["iteration_len_ns"]
    for rank, d in case.ranks.items():
        found = iters.find(case.trace, case.process[rank], marker, GENERIC)
        case.check("method, rank %d" % rank, differ((found.method, len(found.iterations)), ("marker" if marker else "nvtx", len(starts))))
        outside = [(i, a) for i, (a, s, n) in enumerate(zip([x.first for x in found.iterations], starts, lengths)) if not s <= a < s + n]
        case.check("iterations start inside, rank %d" % rank, outside)
        if not case.serving:
            got = [i.last - i.first for i in found.iterations]
            case.check("spans, rank %d" % rank, differ(got, d["iteration_gpu_span_ns"]))
        rows = [r for r in iters.rows(case.trace, marker) if r["device"] == rank]
        got, hidden = [], []
        for tile in found.tiles():
            row = oracle.overlap(oracle.Query(case.trace, gpus={rank}, window=lambda _, t=tile: t))[0]
            got.append(row["busy"])
            hidden.append(hidden_by_memsets(case.trace, rank, tile))
        want = list(d["busy_per_iteration_ns"])
        if case.serving:                                # the last tile ends with the marker's own operations
            got, want = got[:-1], want[:-1]
        case.check("busy per iteration, rank %d" % rank, differ(got, want))
        if not case.opaque:
            got = [r["exposed_comm"] + h for r, h in zip(rows, hidden)]
            case.check("exposed per iteration, rank %d" % rank, differ(got[:-1], d["exposed_comm_per_iteration_ns"][:-1]))
        parts = [sum(r[c] or 0 for c in ("compute", "exposed_comm", "exposed_copy", "idle")) for r in rows]
        case.check("parts, rank %d" % rank, differ(parts, [r["period"] if r["period"] is not None else r["span"] for r in rows]))


def steady_window(case):
    """The steady iteration has the median period of the true ones, and its window is that iteration's."""
    if case.serving:
        return
    starts, found = case.truth["iteration_start_ns"], iters.find_all(case.trace, "iteration", GENERIC)
    largest = [max(of) for of in zip(*(f.periods() for f in found.values()))]
    for rank in case.ranks:
        n = iters.steady(found)[case.process[rank]]
        inner = largest[1:] if len(starts) >= 5 else largest
        case.check("steady, rank %d" % rank, differ(largest[n], oracle.percentile(inner, 50)))
        window = windows.steady_windows(case.trace, "iteration")[case.process[rank]]
        case.check("steady window, rank %d" % rank, [] if starts[n] <= window[0] < window[1] and window[1] > starts[n + 1] else [window, n])


def marker_free(case):
    """Without any range the kernel sequence repeats with the iterations, and each period begins inside one; with opaque
    graphs and no kernel rows nothing is claimed. Where two prefills are an even number of eager serving steps apart,
    and little else is there, two steps repeat better than one: that is what the definition says, and why it is noted."""
    starts, lengths = case.truth["iteration_start_ns"], case.truth["iteration_len_ns"]
    for rank in case.ranks:
        mine = [op for op in case.trace.ops if op.process == case.process[rank]]
        found = iters.from_sequence(case.trace, mine)
        if not any(op.kind == "kernel" for op in mine):
            case.check("no guess without kernels, rank %d" % rank, differ(found, None))
        elif not case.opaque:
            first = [i.first for i in found.iterations] if found else []
            where = [next((n for n, (s, l) in enumerate(zip(starts, lengths)) if s <= t < s + l), None) for t in first]
            step = 2 if case.serving and case.truth["graph"] == "none" else 1
            case.check("marker-free, rank %d" % rank, differ(where, list(range(step - 1, len(starts), step))))


# --- the rest ---------------------------------------------------------------------------------------------

def who(case):
    if case.moe:
        rows = layout.setup(case.trace)
        labels = ["rank=%d; pp=%s dp=%s cp=%s ep=%s; mbs=%s seq=%s" % tuple(r[k] for k in ("rank", "pp", "dp", "cp", "ep", "mbs", "seq")) for r in rows]
        case.check("setup", differ(labels, case.truth["setup"]))
        found = layout.streams(oracle.Query(case.trace), PITHTRAIN)
        purposes = {(r["device"], r["purpose"]): r["stream"] for r in found if r["class"] == "comm"}
        s = case.truth["streams"]
        want = {(rank, purpose): s[key] for rank in case.ranks
                for purpose, key in (("ep_a2a", "ep_a2a"), ("pp_p2p", "pp_p2p"), ("unknown", "optimizer_nccl"))}
        case.check("streams", differ(purposes, want))
    if case.truth["straggler"]:
        slow = case.truth["pids"][int(case.truth["straggler"].split(":")[0])]
        found = comm.waiting(case.trace)
        waits = {pid: sum(w["wait_all"] for op, w in found.items() if op.pid == pid) for pid in case.truth["pids"]}
        case.check("the straggler waits least", differ(min(waits, key=waits.get), slow))


def graph_rows(case):
    mode = case.truth["graph"]
    case.check("graph mode", differ(launch.graph_mode(case.trace), "none" if mode == "none" else mode if not case.serving or mode == "node"
                                    else "graph"))
    rows = launch.graphs(oracle.Query(case.trace))
    launches = sum(c.name == "cudaGraphLaunch" for c in case.trace.calls)
    case.check("graph launches", differ(sum(r["launches"] for r in rows), launches))
    case.check("graph coverage", [r for r in rows if r["coverage"] != 1.0])


CHECKS = [accounting, stages, stalls, projection, bridging, spans, steady_window, marker_free, who, graph_rows]


def main():
    generator = os.path.join(wl.SHARED, "tools", "gen_trace.py")
    if not os.path.exists(generator):
        print("skipped: no", generator)
        sys.exit(77)
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-truth-") as scratch:
        for number, options in enumerate(CASES):
            path = os.path.join(scratch, "%d.sqlite" % number)
            subprocess.run([sys.executable, generator, "-o", path, *options], stdout=subprocess.DEVNULL, check=True)
            with open(path + ".truth.json", encoding="utf-8") as f:
                case = Case(path, options, json.load(f), tally)
            for check in CHECKS:
                check(case)
    tally.finish()


if __name__ == "__main__":
    main()
