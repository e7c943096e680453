# SPDX-License-Identifier: MIT
"""What a Perfetto export holds, and what it has to hold by the SQLite file: both as lists of rows by family.

A row is (place, start, end, name) with times of the trace; a place is (device, stream) of kernels and graph replays,
(device, direction) of copies, (device,) of memsets, (pid, tid) of what a thread does. The file is read by pfcheck, the
trace by tracefile.py; neither knows the program.
"""
import collections
import re
import subprocess

import nvtx
import perfetto
import wl
from oracle import memory_kind
from tracefile import COPY_KINDS

TID, NO_STREAM, CORRELATION = 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF
OPS, HOST = ("kernel", "memcpy", "memset"), ("api", "nvtx", "osrt")
# How the names of rows begin, and of which family their slices are. What overlaps is in rows with more at the end.
HOST_ROWS = {"CUDA API": "api", "NVTX": "nvtx", "OS calls": "osrt"}
TOP_ROWS = {"Profiler": "overhead", "Findings": "finding"}
GPU_ROWS = {"Stream ": "kernel", "Memcpy ": "memcpy", "Memset": "memset", "NVTX projected": "projected", "Idle": "gap"}
Event = collections.namedtuple("Event", "family row slice")


# --- the file -----------------------------------------------------------------------------------------------

def export(trace, out, *options):
    """Write a file; what the program said on stderr."""
    command = [wl.WARPLENS, "export", trace, "-f", "perfetto", "-o", out, *options]
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if p.returncode != 0:
        raise RuntimeError("%s: exit %d: %s" % (" ".join(command), p.returncode, p.stderr.decode("utf-8", "replace")[:400]))
    return p.stderr.decode("utf-8")


class Exported:
    """A file that pfcheck accepts; else perfetto.Fault."""
    def __init__(self, path):
        self.tracks = {t.uuid: t for t in perfetto.tracks(path)}
        self.slices, self.counters = perfetto.slices(path), perfetto.counters(path)
        shifts = {int(n) for t in self.tracks.values() for n in re.findall(r"(\d+) ns later", t.description)}
        assert len(shifts) <= 1, "shifts %r" % shifts
        self.shift = shifts.pop() if shifts else 0
        self.families = collections.defaultdict(list)
        places = {uuid: self.place(uuid) for uuid in self.tracks}
        for s in self.slices:
            family, place = places[s.uuid]
            start = s.start - self.shift
            self.families[family].append(Event(family, (place, start, start + s.duration, s.name), s))

    def chain(self, uuid):
        """The track and those above it, the topmost first."""
        out = []
        while uuid:
            out.insert(0, self.tracks[uuid])
            uuid = self.tracks[uuid].parent
        return out

    def place(self, uuid):
        """(family, place) of the slices of a track, by its name and those above it."""
        chain = self.chain(uuid)
        names = [own_name(t) for t in chain]
        threads = [t for t in chain if t.kind == "thread"]
        gpus = [int(n.split(" ")[1]) for n in names[:-1] if re.match(r"GPU \d+\b", n)]
        if threads:
            on_thread = chain[-1].kind == "thread"
            return "api" if on_thread else first_of(HOST_ROWS, names[-1]), (threads[-1].pid, threads[-1].tid)
        if names[0].startswith("Iterations"):
            return "iteration", tuple(int(n) for n in re.findall(r"^Iterations (\d+)", names[-1]))
        if gpus:
            return first_of(GPU_ROWS, names[-1]), (gpus[-1], *part_of(names[-1]))
        return first_of(TOP_ROWS, names[0]), ()

    def rows(self, family):
        return [e.row for e in self.families[family]]

    def events(self):
        return (e for events in self.families.values() for e in events)


def first_of(rows, name):
    """The family of a row by the beginning of its name; the name where it is none of these."""
    return next((family for begin, family in rows.items() if name.startswith(begin)), name)


def part_of(name):
    """What of a device a row shows: the number of a stream, the direction of copies."""
    stream, copy = re.match(r"Stream (\d+|\?)", name), re.match(r"Memcpy (.+?)(?: \(.*\))?$", name)
    if stream:
        return (NO_STREAM if stream.group(1) == "?" else int(stream.group(1)),)
    return (copy.group(1),) if copy else ()


def own_name(track):
    return perfetto.plain(track.path.split(" / ")[-1])


# --- the trace ----------------------------------------------------------------------------------------------

def repaired(name):
    """A name as we keep it: tracefile.py has replaced what is no UTF-8, but not NUL."""
    return name.replace("\0", "\ufffd")


def op_family(op):
    return "kernel" if op.kind == "graph" else op.kind


def op_row(trace, op):
    if op.kind == "memcpy":
        kind = COPY_KINDS.get(op.row["copyKind"], "unknown")
        return ((op.device, kind), op.start, op.end, "[CUDA memcpy %s]" % kind)
    if op.kind == "memset":
        return ((op.device,), op.start, op.end, "[CUDA memset]")
    return ((op.device, op.stream), op.start, op.end, "(graph)" if op.kind == "graph" else repaired(trace.kernel_name(op)))


def number(row, column, below=0xFFFFFFFF):
    """A value of a row, None where it is no number that the column can hold."""
    value = row.get(column)
    return value if isinstance(value, int) and 0 <= value < below else None


def dimensions(row, of):
    values = [number(row, of + axis) for axis in "XYZ"]
    return "x".join(map(str, values)) if None not in values else None


def op_arguments(op):
    """What the file says of an operation beside its times; only what the row has."""
    row = op.row
    if op.kind == "graph":
        out = {"graph": number(row, "graphId")}
    elif op.kind == "kernel":
        out = {"grid": dimensions(row, "grid"), "block": dimensions(row, "block"), "registers": number(row, "registersPerThread"),
               "static_shared": number(row, "staticSharedMemory") or None, "dynamic_shared": number(row, "dynamicSharedMemory") or None,
               "graph_node": number(row, "graphNodeId", 1 << 63) or None}
    else:
        out = {"bytes": number(row, "bytes", 1 << 63), "stream": number(row, "streamId")}
        if op.kind == "memcpy":
            out.update({"from": memory_kind(row.get("srcKind")), "to": memory_kind(row.get("dstKind"))})
    return {k: str(v) for k, v in out.items() if v is not None}


def thread_of(row):
    return (row.thread >> 24 & TID, row.thread & TID)


def call_row(call):
    return (thread_of(call), call.start, call.end, repaired(call.name))


def range_name(r):
    return repaired(nvtx.exact_label(r))


class Expected:
    """Rows of a trace by family, all of them or those that a test keeps."""
    def __init__(self, trace, keep=lambda family, thing: True):
        self.families = {
            **{f: [op_row(trace, o) for o in trace.ops if op_family(o) == f and keep(f, o)] for f in OPS},
            "api": [call_row(c) for c in trace.calls if keep("api", c)],
            "nvtx": [(thread_of(r), r.start, r.end, range_name(r)) for r in trace.ranges if keep("nvtx", r)] +
                    [(thread_of(m), m.start, m.end, repaired(m.name)) for m in trace.instants() if keep("nvtx", m)],
            "osrt": [(thread_of(r), r.start, r.end, repaired(r.name)) for r in trace.osrt if keep("osrt", r)],
        }


def differences(got, want, families=OPS + HOST):
    """What two lists of rows do not have in common, as texts."""
    out = []
    for family in families:
        have, need = collections.Counter(got[family]), collections.Counter(want[family])
        if have == need:
            continue
        for what, less in (("missing", need - have), ("too many", have - need)):
            out += ["%s %s (%d of %d rows are): %r" % (family, what, sum(less.values()), len(want[family]), row) for row in list(less)[:3]]
    return out


def flows(trace, keep=lambda family, thing: True):
    """(row of the call, start of the operation, correlation) of each flow.

    One flow per call, to the first operation that it launched (open: to which of those that begin together), if both are
    kept and that one begins after the call."""
    out = []
    for call in trace.calls:
        starts = [o.start for o in call.ops if keep(op_family(o), o)]
        if starts and keep("api", call) and min(starts) > call.start:
            out.append((call_row(call), min(starts), call.correlation & CORRELATION))
    return out


def got(file):
    """Rows of a file by family, as Expected has them."""
    return {family: file.rows(family) for family in OPS + HOST}
