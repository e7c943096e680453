# SPDX-License-Identifier: MIT
"""The same elementary segments as oracle.segments, by counting what is open: for traces too large for brute force."""


def segments(intervals, window):
    begin, stop = window
    changes = {begin: {}, stop: {}}
    for start, end, label in intervals:
        start, end = max(start, begin), min(end, stop)
        if start < end:
            at = changes.setdefault(start, {})
            at[label] = at.get(label, 0) + 1
            at = changes.setdefault(end, {})
            at[label] = at.get(label, 0) - 1
    points, open_now = sorted(changes), {}
    for a, b in zip(points, points[1:]):
        for label, change in changes[a].items():
            open_now[label] = open_now.get(label, 0) + change
        yield b - a, {label for label, count in open_now.items() if count > 0}
