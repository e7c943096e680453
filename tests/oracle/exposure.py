# SPDX-License-Identifier: MIT
"""Section 2 beyond the accounting of oracle.overlap: overlap by device, iteration, stream and stage, and the matrix."""
import intervals
import oracle
from comm import collective_type
from conventions import GENERIC, rank_of, stage_of
from nvtx import forest_of, label
from sweep import segments


def parts(query, device, keep=lambda op: True):
    """[(operation, its part inside the window)] of the device's admitted operations."""
    found = [(op, query.clip(op)) for op in query.ops if op.device == device and keep(op)]
    return [(op, part) for op, part in found if part]


def class_unions(query, device):
    """{"compute": C, "comm": M, "copy": Y} as sets of nanoseconds inside the window."""
    found = parts(query, device)
    return {cls: intervals.union(p for op, p in found if op.cls == cls) for cls in ("compute", "comm", "copy")}


def device_unions(query, device):
    """The same of all that ran on the device, whatever the selection: it hides, also where it is not asked for."""
    found = [op for op in query.trace.ops if op.device == device]
    return {cls: intervals.union((op.start, op.end) for op in found if op.cls == cls) for cls in ("compute", "comm", "copy")}


def exposure(members, compute):
    """What a group of (operation, part) adds for its communication; compute is C of its device.

    open: copy-engine collectives count as comm kernels here; a kernel with no length inside the window has no overlap
    of its own and does not enter overlap_min and overlap_max."""
    comm = [part for op, part in members if op.cls == "comm"]
    whole = intervals.union(comm)
    solid = [part for part in comm if part[0] < part[1]]
    uncovered = [intervals.subtract([part], compute) for part in solid]
    ratios = [(part[1] - part[0] - intervals.length(u)) / (part[1] - part[0]) for u, part in zip(uncovered, solid)]
    overlapped = intervals.length(intervals.intersect(whole, compute))
    return {"comm": intervals.length(whole), "overlapped_comm": overlapped,
            "overlap": overlapped / intervals.length(whole) if whole else None,
            "exposed": intervals.length(intervals.union(i for u in uncovered for i in u)),
            "exposed_sum": sum(intervals.length(u) for u in uncovered),
            "overlap_min": min(ratios, default=None), "overlap_max": max(ratios, default=None)}


COMMUNICATION = ("comm_calls", "comm_sum", "comm", "overlapped_comm", "overlap", "exposed", "exposed_sum", "overlap_min", "overlap_max")


def opaque(query, device):
    """Graph rows and no communication kernel traced: communication is not known."""
    found = parts(query, device)
    return any(op.kind == "graph" for op, _ in found) and not any(op.kind == "kernel" and op.cls == "comm" for op, _ in found)


def by_device(query):
    out = []
    for row in oracle.overlap(query, segments):
        extra = exposure(parts(query, row["device"]), class_unions(query, row["device"])["compute"])
        if not opaque(query, row["device"]):
            assert extra["exposed"] == row["exposed_comm"] and extra["comm"] == row["comm"], (row, extra)
        else:
            extra = dict.fromkeys(extra)
        graph = any(op.kind == "graph" for op, _ in parts(query, row["device"]))
        out.append({**row, **extra, "lower_bound": graph})      # idle, and comm where it is told at all
    return out


def by_iteration(query, found):
    """One row per (process, iteration, device), and a row with iter None for the rest of the window.

    found: {process: iters.Found}. open: whether the rest is a row; with it the rows of a device that one process uses
    add up to the device's own; where no process of the device has iterations all is the rest, of the one process or of nobody. Processes without an operation on the
    device that the selection admits have no rows."""
    out = []
    for process, f in found.items():
        for device in sorted({op.device for op in query.ops if op.process == process}):
            window = query.window(device)
            inside = [(i, intervals.clipped([t], window)) for i, t in enumerate(f.tiles())]
            inside = [(i, t) for i, t in inside if t]
            rest = intervals.subtract([window] if window[0] < window[1] else [], intervals.union(t for _, p in inside for t in p))
            for i, pieces in inside + ([(None, rest)] if rest else []):
                rows = [row for piece in pieces for row in known_by_device(query, device, piece)]
                out.append({"pid": process & 0xFFFFFF, "rank": rank_of(query.trace, process), "iter": i, **merged(rows)})
    for device in query.devices:
        processes = {op.process for op in query.ops if op.device == device}
        if not processes & set(found) and query.window(device)[0] < query.window(device)[1]:
            one = processes.pop() if len(processes) == 1 else None
            out.append({"pid": one and one & 0xFFFFFF, "rank": one and rank_of(query.trace, one), "iter": None,
                        **merged(known_by_device(query, device, query.window(device)))})
    return out


def known_by_device(query, device, window):
    """The row of the device in a window, with all numbers of communication, and whether they are known."""
    sub = oracle.Query(query.trace, {device}, query.pids, query.streams, lambda d: window)
    row, = oracle.overlap(sub, segments, blank=False)
    found = parts(sub, device)
    graph = any(op.kind == "graph" for op, _ in found)
    traced = any(op.kind == "kernel" and op.cls == "comm" for op, _ in found)
    return [{**row, **exposure(found, class_unions(sub, device)["compute"]), "graph": graph, "traced": traced}]


def merged(rows):
    """The rows of several windows of one device as one: lengths add up, and communication is known or not of them all."""
    out = dict(rows[0])
    for row in rows[1:]:
        for c in out:
            if c not in ("device", "overlap", "overlap_min", "overlap_max"):
                out[c] += row[c]
        for c, pick in (("overlap_min", min), ("overlap_max", max)):
            out[c] = pick((v for v in (out[c], row[c]) if v is not None), default=None)
    out["overlap"] = out["overlapped_comm"] / out["comm"] if out["comm"] else None
    if out.pop("graph") and not out.pop("traced"):
        out.update(dict.fromkeys(c for c in (*COMMUNICATION, "exposed_comm") if c in out))
    out.pop("traced", None)
    return out


def by_group(query, key, bridged=lambda op: False):
    """Rows of any grouping of operations that need not add up; key: operation -> dictionary of key columns; bridged: whether an
    operation is in its group only by way of the anchor thread.

    open: besides communication each row says `compute`, `copy` and `exposed_copy` of its own operations."""
    out = []
    for device in query.devices:
        unions, groups = device_unions(query, device), {}
        hiding = intervals.union(unions["compute"] + unions["comm"])
        for op, part in parts(query, device):
            groups.setdefault(tuple({"device": device, **key(op)}.items()), []).append((op, part))
        for k, members in groups.items():
            own = {cls: intervals.union(p for op, p in members if op.cls == cls) for cls in ("compute", "copy")}
            out.append({**dict(k), "compute": intervals.length(own["compute"]), "copy": intervals.length(own["copy"]),
                        "exposed_copy": intervals.length(intervals.subtract(own["copy"], hiding)),
                        "comm_calls": sum(op.cls == "comm" for op, _ in members),
                        "comm_sum": sum(p[1] - p[0] for op, p in members if op.cls == "comm"),
                        "bridged": sum(op.cls == "comm" and bridged(op) for op, _ in members),
                        **exposure(members, unions["compute"])})
    return out


def blanked(query, rows):
    """Rows of groups without what is not known: on a device with graph rows and no communication kernel, communication."""
    return [{**r, **dict.fromkeys(COMMUNICATION)} if opaque(query, r["device"]) else r for r in rows]


def stream_key(op):
    """Stream numbers are unique per process and context; 4294967295 is no stream."""
    return {"pid": op.pid, "context": op.context, "stream": None if op.stream == 0xFFFFFFFF else op.stream}


def by_stream(query):
    return by_group(query, stream_key)


def by_stage(query, conventions=GENERIC):
    """`bridged` counts communication whose stage comes from the anchor thread.

    open: the ranges "at the launch" are those that contain the whole launch call on its thread; of the anchor thread those
    open at its start; where the convention has no patterns the stage is the normalised name."""
    forest = forest_of(query.trace)
    ranks = {p: rank_of(query.trace, p) for p in query.trace.processes}
    stages = {op: stage_of(conventions, forest.stack(op), label, forest.above.get(op, ())) for op in query.ops}
    return by_group(query, lambda op: {"rank": ranks[op.process], "stage": stages[op][0]}, lambda op: stages[op][1])


def matrix(query):
    """|A ∩ B| for the classes C, M, Y and each collective type, per device.

    open: the classes are the three unions of time.md (memsets and graphs inside compute)."""
    out = []
    for device in query.devices:
        sets = class_unions(query, device)
        for op, part in parts(query, device, lambda op: op.cls == "comm"):
            sets.setdefault(collective_type(query.trace, op), []).append(part)
        sets = {name: intervals.union(s) for name, s in sets.items()}
        out += [{"device": device, "a": a, "b": b, "both": intervals.length(intervals.intersect(sets[a], sets[b]))}
                for a in sets for b in sets]
    return out
