#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The functions that diff compares, of two traces with steps, against the oracle: time per step of both sides, their change and its
error (docs/definitions/compare.md). Random traces with random stacks, each against the next, and generated ones with host code
planted in one of them.

ORACLE_SEEDS: how many random traces are looked at for steps (default 100); ORACLE_BASE: the first seed (default 1). Failing traces
are kept.
"""
import math
import os
import shutil
import tempfile

import change
import idle
import mkstacks
import mktrace
import stacks
import wl
from test_diff import make, side
from tracefile import Trace

MOST = 64                           # functions that a fingerprint has
NO_STACK, OTHERS = "[no stack]", "(others)"


class Functions:
    """The account of the gaps in the sample of a side, by function: exact time, time by samples, and how many these are; sums."""
    def __init__(self, side):
        found, self.by = stacks.stacks_of(side.trace), len(side.numbers) * len(side.found)
        stretches = list(self.stretches(side))
        exact, taken, rest, n = stacks.split_times(found, stretches)
        self.rows, self.all = {}, sum(b - a for _, a, b in stretches)
        for stack in {**exact, **taken}:
            function = stacks.stack_names(stack)[0]
            if function:
                row = self.rows.setdefault(stacks.label(function), [0, 0, 0])
                row[0] += exact.get(stack, 0)
                row[1] += taken.get(stack, 0) * rest / max(n, 1)
                row[2] += taken.get(stack, 0)
        self.has_stacks = stacks.has_stacks(side.trace)

    @staticmethod
    def stretches(side):
        """(thread, a, b) of what the account has in the steps of the sample."""
        for process, found in side.found.items():
            device, = side.trace.devices_of(process)
            for begin, end in (found.tiles()[n] for n in side.numbers):
                for gap in idle.gaps_in(side.query, device, (begin, end)):
                    for a, b, cause, _ in gap.pieces:
                        a, b = max(a, begin), min(b, end)
                        if a < b and cause in stacks.ACCOUNTED and gap.after.launch:
                            yield gap.after.launch.thread, a, b

    def time(self, name):
        if name == NO_STACK:
            return (self.all - sum(exact + sampled for exact, sampled, _ in self.rows.values())) / self.by
        exact, sampled, _ = self.rows.get(name, (0, 0, 0))
        return (exact + sampled) / self.by

    def variance(self, name):
        """Of the part that samples show: n samples are n more or less its root."""
        _, sampled, n = self.rows.get(name, (0, 0, 0))
        return (sampled / self.by) ** 2 / n if n else 0


def differences(rows, before, after):
    """Times are rounded down function by function, then so that they add up."""
    got, out = {r["function"]: r for r in rows}, []
    if len(got) != len(rows):
        out.append("a function has two rows")
    for column, side in (("before", before), ("after", after)):
        total = sum(r[column] for r in rows)
        out += [] if abs(total - side.all / side.by) <= 1 else ["%s: rows add up to %d, oracle %.1f" % (column, total, side.all / side.by)]
    out += ["change of %r" % r for r in rows if r["change"] != r["after"] - r["before"]]
    if OTHERS in got or max(len(before.rows), len(after.rows)) > MOST:
        return out
    for name in {*got, *before.rows, *after.rows, NO_STACK}:
        row = got.get(name, {"before": 0, "after": 0, "error": 0})
        want = before.time(name), after.time(name)
        near = 2 + (len(before.rows) + len(after.rows) if name == NO_STACK else 0)
        if abs(row["before"] - want[0]) > near or abs(row["after"] - want[1]) > near:
            out.append("%s: warplens %r, oracle %.1f and %.1f" % (name, row, *want))
        error = 2 * math.sqrt(before.variance(name) + after.variance(name))
        if name in got and abs(row["error"] - error) > 3:
            out.append("%s: error %d, oracle %.1f" % (name, row["error"], error))
    return out


def compare(tally, a, b, before, after):
    """Both ways: sides that change places have the changes of the other sign."""
    bad = []
    for x, y, old, new in ((a, b, before, after), (b, a, after, before)):
        _, document = wl.run("diff", x, y, "--conventions=generic")
        tables = {s["analysis"]: s["rows"] for s in document["sections"]}
        if not (old.has_stacks and new.has_stacks):
            bad += ["functions of a trace without stacks"] if tables.get("functions") else []
        else:
            bad += differences(tables.get("functions", []), old, new)
    tally.check("%s, %s" % (a, b), bad)


def random_pairs(tally, scratch):
    last = None
    for seed in wl.seeds(100):
        path = os.path.join(scratch, "%d.sqlite" % seed)
        mktrace.make(seed, path, rich=True)
        mine = side(path)
        if mine is None or not mkstacks.add(seed, path, dense=seed % 4 > 0):
            os.remove(path)
            continue
        mine = Functions(change.Side(Trace(path)))
        if last:
            compare(tally, last[0], path, last[1], mine)
        last = path, mine


OPTIONS = ["--ranks", "2", "--layers", "1", "--iters", "10", "--variants", "4"]
EDITS = [["alloc", "--length", "400us"]], [["sync", "--length", "700us"], ["host", "--length", "500us"]]


def planted_pair(tally, scratch):
    pair = []
    for seed, edits in enumerate(EDITS, 100):
        path, _ = make(scratch, "p%d-" % seed, OPTIONS, edits)
        mkstacks.add(seed, path, dense=True)
        pair.append((path, Functions(change.Side(Trace(path)))))
    (a, before), (b, after) = pair
    compare(tally, a, b, before, after)


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-functions-"), wl.Tally()
    planted_pair(tally, scratch)
    random_pairs(tally, scratch)
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
