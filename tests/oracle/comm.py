"""Communication (ANALYSES.md section 7): collective types, the nccl table, and ranks of one trace against each other."""
import re

import intervals
from oracle import percentile, rounded

# First match wins, on the kernel's demangled name (of a copy: the name of its NCCL range).
# open: what kernels not called nccl are: custom all-reduces are AllReduce, expert dispatch and combine AllToAll.
TYPES = [("ReduceScatter", r"reduce_?scatter"), ("AllReduce", r"all_?reduce|cross_device_reduce|ar_fusion|sum_inplace"),
         ("AllGather", r"all_?gather"), ("AllToAll", r"all_?to_?all|a2a|deep_ep::"), ("Broadcast", r"broadcast|\bbcast|_bcast"),
         ("SendRecv", r"send_?recv|push(send|recv)|nccl(send|recv)"), ("Reduce", r"reduce")]


def collective_type(trace, op):
    name = trace.kernel_name(op) if op.kind == "kernel" else nccl_range(trace, op)
    # open: only the function's own name speaks, not its template or call arguments
    name = re.sub(r"[<(].*", "", name.replace("(anonymous namespace)", ""))
    return next((t for t, pattern in TYPES if re.search(pattern, name, re.IGNORECASE)), "other")


def nccl_range(trace, op):
    """The innermost NCCL range around a copy's launch call. open: a copy-engine collective takes its type from it."""
    inside = [r for r in trace.ranges if r.type in (59, 70) and r.thread == op.launch.thread
              and (r.domain == "NCCL" or (r.name or "").lower().startswith("nccl"))
              and r.start <= op.launch.start and op.launch.end <= r.end]
    return max(inside, key=lambda r: (r.start, -r.end)).name or ""


def nccl(query):
    """By device, process, stream and type. open: communicator, bytes and bandwidths need payloads, which no export here has."""
    import exposure                                        # which imports this file
    out = []
    for device in query.devices:
        compute, groups = exposure.device_unions(query, device)["compute"], {}
        for op, part in exposure.parts(query, device, lambda op: op.cls == "comm"):
            key = {"device": device, **exposure.stream_key(op), "type": collective_type(query.trace, op)}
            groups.setdefault(tuple(key.items()), []).append((op, part))
        for key, members in groups.items():
            times = [p[1] - p[0] for _, p in members]
            found = exposure.exposure(members, compute)
            out.append({**dict(key), "calls": len(times), "sum": sum(times),
                        "busy": intervals.length(intervals.union(p for _, p in members)), "avg": rounded(sum(times), len(times)),
                        "p50": percentile(times, 50), "p99": percentile(times, 99), "max": max(times),
                        "exposed": found["exposed"], "overlap": found["overlap"], "bytes": None, "algbw": None, "busbw": None})
    return out


def matched(trace):
    """(operation, shortest duration of its match) for all that match, on the whole trace; see cross_rank."""
    queues, processes = {}, {op.process for op in trace.ops if op.cls == "comm"}
    for op in sorted((o for o in trace.ops if o.cls == "comm"), key=lambda o: (o.start, o.order)):
        queues.setdefault((collective_type(trace, op), op.stream), {}).setdefault(op.process, []).append(op)
    for by_process in queues.values():
        if len(processes) > 1 and set(by_process) == processes and len({len(v) for v in by_process.values()}) == 1:
            for match in zip(*by_process.values()):
                yield from ((op, min(o.end - o.start for o in match)) for op in match)


def cross_rank(query):
    """Processes of one trace as ranks: collectives of one type and stream matched by order, where all ranks have as many.

    Rows by type, stream and process: `calls`, `transfer` (sum of the shortest durations), `wait` (sum of dur - min) and
    `shortest` (how often it had the shortest kernel: it arrived last). open: the stream's role is its number."""
    queues, processes = {}, {op.process for op in query.ops}
    for op in sorted((o for o in query.ops if o.cls == "comm"), key=lambda o: (o.start, o.order)):
        queues.setdefault((collective_type(query.trace, op), op.stream), {}).setdefault(op.process, []).append(op)
    out = []
    for (kind, stream), by_process in queues.items():
        if set(by_process) != processes or len({len(v) for v in by_process.values()}) != 1:
            continue
        shortest = [min(o.end - o.start for o in match) for match in zip(*by_process.values())]
        for process, ops in by_process.items():
            waits = [o.end - o.start - s for o, s in zip(ops, shortest)]
            out.append({"type": kind, "stream": stream, "pid": process & 0xFFFFFF, "calls": len(ops), "transfer": sum(shortest),
                        "wait": sum(waits), "shortest": waits.count(0)})
    return out
