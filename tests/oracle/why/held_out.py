# SPDX-License-Identifier: MIT
"""Held-out steps: how well the replay tells one step's time from the lengths in it, all else being another step's."""
import lines
from replayer import Scenario, replay
from steps import MOST


def taken_from(steps, k, j, returns, by_name):
    """The scenario in which step k has the lengths, transfers and host gaps of step j, and the start of k + 1 those of j + 1."""
    out = Scenario()
    for a in steps.compared(k):
        copy(out, a, steps.counterpart(a, j, by_name), returns)
    for q in steps.alike:
        launches = [steps.graph.outer[id(q.first[s].row.launch)] if q.first[s].row.launch is not None else None for s in (k + 1, j + 1)]
        if None not in launches:
            copy(out, *launches, returns)
    return out


def copy(scenario, a, other, returns):
    if other is None:
        return
    scenario.length[a.index] = other.length
    if returns and a.binds and other.binds:
        scenario.back[a.index] = other.back
    if a.tau is not None and other.tau is not None:
        scenario.tau[a.index] = other.tau
    if a.kind != "op" and other.lag is not None:
        scenario.gap[a.index] = other.lag


class HeldOut:
    """errors and naive: relative errors of all ordered pairs; p50 and p90 in percent. returns: whether the returns of calls that wait are
    exchanged too; the definition names lengths, transfers and host gaps, and its figure of moe comes out without them. by_name: whether
    a position counts what has the same name."""
    def __init__(self, replayer, steps, returns=False, by_name=False):
        self.errors, self.naive = [], []
        self.steps = chosen = steps.comparable() if steps.alike else []
        graph = replayer.graph
        by_step = {}
        for node in replayer.nodes:
            if steps.is_alike(graph.activities[node >> 1].process):
                by_step.setdefault(steps.step.get(node >> 1), []).append(node)
        position = {node: i for i, node in enumerate(replayer.nodes)}
        for k in chosen if len(chosen) >= 2 else ():
            latest = max(q.first[k + 1].start for q in steps.alike)
            some = [n for n in by_step.get(k, [])] + [n for n in by_step.get(k + 1, []) if graph.activities[n >> 1].start <= latest]
            some.sort(key=position.get)
            for j in chosen:
                if j == k:
                    continue
                new = replay(graph, taken_from(steps, k, j, returns, by_name), some, replayer.before)
                truth = steps.period(j)
                self.errors.append(abs(steps.period(k, new) - truth) / truth)
                self.naive.append(abs(steps.period(k) - truth) / truth)

    def is_open(self, steps):
        """Whether the definition leaves the errors open: which 25 of more steps are evenly spaced; which operation is the first of a step,
        where that which starts first was not launched first, or its launch was not recorded; whose step a collective belongs to that is
        in different steps of its members; and a call that waits in one step and not in another, whose length in one is no length for the other."""
        return len(self.steps) >= MOST or any(f.row.launch is None for q in steps.alike for f in q.first) or \
            any(starts_late(steps.graph, q) for q in steps.alike) or \
            any(len({steps.step.get(n >> 1) for n in a.arrivals}) > 1 for k in self.steps for a in steps.compared(k)) or \
            any(a.kind != "op" and waits_in_some(steps, self.steps, a) for k in self.steps for a in steps.compared(k))

    def figures(self):
        """(p50, p90, naive p50, naive p90) in percent, or None."""
        if len(self.steps) < 2:
            return None
        return tuple(100 * lines.percentile(v, p) for v in (self.errors, self.naive) for p in (50, 90))


def starts_late(graph, process):
    """Whether an operation was launched before the launch of its step's first one, and starts after it."""
    for first in process.launched:
        for a in graph.activities:
            if a.kind == "op" and a.process is first.process and a.row.launch is not None and first.row.launch is not None \
                    and a.row.launch.start < first.row.launch.start and a.start > first.start:
                return True
    return False


def waits_in_some(steps, chosen, a):
    same = [b for b in (steps.counterpart(a, j) for j in chosen) if b is not None]
    return len({(b.binds, b.releaser is None) for b in same}) > 1
