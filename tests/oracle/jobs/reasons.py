# SPDX-License-Identifier: MIT
"""The straggler of a job, what the job would take without it, and why it is slow."""
import lines
import positions
import replay
import waits

LEAST_SAVING, MOST_UNMATCHED, EXPLAINS = 0.01, 0.2, 0.8


def peers(job, graph, rank):
    """The straggler's member and the other members of its largest group, with their positions."""
    best = max((m for m in job.matches if any(c.member.rank == rank for c in m.row)), key=lambda m: len(m.row))
    own = next(c.member for c in best.row if c.member.rank == rank)
    def seen(member):
        ordinal = member.ordinal
        if ordinal is None:
            ordinal = min((o.ordinal for o in member.process.ops), default=None)
        return positions.Member(graph, member.process, ordinal)
    return seen(own), [seen(c.member) for c in best.row if c.member is not own]


def is_kernel(a):
    return a.kind == "op" and a.row.kind != "memcpy" and a.row.cls != "comm"


def is_copy(a):
    return a.kind == "op" and a.row.kind == "memcpy" and a.row.cls != "comm"


def is_host(a):
    return a.kind != "op"


def change_for(own, others, kinds):
    """The change that gives the member's activities of these kinds the median of the others."""
    change = replay.Change()
    for position, a in own.at.items():
        if not any(kind(a) for kind in kinds):
            continue
        same = [o.at[position] for o in others if position in o.at]
        if 2 * len(same) < len(others) or not same:
            continue
        if a.match is None:
            change.length[a.index] = lines.median([b.length for b in same])
        if a.kind != "op":
            gaps = [b.lag for b in same if b.lag is not None]
            if a.lag is not None and gaps:
                change.gap[a.index] = lines.median(gaps)
    return change


def suspect(job):
    """The rank that caused most waiting, ties to the smaller one; None where nobody waits."""
    by = waits.by_rank(job.matches)
    rank = max(by, key=lambda r: (by[r].caused, -r), default=None)
    return rank if rank is not None and by[rank].caused > 0 else None


def savings(graph, own, others):
    """Makespans: measured, then with kernels, copies and the host's part changed in this order."""
    nodes = replay.order(graph)
    steps = ((), (is_kernel,), (is_kernel, is_copy), (is_kernel, is_copy, is_host))
    return [replay.makespan(graph, replay.replay(graph, change_for(own, others, kinds), nodes)) for kinds in steps]


def kernel_factor(own, others):
    """(f, [(name, own median, others' median, own sum)] heaviest first): the median of length / median of the others, weighted by the latter."""
    ratios, names = [], {}
    for position, a in own.at.items():
        same = [o.at[position].length for o in others if position in o.at]
        if not is_kernel(a) or not same or a.row.kind != "kernel":
            continue
        usual = lines.median(same)
        if usual > 0:
            ratios.append((a.length / usual, usual))
        names.setdefault(positions.name_of(a), []).append((a.length, usual))
    half, f = sum(w for _, w in ratios) / 2, None
    for f, w in sorted(ratios):
        half -= w
        if half <= 0:
            break
    heavy = [(n, lines.median([m for m, _ in v]), lines.median([u for _, u in v]), sum(m for m, _ in v)) for n, v in names.items()]
    return f, sorted(heavy, key=lambda x: -x[3])
