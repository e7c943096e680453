# SPDX-License-Identifier: MIT
"""A change of the steps of a job over time (docs/definitions/iterations.md, "Change over time"), by the text of the definition.

The limits of the definition's table are read from the table itself: they are its numbers.
"""
import os
import re
from fractions import Fraction
from math import comb

import wl

FEWEST, MOST, LEAST = 16, 64, 4
SMALL = Fraction(3, 100)
NEARER = Fraction(3, 4)
Z = 2.81
TABLE = os.path.join(wl.ROOT, "src", "derive", "iters", "change_limits.def")


def limits():
    with open(TABLE, encoding="utf-8") as f:
        return {int(n): float(limit) for n, limit in re.findall(r"^WL_CHANGE_LIMIT\((\d+), ([\d.]+)\)", f.read(), re.M)}


def middle(values):
    """The median; of an even number the mean of the two in the middle, rounded down."""
    s = sorted(values)
    return (s[(len(s) - 1) // 2] + s[len(s) // 2]) // 2


def ranks(values):
    """From 1; equal values share the mean of their ranks."""
    s, first, count = sorted(values), {}, {}
    for i, v in enumerate(s):
        first.setdefault(v, i)
        count[v] = count.get(v, 0) + 1
    return [first[v] + (count[v] + 1) / 2 for v in values]


def apart(a, b):
    """The medians differ by 3% of the smaller one."""
    return abs(a - b) >= SMALL * min(a, b) and a != b


def off(values, level):
    return sum(abs(v - level) for v in values)


class Change:
    """kind: level, episode, warm-up, drift or ramp; the stretch [begin, end) of the series; its level and that of the others, the drift's line, or
    the levels behind and before the ramp."""
    def __init__(self, kind, begin, end, inside, outside, residual):
        self.kind, self.begin, self.end, self.inside, self.outside, self.residual = kind, begin, end, inside, outside, residual

    def slower(self):
        """By how much the slower regime takes longer than the faster one; of a drift the end of its line than the begin."""
        low, high = sorted((self.inside, self.outside))
        return (high - low) / low if self.kind != "drift" else (self.inside - self.outside) / self.outside

    def key(self):
        return self.kind, self.begin, self.end


def stretch(x):
    """(value, begin, end) of the stretch whose ranks differ most; of equal ones the first by begin, then end."""
    n, r, best = len(x), ranks(x), None
    for begin in range(n):
        for end in range(begin + LEAST, n + 1):
            if end - begin == n or 0 < begin < LEAST or 0 < n - end < LEAST:
                continue
            inside, outside = r[begin:end], r[:begin] + r[end:]
            value = abs(sum(inside) / len(inside) - sum(outside) / len(outside)) * (len(inside) * len(outside) / n) ** 0.5
            if best is None or value > best[0] + 1e-9:
                best = value, begin, end
    return best


def refined(x, begin, end):
    """Each boundary that is no edge, where the sum of differences from the two medians is least; of equal places the nearest, then the earlier."""
    inside, outside = middle(x[begin:end]), middle(x[:begin] + x[end:])

    def cost(b, e):
        return off(x[b:e], inside) + off(x[:b] + x[e:], outside)
    by_distance = sorted(range(-3, 4), key=lambda d: (abs(d), d))
    if begin:
        begin = min((b for b in (begin + d for d in by_distance) if 0 < b < end), key=lambda b: cost(b, end))
    if end < len(x):
        end = min((e for e in (end + d for d in by_distance) if begin < e < len(x)), key=lambda e: cost(begin, e))
    return begin, end


def kind_of(x, begin, end, inside, outside):
    if begin and end < len(x):
        return "episode"
    return "warm-up" if begin == 0 and inside > outside and 4 * end <= len(x) else "level"


def of_stretch(x, begin, end):
    inside, outside = middle(x[begin:end]), middle(x[:begin] + x[end:])
    residual = off(x[begin:end], inside) + off(x[:begin] + x[end:], outside)
    return Change(kind_of(x, begin, end, inside, outside), begin, end, inside, outside, residual)


def level(x, table):
    value, begin, end = stretch(x)
    if value <= table[len(x)] + 1e-9 or not apart(middle(x[begin:end]), middle(x[:begin] + x[end:])):
        return None
    return of_stretch(x, *refined(x, begin, end))


def median(values):
    s = sorted(values)
    return (s[(len(s) - 1) // 2] + s[len(s) // 2]) / 2


def score(x):
    """Mann-Kendall's z."""
    n = len(x)
    s = sum((b > a) - (b < a) for i, a in enumerate(x) for b in x[i + 1:])
    return (s - (s > 0) + (s < 0)) / (n * (n - 1) * (2 * n + 5) / 18) ** 0.5


def drift(x):
    n = len(x)
    if abs(score(x)) < Z:
        return None
    slope = median([(x[j] - x[i]) / (j - i) for i in range(n) for j in range(i + 1, n)])
    if abs(slope) * (n - 1) < 0.03 * middle(x) or slope == 0:
        return None
    base = median([v - slope * i for i, v in enumerate(x)])
    residual = sum(abs(v - base - slope * i) for i, v in enumerate(x))
    return Change("drift", 0, n, base + slope * (n - 1), base, residual)


def episode(x):
    """The steps that stand out as slow, if they are one run that chance does not make."""
    n, m = len(x), middle(x)
    deviation = middle([abs(v - m) for v in x])
    slow = [i for i, v in enumerate(x) if v > m and v - m > 3.5 * 1.4826 * deviation and 20 * (v - m) > m]
    k = len(slow)
    if k < 3 or slow[-1] - slow[0] != k - 1 or 2 * k > n or 200 * (n - k + 1) > comb(n, k):
        return None
    found = of_stretch(x, slow[0], slow[-1] + 1)
    found.kind = "episode" if slow[0] else found.kind
    return found


def ramp(x):
    """The nearest of all straight lines from one level to another; the faster level has 4 values or more."""
    n, best = len(x), None
    for begin in range(1, n - LEAST):
        for end in range(begin + LEAST, n):
            before, after = middle(x[:begin]), middle(x[end:])
            if (begin if after > before else n - end) < LEAST or not apart(before, after):
                continue
            steps = end - begin + 1
            line = [before + int(Fraction((after - before) * (i - begin + 1), steps)) for i in range(begin, end)]
            residual = off(x[:begin], before) + off(x[end:], after) + sum(abs(v - w) for v, w in zip(x[begin:end], line))
            if best is None or residual < best.residual:
                best = Change("ramp", begin, end, after, before, residual)
    return best


def shaped(x, found):
    """A level or a drift is a ramp where that is nearer by a quarter."""
    other = ramp(x) if found.kind in ("level", "drift") else None
    return other if other and other.residual <= NEARER * found.residual else found


def change(x, table):
    """The change of a series of 16 to 64 values, or None."""
    if len(x) < FEWEST:
        return None
    a, b = level(x, table), drift(x)
    if a and b:
        return shaped(x, a if a.residual <= b.residual else b)
    return shaped(x, a or b) if a or b else episode(x)


def blocks(values):
    """(series, steps per value): medians of equal blocks where there are more than 64; the rest is left out."""
    size = -(-len(values) // MOST)
    return [middle(values[i * size:(i + 1) * size]) for i in range(len(values) // size)], size


def series(periods, kinds):
    """Which steps count, of those that have a period: all but the first, of the commonest kind."""
    steps = list(range(1, len(periods)))
    most = max(sorted(set(kinds[1:])), key=kinds[1:].count, default=None)
    return [i for i in steps if kinds[i] == most]
