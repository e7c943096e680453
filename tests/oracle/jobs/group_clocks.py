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

LEAST_ANCHORS, MOST_POINTS, FEW_POINTS = 20, 200, 24
LEAST, LEAST_EQUAL = 8, 4               # fewer ends fit a line by chance; of queues of equal length
TICK = 1000                             # ns: some clocks count microseconds
MOST_DRIFT = 0.001
ROUNDS, SCATTER = 3, 5000               # of least squares; ns: ends that are off by less are worth the same


def slope_of(points, most=MOST_POINTS):
    """Theil-Sen slope of d over t for points (t, d), at most 120 of them."""
    n = len(points)
    some = points if n <= most else [points[j * n // most] for j in range(most)]
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for i, a in enumerate(some) for b in some[i + 1:] if b[0] != a[0]]
    slope = lower(slopes) if slopes else 0.0
    return slope if abs(slope) <= MOST_DRIFT else 0.0


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
    if common or min(len(mine), len(theirs)) < (LEAST_EQUAL if len(mine) == len(theirs) else LEAST):
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


class Meetings:
    """What hosts are compared by: (R1, host -> median end) of collectives. In each the host with most anchors is compared with the others."""
    def __init__(self, hosts, found):
        counts = {h: sum(h in ends for _, ends in found) for h in hosts}
        self.hosts, self.found, self.edges = hosts, found, {}
        self.leads = {h: (-counts[h], i) for i, h in enumerate(hosts)}
        for r1, ends in found:
            hub = min(ends, key=self.leads.get)
            for h in ends:
                if h != hub:
                    self.edges.setdefault((hub, h), []).append((r1, ends))

    def that_count(self):
        """Of two hosts: those of groups whose ends agree best, and about as well. Pairs alone also join communicators that only run in step."""
        most = {edge: max(TICK, groups.CLOSER * min(r1 for r1, _ in met)) for edge, met in self.edges.items()}
        out = []
        for r1, ends in self.found:
            hub = min(ends, key=self.leads.get)
            kept = {h: t for h, t in ends.items() if h != hub and r1 <= most[hub, h]}
            if kept:
                out.append((r1, {hub: ends[hub], **kept}))
        return Meetings(self.hosts, out)

    def tree(self):
        """((hub, host), ...) of the edges with most anchors, and whether others close a circle."""
        root, out = {h: h for h in self.hosts}, []
        for hub, h in sorted(self.edges, key=lambda e: (-len(self.edges[e]), self.hosts.index(e[0]), self.hosts.index(e[1]))):
            if root[hub] != root[h]:
                out.append((hub, h))
                root = {k: root[hub] if r == root[h] else r for k, r in root.items()}
        return out, len(out) < len(self.edges)

    def ends(self, a, b):
        return [[ends[h] for _, ends in self.edges.get((a, b)) or self.edges[b, a]] for h in (a, b)]


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
    """Leaves job.clocks, host -> (offset, drift) against the host with most anchors."""
    hosts = sorted(dict.fromkeys(p.host for p in job.processes), key=lambda h: h[1] if h[0] == "host" else "")
    met = Meetings(hosts, found).that_count()
    edges, circle = met.tree()
    clocks = {min(hosts, key=met.leads.get): (0, 0)}
    while any((a in clocks) != (b in clocks) for a, b in edges):
        for a, b in (e if e[0] in clocks else e[::-1] for e in edges if (e[0] in clocks) != (e[1] in clocks)):
            clocks[b] = composed(clocks[a], line_to(*met.ends(a, b)))
    if circle:
        other = least_squares(met, clocks)
        if percentile(sum(distances(met, other).values(), []), 99) < percentile(sum(distances(met, clocks).values(), []), 99):
            clocks = other
    job.clocks = keep_equal(met, clocks)


def distances(met, clocks):
    """Host -> how far its ends are from the median end of the hosts in their collective."""
    off = {}
    for _, ends in met.found:
        at = {h: moved(clocks.get(h, (0, 0)), t) for h, t in ends.items()}
        middle_end = lower(at.values())
        for h, t in at.items():
            off.setdefault(h, []).append(abs(t - middle_end))
    return off


def keep_equal(met, clocks):
    """A host that the fit moves nowhere by more than its residual keeps its clock: so little cannot be told from error."""
    by = {h: max((abs(moved(c, ends[h]) - ends[h]) for _, ends in met.found if h in ends), default=0) for h, c in clocks.items()}
    return {h: (0, 0) if by[h] <= percentile(distances(met, clocks).get(h, [0]), 99) else clock for h, clock in clocks.items()}


def least_squares(met, clocks):
    """Three rounds over all anchors: each host but the first moves to where the others of its collectives are."""
    clocks, first = dict(clocks), min(met.hosts, key=met.leads.get)
    for _ in range(ROUNDS):
        weights = weighed(met, clocks)
        for host in (h for h in met.hosts if h in clocks and h != first):
            points = []
            for (_, ends), weight in zip(met.found, weights):
                if host in ends:
                    ahead = [(weight[h], moved(clocks.get(h, (0, 0)), t) - moved(clocks[host], ends[host])) for h, t in ends.items() if h != host]
                    points.append((weight[host], ends[host], sum(w * y for w, y in ahead) / sum(w for w, _ in ahead)))
            if points:
                clocks[host] = shifted(clocks[host], points)
    return clocks


def weighed(met, clocks):
    """By collective, host -> 1, and less the farther its end is from the mean of all, from three times the usual distance on."""
    off = []
    for _, ends in met.found:
        at = {h: moved(clocks.get(h, (0, 0)), t) for h, t in ends.items()}
        base = min(at.values())
        mean = base + sum(t - base for t in at.values()) / len(at)
        off.append({h: abs(t - mean) for h, t in at.items()})
    most = max(SCATTER, 3 * 1.4826 * lower([int(d) for row in off for d in row.values()]))
    return [{h: most / d if d > most else 1 for h, d in row.items()} for row in off]


def shifted(clock, points):
    """The clock moved by the line of least squares through (weight, end, how far the others are ahead); without drift it stays without."""
    base, total = points[len(points) // 2][1], sum(w for w, _, _ in points)
    mean_x, mean_y = sum(w * (x - base) for w, x, _ in points) / total, sum(w * y for w, _, y in points) / total
    square = sum(w * (x - base - mean_x) ** 2 for w, x, _ in points)
    slope = sum(w * (x - base - mean_x) * (y - mean_y) for w, x, y in points) / square if clock[1] and square else 0
    drift = round(slope * 1e9)
    return clock[0] + round(mean_y - drift / 1e9 * (base + mean_x)), clock[1] + drift


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
