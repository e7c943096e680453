"""Sets of nanoseconds: sorted lists of half-open intervals (start, end) that neither touch nor overlap.

test_oracle_random.py holds each function against Python sets of single nanoseconds.
"""
from bisect import bisect_left


def union(intervals):
    """The set covered by any intervals; empty and reversed ones cover nothing."""
    out = []
    for start, end in sorted((s, e) for s, e in intervals if s < e):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def intersect(a, b):
    """What two sets share."""
    out, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        start, end = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if start < end:
            out.append((start, end))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return out


def subtract(a, b):
    """What is in a and not in b."""
    out, j = [], 0
    for start, end in a:
        while j < len(b) and b[j][1] <= start:
            j += 1
        k = j
        while k < len(b) and b[k][0] < end:
            if start < b[k][0]:
                out.append((start, b[k][0]))
            start = max(start, b[k][1])
            k += 1
        if start < end:
            out.append((start, end))
    return out


def length(a):
    return sum(end - start for start, end in a)


def clipped(a, window):
    return intersect(a, [window]) if window and window[0] < window[1] else []


class Finder:
    """Finds the rows (anything with start and end) that share time with an interval, in order of start."""
    def __init__(self, rows):
        self.rows = sorted(rows, key=lambda r: r.start)
        self.starts = [r.start for r in self.rows]
        self.latest, latest = [], None                      # the latest end among the rows so far
        for r in self.rows:
            latest = r.end if latest is None else max(latest, r.end)
            self.latest.append(latest)

    def overlapping(self, begin, stop):
        out, i = [], bisect_left(self.starts, stop) - 1
        while i >= 0 and self.latest[i] > begin:
            if self.rows[i].end > begin:
                out.append(self.rows[i])
            i -= 1
        return out[::-1]


def active(rows, points):
    """For each of the ascending points the rows around it (start <= point < end); rows in order of start."""
    now, i = [], 0
    for x in points:
        while i < len(rows) and rows[i].start <= x:
            now.append(rows[i])
            i += 1
        now = [r for r in now if r.end > x]
        yield list(now)
