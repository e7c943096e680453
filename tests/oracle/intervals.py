# SPDX-License-Identifier: MIT
"""Sets of nanoseconds: sorted lists of half-open intervals (start, end) that neither touch nor overlap.

test_oracle_random.py holds each function against Python sets of single nanoseconds.
"""
from bisect import bisect_left, bisect_right


def union(intervals):
    """The set covered by any intervals; empty and reversed ones cover nothing."""
    out = []
    for start, end in sorted((s, e) for s, e in intervals if s < e):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def first_after(a, x):
    """The position of the first interval of a set that ends after x."""
    i = bisect_right(a, (x, float("inf")))
    return i - 1 if i and a[i - 1][1] > x else i


def intersect(a, b):
    """What two sets share."""
    if not a or not b:
        return []
    out, i, j = [], first_after(a, b[0][0]), first_after(b, a[0][0])
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
    out, j = [], first_after(b, a[0][0]) if a else 0
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
    if not window or window[0] >= window[1]:
        return []
    out = a[first_after(a, window[0]):bisect_left(a, (window[1],))]
    if out:
        out[0] = max(out[0][0], window[0]), out[0][1]
        out[-1] = out[-1][0], min(out[-1][1], window[1])
    return out


class Finder:
    """Finds the rows (anything with start and end) that share time with an interval, in order of start."""
    def __init__(self, rows):
        self.rows = sorted(rows, key=lambda r: r.start)
        self.starts = [r.start for r in self.rows]
        # level[k][i] is the latest end among the rows of the i-th block of 8 ** k
        self.level = [[r.end for r in self.rows]]
        while len(self.level[-1]) > 8:
            below = self.level[-1]
            self.level.append([max(below[i:i + 8]) for i in range(0, len(below), 8)])

    def overlapping(self, begin, stop):
        """A long row must not make all rows after it be looked at: only blocks with a row that ends late enough are."""
        n = bisect_left(self.starts, stop)
        found = range(len(self.level[-1]))
        for k in range(len(self.level) - 1, 0, -1):
            ends, below, width = self.level[k], len(self.level[k - 1]), 8 ** (k - 1)
            found = [j for i in found if ends[i] > begin for j in range(8 * i, min(8 * i + 8, below)) if j * width < n]
        ends, rows = self.level[0], self.rows
        return [rows[i] for i in found if i < n and ends[i] > begin]


def active(rows, points):
    """For each of the ascending points the rows around it (start <= point < end); rows in order of start."""
    now, i = [], 0
    for x in points:
        while i < len(rows) and rows[i].start <= x:
            now.append(rows[i])
            i += 1
        now = [r for r in now if r.end > x]
        yield list(now)
