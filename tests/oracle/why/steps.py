# SPDX-License-Identifier: MIT
"""Steps of a job for the replay: which activity belongs to which step, and which step could stand for which.

A step begins at the launch call of its first operation; its period begins where that of `iters` does. An operation belongs to the step in which it was launched.
"""
import bisect

import iters
import kinds
import lines
import opened

MOST, FEWEST = 25, 3


def first_of(ops):
    """The first operation by start; of those that start together the one that was launched first."""
    return min(ops, key=lambda o: (o.start, o.start if o.launch is None else o.launch.start, o.end, o.order))


def begin_of(iteration):
    """Copies may be issued ahead of it."""
    return first_of([o for o in iteration.ops if o.start >= iteration.first])


def found_steps(process):
    """(first operation of each step, the one with which it begins, numbers of those that stand out) by the oracle of `iters`; None without
    steps."""
    trace = process.file.trace
    found = iters.find(trace, process.key)
    if found is None:
        return None
    first = [first_of(i.ops) for i in found.iterations]
    return first, [begin_of(i) for i in found.iterations], {n for n, (_, flag) in enumerate(iters.compared(kinds.kinds(trace, process.key, found), found)) if flag is True}


def told_steps(graph, process, rows):
    """The same from rows of `iters` as the program prints them: how steps are found is not the question here."""
    mine = {r["iter"]: r for r in rows if r["pid"] == process.pid and (r.get("rank") is None or r["rank"] == process.rank)}
    by_start, first_by_start = {}, {}
    for o in process.ops:
        at = graph.job.place(process, o.start)
        by_start[at] = first_of([o, by_start.get(at, o)])
    found = iters.find(process.file.trace, process.key)     # of operations that start together, one of the step's own
    for i in found.iterations if found else ():
        at = graph.job.place(process, i.first)
        by_start[at], first_by_start[at] = begin_of(i), first_of(i.ops)
    begin = [by_start.get(mine[n]["start"]) for n in sorted(mine)]
    first = [first_by_start.get(mine[n]["start"], b) for n, b in zip(sorted(mine), begin)]
    return (first, begin, {n for n in mine if mine[n].get("outlier")}) if begin and None not in begin else None


class Process:
    """The steps of one process on the job's clock; rows: of `iters`, where the program is to tell them."""
    def __init__(self, graph, process, rows):
        place, self.process, self.bounds = graph.job.place, process, None
        found = found_steps(process) if rows is None else told_steps(graph, process, rows)
        if found is not None:
            self.launched, self.first = ([graph.of_row[id(o)] for o in ops] for ops in found[:2])
            self.flagged = found[2]
            self.bounds = [graph.outer[id(o.launch)].start if o.launch is not None else place(process, o.start) for o in found[0]]

    def slow(self):
        """Flagged steps that are longer than the median one."""
        periods = [b.start - a.start for a, b in zip(self.first, self.first[1:])]
        return {s for s in self.flagged if s < len(periods) and periods[s] > lines.median(periods)}

    def first_call(self, graph, step):
        """The outermost call that launches a step's first operation."""
        launch = self.launched[step].row.launch
        return graph.outer[id(launch)] if launch is not None else None

    def step_of(self, graph, a):
        """The number of an activity's step; -1 before the first. Where the launch of an operation was not recorded, the step in which it
        starts: from the start of its first operation to that of the next step's."""
        if a.kind != "op":
            return bisect.bisect_right(self.bounds, a.start) - 1
        if a.row.launch is not None:
            return bisect.bisect_right(self.bounds, graph.outer[id(a.row.launch)].start) - 1
        return bisect.bisect_right([f.start for f in self.first], a.start) - 1


def commonest(processes):
    """Those with the commonest number of steps; of several numbers that of the process that comes first."""
    counts = [len(q.bounds) for q in processes]
    best = max(counts, key=lambda n: (counts.count(n), -counts.index(n)), default=0)
    return [q for q in processes if len(q.bounds) == best]


class Steps:
    """All processes with steps; lanes[process, lane, step] and inside[step] = activities in order."""
    def __init__(self, graph, rows=None):
        self.graph, self.lanes, self.step, self.index, self.inside, self.occurrence, self.at, self.named = graph, {}, {}, {}, {}, {}, {}, {}
        self.processes = [q for q in (Process(graph, p, rows) for p in graph.job.processes) if q.bounds]
        self.alike = commonest(self.processes)              # step k of a process that lacks one is not step k of the others
        self.count = len(self.alike[0].bounds) if self.alike else 0
        for q in self.processes:
            mine = [a for a in graph.activities if a.process is q.process]
            for a in sorted(mine, key=lambda a: (a.start, a.end, getattr(a.row, "order", a.index))):
                self.add(a, q.step_of(graph, a))

    def add(self, a, step):
        where = a.process, opened.lane_of(a), step
        lane = self.lanes.setdefault(where, [])
        self.step[a.index], self.index[a.index] = step, len(lane)
        lane.append(a)
        self.inside.setdefault(step, []).append(a)
        name = opened.name_of(a)
        self.occurrence[a.index] = n = self.named.get((where, name), 0)
        self.named[where, name] = n + 1
        self.at[where, name, n] = a

    def counterpart(self, a, step, by_name=True):
        """The activity of another step on the same lane that is the k-th of its name too; not by_name: at the same place and of that name."""
        where = a.process, opened.lane_of(a), step
        if by_name:
            return self.at.get((where, opened.name_of(a), self.occurrence[a.index]))
        lane, i = self.lanes.get(where, ()), self.index[a.index]
        return lane[i] if i < len(lane) and opened.name_of(lane[i]) == opened.name_of(a) else None

    def signature(self, step):
        """The names of the step's operations per stream."""
        return tuple((id(p), lane, tuple(opened.name_of(a) for a in found)) for (p, lane, s), found in sorted(self.lanes.items(), key=lambda kv: repr(kv[0]))
                     if s == step and lane[0] == "stream" and self.is_alike(p))

    def is_alike(self, process):
        return any(q.process is process for q in self.alike)

    def compared(self, step):
        """Activities of a step of the processes whose steps can be compared."""
        return [a for a in self.inside.get(step, ()) if self.is_alike(a.process)]

    def flagged(self):
        return set().union(*(q.flagged for q in self.alike))

    def comparable(self):
        """Steps with the commonest sequence, neither first nor last nor flagged, at most 25 of them."""
        usable = [s for s in range(1, self.count - 1) if s not in self.flagged()]
        by = {}
        for s in usable:
            by.setdefault(self.signature(s), []).append(s)
        best = max(by.values(), key=lambda found: (len(found), -found[0]), default=[])
        return lines.thinned(best, MOST)

    def period(self, step, new=None):
        """The largest over processes of the next step's first start less this one's; new: times of nodes instead of the measured ones."""
        def start(a):
            return a.start if new is None else new[2 * a.index]
        return max(start(q.first[step + 1]) - start(q.first[step]) for q in self.alike)
