# SPDX-License-Identifier: MIT
"""Metrics of GPUs and network adapters by brute force (docs/definitions/metrics.md): straight from the tables of the export."""
import re
import sqlite3

import categories
import intervals
import iters
import links
from nvtx import forest_of, label
from oracle import gpu_name
from tracefile import rows

PERCENT = re.compile(r" (throughput|bandwidth|active|issue|in flight|in active sms|bytes received|bytes transmitted|user data|protocol data)$", re.IGNORECASE)
NVLINK = re.compile(r"NVLink (bytes (received|transmitted)|[RT]X (Requests|Responses) User Data)", re.IGNORECASE)
DRAM = re.compile(r"DRAM (Read|Write) (Bandwidth|Throughput)", re.IGNORECASE)


def named(name):
    """(name without unit, unit or None, divisor)"""
    unit = None
    found = re.fullmatch(r"(.*[^ ]) *\[([^\[]*)\]", name, re.DOTALL)
    if found:
        name, unit = found.groups()
        unit = "%" if unit.lower() in ("throughput %", "%") else unit
    elif PERCENT.search(name):
        unit = "%"
    elif " requests " in name.lower():
        unit = "requests"
    if name.lower().endswith(" clock frequency"):
        return name, "MHz", 1e6
    return name, unit or None, 1


class Series:
    """The samples of one metric of one GPU or port of an adapter: (begin, end, value)."""
    def __init__(self, gpu, metric, name, found, nic=None, unit=None):
        self.gpu, self.metric, self.nic = gpu, metric, nic
        self.name, self.unit, self.divisor = name if name is not None else "(unnamed)", unit or None, 1
        if nic is None:
            self.name, self.unit, self.divisor = named(self.name)
        found = sorted(found, key=lambda s: s[0])           # stable: of one time the later row counts
        gaps = sorted(b[0] - a[0] for a, b in zip(found, found[1:]) if b[0] > a[0])
        self.period = gaps[(len(gaps) - 1) // 2] if gaps else 0
        self.samples = []
        for i, (time, value, own) in enumerate(found):
            end = time + self.period
            if own is not None and own > time:
                end = min([own] + [s[0] for s in found[i + 1:i + 2]])
            elif i + 1 < len(found) and found[i + 1][0] - time < 2 * self.period:
                end = found[i + 1][0]
            self.samples.append((time, end, max(0, value)))


def series_of(trace):
    names, db = {}, sqlite3.connect("file:%s?mode=ro&immutable=1" % trace.path, uri=True)
    for row in rows(db, "TARGET_INFO_GPU_METRICS"):
        names.setdefault((row["typeId"], row["metricId"]), row["metricName"])
    found = {}
    for row in rows(db, "GPU_METRICS"):
        if row["timestamp"] is not None:
            found.setdefault((row["typeId"], row["metricId"]), []).append((row["timestamp"], row["value"], None))
    return [Series(key[0] & 0xFF, key[1], names.get(key), samples) for key, samples in found.items()] + adapters_of(db)


def adapters_of(db):
    metrics, numbers, names, found = {}, {}, {}, {}
    for row in rows(db, "TARGET_INFO_NETWORK_METRICS"):
        metrics.setdefault((row["metricsListId"], row["metricsIdx"]), (row["name"], row["unit"]))
    for row in rows(db, "NIC_ID_MAP"):
        numbers.setdefault(row["globalId"], row["nicId"])
    for row in rows(db, "TARGET_INFO_NIC_INFO"):
        names.setdefault(row["nicId"], row["name"])
    for row in rows(db, "NET_NIC_METRIC"):
        if row["start"] is not None:
            key = row["globalId"], row["portId"], row["metricsListId"], row["metricsIdx"]
            found.setdefault(key, []).append((row["start"], row["value"], row["end"]))
    out = []
    for (adapter, port, of, metric), samples in found.items():
        number = numbers.get(adapter)
        nic = "NIC 0x%x" % adapter if number is None else names.get(number, "NIC %d" % number)
        name, unit = metrics.get((of, metric), (None, None))
        out.append(Series(None, metric, name, samples, "%s:%d" % (nic, port), unit))
    return out


def device_of(trace, gpu):
    """The device that a GPU of the profiler is, or None."""
    known = [g.get("id", g.get("deviceId")) for g in trace.gpus]
    return trace.device_keys.index((0, gpu)) if gpu in known and (0, gpu) in trace.device_keys else None


def measure(series, part):
    """The figures of a series in a set of intervals."""
    held = []
    for begin, end, value in series.samples:
        time = sum(max(0, min(end, b) - max(begin, a)) for a, b in part)
        if time:
            held.append((value, time))
    held.sort()
    covered = sum(time for _, time in held)
    row = {"samples": len(held), "covered": covered, "length": intervals.length(part)}
    if covered:
        row["mean"] = sum(v * t for v, t in held) / covered / series.divisor
        for key, percent in (("p50", 50), ("p90", 90)):
            row[key] = next(v for i, (v, _) in enumerate(held)
                            if 100 * sum(t for _, t in held[:i + 1]) >= percent * covered) / series.divisor
        row["max"], row["min"] = held[-1][0] / series.divisor, held[0][0] / series.divisor
    return row


def steps(query, device, window):
    out = []
    for process, found in iters.find_all(query.trace).items():
        if not any(op.process == process and op.device == device for op in query.ops):
            continue
        rest = [window]
        for n, tile in enumerate(found.tiles()):
            part = intervals.intersect([window], intervals.union([tile]))
            rest = intervals.subtract(rest, part)
            if part:
                out.append(({"iter": n, "pid": process & 0xFFFFFF}, part))
        if rest:
            out.append(({"iter": None, "pid": process & 0xFFFFFF}, rest))
    return out or [({"iter": None, "pid": None}, [window])]


def inside(query, device):
    return [(op, query.clip(op)) for op in query.ops if op.device == device and query.clip(op)]


def of_categories(query, device, window):
    lists, rules = {}, categories.Rules()
    for op, part in inside(query, device):
        lists.setdefault(categories.category_of(query.trace, rules, op), []).append(part)
    idle = intervals.subtract([window], intervals.union([p for v in lists.values() for p in v]))
    out = [({"category": c}, intervals.union(v)) for c, v in lists.items()] + [({"category": "(idle)"}, idle)]
    return [(key, part) for key, part in out if part]


def of_ranges(query, device, window):
    forest, spans, out = forest_of(query.trace), {}, {}
    for op, part in inside(query, device):
        for r in forest.stack(op, bridged=True):
            a, b = spans.get(r, part)
            spans[r] = min(a, part[0]), max(b, part[1])
    for r, span in spans.items():
        out.setdefault(label(r), []).append(span)
    return [({"range": name}, intervals.union(v)) for name, v in out.items() if intervals.union(v)]


def parts(query, by, device, window):
    if by == "metric":
        return [({}, [window])]
    return {"step": steps, "category": of_categories, "range": of_ranges}[by](query, device, window)


RATES = {"bytes/s": 1, "bytes/ms": 1e3, "bytes/us": 1e6, "b/s": 1, "b/ms": 1e3, "b/us": 1e6}


def full_rate(trace, device, series):
    """What 100 of the unit are in bytes per second, or None."""
    if series.nic is not None:
        return 100 * RATES[series.unit.lower()] if (series.unit or "").lower() in RATES else None
    if device is None or series.unit != "%":
        return None
    if NVLINK.fullmatch(series.name):
        return links.nvlink(gpu_name(trace, device))
    key = trace.device_keys[device]
    gpu = next((g for g in trace.gpus if key[0] == 0 and g.get("id", g.get("deviceId")) == key[1]), {})
    rate = gpu.get("memoryBandwidth")
    return rate if DRAM.fullmatch(series.name) and rate and rate > 0 else None


def figures_of(query, by, series, device, window):
    if not window or window[0] >= window[1]:
        return
    for key, part in parts(query, by, device, window):
        figures = measure(series, part)
        if figures["samples"]:
            full = full_rate(query.trace, device, series)
            figures["rate"] = full * figures["mean"] / 100 if full else None
            yield {"device": device, "nic": series.nic, "metric": series.name, "unit": series.unit, **key, "gpu_id": series.gpu,
                   "period": series.period, **figures}


def metrics(query, by="metric"):
    out, all_on = [], query.devices == sorted({op.device for op in query.trace.ops})
    hulls = [query.window(d) for d in query.devices]
    hulls = [w for w in hulls if w and w[0] < w[1]]
    for series in series_of(query.trace):
        device = device_of(query.trace, series.gpu) if series.nic is None else None
        if series.nic is not None and by != "metric":       # in the times of each GPU of the file
            out += [row for d in query.devices for row in figures_of(query, by, series, d, query.window(d))]
            continue
        if device is None and series.nic is None and (not all_on or by != "metric") or device is not None and device not in query.devices:
            continue
        window = query.window(device) if device is not None else None
        if device is None:
            window = (min(w[0] for w in hulls), max(w[1] for w in hulls)) if hulls else (series.samples[0][0], series.samples[-1][1])
        out += figures_of(query, by, series, device, window)
    return out
