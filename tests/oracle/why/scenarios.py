# SPDX-License-Identifier: MIT
"""The scenarios of what-if, each as a change of the activity graph."""
import re

import lines
import opened
import path
import reasons
from replayer import Scenario, scaled

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
    return stretched(graph, lambda a: a.process.rank == rank, factor)


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


def comm_free(graph):
    """Transfers 0, arrivals stay; communication that no match covers takes no time at all."""
    out = Scenario()
    for a in graph.activities:
        if a.tau is not None:
            out.tau[a.index] = 0
        elif is_comm(a):
            out.length[a.index] = 0
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


def overlap(graph):
    """Inferred and stream-order candidates between compute and communication no longer count, unless an event proves them."""
    out = Scenario()
    for a in graph.activities:
        if a.kind != "op":
            continue
        proven = {node >> 1 for node, _, letter in a.candidates if letter == "E"}
        for candidate in a.candidates:
            other = graph.activities[candidate[0] >> 1]
            if candidate[2] in "PT" and is_comm(a) != is_comm(other) and not {is_copy(a), is_copy(other)} & {True} and other.index not in proven:
                out.dropped.add((a.index, candidate))
    return out


def blocks(a):
    """A call that waits for the GPU, by its rows or by its name."""
    return a.releaser is not None or any("Synchronize" in c.name or "Memcpy" in c.name and "Async" not in c.name for c in [a.row, *a.inner])


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


def without_latency(graph, out, kept=()):
    """Launch latencies 0, of operations whose launch is not kept: what the least latency leaves is latency too where the launch released it."""
    for a in graph.activities:
        if a.kind == "op" and a.row.launch is not None and graph.outer[id(a.row.launch)].index not in kept:
            out.launch[a.index] = 0
            found = path.binding(graph, a)
            if found is not None and found[3] == "L":
                out.lag[a.index] = 0


def launch_free(graph, steps):
    out, kept = Scenario(), kept_launches(graph, steps)
    for a in graph.activities:
        if is_launch(graph, a) and a.index not in kept and a.releaser is None:
            out.length[a.index] = 0
    without_latency(graph, out, kept)
    return out


def host_free(graph):
    """Calls, host gaps, launch latencies and returns 0. A call that did not wait keeps how long after its operation it may end."""
    out = Scenario()
    for a in graph.activities:
        if a.kind != "op" and a.tau is None:
            out.length[a.index] = 0
            if a.binds:
                out.back[a.index] = 0
        if a.kind != "op":
            out.gap[a.index] = 0
    without_latency(graph, out)
    return out


def no_sync(graph, api):
    out = Scenario()
    out.unblocked = {a.index for a in graph.activities if a.kind != "op" and a.releaser is not None and api in [c.name for c in [a.row, *a.inner]]}
    return out


def copies_free(graph):
    out = Scenario()
    out.length = {a.index: 0 for a in graph.activities if is_copy(a)}
    return out


def pinned(graph):
    """Copies that touch pageable memory take bytes / median rate of those between pinned and device memory."""
    out, rates, slow = Scenario(), [], []
    for a in graph.activities:
        if not is_copy(a):
            continue
        kinds, size = (a.row.row.get("srcKind"), a.row.row.get("dstKind")), a.row.row["bytes"]
        if PAGEABLE in kinds:
            slow.append((a, size))
        elif PINNED in kinds and a.length > 0:
            rates.append((size / a.length, size, a.length))
    if not rates or not slow:
        out.refused = "no pinned copy" if not rates else "no pageable copy"
        return out
    _, size, length = lines.median(rates)
    for a, mine in slow:
        out.length[a.index] = scaled(mine * length, 1) // size if size else 0
    return out


def data(graph, steps):
    """The host gap before the first launch of each step becomes the median of the best tenth of steps."""
    out = Scenario()
    for q in steps.processes:
        calls = [graph.outer[id(a.row.launch)] for a in q.first if a.row.launch is not None]
        gaps = sorted(c.lag for c in calls if c.lag is not None)
        if not gaps:
            continue
        best = lines.median(gaps[:max(1, len(gaps) // 10)])
        for c in calls:
            if c.lag is not None:
                out.gap[c.index] = min(c.lag, best)
    return out


def slow_steps(graph, steps):
    """Flagged steps: lengths, transfers and host gaps of the other steps' median at the same position."""
    out = Scenario()
    flagged = steps.flagged()
    others = [s for s in range(steps.count) if s not in flagged]
    for s in sorted(flagged):
        for a in steps.inside.get(s, ()):
            same = [b for b in (steps.counterpart(a, o) for o in others) if b is not None]
            if not same:
                continue
            out.length[a.index] = lines.median([b.length for b in same])
            taus, gaps = [b.tau for b in same if b.tau is not None], [b.lag for b in same if b.lag is not None]
            if a.tau is not None and taus:
                out.tau[a.index] = lines.median(taus)
            if a.kind != "op" and a.lag is not None and gaps:
                out.gap[a.index] = lines.median(gaps)
    if not flagged:
        out.refused = "no slow step"
    return out


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
