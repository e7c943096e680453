# SPDX-License-Identifier: MIT
"""Held-out steps: how well the replay tells one step's time from the lengths in it, all else being another step's."""
import lines
from replayer import Scenario, replay


def taken_from(steps, k, j):
    """The scenario in which step k has the lengths, transfers and host gaps of step j, and the start of k + 1 those of j + 1."""
    out = Scenario()
    for a in steps.inside.get(k, ()):
        copy(out, a, steps.counterpart(a, j))
    for q in steps.processes:
        launches = [steps.graph.outer[id(q.first[s].row.launch)] if q.first[s].row.launch is not None else None for s in (k + 1, j + 1)]
        if None not in launches:
            copy(out, *launches)
    return out


def copy(scenario, a, other):
    if other is None:
        return
    scenario.length[a.index] = other.length
    if a.tau is not None and other.tau is not None:
        scenario.tau[a.index] = other.tau
    if a.kind != "op" and other.lag is not None:
        scenario.gap[a.index] = other.lag


class HeldOut:
    """errors and naive: relative errors of all ordered pairs; p50 and p90 in percent."""
    def __init__(self, replayer, steps):
        self.errors, self.naive = [], []
        self.steps = chosen = steps.comparable() if steps.processes else []
        graph = replayer.graph
        by_step = {}
        for node in replayer.nodes:
            by_step.setdefault(steps.step.get(node >> 1), []).append(node)
        position = {node: i for i, node in enumerate(replayer.nodes)}
        for k in chosen if len(chosen) >= 2 else ():
            latest = max(q.first[k + 1].start for q in steps.processes)
            some = [n for n in by_step.get(k, [])] + [n for n in by_step.get(k + 1, []) if graph.activities[n >> 1].start <= latest]
            some.sort(key=position.get)
            for j in chosen:
                if j == k:
                    continue
                new = replay(graph, taken_from(steps, k, j), some, replayer.before)
                truth = steps.period(j)
                self.errors.append(abs(steps.period(k, new) - truth) / truth)
                self.naive.append(abs(steps.period(k) - truth) / truth)

    def figures(self):
        """(p50, p90, naive p50, naive p90) in percent, or None."""
        if len(self.steps) < 2:
            return None
        return tuple(100 * lines.percentile(v, p) for v in (self.errors, self.naive) for p in (50, 90))
