# SPDX-License-Identifier: MIT
"""The host's side (docs/definitions/host.md): sync, osrt, threads, pids. transfers and api are in oracle.py."""
import calls
import intervals
from idle import mostly_negative
from nvtx import forest_of, label
from oracle import describe, percentile
from ranges import busy, duration, parts_of, self_time

NONE = 0xFFFFFFFF


def length(parts):
    return intervals.length(intervals.union(p for p in parts if p))


def sync(query):
    """Blocking calls by name, process, thread and innermost NVTX range.

    open: gpu_idle of a call whose device is not known, or whose process has skewed clocks, is left out of the sum, and None
    where that holds for all of a row."""
    trace, groups = query.trace, {}
    blocking = [c for c in trace.calls if calls.blocks(c) and calls.host_part(query, c)]
    around = forest_of(trace).innermost(blocking)
    used = {d: intervals.union((op.start, op.end) for op in trace.ops if op.device == d) for d in {op.device for op in trace.ops}}
    waits, skewed = waited_devices(trace), {p for p in trace.processes if mostly_negative(trace, p)}
    for c in blocking:
        key = c.name, c.pid, c.thread, label(around[c]) if around[c] else None
        part = calls.host_part(query, c)
        device, both = waits(c), None
        if device is not None and c.process not in skewed:
            worked = intervals.length(intervals.clipped(used[device], part))
            both = part[1] - part[0] - worked, worked
        groups.setdefault(key, []).append((part[1] - part[0], both))
    out = []
    for (name, pid, thread, nvtx), found in groups.items():
        times, known = [t for t, _ in found], [b for _, b in found if b]
        out.append({"name": name, "pid": pid, "thread": thread, "nvtx": nvtx, "calls": len(times), "sum": sum(times),
                    "p50": percentile(times, 50), "max": max(times), "gpu_idle": sum(i for i, _ in known) if known else None,
                    "gpu_busy": sum(w for _, w in known) if known else None})
    return out


def is_stream_wait(row):
    """A stream waits for an event, on the GPU's side: the pair of stream and event tells, whatever the row's syncType says."""
    return row.get("streamId") not in (None, NONE) and row.get("eventId") not in (None, NONE)


def waited_devices(trace):
    """A function call -> the device it waits for, or None.

    open: the synchronisation row of the call's correlation id names it; a blocking copy waits for its own device; else the
    process's only device."""
    rows = {(r["globalPid"] >> 24, r["correlationId"]): r for r in trace.syncs
            if r.get("correlationId") is not None and not is_stream_wait(r)}

    def device(call):
        row = rows.get((call.process, call.correlation))
        named = None if row is None else trace.find_device(call.process, row["deviceId"])
        if named is not None:
            return named
        if call.ops:
            return call.ops[0].device
        mine = trace.devices_of(call.process)
        return mine[0] if len(mine) == 1 else None
    return device


def osrt(query):
    """open: no errors column, since a result of read or poll is not an error code."""
    groups = {}
    for row in query.trace.osrt:
        part = calls.host_part(query, row)
        if part:
            groups.setdefault(row.name, []).append(part[1] - part[0])
    total, out = sum(sum(v) for v in groups.values()), []
    for name, times in groups.items():
        described = describe(times, total)
        del described["p99"]
        out.append({"name": name, **described})
    return out


def on_cpu(trace):
    """{thread: intervals}: from each isSchedIn 1 to the thread's next row. open: the last one to the trace's end; of rows
    at one time the one that switches out comes first."""
    threads, out = {}, {}
    for r in trace.sched:
        threads.setdefault(r["globalTid"], []).append((r["start"], r["isSchedIn"]))
    for thread, events in threads.items():
        events.sort()
        ends = [t for t, _ in events[1:]] + [max(trace.end, events[-1][0])]
        out[thread] = intervals.union((t, end) for (t, inside), end in zip(events, ends) if inside)
    return out


def called(trace):
    """From the first call, range or mark to the end of the last one. open: OS calls are calls; of all processes, selected or not."""
    found = trace.calls + trace.osrt + trace.ranges
    ends = [r.end for r in found] + [m.start for m in trace.marks]
    return (min([r.start for r in found] + [m.start for m in trace.marks]), max(ends)) if ends else (0, 0)


def threads(query):
    """Without a window, time on a CPU is what lies between the first and the last call or range.

    open: threads that have API calls, NVTX ranges or OS calls anywhere, and something in the window; times are unions, not
    sums; a launch counts where its call starts inside the window; NVTX self time adds the ranges' own; what the whole
    trace has no rows for is None."""
    trace, forest, cpu = query.trace, forest_of(query.trace), on_cpu(query.trace)
    rows, out, around = {}, [], called(trace)
    for kind, found in (("api", trace.calls), ("os", trace.osrt), ("nvtx", trace.ranges)):
        for row in found:
            rows.setdefault(row.thread, {"api": [], "os": [], "nvtx": []})[kind].append((row, calls.host_part(query, row)))
    for thread, mine in sorted(rows.items()):
        window = calls.host_window(query, thread >> 24)
        mine = {kind: [(row, part) for row, part in found if part] for kind, found in mine.items()}
        seen = intervals.length(intervals.clipped(cpu.get(thread, []), around if window is None else window))
        if not seen and not any(mine.values()) or query.pids is not None and (thread >> 24 & 0xFFFFFF) not in query.pids:
            continue
        launches = [c for c, _ in mine["api"] if c.ops and (window is None or window[0] <= c.start < window[1])]
        row = {"thread": thread, "pid": thread >> 24 & 0xFFFFFF, "name": trace.thread_names.get(thread),
               "api": length(p for _, p in mine["api"]), "sync": length(p for c, p in mine["api"] if calls.blocks(c)),
               "os": length(p for _, p in mine["os"]), "on_cpu": seen, "launches": len(launches),
               "nvtx_self": sum(self_time(query, forest, r) for r in forest.by_thread.get(thread, ()))}
        for recorded, columns in ((trace.calls, ("api", "sync", "launches")), (trace.ops, ("launches",)), (trace.osrt, ("os",)), (cpu, ("on_cpu",)),
                                  (trace.nvtx_rows, ("nvtx_self",))):
            row.update(dict.fromkeys(() if recorded else columns))
        out.append(row)
    return out


def pids(query):
    """open: busy is of all operations of the process, per device, added up; share is of the kernel sum; sync adds the unions
    of the process's threads; a launch is a call that launched anything; coverage is direct, None without kernels."""
    trace, forest, out = query.trace, forest_of(query.trace), []
    parts = parts_of(query, query.ops)
    total = duration({op: p for op, p in parts.items() if op.kind == "kernel"})
    for process in sorted({op.process for op in parts} | {c.process for c in trace.calls if calls.host_part(query, c)}):
        ops = {op: p for op, p in parts.items() if op.process == process}
        kernels = {op: p for op, p in ops.items() if op.kind == "kernel"}
        api = [(c, calls.host_part(query, c)) for c in trace.calls if c.process == process and calls.host_part(query, c)]
        window, waits = calls.host_window(query, process), {}
        for c, part in api:
            if calls.blocks(c):
                waits.setdefault(c.thread, []).append(part)
        launches = sum(1 for c, _ in api if c.ops and (window is None or window[0] <= c.start < window[1]))
        named = duration({op: p for op, p in kernels.items() if op in forest.direct})
        out.append({"pid": process & 0xFFFFFF, "kernels": len(kernels), "sum": duration(kernels), "busy": busy(ops),
                    "share": duration(kernels) / total if total else None, "launches": launches,
                    "sync": sum(length(v) for v in waits.values()),
                    "nvtx_coverage": named / duration(kernels) if duration(kernels) else None})
    return out
