# SPDX-License-Identifier: MIT
"""Communication (docs/definitions/communication.md): collective types, the nccl table, and ranks of one trace against each other."""
import re

import intervals
from conventions import rank_of
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


# --- ranks against each other ("Matching" and "Waiting") ---------------------------------------------------------

TOLERANCE = 5000
MOST = 200
SHARE = (95, 100)


def stream_roles(trace):
    """{(process, device, context, stream): (class, order among the member's streams of that class)} on the whole trace.

    open: streams are in the order of context and number."""
    kernels, classes = {}, {}
    for op in trace.ops:
        found = kernels.setdefault((op.process, op.device, op.context, op.stream), [])
        found += [op.cls == "comm"] if op.kind in ("kernel", "graph") else []
    for key, found in kernels.items():
        classes[key] = "copy" if not found else "comm" if all(found) else "compute"
    def order(key):
        return sum(k[:2] == key[:2] and classes[k] == classes[key] and [n is not None and n for n in k[2:]] < [n is not None and n for n in key[2:]]
                   for k in classes)
    return {key: (cls, order(key)) for key, cls in classes.items()}


def queues(trace):
    """{(type, role): {member: operations in order}}; a member is (process, device)."""
    roles, out = stream_roles(trace), {}
    for op in sorted((o for o in trace.ops if o.cls == "comm"), key=lambda o: (o.end, o.start, o.order)):
        key = collective_type(trace, op), roles[op.process, op.device, op.context, op.stream]
        out.setdefault(key, {}).setdefault((op.process, op.device), []).append(op)
    return out


def shift_of(a, b):
    """How far b's index is ahead of a's where their ends agree in 95% of the instances that both have; None where they do not.

    open: one clock; where the numbers differ, the shift with most agreeing ends, then the smallest, and half must be in common."""
    best = None
    for shift in sorted(range(-abs(len(a) - len(b)) - 2, abs(len(a) - len(b)) + 3), key=abs) if len(a) != len(b) else [0]:
        pairs = [(x, b[i + shift]) for i, x in enumerate(a) if 0 <= i + shift < len(b)]
        agree = sum(abs(x.end - y.end) <= TOLERANCE for x, y in pairs)
        if pairs and 2 * len(pairs) >= max(len(a), len(b)) and (best is None or agree > best[0]):
            best = agree, len(pairs), shift
    return best[2] if best and best[0] * SHARE[1] >= best[1] * SHARE[0] else None


def groups(trace):
    """Yields (type, {member: operations}) of members whose collectives end together; operations at one index are a match."""
    for (kind, _), by_member in queues(trace).items():
        found = []                                          # [[(member, operations, shift to the first)]]
        for member, ops in sorted(by_member.items()):
            for group in found:
                shift = shift_of(group[0][1], ops)
                if shift is not None:
                    group.append((member, ops, shift))
                    break
            else:
                found.append([(member, ops, 0)])
        for group in (g for g in found if len(g) > 1):
            first, last = max(-shift for _, _, shift in group), min(len(ops) - shift for _, ops, shift in group)
            yield kind, {member: ops[first + shift:last + shift] for member, ops, shift in group}


def waiting(trace):
    """{operation: {transfer, wait, late, last, caused, alone, group}} of all that match.

    open: of members that arrive at once the one of the lowest rank, then process and device, is last."""
    out, ranks = {}, {p: rank_of(trace, p) for p in trace.processes}
    for _, by_member in groups(trace):
        devices = sorted(device for _, device in by_member)
        for match in zip(*by_member.values()):
            arrivals = sorted(op.start for op in match)
            shortest = min(op.end - op.start for op in match)
            late = min((op for op in match if op.start == arrivals[-1]),
                       key=lambda op: (ranks[op.process] is None, ranks[op.process] or 0, op.process, op.device))
            for op in match:
                out[op] = {"transfer": shortest, "wait_all": op.end - op.start - shortest, "late": arrivals[-1] - op.start, "last": int(op is late),
                           "caused": sum(arrivals[-1] - a for a in arrivals) if op is late else 0,
                           "alone": arrivals[-1] - arrivals[-2] if op is late else 0, "group": devices}
    return out


WAITING = ("transfer", "wait_all", "late", "last", "caused", "alone")


def waited(trace, query):
    """{key of an nccl row: sums of WAITING, and the group's devices} of operations with a part in the window."""
    import exposure
    out, found = {}, waiting(trace)
    for op in (op for device in query.devices for op, _ in exposure.parts(query, device) if op in found):
        key = op.device, *exposure.stream_key(op).values(), collective_type(trace, op)
        row = out.setdefault(key, {**dict.fromkeys(WAITING, 0), "group": found[op]["group"]})
        for c in WAITING:
            row[c] += found[op][c]
    return out
