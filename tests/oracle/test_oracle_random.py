#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The oracle of sections 2 to 9 against itself, on rich random traces (mktrace.py) and without warplens.

Sums that must come out (causes of idle time, parts of a period, elapsed of categories, self times), tiles that must add
up, and every short cut the oracle takes held against the plainest way to say the same. ORACLE_SEEDS: how many (50).
"""
import os
import random
import tempfile

import calls
import categories
import comm
import exposure
import host
import idle
import intervals
import iters
import launch
import layout
import mktrace
import nvtx
import oracle
import ranges
import test_random
import windows
import wl
from conventions import PITHTRAIN
from tracefile import Trace

SEEDS = wl.seeds(50)
RULES = categories.Rules([("nccl", "communication"), ("sgemm|cutlass", "matrix"), ("CUDA mem", "memory"), ("(?i)KERNEL", "matrix")], table=False)
PHASES = {"front": ["FORWARD", "re:^layer"], "back": ["backward"], "all": ["re:."]}
LENGTHS = ("window", "compute", "exposed_comm", "exposed_copy", "idle", "busy", "kernel_busy", "copy", "overlapped_copy")


def equal(got, want):
    return [] if got == want else ["got %r, want %r" % (got, want)]


def total(rows, column, **keys):
    return sum(r[column] or 0 for r in rows if all(r[k] == v for k, v in keys.items()))


def summed(rows, columns, keys):
    """{key: [sums]}; a sum of 0 is no key, so that rows of nothing do not count."""
    out = {}
    for r in rows:
        old = out.setdefault(tuple(r[k] for k in keys), [0] * len(columns))
        out[tuple(r[k] for k in keys)] = [a + (r[c] or 0) for a, c in zip(old, columns)]
    return {k: v for k, v in out.items() if any(v)}


# --- short cuts against the plain way ---------------------------------------------------------------------

def interval_sets(r):
    """Sets of nanoseconds as lists of intervals and as Python sets."""
    def some():
        return [(a, a + r.randint(-1, 6)) for a in (r.randint(0, 30) for _ in range(r.randint(0, 8)))]
    def points(parts):
        return {t for a, b in parts for t in range(a, b)}
    a, b, window = some(), some(), (r.randint(0, 15), r.randint(10, 40))
    ua, ub = intervals.union(a), intervals.union(b)
    found = [points(x) for x in (ua, intervals.intersect(ua, ub), intervals.subtract(ua, ub), intervals.clipped(ua, window))]
    want = [points(a), points(a) & points(b), points(a) - points(b), points(a) & points([window])]
    apart = all(x[1] < y[0] for x, y in zip(ua, ua[1:]))
    return equal(found, want) + equal((apart, intervals.length(ua)), (True, len(points(a))))


def nesting(trace, forest):
    """Parents, containment and what is open, each by looking at every range."""
    bad = []
    for thread, mine in forest.by_thread.items():
        for n, r in enumerate(mine):
            around = [x for x in mine[:n] if x.start <= r.start and r.end <= x.end]
            bad += equal(forest.parent[r], around[-1] if around else None)
        some = [c for c in trace.calls if c.thread == thread]
        found = nvtx.containing(mine, some)
        bad += [c for c in some if found[c] != [r for r in mine if r.start <= c.start and c.end <= r.end]]
        found = nvtx.open_at(mine, some)
        bad += [c for c in some if found[c] != [r for r in mine if r.start <= c.start < r.end]]
    return bad


def finding(trace, r):
    """intervals.Finder and intervals.active by looking at every row."""
    finder, bad = intervals.Finder(trace.calls), []
    times = [t for c in trace.calls for t in (c.start, c.end)] or [0]
    for _ in range(5):
        a, b = sorted(r.choices(times, k=2))
        bad += equal(finder.overlapping(a, b + 1), [c for c in finder.rows if c.start < b + 1 and c.end > a])
    points = sorted(r.choices(times, k=6))
    bad += equal(list(intervals.active(finder.rows, points)), [[c for c in finder.rows if c.start <= x < c.end] for x in points])
    return bad


def causes_by_nanosecond(trace, query, r):
    """The causes of single nanoseconds, found by looking at every row of the trace."""
    bad, gaps, skewed = [], idle.explained_gaps(query), idle.host_of(trace).skewed
    for gap in r.sample(gaps, min(len(gaps), 12)):
        for x in {gap.a, gap.b - 1, *(r.randrange(gap.a, gap.b) for _ in range(6))}:
            piece = next(p for p in gap.pieces if p[0] <= x < p[1])
            launch_row = gap.after.launch
            if waits_for_pages(trace, gap, x, skewed):
                bad += equal(piece[2], "managed")
                continue
            if launch_row is None or launch_row.start >= gap.b:
                bad += equal(piece[2], "unknown")
                continue
            around = [row for row in trace.overhead + trace.calls + trace.osrt if row.start <= x < row.end]
            mine = [row for row in around if row.thread == launch_row.thread]
            flushes = [o for o in around if o in trace.overhead and o.process == launch_row.process
                       and (o.thread == launch_row.thread or "flush" in o.name.lower())]
            cause = plain_cause(x, gap, launch_row, flushes, [c for c in mine if c in trace.calls], [o for o in mine if o in trace.osrt],
                                [m for m in trace.mpi if m.thread == launch_row.thread and m.start <= x < m.end])
            cause = cause_in_call(x, gap, launch_row, [c for c in trace.costs if c.thread == launch_row.thread and c.start <= x < c.end], cause)
            cause = cause_of_function(trace, x, gap, launch_row, cause)
            bad += equal(piece[2], "unknown" if cause != "profiler" and launch_row.process in skewed else cause)
        bad += equal(gap.opener, plain_opener(trace, gap, skewed))
    return bad


def cause_in_call(x, gap, launch_row, around, cause):
    """What the lines about costs inside CUDA calls say instead of the rest of the table."""
    kinds = [c.kind for c in sorted(around, key=lambda c: (not hasattr(c, "path"), c.start, -c.end))][:1]
    if cause == "profiler" or kinds == ["profiler"]:
        return "profiler"
    if not kinds or x >= launch_row.end or launch_row.end <= gap.a:
        return cause
    return {"queue_full": "dependency", "loading": "load"}[kinds[0]]


def cause_of_function(trace, x, gap, launch_row, cause):
    """What the line about functions of the host says."""
    mine = [f for f in trace.host_functions if f.process == gap.after.process and trace.find_device(f.process, f.ordinal) == gap.device and f.start <= x < f.end]
    return "callback" if mine and cause != "profiler" and (x >= launch_row.end or cause == "sync") else cause


def waits_for_pages(trace, gap, x, skewed):
    """The line of managed memory, from every fault and every migration."""
    process = gap.after.process
    home = [op for op in trace.ops if op.process == process and idle.by_fault(op) and op.row["copyKind"] == 12]
    faults = [f["start"] for f in trace.cpu_faults if f["globalPid"] >> 24 == process]
    last = max((f for f in faults if f <= x), default=None)
    ahead = min((m.start for m in home if m.start > x), default=None)
    # The last fault before x waits for the next migration, unless one began in between or a later fault comes first.
    served = last is not None and ahead is not None and process not in skewed and not any(last <= m.start <= x for m in home) \
        and not any(x < f <= ahead for f in faults)
    on_gpu = any(f["start"] <= x < f["end"] and f["globalPid"] >> 24 == process and trace.find_device(process, f["deviceId"]) == gap.device
                 for f in trace.gpu_faults)
    between = not faults and gap.before.process == process and idle.by_fault(gap.before) and idle.by_fault(gap.after)
    return on_gpu or served or between or any(m.start <= x < m.end for m in home)


def plain_opener(trace, gap, skewed):
    """Every blocking call of the thread against every other."""
    launch_row = gap.after.launch
    if launch_row is None or launch_row.start >= gap.b or launch_row.process in skewed:
        return None
    mine = [(n, c) for n, c in enumerate(trace.calls) if c.thread == launch_row.thread and calls.blocks(c)]
    found = [c for n, c in mine if c.start < gap.a and gap.a - 2000 <= c.end <= gap.b
             and not any(o.start <= c.start and c.end <= o.end and ((o.start, o.end) != (c.start, c.end) or m < n) for m, o in mine if o is not c)]
    return max(found, key=lambda c: c.end, default=None)


def plain_cause(x, gap, launch_row, flushes, api, system, mpi):
    """The table of idle.md, line by line."""
    queued = launch_row.end <= gap.a
    table = [("profiler", flushes), ("dispatch", queued and gap.b - gap.a <= 5000), ("dependency", queued),
             ("sync", launch_row.start <= x < launch_row.end and calls.is_blocking_copy(launch_row)),
             ("launch", launch_row.start <= x < launch_row.end), ("latency", x >= launch_row.end),
             ("sync", any(calls.blocks(c) for c in api)), ("mpi", mpi), ("alloc", any(calls.is_alloc(c) for c in api)),
             ("load", any(calls.is_load(c) for c in api)), ("api", api), ("os", system), ("host", True)]
    return next(cause for cause, fits in table if fits)


def categories_by_stretch(query):
    """elapsed of `share`, `first` and `last` from elementary segments, and what holds between the columns."""
    bad = []
    for device in query.devices:
        found = {how: [r for r in categories.categories(query, RULES, how) if r["device"] == device] for how in ("share", "first", "last")}
        for how, rows in found.items():
            bad += equal(total(rows, "elapsed"), rows[0]["busy"] if rows else 0)
            bad += [(how, r) for r in rows if not r["exclusive"] <= r["elapsed"] <= r["active"] <= r["sum"]]
        parts = exposure.parts(query, device)
        of = {op: categories.category_of(query.trace, RULES, op) for op, _ in parts}
        active, only = {}, {}
        for length, names in oracle.segments([(*part, of[op]) for op, part in parts], query.window(device)):
            for name in names:
                active[name] = active.get(name, 0) + length
                only[name] = only.get(name, 0) + (length if len(names) == 1 else 0)
        bad += equal({r["category"]: (r["active"], r["exclusive"]) for r in found["share"]},
                     {name: (active.get(name, 0), only.get(name, 0)) for name in of.values()})
    return bad


# --- identities -------------------------------------------------------------------------------------------

def idle_adds_up(query):
    """idle() itself asserts that the causes sum to the account's idle; here also by detail, and against the gaps."""
    by_cause, by_detail = idle.idle(query), idle.idle(query, detail=True)
    bad = equal(summed(by_detail, ["sum"], ["device", "cause"]), summed(by_cause, ["sum"], ["device", "cause"]))
    gaps = idle.gaps(query, minimum=0)
    for device in query.devices:
        bad += equal(total(gaps, "duration", device=device), sum(r["sum"] for r in by_cause if r["device"] == device and r["cause"] != "unused"))
    launched = sum(y - x for gap in idle.explained_gaps(query) if gap.after.kind == "kernel"
                   for x, y, cause, _ in idle.clipped_pieces(query, gap) if cause == "launch")
    bad += equal(total(launch.launch(query), "exposed_launch"), launched)
    whole = launch.launch(oracle.Query(query.trace))        # every call that launched a kernel, once
    called = {op.launch for op in query.trace.ops if op.kind == "kernel" and op.launch}
    return bad + equal(sum(r["api_sum"] or 0 for r in whole), sum(c.end - c.start for c in called))


def exposure_holds(query):
    bad, devices = [], {r["device"]: r for r in exposure.by_device(query)}
    # what hides is the device's, whatever the selection: so the whole of a device is all that is selected as one group
    whole = {r["device"]: r for r in exposure.by_group(query, lambda op: {})}
    for rows in (exposure.by_stream(query), exposure.by_stage(query), exposure.by_stage(query, PITHTRAIN)):
        for device, row in whole.items():
            mine = [r for r in rows if r["device"] == device]
            bad += [r for r in mine if not r["exposed"] <= r["exposed_sum"] or r["exposed"] + r["overlapped_comm"] != r["comm"]]
            bad += [r for r in mine if r["overlap"] is not None and not r["overlap_min"] <= r["overlap_max"]]
            bad += equal(total(mine, "exposed_sum"), row["exposed_sum"])
            bad += [] if max((r["exposed"] for r in mine), default=0) <= row["exposed"] <= total(mine, "exposed") else [row]
    for m in exposure.matrix(query):
        row = devices[m["device"]]
        diagonal = {"compute": "compute", "comm": "comm", "copy": "copy"}.get(m["a"])
        if m["a"] == m["b"] and diagonal and row[diagonal] is not None:
            bad += equal(m["both"], row[diagonal])
        if (m["a"], m["b"]) == ("comm", "compute") and row["comm"] is not None:
            bad += equal(m["both"], row["overlapped_comm"])
    types, nccl = {(m["device"], m["a"]) for m in exposure.matrix(query)}, comm.nccl(query)
    bad += equal(total(nccl, "sum"), total(exposure.by_stream(query), "comm_sum"))
    return bad + [r for r in nccl if (r["device"], r["type"]) not in types or r["exposed"] > r["busy"] or r["busy"] > r["sum"]]


def iterations_add_up(trace, query):
    """Parts sum to the period (or the span); rows of iterations and the rest add up to the device where one process uses it."""
    found, bad = iters.find_all(trace), []
    for r in iters.rows(trace):
        want = r["period"] if r["period"] is not None else r["span"]
        bad += equal(sum(r[c] or 0 for c in ("compute", "exposed_comm", "exposed_copy", "idle")), want)
    owners = {d: [p for p in trace.processes if d in trace.devices_of(p)] for d in query.devices}
    rows, whole = exposure.by_iteration(query, found), exposure.by_device(query)
    for row in whole:
        process = owners[row["device"]][0]
        if len(owners[row["device"]]) == 1 and process in found:
            mine = [r for r in rows if r["device"] == row["device"]]
            bad += equal([total(mine, c) for c in LENGTHS if c != "exposed_comm"], [row[c] for c in LENGTHS if c != "exposed_comm"])
            bad += equal(total(mine, "exposed_comm") if row["exposed_comm"] is not None else None, row["exposed_comm"])
    for p, n in iters.steady(found).items():
        periods = found[p].periods()
        together = [f.periods() for f in found.values()] if all(len(f.periods()) == len(periods) for f in found.values()) else []
        largest = [max(of) for of in zip(*together)]
        chosen = largest[1:] if len(largest) >= 4 else largest
        if n is not None and chosen:                        # where all processes have as many iterations
            bad += equal(sorted(chosen)[(len(chosen) - 1) // 2], largest[n])
    return bad


def nvtx_adds_up(trace, query, forest):
    """Self times of a thread without crossing ranges sum to its roots; the tree adds up to nvtx; kernels add up to coverage."""
    bad, whole = [], oracle.Query(trace)
    for mine in forest.by_thread.values():
        crossing = any(a.start < b.start < a.end < b.end for a in mine for b in mine)
        roots = sum(r.end - r.start for r in mine if forest.parent[r] is None)
        selves = sum(ranges.self_time(whole, forest, r) for r in mine)
        bad += equal(selves, roots) if not crossing else []
    columns, keys = ("count", "host_sum", "self", "projected"), ("name", "style")
    below = [row for row in ranges.tree(query) if row["style"] != "kernel"]
    bad += equal(summed(below, columns, keys), summed(ranges.nvtx(query), columns, keys))
    covered, parts = ranges.coverage(query), ranges.parts_of(query, query.ops)
    bad += equal(total(ranges.nvtx_kernels(query), "sum"), covered["direct"][0])
    bad += [covered] if not covered["direct"][0] <= covered["bridged"][0] <= covered["bridged"][1] else []
    bad += equal(total(ranges.phases(query, PHASES), "gpu_sum"), ranges.duration(parts))
    return bad


def host_adds_up(query):
    bad = [r for r in host.sync(query) if r["gpu_idle"] is not None and r["gpu_idle"] + r["gpu_busy"] > r["sum"]]
    bad += [r for r in host.threads(query) if (r["sync"] or 0) > (r["api"] or 0)]
    parts = ranges.parts_of(query, query.ops)
    kernels = {op: p for op, p in parts.items() if op.kind == "kernel"}
    return bad + equal((total(host.pids(query), "kernels"), total(host.pids(query), "sum")), (len(kernels), ranges.duration(kernels)))


# --- tiles ------------------------------------------------------------------------------------------------

TILED = [("overlap", exposure.by_device, LENGTHS, ("device",)), ("idle", idle.idle, ("sum",), ("device", "cause")),
         ("idle by detail", lambda q: idle.idle(q, True), ("sum",), ("device", "cause", "detail")),
         ("launch", launch.launch, ("exposed_launch",), ("name",)),
         ("by stream", exposure.by_stream, ("compute", "copy", "comm", "exposed", "exposed_sum", "exposed_copy"), ("device", "pid", "context", "stream")),
         ("by stage", exposure.by_stage, ("compute", "copy", "comm", "exposed", "exposed_sum"), ("device", "stage")),
         ("matrix", exposure.matrix, ("both",), ("device", "a", "b")),
         ("nccl", comm.nccl, ("sum", "busy", "exposed"), ("device", "pid", "context", "stream", "type")),
         ("nvtx", ranges.nvtx, ("host_sum", "self", "gpu_sum", "gpu_busy", "bridged_sum"), ("name", "style")),
         ("tree", ranges.tree, ("host_sum", "self", "gpu_sum"), ("path", "style")), ("nvtx-kernels", ranges.nvtx_kernels, ("sum",), ("path", "kernel")),
         ("phases", lambda q: ranges.phases(q, PHASES), ("host_busy", "gpu_busy", "gpu_sum"), ("phase",)),
         ("sync", host.sync, ("sum", "gpu_idle", "gpu_busy"), ("name", "thread", "nvtx")), ("osrt", host.osrt, ("sum",), ("name",)),
         ("threads", host.threads, ("api", "sync", "os", "on_cpu", "nvtx_self", "launches"), ("thread",)),
         ("pids", host.pids, ("sum", "busy", "sync", "launches"), ("pid",)),
         ("categories", lambda q: categories.categories(q, RULES), ("sum", "active", "exclusive"), ("device", "category")),
         ("categories first", lambda q: categories.categories(q, RULES, "first"), ("elapsed",), ("device", "category")),
         ("categories last", lambda q: categories.categories(q, RULES, "last"), ("elapsed",), ("device", "category"))]


def tiles(trace, r):
    """Three neighbouring windows against their union, for every column that is a sum. Opaque graphs may hide columns: 0."""
    first, last = min(o.start for o in trace.ops), max(o.end for o in trace.ops)
    margin = 3 + (last - first) // 10
    a, b, c, d = sorted(r.randint(first - margin, last + margin) for _ in range(4))
    if not a < b < c < d:
        return
    def query(x, y):
        return oracle.Query(trace, window=lambda device: (x, y))
    parts, whole = [query(a, b), query(b, c), query(c, d)], query(a, d)
    hidden = any(op.kind == "graph" for op in trace.ops)
    for what, verb, columns, keys in TILED:
        chosen = [x for x in columns if not (hidden and x == "exposed_comm")]
        got = summed([row for q in parts for row in verb(q)], chosen, keys)
        yield what, equal(got, summed(verb(whole), chosen, keys))


# --- all of it --------------------------------------------------------------------------------------------

class Seen:
    """What the random traces must have shown by the end, so that none of the checks above is empty."""
    def __init__(self):
        self.things = set()

    def look(self, trace, query, forest):
        self.things |= {"cause " + r["cause"] for r in idle.idle(query)}
        self.things |= {"method " + f.method for f in iters.find_all(trace).values()}
        self.things |= {"method " + f.method for f in iters.find_all(trace, "step").values()}
        self.things |= {"stream " + str(r["class"]) for r in layout.streams(query)}
        self.things |= {"mode " + launch.graph_mode(trace)}
        self.things |= {"type " + r["type"] for r in comm.nccl(query)}
        self.things |= {"exposed and exposed_sum differ"} if any(r["exposed"] != r["exposed_sum"] for r in exposure.by_stage(query)) else set()
        self.things |= {"bridged"} if forest.above else set()
        self.things |= {"spans"} if any(forest.spanned.values()) else set()
        self.things |= {"outlier"} if any(r["outlier"] for r in iters.rows(trace)) else set()

    def missing(self):
        want = ["cause " + c for c in idle.CAUSES] + ["method " + m for m in ("marker", "nvtx", "sequence")]
        want += ["stream " + s for s in ("copy", "comm", "compute", "mixed")] + ["mode " + m for m in ("none", "node", "graph", "mixed")]
        want += ["type " + t for t in ("AllReduce", "AllGather", "ReduceScatter", "SendRecv", "AllToAll")]
        return [w for w in want + ["exposed and exposed_sum differ", "bridged", "spans", "outlier"] if w not in self.things]


def process_windows(trace, r, tally, seed):
    """iter:, steady and nvtx: are windows like any other: the sums come out inside them too."""
    found = [("steady", windows.steady_windows(trace)), ("iter", windows.iteration_windows(trace, r.randint(0, 2), 2))]
    names = sorted({x.name for x in trace.ranges if x.name})
    if names:
        found.append(("nvtx", windows.nvtx_windows(trace, r.choice(names))))
    for what, by_process in found:
        query = windows.query(trace, by_process)
        if query.devices:
            tally.check("%s window, idle, seed %d" % (what, seed), idle_adds_up(query))
            tally.check("%s window, exposure, seed %d" % (what, seed), exposure_holds(query))
            tally.check("%s window, categories, seed %d" % (what, seed), categories_by_stretch(query))


def main():
    tally, seen = wl.Tally(), Seen()
    with tempfile.TemporaryDirectory(prefix="wl-oracle-random-") as scratch:
        for seed in SEEDS:
            path, r = os.path.join(scratch, "%d.sqlite" % seed), random.Random(seed)
            maker = mktrace.make(seed, path, rich=True)
            trace = Trace(path)
            os.remove(path)
            tally.check("interval sets, seed %d" % seed, interval_sets(r))
            if not trace.ops:
                continue
            _, window, _ = test_random.random_window(r, maker, trace)
            _, selection = test_random.random_selection(r, trace)
            whole, query, forest = oracle.Query(trace), oracle.Query(trace, window=window, **selection), nvtx.forest_of(trace)
            tally.check("nesting, seed %d" % seed, nesting(trace, forest))
            tally.check("finding, seed %d" % seed, finding(trace, r))
            tally.check("causes by nanosecond, seed %d" % seed, causes_by_nanosecond(trace, whole, r))
            for what, q in (("all", whole), ("some", query)):
                tally.check("idle, %s, seed %d" % (what, seed), idle_adds_up(q))
                tally.check("exposure, %s, seed %d" % (what, seed), exposure_holds(q))
                tally.check("categories, %s, seed %d" % (what, seed), categories_by_stretch(q))
                tally.check("nvtx, %s, seed %d" % (what, seed), nvtx_adds_up(trace, q, forest))
                tally.check("host, %s, seed %d" % (what, seed), host_adds_up(q))
            tally.check("iterations, seed %d" % seed, iterations_add_up(trace, whole))
            process_windows(trace, r, tally, seed)
            for what, differences in tiles(trace, r):
                tally.check("tiles of %s, seed %d" % (what, seed), differences)
            seen.look(trace, whole, forest)
            layout.setup(trace), launch.graphs(query), launch.rates(query), comm.waiting(trace)     # must not fail
    if len(SEEDS) >= 200:
        tally.check("every shape was met", seen.missing())
    tally.finish()


if __name__ == "__main__":
    main()
