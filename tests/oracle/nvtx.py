# SPDX-License-Identifier: MIT
"""NVTX: names, nesting, attribution and bridging (docs/definitions/nvtx.md). The verbs are in ranges.py."""
import functools
import re

import intervals
from conventions import is_nccl

PUSH_POP = (59, 70)
COUNTED = {"iter", "iteration", "step", "batch", "microbatch", "layer", "block", "chunk", "phase", "token", "epoch", "rank",
           "req", "request"}


# --- names ------------------------------------------------------------------------------------------------

ADDRESS, DIGITS = re.compile(r"0[xX][0-9a-fA-F]+"), re.compile(r"[0-9]+")


@functools.lru_cache(maxsize=None)
def normalised(name):
    """Addresses, counters and free digits become #.

    open: letters are what Unicode calls so; a word is the whole run of letters before the digits, in any case."""
    out, i = [], 0
    while i < len(name):
        before = name[i - 1] if i else ""
        address = ADDRESS.match(name, i)
        digits = DIGITS.match(name, i)
        if address and not before.isalnum():
            out.append("#")
            i = address.end()
        elif digits:
            after = name[digits.end():digits.end() + 1]
            word = ""
            while i - len(word) > 0 and name[i - len(word) - 1].isalpha():
                word = name[i - len(word) - 1] + word
            free = not before.isalpha() and not after.isalpha()
            out.append("#" if free or word.lower() in COUNTED else digits.group())
            i = digits.end()
        else:
            out.append(name[i])
            i += 1
    return "".join(out)


def exact_label(r):
    """`domain:name`; the default domain, and a domain whose name the file lacks, have no prefix."""
    name = r.name if r.name is not None else "(unnamed)"
    return "%s:%s" % (r.domain, name) if r.domain_id and r.domain is not None else name


def label(r):
    return normalised(exact_label(r))


# --- nesting ----------------------------------------------------------------------------------------------

def nesting_order(ranges):
    """By start, longer first; open: equal ranges by row, the earlier outside."""
    return sorted(ranges, key=lambda r: (r.start, -r.end))


def containing(ranges, rows):
    """{row: the ranges that contain it, outermost first}; ranges in nesting order, rows with start and end.

    open: a row that begins or ends exactly where the range does is inside, also where the range is empty."""
    out, still_open, i = {}, [], 0
    for row in sorted(rows, key=lambda x: x.start):
        while i < len(ranges) and ranges[i].start <= row.start:
            still_open.append(ranges[i])
            i += 1
        still_open = [r for r in still_open if r.end >= row.start]
        out[row] = [r for r in still_open if r.end >= row.end]
    return out


class Point:
    """The start of a row as a row of no length."""
    def __init__(self, row):
        self.row, self.start, self.end = row, row.start, row.start


def open_at(ranges, rows):
    """{row: the ranges that are open at its start, outermost first}. open: a range is no longer open at its end."""
    found = containing(ranges, [Point(row) for row in rows])
    return {point.row: [r for r in around if point.start < r.end] for point, around in found.items()}


def parents(ranges):
    """{range: its parent or None}: the nearest range before it, in nesting order, that contains it."""
    out, still_open = {}, []
    for r in ranges:
        still_open = [x for x in still_open if x.end >= r.start]
        around = [x for x in still_open if x.end >= r.end]
        out[r] = around[-1] if around else None
        still_open.append(r)
    return out


class Forest:
    """The ranges of a trace as trees per thread, and which operations belong to them.

    domain: only ranges of that domain ("" is the default one), None for all."""
    def __init__(self, trace, domain=None):
        self.trace = trace
        chosen = [r for r in trace.ranges if domain is None or (r.domain or "") == domain]
        self.pushed = [r for r in chosen if r.type in PUSH_POP]
        self.spans = [r for r in chosen if r.type not in PUSH_POP]
        self.by_thread = grouped(self.pushed)
        self.by_thread = {t: nesting_order(rs) for t, rs in self.by_thread.items()}
        self.parent = {}
        for ranges in self.by_thread.values():
            self.parent.update(parents(ranges))
        self.children = {r: [] for r in self.pushed}
        for r, p in self.parent.items():
            if p is not None:
                self.children[p].append(r)
        self.attribute()
        self.bridge()

    def ancestors(self, r):
        """r and what is above it, innermost first."""
        out = []
        while r is not None:
            out.append(r)
            r = self.parent[r]
        return out

    def innermost(self, rows):
        """{row: the innermost push/pop range of its thread that contains it, or None}; rows: anything with thread, start, end."""
        out = {}
        for thread, mine in grouped(rows).items():
            for row, found in containing(self.by_thread.get(thread, []), mine).items():
                out[row] = found[-1] if found else None
        return out

    def attribute(self):
        """direct: {operation: innermost range}; around: {operation: all ranges that contain its launch call, innermost first};
        spanned: {start/end range: operations}."""
        calls, self.around = list({op.launch: None for op in self.trace.ops if op.launch}), {}
        for thread, mine in grouped(calls).items():
            for call, found in containing(self.by_thread.get(thread, []), mine).items():
                self.around.update((op, found[::-1]) for op in call.ops if found)
        self.direct = {op: self.around[op][0] for op in self.trace.ops if op in self.around}
        self.spanned = {s: [] for s in self.spans}
        spans, by_thread = grouped(s for s in self.spans if on_one_thread(s)), grouped(calls)
        for thread, mine in by_thread.items():
            for call, found in containing(nesting_order(spans.get(thread, [])), mine).items():
                for s in found:
                    self.spanned[s] += call.ops

    def bridge(self):
        """anchor: {process: thread}; above: {operation: the anchor's open ranges, innermost first}."""
        self.anchor = {p: anchor_thread(p, self.by_thread) for p in self.trace.processes}
        self.above = {}
        calls = list({op.launch: None for op in self.trace.ops if op.launch})
        for process, anchor in self.anchor.items():
            foreign = [c for c in calls if c.process == process and c.thread != anchor]
            if anchor is None or not foreign:
                continue
            for call, found in open_at(self.by_thread[anchor], foreign).items():
                for op in call.ops if found else []:
                    self.above[op] = found[::-1]

    def stack(self, op, bridged=False):
        """The ranges an operation belongs to, innermost first; with bridging the anchor's stand above its own.

        Ranges that cross (stacks are per thread and domain) both contain what lies in both: it belongs to both."""
        return self.around.get(op, []) + (self.above.get(op, []) if bridged else [])

    def chain(self, op, bridged=False):
        """The innermost range and its ancestors only: what crosses it is beside it."""
        own = self.ancestors(self.direct[op]) if op in self.direct else []
        return own + (self.above.get(op, []) if bridged else [])

    def path(self, r, name=label):
        return tuple(name(x) for x in self.ancestors(r)[::-1])


def forest_of(trace, domain=None):
    """The trace's Forest, computed once."""
    if not hasattr(trace, "forests"):
        trace.forests = {}
    if domain not in trace.forests:
        trace.forests[domain] = Forest(trace, domain)
    return trace.forests[domain]


def on_one_thread(r):
    return r.end_thread is None or r.end_thread == r.thread


def grouped(rows):
    out = {}
    for row in rows:
        out.setdefault(row.thread, []).append(row)
    return out


def anchor_thread(process, by_thread):
    """The thread with the longest union of default-domain push/pop ranges; if none has any, of all ranges but NCCL's.

    open: "all ranges" are push/pop ranges too; a tie without tid = pid goes to the lowest thread."""
    mine = {t: rs for t, rs in by_thread.items() if t >> 24 == process}
    for wanted in (lambda r: r.domain_id == 0, lambda r: not is_nccl(r)):
        found = {t: [r for r in rs if wanted(r)] for t, rs in mine.items()}
        lengths = {t: intervals.length(intervals.union((r.start, r.end) for r in rs)) for t, rs in found.items() if rs}
        if lengths:
            return min(lengths, key=lambda t: (-lengths[t], t & 0xFFFFFF != t >> 24 & 0xFFFFFF, t))
    return None
