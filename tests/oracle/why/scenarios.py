# SPDX-License-Identifier: MIT
"""The scenarios of what-if, each as a change of the activity graph."""
import re
from fractions import Fraction

import held_out
import intervals
import lines
import opened
import path
import reasons
from replayer import Scenario, follow_launches, scaled

LAUNCHES = ("cudaLaunch", "cuLaunch", "cudaGraphLaunch", "cuGraphLaunch", "cudaMemcpy", "cuMemcpy", "cudaMemset", "cuMemset")
MOST_UNMATCHED = (1, 5)
PAGEABLE, PINNED = 0, 1


def is_comm(a):
    return a.kind == "op" and a.row.cls == "comm"


def is_copy(a):
    return a.kind == "op" and a.row.cls == "copy"


def is_launch(graph, a):
    """A call that launches, itself or through a call inside it."""
    return a.kind == "call" and any(c.ops for c in [a.row, *a.inner])


def stretched(graph, chosen, factor):
    """Lengths of the chosen activities x factor; of matched ones the transfer, of calls their gap too."""
    out = Scenario()
    for a in graph.activities:
        if chosen(a):
            if a.tau is not None:
                out.tau[a.index] = scaled(a.tau, factor)
            else:
                out.length[a.index] = scaled(a.length, factor)
            if a.kind != "op" and a.lag is not None:
                out.gap[a.index] = scaled(a.lag, factor)
    return out


def of_rank(graph, rank, factor):
    """Operations of a rank that do not communicate; open, see the definition: its calls and host gaps."""
    return stretched(graph, lambda a: a.kind == "op" and a.process.rank == rank and not is_comm(a), factor)


def of_category(graph, name, factor):
    """Of the kernels of random jobs only: others need the table of names."""
    out = stretched(graph, lambda a: a.kind == "op" and a.row.kind == "kernel" and opened.name_of(a) == name + "_kernel", factor)
    if any(a.kind == "op" and a.row.kind == "kernel" and not is_comm(a) and not opened.name_of(a).endswith("_kernel") for a in graph.activities):
        out.refused = "other kernels"
    return out


def of_class(graph, cls, factor):
    """Classes are those of the path: a copy within a device is compute."""
    return stretched(graph, lambda a: a.kind == "op" and a.row.cls == cls, factor)


def together(*several):
    """Several scenarios at once; no two change the same length."""
    out = Scenario()
    for s in several:
        for field in ("length", "tau", "gap", "lag", "back", "launch", "added"):
            getattr(out, field).update(getattr(s, field))
        out.dropped |= s.dropped
        out.unblocked |= s.unblocked
        out.alone = out.alone or s.alone
        out.refused = out.refused or s.refused
    return out


def of_kernel(graph, pattern, factor):
    """Kernels whose name contains the pattern, in either case; re: begins a regular expression."""
    def named(a):
        if a.kind != "op" or a.row.kind != "kernel":
            return False
        name = opened.name_of(a)
        return re.search(pattern[3:], name) is not None if pattern.startswith("re:") else pattern.lower() in name.lower()
    return stretched(graph, named, factor)


def of_comm(graph, factor):
    return stretched(graph, lambda a: is_comm(a) or a.tau is not None and a.kind == "op", factor)


def comm_free(graph, mpi=True):
    """Transfers 0, arrivals stay; communication that no match covers takes no time at all. mpi: of matched MPI calls too."""
    out = Scenario()
    for a in graph.activities:
        if a.tau is not None:
            if mpi or a.kind == "op":
                out.tau[a.index] = 0
        elif is_comm(a):
            out.length[a.index] = 0
    return out


TINY, DISPATCH = 5000, 5000             # ns


def waited(job, ops, start, end):
    """How much of [start, end) any of the streams of these operations waits for a function of the host."""
    of = {(a.process, a.row.ordinal, a.row.context, a.row.stream) for a in ops}
    return intervals.length(intervals.clipped(intervals.union(
        (job.place(p, f.start), job.place(p, f.end)) for p, *stream in of for f in p.file.trace.host_functions
        if (f.process, f.ordinal, f.context, f.stream) == (p.key, *stream)), (start, end)))


def host_callback(graph):
    """Lags and returns without what streams wait for functions of the host: the operation's own, and those of what was done last before it."""
    out = Scenario()
    if not any(p.file.trace.host_functions for p in graph.job.processes):
        out.refused = "no host functions"
    for a in graph.activities:
        if a.kind == "op" and a.lag is not None:
            done = a.start - a.lag
            last = [graph.activities[n >> 1] for n, added, _ in a.candidates if graph.time(n) + added == done]
            out.lag[a.index] = a.lag - waited(graph.job, [a, *(b for b in last if b.kind == "op")], done, a.start)
        elif a.kind == "call" and a.releaser is not None:
            own = a.back if a.binds else a.length
            cut = waited(graph.job, [graph.activities[a.releaser >> 1]], a.end - own, a.end)
            if a.binds:
                out.back[a.index] = own - cut
            else:
                out.length[a.index] = own - cut
    return out


def stream_before(graph, a):
    """The operation before it on its stream, if that ended before it started."""
    found = [c[0] for c in a.candidates if c[2] == "P" and c[0] & 1]
    return graph.activities[found[0] >> 1] if found else None


def tiny_kernels(graph):
    """Runs of tiny kernels on a stream become one kernel each, as long as the longest; the lag behind the stream goes with the others."""
    out, runs, of = Scenario(), [], {}
    for a in sorted((a for a in graph.activities if a.kind == "op"), key=lambda a: (a.start, a.end, a.row.order)):
        if a.row.kind != "kernel" or a.tau is not None or is_comm(a) or a.length > TINY:
            continue
        before = stream_before(graph, a)
        run = of.get(before.index) if before is not None else None
        if run is None:
            run = []
            runs.append(run)
        of[a.index] = run
        run.append(a)
    for run in runs:
        stays = max(run, key=lambda a: a.length)            # the first of equal ones
        for a in run:
            if a is not stays:
                out.length[a.index] = 0
            released = next((graph.time(c[0]) + c[1] for c in a.candidates if c[2] == "P"), None)
            if a is not run[0] and released == a.start - a.lag and 0 < a.lag <= DISPATCH:
                out.lag[a.index] = 0
    return out


def unmatched_share(job):
    whole = sum(c.dur for c in job.collectives)
    return sum(c.dur for c in job.collectives if c.match is None), whole


def no_wait(graph):
    out = Scenario()
    out.alone = True
    part, whole = unmatched_share(graph.job)
    if part * MOST_UNMATCHED[1] > whole * MOST_UNMATCHED[0]:
        out.refused = "unmatched communication"
    return out


def sort(a):
    """comm, compute or copy. Copies within a device are copies here, as in the figures of copies-free: they are of neither sort."""
    return "comm" if is_comm(a) else "copy" if a.row.kind == "memcpy" else "compute"


def before_of_sort(graph):
    """Operation -> sort -> the operation before it on its stream with the latest end among those of that sort and copies."""
    out, lanes = {}, {}
    for a in sorted((a for a in graph.activities if a.kind == "op"), key=lambda a: (a.start, a.end, a.row.order)):
        best = lanes.setdefault((a.process, opened.lane_of(a)), {})
        out[a.index] = dict(best)
        for s in ("comm", "compute") if sort(a) == "copy" else (sort(a),):
            if s not in best or a.end >= best[s].end:
                best[s] = a
    return out


def overlap(graph):
    """Each stream is two: its communication, and its compute, each in order; copies are on both. Inferred candidates between
    communication and compute no longer count."""
    out, before = Scenario(), before_of_sort(graph)
    for a in (a for a in graph.activities if a.kind == "op"):
        mine = ("comm", "compute") if sort(a) == "copy" else (sort(a),)
        for candidate in a.candidates:
            if candidate[2] == "P" or candidate[2] == "T" and {sort(a), sort(graph.activities[candidate[0] >> 1])} == {"comm", "compute"}:
                out.dropped.add((a.index, candidate))
        for other in {before[a.index][s].index: before[a.index][s] for s in mine if s in before[a.index]}.values():
            node = 2 * other.index + (other.end <= a.start)
            released = a.start - a.lag if a.lag is not None else graph.time(node)
            out.added.setdefault(a.index, []).append((node, min(0, released - graph.time(node)), "Q"))
    return out


def blocks(a):
    """A call that waits for the GPU, whether or not what it waited for is known: by its rows, its name, or pageable memory."""
    def one(c):
        pageable = any(o.kind == "memcpy" and PAGEABLE in (o.row.get("srcKind"), o.row.get("dstKind")) for o in c.ops)
        return pageable or "Synchronize" in c.name or "Memcpy" in c.name and "Async" not in c.name
    return a.kind != "op" and (a.releaser is not None or any(one(c) for c in [a.row, *a.inner] if a.kind == "call"))


def kept_launches(graph, steps):
    """The first launch call of each thread after each blocking call or step start."""
    kept = set()
    for p in graph.job.processes:
        bounds = next((q.bounds for q in steps.processes if q.process is p), None) or []
        for lane in p.threads.values():
            fresh, at = True, 0
            for a in lane:
                while at < len(bounds) and bounds[at] <= a.start:
                    fresh, at = True, at + 1
                if is_launch(graph, a) and fresh:
                    kept.add(a.index)
                    fresh = False
                if blocks(a):
                    fresh = True
    return kept


def launch_releases(graph, a):
    """Whether the launch released an operation; where something else did at the same time, the path's order of ties decides."""
    return path.binding(graph, a) is not None and path.binding(graph, a)[3] == "L"


def without_latency(graph, out, kept=()):
    """Launch latencies 0, of operations whose launch is not kept: what the least latency leaves is latency too where the launch released it."""
    for a in graph.activities:
        if a.kind == "op" and a.row.launch is not None and graph.outer[id(a.row.launch)].index not in kept:
            out.launch[a.index] = 0
            if launch_releases(graph, a):
                out.lag[a.index] = 0


def launch_free(graph, steps):
    out, kept = Scenario(), kept_launches(graph, steps)
    for a in graph.activities:
        if is_launch(graph, a) and a.index not in kept and not blocks(a):
            out.length[a.index] = 0
    without_latency(graph, out, kept)                       # copies of blocking calls too: balinski's 32.8 % needs them
    return out


def launches_after_waits(graph):
    """The first launch call of each thread after each blocking call; one that blocks itself may be such a launch, too."""
    kept = set()
    for p in graph.job.processes:
        for lane in p.threads.values():
            waited = False
            for a in lane:
                if is_launch(graph, a) and waited:
                    kept.add(a.index)
                waited = blocks(a) or waited and not is_launch(graph, a)
    return kept


def host_free(graph, kept=None):
    """Calls, host gaps, launch latencies and returns 0, but calls of MPI and the latency of a thread's first launch after a blocking call;
    kept: of other launches instead. A call that did not wait keeps how long after its operation it may end."""
    out = Scenario()
    for a in graph.activities:
        if a.kind == "call":
            out.length[a.index] = 0
            if a.binds:
                out.back[a.index] = 0
        if a.kind != "op":
            out.gap[a.index] = 0
    without_latency(graph, out, launches_after_waits(graph) if kept is None else kept)
    return out


def usual_return(graph, process):
    """The median return of a process; none where no call waited."""
    returns = [a.back for a in graph.activities if a.process is process and a.binds]
    return lines.median(returns) if returns else 0


def waits_for_messages(graph, lane):
    """Calls of a thread that wait for what was done when they began, and that a call of MPI follows before any launch."""
    found, sends = set(), False
    for a in reversed(lane):
        if blocks(a):
            if sends and a.releaser is not None and graph.time(a.releaser) <= a.start:
                found.add(a.index)
        elif a.kind == "mpi" or is_launch(graph, a):
            sends = a.kind == "mpi"
    return found


def one_wait(graph, lane, is_named):
    """The calls of a thread that are named, and those that go on waiting for the same operation with nothing launched in between, but for
    those whose wait messages need."""
    same, kept = None, waits_for_messages(graph, lane)
    for a in lane:
        if is_named(a):
            same = a.releaser
            yield a
        elif blocks(a) and a.releaser is not None and a.releaser == same and a.index not in kept:
            yield a
        elif blocks(a) or is_launch(graph, a):
            same = None


def no_sync(graph, api):
    """Calls of that name, and those that only wait for the same after them, wait for nobody, and take the median return at most."""
    out, usual = Scenario(), {p: usual_return(graph, p) for p in graph.job.processes}
    lanes = [lane for p in graph.job.processes for lane in p.threads.values()]
    for a in [a for lane in lanes for a in one_wait(graph, lane, lambda a: a.kind == "call" and blocks(a) and api in [c.name for c in [a.row, *a.inner]])]:
        out.unblocked.add(a.index)
        out.length[a.index] = out.back[a.index] = min(a.back if a.binds else a.length, usual[a.process])
    return out


def copies_free(graph):
    """Within a device too: the figure of nersc-sc22-ddp-4gpu-baseline, 3.09%, needs them."""
    out = Scenario()
    out.length = {a.index: 0 for a in graph.activities if a.kind == "op" and a.row.kind == "memcpy" and not is_comm(a)}
    return out


def overlap_mpi(graph, steps):
    """What computes in a step hides as much of its MPI calls, one after the other."""
    out = Scenario()
    for q in steps.processes:
        mine, room = [a for a in graph.activities if a.process is q.process], {}
        for a in mine:
            if a.kind == "op" and a.row.cls == "compute":
                step = q.step_of(graph, a)
                room[step] = room.get(step, 0) + a.length
        for a in sorted((a for a in mine if a.kind == "mpi"), key=lambda a: a.start):
            step, own = q.step_of(graph, a), a.length if a.tau is None else a.tau
            if step < 0:
                continue
            hidden = min(room.get(step, 0), own)
            room[step] = room.get(step, 0) - hidden
            (out.length if a.tau is None else out.tau)[a.index] = own - hidden
    return out


def local_copies_free(graph):
    """Copies within a device, whose class is compute."""
    out = Scenario()
    out.length = {a.index: 0 for a in graph.activities if a.kind == "op" and a.row.kind == "memcpy" and a.row.cls == "compute"}
    return out


def of_memory(graph, factor):
    """The category memory of random jobs: copies and memory sets."""
    return stretched(graph, lambda a: a.kind == "op" and a.row.kind in ("memcpy", "memset") and not is_comm(a), factor)


def middle_rate(copies):
    """The rate up to which half of the bytes go; copies: [(rate, bytes)]."""
    whole, slower = sum(size for _, size in copies), 0
    for rate, size in sorted(copies):
        slower += size
        if 2 * slower >= whole:
            return rate
    return None


def pinned(graph):
    """Copies that touch pageable memory take bytes / rate of those between pinned and device memory in their direction, never longer than
    they do, and begin without staging, which is the lag of a copy that waited for its launch only. Copies of a direction without a rate
    keep their time."""
    out, rates, slow = Scenario(), {}, []
    for a in graph.activities:
        if not is_copy(a):
            continue
        row = a.row.row
        if PAGEABLE in (row.get("srcKind"), row.get("dstKind")):
            slow.append((a, row))
        elif PINNED in (row.get("srcKind"), row.get("dstKind")) and a.length > 0:
            rates.setdefault(row["copyKind"], []).append((Fraction(row["bytes"], a.length), row["bytes"]))
    for a, row in slow:
        rate = middle_rate(rates.get(row["copyKind"], []))
        if rate:
            out.length[a.index] = min(a.length, scaled(row["bytes"], 1 / rate))
            if launch_releases(graph, a):
                out.lag[a.index] = 0
    return out


def data(graph, steps):
    """The host gap before the first launch of each step becomes the median of the best tenth of steps."""
    out = Scenario()
    for q in steps.processes:
        calls = [graph.outer[id(a.row.launch)] for a in q.launched if a.row.launch is not None]
        gaps = sorted(c.lag for c in calls if c.lag is not None)
        if not gaps:
            continue
        best = lines.median(gaps[:max(1, len(gaps) // 10)])
        for c in calls:
            if c.lag is not None:
                out.gap[c.index] = min(c.lag, best)
    return out


def mean_of_middle(values):
    v = sorted(values)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) // 2


def slow_steps(graph, steps):
    """In each process its flagged steps that are longer than its median step: lengths, transfers, returns and host gaps become the median
    of its other steps at the same position, where at least half of these have it, and so does the gap before the first launch of the step after each."""
    out, any_slow = Scenario(), False
    for q in steps.processes:
        slow = q.slow()
        others = [s for s in range(len(q.bounds)) if s not in slow]
        any_slow = any_slow or bool(slow)
        for s in sorted(slow):
            for a in (a for a in steps.inside.get(s, ()) if a.process is q.process):
                same = [b for b in (steps.counterpart(a, o) for o in others) if b is not None]
                if 2 * len(same) >= len(others):
                    become_usual(out, a, same)
            if s + 1 not in slow and q.first_call(graph, s + 1) is not None and q.first_call(graph, s + 1).lag is not None:
                gaps = [c.lag for c in (q.first_call(graph, o + 1) for o in others if o + 1 < len(q.bounds)) if c is not None and c.lag is not None]
                if gaps:
                    out.gap[q.first_call(graph, s + 1).index] = mean_of_middle(gaps)
    if not any_slow:
        out.refused = "no slow step"
    follow_launches(graph, out)
    return out


def slow_steps_open(graph, steps):
    """Whether the definition leaves slow-steps open: where the first operation of a step is open, a call waits in some steps only, is the
    first of its thread, something has no counterpart or no launch, or which 25 of more steps are evenly spaced."""
    for q in (q for q in steps.processes if q.slow()):
        every = range(len(q.bounds))
        if len(every) > held_out.MOST or any(f.row.launch is None for f in q.launched) or held_out.starts_late(graph, q):
            return True
        for a in (a for s in q.slow() for a in steps.inside.get(s, ()) if a.process is q.process):
            same = [b for b in (steps.counterpart(a, o) for o in every) if b is not None]
            if len(same) <= len(q.slow()) or a.kind == "op" and a.row.launch is None or a.kind != "op" and (
                    len({(b.binds, b.releaser is None) for b in same}) > 1 or any(b.lag is None for b in same)):
                return True
    return False


def become_usual(out, a, same):
    def put(where, values):
        if values:
            where[a.index] = mean_of_middle(values)
    put(out.length, [b.length for b in same if b.binds == a.binds])
    if a.tau is not None:
        put(out.tau, [b.tau for b in same if b.tau is not None])
    if a.kind != "op" and a.lag is not None:
        put(out.gap, [b.lag for b in same if b.lag is not None])
    if a.binds:
        put(out.back, [b.back for b in same if b.binds])


def no_straggler(graph):
    """The straggler's kernels, copies, calls and host gaps as the median of the other members."""
    out = Scenario()
    verdict, _ = reasons.straggler(graph.job, graph)
    if verdict is None:
        out.refused = "no straggler"
        return out
    own, others = reasons.peers(graph.job, graph, verdict.rank)
    change = reasons.change_for(own, others, (reasons.is_kernel, reasons.is_copy, reasons.is_host))
    out.length, out.gap = change.length, change.gap
    return out


STANDARD = {"no-straggler": lambda graph, steps: no_straggler(graph), "slow-steps": slow_steps, "comm-free": lambda graph, steps: comm_free(graph),
            "no-wait": lambda graph, steps: no_wait(graph), "overlap": lambda graph, steps: overlap(graph), "launch-free": launch_free,
            "host-free": lambda graph, steps: host_free(graph), "copies-free": lambda graph, steps: copies_free(graph), "data": data,
            "pinned": lambda graph, steps: pinned(graph)}


def standard(graph, steps, names=tuple(STANDARD)):
    """Name -> scenario, of those that need no argument."""
    return {name: STANDARD[name](graph, steps) for name in names}
