# SPDX-License-Identifier: MIT
"""One clock for a job whose hosts have their own: pairs of members first, then groups on the fitted clock.

First pass: two members on clocks that are not common are compared by their end differences around their own Theil-Sen
line. The matches of these pairs are the anchors; each host gets a line against its parent in the tree of hosts. Second pass:
groups.py on the clock that is fitted.
"""
import groups
import match as reader
from groups import Group, Verdict, agreement, decide, middle, sampled, spread
from lines import percentile

LEAST_ANCHORS, MOST_POINTS, FEW_POINTS, LEAST = 20, 200, 24, 8       # LEAST: fewer ends than this fit a line by chance
TICK = 1000                             # ns: some clocks count microseconds


def slope_of(points, most=MOST_POINTS):
    """Theil-Sen slope of d over t for points (t, d), at most 120 of them."""
    n = len(points)
    some = points if n <= most else [points[j * n // most] for j in range(most)]
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for i, a in enumerate(some) for b in some[i + 1:] if b[0] != a[0]]
    return lower(slopes) if slopes else 0.0


def lower(values):
    """The median; of an even number the lower one of the two in the middle."""
    return sorted(values)[(len(values) - 1) // 2]


def line(points, drift=True, most=MOST_POINTS):
    """(offset, slope) of d over t."""
    slope = slope_of(points, most) if drift else 0.0
    return lower([d - round(slope * t) for t, d in points]), slope


def around(points, most=MOST_POINTS):
    """What the line of points (t, d) leaves of each d."""
    offset, slope = line(points, len(points) >= LEAST_ANCHORS, most)
    return [d - offset - round(slope * t) for t, d in points]


def aligned(mine, theirs):
    """The shift of theirs on mine's axis whose end differences lie nearest to their own line, None where none has half in common."""
    best = None
    for s in sorted(range(-groups.MOST_SHIFT, groups.MOST_SHIFT + 1), key=abs):
        low, high = max(0, s), min(len(mine), len(theirs) + s)
        if high - low >= LEAST and 2 * (high - low) >= min(len(mine), len(theirs)):
            some = [low + j * (high - low) // FEW_POINTS for j in range(FEW_POINTS)] if high - low > FEW_POINTS else range(low, high)
            off = spread(around([(mine[i].end, theirs[i - s].end - mine[i].end) for i in some]))
            if best is None or off < best[0]:
                best = off, s
    return best[1] if best else None


def around_line(mine, theirs, shift):
    """The test on two queues whose clocks differ: the spread of ends around their line against that of durations."""
    low, high = max(0, shift), min(len(mine), len(theirs) + shift)
    rows = [(mine[k], theirs[k - shift]) for k in sampled(low, high)]
    off = around([(x.end, y.end - x.end) for x, y in rows])
    if sum(x.start < x.end + e and e - y.dur < 0 for (x, y), e in zip(rows, off)) < groups.SHARE * len(rows):
        return Verdict()
    return decide(agreement(off), spread([y.dur - x.dur for x, y in rows]))


def compared(mine, theirs, common):
    """(verdict, shift) of two queues; common: whether their clocks are."""
    if common:
        return groups.compared(mine, theirs)
    verdict = around_line(mine, theirs, 0) if len(mine) == len(theirs) else Verdict()
    if verdict:
        return verdict, 0
    shift = aligned(mine, theirs)
    return (around_line(mine, theirs, shift), shift) if shift is not None else (verdict, 0)


def pairwise(lane, queues, same):
    """First pass: queues joined pair by pair, closest first; no test on sets. All of a communicator that the trace names are one."""
    home = {m: Group(lane, m, q) for m, q in queues}
    found, named = [], lane[0] == "comm" or lane[3] is not None
    for i, (m, mine) in enumerate(queues):
        for n, theirs in queues[i + 1:]:
            verdict, shift = compared(mine, theirs, same(m, n)) if m.key != n.key else (Verdict(), 0)
            if verdict or named and verdict.r1 is not None:
                found.append((verdict.r1, m.key, n.key, m, n, verdict, shift))
    for *_, m, n, verdict, shift in sorted(found, key=lambda f: f[:3]):
        one, two = home[m], home[n]
        if verdict.undecided and len(one.queues) + len(two.queues) > 2:
            continue                                        # what pairs leave undecided no set decides here
        if one is not two and not one.members() & two.members():
            one.take(two, one.at[m] - two.at[n] + shift, verdict)
            home = {key: one if g is two else g for key, g in home.items()}
    return list(dict.fromkeys(home.values()))


def anchors(collectives, same):
    """Per match of a kind whose members leave together, where it spans hosts: (R1 of its group, host -> median end). Groups that may be
    several communicators count only if there are no others."""
    out = {False: [], True: []}
    for lane, queues in groups.lanes(collectives).items():
        kinds = {c.kind for _, q in queues for c in q}
        for g in pairwise(lane, queues, same) if kinds <= set(reader.TOGETHER) else ():
            for row in g.rows():
                hosts = {}
                for c in row:
                    hosts.setdefault(c.member.process.host, []).append(c.end)
                if len(hosts) > 1:
                    out[g.undecided > 0].append((g.verdict.r1, {h: lower(ends) for h, ends in hosts.items()}))
    return sorted(out[False] or out[True], key=lambda a: min(a[1].values()))


def between(found, a, b):
    """Anchors of two hosts: of the groups whose ends agree best, and of those that agree about as well. Pairs alone also join
    communicators that only run in step."""
    both = [(r1, f) for r1, f in found if a in f and b in f]
    least = min((r1 for r1, _ in both), default=0)
    return [f for r1, f in both if r1 <= max(TICK, groups.CLOSER * least)]


def moved(clock, t):
    """A time of a clock (offset ns, drift ppb), which is whole ns."""
    offset, drift = clock
    return t + offset + round(t * drift / 1e9)


def line_to(parent, child):
    """(offset, drift) of a child's clock against its parent's from the ends of both."""
    drift = round(-slope_of([(c, c - p) for p, c in zip(parent, child)]) * 1e9) if len(parent) >= LEAST_ANCHORS else 0
    return lower([p - moved((0, drift), c) for p, c in zip(parent, child)]), drift


def composed(parent, line):
    """A child's clock against the reference."""
    return line[0] + parent[0] + round(parent[1] * line[0] / 1e9), line[1] + parent[1] + round(parent[1] * line[1] / 1e9)


def fit(job, found):
    """Leaves job.clocks, host -> (offset, drift) against the host with most anchors, along the edges with most anchors; of equal ones, and
    of equal edges, the host with most anchors leads, then the first by name."""
    hosts = sorted(dict.fromkeys(p.host for p in job.processes), key=lambda h: h[1] if h[0] == "host" else "")
    leads = {h: (sum(h in a for _, a in found), -i) for i, h in enumerate(hosts)}
    root = max(hosts, key=leads.get)
    clocks = {root: (0, 0)}
    while len(clocks) < len(hosts):
        n, _, _, a, b = max((len(between(found, a, b)), leads[a], leads[b], a, b) for a in clocks for b in hosts if b not in clocks)
        if n == 0:
            break
        both = between(found, a, b)
        clocks[b] = composed(clocks[a], line_to([f[a] for f in both], [f[b] for f in both]))
    job.clocks = keep_equal(clocks, found)


def keep_equal(clocks, found):
    """A host that the fit moves nowhere by more than its residual keeps its clock: so little cannot be told from error."""
    off, by = {}, {}
    for _, ends in found:
        at = {h: moved(clocks[h], t) for h, t in ends.items() if h in clocks}
        middle_end = lower(at.values())
        for h, t in at.items():
            off.setdefault(h, []).append(abs(t - middle_end))
            by[h] = max(by.get(h, 0), abs(t - ends[h]))
    return {h: (0, 0) if by.get(h, 0) <= percentile(off.get(h, [0]), 99) else clock for h, clock in clocks.items()}


def settle(job):
    """Leaves job.collectives, job.groups and job.matches on one clock."""
    job.correction, job.clocks = {}, {}
    job.collectives = groups.gather(job)
    if len({p.host for p in job.processes}) > 1:
        found = anchors(job.collectives, lambda m, n: m.process.host == n.process.host)
        if found:
            fit(job, found)
        for c in job.collectives:
            c.place(job)
    job.groups, job.matches = groups.find(job.collectives)
    return job
