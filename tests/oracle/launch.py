# SPDX-License-Identifier: MIT
"""Launches and graphs (docs/definitions/kernels.md; kernels and api are in oracle.py)."""
from fractions import Fraction

import idle
import intervals
from calls import host_part
from oracle import percentile, rounded, stddev
from ranges import parts_of

BIN = 1_000_000
SECOND_BINS = 1000
SHORT = (5_000, 10_000, 20_000)
GRAPH_LAUNCHES = ("cudaGraphLaunch", "cuGraphLaunch")


def described(prefix, values):
    if not values:
        return {prefix + "_" + c: None for c in ("sum", "avg", "p50", "p90", "min", "max", "stddev")}
    sign = -1 if sum(values) < 0 else 1
    return {prefix + "_sum": sum(values), prefix + "_avg": sign * rounded(abs(sum(values)), len(values)),
            prefix + "_p50": percentile(values, 50), prefix + "_p90": percentile(values, 90), prefix + "_min": min(values),
            prefix + "_max": max(values), prefix + "_stddev": stddev(values)}


def first_node(op, kinds):
    """Whether the operation is the first of these kinds in its graph's replay; what no graph launched is the first of its launch.

    open: the first by start, then stream, then row, in the whole trace."""
    if not op.launch.name.startswith(GRAPH_LAUNCHES):
        return True
    return op is min((o for o in op.launch.ops if o.kind in kinds), key=lambda o: (o.start, -1 if o.stream is None else o.stream, o.order))


def exposed_by(query, key_of):
    """Idle time with cause launch by a key of the kernel that ends the gap."""
    out = {}
    for gap in idle.explained_gaps(query):
        time = sum(y - x for x, y, cause, _ in idle.clipped_pieces(query, gap) if cause == "launch")
        if time and gap.after.kind == "kernel":
            key = key_of(gap.after)
            out[key] = out.get(key, 0) + time
    return out


def row_of(kernels, exposed):
    """The times of some kernels."""
    launched = [op for op in kernels if op.launch]
    calls = [op.launch for op in launched if first_node(op, ("kernel",))]
    ops = [op for op in launched if first_node(op, ("kernel", "memcpy", "memset"))]
    queue = [op.start - op.launch.end for op in ops if op.start >= op.launch.end]
    latency = [op.start - op.launch.start for op in ops]
    return {"calls": len(kernels), "launched": len(launched), **described("api", [call.end - call.start for call in calls]),
            "queued": len(queue), **described("queue", queue), **described("latency", latency),
            "negative": sum(x < 0 for x in latency), "exposed_launch": exposed}


def launch(query):
    """Per kernel name: api, queue and latency of the kernels with a part in the window and a launch row, and exposed_launch.

    A graph's launch call counts once, with its first kernel; a queue that contains no other node has only the replay's first
    node. open: latency as the queue; which statistics are printed; times of a kernel in the window are not clipped, exposed_launch is, and a name
    whose kernel only ends a gap of the window (and starts at its very end) has a row with calls 0."""
    trace, groups = query.trace, {}
    for op in parts_of(query, query.ops):
        if op.kind == "kernel":
            groups.setdefault(trace.kernel_name(op), []).append(op)
    exposed = exposed_by(query, trace.kernel_name)
    return [{"name": name, **row_of(groups.get(name, []), exposed.get(name, 0))} for name in list(groups) + [n for n in exposed if n not in groups]]


# --- rates ------------------------------------------------------------------------------------------------

def rates(query):
    """Per device: launches per second of busy windows, shares of short kernels, storm.

    open: bins count from the window's begin; a launch is an API row that launched a kernel or a graph of the device and
    starts inside the window; durations are clipped as in `kernels`; the last bin may be short and counts as 1 ms."""
    out = []
    for device in query.devices:
        begin, stop = query.window(device)
        ops = [op for op in query.ops if op.device == device]
        parts = parts_of(query, ops)
        calls = {op.launch for op in ops if op.kind in ("kernel", "graph") and op.launch and begin <= op.launch.start < stop}
        # A launch whose call the trace lacks counts where its work begins; nodes of one graph launch have one id.
        unseen = [(op.process, op.correlation) for op in ops if op.kind in ("kernel", "graph") and not op.launch and begin <= op.start < stop]
        n_launches = len(calls) + len({u for u in unseen if u[1]}) + sum(not u[1] for u in unseen)
        active = {b for start, end in parts.values() for b in bins(start - begin, end - begin)}
        active |= {b for c in calls for b in bins(c.start - begin, min(c.end, stop) - begin)}
        kernels = [(op, p) for op, p in parts.items() if op.kind == "kernel"]
        times = [p[1] - p[0] for _, p in kernels]
        row = {"device": device, "launches": n_launches, "busy_bins": len(active),
               "launches_per_second": n_launches * (10 ** 9 // BIN) / len(active) if active else None}
        for limit in SHORT:
            row["short_%d" % (limit // 1000)] = sum(t <= limit for t in times) / len(times) if times else None
        row["storm"] = storm(active, [(c.start - begin) // BIN for c in calls],
                             [((p[0] - begin) // BIN, p[1] - p[0]) for _, p in kernels])
        row["kernel_p50"] = percentile(times, 50) if times else None
        row["kernel_p90"] = percentile(times, 90) if times else None
        out.append(row)
    return out


def bins(start, end):
    """The numbers of the bins an interval touches; an empty one touches the bin it lies in."""
    return range(start // BIN, max(end - 1, start) // BIN + 1)


def storm(active, launch_bins, kernels):
    """open: a contiguous second of activity is 1,000 neighbouring bins, each active; kernels: [(bin, duration)]."""
    if len(launch_bins) < 50_000:
        return False
    for first in sorted(active):
        second = range(first, first + SECOND_BINS)
        if not all(b in active for b in second):
            continue
        rate = sum(b in second for b in launch_bins)
        times = [t for b, t in kernels if b in second]
        p50 = percentile(times, 50) if times else None
        if p50 is not None and (rate >= 50_000 and p50 <= 10_000 or rate >= 100_000 and p50 <= 20_000):
            return True
    return False


# --- graphs -----------------------------------------------------------------------------------------------

def graph_of(op):
    """The graph an operation is a node or a replay of, or None.

    open: node rows without graph columns count by sharing a graph launch's correlation id with others; their graph is None
    and they are told apart by nothing."""
    if op.kind == "graph":
        return op.row.get("graphId")
    node = op.row.get("graphNodeId")
    return node >> 32 if isinstance(node, int) and node else None


def is_node(op):
    return op.kind != "graph" and (graph_of(op) is not None or
                                   bool(op.launch and op.launch.name.startswith(GRAPH_LAUNCHES)))


def graph_mode(trace):
    nodes, replays = any(is_node(op) for op in trace.ops), any(op.kind == "graph" for op in trace.ops)
    return "mixed" if nodes and replays else "node" if nodes else "graph" if replays else "none"


def graphs(query):
    """Per process, device and graph: launches, replays, nodes_per_replay, busy, coverage; graph None with no device: the
    launches of which nothing was traced.

    open: a launch belongs to the graph of its operations, so only the untraced ones lower the coverage; launches count
    that start in the window of the process's devices (or whose replay is in it)."""
    groups, out, seen = {}, [], set()
    for op, part in parts_of(query, query.ops).items():
        if op.kind == "graph" or is_node(op):
            groups.setdefault((op.process, op.device, graph_of(op)), []).append((op, part))
    for (process, device, graph), members in groups.items():
        replays = {id(op) if op.kind == "graph" else ("node", op.correlation) for op, _ in members}
        launches = {op.launch for op, _ in members if op.launch}
        seen |= launches
        nodes = sum(op.kind != "graph" for op, _ in members)
        out.append({"pid": process & 0xFFFFFF, "device": device, "graph": graph, "launches": len(launches), "replays": len(replays),
                    "nodes_per_replay": Fraction(nodes, len(replays)) if nodes else None,
                    "busy": intervals.length(intervals.union(p for _, p in members)),
                    "coverage": len(replays) / len(launches) if launches else None})
    # A driver call inside a runtime call has its correlation id: what one of them launched, both did.
    traced, rest = {(c.process, c.correlation) for c in query.trace.calls if c.ops}, {}
    for call in query.trace.calls:
        if call.name.startswith(GRAPH_LAUNCHES) and (call.process, call.correlation) not in traced and host_part(query, call):
            rest[call.process] = rest.get(call.process, 0) + 1
    out += [{"pid": p & 0xFFFFFF, "device": None, "graph": None, "launches": n, "replays": 0, "nodes_per_replay": None, "busy": 0,
             "coverage": 0.0} for p, n in rest.items()]
    return out
