# SPDX-License-Identifier: MIT
"""The critical path: backwards from the end of the operation that ends last, from each activity to what released it.

The segments tile the window: each begins where the one before it ends.
"""
import intervals
import opened
import tracefile

UNKNOWN_BEYOND = 5000                   # a longer stretch before an operation without a launch has no known reason
LETTERS = {"E": 0, "N": 1, "P": 2, "L": 3, "T": 4, "H": 5, "W": 6}   # open: where N and T stand among E, P, L
STRETCH = {"E": "dependency", "N": "dependency", "T": "dependency", "L": "latency", "H": "host", "W": "host"}


class Segment:
    """[start, end) of a class, on a rank; activity is what it shows, via the letter of the candidate it was entered by; other the operation
    or call that it came from; call: the CUDA call whose time it is."""
    def __init__(self, start, end, cls, activity, via=None, other=None, call=None):
        self.start, self.end, self.cls, self.activity, self.via = start, end, cls, activity, via
        self.rank, self.name, self.other, self.call = activity.process.rank, opened.name_of(activity), other, call

    @property
    def length(self):
        return self.end - self.start


def tie(a):
    """Smaller stream, earlier row, smaller rank."""
    row = a.row
    return (row.stream if a.kind == "op" and row.stream is not None else -1, getattr(row, "order", a.index), a.process.rank)


def binding(graph, a):
    """The candidate that released an activity last: (activity, whether its end, added time, letter), or None."""
    best = None
    for node, added, letter in a.candidates:
        other = graph.activities[node >> 1]
        key = (-(graph.time(node) + added), LETTERS[letter], tie(other))
        if best is None or key < best[0]:
            best = key, (other, bool(node & 1), added, letter)
    return best[1] if best else None


def stretch_class(graph, a, other, letter):
    """The class of the stretch between an activity's start and the candidate that released it."""
    has_launch = any(l == "L" for _, _, l in a.candidates)
    if a.kind == "op" and not has_launch and a.start - other > UNKNOWN_BEYOND:
        return "unknown"
    return STRETCH.get(letter, "dispatch")


def own_class(a):
    """What an activity is when it runs: compute, comm, copy, api or mpi."""
    return {"call": "api", "mpi": "mpi"}.get(a.kind) or a.row.cls


def clock_error(job):
    """The error of the fit between hosts; on one host's clock there is nothing to fit."""
    return job.eps if len({p.host for p in job.processes}) > 1 else 0


class Walk:
    """The path of a whole trace, in order of time; violations: candidates that were after the start."""
    def __init__(self, graph):
        self.graph, self.eps = graph, clock_error(graph.job)
        self.low, self.high = opened.window(graph)
        self.back = []
        ops = [a for a in graph.activities if a.kind == "op"]
        self.last = min((a for a in ops if a.end == self.high), key=lambda a: (a.process.rank, tie(a)))
        self.walk()
        self.whole = self.back[::-1]                        # before the time of calls and waits is divided
        self.segments = [part for s in self.whole for part in Divided(graph.job, s).parts]

    def add(self, start, end, cls, activity, via=None, other=None, call=None):
        start = max(start, self.low)
        if start < end:
            self.back.append(Segment(start, end, cls, activity, via, other, call))

    def walk(self):
        a, at_end = self.last, True
        while a is not None:
            if (a.end if at_end else a.start) <= self.low:
                return
            a, at_end = self.from_end(a) if at_end else self.from_start(a)

    def from_end(self, a):
        """Adds what runs up to an activity's end; returns where to go on."""
        if a.arrivals:
            last = min((self.graph.activities[n >> 1] for n in a.arrivals), key=lambda b: (-b.start, b.process.rank, tie(b)))
            if last.start - a.start <= self.eps:
                last = a
            self.add(last.start, a.end, "transfer", a)
            return last, False
        if a.binds:
            releaser = self.graph.activities[a.releaser >> 1]
            self.add(releaser.end, a.end, "return", a, other=releaser, call=called(a))
            return releaser, True
        if a.room is not None:
            begun = self.graph.activities[a.room >> 1]
            self.add(begun.start, a.end, "return", a, call=called(a))
            return begun, False
        releaser = None if a.releaser is None else self.graph.activities[a.releaser >> 1]
        self.add(a.start, a.end, own_class(a), a, other=releaser, call=called(a))
        return a, False

    def from_start(self, a):
        """Adds the stretch before an activity; returns where to go on, (None, None) where nothing released it."""
        found = binding(self.graph, a)
        if found is None:
            self.add(self.low, a.start, "unknown", a)
            return None, None
        other, at_end, added, letter = found
        if letter != "L":
            reached = other.end if at_end else other.start
            self.add(reached, a.start, stretch_class(self.graph, a, reached, letter), a, letter, other=other)
            return other, at_end
        begun = self.graph.job.place(a.process, a.row.launch.start)
        self.add(begun, a.start, "latency", a, letter, call=a.row.launch)
        self.add(other.start, begun, "api", other, call=called(other))     # what the outermost call does before the inner one begins
        return other, False


def called(a):
    """The CUDA call that an activity is; None for others."""
    return a.row if a.kind == "call" else None


class Divided:
    """The parts of a segment: what streams wait for functions of the host, what calls spend on other than their own work, and the rest."""
    def __init__(self, job, segment):
        self.job, self.segment = job, segment
        functions = [(a, b, "callback") for stream in self.streams() for a, b in self.waits(*stream)]
        cuts = sorted({t for a, b, _ in functions + self.costs() for t in (a, b) if segment.start < t < segment.end} | {segment.start, segment.end})
        self.parts = []
        for a, b in zip(cuts, cuts[1:]):
            cls = next((c for x, y, c in functions + self.costs() if x <= a < y), segment.cls)
            self.parts.append(Segment(a, b, cls, segment.activity, segment.via))

    def streams(self):
        """(operation, from when on): whose stream may have waited, of what leads up to an operation or ends a call that waits for one."""
        s = self.segment
        if s.cls == "latency":
            return [(s.activity, self.job.place(s.activity.process, s.call.end))]
        return [(a, s.start) for a in (s.activity, s.other) if s.other is not None and a.kind == "op"]

    def waits(self, op, since):
        """When the stream of an operation waits for functions of the host, from a time on."""
        of = (op.process.key, op.row.ordinal, op.row.context, op.row.stream)
        for f in op.process.file.trace.host_functions:
            if (f.process, f.ordinal, f.context, f.stream) == of:
                yield max(since, self.job.place(op.process, f.start)), self.job.place(op.process, f.end)

    def costs(self):
        """What the call spends on other than its own work: the first cost around a moment counts."""
        call, process = self.segment.call, self.segment.activity.process
        if call is None:
            return []
        mine = [c for c in process.file.trace.costs if c.thread == call.thread and c.start < call.end and c.end > call.start]
        cuts = sorted({max(call.start, min(call.end, t)) for c in mine for t in (c.start, c.end)})
        out = []
        for a, b in zip(cuts, cuts[1:]):
            here = [c for c in mine if c.start <= a < c.end]
            if here:
                out.append((self.job.place(process, a), self.job.place(process, b), min(here, key=tracefile.cost_order).kind))
        return out


def sums(segments, key, window=None):
    """Time of the segments by a key, inside a window."""
    out = {}
    for s in segments:
        start, end = (s.start, s.end) if window is None else (max(s.start, window[0]), min(s.end, window[1]))
        if start < end:
            out[key(s)] = out.get(key(s), 0) + end - start
    return out


def by_class(segments, window=None):
    return sums(segments, lambda s: s.cls, window)


def tiling(walk):
    """What is wrong with the segments: gaps, overlaps, negative lengths, a sum that is not the window."""
    wrong, at = [], walk.low
    for s in walk.segments:
        if s.start != at or s.end < s.start:
            wrong.append("segment %d..%d after %d" % (s.start, s.end, at))
        at = s.end
    return wrong + (["ends at %d, not at %d" % (at, walk.high)] if at != walk.high else [])


def by_name(segments):
    """Time by class and name; host time as one, because its names are those of NVTX ranges."""
    return sums(segments, lambda s: (s.cls, None if s.cls == "host" else s.name))


def chain(segments):
    """(start, end, rank) from one change of rank to the next."""
    out = []
    for s in segments:
        if out and out[-1][2] == s.rank:
            out[-1][1] = s.end
        else:
            out.append([s.start, s.end, s.rank])
    return [tuple(part) for part in out]


def slack(walk):
    """Rank -> how much later it could have arrived at the matches on the path, in all."""
    out, seen = {p.rank: 0 for p in walk.graph.job.processes}, set()
    for s in walk.segments:
        a = s.activity
        if s.cls == "transfer" and a.match not in seen:
            seen.add(a.match)
            members = [walk.graph.activities[n >> 1] for n in a.arrivals]
            for b in members:
                out[b.process.rank] += max(m.start for m in members) - b.start
    return out


def means(walk):
    """Class -> mean over GPUs of compute, and of copies that neither compute nor communication hides; of several GPUs only."""
    parts = {"compute": [], "copy": []}
    ops = [a for a in walk.graph.activities if a.kind == "op"]
    for gpu in sorted({(a.process.rank, a.row.ordinal) for a in ops}):
        mine = {cls: [(a.start, a.end) for a in ops if (a.process.rank, a.row.ordinal) == gpu and a.row.cls in cls] for cls in
                (("compute",), ("compute", "comm"), ("compute", "comm", "copy"))}
        compute, kernels, all_of_it = (intervals.length(intervals.union(v)) for v in mine.values())
        parts["compute"].append(compute)
        parts["copy"].append(all_of_it - kernels)
    return {cls: sum(v) / len(v) for cls, v in parts.items()} if len(parts["compute"]) > 1 else {}
