# SPDX-License-Identifier: MIT
"""Opens a job for the questions who is slow and what changed: matches, steps, the replay.

The groups are given (which ranks communicate) or, where they are not, those of match.py.
"""
import functools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in (os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "why"), HERE):
    if folder not in sys.path:
        sys.path.insert(0, folder)
import clocks  # noqa: E402
import graph as graphs  # noqa: E402
import group_clocks  # noqa: E402
import iters  # noqa: E402
import job as jobs  # noqa: E402
import kinds  # noqa: E402
import match as matching  # noqa: E402
import ranks  # noqa: E402
from opened import name_of  # noqa: E402, F401
from replayer import Replayer, Scenario, follow_launches  # noqa: E402, F401
from steps import Steps  # noqa: E402

UNEXPLAINED = 10_000


def middle(values):
    """The median; of an even number the mean of the two in the middle, rounded down."""
    v = sorted(values)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) // 2


def told(job, groups):
    """Matches by index within groups of ranks: the k-th operation of a type and stream role on each member."""
    queues, found = {}, []
    for c in sorted(job.collectives, key=lambda c: (c.end, c.start)):
        c.match = None
        queues.setdefault((c.kind, c.role), {}).setdefault(c.member.key, []).append(c)
    for members in queues.values():
        for group in groups:
            here = [queue for key, queue in sorted(members.items()) if key[0] in group]
            if len(here) > 1:
                found += [matching.Match(tuple(group), i, list(row)) for i, row in enumerate(zip(*here))]
    job.matches = sorted(found, key=lambda m: max(c.start for c in m.row))


class Line:
    """The steps of one member: the operations of each step, and when its first one starts on the job's clock."""
    def __init__(self, opened, process, found):
        self.process, self.found, self.ops = process, found, [i.ops for i in found.iterations]
        self.first = [opened.job.place(process, i.first) for i in found.iterations]


class Whole:
    """The whole run of a process that has no steps, as its only one."""
    def __init__(self, graph, process):
        self.process, self.first = process, [min((graph.of_row[id(o)] for o in process.ops), key=lambda a: (a.start, a.index))]
        self.bounds = [self.first[0].start]

    @staticmethod
    def step_of(_graph, _activity):
        return 0


class Opened:
    """One job: its members (processes that are in a group), their steps and run; graph and replay are made when they are asked for.

    groups: lists of ranks, or None. without_steps: the whole run is one step."""
    def __init__(self, where, groups=None, without_steps=False):
        job = self.job = jobs.Job(jobs.directory(where) if os.path.isdir(where) else [where])
        ranks.assign(job)
        one_host = len({p.host for p in job.processes}) == 1
        if groups is None or not one_host:
            clocks.settle(job)                              # how far clocks are off
            group_clocks.settle(job)
        else:
            job.fitted, job.correction, job.residuals = True, {}, {}
            job.collectives = matching.gather(job)
        self.eps = 0 if one_host else max(job.residuals.values(), default=0)
        if groups is not None:
            told(job, groups)
        self.members = {c.member.process for m in job.matches for c in m.row} or set(job.processes)
        self.by_rank = {p.rank: p for p in job.processes}
        self.lines = [] if without_steps else self.find_lines()
        self.count = len(self.lines[0].first) if self.lines else 1
        ends = [(job.place(p, o.start), job.place(p, o.end)) for p in self.members for o in p.ops]
        self.low = min((start for start, _ in ends), default=0)
        self.run = max((end for _, end in ends), default=0) - self.low

    def find_lines(self):
        """Of the members with the commonest number of steps; of several numbers that of the smallest rank."""
        found = [(p, iters.find(p.file.trace, p.key)) for p in self.job.processes if p in self.members]
        lines = [Line(self, p, f) for p, f in found if f is not None]
        counts = [len(q.first) for q in lines]
        most = max(counts, key=lambda n: (counts.count(n), -counts.index(n)), default=0)
        return [q for q in lines if len(q.first) == most]

    @functools.cached_property
    def graph(self):
        return graphs.Graph(self.job)

    @functools.cached_property
    def replayer(self):
        return Replayer(self.graph)

    @functools.cached_property
    def steps(self):
        return Steps(self.graph)

    @functools.cached_property
    def ops(self):
        return [a for a in self.graph.activities if a.kind == "op" and a.process in self.members]

    @functools.cached_property
    def series(self):
        """The steps of the same members in the graph."""
        if not self.lines:
            return [Whole(self.graph, p) for p in self.job.processes if p in self.members]
        mine = {q.process for q in self.lines}
        return [q for q in self.steps.processes if q.process in mine]

    def saving(self, scenario):
        """How much sooner the last operation of a member ends; the run begins at the measured start of the first."""
        new = self.replayer.times(scenario, self.low)
        return self.low + self.run - max(new[2 * a.index + 1] for a in self.ops)

    def period(self, step):
        """The longest over the members of a step's first start to the next one's; the last step has none."""
        return max(q.first[step + 1] - q.first[step] for q in self.lines)

    def kinds_of(self, rank):
        """What each step of a rank does (prefill, decode), where they differ."""
        line = next((q for q in self.lines if q.process.rank == rank), None)
        return kinds.kinds(line.process.file.trace, line.process.key, line.found) if line else [None] * self.count

    def median_step(self):
        return middle([self.period(i) for i in range(self.count - 1)]) if self.count > 1 else self.run

    def holds(self):
        """Rank -> share of the run in which operations start later than their candidates explain."""
        out = {p.rank: 0 for p in self.members}
        for a in self.ops:
            if a.lag is None or a.lag <= UNEXPLAINED:
                continue
            call = self.graph.outer.get(id(a.row.launch)) if a.row.launch is not None else None
            after = a.start - call.end if call is not None and call.end <= a.start else a.lag
            last = a.start - a.lag
            proven = any(c[2] == "E" and self.graph.time(c[0]) + c[1] == last for c in a.candidates)
            if proven and after >= a.lag:                   # what it waited for is known: that wait has a delay
                continue
            if min(a.lag, after) > UNEXPLAINED:
                out[a.process.rank] += min(a.lag, after)
        return {rank: held / self.run for rank, held in out.items()}
