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
    members = {c.member.key for c in best.row}
    def seen(member):
        ordinal = member.ordinal
        if ordinal is None:
            ordinal = min((o.ordinal for o in member.process.ops), default=None)
        return positions.Member(graph, member.process, ordinal, members)
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
        if 2 * len(same) < len(others) or not same:         # the others have no such thing: it would not be there
            if a.match is None and a.releaser is None and a.room is None and len(others) > 0:
                change.length[a.index] = 0
                change.gap[a.index] = 0
            continue
        if a.match is None and a.room is None:
            change.length[a.index] = lines.median([b.length for b in same])
        if a.kind != "op":
            gaps = [b.lag for b in same if b.lag is not None]
            if a.lag is not None and gaps:
                change.gap[a.index] = lines.median(gaps)
    return change


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


def grid(a):
    return a.row.row.get("gridX", 1) * a.row.row.get("gridY", 1) * a.row.row.get("gridZ", 1)


def kernel_reason(own, others):
    """(letter, factor, name) of slow kernels: c more work, a slow GPU, b slow kernel."""
    excess = more = usual_sum = own_more = usual_more = extra = common = 0
    by_name = {}
    for position, a in own.at.items():
        if not is_kernel(a) or a.row.kind != "kernel":
            continue
        same = [o.at[position] for o in others if position in o.at]
        usual = lines.median([b.length for b in same]) if 2 * len(same) >= len(others) and same else 0
        excess, usual_sum = excess + a.length - usual, usual_sum + usual
        by_name.setdefault(positions.name_of(a), []).append((a.length, usual, [b.length for b in same]))
        extra, common = extra + (not usual), common + bool(usual)
        if not usual or grid(a) > lines.median([grid(b) for b in same]):
            more, own_more, usual_more = more + a.length - usual, own_more + a.length, usual_more + usual
    f, _ = kernel_factor(own, others)
    if 2 * more > excess:
        return "c", (extra + common) / common if not usual_more else own_more / usual_more, None
    if (f - 1) * usual_sum >= EXPLAINS * excess:
        return "a", f, None
    name = max(by_name, key=lambda n: sum(mine - usual for mine, usual, _ in by_name[n]))
    pooled = [length for _, _, same in by_name[name] for length in same]
    mean = sum(mine for mine, _, _ in by_name[name]) / len(by_name[name])
    return "b", mean * len(pooled) / sum(pooled) if sum(pooled) else None, name


def unmatched_share(job):
    """The share of communication time that no match covers."""
    whole = sum(c.dur for c in job.collectives)
    return sum(c.dur for c in job.collectives if c.match is None) / whole if whole else 0


class Verdict:
    """rank, letter of the main reason, its factor and name, total saving and shares by step of the replay."""
    def __init__(self, rank, saving, shares, letter, factor, name):
        self.rank, self.saving, self.shares, self.letter, self.factor, self.name = rank, saving, shares, letter, factor, name


def judge(job, graph, rank):
    """The verdict on one rank."""
    own, others = peers(job, graph, rank)
    whole, kernels, copies, host = savings(graph, own, others)
    shares = {"kernels": whole - kernels, "copies": kernels - copies, "host": copies - host}
    main = max(shares, key=lambda k: shares[k])
    letter, factor, name = kernel_reason(own, others) if main == "kernels" else ("e" if main == "copies" else "d", None, None)
    return Verdict(rank, whole - host, shares, letter, factor, name), whole


def waits_for(job, rank, left_out):
    """The rank that another one waits for longest."""
    by = {}
    for m in job.matches:
        _, last, _, _ = waits.of_match(m)
        for c in m.row:
            if c.member.rank == rank and last.member.rank not in left_out:
                by[last.member.rank] = by.get(last.member.rank, 0) + last.start - c.start
    return max(by, key=lambda r: (by[r], -r), default=None) if any(by.values()) else None


def straggler(job, graph):
    """(verdict or None, chain of victims): the rank to name. A victim is followed to the rank that it waits for."""
    if not job.matches or unmatched_share(job) > MOST_UNMATCHED or job.refused:
        return None, []
    by = waits.by_rank(job.matches)
    chain = []
    rank = max(by, key=lambda r: (by[r].caused, -r))
    while rank is not None and rank not in chain:
        if by[rank].alone > by[rank].last * job.eps:
            verdict, whole = judge(job, graph, rank)
            if verdict.saving >= LEAST_SAVING * whole:
                return verdict, chain
        chain.append(rank)
        rank = waits_for(job, rank, chain)
    return None, chain


def suspect(job):
    """The rank that caused most waiting, ties to the smaller one; None where nobody waits."""
    by = waits.by_rank(job.matches)
    rank = max(by, key=lambda r: (by[r].caused, -r), default=None)
    return rank if rank is not None and by[rank].caused > 0 else None
