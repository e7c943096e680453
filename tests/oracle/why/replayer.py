# SPDX-License-Identifier: MIT
"""Replays an activity graph under a scenario. With nothing changed every activity keeps its measured times."""
from fractions import Fraction

import opened
from replay import order                                    # the jobs oracle's


UNEXPLAINED = 10_000                                        # ns: longer lags


class Scenario:
    """What changes, by index of the activity; what is not named stays as measured."""
    def __init__(self):
        self.length, self.tau, self.gap, self.lag, self.back = {}, {}, {}, {}, {}
        self.launch = {}                                    # time from the launch call's inner start to the operation: instead of min(own latency, c)
        self.dropped = set()                                # (index, candidate) that no longer count
        self.added = {}                                     # index -> candidates that count as well
        self.unblocked = set()                              # calls that wait for nobody
        self.alone = False                                  # a collective's member waits for no other
        self.refused = None                                 # why there is no answer


def scaled(value, factor):
    """value x factor, rounded once, halves up."""
    factor = Fraction(factor)
    return (2 * value * factor.numerator + factor.denominator) // (2 * factor.denominator)


def follow_launches(graph, scenario):
    """Operations that start after the end of their launch call, and later than anything explains, start sooner by what the call loses, less
    the time by which something else let them start later than their launch."""
    for a in graph.activities:
        launch = a.row.launch if a.kind == "op" else None
        call = graph.outer.get(id(launch)) if launch is not None else None
        entry = next((c for c in a.candidates if c[2] == "L"), None)
        if call is None or entry is None or call.index not in scenario.length or a.start < call.end or a.lag <= UNEXPLAINED:
            continue
        if call.length - scenario.length[call.index] <= UNEXPLAINED:
            continue
        slack = a.start - a.lag - graph.time(entry[0]) - entry[1]
        sooner = min(a.lag, call.length - scenario.length[call.index] - slack)
        if sooner > 0:
            scenario.lag[a.index] = min(scenario.lag.get(a.index, a.lag), a.lag - sooner)


def start_of(graph, a, scenario, new):
    """The new start: the latest candidate and the lag; an activity without candidates keeps its measured start."""
    times = []
    for candidate in a.candidates + scenario.added.get(a.index, []):
        if (a.index, candidate) in scenario.dropped:
            continue
        node, added, letter = candidate
        if letter == "L" and a.index in scenario.launch:
            added += scenario.launch[a.index] - min(graph.latency[a.process], a.start - graph.job.place(a.process, a.row.launch.start))
        times.append(new[node] + added)
    if not times:
        return a.start
    return max(times) + (scenario.gap.get(a.index, a.lag) if a.kind != "op" else scenario.lag.get(a.index, a.lag))


def end_of(a, scenario, new):
    """The new end, from the new start."""
    start = new[2 * a.index]
    length = scenario.length.get(a.index, a.length)
    if a.arrivals:
        tau = scenario.tau.get(a.index, a.tau)
        return start + tau if scenario.alone else max(new[n] for n in a.arrivals) + tau
    if a.room is not None:
        return max(start + length, new[a.room] + a.back + length - a.length)
    if a.releaser is None:
        return start + length
    back = scenario.back.get(a.index, a.back)
    if a.index in scenario.unblocked:
        return start + (back if a.binds else length)
    if a.binds:
        return max(start, new[a.releaser]) + back
    return max(start + length, new[a.releaser] + back)


def replay(graph, scenario, nodes, measured, since=None):
    """New times of all nodes: [start of 0, end of 0, start of 1, ...]; nodes: those to be replayed, in order; since: what was measured
    before that time stays, and nothing else falls before it."""
    new = list(measured)
    for node in nodes:
        if since is not None and measured[node] < since:
            continue
        a = graph.activities[node >> 1]
        new[node] = end_of(a, scenario, new) if node & 1 else start_of(graph, a, scenario, new)
        if since is not None:
            new[node] = max(new[node], since)
    return new


class Replayer:
    """A graph with the order of its nodes."""
    def __init__(self, graph):
        self.graph, self.nodes = graph, order(graph)
        self.circles = 2 * len(graph.activities) - len(self.nodes)
        self.before = [graph.time(node) for node in range(2 * len(graph.activities))]
        low, high = opened.window(graph)
        self.measured = high - low
        self.ops = [a.index for a in graph.activities if a.kind == "op"]

    def times(self, scenario, since=None):
        return replay(self.graph, scenario, self.order(scenario), self.before, since)

    def order(self, scenario):
        """The order of nodes with the candidates that a scenario adds."""
        if not scenario.added:
            return self.nodes
        kept = {i: self.graph.activities[i].candidates for i in scenario.added}
        for i, more in scenario.added.items():
            self.graph.activities[i].candidates = kept[i] + more
        found = order(self.graph)
        for i, candidates in kept.items():
            self.graph.activities[i].candidates = candidates
        return found

    def moved(self):
        """Activities that the replay with nothing changed moves."""
        new = self.times(Scenario())
        return [a for a in self.graph.activities if (new[2 * a.index], new[2 * a.index + 1]) != (a.start, a.end)]

    def saving(self, scenario):
        """How much sooner the last GPU operation ends in a run that begins at the measured start of the first."""
        low = min(self.before[2 * i] for i in self.ops)
        new = self.times(scenario, low)
        return low + self.measured - max(new[2 * i + 1] for i in self.ops)
