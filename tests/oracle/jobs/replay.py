# SPDX-License-Identifier: MIT
"""Replays the activity graph with other lengths; with none changed every activity keeps its measured times."""


def order(graph):
    """Nodes so that each comes after what it depends on; nodes in circles are left out."""
    n = 2 * len(graph.activities)
    after, missing = [[] for _ in range(n)], [0] * n

    def depend(node, on):
        after[on].append(node)
        missing[node] += 1
    for a in graph.activities:
        for node, _, _ in a.candidates:
            depend(2 * a.index, node)
        depend(2 * a.index + 1, 2 * a.index)
        for node in a.arrivals:
            depend(2 * a.index + 1, node)
        for node in (a.releaser, a.room):
            if node is not None:
                depend(2 * a.index + 1, node)
    ready = [node for node in range(n) if not missing[node]]
    for node in ready:
        for other in after[node]:
            missing[other] -= 1
            if not missing[other]:
                ready.append(other)
    return ready


class Change:
    """What a scenario changes: new lengths of activities and new host gaps before calls, by activity index."""
    def __init__(self):
        self.length, self.gap = {}, {}


def replay(graph, change=None, nodes=None):
    """New times of all nodes: [start of 0, end of 0, start of 1, ...]."""
    change = change or Change()
    new = [graph.time(node) for node in range(2 * len(graph.activities))]
    for node in nodes if nodes is not None else order(graph):
        a = graph.activities[node >> 1]
        if not node & 1:
            if a.candidates:
                lag = change.gap.get(a.index, a.lag) if a.kind != "op" else a.lag
                new[node] = max(new[n] + k for n, k, _ in a.candidates) + lag
            continue
        start = new[node - 1]
        length = change.length.get(a.index, a.length)
        if a.arrivals:
            end = max(new[n] for n in a.arrivals) + a.tau
        elif a.binds:
            end = start
        else:
            end = start + length
        if a.releaser is not None:
            end = max(end, (max(start, new[a.releaser]) if a.binds else new[a.releaser]) + a.back)
        if a.room is not None:
            end = max(end, new[a.room] + a.back + length - a.length)
        new[node] = end
    return new


def identity(graph):
    """Activities whose replayed start or end is not the measured one, and nodes in circles."""
    nodes = order(graph)
    new = replay(graph, nodes=nodes)
    wrong = [a for a in graph.activities if (new[2 * a.index], new[2 * a.index + 1]) != (a.start, a.end)]
    return wrong, 2 * len(graph.activities) - len(nodes)


def makespan(graph, new):
    """From the earliest to the latest GPU operation."""
    ops = [a.index for a in graph.activities if a.kind == "op"]
    return max(new[2 * i + 1] for i in ops) - min(new[2 * i] for i in ops)
