# SPDX-License-Identifier: MIT
"""Reads a timeline in Chrome's Trace Event Format strictly, and says what its rows must hold by the trace alone.

Times become integer nanoseconds from the text of the number: no double is involved.
"""
import json
import re
from collections import Counter

from nvtx import exact_label
from tracefile import COPY_KINDS

TIME = re.compile(r"-?(0|[1-9]\d*)\.\d{3}")
KEYS = {"ph", "pid", "tid", "ts", "dur", "name", "cat", "args", "correlation", "id", "bp"}
NAMES = {"process_name", "thread_name", "process_sort_index", "thread_sort_index"}


class Malformed(Exception):
    pass


def unique(pairs):
    """An object in which no key is there twice."""
    out = dict(pairs)
    if len(out) != len(pairs):
        raise Malformed("a key is there twice: %r" % pairs)
    return out


def no_constant(text):
    raise Malformed("not a number: " + text)


def nanoseconds(text):
    if not isinstance(text, str) or not TIME.fullmatch(text):
        raise Malformed("not a time: %r" % (text,))
    return int(text.replace(".", ""))


class Slice:
    __slots__ = ("start", "end", "name", "args", "correlation", "category", "is_pair")

    def __init__(self, event):
        self.start, self.name, self.is_pair = nanoseconds(event["ts"]), event["name"], event["ph"] == "B"
        self.end = None if self.is_pair else self.start + nanoseconds(event["dur"])
        self.args, self.correlation, self.category = event.get("args"), event.get("correlation"), event.get("cat")


class Row:
    def __init__(self, process, name):
        self.process, self.name, self.slices, self.order = process, name, [], None

    def base(self):
        """The name of the row that this one takes over from."""
        return re.sub(r" \((overlap|overlap \d+|\d+)\)$", "", self.name)


class Timeline:
    """rows: (pid, tid) -> Row; counters: (process, name) -> [(time, text)]; flows: id -> {ph: (row, time)}."""
    def __init__(self, path):
        with open(path, "rb") as f:
            text = f.read().decode("utf-8", "strict")
        document = json.loads(text, parse_float=str, parse_constant=no_constant, object_pairs_hook=unique)
        if set(document) != {"displayTimeUnit", "traceEvents"} or document["displayTimeUnit"] != "ns":
            raise Malformed("members: %r" % sorted(document))
        self.processes, self.process_order, self.rows, self.counters, self.flows = {}, {}, {}, {}, {}
        self.open = {}                                      # (pid, tid) -> the slice whose E must come next
        take = {"M": self.take_name, "X": self.take_slice, "B": self.take_slice, "E": self.take_end, "C": self.take_count,
                "s": self.take_flow, "f": self.take_flow}
        for event in document["traceEvents"]:
            if not set(event) <= KEYS or event["ph"] not in take:
                raise Malformed("an event that is none: %r" % event)
            take[event["ph"]](event)
        if self.open:
            raise Malformed("slices without end: %r" % self.open)

    def take_name(self, event):
        if event["name"] not in NAMES:
            raise Malformed("%r" % event)
        of_process, pid, value = event["name"].startswith("process"), event["pid"], event["args"]
        where = self.processes if of_process else self.rows
        key = pid if of_process else (pid, event["tid"])
        if event["name"].endswith("_name"):
            if key in where:
                raise Malformed("introduced twice: %r" % event)
            where[key] = value["name"] if of_process else Row(self.processes[pid], value["name"])
        elif of_process:
            self.process_order[pid] = value["sort_index"]
        else:
            self.rows[key].order = value["sort_index"]

    def take_slice(self, event):
        place = (event["pid"], event["tid"])
        if place in self.open or place not in self.rows:
            raise Malformed("a slice inside another one, or on a row that is not introduced: %r" % event)
        s = Slice(event)
        if s.is_pair:
            self.open[place] = s
        self.rows[place].slices.append(s)

    def take_end(self, event):
        s = self.open.pop((event["pid"], event["tid"]), None)
        if s is None or (s.name, s.args) != (event["name"], event.get("args")):
            raise Malformed("an end of nothing: %r" % event)
        s.end = nanoseconds(event["ts"])

    def take_count(self, event):
        values = self.counters.setdefault((self.processes[event["pid"]], event["name"]), [])
        values.append((nanoseconds(event["ts"]), next(iter(event["args"].values()))))

    def take_flow(self, event):
        place = (event["pid"], event["tid"])
        ends = self.flows.setdefault(event["id"], {})
        if not isinstance(event["id"], str) or event["ph"] in ends or (event["ph"] == "f") != (event.get("bp") == "e"):
            raise Malformed("%r" % event)
        # A flow stands right behind its slice.
        ends[event["ph"]] = (place, nanoseconds(event["ts"]), self.rows[place].slices[-1])

    def faults(self):
        """What no reader must meet: rows that overlap, numbers that collide, arrows that point nowhere or back."""
        out, tids = [], Counter(tid for _, tid in self.rows)
        out += ["thread %d is there twice" % tid for tid, n in tids.items() if n > 1]
        out += ["process %d is no row's" % pid for pid in set(self.process_order) ^ set(self.processes)]
        orders = [r.order for r in self.rows.values()] + list(self.process_order.values())
        if None in orders or len({r.order for r in self.rows.values()}) != len(self.rows):
            out.append("rows without an order of their own")
        for r in self.rows.values():
            last = None
            if not r.slices:
                out.append("%s, %s: empty" % (r.process, r.name))
            for s in r.slices:
                if s.end < s.start or last is not None and s.start < last.end:
                    out.append("%s, %s: %r overlaps" % (r.process, r.name, (s.name[:80], s.start, s.end)))
                if last is not None and last.is_pair != (s.start == last.end):
                    out.append("%s, %s: a pair that does not touch the next, or the reverse, at %d" % (r.process, r.name, s.start))
                last = s
        for flow, ends in self.flows.items():
            if set(ends) != {"s", "f"} or ends["s"][1] > ends["f"][1] or any(at != s.start for _, at, s in ends.values()):
                out.append("flow %s: %r" % (flow, ends))
            elif ends["s"][2].correlation != ends["f"][2].correlation:
                out.append("flow %s joins two correlations" % flow)
        for (process, name), values in self.counters.items():
            numbers, sampled = [float(v) for _, v in values], process.endswith(" metrics")
            is_share = sampled or (min(numbers) >= 0 and max(numbers) <= 100 and numbers[-1] == 0)
            if sorted(values, key=lambda v: v[0]) != values or not is_share:
                out.append("counter %s of %s" % (name, process))
        return out


def kind_of(row):
    """What the row must hold: (kind, where); None for what is not in the trace itself."""
    gpu = re.match(r"GPU (\d+)", row.process)
    if gpu:
        stream = re.match(r"Stream (\d+|\?)", row.name)
        if stream:                                          # 4294967295 is "unknown" in the trace
            return "stream", int(gpu.group(1)), int(stream.group(1).replace("?", "4294967295"))
        if re.match(r"Memcpy |Memset", row.name):
            return "copies", int(gpu.group(1)), row.base()
        return None
    process = re.match(r"Process (\d+)", row.process)
    if process:
        thread = int(re.match(r"Thread (\d+)", row.name).group(1))
        for kind in ("CUDA API", "NVTX", "OS calls"):
            if row.base().endswith(" / " + kind):
                return kind, int(process.group(1)), thread
        raise Malformed("a row of a process: " + row.name)
    return ("overhead",) if row.base() == "Profiler overhead" else None


def holdings(timeline):
    """kind and place -> what the rows hold: Counter of (start, end, name)."""
    out = {}
    for row in timeline.rows.values():
        key = kind_of(row)
        if key is not None:
            out.setdefault(key, Counter()).update((s.start, s.end, s.name) for s in row.slices)
    return out


def copy_kind(op):
    return COPY_KINDS.get(op.row.get("copyKind"), "unknown")


def op_name(trace, op):
    if op.kind == "kernel":
        return trace.kernel_name(op)
    return {"graph": "(graph)", "memset": "[CUDA memset]"}.get(op.kind) or "[CUDA memcpy %s]" % copy_kind(op)


def wanted(trace):
    """The same of the trace, from its rows."""
    out = {}

    def add(key, start, end, name):
        out.setdefault(key, Counter())[(start, end, name.replace("\0", "\ufffd"))] += 1
    for op in trace.ops:
        if op.kind in ("kernel", "graph"):
            key = ("stream", op.device, op.stream)
        else:
            key = ("copies", op.device, "Memset" if op.kind == "memset" else "Memcpy " + copy_kind(op))
        add(key, op.start, op.end, op_name(trace, op))
    for kind, rows, name in (("CUDA API", trace.calls, lambda c: c.name), ("NVTX", trace.ranges, exact_label),
                             ("NVTX", trace.instants(), lambda m: m.name), ("OS calls", trace.osrt, lambda r: r.name)):
        for r in rows:
            add((kind, r.process & 0xFFFFFF, r.thread & 0xFFFFFF), r.start, r.end, name(r))
    for r in trace.overhead:
        add(("overhead",), r.start, r.end, r.name)
    return out


def differences(timeline, trace):
    got, want = holdings(timeline), wanted(trace)
    out = []
    for key in sorted(set(got) | set(want), key=repr):
        a, b = got.get(key, Counter()), want.get(key, Counter())
        if a != b:
            out.append("%r: %d slices more, %d fewer, such as %s and %s" % (
                key, sum((a - b).values()), sum((b - a).values()), str(list(a - b)[:1])[:200], str(list(b - a)[:1])[:200]))
    return out
