#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The oracle of sections 3 to 5 and 8 against what the real nsys 2023.4.4 printed for the corpus; warplens is not run.

Compared exactly, row by row: nvtx_sum, nvtx_pushpop_sum, nvtx_startend_sum, nvtx_gpu_proj_sum, nvtx_kern_sum,
cuda_kern_exec_sum, osrt_sum, rule_gpu_gaps_gap_1. Where the two differ by definition, and what is asserted instead:

 * Names: nsys prints nothing for a range without a name, we `(unnamed)`; nsys groups by the exact name, so do we here.
 * A range without an end (nvtx-end-null): nsys prints empty cells, ours ends with the trace.
 * Med is the mean of the two middle values, our p50 the nearest rank: both are recomputed from the same values.
 * nvtx_gpu_proj_sum lists ranges that own operations only, and counts one operation per graph launch (no corpus trace has
   both).
 * nvtx_kern_sum lists a kernel under every range around it, per thread, and kernels outside all ranges under an empty
   name; our nvtx-kernels lists it once, under the path of its innermost range. So our rows are spread over their paths.
 * cuda_kern_exec_sum counts a graph's launch call with each of its nodes, we with the first; and two API rows of one correlation id (runtime and driver) count a kernel twice (pipit-saxpy-mpi-2022.2:
   10 for 5); we take one of them. T is max(kernel end, call end) - call start. API names as in test_nsys_stats.py.
 * osrt_sum leaves out the rows that only say that OS tracing started or ended (event classes 31 and 32); so do we.
 * gpu_gaps prints the 50 longest gaps of 1 ms or more.
"""
import collections
import statistics

import host
import idle
import launch
import oracle
import ranges
import wl
from nvtx import PUSH_POP, containing, exact_label, forest_of, grouped
from test_nsys_stats import nsys_api_name, report
from tracefile import Trace

DOUBLED = {"pipit-saxpy-mpi-2022.2"}                        # two API rows per correlation id
UNCLOSED = {"nvtx-end-null"}
MOST_GAPS = 50


def differences(got, want):
    return ["%r: oracle %r, nsys %r" % (k, got.get(k), want.get(k)) for k in sorted({*got, *want}, key=repr) if got.get(k) != want.get(k)]


def number(text):
    return None if text == "" else int(text)


def printed_name(r):
    return exact_label(r) if r.name is not None else exact_label(r)[:-len("(unnamed)")]


def style(r):
    return "PushPop" if r.type in PUSH_POP else "StartEnd"


def close(text, value):
    return abs(float(text) - value) <= 0.051 + 1e-9 * abs(value)


def statistics_differ(row, suffix, values, prefix=""):
    """Med, Avg and StdDev of an nsys row are those of the values."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    wanted = (("Med", statistics.median(values)), ("Avg", statistics.fmean(values)), ("StdDev", deviation))
    return ["%s %s: nsys %s, rows give %r" % (suffix, c, row[prefix + c + " (ns)"], v) for c, v in wanted if not close(row[prefix + c + " (ns)"], v)]


# --- definitions/nvtx.md: host times ----------------------------------------------------------------------

def host_sums(tally, name, trace):
    values = {}
    for r in trace.ranges:
        values.setdefault((style(r), printed_name(r)), []).append(r.end - r.start)
    for which, kept in (("nvtx_sum", None), ("nvtx_pushpop_sum", "PushPop"), ("nvtx_startend_sum", "StartEnd")):
        nsys = report(name, which)
        mine = {k: v for k, v in values.items() if kept in (None, k[0])}
        tally.check("%s: nsys prints %s iff there are ranges" % (name, which), [] if bool(nsys) == bool(mine) else [len(mine)])
        if not nsys:
            continue
        key = lambda r: (r.get("Style", kept), r["Range"])
        want = {key(r): tuple(number(r[c]) for c in ("Instances", "Total Time (ns)", "Min (ns)", "Max (ns)")) for r in nsys}
        got = {k: (len(v), sum(v), min(v), max(v)) for k, v in mine.items()}
        if name in UNCLOSED:
            tally.check("%s: %s, a range without an end" % (name, which), [] if want == {k: (1, None, None, None) for k in got} else [want, got])
            continue
        tally.check("%s: %s" % (name, which), differences(got, want))
        tally.check("%s: statistics of %s" % (name, which), [d for r in nsys for d in statistics_differ(r, key(r), mine.get(key(r), [0]))])


def our_rows(tally, name, trace):
    """The verb nvtx with exact names, against the same values."""
    rows = ranges.nvtx(trace.query, exact=True)
    got = {(r["style"], r["name"]): (r["count"], r["host_sum"], r["host_p50"]) for r in rows}
    values = {}
    for r in trace.ranges:
        values.setdefault(("push/pop" if r.type in PUSH_POP else "start/end", exact_label(r)), []).append(r.end - r.start)
    want = {k: (len(v), sum(v), sorted(v)[(len(v) - 1) // 2]) for k, v in values.items()}
    tally.check(name + ": the verb nvtx", differences(got, want))
    return rows


# --- definitions/nvtx.md: what ranges own -----------------------------------------------------------------

def projection(tally, name, trace, forest, rows):
    owned, got, own = ranges.inclusive(forest)[0], {}, {}
    for r, ops in owned.items():
        if ops:
            g = got.setdefault((style(r), printed_name(r)), [])
            g.append((max(op.end for op in ops) - min(op.start for op in ops), r.end - r.start, len(ops)))
    nsys = report(name, "nvtx_gpu_proj_sum")
    if nsys is not None or got:
        want = {(r["Style"], r["Range"]): tuple(int(r[c]) for c in ("Range Instances", "Total Proj Time (ns)", "Total Range Time (ns)", "Total GPU Ops"))
                for r in nsys or []}
        tally.check(name + ": nvtx_gpu_proj_sum", differences({k: (len(v), *map(sum, zip(*v))) for k, v in got.items()}, want))
        tally.check(name + ": statistics of nvtx_gpu_proj_sum",
                    [d for r in nsys for d in statistics_differ(r, r["Range"], [p for p, _, _ in got.get((r["Style"], r["Range"]), [(0,) * 3])], "Proj ")])
        for r in rows:
            if r["gpu_ops"]:
                own[{"push/pop": "PushPop"}.get(r["style"], "StartEnd"), r["name"]] = r["projected"]
        tally.check(name + ": projected of the verb nvtx", differences(own, {(k[0], k[1] or "(unnamed)"): w[1] for k, w in want.items()}))


def kernels_of_ranges(tally, name, trace, forest):
    nsys = report(name, "nvtx_kern_sum")
    if nsys is None:
        return
    got, spanned = {}, {op for ops in forest.spanned.values() for op in ops}
    def put(key, op, r):
        g = got.setdefault((*key, trace.kernel_name(op)), [set(), 0, 0])
        g[0].update([r] if r else [])
        g[1] += 1
        g[2] += op.end - op.start
    for r, ops in ranges.inclusive(forest)[0].items():
        for op in (o for o in ops if o.kind == "kernel"):
            put((style(r), printed_name(r), r.process & 0xFFFFFF, r.thread & 0xFFFFFF), op, r)
    for op in (o for o in trace.ops if o.kind == "kernel" and o not in forest.direct and o not in spanned):
        put(("", "", op.pid, op.launch.thread & 0xFFFFFF) if op.launch else ("", "", None, None), op, None)
    doubled = 2 if name in DOUBLED else 1                   # the same kernels, each twice
    want = {(r["Style"], r["NVTX Range"], number(r["PID"]), number(r["TID"]), r["Kernel Name"]):
            (int(r["NVTX Inst"]), int(r["Kern Inst"]), int(r["Total Time (ns)"])) for r in nsys}
    tally.check(name + ": nvtx_kern_sum", differences({k: (len(g[0]), g[1], g[2] * doubled) for k, g in got.items()}, want))
    spread, wanted = collections.Counter(), collections.Counter()
    for row in ranges.nvtx_kernels(trace.query, exact=True):
        for label in row["path"]:
            spread[label.replace("(unnamed)", ""), row["kernel"]] += row["sum"] * doubled
    for k, w in want.items():
        if k[0] == "PushPop":
            wanted[k[1], k[4]] += w[2]
    tally.check(name + ": nvtx-kernels spread over its paths", differences(spread, wanted))


# --- definitions/kernels.md -------------------------------------------------------------------------------

def execution(tally, name, trace):
    nsys = report(name, "cuda_kern_exec_sum")
    groups = {}
    for op in trace.ops:
        if op.kind == "kernel" and op.launch:
            key = op.pid, op.launch.thread & 0xFFFFFF, op.ordinal, nsys_api_name(op.launch.full_name), trace.kernel_name(op)
            groups.setdefault(key, []).append(op)
    tally.check(name + ": nsys prints executions iff there are any", [] if bool(nsys) == bool(groups) else [len(groups)])
    key = lambda r: (int(r["PID"]), int(r["TID"]), int(r["DevId"]), r["API Name"], r["Kernel Name"])
    if name in DOUBLED:
        counts = {key(r): (int(r["Count"]), int(r["QCount"])) for r in nsys}
        queued = lambda v: sum(op.start >= op.launch.end for op in v)
        tally.check(name + ": every kernel counted twice", differences({k: (2 * len(v), 2 * queued(v)) for k, v in groups.items()}, counts))
        return
    bad, seen = [], set()
    for r in nsys or []:
        ops = groups.get(key(r))
        seen.add(key(r))
        if not ops or len(ops) != int(r["Count"]):
            bad.append((key(r), r["Count"], len(ops or [])))
            continue
        queue = [op.start - op.launch.end for op in ops if op.start >= op.launch.end]
        if len(queue) != int(r["QCount"] or 0):
            bad.append((key(r), "QCount", r["QCount"], len(queue)))
        figures = {"A": [op.launch.end - op.launch.start for op in ops], "Q": queue, "K": [op.end - op.start for op in ops],
                   "T": [max(op.end, op.launch.end) - op.launch.start for op in ops]}
        for prefix, values in figures.items():
            if values:
                bad += statistics_differ(r, key(r), values, prefix)
                bad += [(key(r), prefix + c, r[prefix + c + " (ns)"]) for c, f in (("Min", min), ("Max", max)) if number(r[prefix + c + " (ns)"]) != f(values)]
    tally.check(name + ": cuda_kern_exec_sum", bad + [k for k in groups if k not in seen])
    check_launch(tally, name, trace, nsys or [])


def check_launch(tally, name, trace, nsys):
    """The verb launch per kernel name: the counts of nsys added up over threads, devices and calls."""
    wanted, got = {}, {}
    for r in nsys:
        w = wanted.setdefault(r["Kernel Name"], [0, 0])
        w[0] += int(r["Count"])
        w[1] += int(r["QCount"] or 0)
    for r in launch.launch(trace.query):
        if r["launched"]:
            got[r["name"]] = [r["launched"], r["queued"]]
    nodes = {trace.kernel_name(op) for op in trace.ops if op.kind == "kernel" and op.launch and launch.is_node(op)}
    for found in (got, wanted):                             # of a replay nsys queues every node, we the first
        found.update({k: found[k][:1] for k in nodes if k in found})
    tally.check(name + ": the verb launch", differences(got, wanted))


# --- sections 4 and 8 -------------------------------------------------------------------------------------

def gaps(tally, name, trace):
    nsys = report(name, "rule_gpu_gaps_gap_1")
    query, got = trace.query, []
    for device in query.devices:
        got += [(g.b - g.a, g.a, g.after.pid, g.after.ordinal) for g in idle.find_gaps(query, device) if g.b - g.a >= 1_000_000]
    got = sorted(got, reverse=True)[:MOST_GAPS]
    want = sorted(((int(r["Duration (ns)"]), int(r["Start (ns)"]), int(r["PID"]), int(r["Device ID"])) for r in nsys or []), reverse=True)
    tally.check(name + ": gpu_gaps of 1 ms", [] if got == want else [got[:3], want[:3]])
    total = {d: sum(g.b - g.a for g in idle.find_gaps(query, d)) for d in query.devices}
    rows = idle.idle(query)                                 # asserts that the causes add up to the account's idle
    tally.check(name + ": causes without unused are the gaps",
                differences({d: sum(r["sum"] for r in rows if r["device"] == d and r["cause"] != "unused") for d in total}, total))


def osrt(tally, name, trace):
    nsys = report(name, "osrt_sum")
    rows = host.osrt(trace.query)
    tally.check(name + ": nsys prints OS calls iff there are any", [] if bool(nsys) == bool(rows) else [len(rows)])
    got = {r["name"]: (r["calls"], r["sum"], r["min"], r["max"]) for r in rows}
    want = {r["Name"]: tuple(int(r[c]) for c in ("Num Calls", "Total Time (ns)", "Min (ns)", "Max (ns)")) for r in nsys or []}
    tally.check(name + ": osrt_sum", differences(got, want))
    tally.check(name + ": averages of osrt_sum", [r["name"] for r in rows for w in nsys or [] if w["Name"] == r["name"]
                                                  and (abs(float(w["Avg (ns)"]) - r["avg"]) > 0.56 or abs(float(w["StdDev (ns)"]) - r["stddev"]) > 0.56)])


def main():
    wl.skip_without_corpus()
    tally = wl.Tally()
    for name, path in wl.corpus_traces(main_only=True):
        trace = Trace(path)
        trace.query, forest = oracle.Query(trace), forest_of(trace)
        host_sums(tally, name, trace)
        rows = our_rows(tally, name, trace)
        projection(tally, name, trace, forest, rows)
        kernels_of_ranges(tally, name, trace, forest)
        execution(tally, name, trace)
        gaps(tally, name, trace)
        osrt(tally, name, trace)
    tally.finish()


if __name__ == "__main__":
    main()
