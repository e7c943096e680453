# SPDX-License-Identifier: MIT
"""What warplens must answer, by brute force (docs/definitions/: vocabulary.md, time.md, kernels.md, host.md).

Every function takes a Query: the trace, a selection and a window. Nothing here is fast; the accounting
marks every segment between two neighbouring boundaries by looking at every operation.
"""
import math
import re

import links
from intervals import Finder
from tracefile import COPY_KINDS, MEMORY_KINDS


class Query:
    """gpus, pids, streams: sets or None for all. window: None for `all`, else a function device -> (begin, end).

    Our reading of "Selections" in docs/definitions/vocabulary.md: a selection admits operations, and a device is selected when an admitted operation ran on
    it. The default window is the span of everything on the selected devices, admitted or not.
    """
    def __init__(self, trace, gpus=None, pids=None, streams=None, window=None):
        self.trace, self.gpus, self.pids, self.streams = trace, gpus, pids, streams
        self.ops = [op for op in trace.ops if (gpus is None or op.device in gpus)
                    and (pids is None or op.pid in pids) and (streams is None or op.stream in streams)]
        self.devices, self.processes = sorted({op.device for op in self.ops}), {op.process for op in self.ops}
        self.explicit, self.clipped, self.host_windows = window, {}, {}     # the last is filled by calls.host_window
        on_devices = [op for op in trace.ops if op.device in self.devices]
        self.span = (min(op.start for op in on_devices), max(op.end for op in on_devices)) if on_devices else (0, 0)

    def window(self, device):
        return self.explicit(device) if self.explicit else self.span

    def clip(self, op):
        """The part of the operation inside its device's window, or None; computed once."""
        if self.explicit is None:
            return op.start, op.end
        if op not in self.clipped:
            self.clipped[op] = clip(op.start, op.end, self.window(op.device))
        return self.clipped[op]


class Tile(Query):
    """A whole device in an interval, with only those of its operations that are near."""
    def __init__(self, trace, device, interval):
        self.trace, self.gpus, self.pids, self.streams = trace, {device}, None, None
        if not hasattr(trace, "finders"):
            trace.finders = {d: Finder(op for op in trace.ops if op.device == d) for d in {op.device for op in trace.ops}}
        self.ops = trace.finders[device].overlapping(interval[0] - 1, interval[1])          # 1: those of no length at its start
        self.devices, self.processes = [device], {op.process for op in self.ops}
        self.explicit, self.clipped, self.host_windows = lambda d: interval, {}, {}


def clip(start, end, window):
    begin, stop = window
    if start == end:
        return (start, end) if begin <= start < stop else None
    start, end = max(start, begin), min(end, stop)
    return (start, end) if start < end else None


# --- accounting -------------------------------------------------------------------------------------------

def segments(intervals, window):
    """Yields (length, set of labels) for every elementary segment of the window; intervals are (start, end, label)."""
    begin, stop = window
    bounds = {begin, stop}
    for start, end, _ in intervals:
        bounds.update(p for p in (start, end) if begin < p < stop)
    bounds = sorted(bounds)
    for a, b in zip(bounds, bounds[1:]):
        yield b - a, {label for start, end, label in intervals if start <= a and b <= end}


def overlap(query, segments=segments, blank=True):
    """blank: whether numbers of communication that graph replays may hide are None."""
    out = []
    for device in query.devices:
        window = query.window(device)
        inside = [(query.clip(op), op) for op in query.ops if op.device == device and query.clip(op)]
        row = dict.fromkeys(["compute", "exposed_comm", "exposed_copy", "idle", "busy", "comm", "overlapped_comm",
                             "copy", "overlapped_copy"], 0)
        row["device"], row["window"] = device, window[1] - window[0]
        for length, has in segments([(*c, op.cls) for c, op in inside], window):
            owner = ("compute" if "compute" in has else "exposed_comm" if "comm" in has
                     else "exposed_copy" if "copy" in has else "idle")
            row[owner] += length
            row["busy"] += length if has else 0
            row["comm"] += length if "comm" in has else 0
            row["copy"] += length if "copy" in has else 0
            row["overlapped_comm"] += length if {"comm", "compute"} <= has else 0
            row["overlapped_copy"] += length if "copy" in has and has != {"copy"} else 0
        kernels = [(*c, "kernel") for c, op in inside if op.kind == "kernel"]
        row["kernel_busy"] = sum(length for length, has in segments(kernels, window) if has)
        assert row["compute"] + row["exposed_comm"] + row["exposed_copy"] + row["idle"] == row["window"], row
        row["overlap"] = row["overlapped_comm"] / row["comm"] if row["comm"] else None
        has_graph = any(op.kind == "graph" for _, op in inside)
        if blank and has_graph and not any(op.kind == "kernel" and op.cls == "comm" for _, op in inside):
            row.update(dict.fromkeys(["comm", "exposed_comm", "overlapped_comm", "overlap"]))
        out.append(row)
    return out


# --- statistics -------------------------------------------------------------------------------------------

def rounded(numerator, denominator):
    """Nearest integer, half away from zero (all our values are >= 0)."""
    return (2 * numerator + denominator) // (2 * denominator)


def percentile(values, percent):
    """Nearest rank: the ceil(p n)-th smallest."""
    return sorted(values)[-(-percent * len(values) // 100) - 1]


def stddev(values):
    """Of the sample (n - 1), rounded to the nearest integer exactly: r - 1/2 <= sqrt(v) < r + 1/2."""
    n = len(values)
    if n == 1:
        return 0
    numerator, denominator = n * sum(v * v for v in values) - sum(values) ** 2, n * (n - 1)
    root = math.isqrt(numerator // denominator)
    while (2 * root + 1) ** 2 * denominator <= 4 * numerator:
        root += 1
    return root


def describe(durations, total):
    return {"calls": len(durations), "sum": sum(durations), "share": sum(durations) / total if total else None,
            "avg": rounded(sum(durations), len(durations)), "p50": percentile(durations, 50),
            "p90": percentile(durations, 90), "p99": percentile(durations, 99), "min": min(durations),
            "max": max(durations), "stddev": stddev(durations)}


def grouped(pairs):
    groups = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


# --- verbs ------------------------------------------------------------------------------------------------

def kernels(query, name="demangled", by="device"):
    def key(op):
        k = {"name": query.trace.kernel_name(op, name)}
        if by != "name":
            k["device"] = op.device
        if by in ("pid", "stream"):                 # stream ids are per process
            k["pid"] = op.pid
        if by == "stream":
            k["context"] = op.row["contextId"]      # and so are they per context
            k["stream"] = None if op.stream == 0xFFFFFFFF else op.stream    # CUPTI's "no stream"
        if by == "grid":
            k["grid"] = tuple(op.row["grid" + a] for a in "XYZ")
            k["block"] = tuple(op.row["block" + a] for a in "XYZ")
        return tuple(k.items())
    inside = [(key(op), query.clip(op)) for op in query.ops if op.kind == "kernel" and query.clip(op)]
    groups = grouped((k, end - start) for k, (start, end) in inside)
    total = sum(sum(v) for v in groups.values())
    spread = spread_over_gpus(query, name) if by == "name" and len(query.devices) > 1 else {}
    return [{**dict(k), **describe(v, total), **spread.get(dict(k)["name"], {})} for k, v in groups.items()]


def spread_over_gpus(query, name):
    """{name: the GPUs with the smallest and the largest sum of it}; of equal sums the first GPU."""
    out = {}
    sums = grouped(((query.trace.kernel_name(op, name), op.device), query.clip(op)) for op in query.ops
                   if op.kind == "kernel" and query.clip(op))
    for key in {key for key, _ in sums}:
        by_gpu = {gpu: sum(end - start for start, end in v) for (k, gpu), v in sums.items() if k == key}
        least, most = min(by_gpu, key=lambda g: (by_gpu[g], g)), min(by_gpu, key=lambda g: (-by_gpu[g], g))
        out[key] = {"gpus": len(by_gpu), "gpu_min": by_gpu[least], "min_on": least, "gpu_max": by_gpu[most], "max_on": most}
    return out


def op_name(trace, op):
    if op.kind == "kernel":
        return trace.kernel_name(op, "demangled")
    if op.kind == "memcpy":
        return "[CUDA memcpy %s]" % COPY_KINDS.get(op.row["copyKind"], "unknown")
    return "[CUDA memset]" if op.kind == "memset" else "(graph)"


def found(pattern, name):
    """A pattern without capital letters ignores case; the letter of an escape is none."""
    capital = re.search(r"[A-Z]", re.sub(r"\\.", "", pattern))
    return re.search(pattern, name, 0 if capital else re.IGNORECASE)


def ops(query, match=None, order="duration", top=1000, keep=lambda row: True):
    """Rows in order: whole operations with a part in the window. Ties: device, start, then kernels, copies, memsets, graphs by row."""
    out = []
    for op in sorted(query.ops, key=lambda o: (o.device, o.start, o.order)):
        name, call = op_name(query.trace, op), op.launch
        row = {"name": name, "device": op.device, "stream": None if op.stream == 0xFFFFFFFF else op.stream, "start": op.start,
               "duration": op.end - op.start, "pid": op.pid, "context": op.context, "kind": op.kind,
               "bytes": op.row["bytes"] if op.kind in ("memcpy", "memset") else None,
               "call": call and call.name, "tid": call and call.thread & 0xFFFFFF, "latency": call and op.start - call.start}
        if query.clip(op) and (match is None or found(match, name)) and keep(row):
            out.append(row)
    out.sort(key=lambda row: row["start"] if order == "start" else -row["duration"])
    return out[:top] if top else out


def gpu_name(trace, device):
    """The name of the physical GPU, where the trace says which it is."""
    key = trace.device_keys[device]
    return next((g.get("name") for g in trace.gpus if key[0] == 0 and g.get("id", g.get("deviceId")) == key[1]), None)


def transfers(query, segments=segments):
    def key(op):
        if op.kind == "memset":
            return "memset", None, memory_kind(op.row.get("memKind")), op.device
        kind = COPY_KINDS.get(op.row["copyKind"], "unknown")
        return kind, memory_kind(op.row.get("srcKind")), memory_kind(op.row.get("dstKind")), op.device
    inside = [(op, query.clip(op)) for op in query.ops if query.clip(op)]
    groups = grouped((key(op), (op, c)) for op, c in inside if op.kind in ("memcpy", "memset"))
    out = []
    for (kind, src, dst, device), members in groups.items():
        times, sizes = [end - start for _, (start, end) in members], [op.row["bytes"] for op, _ in members]
        whole = [op.end - op.start for op, _ in members]        # bytes are whole, so is the time they took
        hiding = [(*c, "hide") for op, c in inside if op.device == device and op.cls in ("compute", "comm")]
        mine = [(*c, "mine") for _, c in members]
        parts = list(segments(mine + hiding, query.window(device)))
        link = links.nvlink(gpu_name(query.trace, device)) if kind == "PtoP" else None
        out.append({
            "link_share": sum(sizes) * 1e9 / sum(whole) / link if link and sum(whole) else None,
            "kind": kind, "src": src, "dst": dst, "device": device, "ops": len(members), "bytes": sum(sizes),
            "sum": sum(times), "busy": sum(length for length, has in parts if "mine" in has),
            "min": min(times), "max": max(times), "avg_size": rounded(sum(sizes), len(sizes)),
            "p50_size": percentile(sizes, 50), "min_size": min(sizes), "max_size": max(sizes),
            "bandwidth": sum(sizes) * 1e9 / sum(whole) if sum(whole) else None,
            "copies": None if kind == "memset" else sum(batch(op) for op, _ in members),
            "exposed": None if is_work(members) else sum(length for length, has in parts if has == {"mine"})})
    if all(r["copies"] in (None, r["ops"]) for r in out):                  # no row is a batch: there is no such column
        for r in out:
            del r["copies"]
    return out


def batch(op):
    """The copies of a row; open: what is no number of at least 2 is one copy."""
    count = op.row.get("copyCount")
    return count if isinstance(count, int) and 2 <= count < (1 << 32) - 1 else 1


def is_work(members):
    """Memsets and copies within a device are work, which nothing needs to hide."""
    return all(op.cls == "compute" for op, _ in members)


def memory_kind(code):
    return None if code is None else MEMORY_KINDS.get(code, "unknown")


def api(trace, pids=None, window=None):
    """window: None (host rows are not clipped under `all`) or (begin, end)."""
    groups, errors = {}, {}
    for call in trace.calls:
        part = (call.start, call.end) if window is None else clip(call.start, call.end, window)
        if part and (pids is None or call.pid in pids):
            groups.setdefault(call.name, []).append(part[1] - part[0])
            errors[call.name] = errors.get(call.name, 0) + (call.result not in (0, 600))
    total = sum(sum(v) for v in groups.values())
    out = []
    for name, durations in groups.items():
        row = describe(durations, total)
        del row["p99"]
        out.append({"name": name, **row, "errors": errors[name]})
    return out


def search(trace, pattern):
    """Names by regular expression, with count and first occurrence, over the whole trace."""
    named = [("kernel", trace.kernel_name(op), op.start) for op in trace.ops if op.kind == "kernel"]
    named += [("nvtx", r.name if r.name is not None else "(unnamed)", r.start) for r in trace.ranges + trace.marks]
    named += [("api", c.name, c.start) for c in trace.calls]
    groups = grouped(((kind, name), start) for kind, name, start in named if found(pattern, name))
    return [{"kind": kind, "name": name, "count": len(v), "first": min(v)} for (kind, name), v in groups.items()]
