# SPDX-License-Identifier: MIT
"""Who ran where: setup and streams (docs/definitions/iterations.md)."""
import intervals
from conventions import GENERIC, mesh, purpose_of, rank_of
from exposure import stream_key
from nvtx import forest_of, label
from oracle import gpu_name
from ranges import parts_of


def setup(trace):
    """One row per process and device. open: processes that used a GPU; `name` is the GPU's; threads are those with API calls
    or NVTX ranges."""
    out = []
    for process in sorted({op.process for op in trace.ops}):
        threads = {x.thread for x in trace.calls + trace.ranges if x.process == process}
        for device in trace.devices_of(process):
            ops = [op for op in trace.ops if op.process == process and op.device == device]
            out.append({"pid": process & 0xFFFFFF, "rank": rank_of(trace, process), **mesh(trace, process), "device": device,
                        "name": gpu_name(trace, device), "process_name": trace.process_names.get(process), "threads": len(threads),
                        "first": min(op.start for op in ops), "last": max(op.end for op in ops)})
    return out


def streams(query, conventions=GENERIC):
    """open: a stream is (device, process, context, streamId); graph rows count as kernels that are not comm; a stream of which some
    kernels have a label and others none is mixed; a stream that is not comm has no purpose."""
    forest, groups = forest_of(query.trace), {}
    for op in parts_of(query, query.ops):
        groups.setdefault(tuple({"device": op.device, **stream_key(op)}.items()), []).append(op)
    out = []
    for key, ops in groups.items():
        kernels = [op for op in ops if op.kind in ("kernel", "graph")]
        comm = [op for op in kernels if op.cls == "comm"]
        kind = "copy" if not kernels else "comm" if len(comm) == len(kernels) else "compute"
        labels = {purpose_of(conventions, forest.stack(op), label) for op in comm}
        purpose = None if kind != "comm" else "mixed" if len(labels) > 1 else labels.pop() or "unknown"
        out.append({**dict(key), "class": kind, "purpose": purpose, "ops": len(ops),
                    "kernels": sum(op.kind == "kernel" for op in ops), "comm_share": comm_share(query, kernels)})
    return out


def comm_share(query, kernels):
    """The communication part of the time of a stream's kernels, graph rows left out. open: None where they took no time."""
    times = [(op, query.clip(op)) for op in kernels if op.kind == "kernel"]
    total = sum(b - a for _, (a, b) in times)
    return sum(b - a for op, (a, b) in times if op.cls == "comm") / total if total else None


def stream_busy(query):
    """The time with any operation of the stream under way."""
    groups = {}
    for op, part in parts_of(query, query.ops).items():
        groups.setdefault(tuple({"device": op.device, **stream_key(op)}.items()), []).append(part)
    return [{**dict(key), "busy": intervals.length(intervals.union(found))} for key, found in groups.items()]
