# SPDX-License-Identifier: MIT
"""Groups of members that run one communicator's collectives, and the matches of their operations, without a tolerance.

Members of one collective leave together, whenever they arrived. Between two members of one communicator ends agree
better than durations; between two communicators that run the same program durations agree better than ends. A lane is
a kind of collective on a role of stream; a queue is what one member runs of it, in order of ends.
Readers (job, members, roles, payloads) are those of match.py; clocks that differ are fitted by group_clocks.py.
"""
import bisect

import match as reader
import payload

MOST, SHARE, MOST_SHIFT = 200, 0.95, 50
LOW, HIGH = (4, 5), (5, 4)              # ratios R1 / R2 between these are undecided
FAR, LEAST_PAIRS = 3, 3                 # SendRecv: how much farther the second nearest end is; pairs of a pair of ranks
CLOSER = 3                              # how much better ends agree within two groups than between them, to keep them apart
ROUNDING = 1                            # ns: times on a clock that was fitted are rounded
LEAVES_LATE = 5000                      # ns
UNMATCHED = (1, 5)                      # share of communication time above which nobody is named


def middle(values):
    """The median; of an even number the mean of the two middle ones, rounded down."""
    v = sorted(values)
    half = len(v) // 2
    return v[half] if len(v) % 2 else (v[half - 1] + v[half]) // 2


def spread(values):
    """Mean distance from the median."""
    m = middle(values)
    return sum(abs(v - m) for v in values) / len(values)


def agreement(differences):
    """R1, the spread of end differences; what rounding makes of ends that agree is none."""
    r1 = spread(differences)
    return 0 if r1 <= ROUNDING else r1


def overlap(a, b):
    return a.start < b.end and b.start < a.end


def sampled(low, high):
    """At most 200 evenly spaced indexes."""
    n = high - low
    return range(low, high) if n <= MOST else [low + j * n // MOST for j in range(MOST)]


class Verdict:
    """Whether two sets of queues belong together; undecided where they run in step."""
    def __init__(self, together=False, undecided=False, r1=None, r2=None):
        self.together, self.undecided, self.r1, self.r2 = together, undecided, r1, r2

    def __bool__(self):
        return self.together


def decide(r1, r2):
    """By spreads of ends and of durations: apart, undecided or together."""
    if r1 * LOW[1] <= r2 * LOW[0]:
        return Verdict(True, False, r1, r2)
    undecided = r1 * HIGH[1] < r2 * HIGH[0]
    return Verdict(undecided, undecided, r1, r2)


class Group:
    """Queues of several members of a lane; at[member] is the place of the queue's first operation on the group's axis."""
    def __init__(self, lane, member, queue):
        self.lane, self.queues, self.at = lane, {member: queue}, {member: 0}
        self.undecided, self.stopped, self.verdict = 0, None, None

    def members(self):
        return frozenset(m.key for m in self.queues)

    def bounds(self, shift=0):
        """The stretch of the axis that all members have."""
        return max(a + shift for a in self.at.values()), min(self.at[m] + shift + len(q) for m, q in self.queues.items())

    def row(self, i, shift=0):
        return [q[i - shift - self.at[m]] for m, q in self.queues.items()]

    def take(self, other, shift, verdict):
        for m, q in other.queues.items():
            self.queues[m], self.at[m] = q, other.at[m] + shift
        self.undecided += other.undecided + verdict.undecided
        self.verdict = verdict

    def rows(self):
        """One operation per member where all have one; stops at the first mismatch of kind or bytes."""
        low, high = self.bounds()
        order = sorted(self.queues, key=lambda m: m.key)
        for i in range(low, high if len(order) > 1 else low):
            row = [self.queues[m][i - self.at[m]] for m in order]
            if len({c.kind for c in row}) > 1 or len({c.bytes for c in row if c.bytes is not None}) > 1:
                self.stopped = i - low
                return
            yield row


def belong(a, b, shift=0):
    """The test on two groups as sets; b's axis is moved by shift. Clocks are common."""
    low, high = (pick(x, y) for pick, x, y in zip((max, min), a.bounds(), b.bounds(shift)))
    d, da, short, together, count = [], [], [], 0, 0
    for i in sampled(low, high) if high > low else ():
        mine, theirs = a.row(i), b.row(i, shift)
        count += 1
        together += all(overlap(x, y) for x in mine for y in theirs)
        ends = middle([c.end for c in theirs]) - middle([c.end for c in mine])
        d.append(ends)
        da.append(ends - max(c.start for c in theirs) + max(c.start for c in mine))
        short.append(min(c.dur for c in mine + theirs))
    if not count or together < SHARE * count:
        return Verdict()
    out = decide(agreement(d), spread(da))
    if 2 * abs(middle(d)) > middle(short):
        out.together = False
    return out


def shift_of(a, b):
    """The place of queue b's first operation on a's axis: the shift with most overlaps, None without half in common."""
    best = None
    for s in sorted(range(-MOST_SHIFT, MOST_SHIFT + 1), key=lambda s: (abs(s), s)):
        low, high = max(0, s), min(len(a), len(b) + s)
        if 2 * (high - low) >= min(len(a), len(b)) and high > low:
            found = sum(overlap(a[i], b[i - s]) for i in range(low, high))
            if found and (best is None or found > best[0]):
                best = found, s
    return best[1] if best else None


def compared(mine, theirs):
    """(verdict, shift) of two queues. They are shifted where lengths differ, or captures are cut so that equal indexes do not overlap."""
    a, b = Group(None, 0, mine), Group(None, 1, theirs)
    verdict = belong(a, b) if len(mine) == len(theirs) else Verdict()
    if verdict.r1 is not None:
        return verdict, 0
    shift = shift_of(mine, theirs)
    return (belong(a, b, shift), shift) if shift is not None else (verdict, 0)


def candidates(queues):
    """(R1, keys, members, shift) of all pairs of queues that belong together, closest first."""
    out = []
    for i, (m, mine) in enumerate(queues):
        for n, theirs in queues[i + 1:]:
            verdict, shift = compared(mine, theirs) if m.key != n.key else (Verdict(), 0)
            if verdict:
                out.append((verdict.r1, m.key, n.key, m, n, shift))
    return sorted(out, key=lambda c: c[:3])


def refuses(a, b, verdict, lanes_before):
    """Undecided sides of two or more members stay apart if both are groups of another queue, which does not have their union.

    open: they also stay apart if the ends within each agree more than three times better than those between them. Data
    groups of ranks that tensor groups keep in step have R1 0 inside, and 15 us at a ratio of 1.0 between them."""
    mine, theirs = a.members(), b.members()
    if len(mine) < 2 or len(theirs) < 2:
        return False
    return verdict.r1 > CLOSER * max(a.verdict.r1, b.verdict.r1) or \
        any(mine in lane and theirs in lane and mine | theirs not in lane for lane in lanes_before)


def group_lane(lane, queues, lanes_before):
    """The groups of a lane's queues: closest pairs first, joined while the sets still belong together."""
    home = {m: Group(lane, m, q) for m, q in queues}
    for *_, m, n, shift in candidates(queues):
        one, two = home[m], home[n]
        if one is two or one.members() & two.members():
            continue
        offset = one.at[m] - two.at[n] + shift
        verdict = belong(one, two, offset)
        if not verdict or verdict.undecided and refuses(one, two, verdict, lanes_before):
            continue
        one.take(two, offset, verdict)
        home = {key: one if g is two else g for key, g in home.items()}
    return list(dict.fromkeys(home.values()))


# --- SendRecv ---------------------------------------------------------------------------------------------------

def nearest(ops):
    """Operation -> the operation of another member with the nearest end that overlaps it, where no second is nearly as near."""
    by_end = sorted(ops, key=lambda c: c.end)
    ends, longest = [c.end for c in by_end], max(c.end - c.start for c in ops)
    out = {}
    for c in ops:
        around = by_end[bisect.bisect_right(ends, c.start):bisect.bisect_left(ends, c.end + longest)]
        found = sorted(((abs(o.end - c.end), o.member.key, o.start, o) for o in around if o.member is not c.member and overlap(o, c)), key=lambda f: f[:3])
        if found and (len(found) == 1 or found[1][0] >= FAR * found[0][0] and found[1][0] > found[0][0]):
            out[c] = found[0][3]
    return out


def pairs(lane, queues):
    """Groups of two members that exchange, and how many operations they cover."""
    near, between = nearest([c for _, q in queues for c in q]), {}
    for c, o in near.items():
        if near.get(o) is c and c.member.key < o.member.key:
            between.setdefault((c.member, c.role, o.member, o.role), []).append((c, o))
    out, covered = [], 0
    for (m, _, n, _), found in sorted(between.items(), key=lambda kv: (kv[0][0].key, kv[0][2].key, kv[0][1], kv[0][3])):
        if len(found) < LEAST_PAIRS:
            continue
        found.sort(key=lambda p: p[0].end)
        a, b = Group(lane, m, [c for c, _ in found]), Group(lane, n, [o for _, o in found])
        mine = [(c.end, c.dur, o.end, o.dur) for c, o in found]
        verdict = decide(agreement([x[2] - x[0] for x in mine]), spread([x[3] - x[1] for x in mine]))
        if verdict:
            a.take(b, 0, verdict)
            out.append(a)
            covered += 2 * len(found)
    return out, covered


def group_exchanges(lane, queues, lanes_before):
    """Pairs where they cover the lane or its queues have unequal lengths (a stage of a pipeline has two neighbours)."""
    found, covered = pairs(lane, queues)
    if len({len(q) for _, q in queues}) > 1 or covered >= SHARE * sum(len(q) for _, q in queues):
        return found
    return group_lane(lane, queues, lanes_before)


# --- queues that are left over --------------------------------------------------------------------------------

def kind_of(lane):
    """The kind of a lane on GPUs whose communicator is not known, else None."""
    return lane[1] if lane[0] == "lane" and lane[3] is None and lane[2][0] != "mpi" else None


def join_rest(groups):
    """Streams may have other roles where members have more of them: a queue left alone joins the group of its kind, of another role and
    with as many operations, that it belongs to most closely, if that is decided."""
    for g in [g for g in groups if len(g.queues) == 1 and kind_of(g.lane) not in (None, "SendRecv")]:
        if len(g.queues) > 1:                               # one that was left alone has joined it
            continue
        (member, queue), = g.queues.items()
        best = None
        for other in groups:
            longest = max(other.queues, key=lambda m: len(other.queues[m]))
            if kind_of(other.lane) != kind_of(g.lane) or other.lane == g.lane or member.key in other.members() or \
                    len(other.queues[longest]) != len(queue):
                continue
            verdict, shift = compared(other.queues[longest], queue)
            verdict = belong(other, g, other.at[longest]) if verdict and shift == 0 else verdict
            if verdict and shift == 0 and not verdict.undecided and (best is None or verdict.r1 < best[1].r1):
                best = other, verdict, other.at[longest]
        if best is not None:
            best[0].take(g, best[2], best[1])
            groups.remove(g)


def exchange_rest(groups, every):
    """SendRecv of neighbours of a pipeline on streams of different roles: queues that are in no group, as of one lane."""
    left = []
    for lane in (lane for lane in every if kind_of(lane) == "SendRecv"):
        inside = set().union(*(g.members() for g in groups if g.lane == lane and len(g.queues) > 1))
        left += [(m, q) for m, q in every[lane] if m.key not in inside]
    found, covered = pairs(("lane", "SendRecv", ("any", 0), None), left) if len(left) > 1 else ([], 0)
    if len({len(q) for _, q in left}) > 1 or covered >= SHARE * sum(len(q) for _, q in left):
        groups += found


# --- all lanes --------------------------------------------------------------------------------------------------

def gather(job):
    """The job's collectives on its clock, with what payloads say of them where a file has any."""
    out = []
    for p in job.processes:
        calls = reader.nccl_calls(p) if any(payload.attach(p.file).values()) else {}
        for ordinal in sorted({o.ordinal for o in p.ops}):
            member = reader.Member(p, ordinal)
            role = reader.roles(member)
            for o in p.ops:
                if o.cls == "comm" and o.ordinal == ordinal:
                    kind = reader.collective_type(p.file.trace.kernel_name(o)) if o.kind == "kernel" else "other"
                    out.append(reader.Collective(member, kind, o, role[o.context, o.stream]))
                    if calls and o.launch is not None:
                        out[-1].comm, out[-1].bytes = reader.told(o.launch, calls.get(o.launch.thread, ()))
        member = reader.Member(p, None)
        for m in p.mpi:
            if m.name.startswith("MPI_") and m.name[4:] in reader.MPI_TYPES:
                out.append(reader.Collective(member, m.name, m, ("mpi", 0)))
                out[-1].comm, out[-1].bytes = m.communicator, m.bytes
    reader.complete(out)
    for c in out:
        c.place(job)
    return out


def lanes(collectives):
    """Lane -> [(member, queue)] in order of members. A communicator of a payload is a lane of all its kinds."""
    out = {}
    for c in collectives:
        lane = ("comm", c.comm) if c.comm is not None and not c.kind.startswith("MPI_") else ("lane", c.kind, c.role, c.comm)
        out.setdefault(lane, {}).setdefault(c.member, []).append(c)
    for queues in out.values():
        for queue in queues.values():
            queue.sort(key=lambda c: (c.end, c.start))
    return {lane: sorted(queues.items(), key=lambda kv: kv[0].key) for lane, queues in out.items()}


def told(lane, queues):
    """A communicator that the trace names is one group."""
    queues = sorted(queues, key=lambda kv: (-len(kv[1]), kv[0].key))
    out = Group(lane, *queues[0])
    for m, q in queues[1:]:
        out.take(Group(lane, m, q), shift_of(queues[0][1], q) or 0, Verdict(True))
    return [out]


class Match:
    """One collective on all members of its group, in order of members."""
    def __init__(self, group, row):
        self.group, self.row, self.kind = group, row, row[0].kind
        for c in row:
            c.match = self


def find(collectives):
    """(groups, matches) on a common clock; lanes with the longest operations are grouped first."""
    every = lanes(collectives)
    groups, before = [], []
    for lane in sorted(every, key=lambda lane: (-middle([c.dur for _, q in every[lane] for c in q]), repr(lane))):
        queues = every[lane]
        if lane[0] == "comm" or lane[3] is not None:
            found = told(lane, queues)
        else:
            found = (group_exchanges if lane[1] == "SendRecv" else group_lane)(lane, queues, before)
        before.append({g.members() for g in found})
        groups += found
    join_rest(groups)
    exchange_rest(groups, every)
    for c in collectives:
        c.match = None
    matches = [Match(g, row) for g in groups for row in g.rows()]
    return groups, sorted(matches, key=lambda m: max(c.start for c in m.row))


# --- what matches say -------------------------------------------------------------------------------------------

class Waits:
    """Sums of one member over its matches, ns."""
    def __init__(self):
        self.matches = self.wait = self.late = self.caused = self.alone = self.last = 0


def waits(matches):
    """Member key -> Waits. The last arriver has caused what all are late by; of equal ones it is the smaller rank."""
    out = {}
    for m in matches:
        transfer, order = min(c.dur for c in m.row), sorted(m.row, key=lambda c: (-c.start, c.member.key))
        for c in m.row:
            w = out.setdefault(c.member.key, Waits())
            w.matches, w.wait, w.late = w.matches + 1, w.wait + c.dur - transfer, w.late + order[0].start - c.start
        w = out[order[0].member.key]
        w.last += 1
        w.alone += order[0].start - order[1].start
        w.caused += sum(order[0].start - c.start for c in m.row)
    return out


def violations(matches):
    """Ends before the last arrival of their match."""
    return sum(c.end < max(o.start for o in m.row) for m in matches for c in m.row)


def leaves(matches):
    """Member key -> (ns by which it leaves after the median member, whether that is a fact)."""
    after = {}
    for m in matches:
        end = middle([c.end for c in m.row])
        for c in m.row:
            after.setdefault(c.member.key, []).append(c.end - end)
    return {key: (middle(v), middle(v) > LEAVES_LATE and middle(v) > 3 * spread(v)) for key, v in after.items()}


def unmatched(collectives):
    """(operations without a match, whether their time is more than a fifth of all communication time)."""
    left = [c for c in collectives if c.match is None]
    return len(left), sum(c.dur for c in left) * UNMATCHED[1] > sum(c.dur for c in collectives) * UNMATCHED[0]
