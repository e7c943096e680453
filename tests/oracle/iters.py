# SPDX-License-Identifier: MIT
"""Iterations (docs/definitions/iterations.md): found per process on the whole trace, never on a window."""
import re
from bisect import bisect_left

import intervals
import kinds
import oracle
from compare import OPEN
from conventions import GENERIC, matches, matches_anchor, rank_of
from launch import GRAPH_LAUNCHES, graph_of
from kinds import words
from nvtx import PUSH_POP, exact_label, forest_of, label, on_one_thread
from oracle import percentile
from sweep import segments

ENOUGH = 8                              # instances that make a label a step rather than an epoch
FEWEST_ONES = 50
OF_KERNELS = "kernel:"                  # begins a marker that names kernels


class Iteration:
    def __init__(self, ops, marker=None):
        self.ops, self.marker = ops, marker
        self.first, self.last = min(op.start for op in ops), max(op.end for op in ops)
        kernels = [op for op in ops if op.kind not in ("memcpy", "memset")]
        self.kernels = (min(op.start for op in kernels), max(op.end for op in kernels)) if kernels else None


def begin_with_kernels(iterations):
    """Where in half of the steps a copy starts before the kernels of the step before have ended, steps begin with their kernels."""
    ahead = [b for a, b in zip(iterations, iterations[1:]) if b.kernels and a.kernels and b.first < min(b.kernels[0], a.kernels[1])]
    if ahead and 2 * len(ahead) >= len(iterations) - 1:
        for i in iterations:
            i.first = i.kernels[0] if i.kernels else i.first


class Found:
    """The iterations of one process, in order, how they were found, and how many markers owned nothing.

    open: iterations are ordered by their first operation, so that no period is negative."""
    def __init__(self, method, what, iterations, dropped=0):
        self.method, self.what, self.dropped = method, what, dropped
        if iterations and iterations[0].marker:
            begin_with_kernels(iterations)
        self.iterations = sorted(iterations, key=lambda i: (i.first, i.marker.start if i.marker else i.first))

    def tiles(self):
        """[own first start, next first start) of each; the last: to its last end."""
        its = self.iterations
        return [(i.first, its[n + 1].first if n + 1 < len(its) else i.last) for n, i in enumerate(its)]

    def periods(self):
        """Of all but the last."""
        return [b.first - a.first for a, b in zip(self.iterations, self.iterations[1:])]


# --- finding ----------------------------------------------------------------------------------------------

def find(trace, process, marker=None, conventions=GENERIC):
    """Found by the first method that works, or None; computed once."""
    if not hasattr(trace, "found"):
        trace.found = {}
    key = process, marker, conventions["name"], conventions["anchor"]
    if key not in trace.found:
        trace.found[key] = first_that_works(trace, process, marker, conventions)
    return trace.found[key]


def first_that_works(trace, process, marker, conventions):
    mine = [op for op in trace.ops if op.process == process]
    ranges = [r for r in trace.ranges if r.process == process and (r.type in PUSH_POP or on_one_thread(r))]
    launched = sorted((op for op in mine if op.launch), key=lambda op: op.launch.start)
    owner = Owner(launched)
    if marker is not None and marker.startswith(OF_KERNELS):
        found = from_kernels(trace, marker, mine)
        if found:
            return found
    elif marker is not None:
        found = from_markers("marker", marker, [r for r in ranges if matches(marker, r.name or "")], owner)
        if found:
            return found
    if process in tenants(trace):
        return None
    if conventions["anchor"]:
        chosen = [r for r in ranges if matches_anchor(conventions["anchor"], r.name or "")]
        found = from_markers("conventions", conventions["anchor"], chosen, owner)
        if found:
            return found
    return from_nvtx(trace, ranges, owner, mine) or from_graphs(trace, mine) or from_sequence(trace, mine)


class Owner:
    """Finds the operations whose launch starts inside a range."""
    def __init__(self, launched):
        self.ops, self.starts = launched, [op.launch.start for op in launched]

    def owned(self, r):
        return self.ops[bisect_left(self.starts, r.start):bisect_left(self.starts, r.end)]


def from_markers(method, what, ranges, owner):
    """open: of markers that overlap the earlier (then longer) counts; one marker with an operation is enough to work."""
    chosen = []
    for r in sorted(ranges, key=lambda r: (r.start, -r.end)):
        if not chosen or r.start >= chosen[-1].end:
            chosen.append(r)
    iterations = [Iteration(owner.owned(r), r) for r in chosen if owner.owned(r)]
    return Found(method, what, iterations, len(chosen) - len(iterations)) if iterations else None


def runs(trace, marker, mine):
    """{device: starts of the runs of the kernels that the marker names, by short or demangled name}."""
    out = {}
    for op in mine:
        if op.kind == "kernel" and any(matches(marker[len(OF_KERNELS):], trace.kernel_name(op, f)) for f in ("short", "demangled")):
            out.setdefault(op.device, []).append(op.start)
    return out


def from_kernels(trace, marker, mine):
    """Each run begins an iteration, on the device with most runs. open: of as many the lowest; runs that start together are one."""
    found = runs(trace, marker, mine)
    if not found:
        return None
    device = max(found, key=lambda d: (len(found[d]), -d))
    return Found("marker", marker, between(mine, sorted(set(found[device]))))


def apart(ranges):
    return all(a.end <= b.start for a, b in zip(ranges, ranges[1:]))


def unions(ops):
    """The time used of each device."""
    by_device = {}
    for op in ops:
        by_device.setdefault(op.device, []).append((op.start, op.end))
    return [intervals.union(v) for v in by_device.values()]


def used_inside(used, window=None):
    """The length of unions() added up over devices, inside the window."""
    return sum(intervals.length(intervals.clipped(u, window) if window else u) for u in used)


def busy(ops, window=None):
    return used_inside(unions(ops), window)


def from_nvtx(trace, ranges, owner, mine):
    """Method 3. open: all instances of the name on the thread must be apart; the stretch is that of the owned operations on
    the GPU, first start to last end; outermost: least depth, then the longest host time, then the earliest; instances count
    whether or not they own anything."""
    groups, candidates = {}, []
    for r in ranges:
        groups.setdefault((r.thread, r.type in PUSH_POP, label(r)), []).append(r)
    used = unions(mine)
    for (_, _, name), instances in groups.items():
        instances.sort(key=lambda r: (r.start, r.end))
        if len(instances) < 3 or not apart(instances) or sum(not owner.owned(r) for r in instances) > 2:
            continue
        owned = [op for r in instances for op in owner.owned(r)]
        stretch = (min((op.start for op in owned), default=0), max((op.end for op in owned), default=0))
        inside = used_inside(used, stretch)
        # exact: owned >= 80% of inside, inside >= 50% of all
        if not owned or not inside or 2 * inside < used_inside(used):
            continue
        share = busy(owned)
        if 10 * share >= 8 * inside:
            candidates.append((share / inside, name, instances))
    if not candidates:
        return None
    best = max(share for share, _, _ in candidates)
    forest = forest_of(trace)
    around = forest.innermost([i[0] for _, _, i in candidates if i[0].type not in PUSH_POP])
    def outermost(candidate):
        _, name, instances = candidate
        r = instances[0]
        depth = len(forest.ancestors(r)) - 1 if r.type in PUSH_POP else len(forest.ancestors(around[r])) if around[r] else 0
        return depth, -sum(i.end - i.start for i in instances), r.start, name
    tied = [c for c in candidates if best - c[0] <= 0.01]
    enough = [c for c in tied if len(c[2]) >= ENOUGH]
    _, name, instances = min(enough, key=outermost) if enough else min(tied, key=lambda c: (-len(c[2]), outermost(c)))
    length = cycle(name, [exact_label(r) for r in instances])
    if length:
        instances = turns(instances, length)
    kept = [Iteration(owner.owned(r), r) for r in instances if owner.owned(r)]
    return Found("nvtx", name, kept, len(instances) - len(kept))


STEP_WORDS = {"iter", "iteration", "step", "batch", "token", "req", "request"}


def cycle(name, names):
    """The length of the cycle in which the exact names of a label repeat, or 0: two turns at least, without exception.

    open: the last turn may be cut; a label that is called a step is one, and no part of a cycle."""
    if words(name) & STEP_WORDS or len(set(names)) < 2:
        return 0
    return next((p for p in range(2, len(names) // 2 + 1) if names[p:] == names[:-p]), 0)


class Turn:
    """Ranges in turn as one step."""
    def __init__(self, start, end, thread):
        self.start, self.end, self.thread = start, end, thread


def turns(ranges, length):
    """open: a turn begins with the lowest name, the shortest and then the first by bytes (of equal ones the earliest), and goes
    on to the start of the next turn; the last one to the end of its last range. What comes before the first is of none."""
    phase = min(range(length), key=lambda i: (len(exact_label(ranges[i]).encode()), exact_label(ranges[i]).encode(), i))
    return [Turn(ranges[i].start, ranges[i + length].start if i + length < len(ranges) else ranges[-1].end, ranges[i].thread)
            for i in range(phase, len(ranges), length)]


def from_graphs(trace, mine):
    """Method 4.

    open: of graphs with 3 launches the one that ran longest; without numbers, launches of the same operations are of one graph.
    An iteration begins with the first operation of a launch. What most have, counted by name and device, is the usual
    one, and each owns as many of these, the first to start; that is 80% of the time between the first and the last
    start, which is half of all busy time."""
    graphs, launches = {}, {}
    for op in mine:
        if op.launch and op.launch.name.startswith(GRAPH_LAUNCHES):
            launches.setdefault(op.launch, []).append(op)
    for ops in launches.values():
        number = next((graph_of(op) for op in ops if graph_of(op) is not None), None)
        key = number if number is not None else tuple(sorted(map(str, counted(trace, ops).items())))
        graphs.setdefault(key, []).append(ops)
    enough = [found for found in graphs.values() if len(found) >= 3]
    if not enough:
        return None
    chosen = max(enough, key=lambda found: sum(op.end - op.start for ops in found for op in ops))
    starts = sorted({min(op.start for op in ops) for ops in chosen})
    stretch = starts[0], starts[-1]
    iterations, inside = between(mine, starts), busy(mine, stretch)
    usual = usual_of([counted(trace, i.ops) for i in iterations])
    owned = [op for i in iterations for op in first_of(trace, i.ops, usual)]
    if not inside or 10 * busy(owned, stretch) < 8 * inside or 2 * inside < busy(mine):
        return None
    return Found("graph", None, iterations)


def kind_of(trace, op):
    return (trace.kernel_name(op) if op.kind == "kernel" else op.kind + str(op.row.get("copyKind", ""))), op.device


def counted(trace, ops):
    out = {}
    for op in ops:
        out[kind_of(trace, op)] = out.get(kind_of(trace, op), 0) + 1
    return out


def usual_of(counts):
    return max(counts, key=lambda c: (counts.count(c), -counts.index(c)))


def first_of(trace, ops, usual):
    """As many operations of each kind as is usual, the first to start."""
    left, out = dict(usual), []
    for op in sorted(ops, key=lambda op: (op.start, op.order)):
        kind = kind_of(trace, op)
        if left.get(kind, 0):
            left[kind] -= 1
            out.append(op)
    return out


def between(mine, starts):
    """The operations from each start to the next as iterations."""
    out = []
    for a, b in zip(starts, starts[1:] + [None]):
        ops = [op for op in mine if a <= op.start and (b is None or op.start < b)]
        if ops:
            out.append(Iteration(ops))
    return out


def repeated(names):
    """(p, share) of the smallest period within half a point of the best, p at most a third of the length; or None."""
    shares = {p: sum(a == b for a, b in zip(names, names[p:])) / (len(names) - p) for p in range(1, len(names) // 3 + 1)}
    if not shares:
        return None
    best = max(shares.values())
    p = min(q for q, share in shares.items() if best - share <= 0.005)
    return p, shares[p]


def from_sequence(trace, mine):
    """Method 5. open: a stream is (device, context, stream) of the process, ties to the lowest; names are demangled; the idle
    time before a kernel is the device's, since the kernels before it on the stream ended; the last period may be cut."""
    streams = {}
    for op in mine:
        if op.kind == "kernel":
            streams.setdefault((op.device, op.context, op.stream), []).append(op)
    if not streams:
        return None
    key = min(streams, key=lambda k: (-sum(op.end - op.start for op in streams[k]), [-1 if n is None else n for n in k]))
    sequence = sorted(streams[key], key=lambda op: (op.start, op.order))
    found = repeated([trace.kernel_name(op) for op in sequence])
    if not found or found[1] < 0.9:
        return None
    p, share = found
    # open: a repeat is a kernel, and p = 1 with too few of them is no reason to take a larger p
    if p == 1 and len(sequence) < FEWEST_ONES:
        return None
    used = intervals.union((op.start, op.end) for op in trace.ops if op.device == key[0])
    before, latest = [], None
    for op in sequence:
        free = [(latest, op.start)] if latest is not None and latest < op.start else []
        before.append(intervals.length(intervals.subtract(free, used)))
        latest = op.end if latest is None else max(latest, op.end)
    # the first kernel has nothing before it
    idle = {phase: [before[i] for i in range(phase, len(sequence), p) if i] for phase in range(p)}
    phase = max(range(p), key=lambda f: (percentile(idle[f], 50), -f))
    starts = [sequence[i].start for i in range(phase, len(sequence), p)]
    return Found("sequence", "period %d, %.4f repeated" % (p, share), between(mine, starts))


def is_open(trace, marker=None, conventions=GENERIC):
    """Whether warplens may find more than this file does: where no label owns enough, ranges that do so together make steps.

    open: when they do; that takes 8 instances of some label of a process whose steps no label, marker or convention gives.
    The same holds where the label that owns enough says prefill or decode. And what belongs to launches of a graph whose replays
    do not begin in their order, and which device has the runs of a kernel where two have as many."""
    for process in {op.process for op in trace.ops}:
        labels = {}
        for r in (r for r in trace.ranges if r.process == process and r.type in PUSH_POP):
            labels[label(r)] = labels.get(label(r), 0) + 1
        found = find(trace, process, marker, conventions)
        if max(labels.values(), default=0) >= ENOUGH and (found is None or found.method in ("graph", "sequence")
                                                          or found.method == "nvtx" and kinds.range_says(found.what)):
            return True
        if marker is not None and marker.startswith(OF_KERNELS):
            most = sorted(map(len, runs(trace, marker, [op for op in trace.ops if op.process == process]).values()))[-2:]
            if len(most) == 2 and most[0] == most[1]:
                return True
        if found and found.method == "graph" and not in_launch_order(trace, process):
            return True
    return False


def in_launch_order(trace, process):
    starts = {}
    for op in trace.ops:
        if op.process == process and op.launch and op.launch.name.startswith(GRAPH_LAUNCHES):
            starts[op.launch] = min(starts.get(op.launch, op.start), op.start)
    ordered = [starts[call] for call in sorted(starts, key=lambda call: call.start)]
    return ordered == sorted(ordered)


def marks(trace, marker):
    """Whether the marker matches a range that owns an operation in any process; where none does it is refused."""
    return any(f.method == "marker" for f in find_all(trace, marker).values())


# --- verbs ------------------------------------------------------------------------------------------------

def tenants(trace):
    """Processes without communication kernels on GPUs of at least two that have some: their kernels are no steps of the job."""
    devices, talking = {}, {op.process for op in trace.ops if op.kind == "kernel" and op.cls == "comm"}
    for op in trace.ops:
        devices.setdefault(op.process, set()).add(op.device)
    taken = {d for p in talking for d in devices[p]}
    return {p for p, own in devices.items() if p not in talking and own <= taken} if len(talking) > 1 else set()


def find_all(trace, marker=None, conventions=GENERIC):
    found = {p: find(trace, p, marker, conventions) for p in sorted({op.process for op in trace.ops})}
    return {p: f for p, f in found.items() if f}


def outliers(periods):
    """The positions more than 3.5 scaled median absolute deviations and more than 5% from the median.

    open: medians are nearest rank; scaled is times 1.4826; both directions count."""
    if not periods:
        return set()
    median = percentile(periods, 50)
    mad = percentile([abs(x - median) for x in periods], 50)
    return {i for i, x in enumerate(periods) if abs(x - median) > 3.5 * 1.4826 * mad and 20 * abs(x - median) > median}


def idle_before(trace, device, begin, at_most):
    """The device's idle time that ends where an iteration begins, whatever period it lies in.

    open: it counts from the start of the iteration before, at_most; None where the device had no operation yet."""
    ended = [op.end for op in trace.ops if op.device == device and op.start < begin]
    since = max(ended + ([] if at_most is None else [at_most])) if ended else None
    return None if since is None else max(0, begin - since)


def compared(process_kinds, found):
    """[(period over the median, whether it is an outlier)] of each step, among those of its kind.

    open: where a kind has fewer than 5 steps with a period, and of steps without a kind where others have one."""
    periods, out = found.periods(), [(OPEN, OPEN)] * (len(found.iterations) - 1) + [(None, False)]
    for kind, positions in kinds.by_kind(found, process_kinds).items():
        if any(process_kinds) and (kind is None or len(positions) < kinds.FEWEST):
            continue
        of_kind = [periods[n] for n in positions]
        median, flagged = percentile(of_kind, 50), outliers(of_kind)
        for i, n in enumerate(positions):
            out[n] = periods[n] / median if median else None, i in flagged
    return out


def rows(trace, marker=None, conventions=GENERIC):
    """`iters`: one row per process, iteration and device of the process.

    open: start and span are the process's, the same on all its devices; kernels are the iteration's own on that device;
    vs_median is period / median of all periods, or those of the kind; the last iteration has no period and its parts are over its span."""
    out = []
    for process, f in find_all(trace, marker, conventions).items():
        periods, process_kinds = f.periods(), kinds.kinds(trace, process, f)
        figures = compared(process_kinds, f)
        for n, (it, tile) in enumerate(zip(f.iterations, f.tiles())):
            for device in trace.devices_of(process):
                part = oracle.overlap(oracle.Tile(trace, device, tile), segments)[0]
                assert part["window"] == tile[1] - tile[0]
                out.append({"pid": process & 0xFFFFFF, "rank": rank_of(trace, process), "iter": n, "device": device, "start": it.first,
                            "period": periods[n] if n < len(periods) else None, "span": it.last - it.first,
                            **{c: part[c] for c in ("compute", "exposed_comm", "exposed_copy", "idle")},
                            "idle_before": idle_before(trace, device, it.first, f.iterations[n - 1].first if n else None),
                            "kernels": sum(op.kind == "kernel" and op.device == device for op in it.ops),
                            "vs_median": figures[n][0], "outlier": figures[n][1], "kind": process_kinds[n]})
    return out


def steady(found):
    """{process: number of the steady iteration, or None}: one number for the whole job; found: {process: Found}.

    open: processes that have another number of iterations than most (of as many, the larger number) have each their own;
    where only one iteration exists there is none."""
    counts = {p: len(f.iterations) for p, f in found.items()}
    common = max(set(counts.values()), key=lambda n: (list(counts.values()).count(n), n), default=0)
    job = steady_of([found[p].periods() for p in found if counts[p] == common])
    return {p: job if counts[p] == common else steady_of([f.periods()]) for p, f in found.items()}


def steady_of(periods):
    """The number of the median period, ties to the earliest, where each is the largest over processes; periods: of each process."""
    largest = [max(of) for of in zip(*periods)]
    chosen = range(1, len(largest)) if len(largest) >= 4 else range(len(largest))       # all but the first and the last, which has none
    if not chosen:
        return None
    median = percentile([largest[i] for i in chosen], 50)
    return min(i for i in chosen if largest[i] == median)
