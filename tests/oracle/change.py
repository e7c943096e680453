# SPDX-License-Identifier: MIT
"""Two traces compared (docs/definitions/compare.md): the sample of each, its mean step by part and by kernel, and the verdict."""
import random

import iters
import ledger
import oracle
from conventions import GENERIC
from oracle import percentile

FEWEST = 8
RESAMPLES = 2000


class Side:
    """One trace reduced to its sample.

    numbers: the iterations chosen, without those that stand out in any process; values: their periods, the largest over
    processes of each. Parts and kernels are means over the processes too; what the largest period is above the mean over
    processes is the part rank_skew.
    Where more than a quarter stands out that is a rhythm, and nothing is left out for it.
    open: iterations that not all processes have are left out; a process that uses several devices is not met here."""
    def __init__(self, trace, marker=None, conventions=GENERIC):
        found = iters.find_all(trace, marker, conventions)
        self.trace, self.found = trace, found
        count = min(len(f.iterations) for f in found.values())
        self.periods = {p: f.periods()[:count - 1] for p, f in found.items()}
        largest = [max(self.periods[p][n] for p in found) for n in range(count - 1)]
        candidates, outliers = range(1, count - 1), set().union(*(iters.outliers(p) for p in self.periods.values()))
        is_rhythm = 4 * sum(n in outliers for n in candidates) > len(candidates)
        self.numbers = [n for n in candidates if is_rhythm or n not in outliers]
        self.values = [largest[n] for n in self.numbers]
        self.query, self.parts = oracle.Query(trace), None

    def median(self):
        return percentile(self.values, 50)

    def mean(self):
        return oracle.rounded(sum(self.values), len(self.values))

    def budget(self):
        """{part: ns per step}, to the nanosecond: the parts add up to the mean step; computed once."""
        if self.parts is None:
            self.parts = self.find_parts()
        return self.parts

    def find_parts(self):
        sums = dict.fromkeys((*ledger.PARTS, "rank_skew"), 0)
        for process, found in self.found.items():
            device, = self.trace.devices_of(process)
            for n in self.numbers:
                for part, ns in ledger.parts_of(self.query, device, found.tiles()[n]).items():
                    sums[part] += ns
        everyone = len(self.found)
        sums["rank_skew"] = sum(everyone * v - sum(p[n] for p in self.periods.values()) for n, v in zip(self.numbers, self.values))
        return ledger.largest_remainder(everyone * sum(self.values), everyone * len(self.values), sums)

    def ops(self, kind):
        """Operations of the sample: those that its steps own, and those without an owner that start in a period of it."""
        for process, found in self.found.items():
            owned = {id(op) for i in found.iterations for op in i.ops}
            ownerless = [op for op in self.trace.ops if op.process == process and id(op) not in owned]
            for n in self.numbers:
                begin, end = found.tiles()[n]
                mine = found.iterations[n].ops + [op for op in ownerless if begin <= op.start < end]
                yield from (op for op in mine if op.kind == kind)

    def kernels(self):
        """{demangled name: (calls, ns)} of the sample, sums over its steps and processes."""
        out = {}
        for op in self.ops("kernel"):
            name = self.trace.kernel_name(op)
            calls, ns = out.get(name, (0, 0))
            out[name] = calls + 1, ns + op.end - op.start
        return out

    def copies(self):
        """(calls, ns) of the sample's copies."""
        lengths = [op.end - op.start for op in self.ops("memcpy")]
        return len(lengths), sum(lengths)

    def per_step(self, total):
        return total / (len(self.numbers) * len(self.found))


def resampled(r, values):
    return percentile(r.choices(values, k=len(values)), 50)


def verdict(before, after, threshold=0.01):
    """(verdict, low, high) of the difference of medians, by another bootstrap than warplens's: the ends are near, not equal."""
    r = random.Random(1)
    differences = sorted(resampled(r, after.values) - resampled(r, before.values) for _ in range(RESAMPLES))
    low, high = differences[RESAMPLES * 25 // 1000], differences[RESAMPLES * 975 // 1000 - 1]
    limit, change = threshold * before.median(), after.median() - before.median()
    if min(len(before.values), len(after.values)) < FEWEST:
        return "inconclusive", low, high
    if (low > 0 or high < 0) and abs(change) >= limit:
        return "slower" if change > 0 else "faster", low, high
    return "same" if -limit <= low and high <= limit else "inconclusive", low, high
