# SPDX-License-Identifier: MIT
"""The activity graph of a job: GPU operations and outermost host calls, each with what releases it.

A node is 2 * activity (its start) or 2 * activity + 1 (its end). A candidate is (node, added time, letter).
"""
import bisect

import lines
from events import Events

DEFAULT_LATENCY, LEAST_LATENCIES, LONG_GAP, BEGINNING = 5000, 20, 500_000, -(1 << 62)
HELD, LEAST_T, MOST_T0, BACK, FEWEST = 20_000, 2000, 20_000, 25_000, 10
SHALLOWEST, JUST, FEW_USUAL = 16, 50_000, 20               # launches; since the start that made room; calls that tell a usual length


def latest_ends(rows):
    """(start, latest end so far) of intervals in order of start."""
    out = []
    for start, end in sorted(rows):
        out.append((start, max(end, out[-1][1]) if out else end))
    return out


def overlaps(rows, low, high):
    """Whether an interval of latest_ends() begins before high and ends after low."""
    i = bisect.bisect_left(rows, (high,)) - 1
    return i >= 0 and rows[i][1] > low


def stream_of(a):
    return a.row.context, a.row.stream


class Ends:
    """The operations of one device of a process in order of end."""
    def __init__(self, ops):
        self.ops = sorted(ops, key=lambda a: (a.end, a.start, a.row.order))
        self.keys = [a.end for a in self.ops]

    def before(self, t, wanted):
        """Those that end at or before t and are wanted, the latest first."""
        i = bisect.bisect_right(self.keys, t) - 1
        while i >= 0:
            if wanted(self.ops[i]):
                yield self.ops[i]
            i -= 1

    def latest(self, t, wanted):
        return next(self.before(t, wanted), None)


def ready_of(graph, a):
    """When its stream and its launch allow an operation to start; None where neither is known."""
    return max((graph.time(n) + added for n, added, letter in a.candidates if letter in "PL"), default=None)


def allowed(held):
    """The largest lag that a pair of streams allows, or None; held: [(lag, lag at a chance moment or None)]."""
    best, at = None, sorted({lag for lag, _ in held if lag <= MOST_T0})

    def shares(t):
        return sum(lag <= t for lag, _ in held) / len(held), sum(n is not None and n <= t for _, n in held) / len(held)
    gains = [shares(t) for t in at]
    best = max((f - n for f, n in gains), default=None)
    if best is None:
        return LEAST_T
    t0, (f, n) = next((t, g) for t, g in zip(at, gains) if g[0] - g[1] >= best - 0.01)
    if sum(lag <= t0 for lag, _ in held) < FEWEST:
        return LEAST_T
    return max(LEAST_T, t0 * 5 // 4) if f - n >= 0.1 and 3 * n <= f else None


def moment(k, low, high):
    """A moment within an interval that is chance."""
    return low + int((high - low) * (1000 + 8 * ((618 * k + 309) % 1000))) // 10000


class Queue:
    """The launches of one context in their order: (start, operation); calls: (number of the launch, call) of those that do not wait."""
    def __init__(self, launches, calls):
        self.launches, self.calls = launches, calls
        self.starts = sorted((a.start, n) for n, a in enumerate(launches))
        self.range = self.learn()

    def depth(self, number, at, since=None):
        """How many launches before this one the one is that started last by then; None: none did just before, or since."""
        i = bisect.bisect_left(self.starts, (at + 1,)) - 1
        if i < 0:
            return None
        start, n = self.starts[i]
        return number - n if at - start <= JUST and number - n >= SHALLOWEST and (since is None or start >= since) else None

    def learn(self):
        """(least, most) depth, or None where no queue is proven to be full."""
        longs = [(n, c) for n, c in self.calls if c.end - c.start > HELD]
        depths = [d for d in (self.depth(n, c.end, c.start) for n, c in longs) if d is not None]
        if not depths:
            return None
        alike = {low: [d for d in depths if low <= d <= low + low // 100] for low in depths}
        low = min(alike, key=lambda d: (-len(alike[d]), d))
        high, found = max(alike[low]), len(alike[low])
        chance = [self.depth(n, moment(k, c.start, c.end)) for k, (n, c) in enumerate(longs)]
        chance = sum(d is not None and low <= d <= high for d in chance)
        deeper = sum(n > high and self.launches[n - high - 1].start > c.end for n, c in self.calls)
        proven = found >= FEWEST and 3 * chance <= found and 10 * (found - chance) >= len(longs) and 100 * deeper <= len(self.calls)
        return (low, high) if proven else None

    def room(self, number, call):
        """The operation at whose start there was room for a call, or None."""
        low, high = self.range
        found = [a for a in self.launches[max(0, number - high):max(0, number - low + 1)]
                 if call.start <= a.start <= call.end]
        return max(found, key=lambda a: a.start, default=None)

    def usual(self):
        """The length of a call while the queue is not full."""
        free = [c.end - c.start for n, c in self.calls if n < self.range[0] or self.launches[n - self.range[0]].start <= c.start]
        return lines.percentile(free, 50) if len(free) >= FEW_USUAL else min(c.end - c.start for _, c in self.calls)


class Activity:
    """kind: op, call or mpi. start and end are on the job's clock."""
    def __init__(self, index, kind, process, row):
        self.index, self.kind, self.process, self.row = index, kind, process, row
        self.candidates, self.lag, self.inner = [], None, []
        self.match = None                                   # Match of which this is a member, with its transfer tau
        self.tau, self.arrivals = None, ()
        self.releaser = self.back = None                    # blocking call: node of the operation's end, return
        self.binds = False
        self.room = None                                    # launch that found its queue full: node of the start that made room; then
        #                                                     back is the time since that, and length what the call takes without waiting
        self.previous = None                                # call: the call before it on its thread

    def place(self, job):
        self.start, self.end = job.place(self.process, self.row.start), job.place(self.process, self.row.end)
        self.length = self.end - self.start


class Graph:
    def __init__(self, job, infer="text"):
        self.job, self.infer = job, infer
        self.activities, self.of_row, self.outer = [], {}, {}
        self.dropped = self.negative = self.bind = self.free = self.without = 0
        self.latency, self.limits = {}, {}
        for p in job.processes:
            self.add_process(p)
        for p in job.processes:
            self.link_process(p)
        self.link_matches()
        for a in self.activities:
            released = max((self.time(n) + k for n, k, _ in a.candidates), default=None)
            a.lag = None if released is None else a.start - released

    def time(self, node):
        a = self.activities[node >> 1]
        return a.end if node & 1 else a.start

    def add(self, kind, process, row):
        a = Activity(len(self.activities), kind, process, row)
        a.place(self.job)
        self.activities.append(a)
        self.of_row[id(row)] = a
        return a

    def add_process(self, p):
        for o in p.ops:
            self.add("op", p, o)
        threads = {}
        for c in p.calls + p.mpi:
            threads.setdefault(c.thread, []).append(c)
        p.threads = {}
        for thread, calls in sorted(threads.items()):
            calls.sort(key=lambda c: (c.start, -c.end))
            last = None
            for c in calls:
                if last is not None and c.start < last.row.end and c.end <= last.row.end:
                    last.inner.append(c)
                    self.outer[id(c)] = last
                    continue
                a = self.add("mpi" if c in p.mpi_set else "call", p, c)
                a.previous, last = last, a
                self.outer[id(c)] = a
                p.threads.setdefault(thread, []).append(a)

    def offer(self, a, node, added, letter):
        """A candidate after the start is dropped and counted."""
        if self.time(node) + added <= a.start:
            a.candidates.append((node, added, letter))
        else:
            self.dropped += 1

    def link_process(self, p):
        p.events = Events(p)
        ops = sorted((self.of_row[id(o)] for o in p.ops), key=lambda a: (a.start, a.end, a.row.order))
        streams = {}
        for a in ops:
            streams.setdefault((a.row.ordinal, a.row.context, a.row.stream), []).append(a)
        self.link_streams(p, streams)
        self.link_launches(p, streams)
        self.link_default(p, ops)
        if self.infer != "few" or self.explained_by_few(p, ops):
            self.link_near(p, ops)
        self.link_calls(p)
        self.link_blocking(p)
        self.link_queues(p, ops)

    def link_streams(self, p, streams):
        """P and E."""
        for lane in streams.values():
            longest = previous = None
            for a in lane:
                if longest is not None:
                    overlaps = longest.end > a.start
                    self.offer(a, 2 * longest.index + (not overlaps), 0, "P")
                for op in p.events.before(a.row, previous.row if previous else None):
                    self.offer(a, 2 * self.of_row[id(op)].index + 1, 0, "E")
                previous = a
                longest = a if longest is None or a.end >= longest.end else longest

    def link_launches(self, p, streams):
        """L, with the least latency of launches into an empty stream."""
        seen = []
        for lane in streams.values():
            free = None
            for a in lane:
                launch = a.row.launch
                if launch is not None and a.row.start >= launch.start and (free is None or free <= launch.start):
                    seen.append(a.row.start - launch.start)
                free = a.row.end if free is None else max(free, a.row.end)
        self.latency[p] = lines.percentile(seen, 2) if len(seen) >= LEAST_LATENCIES else DEFAULT_LATENCY
        for lane in streams.values():
            for a in lane:
                launch = a.row.launch
                if launch is None:
                    continue
                call = self.outer[id(launch)]
                own = a.start - self.job.place(p, launch.start)
                if own < 0:
                    self.negative += 1
                else:
                    self.offer(a, 2 * call.index, self.job.place(p, launch.start) - call.start + min(own, self.latency[p]), "L")

    def link_default(self, p, ops):
        """N: the legacy default stream waits for blocking streams, and they for it."""
        flags = {(r["contextId"], r["streamId"]): r["flag"] for r in p.file.side["TARGET_INFO_CUDA_STREAM"] if r["processId"] == p.pid}
        kind = {a: flags.get((a.row.context, a.row.stream)) for a in ops}
        if not {1, 3} <= set(kind.values()):
            return
        longest, last = {}, {}
        for a in sorted((a for a in ops if a.row.launch is not None), key=lambda a: (a.row.launch.start, a.start, a.row.order)):
            key = a.row.context
            if kind[a] == 3:
                if key in longest:
                    self.offer(a, 2 * longest[key].index + 1, 0, "N")
                last[key] = a
            elif kind[a] == 1:
                if key in last:
                    self.offer(a, 2 * last[key].index + 1, 0, "N")
                if key not in longest or a.end >= longest[key].end:
                    longest[key] = a

    def unexplained(self, p, a):
        """Whether T may speak: in a process without a resolved event; with "few" also elsewhere, where no event releases."""
        return not p.events.resolved or (self.infer == "few" and all(letter != "E" for _, _, letter in a.candidates))

    def explained_by_few(self, p, ops):
        """Whether there are no events, or inference explains more than four times as many starts as they do."""
        if not p.events.resolved:
            return True
        before = {a: list(a.candidates) for a in ops}
        dropped = self.dropped
        self.link_near(p, ops)
        counts = {"E": 0, "T": 0}
        for a in ops:
            last = max(((self.time(n) + k, letter != "T", letter == "E") for n, k, letter in a.candidates), default=None)
            if last is not None:
                counts["T"] += not last[1]
                counts["E"] += last[2]
            a.candidates = before[a]
        self.dropped = dropped
        return counts["T"] > 4 * counts["E"]

    def link_near(self, p, ops):
        """T: of a held operation the latest end on another stream of the device that its pair of streams allows."""
        for ordinal in {a.row.ordinal for a in ops}:
            mine = [a for a in ops if a.row.ordinal == ordinal]
            ends, waiting = Ends(mine), []
            for a in mine:
                ready = ready_of(self, a)
                if ready is not None and a.start - ready > HELD and self.unexplained(p, a):
                    waiting.append((a, ready))
            limits = self.learn(ends, waiting)
            self.limits[p, ordinal] = limits
            for a, _ in waiting:
                for other in ends.before(a.start, lambda b, a=a: stream_of(b) != stream_of(a)):
                    lag = a.start - other.end
                    if lag > BACK:
                        break
                    limit = limits.get((stream_of(a), stream_of(other)), LEAST_T)
                    if limit is not None and lag <= limit:
                        self.offer(a, 2 * other.index + 1, 0, "T")
                        break

    @staticmethod
    def learn(ends, waiting):
        """(stream of the operation, stream of its candidate) -> the largest lag, None for no edge."""
        seen = {}
        for a, ready in waiting:
            other = ends.latest(a.start, lambda b, a=a: stream_of(b) != stream_of(a))
            if other is None:
                continue
            held = seen.setdefault((stream_of(a), stream_of(other)), [])
            at = ready + int((a.start - ready) * (0.1 + 0.8 * ((0.618 * len(held) + 0.309) % 1)))
            chance = ends.latest(at, lambda b, other=other: stream_of(b) == stream_of(other))
            held.append((a.start - other.end, None if chance is None else at - chance.end))
        return {pair: allowed(held) for pair, held in seen.items()}

    def link_calls(self, p):
        """Host order, and wake-ups by other threads in gaps that an OS call overlaps."""
        osrt = {}
        for r in p.file.trace.osrt:
            if r.process == p.key:
                osrt.setdefault(r.thread, []).append((r.start, r.end))
        ends = sorted((a.row.end, a.index) for lane in p.threads.values() for a in lane)
        for thread, lane in p.threads.items():
            rows = latest_ends(osrt.get(thread, ()))
            for a in lane:
                low, high = BEGINNING, a.row.start          # before a thread's first call all time is a gap
                if a.previous is not None:
                    self.offer(a, 2 * a.previous.index + 1, 0, "H")
                    low = a.previous.row.end
                if overlaps(rows, low, high) if rows else high - low > LONG_GAP:
                    i = bisect.bisect_right(ends, (high, len(self.activities))) - 1
                    while i >= 0 and ends[i][0] >= low:
                        other = self.activities[ends[i][1]]
                        if other.row.thread != thread:
                            self.offer(a, 2 * other.index + 1, 0, "W")
                            break
                        i -= 1

    def link_blocking(self, p):
        """What each blocking call waits for; an outer call blocks if an inner one does."""
        found = {}
        for call, kind, what in p.events.syncs:
            found.setdefault(self.outer[id(call)], []).append(p.events.releaser(call, kind, what))
        for o in p.ops:
            if o.kind == "memcpy" and o.launch is not None and ("Async" not in o.launch.name or 0 in (o.row.get("srcKind"), o.row.get("dstKind"))):
                found.setdefault(self.outer[id(o.launch)], []).append(o)
        returns = []
        for a, ops in found.items():
            done = [self.of_row[id(o)] for o in ops if o is not None]
            done = [d for d in done if d.end <= a.end]
            if not done:
                self.without += 1
                continue
            d = max(done, key=lambda d: (d.end, d.start, d.row.order))
            a.releaser, a.back, a.binds = 2 * d.index + 1, a.end - d.end, d.end >= a.start
            self.bind += a.binds
            self.free += not a.binds
            if a.binds:
                returns.append(a.back)
        usual = lines.median(returns) if returns else 0     # where no call waited, none shows how long a return takes
        for a in found:
            if a.releaser is not None and not a.binds:
                a.back = min(usual, a.back)

    @staticmethod
    def runs_ahead(calls, launches, ops):
        """Whether enough long calls end before others of their device start, which start before their own."""
        starts = {}
        for a in ops:
            starts.setdefault(a.row.ordinal, []).append(a.start)
        ahead = [bisect.bisect_left(s, launches[n].start) - bisect.bisect_right(s, c.end)
                 for n, c in calls if c.end - c.start > HELD for s in (starts[launches[n].row.ordinal],)]
        return sum(n >= SHALLOWEST // 2 for n in ahead) >= FEWEST

    def link_queues(self, p, ops):
        """What launches waited for that found the queue of their context full."""
        waiting = {id(self.outer[id(c)].row) for c, _, _ in p.events.syncs}
        for o in p.ops:
            if o.kind == "memcpy" and o.launch is not None and ("Async" not in o.launch.name or o.row.get("dstKind") == 0):
                waiting.add(id(self.outer[id(o.launch)].row))
        found, queues = {}, []
        for a in ops:                                       # by start
            if a.row.correlation:
                found.setdefault(a.row.context, {}).setdefault(a.row.correlation, a)
        for launches in found.values():
            launches = [launches[c] for c in sorted(launches)]
            calls = [(n, self.outer[id(a.row.launch)]) for n, a in enumerate(launches) if a.row.launch is not None]
            calls = [(n, c) for n, c in calls if c.kind == "call" and c.releaser is None and id(c.row) not in waiting]
            queue = Queue(launches, calls)
            if queue.range is not None and self.runs_ahead(calls, launches, ops):
                queues.append(queue)
        usual = min((q.usual() for q in queues), default=None)
        for queue in queues:
            for n, call in queue.calls:
                by = queue.room(n, call)
                if by is not None and (call.room is None or self.time(call.room) < by.start):
                    call.room, call.back = 2 * by.index, call.end - by.start
        for call in {c for q in queues for _, c in q.calls if c.room is not None}:
            call.length = min(call.back, usual)
        p.queues = queues

    def link_matches(self):
        """A member's end is released by the latest arrival at or before its own end."""
        self.violations = 0
        for m in self.job.matches:
            members = [self.of_row[id(c.row)] for c in m.row if id(c.row) in self.of_row]
            if len(members) < len(m.row):
                continue
            for a in members:
                before = [b for b in members if b.start <= a.end]
                self.violations += len(members) - len(before)
                a.match, a.arrivals = m, [2 * b.index for b in before]
                a.tau = a.end - max(b.start for b in before)
