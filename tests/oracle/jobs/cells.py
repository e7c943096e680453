# SPDX-License-Identifier: MIT
"""Who is slow, and in which steps: cells (rank, step), suspects, the smallest set of stragglers that a replay confirms, and the evidence.

Follows the definition of slow ranks; shares nothing with src/. The job is opened by opening.py.
"""

import math

from opening import Scenario, follow_launches, middle, name_of   # first: it knows where the other modules are
import intervals
import match as matching
import ranks

LATE, ENOUGH, ALWAYS, FIFTH, MOST_HELD, LEAVES = 0.01, 0.9, 0.75, 0.2, 0.02, 5000
SURE, RARELY, FEW_STEPS, FAR = 0.05, 1 / 2000, 4, 12
PART = 4                                # of the latest: who is late in all by less than that part is no suspect


def is_kernel(a):
    return a.kind == "op" and a.row.kind == "kernel" and a.row.cls != "comm"


def is_own(a):
    """What a cell answers for: its kernels, copies, calls, with the gaps before these; no collective."""
    return a.match is None and (a.kind != "op" or a.releaser is None and a.row.cls != "comm")


def has_length(a):
    """The length of a call that waits for the GPU is a result."""
    return a.releaser is None


class Cells:
    """The cells of a job. of[rank, step]: position -> activity; a call is of the step that it starts in.
    in_all: the lateness of a cell is the sum over its matches, not the largest."""
    def __init__(self, opened, in_all=False):
        self.in_all = in_all
        self.opened, self.of, self.lateness, self.meets, self.taken = opened, {}, {}, {}, {}
        self.ranks = sorted(q.process.rank for q in opened.series)
        self.count, self.step = opened.count, opened.median_step()
        self.step_of = {}
        for q in opened.series:
            self.place(q)
        for m in opened.job.matches:
            self.measure(m)
        self.suspect = {cell for cell, late in self.lateness.items() if late >= LATE * self.step and late > opened.eps}
        late = {r: sum(self.lateness[c] for c in self.suspect if c[0] == r) for r in self.ranks}
        turns = set() if in_all else self.in_turn()
        self.late = {r: ns for r, ns in late.items() if ns > 0 and (ns >= LATE * self.run_of(r) or r in turns)}
        if in_all:                                          # whose kernels take longer; others are left to compare with
            self.late = {r: ns for r, ns in self.late.items() if self.more_work(r) >= LATE * self.run_of(r)}
            self.late = {r: ns for r, ns in self.late.items() if ns >= max(n for q, n in self.late.items() if q in self.part_of(r)) // PART}
        self.suspects = sorted(self.late, key=lambda r: (-self.late[r], r))
        self.changed = {cell for r in self.suspects for cell in self.scope(r)}

    def in_turn(self):
        """The ranks that are the latest in some step, by three times the usual, if what these are late in it sums up to 1% of the run."""
        latest = {step: (0, 0) for step in range(self.count)}
        for (rank, step), late in self.lateness.items():
            if step >= 0 and (-late, rank) < latest[step]:
                latest[step] = -late, rank
        usual = sorted(-late for late, _ in latest.values())[self.count // 2]
        found = [(-late, rank) for step, (late, rank) in latest.items() if (rank, step) in self.suspect and -late // 3 >= usual]
        return {rank for _, rank in found} if sum(late for late, _ in found) >= LATE * self.opened.run else set()

    def place(self, q):
        """Positions: (lane, name, how many of that name came before it in the step); a lane is a stream's or a thread's role."""
        graph, rank, lanes = self.opened.graph, q.process.rank, {}
        for device, ordinal in enumerate(sorted({o.ordinal for o in q.process.ops})):
            role = matching.roles(matching.Member(q.process, ordinal))
            for o in (o for o in q.process.ops if o.ordinal == ordinal):
                lanes.setdefault((device, role[o.context, o.stream]), []).append(graph.of_row[id(o)])
        for i, lane in enumerate(q.process.threads.values()):
            lanes["thread", i] = lane
        for lane, found in lanes.items():
            seen = {}
            for a in sorted(found, key=lambda a: (a.start, a.end, getattr(a.row, "order", a.index))):
                step = self.step_of[a.index] = q.step_of(graph, a)
                place = step, name_of(a)
                seen[place] = seen.get(place, -1) + 1
                self.of.setdefault((rank, step), {})[lane, name_of(a), seen[place]] = a

    def measure(self, m):
        """The largest, over the matches of a step, of a member's arrival less that of the median member (the earlier of two)."""
        arrivals = sorted(c.start for c in m.row)
        usual = arrivals[(len(arrivals) - 1) // 2]
        for c in m.row:
            a = self.opened.graph.of_row.get(id(c.row))
            if a is None or a.index not in self.step_of:
                continue
            cell = c.member.rank, self.step_of[a.index]
            late = max(0, c.start - usual)
            self.lateness[cell] = self.lateness.get(cell, 0) + late if self.in_all else max(self.lateness.get(cell, 0), late)
            self.meets.setdefault(c.member.rank, set()).update(d.member.rank for d in m.row)

    def run_of(self, rank):
        """From the first start to the last end of the operations of the ranks that a rank meets, itself among them."""
        ops = [a for a in self.opened.ops if a.process.rank in self.meets.get(rank, ())]
        return max(a.end for a in ops) - min(a.start for a in ops) if ops else self.opened.run

    def more_work(self, rank):
        """By how much longer its kernels compute in all than those of the median rank that it meets, of an even number the lower one."""
        work = {r: sum(a.length for a in self.opened.ops if a.process.rank == r and is_kernel(a)) for r in self.meets.get(rank, ())}
        return work[rank] - sorted(work.values())[(len(work) - 1) // 2]

    def part_of(self, rank):
        """The ranks that it meets, directly or by others."""
        found, left = {rank}, [rank]
        while left:
            new = self.meets.get(left.pop(), set()) - found
            found |= new
            left += new
        return found

    def scope(self, rank):
        """The suspect cells of a rank, and the cell before each: lateness shows at the next collective."""
        return {(r, i - d) for r, i in self.suspect if r == rank for d in (0, 1) if i - d >= 0}

    def references(self, cell, changed=None):
        """The cells of the members that a rank meets, in its step, that do not change."""
        changed = self.changed if changed is None else changed
        return [self.of.get((r, cell[1]), {}) for r in self.ranks
                if r != cell[0] and r in self.meets.get(cell[0], ()) and (r, cell[1]) not in changed]

    def pairs(self, cell, changed=None):
        """(activity, those at its position in the references) of what a cell answers for; nothing where all members change."""
        found = self.references(cell, changed)
        for place, a in self.of.get(cell, {}).items() if found else ():
            if is_own(a):
                yield a, [f[place] for f in found if place in f]

    def dropped(self, cell, changed=None):
        """Calls that wait for the GPU where no reference has one."""
        found = self.references(cell, changed)
        return [a for place, a in self.of.get(cell, {}).items()
                if found and a.kind != "op" and a.match is None and a.releaser is not None and not any(place in f for f in found)]

    def scenario(self, chosen, alone=False):
        """The changed cells of these ranks become the median of the references; what no reference has takes no time.
        alone: suspects that are not among these ranks are references, too."""
        out, changed = Scenario(), {cell for r in chosen for cell in self.scope(r)}
        for cell in sorted(changed):
            for a, same in self.pairs(cell, changed if alone else None):
                if a.room is None and has_length(a):
                    out.length[a.index] = middle([b.length for b in same]) if same else 0
                gaps = [b.lag for b in same if b.lag is not None]
                if a.kind != "op" and a.lag is not None and (gaps or not same):
                    out.gap[a.index] = middle(gaps) if gaps else 0
            for a in self.dropped(cell, changed if alone else None):
                out.length[a.index] = out.back[a.index] = 0
                out.unblocked.add(a.index)
                if a.lag is not None:
                    out.gap[a.index] = 0
        follow_launches(self.opened.graph, out)
        return out

    @staticmethod
    def over(a, same):
        """How much longer than the references an activity is, with the gap before a call."""
        out, gaps = (a.length - (middle([b.length for b in same]) if same else 0)) * has_length(a), [b.lag for b in same if b.lag is not None]
        if a.kind != "op" and a.lag is not None and (gaps or not same):
            out += a.lag - (middle(gaps) if gaps else 0)
        return out

    def excess(self, cell):
        return sum(self.over(a, same) for a, same in self.pairs(cell))

    def kernel_excess(self, cell):
        return sum(self.over(a, same) for a, same in self.pairs(cell) if is_kernel(a))

    def slow_steps(self, rank):
        """The steps whose excess is 1% of the step and a quarter of the largest of their kind; the last one counts where the scenario
        changes its cell."""
        changed, kinds = set(self.scope(rank)), self.opened.kinds_of(rank)
        by = {i: self.excess((rank, i)) for i in range(self.count) if i + 1 < self.count or self.count == 1 or (rank, i) in changed}
        most = {kind: max(e for i, e in by.items() if kinds[i] == kind) for kind in {kinds[i] for i in by}}

        def is_slow(step, excess):
            return excess >= LATE * self.step and 4 * excess >= most.get(kinds[step], 0)
        return self.joined(rank, [i for i, e in by.items() if is_slow(i, e)], is_slow)

    def joined(self, rank, found, is_slow):
        """Without steps that only the gap before their first call makes slow, where the step before is slow without its own: both are one stop."""
        taken = []
        for i in found:
            alone = {k: self.excess((rank, k)) - self.gap_before((rank, k)) for k in (i - 1, i)}
            if i - 1 in found and i - 1 not in taken and is_slow(i - 1, alone[i - 1]) and not is_slow(i, alone[i]):
                taken.append(i)
        self.taken[rank] = taken
        return [i for i in found if i not in taken]

    def gap_before(self, cell):
        """By how much the gap before the first call of a cell is longer than in the references."""
        calls = [a for a in self.of.get(cell, {}).values() if a.kind != "op"]
        first = min(calls, key=lambda a: (a.start, a.index), default=None)
        for a, same in self.pairs(cell):
            gaps = [b.lag for b in same if b.lag is not None]
            if a is first and a.lag is not None and (gaps or not same):
                return a.lag - (middle(gaps) if gaps else 0)
        return 0


def prefixes(n):
    """How many suspects are replayed together: 1, 2, 3 ..., above 8: 1, 2, 4, 8, ... and all."""
    return list(range(1, n + 1)) if n <= 8 else sorted({2 ** i for i in range(n.bit_length())} | {n})


def in_words(steps, count):
    """always, or the steps by name: ranges, every k-th, or how many."""
    if len(steps) >= ALWAYS * count:
        return "always"
    runs, at = [], 0
    while at < len(steps):
        end = at
        while end + 1 < len(steps) and steps[end + 1] == steps[end] + 1:
            end += 1
        runs.append((steps[at], steps[end]))
        at = end + 1
    apart = {b - a for a, b in zip(steps, steps[1:])}
    if len(runs) == 1:
        return "%d-%d" % runs[0] if runs[0][0] != runs[0][1] else "%d" % runs[0][0]
    if len(apart) == 1 and len(steps) >= 3:
        return "every %d: %s" % (apart.pop(), " ".join(map(str, steps)))
    return "%d of %d" % (len(steps), count)


def kernel_names(cells, of):
    """name -> (own lengths, lengths of the references) over cells."""
    out = {}
    for cell in of:
        found = cells.references(cell)
        for place, a in cells.of.get(cell, {}).items() if found else ():
            if is_kernel(a):
                mine, theirs = out.setdefault(name_of(a), ([], []))
                mine.append(a.length)
                theirs += [f[place].length for f in found if place in f]
    return {name: pair for name, pair in out.items() if pair[1]}


def interval(lengths):
    """The 95% interval of their median: the values at n / 2 - 0.98 sqrt(n) from either end."""
    inside = sorted(lengths)
    at = max(0, math.floor(len(inside) / 2 - 0.98 * math.sqrt(len(inside))))
    return inside[at], inside[-1 - at]


def reaches(pair, low, high):
    """Whether the interval of the ratio of medians has anything from low to high in it."""
    (mine_low, mine_high), (their_low, their_high) = map(interval, pair)
    return mine_low <= high * their_high and mine_high >= low * their_low


def factors(cells, of):
    """(f, all kernels alike, [(name, factor, own median, theirs)] heaviest excess first) over slow cells."""
    names = kernel_names(cells, of)
    ratio = {n: middle(mine) / middle(theirs) for n, (mine, theirs) in names.items() if middle(theirs)}
    weight = {n: sum(names[n][0]) for n in ratio}
    half, f = sum(weight.values()) / 2, None
    for n in sorted(ratio, key=lambda n: ratio[n]):
        f, half = ratio[n], half - weight[n]
        if half <= 0:
            break
    if f is None:
        return None, False, []
    near = sum(w for n, w in weight.items() if reaches(names[n], f - FIFTH * (f - 1), f + FIFTH * (f - 1)))
    usual = {n: len(mine) * sum(theirs) / len(theirs) for n, (mine, theirs) in names.items()}
    excess = {n: sum(mine) - usual[n] for n, (mine, _) in names.items()}
    by_factor = sum(usual[n] * (f - 1) for n in ratio)
    alike = near >= 0.8 * sum(weight.values()) and by_factor >= 0.8 * sum(excess[n] for n in ratio)
    rows = [(n, ratio[n], middle(names[n][0]), middle(names[n][1])) for n in sorted(ratio, key=lambda n: -excess[n])]
    return f, f > 1 and alike, rows


def shares(cells, rank, steps):
    """The excess of slow cells by sort: kernels, copies, host; and of kernels that the references lack."""
    out = {"kernels": 0, "copies": 0, "host": 0, "more": 0}
    for cell in ((rank, i) for i in steps):
        for a, same in cells.pairs(cell):
            over = cells.over(a, same)
            sort = "host" if a.kind != "op" else "copies" if a.row.kind == "memcpy" else "kernels"
            out[sort] += over
            out["more"] += over if sort == "kernels" and not same else 0
    out["host"] += sum(cells.gap_before((rank, i)) for i in cells.taken.get(rank, ()))
    return out


def windows(cells, rank, steps):
    """The stretches of these steps of a rank: first start to the next step's first start, the last one to its end."""
    q = next(q for q in cells.opened.series if q.process.rank == rank)
    last = max(a.end for a in cells.opened.ops if a.process is q.process)
    firsts = [a.start for a in q.first]
    return [(firsts[i], firsts[i + 1] if i + 1 < len(firsts) else last) for i in steps]


def shared(cells, rank, steps):
    """(process, share of the slow steps, share of the others or None) of another process on the straggler's GPU, if that is the reason."""
    opened = cells.opened
    process = opened.by_rank[rank]
    devices = {o.device for o in process.ops}
    others = [i for i in range(cells.count) if i not in steps]
    for foreign in opened.job.processes:
        if foreign in opened.members or foreign.file is not process.file:
            continue
        busy = intervals.union((opened.job.place(foreign, o.start), opened.job.place(foreign, o.end)) for o in foreign.ops if o.device in devices)

        def share(of):
            whole = windows(cells, rank, of)
            return sum(intervals.length(intervals.clipped(busy, w)) for w in whole) / sum(b - a for a, b in whole) if whole else None
        slow, rest = share(steps), share(others)
        if slow is not None and slow >= FIFTH and (rest is None or slow >= 2 * rest):
            return foreign.pid, slow, rest
    return None


def subject(opened, stragglers):
    """(host, mesh coordinate or rank, values) if the stragglers are all ranks of some hosts, or of one value of a coordinate."""
    job, chosen = opened.job, set(stragglers)
    by = {}
    for p in opened.members:
        by.setdefault(p.host, set()).add(p.rank)
    hosts = [h for h, of in by.items() if of <= chosen]
    if len(by) > len(hosts) > 0 and all(h[0] == "host" for h in hosts) and set().union(*(by[h] for h in hosts)) == chosen:
        return "host", sorted(h[1] for h in hosts)
    places = {}
    for p in job.processes:
        for axis, at in ranks.mesh(p).items():
            places.setdefault(axis, {}).setdefault(at, set()).add(p.rank)
    for axis, values in places.items():
        found = [at for at, of in values.items() if of == chosen]
        if found and len(values) > 1:
            return axis, found
    return "rank", sorted(chosen)


def above(t, freedom):
    """How often chance gives a t of Student of at least that: Simpson's rule over the angle whose tangent is t / sqrt(freedom)."""
    half, cells = math.pi / 2, 2000
    low = math.atan(t / math.sqrt(freedom))
    at = [math.cos(low + (half - low) * i / cells) ** (freedom - 1) for i in range(cells + 1)]
    area = (half - low) / cells / 3 * (at[0] + at[-1] + 4 * sum(at[1:-1:2]) + 2 * sum(at[2:-1:2]))
    return area * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)


def is_steady(excess):
    """Whether chance gives such a mean over steps less than once in 2,000 times; of few steps it counts."""
    n = len(excess)
    if n < FEW_STEPS:
        return True
    mean = sum(excess) / n
    spread = math.sqrt(sum((x - mean) ** 2 for x in excess) / (n - 1))
    return mean > 0 and (spread == 0 or above(mean / (spread / math.sqrt(n)), n - 1) < RARELY)


def stands_out(slow, excess):
    """Whether three slow steps or more, and at most a third of all, are each far above the others."""
    rest = [x for i, x in enumerate(excess) if i not in slow]
    if len(slow) < 3 or 3 * len(slow) > len(excess):
        return False
    usual = middle(rest)
    return all(excess[i] - usual > FAR * middle([abs(x - usual) for x in rest]) for i in slow)


def has_most(cells, chosen):
    """Whether these ranks have more of the suspect cells than chance gives any set of so many."""
    n, mine = len(cells.suspect), sum(r in chosen for r, _ in cells.suspect)
    share = len(chosen) / len(cells.ranks)
    tail = sum(math.comb(n, k) * share ** k * (1 - share) ** (n - k) for k in range(mine, n + 1))
    return tail * math.comb(len(cells.ranks), len(chosen)) < RARELY


class Verdict:
    """may_be_chance: a saving by kernels that does not count. suspects, stragglers (none: empty) with saving and savings of prefixes; by rank: slow steps, their words, factor and whether all
    kernels are alike; kernels of all of them, reason, rotating, subject, shared GPU. cannot: suspects whose cost cannot be replayed."""
    def __init__(self, opened):
        self.judge(opened, Cells(opened))
        if not self.stragglers and not self.may_be_chance:
            first = dict(vars(self))
            self.judge(opened, Cells(opened, in_all=True))
            if not self.stragglers:                         # who is not named so is no suspect
                vars(self).update(first)

    def judge(self, opened, cells):
        self.cells = cells
        self.suspects, self.stragglers, self.saving = cells.suspects, [], 0
        self.steps, self.words, self.factor, self.alike, self.shared = {}, {}, {}, {}, {}
        self.kernels, self.reason, self.rotating, self.subject, self.at_least = [], None, False, None, False
        self.is_of_kernels = self.may_be_chance = False
        self.savings = {n: opened.saving(cells.scenario(self.suspects[:n])) for n in prefixes(len(self.suspects))}
        best = max(self.savings.values(), default=0)
        unexplained = bool(self.suspects) and max(opened.holds().values()) > MOST_HELD
        self.cannot = best < LATE * opened.run and unexplained
        if best >= LATE * opened.run:
            n = min(n for n, s in self.savings.items() if s >= ENOUGH * best)
            self.stragglers, self.saving = sorted(self.suspects[:n]), self.savings[n]
            self.at_least = unexplained and 2 * self.saving < sum(cells.late[r] for r in self.stragglers)
            self.explain(opened, cells)
            self.may_be_chance = self.is_of_kernels and self.saving < SURE * opened.run and not self.is_no_chance(cells)
        if self.may_be_chance:
            self.stragglers = []

    def is_no_chance(self, cells):
        by = {r: [cells.kernel_excess((r, i)) for i in range(cells.count)] for r in self.stragglers}
        return (is_steady([sum(at) for at in zip(*by.values())]) or any(stands_out(self.steps[r], by[r]) for r in by) or
                has_most(cells, set(by)))

    def explain(self, opened, cells):
        self.steps = {r: cells.slow_steps(r) for r in self.stragglers}
        self.words = {r: in_words(steps, cells.count) for r, steps in self.steps.items()}
        slow = {r: [(r, i) for i in steps] for r, steps in self.steps.items()}
        for r, of in slow.items():
            self.factor[r], self.alike[r], _ = factors(cells, of)
        self.kernels = factors(cells, [cell for of in slow.values() for cell in of])[2]
        parts = [shares(cells, r, self.steps[r]) for r in self.stragglers]
        self.shares = {k: sum(p[k] for p in parts) for k in parts[0]}
        self.shared = {r: found for r in self.stragglers if (found := shared(cells, r, self.steps[r]))}
        self.reason = max(("kernels", "copies", "host"), key=lambda k: self.shares[k])
        self.is_of_kernels = self.reason == "kernels"
        if self.is_of_kernels:
            more = 2 * self.shares["more"] > self.shares["kernels"]
            self.reason = "shared GPU" if self.shared else "more work" if more else "slow GPU" if all(self.alike.values()) else "slow kernel"
        self.rotating = self.is_rotating(cells)
        self.subject = ("rotating", self.stragglers) if self.rotating else subject(opened, self.stragglers)

    def is_rotating(self, cells):
        """At least 3, none with more than half of the lateness, at most a tenth of the slow steps with two of them."""
        late = [cells.late[r] for r in self.stragglers]
        seen = [i for steps in self.steps.values() for i in steps]
        twice = {i for i in seen if seen.count(i) > 1}
        return len(late) >= 3 and 2 * max(late) <= sum(late) and 10 * len(twice) <= len(set(seen))


def leaves(job):
    """Rank -> (median of own end less the median end of the match, mean deviation from it) over matches."""
    by = {}
    for m in job.matches:
        usual = middle([c.end for c in m.row])
        for c in m.row:
            by.setdefault(c.member.rank, []).append(c.end - usual)
    return {r: (middle(v), sum(abs(x - middle(v)) for x in v) / len(v)) for r, v in by.items()}


def transfers(opened):
    """(wait, exposed communication, whether transfers are the reason, the rank that leaves late or None): nobody is late, transfers are long."""
    exposed = wait = 0
    for p in opened.members:
        mine = [a for a in opened.ops if a.process is p]
        comm = intervals.union((a.start, a.end) for a in mine if a.row.cls == "comm")
        exposed += intervals.length(intervals.subtract(comm, intervals.union((a.start, a.end) for a in mine if a.row.cls == "compute")))
    for m in opened.job.matches:
        wait += sum(c.dur for c in m.row) - len(m.row) * min(c.dur for c in m.row)
    sizes = {ranks.number(f.env.get(name)) for f in opened.job.files for name in ranks.SIZES} - {None}
    whole = not sizes or max(sizes) <= len(opened.members)
    late = [r for r, (by, spread) in leaves(opened.job).items() if by > LEAVES and by > 3 * spread]
    return wait, exposed, whole and not ranks.missing(opened.job) and 10 * wait < exposed, late[0] if len(late) == 1 else None
