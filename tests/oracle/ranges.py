# SPDX-License-Identifier: MIT
"""The NVTX verbs: nvtx, tree, nvtx-kernels, phases and coverage (docs/definitions/nvtx.md)."""
import intervals
from calls import host_part
from conventions import matches
from nvtx import exact_label, forest_of, label, on_one_thread
from oracle import percentile, rounded


def parts_of(query, ops):
    """{operation: its part inside the window} of the admitted operations among ops."""
    admitted = query_ops(query)
    return {op: query.clip(op) for op in ops if op in admitted and query.clip(op)}


def query_ops(query):
    if not hasattr(query, "op_set"):
        query.op_set = set(query.ops)
    return query.op_set


def busy(parts):
    """Length of the union per device, added up over devices."""
    by_device = {}
    for op, part in parts.items():
        by_device.setdefault(op.device, []).append(part)
    return sum(intervals.length(intervals.union(v)) for v in by_device.values())


def duration(parts):
    return sum(end - start for start, end in parts.values())


def inclusive(forest):
    """{range: operations}: push/pop ranges with all that is launched inside them on their thread, start/end ranges with theirs;
    and the same for bridged ones."""
    direct, bridged = {r: [] for r in forest.pushed}, {r: [] for r in forest.pushed}
    for op in forest.direct:
        for r in forest.stack(op):
            direct[r].append(op)
    for op, above in forest.above.items():
        for r in above:
            bridged[r].append(op)
    direct.update(forest.spanned)
    return direct, bridged


def self_time(query, forest, r):
    """The part of the range inside the window minus the union of its children."""
    part = host_part(query, r)
    below = [(c.start, c.end) for c in forest.children.get(r, ())]
    return intervals.length(intervals.subtract(intervals.union([part]), intervals.union(below))) if part else 0


def figures(query, forest, ranges, direct, bridged):
    """The columns of one row made of these ranges.

    open: an operation below two nested ranges of one row counts once in gpu_ops and gpu_sum; `bridged` is the number
    of bridged operations; a range outside the window may still own operations inside it, and its row stays."""
    host = [p[1] - p[0] for p in (host_part(query, r) for r in ranges) if p]
    ops = parts_of(query, {op for r in ranges for op in direct[r]})
    over = parts_of(query, {op for r in ranges for op in bridged.get(r, ())})
    projected = 0
    for r in ranges:
        mine = parts_of(query, direct[r]).values()
        projected += max(p[1] for p in mine) - min(p[0] for p in mine) if mine else 0
    return {"count": len(host), "host_sum": sum(host), "host_avg": rounded(sum(host), len(host)) if host else None,
            "host_p50": percentile(host, 50) if host else None, "host_p90": percentile(host, 90) if host else None,
            "self": sum(self_time(query, forest, r) for r in ranges), "gpu_ops": len(ops), "gpu_sum": duration(ops),
            "gpu_busy": busy(ops), "projected": projected, "bridged": len(over), "bridged_sum": duration(over),
            "bridged_busy": busy(over)}


def folded(query, forest, keys):
    """One row per key; keys: {range: dictionary of key columns}."""
    direct, bridged = inclusive(forest)
    groups = {}
    for r, key in keys.items():
        groups.setdefault(tuple(key.items()), []).append(r)
    rows = [{**dict(key), **figures(query, forest, ranges, direct, bridged)} for key, ranges in groups.items()]
    return [row for row in rows if row["count"] or row["gpu_ops"] or row["bridged"]]


def nvtx(query, exact=False, domain=None):
    """open: push/pop and start/end ranges of one name are two rows (`style`)."""
    forest, name = forest_of(query.trace, domain), exact_label if exact else label
    keys = {r: {"name": name(r), "style": "push/pop"} for r in forest.pushed}
    keys.update({s: {"name": name(s), "style": "start/end"} for s in forest.spans})
    return folded(query, forest, keys)


def leaves(query, forest, name):
    """Kernels of one name below the path of their innermost push/pop range, as rows of tree; no host figures, nothing bridged."""
    groups = {}
    for op, part in parts_of(query, forest.direct).items():
        if op.kind == "kernel":
            key = forest.path(forest.direct[op], name) + (query.trace.kernel_name(op),)
            groups.setdefault(key, {})[op] = part
    empty = dict.fromkeys(["host_sum", "host_avg", "host_p50", "host_p90", "self", "projected", "bridged", "bridged_sum", "bridged_busy"])
    return [{"path": path, "style": "kernel", **empty, "count": len(ops), "gpu_ops": len(ops), "gpu_sum": duration(ops), "gpu_busy": busy(ops)}
            for path, ops in groups.items()]


def tree(query, exact=False, domain=None):
    """Rows by normalised path, merged over threads and processes.

    open: a start/end range of one thread hangs below the nearest push/pop range that contains it, another at the root."""
    forest, name = forest_of(query.trace, domain), exact_label if exact else label
    around = forest.innermost([s for s in forest.spans if on_one_thread(s)])
    keys = {}
    for r in forest.pushed:
        keys[r] = {"path": forest.path(r, name), "style": "push/pop"}
    for s in forest.spans:
        above = forest.path(around[s], name) if around.get(s) else ()
        keys[s] = {"path": above + (name(s),), "style": "start/end"}
    rows = folded(query, forest, keys) + leaves(query, forest, name)
    for row in rows:
        row["name"], row["parent"], row["depth"] = row["path"][-1], row["path"][:-1], len(row["path"]) - 1
    return rows


def nvtx_kernels(query, exact=False):
    """open: a kernel is listed under the path of its innermost range only; kernels without a range are not listed."""
    forest, name = forest_of(query.trace), exact_label if exact else label
    groups = {}
    for op, part in parts_of(query, forest.direct).items():
        if op.kind == "kernel":
            key = forest.path(forest.direct[op], name), query.trace.kernel_name(op)
            groups.setdefault(key, []).append(part[1] - part[0])
    return [{"path": path, "kernel": kernel, "calls": len(v), "sum": sum(v), "avg": rounded(sum(v), len(v))}
            for (path, kernel), v in groups.items()]


def coverage(query):
    """{"direct": (have, of), "bridged": (have, of)} in nanoseconds of kernels."""
    forest = forest_of(query.trace)
    kernels = {op: part for op, part in parts_of(query, query.ops).items() if op.kind == "kernel"}
    total = duration(kernels)
    return {"direct": (duration({op: p for op, p in kernels.items() if forest.stack(op)}), total),
            "bridged": (duration({op: p for op, p in kernels.items() if forest.stack(op, True)}), total)}


def in_domain(pattern, name, domain):
    """Whether D:text names the range's domain, and the text its name; an empty text is all of the domain."""
    before, colon, text = pattern.partition(":")
    return bool(colon and before and before != "re" and before == domain and (not text or matches(text, name)))


def phase_of(phase_map, name, domain):
    """The first phase in file order one of whose patterns matches, or None: the name without its domain, or D:text, or a
    phase that is limited to a domain."""
    for phase, patterns in phase_map.items():
        if isinstance(patterns, dict):
            if patterns["domain"] == domain and any(matches(p, name) for p in patterns.get("patterns", ["re:"])):
                return phase
        elif any(matches(p, name) or in_domain(p, name, domain) for p in patterns):
            return phase
    return None


def phases(query, phase_map, bridge=True):
    """phase_map: {phase: [patterns]} in file order. The outermost matching range of the bridged chain wins (--no-bridge: of its own).

    open: `ranges` and `host_busy` are of the ranges no ancestor of which, on their own thread, matches; host_busy adds
    the unions of the threads; share is of the sum of all operations."""
    forest = forest_of(query.trace)
    names = {r: phase_of(phase_map, r.name or "", (r.domain if r.domain_id else None) or "") for r in forest.pushed}
    outermost = {p: [] for p in phase_map}
    for r in forest.pushed:
        if names[r] and not any(names[a] for a in forest.ancestors(r)[1:]) and host_part(query, r):
            outermost[names[r]].append(r)
    groups = {p: {} for p in [*phase_map, "(none)"]}
    for op, part in parts_of(query, query.ops).items():
        found = [names[r] for r in forest.chain(op, bridge) if names[r]]
        groups[found[-1] if found else "(none)"][op] = part
    total, out = sum(duration(g) for g in groups.values()), []
    for phase, parts in groups.items():
        ranges, threads = outermost.get(phase, []), {}
        for r in ranges:
            threads.setdefault(r.thread, []).append(host_part(query, r))
        host_busy = sum(intervals.length(intervals.union(v)) for v in threads.values())
        out.append({"phase": phase, "ranges": len(ranges), "host_busy": host_busy, "gpu_busy": busy(parts),
                    "gpu_sum": duration(parts), "share": duration(parts) / total if total else None,
                    "host_avg": host_busy // len(ranges) if ranges else None,
                    "gpu_avg": duration(parts) // len(ranges) if ranges else None})
    return out
