# SPDX-License-Identifier: MIT
"""Idle time by cause (docs/definitions/idle.md): every nanosecond of a gap gets the first cause of the table that fits."""
import calls
import intervals
import oracle
from nvtx import forest_of, label
from sweep import segments
from tracefile import apart, cost_order

CAUSES = ["managed", "unknown", "profiler", "callback", "dispatch", "dependency", "launch", "latency", "sync", "mpi", "alloc", "load", "api", "os", "host", "unused"]
DISPATCH_LIMIT = 5000
OPENED_BEFORE = 2000
KIND_NAMES = {"memset": "[CUDA memset]", "graph": "(graph)"}


class Gap:
    """[a, b) on a device; before: the operation that ended at a; after: N, the operation that starts at b."""
    def __init__(self, device, a, b, before, after):
        self.device, self.a, self.b, self.before, self.after = device, a, b, before, after
        self.start, self.end = a, b
        self.pieces = []                                    # (start, end, cause, detail), in order, covering [a, b)
        self.opener = None                                  # the blocking call that emptied the launch queue


class Host:
    """What the threads of the trace did, ready to be asked about an interval."""
    def __init__(self, trace):
        self.trace, self.forest = trace, forest_of(trace)
        self.calls = {t: intervals.Finder(v) for t, v in by(trace.calls, "thread").items()}
        self.blocking = {t: intervals.Finder(outermost_blocking(v)) for t, v in by(trace.calls, "thread").items()}
        self.osrt = {t: intervals.Finder(v) for t, v in by(trace.osrt, "thread").items()}
        self.mpi = {t: intervals.Finder(v) for t, v in by(trace.mpi, "thread").items()}
        self.overhead = {p: intervals.Finder(v) for p, v in by(trace.overhead, "process").items()}
        self.costs = {t: intervals.Finder(v) for t, v in by(trace.costs, "thread").items()}
        self.functions = functions_of(trace)
        self.ranges = {t: intervals.Finder(v) for t, v in self.forest.by_thread.items()}
        self.skewed = {p for p in trace.processes if mostly_negative(trace, p)}
        self.managed = {p: waits_for_pages(trace, p, p in self.skewed) for p in trace.processes} if trace.cpu_faults or trace.gpu_faults \
            or any(by_fault(op) for op in trace.ops) else {}
        launches = list({op.launch: None for op in trace.ops if op.launch})
        self.innermost = self.forest.innermost(launches + [c for c in trace.calls if calls.blocks(c) and not c.ops])

    def opened(self, gap):
        """The opener's name and the label of the innermost range around it."""
        around = self.innermost[gap.opener] if gap.opener else None
        return gap.opener.name if gap.opener else None, label(around) if around else None


class Waiting:
    """[start, end) in which a stream waits for a function of the host."""
    def __init__(self, key, start, end, name):
        (_, self.ordinal, self.context, self.stream), self.start, self.end, self.name = key, start, end, name


def functions_of(trace):
    """{(process, device): those of all its streams}."""
    streams, out = {}, {}
    for f in trace.host_functions:
        streams.setdefault((f.process, f.ordinal, f.context, f.stream), []).append(f)
    for key, mine in streams.items():
        out.setdefault((key[0], trace.find_device(key[0], key[1])), []).extend(Waiting(key, *f) for f in apart(mine))
    return {k: intervals.Finder(v) for k, v in out.items()}


def by(rows, attribute):
    out = {}
    for row in rows:
        out.setdefault(getattr(row, attribute), []).append(row)
    return out


def mostly_negative(trace, process):
    """More than half of the process's launch latencies are below 0. open: of all operations, and exactly half is not most."""
    latencies = [op.start - op.launch.start for op in trace.ops if op.process == process and op.launch]
    return 2 * sum(x < 0 for x in latencies) > len(latencies)


def operation_name(trace, op):
    if op.kind == "kernel":
        return trace.kernel_name(op)
    return KIND_NAMES.get(op.kind) or "[CUDA memcpy %s]" % oracle.COPY_KINDS.get(op.row["copyKind"], "unknown")


# --- managed memory -----------------------------------------------------------------------------------------

def by_fault(op):
    """A migration of managed memory because of a page fault, or of what the driver thinks will fault next."""
    return op.kind == "memcpy" and op.row["copyKind"] in (11, 12, 13) and op.row.get("migrationCause") in (2, 3)


class PageWait:
    """[start, end) in which a process waits for pages; on all its devices, or on one."""
    def __init__(self, start, end, name, device=None):
        self.start, self.end, self.name, self.device = start, end, name, device


def waits_for_pages(trace, process, skewed):
    """All of a process. A CPU fault waits for a migration to the host if that is the first from then on, and no later fault
    precedes it."""
    faults = [(f["start"], n, f) for n, f in enumerate(trace.cpu_faults) if f["globalPid"] >> 24 == process and not skewed]
    home = [op for op in trace.ops if op.process == process and by_fault(op) and op.row["copyKind"] == 12]
    out = [PageWait(m.start, m.end, "migration to the host") for m in home]
    for m in home:
        mine = [f for f in faults if f[0] <= m.start and not any(f[0] <= o.start < m.start for o in home)]
        if mine:
            start, _, row = max(mine, key=lambda f: f[:2])
            out.append(PageWait(start, m.start, trace.strings.get(row["CpuInstruction"], "CPU page fault")))
    out += [PageWait(f["start"], f["end"], "GPU page fault", trace.find_device(process, f["deviceId"]))
            for f in trace.gpu_faults if f["globalPid"] >> 24 == process and trace.find_device(process, f["deviceId"]) is not None]
    return intervals.Finder([w for w in out if w.start < w.end])


def managed_pieces(host, gap):
    """[(start, end, detail or None)] that fill the gap: the device's own page faults first, then what began first."""
    trace, process = host.trace, gap.after.process
    found = host.managed[process].overlapping(gap.a, gap.b) if process in host.managed else []
    found = [w for w in found if w.device in (None, gap.device)]
    records = any(f["globalPid"] >> 24 == process for f in trace.cpu_faults)
    between = by_fault(gap.before) and by_fault(gap.after) and gap.before.process == process and not records
    cuts = sorted({gap.a, gap.b} | {t for w in found for t in (w.start, w.end) if gap.a < t < gap.b})
    for x, y in zip(cuts, cuts[1:]):
        here = [w for w in found if w.start <= x < w.end]
        first = min(here, key=lambda w: (w.device is None, w.start, -w.end), default=None)
        yield x, y, first.name if first else "between migrations" if between else None


# --- gaps -------------------------------------------------------------------------------------------------

def first_of(ops):
    """The one on the lowest stream, then by row: kernels before copies, memsets and graphs, each as in the file."""
    return min(ops, key=lambda op: (op.stream if op.stream is not None else -1, op.order))


def earliest_of(ops):
    """The one on the lowest stream, then kind, then start, then by row."""
    kinds = ("kernel", "memcpy", "memset", "graph")
    return min(ops, key=lambda op: (op.stream if op.stream is not None else -1, kinds.index(op.kind), op.start, op.order))


def find_gaps(query, device):
    """The maximal idle intervals between the first start and the last end of the device's admitted operations.

    open: an operation of no length in the middle of one does not split it, but may be the first or last operation."""
    ops = [op for op in query.ops if op.device == device]
    extent = (min(op.start for op in ops), max(op.end for op in ops))
    idle = intervals.subtract([extent] if extent[0] < extent[1] else [], intervals.union((op.start, op.end) for op in ops))
    starts, ends = by(ops, "start"), by(ops, "end")
    out = []
    for a, b in idle:
        # open: of several operations that end at a, the one on the lowest stream, then the earliest
        out.append(Gap(device, a, b, earliest_of(ends[a]), first_of(starts[b])))
    return out


def explain(host, gap):
    """Fills gap.pieces: first what managed memory has, then what the launch explains of the rest."""
    explain_launch(host, gap)
    rest, gap.pieces = gap.pieces, []
    for x, y, detail in managed_pieces(host, gap):
        if detail is not None:
            gap.pieces.append((x, y, "managed", detail))
            continue
        gap.pieces += [(max(x, a), min(y, b), cause, what) for a, b, cause, what in rest if a < y and b > x]


def explain_launch(host, gap):
    """Cuts the gap wherever something begins or ends, and asks for the cause of each piece."""
    launch = gap.after.launch
    if launch is None or launch.start >= gap.b:
        gap.pieces = [(gap.a, gap.b, "unknown", "no launch" if launch is None else "skew")]
        return
    near = [finders[who].overlapping(gap.a, gap.b) if who in finders else [] for finders, who in
            ((host.overhead, launch.process), (host.calls, launch.thread), (host.osrt, launch.thread), (host.ranges, launch.thread),
             (host.mpi, launch.thread), (host.costs, launch.thread), (host.functions, (gap.after.process, gap.device)))]
    near[0] = [o for o in near[0] if o.thread == launch.thread or "flush" in (o.name or "").lower()]
    cuts = {gap.a, gap.b}
    for row in [launch, *(r for rows in near for r in rows)]:
        cuts.update(t for t in (row.start, row.end) if gap.a < t < gap.b)
    cuts = sorted(cuts)
    for x, y, *around in zip(cuts, cuts[1:], *(intervals.active(rows, cuts) for rows in near)):
        cause, detail = cause_at(x, gap, launch, *around)
        if launch.process in host.skewed and cause != "profiler":
            cause, detail = "unknown", "skew"
        gap.pieces.append((x, y, cause, detail))
    # open: where the clocks are skewed nothing is told of the host
    gap.opener = opener(host, gap, launch) if launch.process not in host.skewed else None


def opener(host, gap, launch):
    """The blocking call of the launching thread that began before the gap and ended in it, or at most 2 us before it began.

    open: calls inside another blocking call do not count; of several the one that ends last; a call that ends with the gap
    ended in it."""
    near = host.blocking[launch.thread].overlapping(gap.a - OPENED_BEFORE - 1, gap.b) if launch.thread in host.blocking else []
    found = [c for c in near if c.start < gap.a and gap.a - OPENED_BEFORE <= c.end <= gap.b]
    return max(found, key=lambda c: c.end, default=None)


def outermost_blocking(found):
    """The blocking calls of a thread that lie inside no other; of equal ones the first."""
    out = []
    for c in sorted((c for c in found if calls.blocks(c)), key=lambda c: (c.start, -c.end)):
        if not out or c.end > out[-1].end:                  # what began earlier ends earlier, too
            out.append(c)
    return out


def awaited(functions, op):
    """The function that an operation's stream waits for, else another of its process and device; None without one."""
    def order(f):
        return (f.ordinal, f.context, f.stream) != (op.ordinal, op.context, op.stream), f.start, f.context, f.stream
    return min(functions, key=order, default=None)


def cause_at(x, gap, launch, overhead, here, system, ranges, mpi, costs, functions):
    """(cause, detail) of the nanosecond x: the first row of the table that fits, and waits for functions of the host."""
    function = awaited(functions, gap.after)
    cause, detail = cause_in_host(x, gap, launch, overhead, here, system, ranges, mpi, costs)
    is_waited = cause in ("dispatch", "dependency", "latency") and x >= launch.end or cause == "sync"
    return ("callback", function.name) if function and is_waited else (cause, detail)


def cause_in_host(x, gap, launch, overhead, here, system, ranges, mpi, costs):
    """(cause, detail) of the nanosecond x: the first row of the table that fits. The lists hold what surrounds x: overhead of
    the launching thread or with `flush` of its process, and calls, OS calls and ranges of the launching thread.

    open: `flush` in any case; where several rows surround x the outermost gives the detail."""
    def outermost(rows):
        return min(rows, key=lambda r: (r.start, -r.end)).name

    if overhead:
        return "profiler", outermost(overhead)
    cost = min(costs, key=cost_order, default=None)
    if cost and cost.kind == "profiler":
        return "profiler", cost.name
    if launch.end <= gap.a:
        return ("dispatch", None) if gap.b - gap.a <= DISPATCH_LIMIT else ("dependency", None)
    if cost and x < launch.end:                             # what waits for room in the queue waits for what was launched before
        return "dependency" if cost.kind == "queue_full" else "load", cost.name
    if launch.start <= x < launch.end:
        return ("sync" if calls.is_blocking_copy(launch) else "launch"), launch.name
    if x >= launch.end:
        return "latency", launch.name
    for cause, fits in (("sync", calls.blocks), ("mpi", None), ("alloc", calls.is_alloc), ("load", calls.is_load), ("api", lambda c: True)):
        found = [c for c in here if fits(c)] if fits else mpi
        if found:
            return cause, outermost(found)
    if system:
        return "os", outermost(system)
    return "host", label(ranges[-1]) if ranges else None    # ranges come in nesting order: the last is innermost


def host_of(trace):
    """What the trace's threads did, computed once."""
    if not hasattr(trace, "host"):
        trace.host = Host(trace)
    return trace.host


def explained_gaps(query):
    """All gaps of all selected devices with their causes, in the whole trace, not yet clipped; computed once."""
    if not hasattr(query, "gaps"):
        query.gaps = [gap for device in query.devices for gap in find_gaps(query, device)]
        for gap in query.gaps:
            explain(host_of(query.trace), gap)
            assert sum(y - x for x, y, _, _ in gap.pieces) == gap.b - gap.a
    return query.gaps


def gaps_in(query, device, interval):
    """The explained gaps of a device that have a part in an interval."""
    if not hasattr(query, "gap_finders"):
        query.gap_finders = {d: intervals.Finder(gaps) for d, gaps in by(explained_gaps(query), "device").items()}
    return query.gap_finders[device].overlapping(*interval) if device in query.gap_finders else []


def clipped_pieces(query, gap):
    window = query.window(gap.device)
    found = [(max(x, window[0]), min(y, window[1]), cause, detail) for x, y, cause, detail in gap.pieces]
    return [p for p in found if p[0] < p[1]]


# --- verbs ------------------------------------------------------------------------------------------------

def idle(query, detail=False):
    """Rows by device and cause (and detail with what opened the gap); the sum of a device's rows is `idle` of the account (time.md) exactly."""
    sums = {}
    for gap in explained_gaps(query):
        for x, y, cause, what in clipped_pieces(query, gap):
            key = (gap.device, cause, what, *host_of(query.trace).opened(gap)) if detail else (gap.device, cause)
            sums[key] = sums.get(key, 0) + y - x
    for device in query.devices:
        unused = length_unused(query, device)
        if unused:
            sums[(device, "unused", None, None, None) if detail else (device, "unused")] = unused
    for row in oracle.overlap(query, segments):
        total = sum(v for k, v in sums.items() if k[0] == row["device"])
        assert total == row["idle"], (row, total)
    columns = ("device", "cause", "detail", "opened_by", "opened_in") if detail else ("device", "cause")
    return [{**dict(zip(columns, k)), "sum": v} for k, v in sums.items()]


def length_unused(query, device):
    """Time in the window before the device's first or after its last operation."""
    ops = [op for op in query.ops if op.device == device]
    extent = (min(op.start for op in ops), max(op.end for op in ops))
    window = query.window(device)
    return intervals.length(intervals.subtract([window] if window[0] < window[1] else [], intervals.union([extent])))


def gaps(query, minimum=10_000):
    """open: the clipped length decides about `minimum`; the dominant cause is the longest, ties in the table's order; its
    detail is the longest of that cause, ties to the earliest; `nvtx` is the innermost range around the launch of N."""
    innermost, out = host_of(query.trace).innermost, []
    for gap in explained_gaps(query):
        pieces = clipped_pieces(query, gap)
        length = sum(y - x for x, y, _, _ in pieces)
        if not pieces or length < minimum:
            continue
        causes, details = {}, {}
        for x, y, cause, what in pieces:
            causes[cause] = causes.get(cause, 0) + y - x
            details[cause, what] = details.get((cause, what), 0) + y - x
        cause = max(causes, key=lambda c: (causes[c], -CAUSES.index(c)))
        detail = max((k for k in details if k[0] == cause), key=lambda k: details[k])[1]
        launch = gap.after.launch
        around = innermost.get(launch) if launch else None
        opened_by, opened_in = host_of(query.trace).opened(gap)
        out.append({"device": gap.device, "start": pieces[0][0], "duration": length, "cause": cause, "detail": detail,
                    "opened_by": opened_by, "opened_in": opened_in,
                    "before": operation_name(query.trace, gap.before), "after": operation_name(query.trace, gap.after),
                    "thread": launch.thread if launch else None, "nvtx": label(around) if around else None})
    return sorted(out, key=lambda g: (-g["duration"], g["device"], g["start"]))
