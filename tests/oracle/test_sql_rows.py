#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of events and functions of `sql` on real traces, against the raw tables in plain Python: counts, sums, unions,
intersections, steps and bins of overlap, percentiles, NVTX ranges, launches; `ops` and `matches` against the verbs.

ROWS_MOST_KB: only traces whose packed file is no larger (default 200; 0: all).
"""
import bisect
import collections
import csv
import io
import os
import random
import sqlite3
import subprocess
from fractions import Fraction

import wl

KINDS = {"kernel": "KERNEL", "memcpy": "MEMCPY", "memset": "MEMSET", "graph": "GRAPH_TRACE"}
RANGES = (59, 60, 70, 71)


def ask(path, text):
    """Rows of a statement as texts; "" is NULL."""
    p = subprocess.run([wl.WARPLENS, "sql", path, text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if p.returncode:
        raise RuntimeError("%s: exit %d: %s" % (text, p.returncode, p.stderr.decode("utf-8", "replace")[:400]))
    csv.field_size_limit(1 << 30)
    return list(csv.reader(io.StringIO(p.stdout.decode("utf-8", "surrogateescape"))))[1:]


def verb(path, *args):
    """Rows of a verb as dictionaries; [] where it has no data."""
    p = subprocess.run([wl.WARPLENS, *args, path, "-f", "csv"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600)
    if p.returncode == wl.NO_DATA:
        return []
    if p.returncode:
        raise RuntimeError("%s: exit %d" % (" ".join(args), p.returncode))
    return list(csv.DictReader(io.StringIO(p.stdout.decode("utf-8", "surrogateescape"))))


# ---- Sets in plain Python ----

def union(spans):
    out = []
    for b, e in sorted(s for s in spans if s[0] < s[1]):
        if out and b <= out[-1][1]:
            out[-1][1] = max(out[-1][1], e)
        else:
            out.append([b, e])
    return [tuple(s) for s in out]


def length(spans):
    return sum(e - b for b, e in spans)


def both(a, b):
    """By the lengths of unions: |a and b| = |a| + |b| - |a or b|."""
    return length(union(a)) + length(union(b)) - length(union(a + b))


def steps(spans):
    """[(time, number from there on)] where the number changes."""
    change = collections.Counter()
    for b, e in spans:
        if b < e:
            change[b] += 1
            change[e] -= 1
    now, out = 0, []
    for t in sorted(change):
        if change[t]:
            now += change[t]
            out.append((t, now))
    return out


def bin_means(spans, width):
    """{begin of bin: nanoseconds of all intervals in it}, by cutting each interval."""
    out = collections.Counter()
    for b, e in spans:
        while b < e:
            edge = (b // width + 1) * width
            out[b // width * width] += min(e, edge) - b
            b = edge
    return out


def nearest_rank(values, p):
    """The smallest value with at least p percent at or below."""
    values = sorted(values)
    rank = -((-Fraction(str(p)) * len(values)) // 100)
    return values[max(int(rank), 1) - 1]


# ---- The file ----

class Raw:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
        self.db.text_factory = lambda b: b.decode("utf-8", "replace")
        self.ops = {}
        for kind, table in KINDS.items():
            table = "CUPTI_ACTIVITY_KIND_" + table
            self.ops[kind] = []
            if {"start", "streamId", "deviceId"} <= self.columns(table):
                self.ops[kind] = [(s, max(s, e), stream) for s, e, stream in self.db.execute(
                    'SELECT start, "end", streamId FROM %s WHERE start NOT NULL AND "end" NOT NULL' % table)]

    def columns(self, table):
        return {row[1] for row in self.db.execute("PRAGMA table_info(%s)" % table)}

    def spans(self, *kinds):
        return [(s, e) for kind in kinds or KINDS for s, e, _ in self.ops[kind]]


def compare(what, got, want):
    return [] if got == want else ["%s: %r, raw %r" % (what, got, want)]


def check_counts(path, raw):
    got = {(k, s): (int(n), int(total)) for k, s, n, total in ask(
        path, "SELECT kind, stream, count(*), sum(duration) FROM ops GROUP BY kind, stream")}
    want = collections.defaultdict(lambda: (0, 0))
    for kind, rows in raw.ops.items():
        for s, e, stream in rows:
            n, total = want[kind, str(stream)]
            want[kind, str(stream)] = (n + 1, total + e - s)
    return compare("counts by kind and stream", got, dict(want))


def check_sets(path, raw):
    kernels, others = raw.spans("kernel"), raw.spans("memcpy", "memset")
    k = 'intervals(start, "end") FILTER (WHERE kind = \'kernel\')'
    o = 'intervals(start, "end") FILTER (WHERE kind IN (\'memcpy\', \'memset\'))'
    row = ask(path, 'SELECT union_ns(start, "end"), interval_ns(%s), interval_ns(interval_union(%s, %s)), '
                    "interval_ns(interval_intersect(%s, %s)), interval_ns(interval_subtract(%s, %s)) FROM ops" % (k, k, o, k, o, k, o))
    want = [length(union(raw.spans())), length(union(kernels)), length(union(kernels + others)), both(kernels, others),
            length(union(kernels)) - both(kernels, others)]
    got = ask(path, "SELECT start, \"end\" FROM each_interval((SELECT %s FROM ops))" % k)
    return compare("sets", [int(x) for x in row[0]], want) + compare(
        "each_interval", [(int(b), int(e)) for b, e in got][:50000], union(kernels)[:50000])


def check_overlap(path, raw):
    spans = raw.spans()
    where = "FROM overlap_count((SELECT intervals(start, \"end\") FROM ops)%s)"
    got = [(int(t), int(v)) for t, v in ask(path, "SELECT time, value " + where % "")]
    if not spans:
        return compare("steps without operations", got, [])
    width = max(1, (max(e for _, e in spans) - min(s for s, _ in spans)) // 997)
    bins = {int(t): float(v) for t, v in ask(path, "SELECT time, value " + where % (", %d" % width))}
    want = bin_means(spans, width)
    wrong = [t for t in set(bins) | set(want) if abs(bins.get(t, 0) - want.get(t, 0) / width) > 1e-9 * max(1, want.get(t, 0))]
    return compare("steps", got, steps(spans)) + compare("bins", sorted(wrong)[:3], [])


def check_percentiles(path, raw):
    durations = [e - s for s, e in raw.spans("kernel")]
    if not durations:
        return []
    ps = [0, 1, 12.5, 50, 90, 99, 99.9, 100]
    row = ask(path, "SELECT %s FROM ops WHERE kind = 'kernel'" % ", ".join("percentile(duration, %s)" % p for p in ps))[0]
    return compare("percentiles", [int(x) for x in row], [nearest_rank(durations, p) for p in ps])


def check_ops_verb(path):
    """Every column of the verb, whatever the order of operations that begin together."""
    rows = verb(path, "ops", "--top", "0", "--order", "start", "-n", "0")
    if not rows:
        return compare("operations", ask(path, "SELECT count(*) FROM ops"), [["0"]])
    keys = list(rows[0])
    got = ask(path, "SELECT %s FROM ops" % ", ".join('"%s"' % k for k in keys))
    want = [[row[k] for k in keys] for row in rows]
    return compare("columns of the verb", sorted(map(tuple, got))[:100000], sorted(map(tuple, want))[:100000])


def check_matches(path):
    rows = verb(path, "nccl", "--list", "-n", "0")
    got = ask(path, "SELECT device, start, duration, transfer, wait_all, late FROM matches")
    want = [[row[k] for k in ("device", "arrival", "dur", "transfer", "wait_all", "late")] for row in rows if row.get("match")]
    return compare("matches", sorted(map(tuple, got)), sorted(map(tuple, want)))


def check_ranges(path, raw):
    if not {"start", "end", "eventType", "globalTid"} <= raw.columns("NVTX_EVENTS"):
        return []
    rows = raw.db.execute('SELECT globalTid, eventType, start, "end" FROM NVTX_EVENTS WHERE start NOT NULL AND eventType IN %s'
                          % str(RANGES)).fetchall()
    closed = collections.Counter((tid & 0xffffff, max(e, s) - s) for tid, _, s, e in rows if tid is not None and e is not None)
    got = collections.Counter()
    for tid, duration, n in ask(path, "SELECT tid, duration, count(*) FROM nvtx_ranges WHERE closed GROUP BY 1, 2"):
        got[int(tid), int(duration)] = int(n)
    n_open = sum(1 for tid, _, _, e in rows if tid is not None and e is None)
    return compare("closed ranges", len(got - closed) + len(closed - got), 0) + compare(
        "open ranges", ask(path, "SELECT count(*) FROM nvtx_ranges WHERE NOT closed"), [[str(n_open)]])


def check_nvtx_at(path, raw):
    """What is innermost at random times of threads on which no two ranges cross; ranges that begin together are left out."""
    if not {"start", "end", "eventType", "globalTid", "text"} <= raw.columns("NVTX_EVENTS"):
        return []
    of = collections.defaultdict(list)
    for tid, s, e in raw.db.execute('SELECT globalTid, start, "end" FROM NVTX_EVENTS WHERE eventType IN (59, 70) AND "end" > start'):
        of[tid].append((s, e))
    r, pairs = random.Random(5), []
    for tid, spans in sorted((t, s) for t, s in of.items() if t is not None)[:20]:
        spans.sort(key=lambda s: (s[0], -s[1]))
        stack, crosses = [], len({s for s, _ in spans}) < len(spans)
        for s, e in spans:
            while stack and stack[-1] <= s:
                stack.pop()
            crosses |= bool(stack) and e > stack[-1]
            stack.append(e)
        if not crosses:
            starts = [s for s, _ in spans]
            for _ in range(20):
                t = r.randrange(spans[0][0] - 5, max(e for _, e in spans) + 5)
                around = [s for s in spans[max(0, bisect.bisect(starts, t) - 500):bisect.bisect(starts, t)] if s[1] > t]
                pairs.append((tid, t, len(around)))
    if not pairs:
        return []
    values = ", ".join("(%d, %d)" % p[:2] for p in pairs)
    got = ask(path, "WITH v(tid, t) AS (VALUES %s) SELECT tid, t, nvtx_at(tid, t) IS NULL FROM v" % values)
    return compare("nvtx_at", [int(row[2]) for row in got], [int(n == 0) for _, _, n in pairs])


def check_launches(path, raw):
    if not {"globalTid", "correlationId"} <= raw.columns("CUPTI_ACTIVITY_KIND_RUNTIME"):
        return []
    calls = {(tid >> 24, corr) for tid, corr in raw.db.execute(
        "SELECT globalTid, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start NOT NULL") if tid is not None}
    n = 0
    for table in KINDS.values():
        table = "CUPTI_ACTIVITY_KIND_" + table
        if {"globalPid", "correlationId"} <= raw.columns(table):
            n += sum((pid >> 24, corr) in calls for pid, corr in raw.db.execute(
                "SELECT globalPid, correlationId FROM %s WHERE start NOT NULL" % table) if pid is not None)
    return compare("launches", ask(path, "SELECT count(*) FROM launches"), [[str(n)]]) if n else []


def main():
    wl.skip_without_corpus()
    most = int(os.environ.get("ROWS_MOST_KB", "200"))
    if most:
        os.environ["TRACES_MOST_KB"] = str(min(most, int(os.environ.get("TRACES_MOST_KB") or most)))
    tally = wl.Tally()
    for name, path in wl.corpus_traces():
        raw = Raw(path)
        for check in (check_counts, check_sets, check_overlap, check_percentiles, check_ranges, check_nvtx_at, check_launches):
            tally.check("%s: %s" % (name, check.__name__), check(path, raw))
        for check in (check_ops_verb, check_matches):
            tally.check("%s: %s" % (name, check.__name__), check(path))
    tally.finish()


if __name__ == "__main__":
    main()
